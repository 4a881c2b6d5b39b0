"""Does a context help to arrive at an answer or a reference?

A statement is arrived at through the support that the context gives it; a phrase of up to three
content words must stand in the context; with neither, the context's best sentence is rated against
the question.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.backends.embedded.encoder import Encoder
from assay.backends.embedded.nearness import RELEVANT, probability, read
from assay.backends.embedded.reader import Reader
from assay.backends.embedded.support import best_support, shorten
from assay.text import overlap, sentences, words
from assay.text.clauses import statements

_SHORT = 3  # content words; such a target ("Paris", "in 1889") is a phrase, not a statement


@dataclass(frozen=True)
class Usefulness:
    """How far one context helps to arrive at the target."""

    probability: float  # in [0, 1]
    useful: bool  # probability >= 0.5
    reason: str
    sentence: str  # the most helpful sentence; "" in an empty context


_EMPTY = Usefulness(0.0, useful=False, reason="The context is empty.", sentence="")


@dataclass(frozen=True)
class _Context:
    """A context, its sentences, and of each the probability that it helps with the question."""

    text: str
    sentences: list[str]
    helpful: list[float]


def context_usefulness(
    question: str, target: str, contexts: Sequence[str], encoder: Encoder, reader: Reader
) -> list[Usefulness]:
    """For every context, in order, whether it helps to arrive at a target (reference, answer)."""
    split = [sentences.sentences(context) for context in contexts]
    rows = iter(read(question, split, encoder, reader))
    found = [
        _Context(context, parts, [probability(next(rows)) for _ in parts])
        for context, parts in zip(contexts, split, strict=True)
    ]
    if len(set(words.content_words(target))) <= _SHORT:
        return [_for_phrase(target, context) for context in found]
    claims = [statement.text for statement in statements(target, question)] or [target]
    return [_for_claims(claims, context, reader) for context in found]


def _for_claims(claims: Sequence[str], context: _Context, reader: Reader) -> Usefulness:
    """Of a longer target, the statement that the context supports best must be supported."""
    if not context.sentences:
        return _EMPTY
    best = best_support(claims, context.text, reader)
    # The support of the target decides; the question keeps a context of mere shared words out.
    value = 0.75 * best.probability + 0.25 * max(context.helpful)
    useful = value >= RELEVANT
    verb = "supports" if useful else "does not support"
    reason = f"It {verb} the target answer. {best.reason}"
    return Usefulness(value, useful, reason, best.sentence)


def _for_phrase(target: str, context: _Context) -> Usefulness:
    """A short target must stand in the context, best in a sentence that bears on the question."""
    if not context.sentences:
        return _EMPTY
    wanted = words.stems(target) or words.words(target)
    if _share(wanted, context.text) < 1.0:
        reason = f"'{target.strip()}' does not appear in the context."
        nearest = int(np.argmax(context.helpful))
        value = 0.3 * context.helpful[nearest]
        return Usefulness(value, useful=False, reason=reason, sentence=context.sentences[nearest])
    shares = [_share(wanted, sentence) for sentence in context.sentences]
    best = int(np.argmax(np.asarray(shares) + np.asarray(context.helpful)))
    value, sentence = 0.5 + 0.5 * context.helpful[best], context.sentences[best]
    reason = f"'{target.strip()}' appears in the context: {shorten(sentence)}"
    return Usefulness(value, useful=True, reason=reason, sentence=sentence)


def _share(wanted: Sequence[str], text: str) -> float:
    return overlap.recall(wanted, {*words.stems(text), *words.words(text)})
