"""Rare values far from the rest, seen or not yet seen, and how far they leave a mean uncertain.

Most answers gain a little, and one in ten is lost: of ten pairs a third of all draws holds no such
loss, and whatever looks only at the spread of what was seen finds a sure gain. Here the share of
such values is bounded as that of any event seen k times in n: the k lowest values, for each k, and
for k = 0 a value that is not among them.
"""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

# A difference that is not among the pairs is reckoned with as large as this share of the room that
# the scores of both runs take up; a score as far from the mean as this share of the way to the end
# of the range. Measured by `benchmarks/skewed.py`: with less, rare losses of nearly all make false
# finds of 20 pairs; with more, 20 ordinary pairs no longer find what they should.
UNSEEN: Final = 0.5
_MOST: Final = 50  # more values than that are not rare: their spread says how uncertain they are


def spread_of(*scores: npt.ArrayLike) -> float:
    """How far the highest score of several runs is from the lowest one."""
    return float(max(map(np.max, scores)) - min(map(np.min, scores)))


def unseen_difference(differences: Floats, span: float | None, spread: float | None) -> float:
    """How large a difference may be that is not among these.

    Args:
        differences: Shape (n,).
        span: The largest one possible; None where there is no such limit: no larger than these.
        spread: How far apart the scores are (`spread_of`); None where it is not known.
    """
    if span is None:
        return float(np.abs(differences).max(initial=0.0))
    return UNSEEN * (span if spread is None else min(span, spread))


def p_value(values: Floats, unseen: float) -> float:
    """The two-sided p-value of "rare differences the other way make up for the mean".

    Args:
        values: Shape (n,), n > 0: the differences of independent pairs.
        unseen: How large, above 0, a difference may be that is not among them.

    Source:
        Jeffreys's posterior of a share: Brown, Cai & DasGupta, Stat. Sci. 16 (2001) 101, 4.3.
    """
    from scipy.special import betainc

    mean = float(values.mean())
    if not mean:
        return 1.0
    seen, low, rest_mean = _splits(values if mean > 0 else -values, -unseen)
    against = low < 0
    seen, low, rest_mean = seen[against], low[against], rest_mean[against]
    share = rest_mean / (rest_mean - low)  # with so many of the low ones the mean is 0
    p = 2 * float(betainc(len(values) - seen + 0.5, seen + 0.5, 1 - share).max())
    return min(1.0, p)


def bounds(values: Floats, lowest: float, highest: float, level: float) -> tuple[float, float]:
    """How low and how high a mean may be, if rare values are as many as they may be.

    Args:
        values: Shape (n,), n > 0, independent.
        lowest: How low a value may be that is not among them.
        highest: How high.
        level: Nominal coverage, in (0, 1).

    Source:
        As of `p_value`, which is 1 - level where one of the bounds is 0.
    """
    return _lower(values, lowest, level), -_lower(-values, -highest, level)


def _lower(values: Floats, lowest: float, level: float) -> float:
    from scipy.special import betaincinv

    seen, low, rest_mean = _splits(values, lowest)
    share = betaincinv(seen + 0.5, len(values) - seen + 0.5, (1 + level) / 2)
    return float((share * low + (1 - share) * rest_mean).min())


def smallest_mean(n: int, unseen: float, alpha: float) -> float:
    """The mean from which `p_value` is at most alpha, if no pair goes the other way.

    Args:
        n: Independent pairs.
        unseen: As in `p_value`.
        alpha: The level of the two-sided test.
    """
    from scipy.special import betaincinv

    share = float(betaincinv(0.5, n + 0.5, 1 - alpha / 2))
    return unseen * share / (1 - share)


def _splits(values: Floats, lowest: float) -> tuple[Floats, Floats, Floats]:
    """(how many are taken to be low, the mean of these, the mean of the rest), in every way."""
    n, total = len(values), float(values.sum())
    most_low = min(_MOST, int(np.count_nonzero(values < total / n)), n - 1)
    sums = np.cumsum(np.sort(np.partition(values, most_low)[:most_low]))
    seen = np.arange(most_low + 1.0)
    low = np.concatenate([[lowest], sums / seen[1:]])
    rest_mean = (total - np.concatenate([[0.0], sums])) / (n - seen)
    return seen, low, rest_mean
