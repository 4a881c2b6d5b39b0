"""The agreement with people on the console, in Markdown and as a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from assay._analysis.agreement import Agreement, Disagreement
from assay._analysis.annotators import TENTHS, Concordance, Row
from assay._report import agreement as words
from assay._report import numbers, sanitize, titles
from assay._report.page import asset, page
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_measures, measures, shorten
from assay._version import __version__
from assay.stats.agreement import Share

Json = Mapping[str, Any]
_STYLES: Final = {"yes": "cyan", "no": "bold yellow", "undecided": "yellow", "": ""}
_EXCERPT: Final = 200
_PARTS: Final = 6


def console(data: Json) -> RenderableType:
    """Every metric with its measures, what they were beside, and what to read."""
    report = msgspec.convert(data, words.AgreementReport)
    blocks: list[RenderableType] = [_metric(metric) for metric in report.metrics]
    blocks += [dim(f"{name}: {why}") for name, why in report.without.items()]
    if report.concordance:
        blocks.append(_concordance(report.concordance))
    return Group(*blocks)


def _metric(metric: Agreement) -> RenderableType:
    title = Text(sanitize.plain(metric.metric), style="bold")
    title.append(f"  {words.head(metric)}", style="not bold")
    table = measures(words.heads(metric), words.rows(metric), _STYLES)
    rest = [dim(note) for note in words.notes(metric)]
    counts = ", ".join(f"{n} {what}" for what, n in words.counts(metric))
    lines: list[RenderableType] = [title, table, *([Text(counts)] if counts else []), *rest]
    if metric.worst:
        lines.append(Text("Worst disagreements", style="bold"))
        lines += [_case(case) for case in metric.worst]
    return Group(*lines, Text())


def _case(case: Disagreement) -> RenderableType:
    head = Text.assemble((sanitize.plain(case.sample), "bold"), f"  {words.difference(case)}  ")
    head.append(_short(case.question), style="dim")
    parts = words.evidence(case)
    lines = parts[:_PARTS] if parts else [case.text]
    if len(parts) > _PARTS:
        lines.append(f"... and {numbers.plural(len(parts) - _PARTS, 'part')} more")
    return Padding(
        Group(head, *(Padding(dim(_short(line)), (0, 0, 0, 2)) for line in lines)), (0, 0, 0, 2)
    )


def _concordance(table: Concordance) -> RenderableType:
    """The paper's table."""
    heads = words.concordance_heads(table)
    rest = [dim(f"{name}: {why}") for name, why in table.without.items()]
    title = Text("Where metrics are high or low, what people say", style="bold")
    return Group(title, measures(heads, words.concordance_rows(table)), *rest)


def _short(text: str) -> str:
    return shorten(text, _EXCERPT, "...")


def markdown(data: Json) -> str:
    """Every metric with its measures, what they were beside, and what to read."""
    report = msgspec.convert(data, words.AgreementReport)
    run = titles.beside(report.title, report.run)
    blocks = [f"## Run {code(run)} and people ({code(report.labels)})"]
    for metric in report.metrics:
        blocks += _markdown_metric(metric)
    blocks += [f"{code(name)}: {inline(why)}" for name, why in report.without.items()]
    if report.concordance:
        blocks += _markdown_concordance(report.concordance)
    return joined(blocks)


def _markdown_metric(metric: Agreement) -> list[str]:
    both = ", ".join(f"{n} {what}" for what, n in words.counts(metric))
    cases = [
        f"- {code(case.sample)}: {inline(words.difference(case))}. {inline(case.text)}"
        for case in metric.worst
    ]
    return [
        f"### {code(metric.metric)}",
        f"{inline(words.head(metric))}.",
        markdown_measures(words.heads(metric), words.rows(metric)),
        f"{both}." if both else "",
        markdown_list(words.notes(metric)),
        "Worst disagreements:" if cases else "",
        "\n".join(cases),
    ]


def _markdown_concordance(table: Concordance) -> list[str]:
    rest = [f"- {code(name)}: {inline(why)}" for name, why in table.without.items()]
    grids = [
        block
        for name, rows in words.grids(table)
        for block in (
            f"{code(name)} at other thresholds:",
            markdown_measures(words.GRID_HEADS, rows),
        )
    ]
    drawn = markdown_measures(words.concordance_heads(table), words.concordance_rows(table))
    return ["### Concordance", drawn, "\n".join(rest), *grids]


WIDTH: Final = 260
HEIGHT: Final = 120
CELL: Final = 24


@dataclass(frozen=True, slots=True)
class Curve:
    """A share at each threshold, as it is drawn."""

    name: str  # what it is the share of
    style: str  # class of the drawing
    line: str  # path of the shares
    band: str  # path round their intervals
    points: Sequence[tuple[float, float, str]]  # (x, y, what a reader is told) of each


@dataclass(frozen=True, slots=True)
class Cell:
    """A share of the grid of two metrics, as it is drawn."""

    x: int
    y: int
    shade: int
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """One metric's curves, or the two grids of two metrics."""

    metrics: Sequence[str]  # their names
    base: float | None = None  # where the share that is correct anyway is drawn
    ends: tuple[str, str] = ("", "")  # what stands at the ends of the axis of thresholds
    ticks: Sequence[Sequence[str]] = ()  # the thresholds of each metric
    curves: Sequence[Curve] = ()  # of one metric
    grids: Sequence[tuple[str, Sequence[Cell]]] = ()  # of two, by name


def html(data: Json) -> str:
    """The page: one file without any outside reference and without scripts."""
    report = msgspec.convert(data, words.AgreementReport)
    table = report.concordance
    return page(
        "agreement.html",
        asset("style.css") + asset("agreement.css"),
        version=__version__,
        data=report,
        words=words,
        pictures=[_picture(row, table) for row in table.rows] if table else [],
        size={"w": WIDTH, "h": HEIGHT, "cell": CELL, "side": CELL * len(TENTHS)},
    )


def _picture(row: Row, table: Concordance) -> Picture:
    names = words.names(row, table)
    thresholds = [table.thresholds[metric] for metric in row.metrics]
    grids = [one.grid for one in thresholds]
    if len(names) == 1:
        curves = (
            _curve("P(correct | above)", "good", row.correct_grid[0], grids[0]),
            _curve("P(wrong | below)", "bad", row.wrong_grid[0], grids[0]),
        )
        base = _y(row.base_rate) if row.n else None
        low, high = thresholds[0].ends
        return Picture(names, base, ends=(_tick(low), _tick(high)), curves=curves)
    cells = (
        ("P(correct | both above)", _cells(row.correct_grid, *grids)),
        ("P(wrong | both below)", _cells(row.wrong_grid, *grids)),
    )
    return Picture(names, ticks=[list(map(_tick, grid)) for grid in grids], grids=cells)


def _tick(threshold: float) -> str:
    """It has the room of a cell; what is told of the cell has all digits."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(threshold) >= 10 * size:
            return f"{threshold / size:.0f}{letter}"
        if abs(threshold) >= size:
            return f"{threshold / size:.2g}{letter}"
    return f"{threshold:.3g}"


def _y(share: float) -> float:
    return round(HEIGHT * (1 - share), 1)


def _curve(name: str, style: str, shares: Sequence[Share], grid: Sequence[float]) -> Curve:
    # The thresholds are tenths of the axis, wherever it begins.
    steps = [round(WIDTH * (at + 1) / (len(grid) + 1), 1) for at in range(len(grid))]
    points: list[tuple[float, float, str]] = []
    upper: list[tuple[float, float]] = []
    lower: list[tuple[float, float]] = []
    for x, t, one in zip(steps, grid, shares, strict=True):
        if one.value is not None and one.interval is not None:
            points.append((x, _y(one.value), f"{numbers.score(t)}: {words.share(one)}"))
            upper.append((x, _y(one.interval.high)))
            lower.append((x, _y(one.interval.low)))
    line = _path([(x, y) for x, y, _ in points])
    band = f"{_path([*upper, *reversed(lower)])}Z" if points else ""
    return Curve(name, style, line, band, points)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points) if points else ""


def _cells(
    rows: Sequence[Sequence[Share]], up: Sequence[float], right: Sequence[float]
) -> list[Cell]:
    cells = []
    for i, shares in enumerate(rows):
        for j, one in enumerate(shares):
            title = f"{numbers.score(up[i])}, {numbers.score(right[j])}: {words.share(one)}"
            text = "" if one.value is None else numbers.percent(one.value)
            shade = round(10 * (one.value or 0))
            # The first metric's threshold rises upwards, the second's to the right.
            cells.append(Cell(j * CELL, (len(rows) - 1 - i) * CELL, shade, text, title))
    return cells
