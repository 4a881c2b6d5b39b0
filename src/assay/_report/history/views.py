"""The scores over runs on the console, in Markdown, and drawn on a page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from assay._report import history, numbers, sanitize
from assay._report.page import asset, page
from assay._report.sanitize import cell, code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_table, table

Json = Mapping[str, Any]
BAR: Final = 25
NARROWEST: Final = 10
_NAME_COLUMN: Final = 14  # characters of a run, so that the picture has room at 80 columns


def console(data: Json, *, show_all: bool = False) -> RenderableType:
    """Each metric with its series, and what must be read beside them.

    Args:
        data: The history in words.
        show_all: Whether metrics that never moved are more than counted.
    """
    if not data["metrics"]:
        return Text("no run yet")
    metrics, left_out = history.shown(data, show_all=show_all)
    heads = history.heads(data)
    blocks = [block for metric in metrics for block in _metric(metric, heads)]
    if left_out:
        blocks.append(Text(f"{sanitize.plain(left_out)} --all shows more."))
    return Group(*blocks, *(dim(note) for note in history.notes(data)))


def _metric(metric: Json, heads: Sequence[str]) -> Iterator[RenderableType]:
    head = Text(sanitize.plain(metric["metric"]), style="bold")
    if not metric["higher_is_better"]:
        head.append(" \N{DOWNWARDS ARROW} lower is better", style="dim")
    if metric["guide"] is not None:
        head.append(f"  guide {numbers.score(metric['guide'])}", style="dim")
    yield head
    for one in metric["series"]:
        yield dim(f"series {one['name']}: {history.title(one)}")
        if why := history.not_comparable(one):
            yield Text(f"! {sanitize.plain(why)}", style="yellow")
        yield _table(one, metric, heads)
        yield from _remarks(one, metric)
        yield Text()


def _table(one: Json, metric: Json, heads: Sequence[str]) -> Table:
    low, high = (numbers.score(end) for end in metric["axis"][:2])
    made = table()
    for name in heads:
        right = name in history.NUMERIC
        folded = name == "run"
        made.add_column(
            sanitize.plain(name),
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis" if folded else "fold",
            max_width=_NAME_COLUMN if folded else None,
        )
    made.add_column(_Fitting(lambda width: _scale(low, high, width)))
    for point in one["points"]:
        cells = [Text(sanitize.plain(cell)) for cell in history.row(point)]
        made.add_row(*cells, _Fitting(partial(bar, point, metric["axis"]), "cyan"))
    return made


def _remarks(one: Json, metric: Json) -> Iterator[Text]:
    """What the table has no room for: nothing is left of a line beside the pictures."""
    for point in one["points"]:
        if remark := history.remarks(point, metric):
            yield dim(f"{point['run'][:8]}: {remark}")


class _Fitting:
    """A line that is drawn as wide as the table leaves it room."""

    def __init__(self, draw: Callable[[int], str], style: str = "") -> None:
        self._draw, self._style = draw, style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self._draw(min(options.max_width, BAR))
        yield Text(text, style=self._style, no_wrap=True, overflow="crop")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(NARROWEST, BAR)


def _scale(low: str, high: str, width: int) -> str:
    return low + " " * max(1, width - len(low) - len(high)) + high


def bar(point: Json, axis: Sequence[float], width: int = BAR) -> str:
    """The mean and its interval on an axis of characters: ``  |---o----|   ``."""
    known = history.reach(point)
    if not known:
        return ""
    places = [_place(value, axis, width) for value in known]
    drawn = [" "] * width
    drawn[min(places) : max(places) + 1] = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (
        max(places) - min(places) + 1
    )
    if point["interval"]:
        drawn[min(places)], drawn[max(places)] = "├", "┤"
    if point["mean"] is not None:
        drawn[_place(point["mean"], axis, width)] = "●"
    return "".join(drawn)


def _place(value: float, axis: Sequence[float], width: int) -> int:
    share = (value - axis[0]) / (axis[1] - axis[0])
    return min(max(round(share * (width - 1)), 0), width - 1)


def markdown(data: Json) -> str:
    """Each metric with its series, and what must be read beside them."""
    heads = history.heads(data)
    blocks = [block for metric in data["metrics"] for block in _markdown_metric(metric, heads)]
    return joined(["## Scores over runs", *blocks, markdown_list(history.notes(data))])


def _markdown_metric(metric: Json, heads: Sequence[str]) -> Iterator[str]:
    lower = "" if metric["higher_is_better"] else " (lower is better)"
    yield f"### {code(metric['metric'])}{lower}"
    for one in metric["series"]:
        yield inline(f"Series {one['name']}: {history.title(one)}.")
        if why := history.not_comparable(one):
            yield f"**{inline(why)}**"
        low, high = (numbers.score(end) for end in metric["axis"][:2])
        sides = {inline(name): _side(name) for name in heads}
        sides |= {f"{low} to {high}": ":---", "": ":---"}
        rows = []
        for point in one["points"]:
            cells = [_cell(*pair) for pair in zip(heads, history.row(point), strict=True)]
            # Spaces at the ends of a code span are lost, and with them where the axis begins.
            picture = cell(bar(point, metric["axis"]).replace(" ", "·"))
            rows.append([*cells, picture, history.remarks(point, metric)])
        yield markdown_table(sides, rows)


def _side(head: str) -> str:
    return {"n": "---:", "mean": "---:", "95 % interval": ":---:"}.get(head, ":---")


def _cell(head: str, text: str) -> str:
    return cell(text) if head == "id" else inline(text)


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


def html(data: Json) -> str:
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
