"""Which sentences of the contexts help to answer the question?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.reading import Probability, by_id, decode, listed, schema


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a context under the id that a judge is to use for it."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What was found of a sentence.

    Attributes:
        id: The sentence's id.
        reason: Why it helps or does not, in the judge's words.
        probability: Probability that it helps, where the judge gives one.
        chosen: Whether it was chosen. Most judges tell of no others.
    """

    id: str
    reason: str = ""
    probability: float | None = None
    chosen: bool = True


class _Item(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    reason: str = ""
    probability: Probability | None = None


class _Form(msgspec.Struct, frozen=True, omit_defaults=True):
    relevant: list[_Item]
    others: list[_Item] = []


class _AskedItem(msgspec.Struct):
    id: str
    reason: str


class _AskedForm(msgspec.Struct):
    relevant: list[_AskedItem]


@dataclass(frozen=True)
class SelectSentences(Task[tuple[Choice, ...]]):
    """Choose, by id, the sentences that can help to answer the question.

    Attributes:
        question: What was asked.
        sentences: All sentences of the contexts, in order.
    """

    question: str
    sentences: tuple[Passage, ...]

    schema = schema(_AskedForm)
    template = Template(
        instruction=(
            "Choose the sentences that can help to answer the question. Choose a sentence only "
            "if someone who answers the question would use what it says; being on the same "
            "subject is not enough. Give for each chosen sentence its id and the reason in a few "
            "words of the question's language. If none helps, or the question cannot be answered "
            "from them, the list is empty."
        ),
        form='{"relevant": [{"id": "1.2", "reason": "..."}]}',
    )

    def material(self) -> Sequence[Material]:
        """The question, then the sentences as JSON, one a line."""
        sentences = listed((s.id, s.text) for s in self.sentences)
        return (Material("question", self.question), Material("sentences", sentences))

    def read(self, raw: str) -> tuple[Choice, ...]:
        """The chosen sentences, and others of which the judge tells, in the order of the text."""
        known = [s.id for s in self.sentences]
        form = decode(raw, _Form)
        chosen = by_id(form.relevant, known, raw)
        found = by_id([*form.relevant, *form.others], known, raw)
        return tuple(
            Choice(i, found[i].reason, found[i].probability, i in chosen)
            for i in known
            if i in found
        )


def reply(choices: Sequence[Choice]) -> str:
    """A reply in the form that `SelectSentences` reads."""
    items = {c.id: _Item(c.id, c.reason, c.probability) for c in choices}
    chosen = [items[c.id] for c in choices if c.chosen]
    return msgspec.json.encode(
        _Form(chosen, [items[c.id] for c in choices if not c.chosen])
    ).decode()
