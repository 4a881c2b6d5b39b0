"""Does a sentence, a context or an answer bear on a question?

Sentences: a logistic combination of the cosine to the question, the share of the question's content
words and whether the sentence holds the kind of thing asked for; the coefficients are fitted by
`training/support_v0/fit_relevance.py`. Contexts: the better of their best sentence's relevance and,
where an answer or a reference is given, of the support that it gives to that text's statements.
Answers: a documented mean of three parts, not fitted (see `answer_relevance`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np

from assay.backends.embedded.encoder import Encoder
from assay.backends.embedded.support import support
from assay.text import overlap, questions, refusals, sentences, words
from assay.text.clauses import statements

FEATURES = ("cosine", "cosine_below_best", "recall", "kind")
_USEFUL = 0.5
_SHORT = 3  # content words; such a target ("Paris", "in 1889") is a phrase, not a statement
_LOW, _HIGH = 0.1, 0.75  # cosines of question and answer taken as 0 and as 1


@dataclass(frozen=True)
class Relevance:
    """How far one sentence helps to answer the question."""

    probability: float  # in [0, 1]
    relevant: bool  # probability >= 0.5
    reason: str


@dataclass(frozen=True)
class Usefulness:
    """How far one context helps to arrive at the target, or to answer the question."""

    probability: float  # in [0, 1]
    useful: bool  # probability >= 0.5
    reason: str
    sentence: str  # the most helpful sentence; "" in an empty context
    span: tuple[int, int] | None  # context[span[0]:span[1]] is that sentence


@dataclass(frozen=True)
class AnswerRelevance:
    """How far an answer addresses its question."""

    score: float  # in [0, 1]; not lowered by `noncommittal`, which is the caller's to weigh
    noncommittal: bool
    reason: str


def sentence_relevance(
    question: str, sentences: Sequence[str], encoder: Encoder
) -> list[Relevance]:
    """For every sentence, in order, whether it helps to answer the question."""
    kind = questions.kind_of(question)
    return [
        _relevance(question, sentence, features, kind)
        for sentence, features in zip(
            sentences, relevance_features(question, sentences, encoder), strict=True
        )
    ]


def relevance_features(
    question: str, sentences: Sequence[str], encoder: Encoder
) -> list[tuple[float, ...]]:
    """The measurements behind `sentence_relevance`, in the order of `FEATURES`."""
    if not sentences:
        return []
    vectors = encoder.encode([question, *sentences])
    cosines = (vectors[1:] @ vectors[0]).astype(float)
    best = float(cosines.max())
    found = [words.stems(sentence) for sentence in sentences]
    weights = overlap.inverse_frequency(found)
    wanted = words.stems(question)
    kind = questions.kind_of(question)
    return [
        (
            float(cosine),
            best - float(cosine),
            overlap.weighted_recall(wanted, stems, weights),
            float(questions.holds(kind, sentence, question)),
        )
        for cosine, stems, sentence in zip(cosines, found, sentences, strict=True)
    ]


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
    rows = relevance_features(question, flat, encoder)
    scores = iter([_probability(row) for row in rows])
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


def answer_relevance(question: str, answer: str, encoder: Encoder) -> AnswerRelevance:
    """Whether an answer addresses the question, by a fixed mean of four parts.

    0.4 nearness: cosine of question and answer, the better of the whole and its best sentence, from
    0.1 (counts 0) to 0.75 (counts 1); 0.25 focus: mean probability that a sentence helps, by its
    length; 0.2 coverage: share of the question's content words in the answer; 0.15 kind: whether a
    question for a time, number, person, ... gets one. An answer that mostly declines ("I don't
    know") is `noncommittal`; its score says only how near its words are.
    """
    parts = sentences.sentences(answer)
    if not parts:
        return AnswerRelevance(0.0, noncommittal=True, reason="The answer is empty.")
    rows = relevance_features(question, [answer, *parts], encoder)
    cosine = max(row[0] for row in rows)
    nearness = min(1.0, max(0.0, (cosine - _LOW) / (_HIGH - _LOW)))
    helpful = [_probability(row) for row in rows[1:]]
    focus = float(np.average(helpful, weights=[len(part) for part in parts]))
    coverage = overlap.recall(words.stems(question), words.stems(answer))
    kind = questions.kind_of(question)
    matches = questions.holds(kind, answer, question)
    score = min(1.0, 0.4 * nearness + 0.25 * focus + 0.2 * coverage + 0.15 * matches)
    declined = _declined(parts)
    if declined:
        reason = f"The answer declines: '{declined}'."
    else:
        asked = "" if kind == "open" else _kind_reason(kind, matches=matches)
        on_point = sum(value >= _USEFUL for value in helpful)
        reason = (
            f"Cosine to the question {cosine:.2f}, {on_point} of {len(parts)} sentences on the "
            f"question, {coverage:.0%} of its words taken up{asked}."
        )
    return AnswerRelevance(score, noncommittal=bool(declined), reason=reason)


def _relevance(
    question: str, sentence: str, features: tuple[float, ...], kind: questions.Kind
) -> Relevance:
    probability = _probability(features)
    asked = set(words.stems(question))
    shared = [w for w in dict.fromkeys(words.content_words(sentence)) if words.stem(w) in asked]
    named = ", ".join(f"'{word}'" for word in shared[:3])
    reason = f"Cosine to the question {features[0]:.2f}; " + (
        f"takes up {named}" if shared else "takes up none of its words"
    )
    if kind not in {"open", "yes or no"}:
        reason += f"; holds {'a' if features[3] else 'no'} {kind}"
    return Relevance(probability, probability >= _USEFUL, f"{reason}.")


def _kind_reason(kind: str, *, matches: bool) -> str:
    return f"; it asks for a {kind} and {'gets one' if matches else 'gets none'}"


def _declined(parts: Sequence[str]) -> str:
    """The refusal, if it opens the answer or makes up at least half of it."""
    found = [(len(part), refusals.refusal(part)) for part in parts]
    declining = sum(length for length, words_of in found if words_of)
    if declining * 2 >= sum(length for length, _ in found):
        return next(words_of for _, words_of in found if words_of)
    return found[0][1] if len(found) <= 2 else ""


def _for_question(
    context: str, places: Sequence[sentences.Span], relevant: Sequence[float]
) -> Usefulness:
    best = int(np.argmax(relevant))
    probability = relevant[best]
    useful = probability >= _USEFUL
    start, end = places[best]
    sentence = context[start:end]
    verb = "bears on" if useful else "does not bear on"
    reason = f"The nearest sentence {verb} the question: {_shorten(sentence)}"
    return Usefulness(probability, useful, reason, sentence, (start, end))


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
    probability = 0.75 * best.probability + 0.25 * asked.probability
    useful = probability >= _USEFUL
    verb = "supports" if useful else "does not support"
    reason = f"It {verb} what was to be arrived at. {best.reason}"
    return Usefulness(probability, useful, reason, best.sentence, best.span)


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
        probability = 0.3 * asked.probability
        return Usefulness(
            probability, useful=False, reason=reason, sentence=asked.sentence, span=asked.span
        )
    best = int(np.argmax(np.asarray(shares) + np.asarray(relevant)))
    probability = 0.5 + 0.5 * relevant[best]
    start, end = places[best]
    reason = f"'{target.strip()}' stands in the context: {_shorten(context[start:end])}"
    return Usefulness(
        probability, useful=True, reason=reason, sentence=context[start:end], span=(start, end)
    )


def _shorten(sentence: str) -> str:
    line = " ".join(sentence.split())
    return line if len(line) <= 200 else f"{line[:199].rstrip()}…"


def _probability(features: Sequence[float]) -> float:
    weights, intercept = _fitted()
    total = intercept + sum(w * f for w, f in zip(weights, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@lru_cache(maxsize=1)
def _fitted() -> tuple[tuple[float, ...], float]:
    folder = resources.files("assay.backends.embedded")
    content = json.loads(folder.joinpath("relevance_v0.json").read_text("utf-8"))
    weights = content["coefficients"]
    return tuple(float(weights[name]) for name in FEATURES), float(content["intercept"])
