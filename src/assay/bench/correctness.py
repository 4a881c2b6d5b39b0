"""How right is an answer, counted by the metric's own path and by its verdicts' probabilities?"""

from collections.abc import Sequence
from typing import NamedTuple

from assay.bench.subject import Subject
from assay.metrics.correctness import FactualCorrectness, f_beta, mean, weighed
from assay.sample import Sample
from assay.score import Score


class Correctness(NamedTuple):
    """F1, precision (correctness) and recall (completeness) against a reference."""

    overall: float
    correctness: float
    completeness: float


def correctness(
    judge: Subject, asked: Sequence[tuple[str, str, str]]
) -> list[tuple[Correctness, Correctness] | None]:
    """As counted, and by probabilities, of each (question, answer, reference)."""
    samples = [
        Sample(id=str(i), question=question, answer=answer, reference=reference)
        for i, (question, answer, reference) in enumerate(asked)
    ]
    found = judge.outcomes(FactualCorrectness(), samples)
    return [None if score is None else (_counted(score), _weighed(score)) for score in found]


def _counted(score: Score) -> Correctness:
    return Correctness(score.value, score.details["precision"], score.details["recall"])


def _weighed(score: Score) -> Correctness:
    """What `soft=true` gives, of the same verdicts."""
    parts = weighed(score.parts)
    precision = mean([part for part in parts if part.kind == "statement"])
    recall = mean([part for part in parts if part.kind == "reference statement"])
    return Correctness(f_beta(precision, recall), precision, recall)
