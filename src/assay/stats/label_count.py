"""How many labels does an interval of a wanted width take?"""

import math
from bisect import bisect_left

from assay.stats.correction import FEWEST, Corrected
from assay.stats.intervals import LEVEL


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
    place = bisect_left(numbers, x=True, key=narrow_enough)
    return numbers[place] if place < len(numbers) else None


def labels_like_these(width: float, found: Corrected) -> int | None:
    """How many labels in all give an interval of a wanted width, if the next are like the first.

    Args:
        width: The whole width wanted, in units of the labels, over 0.
        found: What the first labels gave.

    Returns:
        The number; None if even all labels would not do, or if these give no interval yet.
    """
    k, n = found.n_labelled, found.n_judged
    if found.interval is None:
        return None
    # sd^2 r^2 and sd^2 (1 - r^2) of `labels_needed`, as the interval has them: with strata,
    # probabilities, groups, and the labels made up.
    told, untold = n * found.floor, k * max(found.error**2 - found.floor, 0.0)
    sd = math.sqrt(told + untold)
    r = math.sqrt(told) / sd
    needed = labels_needed(width, sd=sd, correlation=r, n_judged=n, level=found.interval.level)
    # An interval ends where the labels do, and its quantile may count groups.
    if found.interval.high - found.interval.low <= width:
        return k if needed is None else min(needed, k)
    if needed is None or needed > k:
        return needed
    return k + 1 if k < n else None
