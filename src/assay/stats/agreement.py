"""Agreement of scores with labels.

Every measure is a `Statistic`: a function of weights, one a row; most know their interval. It is
NaN where the number is not defined, such as an AUROC of one class only. Arguments of one name mean
the same in all functions, each of shape (n,): `scores` are higher for what is more likely positive,
`predictions` say what was called positive, `labels` what is, `rule` holds the scores or calls of a
rule for the same rows, and `groups` the cluster of each row. `level` is the nominal coverage of an
interval, in (0, 1).
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from math import hypot
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import (
    LEVEL,
    Floats,
    Interval,
    Numbers,
    Statistic,
    WithInterval,
    effective_rows,
    mean_interval,
    ones,
    ratio,
)
from assay.stats.jackknife import jackknife_interval

Bools: TypeAlias = npt.NDArray[np.bool_]
_DRAWS, _STEP = 10_000, 1e-6
_CELLS = 25  # of a table of pairs for each row, beyond which counting takes longer than sorting
THRESHOLDS = 1_000  # so many are tried: more would move the one chosen by next to nothing
_ROUNDING = 1e-9  # what differs by less differs in the last digit only


def auroc(scores: Numbers, labels: Numbers) -> Statistic:
    """Chance that a positive scores above a negative; ties count half. In [0, 1]."""
    _, rank = np.unique(np.asarray(scores, float), return_inverse=True)
    positive = np.asarray(labels, bool)

    def value(weights: Floats) -> float:
        good = np.bincount(rank, weights * positive)
        bad = np.bincount(rank, weights * ~positive)
        below = np.cumsum(bad) - bad / 2
        return ratio(float(good @ below), float(good.sum() * bad.sum()))

    return WithInterval(value, partial(auroc_interval, scores, labels))


def _placements(scores: Floats, positive: npt.NDArray[np.bool_]) -> Floats:
    """Of each row the share of the other class that it stands on the right side of; ties half."""
    right = np.empty(len(scores))
    for side in (positive, ~positive):
        other_scores = np.sort(scores[~side])
        below = (
            np.searchsorted(other_scores, scores[side]),
            np.searchsorted(other_scores, scores[side], "right"),
        )
        right[side] = (below[0] + below[1]) / 2 / len(other_scores)
    return np.where(positive, right, 1 - right)


def auroc_interval(
    scores: Numbers, labels: Numbers, groups: Sequence[Hashable], *, level: float = LEVEL
) -> Interval | None:
    """The confidence interval of the AUROC, from how the rows of either class are placed.

    The AUROC is the mean placement of the positives, and that of the negatives: its error is the
    sum of theirs. The jackknife is too narrow where all of a small class are placed alike, as by a
    judge that says yes or no.

    Returns:
        The interval; None if a class has fewer than two clusters, or all scores are the same.

    Source:
        DeLong et al., Biometrics 44 (1988) 837, for the placements; Zou & Donner (as below).
    """
    x, positive = np.asarray(scores, float), np.asarray(labels, bool)
    if positive.all() or not positive.any() or x.min() == x.max():
        return None
    return _recovered(_placements(x, positive), positive, groups, 0.0, level, share=1.0)


def auroc_lead(
    scores: Numbers,
    rule: Numbers,
    labels: Numbers,
    groups: Sequence[Hashable],
    *,
    level: float = LEVEL,
) -> Interval | None:
    """The confidence interval of how far one AUROC lies above that of a rule.

    Returns:
        The interval, put together as that of `auroc_interval`, from the differences of placements.
    """
    positive = np.asarray(labels, bool)
    x, rule_scores = np.asarray(scores, float), np.asarray(rule, float)
    if (
        positive.all() or not positive.any() or rule_scores.min() == rule_scores.max()
    ):  # it reaches 0.5
        return _rescaled_above_half(auroc_interval(x, positive, groups, level=level))
    lead = _placements(x, positive) - _placements(rule_scores, positive)
    return _recovered(lead, positive, groups, -1.0, level, share=1.0)


def average_precision(scores: Numbers, labels: Numbers) -> Statistic:
    """Area under the precision-recall curve as a step function, in [0, 1].

    Precision at each threshold, weighted by the recall that it adds. What chance reaches is the
    share of positives.
    """
    _, rank = np.unique(-np.asarray(scores, float), return_inverse=True)
    positive = np.asarray(labels, bool)

    def value(weights: Floats) -> float:
        good = np.bincount(rank, weights * positive)
        n_predicted = np.cumsum(np.bincount(rank, weights))
        precision = np.divide(
            np.cumsum(good), n_predicted, out=np.zeros_like(n_predicted), where=n_predicted > 0
        )
        return ratio(float(good @ precision), float(good.sum()))

    return value


def f1(predictions: Numbers, labels: Numbers) -> Statistic:
    """F1 of what was said to be positive, in [0, 1]."""
    positive, predicted = np.asarray(labels, bool), np.asarray(predictions, bool)
    value = micro_f1(positive & predicted, predicted, positive)
    return WithInterval(value, partial(verdicts_interval, f1_of_table, predicted, positive))


def micro_f1(hits: Numbers, predictions: Numbers, labelled: Numbers) -> Statistic:
    """F1 over counts: each row adds its hits, what was said in it and what is labelled in it."""
    h, s, g = (np.asarray(counts, float) for counts in (hits, predictions, labelled))

    def value(weights: Floats) -> float:
        return ratio(2 * float(weights @ h), float(weights @ s + weights @ g))

    return WithInterval(value, partial(jackknife_interval, value))


def macro_f1(predictions: Sequence[str], labels: Sequence[str]) -> Statistic:
    """Mean of the F1 of every class that is labelled, in [0, 1]."""
    predicted, truth = np.asarray(predictions), np.asarray(labels)
    class_f1 = [f1(predicted == name, truth == name) for name in sorted(set(labels))]

    def value(weights: Floats) -> float:
        return float(np.mean([statistic(weights) for statistic in class_f1]))

    return WithInterval(value, partial(jackknife_interval, value))


def balanced(predictions: Numbers, labels: Numbers) -> Statistic:
    """Mean of the accuracies on positives and on negatives, in [0, 1]; chance reaches 0.5."""
    positive, predicted = np.asarray(labels, bool), np.asarray(predictions, bool)

    def value(weights: Floats) -> float:
        good, bad = weights * positive, weights * ~positive
        caught = ratio(float(good @ predicted), float(good.sum()))
        passed = ratio(float(bad @ ~predicted), float(bad.sum()))
        return (caught + passed) / 2

    return WithInterval(value, partial(balanced_interval, predicted, positive))


def balanced_interval(
    predictions: Numbers, labels: Numbers, groups: Sequence[Hashable]
) -> Interval | None:
    """The 95 % confidence interval of the balanced accuracy, from those of its two accuracies.

    The jackknife of the whole is too narrow where all of a small class are called rightly; an
    interval of a proportion is not.

    Returns:
        The interval; None if a class has fewer than two clusters.

    Source:
        Zou & Donner, Stat. Med. 27 (2008) 1693 (method of variance estimates recovery).
    """
    positive, predicted = np.asarray(labels, bool), np.asarray(predictions, bool)
    right = np.where(positive, predicted, ~predicted).astype(np.float64)
    return _recovered(right, positive, groups, 0.0, LEVEL)


def balanced_lead(
    predictions: Numbers,
    rule: Numbers,
    labels: Numbers,
    groups: Sequence[Hashable],
) -> Interval | None:
    """The 95 % confidence interval of how far one balanced accuracy lies above that of a rule.

    Returns:
        The interval, put together as that of `balanced_interval`, from the differences of both
        accuracies; None if a class has fewer than two clusters.
    """
    positive, predicted, by_rule = (
        np.asarray(column, bool) for column in (labels, predictions, rule)
    )
    if by_rule.all() or not by_rule.any():  # it reaches 0.5 on whatever rows
        return _rescaled_above_half(balanced_interval(predicted, positive, groups))
    lead = predicted.astype(np.float64) - by_rule
    return _recovered(np.where(positive, lead, -lead), positive, groups, -1.0, LEVEL)


def f1_of_table(called: Bools, positive: Bools, shares: Floats) -> Floats:
    """F1 of tables of what was called positive and what is; shares of their cells: (..., cells)."""
    f1_values: Floats = 2 * (shares @ (called & positive)) / (shares @ called + shares @ positive)
    return f1_values


def kappa_of_table(called: Bools, positive: Bools, shares: Floats) -> Floats:
    """Cohen's kappa of such tables; the shares of each are of sum 1."""
    p, q = shares @ called, shares @ positive
    expected = p * (1 - q) + q * (1 - p)
    kappas: Floats = 1 - (shares @ (called != positive)) / expected
    return kappas


def verdicts_interval(
    measure: Callable[[Bools, Bools, Floats], Floats],
    predictions: Numbers,
    labels: Numbers,
    groups: Sequence[Hashable],
    *,
    rule: Numbers | None = None,
    weights: Floats | None = None,
) -> Interval | None:
    """The 95 % interval of a measure of a table of yes and no, or of how far it is above a rule's.

    Where few are of one class, as where nearly all answers are good, the jackknife is too narrow,
    too wide or impossible. The shares of the table's cells have Jeffreys' prior instead; clusters
    count as so many rows as they leave the measure as uncertain as.

    Args:
        measure: `f1_of_table` or `kappa_of_table`.
        predictions: What was called positive.
        labels: What is.
        groups: The cluster of each row.
        rule: What a rule called positive, whose measure is taken off.
        weights: Shape (n,), above 0: how many rows each stands for; None if for as many as any.

    Returns:
        The interval; None if the rows are of one class or of one cluster.

    Source:
        Basu, Banerjee & Sen, Biometrics 56 (2000) 577, for kappa.
    """
    tables = [labels, predictions] if rule is None else [labels, predictions, rule]
    columns = [np.asarray(table, bool) for table in tables]
    if columns[0].all() or not columns[0].any() or len(set(groups)) < 2:
        return None
    cells = np.arange(2 ** len(columns))
    positive, predicted, *rule_called = (
        (cells >> bit & 1).astype(bool) for bit in range(len(columns))
    )

    def of(table: Floats) -> Floats:
        shares = table / table.sum(axis=-1, keepdims=True)
        value = measure(predicted, positive, shares)
        return value - measure(rule_called[0], positive, shares) if rule_called else value

    cell = (2 ** np.arange(len(columns)) @ np.array(columns)).astype(np.intp)
    counts = np.bincount(cell, weights, len(cells)).astype(np.float64)
    counts /= counts.sum()
    prior = 2 / len(cells)  # two rows in all, half a row in each of four cells
    smooth = counts + prior / len(cell)
    slopes = (of(smooth + _STEP * np.eye(len(cells))) - of(smooth)) / _STEP
    rows = effective_rows(slopes[cell], groups, weights)
    drawn = of(np.random.default_rng(0).dirichlet(counts * rows + prior, _DRAWS))
    low, high = np.percentile(drawn, [2.5, 97.5])
    value = float(of(counts))
    return Interval(min(float(low), value), max(float(high), value), LEVEL, "Jeffreys' prior")


def _rescaled_above_half(interval: Interval | None) -> Interval | None:
    return interval and replace(interval, low=interval.low - 0.5, high=interval.high - 0.5)


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
        clusters = [groups[index] for index in np.flatnonzero(side).tolist()]
        interval = mean_interval(values[side], groups=clusters, low=low, high=1.0, level=level)
        if interval is None:
            return None
        rates.append(float(values[side].mean()))
        ends.append(interval)
    below = share * hypot(*(rate - end.low for rate, end in zip(rates, ends, strict=True)))
    above = share * hypot(*(end.high - rate for rate, end in zip(rates, ends, strict=True)))
    middle = sum(rates) / 2
    bottom, top = max(middle - below, low), min(middle + above, 1.0)
    return Interval(bottom, top, level, f"recovered from {ends[0].method}")


def pearson(a: Numbers, b: Numbers) -> Statistic:
    """Linear correlation, in [-1, 1]."""
    x, y = np.asarray(a, float), np.asarray(b, float)

    def value(weights: Floats) -> float:
        u, v = _deviations(x, weights), _deviations(y, weights)
        product, squares = float(weights @ (u * v)), float(weights @ (u * u))
        return ratio(product, float(np.sqrt(squares * (weights @ (v * v)))))

    # The variance of Fisher's z is about 1 / (n - 3).
    jackknife = partial(jackknife_interval, value, low=-1.0, normal=(1.0, 3))
    return WithInterval(value, jackknife)


def _deviations(values: Floats, weights: Floats) -> Floats:
    """How far each value lies from the mean; 0 where only rounding parts the two."""
    away = values - ratio(float(weights @ values), float(weights.sum()))
    negligible = np.abs(away) <= _ROUNDING * float(np.abs(values).max(initial=0.0))
    return np.where(negligible, 0.0, away)


def spearman(a: Numbers, b: Numbers) -> Statistic:
    """Linear correlation of ranks, in [-1, 1]; equal values share their middle rank."""
    x, y = _ranks(a), _ranks(b)
    return lambda weights: pearson(x(weights), y(weights))(weights)


def _ranks(values: Numbers) -> Callable[[Floats], Floats]:
    _, rank = np.unique(np.asarray(values, float), return_inverse=True)

    def ranked(weights: Floats) -> Floats:
        copies = np.bincount(rank, weights)
        middle: Floats = (np.cumsum(copies) - copies / 2)[rank]
        return middle

    return ranked


def kendall(a: Numbers, b: Numbers) -> Statistic:
    """Kendall's tau-b, in [-1, 1]. Weights are whole numbers."""
    surplus, x, y = _surplus(a, b), _unequal_pairs(a), _unequal_pairs(b)
    return lambda weights: ratio(surplus(weights), float(np.sqrt(x(weights) * y(weights))))


def pairwise_accuracy(scores: Numbers, labels: Numbers) -> Statistic:
    """Of pairs of rows with different labels the share that the scores put in the same order.

    Equal scores count half. In [0, 1]; chance reaches 0.5. With two labels it is the AUROC.
    Weights are whole numbers.
    """
    surplus, pairs = _surplus(scores, labels), _unequal_pairs(labels)
    return lambda weights: (1 + ratio(surplus(weights), pairs(weights))) / 2


def _surplus(a: Numbers, b: Numbers) -> Statistic:
    """How many more pairs of rows are in the same order in both than in the opposite one."""
    levels, i = np.unique(np.asarray(a, float), return_inverse=True)
    grades, j = np.unique(np.asarray(b, float), return_inverse=True)
    shape = len(levels), len(grades)

    def counted(weights: Floats) -> float:
        table = np.bincount(i * shape[1] + j, weights, shape[0] * shape[1]).reshape(shape)
        below = np.cumsum(table, axis=0) - table
        up_to = np.cumsum(below, axis=1)
        return float(np.sum(table * (2 * up_to - below - up_to[:, -1:])))

    def compiled(weights: Floats) -> float:
        from scipy.stats import kendalltau

        times = weights.astype(np.intp)
        tau = float(kendalltau(np.repeat(i, times), np.repeat(j, times)).statistic)
        pairs = _unequal_pairs(i)(weights) * _unequal_pairs(j)(weights)
        return tau * float(np.sqrt(pairs)) if pairs else 0.0

    # A table takes a tenth of the time where one of the two has few values, as people's grades do.
    return counted if shape[0] * shape[1] <= _CELLS * len(i) else compiled


def _unequal_pairs(values: Numbers) -> Statistic:
    """How many pairs of the values are not equal."""
    _, inverse = np.unique(np.asarray(values, float), return_inverse=True)

    def pairs(weights: Floats) -> float:
        copies = np.bincount(inverse, weights)
        return float(copies.sum() ** 2 - copies @ copies) / 2

    return pairs


def preference_accuracy(differences: Numbers, preferences: Numbers) -> Statistic:
    """Share of untied preferences that have the sign of the difference; no difference counts half.

    Args:
        differences: Shape (n,), the first answer's score less the second's.
        preferences: Shape (n,), 1 where people prefer the first, 0 the second, 0.5 neither.
    """
    right = preferences_met(differences, preferences)
    untied = (~np.isnan(right)).astype(float)
    met = np.nan_to_num(right)
    return lambda weights: ratio(float(weights @ met), float(weights @ untied))


def preferences_met(differences: Numbers, preferences: Numbers) -> Floats:
    """Of each preference whether the difference has its sign, 1, 0 or one half; NaN of a tie.

    Args:
        differences: As in `preference_accuracy`.
        preferences: Likewise.
    """
    x = np.asarray(differences, float)
    sign = np.sign(np.where(np.abs(x) < _ROUNDING, 0.0, x))
    preferred = np.sign(np.asarray(preferences) - 0.5)
    met: Floats = np.where(preferred == 0, np.nan, (1 + sign * preferred) / 2)
    return met


def mean(values: Numbers) -> Statistic:
    """The mean; its interval is that of shares, in [0, 1]."""
    x = np.asarray(values, float)

    def value(weights: Floats) -> float:
        return ratio(float(weights @ x), float(weights.sum()))

    return WithInterval(value, lambda groups: mean_interval(x, groups=groups, low=0.0, high=1.0))


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
    candidates = (distinct[1:] + distinct[:-1]) / 2 if len(distinct) > 1 else distinct
    if len(candidates) > THRESHOLDS:
        picked = np.linspace(0, len(candidates) - 1, THRESHOLDS).round().astype(np.intp)
        candidates = candidates[picked]
    reached = np.array([measure(values >= t, labels)(counted) for t in candidates])
    best = candidates[reached >= np.nanmax(reached) - 1e-12]
    return float(best[len(best) // 2])
