"""How much do repeated measurements of the same things differ?"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt


def within_sd(values: npt.NDArray[np.float64]) -> float | None:
    """The standard deviation of repeated measurements of one thing, pooled over all things.

    Args:
        values: Shape (things, repetitions); NaN where a measurement is missing.

    Returns:
        The within-subject standard deviation, in the unit of the values; None if nothing was
        measured twice.

    Source:
        Bland and Altman, BMJ 312 (1996) 1654, "Measurement error".
    """
    there = ~np.isnan(values)
    n = there.sum(axis=1)
    freedom = int(np.maximum(n - 1, 0).sum())
    if not freedom:
        return None
    filled = np.where(there, values, 0.0)
    means = filled.sum(axis=1) / np.maximum(n, 1)
    squares = np.where(there, (filled - means[:, None]) ** 2, 0.0).sum()
    return math.sqrt(float(squares) / freedom)


def disagreement(labels: Sequence[Hashable]) -> float | None:
    """The share of pairs of verdicts on one thing that differ: how likely the next one flips.

    Args:
        labels: The verdicts, in any order.

    Returns:
        Share in [0, 1]; None if there are fewer than two verdicts.
    """
    n = len(labels)
    if n < 2:
        return None
    same = sum(k * (k - 1) for k in Counter(labels).values())
    return 1 - same / (n * (n - 1))


def changed(distances: npt.NDArray[np.float64]) -> float:
    """How likely chance alone sets two sittings as far apart as seen, if nothing has changed.

    Every thing is measured twice in each of two sittings. Without a change its four measurements
    are exchangeable, so any of the three ways to make two pairs of them could have been the two
    sittings. The test compares how far measurements of different sittings lie apart with how far
    those of one sitting do, against all 3^n ways.

    Args:
        distances: Shape (things, 6): between a1 and a2, b1 and b2, a1 and b1, a2 and b2, a1 and
            b2, a2 and b1, where a and b are the sittings; from 0 for equal ones upwards.

    Returns:
        One-sided p-value in (0, 1]; 1 without any thing.

    Raises:
        ValueError: For more than 14 things, which are too many to try all ways.
    """
    if len(distances) > 14:
        msg = f"{len(distances)} things have too many ways to be paired"
        raise ValueError(msg)
    within = distances.reshape(len(distances), 3, 2).mean(axis=2)
    across = (within.sum(axis=1, keepdims=True) - within) / 2
    seen = across - within
    sums = np.zeros(1)
    for thing in seen:
        sums = (sums[:, None] + thing[None, :]).ravel()
    return float(np.mean(sums >= seen[:, 0].sum() - 1e-9))
