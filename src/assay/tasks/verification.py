"""Verification of statements against contexts: verdicts, and graded ones."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self, TypeAlias, TypeVar, get_args

import msgspec

from assay._text.words import closest_sentence
from assay.errors import Unreadable
from assay.judge import ByIds, Reasons
from assay.prompt import AS_IN_EXAMPLES, Example, InputText, Template
from assay.tasks.base import (
    IN_PARTS,
    Probability,
    by_id,
    decode,
    encode,
    halved_texts,
    listed,
    schema,
)
from assay.tasks.statements import Statement

# A judge that gives probabilities between these, ends included, does not know: on held-out claims
# half of such verdicts are wrong, whichever way they go.
UNCERTAIN = (0.4, 0.6)
# What a short reply says instead of a context.
SUPPORTED, UNSUPPORTED, CONTRADICTED = "supported", "unsupported", "contradicted"
_DENIALS: Final = {UNSUPPORTED, CONTRADICTED}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about one statement.

    Attributes:
        id: The statement's id.
        supported: Whether it can be inferred from the contexts.
        reason: Why, in the judge's words.
        context: 0-based index of the context that supports it, None if none or not said.
        quote: The words of that context that do.
        probability: Probability that it is supported, where the judge gives one.
        contradicted: Whether a context says the opposite (rather than nothing); None if not said.
        spans: (start, end) characters of the statement that are not supported, where the judge
            tells them.
    """

    id: str
    supported: bool
    reason: str = ""
    context: int | None = None
    quote: str = ""
    probability: float | None = None
    contradicted: bool | None = None
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def support(self) -> float:
        """Probability that it is supported, in [0, 1]; 1 or 0 where the judge gives none."""
        return float(self.supported) if self.probability is None else self.probability

    @property
    def uncertain(self) -> bool:
        """Whether the judge gives a probability by which it may as well be the other way."""
        return is_uncertain(self.probability)


def is_uncertain(probability: float | None) -> bool:
    """Whether a probability tells neither way; None, of a judge that gives none, never does."""
    return probability is not None and UNCERTAIN[0] <= probability <= UNCERTAIN[1]


class _Item(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    id: str
    supported: bool
    reason: str = ""
    context: str | None = None
    quote: str = ""
    probability: Probability | None = None
    contradicted: bool | None = None
    spans: tuple[tuple[int, int], ...] = ()


class _Form(msgspec.Struct, frozen=True):
    # In short, or as objects: an encoder's verdicts have more to say than a list holds. Some models
    # write a map from ids, and the number of a context as a number.
    verdicts: list[_Item | list[str | int]] | dict[str, str | list[str | int]]


class _ShortForm(msgspec.Struct):
    verdicts: list[list[str]]


class _LongItem(msgspec.Struct):
    # What an LLM is asked for: a probability in words is no probability, so none is asked.
    id: str
    reason: str
    context: str | None
    quote: str
    supported: bool
    contradicted: bool


class _LongForm(msgspec.Struct):
    verdicts: list[_LongItem]


class _EitherForm(msgspec.Struct):
    verdicts: list[_LongItem | list[str]]


_DECIDE = (
    "For every statement, decide whether it can be inferred from the contexts alone. Use "
    "no knowledge of your own: a true statement that the contexts do not bear out is not "
    "supported, and neither is one that they support only in part or with other numbers, "
    "names or dates. "
)
_GIVEN = (
    "context c1: The bridge was opened in May 1932 and carries eight lanes.\n"
    'statements:\n{"id": "s1", "text": "The bridge was opened in 1932."}\n'
    '{"id": "s2", "text": "The bridge carries six lanes."}\n'
    '{"id": "s3", "text": "The bridge is toll-free."}'
)


def _template(ask: str, reply: str) -> Template:
    return Template(
        instruction=f"{_DECIDE}{ask}{AS_IN_EXAMPLES}",
        examples=(Example(_GIVEN, reply),),
        leading="context ",
    )


_TEMPLATES: Final[Mapping[Reasons, Template]] = {
    "all": _template(
        "Give one verdict for every statement id: first the reason in one "
        "sentence, then the id of the context that supports it (null if none does) and the "
        "shortest exact quote from it, then supported: true or false, then contradicted: true "
        "only if a context says the opposite, false if they are silent about it. Write "
        "reasons in the language of the statement. ",
        '{"verdicts": [{"id": "s1", "reason": "The context says it was opened in May '
        '1932.", "context": "c1", "quote": "opened in May 1932", "supported": true, '
        '"contradicted": false}, {"id": "s2", "reason": "The context says eight lanes, '
        'not six.", "context": null, "quote": "", "supported": false, "contradicted": '
        'true}, {"id": "s3", "reason": "The context says nothing about a toll.", '
        '"context": null, "quote": "", "supported": false, "contradicted": false}]}',
    ),
    "failures": _template(
        "Give one list for every statement id, in order. If it is supported: its id and the id of "
        "the context that supports it best. Else: its id, the reason in one short sentence in the "
        'language of the statement, then "contradicted" if a context says the opposite, or '
        '"unsupported" if they are silent about it. ',
        '{"verdicts": [["s1", "c1"], ["s2", "The context says eight lanes, not six.", '
        '"contradicted"], ["s3", "The context says nothing about a toll.", "unsupported"]]}',
    ),
    "none": _template(
        "Give one list for every statement id, in order: its id, then the id of the context that "
        'supports it best; "contradicted" if none does and a context says the opposite; '
        '"unsupported" if they are silent about it. ',
        '{"verdicts": [["s1", "c1"], ["s2", "contradicted"], ["s3", "unsupported"]]}',
    ),
}
_SHORT_SCHEMA = schema(_ShortForm)
_LONG_SCHEMA = schema(_LongForm)
_EITHER_SCHEMA = schema(_EitherForm)
# How a context is named, whether or not there is one of that number.
CONTEXT_NAME = re.compile(r"(?:c|context )?\d+", re.IGNORECASE)
_BETWEEN_CONTEXTS = re.compile(r",? and |, ?")

_V = TypeVar("_V", "Verdict", "GradedVerdict")


class _StatementsTask(ByIds[_V]):
    """A task about statements beside contexts, which can be read in two halves."""

    statements: tuple[Statement, ...]
    contexts: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The statements' ids."""
        return tuple(s.id for s in self.statements)

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same contexts, these statements only."""
        statements = tuple(s for s in self.statements if s.id in set(ids))
        return replace(self, statements=statements)  # type: ignore[type-var]

    def halves(self) -> tuple[Self, Self] | None:
        """The same statements, either half of the contexts."""
        halves = halved_texts(self.contexts)
        return halves and (self._with_contexts(halves[0]), self._with_contexts(halves[1]))

    def _with_contexts(self, contexts: tuple[str, ...]) -> Self:
        return replace(self, contexts=contexts)  # type: ignore[type-var]

    def moved(self, second: Mapping[str, _V]) -> dict[str, _V]:
        """The verdicts on the second half, with the places that contexts have in the whole."""
        # A single context that was divided is one context still.
        shift = len(self.contexts) // 2
        return {
            i: v if v.context is None else replace(v, context=v.context + shift)
            for i, v in second.items()
        }


@dataclass(frozen=True)
class VerifyStatements(_StatementsTask[Verdict]):
    """Check each statement against all contexts: can it be inferred from them?

    Attributes:
        statements: What to check.
        contexts: What to check it against; shown to the judge as c1, c2 ...
    """

    statements: tuple[Statement, ...]
    contexts: tuple[str, ...]

    schema = _SHORT_SCHEMA
    template = _TEMPLATES["failures"]

    @classmethod
    def template_for(cls, reasons: Reasons) -> Template:
        """The prompt that asks for a reason for these verdicts."""
        return _TEMPLATES[reasons]

    @classmethod
    def schema_for(cls, template: Template) -> Mapping[str, Any]:
        """The form that a prompt asks for; a user's own prompt may ask for either."""
        if template == _TEMPLATES["all"]:
            return _LONG_SCHEMA
        return _SHORT_SCHEMA if template in _TEMPLATES.values() else _EITHER_SCHEMA

    def input_texts(self) -> Sequence[InputText]:
        """The contexts, then the statements as JSON, one a line."""
        contexts = [InputText(f"context c{n}", c) for n, c in enumerate(self.contexts, start=1)]
        return (*contexts, InputText("statements", listed((s.id, s.text) for s in self.statements)))

    def joined(
        self, first: Mapping[str, Verdict], second: Mapping[str, Verdict]
    ) -> dict[str, Verdict]:
        """Supported where one half supports it; else contradicted where one denies it."""
        moved = self.moved(second)
        return {i: _stronger(first[i], moved[i]) for i in self.ids}

    def read_some(self, raw: str) -> dict[str, Verdict]:
        """The verdicts by statement id; a short reply quotes nothing, so the quotes are found."""
        found = decode(raw, _Form).verdicts
        if isinstance(found, dict):
            found = [[i, *([said] if isinstance(said, str) else said)] for i, said in found.items()]
        items = by_id([v if isinstance(v, _Item) else _item(v, raw) for v in found], self.ids, raw)
        if all(isinstance(v, _Item) for v in found):
            return {i: self._verdict(i, item) for i, item in items.items()}
        texts = {s.id: s.text for s in self.statements}
        return {i: self._verdict(i, item, texts[i]) for i, item in items.items()}

    def _verdict(self, name: str, item: _Item, statement: str = "") -> Verdict:
        """The verdict; with the sentence of its context that has most words of a statement."""
        context, quote = context_index(item.context, len(self.contexts)), item.quote
        if statement and context is not None and not quote:
            text = self.contexts[context]
            quote = text[slice(*(closest_sentence(statement, text) or (0, 0)))]
        return Verdict(
            id=name,
            supported=item.supported,
            reason=item.reason,
            context=context,
            quote=quote,
            probability=item.probability,
            contradicted=item.contradicted,
            spans=item.spans,
        )

    @staticmethod
    def reply(verdicts: Sequence[Verdict]) -> str:
        """A reply in the form that is read, with all that is known of the verdicts."""
        items = [
            _Item(
                id=v.id,
                reason=v.reason,
                context=None if v.context is None else f"c{v.context + 1}",
                quote=v.quote,
                supported=v.supported,
                probability=v.probability,
                contradicted=v.contradicted,
                spans=v.spans,
            )
            for v in verdicts
        ]
        return encode(_Form([*items]))

    @staticmethod
    def short_reply(verdicts: Sequence[Verdict]) -> str:
        """A reply as an LLM is asked for it: a reason only where something is not supported."""
        return encode(_ShortForm([_short(verdict) for verdict in verdicts]))


def _short(verdict: Verdict) -> list[str]:
    if verdict.supported:
        finding = SUPPORTED if verdict.context is None else f"c{verdict.context + 1}"
        return [verdict.id, finding]
    reason = [verdict.reason] if verdict.reason else []
    return [verdict.id, *reason, CONTRADICTED if verdict.contradicted else UNSUPPORTED]


def _item(fields: Sequence[str | int], raw: str) -> _Item:
    """A verdict of a short reply: an id, maybe a reason, and what was found; or the reason last."""
    name, *words = map(str, fields)
    if not 1 <= len(words) <= 2:
        raise Unreadable(
            "a verdict of the reply is no list of an id, a reason and a finding", raw=raw
        )
    findings = {finding for word in words if (finding := _finding(word))}
    if not findings:
        fault = f"the verdict for '{name}' is '{words[-1]}', which names no context"
        raise Unreadable(f"{fault} and is neither {UNSUPPORTED} nor {CONTRADICTED}", raw=raw)
    if len(findings) > 1:
        findings.discard(SUPPORTED)  # beside the context that supports it
    if len(findings) > 1 or (SUPPORTED in map(_finding, words) and findings & _DENIALS):
        raise Unreadable(f"the verdict for '{name}' says both {' and '.join(words)}", raw=raw)
    (finding,) = findings
    return _Item(
        id=name,
        supported=finding not in _DENIALS,
        reason=" ".join(word for word in words if not _finding(word)),
        context=None if finding in _DENIALS else finding,
        contradicted=finding == CONTRADICTED,
    )


def _finding(word: str) -> str:
    """What a word of a short reply says was found, "" if nothing; of several contexts the first."""
    bare = word.strip(" .!").lower().replace("not supported", UNSUPPORTED)
    if bare in {SUPPORTED, *_DENIALS}:
        return bare
    names = _BETWEEN_CONTEXTS.split(bare)
    return names[0] if all(map(CONTEXT_NAME.fullmatch, names)) else ""


def _stronger(first: Verdict, second: Verdict) -> Verdict:
    stronger = max(first, second, key=lambda v: (v.supported, bool(v.contradicted)))
    return replace(stronger, reason=IN_PARTS + stronger.reason.removeprefix(IN_PARTS))


def context_index(name: str | None, n: int) -> int | None:
    """The 0-based index of the context that a judge calls "c1", "c2" ...

    None where it names none of the `n`, or none that there is: its verdict counts all the same,
    without a source.
    """
    digits = (name or "").strip().lower().removeprefix("context").strip().removeprefix("c")
    valid = digits.isdecimal() and len(digits) <= len(str(n)) and 1 <= int(digits) <= n
    return int(digits) - 1 if valid else None


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


class _GradedItem(msgspec.Struct, frozen=True):
    id: str
    finding: tuple[str, ...]


class _GradedForm(msgspec.Struct):
    verdicts: list[list[str]]


@dataclass(frozen=True)
class GradeStatements(_StatementsTask[GradedVerdict]):
    """Say of each statement how it stands with the contexts, and how much it matters if wrong.

    Attributes:
        question: What was asked: it decides what matters. May be empty.
        statements: What to check.
        contexts: What to check it against; shown to the judge as c1, c2 ...
    """

    question: str
    statements: tuple[Statement, ...]
    contexts: tuple[str, ...]

    schema = schema(_GradedForm)
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

    def input_texts(self) -> Sequence[InputText]:
        """The contexts, the question, the statements as JSON, one a line."""
        contexts = [InputText(f"context c{n}", c) for n, c in enumerate(self.contexts, start=1)]
        statements = listed((s.id, s.text) for s in self.statements)
        question = InputText("question", self.question)
        return (*contexts, question, InputText("statements", statements))

    def joined(
        self, first: Mapping[str, GradedVerdict], second: Mapping[str, GradedVerdict]
    ) -> dict[str, GradedVerdict]:
        """Supported where one half supports it, else contradicted where one denies it.

        What needs common knowledge beside one half follows from both with it.
        """
        order = ("supported", "contradicted", "common knowledge", "absent")
        moved = self.moved(second)
        return {
            i: min(first[i], moved[i], key=lambda verdict: order.index(verdict.standing))
            for i in self.ids
        }

    def read_some(self, raw: str) -> dict[str, GradedVerdict]:
        """The verdicts by statement id."""
        verdicts = decode(raw, _GradedForm).verdicts
        if not all(verdicts):
            raise Unreadable("a verdict is empty", raw=raw)
        items = by_id(
            [_GradedItem(name, tuple(fields)) for name, *fields in verdicts], self.ids, raw
        )
        return {i: self._verdict(i, item.finding, raw) for i, item in items.items()}

    def _verdict(self, name: str, finding: tuple[str, ...], raw: str) -> GradedVerdict:
        if len(finding) == 1:
            place_name = finding[0].strip().lower()
            if place_name != "supported" and not CONTEXT_NAME.fullmatch(place_name):
                raise Unreadable(f"the verdict for '{name}' names no context", raw=raw)
            context = context_index(place_name, len(self.contexts))
            return GradedVerdict(name, "supported", context=context)
        if len(finding) == 3:
            reason, standing_text, severity = finding
            for standing in STANDINGS[1:]:
                if standing_text.strip().lower() == standing and severity.strip() in map(
                    str, SEVERITIES
                ):
                    return GradedVerdict(name, standing, int(severity), reason)
        fault = (
            f"the verdict for '{name}' is neither a context nor a reason, a standing, a severity"
        )
        raise Unreadable(fault, raw=raw)

    @staticmethod
    def reply(verdicts: Sequence[GradedVerdict]) -> str:
        """A reply in the form that is read."""
        return encode(_GradedForm([_as_entry(verdict) for verdict in verdicts]))


def _as_entry(verdict: GradedVerdict) -> list[str]:
    if verdict.standing == "supported":
        finding = "supported" if verdict.context is None else f"c{verdict.context + 1}"
        return [verdict.id, finding]
    return [verdict.id, verdict.reason, verdict.standing, str(verdict.severity or SEVERITIES[-1])]
