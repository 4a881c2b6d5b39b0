"""Confidence intervals of means and shares in closed form.

The closed form of a mean is chosen by what is known of the values; `benchmarks/coverage.py`
measures how often each holds the true mean, beside those that were not taken:

- values at the two ends of their range only: Wilson's interval;
- a range with two ends, more than half of the values within half a hundredth of it and fewer than
  ten others (many perfect or nearly perfect scores with a tail): Jeffreys's interval with an
  effective n. So few values say little of how low others may lie, and half a value is added at
  each end of the range;
- any other range with two ends: Wilson's interval with an effective n, t in the place of z, and
  as far as rare values half-way to an end may move the mean (`assay.stats.rare`);
- a range without ends: t, corrected for skewness by Hall's transformation.

The effective n is the number of yes/no answers that would leave a mean as uncertain. Values that
share a group count together: all but the first work on one value a group.

A `Statistic` is a function of weights, one a row: 1 each for the number itself, 0 for a row that is
left out, more for one that counts often. So every number and its interval come from one definition.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay._text.results import extent
from assay.stats import rare

LEVEL = 0.95
Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = Sequence[float] | npt.NDArray[Any]
Statistic: TypeAlias = Callable[[Floats], float]


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies with the stated confidence.

    Attributes:
        low: Lower end.
        high: Upper end, not below `low`.
        level: Nominal coverage, 0..1 (0.95: 95 of 100 such intervals hold the true value).
        method: How it was computed, in words: "BCa bootstrap", "Wilson".
    """

    low: float
    high: float
    level: float = 0.95
    method: str = ""

    @property
    def ends(self) -> str:
        """``0.58 to 0.97``."""
        return extent(self.low, self.high)


@dataclass(frozen=True, slots=True)
class WithInterval:
    """A statistic that knows its 95 % confidence interval.

    Attributes:
        of: The statistic itself.
        interval: From the cluster of each row to the interval; None where nothing can be told.
    """

    of: Statistic
    interval: Callable[[Sequence[Hashable]], Interval | None]

    def __call__(self, weights: Floats) -> float:
        """The statistic of rows with these weights."""
        return self.of(weights)


TAIL = 10  # so many values off the prevailing one tell what else there is
# Values that lie this close, as a share of the range, stand for one: their own spread does not say
# how far off a rare other one may be. Wider, it would catch the scores of a narrow but ordinary
# distribution; narrower, perfect scores that a judge's decimals blur.
NEAR = 0.005
_SAME = 1e-9  # what differs by less differs by rounding only


def mean_interval(
    values: Sequence[float] | Floats,
    *,
    groups: Iterable[Hashable] | None = None,
    low: float | None = None,
    high: float | None = None,
    level: float = LEVEL,
) -> Interval | None:
    """The confidence interval of a mean, in closed form: the same values give the same interval.

    Args:
        values: Shape (n,), finite.
        groups: For each value the cluster that it belongs to; None if all are independent.
        low: The least value possible; None (or -inf) if there is none.
        high: The greatest value possible; None (or inf) if there is none.
        level: Nominal coverage, in (0, 1).

    Returns:
        The interval, within `low` and `high`. None if there are fewer than two independent values
        or clusters, or if all are the same and no range says how far others might lie.

    Raises:
        ValueError: If there are not as many groups as values.
    """
    array = np.asarray(values, dtype=np.float64)
    bottom = -math.inf if low is None else min(low, float(array.min(initial=math.inf)))
    top = math.inf if high is None else max(high, float(array.max(initial=-math.inf)))
    if not (math.isfinite(bottom) and math.isfinite(top) and bottom < top):
        units = _units(array, groups)
        interval = None if units.n < 2 else _hall(units, level)
        return interval and _widened_to_hold(units.mean, interval, bottom, top)
    units = _units((array - bottom) / (top - bottom), groups)
    if units.n < 2:
        return None
    shares, width = _of_shares(units, level), top - bottom
    ends = (bottom + shares.low * width, bottom + shares.high * width)
    return _widened_to_hold(float(array.mean()), Interval(*ends, level, shares.method), bottom, top)


def width(ends: Sequence[float | None]) -> float | None:
    """How far the ends of a range lie apart; None where it has no end."""
    low, high = ends
    return None if low is None or high is None else high - low


def proportion_interval(successes: int, n: int, *, level: float = LEVEL) -> Interval:
    """The Wilson interval of a proportion.

    Args:
        successes: How many, 0..n.
        n: Of how many; with 0 the interval is all of 0..1.
        level: Nominal coverage, in (0, 1).

    Raises:
        ValueError: If there are more successes than trials, or fewer than none.

    Source:
        Wilson, J. Am. Stat. Assoc. 22 (1927) 209.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return Interval(0.0, 1.0, level, "Wilson")
    from scipy.special import ndtri

    bottom, top = wilson(successes / n, n, float(ndtri((1 + level) / 2)))
    # Exactly, where rounding would leave 1e-17.
    return Interval(
        0.0 if successes == 0 else bottom, 1.0 if successes == n else top, level, "Wilson"
    )


def share_interval(
    hits: Sequence[bool] | Floats | npt.NDArray[np.bool_],
    groups: Sequence[Hashable] | None = None,
) -> Interval:
    """The 95 % Wilson interval of a share; rows of one group count as far as they tell more.

    Args:
        hits: Shape (n,), true or false; without any the interval is all of 0..1.
        groups: For each row the cluster that it belongs to; None if all are independent. Several
            rows of a single cluster tell nothing of others: 0 to 1.

    Raises:
        ValueError: If there are not as many groups as rows.
    """
    values = np.asarray(hits, dtype=np.float64)
    n = len(values)
    if groups is None or len(set(groups)) == len(groups) == n:
        return proportion_interval(round(float(values.sum())), n)
    interval = mean_interval(values, groups=groups, low=0.0, high=1.0)
    return interval or Interval(0.0, 1.0, LEVEL, "one group")


def effective_n(
    hits: Sequence[bool] | Floats | npt.NDArray[np.bool_],
    groups: Sequence[Hashable],
    weights: Floats | None = None,
) -> tuple[float, float]:
    """How many independent rows would leave a share as uncertain as these clusters of rows do.

    Args:
        hits: Shape (n,), true or false, n > 0.
        groups: For each row the cluster that it belongs to.
        weights: Shape (n,), above 0: how many rows each stands for; None if for as many as any.

    Returns:
        (effective n, in 1..n, at most Kish's of the weights; degrees of freedom that the spread of
        the clusters has, infinite where every row is its own cluster).
    """
    units = _units(np.asarray(hits, dtype=np.float64), groups, weights)
    max_n = float(len(units.values)) if weights is None else kish_n(weights)
    if not units.clustered:
        return max_n, math.inf
    effective = _effective(units, extreme=True) if units.n > 1 else 1.0
    return max(min(effective, max_n), 1.0), units.freedom


def effective_rows(
    values: Floats, groups: Sequence[Hashable], weights: Floats | None = None
) -> float:
    """How many independent rows would leave a mean as uncertain as these clusters of rows do.

    Args:
        values: Shape (n,), n > 0.
        groups: For each row the cluster that it belongs to.
        weights: Shape (n,), above 0: how many rows each stands for; None if for as many as any.

    Returns:
        In (0, n], at most Kish's of the weights; of few clusters it is less by as much as their t
        is wider than a normal distribution.
    """
    from scipy.special import ndtri, stdtrit

    units = _units(values, groups, weights)
    n_weighted = float(len(values)) if weights is None else kish_n(weights)
    if not units.clustered:
        return n_weighted
    spread = float(np.average((values - units.mean) ** 2, weights=weights))
    error2 = units.variance / units.n if units.n > 1 else spread
    effective = spread / error2 if error2 > _SAME**2 else float(units.n)
    wider = float(stdtrit(units.freedom, (1 + LEVEL) / 2) / ndtri((1 + LEVEL) / 2))
    return min(effective, n_weighted) / wider**2


def kish_n(weights: Floats) -> float:
    """How many rows of equal weight leave a mean as uncertain as these, if weights tell nothing.

    Args:
        weights: Shape (n,), above 0; of none it is 0.

    Source:
        Kish, Survey Sampling (1965), section 11.7.
    """
    return float(weights.sum()) ** 2 / float(weights @ weights) if len(weights) else 0.0


def cluster_numbers(groups: Iterable[Hashable]) -> npt.NDArray[np.intp]:
    """The number of each row's cluster: 0, 1, ... in order of appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.intp)


def without_each(sizes: Floats) -> Floats:
    """How much farther clusters lie from the mean of all the others than from that of all.

    A large cluster draws the mean to itself, and by what is left of its deviation a mean would look
    more certain than it is. Clusters of one size: 1.

    Args:
        sizes: Shape (n,), above 0: rows of each cluster, or the sum of their weights.

    Source:
        The jackknife variance: Bell & McCaffrey, Surv. Methodol. 28 (2002) 169; CV3 of MacKinnon,
        Nielsen & Webb, J. Econom. 232 (2023) 272.
    """
    n, remainder = len(sizes), 1 - sizes / sizes.sum()
    return (n - 1) / n / remainder if n > 1 else np.ones(n)


def t_interval(mean: float, error: float, freedom: float, level: float, method: str) -> Interval:
    """Student's t interval."""
    from scipy.special import stdtrit

    away = float(stdtrit(freedom, (1 + level) / 2)) * error
    return Interval(mean - away, mean + away, level, method)


def wilson_around(
    mean: float, error: float, freedom: float, ends: tuple[float, float], level: float
) -> Interval:
    """Wilson's interval of an estimate between two ends, with an effective n and Student's t.

    Args:
        mean: The estimate, within the ends.
        error: Its standard error, above 0.
        freedom: Degrees of freedom of that.
        ends: The least and the greatest value possible.
        level: Nominal coverage, in (0, 1).
    """
    from scipy.special import stdtrit

    low, width = ends[0], ends[1] - ends[0]
    share = (mean - low) / width
    effective = max(share * (1 - share) * (width / error) ** 2, 1.0)
    bottom, top = wilson(share, effective, float(stdtrit(freedom, (1 + level) / 2)))
    return Interval(low + bottom * width, low + top * width, level, "Wilson, effective n")


@dataclass(frozen=True, slots=True)
class _Units:
    """What is independent: values, or clusters of them."""

    values: Floats  # shape (n_values,), as given
    mean: float  # their mean
    # Shape (n,): a number for each unit such that how far they lie from the mean says what that is
    # uncertain by. Clusters: the linearised ratio.
    each: Floats
    means: Floats  # shape (n,): the mean of each unit
    freedom: float  # degrees of freedom of the spread; fewer where clusters differ in size (Kish)
    clustered: bool  # whether some unit has several values

    @property
    def n(self) -> int:
        return len(self.each)

    @property
    def variance(self) -> float:
        return float(np.square(self.each - self.mean).sum()) / (self.n - 1)

    def method(self, name: str) -> str:
        return f"{name}, {self.n} groups" if self.clustered else name


def _units(
    values: Floats, groups: Iterable[Hashable] | None, weights: Floats | None = None
) -> _Units:
    mean = float(np.average(values, weights=weights)) if len(values) else 0.0
    independent = _Units(values, mean, values, values, len(values) - 1, clustered=False)
    if groups is None:
        return independent
    cluster = cluster_numbers(groups)
    n, w = int(cluster.max(initial=-1)) + 1, np.ones(len(values)) if weights is None else weights
    if len(cluster) == n == len(values):
        return independent
    sums, sizes = np.bincount(cluster, w * values), np.bincount(cluster, w).astype(np.float64)
    left_out_means = mean + (sums - sizes * mean) * without_each(sizes) * n / float(sizes.sum())
    freedom = max(kish_n(sizes) - 1, 1.0)
    return _Units(values, mean, left_out_means, sums / sizes, freedom, clustered=True)


def _of_shares(units: _Units, level: float) -> Interval:
    """The interval of values in 0..1."""
    extreme = bool(np.all((units.values < _SAME) | (units.values > 1 - _SAME)))
    if extreme and not units.clustered:
        return proportion_interval(round(float(units.values.sum())), units.n, level=level)
    if not extreme and _one_value_prevails(units.means):
        return _jeffreys(units, level)
    from scipy.special import stdtrit

    mean = min(max(units.mean, 0.0), 1.0)
    effective = _effective(units, extreme=extreme)
    ends = wilson(mean, effective, float(stdtrit(units.freedom, (1 + level) / 2)))
    interval = Interval(*ends, level, units.method("Wilson, effective n"))
    unseen = mean - rare.UNSEEN * mean, mean + rare.UNSEEN * (1 - mean)
    return interval if extreme else with_rare(interval, units.each, unseen, (0.0, 1.0))


def with_rare(
    interval: Interval, values: Floats, unseen: tuple[float, float], ends: tuple[float, float]
) -> Interval:
    """An interval as far as rare values, up to these two if they are unseen, may move the mean."""
    low, high = rare.bounds(values, *unseen, interval.level)
    if interval.low <= low and high <= interval.high:
        return interval
    low, high = max(min(interval.low, low), ends[0]), min(max(interval.high, high), ends[1])
    method = f"{interval.method.removesuffix(', rare values')}, rare values"
    return Interval(low, high, interval.level, method)


def _effective(units: _Units, *, extreme: bool) -> float:
    """The number of yes/no answers that would leave the mean as uncertain."""
    mean = min(max(units.mean, 0.0), 1.0)
    error2 = units.variance / units.n
    # Groups that all agree do not say how much they differ: each counts once.
    effective = mean * (1 - mean) / error2 if error2 > _SAME**2 else float(units.n)
    # Chance may make groups look more alike than single values could be.
    return min(effective, len(units.values)) if extreme else effective


def _one_value_prevails(values: Floats) -> bool:
    # A value that more than half have, or nearly have, is about the median.
    n_deviating = int(np.count_nonzero(np.abs(values - np.median(values)) > NEAR + _SAME))
    return 2 * n_deviating < len(values) and n_deviating < TAIL


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """The ends of Wilson's interval of a share of n, which need not be a whole number."""
    z2 = z * z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def _jeffreys(units: _Units, level: float) -> Interval:
    """The beta distribution with the moments of a Bayesian bootstrap, two half values added.

    Of zeros and ones that is Jeffreys's interval: Beta(successes + 1/2, failures + 1/2).

    Source:
        Rubin, Ann. Stat. 9 (1981) 130, for the moments; the two half values are ours.
    """
    from scipy.special import betaincinv, stdtrit

    n = units.n + 1
    mean = (units.n * units.mean + 0.5) / n
    squares = float(((units.each - mean) ** 2).sum()) + 0.5 * mean**2 + 0.5 * (1 - mean) ** 2
    effective = mean * (1 - mean) / (squares / (n * (n + 1))) - 1
    if units.clustered:  # clusters of unequal size count for as much less as their t is wider
        t, even = (float(stdtrit(df, (1 + level) / 2)) for df in (units.freedom, units.n - 1))
        effective *= (even / t) ** 2
    yes, no = mean * effective, (1 - mean) * effective
    tail = (1 - level) / 2
    bottom, top = float(betaincinv(yes, no, tail)), float(betaincinv(yes, no, 1 - tail))
    return Interval(bottom, top, level, units.method("Jeffreys, effective n"))


def _hall(units: _Units, level: float) -> Interval | None:
    """A t interval whose ends are moved by as much as the values are skewed.

    Source:
        Hall, J. R. Stat. Soc. B 54 (1992) 221, the monotone transformation; t for its normal.
    """
    from scipy.special import stdtrit

    mean, spread = units.mean, math.sqrt(units.variance)
    if spread <= _SAME * abs(mean):
        return None
    skew = float((((units.each - mean) / spread) ** 3).mean())
    reach = float(stdtrit(units.freedom, (1 + level) / 2)) / math.sqrt(units.n)

    def back(reached: float) -> float:
        if abs(skew) < _SAME:
            return reached
        return 3 * (float(np.cbrt(1 + skew * (reached - skew / (6 * units.n)))) - 1) / skew

    bottom, top = mean - back(reach) * spread, mean - back(-reach) * spread
    return Interval(bottom, top, level, units.method("skewness-corrected t"))


def _widened_to_hold(mean: float, interval: Interval, low: float, high: float) -> Interval:
    # Of a few values that hardly differ, half a value at the far end moves more than the mean.
    bottom, top = max(min(interval.low, mean), low), min(max(interval.high, mean), high)
    return Interval(bottom, top, interval.level, interval.method)


def ones(n: int) -> Floats:
    """Every row once."""
    return np.ones(n)


def ratio(part: float, whole: float) -> float:
    """The share; NaN where there is nothing to share."""
    return part / whole if whole else float("nan")


def value_of(statistic: Statistic, n: int) -> float | None:
    """The statistic of all n rows; None where it is not defined."""
    value = float(statistic(ones(n))) if n else float("nan")
    return value if np.isfinite(value) else None
