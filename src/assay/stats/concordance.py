"""If metrics say that an answer is good, how likely do people say so, and likewise if bad?

The two questions of "Evaluation of RAG Metrics for Question Answering in the Telecom Domain"
(arXiv 2407.12873), equations 1 and 2. By Bayes' rule each is a share of counts.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.stats.interval import Interval
from assay.stats.intervals import share_interval
from assay.stats.weighted import Numbers


@dataclass(frozen=True, slots=True)
class Share:
    """A share of counted rows.

    Attributes:
        hits: Rows that are as asked.
        n: Rows that meet the condition.
        value: hits / n; None if no row meets it.
        interval: Its Wilson interval, clusters taken into account (rows of a single cluster tell
            nothing: 0 to 1); None if no row meets it.
    """

    hits: int
    n: int
    value: float | None
    interval: Interval | None


def correct_above(
    scores: Sequence[Numbers],
    correct: Numbers,
    thresholds: Sequence[float],
    groups: Sequence[Hashable] | None = None,
) -> Share:
    """P(correct | m1 > t1, m2 > t2, ...), equation 1.

    Args:
        scores: One array of shape (n,) for each metric, higher is better.
        correct: Shape (n,), true where people call it correct.
        thresholds: One for each metric.
        groups: For each of the n rows the cluster that it belongs to; None if all are independent.
    """
    return _share(np.asarray(correct, bool), _all(scores, thresholds, above=True), groups)


def wrong_below(
    scores: Sequence[Numbers],
    correct: Numbers,
    thresholds: Sequence[float],
    groups: Sequence[Hashable] | None = None,
) -> Share:
    """P(wrong | m1 < u1, m2 < u2, ...), equation 2; arguments as for `correct_above`."""
    return _share(~np.asarray(correct, bool), _all(scores, thresholds, above=False), groups)


def _all(
    scores: Sequence[Numbers], thresholds: Sequence[float], *, above: bool
) -> npt.NDArray[np.bool_]:
    pairs = zip((np.asarray(one, float) for one in scores), thresholds, strict=True)
    met = [one > threshold if above else one < threshold for one, threshold in pairs]
    return np.asarray(np.logical_and.reduce(met), dtype=bool)


def _share(
    hit: npt.NDArray[np.bool_], met: npt.NDArray[np.bool_], groups: Sequence[Hashable] | None
) -> Share:
    n, hits = int(met.sum()), int((hit & met).sum())
    if not n:
        return Share(0, 0, None, None)
    members = None if groups is None else [groups[row] for row in np.flatnonzero(met).tolist()]
    return Share(hits, n, hits / n, share_interval(hit[met], members))
