"""Labels as arrays: annotators among themselves, and what trivial baselines say of the items."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay._analysis.labelled import Item, Labelled
from assay._text import words
from assay._text.words import content_words
from assay.sample import Sample
from assay.stats import agreement, raters
from assay.stats.intervals import Floats, Statistic, value_of


def _in_contexts(text: str, sample: Sample) -> float | None:
    if sample.contexts is None:
        return None
    return words.recall(content_words(text), content_words(" ".join(sample.contexts)))


def _like_reference(text: str, sample: Sample) -> float | None:
    if sample.reference is None:
        return None
    return words.compare(text, sample.reference).f1


def _like_question(text: str, sample: Sample) -> float | None:
    if sample.question is None:
        return None
    return words.recall(content_words(sample.question), content_words(text))


# Rules that need no judge: how good a text is, given its sample; None where a rule says nothing.
BASELINES: Final[Mapping[str, Callable[[str, Sample], float | None]]] = {
    "words from contexts": _in_contexts,
    "words of reference": _like_reference,
    "words of question": _like_question,
    "longer": lambda text, _: float(len(text)),
    "shorter": lambda text, _: -float(len(text)),
}


def score_baselines(items: Sequence[Item]) -> dict[str, Floats]:
    """Rule -> what it says of each item, shape (items,), the higher the better.

    Of a pair it is the difference of the two answers. A rule that lacks a field of some item is
    left out.
    """
    scores = {}
    for name, baseline in BASELINES.items():
        values = [_of(baseline, item) for item in items]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            scores[name] = np.array(known, dtype=np.float64)
    return scores


def _of(baseline: Callable[[str, Sample], float | None], item: Item) -> float | None:
    text = item.part.text if item.part is not None else item.sample.answer
    if text is None:
        return None
    first = baseline(text, item.sample)
    if item.rival is None or first is None:
        return first
    second = baseline(item.rival.answer or "", item.rival)
    return None if second is None else first - second


Bools: TypeAlias = npt.NDArray[np.bool_]
Scale: TypeAlias = Literal["binary", "ordinal", "preference"]
FOLDS = 5


@dataclass(frozen=True)
class LabelArrays:
    """Labelled items as arrays, every one of them the higher the better.

    Attributes:
        scale: What the labels are: yes or no, grades, or which of two is better.
        items: The items.
        groups: For each the cluster that it belongs to.
        goodness: The metric's scores, turned round where low ones are good. Shape (n,).
        labels: Mean over the annotators. Shape (n,).
        baselines: What each trivial rule says. Shape (n,) each.
        annotators: Who labelled.
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
    baselines: dict[str, Floats]
    annotators: tuple[str, ...]
    ratings: Floats
    rated: Sequence[str]
    dropped: int


def as_arrays(labelled_items: Labelled) -> LabelArrays:
    """The items of a metric as arrays."""
    scale = _scale(labelled_items)
    open_ones = [scale == "binary" and item.label == 0.5 for item in labelled_items.items]
    items = [item for item, left in zip(labelled_items.items, open_ones, strict=True) if not left]
    labels = np.array([item.label for item in items], dtype=np.float64)
    annotators = tuple(dict.fromkeys(name for item in labelled_items.items for name in item.labels))
    ratings = [
        [item.labels.get(name, np.nan) for name in annotators] for item in labelled_items.items
    ]
    return LabelArrays(
        scale=scale,
        items=items,
        groups=[item.group for item in items],
        goodness=labelled_items.sign * np.array([item.score for item in items], dtype=np.float64),
        labels=np.round(labels) if scale == "binary" else labels,
        baselines=score_baselines(items),
        annotators=annotators,
        ratings=np.array(ratings, dtype=np.float64),
        rated=[item.group for item in labelled_items.items],
        dropped=sum(open_ones),
    )


def _scale(labelled_items: Labelled) -> Scale:
    if labelled_items.kind == "pair":
        return "preference"
    return "binary" if labelled_items.yes_or_no else "ordinal"


def decide_out_of_fold(
    goodness: Floats, labels: Floats, groups: Sequence[str]
) -> tuple[Bools, Floats] | None:
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
    for number in np.unique(fold):
        others = fold != number
        if len(set(labels[others])) < 2:
            return None
        used[~others] = agreement.best_threshold(coarse[others], labels[others], agreement.balanced)
    return coarse >= used, used


def human_ceiling(
    arrays: LabelArrays, statistic: Callable[[Floats, Floats], Statistic]
) -> Statistic | None:
    """A person with the mean (or the majority) of the others, averaged over the people.

    Args:
        arrays: The labelled items.
        statistic: The measure, of one person's labels with those of the rest.

    Returns:
        The measure as a function of weights, one for each of `data.rated`; None with fewer than two
        people on an item.
    """
    each = [
        measure_of_one
        for place in range(len(arrays.annotators))
        if (measure_of_one := _one(arrays, place, statistic))
    ]
    if not each:
        return None

    def value(weights: Floats) -> float:
        values = np.array([one(weights) for one in each])
        return float(values[np.isfinite(values)].mean()) if np.isfinite(values).any() else np.nan

    return value


def _one(
    arrays: LabelArrays, place: int, statistic: Callable[[Floats, Floats], Statistic]
) -> Statistic | None:
    """One person with the rest, on what both labelled."""
    mine, others = arrays.ratings[:, place], np.delete(arrays.ratings, place, axis=1)
    n_others = np.sum(~np.isnan(others), axis=1)
    rest = np.nansum(others, axis=1) / np.maximum(n_others, 1)
    shared = ~np.isnan(mine) & (n_others > 0)
    if arrays.scale == "binary":
        shared &= rest != 0.5
        rest = np.round(rest)
    if not shared.any():
        return None
    # A preference is what a metric gives as a difference: around 0.
    scores = mine - 0.5 if arrays.scale == "preference" else mine
    measured = statistic(scores[shared], rest[shared])
    if value_of(measured, int(shared.sum())) is None:
        return None
    return lambda weights: measured(weights[shared])


def annotator_agreement(arrays: LabelArrays) -> dict[str, Statistic]:
    """Kappa and alpha of the people with each other, by name; none with fewer than two people."""
    ratings = arrays.ratings
    if ratings.shape[1] < 2 or not (np.sum(~np.isnan(ratings), axis=1) > 1).any():
        return {}
    scale: raters.Scale = "nominal" if arrays.scale == "binary" else "ordinal"
    statistics = {f"Krippendorff's alpha, {scale}": raters.krippendorff_alpha(ratings, scale)}
    complete = not np.isnan(ratings).any()
    if ratings.shape[1] == 2 and complete:
        weighting: raters.Weighting = "nominal" if arrays.scale == "binary" else "quadratic"
        kappa = raters.cohen_kappa(ratings[:, 0], ratings[:, 1], weighting)
        name = "Cohen's kappa" if weighting == "nominal" else f"Cohen's kappa, {weighting}"
        return {**statistics, name: kappa}
    if complete:
        values = np.unique(ratings)
        counts = (ratings[:, :, None] == values).sum(axis=1)
        statistics["Fleiss' kappa"] = raters.fleiss_kappa(counts)
    return statistics
