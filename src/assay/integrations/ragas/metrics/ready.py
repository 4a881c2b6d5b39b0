"""The ready-made metrics of ragas 0.1 to 0.3, each computed by assay."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.integrations.ragas.absent import refuse
from assay.integrations.ragas.metrics.base import Ready
from assay.metrics import relevance
from assay.metrics.base import Can
from assay.score import Unscored
from assay.tasks import GenerateQuestions, RateAnswer

_QCR = ("user_input", "retrieved_contexts", "reference")
_WORDS = ("reference", "response")


class DistanceMeasure(enum.Enum):
    """How the distance of two texts is measured."""

    LEVENSHTEIN = "levenshtein"
    HAMMING = "hamming"
    JARO = "jaro"
    JARO_WINKLER = "jaro_winkler"


class Faithfulness(Ready):
    """Share of the answer's statements that the contexts support: `ragas:faithfulness`."""

    metric = "ragas:faithfulness"
    columns = ("user_input", "response", "retrieved_contexts")
    name = "faithfulness"


@dataclass
class ResponseRelevancy(Ready):
    """Mean cosine of the question and generated ones: `ragas:answer_relevancy`.

    A judge that cannot generate questions, such as the embedded one, rates the answer directly, in
    [0, 1], with a warning (`answer_relevancy`).

    Attributes:
        strictness: How many questions are generated.
        rated: Whether such a judge rates the answer; if not, there is no score (NaN).
    """

    metric = "ragas:answer_relevancy"
    columns = ("user_input", "response")
    name = "answer_relevancy"
    passed = ("strictness",)
    strictness: int = 3
    rated: bool = True

    def served(self, metric: Any, can: Can) -> Any:
        """Rated directly, or not at all, where the judge generates no questions."""
        if can(GenerateQuestions) or not can(RateAnswer):
            return metric
        if self.rated:
            return relevance.AnswerRelevancy()
        return Unscored("undefined", "the judge generates no questions")


class AnswerRelevancy(ResponseRelevancy):
    """Another name of `ResponseRelevancy`."""


class LLMContextPrecisionWithReference(Ready):
    """Average precision of the contexts against the reference: `ragas:context_precision`."""

    metric = "ragas:context_precision"
    columns = _QCR
    name = "llm_context_precision_with_reference"


class ContextPrecision(LLMContextPrecisionWithReference):
    """`LLMContextPrecisionWithReference` by its older name."""

    name = "context_precision"


class LLMContextPrecisionWithoutReference(Ready):
    """Average precision against the answer: `ragas:context_precision_without_reference`."""

    metric = "ragas:context_precision_without_reference"
    columns = ("user_input", "response", "retrieved_contexts")
    name = "llm_context_precision_without_reference"


class ContextUtilization(LLMContextPrecisionWithoutReference):
    """`LLMContextPrecisionWithoutReference` by its older name."""

    name = "context_utilization"


class LLMContextRecall(Ready):
    """Share of the reference's statements that the contexts hold: `context_recall`."""

    metric = "context_recall"
    columns = _QCR
    name = "context_recall"


class ContextRecall(LLMContextRecall):
    """Another name of `LLMContextRecall`."""


class ContextRelevancy(Ready):
    """Share of the contexts' sentences that help (ragas 0.1): `context_relevance`."""

    metric = "context_relevance"
    columns = ("user_input", "retrieved_contexts")
    name = "context_relevancy"


class ContextEntityRecall(Ready):
    """Share of the reference's entities in the contexts: `ragas:context_entity_recall`."""

    metric = "ragas:context_entity_recall"
    columns = ("reference", "retrieved_contexts")
    name = "context_entity_recall"
    variant: ClassVar[str] = "legacy"

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """Which of ragas' two it is."""
        del fields
        return {"variant": self.variant}


@dataclass
class NonLLMContextPrecisionWithReference(Ready):
    """Average precision by wording: `non_llm_context_precision`."""

    metric = "non_llm_context_precision"
    columns = ("retrieved_contexts", "reference_contexts")
    name = "non_llm_context_precision_with_reference"
    threshold: float = 0.5
    distance_measure: Any = None

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """How alike two contexts have to be."""
        del fields
        if self.distance_measure is not None:
            refuse(f"distance_measure of {self.name}", "leave it out: Levenshtein's is taken")
        return {"threshold": self.threshold}


class NonLLMContextRecall(NonLLMContextPrecisionWithReference):
    """Share of the reference contexts found by wording: `non_llm_context_recall`."""

    metric = "non_llm_context_recall"
    name = "non_llm_context_recall"


class IDBasedContextPrecision(Ready):
    """Share of the retrieved ids that are relevant: `id_based_context_precision`."""

    metric = "id_based_context_precision"
    columns = ("retrieved_context_ids", "reference_context_ids")
    name = "id_based_context_precision"


class IDBasedContextRecall(IDBasedContextPrecision):
    """Share of the relevant ids that were retrieved: `id_based_context_recall`."""

    metric = "id_based_context_recall"
    name = "id_based_context_recall"


@dataclass
class NoiseSensitivity(Ready):
    """Share of the answer's statements that are wrong and from contexts: `noise_sensitivity`."""

    metric = "noise_sensitivity"
    columns = (*_QCR, "response")
    name = "noise_sensitivity"
    passed = ("mode",)
    mode: str = "relevant"


@dataclass
class FactualCorrectness(Ready):
    """F-score of the answer's statements: `ragas:factual_correctness`."""

    metric = "ragas:factual_correctness"
    columns = ("response", "reference")
    name = "factual_correctness"
    mode: str = "f1"
    beta: float = 1.0
    atomicity: str = "low"
    coverage: str = "low"
    language: str = "english"

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """What is averaged how, and how finely texts are split."""
        del fields
        levels = {"atomicity": self.atomicity, "coverage": self.coverage}
        return {"mode": self.mode, "beta": self.beta, **levels}


@dataclass
class AnswerCorrectness(Ready):
    """Weighted mean of correctness and similarity: `ragas:answer_correctness`."""

    metric = "ragas:answer_correctness"
    columns = ("user_input", "response", "reference")
    name = "answer_correctness"
    weights: list[float] = field(default_factory=lambda: [0.75, 0.25])
    beta: float = 1.0
    answer_similarity: Any = None

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The two weights and F's beta."""
        del fields
        factual, similarity = self.weights
        return {
            "factual_weight": factual,
            "similarity_weight": similarity,
            "beta": self.beta,
        }


@dataclass
class SemanticSimilarity(Ready):
    """Cosine of answer and reference: `answer_similarity`."""

    metric = "answer_similarity"
    columns = _WORDS
    name = "semantic_similarity"
    threshold: float | None = None
    is_cross_encoder: bool = False

    def value(self, outcome: Any) -> float:
        """The cosine; with a threshold whether it is reached."""
        found = super().value(outcome)
        if self.threshold is None or isinstance(outcome, Unscored):
            return found
        return float(found >= self.threshold)


class AnswerSimilarity(SemanticSimilarity):
    """`SemanticSimilarity` by its older name."""

    name = "answer_similarity"


class ExactMatch(Ready):
    """Whether the answer is the reference: `exact_match`."""

    metric = "exact_match"
    columns = _WORDS
    name = "exact_match"


class StringPresence(Ready):
    """Whether the reference stands in the answer: `string_presence`."""

    metric = "string_presence"
    columns = _WORDS
    name = "string_present"


@dataclass
class NonLLMStringSimilarity(Ready):
    """1 minus the edit distance of answer and reference: `string_similarity`."""

    metric = "string_similarity"
    columns = _WORDS
    name = "non_llm_string_similarity"
    distance_measure: DistanceMeasure = DistanceMeasure.LEVENSHTEIN

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """Which distance."""
        del fields
        return {"distance": self.distance_measure.value}


@dataclass
class BleuScore(Ready):
    """BLEU of answer and reference: `bleu`."""

    metric = "bleu"
    columns = _WORDS
    name = "bleu_score"
    kwargs: dict[str, Any] = field(default_factory=dict)

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """How words are told apart."""
        del fields
        return _options(self, {"tokenize": "tokens"})


@dataclass
class ChrfScore(Ready):
    """Character n-gram F-score of answer and reference: `chrf`."""

    metric = "chrf"
    columns = _WORDS
    name = "chrf_score"
    kwargs: dict[str, Any] = field(default_factory=dict)

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """Whether words count as well."""
        del fields
        return _options(self, {"word_order": "word_order"})


def _options(metric: BleuScore | ChrfScore, known: Mapping[str, str]) -> Mapping[str, Any]:
    for option in metric.kwargs:
        if option not in known:
            way = f"options are {', '.join(known)}; for others call sacrebleu in @assay.metric"
            refuse(f"{metric.name}(kwargs={{{option!r}: ...}})", way)
    return {known[option]: value for option, value in metric.kwargs.items()}


@dataclass
class RougeScore(Ready):
    """ROUGE of answer and reference: `rouge`."""

    metric = "rouge"
    columns = _WORDS
    name = "rouge_score"
    rouge_type: str = "rougeL"
    mode: str = "fmeasure"

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """Which ROUGE, and which share."""
        del fields
        return {"variant": self.rouge_type, "mode": self.mode}


@dataclass
class SummarizationScore(Ready):
    """How much of the reference contexts the answer sums up: `summary_score`."""

    metric = "summary_score"
    columns = ("reference_contexts", "response")
    name = "summary_score"
    length_penalty: bool = True
    coeff: float = 0.5

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """How length counts."""
        del fields
        given = {"length_penalty": self.length_penalty, "coeff": self.coeff}
        return {"of": "reference_contexts", **given}


class AnswerAccuracy(Ready):
    """Agreement of the answer with the reference, rated twice: `answer_accuracy`."""

    metric = "answer_accuracy"
    columns = ("user_input", "response", "reference")
    name = "nv_accuracy"


class ContextRelevance(Ready):
    """How far the contexts hold what the question needs: `nv_context_relevance`."""

    metric = "nv_context_relevance"
    columns = ("user_input", "retrieved_contexts")
    name = "nv_context_relevance"


class ResponseGroundedness(Ready):
    """How far the contexts support the answer, rated twice: `response_groundedness`."""

    metric = "response_groundedness"
    columns = ("response", "retrieved_contexts")
    name = "nv_response_groundedness"
