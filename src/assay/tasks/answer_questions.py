"""What does a text answer to each of some questions, if anything?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec

from assay.judge import ByIds
from assay.prompt import Example, Material, Template
from assay.tasks.reading import by_id, decode, listed, numbered, schema

# What models write in place of null.
_DASH = re.compile(r"[-\u2013\u2014]+")
_NOTHING = re.compile(r"(null|none|n/a)\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """What the text answers to one question.

    Attributes:
        id: "q1", "q2" ... in order of the questions.
        answer: The answer in a few words; None if the text does not answer the question.
    """

    id: str
    answer: str | None


class _Item(msgspec.Struct, frozen=True):
    id: str
    answer: str | None


class _Form(msgspec.Struct, frozen=True):
    answers: list[_Item]


@dataclass(frozen=True)
class AnswerQuestions(ByIds[ShortAnswer]):
    """Answer each question from the text alone, in a few words, or say that it does not answer it.

    Attributes:
        questions: What to answer.
        text: All that may be used.
        asked: Ids ("q1" ...) of the questions still without an answer; empty means all.
    """

    questions: tuple[str, ...]
    text: str
    asked: tuple[str, ...] = ()

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Answer every question from the text alone, in as few words as possible and in the "
            "words of the text: a name, a number, a date, a short phrase. Use no knowledge of "
            "your own. If the text does not answer a question, its answer is null. Give one "
            "answer for every question id."
        ),
        form='{"answers": [{"id": "q1", "answer": "..."}, {"id": "q2", "answer": null}]}',
        examples=(
            Example(
                given=(
                    "text: The Treaty of Rome was signed on 25 March 1957.\n"
                    'questions:\n{"id": "q1", "text": "When was the Treaty of Rome signed?"}\n'
                    '{"id": "q2", "text": "How many countries signed the Treaty of Rome?"}'
                ),
                reply=(
                    '{"answers": [{"id": "q1", "answer": "25 March 1957"}, {"id": "q2", "answer": '
                    "null}]}"
                ),
            ),
        ),
    )

    @property
    def ids(self) -> tuple[str, ...]:
        """The questions' ids."""
        return tuple(numbered("q", self.questions, self.asked))

    def material(self) -> Sequence[Material]:
        """The text, then the questions as JSON, one a line."""
        questions = listed(numbered("q", self.questions, self.asked).items())
        return (Material("text", self.text), Material("questions", questions))

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same text, these questions only."""
        return replace(self, asked=tuple(ids))

    def read_some(self, raw: str) -> dict[str, ShortAnswer]:
        """The answers by question id; an empty one is none, and so is "null", "none" or "n/a".

        These words are an answer only where the text has them.
        """
        items = by_id(decode(raw, _Form).answers, self.ids, raw)
        return {i: ShortAnswer(i, self._said(item.answer or "")) for i, item in items.items()}

    def _said(self, answer: str) -> str | None:
        said = answer.strip()
        if not said or _DASH.fullmatch(said):
            return None
        nothing = _NOTHING.fullmatch(said)
        if nothing and not re.search(rf"\b{nothing[1]}\b", self.text, re.IGNORECASE):
            return None
        return said


def reply(answers: Sequence[ShortAnswer]) -> str:
    """A reply in the form that `AnswerQuestions` reads."""
    return msgspec.json.encode(_Form([_Item(a.id, a.answer) for a in answers])).decode()
