"""Concordance: how likely people call an answer correct where metrics score it high or low."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

import numpy as np

from assay._analysis.annotators import as_arrays
from assay._analysis.labelled import labelled
from assay._runner.result import Result, labels
from assay.data.labels import Labels
from assay.errors import InputError
from assay.stats.agreement import Share, correct_above, wrong_below
from assay.stats.intervals import Floats

# The paper's thresholds, and the tenths of a range on which both are varied.
ABOVE, BELOW = 0.7, 0.3
TENTHS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where scores of one metric count as high or low.

    Attributes:
        above: Upper threshold.
        below: Lower threshold.
        ends: What the grid divides: the metric's range; 0 and 1 where that is -1 to 1 (cosines are
            hardly ever below 0); the least or the greatest labelled score where it has no end.
        grid: Thresholds at the tenths of it, of length 9.
    """

    above: float
    below: float
    ends: tuple[float, float]
    grid: Sequence[float]


@dataclass(frozen=True, slots=True)
class Row:
    """One metric, or two jointly.

    Attributes:
        metrics: Their labels.
        n: Labelled samples that all of them scored.
        base_rate: Share of those that people call correct: what a condition has to beat.
        correct: P(correct | all above the upper threshold), equation 1.
        wrong: P(wrong | all below the lower threshold), equation 2.
        correct_grid: Equation 1 on the grids, of shape (9, 9): rows by the first metric's
            threshold, columns by the second's; of one metric (1, 9).
        wrong_grid: Equation 2 on the grids, likewise.
    """

    metrics: tuple[str, ...]
    n: int
    base_rate: float
    correct: Share
    wrong: Share
    correct_grid: Sequence[Sequence[Share]]
    wrong_grid: Sequence[Sequence[Share]]


@dataclass(frozen=True)
class Concordance:
    """How far high and low scores go with people's word.

    Attributes:
        above: Upper threshold of metrics that were given none of their own.
        below: Lower threshold of these.
        thresholds: Those of each metric of the rows, by its label.
        rows: Each metric by itself, then every two jointly.
        turned: Metrics of which low scores are good: 1 - score stands for them.
        without: Metrics that are not there, and why.
    """

    above: float
    below: float
    thresholds: Mapping[str, Thresholds]
    rows: Sequence[Row]
    turned: Sequence[str]
    without: Mapping[str, str]


def concordance(
    result: Result,
    given: Labels,
    metrics: Sequence[str] = (),
    *,
    above: float | Mapping[str, float] = ABOVE,
    below: float | Mapping[str, float] = BELOW,
) -> Concordance:
    """The paper's table for the metrics of a run.

    Args:
        result: The run.
        given: Labels of samples, correct or not.
        metrics: Which metrics; none: all that can be. Thresholds are of their scores as they are;
            a metric of which low is good counts as 1 - score.
        above: The threshold above which scores count as high: one for all, or by metric, "" for
            all others.
        below: The threshold below which they count as low, likewise.

    Raises:
        InputError: If labels are not yes or no, or meet no metric, if no score of a metric can be
            above the one threshold or below the other, or if one is given for a metric that is not
            asked about.
    """
    scored, without, turned = {}, {}, []
    thresholds: dict[str, Thresholds] = {}
    first: InputError | None = None
    names = metrics or list(result.run.metrics)
    high = _by_label(result, names, "above", above, ABOVE)
    low = _by_label(result, names, "below", below, BELOW)
    for metric in names:
        try:
            label, scores, low_is_good = _scores(result, given, metric)
            ends, pair = _ends(result, label), (high.get(label, high[""]), low.get(label, low[""]))
            _refuse_outside(label, ends, *pair)
        except InputError as error:
            if metrics or metric in {*high, *low}:
                raise
            first, without[metric] = first or error, error.problems[0].what
            continue
        scored[label] = scores
        thresholds[label] = _thresholds(*pair, ends, scores)
        turned += [label] if low_is_good else []
    if first and not scored:
        raise first
    chosen = [(one,) for one in scored] + list(combinations(scored, 2))
    rows = [
        _row(names, [scored[name] for name in names], [thresholds[name] for name in names])
        for names in chosen
    ]
    return Concordance(high[""], low[""], thresholds, rows, turned, without)


def _by_label(
    result: Result,
    asked: Sequence[str],
    name: str,
    thresholds: float | Mapping[str, float],
    default: float,
) -> dict[str, float]:
    """The thresholds by the labels of the metrics that they are meant for, "" for all others."""
    if not isinstance(thresholds, Mapping):
        return {"": thresholds}
    wanted = {label for metric in asked for label in labels(result.run, metric)}
    by_label = {"": default, **thresholds}
    for metric in filter(None, thresholds):
        labels_meant = wanted.intersection(labels(result.run, metric))
        if not labels_meant:
            what = f"{name} is given for {metric}, which is not asked about"
            raise InputError(what, f"leave it out, or ask for {metric}, too")
        # A label's own number goes before that of its name without parameters.
        by_label.update(dict.fromkeys(labels_meant - set(thresholds), thresholds[metric]))
    return by_label


Scores = Mapping[str, tuple[float, bool, str]]


def _scores(result: Result, given: Labels, metric: str) -> tuple[str, Scores, bool]:
    """(label, sample -> (score, correct, group), whether low scores are good) of a metric."""
    items = labelled(result, given, metric)
    if items.kind != "sample":
        raise InputError(f"concordance takes labels of samples, not of {items.kind}s")
    if not items.higher_is_better and _ends(result, items.metric) != (0.0, 1.0):
        what = f"{items.metric}: concordance takes scores between 0 and 1 where low ones are good"
        raise InputError(what, "leave this metric out")
    arrays = as_arrays(items)
    if arrays.scale != "binary":
        raise InputError("concordance takes labels that say yes or no, not grades")
    good = arrays.goodness if items.higher_is_better else 1 + arrays.goodness
    pairs = zip(arrays.items, good, arrays.labels, strict=True)
    scores = {i.sample.id: (float(score), bool(label), i.group) for i, score, label in pairs}
    return items.metric, scores, not items.higher_is_better


def _ends(result: Result, metric: str) -> tuple[float, float]:
    low, high = result.run.config["about"][metric]["range"]
    return -math.inf if low is None else low, math.inf if high is None else high


def _thresholds(
    above: float, below: float, ends: tuple[float, float], scores: Scores
) -> Thresholds:
    values = [score for score, _, _ in scores.values()]
    low = ends[0] if math.isfinite(ends[0]) else min(values)
    high = ends[1] if math.isfinite(ends[1]) else max(values)
    if (low, high) == (-1.0, 1.0):
        low = 0.0
    return Thresholds(above, below, (low, high), [low + (high - low) * tenth for tenth in TENTHS])


def _refuse_outside(metric: str, ends: tuple[float, float], above: float, below: float) -> None:
    """A threshold that all scores, or none, lie beyond parts nothing."""
    low, high = ends
    for name, threshold, meant in (
        ("above", above, low <= above < high),
        ("below", below, low < below <= high),
    ):
        if not (math.isfinite(threshold) and meant):
            what = (
                f"{name} {threshold:g} parts no scores of {metric}, which are {low:g} to {high:g}"
            )
            remedy = f"give another --{name}, its own by --{name} {metric}=SCORE, or leave it out"
            raise InputError(what, remedy)


def _row(names: tuple[str, ...], scored: Sequence[Scores], thresholds: Sequence[Thresholds]) -> Row:
    shared = [sample for sample in scored[0] if all(sample in one for one in scored)]
    arrays: list[Floats] = [np.array([one[sample][0] for sample in shared]) for one in scored]
    correct = np.array([scored[0][sample][1] for sample in shared], dtype=bool)
    groups = [scored[0][sample][2] for sample in shared]
    *firsts, last = [one.grid for one in thresholds]

    def grid(share: Callable[..., Share]) -> list[list[Share]]:
        return [
            [share(arrays, correct, [*before, at], groups) for at in last]
            for before in product(*firsts)
        ]

    return Row(
        metrics=names,
        n=len(shared),
        base_rate=float(correct.mean()) if shared else 0.0,
        correct=correct_above(arrays, correct, [one.above for one in thresholds], groups),
        wrong=wrong_below(arrays, correct, [one.below for one in thresholds], groups),
        correct_grid=grid(correct_above),
        wrong_grid=grid(wrong_below),
    )
