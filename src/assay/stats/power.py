"""How large must a difference be, or how many samples are needed, for it to be found?"""

import math
from collections.abc import Callable

from assay.stats.interval import Interval

POWER = 0.8
_CERTAIN = 100  # standard deviations from 0: there the limit's tails are right to 1e-4
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


def detectable(
    error: float, units: int, *, alpha: float = 0.05, wanted: float = POWER
) -> float | None:
    """The smallest true difference that a paired test finds with the wanted power.

    Args:
        error: Standard error of the mean difference.
        units: Independent pairs (or clusters of pairs).
        alpha: How often the test may find a difference where there is none.
        wanted: Power: how often it shall find one that is there.

    Returns:
        The difference, in the unit of `error`; None where so few units cannot reach `alpha` in a
        permutation test however large the difference is.
    """
    if units < 2 or 2.0 ** (1 - units) > alpha:
        return None
    return error * _root(lambda nc: power(nc, units - 1, alpha) - wanted, 0.0, 400.0)


def needed(
    difference: float, deviation: float, *, alpha: float = 0.05, wanted: float = POWER
) -> int | None:
    """How many independent pairs find a true difference with the wanted power.

    Args:
        difference: The difference to be found.
        deviation: Standard deviation of the differences; of clustered ones, times the square root
            of the design effect.
        alpha: As in `detectable`.
        wanted: As in `detectable`.

    Returns:
        The smallest number of pairs; None for a difference of zero, or one too small for any data.
    """
    if not difference:
        return None
    effect = abs(difference) / deviation if deviation else math.inf
    least = math.ceil(1 - math.log2(alpha))  # fewer cannot reach alpha whatever they show
    if effect == math.inf or power(effect * math.sqrt(least), least - 1, alpha) >= wanted:
        return least
    top = least
    while power(effect * math.sqrt(top), top - 1, alpha) < wanted:
        top *= 2
        if top > MOST:
            return None
    low = top // 2
    while top - low > 1:
        middle = (low + top) // 2
        enough = power(effect * math.sqrt(middle), middle - 1, alpha) >= wanted
        low, top = (low, middle) if enough else (middle, top)
    return top


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a growing function passes zero."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2
