"""What do labels and scores look like as arrays, and where do people agree among themselves?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.analysis.floors import floors
from assay.analysis.labelled import Item, Labelled
from assay.stats import agreement
from assay.stats.intervals import Floats

Bools: TypeAlias = npt.NDArray[np.bool_]
Scale: TypeAlias = Literal["binary", "ordinal", "preference"]
FOLDS = 5


@dataclass(frozen=True)
class Judged:
    """Labelled items as arrays, every one of them the higher the better.

    Attributes:
        scale: What the labels are: yes or no, grades, or which of two is better.
        items: The items.
        groups: For each the cluster that it belongs to.
        goodness: The metric's scores, turned round where low ones are good. Shape (n,).
        labels: Mean over the annotators. Shape (n,).
        rules: What each trivial rule says. Shape (n,) each.
        people: Who labelled.
        ratings: What each said, NaN where nothing. Shape (m, people), m >= n: also of items on
            which people are divided.
        rated: For each of those the cluster that it belongs to.
        dropped: How many those are: as many annotators say yes as no, so no label stands for them.
    """

    scale: Scale
    items: Sequence[Item]
    groups: Sequence[str]
    goodness: Floats
    labels: Floats
    rules: dict[str, Floats]
    people: tuple[str, ...]
    ratings: Floats
    rated: Sequence[str]
    dropped: int


def judged(found: Labelled) -> Judged:
    """The items of a metric as arrays."""
    scale = _scale(found)
    open_ones = [scale == "binary" and item.label == 0.5 for item in found.items]
    items = [item for item, left in zip(found.items, open_ones, strict=True) if not left]
    labels = np.array([item.label for item in items], dtype=np.float64)
    people = tuple(dict.fromkeys(name for item in found.items for name in item.labels))
    ratings = [[item.labels.get(name, np.nan) for name in people] for item in found.items]
    return Judged(
        scale=scale,
        items=items,
        groups=[item.group for item in items],
        goodness=found.sign * np.array([item.score for item in items], dtype=np.float64),
        labels=np.round(labels) if scale == "binary" else labels,
        rules=floors(items),
        people=people,
        ratings=np.array(ratings, dtype=np.float64),
        rated=[item.group for item in found.items],
        dropped=sum(open_ones),
    )


def _scale(found: Labelled) -> Scale:
    if found.kind == "pair":
        return "preference"
    return "binary" if found.yes_or_no else "ordinal"


def called(goodness: Floats, labels: Floats, groups: Sequence[str]) -> tuple[Bools, Floats] | None:
    """What is called good by thresholds that were each chosen on other items than it is used on.

    Args:
        goodness: Shape (n,).
        labels: Shape (n,), 1 or 0.
        groups: Items of one group are in one fold.

    Returns:
        (called good, threshold used), both of shape (n,); None if some fold leaves one class only.
        Thresholds maximise balanced accuracy.
    """
    names = {name: place for place, name in enumerate(dict.fromkeys(groups))}
    mixed = np.random.default_rng(0).permutation(len(names)) % FOLDS
    fold = np.array([mixed[names[group]] for group in groups])
    # Close scores need not be told apart to choose a threshold among them: close for their spread.
    spread = float(np.ptp(goodness))
    finer = max(0, -math.ceil(math.log10(spread))) if spread > 0 else 0
    coarse, used = np.round(goodness, 3 + finer), np.empty(len(goodness))
    for one in np.unique(fold):
        rest = fold != one
        if len(set(labels[rest])) < 2:
            return None
        used[~rest] = agreement.best_threshold(coarse[rest], labels[rest], agreement.balanced)
    return coarse >= used, used
