"""Statistical power: the difference that a test finds, and the samples or labels that it takes."""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from assay.stats import rare
from assay.stats.correction import FEWEST, Corrected
from assay.stats.intervals import LEVEL, Interval

POWER = 0.8  # how often a difference that is there is to be found
_CERTAIN = 100  # standard deviations from 0: there the limit's tails are right to 1e-4
_MANY = 2_000  # changes expected: from there on McNemar's power is that of the t-test
_MANY_GROUPS = 200  # of more, how many there are hardly matters
_SIMULATIONS = 500  # tests, each with so many random signs: the power is known to 2 in 100
MOST = 10**9  # no data set is larger; a difference that needs more is as good as none


def effect_interval(t: float, scale: float, df: int, *, level: float = 0.95) -> Interval:
    """The confidence interval of a standardised effect size, from the noncentral t distribution.

    Args:
        t: The mean over its standard error.
        scale: Standard error over standard deviation: effect size = t * scale.
        df: Degrees of freedom: independent units less one.
        level: Nominal coverage.

    Source:
        Steiger and Fouladi, in Harlow et al. (eds.), What If There Were No Significance Tests
        (1997); Cumming and Finch, Educ. Psychol. Meas. 61 (2001) 532.
    """
    from scipy.special import chdtri, nctdtrinc

    if abs(t) > _CERTAIN * math.sqrt(df):
        # The mean is as good as known, and the spread alone uncertain: chi-square. The noncentral
        # t is summed up so slowly and loosely there that it might never end.
        ends = sorted(t * math.sqrt(float(chdtri(df, (1 + s * level) / 2)) / df) for s in (-1, 1))
        return Interval(ends[0] * scale, ends[1] * scale, level, "noncentral t")
    low = float(nctdtrinc(df, (1 + level) / 2, t))
    high = float(nctdtrinc(df, (1 - level) / 2, t))
    return Interval(low * scale, high * scale, level, "noncentral t")


def power(nc: float, df: float, alpha: float) -> float:
    """How often a two-sided t-test finds an effect of that noncentrality, in [0, 1]."""
    from scipy.special import nctdtr, stdtrit

    limit = float(stdtrit(df, 1 - alpha / 2))
    return float(1 - nctdtr(df, nc, limit) + nctdtr(df, nc, -limit))


def t_detectable(error: float, units: int, *, alpha: float = 0.05) -> float | None:
    """The smallest true difference that a paired test finds with 80 % power.

    Args:
        error: Standard error of the mean difference.
        units: Independent pairs (or clusters of pairs).
        alpha: How often the test may find a difference where there is none.

    Returns:
        The difference, in the unit of `error`; None where so few units cannot reach `alpha` in a
        permutation test however large the difference is.
    """
    if units < fewest_changes(alpha):
        return None
    return error * _root(lambda nc: power(nc, units - 1, alpha) - POWER, 400.0)


def detectable_fall(
    deviation: float, loss: float, pairs: int, *, groups: int | None = None
) -> float | None:
    """The smallest fall of a mean that a paired test finds with 80 % power if some pairs fail.

    A system that becomes worse seldom does so by a little everywhere: some pairs lose all they
    had. That widens the spread of the differences, and at least `fewest_changes` have to fail.

    Args:
        deviation: Standard deviation of the differences between systems that are equally good; of
            clustered ones, times the square root of the design effect.
        loss: What a pair loses that fails, in the same unit; 0 if all fall alike.
        pairs: How many there are.
        groups: Of how many clusters they are; None if all are independent.

    Returns:
        The fall; None where so few pairs or clusters show none.
    """
    units = groups or pairs
    share = share_to_change(units)
    if share is None:
        return None
    share = 1 - (1 - share) ** (units / pairs)  # a cluster fails with any pair of it
    fall = 0.0
    for _ in range(100):  # it rises to where the spread that it makes finds it
        spread = math.sqrt(deviation**2 + max(0.0, fall * (loss - fall)))
        fall = max(t_detectable(spread / math.sqrt(pairs), units) or 0.0, share * loss)
    return fall


def t_needed(difference: float, deviation: float, *, alpha: float = 0.05) -> int | None:
    """How many independent pairs find a true difference with 80 % power.

    Args:
        difference: The difference to be found.
        deviation: Standard deviation of the differences; of clustered ones, times the square root
            of the design effect.
        alpha: The level of the test.

    Returns:
        The smallest number of pairs; None for a difference of zero, or one too small for any data.
    """
    if not difference:
        return None
    effect = abs(difference) / deviation if deviation else math.inf
    min_pairs = fewest_changes(alpha)
    if effect == math.inf:
        return min_pairs
    return _smallest_sufficient(lambda n: power(effect * math.sqrt(n), n - 1, alpha), min_pairs)


def fewest_changes(alpha: float = 0.05) -> int:
    """How many pairs have to differ, all in one direction, for a permutation test to reach alpha.

    Each pair halves the p-value, however large its difference; pairs that are ties say nothing.
    """
    return math.ceil(1 - math.log2(alpha))


def share_to_change(units: int, *, alpha: float = 0.05) -> float | None:
    """What share of all pairs has to change, all in one direction, for that to be found.

    Returns:
        The share with which `fewest_changes` come about that often; None for fewer pairs.
    """
    from scipy.special import betaincinv

    min_units = fewest_changes(alpha)
    return None if units < min_units else float(betaincinv(min_units, units - min_units + 1, POWER))


def units_to_change(share: float, *, alpha: float = 0.05) -> int | None:
    """How many independent pairs find it if that share changes, all in one direction.

    Args:
        share: Of the pairs, in (0, 1].
        alpha: The level of the test.

    Returns:
        The smallest number of pairs; None for a share too small for any data.
    """
    from scipy.special import betainc

    min_units = fewest_changes(alpha)
    return _smallest_sufficient(
        lambda n: float(betainc(min_units, n - min_units + 1, share)), min_units
    )


def rare_detectable(error: float, units: int, unseen: float, *, alpha: float = 0.05) -> float:
    """The smallest true difference that rare ones the other way do not undo, with 80 % power.

    Args:
        error: Standard error of the mean difference.
        units: Independent pairs (or clusters of pairs).
        unseen: How large a difference is reckoned with that is in no pair.
        alpha: The level of the test.
    """
    from scipy.special import ndtri

    return rare.smallest_mean(units, unseen, alpha) + float(ndtri(POWER)) * error


def rare_needed(
    difference: float, deviation: float, unseen: float, *, alpha: float = 0.05
) -> int | None:
    """How many independent pairs show a true difference that rare ones the other way do not undo.

    Args:
        difference: The difference to be found.
        deviation: Standard deviation of the differences.
        unseen: As in `rare_detectable`.
        alpha: The level of the test.

    Returns:
        The smallest number; None for a difference too small for any data.
    """

    def reached(n: int) -> float:
        smallest = rare_detectable(deviation / math.sqrt(n), n, unseen, alpha=alpha)
        return POWER if smallest <= abs(difference) else 0.0

    return _smallest_sufficient(reached, 2)


@dataclass(frozen=True, slots=True)
class ChangedShares:
    """Which share of pairs went from 0 to 1, and which from 1 to 0."""

    up: float
    down: float

    def changed(self, difference: float) -> float:
        """How many would change if that were the true difference.

        As many as were seen; for more, as many against it as were seen, and the rest with it.
        """
        return min(1.0, max(self.up + self.down, 2 * min(self.up, self.down) + difference))


def mcnemar_power(n: int, difference: float, changed: float, alpha: float) -> float:
    """How often McNemar's exact test finds a true difference, and which way it goes.

    Args:
        n: Pairs.
        difference: Of the shares of ones, in (0, 1].
        changed: Share of the pairs that change, either way, from `difference` to 1.
        alpha: The level of the test.
    """
    from scipy.special import bdtr

    if n * changed > _MANY:
        spread = math.sqrt(max(changed - difference * difference, 1e-12))
        return power(difference / spread * math.sqrt(n), n - 1, alpha)
    limits = _limits(alpha)
    numbers = np.flatnonzero(limits[: n + 1] >= 0)
    happens = bdtr(numbers, n, changed) - bdtr(numbers - 1, n, changed)
    against = max(0.0, (changed - difference) / (2 * changed))
    return float(happens @ bdtr(limits[numbers], numbers, against))


def mcnemar_detectable(n: int, observed: ChangedShares, *, alpha: float = 0.05) -> float | None:
    """The smallest true difference of shares that McNemar's exact test finds.

    Returns:
        The difference; None where so few pairs cannot reach `alpha` if all of them change.
    """
    if n < fewest_changes(alpha):
        return None
    return _root(lambda d: mcnemar_power(n, d, observed.changed(d), alpha) - POWER, 1.0)


@lru_cache(maxsize=64)
def grouped_detectable(
    sizes: tuple[int, ...], observed: ChangedShares, *, together: bool, alpha: float = 0.05
) -> float | None:
    """The smallest true difference of shares that the sign-flip test of clusters finds.

    By simulation, always with the same random numbers. As for McNemar's test, of which this is
    the form for clusters, the chance to find it is 80 %; rare differences the other way must not
    undo it either (`assay.stats.rare`), half a cluster's pairs being the largest unseen one.

    Args:
        sizes: How many pairs each cluster has.
        observed: Which pairs changed.
        together: Whether the pairs of a cluster change all together, or each by itself.
        alpha: The level of the test.

    Returns:
        The difference, to a hundredth; None where so few clusters cannot reach `alpha`, or do
        not that often if all pairs change.
    """
    groups = len(sizes)
    if groups < fewest_changes(alpha):
        return None
    cluster_sizes = np.asarray(sizes, dtype=np.float64)
    if groups > _MANY_GROUPS:
        n_effective = (
            round(cluster_sizes.sum() ** 2 / float(cluster_sizes @ cluster_sizes))
            if together
            else int(cluster_sizes.sum())
        )
        return mcnemar_detectable(n_effective, observed, alpha=alpha)
    draws = 1 if together else np.asarray(sizes)
    weights = cluster_sizes if together else np.ones(groups)
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (2 * _SIMULATIONS, groups))

    def lacking(difference: float) -> float:
        changed = max(observed.changed(difference), difference)
        shares = ((changed + difference) / 2, (changed - difference) / 2, 1 - changed)
        counts = np.random.default_rng(1).multinomial(draws, shares, (_SIMULATIONS, groups))
        sums = (counts[..., 0] - counts[..., 1]) * weights
        totals = sums.sum(axis=1)
        reached = (np.abs(signs @ sums.T) >= totals - 1e-9).sum(axis=0) + 1
        cluster_means = sums[reached <= alpha * (len(signs) + 1)] * groups / cluster_sizes.sum()
        sure = sum(rare.p_value(means, rare.UNSEEN) <= alpha for means in cluster_means)
        return sure / _SIMULATIONS - POWER

    return _root(lacking, 1.0, steps=9) if lacking(1.0) >= 0 else None


def mcnemar_needed(
    difference: float, observed: ChangedShares, *, alpha: float = 0.05
) -> int | None:
    """About how many pairs show a true difference of shares by McNemar's exact test.

    Args:
        difference: The difference to be found.
        observed: Which pairs changed of those that are typical.
        alpha: The level of the test.

    Returns:
        The number; None for a difference of zero, or one too small for any data.
    """
    size = min(abs(difference), 1.0)
    if not size:
        return None
    changed = observed.changed(size)
    return _smallest_sufficient(
        lambda n: mcnemar_power(n, size, changed, alpha), fewest_changes(alpha)
    )


@lru_cache(maxsize=16)
def _limits(alpha: float) -> npt.NDArray[np.intp]:
    """For each number of changes, how many of them may go the other way; -1 where none may."""
    from scipy.special import bdtr

    limits, limit = [], -1
    for changes in range(_MANY + 6 * math.isqrt(_MANY) + 1):
        # One change more lets at most one more go the other way.
        if limit < changes and 2 * float(bdtr(limit + 1, changes, 0.5)) <= alpha:
            limit += 1
        limits.append(limit)
    return np.array(limits, dtype=np.intp)


def _smallest_sufficient(reached: Callable[[int], float], minimum: int) -> int | None:
    """The smallest number with the power aimed at, from `least` on; None where none has it."""
    if reached(minimum) >= POWER:
        return minimum
    top = minimum
    while reached(top) < POWER:
        top *= 2
        if top > MOST:
            return None
    low = top // 2
    while top - low > 1:
        middle = (low + top) // 2
        low, top = (low, middle) if reached(middle) >= POWER else (middle, top)
    return top


def _root(function: Callable[[float], float], high: float, *, steps: int = 40) -> float:
    """Where a growing function passes zero, between 0 and `high`."""
    low = 0.0
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def labels_needed(
    width: float, *, sd: float, correlation: float, n_judged: int, level: float = LEVEL
) -> int | None:
    """How many labels give an interval of a wanted width.

    var = sd^2 (1 - r^2) / k + sd^2 r^2 / N: what the judge cannot tell shrinks with the labels,
    the rest with the samples.

    Args:
        width: The whole width wanted, in units of the labels, over 0.
        sd: Standard deviation of the labels, from a first few labels or a guess (0.5 at most for
            labels of 0 and 1).
        correlation: Between labels and scores, -1..1; 0 for the number without a judge.
        n_judged: Samples with a score.
        level: Nominal coverage, in (0, 1).

    Returns:
        The number, at most `n_judged`; None if even all labels would not do.
    """
    from scipy.special import stdtrit

    def narrow_enough(k: int) -> bool:
        variance = sd * sd * ((1 - correlation**2) / k + correlation**2 / n_judged)
        away = float(stdtrit(k - 2, (1 + level) / 2)) * math.sqrt(variance)
        return 2 * away <= width * (1 + 1e-9)

    # The width falls with every label, in the quantile as in the variance.
    numbers = range(FEWEST, n_judged + 1)
    index = bisect_left(numbers, x=True, key=narrow_enough)
    return numbers[index] if index < len(numbers) else None


def labels_like_these(width: float, corrected: Corrected) -> int | None:
    """How many labels in all give an interval of a wanted width, if the next are like the first.

    Args:
        width: The whole width wanted, in units of the labels, over 0.
        corrected: What the first labels gave.

    Returns:
        The number; None if even all labels would not do, or if these give no interval yet.
    """
    k, n = corrected.n_labelled, corrected.n_judged
    if corrected.interval is None:
        return None
    # sd^2 r^2 and sd^2 (1 - r^2) of `labels_needed`, as the interval has them: with strata,
    # probabilities, groups, and the labels made up.
    explained, remainder = n * corrected.floor, k * max(corrected.error**2 - corrected.floor, 0.0)
    sd = math.sqrt(explained + remainder)
    r = math.sqrt(explained) / sd
    needed = labels_needed(width, sd=sd, correlation=r, n_judged=n, level=corrected.interval.level)
    # An interval ends where the labels do, and its quantile may count groups.
    if corrected.interval.high - corrected.interval.low <= width:
        return k if needed is None else min(needed, k)
    if needed is None or needed > k:
        return needed
    return k + 1 if k < n else None
