"""How far do people agree with each other? No metric can be asked for more."""

from collections.abc import Callable

import numpy as np

from assay.analysis.judged import Judged
from assay.stats import raters
from assay.stats.intervals import Floats, Statistic, value_of


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
