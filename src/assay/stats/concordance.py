"""Concordance of scores and labels: how likely an answer that scores high is good."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import Interval, Numbers, share_interval


@dataclass(frozen=True, slots=True)
class Share:
    """A share of counted rows."""

    hits: int  # rows that are as asked
    n: int  # rows that meet the condition
    value: float | None  # hits / n; None if no row meets it
    # Its Wilson interval, clusters taken into account (rows of a single cluster tell nothing: 0 to
    # 1); None if no row meets it.
    interval: Interval | None


def correct_above(
    scores: Sequence[Numbers],
    correct: Numbers,
    thresholds: Sequence[float],
    groups: Sequence[Hashable] | None = None,
) -> Share:
    """P(correct | m1 > t1, m2 > t2, ...): how likely an answer that scores high is good.

    Equation 1 of "Evaluation of RAG Metrics for Question Answering in the Telecom Domain" (arXiv
    2407.12873); by Bayes' rule it is a share of counts.

    Args:
        scores: One array of shape (n,) for each metric, higher is better.
        correct: Shape (n,), true where people call it correct.
        thresholds: One for each metric.
        groups: For each of the n rows the cluster that it belongs to; None if all are independent.
    """
    return _share(np.asarray(correct, bool), _all_meet(scores, thresholds, above=True), groups)


def wrong_below(
    scores: Sequence[Numbers],
    correct: Numbers,
    thresholds: Sequence[float],
    groups: Sequence[Hashable] | None = None,
) -> Share:
    """P(wrong | m1 < u1, m2 < u2, ...), equation 2 there; arguments as for `correct_above`."""
    return _share(~np.asarray(correct, bool), _all_meet(scores, thresholds, above=False), groups)


def _all_meet(
    scores: Sequence[Numbers], thresholds: Sequence[float], *, above: bool
) -> npt.NDArray[np.bool_]:
    pairs = zip((np.asarray(column, float) for column in scores), thresholds, strict=True)
    met = [column > threshold if above else column < threshold for column, threshold in pairs]
    return np.asarray(np.logical_and.reduce(met), dtype=bool)


def _share(
    hit: npt.NDArray[np.bool_], met: npt.NDArray[np.bool_], groups: Sequence[Hashable] | None
) -> Share:
    n, hits = int(met.sum()), int((hit & met).sum())
    if not n:
        return Share(0, 0, None, None)
    members = None if groups is None else [groups[row] for row in np.flatnonzero(met).tolist()]
    return Share(hits, n, hits / n, share_interval(hit[met], members))
