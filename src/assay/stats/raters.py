"""Agreement of raters with each other, and of repeated measurements.

The coefficients are `Statistic`s: functions of weights, one an item.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import (
    LEVEL,
    Floats,
    Interval,
    Numbers,
    Statistic,
    effective_rows,
    ratio,
    value_of,
)

Weighting: TypeAlias = Literal["nominal", "linear", "quadratic"]
Scale: TypeAlias = Literal["nominal", "ordinal", "interval"]
_ROUNDING = 1e-12
_DRAWS, _STEP = 500, 1e-4


def cohen_kappa(a: Numbers, b: Numbers, weighting: Weighting = "nominal") -> Statistic:
    """Cohen's kappa of two raters, at most 1; chance reaches 0.

    Args:
        a: Shape (n,), what the first said, as numbers.
        b: Shape (n,), what the second said.
        weighting: Whether any disagreement is as bad as another ("nominal"), or as bad as the
            values lie apart ("linear") or the square of that ("quadratic").

    Source:
        Cohen, Educ. Psychol. Meas. 20 (1960) 37; Psychol. Bull. 70 (1968) 213.
    """
    values, inverse = np.unique(np.concatenate([a, b]).astype(float), return_inverse=True)
    first, second = inverse[: len(a)], inverse[len(a) :]
    steps, distance = np.diff(values), np.abs(values[first] - values[second])
    distance = (
        distance**2
        if weighting == "quadratic"
        else distance
        if weighting == "linear"
        else distance > 0
    )
    away = values - values[:1]

    def value(weights: Floats) -> float:
        # By sums over values: a table of all pairs of them would be too large for fine grades.
        p, q = (np.bincount(side, weights, minlength=len(values)) for side in (first, second))
        if weighting == "nominal":
            expected = float(p.sum() * q.sum() - p @ q)
        elif weighting == "linear":
            below, under = np.cumsum(p)[:-1], np.cumsum(q)[:-1]
            expected = float(steps @ (below * (q.sum() - under) + under * (p.sum() - below)))
        else:
            squares = float(p @ away**2 * q.sum() + q @ away**2 * p.sum())
            expected = squares - 2 * float(p @ away) * float(q @ away)
            expected = expected if expected > _ROUNDING * squares else 0.0
        return 1 - ratio(float(weights @ distance) * float(weights.sum()), expected)

    return value


def fleiss_kappa(counts: Numbers) -> Statistic:
    """Fleiss' kappa of several raters, as many for each item, at most 1; chance reaches 0.

    Args:
        counts: Shape (n, k), how many raters put each item into each category.

    Raises:
        ValueError: If items have different numbers of raters, or fewer than two.

    Source:
        Fleiss, Psychol. Bull. 76 (1971) 378.
    """
    table = np.asarray(counts, float)
    raters = table.sum(axis=1)
    if len(table) and (raters.min() != raters.max() or raters[0] < 2):
        raise ValueError("every item needs the same number of raters, two or more")
    m = float(raters[0]) if len(raters) else 0.0
    agreed = (np.square(table).sum(axis=1) - m) / (m * (m - 1)) if len(table) else raters

    def value(weights: Floats) -> float:
        total = float(weights.sum())
        shares = weights @ table / (total * m) if total else np.zeros(table.shape[1])
        chance = float(np.square(shares).sum())
        return ratio(ratio(float(weights @ agreed), total) - chance, 1 - chance)

    return value


def krippendorff_alpha(ratings: Numbers, scale: Scale = "nominal") -> Statistic:
    """Krippendorff's alpha of any number of raters who may have left items out; at most 1.

    Args:
        ratings: Shape (n items, raters), NaN where a rater said nothing. Items with one rating say
            nothing of agreement.
        scale: What values mean: names, an order, or a scale with equal steps.

    Source:
        Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).
    """
    table = np.asarray(ratings, float)
    # Items with one rating say nothing of agreement.
    row, rater = np.nonzero(~np.isnan(table) & (np.sum(~np.isnan(table), axis=1) > 1)[:, None])
    values, inverse = np.unique(table[row, rater], return_inverse=True)
    raters = np.bincount(row, minlength=len(table)).astype(np.float64)
    scaled = 1 / np.maximum(raters - 1, 1)

    def value(weights: Floats) -> float:
        row_weights = weights[row]
        if scale == "nominal":
            return _alpha_of_names(row, inverse, row_weights, scaled, len(values))
        total = np.bincount(inverse, row_weights, minlength=len(values))
        # Of an order two values lie as far apart as there are ratings between them.
        positions = np.cumsum(total) - total / 2 if scale == "ordinal" else values
        x = (positions - positions[0])[inverse] if len(positions) else positions
        sums, squares = np.bincount(row, x, len(table)), np.bincount(row, x * x, len(table))
        within = 2 * float(weights @ ((raters * squares - np.square(sums)) * scaled))
        n, largest = float(total.sum()), float(total.sum() * (row_weights @ (x * x)))
        # Values that are all the same differ by rounding only: nothing is known of chance.
        between = largest - float(row_weights @ x) ** 2
        between = between if between > _ROUNDING * largest else 0.0
        return 1 - ratio(within, 2 * between / max(n - 1, 1))

    return value


def _alpha_of_names(
    row: npt.NDArray[np.intp],
    inverse: npt.NDArray[np.intp],
    row_weights: Floats,
    scaled: Floats,
    k: int,
) -> float:
    """Krippendorff's alpha where any two values lie as far apart as any others."""
    raters, total = (
        np.bincount(row, minlength=len(scaled)),
        np.bincount(inverse, row_weights, minlength=k),
    )
    cell, copies = np.unique(row * k + inverse, return_counts=True)
    cell_row = cell // max(k, 1)
    weight = np.zeros(len(scaled))
    weight[row] = row_weights
    pairs = float((weight * scaled) @ (raters * (raters - 1)))
    agreeing = float((weight * scaled)[cell_row] @ (copies * (copies - 1)))
    n = float(total.sum())
    chance = (n * n - float(total @ total)) / max(n - 1, 1)
    return 1 - ratio(pairs - agreeing, chance)


def two_values_interval(
    measure: Callable[[Floats], Statistic], ratings: Floats, groups: Sequence[Hashable]
) -> Interval | None:
    """The 95 % interval of an agreement of raters who all say one of two things.

    Where raters nearly always agree, or nearly always say the same, the jackknife is far too
    narrow, or impossible. The shares of the ways to rate an item have a prior instead that weighs
    two items: half an item each that all call one thing and that all call the other, and one item
    on which one rater is alone. Of two raters that is Jeffreys' prior of their table. Clusters
    count as so many items as they leave the measure as uncertain as.

    Args:
        measure: From ratings to the statistic.
        ratings: Shape (n items, raters), two values at most, NaN where a rater said nothing.
        groups: The cluster of each item.

    Returns:
        The interval; None if no item has two ratings, if all ratings are the same, if the items
        are of one cluster, or if the measure is not defined.

    Source:
        Basu, Banerjee & Sen, Biometrics 56 (2000) 577, for two raters.
    """
    rated = np.flatnonzero(np.sum(~np.isnan(ratings), axis=1) > 1)
    table, clusters = ratings[rated], [groups[row] for row in rated.tolist()]
    values = np.unique(table[~np.isnan(table)])
    if len(values) < 2 or len(set(clusters)) < 2 or value_of(measure(table), len(table)) is None:
        return None
    patterns, pattern_of = np.unique(np.nan_to_num(table, nan=-1.0), axis=0, return_inverse=True)
    patterns = np.where(patterns == -1.0, np.nan, patterns)
    made_up, prior = _made_up(table.shape[1], values)
    statistic = measure(np.concatenate([patterns, made_up]))
    n, pattern_of = len(table), pattern_of.reshape(-1)
    counts = np.concatenate([np.bincount(pattern_of), np.zeros(len(prior))])
    base = counts + np.concatenate([np.zeros(len(patterns)), prior])
    value, middle = float(statistic(counts)), statistic(base)
    slopes = np.array(
        [statistic(base + n * _STEP * step) - middle for step in np.eye(len(base))[: len(patterns)]]
    )
    items = effective_rows(slopes[pattern_of], clusters)
    mass = counts * items / n + (base - counts)
    draws = np.random.default_rng(0).dirichlet(mass[mass > 0], _DRAWS) * mass.sum()
    weights = np.zeros((_DRAWS, len(mass)))
    weights[:, mass > 0] = draws
    drawn = np.array([statistic(row) for row in weights])
    low, high = np.nanpercentile(drawn, [100 * (1 - LEVEL) / 2, 100 * (1 + LEVEL) / 2])
    return Interval(min(float(low), value), max(float(high), value), LEVEL, "Jeffreys' prior")


def _made_up(raters: int, values: Floats) -> tuple[Floats, Floats]:
    """The items that the prior adds, shape (2 + 2 raters, raters), and the weight of each."""
    alike = np.repeat(values[:, None], raters, axis=1)
    alone = np.where(np.eye(raters, dtype=bool), alike[:, None, :], alike[::-1, None, :])
    share = np.full(2 * raters, 1 / (2 * raters))
    return np.concatenate([alike, *alone]), np.concatenate([[0.5, 0.5], share])


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
    present = ~np.isnan(values)
    n = present.sum(axis=1)
    freedom = int(np.maximum(n - 1, 0).sum())
    if not freedom:
        return None
    filled = np.where(present, values, 0.0)
    means = filled.sum(axis=1) / np.maximum(n, 1)
    squares = np.where(present, (filled - means[:, None]) ** 2, 0.0).sum()
    return math.sqrt(float(squares) / freedom)


def within_freedom(values: npt.NDArray[np.float64]) -> float | None:
    """The degrees of freedom of `within_sd`: fewer where a few things vary most.

    Args:
        values: As for `within_sd`.

    Returns:
        From 1 to the number of repetitions beyond the first of each thing; None if there are none.

    Source:
        Satterthwaite, Biometrics Bull. 2 (1946) 110.
    """
    repeated = values[(~np.isnan(values)).sum(axis=1) > 1]
    if not len(repeated):
        return None
    freedom = (~np.isnan(repeated)).sum(axis=1) - 1
    squares = freedom * np.nanvar(repeated, axis=1, ddof=1)
    away = squares - freedom * squares.sum() / freedom.sum()
    spread = float(away @ away) * len(away) / max(len(away) - 1, 1)
    most = float(freedom.sum())
    return max(1.0, min(most, 2 * float(squares.sum()) ** 2 / spread)) if spread else most


def disagreement(labels: Sequence[Hashable]) -> float | None:
    """The share of pairs of verdicts on one thing that differ: how likely the next one flips.

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
    gains = across - within
    sums = np.zeros(1)
    for gain in gains:
        sums = (sums[:, None] + gain[None, :]).ravel()
    return float(np.mean(sums >= gains[:, 0].sum() - 1e-9))
