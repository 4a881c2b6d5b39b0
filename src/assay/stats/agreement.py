"""Which number tells how well scores agree with labels?

Every function gives a `Statistic`: a function of weights, one a row (see `stats.weighted`). It is
NaN where the number is not defined, such as an AUROC of one class only.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from math import hypot

import numpy as np
import numpy.typing as npt

from assay.stats.interval import Interval
from assay.stats.intervals import mean_interval
from assay.stats.weighted import LEVEL, Floats, Numbers, Statistic, ones, ratio

THRESHOLDS = 1_000  # so many are tried: more would move the one chosen by next to nothing
_ROUNDING = 1e-9  # what differs by less differs in the last digit only


def auroc(scores: Numbers, labels: Numbers) -> Statistic:
    """Chance that a positive scores above a negative; ties count half. In [0, 1].

    Args:
        scores: Shape (n,), higher for what is more likely positive.
        labels: Shape (n,), true or false.
    """
    _, place = np.unique(np.asarray(scores, float), return_inverse=True)
    positive = np.asarray(labels, bool)

    def value(weights: Floats) -> float:
        good = np.bincount(place, weights * positive)
        bad = np.bincount(place, weights * ~positive)
        below = np.cumsum(bad) - bad / 2
        return ratio(float(good @ below), float(good.sum() * bad.sum()))

    return value


def _placed(scores: Floats, positive: npt.NDArray[np.bool_]) -> Floats:
    """Of each row the share of the other class that it stands on the right side of; ties half."""
    found = np.empty(len(scores))
    for side in (positive, ~positive):
        others = np.sort(scores[~side])
        below = (
            np.searchsorted(others, scores[side]),
            np.searchsorted(others, scores[side], "right"),
        )
        found[side] = (below[0] + below[1]) / 2 / len(others)
    return np.where(positive, found, 1 - found)


def auroc_interval(
    scores: Numbers, labels: Numbers, groups: Sequence[Hashable], *, level: float = LEVEL
) -> Interval | None:
    """The confidence interval of the AUROC, from how the rows of either class are placed.

    The AUROC is the mean placement of the positives, and that of the negatives: its error is the
    sum of theirs. The jackknife is too narrow where all of a small class are placed alike, as by a
    judge that says yes or no.

    Args:
        scores: Shape (n,), higher for what is more likely positive.
        labels: Shape (n,), true or false.
        groups: For each of the n rows the cluster that it belongs to.
        level: Nominal coverage, in (0, 1).

    Returns:
        The interval; None if a class has fewer than two clusters, or all scores are the same.

    Source:
        DeLong et al., Biometrics 44 (1988) 837, for the placements; Zou & Donner (as below).
    """
    x, positive = np.asarray(scores, float), np.asarray(labels, bool)
    if positive.all() or not positive.any() or x.min() == x.max():
        return None
    return _recovered(_placed(x, positive), positive, groups, 0.0, level, share=1.0)


def auroc_lead(
    scores: Numbers,
    rule: Numbers,
    labels: Numbers,
    groups: Sequence[Hashable],
    *,
    level: float = LEVEL,
) -> Interval | None:
    """The confidence interval of how far one AUROC lies above that of a rule.

    Args:
        scores: Shape (n,), higher for what is more likely positive.
        rule: Shape (n,), what the rule says of the same rows.
        labels: Shape (n,), true or false.
        groups: For each of the n rows the cluster that it belongs to.
        level: Nominal coverage, in (0, 1).

    Returns:
        The interval, put together as that of `auroc_interval`, from the differences of placements.
    """
    positive = np.asarray(labels, bool)
    x, other = np.asarray(scores, float), np.asarray(rule, float)
    if positive.all() or not positive.any() or other.min() == other.max():  # it reaches 0.5
        return _above_half(auroc_interval(x, positive, groups, level=level))
    ahead = _placed(x, positive) - _placed(other, positive)
    return _recovered(ahead, positive, groups, -1.0, level, share=1.0)


def average_precision(scores: Numbers, labels: Numbers) -> Statistic:
    """Area under the precision-recall curve as a step function, in [0, 1].

    Precision at each threshold, weighted by the recall that it adds. What chance reaches is the
    share of positives.
    """
    _, place = np.unique(-np.asarray(scores, float), return_inverse=True)
    positive = np.asarray(labels, bool)

    def value(weights: Floats) -> float:
        good = np.bincount(place, weights * positive)
        called = np.cumsum(np.bincount(place, weights))
        precision = np.divide(np.cumsum(good), called, out=np.zeros_like(called), where=called > 0)
        return ratio(float(good @ precision), float(good.sum()))

    return value


def f1(said: Numbers, labels: Numbers) -> Statistic:
    """F1 of what was said to be positive, in [0, 1]."""
    positive, called = np.asarray(labels, bool), np.asarray(said, bool)
    return micro_f1(positive & called, called, positive)


def micro_f1(hits: Numbers, said: Numbers, labelled: Numbers) -> Statistic:
    """F1 over counts: each row adds its hits, what was said in it and what is labelled in it."""
    h, s, g = (np.asarray(counts, float) for counts in (hits, said, labelled))

    def value(weights: Floats) -> float:
        return ratio(2 * float(weights @ h), float(weights @ s + weights @ g))

    return value


def macro_f1(said: Sequence[str], labels: Sequence[str]) -> Statistic:
    """Mean of the F1 of every class that is labelled, in [0, 1]."""
    called, truth = np.asarray(said), np.asarray(labels)
    each = [f1(called == name, truth == name) for name in sorted(set(labels))]
    return lambda weights: float(np.mean([one(weights) for one in each]))


def balanced(said: Numbers, labels: Numbers) -> Statistic:
    """Mean of the accuracies on positives and on negatives, in [0, 1]; chance reaches 0.5."""
    positive, called = np.asarray(labels, bool), np.asarray(said, bool)

    def value(weights: Floats) -> float:
        good, bad = weights * positive, weights * ~positive
        caught = ratio(float(good @ called), float(good.sum()))
        passed = ratio(float(bad @ ~called), float(bad.sum()))
        return (caught + passed) / 2

    return value


def balanced_interval(
    said: Numbers, labels: Numbers, groups: Sequence[Hashable], *, level: float = LEVEL
) -> Interval | None:
    """The confidence interval of the balanced accuracy, from those of its two accuracies.

    The jackknife of the whole is too narrow where all of a small class are called rightly; an
    interval of a proportion is not.

    Args:
        said: Shape (n,), what was said to be positive.
        labels: Shape (n,), what is.
        groups: For each of the n rows the cluster that it belongs to.
        level: Nominal coverage, in (0, 1).

    Returns:
        The interval; None if a class has fewer than two clusters.

    Source:
        Zou & Donner, Stat. Med. 27 (2008) 1693 (method of variance estimates recovery).
    """
    positive, called = np.asarray(labels, bool), np.asarray(said, bool)
    right = np.where(positive, called, ~called).astype(np.float64)
    return _recovered(right, positive, groups, 0.0, level)


def balanced_lead(
    said: Numbers,
    rule: Numbers,
    labels: Numbers,
    groups: Sequence[Hashable],
    *,
    level: float = LEVEL,
) -> Interval | None:
    """The confidence interval of how far one balanced accuracy lies above that of a rule.

    Args:
        said: Shape (n,), what was said to be positive.
        rule: Shape (n,), what the rule says of the same rows.
        labels: Shape (n,), what is.
        groups: For each of the n rows the cluster that it belongs to.
        level: Nominal coverage, in (0, 1).

    Returns:
        The interval, put together as that of `balanced_interval`, from the differences of both
        accuracies; None if a class has fewer than two clusters.
    """
    positive, called, other = (np.asarray(one, bool) for one in (labels, said, rule))
    if other.all() or not other.any():  # it reaches 0.5 on whatever rows
        return _above_half(balanced_interval(called, positive, groups, level=level))
    ahead = called.astype(np.float64) - other
    return _recovered(np.where(positive, ahead, -ahead), positive, groups, -1.0, level)


def _above_half(found: Interval | None) -> Interval | None:
    return found and replace(found, low=found.low - 0.5, high=found.high - 0.5)


def _recovered(
    values: Floats,
    positive: npt.NDArray[np.bool_],
    groups: Sequence[Hashable],
    low: float,
    level: float,
    *,
    share: float = 0.5,
) -> Interval | None:
    """Of the mean of two means, of the positive rows and of the others; values are low to 1.

    Either error is in it with that share.
    """
    rates, ends = [], []
    for side in (positive, ~positive):
        clusters = [groups[at] for at in np.flatnonzero(side).tolist()]
        found = mean_interval(values[side], groups=clusters, low=low, high=1.0, level=level)
        if found is None:
            return None
        rates.append(float(values[side].mean()))
        ends.append(found)
    below = share * hypot(*(rate - end.low for rate, end in zip(rates, ends, strict=True)))
    above = share * hypot(*(end.high - rate for rate, end in zip(rates, ends, strict=True)))
    middle = sum(rates) / 2
    bottom, top = max(middle - below, low), min(middle + above, 1.0)
    return Interval(bottom, top, level, f"recovered from {ends[0].method}")


def accuracy(said: Numbers, labels: Numbers) -> Statistic:
    """Share of rows on which both are the same, in [0, 1]."""
    return mean(np.asarray(said) == np.asarray(labels))


def pearson(a: Numbers, b: Numbers) -> Statistic:
    """Linear correlation, in [-1, 1]."""
    x, y = np.asarray(a, float), np.asarray(b, float)

    def value(weights: Floats) -> float:
        u, v = _away(x, weights), _away(y, weights)
        product, squares = float(weights @ (u * v)), float(weights @ (u * u))
        return ratio(product, float(np.sqrt(squares * (weights @ (v * v)))))

    return value


def _away(values: Floats, weights: Floats) -> Floats:
    """How far each value lies from the mean; 0 where only rounding parts the two."""
    away = values - ratio(float(weights @ values), float(weights.sum()))
    near = np.abs(away) <= _ROUNDING * float(np.abs(values).max(initial=0.0))
    return np.where(near, 0.0, away)


def spearman(a: Numbers, b: Numbers) -> Statistic:
    """Linear correlation of ranks, in [-1, 1]; equal values share their middle rank."""
    x, y = _ranks(a), _ranks(b)
    return lambda weights: pearson(x(weights), y(weights))(weights)


def _ranks(values: Numbers) -> Callable[[Floats], Floats]:
    _, place = np.unique(np.asarray(values, float), return_inverse=True)

    def ranked(weights: Floats) -> Floats:
        copies = np.bincount(place, weights)
        middle: Floats = (np.cumsum(copies) - copies / 2)[place]
        return middle

    return ranked


def kendall(a: Numbers, b: Numbers) -> Statistic:
    """Kendall's tau-b, in [-1, 1]. Weights are whole numbers."""
    x, y = np.asarray(a, float), np.asarray(b, float)

    def value(weights: Floats) -> float:
        from scipy.stats import kendalltau

        times = weights.astype(np.intp)
        return float(kendalltau(np.repeat(x, times), np.repeat(y, times)).statistic)

    return value


def pairwise_accuracy(scores: Numbers, labels: Numbers) -> Statistic:
    """Of pairs of rows with different labels the share that the scores put in the same order.

    Equal scores count half. In [0, 1]; chance reaches 0.5. With two labels it is the AUROC.
    Weights are whole numbers.
    """
    x, y = np.asarray(scores, float), np.asarray(labels, float)

    def value(weights: Floats) -> float:
        from scipy.stats import kendalltau

        times = weights.astype(np.intp)
        u, v = np.repeat(x, times), np.repeat(y, times)
        pairs, told = _pairs_apart(v), _pairs_apart(u)
        if not (pairs and told):
            return 0.5 if pairs else float("nan")
        # Somers' D from tau-b: the right pairs less the wrong ones, over the pairs that count.
        return (1 + float(kendalltau(u, v).statistic) * float(np.sqrt(told / pairs))) / 2

    return value


def _pairs_apart(values: Floats) -> int:
    """How many pairs of the values are not equal."""
    _, copies = np.unique(values, return_counts=True)
    return (len(values) ** 2 - int(copies @ copies)) // 2


def preference_accuracy(differences: Numbers, preferences: Numbers) -> Statistic:
    """Share of untied preferences that have the sign of the difference; no difference counts half.

    Args:
        differences: Shape (n,), the first answer's score less the second's.
        preferences: Shape (n,), 1 where people prefer the first, 0 the second, 0.5 neither.
    """
    found = np.asarray(differences, float)
    sign = np.sign(np.where(np.abs(found) < _ROUNDING, 0.0, found))
    wanted = np.sign(np.asarray(preferences) - 0.5)
    told = (wanted != 0).astype(float)
    right = (1 + sign * wanted) / 2 * told
    return lambda weights: ratio(float(weights @ right), float(weights @ told))


def mean(values: Numbers) -> Statistic:
    """The mean."""
    x = np.asarray(values, float)
    return lambda weights: ratio(float(weights @ x), float(weights.sum()))


def constant(value: float) -> Statistic:
    """A number that was measured on other rows."""
    return lambda _: float(value)


def best_threshold(
    scores: Numbers,
    labels: Numbers,
    measure: Callable[..., Statistic],
    weights: Floats | None = None,
) -> float:
    """The threshold (positive from it on) at which the measure is highest; midway between scores.

    Of equally good ones the middle one is taken: it is the least moved by the next row. Rows that
    stand for more or fewer have weights.
    """
    values = np.asarray(scores, float)
    counted = ones(len(values)) if weights is None else weights
    distinct = np.unique(values)
    tried = (distinct[1:] + distinct[:-1]) / 2 if len(distinct) > 1 else distinct
    if len(tried) > THRESHOLDS:
        tried = tried[np.linspace(0, len(tried) - 1, THRESHOLDS).round().astype(np.intp)]
    reached = np.array([measure(values >= t, labels)(counted) for t in tried])
    best = tried[reached >= np.nanmax(reached) - 1e-12]
    return float(best[len(best) // 2])
