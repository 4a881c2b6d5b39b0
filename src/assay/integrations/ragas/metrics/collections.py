"""The ready-made metrics of ragas 0.4: columns by keyword in, a result with its reason out."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.errors import InputError
from assay.integrations.ragas.advice import FIELDS, completed, missing
from assay.integrations.ragas.metrics import legacy
from assay.integrations.ragas.metrics.base import Ready
from assay.integrations.ragas.metrics.legacy import DistanceMeasure
from assay.integrations.ragas.metrics.result import MetricResult, result_of, unwanted
from assay.integrations.ragas.scoring import outcomes, row_of

__all__ = [
    "AgentGoalAccuracy",
    "AgentGoalAccuracyWithReference",
    "AgentGoalAccuracyWithoutReference",
    "AnswerAccuracy",
    "AnswerCorrectness",
    "AnswerRelevancy",
    "BaseMetric",
    "BleuScore",
    "CHRFScore",
    "ContextEntityRecall",
    "ContextPrecision",
    "ContextPrecisionWithReference",
    "ContextPrecisionWithoutReference",
    "ContextRecall",
    "ContextRelevance",
    "ContextUtilization",
    "DistanceMeasure",
    "DomainSpecificRubrics",
    "ExactMatch",
    "FactualCorrectness",
    "Faithfulness",
    "InstanceSpecificRubrics",
    "NoiseSensitivity",
    "NonLLMStringSimilarity",
    "QuotedSpansAlignment",
    "ResponseGroundedness",
    "RougeScore",
    "RubricsScoreWithReference",
    "RubricsScoreWithoutReference",
    "SemanticSimilarity",
    "StringPresence",
    "SummaryScore",
    "ToolCallAccuracy",
    "ToolCallF1",
    "TopicAdherence",
]


@dataclass
class BaseMetric(Ready, positional="llm name"):
    """Base of the metrics of ragas 0.4."""

    allowed_values: Any = (0.0, 1.0)

    def validate_result_value(self, value: Any) -> str | None:
        """What is wrong with a value of this metric; None if it is allowed."""
        return unwanted(value, self.allowed_values) or None

    async def ascore(self, **columns: Any) -> MetricResult:  # type: ignore[override]
        """The score of one sample, whose columns are given by keyword; NaN where there is none.

        Raises:
            InputError: If a column is missing or unknown.
        """
        (result,) = await self._results([columns])
        return result

    def score(self, **columns: Any) -> MetricResult:  # type: ignore[override]
        """`ascore` run to completion."""
        return completed(self.ascore(**columns))

    async def abatch_score(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        """The scores of several samples, each with its columns as a dict."""
        if type(self).ascore is not BaseMetric.ascore:  # a metric of the user's own
            return list(await asyncio.gather(*(self.ascore(**columns) for columns in inputs)))
        return await self._results(inputs)

    async def _results(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        if not inputs:
            return []
        for number, columns in enumerate(inputs, 1):
            self._check(columns, number)
        rows = [row_of(columns) for columns in inputs]
        pairs = zip(await outcomes(self, rows), rows, strict=True)
        return [result_of(outcome, self.value(outcome), row) for outcome, row in pairs]

    def batch_score(self, inputs: Sequence[Mapping[str, Any]]) -> list[MetricResult]:
        """`abatch_score` run to completion."""
        return completed(self.abatch_score(inputs))

    def _check(self, columns: Mapping[str, Any], number: int) -> None:
        absent = [name for name in self.columns if columns.get(name) is None]
        unknown = [name for name in columns if name not in FIELDS]
        if absent or unknown:
            fault = f"lacks {', '.join(absent)}" if absent else f"has {', '.join(unknown)}"
            needs = f"it takes {', '.join(self.columns or FIELDS)}"
            raise InputError(f"{self.name}: input {number} {fault}", needs)


@dataclass
class Faithfulness(legacy.Faithfulness, BaseMetric):
    """`ragas:faithfulness`."""


@dataclass
class AnswerRelevancy(
    legacy.ResponseRelevancy, BaseMetric, positional="llm embeddings name strictness"
):
    """`ragas:answer_relevancy`."""


@dataclass
class ContextPrecisionWithReference(
    legacy.LLMContextPrecisionWithReference, BaseMetric, name="context_precision_with_reference"
):
    """`ragas:context_precision`."""


class ContextPrecision(ContextPrecisionWithReference, name="context_precision"):
    """`ragas:context_precision`."""


@dataclass
class ContextPrecisionWithoutReference(
    legacy.LLMContextPrecisionWithoutReference,
    BaseMetric,
    name="context_precision_without_reference",
):
    """`ragas:context_precision_without_reference`."""


class ContextUtilization(ContextPrecisionWithoutReference, name="context_utilization"):
    """`ragas:context_precision_without_reference`."""


@dataclass
class ContextRecall(legacy.LLMContextRecall, BaseMetric):
    """`context_recall`."""


@dataclass
class ContextEntityRecall(legacy.ContextEntityRecall, BaseMetric, fixed={"variant": "collections"}):
    """`ragas:context_entity_recall`."""


@dataclass
class ContextRelevance(legacy.ContextRelevance, BaseMetric, name="context_relevance"):
    """`nv_context_relevance`."""


@dataclass
class ResponseGroundedness(legacy.ResponseGroundedness, BaseMetric, name="response_groundedness"):
    """`response_groundedness`."""


@dataclass
class AnswerAccuracy(legacy.AnswerAccuracy, BaseMetric, name="answer_accuracy"):
    """`answer_accuracy`."""


@dataclass
class AnswerCorrectness(
    legacy.AnswerCorrectness, BaseMetric, positional="llm embeddings name weights beta"
):
    """`ragas:answer_correctness`."""


@dataclass
class FactualCorrectness(
    legacy.FactualCorrectness, BaseMetric, positional="llm mode beta atomicity coverage name"
):
    """`ragas:factual_correctness`."""


@dataclass
class NoiseSensitivity(legacy.NoiseSensitivity, BaseMetric, positional="llm name mode"):
    """`noise_sensitivity`."""


@dataclass
class SemanticSimilarity(
    legacy.SemanticSimilarity, BaseMetric, positional="embeddings name threshold"
):
    """`answer_similarity`."""


@dataclass
class SummaryScore(
    legacy.SummarizationScore, BaseMetric, positional="llm name length_penalty coeff"
):
    """`summary_score`."""


@dataclass
class ExactMatch(legacy.ExactMatch, BaseMetric, positional="name"):
    """`exact_match`."""


@dataclass
class StringPresence(legacy.StringPresence, BaseMetric, positional="name"):
    """`string_presence`."""


@dataclass
class NonLLMStringSimilarity(
    legacy.NonLLMStringSimilarity, BaseMetric, positional="name distance_measure"
):
    """`string_similarity`."""


@dataclass
class BleuScore(legacy.BleuScore, BaseMetric, positional="name"):
    """`bleu`."""


@dataclass
class CHRFScore(legacy.ChrfScore, BaseMetric, positional="name"):
    """`chrf`."""


@dataclass
class RougeScore(legacy.RougeScore, BaseMetric, positional="name rouge_type mode"):
    """`rouge`."""


@dataclass
class QuotedSpansAlignment(
    BaseMetric,
    metric="ragas:quoted_spans",
    columns="response retrieved_contexts",
    name="quoted_spans_alignment",
    positional="name casefold min_span_words",
    passed="casefold min_span_words=words",
    fixed={"variant": "collections"},
):
    """`ragas:quoted_spans`."""

    casefold: bool = True
    min_span_words: int = 3


@dataclass
class DomainSpecificRubrics(
    legacy.RubricsScore, BaseMetric, positional="llm rubrics with_reference name"
):
    """`rubrics_score`, or with a reference `rubrics_score_with_reference`."""

    with_reference: bool = False
    allowed_values: Any = (1.0, 5.0)

    def in_assay(self, fields: frozenset[str]) -> Any:
        """The metric of assay, for samples that fill these fields."""
        from assay.metrics import METRICS

        name = "rubrics_score_with_reference" if self.with_reference else self.metric
        return METRICS[name](**self.parameters(fields))


class RubricsScoreWithoutReference(
    DomainSpecificRubrics, name="rubrics_score_without_reference", positional="llm rubrics name"
):
    """`rubrics_score`."""


@dataclass
class RubricsScoreWithReference(
    DomainSpecificRubrics, name="rubrics_score_with_reference", positional="llm rubrics name"
):
    """`rubrics_score_with_reference`."""

    with_reference: bool = True


@dataclass
class InstanceSpecificRubrics(
    legacy.InstanceRubrics,
    BaseMetric,
    columns="rubrics",
    name="instance_specific_rubrics",
    positional="llm name",
):
    """`instance_rubrics`."""

    allowed_values: Any = (1.0, 5.0)


@dataclass
class ToolCallAccuracy(legacy.ToolCallAccuracy, BaseMetric, positional="strict_order name"):
    """`tool_call_accuracy`."""


@dataclass
class ToolCallF1(legacy.ToolCallF1, BaseMetric, positional="name"):
    """`tool_call_f1`."""


@dataclass
class TopicAdherence(legacy.TopicAdherenceScore, BaseMetric, positional="llm mode name"):
    """`topic_adherence`."""


@dataclass
class AgentGoalAccuracyWithReference(legacy.AgentGoalAccuracyWithReference, BaseMetric):
    """`agent_goal_accuracy`."""


@dataclass
class AgentGoalAccuracyWithoutReference(legacy.AgentGoalAccuracyWithoutReference, BaseMetric):
    """`agent_goal_accuracy_without_reference`."""


class AgentGoalAccuracy(AgentGoalAccuracyWithReference):
    """`agent_goal_accuracy`."""


class _StraightMarks(QuotedSpansAlignment, fixed={"variant": "legacy"}):
    """What ragas' function takes for a quotation: straight marks only."""


def quoted_spans_alignment(
    answers: Sequence[str],
    sources: Sequence[Sequence[str]],
    *,
    casefold: bool = True,
    min_len: int = 3,
) -> dict[str, float]:
    """Share of all quotations of the answers that stand in their sources; 0 if there is none.

    Args:
        answers: The answers.
        sources: The contexts of each.
        casefold: Whether case and white space are the same.
        min_len: Words that a quotation has at least.

    Returns:
        The share, how many were found, and how many there are.
    """
    metric = _StraightMarks(casefold=casefold, min_span_words=min_len)
    rows = [
        {"response": answer, "retrieved_contexts": list(contexts)}
        for answer, contexts in zip(answers, sources, strict=True)
    ]
    scored = completed(outcomes(metric, rows)) if rows else []
    values = [part.value or 0.0 for outcome in scored for part in outcome.parts]
    matched, total = sum(values), float(len(values))
    share = matched / total if total else 0.0
    return {"citation_alignment_quoted_spans": share, "matched": matched, "total": total}


__getattr__ = partial(missing, "metrics.collections")
