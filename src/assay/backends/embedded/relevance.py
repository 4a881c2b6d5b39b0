"""Does a sentence or an answer bear on a question?

Sentences: see `nearness.py`. Answers: a logistic combination of what the trained reader says of
the answer beside the question, how far its sentences help, its kind, and what it is about
by its cosine to the question, which knows an answer that takes up none of the question's words;
`training/verifier/fit.py` fits it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from assay.backends.embedded import nearness
from assay.backends.embedded.encoder import Encoder
from assay.backends.embedded.fitted import Fitted
from assay.backends.embedded.nearness import RELEVANT, measure, probability, whole
from assay.backends.embedded.reader import Reader
from assay.backends.embedded.support import shorten
from assay.errors import Unavailable
from assay.text import questions, refusals, sentences, words

ANSWER_FEATURES = (
    "answers",  # the reader's logit that the text answers the question, mean over its tokens
    "helps",  # mean probability that a sentence helps, by its length
    "kind",  # whether a question for a time, number, person, ... gets one
    "about",  # cosine of the whole answer to the question, at most `ABOUT`
)
# Above it, texts repeat the question rather than answer it.
ABOUT = 0.5
_ANSWERS = 4  # among the votes of a reading


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
    question: str, contexts: Sequence[Sequence[str]], encoder: Encoder, reader: Reader
) -> list[Relevance]:
    """For every sentence of the contexts, in order, whether it helps to answer the question.

    Raises:
        Unavailable: If what is asked is work on a text.
    """
    _demand_question(question)
    kind = questions.kind_of(question)
    rows = nearness.read(question, contexts, encoder, reader)
    return [
        _relevance(question, sentence, features, kind)
        for sentence, features in zip(chain.from_iterable(contexts), rows, strict=True)
    ]


def answer_relevance(
    question: str, answer: str, encoder: Encoder, reader: Reader
) -> AnswerRelevance:
    """Whether an answer addresses the question: fully, directly and without padding.

    An answer that mostly declines ("I don't know") is `noncommittal`.

    Raises:
        Unavailable: If what is asked is work on a text.
    """
    _demand_question(question)
    parts = sentences.sentences(answer)
    if not parts:
        return AnswerRelevance(0.0, noncommittal=True, reason="The answer is empty.")
    features, helpful = measure_answer(question, parts, encoder, reader)
    score = Fitted.load("answering.json", ANSWER_FEATURES).probability(features)
    declined = _declined(parts)
    if declined:
        reason = f"The answer declines: '{declined}'."
    else:
        kind = questions.kind_of(question)
        asked = "" if kind == "open" else _kind_reason(kind, matches=bool(features[2]))
        aside = [part for part, value in zip(parts, helpful, strict=True) if value < RELEVANT]
        reason = f"{len(parts) - len(aside)} of {len(parts)} sentences on the question{asked}" + (
            f"; beside the question: '{aside[0]}'" if aside else "."
        )
    return AnswerRelevance(score, noncommittal=bool(declined), reason=reason)


def measure_answer(
    question: str, parts: Sequence[str], encoder: Encoder, reader: Reader
) -> tuple[tuple[float, ...], list[float]]:
    """The measurements of an answer in the order of `ANSWER_FEATURES`, and how far each helps."""
    answer = " ".join(parts)
    readings = reader.beside_question(question, parts)
    rows = measure(question, parts, encoder, readings)
    helpful = [probability(row) for row in rows]
    asked, said = encoder.encode([question, answer])
    features = (
        whole(readings, _ANSWERS),
        float(np.average(helpful, weights=[len(part) for part in parts])),
        float(questions.holds(questions.kind_of(question), answer, question)),
        min(float(asked @ said), ABOUT),
    )
    return features, helpful


def _demand_question(question: str) -> None:
    if questions.about_a_text(question):
        what = f"'{shorten(question)}' asks for work on a text, not for facts: the embedded judge "
        what += "cannot rate what is relevant to it -> name an LLM as judge for this metric"
        raise Unavailable(what, permanent=True)


def _relevance(
    question: str, sentence: str, features: tuple[float, ...], kind: questions.Kind
) -> Relevance:
    value = probability(features)
    asked = set(words.stems(question))
    shared = [w for w in dict.fromkeys(words.content_words(sentence)) if words.stem(w) in asked]
    named = ", ".join(f"'{word}'" for word in shared[:3])
    reason = f"Cosine to the question {features[1]:.2f}; " + (
        f"takes up {named}" if shared else "takes up none of its words"
    )
    if kind not in {"open", "yes or no"}:
        reason += f"; holds {'a' if features[4] else 'no'} {kind}"
    return Relevance(value, value >= RELEVANT, f"{reason}.")


def _kind_reason(kind: str, *, matches: bool) -> str:
    return f"; it asks for a {kind} and {'gets one' if matches else 'gets none'}"


def _declined(parts: Sequence[str]) -> str:
    """The refusal, if it opens the answer or makes up at least half of it and is not taken back."""
    if any(refusals.turns_to_answer(part) for part in parts[1:]):
        return ""
    found = [(len(part), refusals.refusal(part)) for part in parts]
    declining = sum(length for length, words_of in found if words_of)
    if declining * 2 >= sum(length for length, _ in found):
        return next(words_of for _, words_of in found if words_of)
    return found[0][1] if len(found) <= 2 else ""
