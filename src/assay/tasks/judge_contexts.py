"""Which contexts are useful for arriving at an answer?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import msgspec

from assay.judge import ByIds
from assay.prompt import Material, Template
from assay.tasks.reading import Probability, by_id, decode, schema


@dataclass(frozen=True, slots=True)
class Usefulness:
    """What was found about one context.

    Attributes:
        id: "c1", "c2" ... in order of rank.
        useful: Whether it is useful for arriving at the target.
        reason: Why, in the judge's words.
        quote: The words of the context that are useful.
        probability: Probability that it is useful, where the judge gives one.
    """

    id: str
    useful: bool
    reason: str = ""
    quote: str = ""
    probability: float | None = None


class _Item(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    useful: bool
    reason: str = ""
    quote: str = ""
    probability: Probability | None = None


class _Form(msgspec.Struct, frozen=True):
    verdicts: list[_Item]


class _AskedItem(msgspec.Struct):
    id: str
    reason: str
    useful: bool


class _AskedForm(msgspec.Struct):
    verdicts: list[_AskedItem]


@dataclass(frozen=True)
class JudgeContexts(ByIds[Usefulness]):
    """Decide for each context whether it is useful for arriving at the target.

    Attributes:
        question: What was asked.
        target: The reference (or the answer) to arrive at.
        contexts: The retrieved contexts in order of rank.
        asked: Ids ("c1" ...) of the contexts still without a verdict; empty means all.
    """

    question: str
    target: str
    contexts: tuple[str, ...]
    asked: tuple[str, ...] = ()

    schema = schema(_AskedForm)
    template = Template(
        instruction=(
            "A question, the answer to arrive at, and some contexts are given. For every "
            "context, decide whether it is useful for arriving at that answer: whether it holds "
            "information that the answer states or rests on. Being on the same subject is not "
            "enough. Judge each context on its own, not by its place. Give one verdict for every "
            "context id: first the reason in one sentence, in the language of the question, then "
            "useful: true or false."
        ),
        form='{"verdicts": [{"id": "c1", "reason": "...", "useful": true}]}',
    )

    @property
    def ids(self) -> tuple[str, ...]:
        """The contexts' ids."""
        return self.asked or tuple(f"c{n}" for n in range(1, len(self.contexts) + 1))

    def shown(self) -> list[tuple[str, str]]:
        """(id, text) of the contexts that need a verdict."""
        return [(i, self.contexts[int(i[1:]) - 1]) for i in self.ids]

    def material(self) -> Sequence[Material]:
        """The question, the answer to arrive at, and the contexts."""
        contexts = [Material(f"context {i}", text) for i, text in self.shown()]
        return (Material("question", self.question), Material("answer", self.target), *contexts)

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same question, these contexts only."""
        return type(self)(self.question, self.target, self.contexts, tuple(ids))

    def read_some(self, raw: str) -> dict[str, Usefulness]:
        """The verdicts by context id."""
        items = by_id(decode(raw, _Form).verdicts, self.ids, raw)
        return {
            i: Usefulness(i, x.useful, x.reason, x.quote, x.probability) for i, x in items.items()
        }


def reply(verdicts: Sequence[Usefulness]) -> str:
    """A reply in the form that `JudgeContexts` reads."""
    items = [_Item(v.id, v.useful, v.reason, v.quote, v.probability) for v in verdicts]
    return msgspec.json.encode(_Form(items)).decode()
