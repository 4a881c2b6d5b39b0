"""What two answers to one question say of amounts, dates and yes or no, by value.

A network reads "36 years" and "63 years" as nearly the same, and "$1,577 million" and "1577.0" as
different. Where a statement or its evidence is a question with its answer, both are compared here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay._text import words
from assay._text.amounts import Amount, amounts, scale_of
from assay._text.entities import is_negated
from assay._text.expressions import expression
from assay._text.numbers import Normalized
from assay._text.quantities import comparable, covers, matches, same
from assay._text.questions import asserted, kind_of
from assay.judges.embedded.evidence import Evidence

_ASKED = expression(r"(?P<question>.*\?)\s+(?P<answer>\S.*)", re.DOTALL)
_FEW = 3  # pieces of evidence that are one answer, and no document
_NAME = 6  # words of a name
_SPELLED = 3  # letters that two spellings of a word have in common
_TITLES = frozenset(
    words.words(
        "the a an of in at by and mr mrs ms dr sir lord lady saint st general president king queen "
        "prince princess professor pope captain major colonel senator jr sr hms uss"
    )
)
_REPLY = expression(r"\W*(?P<value>yes|no)\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
# "..., it does", "..., you cannot", "..., never": no more than the reply once more.
_ECHO = expression(
    r"\W*(?:(?:i|you|he|she|it|we|they|there|this|that)\s(?:\w+)(?:\snot|n['\u2019]t)?|never"
    r"|not at all|absolutely|definitely|of course)?\W*",
    re.IGNORECASE,
)
_SHARED = 0.7  # of a question's words in a sentence that answers it
# Beside an amount they say nothing more.
_HEDGES = frozenset(
    words.words(
        "about around approximately roughly nearly almost exactly total totaling some circa ca "
        "equal equals equivalent amount amounts came reported recorded stood percent year fiscal"
    )
)


@dataclass(frozen=True)
class _Sides:
    """Two answers to one question.

    Attributes:
        question: What is asked.
        start: Where the claim's answer begins in the statement.
        claim: The claim's answer.
        sentences: What the evidence answers, by sentence.
        phrases: Of claim and evidence, whether it stands behind the question.
    """

    question: str
    start: int
    claim: str
    sentences: tuple[str, ...]
    phrases: tuple[bool, bool]

    @property
    def evidence(self) -> str:
        """What the evidence answers."""
        return " ".join(self.sentences)

    @property
    def scale(self) -> float:
        return scale_of(f"{self.question} {self.claim} {self.evidence}")

    def amounts_of(self, text: str) -> list[Amount]:
        """Those that the question does not name itself."""
        of_question = amounts(self.question)
        return [
            amount
            for amount in amounts(text)
            if not any(same(amount, amount_there) for amount_there in of_question)
        ]

    def is_bare(self, text: str) -> bool:
        """Whether a text says nothing besides its amounts and what the question says."""
        remainder = text
        for amount in reversed(amounts(text)):
            remainder = f"{remainder[: amount.span[0]]} {remainder[amount.span[1] :]}"
        return set(words.stems(remainder)) <= set(words.stems(self.question)) | _HEDGES


def _answers_of(statement: str, evidence: Evidence) -> _Sides | None:
    """The two answers, where one stands behind its question and the evidence is short."""
    pieces = [piece.text for piece in evidence.pieces]
    question_pieces = [text for text in pieces if text.endswith("?")]
    reply_pieces = [text for text in pieces if not text.endswith("?")]
    match = _ASKED.fullmatch(statement)
    question = match["question"] if match else next(iter(question_pieces), "")
    if not question or not 0 < len(reply_pieces) <= _FEW:
        return None
    start = match.start("answer") if match else 0
    phrases = match is not None, bool(question_pieces)
    return _Sides(question, start, statement[start:], tuple(reply_pieces), phrases)


def with_evidence_amounts(statement: Normalized, evidence: Evidence) -> Normalized:
    """The statement with amounts as the evidence writes them, where they are the same."""
    sides = _answers_of(statement.text, evidence)
    if not sides:
        return statement
    pairs = matches(
        sides.amounts_of(sides.claim), sides.amounts_of(sides.evidence), sides.question, sides.scale
    )
    text, changes, shift = statement.text, [], 0
    for claimed, evidence_amount in pairs:
        if claimed.text == evidence_amount.text or not covers(evidence_amount, claimed):
            continue
        start, end = (sides.start + offset for offset in claimed.span)
        text = f"{text[: start + shift]}{evidence_amount.text}{text[end + shift :]}"
        changes.append((start + shift, start + shift + len(evidence_amount.text), start, end))
        shift += len(evidence_amount.text) - (end - start)
    return Normalized(text, tuple(changes), statement) if changes else statement


def as_assertion(statement: Normalized, evidence: Evidence) -> Normalized:
    """A bare yes or no behind its question as what it says, which a network reads better.

    Where the evidence answers the question itself, both replies are compared as they are.
    """
    match = _ASKED.fullmatch(statement.text)
    reply = _REPLY.fullmatch(match["answer"]) if match else None
    if not match or not reply or not _ECHO.fullmatch(reply["rest"]):
        return statement
    if any(piece.text.endswith("?") or _REPLY.fullmatch(piece.text) for piece in evidence.pieces):
        return statement
    assertion = asserted(match["question"], yes=reply["value"].lower() == "yes")
    if not assertion:
        return statement
    return Normalized(assertion, ((0, len(assertion), 0, len(statement.text)),), statement)


def value_agrees(statement: str, evidence: Evidence) -> bool | None:
    """Whether the evidence says the same by value (True) or another value; None if neither."""
    sides = _answers_of(statement, evidence)
    if not sides:
        return _bare_polarity(statement, evidence)
    polarity = _polarity(sides)
    return _values(sides) if polarity is None else polarity


def _bare_polarity(statement: str, evidence: Evidence) -> bool | None:
    """Whether both are nothing but a yes or both a no, where no question stands beside them."""
    texts = [statement, *(piece.text for piece in evidence.pieces)]
    replies = [match for match in map(_REPLY.fullmatch, texts) if match]
    if not len(replies) == len(texts) == 2 or not all(_ECHO.fullmatch(r["rest"]) for r in replies):
        return None
    return replies[0]["value"].lower() == replies[1]["value"].lower()


def differ(statement: str, evidence: Evidence) -> bool:
    """Whether both answers are a name or a few words that share some, and each has one of its own.

    "Charlotte Brontë" is no Emily Brontë; "J. Mill" may be John Stuart Mill.
    """
    sides = _answers_of(statement, evidence)
    if not sides or not all(sides.phrases) or sides.amounts_of(sides.claim):
        return False
    question_words = set(words.words(sides.question))
    claim_words, evidence_words = (
        [word for word in words.words(text) if word not in question_words and word not in _TITLES]
        for text in (sides.claim, sides.evidence)
    )
    if max(len(claim_words), len(evidence_words)) > _NAME or set(claim_words).isdisjoint(
        evidence_words
    ):
        return False
    return _has_own(claim_words, evidence_words) and _has_own(evidence_words, claim_words)


def _has_own(own_words: Sequence[str], other_words: Sequence[str]) -> bool:
    return any(not any(_may_stand_for(word, other) for other in other_words) for word in own_words)


def _may_stand_for(word: str, other: str) -> bool:
    """Whether one may stand for the other: an initial, a short form, another spelling."""
    if min(len(word), len(other)) == 1:
        return word[0] == other[0]
    return word[:_SPELLED] == other[:_SPELLED]


def _values(sides: _Sides) -> bool | None:
    claimed, stated = sides.amounts_of(sides.claim), sides.amounts_of(sides.evidence)
    if not (claimed and stated):
        return None
    are_bare = sides.is_bare(sides.claim), sides.is_bare(sides.evidence)
    pairs = matches(claimed, stated, sides.question, sides.scale)
    if all(are_bare):
        if len(pairs) == len(claimed):
            return True if all(covers(other, amount) for amount, other in pairs) else None
        left = [amount for amount in stated if not any(amount is other for _, other in pairs)]
        unmatched = [
            amount for amount in claimed if not any(amount is matched for matched, _ in pairs)
        ]
        differ = any(comparable(amount, other) for amount in unmatched for other in left)
        return False if differ or (left and len(claimed) == len(stated) == 1) else None
    essence = any(
        phrase and is_bare for phrase, is_bare in zip(sides.phrases, are_bare, strict=True)
    )
    differ = not pairs and any(comparable(amount, other) for amount in claimed for other in stated)
    return False if essence and differ else None


def _polarity(sides: _Sides) -> bool | None:
    """Whether both say yes or both no, to a question that asks for it."""
    if kind_of(sides.question) != "yes or no" or is_negated(sides.question):
        return None
    replies = [_REPLY.fullmatch(text) for text in (sides.claim, sides.evidence)]
    are_bare = [bool(reply) and not words.words(reply["rest"]) for reply in replies if reply]
    if not all(replies) and not any(are_bare):
        return None
    claimed, stated = _reply([sides.claim], sides.question), _reply(sides.sentences, sides.question)
    if claimed is None or stated is None:
        return None
    if claimed is not stated:
        return False
    # What is said beside it the network has to find.
    return True if replies[0] and not words.words(replies[0]["rest"]) else None


def _reply(texts: Sequence[str], question: str) -> bool | None:
    """Whether an answer of some sentences says yes; None where it cannot be told."""
    match = _REPLY.fullmatch(" ".join(texts))
    if match:
        return match["value"].lower() == "yes"
    # Another sentence that denies something answers another question.
    question_stems = set(words.stems(question))
    shares = [
        len(question_stems.intersection(words.stems(text))) / max(1, len(question_stems))
        for text in texts
    ]
    affirmed = [
        not is_negated(t) for t, share in zip(texts, shares, strict=True) if share >= _SHARED
    ]
    return affirmed[0] if len(set(affirmed)) == 1 else None
