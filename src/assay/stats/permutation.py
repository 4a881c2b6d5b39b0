"""How often would chance alone bring a difference as large as the one seen?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

EXACT_UNITS = 16  # 65,536 ways to flip that many signs: all of them are tried
MOST_UNITS = 5_000  # of more units a sum with random signs is as good as normal
DRAWS = 9_999
ENOUGH = 100  # draws as far off as what was seen: more would not make a large p more exact
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
    random combinations for more, the one seen counted among them, so that p is never 0, or by
    Hoeffding's bound where that is smaller; by the normal limit beyond 5,000.

    Args:
        sums: Shape (n,), the differences; of clusters, which are flipped whole, their sums.
        draws: Random combinations.
        seed: The same seed gives the same p-value.

    Source:
        Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39, for counting the one seen;
        Hoeffding, J. Am. Stat. Assoc. 58 (1963) 13, theorem 2.
    """
    array = np.asarray(sums, dtype=np.float64)
    moved = array[array != 0]  # a difference of zero is the same with either sign
    seen = abs(float(moved.sum()))
    least, smallest = seen - _CLOSE * float(np.abs(moved).sum()), float(np.finfo(np.float64).tiny)
    if len(moved) <= EXACT_UNITS:
        flipped = np.zeros(1)
        for value in moved:
            flipped = np.concatenate([flipped + value, flipped - value])
        return Test(float(np.mean(np.abs(flipped) >= least)), "sign-flip permutation, exact")
    if len(moved) > MOST_UNITS:
        from scipy.special import ndtr

        z = seen / float(np.sqrt(moved @ moved))
        # Beyond the smallest number that a float can hold, p is still no zero.
        p = max(2 * float(ndtr(-z)), smallest)
        return Test(p, "sign-flip permutation, normal limit")
    reached = _reached(moved, least, draws, np.random.default_rng(seed))
    # Draws alone show no p below 1 / (draws + 1), too large to stand among a few hundred tests.
    bound = max(2 * math.exp(-seen * seen / float(moved @ moved) / 2), smallest)
    p = min((reached + 1) / (draws + 1), bound)
    return Test(p, f"sign-flip permutation, {draws:,} draws")


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


def two_groups(
    first: Sequence[float] | npt.NDArray[np.float64],
    second: Sequence[float] | npt.NDArray[np.float64],
    *,
    one_sided: bool,
    draws: int = DRAWS,
    seed: int = 0,
) -> Test:
    """The permutation test of two independent groups by Welch's t.

    Without a difference each value could as well have been in the other group. Of skewed scores
    and groups of unequal size Student's t says far too often that they differ: a small group of
    perfect scores only has no spread, and seems certain.

    Args:
        first: Shape (n,), n > 1; with `one_sided` the values that are expected to be higher.
        second: Shape (m,), m > 1.
        one_sided: Whether "higher" is asked, or "different".
        draws: Random divisions, or all where there are no more; fewer where many of them are as far
            off as what was seen.
        seed: The same seed gives the same p-value.

    Source:
        Janssen, Stat. Probab. Lett. 36 (1997) 9, for the studentised statistic, which holds where
        groups differ in spread, too; Besag and Clifford, Biometrika 78 (1991) 301, for stopping.
    """
    sides = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    fewer, more = sorted(sides, key=len)
    sign = 1.0 if fewer is sides[0] else -1.0
    pool = np.concatenate([fewer, more])
    pool -= pool.mean()

    def distance(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        t = sign * _welch_t(rows, pool)
        return t if one_sided else np.abs(t)

    seen = float(distance(pool[None, : len(fewer)])[0])
    least, random = seen - _CLOSE * abs(seen), np.random.default_rng(seed)
    if math.comb(len(pool), len(fewer)) <= draws:
        ways = np.array(list(combinations(pool.tolist(), len(fewer))))
        return Test(float(np.mean(distance(ways) >= least)), "permutation of Welch's t, exact")
    # The beginnings of a shuffled pool are as many draws, if all of it is not divided up.
    slices = max(1, len(pool) // len(fewer) - 1)
    rows, done, reached = max(1, _CHUNK // len(pool)), 0, 0
    while done < draws and reached < ENOUGH:
        count = min(rows, -(-(draws - done) // slices))
        mixed = random.permuted(np.tile(pool, (count, 1)), axis=1)[:, : slices * len(fewer)]
        found = distance(mixed.reshape(-1, len(fewer))) >= least
        done, reached = done + len(found), reached + int(np.count_nonzero(found))
    return Test((reached + 1) / (done + 1), f"permutation of Welch's t, {done:,} draws")


def _welch_t(
    rows: npt.NDArray[np.float64], pool: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Welch's t of each row of values against the rest of the pool, whose mean is 0."""
    m, n = rows.shape[1], len(pool) - rows.shape[1]
    sums, squares, whole = rows.sum(axis=1), np.square(rows).sum(axis=1), float(pool @ pool)
    one, other = sums / m, -sums / n
    error2 = (squares / m - one**2) / (m - 1) + ((whole - squares) / n - other**2) / (n - 1)
    # Without any spread t is as large as rounding lets it be.
    return np.asarray((one - other) / np.sqrt(np.maximum(error2, _CLOSE**2 * whole)))


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
