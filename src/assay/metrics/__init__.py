"""Which metrics there are, by name; one file a metric or family."""

from assay.metrics.answer_correctness import AnswerCorrectness
from assay.metrics.answer_relevancy import AnswerRelevancy, PaperAnswerRelevance
from assay.metrics.answer_similarity import AnswerSimilarity
from assay.metrics.base import Metric
from assay.metrics.catalogue import ALIASES, METRICS
from assay.metrics.context_precision import ContextPrecision, ContextPrecisionWithoutReference
from assay.metrics.context_recall import ContextRecall
from assay.metrics.context_relevance import ContextRelevance, PaperContextRelevance
from assay.metrics.factual_correctness import FactualCorrectness
from assay.metrics.faithfulness import Faithfulness, PaperFaithfulness
from assay.metrics.names import is_built_in, parse, resolve
from assay.metrics.own import metric

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
