"""How sure is a statistic of rows, when whole clusters of rows could have been others?

A statistic is a function of weights, one a row: 1 each for the number itself, 0 for a row that is
left out, more for one that counts often. So every number and its interval come from one definition.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.stats.interval import Interval

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = Sequence[float] | npt.NDArray[Any]
Statistic: TypeAlias = Callable[[Floats], float]

LEVEL = 0.95
# Clusters are left out one by one, or, where there are more, in so many blocks.
BLOCKS = 500
_SEED = 0
_ROUNDING = 1e-12  # a smaller share of the range is the last digit of a sum


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


def jackknife_interval(
    statistic: Statistic,
    groups: Sequence[Hashable],
    *,
    low: float = 0.0,
    high: float = 1.0,
    level: float = LEVEL,
) -> Interval | None:
    """The confidence interval of a smooth statistic of known range.

    Every cluster is left out in turn; the standard error is taken to the logit of the share of the
    range, where the statistic is nearly normal, and Student's t gives the ends. On small samples
    this covers where the percentile bootstrap does not.

    Args:
        statistic: A function of weights, shape (n,).
        groups: For each of the n rows the cluster that it belongs to.
        low: The least value the statistic can take.
        high: The greatest.
        level: Nominal coverage, in (0, 1).

    Returns:
        The interval; None if there are fewer than three clusters, if the value stands at an end of
        its range (nothing varies, so nothing is known of how it would), or if leaving one cluster
        out leaves it undefined.

    Source:
        Miller, Biometrika 61 (1974) 1, section 3 (the jackknife after a transformation).
    """
    at, n_units = _units(groups)
    value = value_of(statistic, len(at))
    if value is None or n_units < 3 or not low < value < high:
        return None
    left = np.array([statistic((at != unit).astype(np.float64)) for unit in range(n_units)])
    if not np.isfinite(left).all():
        return None
    error = float(np.sqrt((n_units - 1) / n_units * np.square(left - left.mean()).sum()))
    if error <= _ROUNDING * (high - low):
        return None
    from scipy.special import expit, logit, stdtrit

    share = (value - low) / (high - low)
    away = float(stdtrit(n_units - 1, (1 + level) / 2)) * error / (high - low)
    away /= share * (1 - share)
    ends = expit(logit(share) + np.array([-away, away])) * (high - low) + low
    return Interval(float(ends[0]), float(ends[1]), level, "jackknife on the logit scale")


def _units(groups: Sequence[Hashable]) -> tuple[npt.NDArray[np.intp], int]:
    """For each row the cluster, or block of clusters, that is left out with it."""
    places: dict[Hashable, int] = {}
    at = np.array([places.setdefault(group, len(places)) for group in groups], dtype=np.intp)
    if len(places) <= BLOCKS:
        return at, len(places)
    mixed = np.random.default_rng(_SEED).permutation(len(places)) % BLOCKS
    return mixed[at], BLOCKS
