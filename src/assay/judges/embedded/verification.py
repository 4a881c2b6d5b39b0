"""Verification of statements: probability, verdict, reason and unsupported spans.

What the trained network says is combined with the measurements of `comparison.FEATURES` by a
logistic regression, fitted in `training/verifier`.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

import numpy as np

from assay._text import memoized
from assay._text.language_id import is_latin
from assay._text.numbers import Normalized
from assay._text.sentences import Span
from assay._text.units import OtherUnit
from assay._text.words import WORD
from assay.judges.embedded import comparison, short_answers
from assay.judges.embedded.comparison import Comparison, compare
from assay.judges.embedded.evidence import Evidence, Piece, as_written, claim_start, prepare
from assay.judges.embedded.inference import Adapted
from assay.judges.embedded.reader import Reader, Reading
from assay.judges.embedded.replies import as_assertion, with_evidence_amounts
from assay.judges.embedded.sentence_parts import Part
from assay.tasks.verification import UNCERTAIN, is_uncertain


@dataclass(frozen=True)
class Fitted:
    """A logistic regression as `training/verifier` fitted it.

    Attributes:
        coefficients: One for each measurement, in their order.
        intercept: What is added to the weighted sum.
        threshold: The probability, in [0, 1], from which on the answer is yes.
        constants: Other fitted numbers, by name.
    """

    coefficients: tuple[float, ...]
    intercept: float
    threshold: float
    constants: Mapping[str, float]

    @classmethod
    @cache
    def load(cls, file: str, names: tuple[str, ...], adapted: Adapted | None = None) -> "Fitted":
        """The coefficients in a file, in the order of the measurements' names.

        Args:
            file: Of this package, or of an adapted judge if that has it.
            names: The measurements.
            adapted: The latter.
        """
        adapted_file = adapted.file(file) if adapted else None
        shipped = resources.files("assay.judges.embedded").joinpath(file)
        content = json.loads((adapted_file or shipped).read_text("utf-8"))
        return cls(
            tuple(float(content["coefficients"][name]) for name in names),
            float(content["intercept"]),
            float(content.get("threshold", 0.5)),
            content.get("constants", {}),
        )

    def probability(self, features: Sequence[float]) -> float:
        """The probability, in [0, 1], that measurements in the order of the names give."""
        terms = (weight * value for weight, value in zip(self.coefficients, features, strict=True))
        total = self.intercept + sum(terms)
        # Beyond 30 nothing changes but that exp may overflow.
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


FEATURES = (
    "votes",  # the reader's log-odds of supported against refuted or neutral
    *comparison.FEATURES,
)
VERBATIM = 0.97  # the least probability of what stands in the contexts word by word
FOREIGN = 0.4  # the largest one of a phrase of which no word does: a third of these are right
AGREED = 0.9  # the least one of what a record's yes or no or another answer's value agrees with
# The largest one where a number or a name of it stands nowhere. It is not lower for records: of 14
# such statements above the threshold (llm_spans, quintd1, infotabs) people call 9 supported.
OBJECTED = UNCERTAIN[1]
UNREAD = 0.49  # ... in letters of which the network knows few: it cannot tell right from wrong
SEEMING = UNCERTAIN[
    0
]  # the largest one of what seems to mix up two things: in four of five it does
DENIED = 0.1  # the largest one of what it denies, of a mix-up or of what they call a myth
# The least one of what sentences say that are worded like it but for what changes nothing.
RESTATED = 0.85
# What agrees without a figure of the statement: "5.000" is "5000", "at nine" within an interval.
FIGURED = frozenset({"same words", "interval"})
_SHOWN = 3  # missing facts named in a reason
_QUOTED = 200  # characters of a sentence shown in a reason
_JOINED = 2  # words between two marked ones that are marked with them


@dataclass(frozen=True)
class Support:
    """How far the contexts support one statement, with the evidence.

    Attributes:
        probability: That it is supported, in [0, 1].
        supported: probability >= the fitted threshold.
        contradicted: Whether the contexts say otherwise, rather than nothing.
        reason: One sentence for people.
        context: The context the closest sentence stands in, from 0; None without contexts.
        sentence: The closest sentence as it stands there; "" without contexts.
        spans: The characters of the statement that are not supported; () if it is.
    """

    probability: float
    supported: bool
    contradicted: bool
    reason: str
    context: int | None
    sentence: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Judged:
    """What is known of one statement before anything is decided."""

    statement: str
    read: Normalized  # what the other two are about
    comparison: Comparison
    reading: Reading

    @cached_property
    def features(self) -> tuple[float, ...]:
        """The measurements in the order of `FEATURES`."""
        votes = self.reading.votes_from(claim_start(self.read.text))
        supported, refuted, neutral = (float(v) for v in votes[:3])
        return (supported - float(np.logaddexp(refuted, neutral)), *self.comparison.features)

    @cached_property
    def belongs(self) -> float:
        """The probability that a short answer belongs to its question; 1 for what is none."""
        place = self.comparison.place
        fitted = Fitted.load("short_answers.json", short_answers.FEATURES)
        return fitted.probability(place.features) if place else 1.0

    @property
    def quoted(self) -> int:
        """Index of the piece of evidence to be shown."""
        place = self.comparison.place
        return place.piece if place else self.comparison.quoted

    def written(self, fragments: Iterable[str]) -> list[str]:
        """Words of the statement in its usual form, as it writes them."""
        as_stated = (as_written(fragment, self.read, self.statement) for fragment in fragments)
        return list(dict.fromkeys(as_stated))


def support(statements: Sequence[str], contexts: Sequence[str], reader: Reader) -> list[Support]:
    """One `Support` for every statement, in order.

    Contexts may have any length. Without any sentence in the contexts the probability is 0.
    """
    evidence = _prepare(tuple(contexts))
    if not evidence.pieces:
        return [_no_support(statement) for statement in statements]
    judged_statements = measure(statements, evidence, reader)
    fitted = _fitted_weights(reader)
    return [_as_support(judged, fitted, evidence, contexts) for judged in judged_statements]


def best_support(statements: Sequence[str], context: str, reader: Reader) -> Support:
    """The `Support` of the statement, of at least one, that a context supports best."""
    evidence = _prepare((context,))
    if not evidence.pieces:
        return _no_support(statements[0])
    fitted = _fitted_weights(reader)
    best = max(measure(statements, evidence, reader), key=lambda judged: decide(judged, fitted))
    return _as_support(best, fitted, evidence, (context,))


def _fitted_weights(reader: Reader) -> Fitted:
    return Fitted.load("support.json", FEATURES, reader.adapted)


def _no_support(statement: str) -> Support:
    nothing = "There is no context that could support it."
    return Support(0.0, False, False, nothing, None, "", ((0, len(statement)),))  # noqa: FBT003


def measure(statements: Sequence[str], evidence: Evidence, reader: Reader) -> list[Judged]:
    """The measurements behind `support`, for fitting; the evidence has at least one piece."""
    read = [
        as_assertion(with_evidence_amounts(evidence.read(statement), evidence), evidence)
        for statement in statements
    ]
    # While the network reads them, they are compared by rules.
    wait_for_readings = reader.begin_beside_evidence([n.text for n in read], evidence)
    comparisons = [compare(normalized.text, evidence) for normalized in read]
    return [
        Judged(statement, normalized, comparison, reading)
        for statement, normalized, comparison, reading in zip(
            statements, read, comparisons, wait_for_readings(), strict=True
        )
    ]


@memoized(64, longest=50_000, size=lambda contexts: sum(map(len, contexts)))
def _prepare(contexts: tuple[str, ...]) -> Evidence:
    # Several metrics ask about the same contexts one after the other.
    return prepare(contexts)


def decide(judged: Judged, fitted: Fitted) -> float:
    """The probability that a statement is supported, in [0, 1]: the regression's, within rules."""
    comparison = judged.comparison
    value = fitted.probability(judged.features)
    wording = comparison.wording
    agreed = wording.rule if wording and wording.agrees else ""
    if agreed or _is_restated(comparison):
        value = max(value, RESTATED)
    if comparison.flag:
        value = max(value, AGREED) if comparison.flag.agrees else min(value, DENIED)
    if (comparison.numbers or comparison.names) and agreed not in FIGURED:
        value = min(value, OBJECTED)
    if comparison.verbatim:
        value = max(value, VERBATIM)
    elif not (is_latin(judged.statement) or agreed):
        value = min(value, UNREAD)
    value = min(value, judged.belongs)
    if _is_denied(comparison):
        value = min(value, DENIED)
    elif comparison.swap and not comparison.verbatim:
        value = min(value, SEEMING)
    if comparison.value_agrees is not None:
        return max(value, AGREED) if comparison.value_agrees else min(value, DENIED)
    return min(value, FOREIGN) if comparison.foreign else value


def _is_restated(comparison: Comparison) -> bool:
    """Whether clauses of the evidence say all of it, if the other way round."""
    wording = comparison.wording
    differs = wording and not wording.agrees and wording.rule != "opposite"
    return bool(comparison.grammar) and all(f.agrees for f in comparison.grammar) and not differs


def _is_denied(comparison: Comparison) -> bool:
    """Whether a rule that is hardly ever wrong says that the evidence says otherwise."""
    words = not comparison.verbatim and (
        (comparison.swap and comparison.swap.sure)
        or (comparison.wording and not (comparison.wording.agrees or _is_restated(comparison)))
        or any(not finding.agrees for finding in comparison.grammar)
    )
    return bool(comparison.rejected or comparison.sign_differs or comparison.unit or words)


def _as_support(
    judged: Judged, fitted: Fitted, evidence: Evidence, contexts: Sequence[str]
) -> Support:
    value = decide(judged, fitted)
    supported = value >= fitted.threshold
    _, refuted, neutral = judged.reading.votes[:3]
    comparison = judged.comparison
    denied = _is_denied(comparison) or comparison.flag or comparison.value_agrees is False
    misplaced = judged.belongs < fitted.threshold
    contradicted = not supported and bool(denied or (refuted > neutral and not misplaced))
    doubt = fitted.constants["doubt"]
    doubtful = (_answer_span(judged),) if misplaced else doubtful_spans(judged, doubt)
    spans = () if supported else doubtful
    piece = evidence.pieces[judged.quoted]
    context = contexts[piece.context]
    as_it_stands = next((t for t in (piece.text, piece.written) if t in context), "")
    reason = _reason(judged, spans, evidence, value, contradicted=contradicted)
    return Support(
        probability=value,
        supported=supported,
        contradicted=contradicted,
        reason=reason,
        context=piece.context,
        # Of a record the words differ from how they are read: "WiFi": "free" is "WiFi: free".
        sentence=as_it_stands or context[piece.start : piece.end],
        spans=spans,
    )


def doubtful_spans(judged: Judged, limit: float) -> tuple[Span, ...]:
    """The words whose doubt reaches a limit, neighbours joined; if none does, all of them."""
    words = [match.span() for match in WORD.finditer(judged.read.text)]
    doubtful = [i for i, doubt in enumerate(_doubts_of(judged.reading, words)) if doubt >= limit]
    if not doubtful:
        return ((0, len(judged.statement)),)
    spans: list[Span] = []
    last = -10
    for i in doubtful:
        if spans and i - last <= _JOINED + 1:
            spans[-1] = (spans[-1][0], words[i][1])
        else:
            spans.append(words[i])
        last = i
    return tuple(dict.fromkeys(map(judged.read.original, spans)))


def _doubts_of(reading: Reading, words: Sequence[Span]) -> list[float]:
    """The greatest doubt about a token of each word."""
    begins, ends = reading.offsets.T
    # A word's tokens are those from the first that ends behind its start.
    firsts = np.searchsorted(ends, [start for start, _ in words], side="right").tolist()
    lasts = np.searchsorted(begins, [end for _, end in words], side="left").tolist()
    return [
        float(reading.tokens[first:last].max()) if first < last else -np.inf
        for first, last in zip(firsts, lasts, strict=True)
    ]


def _reason(
    judged: Judged,
    spans: Sequence[Span],
    evidence: Evidence,
    probability: float,
    *,
    contradicted: bool,
) -> str:
    """Why, in words that never speak against the verdict that they stand beside."""
    closest = f"closest sentence: {shorten(evidence.pieces[judged.quoted].written)}"
    if probability > UNCERTAIN[1]:
        other_words = judged.written(judged.comparison.words)
        so = f"in other words than {_join_words(other_words)}" if other_words else ""
        return f"The evidence says so{f', {so}' if so else ''}; {closest}"
    doubts = _doubts(judged, evidence)
    if is_uncertain(probability):
        doubt = doubts[0].text if doubts else "it is said in part at most"
        return f"Hard to tell: {doubt}; {closest}"
    if fitting := [doubt for doubt in doubts if doubt.denies is contradicted]:
        return f"{fitting[0].text[:1].upper()}{fitting[0].text[1:]}; {closest}"
    quoted = _join_words([judged.statement[start:end] for start, end in spans])
    if contradicted and doubts:
        # The network reads a denial in other words than the statement's.
        return f"The evidence seems to say otherwise: {doubts[0].text}; {closest}"
    if contradicted:
        return f"The evidence says otherwise about {quoted}; {closest}"
    return f"The evidence does not say {quoted}; {closest}"


@dataclass(frozen=True, slots=True)
class _Doubt:
    """What speaks against support: that the evidence denies the statement, or is silent."""

    text: str
    denies: bool


def _doubts(judged: Judged, evidence: Evidence) -> list[_Doubt]:
    """What of its words, numbers and names speaks against support, the weightiest first."""
    comparison = judged.comparison
    sure = {
        "the record says the opposite": comparison.flag and not comparison.flag.agrees,
        "the evidence gives another value or says the opposite": comparison.value_agrees is False,
        "the evidence has a number of it with the other sign": comparison.sign_differs,
        "the evidence mentions it only to reject it": comparison.rejected,
    }
    denials = [doubt for doubt, holds in sure.items() if holds]
    if comparison.unit:
        denials.append(_other_figure(judged, comparison.unit, evidence.pieces))
    if comparison.swap:
        denials.append(
            f"it mixes up {_join_words([_part_text(p, evidence) for p in comparison.swap[:2]])}"
        )
    denials += _doubts_by_symbols(comparison)
    names_missing = _absence(judged, [*comparison.numbers, *comparison.names])
    opposed = []
    if comparison.opposites:
        opposed.append("it says the opposite ('{}' against '{}')".format(*comparison.opposites[0]))
    if comparison.negation_differs and not (comparison.flag or _agrees(comparison)):
        opposed.append("one of the two is negated, the other is not")
    opposed += dict.fromkeys(finding.doubt for finding in comparison.grammar if not finding.agrees)
    words = _misplaced(judged) + _absence(judged, comparison.words)
    far = _absence(judged, comparison.far_numbers, "near the closest sentence")
    groups = ((denials, True), (names_missing, False), (opposed, True), (words + far, False))
    return [_Doubt(text, denies) for texts, denies in groups for text in texts]


def _misplaced(judged: Judged) -> list[str]:
    if judged.belongs > UNCERTAIN[1]:
        return []
    answer = judged.statement[slice(*_answer_span(judged))]
    return [f"{_join_words([answer])} stands there, but not beside what the question asks about"]


def _answer_span(judged: Judged) -> Span:
    text = judged.read.text
    return judged.read.original((claim_start(text), len(text)))


def _absence(
    judged: Judged, fragments: Sequence[str], location: str = "in the evidence"
) -> list[str]:
    fragments_missing = judged.written(fragments)
    return (
        [f"{_join_words(fragments_missing)} {_do(fragments_missing)} not appear {location}"]
        if fragments_missing
        else []
    )


def _part_text(part: Part, evidence: Evidence) -> str:
    """A part as its context writes it, behind the subject that it leaves out."""
    text = part.text.strip()
    subject = part.whole.removesuffix(part.text) if part.whole.endswith(part.text) else ""
    return subject + evidence.pieces[part.piece].as_written(text)


def _doubts_by_symbols(comparison: Comparison) -> list[str]:
    doubts = []
    if comparison.table and not comparison.table.agrees:
        doubts.append(comparison.table.reason)
    if comparison.wording and not comparison.wording.agrees:
        doubts.append(comparison.wording.doubt)
    return doubts


def _other_figure(judged: Judged, differing: OtherUnit, pieces: Sequence[Piece]) -> str:
    """That the evidence gives another figure, both as they are written."""
    piece = next((p for p in pieces if differing.evidence in p.text), None)
    figure = piece.as_written(differing.evidence) if piece else differing.evidence
    (own_figure,) = judged.written([differing.statement])
    return f"the evidence gives '{figure}', not '{own_figure}'"


def _agrees(comparison: Comparison) -> bool:
    return any(finding.agrees for finding in comparison.grammar)


def _do(items: Sequence[str]) -> str:
    return "does" if len(items) == 1 else "do"


def _join_words(items: Sequence[str]) -> str:
    quoted = [f"'{item}'" for item in items[:_SHOWN]]
    if len(items) > _SHOWN:
        return f"{', '.join(quoted)} and {len(items) - _SHOWN} more"
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def shorten(sentence: str) -> str:
    """A sentence on one line, of at most 200 characters, for a reason; no word or number is cut."""
    line = " ".join(sentence.split())
    if len(line) <= _QUOTED:
        return line
    begin = line[: _QUOTED - 1]
    return f"{begin.rpartition(' ')[0] or begin}…"
