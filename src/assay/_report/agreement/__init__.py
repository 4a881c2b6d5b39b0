"""Agreement with human labels as plain values and in words, which every form of it is made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from assay._analysis.agreement import Agreement, Disagreement, Measure
from assay._analysis.annotators import Concordance, Row
from assay._report import numbers
from assay._store import Run
from assay.stats.agreement import Share

# Balanced accuracy this far below the AUROC: the order is right, the threshold is not.
_OFF: Final = 0.1


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All that is shown.

    Attributes:
        run: Id of the run.
        source: Name of its data.
        judge: Who judged.
        labels: Name of the labels.
        metrics: How far each metric agrees with people.
        without: Metrics that could not be compared, and why.
        concordance: What people say where metrics are high or low; None if nobody asked.
        title: What the run is called: its name, or its data and when it began.
    """

    run: str
    source: str
    judge: str
    labels: str
    metrics: Sequence[Agreement]
    without: Mapping[str, str]
    concordance: Concordance | None
    title: str = ""


def told(
    run: Run,
    labels: str,
    metrics: Sequence[Agreement],
    without: Mapping[str, str],
    table: Concordance | None,
) -> dict[str, Any]:
    """Everything that is shown, as plain values."""
    judge = run.config["judge"]
    shown: dict[str, Any] = msgspec.to_builtins(
        AgreementReport(run.id, run.source, judge, labels, metrics, without, table, run.title)
    )
    return shown


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
        lines.append(f"Called good: {_called(metric)}.")
    lines += [f"Left out: {n} ({reason})." for reason, n in metric.left_out.items()]
    if metric.unweighted:
        lines.append(
            "The samples were chosen with unequal probabilities (`inclusion_probability`), and the "
            "figures are not weighted for it: they speak of these samples, not of the run."
        )
    for one in metric.among_people:
        shown = f"{one.name} {numbers.score(one.value)} ({numbers.interval(one.interval)})"
        lines.append(f"Among people: {shown}.")
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
        lines.append(
            "The scores rank the items better than the verdicts do: another threshold "
            "may do better (`assay calibrate`)."
        )
    # Of few rows an order as poor as this may be one by chance too.
    if auroc < 0.4 and interval is not None and interval.high < 0.5:
        lines.append(
            "Worse than chance: do the labels mean the opposite? A high label is a good one, also "
            "for a metric of which low is good."
        )
    return lines


def _called(metric: Agreement) -> str:
    if metric.threshold is None:
        return metric.threshold_by
    return f"from a score of {numbers.span(metric.threshold)}, {metric.threshold_by}"


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
    return _HEADS if _several(metric) else _HEADS[:-1]


def rows(metric: Agreement) -> list[list[str]]:
    """The measures as rows."""
    last = len(heads(metric))
    return [_cells(measure)[:last] for measure in metric.measures]


def _several(metric: Agreement) -> bool:
    return any(measure.ceiling is not None for measure in metric.measures)


def _cells(measure: Measure) -> list[str]:
    """Name, value, interval, floor, beaten, people."""
    floor = ""
    if measure.floor is not None:
        floor = f"{numbers.score(measure.floor)} ({measure.floor_name})"
    people = ""
    if measure.ceiling is not None:
        people = f"{numbers.score(measure.ceiling)} ({numbers.interval(measure.ceiling_interval)})"
    return [
        measure.name,
        numbers.score(measure.value),
        numbers.interval(measure.interval),
        floor,
        beats(measure),
        people,
    ]


_HEADS: Final = ("measure", "value", "95 % CI", "best trivial rule", "beaten", "people (95 % CI)")


def counts(metric: Agreement) -> list[tuple[str, int]]:
    """The confusion in words."""
    confusion = metric.confusion
    if confusion is None:
        return []
    return [
        ("both good", confusion.good_good),
        ("both bad", confusion.bad_bad),
        ("people good, metric bad (false alarm)", confusion.good_bad),
        ("people bad, metric good (missed)", confusion.bad_good),
    ]


def difference(case: Disagreement) -> str:
    """What a metric and people said of one item."""
    annotations = [f"{name}: {numbers.score(v)}" for name, v in case.labels.items() if name]
    people = f"{numbers.score(case.label)}" + (
        f" ({', '.join(annotations)})" if len(annotations) > 1 else ""
    )
    return f"metric {numbers.score(case.score)}, people {people}"


def evidence(case: Disagreement) -> list[str]:
    """The parts of the score in words: verdict, text, reason."""
    lines = []
    for part in case.parts:
        label = part.label or part.kind
        chance = part.probability
        shown = f"{label} ({numbers.score(chance)})" if chance is not None else label
        lines.append(": ".join(filter(None, [shown, part.text, part.reason])))
    return lines


def share(found: Share) -> str:
    """A share with its counts and interval."""
    if found.value is None:
        return f"{numbers.DASH} (0)"
    return (
        f"{numbers.score(found.value)} ({found.hits}/{found.n}; {numbers.interval(found.interval)})"
    )


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
    return {(one.above, one.below) for one in table.thresholds.values()}


def names(row: Row, table: Concordance) -> list[str]:
    """Its metrics by what the thresholds are of: 1 - score where low scores are good."""
    turned = set(table.turned)
    return [f"1 - {name}" if name in turned else name for name in row.metrics]


def _conditioned(row: Row, table: Concordance) -> list[str]:
    """Its metrics, with their thresholds where these differ."""
    if len(_pairs(table)) < 2:
        return names(row, table)
    of = [table.thresholds[metric] for metric in row.metrics]
    return [
        f"{name} (> {numbers.score(one.above)}, < {numbers.score(one.below)})"
        for name, one in zip(names(row, table), of, strict=True)
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
