"""The telecom study's four tables for one run or several: retrievers, groups, concordance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from assay._analysis.annotators import ABOVE, BELOW, Concordance, concordance
from assay._analysis.comparability import match
from assay._analysis.groups import RETRIEVAL, RunsByGroup, compare_groups, described_runs, scored_by
from assay._runner.result import Result
from assay._store import Store
from assay.data.labels import Labels
from assay.errors import InputError
from assay.metrics.retrieval import ranking
from assay.score import Unscored
from assay.stats.comparison import Paired, gap_interval, holm, paired
from assay.stats.intervals import LEVEL, Interval, mean_interval

DEPTHS: Final = (1, 3, 5)
_THRESHOLD: Final = 0.5  # of texts that are worded alike


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often a run retrieves a right context among the first k."""

    run: int  # place of the run; the base is 0
    k: int  # how many contexts are looked at
    n: int  # samples whose right contexts are known
    mean: float  # the share of them
    # Its confidence interval; None for fewer than two independent samples.
    interval: Interval | None
    paired: Paired | None = None  # the same samples in the base and in this run; None of the base
    p: float | None = None  # its p-value, adjusted by Holm over all runs and k; None of the base


@dataclass(frozen=True, slots=True)
class Gap:
    """How far the concordance of a run is from that of the base.

    Attributes:
        run: Place of the run.
        metrics: The metric, or the two jointly.
        correct: Interval of the difference of equation 1; None where a run has no such sample.
        wrong: The same of equation 2.
    """

    run: int
    metrics: tuple[str, ...]
    correct: Interval | None
    wrong: Interval | None


@dataclass(frozen=True, slots=True)
class Study:
    """The tables."""

    # Tables 2 and 3: scores by right and wrong retrieval, run by run; of no run where rankings are
    # all that is scored.
    groups: RunsByGroup
    # Table 1: run by run, for every k that a sample of the run has so many contexts for; empty
    # where no right context is known.
    accuracy: tuple[Accuracy, ...]
    concordance: tuple[Concordance, ...] = ()  # table 4 of each run; empty without labels
    gaps: tuple[Gap, ...] = ()  # differences of concordance to the base


def telecom_study(
    results: Sequence[Result],
    labels: Sequence[Labels] = (),
    *,
    field: str = RETRIEVAL,
    metrics: Sequence[str] = (),
    level: float = LEVEL,
    force: bool = False,
) -> Study:
    """The tables of runs.

    Args:
        results: The runs, the base first.
        labels: Of each run, whether its answers are correct; none: without concordance.
        field: As in `compare_groups`.
        metrics: Only these; all that every run has if empty.
        level: Nominal coverage of the intervals.
        force: Whether to go on where definitions or data differ.

    Raises:
        InputError: As `compare_groups` and `concordance`, or if there are labels of some runs only.

    Source:
        "Evaluation of RAG Metrics for Question Answering in the Telecom Domain", tables 1 to 4.
    """
    if labels and len(labels) != len(results):
        fault = f"there are labels of {len(labels)} runs, and {len(results)} runs"
        raise InputError(fault, "give a file for each run, in the order of the runs")
    groups = RunsByGroup(described_runs(results), (), (), (), level)
    names: list[str] = []
    if metrics or any(scored_by(field, result.run.metrics) for result in results):
        groups = compare_groups(*results, field=field, metrics=metrics, level=level, force=force)
        names = [metric.metric for metric in groups.runs[0].metrics]
    tables = tuple(
        concordance(result, run_labels, metrics and names, above=ABOVE, below=BELOW)
        for result, run_labels in zip(results, labels, strict=False)
    )
    accuracy = tuple(_adjusted(list(_accuracy(results, level=level, force=force))))
    return Study(groups, accuracy, tables, tuple(_gaps(tables)))


def _accuracy(results: Sequence[Result], *, level: float, force: bool) -> Iterator[Accuracy]:
    first_hits = [_first_hits(result) for result in results]
    for number, (result, (first, deepest)) in enumerate(zip(results, first_hits, strict=True)):
        rows, clusters = list(first), [first[row][1] for row in first]
        matched = match(results[0], result, keep_other_data=force) if number else None
        for k in (depth for depth in DEPTHS if depth <= deepest and rows):
            hits = [float(first[row][0] < k) for row in rows]
            ends = mean_interval(hits, groups=clusters, low=0, high=1, level=level)
            pairs = None
            if matched is not None and k <= first_hits[0][1]:
                both_ranks = [
                    (first_hits[0][0][a.row], first[b.row])
                    for a, b in matched.rows.values()
                    if a.row in first_hits[0][0] and b.row in first
                ]
                if both_ranks:
                    pairs = paired(
                        [float(old[0] < k) for old, _ in both_ranks],
                        [float(new[0] < k) for _, new in both_ranks],
                        groups=[old[1] for old, _ in both_ranks] if matched.clustered else None,
                        span=1.0,
                        level=level,
                    )
            yield Accuracy(number, k, len(rows), float(np.mean(hits)), ends, pairs)


def _first_hits(result: Result) -> tuple[Mapping[int, tuple[float, object]], int]:
    """By row the rank of the first right context and the cluster, and how many were retrieved."""
    hits: dict[int, tuple[float, object]] = {}
    deepest = 0
    with Store(result.path) as store:
        for row, sample in store.samples(result.run.id):
            ranked = ranking(sample, _THRESHOLD)
            if isinstance(ranked, Unscored):
                continue
            deepest = max(deepest, len(ranked.grades))
            first = next((rank for rank, grade in enumerate(ranked.grades) if grade), np.inf)
            hits[row] = first, (row,) if sample.group is None else sample.group
    return hits, deepest


def _adjusted(accuracy: Sequence[Accuracy]) -> Iterator[Accuracy]:
    tested = [figure.paired.p for figure in accuracy if figure.paired and figure.paired.moved]
    adjusted_p = iter(holm(tested))
    for figure in accuracy:
        if figure.paired is None:
            yield figure
        else:
            yield replace(figure, p=next(adjusted_p) if figure.paired.moved else 1.0)


def _gaps(tables: Sequence[Concordance]) -> Iterator[Gap]:
    base = {row.metrics: row for row in tables[0].rows} if tables else {}
    for number, table in enumerate(tables[1:], start=1):
        for row in table.rows:
            if (old := base.get(row.metrics)) is not None:
                shares = (row.correct, old.correct), (row.wrong, old.wrong)
                correct, wrong = (
                    gap_interval((new.value, was.value), (new.interval, was.interval))
                    if new.value is not None
                    and was.value is not None
                    and new.interval is not None
                    and was.interval is not None
                    else None
                    for new, was in shares
                )
                yield Gap(number, row.metrics, correct, wrong)
