"""What does a question ask for, one thing at a time?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Example, Material, Template
from assay.tasks.reading import decode, distinct, schema


class _Form(msgspec.Struct, frozen=True):
    questions: list[str]


@dataclass(frozen=True)
class SplitQuestion(Task[tuple[str, ...]]):
    """Take a question apart into questions that ask for one thing each.

    Attributes:
        question: What was asked.
    """

    question: str

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Take the question apart: write one question for each thing that it asks for, each "
            "understandable on its own, in the language and as far as possible in the words of "
            "the question. Add nothing that is not asked. If it asks for one thing only, the list "
            "holds that question alone. A request or an instruction is a question as well."
        ),
        form='{"questions": ["...", "..."]}',
        examples=(
            Example(
                given="question: When was the Treaty of Rome signed, and by whom?",
                reply=(
                    '{"questions": ["When was the Treaty of Rome signed?", "By whom was the '
                    'Treaty of Rome signed?"]}'
                ),
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The question."""
        return (Material("question", self.question),)

    def read(self, raw: str) -> tuple[str, ...]:
        """The questions in order, each once; raises Unreadable if there is none."""
        questions = distinct(decode(raw, _Form).questions)
        if not questions:
            raise Unreadable("no question at all", raw=raw)
        return questions


def reply(questions: Sequence[str]) -> str:
    """A reply in the form that `SplitQuestion` reads."""
    return msgspec.json.encode(_Form(list(questions))).decode()
