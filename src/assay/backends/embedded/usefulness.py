"""Does a context help to arrive at an answer or a reference, or to answer the question?

A statement is arrived at through the support that the context gives it; a phrase of up to three
content words must stand in the context; with neither, the context's best sentence is rated against
the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.backends.embedded.encoder import Encoder
from assay.backends.embedded.nearness import RELEVANT, measure, probability
from assay.backends.embedded.support import shorten, support
from assay.text import overlap, sentences, words
from assay.text.clauses import statements

_SHORT = 3  # content words; such a target ("Paris", "in 1889") is a phrase, not a statement


@dataclass(frozen=True)
class Usefulness:
    """How far one context helps to arrive at the target, or to answer the question."""

    probability: float  # in [0, 1]
    useful: bool  # probability >= 0.5
    reason: str
    sentence: str  # the most helpful sentence; "" in an empty context
    span: tuple[int, int] | None  # context[span[0]:span[1]] is that sentence


def context_usefulness(
    question: str, target: str | None, contexts: Sequence[str], encoder: Encoder
) -> list[Usefulness]:
    """For every context, in order, whether it helps to arrive at `target`.

    `target` is a reference or an answer; None asks about the question alone.
    """
    spans = [sentences.spans(context) for context in contexts]
    flat = [
        context[start:end]
        for context, places in zip(contexts, spans, strict=True)
        for start, end in places
    ]
    rows = measure(question, flat, encoder)
    scores = iter([probability(row) for row in rows])
    found = []
    for context, places in zip(contexts, spans, strict=True):
        relevant = [next(scores) for _ in places]
        if not relevant:
            found.append(
                Usefulness(
                    0.0, useful=False, reason="The context is empty.", sentence="", span=None
                )
            )
        elif target is None:
            found.append(_for_question(context, places, relevant))
        else:
            found.append(_for_target(question, target, context, (places, relevant), encoder))
    return found


def _for_question(
    context: str, places: Sequence[sentences.Span], relevant: Sequence[float]
) -> Usefulness:
    best = int(np.argmax(relevant))
    value = relevant[best]
    useful = value >= RELEVANT
    start, end = places[best]
    sentence = context[start:end]
    verb = "bears on" if useful else "does not bear on"
    reason = f"The nearest sentence {verb} the question: {shorten(sentence)}"
    return Usefulness(value, useful, reason, sentence, (start, end))


def _for_target(
    question: str,
    target: str,
    context: str,
    scored: tuple[Sequence[sentences.Span], Sequence[float]],
    encoder: Encoder,
) -> Usefulness:
    asked = _for_question(context, *scored)
    if len(set(words.content_words(target))) <= _SHORT:
        return _for_phrase(target, context, scored, asked)
    claims = [statement.text for statement in statements(target, question)] or [target]
    best = max(support(claims, [context], encoder), key=lambda found: found.probability)
    # The support of the target decides; the question keeps a context of mere shared words out.
    value = 0.75 * best.probability + 0.25 * asked.probability
    useful = value >= RELEVANT
    verb = "supports" if useful else "does not support"
    reason = f"It {verb} what was to be arrived at. {best.reason}"
    return Usefulness(value, useful, reason, best.sentence, best.span)


def _for_phrase(
    target: str,
    context: str,
    scored: tuple[Sequence[sentences.Span], Sequence[float]],
    asked: Usefulness,
) -> Usefulness:
    """A short target must stand in the context, best in a sentence that bears on the question."""
    places, relevant = scored
    wanted = words.stems(target) or words.words(target)
    shares = [
        overlap.recall(wanted, {*words.stems(context[a:b]), *words.words(context[a:b])})
        for a, b in places
    ]
    whole = overlap.recall(wanted, {*words.stems(context), *words.words(context)})
    if whole < 1.0:
        reason = f"'{target.strip()}' does not stand in the context."
        value = 0.3 * asked.probability
        return Usefulness(
            value, useful=False, reason=reason, sentence=asked.sentence, span=asked.span
        )
    best = int(np.argmax(np.asarray(shares) + np.asarray(relevant)))
    value = 0.5 + 0.5 * relevant[best]
    start, end = places[best]
    reason = f"'{target.strip()}' stands in the context: {shorten(context[start:end])}"
    return Usefulness(
        value, useful=True, reason=reason, sentence=context[start:end], span=(start, end)
    )
