"""Which questions does an answer answer?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Example, Material, Template, earlier_turns
from assay.tasks.reading import decode, schema


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions made from an answer.

    Attributes:
        questions: As many as were asked for.
        noncommittal: Whether the answer evades ("I do not know") instead of answering.
    """

    questions: tuple[str, ...]
    noncommittal: bool


class _Form(msgspec.Struct, frozen=True):
    noncommittal: bool
    questions: list[str]


# Added to the instruction where the answer is a message of a conversation.
_IN_CONVERSATION = (
    "The answer is a message of a conversation; the turns before it are shown. Write each question "
    "as the user would put it at that point of the conversation."
)


@dataclass(frozen=True)
class GenerateQuestions(Task[Questions]):
    """Make n different questions that the answer would be a direct answer to.

    Attributes:
        answer: The answer to make questions for.
        n: How many questions.
        earlier: Messages before the answer, oldest first, each after the role of its speaker; none
            where it is no part of a conversation.
    """

    answer: str
    n: int = 3
    earlier: tuple[str, ...] = ()

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Write exactly as many questions as the number below says, no more and no fewer. Each "
            "is one that the answer as a whole would answer directly and completely: no question "
            "about a detail, and not several questions in one. Let them differ in wording, not in "
            "what they ask. Write them in the language of the answer. Also say whether the answer "
            "is noncommittal: it evades, says that it does not know or cannot tell, and gives no "
            "information that was asked for."
        ),
        form='{"noncommittal": false, "questions": ["...", "..."]}',
        examples=(
            Example(
                given="number: 2\nanswer: The Treaty of Rome was signed on 25 March 1957.",
                reply=(
                    '{"noncommittal": false, "questions": ["When was the Treaty of Rome signed?", '
                    '"On what date did the signing of the Treaty of Rome take place?"]}'
                ),
            ),
            Example(
                given="number: 1\nanswer: I have no information about that after 2021.",
                reply='{"noncommittal": true, "questions": ["What happened after 2021?"]}',
            ),
        ),
    )

    def pieces(self, template: Template | None = None) -> tuple[str, ...]:
        """The prompt; within a conversation it says so."""
        if not self.earlier:
            return super().pieces(template)
        chosen = template or self.template
        return super().pieces(
            replace(chosen, instruction=f"{chosen.instruction} {_IN_CONVERSATION}")
        )

    def inputs(self) -> tuple[str, ...]:
        """The material, and what is added to the instruction within a conversation."""
        added = (f"{_IN_CONVERSATION}\n",) if self.earlier else ()
        return (*super().inputs(), *added)

    def material(self) -> Sequence[Material]:
        """The number, the turns before the answer where there are any, the answer."""
        before = earlier_turns(self.earlier)
        return (Material("number", str(self.n)), *before, Material("answer", self.answer))

    def read(self, raw: str) -> Questions:
        """The first n questions; raises Unreadable if there are fewer."""
        form = decode(raw, _Form)
        questions = tuple(q.strip() for q in form.questions if q.strip())
        if len(questions) < self.n:
            raise Unreadable(f"{len(questions)} questions instead of {self.n}", raw=raw)
        return Questions(questions[: self.n], form.noncommittal)


def reply(questions: Questions) -> str:
    """A reply in the form that `GenerateQuestions` reads."""
    form = _Form(noncommittal=questions.noncommittal, questions=list(questions.questions))
    return msgspec.json.encode(form).decode()
