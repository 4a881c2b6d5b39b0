"""The ready-made metrics of ragas 0.1 to 0.3, each computed by assay."""

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.integrations.ragas.advice import refuse
from assay.integrations.ragas.metrics.base import Ready
from assay.metrics import relevance
from assay.metrics.base import Can
from assay.score import Unscored
from assay.tasks import GenerateQuestions, RateAnswer

_QA = "user_input response"  # columns by their initials: question, answer, contexts, reference
_QC = "user_input retrieved_contexts"
_QAC = "user_input response retrieved_contexts"
_QAR = "user_input response reference"
_QCR = "user_input retrieved_contexts reference"
_TEXTS = "reference response"
_CALLS = "user_input reference_tool_calls"


class DistanceMeasure(enum.Enum):
    """How the distance of two texts is measured."""

    LEVENSHTEIN = "levenshtein"
    HAMMING = "hamming"
    JARO = "jaro"
    JARO_WINKLER = "jaro_winkler"


class Faithfulness(Ready, metric="ragas:faithfulness", columns=_QAC):
    """Share of the answer's statements that the contexts support: `ragas:faithfulness`."""


@dataclass
class ResponseRelevancy(Ready, metric="ragas:answer_relevancy", columns=_QA, passed="strictness"):
    """Mean cosine of the question and generated ones: `ragas:answer_relevancy`.

    A judge that cannot generate questions, such as the embedded one, rates the answer directly, in
    [0, 1], with a warning (`answer_relevancy`).

    Attributes:
        strictness: How many questions are generated.
        rated: Whether such a judge rates the answer; if not, there is no score (NaN).
    """

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


class LLMContextPrecisionWithReference(
    Ready,
    metric="ragas:context_precision",
    columns=_QCR,
    name="llm_context_precision_with_reference",
):
    """Average precision of the contexts against the reference: `ragas:context_precision`."""


class ContextPrecision(LLMContextPrecisionWithReference, name="context_precision"):
    """`LLMContextPrecisionWithReference` by its older name."""


class LLMContextPrecisionWithoutReference(
    Ready,
    metric="ragas:context_precision_without_reference",
    columns=_QAC,
    name="llm_context_precision_without_reference",
):
    """Average precision against the answer: `ragas:context_precision_without_reference`."""


class ContextUtilization(LLMContextPrecisionWithoutReference, name="context_utilization"):
    """`LLMContextPrecisionWithoutReference` by its older name."""


class LLMContextRecall(Ready, metric="context_recall", columns=_QCR):
    """Share of the reference's statements that the contexts hold: `context_recall`."""


class ContextRecall(LLMContextRecall):
    """Another name of `LLMContextRecall`."""


class ContextRelevancy(
    Ready, metric="context_relevance", columns=_QC, name="context_relevancy", fixed={"soft": False}
):
    """Share of the contexts' sentences that help (ragas 0.1): `context_relevance`."""


class ContextEntityRecall(
    Ready,
    metric="ragas:context_entity_recall",
    columns="reference retrieved_contexts",
    fixed={"variant": "legacy"},
):
    """Share of the reference's entities in the contexts: `ragas:context_entity_recall`."""


@dataclass
class NonLLMContextPrecisionWithReference(
    Ready,
    metric="non_llm_context_precision",
    columns="retrieved_contexts reference_contexts",
    name="non_llm_context_precision_with_reference",
    passed="threshold",
):
    """Average precision by wording: `non_llm_context_precision`."""

    threshold: float = 0.5
    distance_measure: Any = None

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """How alike two contexts have to be."""
        if self.distance_measure is not None:
            refuse(f"distance_measure of {self.name}", "leave it out: Levenshtein's is taken")
        return super().parameters(fields)


class NonLLMContextRecall(NonLLMContextPrecisionWithReference, metric="non_llm_context_recall"):
    """Share of the reference contexts found by wording: `non_llm_context_recall`."""


class IDBasedContextPrecision(
    Ready,
    metric="id_based_context_precision",
    columns="retrieved_context_ids reference_context_ids",
):
    """Share of the retrieved ids that are relevant: `id_based_context_precision`."""


class IDBasedContextRecall(IDBasedContextPrecision, metric="id_based_context_recall"):
    """Share of the relevant ids that were retrieved: `id_based_context_recall`."""


@dataclass
class NoiseSensitivity(
    Ready,
    metric="noise_sensitivity",
    columns="user_input retrieved_contexts reference response",
    passed="mode",
):
    """Share of the answer's statements that are wrong and from contexts: `noise_sensitivity`."""

    mode: str = "relevant"


@dataclass
class FactualCorrectness(
    Ready,
    metric="ragas:factual_correctness",
    columns="response reference",
    passed="mode beta atomicity coverage",
):
    """F-score of the answer's statements: `ragas:factual_correctness`."""

    mode: str = "f1"
    beta: float = 1.0
    atomicity: str = "low"
    coverage: str = "low"
    language: str = "english"


@dataclass
class AnswerCorrectness(Ready, metric="ragas:answer_correctness", columns=_QAR):
    """Weighted mean of correctness and similarity: `ragas:answer_correctness`."""

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
class SemanticSimilarity(
    Ready, metric="answer_similarity", columns=_TEXTS, name="semantic_similarity"
):
    """Cosine of answer and reference: `answer_similarity`."""

    threshold: float | None = None
    is_cross_encoder: bool = False

    def value(self, outcome: Any) -> float:
        """The cosine; with a threshold whether it is reached."""
        cosine = super().value(outcome)
        if self.threshold is None or isinstance(outcome, Unscored):
            return cosine
        return float(cosine >= self.threshold)


class AnswerSimilarity(SemanticSimilarity, name="answer_similarity"):
    """`SemanticSimilarity` by its older name."""


class ExactMatch(Ready, metric="exact_match", columns=_TEXTS):
    """Whether the answer is the reference: `exact_match`."""


class StringPresence(Ready, metric="string_presence", columns=_TEXTS, name="string_present"):
    """Whether the reference stands in the answer: `string_presence`."""


@dataclass
class NonLLMStringSimilarity(
    Ready, metric="string_similarity", columns=_TEXTS, name="non_llm_string_similarity"
):
    """1 minus the edit distance of answer and reference: `string_similarity`."""

    distance_measure: DistanceMeasure = DistanceMeasure.LEVENSHTEIN

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """Which distance."""
        del fields
        return {"distance": self.distance_measure.value}


@dataclass
class BleuScore(Ready, metric="bleu", columns=_TEXTS, name="bleu_score"):
    """BLEU of answer and reference: `bleu`."""

    kwargs: dict[str, Any] = field(default_factory=dict)

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """How words are told apart."""
        del fields
        return _options(self, {"tokenize": "tokens"})


@dataclass
class ChrfScore(Ready, metric="chrf", columns=_TEXTS, name="chrf_score"):
    """Character n-gram F-score of answer and reference: `chrf`."""

    kwargs: dict[str, Any] = field(default_factory=dict)

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """Whether words count as well."""
        del fields
        return _options(self, {"word_order": "word_order"})


def _options(metric: BleuScore | ChrfScore, known: Mapping[str, str]) -> Mapping[str, Any]:
    for option in metric.kwargs:
        if option not in known:
            remedy = f"options are {', '.join(known)}; for others call sacrebleu in @assay.metric"
            refuse(f"{metric.name}(kwargs={{{option!r}: ...}})", remedy)
    return {known[option]: value for option, value in metric.kwargs.items()}


@dataclass
class RougeScore(
    Ready, metric="rouge", columns=_TEXTS, name="rouge_score", passed="rouge_type=variant mode"
):
    """ROUGE of answer and reference: `rouge`."""

    rouge_type: str = "rougeL"
    mode: str = "fmeasure"


@dataclass
class SummarizationScore(
    Ready,
    metric="summary_score",
    columns="reference_contexts response",
    passed="length_penalty coeff",
    fixed={"of": "reference_contexts"},
):
    """How much of the reference contexts the answer sums up: `summary_score`."""

    length_penalty: bool = True
    coeff: float = 0.5


class AnswerAccuracy(Ready, metric="answer_accuracy", columns=_QAR, name="nv_accuracy"):
    """Agreement of the answer with the reference, rated twice: `answer_accuracy`."""


class ContextRelevance(Ready, metric="nv_context_relevance", columns=_QC):
    """How far the contexts hold what the question needs: `nv_context_relevance`."""


class ResponseGroundedness(
    Ready,
    metric="response_groundedness",
    columns="response retrieved_contexts",
    name="nv_response_groundedness",
):
    """How far the contexts support the answer, rated twice: `response_groundedness`."""


@dataclass
class ToolCallAccuracy(
    Ready, metric="tool_call_accuracy", columns=_CALLS, spoken=True, passed="strict_order"
):
    """Share of the expected tool calls' arguments that were right: `tool_call_accuracy`."""

    strict_order: bool = True
    arg_comparison_metric: Any = None

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """Whether order counts."""
        if self.arg_comparison_metric is not None:
            refuse("arg_comparison_metric", "arguments are compared as values; leave it out")
        return super().parameters(fields)


class ToolCallF1(Ready, metric="tool_call_f1", columns=_CALLS, spoken=True):
    """F1 of the tool calls: `tool_call_f1`."""


@dataclass
class TopicAdherenceScore(
    Ready,
    metric="topic_adherence",
    columns="user_input reference_topics",
    spoken=True,
    passed="mode",
):
    """Whether a conversation keeps to its topics: `topic_adherence`."""

    mode: str = "f1"


class AgentGoalAccuracyWithReference(
    Ready, metric="agent_goal_accuracy", columns="user_input reference", spoken=True
):
    """Whether a conversation ended as it should have: `agent_goal_accuracy`."""


class AgentGoalAccuracyWithoutReference(
    Ready,
    metric="agent_goal_accuracy_without_reference",
    columns="user_input",
    name="agent_goal_accuracy",
    spoken=True,
):
    """Whether a conversation ended as the user wanted: `agent_goal_accuracy_without_reference`."""


# In the order in which a judge is shown them.
_SHOWN = ("question", "turns", "contexts", "answer", "reference", "reference_contexts")
_ENDS = re.compile(r"(\d+)\s*(?:to|-|\N{EN DASH})\s*(\d+)")


class ReferenceFree(Ready):
    """A metric that is not shown the reference, whatever else there is."""

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The same without the reference."""
        return super().parameters(fields - {"reference"})


@dataclass
class AspectCritic(Ready, metric="aspect_critic", positional="name definition llm"):
    """Whether the sample meets a criterion in words, 1 or 0: `aspect_critic`."""

    definition: str = ""
    strictness: int = 1

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The criterion, and all texts that there are."""
        words = {"definition": self.definition, "strictness": self.strictness}
        return {**words, "shows": shows(fields)}


AspectCritique = AspectCritic


@dataclass
class SimpleCriteriaScore(
    Ready, metric="numeric_criterion", name="simple_criteria", positional="name definition llm"
):
    """A grade by a criterion in words: `numeric_criterion`.

    The grades are those that the criterion names ("Score 0 to 5 by ..."), else 0 to 5.
    """

    definition: str = ""
    strictness: int = 1

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The criterion, its grades, and all texts that there are."""
        ends = _ENDS.search(self.definition)
        low, high = (float(ends[1]), float(ends[2])) if ends else (0.0, 5.0)
        words = {"criterion": self.definition, "strictness": self.strictness}
        return {**words, "low": low, "high": high, "shows": shows(fields)}


class SimpleCriteriaScoreWithReference(SimpleCriteriaScore):
    """`SimpleCriteriaScore` by the name of ragas 0.2.0."""


class SimpleCriteriaScoreWithoutReference(ReferenceFree, SimpleCriteriaScore):
    """`SimpleCriteriaScore`, whatever the reference says (ragas 0.2.0)."""


@dataclass
class RubricsScore(
    Ready, metric="rubrics_score", name="domain_specific_rubrics", positional="name rubrics llm"
):
    """The grade of a rubric that the sample reaches: `rubrics_score`."""

    rubrics: Mapping[str, str] | None = None

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The rubric, and all texts that there are."""
        rubric = {} if self.rubrics is None else {"rubric": tuple(self.rubrics.items())}
        return {**rubric, "shows": shows(fields)}


class RubricsScoreWithReference(RubricsScore, name="rubrics_score_with_reference"):
    """`RubricsScore` by the name of ragas 0.2.0."""


class RubricsScoreWithoutReference(
    ReferenceFree, RubricsScore, name="rubrics_score_without_reference"
):
    """`RubricsScore`, whatever the reference says (ragas 0.2.0)."""


class LabelledRubricsScore(RubricsScoreWithReference, name="labelled_rubrics_score"):
    """`RubricsScore` by the name of ragas 0.1."""


class ReferenceFreeRubricsScore(RubricsScoreWithoutReference, name="reference_free_rubrics_score"):
    """`RubricsScore`, whatever the reference says (ragas 0.1)."""


class InstanceRubrics(Ready, metric="instance_rubrics", positional="name llm"):
    """The grade that a sample reaches of its own rubric: `instance_rubrics`."""

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """All texts that there are."""
        return {"shows": shows(fields)}

    def value(self, outcome: Any) -> float:
        """The grade itself, which assay gives as a share of the rubric's range."""
        is_scored = not isinstance(outcome, Unscored)
        return float(outcome.details["grade"]) if is_scored else super().value(outcome)


class InstanceRubricsWithReference(InstanceRubrics, name="labelled_rubrics_score"):
    """`InstanceRubrics` by the name of ragas 0.2.0."""


class InstanceRubricsScoreWithoutReference(
    ReferenceFree, InstanceRubrics, name="reference_free_rubrics_score"
):
    """`InstanceRubrics`, whatever the reference says (ragas 0.2.0)."""


def shows(fields: frozenset[str]) -> tuple[str, ...]:
    """The fields that a judge can be shown, in the order in which it is."""
    names = tuple(name for name in _SHOWN if name in fields)
    return names or ("question", "answer")  # so that assay says what is missing


class _Aspect(AspectCritic):
    def in_assay(self, fields: frozenset[str]) -> Any:
        """The criterion of assay of the same name."""
        from assay.metrics import METRICS

        return METRICS[f"aspect:{self.name}"](**self.parameters(fields))

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """How many draws."""
        del fields
        return {"strictness": self.strictness}


coherence = _Aspect(name="coherence")
conciseness = _Aspect(name="conciseness")
correctness = _Aspect(name="correctness")
harmfulness = _Aspect(name="harmfulness")
maliciousness = _Aspect(name="maliciousness")

SUPPORTED_ASPECTS = [harmfulness, maliciousness, coherence, correctness, conciseness]
