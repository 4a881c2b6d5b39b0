"""Comparison of two systems on the same samples, and of two groups of samples."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from assay.stats import power, rare
from assay.stats.intervals import (
    LEVEL,
    Floats,
    Interval,
    cluster_numbers,
    mean_interval,
    t_interval,
    with_rare,
    without_each,
)

Values: TypeAlias = Sequence[float] | Floats
_ROUNDING = 1e-9  # a difference below this, as a share of the scores, is one of the last digit
# Of groups as large as this Student's t says how likely chance is, however skewed scores are.
LARGE = 500
EXACT_UNITS = 16  # 65,536 ways to flip that many signs: all of them are tried
MOST_UNITS = 5_000  # of more units a sum with random signs is as good as normal
DRAWS = 9_999
ENOUGH = 100  # draws as far off as what was seen: more would not make a large p more exact
_CHUNK = 1_000_000  # signs drawn at once, so that memory stays bounded
MCNEMAR = "McNemar, exact"
RARE = "rare differences, Jeffreys"
_CLOSE = 1e-9  # sums that differ by rounding only are equal


@dataclass(frozen=True, slots=True)
class Test:
    """What a test of "there is no difference" gave."""

    p: float
    method: str


@dataclass(frozen=True, slots=True)
class Paired:
    """Two scores of each sample, compared.

    Attributes:
        n: Pairs.
        units: Independent pairs: clusters where there are any, else n.
        before: Mean of the first scores.
        after: Mean of the second scores.
        difference: Mean of second minus first.
        interval: Its confidence interval; None for fewer than two units, and where all differences
            are the same and no `span` says how far others might lie.
        p: Two-sided p-value of "there is no difference": the larger of `p_of_signs` and, but for
            scores of 0 and 1, that of rare differences the other way that would undo it.
        p_of_signs: That of the permutation of signs by itself.
        test: Which test `p` is of.
        effect: Cohen's d_z: the mean difference over the standard deviation of the differences;
            None where that is 0.
        effect_interval: Its confidence interval, None where there is no effect size.
        up: Pairs whose second score is higher.
        same: Pairs with equal scores.
        down: Pairs whose second score is lower.
        error: Standard error of the mean difference, clusters taken into account; None for fewer
            than two units.
        deviation: Standard deviation of the differences of independent pairs that would have this
            error: larger than the plain one where pairs of a cluster resemble each other.
        moved: Independent pairs that differ: clusters whose differences do not make up for each
            other, where there are any.
        size: How far one of them differs on average, whichever way; 0 where none does.
        unseen: How large a difference `p` reckons with that is in no pair; 0 where it does not.
    """

    n: int
    units: int
    before: float
    after: float
    difference: float
    interval: Interval | None
    p: float
    p_of_signs: float
    test: str
    effect: float | None
    effect_interval: Interval | None
    up: int
    same: int
    down: int
    error: float | None
    deviation: float | None
    moved: int
    size: float
    unseen: float


def paired(
    before: Values,
    after: Values,
    *,
    groups: Sequence[Hashable] | None = None,
    span: float | None = None,
    level: float = LEVEL,
) -> Paired:
    """Compare two scores of the same samples.

    Args:
        before: Shape (n,), n > 0: the first score of each sample.
        after: Shape (n,): the second.
        groups: For each sample the cluster (document, conversation) that it belongs to; clusters
            are resampled and flipped whole. None if all samples are independent.
        span: The largest difference possible (the width of the metric's range), None if there is
            no such limit.
        level: Nominal coverage of the intervals.

    Source:
        Cohen, Statistical Power Analysis (1988), section 2.3.5, for d_z.
    """
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (before, after))
    differences = second - first
    differences[np.abs(differences) < _ROUNDING] = 0.0
    sums, error = _sums_and_error(differences, groups)
    n, units, mean = len(differences), len(sums), float(differences.mean())
    spread = float(differences.std(ddof=1)) if n > 1 else 0.0
    spread *= spread >= _ROUNDING
    n_up, n_down = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    # McNemar's test is the sign-flip test of values that are all 0 or 1, exact for any n.
    exact = groups is None and all(np.isin(s, (0.0, 1.0)).all() for s in (first, second))
    test = mcnemar(n_up, n_down) if exact else sign_flip(sums)
    room = rare.spread_of(first, second)
    unseen = 0.0 if exact else rare.unseen_difference(differences, span, room)
    against = rare.p_value(sums * units / n, unseen) if unseen else 0.0
    effect = mean / spread if spread else None
    moves = np.abs(sums[np.abs(sums) > _ROUNDING])
    return Paired(
        n=n,
        units=units,
        before=float(first.mean()),
        after=float(second.mean()),
        difference=mean,
        interval=difference_interval(
            differences, groups=groups, span=span, spread=room, level=level
        ),
        p=max(test.p, against),
        p_of_signs=test.p,
        test=RARE if against > test.p else test.method,
        effect=effect,
        effect_interval=_effect_interval(mean, spread, error, units, level),
        up=n_up,
        same=n - n_up - n_down,
        down=n_down,
        error=error,
        deviation=None if error is None else error * math.sqrt(n),
        moved=len(moves),
        # What all of them would make of the mean, if they went one way.
        size=float(moves.mean()) * units / n if len(moves) else 0.0,
        unseen=unseen,
    )


def _sums_and_error(
    differences: Floats, groups: Sequence[Hashable] | None
) -> tuple[Floats, float | None]:
    """The sum of each unit, and the standard error of the mean, robust against clusters."""
    cluster = cluster_numbers(range(len(differences)) if groups is None else groups)
    sums = np.bincount(cluster, differences).astype(np.float64)
    sizes = np.bincount(cluster).astype(np.float64)
    units = len(sums)
    if units < 2:
        return sums, None
    residuals = (sums - sizes * differences.mean()) * without_each(sizes)
    residuals[np.abs(residuals) < _ROUNDING * sizes] = 0.0
    return sums, math.sqrt(units / (units - 1) * float(residuals @ residuals)) / len(differences)


def difference_interval(
    differences: Values,
    *,
    groups: Sequence[Hashable] | None = None,
    span: float | None = None,
    spread: float | None = None,
    level: float = LEVEL,
) -> Interval | None:
    """The confidence interval of a mean difference, chosen by coverage: `benchmarks/aa.py`.

    With a limit on the differences, that of a mean between two ends: t holds too little where most
    pairs are ties. The ends are twice the largest difference seen, within the limit, since one
    across the whole range may be possible and yet far from all that is there. Without a limit, t:
    such differences are all but symmetric, and the correction for skewness that a mean needs does
    them harm. Either reaches as far as rare differences could move the mean (`assay.stats.rare`),
    such as those that no pair shows: of half the `spread` of the scores (`rare.spread_of`), or of
    the span where it is not given.

    Returns:
        The interval; None for fewer than two independent pairs, or where all differences are the
        same and no `span` says how far others might lie.
    """
    array = np.asarray(differences, dtype=np.float64)
    sums, error = _sums_and_error(array, groups)
    if span is None:
        usual = t_interval(float(array.mean()), error, len(sums) - 1, level, "t") if error else None
    else:
        end = min(span, 2 * float(np.abs(array).max(initial=0.0))) or span
        usual = mean_interval(array, groups=groups, low=-end, high=end, level=level)
    if usual is None:
        return None
    unseen = rare.unseen_difference(array, span, spread)
    largest = math.inf if span is None else span
    means = sums * len(sums) / len(array)
    return with_rare(usual, means, (-unseen, unseen), (-largest, largest))


def _effect_interval(
    mean: float, spread: float, error: float | None, units: int, level: float
) -> Interval | None:
    if not spread or not error:
        return None
    return power.effect_interval(mean / error, error / spread, units - 1, level=level)


def detectable(pairs: Paired, *, alpha: float = 0.05) -> float | None:
    """The smallest true difference that so many pairs would have shown with 80 % power.

    For scores of 0 and 1 by the power of McNemar's exact test, else of the t-test; but no less
    than what the fewest changes make that a permutation test finds, were all like those seen, nor
    than what rare differences the other way cannot undo.

    None where none can be shown or said: too few units, or too few that differ to reckon with.
    """
    if pairs.test == MCNEMAR and pairs.moved:
        return power.mcnemar_detectable(pairs.n, _changed_shares(pairs), alpha=alpha)
    if not pairs.error or pairs.moved < power.fewest_changes(alpha):
        return None
    by_t_test = power.t_detectable(pairs.error, pairs.units, alpha=alpha)
    share = power.share_to_change(pairs.units, alpha=alpha)
    if by_t_test is None or share is None:
        return None
    undone = power.rare_detectable(pairs.error, pairs.units, pairs.unseen, alpha=alpha)
    return max(by_t_test, share * pairs.size, undone)


def needed(pairs: Paired, difference: float, *, alpha: float = 0.05) -> int | None:
    """How many pairs, of which these are typical, show a true difference with 80 % power.

    None where that cannot be said: no difference, no spread to reckon with, or beyond any data.
    """
    if pairs.test == MCNEMAR and pairs.moved:
        return power.mcnemar_needed(difference, _changed_shares(pairs), alpha=alpha)
    if not pairs.deviation or not pairs.size:
        return None
    n = power.t_needed(difference, pairs.deviation, alpha=alpha)
    share = min(1.0, abs(difference) / pairs.size)
    units = power.units_to_change(share, alpha=alpha) if share else None
    per_unit = pairs.n / pairs.units
    spread = pairs.deviation / math.sqrt(per_unit)
    undone = power.rare_needed(difference, spread, pairs.unseen, alpha=alpha)
    if n is None or units is None or undone is None:
        return None
    return max(n, math.ceil(max(units, undone) * per_unit))


def _changed_shares(pairs: Paired) -> power.ChangedShares:
    return power.ChangedShares(pairs.up / pairs.n, pairs.down / pairs.n)


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of one group."""

    n: int  # how many
    mean: float | None  # their mean, None without any
    sd: float | None  # their standard deviation (n - 1), None for fewer than two


@dataclass(frozen=True, slots=True)
class Welch:
    """Two means of independent groups, compared without taking their spread to be equal."""

    difference: float  # mean of the first group minus mean of the second
    interval: Interval  # its two-sided confidence interval
    t: float  # the test statistic
    df: float  # degrees of freedom, by Welch and Satterthwaite
    # p-value of "the first mean is not higher" (one-sided), or of "the means are equal": by
    # permutation where a group has fewer than 500 scores, else by Student's t.
    p: float
    one_sided: bool  # which of the two


def describe(values: Values) -> Group:
    """Mean and standard deviation of a group."""
    array = np.asarray(values, dtype=np.float64)
    return Group(
        len(array),
        float(array.mean()) if len(array) else None,
        float(array.std(ddof=1)) if len(array) > 1 else None,
    )


def welch(
    first: Values, second: Values, *, one_sided: bool = True, level: float = LEVEL
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
    from scipy.special import stdtr

    a, b = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if min(len(a), len(b)) < 2:
        return None
    variances = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    error = math.sqrt(sum(variances))
    if error <= _ROUNDING * max(float(np.abs(a).max()), float(np.abs(b).max())):
        return None
    difference = float(a.mean() - b.mean())
    df = sum(variances) ** 2 / (variances[0] ** 2 / (len(a) - 1) + variances[1] ** 2 / (len(b) - 1))
    t = difference / error
    if min(len(a), len(b)) < LARGE:
        p = two_groups(a, b, one_sided=one_sided).p
    else:
        p = float(stdtr(df, -t)) if one_sided else 2 * float(stdtr(df, -abs(t)))
    interval = t_interval(difference, error, df, level, "Welch t")
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
    (first, second), (a, b) = means, ends
    below = math.hypot(first - a.low, b.high - second)
    above = math.hypot(a.high - first, second - b.low)
    gap = first - second
    return Interval(gap - below, gap + above, a.level, f"recovered from {a.method}")


def sign_flip(sums: Values) -> Test:
    """The permutation test of paired differences: without a difference each sign is a coin toss.

    Exact, by trying every combination of signs, for up to 16 units that differ at all; by `DRAWS`
    random combinations for more, the one seen counted among them, so that p is never 0, or by
    Hoeffding's bound where that is smaller; by the normal limit beyond 5,000.

    Args:
        sums: Shape (n,), the differences; of clusters, which are flipped whole, their sums.

    Source:
        Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39, for counting the one seen;
        Hoeffding, J. Am. Stat. Assoc. 58 (1963) 13, theorem 2.
    """
    array = np.asarray(sums, dtype=np.float64)
    nonzero = array[array != 0]  # a difference of zero is the same with either sign
    observed = abs(float(nonzero.sum()))
    as_far_as = observed - _CLOSE * float(np.abs(nonzero).sum())
    smallest = float(np.finfo(np.float64).tiny)
    if len(nonzero) <= EXACT_UNITS:
        flipped = np.zeros(1)
        for value in nonzero:
            flipped = np.concatenate([flipped + value, flipped - value])
        return Test(float(np.mean(np.abs(flipped) >= as_far_as)), "sign-flip permutation, exact")
    if len(nonzero) > MOST_UNITS:
        from scipy.special import ndtr

        z = observed / float(np.sqrt(nonzero @ nonzero))
        # Beyond the smallest number that a float can hold, p is still no zero.
        p = max(2 * float(ndtr(-z)), smallest)
        return Test(p, "sign-flip permutation, normal limit")
    reached = _count_reached(nonzero, as_far_as)
    # Draws alone show no p below 1 / (draws + 1), too large to stand among a few hundred tests.
    bound = max(2 * math.exp(-observed * observed / float(nonzero @ nonzero) / 2), smallest)
    p = min((reached + 1) / (DRAWS + 1), bound)
    return Test(p, f"sign-flip permutation, {DRAWS:,} draws")


def _count_reached(values: Floats, as_far_as: float) -> int:
    """In how many of the draws the sum with random signs is as far from zero as the one seen."""
    reached, n = 0, len(values)
    random = np.random.default_rng(0)
    rows = max(1, _CHUNK // n)
    for start in range(0, DRAWS, rows):
        count = min(rows, DRAWS - start)
        bits = np.frombuffer(random.bytes(-(-count * n // 8)), dtype=np.uint8)
        plus = np.unpackbits(bits, count=count * n).reshape(count, n).astype(np.float64) @ values
        reached += int(np.count_nonzero(np.abs(2 * plus - values.sum()) >= as_far_as))
    return reached


def two_groups(
    first: Values,
    second: Values,
    *,
    one_sided: bool,
) -> Test:
    """The permutation test of two independent groups by Welch's t.

    Without a difference each value could as well have been in the other group. Of skewed scores
    and groups of unequal size Student's t says far too often that they differ: a small group of
    perfect scores only has no spread, and seems certain.

    Args:
        first: Shape (n,), n > 1; with `one_sided` the values that are expected to be higher.
        second: Shape (m,), m > 1.
        one_sided: Whether "higher" is asked, or "different".

    Source:
        Janssen, Stat. Probab. Lett. 36 (1997) 9, for the studentised statistic, which holds where
        groups differ in spread, too; Besag and Clifford, Biometrika 78 (1991) 301, for stopping.
    """
    sides = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    fewer, more = sorted(sides, key=len)
    sign = 1.0 if fewer is sides[0] else -1.0
    pool = np.concatenate([fewer, more])
    pool -= pool.mean()

    def distance(rows: Floats) -> Floats:
        t = sign * _welch_t(rows, pool)
        return t if one_sided else np.abs(t)

    observed = float(distance(pool[None, : len(fewer)])[0])
    as_far_as, random = observed - _CLOSE * abs(observed), np.random.default_rng(0)
    if math.comb(len(pool), len(fewer)) <= DRAWS:
        ways = np.array(list(combinations(pool.tolist(), len(fewer))))
        return Test(float(np.mean(distance(ways) >= as_far_as)), "permutation of Welch's t, exact")
    # The beginnings of a shuffled pool are as many draws, if all of it is not divided up.
    slices = max(1, len(pool) // len(fewer) - 1)
    rows, n_drawn, reached = max(1, _CHUNK // len(pool)), 0, 0
    while n_drawn < DRAWS and reached < ENOUGH:
        count = min(rows, -(-(DRAWS - n_drawn) // slices))
        mixed = random.permuted(np.tile(pool, (count, 1)), axis=1)[:, : slices * len(fewer)]
        as_far = distance(mixed.reshape(-1, len(fewer))) >= as_far_as
        n_drawn, reached = n_drawn + len(as_far), reached + int(np.count_nonzero(as_far))
    return Test((reached + 1) / (n_drawn + 1), f"permutation of Welch's t, {n_drawn:,} draws")


def _welch_t(rows: Floats, pool: Floats) -> Floats:
    """Welch's t of each row of values against the rest of the pool, whose mean is 0."""
    m, n = rows.shape[1], len(pool) - rows.shape[1]
    sums, squares, total = rows.sum(axis=1), np.square(rows).sum(axis=1), float(pool @ pool)
    mean, rest_mean = sums / m, -sums / n
    error2 = (squares / m - mean**2) / (m - 1) + ((total - squares) / n - rest_mean**2) / (n - 1)
    # Without any spread t is as large as rounding lets it be.
    return np.asarray((mean - rest_mean) / np.sqrt(np.maximum(error2, _CLOSE**2 * total)))


def mcnemar(up: int, down: int) -> Test:
    """McNemar's test, exact: of the pairs that changed, did half go either way?

    Args:
        up: Pairs that went from 0 to 1.
        down: Pairs that went from 1 to 0.

    Source:
        McNemar, Psychometrika 12 (1947) 153, with the binomial distribution.
    """
    from scipy.special import bdtr

    p = 2 * float(bdtr(min(up, down), up + down, 0.5)) if up + down else 1.0
    return Test(min(1.0, p), MCNEMAR)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted so that, over all tests together, chance finds anything as often as alpha.

    Returns:
        The adjusted ones in the same order, each at least as large as it was and at most 1.

    Source:
        Holm, Scand. J. Stat. 6 (1979) 65.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
