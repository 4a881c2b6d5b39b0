"""Relevance of sentences and answers to a question, and usefulness of contexts.

Each is a logistic combination, fitted in `training/verifier/fit.py`, of what the trained network
says, the cosine to the question, shared words and whether the kind of thing asked for is there.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np

from assay._text import questions, refusals, sentences, words
from assay._text.markup import says_nothing
from assay._text.statements import statements
from assay.errors import Unavailable
from assay.judges.embedded.embedding import Encoder
from assay.judges.embedded.inference import Adapted
from assay.judges.embedded.reader import Reader, Reading
from assay.judges.embedded.surface import plain_question, read_sentences, vocabulary
from assay.judges.embedded.verification import Fitted, best_support, shorten

FEATURES = ("helps", "cosine", "cosine_below_best", "recall", "kind")
RELEVANT = 0.5
_HELPS = 3  # among the votes of a reading
_LEAST = 1e-4  # the least probability of a sentence


def measure(
    question: str, sentences: Sequence[str], encoder: Encoder, readings: Sequence[Reading]
) -> list[tuple[float, ...]]:
    """The measurements of every sentence, in the order of `FEATURES`."""
    if not sentences:
        return []
    vectors = encoder.encode([question, *sentences])
    cosines = (vectors[1:] @ vectors[0]).astype(float)
    best = float(cosines.max())
    sentence_stems = [words.stems(sentence) for sentence in sentences]
    weights = words.inverse_frequency(sentence_stems)
    question_stems = words.stems(question)
    kind = questions.kind_of(question)
    return [
        (
            float(reading.votes[_HELPS]),
            float(cosine),
            best - float(cosine),
            words.weighted_recall(question_stems, stems, weights),
            float(questions.holds(kind, sentence, question)),
        )
        for reading, cosine, stems, sentence in zip(
            readings, cosines, sentence_stems, sentences, strict=True
        )
    ]


def read(
    question: str, contexts: Sequence[Sequence[str]], encoder: Encoder, reader: Reader
) -> list[tuple[float, ...]]:
    """The measurements of all sentences of some contexts, each context read apart."""
    sentences = [sentence for context in contexts for sentence in context]
    begins = frozenset(accumulate(map(len, contexts)))
    readings = reader.read_beside_question(question, sentences, begins)
    return measure(question, sentences, encoder, readings)


def probability(features: Sequence[float]) -> float:
    """The probability, in [0, 1], that a sentence of these measurements helps to answer."""
    return Fitted.load("relevance.json", FEATURES).probability(features)


PASSAGE_FEATURES = (
    "best",  # log-odds that the sentence that helps most does
    "mean",  # mean probability of a sentence
)


def passage_features(probabilities: Sequence[float]) -> tuple[float, ...]:
    """The measurements of a context, in the order of `PASSAGE_FEATURES`, by its sentences' ones."""
    best = min(max(probabilities), 1 - _LEAST)
    return math.log((best + _LEAST) / (1 - best)), float(np.mean(probabilities))


def passage_probability(probabilities: Sequence[float], adapted: Adapted | None) -> float:
    """The probability, in [0, 1], that a context helps to answer; 0 without a sentence."""
    if not probabilities:
        return 0.0
    fitted = Fitted.load("passage.json", PASSAGE_FEATURES, adapted)
    return fitted.probability(passage_features(probabilities))


# Least probability that a passage helps of each grade above 0. They are set, not fitted: 0.5 is
# where it helps more likely than not, which is the least of what TREC counts as relevant.
GRADES_FROM = (0.2, 0.5, 0.8)


def passage_grade(helps: float) -> int:
    """The grade, 0 to 3, of a passage that helps to answer with such a probability."""
    return bisect_right(GRADES_FROM, helps)


def whole(readings: Sequence[Reading], vote: int) -> float:
    """A vote's mean over all tokens of a text that was read sentence by sentence."""
    lengths = [len(reading.offsets) for reading in readings]
    values = [float(reading.votes[vote]) for reading in readings]
    return float(np.average(values, weights=lengths)) if sum(lengths) else 0.0


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
    question = plain_question(question, vocabulary(chain.from_iterable(contexts)))
    kind = questions.kind_of(question)
    rows = read(question, contexts, encoder, reader)
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
    texts = sentences.sentences(answer)
    if all(map(says_nothing, texts)):
        fault = "holds no words" if texts else "is empty"
        return AnswerRelevance(0.0, noncommittal=True, reason=f"The answer {fault}.")
    question = plain_question(question, vocabulary(texts))
    stated = read_sentences(texts, vocabulary([question]))
    features, helpful = measure_answer(question, [read for read, _ in stated], encoder, reader)
    fitted = Fitted.load("answering.json", ANSWER_FEATURES, reader.adapted)
    score = fitted.probability(features)
    declined = declines(texts)
    if declined:
        reason = f"The answer declines: '{declined}'."
    else:
        kind = questions.kind_of(question)
        on_kind = "" if kind == "open" else _kind_reason(kind, matches=bool(features[2]))
        aside = [text for (_, text), p in zip(stated, helpful, strict=True) if p < RELEVANT]
        reason = (
            f"{len(stated) - len(aside)} of {len(stated)} sentences on the question{on_kind}"
            + (f"; beside the question: '{aside[0]}'" if aside else ".")
        )
    return AnswerRelevance(score, noncommittal=bool(declined), reason=reason)


def measure_answer(
    question: str, parts: Sequence[str], encoder: Encoder, reader: Reader
) -> tuple[tuple[float, ...], list[float]]:
    """The measurements of an answer in the order of `ANSWER_FEATURES`, and how far each helps."""
    answer = " ".join(parts)
    readings = reader.read_beside_question(question, parts)
    rows = measure(question, parts, encoder, readings)
    helpful = [probability(row) for row in rows]
    question_vector, answer_vector = encoder.encode([question, answer])
    features = (
        whole(readings, _ANSWERS),
        float(np.average(helpful, weights=[len(part) for part in parts])),
        float(questions.holds(questions.kind_of(question), answer, question)),
        min(float(question_vector @ answer_vector), ABOUT),
    )
    return features, helpful


def _demand_question(question: str) -> None:
    if questions.about_a_text(question):
        message = (
            f"'{shorten(question)}' asks for work on a text, not for facts: the embedded judge "
        )
        message += "cannot rate what is relevant to it -> name an LLM as judge for this metric"
        raise Unavailable(message, permanent=True)


def _relevance(
    question: str, sentence: str, features: tuple[float, ...], kind: questions.Kind
) -> Relevance:
    value = probability(features)
    question_stems = set(words.stems(question))
    shared = [
        w for w in dict.fromkeys(words.content_words(sentence)) if words.stem(w) in question_stems
    ]
    quoted = ", ".join(f"'{word}'" for word in shared[:3])
    reason = f"Cosine to the question {features[1]:.2f}; " + (
        f"takes up {quoted}" if shared else "takes up none of its words"
    )
    if kind not in {"open", "yes or no"}:
        reason += f"; holds {'a' if features[4] else 'no'} {kind}"
    return Relevance(value, value >= RELEVANT, f"{reason}.")


def _kind_reason(kind: str, *, matches: bool) -> str:
    return f"; it asks for a {kind} and {'gets one' if matches else 'gets none'}"


def declines(parts: Sequence[str]) -> str:
    """The refusal of an answer's sentences, if it opens the answer or is at least half of it.

    One that is taken back is none.
    """
    if any(refusals.answers_after_all(part) for part in parts[1:]):
        return ""
    refusals_of = [(len(text), refusals.refusal(text)) for text in parts]
    refused = [(length, words_of) for length, words_of in refusals_of if words_of]
    if not refused:
        return ""
    if sum(length for length, _ in refused) * 2 >= sum(length for length, _ in refusals_of):
        return refused[0][1]
    return refusals_of[0][1] if len(refusals_of) <= 2 else ""


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
    question = plain_question(question, vocabulary(contexts))
    rows = iter(read(question, split, encoder, reader))
    read_contexts = [
        _Context(context, texts, [probability(next(rows)) for _ in texts])
        for context, texts in zip(contexts, split, strict=True)
    ]
    if len(set(words.content_words(target))) <= _SHORT:
        return [_for_phrase(target, context) for context in read_contexts]
    claims = [statement.text for statement in statements(target, question)] or [target]
    return [_for_claims(claims, context, reader) for context in read_contexts]


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
    target_words = words.stems(target) or words.words(target)
    if _share(target_words, context.text) < 1.0:
        reason = f"'{target.strip()}' does not appear in the context."
        nearest = int(np.argmax(context.helpful))
        value = 0.3 * context.helpful[nearest]
        return Usefulness(value, useful=False, reason=reason, sentence=context.sentences[nearest])
    shares = [_share(target_words, sentence) for sentence in context.sentences]
    best = int(np.argmax(np.asarray(shares) + np.asarray(context.helpful)))
    value, sentence = 0.5 + 0.5 * context.helpful[best], context.sentences[best]
    reason = f"'{target.strip()}' appears in the context: {shorten(sentence)}"
    return Usefulness(value, useful=True, reason=reason, sentence=sentence)


def _share(reference: Sequence[str], text: str) -> float:
    return words.recall(reference, {*words.stems(text), *words.words(text)})
