"""The true mean from few labels and many judged samples.

Prediction-powered inference (Angelopoulos et al. 2023, arXiv 2301.09633), power-tuned (PPI++,
arXiv 2311.01453), which survey statistics know as the difference or regression estimator: the
judge's mean over all samples, plus the mean error of the judge on the labelled ones. With unequal
chances of being labelled it is the estimator of active inference (Zrnic and Candès 2024, arXiv
2403.03208), with strata that of stratified PPI (Fisch et al. 2024, arXiv 2406.04291).
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import (
    LEVEL,
    TAIL,
    Floats,
    Interval,
    Numbers,
    cluster_numbers,
    kish_n,
    mean_interval,
    proportion_interval,
    wilson_around,
)

# Two labels that contradict the judge, one each way, are added at this weight where labels take
# two values, or mostly one: a good judge errs so rarely that a few dozen labels may show no error
# at all, and so do labels of which nearly all are perfect.
PSEUDO = 0.375
FEWEST = 4
_METHOD = "prediction-powered"


@dataclass(frozen=True, slots=True)
class Design:
    """How the labelled samples were chosen, and which samples belong together."""

    # Shape (k,): with which probability each labelled sample was chosen, in (0, 1]; None if all
    # samples had the same chance.
    probabilities: Numbers | None = None
    # Shape (N,): the stratum of every sample, where some of each were chosen at random.
    strata: Sequence[Hashable] | None = None
    # Shape (N,): the cluster (document, conversation) of every sample.
    groups: Sequence[Hashable] | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A mean of human labels, estimated with the help of a judge.

    Attributes:
        estimate: The mean label of all samples, were all labelled.
        interval: Its confidence interval; None if the labels cannot tell how far the judge errs.
        judge_mean: The judge's mean over all samples.
        power: lambda of PPI++: how much the judge's scores count, from 0 for a useless judge to 1.
        correlation: Between labels and scores on the labelled samples, -1..1; None if either
            does not vary.
        sd: Standard deviation of the labels.
        error: Standard error of the estimate.
        floor: The part of its square that only more scores lessen, not more labels.
        n_labelled: Samples with a label.
        n_judged: Samples with a score, the labelled ones included.
    """

    estimate: float
    interval: Interval | None
    judge_mean: float
    power: float
    correlation: float | None
    sd: float
    error: float
    floor: float
    n_labelled: int
    n_judged: int


@dataclass(frozen=True, slots=True)
class _Labelled:
    """The labelled samples: labels, scores, weights, strata. The last `pseudo` rows are made up."""

    y: Floats
    f: Floats
    w: Floats
    stratum: npt.NDArray[np.intp]
    pseudo: int = 0

    def means(self, values: Floats) -> Floats:
        """Weighted mean in every stratum."""
        sums, total = (np.bincount(self.stratum, w) for w in (self.w * values, self.w))
        mean: Floats = sums / total
        return mean

    def covariance(self) -> float:
        """Of labels and scores, within strata."""
        y = self.y - self.means(self.y)[self.stratum]
        f = self.f - self.means(self.f)[self.stratum]
        return float((self.w * y * f).sum() / self.w.sum())


@dataclass(frozen=True, slots=True)
class Shares:
    """What each sample adds to an estimate, for the covariance of several."""

    adds: Floats  # shape (N,): its part of the estimate's deviation
    made_up: float  # variance from labels that were made up, beside that
    freedom: float  # degrees of freedom of the spread, 0 or less if the labels cannot tell it


def correct_mean(  # noqa: PLR0913 - what is known, how it was drawn, what is wanted
    scores: Numbers,
    labelled: Sequence[int] | npt.NDArray[np.intp],
    labels: Numbers,
    *,
    design: Design | None = None,
    ends: tuple[float, float] = (0.0, 1.0),
    power: float | None = None,
    level: float = LEVEL,
    small_sample: bool = True,
) -> Corrected:
    """Estimate the mean label of all samples from the labels of some and the scores of all.

    The labelled samples have to be a random choice: a simple one, one with known probabilities,
    or one within each stratum.

    Args:
        scores: Shape (N,): the judge's scores, finite, in the units of the labels: high ones for
            what has high labels.
        labelled: Shape (k,): places of the labelled samples among the N, each once.
        labels: Shape (k,): their labels, finite.
        design: How they were chosen; None if all samples had the same chance.
        ends: The least and the greatest label possible. Labels that take these two values only,
            or of which more than half are one value and fewer than ten another, are treated as
            binary.
        power: lambda of PPI++; None tunes it, 1 is PPI, 0 the mean of the labels alone.
        level: Nominal coverage, in (0, 1).
        small_sample: False gives the interval of the paper: normal quantiles, no correction for
            few labels. It is too narrow below a few hundred labels.

    Raises:
        ValueError: If shapes do not fit, a place is given twice, a probability is outside (0, 1],
            both probabilities and strata are given, or a stratum has one label of many samples.
    """
    tuning = power, small_sample
    return correct_with_shares(
        scores, labelled, labels, design, ends=ends, level=level, tuning=tuning
    )[0]


def correct_with_shares(
    scores: Numbers,
    labelled: Sequence[int] | npt.NDArray[np.intp],
    labels: Numbers,
    design: Design | None = None,
    *,
    ends: tuple[float, float] = (0.0, 1.0),
    level: float = LEVEL,
    tuning: tuple[float | None, bool] = (None, True),
) -> tuple[Corrected, Shares]:
    """As `correct_mean`, with what each sample adds; `tuning` is its power and small_sample."""
    design, (power, small_sample) = design or Design(), tuning
    f, labelled_at = np.asarray(scores, np.float64), np.asarray(labelled, np.intp)
    sample, stratum = _checked(f, labelled_at, np.asarray(labels, np.float64), design)
    clusters = np.arange(len(f)) if design.groups is None else cluster_numbers(design.groups)
    contradicted = small_sample and _tell_little(sample.y, ends)
    rows = _contradicted(sample, f, ends) if contradicted else sample
    slope = _slope(rows, f, len(labelled_at), power)
    errors = rows.y - slope * rows.f
    predicted = slope * f + rows.means(errors)[stratum]
    estimate = min(max(float(predicted.mean()), ends[0]), ends[1])
    errors = (errors - rows.means(errors)[rows.stratum]) / (
        _error_shares(rows) if small_sample else 1.0
    )
    spread = _Spread.of(
        rows, clusters, labelled_at, int(stratum.max()) + 1, small_sample=small_sample
    )
    adds, made_up = _contributions(rows, errors, predicted, labelled_at)
    by_cluster = np.bincount(clusters, adds)
    judge_alone = np.bincount(clusters, (predicted - predicted.mean()) / len(f))
    error = spread.wider * math.sqrt(float(by_cluster @ by_cluster) + made_up)
    floor = spread.wider**2 * float(judge_alone @ judge_alone)
    skewed = contradicted and not np.isin(sample.y, ends).all()
    interval = _interval(estimate, error, spread, ends, level, skewed=skewed)
    if small_sample and len(labelled_at) == len(f) and not _unequal(design.probabilities):
        estimate, interval = _of_all_labels(sample.y, clusters[labelled_at], interval, ends, level)
    corrected = Corrected(
        estimate=estimate,
        interval=interval,
        judge_mean=float(f.mean()),
        power=slope * (len(f) - len(labelled_at)) / len(f),
        correlation=_correlation(sample),
        sd=_sd(sample.y, sample.w),
        error=error,
        floor=floor,
        n_labelled=len(labelled_at),
        n_judged=len(f),
    )
    freedom = spread.freedom if spread.units >= FEWEST else 0.0
    return corrected, Shares(adds * spread.wider, made_up * spread.wider**2, freedom)


def labels_alone(
    labels: Numbers,
    *,
    probabilities: Numbers | None = None,
    groups: Sequence[Hashable] | None = None,
    ends: tuple[float, float] = (0.0, 1.0),
    level: float = LEVEL,
) -> tuple[float, Interval | None]:
    """The mean label of all samples without any judge, the classical way.

    Args:
        labels: Shape (k,).
        probabilities: Shape (k,): with which probability each sample was chosen; None, or all
            equal, if all had the same chance.
        groups: Shape (k,): the cluster of each.
        ends: The least and the greatest label possible.
        level: Nominal coverage, in (0, 1).
    """
    y = np.asarray(labels, np.float64)
    if probabilities is not None and _unequal(probabilities):
        design = Design(probabilities=probabilities, groups=groups)
        by_labels = correct_mean(
            np.zeros(len(y)), range(len(y)), y, design=design, ends=ends, level=level
        )
        return by_labels.estimate, by_labels.interval
    if groups is None and set(ends) == {0.0, 1.0} and np.isin(y, ends).all():
        return float(y.mean()), proportion_interval(int(y.sum()), len(y), level=level)
    low, high = ends
    return float(y.mean()), mean_interval(y, groups=groups, low=low, high=high, level=level)


def _unequal(probabilities: Numbers | None) -> bool:
    """Whether samples had other chances than in a simple random choice."""
    return probabilities is not None and len(set(probabilities)) > 1


def _checked(
    scores: Floats,
    labelled_at: npt.NDArray[np.intp],
    labels: Floats,
    design: Design,
) -> tuple[_Labelled, npt.NDArray[np.intp]]:
    """The labelled samples, and the stratum of every sample."""
    if (
        labels.shape != labelled_at.shape
        or len(np.unique(labelled_at)) != len(labelled_at)
        or not 0 < len(labelled_at) <= len(scores)
    ):
        raise ValueError("labels and places do not fit, or a place is given twice")
    probabilities, strata = design.probabilities, design.strata
    if probabilities is not None and strata is not None:
        raise ValueError("give probabilities or strata, not both")
    chances = (
        np.ones(len(labelled_at))
        if probabilities is None
        else np.asarray(probabilities, np.float64)
    )
    if chances.shape != labelled_at.shape or not ((chances > 0) & (chances <= 1)).all():
        raise ValueError("every labelled sample needs a probability above 0 and at most 1")
    stratum = np.zeros(len(scores), np.intp) if strata is None else cluster_numbers(strata)
    n = np.bincount(stratum)
    k = np.bincount(stratum[labelled_at], minlength=len(n))
    if (k < np.minimum(n, 2)).any() and strata is not None:
        raise ValueError("a stratum has fewer than two labels, and more samples")
    weights = 1 / chances if strata is None else (n / k)[stratum[labelled_at]]
    return _Labelled(
        labels, scores[labelled_at], weights / weights.mean(), stratum[labelled_at]
    ), stratum


def _tell_little(labels: Floats, ends: tuple[float, float]) -> bool:
    """Whether labels take two values, or mostly one: a few dozen may then show no error at all."""
    n_others = int(np.count_nonzero(labels != np.median(labels)))
    prevails = 2 * n_others < len(labels) and n_others < TAIL and ends[0] < ends[1]
    return prevails or bool(np.isin(labels, ends).all())


def _contradicted(sample: _Labelled, scores: Floats, ends: tuple[float, float]) -> _Labelled:
    """The labels with two that contradict the judge, shared out over the strata."""
    best, worst = float(scores.max()), float(scores.min())
    strata = np.unique(sample.stratum)
    # A stratum gets the part of them that it has in the variance, at the weight of its own labels:
    # by its size alone, one of many samples and few labels would get next to none of a label. Of
    # unequal labels it is the weight of so many equal ones as tell as much (Kish).
    stratum_weight = np.bincount(sample.stratum, sample.w)[strata]
    label_weight = np.bincount(sample.stratum, sample.w**2)[strata] / stratum_weight
    share = (
        PSEUDO
        * label_weight
        * (stratum_weight * label_weight)
        / float(stratum_weight @ label_weight)
    )
    m = len(strata)
    return _Labelled(
        y=np.concatenate([sample.y, np.full(m, ends[1]), np.full(m, ends[0])]),
        f=np.concatenate([sample.f, np.full(m, worst), np.full(m, best)]),
        w=np.concatenate([sample.w, share, share]),
        stratum=np.concatenate([sample.stratum, strata, strata]),
        pseudo=2 * m,
    )


def _slope(rows: _Labelled, scores: Floats, k: int, power: float | None) -> float:
    """How far a label rises with the judge's score; lambda of PPI++ is (N - k) / N of it.

    As there, lambda is kept within 0..1: few labels may happen to rise far faster than the scores
    can tell, and the interval would be wider than without any judge.
    """
    n = len(scores)
    if n == k:
        return 0.0
    if power is not None:
        return power * n / (n - k)
    variance = float(scores.var(ddof=1))
    tuned = rows.covariance() / variance if variance > 0 else 0.0
    return min(max(tuned, 0.0), n / (n - k))


def _leverage(rows: _Labelled) -> Floats:
    """How far each labelled sample pulls the line towards itself, 0..1."""
    away = rows.f - rows.means(rows.f)[rows.stratum]
    total = float((rows.w * away * away).sum())
    own_share = rows.w / np.bincount(rows.stratum, rows.w)[rows.stratum]
    pull: Floats = own_share + (rows.w * away * away / total if total > 0 else 0.0)
    return pull


def _error_shares(rows: _Labelled) -> Floats:
    """What share of its size an error keeps, since the labels themselves place the line (HC3).

    All of it where two labels were made up, which make up for that, but not for the mean of each of
    several strata: of k labels (k - 1) / k of the variance are left.
    """
    if not rows.pseudo:
        shares: Floats = 1 - np.minimum(_leverage(rows), 0.9)
        return shares
    k = np.bincount(rows.stratum[: -rows.pseudo])
    if len(k) == 1:
        return np.ones(len(rows.y))
    within: Floats = np.sqrt(np.maximum(k - 1, 1) / k)[rows.stratum]
    return within


def _contributions(
    rows: _Labelled, errors: Floats, predicted: Floats, labelled_at: npt.NDArray[np.intp]
) -> tuple[Floats, float]:
    """What every sample adds to the estimate, and the variance that made-up labels add to it."""
    total, k = float(rows.w.sum()), len(labelled_at)
    adds: Floats = (predicted - predicted.mean()) / len(predicted)
    adds[labelled_at] += rows.w[:k] * errors[:k] / total
    return adds, float((rows.w[k:] * errors[k:] ** 2).sum()) / total**2


@dataclass(frozen=True, slots=True)
class _Spread:
    """How well the labelled samples show their own spread."""

    units: int  # how many are independent: clusters, where there are any
    freedom: float  # degrees of freedom of the spread, infinite where no allowance is made for few
    wider: float = 1.0  # by what factor so few clusters make the standard error too small

    @classmethod
    def of(
        cls,
        rows: _Labelled,
        clusters: npt.NDArray[np.intp],
        at: npt.NDArray[np.intp],
        n_strata: int,
        *,
        small_sample: bool,
    ) -> "_Spread":
        by_cluster: Floats = np.bincount(clusters[at], rows.w[: len(at)]).astype(np.float64)
        labelled: Floats = by_cluster[by_cluster > 0]
        sizes: Floats = np.bincount(clusters).astype(np.float64)
        if not small_sample:
            return cls(len(labelled), math.inf)
        if len(labelled) == 1 or sizes.max() == 1:
            return cls(len(labelled), len(labelled) - n_strata - 1)
        n, freedom = len(labelled), max(min(kish_n(labelled), kish_n(sizes)) - n_strata, 1.0)
        return cls(n, freedom, wider=math.sqrt(n / (n - 1)))


def _interval(
    estimate: float,
    error: float,
    spread: _Spread,
    ends: tuple[float, float],
    level: float,
    *,
    skewed: bool,
) -> Interval | None:
    if spread.units < FEWEST or error <= 0 or spread.freedom <= 0:
        return None
    if spread.freedom < math.inf:  # the error itself is uncertain, and too small near an end
        around = _beta_around if skewed else wilson_around
        return replace(around(estimate, error, spread.freedom, ends, level), method=_METHOD)
    from scipy.special import ndtri

    half = float(ndtri((1 + level) / 2)) * error
    return Interval(max(estimate - half, ends[0]), min(estimate + half, ends[1]), level, _METHOD)


def _beta_around(
    mean: float, error: float, freedom: float, ends: tuple[float, float], level: float
) -> Interval:
    """The interval of a beta distribution with an effective n, t in the place of z.

    Of labels that are mostly one value Wilson's holds too little on the side of that value.
    """
    from scipy.special import betaincinv, ndtri, stdtrit

    (low, high), tail = ends, (1 - level) / 2
    share, width = (mean - low) / (high - low), high - low
    surer = float(ndtri(1 - tail) / stdtrit(freedom, 1 - tail))
    effective = max(share * (1 - share) * (width / error * surer) ** 2 - 1, 1.0)
    yes, no = max(share * effective, 0.5), max((1 - share) * effective, 0.5)
    bottom, top = (float(betaincinv(yes, no, quantile)) for quantile in (tail, 1 - tail))
    return Interval(min(low + bottom * width, mean), max(low + top * width, mean), level)


def _of_all_labels(
    labels: Floats,
    clusters: npt.NDArray[np.intp],
    interval: Interval | None,
    ends: tuple[float, float],
    level: float,
) -> tuple[float, Interval | None]:
    """Where people judged all samples: no label made up may move what they said."""
    mean, interval_alone = labels_alone(labels, groups=clusters.tolist(), ends=ends, level=level)
    return mean, interval and interval_alone


def _correlation(sample: _Labelled) -> float | None:
    deviations = _sd(sample.y, sample.w) * _sd(sample.f, sample.w)
    if deviations <= 0:
        return None
    unstratified = _Labelled(sample.y, sample.f, sample.w, np.zeros_like(sample.stratum))
    return max(-1.0, min(1.0, unstratified.covariance() / deviations))


def _sd(values: Floats, weights: Floats) -> float:
    away = values - np.average(values, weights=weights)
    return math.sqrt(float(np.average(away * away, weights=weights)))
