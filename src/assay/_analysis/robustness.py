"""Curves of a system's scores over perturbed questions, each compared with the unperturbed ones."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assay._runner.result import Result
from assay._store import Store
from assay.score import Readable
from assay.stats.intervals import Interval, mean_interval, width

# By id of the sample: its score, and its cluster.
Scores: TypeAlias = Mapping[str, tuple[float, Hashable]]
Verdict: TypeAlias = Literal["holds", "drops", "undecided", "mostly", "seldom", "no scores"]
HOLDS: Final = "holds"
DROPS: Final = "drops"
UNDECIDED: Final = "undecided"
MOSTLY: Final = "mostly"
SELDOM: Final = "seldom"
NO_SCORES: Final = "no scores"
NO_DROP: Final = "no drop seen"
MARGIN: Final = 0.1
# What is no score but a share: what the system does in most cases, or does not.
DECLINES: Final = "negative_rejection"
FOLLOWS: Final = "follows_contexts"
SHARES: Final = {
    DECLINES: ("declines", "does not decline"),
    FOLLOWS: ("follows the altered fact", "does not follow it"),
}


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a perturbation, and what asking under it took.

    Attributes:
        perturbation: Its name: "noise".
        level: As it is written: "0.4".
        run: Id of its run in the store, "" if the perturbation applies to no sample.
        n: Samples that it applies to.
        left_out: Samples that it does not apply to, by the reason.
        asked: How often the system had to be asked.
        reused: Answers that were in the store already.
        failures: Questions without an answer.
        failed: Scores that the judge failed to make, by all metrics.
    """

    perturbation: str
    level: str
    run: str
    n: int
    left_out: Mapping[str, int]
    asked: int = 0
    reused: int = 0
    failures: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Point:
    """One level on a curve, over the samples with a score both ways.

    Attributes:
        level: As it is written: "0.4".
        n: How many samples.
        mean: Their mean score under the perturbation; None without any.
        interval: The confidence interval of the mean, by itself.
        baseline: The mean of the same samples unperturbed.
        difference: Mean minus baseline.
        difference_interval: The confidence interval of that, which holds together with those of all
            other levels of the curve; None for fewer than two independent samples.
        verdict: "drops" (surely worse), "holds" (surely no worse by more than the margin),
            "undecided", or "no scores"; of a share "mostly", "seldom" or "undecided", by its own
            interval and one half.
    """

    level: str
    n: int
    mean: float | None
    interval: Interval | None
    baseline: float | None
    difference: float | None
    difference_interval: Interval | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Curve:
    """One metric under one perturbation, level by level.

    Attributes:
        perturbation: Its name.
        title: What it does, in a line.
        metric: Label of the metric, or "follows_contexts": the share of answers that state the
            altered fact and not the right one.
        higher_is_better: False for error rates.
        range: The least and the greatest score possible, None where there is no end.
        points: Its levels.
        finding: "no drop seen", "drops from 0.4 on", "undecided", or what else was found, in words.
    """

    perturbation: str
    title: str
    metric: str
    higher_is_better: bool
    range: tuple[float | None, float | None]
    points: tuple[Point, ...]
    finding: str


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean score of the run over all samples.

    Attributes:
        metric: Label of the metric.
        n: Samples with a score.
        mean: Their mean; None without any.
        interval: Its confidence interval.
        run: Id of the run.
    """

    metric: str
    n: int
    mean: float | None
    interval: Interval | None
    run: str


@dataclass(frozen=True, slots=True)
class Robustness(Readable):
    """What perturbing a system's questions and contexts has shown.

    Attributes:
        target: The system that was asked.
        source: The data with the questions.
        n: How many questions.
        baseline: By each metric: the mean of the unperturbed answers.
        curves: By each perturbation and metric.
        levels: What each level applies to, and its run.
        combined: Means of the metrics that look at a sample's answers under all perturbations.
        altered: By id: the (right, altered) fact where contexts were contradicted.
        level: Nominal coverage of each mean's interval, and of all differences of a curve.
        margin: A drop up to this, as a share of the metric's range, counts as none.
        seed: What the perturbations were drawn by.
        store: The file that keeps the runs.
        asked: How often the system had to be asked for the unperturbed answers.
        reused: How many of these were in the store already.
        failures: Unperturbed questions without an answer.
        failed: Scores of the unperturbed answers that the judge failed to make.
    """

    target: str
    source: str
    n: int
    baseline: tuple[Mean, ...]
    curves: tuple[Curve, ...]
    levels: tuple[Level, ...]
    combined: tuple[Mean, ...]
    altered: Mapping[str, tuple[str, str]]
    level: float
    margin: float
    seed: int
    store: str
    asked: int = 0
    reused: int = 0
    failures: int = 0
    failed: int = 0

    def __str__(self) -> str:
        """A line for each curve."""
        return "\n".join(
            f"{curve.perturbation}, {curve.metric}: {curve.finding}" for curve in self.curves
        )


@dataclass(frozen=True, slots=True)
class Regenerated:
    """What a system answers to the samples of a run when it is given other contexts.

    Attributes:
        run: Id of the run that was diagnosed.
        target: The system that was asked.
        n: Samples that it was asked: those with contexts and reference contexts.
        curves: By each metric: its levels are "right contexts" (the reference contexts) and, where
            that was asked for, "without a wrong one" (the mean over the contexts left out one by
            one); both compared with what it answers to the retrieved contexts now.
        runs: Id of the run of each kind of contexts: "retrieved", "right" and "without".
        asked: How often the system had to be asked.
        reused: Answers that were in the store already.
        failures: Questions without an answer.
        failed: Scores that the judge failed to make.
    """

    run: str
    target: str
    n: int
    curves: tuple[Curve, ...]
    runs: Mapping[str, str]
    asked: int
    reused: int
    failures: int
    failed: int


@dataclass(frozen=True, slots=True)
class Reading:
    """How the scores of a metric are read."""

    metric: str
    higher_is_better: bool
    range: tuple[float | None, float | None]
    level: float
    margin: float


def scores(result: Result, metric: str) -> dict[str, tuple[float, Hashable]]:
    """By id of the sample: its score by a metric, and its cluster."""
    with Store(result.path) as store:
        run = result.run.id
        values = store.numbers(run, metric)
        return {
            sample.id: (float(values[row]), (row,) if sample.group is None else sample.group)
            for row, sample in store.samples(run)
            if row in values
        }


def mean_of(result: Result, reading: Reading) -> Mean:
    """The mean score of a run, with its interval."""
    values = scores(result, reading.metric)
    mean, interval = _mean([values[id_] for id_ in values], reading)
    return Mean(reading.metric, len(values), mean, interval, result.run.id)


def curve(
    perturbation: str,
    reading: Reading,
    baseline: Scores,
    levels: Sequence[tuple[str, Scores]],
    *,
    title: str = "",
    ordered: bool = False,
) -> Curve:
    """The curve of a metric over the levels of a perturbation.

    Args:
        perturbation: Its name.
        reading: The metric, and how its scores are read.
        baseline: The scores of the unperturbed answers.
        levels: By each level: the scores under it.
        title: What the perturbation does, in a line.
        ordered: Whether each level is more of the perturbation than the one before.
    """
    joint = 1 - (1 - reading.level) / max(1, len(levels))  # Bonferroni
    points = tuple(_point(name, under, baseline, reading, joint) for name, under in levels)
    words = SHARES.get(reading.metric)
    finding = _share(points, words) if words else _drop(points, reading, ordered=ordered)
    higher, ends = reading.higher_is_better, reading.range
    return Curve(perturbation, title, reading.metric, higher, ends, points, finding)


def _point(name: str, under: Scores, baseline: Scores, reading: Reading, joint: float) -> Point:
    from assay.stats.comparison import difference_interval
    from assay.stats.rare import spread_of

    ids = [id_ for id_ in under if id_ in baseline]
    if not ids:
        return Point(name, 0, None, None, None, None, None, NO_SCORES)
    mean, interval = _mean([under[id_] for id_ in ids], reading)
    before = math.fsum(baseline[id_][0] for id_ in ids) / len(ids)
    differences = [under[id_][0] - baseline[id_][0] for id_ in ids]
    groups, span = [baseline[id_][1] for id_ in ids], width(reading.range)
    spread = spread_of([scores[id_][0] for scores in (under, baseline) for id_ in ids])
    ends = difference_interval(differences, groups=groups, span=span, spread=spread, level=joint)
    difference = math.fsum(differences) / len(ids)
    verdict = _most_likely(interval) if reading.metric in SHARES else _verdict(ends, span, reading)
    return Point(name, len(ids), mean, interval, before, difference, ends, verdict)


def _mean(
    values: Sequence[tuple[float, Hashable]], reading: Reading
) -> tuple[float | None, Interval | None]:
    if not values:
        return None, None
    numbers, groups = [value for value, _ in values], [group for _, group in values]
    low, high = reading.range
    interval = mean_interval(numbers, groups=groups, low=low, high=high, level=reading.level)
    return math.fsum(numbers) / len(numbers), interval


def _verdict(ends: Interval | None, span: float | None, reading: Reading) -> Verdict:
    if ends is None:
        return UNDECIDED
    low, high = (ends.low, ends.high) if reading.higher_is_better else (-ends.high, -ends.low)
    if high < 0:
        return DROPS
    return HOLDS if span is not None and low >= -reading.margin * span else UNDECIDED


def _most_likely(ends: Interval | None) -> Verdict:
    if ends is None or ends.low <= 0.5 <= ends.high:
        return UNDECIDED
    return MOSTLY if ends.low > 0.5 else SELDOM


def _drop(points: Sequence[Point], reading: Reading, *, ordered: bool) -> str:
    """What a curve shows, in words."""
    points = [point for point in points if point.verdict != NO_SCORES]
    if not points:
        return NO_SCORES
    drops = [point.verdict == DROPS for point in points]
    if not any(drops):
        return NO_DROP if all(point.verdict == HOLDS for point in points) else UNDECIDED
    first = drops.index(True)
    sign = 1 if reading.higher_is_better else -1
    largest = min(
        (point for point, dropped in zip(points, drops, strict=True) if dropped),
        key=lambda point: sign * (point.difference or 0.0),
    )
    amount = f"by {abs(largest.difference or 0.0):.2f}"
    if sum(drops) == 1:
        return f"drops at {largest.level} {amount}"
    if ordered and all(drops[first:]):
        levels_dropped = f"from {points[first].level} on"
    else:
        levels_dropped = "at " + ", ".join(
            p.level for p, is_dropped in zip(points, drops, strict=True) if is_dropped
        )
    return f"drops {levels_dropped}, {amount} at {largest.level}"


def _share(points: Sequence[Point], words: tuple[str, str]) -> str:
    word = {MOSTLY: words[0], SELDOM: words[1]}
    levels = [
        (
            point.level,
            word.get(
                point.verdict, f"{words[0]} in {(point.mean or 0.0) * point.n:.0f} of {point.n:,}"
            ),
        )
        for point in points
        if point.verdict != NO_SCORES
    ]
    if not levels:
        return NO_SCORES
    if len({finding for _, finding in levels}) == 1:
        return levels[0][1]
    return "; ".join(f"{level}: {finding}" for level, finding in levels)
