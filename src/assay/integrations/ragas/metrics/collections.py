"""The ready-made metrics of ragas 0.4: columns by keyword in, a result with its reason out."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from assay.errors import InputError
from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.advice import completed
from assay.integrations.ragas.metrics import agents, criteria, ready
from assay.integrations.ragas.metrics.base import Ready
from assay.integrations.ragas.metrics.functions import unwanted
from assay.integrations.ragas.metrics.ready import DistanceMeasure
from assay.integrations.ragas.metrics.result import MetricResult, result_of
from assay.integrations.ragas.rows import FIELDS, row_of
from assay.integrations.ragas.scoring import outcomes

__all__ = [
    "BaseMetric",
    "DistanceMeasure",
]


@dataclass
class BaseMetric(Ready):
    """Base of the metrics of ragas 0.4."""

    positional: ClassVar[tuple[str, ...]] = ("llm", "name")
    allowed_values: Any = (0.0, 1.0)

    def validate_result_value(self, value: Any) -> str | None:
        """What is wrong with a value of this metric; None if it is allowed."""
        return unwanted(value, self.allowed_values) or None

    async def ascore(self, **columns: Any) -> MetricResult:  # type: ignore[override]
        """The score of one sample, whose columns are given by keyword; NaN where there is none.

        Raises:
            InputError: If a column is missing or unknown.
        """
        (found,) = await self._found([columns])
        return found

    def score(self, **columns: Any) -> MetricResult:  # type: ignore[override]
        """`ascore` run to completion."""
        return completed(self.ascore(**columns))

    async def abatch_score(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        """The scores of several samples, each with its columns as a dict."""
        if type(self).ascore is not BaseMetric.ascore:  # a metric of the user's own
            return list(await asyncio.gather(*(self.ascore(**columns) for columns in inputs)))
        return await self._found(inputs)

    async def _found(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        if not inputs:
            return []
        for at, columns in enumerate(inputs, 1):
            self._check(columns, at)
        rows = [row_of(columns) for columns in inputs]
        found = await outcomes(self, rows)
        return [
            result_of(outcome, self.value(outcome), row)
            for outcome, row in zip(found, rows, strict=True)
        ]

    def batch_score(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        """`abatch_score` run to completion."""
        return completed(self.abatch_score(inputs))

    def _check(self, columns: Mapping[str, Any], at: int) -> None:
        absent = [name for name in self.columns if columns.get(name) is None]
        unknown = [name for name in columns if name not in FIELDS]
        if absent or unknown:
            what = f"lacks {', '.join(absent)}" if absent else f"has {', '.join(unknown)}"
            needs = f"it takes {', '.join(self.columns or FIELDS)}"
            raise InputError(f"{self.name}: input {at} {what}", needs)


@dataclass
class Faithfulness(ready.Faithfulness, BaseMetric):
    """`ragas:faithfulness`."""


@dataclass
class AnswerRelevancy(ready.ResponseRelevancy, BaseMetric):
    """`ragas:answer_relevancy`."""

    positional = ("llm", "embeddings", "name", "strictness")


@dataclass
class ContextPrecisionWithReference(ready.LLMContextPrecisionWithReference, BaseMetric):
    """`ragas:context_precision`."""

    name = "context_precision_with_reference"


class ContextPrecision(ContextPrecisionWithReference):
    """`ragas:context_precision`."""

    name = "context_precision"


@dataclass
class ContextPrecisionWithoutReference(ready.LLMContextPrecisionWithoutReference, BaseMetric):
    """`ragas:context_precision_without_reference`."""

    name = "context_precision_without_reference"


class ContextUtilization(ContextPrecisionWithoutReference):
    """`ragas:context_precision_without_reference`."""

    name = "context_utilization"


@dataclass
class ContextRecall(ready.LLMContextRecall, BaseMetric):
    """`context_recall`."""


@dataclass
class ContextEntityRecall(ready.ContextEntityRecall, BaseMetric):
    """`ragas:context_entity_recall`."""

    variant: ClassVar[str] = "collections"


@dataclass
class ContextRelevance(ready.ContextRelevance, BaseMetric):
    """`nv_context_relevance`."""

    name = "context_relevance"


@dataclass
class ResponseGroundedness(ready.ResponseGroundedness, BaseMetric):
    """`response_groundedness`."""

    name = "response_groundedness"


@dataclass
class AnswerAccuracy(ready.AnswerAccuracy, BaseMetric):
    """`answer_accuracy`."""

    name = "answer_accuracy"


@dataclass
class AnswerCorrectness(ready.AnswerCorrectness, BaseMetric):
    """`ragas:answer_correctness`."""

    positional = ("llm", "embeddings", "name", "weights", "beta")


@dataclass
class FactualCorrectness(ready.FactualCorrectness, BaseMetric):
    """`ragas:factual_correctness`."""

    positional = ("llm", "mode", "beta", "atomicity", "coverage", "name")


@dataclass
class NoiseSensitivity(ready.NoiseSensitivity, BaseMetric):
    """`noise_sensitivity`."""

    positional = ("llm", "name", "mode")


@dataclass
class SemanticSimilarity(ready.SemanticSimilarity, BaseMetric):
    """`answer_similarity`."""

    positional = ("embeddings", "name", "threshold")


@dataclass
class SummaryScore(ready.SummarizationScore, BaseMetric):
    """`summary_score`."""

    positional = ("llm", "name", "length_penalty", "coeff")


@dataclass
class ExactMatch(ready.ExactMatch, BaseMetric):
    """`exact_match`."""

    positional = ("name",)


@dataclass
class StringPresence(ready.StringPresence, BaseMetric):
    """`string_presence`."""

    positional = ("name",)


@dataclass
class NonLLMStringSimilarity(ready.NonLLMStringSimilarity, BaseMetric):
    """`string_similarity`."""

    positional = ("name", "distance_measure")


@dataclass
class BleuScore(ready.BleuScore, BaseMetric):
    """`bleu`."""

    positional = ("name",)


@dataclass
class CHRFScore(ready.ChrfScore, BaseMetric):
    """`chrf`."""

    positional = ("name",)


@dataclass
class RougeScore(ready.RougeScore, BaseMetric):
    """`rouge`."""

    positional = ("name", "rouge_type", "mode")


@dataclass
class QuotedSpansAlignment(BaseMetric):
    """`ragas:quoted_spans`."""

    positional = ("name", "casefold", "min_span_words")

    metric = "ragas:quoted_spans"
    columns = ("response", "retrieved_contexts")
    name = "quoted_spans_alignment"
    casefold: bool = True
    min_span_words: int = 3
    variant: ClassVar[str] = "collections"

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """How many words a quotation has at least, and whether case is the same."""
        del fields
        how = {"casefold": self.casefold, "variant": self.variant}
        return {"words": self.min_span_words, **how}


@dataclass
class DomainSpecificRubrics(criteria.RubricsScore, BaseMetric):
    """`rubrics_score`, or with a reference `rubrics_score_with_reference`."""

    positional: ClassVar[tuple[str, ...]] = ("llm", "rubrics", "with_reference", "name")

    with_reference: bool = False
    allowed_values: Any = (1.0, 5.0)

    def in_assay(self, fields: frozenset[str]) -> Any:
        """The metric of assay, for samples that fill these fields."""
        from assay.metrics import METRICS

        name = "rubrics_score_with_reference" if self.with_reference else self.metric
        return METRICS[name](**self.parameters(fields))


class RubricsScoreWithoutReference(DomainSpecificRubrics):
    """`rubrics_score`."""

    positional = ("llm", "rubrics", "name")

    name = "rubrics_score_without_reference"


@dataclass
class RubricsScoreWithReference(DomainSpecificRubrics):
    """`rubrics_score_with_reference`."""

    positional = ("llm", "rubrics", "name")

    name = "rubrics_score_with_reference"
    with_reference: bool = True


@dataclass
class InstanceSpecificRubrics(criteria.InstanceRubrics, BaseMetric):
    """`instance_rubrics`."""

    columns = ("rubrics",)
    name = "instance_specific_rubrics"
    positional = ("llm", "name")
    allowed_values: Any = (1.0, 5.0)


@dataclass
class ToolCallAccuracy(agents.ToolCallAccuracy, BaseMetric):
    """`tool_call_accuracy`."""

    positional = ("strict_order", "name")


@dataclass
class ToolCallF1(agents.ToolCallF1, BaseMetric):
    """`tool_call_f1`."""

    positional = ("name",)


@dataclass
class TopicAdherence(agents.TopicAdherenceScore, BaseMetric):
    """`topic_adherence`."""

    positional = ("llm", "mode", "name")


@dataclass
class AgentGoalAccuracyWithReference(agents.AgentGoalAccuracyWithReference, BaseMetric):
    """`agent_goal_accuracy`."""


@dataclass
class AgentGoalAccuracyWithoutReference(agents.AgentGoalAccuracyWithoutReference, BaseMetric):
    """`agent_goal_accuracy_without_reference`."""


class AgentGoalAccuracy(AgentGoalAccuracyWithReference):
    """`agent_goal_accuracy`."""


__getattr__ = partial(missing, "metrics.collections")
