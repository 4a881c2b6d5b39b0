"""How well do raters agree with each other, beyond what chance would make them?

Every function gives a `Statistic`: a function of weights, one an item (see `stats.weighted`).
"""

from typing import Literal, TypeAlias

import numpy as np

from assay.stats.weighted import Floats, Numbers, Statistic, ratio

Weighting: TypeAlias = Literal["nominal", "linear", "quadratic"]
Scale: TypeAlias = Literal["nominal", "ordinal", "interval"]
_ROUNDING = 1e-12
_POWER = {"nominal": 0, "linear": 1, "quadratic": 2}


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
    first, second = np.asarray(a, float), np.asarray(b, float)
    values, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    k = len(values)
    cell = place[: len(first)] * k + place[len(first) :]
    apart = _apart(values, weighting)

    def value(weights: Floats) -> float:
        table = np.bincount(cell, weights, minlength=k * k).reshape(k, k)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0))
        share = ratio(float((table * apart).sum() * table.sum()), float((expected * apart).sum()))
        return 1 - share

    return value


def _apart(values: Floats, weighting: Weighting) -> Floats:
    distance = np.abs(values[:, None] - values[None, :])
    return np.asarray((distance > 0) if weighting == "nominal" else distance ** _POWER[weighting])


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
    values, place = np.unique(table[~np.isnan(table)], return_inverse=True)
    counts = np.zeros((len(table), len(values)))
    np.add.at(counts, (np.nonzero(~np.isnan(table))[0], place), 1)
    raters = counts.sum(axis=1)
    counts[raters < 2] = 0
    scaled = 1 / np.maximum(raters - 1, 1)
    if scale == "interval":
        return _alpha_of_intervals(counts, values, scaled)

    def value(weights: Floats) -> float:
        each = weights * scaled
        met = (counts * each[:, None]).T @ counts - np.diag(each @ counts)
        totals = met.sum(axis=1)
        chance = (np.outer(totals, totals) - np.diag(totals)) / max(totals.sum() - 1, 1)
        apart = _order_apart(totals) if scale == "ordinal" else 1 - np.eye(len(values))
        return 1 - ratio(float((met * apart).sum()), float((chance * apart).sum()))

    return value


def _order_apart(totals: Floats) -> Floats:
    """Squared distance of every two values: how many ratings lie between them."""
    middle = np.cumsum(totals) - totals / 2
    return np.asarray(np.square(middle[:, None] - middle[None, :]))


def _alpha_of_intervals(counts: Floats, values: Floats, scaled: Floats) -> Statistic:
    # Sums of squared differences need no table of all pairs of values, of which there may be many.
    raters, sums, squares = counts.sum(axis=1), counts @ values, counts @ np.square(values)
    within = 2 * (raters * squares - np.square(sums)) * scaled

    def value(weights: Floats) -> float:
        n, total = float(weights @ raters), float(weights @ sums)
        most = n * float(weights @ squares)
        # Values that are all the same differ by rounding only: nothing is known of chance.
        apart = most - total**2 if most - total**2 > _ROUNDING * most else 0.0
        return 1 - ratio(float(weights @ within), 2 * apart / max(n - 1, 1))

    return value
