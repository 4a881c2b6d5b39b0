"""The metrics of ragas by all of their names, and what a user makes metrics with."""

# ruff: noqa: F403, F405 - `legacy` has most of the names that `__all__` lists

from functools import partial

from assay.integrations.ragas.advice import missing
from assay.integrations.ragas.metrics.base import (
    Metric,
    MetricOutputType,
    MetricType,
    MetricWithEmbeddings,
    MetricWithLLM,
    MultiTurnMetric,
    SingleTurnMetric,
)
from assay.integrations.ragas.metrics.collections import quoted_spans_alignment
from assay.integrations.ragas.metrics.custom import (
    BaseMetric,
    DiscreteMetric,
    LLMMetric,
    NumericMetric,
    RankingMetric,
)
from assay.integrations.ragas.metrics.legacy import *
from assay.integrations.ragas.metrics.result import (
    MetricResult,
    discrete_metric,
    numeric_metric,
    ranking_metric,
)

__all__ = [
    "AgentGoalAccuracyWithReference",
    "AgentGoalAccuracyWithoutReference",
    "AnswerAccuracy",
    "AnswerCorrectness",
    "AnswerRelevancy",
    "AnswerSimilarity",
    "AspectCritic",
    "AspectCritique",
    "BaseMetric",
    "BleuScore",
    "ChrfScore",
    "ContextEntityRecall",
    "ContextPrecision",
    "ContextRecall",
    "ContextRelevance",
    "ContextRelevancy",
    "ContextUtilization",
    "DiscreteMetric",
    "DistanceMeasure",
    "ExactMatch",
    "FactualCorrectness",
    "Faithfulness",
    "IDBasedContextPrecision",
    "IDBasedContextRecall",
    "InstanceRubrics",
    "InstanceRubricsScoreWithoutReference",
    "InstanceRubricsWithReference",
    "LLMContextPrecisionWithReference",
    "LLMContextPrecisionWithoutReference",
    "LLMContextRecall",
    "LLMMetric",
    "LabelledRubricsScore",
    "Metric",
    "MetricOutputType",
    "MetricResult",
    "MetricType",
    "MetricWithEmbeddings",
    "MetricWithLLM",
    "MultiTurnMetric",
    "NoiseSensitivity",
    "NonLLMContextPrecisionWithReference",
    "NonLLMContextRecall",
    "NonLLMStringSimilarity",
    "NumericMetric",
    "RankingMetric",
    "ReferenceFreeRubricsScore",
    "ResponseGroundedness",
    "ResponseRelevancy",
    "RougeScore",
    "RubricsScore",
    "RubricsScoreWithReference",
    "RubricsScoreWithoutReference",
    "SemanticSimilarity",
    "SimpleCriteriaScore",
    "SimpleCriteriaScoreWithReference",
    "SimpleCriteriaScoreWithoutReference",
    "SingleTurnMetric",
    "StringPresence",
    "SummarizationScore",
    "ToolCallAccuracy",
    "ToolCallF1",
    "TopicAdherenceScore",
    "answer_correctness",
    "answer_relevancy",
    "answer_similarity",
    "coherence",
    "conciseness",
    "context_entity_recall",
    "context_precision",
    "context_recall",
    "context_relevancy",
    "context_utilization",
    "correctness",
    "discrete_metric",
    "faithfulness",
    "harmfulness",
    "labelled_rubrics_score",
    "maliciousness",
    "noise_sensitivity_irrelevant",
    "noise_sensitivity_relevant",
    "numeric_metric",
    "quoted_spans_alignment",
    "ranking_metric",
    "reference_free_rubrics_score",
    "summarization_score",
]

# Ready to use, as ragas 0.1 has them. Nobody but the user ever changes one of them.
answer_correctness = AnswerCorrectness()
answer_relevancy = AnswerRelevancy()
answer_similarity = AnswerSimilarity()
context_entity_recall = ContextEntityRecall()
context_precision = ContextPrecision()
context_recall = ContextRecall()
context_relevancy = ContextRelevancy()
context_utilization = ContextUtilization()
faithfulness = Faithfulness()
labelled_rubrics_score = LabelledRubricsScore()
noise_sensitivity_irrelevant = NoiseSensitivity(mode="irrelevant")
noise_sensitivity_relevant = NoiseSensitivity()
reference_free_rubrics_score = ReferenceFreeRubricsScore()
summarization_score = SummarizationScore()

__getattr__ = partial(missing, "metrics")
