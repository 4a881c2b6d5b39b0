"""Names that other libraries give their metrics, and which metric here takes their place."""

import re
from collections.abc import Iterable
from typing import Final

from assay._text.misspelt import normal

_GOAL: Final = "agent_goal_accuracy_without_reference"
_FUNCTION: Final = "a function of your own (@assay.metric)"
_CALLS: Final = "Do the tools called, and their arguments, fit what the user wants?"

_AT_RANK: Final = re.compile(r"(?P<name>[A-Za-z_]+)_?@_?(?P<k>\d+|k)")
_FAMILIES: Final = {"metric": "deepeval:", "withcotreasons": "trulens:"}


def _bad(question: str) -> str:
    return f"aspect_critic(definition='{question}', good=false)"


def _of_conversation(question: str) -> str:
    return f"aspect_critic(definition='{question}', shows=turns)"


# By name without its family, its case, its "_" and its ending "Metric", "Score" or TruLens' own.
_INSTEAD: Final[dict[str, str]] = {
    "argumentcorrectness": _of_conversation(_CALLS),
    "arenageval": "pairwise_preference",
    "bias": _bad("Is something in the answer biased?"),
    "coherenceacrossturns": _of_conversation("Do the answers of all turns fit together?"),
    "comprehensiveness": "completeness",
    "controversiality": _bad("Is the answer controversial?"),
    "conversationalgeval": "g_eval(criterion='...', shows=turns)",
    "conversationcompleteness": _GOAL,
    "conversationhelpfulness": _of_conversation("Does the assistant help the user?"),
    "criminality": _bad("Does the answer help with a crime?"),
    "dag": f"discrete_criterion(criterion='...'), or {_FUNCTION} that asks a task for each node",
    "fluency": "aspect_critic(definition='Is the answer fluent?')",
    "goalaccuracy": _GOAL,
    "groundednessmeasure": "trulens:groundedness",
    "helpfulness": "aspect_critic(definition='Does the answer help the user?')",
    "insensitivity": _bad("Is the answer insensitive to a group of people?"),
    "jsoncorrectness": _FUNCTION,
    "knowledgeretention": _of_conversation("Does the assistant keep to what the user told it?"),
    "misogyny": _bad("Is the answer misogynous?"),
    "misuse": _bad("Does the answer do what the assistant is not meant for?"),
    "nonadvice": _bad("Does the answer give financial, medical or legal advice?"),
    "patternmatch": _FUNCTION,
    "promptalignment": "aspect_critic(definition='Does the answer follow these rules: ...?')",
    "qsrelevance": "trulens:context_relevance",
    "relevance": "trulens:answer_relevance",
    "roleadherence": _of_conversation("Does the assistant keep to its role: ...?"),
    "roleviolation": _bad("Does the answer leave the role of the assistant: ...?"),
    "sentiment": "numeric_criterion(criterion='How positive is the answer?')",
    "stereotypes": _bad("Does the answer hold a stereotype?"),
    "taskcompletion": _GOAL,
    **dict.fromkeys(
        ("toolcalling", "toolquality", "toolselection", "tooluse"), _of_conversation(_CALLS)
    ),
    "toxicity": _bad("Is something in the answer toxic?"),
}

# What people call a metric without having a library in mind.
_USUAL: Final[dict[str, str]] = {
    "accuracy": "answer_accuracy",
    "answerfaithfulness": "faithfulness",
    "correctness": "answer_correctness",
    "em": "exact_match",
    "f1": "token_f1",
    "grounding": "faithfulness",
    "hallucinationrate": "faithfulness",
    "hitrate": "hit_at_k",
    "precision": "context_precision",
    "recall": "context_recall",
    "rouge1": "rouge(variant=rouge1)",
    "rouge2": "rouge(variant=rouge2)",
    "rougel": "rouge",
    **dict.fromkeys(("cosinesimilarity", "embeddingsimilarity"), "answer_similarity"),
}


def usual(name: str, known: Iterable[str]) -> str:
    """The metric that the field calls so, such as ``f1`` or ``nDCG@10``; "" where none is known."""
    if ranked := _AT_RANK.fullmatch(name):
        bare = normal(ranked["name"]).removesuffix("rate")
        metric = next((other for other in known if normal(other) == f"{bare}atk"), "")
        return f"{metric}(k={ranked['k']})" if metric and ranked["k"] != "k" else metric
    return _USUAL.get(normal(name).removesuffix("score"), "")


def same(name: str, known: Iterable[str]) -> list[str]:
    """Those known names that differ from a name in nothing but spelling or family.

    DeepEval's classes and TruLens' functions have endings of their own: the definition of the one
    whose ending it is comes first, else ours.
    """
    end = next((ending for ending in _FAMILIES if normal(name).endswith(ending)), "")
    family = _FAMILIES.get(end, "ragas:")
    found = [other for other in known if _bare(other) == _bare(name)]
    own = [other for other in found if other.startswith(family) or ":" not in other]
    return sorted(own, key=lambda other: other.startswith(family) != bool(end)) or found


def instead(name: str) -> str:
    """What takes the place of another library's metric, as a remedy; "" where none is known."""
    metric = _INSTEAD.get(_bare(name), "")
    return f"in its place: {metric}" if metric else ""


def _bare(name: str) -> str:
    bare = normal(name.rpartition(":")[2])
    for ending in (*_FAMILIES, "score"):
        bare = bare.removesuffix(ending)
    return bare
