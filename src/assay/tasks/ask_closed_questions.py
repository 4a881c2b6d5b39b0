"""Which yes-or-no questions does a text answer with yes, one or several for each key phrase?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.judge import Task
from assay.prompt import Example, Material, Template
from assay.tasks.reading import decode, schema


@dataclass(frozen=True, slots=True)
class ClosedQuestion:
    """A question that the text answers with yes.

    Attributes:
        phrase: The key phrase of the text that it is about.
        text: The question.
    """

    phrase: str
    text: str


class _Item(msgspec.Struct, frozen=True):
    phrase: str
    question: str


class _Form(msgspec.Struct, frozen=True):
    questions: list[_Item]


@dataclass(frozen=True)
class AskClosedQuestions(Task[tuple[ClosedQuestion, ...]]):
    """Find the key phrases of a text and ask about each what the text answers with yes.

    Unlike `AskAboutFacts`, whose questions are open and answered in words.

    Attributes:
        text: The text to ask about.
    """

    text: str

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Find the key phrases of the text: persons, organisations, places, dates and times, "
            "amounts of money, percentages, and whatever else it is about. For each key phrase "
            "write one question or several that can be answered with yes or no and that the text "
            "answers with yes. Every question asks for one fact and is understandable without the "
            "text. Write them in the language of the text. If the text states no fact, the list is "
            "empty."
        ),
        form='{"questions": [{"phrase": "...", "question": "..."}]}',
        examples=(
            Example(
                given="text: The Treaty of Rome was signed on 25 March 1957 by six countries.",
                reply=(
                    '{"questions": [{"phrase": "25 March 1957", "question": "Was the Treaty of '
                    'Rome signed on 25 March 1957?"}, {"phrase": "six countries", "question": '
                    '"Did six countries sign the Treaty of Rome?"}]}'
                ),
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The text."""
        return (Material("text", self.text),)

    def read(self, raw: str) -> tuple[ClosedQuestion, ...]:
        """The questions in order, each once; empty ones are left out."""
        found: dict[str, ClosedQuestion] = {}
        for item in decode(raw, _Form).questions:
            if text := item.question.strip():
                found.setdefault(text, ClosedQuestion(item.phrase.strip(), text))
        return tuple(found.values())


def reply(questions: Sequence[ClosedQuestion]) -> str:
    """A reply in the form that `AskClosedQuestions` reads."""
    return msgspec.json.encode(_Form([_Item(q.phrase, q.text) for q in questions])).decode()
