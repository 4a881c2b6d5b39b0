"""The built-in metrics, and the metric that a name with its parameters means."""

import ast
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from assay._text import misspelt
from assay.errors import InputError
from assay.metrics import (
    attribution,
    contexts,
    conversation,
    correctness,
    criteria,
    custom,
    grading,
    groundedness,
    nuggets,
    operations,
    other_names,
    preference,
    relevance,
    retrieval,
    robustness,
    text_similarity,
)
from assay.metrics.base import ELLIPSIS, Metric, check_parameters, frozen
from assay.metrics.compat import (
    deepeval,
    papers,
    ragas,
    ragas_paper,
    ragchecker,
    selfcheck,
    trulens,
)
from assay.sample import Sample

# In the order in which they are listed.
GROUPS: dict[str, tuple[type[Metric], ...]] = {
    "Answers and contexts": (
        groundedness.Faithfulness,
        groundedness.GradedFaithfulness,
        ragas_paper.PaperFaithfulness,
        relevance.AnswerRelevancy,
        ragas_paper.PaperAnswerRelevance,
        contexts.ContextRelevance,
        ragas_paper.PaperContextRelevance,
        contexts.ContextPrecision,
        contexts.ContextPrecisionWithoutReference,
        contexts.ContextRecall,
        groundedness.NoiseSensitivity,
        contexts.ContextEntityRecall,
        groundedness.HallucinationProbability,
        groundedness.HallucinationSpans,
        relevance.AnswerRelevanceByStatement,
        relevance.Conciseness,
        relevance.Completeness,
        relevance.CompletenessWithoutReference,
        attribution.CitationRecall,
        attribution.CitationPrecision,
    ),
    "Answers against a reference": (
        correctness.FactualCorrectness,
        correctness.AnswerCorrectness,
        papers.PaperFactualCorrectness,
        papers.PaperAnswerCorrectness,
        correctness.AnswerSimilarity,
        text_similarity.BertScore,
        correctness.NliScore,
        papers.Menli,
        text_similarity.ExactMatch,
        text_similarity.StringPresence,
        text_similarity.TokenF1,
        text_similarity.StringSimilarity,
        text_similarity.Bleu,
        text_similarity.Chrf,
        text_similarity.Rouge,
        text_similarity.Meteor,
        nuggets.NuggetRecall,
        nuggets.NuggetF,
        attribution.QuotedSpans,
        ragas.RagasQuotedSpans,
    ),
    "Retrieval against known contexts": (
        retrieval.IdContextPrecision,
        retrieval.IdContextRecall,
        retrieval.WordingContextPrecision,
        retrieval.WordingContextRecall,
        retrieval.HitAtK,
        retrieval.PrecisionAtK,
        retrieval.RecallAtK,
        retrieval.F1AtK,
        retrieval.Mrr,
        retrieval.Map,
        retrieval.NdcgAtK,
    ),
    "Criteria in words": (
        criteria.AspectCritic,
        criteria.Harmfulness,
        criteria.Maliciousness,
        criteria.Coherence,
        criteria.Correctness,
        criteria.Conciseness,
        criteria.DiscreteCriterion,
        criteria.NumericCriterion,
        preference.RankingCriterion,
        criteria.GEval,
        grading.RubricsScore,
        grading.RubricsScoreWithReference,
        grading.InstanceRubrics,
        grading.AnswerAccuracy,
        grading.NvContextRelevance,
        grading.ResponseGroundedness,
        ragas_paper.GptScore,
        papers.LikelihoodScore,
        ragas_paper.GptRanking,
        preference.PairwisePreference,
        relevance.SummaryScore,
    ),
    "As other systems define it": (
        ragas.RagasFaithfulness,
        ragas.RagasAnswerRelevancy,
        ragas.RagasContextPrecision,
        ragas.RagasContextPrecisionWithoutReference,
        ragas.RagasContextEntityRecall,
        ragas.RagasFactualCorrectness,
        ragas.RagasAnswerCorrectness,
        deepeval.DeepEvalFaithfulness,
        deepeval.DeepEvalAnswerRelevancy,
        deepeval.DeepEvalContextualPrecision,
        deepeval.DeepEvalContextualRecall,
        deepeval.DeepEvalContextualRelevancy,
        deepeval.DeepEvalHallucination,
        deepeval.DeepEvalToolCorrectness,
        trulens.TruLensGroundedness,
        trulens.TruLensAnswerRelevance,
        trulens.TruLensContextRelevance,
        ragchecker.Precision,
        ragchecker.Recall,
        ragchecker.F1,
        ragchecker.ClaimRecall,
        ragchecker.ContextPrecision,
        ragchecker.ContextUtilization,
        ragchecker.NoiseSensitivityRelevant,
        ragchecker.NoiseSensitivityIrrelevant,
        ragchecker.Hallucination,
        ragchecker.SelfKnowledge,
        ragchecker.Faithfulness,
        selfcheck.SelfCheckNLI,
        selfcheck.SelfCheckBERTScore,
        selfcheck.SelfCheckMQAG,
        selfcheck.SelfCheckNgram,
        selfcheck.SelfCheckPrompt,
        papers.CrudBleu,
        papers.CrudRougeL,
        papers.QuestEvalRecall,
        papers.QuestEvalPrecision,
    ),
    "Robustness, refusals, leaks, latency and cost": (
        robustness.AccessLeak,
        robustness.PiiLeakage,
        robustness.NoiseRobustness,
        robustness.CounterfactualRobustness,
        robustness.NegativeRejection,
        robustness.OverRefusal,
        operations.Latency,
        operations.CostPerQuery,
        operations.TokensPerQuery,
    ),
    "Conversations and tools": (
        conversation.TurnFaithfulness,
        conversation.TurnRelevancy,
        conversation.AgentGoalAccuracy,
        conversation.AgentGoalAccuracyWithoutReference,
        conversation.TopicAdherence,
        operations.ToolCallAccuracy,
        operations.ToolCallF1,
    ),
}
METRICS: dict[str, type[Metric]] = {
    metric.name: metric for group in GROUPS.values() for metric in group
}
ALIASES: dict[str, str] = {
    alias: name for name, metric in METRICS.items() for alias in metric.aliases
}

# What a run computes where the user names nothing, as far as the data fills it: the usual five,
# correctness against a reference, ...
USUAL = (
    "faithfulness",
    "answer_relevancy",
    "context_relevance",
    "context_precision",
    "context_precision_without_reference",
    "context_recall",
    "answer_similarity",
    "factual_correctness",
    "answer_correctness",
)
# What a diagnosis reads beside these: computed unasked where a judge in this process makes it free.
DIAGNOSTIC = ("hallucination_spans", "answer_relevance_by_statement")
# ... and what a field that only few data sets have is there for.
OCCASIONAL = (
    "id_based_context_precision",
    "id_based_context_recall",
    "turn_faithfulness",
    "turn_relevancy",
    "tool_call_accuracy",
    "topic_adherence",
    "negative_rejection",
    "over_refusal",
    "latency",
    "cost_per_query",
    "tokens_per_query",
)

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(_PAIRS.values())
_QUOTES = "\"'"
# A quote opens a quoted text only where a value may begin: in "the user's" it is an apostrophe.
_BEFORE_A_VALUE = frozenset("=,:([{")


def pieces(text: str) -> list[str]:
    """The pieces between commas that stand outside quotes and brackets, stripped, empty ones too.

    Raises:
        ValueError: If brackets or quotes do not match.
    """
    split, closers, position = [""], "", 0
    while position < len(text):
        letter = text[position]
        last = split[-1].rstrip()[-1:]
        if letter in _QUOTES and (not last or last in _BEFORE_A_VALUE):
            end = _end_of_quote(text, position)
            split[-1] += text[position:end]
            position = end
            continue
        if letter in _PAIRS:
            closers += _PAIRS[letter]
        elif letter in _CLOSERS:
            if closers[-1:] != letter:
                raise ValueError("parentheses do not match")
            closers = closers[:-1]
        if letter == "," and not closers:
            split.append("")
        else:
            split[-1] += letter
        position += 1
    if closers:
        raise ValueError("parentheses do not match")
    return [piece.strip() for piece in split]


def _end_of_quote(text: str, start: int) -> int:
    position = start + 1
    while position < len(text):
        if text[position] == "\\":
            position += 1
        elif text[position] == text[start]:
            return position + 1
        position += 1
    raise ValueError("a quote is opened and never closed")


def pairs(text: str) -> list[tuple[str, str]]:
    """(name, value) of the arguments in a text like ``a=1, b="x, y"``; values as they stand.

    Raises:
        ValueError: If brackets or quotes do not match.
    """
    split = (piece.partition("=") for piece in pieces(text) if piece)
    return [(name.strip(), value.strip()) for name, _, value in split]


def literal(text: str) -> Any:
    """The value of a text: a number, true, a quoted text, a tuple ...; else the text itself."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


_FIELDS = frozenset(field.name for field in fields(Sample))
# The first half takes paths too, as in path/to/file.py:attribute.
_SPEC = re.compile(r"^\s*([^\s(),][^(),]*?)\s*(?:\((.*)\))?\s*$", re.DOTALL)
_ABBREVIATED = re.compile(ELLIPSIS + r"['\"]~[0-9a-f]{8}$")
_FAMILIES = frozenset(name.partition(":")[0] for name in METRICS if ":" in name)


def parse(spec: str) -> Metric:
    """The metric that a text names: ``faithfulness`` or ``factual_correctness(mode=recall)``.

    ``module:attribute`` and ``path/to/file.py:attribute`` name one of the user's own.

    Raises:
        InputError: For an unknown name or parameter, with what may have been meant.
    """
    match = _SPEC.match(spec)
    name = match[1] if match else spec.strip()
    target: type[Metric] | Metric | None = METRICS.get(ALIASES.get(name, name))
    # What begins as a family's names do is a slip of the pen, and no module of the user's.
    if target is None and name.partition(":")[0] not in _FAMILIES:
        target = custom.find(name)
    cls = type(target) if isinstance(target, Metric) else target
    if match is None or cls is None:
        raise InputError(
            f"no metric is called '{name}'; {meant(name) or '`assay metrics` lists them'}"
        )
    parameters: dict[str, Any] = {}
    names = [field.name for field in fields(cls)]
    for key, value in _arguments(name, match[2] or ""):
        if key not in names:
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise InputError(f"{cls.name} has no parameter '{key}': {has}")
        parameters[key] = literal(value)
    return target if isinstance(target, Metric) and not parameters else _build(cls, parameters)


def is_built_in(spec: str) -> bool:
    """Whether a text names a metric of assay: then parsing it imports nothing of anybody else's."""
    match = _SPEC.match(spec)
    return match is not None and ALIASES.get(match[1], match[1]) in METRICS


def specs(text: str) -> list[str]:
    """The names in a text, at the commas outside parentheses and quotes.

    Raises:
        InputError: If parentheses or quotes do not match, or it names none.
    """
    try:
        names = [spec for spec in pieces(text) if spec]
    except ValueError as error:
        remedy = """quote it: 'name(parameter="a, b")'"""
        raise InputError(f"metric '{text}' {error}", remedy) from error
    if not names:
        raise InputError(f"'{text}' names no metric", "such as 'faithfulness,hit_at_k(k=3)'")
    return names


def check_threshold(spec: str | Metric) -> None:
    """See that a threshold is for a metric whose direction is known.

    Raises:
        InputError: If releases of the project that it follows count it in opposite directions, and
            the name says none of them.
    """
    match = _SPEC.match(spec) if isinstance(spec, str) else None
    if match is None or match[2]:
        return
    metric = METRICS.get(ALIASES.get(match[1], match[1]))
    if metric is not None and metric.turned:
        fault = f"a threshold of {metric.name} is not clear: {metric.turned}"
        raise InputError(fault, "name the version with the threshold")


def resolve(metrics: Iterable[str | Metric] | str | Metric) -> tuple[Metric, ...]:
    """Metrics from names and objects, each once.

    Args:
        metrics: Names, in lists or with commas between them as on the command line, and Metrics.

    Raises:
        InputError: If there is none, or one is unknown.
    """
    entries: Any = metrics
    if isinstance(entries, str) or not isinstance(entries, Iterable):
        entries = [] if entries is None else [entries]
    resolved: list[Any] = []
    for metric in entries:
        resolved += map(parse, specs(metric)) if isinstance(metric, str) else [metric]
    for metric in resolved:
        _check(metric)
    if not resolved:
        raise InputError(f"no metric was given; there are {', '.join(METRICS)}")
    by_label = {metric.label: metric for metric in resolved}
    for metric in resolved:
        if metric != by_label[metric.label]:
            raise InputError(f"two different metrics are called {metric.label}", "rename one")
    return tuple(by_label.values())


def _check(metric: Any) -> None:
    if not isinstance(metric, Metric):
        raise _not_a_metric(metric)
    _check_class(type(metric))
    check_parameters(metric)
    reason = ""
    if metric.name in _FIELDS:  # it would take the field's column in every table
        reason = "it is a field of the data"
    elif metric.name.endswith("_why"):  # the column that says why another one has no score
        reason = "a name cannot end in '_why'"
    if reason:
        raise InputError(f"a metric cannot be called '{metric.name}': {reason}")


def _not_a_metric(value: object) -> InputError:
    fault = f"a metric is a name or an assay.Metric, not {value!r}"
    if isinstance(value, type) and issubclass(value, Metric):
        return InputError(fault, f"call it: {value.__name__}()")
    if callable(value):
        return InputError(fault, 'write @assay.metric(needs=("answer",)) above the function')
    return InputError(fault)


def _check_class(cls: type[Metric]) -> None:
    """What every metric must say of itself, a class of the user's own too."""
    for name, example in (("name", '"answered"'), ("needs", '("question", "answer")')):
        if not hasattr(cls, name):
            fault = f"the metric {cls.__name__} does not define '{name}'"
            raise InputError(fault, f"such as {name} = {example} in the class")


def _build(cls: type[Metric], parameters: dict[str, Any]) -> Metric:
    for field in fields(cls):
        if field.name not in parameters:
            continue
        default, value = field.default, parameters[field.name]
        if isinstance(default, tuple):  # named one by one in a text, or with their meanings
            value = pieces(value) if isinstance(value, str) else value
            parameters[field.name] = value = frozen(value)
        # A whole number is a fine float, but True is no number and 2.5 no count.
        right = type(value) in (type(default), int if isinstance(default, float) else None)
        if not right:
            raise InputError(f"{cls.name}: {field.name} must be like {default!r}, not {value!r}")
    return cls(**parameters)


def _arguments(name: str, text: str) -> list[tuple[str, str]]:
    try:
        arguments = pairs(text)
    except ValueError as error:
        raise InputError(f"{name}({text}): {error}", 'such as name(parameter="a, b")') from error
    for key, value in arguments:
        if _ABBREVIATED.search(value):
            raise InputError(f"{name}: {key} is shortened, as labels are", "give it in full")
    return arguments


def meant(name: str) -> str:
    """What an unknown name may mean: metrics as a question, or what stands for another library's.

    "" if nothing is near.
    """
    names = [*METRICS, *ALIASES]
    if usual := other_names.usual(name, names):
        return misspelt.ask([usual])
    if same := other_names.same(name, names):
        return misspelt.ask(same[:3])
    if instead := other_names.instead(name):
        return instead
    # "cost" is nearer to cost_per_query than letters tell.
    close = [other_name for other_name in names if name in other_name.split("_")][:3]
    return misspelt.ask(close or misspelt.near(name, names, n=3, cutoff=0.5))
