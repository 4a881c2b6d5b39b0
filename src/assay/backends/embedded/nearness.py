"""How near is a sentence to a question, in meaning, words and kind?

A logistic combination of the cosine to the question, how far it lies below the best of the other
sentences, the share of the question's content words and whether the sentence holds the kind of
thing asked for; `training/support_v0/fit_relevance.py` fits the coefficients.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

from assay.backends.embedded.encoder import Encoder
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
    weights, intercept = _fitted()
    total = intercept + sum(w * f for w, f in zip(weights, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@lru_cache(maxsize=1)
def _fitted() -> tuple[tuple[float, ...], float]:
    folder = resources.files("assay.backends.embedded")
    content = json.loads(folder.joinpath("relevance_v0.json").read_text("utf-8"))
    weights = content["coefficients"]
    return tuple(float(weights[name]) for name in FEATURES), float(content["intercept"])
