"""How often would chance alone bring a difference as large as the one seen?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

EXACT_UNITS = 16  # 65,536 ways to flip that many signs: all of them are tried
MOST_UNITS = 5_000  # of more units a sum with random signs is as good as normal
DRAWS = 9_999
_CHUNK = 1_000_000  # signs drawn at once, so that memory stays bounded
MCNEMAR = "McNemar, exact"
_CLOSE = 1e-9  # sums that differ by rounding only are equal


@dataclass(frozen=True, slots=True)
class Test:
    """What a test of "there is no difference" gave.

    Attributes:
        p: Two-sided p-value, in (0, 1].
        method: Which test it was, in words.
    """

    p: float
    method: str


def sign_flip(
    sums: Sequence[float] | npt.NDArray[np.float64], *, draws: int = DRAWS, seed: int = 0
) -> Test:
    """The permutation test of paired differences: without a difference each sign is a coin toss.

    Exact, by trying every combination of signs, for up to 16 units that differ at all; by `draws`
    random combinations for more, the one seen counted among them, so that p is never 0; by the
    normal limit beyond 5,000.

    Args:
        sums: Shape (n,), the differences; of clusters, which are flipped whole, their sums.
        draws: Random combinations.
        seed: The same seed gives the same p-value.

    Source:
        Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39, for counting the one seen.
    """
    array = np.asarray(sums, dtype=np.float64)
    moved = array[array != 0]  # a difference of zero is the same with either sign
    seen = abs(float(moved.sum()))
    least = seen - _CLOSE * float(np.abs(moved).sum())
    if len(moved) <= EXACT_UNITS:
        flipped = np.zeros(1)
        for value in moved:
            flipped = np.concatenate([flipped + value, flipped - value])
        return Test(float(np.mean(np.abs(flipped) >= least)), "sign-flip permutation, exact")
    if len(moved) > MOST_UNITS:
        from scipy.special import ndtr

        z = seen / float(np.sqrt(moved @ moved))
        # Beyond the smallest number that a float can hold, p is still no zero.
        p = max(2 * float(ndtr(-z)), np.finfo(np.float64).tiny)
        return Test(p, "sign-flip permutation, normal limit")
    reached = _reached(moved, least, draws, np.random.default_rng(seed))
    return Test((reached + 1) / (draws + 1), f"sign-flip permutation, {draws:,} draws")


def _reached(
    values: npt.NDArray[np.float64], least: float, draws: int, random: np.random.Generator
) -> int:
    """In how many of the draws the sum with random signs is as far from zero as the one seen."""
    found, n = 0, len(values)
    rows = max(1, _CHUNK // n)
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        bits = np.frombuffer(random.bytes(-(-count * n // 8)), dtype=np.uint8)
        kept = np.unpackbits(bits, count=count * n).reshape(count, n).astype(np.float64) @ values
        found += int(np.count_nonzero(np.abs(2 * kept - values.sum()) >= least))
    return found


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

    Args:
        p_values: One for each test.

    Returns:
        The adjusted ones in the same order, each at least as large as it was and at most 1.

    Source:
        Holm, Scand. J. Stat. 6 (1979) 65.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted
