"""Grades, labels, ratings of texts by a criterion, and preference between answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import msgspec

from assay.errors import Unavailable, Unreadable
from assay.judge import Task
from assay.prompt import InputText, Template, earlier_turns
from assay.tasks.base import ListTask, Probability, decode, encode, explained, schema

# Probabilities that add up to less, or more, than this beside 1 are no distribution.
_ROUNDING = 0.01
# Stands after what a model wrote, before the probabilities that it did not write.
_PROBABILITIES_MARK = "\n\n[probabilities of the grades, by those of the reply's tokens] "


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


class _GradeForm(msgspec.Struct, frozen=True, omit_defaults=True):
    reason: str
    grade: float
    probabilities: _Probabilities | None = None


class _AskedGrade(msgspec.Struct):
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

    schema = schema(_AskedGrade)
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

    def input_texts(self) -> Sequence[InputText]:
        """The criterion, the grades as JSON, one a line, and the texts."""
        # 4 and not 4.0: the judge is to write it as it is shown.
        scale = ((int(g) if g == int(g) else g, meaning) for g, meaning in self.grades)
        grades = explained("grade", scale)
        texts = (InputText(name, text) for name, text in self.shown)
        return (InputText("criterion", self.criterion), InputText("grades", grades), *texts)

    def read(self, raw: str) -> Grade:
        """The grade; raises Unreadable if it, or one that has a probability, is not allowed."""
        text, appended = _split_probabilities(raw)
        form = decode(text, _GradeForm)
        value = self._allowed(form.grade, raw)
        weights = form.probabilities if appended is None else appended
        if weights is None:
            return Grade(value, form.reason)
        probabilities = tuple((self._allowed(g, raw), p) for g, p in weights)
        total = math.fsum(p for _, p in probabilities)
        if len(dict(probabilities)) < len(probabilities) or abs(total - 1) > _ROUNDING:
            raise Unreadable("probabilities that do not add up to 1, one a grade", raw=raw)
        return Grade(value, form.reason, probabilities)

    def _allowed(self, grade: float, raw: str) -> float:
        for allowed, _ in self.grades:
            if math.isclose(grade, allowed, abs_tol=1e-9):
                return allowed
        allowed_grades = ", ".join(f"{allowed:g}" for allowed, _ in self.grades)
        raise Unreadable(f"a grade of {grade:g}, which is none of {allowed_grades}", raw=raw)

    @staticmethod
    def reply(grade: Grade) -> str:
        """A reply in the form that is read."""
        probabilities = None if grade.probabilities is None else list(grade.probabilities)
        return encode(_GradeForm(grade.reason, grade.value, probabilities))

    @staticmethod
    def with_probabilities(raw: str, probabilities: Sequence[tuple[float, float]]) -> str:
        """A model's reply as it came, and after it (grade, probability) of every grade.

        `GiveGrade` reads them in place of any that the reply itself tells.
        """
        return f"{raw}{_PROBABILITIES_MARK}{msgspec.json.encode(probabilities).decode()}"


def _split_probabilities(raw: str) -> tuple[str, _Probabilities | None]:
    """The reply as it came, and the probabilities after it where there are any."""
    text, mark, line = raw.rpartition(_PROBABILITIES_MARK)
    if not mark:
        return raw, None
    try:
        return text, msgspec.json.decode(line, type=_Probabilities)
    except msgspec.DecodeError:  # the model wrote the mark itself
        return raw, None


@dataclass(frozen=True, slots=True)
class Label:
    """The label that was chosen.

    Attributes:
        value: One of the labels, as it was given.
        reason: Why, in the judge's words.
    """

    value: str
    reason: str = ""


class _LabelForm(msgspec.Struct, frozen=True):
    reason: str
    label: str


@dataclass(frozen=True)
class ChooseLabel(Task[Label]):
    """Choose the one of several named labels that fits the texts shown, by a criterion in words.

    Attributes:
        criterion: What to classify, in words.
        labels: The labels, and what each means ("" where its name says it).
        shown: The texts to look at with their names: ("question", ...), ("context 1", ...).
    """

    criterion: str
    labels: tuple[tuple[str, str], ...]
    shown: tuple[tuple[str, str], ...]

    schema = schema(_LabelForm)
    template = Template(
        instruction=(
            "Choose a label by a criterion. The text named criterion says what to look at, and the "
            "text named labels which labels there are and what they mean; follow them. All other "
            "texts are what is to be labelled, or to be consulted for it. Choose exactly one label "
            "and write it as it is listed. Give the reason first, in one sentence."
        ),
        form='{"reason": "...", "label": "..."}',
    )

    def input_texts(self) -> Sequence[InputText]:
        """The criterion, the labels as JSON, one a line, and the texts."""
        labels = explained("label", self.labels)
        texts = (InputText(name, text) for name, text in self.shown)
        return (InputText("criterion", self.criterion), InputText("labels", labels), *texts)

    def read(self, raw: str) -> Label:
        """The label; raises Unreadable if it is not one of those listed."""
        form = decode(raw, _LabelForm)
        label = form.label.strip()
        names = [name for name, _ in self.labels]
        matches = [name for name in names if name.casefold() == label.casefold()]
        if label in names:
            return Label(label, form.reason)
        if len(matches) == 1:
            return Label(matches[0], form.reason)
        raise Unreadable(f"a label '{label}', which is none of {', '.join(names)}", raw=raw)

    @staticmethod
    def reply(label: Label) -> str:
        """A reply in the form that is read."""
        return encode(_LabelForm(label.reason, label.value))


@dataclass(frozen=True, slots=True)
class Rating:
    """How well an answer addresses its question.

    Attributes:
        relevance: 0 (does not address it) to 1 (addresses all of it and nothing else); None where
            the judge can only tell whether the answer evades.
        noncommittal: Whether the answer evades.
        reason: Why, in the judge's words.
    """

    relevance: float | None
    noncommittal: bool
    reason: str = ""

    @property
    def rated(self) -> float:
        """The relevance.

        Raises:
            Unavailable: If the judge cannot tell it; its reason says why.
        """
        if self.relevance is None:
            raise Unavailable(self.reason, permanent=True)
        return self.relevance


class _RatingForm(msgspec.Struct, frozen=True, omit_defaults=True):
    reason: str
    noncommittal: bool
    relevance: float | None
    unrated: bool = False


class _AskedRating(msgspec.Struct):
    reason: str
    noncommittal: bool
    relevance: float


@dataclass(frozen=True)
class RateAnswer(Task[Rating]):
    """Rate directly how well the answer addresses the question (no questions generated).

    Attributes:
        question: What was asked.
        answer: What was answered.
        earlier: Messages before the question, oldest first, each after the role of its speaker;
            none where it is no part of a conversation.
    """

    question: str
    answer: str
    earlier: tuple[str, ...] = ()

    schema = schema(_AskedRating)
    template = Template(
        instruction=(
            "Rate how well the answer addresses the question, whether or not it is right. "
            "relevance is a number from 0 to 1: 1 if it addresses everything that was asked and "
            "nothing else, 0.5 if it addresses a part of it or much else besides, 0 if it "
            "addresses something else. Also say whether it is noncommittal: it evades or says "
            "that it does not know. Give the reason first, in one sentence and in the language "
            "of the answer."
        ),
        form='{"reason": "...", "noncommittal": false, "relevance": 1.0}',
    )

    def input_texts(self) -> Sequence[InputText]:
        """The turns before the question where there are any, the question, the answer."""
        turns = earlier_turns(self.earlier)
        return (*turns, InputText("question", self.question), InputText("answer", self.answer))

    def read(self, raw: str) -> Rating:
        """The rating; raises Unreadable if it lies outside 0 to 1."""
        form = decode(raw, _RatingForm)
        if form.unrated:
            return Rating(None, form.noncommittal, form.reason)
        if form.relevance is None or not 0.0 <= form.relevance <= 1.0:
            raise Unreadable(f"a relevance of {form.relevance}, outside 0 to 1", raw=raw)
        return Rating(form.relevance, form.noncommittal, form.reason)

    @staticmethod
    def reply(rating: Rating) -> str:
        """A reply in the form that is read."""
        unrated = rating.relevance is None
        form = _RatingForm(rating.reason, rating.noncommittal, rating.relevance, unrated)
        return encode(form)


@dataclass(frozen=True)
class PlanEvaluation(ListTask):
    """Plan the steps by which a grader checks texts against a criterion.

    Attributes:
        criterion: What is to be graded, in words.
        shown: Names of the texts that the grader will see.
    """

    criterion: str
    shown: tuple[str, ...]

    key = "steps"
    repeats = True
    empty = "no step in the plan"
    template = Template(
        instruction=(
            "A grader is going to grade texts by the criterion below. Write three to five steps "
            "that the grader is to go through, in order: what to read, what to look for, and what "
            "raises or lowers the grade. Each step is one sentence and about the criterion alone. "
            "Use no text but those that the grader is shown. Write in the language of the "
            "criterion."
        ),
        form='{"steps": ["...", "..."]}',
    )

    def input_texts(self) -> Sequence[InputText]:
        """The criterion, and what the grader is shown."""
        return (
            InputText("criterion", self.criterion),
            InputText("the grader is shown", ", ".join(self.shown)),
        )


Better: TypeAlias = Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True)
class Preference:
    """Which of two answers was preferred.

    Attributes:
        better: "first", "second", or "tie" if neither is better.
        reason: Why, in the judge's words.
    """

    better: Better
    reason: str = ""


class _PreferenceForm(msgspec.Struct, frozen=True):
    reason: str
    better: str


@dataclass(frozen=True)
class PreferAnswer(Task[Preference]):
    """Prefer one of two answers, by a criterion in words.

    Attributes:
        criterion: What makes an answer the better one, in words.
        shown: Texts to consult, with their names: ("question", ...), ("context 1", ...).
        first: The answer that is shown first.
        second: The answer that is shown second.
    """

    criterion: str
    shown: tuple[tuple[str, str], ...]
    first: str
    second: str

    schema = schema(_PreferenceForm)
    template = Template(
        instruction=(
            "Two answers are given. Decide which of them is better by the criterion below, and by "
            "nothing else: neither the order in which they stand nor their length counts, unless "
            "the criterion is about it. Give the reason first, in one sentence, then better: "
            '"first", "second", or "tie" if neither is better than the other.'
        ),
        form='{"reason": "...", "better": "first"}',
    )

    def input_texts(self) -> Sequence[InputText]:
        """The criterion, what is to be consulted, and the two answers."""
        return (
            InputText("criterion", self.criterion),
            *(InputText(name, text) for name, text in self.shown),
            InputText("first answer", self.first),
            InputText("second answer", self.second),
        )

    def read(self, raw: str) -> Preference:
        """The preference; the answers may be named as they are shown: "First answer"."""
        form = decode(raw, _PreferenceForm)
        preferred = form.better.strip().lower().removesuffix(" answer")
        for better in get_args(Better):
            if preferred == better:
                return Preference(better, form.reason)
        raise Unreadable(f"'{form.better}' instead of first, second or tie", raw=raw)

    @staticmethod
    def reply(preference: Preference) -> str:
        """A reply in the form that is read."""
        return encode(_PreferenceForm(preference.reason, preference.better))


@dataclass(frozen=True, slots=True)
class Ranking:
    """Answers in order.

    Attributes:
        order: Index of each answer among those shown, the best first.
        reason: Why, in the judge's words.
    """

    order: tuple[int, ...]
    reason: str = ""


class _RankingForm(msgspec.Struct, frozen=True):
    reason: str
    order: list[str]


@dataclass(frozen=True)
class RankAnswers(Task[Ranking]):
    """Put several answers in order, the best first, by a criterion in words.

    Attributes:
        criterion: What makes an answer the better one, in words.
        shown: Texts to consult, with their names: ("question", ...), ("context 1", ...).
        answers: The answers in the order in which they are shown, as a1, a2 ...
    """

    criterion: str
    shown: tuple[tuple[str, str], ...]
    answers: tuple[str, ...]

    schema = schema(_RankingForm)
    template = Template(
        instruction=(
            "Several answers are given. Put them in order by the criterion below, the best first, "
            "and by nothing else: neither the order in which they stand nor their length counts, "
            "unless the criterion is about it. Name every answer exactly once by its id (a1, a2 "
            "...). Give the reason first, in one sentence."
        ),
        form='{"reason": "...", "order": ["a2", "a1"]}',
    )

    def input_texts(self) -> Sequence[InputText]:
        """The criterion, what is to be consulted, and the answers."""
        return (
            InputText("criterion", self.criterion),
            *(InputText(name, text) for name, text in self.shown),
            *(InputText(f"answer a{n}", text) for n, text in enumerate(self.answers, start=1)),
        )

    def read(self, raw: str) -> Ranking:
        """The order; raises Unreadable if an answer is missing or named twice."""
        form = decode(raw, _RankingForm)
        ids = [f"a{n}" for n in range(1, len(self.answers) + 1)]
        order = [name.strip().lower().removeprefix("answer ") for name in form.order]
        if sorted(order) != sorted(ids):
            fault = (
                f"an order of {', '.join(order) or 'nothing'} instead of all of {', '.join(ids)}"
            )
            raise Unreadable(fault, raw=raw)
        return Ranking(tuple(ids.index(name) for name in order), form.reason)

    @staticmethod
    def reply(ranking: Ranking) -> str:
        """A reply in the form that is read."""
        form = _RankingForm(ranking.reason, [f"a{n + 1}" for n in ranking.order])
        return encode(form)
