"""Does a sentence or an answer bear on a question?

Sentences: see `nearness.py`. Answers: a documented mean of four parts that is not fitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.backends.embedded.encoder import Encoder
from assay.backends.embedded.nearness import RELEVANT, measure, probability
from assay.text import overlap, questions, refusals, sentences, words

_LOW, _HIGH = 0.1, 0.75  # cosines of question and answer taken as 0 and as 1


@dataclass(frozen=True)
class Relevance:
    """How far one sentence helps to answer the question."""

    probability: float  # in [0, 1]
    relevant: bool  # probability >= 0.5
    reason: str


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
        for sentence, features in zip(sentences, measure(question, sentences, encoder), strict=True)
    ]


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
    rows = measure(question, [answer, *parts], encoder)
    cosine = max(row[0] for row in rows)
    nearness = min(1.0, max(0.0, (cosine - _LOW) / (_HIGH - _LOW)))
    helpful = [probability(row) for row in rows[1:]]
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
        on_point = sum(value >= RELEVANT for value in helpful)
        reason = (
            f"Cosine to the question {cosine:.2f}, {on_point} of {len(parts)} sentences on the "
            f"question, {coverage:.0%} of its words taken up{asked}."
        )
    return AnswerRelevance(score, noncommittal=bool(declined), reason=reason)


def _relevance(
    question: str, sentence: str, features: tuple[float, ...], kind: questions.Kind
) -> Relevance:
    value = probability(features)
    asked = set(words.stems(question))
    shared = [w for w in dict.fromkeys(words.content_words(sentence)) if words.stem(w) in asked]
    named = ", ".join(f"'{word}'" for word in shared[:3])
    reason = f"Cosine to the question {features[0]:.2f}; " + (
        f"takes up {named}" if shared else "takes up none of its words"
    )
    if kind not in {"open", "yes or no"}:
        reason += f"; holds {'a' if features[3] else 'no'} {kind}"
    return Relevance(value, value >= RELEVANT, f"{reason}.")


def _kind_reason(kind: str, *, matches: bool) -> str:
    return f"; it asks for a {kind} and {'gets one' if matches else 'gets none'}"


def _declined(parts: Sequence[str]) -> str:
    """The refusal, if it opens the answer or makes up at least half of it."""
    found = [(len(part), refusals.refusal(part)) for part in parts]
    declining = sum(length for length, words_of in found if words_of)
    if declining * 2 >= sum(length for length, _ in found):
        return next(words_of for _, words_of in found if words_of)
    return found[0][1] if len(found) <= 2 else ""
