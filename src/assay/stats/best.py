"""Comparison of several systems on the same samples with the best of them, all at once."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.stats import comparison, rare
from assay.stats.intervals import LEVEL, Floats, Interval, cluster_numbers, mean_interval

Verdict: TypeAlias = Literal["best", "tied", "worse"]
BEST: Final = "best"
TIED: Final = "tied"
WORSE: Final = "worse"
DRAWS: Final = 20_000
_CHUNK = 1_000_000  # numbers at once, so that memory stays bounded
_ROUNDING = 1e-12  # a variance below this, as a share of the largest one, is rounding


@dataclass(frozen=True, slots=True)
class Placed:
    """One system beside the best."""

    mean: float  # its mean score
    # The confidence interval of the mean, by itself; None where there is none.
    interval: Interval | None
    difference: float  # its mean minus that of the best; 0 for the best itself
    # The confidence interval of that, simultaneous over all pairs of systems; None for the best
    # itself, and for fewer than two independent samples.
    difference_interval: Interval | None
    verdict: Verdict  # "best", "tied" (cannot be told from the best) or "worse"


@dataclass(frozen=True, slots=True)
class WithBest:
    """Several systems beside the best."""

    placed: tuple[Placed, ...]  # the systems, in the order of their columns
    order: tuple[int, ...]  # their columns, the best first
    alpha: float  # at which level each difference stands by itself, so that all hold together
    # How many samples in all would tell the two best apart in 80 of 100 cases, if they differ by as
    # much as was seen; None where that cannot be said.
    needed: int | None


def compare_with_best(
    scores: Floats,
    *,
    groups: Sequence[Hashable] | None = None,
    ends: tuple[float | None, float | None] = (None, None),
    higher_is_better: bool = True,
    level: float = LEVEL,
) -> WithBest:
    """Compare all systems with the one whose mean is best.

    The best one is known from the same scores, so the intervals have to hold whichever it is: they
    are simultaneous over all pairs of systems.

    Args:
        scores: Shape (n, k), n > 0, k > 0: the scores of each sample by each system.
        groups: For each sample the cluster that it belongs to; None if all are independent.
        ends: The least and the greatest score possible, None where there is no end.
        higher_is_better: Which mean is the best one.
        level: Nominal coverage, of each mean's interval and of all differences together.

    Source:
        Hsu, Multiple Comparisons (1996), chapters 4 and 5, for comparisons with the best from all
        pairs; Hothorn, Bretz and Westfall, Biom. J. 50 (2008) 346, for the joint distribution.
    """
    array = np.asarray(scores, dtype=np.float64)
    low, high = ends
    span = None if low is None or high is None else high - low
    means = array.mean(axis=0)
    # Equal means stay in the order of the columns, whatever the last digit of a sum says.
    order = np.argsort(np.round(-means if higher_is_better else means, 12), kind="stable")
    best = int(order[0])
    alpha = simultaneous_alpha(array, groups=groups, level=level)
    spread = rare.spread_of(array)
    placements = []
    for column in range(array.shape[1]):
        differences = array[:, column] - array[:, best]
        joint = None
        if column != best:
            joint = comparison.difference_interval(
                differences, groups=groups, span=span, spread=spread, level=1 - alpha
            )
        placements.append(
            Placed(
                float(means[column]),
                mean_interval(array[:, column], groups=groups, low=low, high=high, level=level),
                float(differences.mean()),
                joint and Interval(joint.low, joint.high, level, f"{joint.method}, simultaneous"),
                BEST if column == best else _verdict(joint),
            )
        )
    second = array[:, int(order[1])] if len(order) > 1 else None
    needed = None if second is None else _needed(array[:, best], second, groups, span, alpha)
    return WithBest(tuple(placements), tuple(map(int, order)), alpha, needed)


def differences_to_best(
    means: Floats, covariance: Floats, freedom: float, *, span: float, level: float = LEVEL
) -> tuple[list[int], list[tuple[float, Interval | None, Verdict]]]:
    """Compare estimates of one thing with the highest one, from their covariance.

    Args:
        means: Shape (k,): the estimates.
        covariance: Shape (k, k): theirs.
        freedom: Degrees of freedom that it rests on; 0 or less gives no intervals.
        span: The greatest value possible minus the least.
        level: Nominal coverage of all differences together, whichever is the highest.

    Returns:
        The columns, the highest first; and by column the difference to it, the simultaneous
        interval of that (Student's t), and the verdict.
    """
    from scipy.special import stdtrit

    order = np.argsort(np.round(-means, 12), kind="stable")
    best = int(order[0])
    alpha = _joint_alpha(covariance, freedom, level)
    critical = float(stdtrit(freedom, 1 - alpha / 2)) if freedom > 0 else math.inf
    comparisons: list[tuple[float, Interval | None, Verdict]] = []
    for i in range(len(means)):
        difference = float(means[i] - means[best])
        variance = covariance[i, i] + covariance[best, best] - 2 * covariance[i, best]
        if i == best:
            comparisons.append((0.0, None, BEST))
        elif variance <= 0 or math.isinf(critical):
            comparisons.append((difference, None, TIED))
        else:
            half = critical * math.sqrt(float(variance))
            low, high = max(difference - half, -span), min(difference + half, span)
            interval = Interval(low, high, level, "prediction-powered, simultaneous")
            comparisons.append((difference, interval, _verdict(interval)))
    return list(map(int, order)), comparisons


def surely_below(
    values: Floats,
    *,
    groups: Sequence[Hashable] | None = None,
    span: float | None = None,
    level: float = LEVEL,
) -> npt.NDArray[np.bool_]:
    """Which system has surely the smaller mean than which other, all pairs together.

    Args:
        values: Shape (n, k): the value of each sample by each system, such as a score or a cost.
        groups: As in `compare_with_best`.
        span: The greatest value possible minus the least, None where there is no end.
        level: With this probability no pair is called different that is not, or is in the other
            direction.

    Returns:
        Shape (k, k): [a, b] is whether a is surely below b. A pair whose difference does not vary
        is decided by the sign test over the independent samples.
    """
    k = values.shape[1]
    below = np.zeros((k, k), dtype=np.bool_)
    n = len(values) if groups is None else len(set(groups))
    alpha = simultaneous_alpha(values, groups=groups, level=level)
    for a, b in combinations(range(k), 2):
        differences = values[:, a] - values[:, b]
        interval = comparison.difference_interval(
            differences,
            groups=groups,
            span=span,
            spread=rare.spread_of(values[:, a], values[:, b]),
            level=1 - alpha,
        )
        if interval is not None:
            below[a, b], below[b, a] = interval.high < 0, interval.low > 0
        elif 2.0 ** (1 - n) <= alpha and np.allclose(differences, differences[0], atol=0):
            # They do not vary, so they have no interval: the sign test decides.
            same = 0.0 if np.allclose(values[:, a], values[:, b], atol=0) else differences[0]
            below[a, b], below[b, a] = same < 0, same > 0
    return below


def _verdict(interval: Interval | None) -> Verdict:
    differs = interval is not None and not interval.low <= 0 <= interval.high
    return WORSE if differs else TIED


def _needed(
    best: Floats,
    second: Floats,
    groups: Sequence[Hashable] | None,
    span: float | None,
    alpha: float,
) -> int | None:
    pairs = comparison.paired(second, best, groups=groups, span=span)
    return comparison.needed(pairs, abs(pairs.difference), alpha=alpha)


def simultaneous_alpha(
    scores: Floats,
    *,
    groups: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> float:
    """The level of each pairwise difference at which all of them hold together.

    From the largest of all pairs' |t| under the correlations that the scores have: systems that
    answer alike need less of a correction than Bonferroni's.

    Returns:
        The level, from (1 - level) / pairs to 1 - level.
    """
    covariance, units = _covariance(scores, groups)
    return _joint_alpha(covariance, units - 1, level)


def _joint_alpha(covariance: Floats, freedom: float, level: float) -> float:
    """`simultaneous_alpha` from the covariance of the means and its degrees of freedom."""
    from scipy.special import stdtr

    first, second = np.triu_indices(len(covariance), 1)
    variance = covariance[first, first] + covariance[second, second]
    variance -= 2 * covariance[first, second]
    differing = variance > _ROUNDING * max(float(np.diag(covariance).max(initial=0.0)), 1e-300)
    first, second, errors = first[differing], second[differing], np.sqrt(variance[differing])
    single_alpha = 1 - level
    if len(errors) < 2 or freedom <= 0:
        return single_alpha
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.clip(values, 0.0, None))
    rng, largest = np.random.default_rng(0), []
    step = max(1, _CHUNK // len(errors))
    for start in range(0, DRAWS, step):
        n = min(step, DRAWS - start)
        means = rng.standard_normal((n, len(root))) @ root.T
        spread = np.sqrt(rng.chisquare(freedom, n) / freedom)
        ratios = np.abs(means[:, first] - means[:, second]) / errors
        largest.append(ratios.max(axis=1) / spread)
    critical = float(np.quantile(np.concatenate(largest), level))
    alpha = 2 * float(stdtr(freedom, -critical))
    return min(max(alpha, single_alpha / len(errors)), single_alpha)


def _covariance(scores: Floats, groups: Sequence[Hashable] | None) -> tuple[Floats, int]:
    """The covariance of the means but for its scale, robust against clusters, and the units."""
    n, k = scores.shape
    cluster = cluster_numbers(range(n) if groups is None else groups)
    units = int(cluster.max(initial=-1)) + 1
    sums = np.zeros((units, k))
    np.add.at(sums, cluster, scores - scores.mean(axis=0))
    return sums.T @ sums, units
