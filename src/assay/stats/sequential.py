"""Sequential inference: intervals that hold at every moment, and changes of a stream."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.stats.best import BEST, TIED, WORSE, Placed, WithBest
from assay.stats.intervals import LEVEL, Floats, Interval

METHOD = "betting confidence sequence"
# What is staked in each game, as a share of what the better holds. Small stakes find small
# differences among many questions, large ones large differences among few.
_STAKES = np.geomspace(0.02, 0.95, 10)
_HALVINGS = 20  # of the range in which an end of an interval is looked for
_CHUNK = 2_000_000  # numbers at once, so that memory stays bounded


def mean_intervals(
    values: Floats, *, low: float, high: float, level: float = LEVEL, several: int = 1
) -> list[Interval | None]:
    """The interval of the mean of each column, valid at every number of rows at once.

    It may be computed after each further row, and one may stop at any of them for any reason that
    the rows gave. Rows are independent draws in the order in which they were seen.

    Args:
        values: Shape (n, k), NaN where there is no value.
        low: The least value possible.
        high: The greatest value possible.
        level: Nominal coverage of all `several` together.
        several: How many intervals are to hold together (Bonferroni).

    Returns:
        For each column its interval, None where it has no value.

    Source:
        Waudby-Smith and Ramdas, J. R. Stat. Soc. B 86 (2024) 1, section 4: a mean is ruled out once
        somebody who bets against it has multiplied the stake by 1 / alpha. The bets are a mixture
        of constant ones, half of them on a greater mean and half on a smaller one.
    """
    unit = (np.asarray(values, dtype=np.float64) - low) / (high - low)
    needed = _needed_wealth(level, several)
    lows = low + (high - low) * _lower(unit, needed)
    highs = high - (high - low) * _lower(1 - unit, needed)
    measured = [not np.isnan(column).all() for column in unit.T]
    return [
        Interval(float(a), float(max(a, b)), level, METHOD) if is_measured else None
        for a, b, is_measured in zip(lows, highs, measured, strict=True)
    ]


def beaten(
    scores: Floats,
    *,
    systems: int,
    span: float,
    higher_is_better: bool = True,
    level: float = LEVEL,
) -> list[bool]:
    """For each system whether another one is surely better, all decisions of all looks together.

    Args:
        scores: Shape (n, k), in the order in which the samples were asked, of the systems still in
            the race; NaN where one has no score.
        systems: How many began the race.
        span: The greatest score possible minus the least.
        higher_is_better: Which mean is the better one.
        level: With this probability no system is ever called beaten by one that is not better.
    """
    signed = scores if higher_is_better else -scores
    k = signed.shape[1]
    needed = _needed_wealth(level, _pairs(systems))
    losers = []
    for column in range(k):
        other_columns = np.delete(signed, column, axis=1)
        unit = (other_columns - signed[:, [column]] + span) / (2 * span)
        wealth = _log_wealth(unit, np.full(k - 1, 0.5))
        losers.append(bool((wealth >= needed).any()))
    return losers


def looks(n: int, first: int = 16) -> list[int]:
    """After how many of n samples a race is looked at: batches that grow, the last one at n."""
    sizes, size = [], float(first)
    while size < n:
        sizes.append(math.ceil(size))
        size *= 1.5
    return [*sizes, n]


def compare_raced(
    scores: Floats,
    dropped: Sequence[bool],
    *,
    ends: tuple[float, float],
    higher_is_better: bool = True,
    level: float = LEVEL,
) -> WithBest:
    """Compare all systems of a race with the best of those that stayed in it.

    The differences are those of the samples that both have a score for, and their intervals are
    simultaneous over all pairs of systems and over all moments at which the race might have ended.

    Args:
        scores: As for `beaten`; every column has a score.
        dropped: For each system whether it was dropped: it is none of the best, whatever its mean.
        ends: The least and the greatest score possible.
        higher_is_better: Which mean is the better one.
        level: Nominal coverage, of each mean's interval and of all differences together.
    """
    low, high = ends
    span, sign = high - low, 1 if higher_is_better else -1
    means = np.nanmean(scores, axis=0)
    shared = scores[~np.isnan(scores[:, ~np.array(dropped)]).any(axis=1)]
    ranked = shared.mean(axis=0) if len(shared) else means
    stayed = [column for column in range(len(dropped)) if not dropped[column]]
    best = min(stayed, key=lambda column: (-sign * round(float(ranked[column]), 12), column))
    differences = scores - scores[:, [best]]
    joint = mean_intervals(
        differences, low=-span, high=span, level=level, several=_pairs(len(dropped))
    )
    own_intervals = mean_intervals(scores, low=low, high=high, level=level)
    placements = []
    for column, is_dropped in enumerate(dropped):
        difference = joint[column]
        gap = differences[:, column]
        surely = difference is not None and not difference.low <= 0 <= difference.high
        placements.append(
            Placed(
                float(means[column]),
                own_intervals[column],
                float(np.nanmean(gap)) if difference is not None else math.nan,
                None if column == best else difference,
                BEST if column == best else WORSE if is_dropped or surely else TIED,
            )
        )
    order = sorted(
        range(len(dropped)),
        key=lambda column: (
            column != best,
            dropped[column],
            -int(np.count_nonzero(~np.isnan(scores[:, column]))) if dropped[column] else 0,
            -sign * round(placements[column].difference, 12),
            column,
        ),
    )
    return WithBest(tuple(placements), tuple(order), (1 - level) / _pairs(len(dropped)), None)


def _pairs(k: int) -> int:
    return max(1, k * (k - 1) // 2)


def _needed_wealth(level: float, n_decisions: int) -> float:
    """The logarithm of what rules a mean out: each of the two sides begins with half the money."""
    return math.log(2 * n_decisions / (1 - level))


def _lower(unit: Floats, needed: float) -> Floats:
    """For each column of numbers in [0, 1] the greatest mean that is ruled out as too small."""
    low, high = np.zeros(unit.shape[1]), np.ones(unit.shape[1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        ruled_out = _log_wealth(unit, middle) >= needed
        low, high = np.where(ruled_out, middle, low), np.where(ruled_out, high, middle)
    return low


def _log_wealth(unit: Floats, mean: Floats) -> Floats:
    """The most that bets on a mean above `mean` ever were worth, as a logarithm, by column."""
    wealth = np.empty(unit.shape[1])
    step = max(1, _CHUNK // max(1, len(unit) * len(_STAKES)))
    for start in range(0, unit.shape[1], step):
        chunk = slice(start, start + step)
        gains = np.nan_to_num(unit[:, chunk] / mean[chunk] - 1)  # no value: no bet
        grown = np.log1p(_STAKES[:, None, None] * gains).cumsum(axis=1)
        peak = grown.max(axis=0)
        mixed = peak + np.log(np.exp(grown - peak).mean(axis=0))
        wealth[chunk] = mixed.max(axis=0, initial=0.0)
    return wealth


ALPHA = 0.05  # of false alarms in a year, all streams together
YEAR = 365  # days; each may be the one on which a change began
_RESOLUTION = 1000  # values are rounded to so many steps of their range
# What is staked in each bet, as a share of what its holder has.
_CHANGE_STAKES = np.geomspace(0.01, 0.95, 10)
_FIRST_CELLS = 32  # of the means between 0 and 1 that the stream may have had all the time
_CHANGE_HALVINGS = 14  # of a cell, before its means are taken to be possible


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
    begun = [start for start in starts if 0 < n[start - 1] < n[-1]]
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
    change_at = begun[int(terms[:, :, 0].max(axis=0).argmax())]
    before, after = (
        float(values @ segment.sum(axis=0) / segment.sum())
        for segment in (counts[:change_at], counts[change_at:])
    )
    return Change(change_at, low + (high - low) * before, low + (high - low) * after)


def _tally(looks: Sequence[Floats], low: float, high: float) -> tuple[Floats, Floats]:
    """The values that occur, scaled to [0, 1], and how often each does, by look."""
    lengths = [len(look) for look in looks]
    unit = (np.concatenate(looks) - low) / (high - low)
    steps = np.rint(unit * _RESOLUTION).clip(0, _RESOLUTION).astype(np.intp)
    occurs = np.bincount(steps, minlength=_RESOLUTION + 1) > 0
    values, columns = np.flatnonzero(occurs), occurs.cumsum() - 1
    cells = np.repeat(np.arange(len(looks)) * len(values), lengths) + columns[steps]
    counts = np.bincount(cells, minlength=len(looks) * len(values)).astype(np.float64)
    return values / _RESOLUTION, counts.reshape(len(looks), len(values))


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
        falls = self._wealth(self._before, above) + self._wealth(self._after, below)
        rises = self._wealth(self._before, below) + self._wealth(self._after, above)
        return np.stack([falls, rises]) - math.log(2 * YEAR)

    def _wealth(self, counts: Floats, gains: Floats) -> Floats:
        grown = counts @ np.log1p(_CHANGE_STAKES[:, None, None] * gains)  # stakes, starts, means
        return _log_sum(grown[:, None]) - math.log(len(_CHANGE_STAKES))


def _log_sum(logarithms: Floats) -> Floats:
    """The logarithm of the sum over the first two axes."""
    peak = logarithms.max(axis=(0, 1))
    summed: Floats = peak + np.log(np.exp(logarithms - peak).sum(axis=(0, 1)))
    return summed


def _all_ruled_out(bets: _Bets, needed: float) -> bool:
    """Whether the bets have won enough against every constant mean; cells of them are halved."""
    ends = np.linspace(0, 1, _FIRST_CELLS + 1)
    lowest, greatest = ends[:-1], ends[1:]
    for _ in range(_CHANGE_HALVINGS):
        undecided = _log_sum(bets.log_wealth(lowest, greatest)) < needed
        if not undecided.any():
            return True
        lowest, greatest = lowest[undecided], greatest[undecided]
        middle = (lowest + greatest) / 2
        if (_log_sum(bets.log_wealth(middle, middle)) < needed).any():
            return False
        lowest, greatest = np.concatenate([lowest, middle]), np.concatenate([middle, greatest])
    return False
