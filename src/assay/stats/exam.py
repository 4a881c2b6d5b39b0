"""Which questions tell most about a system: information, a shorter exam, the next questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.stats.intervals import Floats

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


@dataclass(frozen=True, slots=True)
class Exam:
    """A shorter exam.

    Attributes:
        kept: Places of the questions to keep, the most informative first.
        n: How many there are.
        share: Least share of the information that they keep at any of the abilities, 0 to 1.
        at_random: About how many questions drawn at random would keep as much.
    """

    kept: Sequence[int]
    n: int
    share: float
    at_random: int


def shorter_exam(
    difficulties: Floats, sds: Floats, abilities: Sequence[float], keep: float
) -> Exam:
    """The fewest questions, about, that keep a share of the information at all of the abilities.

    Args:
        difficulties: Shape (n,), in logits.
        sds: Shape (n,), how far each may be off.
        abilities: Those of the systems that are to be told apart.
        keep: The share, above 0 and up to 1; with 0.9 intervals widen by a twentieth.
    """
    told = information(difficulties, sds, np.asarray(abilities, dtype=np.float64))
    whole = told.sum(axis=0)
    have, left, kept = np.zeros_like(whole), np.ones(len(told), dtype=bool), list[int]()
    while left.any() and (lack := np.maximum(keep * whole - have, 0) / whole).max() > 1e-12:
        best = int(np.where(left, told @ lack, -1.0).argmax())
        left[best] = False
        have += told[best]
        kept.append(best)
    share = float((have / whole).min())
    return Exam(kept, len(told), share, round(share * len(told)))


@dataclass(frozen=True, slots=True)
class Standing:
    """What some answers tell about a system, and what would tell most next.

    Attributes:
        ability: Its expected ability in logits.
        sd: How far it may be off.
        following: Places of the questions that it has not answered, the most telling first.
    """

    ability: float
    sd: float
    following: Sequence[int]


def standing(difficulties: Floats, sds: Floats, answers: Mapping[int, bool]) -> Standing:
    """The ability that answers tell so far, and the next questions (adaptive testing).

    The expected information of each question is taken over what is believed of the ability: a
    normal belief of mean 0 and standard deviation 2, and the answers.

    Args:
        difficulties: Shape (n,), in logits, from other systems.
        sds: Shape (n,), how far each may be off.
        answers: Place of a question -> whether the system got it right.

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
    told = (right * (1 - right)) @ belief
    order = np.argsort(-told, kind="stable").tolist()
    return Standing(mean, sd, [place for place in order if place not in answers])
