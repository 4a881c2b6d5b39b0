"""Which metrics are there? One file a metric or family, in the order in which they are listed."""

from assay.metrics import (
    answer_correctness,
    answer_parts,
    answer_relevancy,
    answer_similarity,
    citations,
    context_precision,
    context_recall,
    context_relevance,
    conversations,
    criteria,
    deepeval,
    entity_recall,
    factual_correctness,
    faithfulness,
    gpt,
    hallucination,
    known_contexts,
    ngrams,
    noise_sensitivity,
    operations,
    pairwise,
    paper_correctness,
    quest_eval,
    quotations,
    ragas,
    ragchecker,
    ratings,
    rejection,
    retrieval,
    robustness,
    rubrics,
    selfcheck,
    summary,
    token_matching,
    tools,
    topics,
    trulens,
    wording,
)
from assay.metrics.base import Metric

# In the order in which they are listed.
GROUPS = {
    "Answers and contexts": (
        faithfulness,
        answer_relevancy,
        context_relevance,
        context_precision,
        context_recall,
        noise_sensitivity,
        entity_recall,
        hallucination,
        answer_parts,
        citations,
    ),
    "Answers against a reference": (
        factual_correctness,
        answer_correctness,
        paper_correctness,
        answer_similarity,
        token_matching,
        wording,
        ngrams,
        quotations,
    ),
    "Retrieval against known contexts": (known_contexts, retrieval),
    "Criteria in words": (criteria, rubrics, ratings, gpt, pairwise, summary),
    "As other systems define it": (
        ragas,
        deepeval,
        trulens,
        ragchecker,
        selfcheck,
        quest_eval,
    ),
    "Robustness, refusals, latency and cost": (robustness, rejection, operations),
    "Conversations and tools": (conversations, topics, tools),
}

METRICS: dict[str, type[Metric]] = {
    metric.name: metric
    for families in GROUPS.values()
    for family in families
    for metric in family.METRICS
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
