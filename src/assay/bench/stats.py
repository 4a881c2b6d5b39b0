"""How sure is a figure of the card? The statistics themselves are assay's own.

The card's intervals are those of the percentile bootstrap with a fixed seed.
"""

from collections.abc import Sequence

import numpy as np

from assay.stats.agreement import (
    auroc,
    balanced,
    best_threshold,
    constant,
    f1,
    macro_f1,
    mean,
    micro_f1,
    pearson,
    spearman,
)
from assay.stats.intervals import Floats, Numbers, Statistic, ones

__all__ = [
    "Floats",
    "Numbers",
    "Statistic",
    "auroc",
    "balanced",
    "best_threshold",
    "constant",
    "f1",
    "interval",
    "macro_f1",
    "mean",
    "micro_f1",
    "ones",
    "pearson",
    "spearman",
]

DRAWS = 1000
_SEED = 0
_ROUNDING = 1e-9


def interval(statistic: Statistic, clusters: Sequence[str]) -> tuple[float | None, float | None]:
    """95 % percentile bootstrap over sources: rows of one source are drawn together.

    (None, None) where the draws tell nothing: one source, or none among them that differs.
    """
    names, place = np.unique(np.asarray(clusters), return_inverse=True)
    if len(names) < 2:
        return None, None
    chance = np.random.default_rng(_SEED)
    found = []
    for _ in range(DRAWS):
        drawn = chance.integers(0, len(names), len(names))
        found.append(statistic(np.bincount(drawn, minlength=len(names))[place].astype(float)))
    known = np.asarray(found)[np.isfinite(found)]
    # Half the draws with one class only: there is no interval to speak of.
    if len(known) < DRAWS / 2:
        return None, None
    low, high = np.percentile(known, [2.5, 97.5])
    # What never varied among these rows may vary among others: that is no certainty.
    if high - low < _ROUNDING:
        return None, None
    return float(low), float(high)
