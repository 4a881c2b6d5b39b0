"""Agreement with human labels, in words, on the console, in Markdown and as a page."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from assay._analysis.agreement import Agreement, Measure
from assay._analysis.annotators import TENTHS, Concordance, Row
from assay._analysis.comparability import judge_of
from assay._analysis.disagreements import Disagreement
from assay._report import numbers, sanitize
from assay._report.page import asset, page, path
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_measures, measures, shorten
from assay._store import Run
from assay._version import __version__
from assay.stats.concordance import Share

# Balanced accuracy this far below the AUROC: the order is right, the threshold is not.
_OFF: Final = 0.1


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All that is shown."""

    run: str  # id of the run
    source: str  # name of its data
    judge: str  # who judged
    labels: str  # name of the labels
    metrics: Sequence[Agreement]  # how far each metric agrees with people
    without: Mapping[str, str]  # metrics that could not be compared, and why
    # What people say where metrics are high or low; None if nobody asked.
    concordance: Concordance | None
    title: str = ""  # what the run is called: its name, or its data and when it began


def collect(
    run: Run,
    labels: str,
    metrics: Sequence[Agreement],
    without: Mapping[str, str],
    table: Concordance | None,
) -> dict[str, Any]:
    """Everything that is shown, as plain values."""
    run_facts = run.id, run.source, judge_of(run), labels
    report = AgreementReport(*run_facts, metrics, without, table, run.title)
    builtins: dict[str, Any] = msgspec.to_builtins(report)
    return builtins


def head(metric: Agreement) -> str:
    """What was compared, in a sentence."""
    text = numbers.plural(metric.n, metric.kind)
    if metric.n_groups != metric.n:
        text += f" in {numbers.plural(metric.n_groups, 'independent group')}"
    if len(metric.people) > 1:
        text += f", {numbers.plural(len(metric.people), 'annotator')}"
    if metric.scale == "binary":
        text += f"; people call {numbers.percent(metric.base_rate)}% good"
    if metric.scale == "ordinal":
        text += f"; mean grade {numbers.score(metric.base_rate)}"
    return text


def notes(metric: Agreement) -> list[str]:
    """What must be read beside the numbers."""
    lines = []
    if metric.scale == "binary" and metric.base_rate in (0, 1):
        lines.append("People call all of them the same: agreement takes labels of both kinds.")
    elif metric.rarer:
        lines.append(f"F1 and average precision are about what people call {metric.rarer}.")
    if metric.threshold_by:
        ends = metric.threshold
        side = "from" if metric.higher_is_better else "up to"
        from_where = "" if ends is None else f"{side} a score of {numbers.span(ends)}, "
        lines.append(f"Called good: {from_where}{metric.threshold_by}.")
    lines += [f"Left out: {n} ({reason})." for reason, n in metric.left_out.items()]
    if metric.unweighted:
        lines.append(
            "The samples were chosen with unequal probabilities (`inclusion_probability`), and the "
            "figures are not weighted for it: they speak of these samples, not of the run."
        )
    for measure in metric.among_people:
        value = (
            f"{measure.name} {numbers.score(measure.value)} ({numbers.interval(measure.interval)})"
        )
        lines.append(f"Among people: {value}.")
    return lines + _orders(metric)


def _orders(metric: Agreement) -> list[str]:
    """What the order of the scores tells beside the verdicts."""
    by_name = {measure.name: measure for measure in metric.measures}
    order, verdicts = by_name.get("AUROC"), by_name.get("balanced accuracy")
    if order is None or order.value is None:
        return []
    lines, auroc, interval = [], order.value, order.interval
    balanced = None if verdicts is None else verdicts.value
    # Of an order that may be one by chance no threshold makes good verdicts.
    orders = (auroc if interval is None else interval.low) > 0.5
    if orders and balanced is not None and auroc - balanced > _OFF:
        text = "The scores rank the items better than the verdicts do: another threshold "
        lines.append(f"{text}may do better (`assay calibrate`).")
    # Of few rows an order as poor as this may be one by chance too.
    if auroc < 0.4 and interval is not None and interval.high < 0.5:
        lines.append(
            "Worse than chance: do the labels mean the opposite? A high label is a good one, also "
            "for a metric of which low is good."
        )
    return lines


def beats(measure: Measure) -> str:
    """Whether the metric does better than the best trivial rule: "yes", "no", "undecided" or ""."""
    lead = measure.lead
    if lead is None:
        return ""
    if lead.low > 0:
        return "yes"
    return "no" if lead.high < 0 else "undecided"


def heads(metric: Agreement) -> tuple[str, ...]:
    """The columns of a metric's table; people have one where there are several."""
    has_ceiling = any(measure.ceiling is not None for measure in metric.measures)
    return _HEADS if has_ceiling else _HEADS[:-1]


def rows(metric: Agreement) -> list[list[str]]:
    """The measures as rows."""
    last = len(heads(metric))
    return [_cells(measure)[:last] for measure in metric.measures]


def _cells(measure: Measure) -> list[str]:
    """Name, value, interval, floor, beaten, people."""
    floor = ""
    if measure.floor is not None:
        floor = f"{numbers.score(measure.floor)} ({measure.floor_name})"
    people = numbers.estimate(measure.ceiling, measure.ceiling_interval)
    return [
        measure.name,
        numbers.score(measure.value),
        numbers.interval(measure.interval),
        floor,
        beats(measure),
        "" if measure.ceiling is None else people,
    ]


_HEADS: Final = ("measure", "value", "95 % CI", "best trivial rule", "beaten", "people (95 % CI)")


def counts(metric: Agreement) -> list[tuple[str, int]]:
    """The confusion in words."""
    confusion = metric.confusion
    if confusion is None:
        return []
    alarms = "" if confusion.good_bad == 1 else "s"
    return [
        ("both good", confusion.good_good),
        ("both bad", confusion.bad_bad),
        (f"false alarm{alarms} (good by people, bad by the metric)", confusion.good_bad),
        ("missed (bad by people, good by the metric)", confusion.bad_good),
    ]


def difference(case: Disagreement, metric: Agreement) -> str:
    """What a metric and people said of one item."""
    annotations = [f"{name}: {numbers.score(v)}" for name, v in case.labels.items() if name]
    people = numbers.score(case.label)
    people += f" ({', '.join(annotations)})" if len(annotations) > 1 else ""
    low = "" if metric.higher_is_better else " (low is good)"
    return f"metric{low} {numbers.score(case.score)}, people {people}"


def evidence(case: Disagreement) -> list[str]:
    """The parts of the score in words: verdict, text, reason; the least probable first."""
    lines = []
    for part in sorted(case.parts, key=lambda part: 2 if (p := part.probability) is None else p):
        label = part.label or part.kind
        chance = part.probability
        label_and_chance = f"{label} ({numbers.score(chance)})" if chance is not None else label
        text = part.text.removesuffix(".") if part.reason else part.text
        lines.append(": ".join(filter(None, [label_and_chance, text, part.reason])))
    return lines


def share(part: Share) -> str:
    """A share with its counts and interval."""
    if part.value is None:
        return f"{numbers.DASH} (0)"
    return f"{numbers.score(part.value)} ({part.hits}/{part.n}; {numbers.interval(part.interval)})"


def conditions(table: Concordance) -> tuple[str, str]:
    """The heads of the two columns of the concordance."""
    pairs = _pairs(table)
    if len(pairs) > 1:
        return "P(correct | all high)", "P(wrong | all low)"
    ((above, below),) = pairs
    return (
        f"P(correct | all > {numbers.score(above)})",
        f"P(wrong | all < {numbers.score(below)})",
    )


def concordance_heads(table: Concordance) -> tuple[str, ...]:
    """The columns of the concordance."""
    return ("metric", "n", "P(correct)", *conditions(table))


def _pairs(table: Concordance) -> set[tuple[float, float]]:
    """The pairs of thresholds that are in use."""
    return {(thresholds.above, thresholds.below) for thresholds in table.thresholds.values()}


def names(row: Row, table: Concordance) -> list[str]:
    """Its metrics by what the thresholds are of: 1 - score where low scores are good."""
    turned = set(table.turned)
    return [f"1 - {name}" if name in turned else name for name in row.metrics]


def _conditioned(row: Row, table: Concordance) -> list[str]:
    """Its metrics, with their thresholds where these differ."""
    if len(_pairs(table)) < 2:
        return names(row, table)
    metric_thresholds = [table.thresholds[metric] for metric in row.metrics]
    return [
        f"{name} (> {numbers.score(thresholds.above)}, < {numbers.score(thresholds.below)})"
        for name, thresholds in zip(names(row, table), metric_thresholds, strict=True)
    ]


def concordance_rows(table: Concordance) -> list[list[str]]:
    """Metric or pair, n, base rate, equation 1, equation 2."""
    return [
        [
            " and ".join(_conditioned(row, table)),
            numbers.count(row.n),
            numbers.score(row.base_rate if row.n else None),
            share(row.correct),
            share(row.wrong),
        ]
        for row in table.rows
    ]


GRID_HEADS: Final = ("threshold t", "P(correct | score > t)", "P(wrong | score < t)")


def grids(table: Concordance) -> list[tuple[str, list[list[str]]]]:
    """Each metric by itself with its concordance at every threshold of the grid, as rows."""
    return [
        (
            names(row, table)[0],
            [
                [numbers.score(t), share(correct), share(wrong)]
                for t, correct, wrong in zip(
                    table.thresholds[row.metrics[0]].grid,
                    row.correct_grid[0],
                    row.wrong_grid[0],
                    strict=True,
                )
            ],
        )
        for row in table.rows
        if len(row.metrics) == 1
    ]


Json = Mapping[str, Any]
_STYLES: Final = {"yes": "cyan", "no": "bold yellow", "undecided": "yellow", "": ""}
_EXCERPT: Final = 200
_PARTS: Final = 2


def console(data: Json) -> RenderableType:
    """Every metric with its measures, what they were beside, and what to read."""
    report = msgspec.convert(data, AgreementReport)
    blocks = [_metric(metric) for metric in report.metrics]
    blocks += [dim(f"{name}: {reason}") for name, reason in report.without.items()]
    if report.concordance:
        blocks.append(_concordance(report.concordance))
    return Group(*blocks)


def _metric(metric: Agreement) -> RenderableType:
    title = Text(sanitize.plain(metric.metric), style="bold")
    title.append(f"  {head(metric)}", style="not bold")
    table = measures(heads(metric), rows(metric), _STYLES)
    confusion = ", ".join(f"{n} {description}" for description, n in counts(metric))
    lines: list[RenderableType] = [title, table, *([Text(confusion)] if confusion else [])]
    lines += map(dim, notes(metric))
    if metric.worst:
        lines.append(Text("Worst disagreements", style="bold"))
        lines += [_case(case, metric) for case in metric.worst]
    return Group(*lines, Text())


def _case(case: Disagreement, metric: Agreement) -> RenderableType:
    head = Text.assemble((sanitize.plain(case.sample), "bold"), f"  {difference(case, metric)}  ")
    head.append(_short(case.question), style="dim")
    lines_of_parts = evidence(case)
    lines = lines_of_parts[:_PARTS] if lines_of_parts else [case.text]
    if len(lines_of_parts) > _PARTS:
        lines.append(f"... and {numbers.plural(len(lines_of_parts) - _PARTS, 'part')} more")
    return Padding(
        Group(head, *(Padding(dim(_short(line)), (0, 0, 0, 2)) for line in lines)), (0, 0, 0, 2)
    )


def _concordance(table: Concordance) -> RenderableType:
    """The paper's table."""
    heads = concordance_heads(table)
    notes_without = [dim(f"{name}: {reason}") for name, reason in table.without.items()]
    title = Text("Where metrics are high or low, what people say", style="bold")
    return Group(title, measures(heads, concordance_rows(table)), *notes_without)


def _short(text: str) -> str:
    return shorten(text, _EXCERPT, "...")


def markdown(data: Json) -> str:
    """Every metric with its measures, what they were beside, and what to read."""
    report = msgspec.convert(data, AgreementReport)
    run = numbers.beside(report.title, report.run)
    blocks = [f"## Run {code(run)} and people ({code(report.labels)})"]
    for metric in report.metrics:
        blocks += _markdown_metric(metric)
    blocks += [f"{code(name)}: {inline(reason)}" for name, reason in report.without.items()]
    if report.concordance:
        blocks += _markdown_concordance(report.concordance)
    return joined(blocks)


def _markdown_metric(metric: Agreement) -> list[str]:
    counted = ", ".join(f"{n} {description}" for description, n in counts(metric))
    cases = [
        f"- {code(case.sample)}: {inline(difference(case, metric))}. {inline(case.text)}"
        for case in metric.worst
    ]
    return [
        f"### {code(metric.metric)}",
        f"{inline(head(metric))}.",
        markdown_measures(heads(metric), rows(metric)),
        f"{counted}." if counted else "",
        markdown_list(notes(metric)),
        "Worst disagreements:" if cases else "",
        "\n".join(cases),
    ]


def _markdown_concordance(table: Concordance) -> list[str]:
    notes_without = [f"- {code(name)}: {inline(reason)}" for name, reason in table.without.items()]
    curves = [
        block
        for name, rows in grids(table)
        for block in (
            f"{code(name)} at other thresholds:",
            markdown_measures(GRID_HEADS, rows),
        )
    ]
    cells = markdown_measures(concordance_heads(table), concordance_rows(table))
    return ["### Concordance", cells, "\n".join(notes_without), *curves]


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
    report = msgspec.convert(data, AgreementReport)
    table = report.concordance
    return page(
        "agreement.html",
        asset("style.css") + asset("agreement.css"),
        version=__version__,
        data=report,
        words=sys.modules[__name__],
        pictures=[_concordance_picture(row, table) for row in table.rows] if table else [],
        size={"w": WIDTH, "h": HEIGHT, "cell": CELL, "side": CELL * len(TENTHS)},
    )


def _concordance_picture(row: Row, table: Concordance) -> Picture:
    metric_names = names(row, table)
    thresholds = [table.thresholds[metric] for metric in row.metrics]
    grids = [threshold.grid for threshold in thresholds]
    if len(metric_names) == 1:
        curves = (
            _curve("P(correct | above)", "good", row.correct_grid[0], grids[0]),
            _curve("P(wrong | below)", "bad", row.wrong_grid[0], grids[0]),
        )
        base = _y_of_share(row.base_rate) if row.n else None
        low, high = thresholds[0].ends
        return Picture(metric_names, base, ends=(_tick(low), _tick(high)), curves=curves)
    cells = (
        ("P(correct | both above)", _grid_cells(row.correct_grid, *grids)),
        ("P(wrong | both below)", _grid_cells(row.wrong_grid, *grids)),
    )
    return Picture(metric_names, ticks=[list(map(_tick, grid)) for grid in grids], grids=cells)


def _tick(threshold: float) -> str:
    """It has the room of a cell; what is told of the cell has all digits."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(threshold) >= 10 * size:
            return f"{threshold / size:.0f}{letter}"
        if abs(threshold) >= size:
            return f"{threshold / size:.2g}{letter}"
    return f"{threshold:.3g}"


def _y_of_share(share: float) -> float:
    return round(HEIGHT * (1 - share), 1)


def _curve(name: str, style: str, shares: Sequence[Share], grid: Sequence[float]) -> Curve:
    # The thresholds are tenths of the axis, wherever it begins.
    steps = [round(WIDTH * (index + 1) / (len(grid) + 1), 1) for index in range(len(grid))]
    points: list[tuple[float, float, str]] = []
    upper: list[tuple[float, float]] = []
    lower: list[tuple[float, float]] = []
    for x, t, point in zip(steps, grid, shares, strict=True):
        if point.value is not None and point.interval is not None:
            points.append((x, _y_of_share(point.value), f"{numbers.score(t)}: {share(point)}"))
            upper.append((x, _y_of_share(point.interval.high)))
            lower.append((x, _y_of_share(point.interval.low)))
    line = path([(x, y) for x, y, _ in points])
    band = f"{path([*upper, *reversed(lower)])}Z" if points else ""
    return Curve(name, style, line, band, points)


def _grid_cells(
    rows: Sequence[Sequence[Share]], upwards: Sequence[float], right: Sequence[float]
) -> list[Cell]:
    cells = []
    for i, shares in enumerate(rows):
        for j, point in enumerate(shares):
            title = f"{numbers.score(upwards[i])}, {numbers.score(right[j])}: {share(point)}"
            text = "" if point.value is None else numbers.percent(point.value)
            shade = round(10 * (point.value or 0))
            # The first metric's threshold rises upwards, the second's to the right.
            cells.append(Cell(j * CELL, (len(rows) - 1 - i) * CELL, shade, text, title))
    return cells
