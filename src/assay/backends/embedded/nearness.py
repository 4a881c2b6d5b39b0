"""How near is a sentence to a question, in meaning, words and kind?

A logistic combination of the cosine to the question, how far it lies below the best of the other
sentences, the share of the question's content words and whether the sentence holds the kind of
thing asked for; `training/support_v0/fit_relevance.py` fits the coefficients.
"""

from collections.abc import Sequence

from assay.backends.embedded.encoder import Encoder
from assay.backends.embedded.fitted import Fitted
from assay.text import overlap, questions, words

FEATURES = ("cosine", "cosine_below_best", "recall", "kind")
RELEVANT = 0.5


def measure(question: str, sentences: Sequence[str], encoder: Encoder) -> list[tuple[float, ...]]:
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
            float(cosine),
            best - float(cosine),
            overlap.weighted_recall(wanted, stems, weights),
            float(questions.holds(kind, sentence, question)),
        )
        for cosine, stems, sentence in zip(cosines, found, sentences, strict=True)
    ]


def probability(features: Sequence[float]) -> float:
    """The probability, in [0, 1], that a sentence of these measurements helps to answer."""
    return Fitted.load("relevance_v0.json", FEATURES).probability(features)
