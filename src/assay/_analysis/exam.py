"""What an item analysis says of parts that systems share, and of which questions to ask."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from assay.errors import InputError
from assay.stats.intervals import Floats, Interval, t_interval
from assay.stats.items import Rasch, effects

_PRIOR_SD = 2.0  # of a system's ability, in logits, before it answers anything
_GRID = np.linspace(-8.0, 8.0, 161)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)


def chances(difficulties: Floats, sds: Floats, abilities: Floats) -> Floats:
    """P(right) of each question at each ability, shape (n, abilities).

    Args:
        difficulties: Shape (n,), in logits.
        sds: Shape (n,), how far each may be off: it is summed out.
        abilities: Shape (k,), in logits.
    """
    hard = difficulties[:, None] + sds[:, None] * _NODES
    gap = abilities[None, :, None] - hard[:, None, :]
    shares: Floats = (1 / (1 + np.exp(-gap))) @ (_WEIGHTS / _WEIGHTS.sum())
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
    whole = gains.sum(axis=0)
    have, free, kept = np.zeros_like(whole), np.ones(len(gains), dtype=bool), list[int]()
    while free.any() and (lack := np.maximum(keep * whole - have, 0) / whole).max() > 1e-12:
        best = int(np.where(free, gains @ lack, -1.0).argmax())
        free[best] = False
        have += gains[best]
        kept.append(best)
    return kept, float((have / whole).min())


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
    for place, good in answers.items():
        logs = logs + np.log(right[place] if good else 1 - right[place])
    belief = np.exp(logs - logs.max())
    belief /= belief.sum()
    mean = float(belief @ _GRID)
    sd = float(np.sqrt(belief @ (_GRID - mean) ** 2))
    gains = (right * (1 - right)) @ belief
    order = np.argsort(-gains, kind="stable").tolist()
    return mean, sd, [place for place in order if place not in answers]


@dataclass(frozen=True, slots=True)
class Component:
    """What one setting of the systems adds to their ability, beside the others.

    Attributes:
        parameter: What was set: "retriever".
        value: To what: "bm25".
        runs: How many runs have it.
        effect: Its ability in logits above the mean of the parameter's values.
        interval: The interval of that.
    """

    parameter: str
    value: str
    runs: int
    effect: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class ShorterExam:
    """The questions that tell most about systems like these.

    Attributes:
        keep: The share of the information that was asked for.
        kept: Ids of the samples, the most telling first.
        n: How many questions there are.
        share: The share that they keep at the ability where they keep least.
    """

    keep: float
    kept: Sequence[str]
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class NextQuestions:
    """What a system should be asked next.

    Attributes:
        system: Its letter.
        answered: How many questions it has answered.
        ability: Its ability in logits by these, of the questions as the other systems place them.
        sd: How far that may be off.
        samples: Ids of the samples it has not answered, the most telling first.
    """

    system: str
    answered: int
    ability: float
    sd: float
    samples: Sequence[str]


def components(
    right: Floats, groups: Sequence[Hashable], params: Sequence[Mapping[str, object]]
) -> tuple[list[Component], str]:
    """The effects of the parameters in which runs differ, and why there are none, if so.

    Args:
        right: Shape (n, systems), 1, 0 or NaN.
        groups: The cluster of each question.
        params: What was set of each system.
    """
    names = dict.fromkeys(name for one in params for name in one)
    levels = {
        name: list(dict.fromkeys(str(one.get(name, "not set")) for one in params)) for name in names
    }
    levels = {name: values for name, values in levels.items() if len(values) > 1}
    # With one parameter, whose values are all different, its effects are the systems themselves.
    if not levels or all(len(values) == len(params) for values in levels.values()):
        return [], ""
    rows = [[1.0, *_coded(one, levels)] for one in params]
    fit = effects(right, np.array(rows), groups)
    if fit is None:
        what = f"The effects of {', '.join(levels)} cannot be told apart"
        return [], f"{what}: they change together, or a system gets all right or all wrong."
    effects_by_value, at = [], 1
    for name, values in levels.items():
        own = np.arange(at, at + len(values) - 1)
        for value, weights in zip(values, _codes(len(values)), strict=True):
            effect = float(weights @ fit.values[own])
            error = sqrt(float(weights @ fit.covariance[np.ix_(own, own)] @ weights))
            runs = sum(str(one.get(name, "not set")) == value for one in params)
            interval = t_interval(effect, error, fit.freedom, 0.95, "sandwich, t")
            effects_by_value.append(Component(name, value, runs, effect, interval))
        at += len(own)
    return effects_by_value, ""


def _codes(n: int) -> Floats:
    """Each value as a sum of n - 1 effects: those of all values add up to 0."""
    codes: Floats = np.vstack([np.eye(n - 1), -np.ones(n - 1)])
    return codes


def _coded(params: Mapping[str, object], levels: Mapping[str, Sequence[str]]) -> list[float]:
    return [
        float(code)
        for name, values in levels.items()
        for code in _codes(len(values))[values.index(str(params.get(name, "not set")))]
    ]


def shorter(fit: Rasch, ids: Sequence[str], keep: float) -> ShorterExam:
    """The fewest questions that keep a share of what all tell about systems as able as these."""
    abilities = [ability for ability in fit.abilities if ability is not None]
    kept, share = fewest(fit.difficulties, fit.difficulty_sds, abilities, keep)
    return ShorterExam(keep, [ids[at] for at in kept], len(ids), share)


def following(
    others: Rasch | None, ids: Sequence[str], right: Floats, system: str
) -> NextQuestions:
    """What a system should be asked next, as the answers of the others place the questions.

    Args:
        others: The fit of the other systems' answers.
        ids: The sample of each question.
        right: The system's own answers: 1, 0, or NaN where it has none.
        system: Its letter.

    Raises:
        InputError: If too few of the others have both right and wrong answers.
    """
    if others is None:
        what = f"the questions cannot be placed without {system}"
        raise InputError(what, "name two other runs that have both right and wrong answers")
    answers = {int(at): bool(right[at]) for at in np.flatnonzero(~np.isnan(right))}
    ability, sd, places = standing(others.difficulties, others.difficulty_sds, answers)
    return NextQuestions(system, len(answers), ability, sd, [ids[at] for at in places])
