"""Agreement among annotators, and of several metrics with them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay._analysis.labelled import Item, Labelled, labelled
from assay._runner.result import Result, labels
from assay._text import words
from assay._text.words import content_words
from assay.data.labels import Labels
from assay.errors import InputError
from assay.sample import Sample
from assay.stats import agreement, raters
from assay.stats.concordance import Share, correct_above, wrong_below
from assay.stats.intervals import Floats, Interval, Statistic, value_of
from assay.stats.jackknife import jackknife_interval


def _in_contexts(text: str, sample: Sample) -> float | None:
    if sample.contexts is None:
        return None
    return words.recall(content_words(text), content_words(" ".join(sample.contexts)))


def _like_reference(text: str, sample: Sample) -> float | None:
    if sample.reference is None:
        return None
    return words.compare(text, sample.reference).f1


def _question_similarity(text: str, sample: Sample) -> float | None:
    if sample.question is None:
        return None
    return words.recall(content_words(sample.question), content_words(text))


# Rules that need no judge: how good a text is, given its sample; None where a rule says nothing.
BASELINES: Final[Mapping[str, Callable[[str, Sample], float | None]]] = {
    "words from contexts": _in_contexts,
    "words of reference": _like_reference,
    "words of question": _question_similarity,
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
        values = [_baseline_value(baseline, item) for item in items]
        numbers = [value for value in values if value is not None]
        if len(numbers) == len(values):
            scores[name] = np.array(numbers, dtype=np.float64)
    return scores


def _baseline_value(baseline: Callable[[str, Sample], float | None], item: Item) -> float | None:
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
    """Labelled items as arrays, every one of them the higher the better."""

    scale: Scale  # what the labels are: yes or no, grades, or which of two is better
    items: Sequence[Item]  # the items
    groups: Sequence[str]  # for each the cluster that it belongs to
    goodness: Floats  # the metric's scores, turned round where low ones are good. Shape (n,).
    labels: Floats  # mean over the annotators. Shape (n,).
    baselines: dict[str, Floats]  # what each trivial rule says. Shape (n,) each.
    annotators: tuple[str, ...]  # who labelled
    # What each said, NaN where nothing. Shape (m, people), m >= n: also of items on which people
    # are divided.
    ratings: Floats
    rated: Sequence[str]  # for each of those the cluster that it belongs to
    # How many those are: as many annotators say yes as no, so no label stands for them.
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
    names = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    mixed = np.random.default_rng(0).permutation(len(names)) % FOLDS
    fold = np.array([mixed[names[group]] for group in groups])
    # Close scores need not be told apart to choose a threshold among them: close for their spread.
    spread = float(np.ptp(goodness))
    finer = max(0, -math.ceil(math.log10(spread))) if spread > 0 else 0
    coarse, used = np.round(goodness, 3 + finer), np.empty(len(goodness))
    for number in np.unique(fold):
        fitted_on = fold != number
        if len(set(labels[fitted_on])) < 2:
            return None
        used[~fitted_on] = agreement.best_threshold(
            coarse[fitted_on], labels[fitted_on], agreement.balanced
        )
    return coarse >= used, used


# From ratings, shape (items, annotators), NaN where one said nothing, to a function of weights.
OfRatings: TypeAlias = Callable[[Floats], Statistic]


def human_ceiling(
    arrays: LabelArrays, statistic: Callable[[Floats, Floats], Statistic]
) -> OfRatings | None:
    """A person with the mean (or the majority) of the others, averaged over the people.

    Returns:
        The measure of ratings such as `arrays.ratings`; None with fewer than two people on an item.
    """

    def measure(ratings: Floats) -> Statistic:
        of_table = replace(arrays, ratings=ratings)
        by_annotator = [
            measure_of_one
            for annotator in range(ratings.shape[1])
            if (measure_of_one := _one_annotator(of_table, annotator, statistic))
        ]

        def value(weights: Floats) -> float:
            values = np.array([measure_of_one(weights) for measure_of_one in by_annotator])
            return (
                float(values[np.isfinite(values)].mean()) if np.isfinite(values).any() else np.nan
            )

        return value

    return measure if value_of(measure(arrays.ratings), len(arrays.ratings)) is not None else None


# Of n normal rows the variance of Fisher's z is c / (n - m): (c, m) by the name of the measure.
NORMAL: Final[Mapping[str, tuple[float, int]]] = {
    "Pearson": (1.0, 3),
    "Spearman": (1.06, 3),
    "Kendall tau-b": (0.437, 4),
    "Cohen's kappa, linear": (1.0, 3),
    "Cohen's kappa, quadratic": (1.0, 3),
}


def people_interval(
    name: str, arrays: LabelArrays, measure: OfRatings, ratings: Floats, ends: tuple[float, float]
) -> Interval | None:
    """The 95 % interval of an agreement of people; ends are the least and the greatest value."""
    if arrays.scale == "binary":
        return raters.two_values_interval(measure, ratings, arrays.rated)
    low, high = ends
    rated = np.sum(~np.isnan(ratings), axis=1) > 1
    groups = [group for group, shared in zip(arrays.rated, rated, strict=True) if shared]
    statistic = measure(ratings[rated])
    return jackknife_interval(statistic, groups, low=low, high=high, normal=NORMAL.get(name))


def _one_annotator(
    arrays: LabelArrays, annotator: int, statistic: Callable[[Floats, Floats], Statistic]
) -> Statistic | None:
    """One person with the rest, on what both labelled."""
    own_ratings, other_ratings = (
        arrays.ratings[:, annotator],
        np.delete(arrays.ratings, annotator, axis=1),
    )
    n_others = np.sum(~np.isnan(other_ratings), axis=1)
    mean_ratings = np.nansum(other_ratings, axis=1) / np.maximum(n_others, 1)
    shared = ~np.isnan(own_ratings) & (n_others > 0)
    if arrays.scale == "binary":
        shared &= mean_ratings != 0.5
        mean_ratings = np.round(mean_ratings)
    if not shared.any():
        return None
    # A preference is what a metric gives as a difference: around 0.
    scores = own_ratings - 0.5 if arrays.scale == "preference" else own_ratings
    measured = statistic(scores[shared], mean_ratings[shared])
    if value_of(measured, int(shared.sum())) is None:
        return None
    return lambda weights: measured(weights[shared])


def annotator_agreement(arrays: LabelArrays) -> dict[str, tuple[OfRatings, Floats]]:
    """Kappa and alpha of the people with each other, by name; none with fewer than two people.

    Each with the ratings that it is of: who said what counts for Cohen's kappa alone.
    """
    ratings = arrays.ratings
    n_ratings = np.sum(~np.isnan(ratings), axis=1)
    if ratings.shape[1] < 2 or not (n_ratings > 1).any():
        return {}
    scale: raters.Scale = "nominal" if arrays.scale == "binary" else "ordinal"
    anonymous = np.sort(ratings, axis=1)[:, : n_ratings.max()]  # what nobody said stands last
    statistics: dict[str, tuple[OfRatings, Floats]] = {
        f"Krippendorff's alpha, {scale}": (
            partial(raters.krippendorff_alpha, scale=scale),
            anonymous,
        )
    }
    complete = not np.isnan(ratings).any()
    if ratings.shape[1] == 2 and complete:
        weighting: raters.Weighting = "nominal" if arrays.scale == "binary" else "quadratic"
        name = "Cohen's kappa" if weighting == "nominal" else f"Cohen's kappa, {weighting}"
        statistics[name] = (lambda t: raters.cohen_kappa(t[:, 0], t[:, 1], weighting), ratings)
    elif complete:
        values = np.unique(ratings)
        statistics["Fleiss' kappa"] = (
            lambda table: raters.fleiss_kappa((table[:, :, None] == values).sum(axis=1)),
            anonymous,
        )
    return statistics


# The paper's thresholds, and the tenths of a range on which both are varied.
ABOVE, BELOW = 0.7, 0.3
TENTHS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where scores of one metric count as high or low."""

    above: float  # upper threshold
    below: float  # lower threshold
    # What the grid divides: the metric's range; 0 and 1 where that is -1 to 1 (cosines are hardly
    # ever below 0); the least or the greatest labelled score where it has no end.
    ends: tuple[float, float]
    grid: Sequence[float]  # thresholds at the tenths of it, of length 9


@dataclass(frozen=True, slots=True)
class Row:
    """One metric, or two jointly."""

    metrics: tuple[str, ...]  # their labels
    n: int  # labelled samples that all of them scored
    base_rate: float  # share of those that people call correct: what a condition has to beat
    correct: Share  # P(correct | all above the upper threshold), equation 1
    wrong: Share  # P(wrong | all below the lower threshold), equation 2
    # Equation 1 on the grids, of shape (9, 9): rows by the first metric's threshold, columns by the
    # second's; of one metric (1, 9).
    correct_grid: Sequence[Sequence[Share]]
    wrong_grid: Sequence[Sequence[Share]]  # equation 2 on the grids, likewise


@dataclass(frozen=True)
class Concordance:
    """How far high and low scores go with people's word."""

    above: float  # upper threshold of metrics that were given none of their own
    below: float  # lower threshold of these
    thresholds: Mapping[str, Thresholds]  # those of each metric of the rows, by its label
    rows: Sequence[Row]  # each metric by itself, then every two jointly
    turned: Sequence[str]  # metrics of which low scores are good: 1 - score stands for them
    without: Mapping[str, str]  # metrics that are not there, and why


def concordance(
    result: Result,
    given: Labels,
    metrics: Sequence[str] = (),
    *,
    above: float | Mapping[str, float] = ABOVE,
    below: float | Mapping[str, float] = BELOW,
) -> Concordance:
    """The paper's table for the metrics of a run.

    Args:
        result: The run.
        given: Labels of samples, correct or not.
        metrics: Which metrics; none: all that can be. Thresholds are of their scores as they are;
            a metric of which low is good counts as 1 - score.
        above: The threshold above which scores count as high: one for all, or by metric, "" for
            all others.
        below: The threshold below which they count as low, likewise.

    Raises:
        InputError: If labels are not yes or no, or meet no metric, if no score of a metric can be
            above the one threshold or below the other, or if one is given for a metric that is not
            asked about.
    """
    scored, without, turned = {}, {}, []
    thresholds: dict[str, Thresholds] = {}
    first: InputError | None = None
    names = metrics or list(result.run.metrics)
    high = _by_label(result, names, "above", above, ABOVE)
    low = _by_label(result, names, "below", below, BELOW)
    for metric in names:
        try:
            label, scores, low_is_good = _scores(result, given, metric)
            ends, pair = (
                _score_range(result, label),
                (high.get(label, high[""]), low.get(label, low[""])),
            )
            _refuse_outside(label, ends, *pair)
        except InputError as error:
            if metrics or metric in {*high, *low}:
                raise
            first, without[metric] = first or error, error.problems[0].what
            continue
        scored[label] = scores
        thresholds[label] = _thresholds(*pair, ends, scores)
        turned += [label] if low_is_good else []
    if first and not scored:
        raise first
    metric_sets = [(scores,) for scores in scored] + list(combinations(scored, 2))
    rows = [
        _row(names, [scored[name] for name in names], [thresholds[name] for name in names])
        for names in metric_sets
    ]
    return Concordance(high[""], low[""], thresholds, rows, turned, without)


def _by_label(
    result: Result,
    metrics_wanted: Sequence[str],
    name: str,
    thresholds: float | Mapping[str, float],
    default: float,
) -> dict[str, float]:
    """The thresholds by the labels of the metrics that they are meant for, "" for all others."""
    if not isinstance(thresholds, Mapping):
        return {"": thresholds}
    wanted_labels = {label for metric in metrics_wanted for label in labels(result.run, metric)}
    by_label = {"": default, **thresholds}
    for metric in filter(None, thresholds):
        labels_meant = wanted_labels.intersection(labels(result.run, metric))
        if not labels_meant:
            fault = f"{name} is given for {metric}, which is not asked about"
            raise InputError(fault, f"leave it out, or ask for {metric}, too")
        # A label's own number goes before that of its name without parameters.
        by_label.update(dict.fromkeys(labels_meant - set(thresholds), thresholds[metric]))
    return by_label


Scores = Mapping[str, tuple[float, bool, str]]


def _scores(result: Result, human_labels: Labels, metric: str) -> tuple[str, Scores, bool]:
    """(label, sample -> (score, correct, group), whether low scores are good) of a metric."""
    items = labelled(result, human_labels, metric)
    if items.kind != "sample":
        raise InputError(f"concordance takes labels of samples, not of {items.kind}s")
    if not items.higher_is_better and _score_range(result, items.metric) != (0.0, 1.0):
        fault = f"{items.metric}: concordance takes scores between 0 and 1 where low ones are good"
        raise InputError(fault, "leave this metric out")
    arrays = as_arrays(items)
    if arrays.scale != "binary":
        raise InputError("concordance takes labels that say yes or no, not grades")
    good = arrays.goodness if items.higher_is_better else 1 + arrays.goodness
    pairs = zip(arrays.items, good, arrays.labels, strict=True)
    scores = {i.sample.id: (float(score), bool(label), i.group) for i, score, label in pairs}
    return items.metric, scores, not items.higher_is_better


def _score_range(result: Result, metric: str) -> tuple[float, float]:
    low, high = result.run.config["about"][metric]["range"]
    return -math.inf if low is None else low, math.inf if high is None else high


def _thresholds(
    above: float, below: float, ends: tuple[float, float], scores: Scores
) -> Thresholds:
    values = [score for score, _, _ in scores.values()]
    low = ends[0] if math.isfinite(ends[0]) else min(values)
    high = ends[1] if math.isfinite(ends[1]) else max(values)
    if (low, high) == (-1.0, 1.0):
        low = 0.0
    return Thresholds(above, below, (low, high), [low + (high - low) * tenth for tenth in TENTHS])


def _refuse_outside(metric: str, ends: tuple[float, float], above: float, below: float) -> None:
    """A threshold that all scores, or none, lie beyond parts nothing."""
    low, high = ends
    for name, threshold, parts_scores in (
        ("above", above, low <= above < high),
        ("below", below, low < below <= high),
    ):
        if not (math.isfinite(threshold) and parts_scores):
            fault = (
                f"{name} {threshold:g} parts no scores of {metric}, which are {low:g} to {high:g}"
            )
            remedy = f"give another --{name}, its own by --{name} {metric}=SCORE, or leave it out"
            raise InputError(fault, remedy)


def _row(names: tuple[str, ...], scored: Sequence[Scores], thresholds: Sequence[Thresholds]) -> Row:
    shared = [sample for sample in scored[0] if all(sample in scores for scores in scored)]
    arrays: list[Floats] = [np.array([scores[sample][0] for sample in shared]) for scores in scored]
    correct = np.array([scored[0][sample][1] for sample in shared], dtype=bool)
    groups = [scored[0][sample][2] for sample in shared]
    *firsts, last = [metric_thresholds.grid for metric_thresholds in thresholds]

    def grid(share: Callable[..., Share]) -> list[list[Share]]:
        return [
            [share(arrays, correct, [*before, threshold], groups) for threshold in last]
            for before in product(*firsts)
        ]

    return Row(
        metrics=names,
        n=len(shared),
        base_rate=float(correct.mean()) if shared else 0.0,
        correct=correct_above(
            arrays, correct, [metric_thresholds.above for metric_thresholds in thresholds], groups
        ),
        wrong=wrong_below(
            arrays, correct, [metric_thresholds.below for metric_thresholds in thresholds], groups
        ),
        correct_grid=grid(correct_above),
        wrong_grid=grid(wrong_below),
    )
