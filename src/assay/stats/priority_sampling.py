"""Which samples to label next, and with which probability each of them was chosen.

Samples are chosen by priority sampling (Duffield, Lund and Thorup, J. ACM 54 (2007) 32): every
sample has a size q and a fixed random number u, and they are taken in the order of u / q. However
many are taken, each one's chance is known: with t the first u / q that was not taken, it is
min(1, q / t).
"""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import Floats

RANDOM_SHARE = 0.5

# A choice is called cut short if it lacks a twentieth of what it stands for, and three standard
# deviations: simulated, that is said of 0 to 0.7 % of whole choices.
LACK, SDS = 0.05, 3.0


def sizes(uncertainty: Sequence[float] | Floats, random_share: float = RANDOM_SHARE) -> Floats:
    """How much a sample's chance is to weigh: partly equal for all, partly by uncertainty.

    Args:
        uncertainty: Shape (N,), 0 or more: how far the judge may err on each sample, for instance
            the standard deviation sqrt(p (1 - p)) of a verdict of probability p.
        random_share: The part that is equal for all, in (0, 1]. It bounds how much one sample can
            stand for: 1 / `random_share` times as much as under equal chances.

    Returns:
        Shape (N,), of sum 1.

    Raises:
        ValueError: If a number is out of its range.
    """
    spread = np.asarray(uncertainty, np.float64)
    if not 0 < random_share <= 1 or (spread < 0).any() or not len(spread):
        raise ValueError("uncertainty is 0 or more, and the random share above 0 and at most 1")
    total = float(spread.sum())
    equal: Floats = np.full(len(spread), 1 / len(spread))
    return random_share * equal + (1 - random_share) * spread / total if total else equal


def fixed_numbers(names: Sequence[str], seed: str = "") -> Floats:
    """A number in (0, 1) for each name, always the same: it looks random and depends on nothing.

    Args:
        names: Shape (N,): ids of the samples.
        seed: Another seed gives other numbers.
    """
    digests = (hashlib.sha256(f"{seed}\0{name}".encode()).digest() for name in names)
    return np.array([(int.from_bytes(d[:6], "big") + 0.5) / 2**48 for d in digests])


def priority(size: Floats, numbers: Floats) -> npt.NDArray[np.intp]:
    """All places in the order in which they are to be taken; begin with the first.

    Args:
        size: Shape (N,), above 0.
        numbers: Shape (N,), in (0, 1), drawn without looking at what is to be measured.
    """
    return np.argsort(numbers / size, kind="stable")


def chances(size: Floats, numbers: Floats, n: int) -> Floats:
    """With which probability each of the first n of `priority` was taken; shape (n,), in (0, 1]."""
    order = priority(size, numbers)
    if n >= len(order):
        return np.ones(len(order))
    if size.min() == size.max():  # a simple random sample: its chance does not hang on the draw
        return np.full(n, n / len(order))
    limit = float(numbers[order[n]] / size[order[n]])
    probabilities: Floats = np.minimum(1.0, size[order[:n]] * limit)
    return probabilities


def cut_short(chances: Sequence[float], n: int) -> bool:
    """Whether samples are only part of the choice that their chances are of, and it matters.

    The first m of `priority` have other chances than the first n. As long as no chance has reached
    1, those of the n are too high by one factor, which a weighted mean does not feel. Else the sum
    of 1 / chance tells: for a whole choice it is an estimate of the number of all samples, without
    bias and with a variance that is known from the chances.

    Args:
        chances: Shape (k,), in (0, 1].
        n: The number of samples that the choice was made among.
    """
    pi = np.asarray(chances, np.float64)
    missing = n - float((1 / pi).sum())
    sd = float(np.sqrt(((1 - pi) / pi**2).sum()))
    return bool(pi.max() == 1 and missing > max(LACK * n, SDS * sd))
