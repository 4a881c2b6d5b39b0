"""Which questions does a text answer, fact by fact?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.judge import Task
from assay.prompt import Example, Material, Template
from assay.tasks.reading import decode, distinct, schema


class _Form(msgspec.Struct, frozen=True):
    questions: list[str]


@dataclass(frozen=True)
class AskAboutFacts(Task[tuple[str, ...]]):
    """Ask for each important fact of a text, one short question a fact.

    Unlike `GenerateQuestions`, which wants the question that a text answers as a whole.

    Attributes:
        text: The text to ask about.
    """

    text: str

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Write questions that test whether a reader knows the facts of the text: one question "
            "for each important fact, such as a name, a number, a date, a place or a cause, until "
            "most of what the text says is asked about. Every question is answered by the text "
            "in a few words, asks for one fact only, gives no answer away and is understandable "
            "without the text. Write them in the language of the text. If the text states no "
            "fact, the list is empty."
        ),
        form='{"questions": ["...", "..."]}',
        examples=(
            Example(
                given="text: The Treaty of Rome was signed on 25 March 1957 by six countries.",
                reply=(
                    '{"questions": ["When was the Treaty of Rome signed?", "How many countries '
                    'signed the Treaty of Rome?"]}'
                ),
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The text."""
        return (Material("text", self.text),)

    def read(self, raw: str) -> tuple[str, ...]:
        """The questions in order, each once; empty ones are left out."""
        return distinct(decode(raw, _Form).questions)


def reply(questions: Sequence[str]) -> str:
    """A reply in the form that `AskAboutFacts` reads."""
    return msgspec.json.encode(_Form(list(questions))).decode()
