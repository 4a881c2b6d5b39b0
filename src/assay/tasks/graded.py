"""Graded verdicts on statements: how each stands with the contexts, and how much it matters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Self, TypeAlias, get_args

import msgspec

from assay.errors import Unreadable
from assay.judge import ByIds
from assay.prompt import AS_IN_EXAMPLES, Example, Material, Template
from assay.tasks.base import encode, halved_texts, listed
from assay.tasks.parsing import by_id, decode, schema
from assay.tasks.statements import Statement
from assay.tasks.verification import CONTEXT_NAME, context_index

Standing: TypeAlias = Literal["supported", "common knowledge", "absent", "contradicted"]
STANDINGS: Final[tuple[Standing, ...]] = get_args(Standing)
SEVERITIES: Final = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class GradedVerdict:
    """What was found about one statement.

    Attributes:
        id: The statement's id.
        standing: "supported" by the contexts; "common knowledge" that follows from them; "absent"
            from them; or "contradicted" by one.
        severity: How much it would mislead whoever asked, were it wrong: 1 hardly, 2 somewhat, 3
            badly; None where it is supported.
        reason: Why, in the judge's words; "" where it is supported.
        context: 0-based index of the context that supports it, None if none or not said.
    """

    id: str
    standing: Standing
    severity: int | None = None
    reason: str = ""
    context: int | None = None


class _Item(msgspec.Struct, frozen=True):
    id: str
    finding: tuple[str, ...]


class _Form(msgspec.Struct):
    verdicts: list[list[str]]


@dataclass(frozen=True)
class GradeStatements(ByIds[GradedVerdict]):
    """Say of each statement how it stands with the contexts, and how much it matters if wrong.

    Attributes:
        question: What was asked: it decides what matters. May be empty.
        statements: What to check.
        contexts: What to check it against; shown to the judge as c1, c2 ...
    """

    question: str
    statements: tuple[Statement, ...]
    contexts: tuple[str, ...]

    schema = schema(_Form)
    template = Template(
        instruction=(
            "For every statement, say how it stands with the contexts. Give one list for every "
            "statement id, in order. If the contexts bear it out, all of it: its id and the id of "
            'the context that does so best ("supported" if no single one does). Else four things: '
            "its id; the reason in one short sentence in the language of the statement; how it "
            'stands: "common knowledge" if no context says it but it follows from them with what '
            'everybody knows (a usual step, a definition, plain arithmetic), "absent" if it takes '
            'other knowledge, "contradicted" if a context says otherwise: another number, name, '
            "date, condition or source; and how much it would mislead whoever asked the question "
            'if it were wrong: "1" hardly (an aside), "2" somewhat (a detail), "3" badly (it is '
            "what was asked for). A statement about the contexts or the answer itself, such as "
            'that nothing is said of something, is "supported" if it is true of them. '
            + AS_IN_EXAMPLES
        ),
        examples=(
            Example(
                "context c1: The bridge was opened in May 1932 and carries eight lanes.\n"
                "question: How old and how wide is the bridge?\n"
                'statements:\n{"id": "s1", "text": "The bridge was opened in 1932."}\n'
                '{"id": "s2", "text": "The bridge carries six lanes."}\n'
                '{"id": "s3", "text": "Cars can cross the bridge."}\n'
                '{"id": "s4", "text": "The bridge is toll-free."}',
                '{"verdicts": [["s1", "c1"], ["s2", "The context says eight lanes.", '
                '"contradicted", "3"], ["s3", "A bridge with lanes is for cars.", '
                '"common knowledge", "1"], ["s4", "No context mentions a toll.", "absent", "2"]]}',
            ),
        ),
        leading="context ",
    )

    @property
    def ids(self) -> tuple[str, ...]:
        """The statements' ids."""
        return tuple(s.id for s in self.statements)

    def material(self) -> Sequence[Material]:
        """The contexts, the question, the statements as JSON, one a line."""
        contexts = [Material(f"context c{n}", c) for n, c in enumerate(self.contexts, start=1)]
        statements = listed((s.id, s.text) for s in self.statements)
        question = Material("question", self.question)
        return (*contexts, question, Material("statements", statements))

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same question and contexts, these statements only."""
        return replace(self, statements=tuple(s for s in self.statements if s.id in set(ids)))

    def halves(self) -> tuple[Self, Self] | None:
        """The same statements, either half of the contexts."""
        parts = halved_texts(self.contexts)
        return parts and (replace(self, contexts=parts[0]), replace(self, contexts=parts[1]))

    def joined(
        self, first: Mapping[str, GradedVerdict], second: Mapping[str, GradedVerdict]
    ) -> dict[str, GradedVerdict]:
        """Supported where one half supports it, else contradicted where one denies it.

        What needs common knowledge beside one half follows from both with it.
        """
        order = ("supported", "contradicted", "common knowledge", "absent")
        shift = len(self.contexts) // 2  # a single context that was divided is one still
        moved = {
            i: replace(v, context=None if v.context is None else v.context + shift)
            for i, v in second.items()
        }
        return {
            i: min(first[i], moved[i], key=lambda verdict: order.index(verdict.standing))
            for i in self.ids
        }

    def read_some(self, raw: str) -> dict[str, GradedVerdict]:
        """The verdicts by statement id."""
        given = decode(raw, _Form).verdicts
        if not all(given):
            raise Unreadable("a verdict is empty", raw=raw)
        items = by_id([_Item(name, tuple(rest)) for name, *rest in given], self.ids, raw)
        return {i: self._verdict(i, item.finding, raw) for i, item in items.items()}

    def _verdict(self, name: str, finding: tuple[str, ...], raw: str) -> GradedVerdict:
        if len(finding) == 1:
            place = finding[0].strip().lower()
            if place != "supported" and not CONTEXT_NAME.fullmatch(place):
                raise Unreadable(f"the verdict for '{name}' names no context", raw=raw)
            context = context_index(place, len(self.contexts))
            return GradedVerdict(name, "supported", context=context)
        if len(finding) == 3:
            reason, said, severity = finding
            for standing in STANDINGS[1:]:
                if said.strip().lower() == standing and severity.strip() in map(str, SEVERITIES):
                    return GradedVerdict(name, standing, int(severity), reason)
        what = f"the verdict for '{name}' is neither a context nor a reason, a standing, a severity"
        raise Unreadable(what, raw=raw)

    @staticmethod
    def reply(verdicts: Sequence[GradedVerdict]) -> str:
        """A reply in the form that is read."""
        return encode(_Form([_given(verdict) for verdict in verdicts]))


def _given(verdict: GradedVerdict) -> list[str]:
    if verdict.standing == "supported":
        place = "supported" if verdict.context is None else f"c{verdict.context + 1}"
        return [verdict.id, place]
    return [verdict.id, verdict.reason, verdict.standing, str(verdict.severity or SEVERITIES[-1])]
