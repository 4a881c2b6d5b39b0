"""How far may a mean lie from the true one, given how many samples there were?"""

import math
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from assay.stats.interval import Interval

LEVEL = 0.95


def mean_interval(
    values: Sequence[float] | npt.NDArray[np.float64],
    *,
    groups: Sequence[Hashable] | None = None,
    low: float | None = None,
    high: float | None = None,
    level: float = LEVEL,
) -> Interval | None:
    """The confidence interval of a mean.

    Args:
        values: Shape (n,), finite.
        groups: For each value the cluster that it belongs to; None if all are independent.
        low: The least value possible, None (or -inf) if there is none.
        high: The greatest value possible, None (or inf) if there is none.
        level: Nominal coverage, in (0, 1).

    Returns:
        The interval; None if there are fewer than two independent values or clusters.
    """
    array = np.asarray(values, dtype=np.float64)
    sums, sizes = _units(array, groups)
    n_units = len(sums)
    if n_units < 2:
        return None
    from scipy.special import stdtrit

    mean = float(array.mean())
    rest = sums - sizes * mean
    error = math.sqrt(n_units / (n_units - 1) * float(rest @ rest)) / len(array)
    away = float(stdtrit(n_units - 1, (1 + level) / 2)) * error
    bottom = -math.inf if low is None else low
    top = math.inf if high is None else high
    return Interval(max(mean - away, bottom), min(mean + away, top), level, "t")


def proportion_interval(successes: int, n: int, *, level: float = LEVEL) -> Interval:
    """The Wilson interval of a proportion.

    Args:
        successes: How many, 0..n.
        n: Of how many; with 0 the interval is all of 0..1.
        level: Nominal coverage, in (0, 1).

    Source:
        Wilson, J. Am. Stat. Assoc. 22 (1927) 209.
    """
    if n == 0:
        return Interval(0.0, 1.0, level, "Wilson")
    from scipy.special import ndtri

    z2 = float(ndtri((1 + level) / 2)) ** 2
    share = successes / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    bottom = 0.0 if successes == 0 else max(centre - half, 0.0)
    top = 1.0 if successes == n else min(centre + half, 1.0)
    return Interval(bottom, top, level, "Wilson")


def _units(
    values: npt.NDArray[np.float64], groups: Sequence[Hashable] | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Sum and size of each cluster; without clusters every value is one of its own."""
    if groups is None:
        return values, np.ones(len(values))
    places: dict[Hashable, int] = {}
    at = np.fromiter((places.setdefault(group, len(places)) for group in groups), dtype=np.intp)
    return np.bincount(at, values), np.bincount(at).astype(np.float64)
