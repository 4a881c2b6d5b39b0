"""How near is a sentence to a question, in meaning, words and kind?

A logistic combination of what the trained reader says of the sentence beside the question, the
cosine to the question, how far it lies below the best of the other sentences, the share of the
question's content words and whether the sentence holds the kind of thing asked for;
`training/verifier/fit.py` fits the coefficients.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from assay.backends.embedded.encoder import Encoder
from assay.backends.embedded.fitted import Fitted
from assay.backends.embedded.reader import Reader, Reading
from assay.text import overlap, questions, words

FEATURES = ("helps", "cosine", "cosine_below_best", "recall", "kind")
RELEVANT = 0.5
_HELPS = 3  # among the votes of a reading


def measure(
    question: str, sentences: Sequence[str], encoder: Encoder, readings: Sequence[Reading]
) -> list[tuple[float, ...]]:
    """The measurements of every sentence, in the order of `FEATURES`."""
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
            float(reading.votes[_HELPS]),
            float(cosine),
            best - float(cosine),
            overlap.weighted_recall(wanted, stems, weights),
            float(questions.holds(kind, sentence, question)),
        )
        for reading, cosine, stems, sentence in zip(
            readings, cosines, found, sentences, strict=True
        )
    ]


def read(
    question: str, contexts: Sequence[Sequence[str]], encoder: Encoder, reader: Reader
) -> list[tuple[float, ...]]:
    """The measurements of all sentences of some contexts, each context read apart."""
    sentences = [sentence for context in contexts for sentence in context]
    begins = frozenset(accumulate(map(len, contexts)))
    readings = reader.beside_question(question, sentences, begins)
    return measure(question, sentences, encoder, readings)


def probability(features: Sequence[float]) -> float:
    """The probability, in [0, 1], that a sentence of these measurements helps to answer."""
    return Fitted.load("relevance.json", FEATURES).probability(features)


def whole(readings: Sequence[Reading], vote: int) -> float:
    """A vote's mean over all tokens of a text that was read sentence by sentence."""
    lengths = [len(reading.offsets) for reading in readings]
    values = [float(reading.votes[vote]) for reading in readings]
    return float(np.average(values, weights=lengths)) if sum(lengths) else 0.0
