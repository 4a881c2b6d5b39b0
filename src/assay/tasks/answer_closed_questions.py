"""Does a text answer each of some yes-or-no questions with yes?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec

from assay.judge import ByIds
from assay.prompt import Material, Template
from assay.tasks.reading import by_id, decode, listed, numbered, schema


@dataclass(frozen=True, slots=True)
class ClosedAnswer:
    """What the text answers to one question.

    Attributes:
        id: "q1", "q2" ... in order of the questions.
        yes: True for yes; False for no, and where the text does not tell.
        reason: Why, in the judge's words.
    """

    id: str
    yes: bool
    reason: str = ""


class _Item(msgspec.Struct, frozen=True):
    id: str
    reason: str
    yes: bool


class _Form(msgspec.Struct, frozen=True):
    answers: list[_Item]


@dataclass(frozen=True)
class AnswerClosedQuestions(ByIds[ClosedAnswer]):
    """Decide for each question whether the text alone answers it with yes.

    Attributes:
        questions: Questions to be answered with yes or no.
        text: All that may be used.
        asked: Ids ("q1" ...) of the questions still without an answer; empty means all.
    """

    questions: tuple[str, ...]
    text: str
    asked: tuple[str, ...] = ()

    schema = schema(_Form)
    template = Template(
        instruction=(
            "For every question, decide whether the text alone answers it with yes. Use no "
            "knowledge of your own: if the text does not tell, or tells otherwise, yes is false. "
            "Give one answer for every question id: first the reason in one sentence, then yes: "
            "true or false."
        ),
        form='{"answers": [{"id": "q1", "reason": "...", "yes": true}]}',
    )

    @property
    def ids(self) -> tuple[str, ...]:
        """The questions' ids."""
        return tuple(numbered("q", self.questions, self.asked))

    def material(self) -> Sequence[Material]:
        """The text, then the questions as JSON, one a line."""
        questions = listed(numbered("q", self.questions, self.asked).items())
        return (Material("text", self.text), Material("yes-or-no questions", questions))

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same text, these questions only."""
        return replace(self, asked=tuple(ids))

    def read_some(self, raw: str) -> dict[str, ClosedAnswer]:
        """The answers by question id."""
        items = by_id(decode(raw, _Form).answers, self.ids, raw)
        return {i: ClosedAnswer(i, item.yes, item.reason) for i, item in items.items()}


def reply(answers: Sequence[ClosedAnswer]) -> str:
    """A reply in the form that `AnswerClosedQuestions` reads."""
    return msgspec.json.encode(_Form([_Item(a.id, a.reason, a.yes) for a in answers])).decode()
