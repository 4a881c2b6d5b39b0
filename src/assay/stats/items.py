"""Item response theory: abilities of systems, difficulties of questions, which ones to ask.

The roles are those that an evaluation has: few systems, many questions. The
systems' abilities are parameters; the questions' difficulties are drawn from a normal distribution
and summed out (the usual marginal likelihood, of many examinees and few items, turned round).
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import LEVEL, Floats, Interval, Numbers, cluster_numbers, t_interval

MOST_SYSTEMS = 16
_NODES = 41
_FLAGGED = 0.05  # the level at which a question is flagged
# Weak beliefs that keep estimates finite: of the log spread of difficulties, and of the log
# discrimination of a question.
_SPREAD_SD, _DISCRIMINATION_SD = 1.0, 0.5


@dataclass(frozen=True)
class Rasch:
    """P(system s gets question j right) = logistic(ability_s - difficulty_j)."""

    # For each system, in logits; 0 gets the average question right half the time. None where a
    # system got all of its questions right, or all of them wrong.
    abilities: Sequence[float | None]
    intervals: Sequence[Interval | None]  # their intervals; None likewise
    spread: float  # standard deviation of the difficulties, in logits
    difficulties: Floats  # shape (n,), the expected one of each question given its answers
    difficulty_sds: Floats  # shape (n,), how far it may be off
    # Shape (n,), how strongly the question tells able from less able systems (1: as the model
    # says), expected given its answers and a log-normal belief around 1.
    discriminations: Floats
    discrimination_sds: Floats  # shape (n,), how far it may be off


def rasch(right: Numbers, groups: Sequence[Hashable] | None = None) -> Rasch | None:
    """Fit the model by marginal maximum likelihood.

    Args:
        right: Shape (n questions, systems), 1, 0, or NaN where a system has no answer.
        groups: For each question the cluster that it belongs to; None if all are independent.
            The 95 % intervals hold for clusters, too (sandwich).

    Returns:
        The fit; None if fewer than two systems have both right and wrong answers.

    Source:
        Bock & Aitkin, Psychometrika 46 (1981) 443.
    """
    table = np.asarray(right, dtype=np.float64)
    shares = np.array([_share(column) for column in table.T])
    able = np.flatnonzero((shares > 0) & (shares < 1))
    if len(able) < 2:
        return None
    from scipy.optimize import minimize

    patterns, pattern_of = np.unique(
        np.nan_to_num(table[:, able], nan=-1), axis=0, return_inverse=True
    )
    pattern_of = pattern_of.reshape(-1)
    counts = np.bincount(pattern_of).astype(np.float64)

    def loss(params: Floats) -> tuple[float, Floats]:
        value, slope = _log_likelihood(patterns, params)
        prior = params[-1] / _SPREAD_SD**2
        total = float(counts @ value) - prior * params[-1] / 2
        return -total, -(counts @ slope) + np.append(np.zeros(len(able)), prior)

    start = np.append(np.log(shares[able] / (1 - shares[able])), 0.0)
    bounds = [(-12.0, 12.0)] * len(able) + [(-3.0, 3.0)]
    params = np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x)
    errors, units = _errors(_slopes(patterns, pattern_of, params), params, loss, groups)
    estimates = dict(
        zip(able.tolist(), zip(params[:-1].tolist(), errors.tolist(), strict=True), strict=True)
    )
    difficulties = _posterior(patterns, params)
    return Rasch(
        abilities=[estimates[s][0] if s in estimates else None for s in range(table.shape[1])],
        intervals=[
            t_interval(*estimates[s], max(units - 1, 1), LEVEL, "sandwich, t")
            if s in estimates
            else None
            for s in range(table.shape[1])
        ],
        spread=float(np.exp(params[-1])),
        difficulties=difficulties[0][pattern_of],
        difficulty_sds=difficulties[1][pattern_of],
        discriminations=difficulties[2][pattern_of],
        discrimination_sds=difficulties[3][pattern_of],
    )


@dataclass(frozen=True)
class Effects:
    """What parts of systems add to their ability: ability = sum of the effects of its columns."""

    values: Floats  # of each column of the design, in logits
    # Of the estimates, shape (columns, columns); it holds for clusters (sandwich).
    covariance: Floats
    freedom: int  # degrees of freedom of intervals
    spread: float  # standard deviation of the difficulties, in logits


def effects(
    right: Numbers, design: Floats, groups: Sequence[Hashable] | None = None
) -> Effects | None:
    """Fit the model with the abilities of systems made of the effects of what they share.

    Args:
        right: As for `rasch`.
        design: Shape (systems, columns): how often each effect counts in the ability of a system.
        groups: As for `rasch`.

    Returns:
        The fit; None if the systems cannot tell the effects apart: the columns are not independent,
        or all answers of a system are right, or all wrong.

    Source:
        Guinet et al. 2024, Automated Evaluation of Retrieval-Augmented Language Models with
        Task-Specific Exam Generation (arXiv 2405.13622), section 4.
    """
    table = np.asarray(right, dtype=np.float64)
    shares = np.array([_share(column) for column in table.T])
    k = design.shape[1]
    if np.linalg.matrix_rank(design) < k or not ((shares > 0) & (shares < 1)).all():
        return None
    from scipy.optimize import minimize

    patterns, pattern_of = np.unique(np.nan_to_num(table, nan=-1), axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    counts = np.bincount(pattern_of).astype(np.float64)
    # From effects and log spread to abilities and log spread.
    full = np.block([[design, np.zeros((len(design), 1))], [np.zeros((1, k)), np.ones((1, 1))]])

    def loss(params: Floats) -> tuple[float, Floats]:
        value, slope = _log_likelihood(patterns, full @ params)
        prior = params[-1] / _SPREAD_SD**2
        gradient = (counts @ slope) @ full
        gradient[-1] -= prior
        return -(float(counts @ value) - prior * params[-1] / 2), -gradient

    start = np.append(np.linalg.lstsq(design, np.log(shares / (1 - shares)), rcond=None)[0], 0.0)
    bounds = [(-12.0, 12.0)] * k + [(-3.0, 3.0)]
    params = np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x)
    covariance, units = _covariance(
        _slopes(patterns, pattern_of, full @ params) @ full, params, loss, groups
    )
    return Effects(params[:-1], covariance[:-1, :-1], max(units - 1, 1), float(np.exp(params[-1])))


def _slopes(patterns: Floats, pattern_of: npt.NDArray[np.intp], params: Floats) -> Floats:
    """The slope of each question's log-likelihood."""
    return _log_likelihood(patterns, params)[1][pattern_of]


def _share(column: Floats) -> float:
    answered = column[~np.isnan(column)]
    return float(answered.mean()) if len(answered) else 0.0


@cache
def _normal_nodes() -> tuple[Floats, Floats]:
    """Nodes and weights that sum a function out over the standard normal distribution."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _log_likelihood(patterns: Floats, params: Floats) -> tuple[Floats, Floats]:
    """(log-likelihood, its slope) of each pattern of answers, shapes (p,) and (p, systems + 1)."""
    abilities, spread = params[:-1], np.exp(params[-1])
    nodes, weights = _normal_nodes()
    gap = abilities[None, :] - spread * nodes[:, None]  # nodes x systems
    chance = 1 / (1 + np.exp(-gap))
    answered, good = patterns >= 0, np.maximum(patterns, 0)
    logs = good @ -np.logaddexp(0, -gap).T - (answered - good) @ np.logaddexp(0, gap).T
    top = logs.max(axis=1, keepdims=True)
    joint = np.exp(logs - top) * weights
    total = joint.sum(axis=1, keepdims=True)
    posterior = joint / total
    residual = good[:, None, :] - answered[:, None, :] * chance[None]  # patterns x nodes x systems
    slope = np.einsum("pq,pqs->ps", posterior, residual)
    of_spread = -np.einsum("pq,pqs,q->p", posterior, residual, spread * nodes)
    return (np.log(total) + top)[:, 0], np.column_stack([slope, of_spread])


def _errors(
    slopes: Floats,
    params: Floats,
    loss: Callable[[Floats], tuple[float, Floats]],
    groups: Sequence[Hashable] | None,
) -> tuple[Floats, int]:
    """Standard errors of the abilities, and how many independent units they rest on."""
    covariance, n = _covariance(slopes, params, loss, groups)
    return np.sqrt(np.diag(covariance)[:-1]), n


def _covariance(
    slopes: Floats,
    params: Floats,
    loss: Callable[[Floats], tuple[float, Floats]],
    groups: Sequence[Hashable] | None,
) -> tuple[Floats, int]:
    """Covariance of the estimates, and how many independent units they rest on."""
    step = 1e-4
    bend = np.empty((len(params), len(params)))
    for i in range(len(params)):
        shift = np.zeros(len(params))
        shift[i] = step
        bend[i] = (loss(params + shift)[1] - loss(params - shift)[1]) / (2 * step)
    if groups is not None:
        unit = cluster_numbers(groups)
        slopes = np.array([np.bincount(unit, column) for column in slopes.T]).T
    inverse = np.linalg.pinv((bend + bend.T) / 2)
    n = len(slopes)
    middle = slopes.T @ slopes * (n / max(n - 1, 1))
    return inverse @ middle @ inverse, n


def _posterior(patterns: Floats, params: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Mean and s.d. of difficulty, mean and s.d. of discrimination, of each pattern of answers.

    The first two by the fitted model; the last two with a discrimination of its own beside it.
    """
    abilities, spread = params[:-1], np.exp(params[-1])
    nodes, weights = _normal_nodes()
    hard, keen = spread * nodes, np.exp(_DISCRIMINATION_SD * nodes)
    moments = []
    for keens, values in (
        (np.ones(1), hard[:, None]),
        (keen, np.broadcast_to(keen, (_NODES, _NODES))),
    ):
        gap = keens[None, :, None] * (abilities[None, None, :] - hard[:, None, None])
        answered, good = patterns >= 0, np.maximum(patterns, 0)
        logs = -np.tensordot(good, np.logaddexp(0, -gap), axes=(1, 2))
        logs -= np.tensordot(answered - good, np.logaddexp(0, gap), axes=(1, 2))
        prior = weights[:, None] * (weights[None, :] if len(keens) > 1 else 1.0)
        joint = np.exp(logs - logs.max(axis=(1, 2), keepdims=True)) * prior
        joint /= joint.sum(axis=(1, 2), keepdims=True)
        mean = (joint * values).sum(axis=(1, 2))
        moments += [mean, np.sqrt(np.maximum((joint * values**2).sum(axis=(1, 2)) - mean**2, 0))]
    return moments[0], moments[1], moments[2], moments[3]


@dataclass(frozen=True, slots=True)
class Inversion:
    """Whether the less able systems are those that got a question right."""

    # Chance of an answer pattern at least as much against the abilities, given how many systems got
    # it right; it depends on no difficulty.
    p: float
    flagged: bool  # whether p is at most 0.05
    by_chance: float  # chance that such a question is flagged although nothing is wrong with it


def inversions(right: Numbers, abilities: Sequence[float | None]) -> list[Inversion | None]:
    """The exact conditional test of each question; None where it says nothing.

    Args:
        right: Shape (n questions, systems), 1, 0 or NaN; at most 16 systems.
        abilities: Of each system, as `rasch` gives them.
    """
    table = np.asarray(right, dtype=np.float64)
    able = [s for s, ability in enumerate(abilities) if ability is not None]
    size = np.array([ability for ability in abilities if ability is not None])
    by_row: dict[tuple[float, ...], Inversion | None] = {}
    tests = []
    for row in np.nan_to_num(table[:, able], nan=-1.0):
        key = tuple(row.tolist())
        if key not in by_row:
            by_row[key] = _inversion(row, size)
        tests.append(by_row[key])
    return tests


def _inversion(row: Floats, abilities: Floats) -> Inversion | None:
    answered = row >= 0
    k, hits = int(answered.sum()), int((row == 1).sum())
    if hits in (0, k):
        return None
    sizes = abilities[answered]
    sums = np.sort(np.fromiter(_sums(sizes, hits), dtype=np.float64))
    chances = np.exp(sums - sums.max())
    below = np.cumsum(chances) / chances.sum()
    # Sums that are equal but for their last digits are one.
    last = np.searchsorted(sums, sums + 1e-9, side="right") - 1
    p_values = below[last]
    observed = float(abilities[row == 1].sum())
    p = float(p_values[np.searchsorted(sums, observed - 1e-9)])
    by_chance = float(chances[p_values <= _FLAGGED].sum() / chances.sum())
    return Inversion(p, p <= _FLAGGED, by_chance)


def _sums(abilities: Floats, hits: int) -> Iterator[float]:
    for abilities_hit in combinations(abilities.tolist(), hits):
        yield sum(abilities_hit)


_PRIOR_SD = 2.0  # of a system's ability, in logits, before it answers anything
_GRID = np.linspace(-8.0, 8.0, 161)
_OFF, _OFF_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)


def chances(difficulties: Floats, sds: Floats, abilities: Floats) -> Floats:
    """P(right) of each question at each ability, shape (n, abilities).

    Args:
        difficulties: Shape (n,), in logits.
        sds: Shape (n,), how far each may be off: it is summed out.
        abilities: Shape (k,), in logits.
    """
    hard = difficulties[:, None] + sds[:, None] * _OFF
    gap = abilities[None, :, None] - hard[:, None, :]
    shares: Floats = (1 / (1 + np.exp(-gap))) @ (_OFF_WEIGHTS / _OFF_WEIGHTS.sum())
    return shares


def information(difficulties: Floats, sds: Floats, abilities: Floats) -> Floats:
    """Fisher information about an ability in each answer, shape (n, abilities): P (1 - P).

    An ability that is estimated from some questions has a standard error of about 1 over the root
    of the sum of their information.

    Source:
        Lord, Applications of Item Response Theory (1980), chapter 5.
    """
    right = chances(difficulties, sds, abilities)
    return right * (1 - right)


def fewest(
    difficulties: Floats, sds: Floats, abilities: Sequence[float], keep: float
) -> tuple[list[int], float]:
    """The fewest questions, about, that keep a share of the information at all of the abilities.

    Args:
        difficulties: Shape (n,), in logits.
        sds: Shape (n,), how far each may be off.
        abilities: Those of the systems that are to be told apart.
        keep: The share, above 0 and up to 1; with 0.9 intervals widen by a twentieth.

    Returns:
        Their places, the most informative first, and the least share that they keep at any of the
        abilities.
    """
    gains = information(difficulties, sds, np.asarray(abilities, dtype=np.float64))
    total_information = gains.sum(axis=0)
    have, free, kept = (
        np.zeros_like(total_information),
        np.ones(len(gains), dtype=bool),
        list[int](),
    )
    while (
        free.any()
        and (lack := np.maximum(keep * total_information - have, 0) / total_information).max()
        > 1e-12
    ):
        best = int(np.where(free, gains @ lack, -1.0).argmax())
        free[best] = False
        have += gains[best]
        kept.append(best)
    return kept, float((have / total_information).min())


def standing(
    difficulties: Floats, sds: Floats, answers: Mapping[int, bool]
) -> tuple[float, float, list[int]]:
    """The ability that answers tell so far, and the next questions (adaptive testing).

    The expected information of each question is taken over what is believed of the ability: a
    normal belief of mean 0 and standard deviation 2, and the answers.

    Args:
        difficulties: Shape (n,), in logits, from other systems.
        sds: Shape (n,), how far each may be off.
        answers: Place of a question -> whether the system got it right.

    Returns:
        The expected ability in logits, how far that may be off, and the places of the questions
        that are not answered, the most telling first.

    Source:
        van der Linden, Psychometrika 63 (1998) 201, maximum posterior-weighted information.
    """
    right = chances(difficulties, sds, _GRID)
    logs = -((_GRID / _PRIOR_SD) ** 2) / 2
    for question, good in answers.items():
        logs = logs + np.log(right[question] if good else 1 - right[question])
    belief = np.exp(logs - logs.max())
    belief /= belief.sum()
    mean = float(belief @ _GRID)
    sd = float(np.sqrt(belief @ (_GRID - mean) ** 2))
    gains = (right * (1 - right)) @ belief
    order = np.argsort(-gains, kind="stable").tolist()
    return mean, sd, [question for question in order if question not in answers]
