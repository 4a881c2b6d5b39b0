"""The metrics, by name."""

from assay.metrics.base import Metric
from assay.metrics.compat.ragas_paper import (
    PaperAnswerRelevance,
    PaperContextRelevance,
    PaperFaithfulness,
)
from assay.metrics.contexts import (
    ContextPrecision,
    ContextPrecisionWithoutReference,
    ContextRecall,
    ContextRelevance,
)
from assay.metrics.correctness import AnswerCorrectness, AnswerSimilarity, FactualCorrectness
from assay.metrics.custom import metric
from assay.metrics.groundedness import Faithfulness
from assay.metrics.registry import ALIASES, METRICS, is_built_in, parse, resolve
from assay.metrics.relevance import AnswerRelevancy

__all__ = [
    "ALIASES",
    "METRICS",
    "AnswerCorrectness",
    "AnswerRelevancy",
    "AnswerSimilarity",
    "ContextPrecision",
    "ContextPrecisionWithoutReference",
    "ContextRecall",
    "ContextRelevance",
    "FactualCorrectness",
    "Faithfulness",
    "Metric",
    "PaperAnswerRelevance",
    "PaperContextRelevance",
    "PaperFaithfulness",
    "is_built_in",
    "metric",
    "parse",
    "resolve",
]
