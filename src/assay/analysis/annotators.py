"""Labels as arrays: annotators among themselves, and what trivial baselines say of the items."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.analysis.labelled import Item, Labelled
from assay.sample import Sample
from assay.stats import agreement, raters
from assay.stats.weighted import Floats, Statistic, value_of
from assay.text import overlap, token_f1
from assay.text.words import content_words


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that needs no judge.

    Attributes:
        name: What it goes by.
        says: How good a text is by it, given its sample; None where the rule says nothing.
    """

    name: str
    says: Callable[[str, Sample], float | None]


def _in_contexts(text: str, sample: Sample) -> float | None:
    if sample.contexts is None:
        return None
    return overlap.recall(content_words(text), content_words(" ".join(sample.contexts)))


def _like_reference(text: str, sample: Sample) -> float | None:
    if sample.reference is None:
        return None
    return token_f1.compare(text, sample.reference).f1


def _like_question(text: str, sample: Sample) -> float | None:
    if sample.question is None:
        return None
    return overlap.recall(content_words(sample.question), content_words(text))


RULES: Final = (
    Rule("words from contexts", _in_contexts),
    Rule("words of reference", _like_reference),
    Rule("words of question", _like_question),
    Rule("longer", lambda text, _: float(len(text))),
    Rule("shorter", lambda text, _: -float(len(text))),
)


def floors(items: Sequence[Item]) -> dict[str, Floats]:
    """Rule -> what it says of each item, shape (items,), the higher the better.

    Of a pair it is the difference of the two answers. A rule that lacks a field of some item is
    left out.
    """
    found = {}
    for rule in RULES:
        said = [_of(rule, item) for item in items]
        known = [value for value in said if value is not None]
        if len(known) == len(said):
            found[rule.name] = np.array(known, dtype=np.float64)
    return found


def _of(rule: Rule, item: Item) -> float | None:
    text = item.part.text if item.part is not None else item.sample.answer
    if text is None:
        return None
    first = rule.says(text, item.sample)
    if item.rival is None or first is None:
        return first
    second = rule.says(item.rival.answer or "", item.rival)
    return None if second is None else first - second


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


def ceiling(data: Judged, statistic: Callable[[Floats, Floats], Statistic]) -> Statistic | None:
    """A person with the mean (or the majority) of the others, averaged over the people.

    Args:
        data: The labelled items.
        statistic: The measure, of one person's labels with those of the rest.

    Returns:
        The measure as a function of weights, one for each of `data.rated`; None with fewer than two
        people on an item.
    """
    each = [found for place in range(len(data.people)) if (found := _one(data, place, statistic))]
    if not each:
        return None

    def value(weights: Floats) -> float:
        reached = np.array([one(weights) for one in each])
        return float(reached[np.isfinite(reached)].mean()) if np.isfinite(reached).any() else np.nan

    return value


def _one(
    data: Judged, place: int, statistic: Callable[[Floats, Floats], Statistic]
) -> Statistic | None:
    """One person with the rest, on what both labelled."""
    mine, others = data.ratings[:, place], np.delete(data.ratings, place, axis=1)
    said = np.sum(~np.isnan(others), axis=1)
    rest = np.nansum(others, axis=1) / np.maximum(said, 1)
    both = ~np.isnan(mine) & (said > 0)
    if data.scale == "binary":
        both &= rest != 0.5
        rest = np.round(rest)
    if not both.any():
        return None
    # A preference is what a metric gives as a difference: around 0.
    scores = mine - 0.5 if data.scale == "preference" else mine
    found = statistic(scores[both], rest[both])
    if value_of(found, int(both.sum())) is None:
        return None
    return lambda weights: found(weights[both])


def among_people(data: Judged) -> dict[str, Statistic]:
    """Kappa and alpha of the people with each other, by name; none with fewer than two people."""
    ratings = data.ratings
    if ratings.shape[1] < 2 or not (np.sum(~np.isnan(ratings), axis=1) > 1).any():
        return {}
    scale: raters.Scale = "nominal" if data.scale == "binary" else "ordinal"
    found = {f"Krippendorff's alpha, {scale}": raters.krippendorff_alpha(ratings, scale)}
    complete = not np.isnan(ratings).any()
    if ratings.shape[1] == 2 and complete:
        weighting: raters.Weighting = "nominal" if data.scale == "binary" else "quadratic"
        kappa = raters.cohen_kappa(ratings[:, 0], ratings[:, 1], weighting)
        name = "Cohen's kappa" if weighting == "nominal" else f"Cohen's kappa, {weighting}"
        return {**found, name: kappa}
    if complete:
        values = np.unique(ratings)
        counts = (ratings[:, :, None] == values).sum(axis=1)
        found["Fleiss' kappa"] = raters.fleiss_kappa(counts)
    return found
