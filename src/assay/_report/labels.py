"""What the label of a piece of evidence means: good, bad, or neither."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from assay._report import numbers
from assay.score import Part

# Every tone has a symbol, so that nothing is told by colour alone.
SYMBOLS: Final = {
    "good": "\N{CHECK MARK}",
    "bad": "\N{BALLOT X}",
    "warn": "~",
    "plain": "\N{BULLET}",
}
# Where pieces of evidence overlap in a text, the worst one gives the colour.
WORST_FIRST: Final = ("bad", "mixed", "warn", "good", "plain")

_TONES: Final = {
    "supported": "good",
    "covered": "good",
    "tp": "good",
    "useful": "good",
    "relevant": "good",
    "found": "good",
    "uncertain": "warn",
    "beyond": "plain",
    "unsupported": "bad",
    "contradicted": "bad",
    "fp": "bad",
    "fn": "bad",
    "not useful": "bad",
    "not relevant": "bad",
    "not found": "bad",
    "noncommittal": "bad",
    "matched": "good",
    "partly matched": "warn",
    "wrong arguments": "bad",
    "missing": "bad",
    "unexpected": "bad",
    "dropped": "warn",
    "generated": "plain",
    "cosine": "plain",
    "rated": "plain",
    "surprise": "plain",
    # A metric counts one of these and not the others: its value says which, not whether it is bad.
    "correct": "good",
    "correct, in a context": "good",
    "self-knowledge": "warn",
    "hallucination": "bad",
    "incorrect, in no context": "bad",
    "noise from a context": "bad",
    "noise from a relevant context": "bad",
    "noise from irrelevant contexts": "bad",
}
# Evidence of these kinds is a quantity, even where it happens to be 0 or 1.
_MEASURED: Final = {"component", "similarity", "question", "answer", "reference", "scored answer"}
# A grade is no verdict: 1 is the worst of five and the best of one.
_GRADE: Final = re.compile(r"-?[\d.]+ of -?[\d.]+")
_EXCERPT: Final = 140
_MEANINGS: Final = {
    "TP": "TP: in answer and reference",
    "FP": "FP: in the answer only",
    "FN": "FN: in the reference only",
    "beyond": "beyond: more than the short reference says",
    "dropped": "dropped: not in the context",
}
# What a label says of a piece of evidence where it is told what it was and is now.
_STATES: Final = {
    "TP": "in the reference",
    "FP": "not in the reference",
    "FN": "missing from the answer",
    "covered": "in the answer",
    "not covered": "missing from the answer",
    "declined": "declines to answer",
    "noncommittal": "evasive",
}
# These say how a value came about, and not what it says.
_MEASURES: Final = frozenset(
    ("cosine", "rated", "surprise", "generated", "checked", "computed", "closest")
)
_WEIGHT: Final = re.compile(r"weight [\d.]+")
_KINDS: Final = {
    "answer": "The answer as a whole",
    "similarity": "Similarity",
    "question": "Questions generated from the answer",
    "statement": "Statements of the answer",
    "reference statement": "Statements of the reference",
    "sentence": "Sentences of the contexts",
    "answer sentence": "Sentences of the answer",
    "citation": "Citations in the answer",
    "context": "Contexts, best first",
    "component": "Components",
    "reference": "Accepted references",
    "reference context": "Contexts known to be right",
    "reference sentence": "Sentences of the reference",
    "context statement": "Statements of the contexts",
    "entity": "Entities of the reference",
    "fact question": "Questions about the reference",
    "part of the question": "Parts of the question",
    "operation": "What the data records",
    "quotation": "Quotations in the answer",
}


def tone(part: Part, *, higher_is_better: bool = True) -> str:
    """Whether a piece of evidence speaks for the answer ("good"), against it, or neither."""
    label = part.label.lower()
    if part.kind == "sentence" and label == "not relevant":
        return "plain"  # most sentences of a good passage do not help, and that is no fault
    known = _TONES.get(label)
    if known is not None:
        return known
    if part.kind in _MEASURED or _GRADE.fullmatch(part.label):
        return "plain"
    # A label that this page has not met: what it adds to the score tells, if it is all or nothing,
    # or the probability of that.
    if part.label and part.value is not None and part.value in (0, 1, part.probability):
        return "good" if (part.value >= 0.5) is higher_is_better else "bad"
    return "plain"


def meaning(label: str) -> str:
    """The label in words, where it is an abbreviation."""
    return _MEANINGS.get(label, label)


def state(label: str) -> str:
    """The label in words that need no glossary; "" where it is no more than a way to measure."""
    if label in _MEASURES or _WEIGHT.fullmatch(label):
        return ""
    return _STATES.get(label, label)


def facts(part: Part, tone: str) -> list[str]:
    """What is known of a piece of evidence beside its label: value, probability, context."""
    phrases = []
    if part.value is not None and tone == "plain":
        phrases.append(numbers.score(part.value))
    if part.probability is not None:
        phrases.append(f"p = {numbers.score(part.probability)}")
    if part.context is not None:
        phrases.append(f"context {part.context + 1}")
    return phrases


def context(part: Part, contexts: Sequence[str]) -> str | None:
    """The context that a piece of evidence names; None if there is no such one."""
    index = part.context
    return contexts[index] if index is not None and 0 <= index < len(contexts) else None


def excerpt(part: Part, contexts: Sequence[str]) -> str:
    """The text of a piece of evidence; of a text that is shown elsewhere, its beginning."""
    stands_elsewhere = part.kind == "context" and context(part, contexts) is not None
    if not (stands_elsewhere or part.kind == "answer") or len(part.text) <= _EXCERPT:
        return part.text
    return part.text[:_EXCERPT].rsplit(" ", 1)[0] + " \N{HORIZONTAL ELLIPSIS}"


def heading(kind: str) -> str:
    """The title above all pieces of evidence of one kind."""
    return _KINDS.get(kind, f"{kind[:1].upper()}{kind[1:]}s")


def tally(parts: Sequence[Part]) -> str:
    """How often each label was given: "3 supported, 1 unsupported"."""
    counts = Counter(part.label for part in parts if part.label)
    return ", ".join(f"{number} {label}" for label, number in counts.items())


def grouped(parts: Iterable[Part]) -> dict[str, list[Part]]:
    """The pieces of evidence by kind, in reading order."""
    groups: dict[str, list[Part]] = {}
    for part in parts:
        groups.setdefault(part.kind, []).append(part)
    return groups


BETTER: Final = "Which answer is better?"
HOW_GOOD: Final = "How good is this answer?"
_SUPPORTED: Final = "Do the contexts support everything that the answer says?"
_THIS: Final = "Do the contexts support this statement?"
_SAME: Final = "Does the answer say the same as the reference?"
_RIGHT: Final = "Is the answer right, by the reference?"
# (part of a metric's name, question about an answer, question about one of its parts)
_QUESTIONS: Final = (
    ("context_recall", "Do the contexts hold all that the reference says?", _THIS),
    ("context", "Are the contexts of use for the question?", "Is this of use for the question?"),
    ("faithful", _SUPPORTED, _THIS),
    ("grounded", _SUPPORTED, _THIS),
    ("hallucination", _SUPPORTED, "Do the contexts support this?"),
    ("citation", "Do the cited passages support the answer?", "Is this citation right?"),
    ("relevan", "Does the answer reply to the question?", "Does this help to answer it?"),
    ("complete", "Does the answer say all that was asked for?", "Does the answer say this?"),
    ("concise", "Does the answer keep to what was asked?", "Is this needed in the answer?"),
    ("correct", _RIGHT, "Is this statement right, by the reference?"),
    ("similarity", _SAME, "Does this say the same?"),
    ("match", _SAME, "Does this say the same?"),
)


def label_question(metric: str, kind: str | None = None) -> str:
    """What a yes or no of a person replies to, of an answer or of a piece of evidence of a kind."""
    name = metric.partition("(")[0]
    answer_question, single = next(
        ((a, b) for word, a, b in _QUESTIONS if word in name),
        ("Is this answer good?", "Is this right?"),
    )
    if kind is None:
        return answer_question
    return "Is this context of use for the question?" if kind == "context" else single
