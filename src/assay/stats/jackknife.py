"""Confidence intervals of any smooth statistic, by leaving out one cluster after the other."""

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import LEVEL, Interval, Statistic, cluster_numbers, value_of

# Clusters are left out one by one, or, where there are more, in so many blocks.
BLOCKS = 500
_SEED = 0
_LAST_DIGIT = 1e-12  # a smaller share of the range is the last digit of a sum


def jackknife_interval(
    statistic: Statistic,
    groups: Sequence[Hashable],
    *,
    low: float = 0.0,
    high: float = 1.0,
    normal: tuple[float, int] | None = None,
) -> Interval | None:
    """The 95 % confidence interval of a smooth statistic of known range.

    Every cluster is left out in turn; the standard error is taken to the logit of the share of the
    range, where the statistic is nearly normal, and Student's t gives the ends, with fewer degrees
    of freedom the more of the error is that of a few clusters. On small samples this covers where
    the percentile bootstrap does not.

    Args:
        statistic: A function of weights, shape (n,).
        groups: For each of the n rows the cluster that it belongs to.
        low: The least value the statistic can take.
        high: The greatest.
        normal: Of a correlation between -1 and 1: (c, m) where the variance of Fisher's z of n
            independent normal rows is c / (n - m). No sample shows that it is smaller: of skewed
            grades, most of which are one, few happen to lie where they would show.

    Returns:
        The interval; None if there are fewer than three clusters, if the value stands at an end of
        its range (nothing varies, so nothing is known of how it would), or if leaving one cluster
        out leaves it undefined.

    Source:
        Miller, Biometrika 61 (1974) 1, section 3 (the jackknife after a transformation);
        Satterthwaite, Biometrics Bull. 2 (1946) 110, for the degrees of freedom; Fisher,
        Metron 1 (1921) 3, and Fieller, Hartley & Pearson, Biometrika 44 (1957) 470, for `normal`.
    """
    block, n_units = _blocks(groups)
    value = value_of(statistic, len(block))
    if value is None or n_units < 3 or not low < value < high:
        return None
    left = np.array([statistic((block != unit).astype(np.float64)) for unit in range(n_units)])
    if not np.isfinite(left).all():
        return None
    away = left - left.mean()
    error = float(np.sqrt((n_units - 1) / n_units * (away @ away)))
    if error <= _LAST_DIGIT * (high - low):
        return None
    from scipy.special import expit, logit, stdtrit

    share = (value - low) / (high - low)
    error /= (high - low) * share * (1 - share)
    if normal is not None and len(block) > normal[1]:  # z is half the logit of the share
        error = max(error, 2 * float(np.sqrt(normal[0] / (len(block) - normal[1]))))
    kurtosis = n_units * float(np.sum(away**4)) / float(away @ away) ** 2
    freedom = min(n_units - 1.0, 2 * n_units / max(kurtosis - 1, _LAST_DIGIT))
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    ends = expit(logit(share) + np.array([-reach, reach])) * (high - low) + low
    return Interval(float(ends[0]), float(ends[1]), LEVEL, "jackknife on the logit scale")


def _blocks(groups: Sequence[Hashable]) -> tuple[npt.NDArray[np.intp], int]:
    """For each row the cluster, or block of clusters, that is left out with it."""
    cluster = cluster_numbers(groups)
    n = int(cluster.max(initial=-1)) + 1
    if n <= BLOCKS:
        return cluster, n
    mixed = np.random.default_rng(_SEED).permutation(n) % BLOCKS
    return mixed[cluster], BLOCKS
