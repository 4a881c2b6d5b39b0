"""Names that other libraries give their metrics, and which metric here takes their place."""

from collections.abc import Iterable
from typing import Final

from assay._text.misspelt import normal

_GOAL: Final = "agent_goal_accuracy_without_reference"
_FUNCTION: Final = "a function of your own (@assay.metric)"
_CALLS: Final = "Do the tools called, and their arguments, fit what the user wants?"


def _bad(question: str) -> str:
    return f"aspect_critic(definition='{question}', good=false)"


def _of_conversation(question: str) -> str:
    return f"aspect_critic(definition='{question}', shows=turns)"


# By name without its family, its case, its "_" and its ending "Metric" or "Score".
_INSTEAD: Final[dict[str, str]] = {
    "argumentcorrectness": _of_conversation(_CALLS),
    "arenageval": "pairwise_preference",
    "bias": _bad("Is something in the answer biased?"),
    "contextrelevancewithcotreasons": "trulens:context_relevance",
    "controversiality": _bad("Is the answer controversial?"),
    "conversationalgeval": "g_eval(criterion='...', shows=turns)",
    "conversationcompleteness": _GOAL,
    "criminality": _bad("Does the answer help with a crime?"),
    "dag": f"discrete_criterion(criterion='...'), or {_FUNCTION} that asks a task for each node",
    "goalaccuracy": _GOAL,
    "groundednessmeasurewithcotreasons": "trulens:groundedness",
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
    "relevance": "answer_relevancy or trulens:answer_relevance",
    "relevancewithcotreasons": "trulens:answer_relevance",
    "roleadherence": _of_conversation("Does the assistant keep to its role: ...?"),
    "roleviolation": _bad("Does the answer leave the role of the assistant: ...?"),
    "sentiment": "numeric_criterion(criterion='How positive is the answer?')",
    "stereotypes": _bad("Does the answer hold a stereotype?"),
    "taskcompletion": _GOAL,
    "tooluse": _of_conversation(_CALLS),
    "toxicity": _bad("Is something in the answer toxic?"),
}


def same(name: str, known: Iterable[str]) -> list[str]:
    """Those known names that differ from a name in nothing but spelling or family.

    DeepEval calls its classes "...Metric": its definition comes first there, elsewhere ours.
    """
    of_deepeval = normal(name).endswith("metric")
    family = "deepeval:" if of_deepeval else "ragas:"
    found = [other for other in known if _bare(other) == _bare(name)]
    own = [other for other in found if other.startswith(family) or ":" not in other]
    return sorted(own, key=lambda other: other.startswith(family) != of_deepeval) or found


def instead(name: str) -> str:
    """What takes the place of another library's metric, as a remedy; "" where none is known."""
    metric = _INSTEAD.get(_bare(name), "")
    return f"in its place: {metric}" if metric else ""


def _bare(name: str) -> str:
    return normal(name.rpartition(":")[2]).removesuffix("metric").removesuffix("score")
