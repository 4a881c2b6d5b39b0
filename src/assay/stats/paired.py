"""Which of two systems scored higher on the same samples, by how much, and is it chance?"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.stats import power
from assay.stats.interval import Interval
from assay.stats.intervals import LEVEL, mean_interval
from assay.stats.permutation import MCNEMAR, Test, mcnemar, sign_flip

Floats = Sequence[float] | npt.NDArray[np.float64]
_ROUNDING = 1e-9  # a difference below this is one of the last digit, and a tie


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
        p: Two-sided p-value of "there is no difference".
        test: Which test that is.
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
    """

    n: int
    units: int
    before: float
    after: float
    difference: float
    interval: Interval | None
    p: float
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


def paired(
    before: Floats,
    after: Floats,
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
    first, second = _array(before), _array(after)
    differences = second - first
    differences[np.abs(differences) < _ROUNDING] = 0.0
    sums, error = _clustered(differences, groups)
    n, units, mean = len(differences), len(sums), float(differences.mean())
    spread = float(differences.std(ddof=1)) if n > 1 else 0.0
    spread = 0.0 if spread < _ROUNDING else spread
    up, down = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    test = _test(first, second, sums, clustered=groups is not None)
    effect = mean / spread if spread else None
    moves = np.abs(sums[np.abs(sums) > _ROUNDING])
    return Paired(
        n=n,
        units=units,
        before=float(first.mean()),
        after=float(second.mean()),
        difference=mean,
        interval=difference_interval(differences, groups=groups, span=span, level=level),
        p=test.p,
        test=test.method,
        effect=effect,
        effect_interval=_effect_interval(mean, spread, error, units, level),
        up=up,
        same=n - up - down,
        down=down,
        error=error,
        deviation=None if error is None else error * math.sqrt(n),
        moved=len(moves),
        # What all of them would make of the mean, if they went one way.
        size=float(moves.mean()) * units / n if len(moves) else 0.0,
    )


def _array(values: Floats) -> npt.NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


def _clustered(
    differences: npt.NDArray[np.float64], groups: Sequence[Hashable] | None
) -> tuple[npt.NDArray[np.float64], float | None]:
    """The sum of each unit, and the standard error of the mean, robust against clusters."""
    places: dict[Hashable, int] = {}
    keys = range(len(differences)) if groups is None else groups
    at = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.intp)
    sums = np.bincount(at, differences).astype(np.float64)
    sizes = np.bincount(at).astype(np.float64)
    units = len(sums)
    if units < 2:
        return sums, None
    rest = sums - sizes * differences.mean()
    rest[np.abs(rest) < _ROUNDING * sizes] = 0.0
    return sums, math.sqrt(units / (units - 1) * float(rest @ rest)) / len(differences)


def _test(
    before: npt.NDArray[np.float64],
    after: npt.NDArray[np.float64],
    sums: npt.NDArray[np.float64],
    *,
    clustered: bool,
) -> Test:
    # McNemar's test is the sign-flip test of values that are all 0 or 1, exact for any n.
    binary = all(np.isin(values, (0.0, 1.0)).all() for values in (before, after))
    if binary and not clustered:
        return mcnemar(int(np.sum(after > before)), int(np.sum(after < before)))
    return sign_flip(sums)


def difference_interval(
    differences: Floats,
    *,
    groups: Sequence[Hashable] | None = None,
    span: float | None = None,
    level: float = LEVEL,
) -> Interval | None:
    """The confidence interval of a mean difference, chosen by coverage: `benchmarks/aa.py`.

    With a limit on the differences, that of a mean between two ends: t holds too little where most
    pairs are ties. The ends are twice the largest difference seen, within the limit, since one
    across the whole range may be possible and yet far from all that is there. Without a limit, t:
    such differences are all but symmetric, and the correction for skewness that a mean needs does
    them harm.

    Args:
        differences: Shape (n,).
        groups: As in `paired`.
        span: As in `paired`.
        level: Nominal coverage.

    Returns:
        The interval; None for fewer than two independent pairs, or where all differences are the
        same and no `span` says how far others might lie.
    """
    array = _array(differences)
    if span is not None:
        seen = float(np.abs(array).max(initial=0.0))
        end = min(span, 2 * seen) or span
        return mean_interval(array, groups=groups, low=-end, high=end, level=level)
    sums, error = _clustered(array, groups)
    if not error:
        return None
    from scipy.special import stdtrit

    mean = float(array.mean())
    away = float(stdtrit(len(sums) - 1, (1 + level) / 2)) * error
    return Interval(mean - away, mean + away, level, "t")


def _effect_interval(
    mean: float, spread: float, error: float | None, units: int, level: float
) -> Interval | None:
    if not spread or not error:
        return None
    return power.effect_interval(mean / error, error / spread, units - 1, level=level)


def detectable(found: Paired, *, alpha: float = 0.05) -> float | None:
    """The smallest true difference that so many pairs would have shown with 80 % power.

    For scores of 0 and 1 by the power of McNemar's exact test, else of the t-test; but no less
    than what the fewest changes make that a permutation test finds, were all like those seen.

    None where none can be shown or said: too few units, or too few that differ to reckon with.
    """
    if found.test == MCNEMAR and found.moved:
        return power.mcnemar_detectable(found.n, _shares(found), alpha=alpha)
    if not found.error or found.moved < power.fewest_changes(alpha):
        return None
    least = power.detectable(found.error, found.units, alpha=alpha)
    share = power.share_to_change(found.units, alpha=alpha)
    return None if least is None or share is None else max(least, share * found.size)


def needed(found: Paired, difference: float, *, alpha: float = 0.05) -> int | None:
    """How many pairs, of which these are typical, show a true difference with 80 % power.

    None where that cannot be said: no difference, no spread to reckon with, or beyond any data.
    """
    if found.test == MCNEMAR and found.moved:
        return power.mcnemar_needed(difference, _shares(found), alpha=alpha)
    if not found.deviation or not found.size:
        return None
    pairs = power.needed(difference, found.deviation, alpha=alpha)
    share = min(1.0, abs(difference) / found.size)
    units = power.units_to_change(share, alpha=alpha) if share else None
    if pairs is None or units is None:
        return None
    return max(pairs, math.ceil(units * found.n / found.units))


def _shares(found: Paired) -> power.Shares:
    return power.Shares(found.up / found.n, found.down / found.n)
