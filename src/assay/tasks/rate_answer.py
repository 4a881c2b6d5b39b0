"""How well does an answer address its question, right or wrong?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template, earlier_turns
from assay.tasks.reading import decode, schema


@dataclass(frozen=True, slots=True)
class Rating:
    """How well an answer addresses its question.

    Attributes:
        relevance: 0 (does not address it) to 1 (addresses all of it and nothing else).
        noncommittal: Whether the answer evades.
        reason: Why, in the judge's words.
    """

    relevance: float
    noncommittal: bool
    reason: str = ""


class _Form(msgspec.Struct, frozen=True):
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

    schema = schema(_Form)
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

    def material(self) -> Sequence[Material]:
        """The turns before the question where there are any, the question, the answer."""
        before = earlier_turns(self.earlier)
        return (*before, Material("question", self.question), Material("answer", self.answer))

    def read(self, raw: str) -> Rating:
        """The rating; raises Unreadable if it lies outside 0 to 1."""
        form = decode(raw, _Form)
        if not 0.0 <= form.relevance <= 1.0:
            raise Unreadable(f"a relevance of {form.relevance}, outside 0 to 1", raw=raw)
        return Rating(form.relevance, form.noncommittal, form.reason)


def reply(rating: Rating) -> str:
    """A reply in the form that `RateAnswer` reads."""
    form = _Form(rating.reason, rating.noncommittal, rating.relevance)
    return msgspec.json.encode(form).decode()
