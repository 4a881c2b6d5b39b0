"""What an item analysis says of parts that systems share, and of which questions to ask."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from assay.errors import InputError
from assay.stats.exam import shorter_exam, standing
from assay.stats.intervals import Floats, Interval, t_interval
from assay.stats.items import Rasch, effects


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
    found, at = [], 1
    for name, values in levels.items():
        own = np.arange(at, at + len(values) - 1)
        for value, weights in zip(values, _codes(len(values)), strict=True):
            effect = float(weights @ fit.values[own])
            error = sqrt(float(weights @ fit.covariance[np.ix_(own, own)] @ weights))
            runs = sum(str(one.get(name, "not set")) == value for one in params)
            interval = t_interval(effect, error, fit.freedom, 0.95, "sandwich, t")
            found.append(Component(name, value, runs, effect, interval))
        at += len(own)
    return found, ""


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
    exam = shorter_exam(fit.difficulties, fit.difficulty_sds, abilities, keep)
    return ShorterExam(keep, [ids[at] for at in exam.kept], exam.n, exam.share)


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
    placed = standing(others.difficulties, others.difficulty_sds, answers)
    samples = [ids[at] for at in placed.following]
    return NextQuestions(system, len(answers), placed.ability, placed.sd, samples)
