"""Which contexts are useful for arriving at an answer?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec

from assay.judge import ByIds
from assay.prompt import Material, Template
from assay.tasks.halves import IN_PARTS, halved_texts
from assay.tasks.reading import Probability, by_id, decode, numbered, schema


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
        leading="context ",
    )

    @property
    def ids(self) -> tuple[str, ...]:
        """The contexts' ids."""
        return tuple(numbered("c", self.contexts, self.asked))

    def shown(self) -> list[tuple[str, str]]:
        """(id, text) of the contexts that need a verdict."""
        return list(numbered("c", self.contexts, self.asked).items())

    def material(self) -> Sequence[Material]:
        """The question, the answer to arrive at, and the contexts."""
        contexts = [Material(f"context {i}", text) for i, text in self.shown()]
        return (Material("question", self.question), Material("answer", self.target), *contexts)

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same question, these contexts only."""
        return replace(self, asked=tuple(ids))

    def halves(self) -> tuple[Self, Self] | None:
        """Either half of the contexts; of a single one, either half of its text."""
        ids = self.ids
        if len(ids) > 1:
            middle = len(ids) // 2
            return self.narrow(ids[:middle]), self.narrow(ids[middle:])
        at = int(ids[0][1:]) - 1
        parts = halved_texts((self.contexts[at],))
        return parts and (self._with(at, parts[0][0]), self._with(at, parts[1][0]))

    def _with(self, at: int, text: str) -> Self:
        contexts = (*self.contexts[:at], text, *self.contexts[at + 1 :])
        return replace(self, contexts=contexts, asked=(f"c{at + 1}",))

    def joined(
        self, first: Mapping[str, Usefulness], second: Mapping[str, Usefulness]
    ) -> dict[str, Usefulness]:
        """Each verdict; a context whose text was divided is useful where one part is."""
        if len(self.ids) > 1:
            return {**first, **second}
        (name,) = self.ids
        said = max(first[name], second[name], key=lambda found: found.useful)
        reason = IN_PARTS + said.reason.removeprefix(IN_PARTS)
        return {name: replace(said, reason=reason)}

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
