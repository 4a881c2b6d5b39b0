"""A test for a change of a mean that may be repeated after every look, for as long as one likes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.stats.intervals import Floats

ALPHA = 0.05  # of false alarms in a year, all streams together
YEAR = 365  # days; each may be the one on which a change began
_RESOLUTION = 1000  # values are rounded to so many steps of their range
# What is staked in each bet, as a share of what its holder has.
_STAKES = np.geomspace(0.01, 0.95, 10)
_FIRST_CELLS = 32  # of the means between 0 and 1 that the stream may have had all the time
_HALVINGS = 14  # of a cell, before its means are taken to be possible


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the mean.

    Attributes:
        at: The look with which it most likely began, as an index.
        before: Mean before it, in the units of the values.
        after: Mean from it on.
    """

    at: int
    before: float
    after: float


def find_change(
    looks: Sequence[Floats],
    starts: Sequence[int],
    *,
    alpha: float,
    low: float = 0.0,
    high: float = 1.0,
) -> Change | None:
    """The change of the mean that the values of all looks so far prove, None if they prove none.

    It may be asked after every look. As long as the mean stays what it is, a change is told within
    `YEAR` starts with a probability of at most `alpha`, within twice as many at most twice that.
    Values of one look are independent given all earlier looks, and bounded; nothing else is asked
    of their distribution, and the mean need not be known.

    Args:
        looks: The values of each look, the first one first; an empty array where there were none.
        starts: Indices, in ascending order and above 0, of the looks with which a change may begin.
            They were chosen without knowing the values from there on.
        alpha: Probability of a false alarm in a year.
        low: The least value possible.
        high: The greatest value possible.

    Source:
        For a constant mean m, whoever bets up to a start that values are above m and from there on
        that they are below (or the other way round) multiplies the stake by 1 / alpha with a
        probability of at most alpha (Ville). The stake is spread over the starts, both directions
        and shares of the holding (Waudby-Smith and Ramdas 2024), as the e-detectors of Shin, Ramdas
        and Rinaldo (2024) spread it over times of change. A change is told once all means m are
        ruled out.
    """
    values, counts = _tally(looks, low, high)
    n = counts.sum(axis=1).cumsum()
    begun = [at for at in starts if 0 < n[at - 1] < n[-1]]
    if not begun:
        return None
    bets = _Bets(values, counts, np.array(begun))
    needed = math.log(1 / alpha)
    pooled = values @ counts.sum(axis=0, keepdims=True).T / counts.sum()
    if not 0 < pooled[0] < 1:
        return None
    terms = bets.log_wealth(pooled, pooled)
    if _log_sum(terms)[0] < needed or not _all_ruled_out(bets, needed):
        return None
    at = begun[int(terms[:, :, 0].max(axis=0).argmax())]
    before, after = (
        float(values @ part.sum(axis=0) / part.sum()) for part in (counts[:at], counts[at:])
    )
    return Change(at, low + (high - low) * before, low + (high - low) * after)


def _tally(looks: Sequence[Floats], low: float, high: float) -> tuple[Floats, Floats]:
    """The values that occur, scaled to [0, 1], and how often each does, by look."""
    lengths = [len(one) for one in looks]
    unit = (np.concatenate(looks) - low) / (high - low)
    steps = np.rint(unit * _RESOLUTION).clip(0, _RESOLUTION).astype(np.intp)
    occurs = np.bincount(steps, minlength=_RESOLUTION + 1) > 0
    known, columns = np.flatnonzero(occurs), occurs.cumsum() - 1
    cells = np.repeat(np.arange(len(looks)) * len(known), lengths) + columns[steps]
    counts = np.bincount(cells, minlength=len(looks) * len(known)).astype(np.float64)
    return known / _RESOLUTION, counts.reshape(len(looks), len(known))


class _Bets:
    """What bets on a change are worth now.

    Args:
        values: The values that occur, in [0, 1].
        counts: How often each does, by look.
        starts: The looks with which a change may begin.
    """

    def __init__(
        self, values: Floats, counts: Floats, starts: "np.ndarray[tuple[int], np.dtype[np.intp]]"
    ) -> None:
        self._values = values
        until = counts.cumsum(axis=0)
        self._before = until[starts - 1]
        self._after = until[-1] - self._before

    def log_wealth(self, least: Floats, greatest: Floats) -> Floats:
        """The least that each bet is worth for any constant mean of a range, as a logarithm.

        Args:
            least: Shape (k,), the lower ends of ranges, in [0, 1).
            greatest: Their upper ends, in (0, 1].

        Returns:
            Shape (2, starts, k): of bets on a fall and on a rise, with what was staked on them.
        """
        # A bet on greater values is worth the least against the greatest mean.
        above = self._values[:, None] / greatest - 1
        below = (1 - self._values)[:, None] / (1 - least) - 1
        falls = self._worth(self._before, above) + self._worth(self._after, below)
        rises = self._worth(self._before, below) + self._worth(self._after, above)
        return np.stack([falls, rises]) - math.log(2 * YEAR)

    def _worth(self, counts: Floats, gains: Floats) -> Floats:
        grown = counts @ np.log1p(_STAKES[:, None, None] * gains)  # stakes, starts, means
        return _log_sum(grown[:, None]) - math.log(len(_STAKES))


def _log_sum(logarithms: Floats) -> Floats:
    """The logarithm of the sum over the first two axes."""
    peak = logarithms.max(axis=(0, 1))
    summed: Floats = peak + np.log(np.exp(logarithms - peak).sum(axis=(0, 1)))
    return summed


def _all_ruled_out(bets: _Bets, needed: float) -> bool:
    """Whether the bets have won enough against every constant mean; cells of them are halved."""
    ends = np.linspace(0, 1, _FIRST_CELLS + 1)
    least, greatest = ends[:-1], ends[1:]
    for _ in range(_HALVINGS):
        undecided = _log_sum(bets.log_wealth(least, greatest)) < needed
        if not undecided.any():
            return True
        least, greatest = least[undecided], greatest[undecided]
        middle = (least + greatest) / 2
        if (_log_sum(bets.log_wealth(middle, middle)) < needed).any():
            return False
        least, greatest = np.concatenate([least, middle]), np.concatenate([middle, greatest])
    return False
