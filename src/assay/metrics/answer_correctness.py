"""Is the answer right, in facts and in meaning together?"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.answer_similarity import AnswerSimilarity
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.factual_correctness import FactualCorrectness
from assay.metrics.grading import override
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import Embed, SplitStatements, VerifyStatements


@dataclass(frozen=True)
class WeightedCorrectness(Metric):
    """A weighted mean of a factual score and answer similarity; no metric by itself."""

    factual_weight: float = 0.75
    similarity_weight: float = 0.25

    needs = ("question", "answer", "reference")
    tasks: ClassVar[tuple[type[Task[Any]], ...]] = (SplitStatements, VerifyStatements, Embed)
    range = (-0.25, 1.0)
    _factual_name: ClassVar[str] = FactualCorrectness.name

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = (self.factual_weight, self.similarity_weight)
        if not (all(0 <= weight < math.inf for weight in weights) and any(weights)):
            raise InputError(f"{self.name}: weights must be 0 or more, not both 0: {weights}")
        share = self.similarity_weight / sum(weights)
        override(self, range=(0.0 - share, 1.0))  # only the cosine can be below 0, and to -1

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Score both components and weigh them."""
        factual = await self._factual(sample, judge)
        if isinstance(factual, Unscored):
            return factual
        components = [(self._factual_name, factual.value, self.factual_weight)]
        if self.similarity_weight:
            similar = await AnswerSimilarity().score(sample, judge)
            if isinstance(similar, Unscored):
                return similar
            components.append((AnswerSimilarity.name, similar.value, self.similarity_weight))
        total = sum(weight for _, _, weight in components)
        value = sum(value * weight for _, value, weight in components) / total
        parts = tuple(
            Part("component", name, f"weight {weight / total:g}", value)
            for name, value, weight in components
        )
        return Score(value, (*parts, *factual.parts), factual.method, factual.details)

    @abstractmethod
    async def _factual(self, sample: Sample, judge: Judge) -> Outcome:
        """The factual score."""


@dataclass(frozen=True)
class AnswerCorrectness(WeightedCorrectness):
    """Weighted mean of factual correctness (F1) and answer similarity.

    w1 factual_correctness + w2 answer_similarity over w1 + w2, default 0.75 and 0.25 (RAGAS
    documentation), in [-w2 / (w1 + w2), 1]. Undefined where factual correctness is.

    Args:
        factual_weight: w1.
        similarity_weight: w2. With 0, no embedding is asked for.
        soft: Whether statements count by their probabilities, as in factual_correctness.
    """

    soft: bool = False

    name = "answer_correctness"
    source = RAGAS_DOCS

    async def _factual(self, sample: Sample, judge: Judge) -> Outcome:
        return await FactualCorrectness(soft=self.soft).score(sample, judge)


METRICS: tuple[type[Metric], ...] = (AnswerCorrectness,)
