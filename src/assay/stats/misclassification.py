"""True shares behind the verdicts of a judge whose errors were measured on labelled samples.

`true_share`: Rogan and Gladen, Am. J. Epidemiol. 107 (1978) 71; interval: Lang and Reiczigel, Prev.
Vet. Med. 113 (2014) 13, equations of their section 2. Where samples were checked with unequal
chances, each counts by 1 / its chance (Hájek, in Godambe and Sprott, Foundations of Statistical
Inference, 1971, p. 236), and the counts are scaled to Kish's effective n.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import LEVEL, Interval, cluster_numbers, effective_n, kish_n

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Checked:
    """How a judge did on samples whose truth is known.

    Where samples count differently, these are no whole numbers: as many equal samples as would tell
    as much (Kish).
    """

    positives: float  # samples that are truly positive
    hits: float  # how many of them the judge called positive
    negatives: float  # samples that are truly negative
    rejections: float  # how many of them the judge called negative

    @classmethod
    def of(cls, pairs: Sequence[tuple[bool, bool]], weights: Floats | None = None) -> "Checked":
        """Count (whether the judge called it positive, whether it is) of each sample.

        Args:
            pairs: The samples.
            weights: Shape (n,), above 0: how much each counts, such as 1 / its chance of having
                been checked; None if all count the same.
        """
        if weights is not None:
            predicted, true = np.array(pairs, dtype=bool).reshape(-1, 2).T
            positives, hits = _weighted_counts(predicted[true], weights[true])
            negatives, rejections = _weighted_counts(~predicted[~true], weights[~true])
            return cls(positives, hits, negatives, rejections)
        return cls(
            positives=sum(true for _, true in pairs),
            hits=sum(predicted and true for predicted, true in pairs),
            negatives=sum(not true for _, true in pairs),
            rejections=sum(not predicted and not true for predicted, true in pairs),
        )

    def __str__(self) -> str:
        good_in_words = f"{self.hits:.3g} of {self.positives:.3g} good ones are called good"
        return f"{good_in_words}, {self.rejections:.3g} of {self.negatives:.3g} bad ones bad"

    @property
    def sensitivity(self) -> float | None:
        """Share of the positives that are called so; None without any."""
        return self.hits / self.positives if self.positives else None

    @property
    def specificity(self) -> float | None:
        """Share of the negatives that are called so; None without any."""
        return self.rejections / self.negatives if self.negatives else None


@dataclass(frozen=True, slots=True)
class TrueShare:
    """A share of positives, freed of the judge's errors."""

    estimate: float  # the share, 0..1
    interval: Interval  # its confidence interval
    apparent: float  # the share that the judge called positive
    sensitivity: float  # of the judge
    specificity: float  # of the judge
    # Whether it is known with which probability each sample was chosen to be checked; if not, they
    # are taken for a simple random choice.
    by_probability: bool = False
    # Whether these probabilities are those of more samples than were checked: the estimate is then
    # off.
    cut_short: bool = False


@dataclass(frozen=True, slots=True)
class Clustered:
    """What samples tell that come in groups, beside their counts."""

    verdicts: float  # independent samples that would tell as much as those the judge alone has seen
    positives: float  # likewise of the checked samples that are truly positive
    negatives: float  # likewise of those that are truly negative
    # Of the errors of sensitivity and specificity, -1..1: where a group makes the judge lenient, it
    # is below 0.
    correlation: float = 0.0
    freedom: float = math.inf  # degrees of freedom of the spread of the groups


def clustered(
    verdicts: Sequence[bool],
    groups: Sequence[Hashable],
    checked: Sequence[tuple[bool, bool]],
    checked_groups: Sequence[Hashable],
    weights: Floats | None = None,
) -> Clustered:
    """How much less samples tell than as many independent ones.

    Args:
        verdicts: Of each sample whether the judge called it positive, one at least.
        groups: For each the cluster that it belongs to.
        checked: Of each checked sample (whether the judge called it positive, whether it is), as
            in `Checked.of`; positives and negatives among them.
        checked_groups: For each the cluster that it belongs to. Clusters of the same name in both
            are taken as others: a judge that is lenient on one errs alike in both, so the interval
            is rather too wide.
        weights: Of each checked sample how much it counts, as in `Checked.of`.
    """
    right = np.array([predicted == true for predicted, true in checked])
    positive = np.array([true for _, true in checked])
    n, freedom = effective_n(verdicts, groups)
    cluster = cluster_numbers(checked_groups)
    independent, errors = [], []
    for side in (positive, ~positive):
        of_side = None if weights is None else weights[side]
        independent.append(effective_n(right[side], cluster[side].tolist(), of_side)[0])
        away = right[side] - np.average(right[side], weights=of_side)
        away = away if of_side is None else of_side * away
        errors.append(np.bincount(cluster[side], away, minlength=int(cluster.max()) + 1))
    _, of_checked = effective_n(right, cluster.tolist(), weights)
    size = math.sqrt(float(errors[0] @ errors[0]) * float(errors[1] @ errors[1]))
    correlation = float(errors[0] @ errors[1]) / size if size else 0.0
    return Clustered(n, independent[0], independent[1], correlation, min(freedom, of_checked))


def true_share(
    positive: int,
    n: int,
    checked: Checked,
    *,
    groups: Clustered | None = None,
    level: float = LEVEL,
) -> TrueShare | None:
    """The true share of positives among samples that only the judge has seen.

    It holds if the judge errs here as often as it did where it was checked, among positives and
    among negatives; how many of each there were may differ. The checked samples are not among
    the n.

    Args:
        positive: How many samples the judge called positive.
        n: Of how many, over 0.
        checked: How it did where the truth is known.
        groups: What the samples tell if they come in groups; None if all are independent. The
            counts of the interval are then scaled to as many independent samples, its quantile is
            Student's, and the two error rates are not taken as independent.
        level: Nominal coverage, in (0, 1).

    Returns:
        The share; None if there were no positives or no negatives to check it on, or if it is no
        better than chance (sensitivity + specificity <= 1), be it only once the interval has added
        a success and a failure to each: then its verdicts tell nothing.
    """
    sensitivity, specificity = checked.sensitivity, checked.specificity
    if sensitivity is None or specificity is None or sensitivity + specificity <= 1:
        return None
    sizes = groups or Clustered(n, checked.positives, checked.negatives)
    apparent = positive / n
    estimate = (apparent + specificity - 1) / (sensitivity + specificity - 1)
    interval = _lang_reiczigel(apparent, sensitivity, specificity, sizes, level)
    if interval is None:
        return None
    return TrueShare(_clipped(estimate), interval, apparent, sensitivity, specificity)


def _lang_reiczigel(
    apparent: float, sensitivity: float, specificity: float, sizes: Clustered, level: float
) -> Interval | None:
    from scipy.special import ndtri, stdtrit

    tail = (1 + level) / 2
    z = float(ndtri(tail) if sizes.freedom == math.inf else stdtrit(sizes.freedom, tail))
    # "Add two successes and two failures" to the verdicts, one and one to each error rate.
    n_all, n_pos, n_neg = sizes.verdicts + z * z, sizes.positives + 2, sizes.negatives + 2
    p = (apparent * sizes.verdicts + z * z / 2) / n_all
    se = (sensitivity * sizes.positives + 1) / n_pos
    sp = (specificity * sizes.negatives + 1) / n_neg
    youden = se + sp - 1
    if youden <= 0:
        return None
    middle = (p + sp - 1) / youden
    of_se, of_sp = se * (1 - se) / n_pos, sp * (1 - sp) / n_neg
    covariance = sizes.correlation * math.sqrt(of_se * of_sp)
    shift = 2 * z * z * (middle * of_se - (1 - middle) * of_sp)
    variance = p * (1 - p) / n_all + middle**2 * of_se + (1 - middle) ** 2 * of_sp
    variance -= 2 * middle * (1 - middle) * covariance
    away = z * math.sqrt(max(variance, 0.0)) / youden
    low, high = _clipped(middle + shift - away), _clipped(middle + shift + away)
    method = "Lang-Reiczigel" + ("" if sizes.freedom == math.inf else ", groups")
    return Interval(low, high, level, method)


def _weighted_counts(hits: npt.NDArray[np.bool_], weights: Floats) -> tuple[float, float]:
    """(effective n, as many of them as the weighted share of hits)."""
    n = kish_n(weights)
    return n, n * float(np.average(hits, weights=weights)) if n else 0.0


def _clipped(share: float) -> float:
    return min(max(share, 0.0), 1.0)


_DRAWS: Final = 2000
_GRID: Final = 100
_SEED: Final = 0
_PRIOR: Final = 0.5  # Jeffreys' prior of each rate


@dataclass(frozen=True, slots=True)
class Estimate:
    """A count that is not known, with its 95 % credible interval."""

    value: float
    low: float
    high: float


def bad_among(
    counts: tuple[int, ...], bad: tuple[float, ...], good: tuple[float, ...]
) -> tuple[tuple[Estimate, ...], Estimate]:
    """How many of the cases of each class are bad.

    A judge puts cases into classes (flagged, uncertain, passed). Labelled cases say how it does
    that with bad ones and with good ones; that it does the same here is assumed. The share of bad
    ones here has Jeffreys' prior, since a uniform one takes a few in a hundred for too unlikely;
    Dirichlet posteriors carry how little the labelled ones tell (the misclassification model of
    Rogan and Gladen 1978, in its Bayesian form).

    Args:
        counts: Cases of each class here.
        bad: Labelled bad cases of each class; fractions where rows of one source count for less.
        good: Labelled good cases of each class.

    Returns:
        How many are bad in each class, and in all.
    """
    chance = np.random.default_rng(_SEED)
    of_bad = chance.dirichlet(np.array(bad) + _PRIOR, _DRAWS)
    of_good = chance.dirichlet(np.array(good) + _PRIOR, _DRAWS)
    share = np.sin(np.pi / 2 * (np.arange(_GRID) + 0.5) / _GRID) ** 2  # as likely one as another
    mixed = share[None, :, None] * of_bad[:, None, :]
    mixed = mixed + (1 - share)[None, :, None] * of_good[:, None, :]
    log = (np.array(counts) * np.log(mixed)).sum(axis=2)
    weight = np.exp(log - log.max())
    cumulated = np.cumsum(weight.ravel())
    picked = np.searchsorted(cumulated, chance.random(_DRAWS) * cumulated[-1])
    draw, grid_point = np.divmod(picked, _GRID)
    odds = share[grid_point, None] * of_bad[draw]
    chance_bad = odds / (odds + (1 - share[grid_point, None]) * of_good[draw])
    bad_counts = chance.binomial(np.array(counts), chance_bad)
    estimates = tuple(_estimate(bad_counts[:, i]) for i in range(len(counts)))
    return estimates, _estimate(bad_counts.sum(axis=1))


def effective(share: float, low: float | None, high: float | None, n: int) -> float:
    """How many independent cases a share with this 95 % interval rests on, at most n."""
    if low is None or high is None or high <= low or not 0 < share < 1:
        return float(n)
    return min(float(n), share * (1 - share) / ((high - low) / 3.92) ** 2)


def _estimate(values: npt.NDArray[np.int64]) -> Estimate:
    low, high = np.percentile(values, [2.5, 97.5])
    return Estimate(float(values.mean()), float(low), float(high))
