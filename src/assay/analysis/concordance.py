"""How likely do people call an answer correct where one metric, or two together, score it high?"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from assay.analysis.judged import judged
from assay.analysis.labelled import labelled
from assay.dataset.labels import Labels
from assay.errors import InputError
from assay.run.result import Result
from assay.stats.concordance import Share, correct_above, wrong_below
from assay.stats.weighted import Floats

# The paper's thresholds, and the grid on which both are varied.
ABOVE, BELOW = 0.7, 0.3
GRID: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Row:
    """One metric, or two jointly.

    Attributes:
        metrics: Their labels.
        n: Labelled samples that all of them scored.
        base_rate: Share of those that people call correct: what a condition has to beat.
        correct: P(correct | all above the upper threshold), equation 1.
        wrong: P(wrong | all below the lower threshold), equation 2.
        correct_grid: Equation 1 on the grid; for one metric of length 9, for two 9 rows (first
            metric's threshold) of 9 (second's).
        wrong_grid: Equation 2 on the grid.
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
        above: Upper threshold.
        below: Lower threshold.
        grid: Thresholds of the grids.
        rows: Each metric by itself, then every two jointly.
        turned: Metrics of which low scores are good: 1 - score stands for them.
        without: Metrics that are not there, and why.
    """

    above: float
    below: float
    grid: Sequence[float]
    rows: Sequence[Row]
    turned: Sequence[str]
    without: Mapping[str, str]


def concordance(
    result: Result,
    given: Labels,
    metrics: Sequence[str] = (),
    *,
    above: float = ABOVE,
    below: float = BELOW,
) -> Concordance:
    """The paper's table for the metrics of a run.

    Args:
        result: The run.
        given: Labels of samples, correct or not.
        metrics: Which metrics; none: all that can be. Thresholds are of their scores as they are;
            a metric of which low is good counts as 1 - score.
        above: The threshold above which scores count as high.
        below: The threshold below which they count as low.

    Raises:
        InputError: If labels are not yes or no, or meet no metric, or if no score of a metric can
            be above the one threshold or below the other.
    """
    scored, without, turned = {}, {}, []
    first: InputError | None = None
    for metric in metrics or result.run.metrics:
        try:
            label, scores, low_is_good = _scores(result, given, metric)
            _refuse_outside(label, _ends(result, label), above, below)
        except InputError as error:
            if metrics:
                raise
            first, without[metric] = first or error, error.problems[0].what
            continue
        scored[label] = scores
        turned += [label] if low_is_good else []
    if first and not scored:
        raise first
    chosen = [(one,) for one in scored] + list(combinations(scored, 2))
    rows = [_row(names, [scored[name] for name in names], above, below) for names in chosen]
    return Concordance(above, below, GRID, rows, turned, without)


Scores = Mapping[str, tuple[float, bool, str]]


def _scores(result: Result, given: Labels, metric: str) -> tuple[str, Scores, bool]:
    """(label, sample -> (score, correct, group), whether low scores are good) of a metric."""
    found = labelled(result, given, metric)
    if found.kind != "sample":
        raise InputError(f"concordance takes labels of samples, not of {found.kind}s")
    if not found.higher_is_better and _ends(result, found.metric) != (0.0, 1.0):
        what = f"{found.metric}: concordance takes scores between 0 and 1 where low ones are good"
        raise InputError(what, "leave this metric out")
    data = judged(found)
    if data.scale != "binary":
        raise InputError("concordance takes labels that say yes or no, not grades")
    good = data.goodness if found.higher_is_better else 1 + data.goodness
    pairs = zip(data.items, good, data.labels, strict=True)
    scores = {i.sample.id: (float(score), bool(label), i.group) for i, score, label in pairs}
    return found.metric, scores, not found.higher_is_better


def _ends(result: Result, metric: str) -> tuple[float, float]:
    low, high = result.run.config["about"][metric]["range"]
    return -math.inf if low is None else low, math.inf if high is None else high


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
            raise InputError(what, f"give another --{name} ({name}=), or leave this metric out")


def _row(names: tuple[str, ...], scored: Sequence[Scores], above: float, below: float) -> Row:
    shared = [sample for sample in scored[0] if all(sample in one for one in scored)]
    arrays: list[Floats] = [np.array([one[sample][0] for sample in shared]) for one in scored]
    correct = np.array([scored[0][sample][1] for sample in shared], dtype=bool)
    groups = [scored[0][sample][2] for sample in shared]
    k = len(names)
    firsts = GRID if k == 2 else (None,)

    def at(first: float | None, second: float) -> list[float]:
        return [second] if first is None else [first, second]

    def grid(share: Callable[..., Share]) -> list[list[Share]]:
        return [[share(arrays, correct, at(f, s), groups) for s in GRID] for f in firsts]

    return Row(
        metrics=names,
        n=len(shared),
        base_rate=float(correct.mean()) if shared else 0.0,
        correct=correct_above(arrays, correct, [above] * k, groups),
        wrong=wrong_below(arrays, correct, [below] * k, groups),
        correct_grid=grid(correct_above),
        wrong_grid=grid(wrong_below),
    )
