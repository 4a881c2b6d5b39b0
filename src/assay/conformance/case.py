"""On which sample are all definitions shown, and what does the scripted judge find in it?"""

from collections.abc import Mapping
from typing import Any

from assay.sample import Sample, ToolCall, Turn, Variant

STORY = """\
The answer makes four statements. The first stands in context 1 and the second in context 3; the \
contexts do not mention the third; context 3 contradicts the fourth ("white", not "red"). Context \
2 is noise. The reference makes three statements: the answer makes the first two of them, the \
contexts bear out all three. A script replies for the judge, always the same, and a count of words \
for the embedder: what is shown is the arithmetic of each definition, not the skill of a judge."""

_C1 = "The lighthouse of Arden was built in 1871. It stands on the northern cliff."
_C2 = "Every May, sheep are sold at a market on the island."
_C3 = "The lighthouse of Arden is 42 metres tall. It was painted white in 1990."
_QUESTION = "When was the lighthouse of Arden built, and how tall is it?"

SAMPLE = Sample(
    id="lighthouse",
    question=_QUESTION,
    contexts=(_C1, _C2, _C3),
    answer=(
        "The lighthouse of Arden was built in 1871. The lighthouse of Arden is 42 metres tall. "
        "Its architect was Ada Reed. The lighthouse was painted red in 1990."
    ),
    reference=(
        "The lighthouse of Arden was built in 1871. The lighthouse of Arden is 42 metres tall. "
        "It stands on the northern cliff."
    ),
    reference_contexts=(_C1, _C3),
    context_ids=("building", "market", "height"),
    reference_context_ids=("building", "height", "keepers"),
    relevance_grades={"building": 2.0, "height": 1.0},
    further_answers=(
        "The lighthouse of Arden was built in 1871. It is 42 metres tall.",
        "The lighthouse of Arden was built in 1871. The lighthouse was painted white in 1990.",
    ),
    other_answer="The lighthouse of Arden was built in 1871. It is 42 metres tall.",
    answerable=True,
    rubric={
        "1": "Neither the year nor the height is right.",
        "2": "One of the two is right.",
        "3": "Both are right, and nothing else is said.",
    },
    turns=(
        Turn("user", "When was the lighthouse of Arden built?"),
        Turn(
            "assistant",
            "Let me look it up.",
            tool_calls=(ToolCall("search", {"query": "lighthouse of Arden"}),),
        ),
        Turn("tool", _C1),
        Turn("assistant", "The lighthouse of Arden was built in 1871.", contexts=(_C1,)),
        Turn("user", "How tall is it?"),
        Turn(
            "assistant",
            "The lighthouse of Arden is 42 metres tall. Its architect was Ada Reed.",
            contexts=(_C2, _C3),
        ),
    ),
    reference_tool_calls=(
        ToolCall("search", {"query": "lighthouse of Arden"}),
        ToolCall("search", {"query": "height of the lighthouse of Arden"}),
    ),
    reference_topics=("the lighthouse of Arden", "ferries"),
    variants=(
        Variant(
            "noise",
            "The lighthouse of Arden was built in 1871. Sheep are sold at a market.",
            contexts=(_C1, _C2),
            ratio=0.5,
        ),
        Variant(
            "counterfactual",
            "The lighthouse of Arden was built in 1900.",
            contexts=("The lighthouse of Arden was built in 1900.",),
        ),
    ),
    latency_ms=820.0,
    cost=0.0021,
    tokens=640,
)

_CITED = {
    "answer": (
        "The lighthouse of Arden was built in 1871 [1]. The lighthouse of Arden is 42 metres tall "
        "[2][3]. Its architect was Ada Reed [1]. The lighthouse was painted red in 1990."
    ),
}

_QUOTED = {"answer": 'It says: "built in 1871". It also says: "painted red in 1990".'}

# What a metric is shown on where the sample above says nothing to it.
SPECIAL: Mapping[str, Mapping[str, Any]] = {
    "alce:citation_recall": _CITED,
    "alce:citation_precision": _CITED,
    "negative_rejection": {"answerable": False, "answer": "I do not know."},
    "quoted_spans": _QUOTED,
    "ragas:quoted_spans": _QUOTED,
}

EVASIVE = "I do not know."
EMPTY: Mapping[type, Any] = {str: "", tuple: (), dict: {}}
