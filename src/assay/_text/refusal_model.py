"""How likely a text declines to answer, in fifteen languages: a linear model of its letters.

The weights of groups of two to five letters were fitted by `training/refusals.py` on answers that
were written for it. Refusals are told from denials ("There is no fee") by their wording alone.
"""

import math
import zlib
from collections import Counter
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from assay._text import memoized

SIZES = range(2, 6)  # letters of a group
PLACES = 1 << 16  # groups share a weight by chance
FILE = "refusals.npz"
# Languages of the answers that it was fitted on.
LANGUAGES = frozenset("en de fr es it pt nl pl zh ja ko ar ru hi tr".split())  # noqa: SIM905


@memoized(2048, longest=4000)
def refusal_probability(text: str) -> float:
    """The probability, in [0, 1], that a sentence or short answer declines to answer."""
    found = groups(text)
    if not found:
        return 0.0
    weights, intercept = _fitted()
    length = math.sqrt(sum(found.values()))  # of the vector of the counts' roots
    total = sum(math.sqrt(count) * float(weights[place]) for place, count in found.items())
    return 1 / (1 + math.exp(-(total / length + intercept)))


def groups(text: str) -> Counter[int]:
    """How often each group of letters stands in a text, by its place among the weights."""
    found: Counter[int] = Counter()
    for word in text.lower().split():
        padded = f" {word} "
        for size in SIZES:
            for start in range(max(1, len(padded) - size + 1)):
                found[zlib.crc32(padded[start : start + size].encode()) % PLACES] += 1
    return found


@cache
def _fitted() -> tuple[npt.NDArray[np.float32], float]:
    with resources.files("assay._text").joinpath(FILE).open("rb") as file:
        held = np.load(file)
        weights = held["weights"].astype(np.float32) * float(held["scale"])
        return weights, float(held["intercept"])
