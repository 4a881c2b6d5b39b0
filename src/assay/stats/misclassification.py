"""How many cases are bad, given what an imperfect judge flags and how it errs on labelled ones."""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

_DRAWS: Final = 2000
_GRID: Final = 100
_SEED: Final = 0
_PRIOR: Final = 0.5  # Jeffreys' prior of each rate

Counts: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A count that is not known, with its 95 % credible interval."""

    value: float
    low: float
    high: float


def bad_among(
    counts: tuple[int, ...], bad: tuple[float, ...], good: tuple[float, ...]
) -> tuple[tuple[Estimate, ...], Estimate]:
    """How many of the cases of each class are bad.

    A judge puts cases into classes (flagged, uncertain, passed). Labelled cases say how it does
    that with bad ones and with good ones; that it does the same here is assumed. The share of bad
    ones here has a uniform prior; Dirichlet posteriors carry how little the labelled ones tell
    (the misclassification model of Rogan and Gladen 1978, in its Bayesian form).

    Args:
        counts: Cases of each class here.
        bad: Labelled bad cases of each class; fractions where rows of one source count for less.
        good: Labelled good cases of each class.

    Returns:
        How many are bad in each class, and in all.
    """
    chance = np.random.default_rng(_SEED)
    of_bad = chance.dirichlet(np.array(bad) + _PRIOR, _DRAWS)
    of_good = chance.dirichlet(np.array(good) + _PRIOR, _DRAWS)
    share = (np.arange(_GRID) + 0.5) / _GRID
    mixed = share[None, :, None] * of_bad[:, None, :]
    mixed = mixed + (1 - share)[None, :, None] * of_good[:, None, :]
    log = (np.array(counts) * np.log(mixed)).sum(axis=2)
    weight = np.exp(log - log.max())
    cumulated = np.cumsum(weight.ravel())
    picked = np.searchsorted(cumulated, chance.random(_DRAWS) * cumulated[-1])
    draw, place = np.divmod(picked, _GRID)
    odds = share[place, None] * of_bad[draw]
    chance_bad = odds / (odds + (1 - share[place, None]) * of_good[draw])
    found = chance.binomial(np.array(counts), chance_bad)
    return tuple(_estimate(found[:, i]) for i in range(len(counts))), _estimate(found.sum(axis=1))


def effective(share: float, low: float | None, high: float | None, n: int) -> float:
    """How many independent cases a share with this 95 % interval rests on, at most n."""
    if low is None or high is None or high <= low or not 0 < share < 1:
        return float(n)
    return min(float(n), share * (1 - share) / ((high - low) / 3.92) ** 2)


def _estimate(values: npt.NDArray[np.int64]) -> Estimate:
    low, high = np.percentile(values, [2.5, 97.5])
    return Estimate(float(values.mean()), float(low), float(high))
