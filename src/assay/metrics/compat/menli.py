"""MENLI's combined metrics: entailment mixed with another measure of answer and reference."""

from dataclasses import dataclass
from typing import Any

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric, override
from assay.metrics.correctness import (
    AnswerSimilarity,
    Direction,
    FactualCorrectness,
    Formula,
    NliScore,
)
from assay.metrics.text_similarity import (
    BertScore,
    Bleu,
    Chrf,
    Meteor,
    Rouge,
    StringSimilarity,
    TokenF1,
)
from assay.sample import Sample
from assay.score import Outcome, Score

# Each with its range, in which higher is better.
OTHERS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        BertScore(),
        AnswerSimilarity(),
        FactualCorrectness(),
        TokenF1(),
        StringSimilarity(),
        Bleu(),
        Chrf(),
        Rouge(),
        Meteor(),
    )
}


@dataclass(frozen=True)
class Menli(Metric):
    """Entailment between answer and reference, mixed with another metric of the two.

    w N + (1 - w) M, N = nli_score(level=text), M = the other metric, both moved from their range to
    [0, 1]; in [0, 1] (Chen and Eger 2023, MENLI, section 3, which moves both to [0, 1] by their
    smallest and largest values in the data, so that a score depends on the other rows: the order of
    samples is the same as there up to the weight). Texts are taken as they stand: an answer of one
    word entails no sentence. Undefined where either is, and failed likewise.

    Args:
        weight: w, from 0 to 1.
        other: "bert_score", "answer_similarity", "factual_correctness", "token_f1",
            "string_similarity", "bleu", "chrf", "rouge" or "meteor".
        direction: As in nli_score.
        formula: As in nli_score.
    """

    weight: float = 0.2
    other: str = BertScore.name
    direction: Direction = "both"
    formula: Formula = "e"

    name = "menli_combined"
    source = NliScore.source
    needs = ("question", "answer", "reference")
    tasks = tuple(dict.fromkeys(t for m in (NliScore(), *OTHERS.values()) for t in m.tasks))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.other not in OTHERS:
            known = ", ".join(OTHERS)
            raise InputError(f"{self.name}: other must be one of {known}, not {self.other!r}")
        if not 0 <= self.weight <= 1:
            raise InputError(f"{self.name}: weight must be from 0 to 1, not {self.weight}")
        override(self, packages=OTHERS[self.other].packages)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """What the two ask."""
        return tuple(dict.fromkeys(t for m in self._mixed() for t in m.asks(can)))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Score both, move them to [0, 1], mix."""
        nli, other = self._mixed()
        scores: dict[str, Score] = {}
        for metric in (nli, other):
            outcome = await metric.score(sample, judge)
            if not isinstance(outcome, Score):
                return outcome
            scores[metric.name] = outcome
        n, m = (_moved(scores[metric.name].value, metric) for metric in (nli, other))
        parts = tuple(part for score in scores.values() for part in score.parts)
        details = {name: score.value for name, score in scores.items()}
        method = scores[nli.name].method
        return Score(self.weight * n + (1 - self.weight) * m, parts, method, details)

    def _mixed(self) -> tuple[Metric, Metric]:
        nli = NliScore(direction=self.direction, formula=self.formula, level="text")
        return nli, OTHERS[self.other]


def _moved(value: float, metric: Metric) -> float:
    low, high = metric.range
    return (value - low) / (high - low)
