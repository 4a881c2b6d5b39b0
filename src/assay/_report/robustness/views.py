"""How robust a system is: on the console, in Markdown and as a page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from assay._report import numbers, sanitize
from assay._report import robustness as words
from assay._report.history import axis, ticks
from assay._report.page import asset, page
from assay._report.tables import (
    STYLES,
    dim,
    joined,
    markdown_list,
    markdown_table,
    numeric,
    table,
)

Json = Mapping[str, Any]


def console(data: Json) -> RenderableType:
    """Each perturbation with a table a metric, and how they are to be read."""
    lines: list[RenderableType] = [Text(sanitize.plain(words.title(data)), "bold")]
    lines.append(Text(sanitize.plain(words.baseline(data))))
    for name, curves in words.perturbations(data):
        lines += _perturbation(data, name, curves)
    if data["combined"]:
        lines += [Text(), *(Text(sanitize.plain(line)) for line in words.combined(data))]
    return Group(*lines, Text(), *(dim(note) for note in words.notes(data)))


def _perturbation(data: Json, name: str, curves: Any) -> Iterator[RenderableType]:
    yield Text()
    yield Text.assemble((name, "bold"), f"  {curves[0]['title']}" if curves else "")
    for curve in curves:
        head = Text(sanitize.plain(curve["metric"]))
        if not curve["higher_is_better"]:
            head.append(" \N{DOWNWARDS ARROW} lower is better", "dim")
        head.append(f"  {words.sparkline(curve)}  ")
        head.append(sanitize.plain(curve["finding"]), STYLES[words.tone(curve)])
        yield head
        made = table(words.HEADS[0])
        numeric(made, words.HEADS[1:-1])
        made.add_column("")
        for point in curve["points"]:
            made.add_row(*(Text(sanitize.plain(cell)) for cell in words.row(point)))
        yield made
    for text in words.left_out(data, name):
        yield dim(text)


def markdown(data: Json) -> str:
    """The same in Markdown."""
    blocks = [f"# {sanitize.inline(words.title(data))}", sanitize.inline(words.baseline(data))]
    sides = {head: ":---" if head in ("level", "verdict") else "---:" for head in words.HEADS}
    for name, curves in words.perturbations(data):
        blocks.append(f"## {name}")
        for curve in curves:
            line = f"**{sanitize.inline(curve['metric'])}**: {sanitize.inline(curve['finding'])}"
            rows = (map(sanitize.inline, words.row(point)) for point in curve["points"])
            blocks += [line, markdown_table(sides, rows)]
        blocks.append(markdown_list(words.left_out(data, name)))
    return joined([*blocks, markdown_list(words.combined(data)), markdown_list(words.notes(data))])


WIDTH: Final = 400
HEIGHT: Final = 150


@dataclass(frozen=True, slots=True)
class Mark:
    """A level in the drawing's units; `low` is None without an interval."""

    x: float
    y: float
    baseline: float
    low: float | None
    high: float | None
    level: str
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """One curve as it is drawn."""

    curve: Json
    tone: str
    marks: Sequence[Mark]
    path: str  # through the means
    baseline: str  # through the means of the same samples unperturbed
    ticks: Sequence[tuple[float, str]]  # (y, value) of the lines of the grid


def html(data: Json) -> str:
    """The page: a pure function of what was found, one file without any outside reference."""
    return page(
        "robustness.html",
        asset("style.css") + asset("history.css") + asset("robustness.css"),
        version=data["assay"],
        data=data,
        parts=[
            (name, [_picture(curve) for curve in curves])
            for name, curves in words.perturbations(data)
        ],
        words=words,
        w=WIDTH,
        h=HEIGHT,
    )


def _picture(curve: Json) -> Picture:
    points = [one for one in curve["points"] if one["mean"] is not None]
    ends = [(one["interval"]["low"], one["interval"]["high"]) if one["interval"] else None
            for one in points]  # fmt: skip
    plotted = [
        {"mean": value, "interval": end}
        for one, end in zip(points, ends, strict=True)
        for value in (one["mean"], one["baseline"])
    ]
    low, high = curve["range"]
    step = 0.0 if low is None or high is None else (high - low) / 5
    if not step:
        low, high, step = axis([{"points": plotted}], curve["range"])

    def y(value: float) -> float:
        return round(float((high - value) / (high - low)) * HEIGHT, 1)

    gap = WIDTH / max(1, len(points))
    marks = [
        Mark(
            x=round((place + 0.5) * gap, 1),
            y=y(one["mean"]),
            baseline=y(one["baseline"]),
            low=y(end[0]) if end else None,
            high=y(end[1]) if end else None,
            level=one["level"],
            title=f"{one['level']}: {', '.join(words.row(one)[1:])}",
        )
        for place, (one, end) in enumerate(zip(points, ends, strict=True))
    ]
    return Picture(
        curve,
        words.tone(curve),
        marks,
        _path((mark.x, mark.y) for mark in marks),
        _path((mark.x, mark.baseline) for mark in marks),
        [(y(value), numbers.score(value)) for value in ticks(low, high, step)],
    )


def _path(places: Any) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in places)
