"""The scores over runs, drawn on a page without scripts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay._report import history, numbers
from assay._report.page import asset, page

Json = Mapping[str, Any]
WIDTH: Final = 860
HEIGHT: Final = 220
COLOURS: Final = 6
# Told apart without colours: drawn round (0, 0).
SHAPES: Final = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4 -4h8v8h-8Z",
    "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5Z",
    "M0 -5l5 9h-10Z",
    "M0 5l5 -9h-10Z",
    "M-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5Z",
    "M-5 -2.5h10v5h-10Z",
)
# So many runs have room for their names below the axis.
_NAMED: Final = 12
_NAME: Final = 12  # characters of such a name


@dataclass(frozen=True, slots=True)
class Mark:
    """A mean with its interval, in the drawing's units; `low` is None without an interval."""

    x: float
    y: float
    low: float | None
    high: float | None
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """One series as it is drawn."""

    name: str  # of the series
    colour: int  # which of the colours
    shape: str  # path of its marks
    path: str  # the line through its means
    marks: Sequence[Mark]  # its means


@dataclass(frozen=True, slots=True)
class Picture:
    """One metric as it is drawn."""

    lines: Sequence[Line]  # its series
    ticks: Sequence[tuple[float, str]]  # (y, value) of the lines of the grid
    names: Sequence[tuple[float, str, str]]  # (x, id, day) below the axis
    guide: float | None  # where the guide value lies, None if it is not in the picture


def render(data: Json) -> str:
    """The page: a pure function of the history, one file without any outside reference."""
    return page(
        "history.html",
        asset("style.css") + asset("history.css"),
        version=data["assay"],
        data=data,
        pictures=[picture(metric) for metric in data["metrics"]],
        words=history,
        w=WIDTH,
        h=HEIGHT,
    )


def picture(metric: Json) -> Picture:
    """The drawing of one metric.

    Args:
        metric: Its axis, guide value, and series of points, as `history.collect` gives them.
    """
    low, high, step = metric["axis"]
    every = [point for one in metric["series"] for point in one["points"]]
    if not every[0]["values"]:  # otherwise they stand in the order of these
        every.sort(key=lambda point: (point["created"], point["run"]))
    points = list(dict.fromkeys((point["created"], point["run"]) for point in every))
    gap = WIDTH / len(points)
    places = {run: round((n + 0.5) * gap, 1) for n, (_, run) in enumerate(points)}

    def y(value: float) -> float:
        return round(float((high - value) / (high - low)) * HEIGHT, 1)

    names = {point["run"]: point["name"] or point["run"][:8] for point in every}
    # Of many runs, only the first and the last have room.
    named = points if len(points) <= _NAMED else [points[0], points[-1]]
    guide = metric["guide"]
    return Picture(
        lines=[_line(one, place, places, y) for place, one in enumerate(metric["series"])],
        ticks=[(y(value), numbers.score(value)) for value in history.ticks(low, high, step)],
        names=[(places[run], _short(names[run]), created[:10]) for created, run in named],
        guide=y(guide) if guide is not None and low <= guide <= high else None,
    )


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}\N{HORIZONTAL ELLIPSIS}"


def _line(one: Json, place: int, places: Mapping[str, float], y: Callable[[float], float]) -> Line:
    marks = [
        Mark(
            x=places[point["run"]],
            y=y(point["mean"]),
            low=y(point["interval"][0]) if point["interval"] else None,
            high=y(point["interval"][1]) if point["interval"] else None,
            title=_title(one, point),
        )
        for point in one["points"]
        if point["mean"] is not None
    ]
    path = "M" + "L".join(f"{mark.x} {mark.y}" for mark in marks) if len(marks) > 1 else ""
    return Line(one["name"], place % COLOURS, SHAPES[place % len(SHAPES)], path, marks)


def _title(one: Json, point: Json) -> str:
    *which, n, mean, interval = history.row(point)
    return f"series {one['name']}, {', '.join(which)}: {mean} ({interval}), n = {n}"
