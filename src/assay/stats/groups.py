"""Do samples of one kind score higher than those of another?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.stats.interval import Interval
from assay.stats.intervals import LEVEL
from assay.stats.permutation import two_groups

Floats = Sequence[float] | npt.NDArray[np.float64]
# Of groups as large as this Student's t says how likely chance is, however skewed scores are.
LARGE = 500
_ROUNDING = 1e-9  # a standard error below this share of the scores is one of the last digit


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of one group.

    Attributes:
        n: How many.
        mean: Their mean, None without any.
        sd: Their standard deviation (n - 1), None for fewer than two.
    """

    n: int
    mean: float | None
    sd: float | None


@dataclass(frozen=True, slots=True)
class Welch:
    """Two means of independent groups, compared without taking their spread to be equal.

    Attributes:
        difference: Mean of the first group minus mean of the second.
        interval: Its two-sided confidence interval.
        t: The test statistic.
        df: Degrees of freedom, by Welch and Satterthwaite.
        p: p-value of "the first mean is not higher" (one-sided), or of "the means are equal": by
            permutation where a group has fewer than 500 scores, else by Student's t.
        one_sided: Which of the two.
    """

    difference: float
    interval: Interval
    t: float
    df: float
    p: float
    one_sided: bool


def describe(values: Floats) -> Group:
    """Mean and standard deviation of a group."""
    array = np.asarray(values, dtype=np.float64)
    return Group(
        len(array),
        float(array.mean()) if len(array) else None,
        float(array.std(ddof=1)) if len(array) > 1 else None,
    )


def welch(
    first: Floats, second: Floats, *, one_sided: bool = True, level: float = LEVEL
) -> Welch | None:
    """Welch's t-test of two independent groups, in small ones by permutation.

    Args:
        first: Shape (n,): the scores that are expected to be higher.
        second: Shape (m,): the others.
        one_sided: Whether "higher" is asked, as in table 2 of the study of RAG metrics in the
            telecom domain, or "different".
        level: Nominal coverage of the interval.

    Returns:
        The test; None where a group has fewer than two scores or neither has any spread.

    Source:
        Welch, Biometrika 34 (1947) 28.
    """
    from scipy.special import stdtr, stdtrit

    a, b = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if min(len(a), len(b)) < 2:
        return None
    parts = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    error = math.sqrt(sum(parts))
    if error <= _ROUNDING * max(float(np.abs(a).max()), float(np.abs(b).max())):
        return None
    difference = float(a.mean() - b.mean())
    df = sum(parts) ** 2 / (parts[0] ** 2 / (len(a) - 1) + parts[1] ** 2 / (len(b) - 1))
    t = difference / error
    if min(len(a), len(b)) < LARGE:
        p = two_groups(a, b, one_sided=one_sided).p
    else:
        p = float(stdtr(df, -t)) if one_sided else 2 * float(stdtr(df, -abs(t)))
    away = float(stdtrit(df, (1 + level) / 2)) * error
    interval = Interval(difference - away, difference + away, level, "Welch t")
    return Welch(difference, interval, t, df, p, one_sided)


def gap_interval(means: tuple[float, float], ends: tuple[Interval, Interval]) -> Interval:
    """The confidence interval of the difference of two independent means, from theirs.

    That of Welch's t is too narrow where a small group has hardly any spread by chance.

    Args:
        means: Of the first and of the second group.
        ends: Their intervals, both of one level.

    Source:
        Zou & Donner, Stat. Med. 27 (2008) 1693 (method of variance estimates recovery).
    """
    (first, second), (one, other) = means, ends
    below = math.hypot(first - one.low, other.high - second)
    above = math.hypot(one.high - first, second - other.low)
    gap = first - second
    return Interval(gap - below, gap + above, one.level, f"recovered from {one.method}")
