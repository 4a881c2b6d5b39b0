"""Multiple-choice questions about a text, and the options that a text makes right."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Self

import msgspec

from assay.errors import Unreadable
from assay.judge import ByIds, Task
from assay.prompt import Example, Material, Template
from assay.tasks.base import encode, numbered, one_line
from assay.tasks.parsing import by_id, decode, distinct, schema


@dataclass(frozen=True, slots=True)
class MultipleChoice:
    """A question with its options.

    Attributes:
        question: The question.
        options: What may be chosen, two or more, in alphabetical order: the place of an option
            does not say whether it is right.
    """

    question: str
    options: tuple[str, ...]


class _ChoiceItem(msgspec.Struct, frozen=True):
    question: str
    options: list[str]


class _ChoiceForm(msgspec.Struct, frozen=True):
    questions: list[_ChoiceItem]


@dataclass(frozen=True)
class AskMultipleChoice(Task[tuple[MultipleChoice, ...]]):
    """Write n multiple-choice questions about one sentence of a text.

    Attributes:
        sentence: What the questions ask about.
        text: The text that it stands in, which may help to understand it.
        n: How many questions at most.
    """

    sentence: str
    text: str
    n: int = 5

    schema = schema(_ChoiceForm)
    template = Template(
        instruction=(
            "Write multiple-choice questions that test whether a reader knows what the sentence "
            "says, at most as many as the number below. The text around the sentence is there to "
            "understand it. Every question asks for one fact that the sentence states and is "
            "understandable without the text. Give it four different options: the answer that the "
            "sentence gives, and three wrong ones of the same kind that somebody who has not read "
            "it could believe as well. Write in the language of the sentence. If it states no "
            "fact, the list is empty."
        ),
        form='{"questions": [{"question": "...", "options": ["...", "...", "...", "..."]}]}',
        examples=(
            Example(
                given=(
                    "number: 1\ntext: The Treaty of Rome was signed on 25 March 1957. It founded "
                    "the European Economic Community.\nsentence: The Treaty of Rome was signed on "
                    "25 March 1957."
                ),
                reply=(
                    '{"questions": [{"question": "When was the Treaty of Rome signed?", "options": '
                    '["25 March 1957", "9 May 1950", "1 January 1958", "7 February 1992"]}]}'
                ),
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The number, the text, the sentence."""
        return (
            Material("number", str(self.n)),
            Material("text", self.text),
            Material("sentence", self.sentence),
        )

    def read(self, raw: str) -> tuple[MultipleChoice, ...]:
        """The first n questions, each once; those with fewer than two options are left out."""
        by_text: dict[str, MultipleChoice] = {}
        for item in decode(raw, _ChoiceForm).questions:
            question, options = item.question.strip(), sorted(distinct(item.options))
            if question and len(options) > 1:
                options = options[: len(ascii_uppercase)]
                by_text.setdefault(question, MultipleChoice(question, tuple(options)))
        return tuple(by_text.values())[: self.n]

    @staticmethod
    def reply(questions: Sequence[MultipleChoice]) -> str:
        """A reply in the form that is read."""
        return encode(_ChoiceForm([_ChoiceItem(q.question, list(q.options)) for q in questions]))


@dataclass(frozen=True, slots=True)
class ChosenOption:
    """What the text answers to one question.

    Attributes:
        id: "q1", "q2" ... in order of the questions.
        option: The letter of the option, from "A"; None if the text does not answer the question.
    """

    id: str
    option: str | None


class _ChosenItem(msgspec.Struct, frozen=True):
    id: str
    option: str | None


class _ChosenForm(msgspec.Struct, frozen=True):
    answers: list[_ChosenItem]


@dataclass(frozen=True)
class AnswerMultipleChoice(ByIds[ChosenOption]):
    """Choose the option that the text alone makes right, or say that it does not answer.

    Attributes:
        questions: What to answer.
        text: All that may be used.
        asked: Ids ("q1" ...) of the questions still without an answer; empty means all.
    """

    questions: tuple[MultipleChoice, ...]
    text: str
    asked: tuple[str, ...] = ()

    schema = schema(_ChosenForm)
    template = Template(
        instruction=(
            "For every question, choose the option that is right by the text alone; give its "
            "letter. Use no knowledge of your own. If the text does not answer the question, or "
            "answers it with none of the options, the option is null. Give one answer for every "
            "question id."
        ),
        form='{"answers": [{"id": "q1", "option": "..."}, {"id": "q2", "option": null}]}',
        examples=(
            Example(
                given=(
                    "text: The Treaty of Rome was signed on 25 March 1957.\n"
                    'multiple-choice questions:\n{"id": "q1", "question": "When was the Treaty of '
                    'Rome signed?", "options": {"A": "1 January 1958", "B": "25 March 1957"}}\n'
                    '{"id": "q2", "question": "How many countries signed the Treaty of Rome?", '
                    '"options": {"A": "Six", "B": "Twelve"}}'
                ),
                reply=('{"answers": [{"id": "q1", "option": "B"}, {"id": "q2", "option": null}]}'),
            ),
        ),
    )

    @property
    def ids(self) -> tuple[str, ...]:
        """The questions' ids."""
        return tuple(self._by_id())

    def _by_id(self) -> dict[str, MultipleChoice]:
        names = numbered("q", [q.question for q in self.questions])
        known = dict(zip(names, self.questions, strict=True))
        return {i: known[i] for i in self.asked} if self.asked else known

    def material(self) -> Sequence[Material]:
        """The text, then the questions with their lettered options as JSON, one a line."""
        lines = [
            one_line(
                {
                    "id": i,
                    "question": q.question,
                    "options": dict(zip(ascii_uppercase, q.options, strict=False)),
                }
            )
            for i, q in self._by_id().items()
        ]
        return (
            Material("text", self.text),
            Material("multiple-choice questions", "\n".join(lines)),
        )

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same text, these questions only."""
        return replace(self, asked=tuple(ids))

    def read_some(self, raw: str) -> dict[str, ChosenOption]:
        """The options by question id; raises Unreadable if one has no such letter."""
        known = self._by_id()
        items = by_id(decode(raw, _ChosenForm).answers, self.ids, raw)
        chosen = {}
        for i, item in items.items():
            letter = (item.option or "").strip().rstrip(".)").upper()
            if letter and letter not in list(ascii_uppercase[: len(known[i].options)]):
                raise Unreadable(f"question {i} has no option '{item.option}'", raw=raw)
            chosen[i] = ChosenOption(i, letter or None)
        return chosen

    @staticmethod
    def reply(answers: Sequence[ChosenOption]) -> str:
        """A reply in the form that is read."""
        return encode(_ChosenForm([_ChosenItem(a.id, a.option) for a in answers]))
