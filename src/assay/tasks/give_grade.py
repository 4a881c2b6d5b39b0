"""Which of the allowed grades do the texts deserve by a criterion?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.reading import Probability, decode, explained, schema

# Probabilities that add up to less, or more, than this beside 1 are no distribution.
_ROUNDING = 0.01
# Stands after what a model wrote, before the probabilities that it did not write.
_BESIDE = "\n\n[probabilities of the grades, by those of the reply's tokens] "


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade that was given.

    Attributes:
        value: One of the allowed grades.
        reason: Why, in the judge's words.
        probabilities: (grade, probability) of every grade, where the judge gives them; they add
            up to 1.
    """

    value: float
    reason: str = ""
    probabilities: tuple[tuple[float, float], ...] | None = None

    @property
    def expected(self) -> float:
        """The mean of the grades by their probabilities; the grade itself where there are none."""
        if self.probabilities is None:
            return self.value
        total = math.fsum(p for _, p in self.probabilities)
        return math.fsum(grade * p for grade, p in self.probabilities) / total


_Probabilities: TypeAlias = list[tuple[float, Probability]]


class _Form(msgspec.Struct, frozen=True, omit_defaults=True):
    reason: str
    grade: float
    probabilities: _Probabilities | None = None


class _AskedForm(msgspec.Struct):
    reason: str
    grade: float


@dataclass(frozen=True)
class GiveGrade(Task[Grade]):
    """Give one of the allowed grades to the texts shown, by a criterion in words.

    Attributes:
        criterion: What to grade, in words.
        grades: The allowed grades, and what each means ("" where the criterion says it).
        shown: The texts to look at with their names: ("question", ...), ("context 1", ...).
    """

    criterion: str
    grades: tuple[tuple[float, str], ...]
    shown: tuple[tuple[str, str], ...]

    schema = schema(_AskedForm)
    template = Template(
        instruction=(
            "Give a grade by a criterion. The text named criterion says what to grade, and the "
            "text named grades which grades are allowed and what they mean; follow them. All other "
            "texts are what is to be graded, or to be consulted for it. Grade nothing but what the "
            "criterion asks about, use no other grade than those listed, and if you hesitate "
            "between two, take the one whose meaning fits better as a whole. Give the reason "
            "first, in one sentence."
        ),
        form='{"reason": "...", "grade": 1}',
    )

    def material(self) -> Sequence[Material]:
        """The criterion, the grades as JSON, one a line, and the texts."""
        # 4 and not 4.0: the judge is to write it as it is shown.
        shown = ((int(g) if g == int(g) else g, meaning) for g, meaning in self.grades)
        grades = explained("grade", shown)
        texts = (Material(name, text) for name, text in self.shown)
        return (Material("criterion", self.criterion), Material("grades", grades), *texts)

    def read(self, raw: str) -> Grade:
        """The grade; raises Unreadable if it, or one that has a probability, is not allowed."""
        said, beside = _apart(raw)
        form = decode(said, _Form)
        value = self._allowed(form.grade, raw)
        told = form.probabilities if beside is None else beside
        if told is None:
            return Grade(value, form.reason)
        probabilities = tuple((self._allowed(g, raw), p) for g, p in told)
        total = math.fsum(p for _, p in probabilities)
        if len(dict(probabilities)) < len(probabilities) or abs(total - 1) > _ROUNDING:
            raise Unreadable("probabilities that do not add up to 1, one a grade", raw=raw)
        return Grade(value, form.reason, probabilities)

    def _allowed(self, grade: float, raw: str) -> float:
        for allowed, _ in self.grades:
            if math.isclose(grade, allowed, abs_tol=1e-9):
                return allowed
        listed = ", ".join(f"{allowed:g}" for allowed, _ in self.grades)
        raise Unreadable(f"a grade of {grade:g}, which is none of {listed}", raw=raw)


def reply(grade: Grade) -> str:
    """A reply in the form that `GiveGrade` reads."""
    probabilities = None if grade.probabilities is None else list(grade.probabilities)
    return msgspec.json.encode(_Form(grade.reason, grade.value, probabilities)).decode()


def with_probabilities(raw: str, probabilities: Sequence[tuple[float, float]]) -> str:
    """A model's reply as it came, and after it (grade, probability) of every grade.

    `GiveGrade` reads them in place of any that the reply itself tells.
    """
    return f"{raw}{_BESIDE}{msgspec.json.encode(probabilities).decode()}"


def _apart(raw: str) -> tuple[str, _Probabilities | None]:
    """The reply as it came, and the probabilities after it where there are any."""
    said, mark, line = raw.rpartition(_BESIDE)
    if not mark:
        return raw, None
    try:
        return said, msgspec.json.decode(line, type=_Probabilities)
    except msgspec.DecodeError:  # the model wrote the mark itself
        return raw, None
