"""What does a row of a data set look like, told as a JSON schema?"""

from typing import Any, Final

from assay.dataset.aliases import ALIASES

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Final = {"type": "string"}
_ID: Final = {"type": ["string", "integer"]}
_NUMBER: Final = {"type": "number", "minimum": 0}
_OBJECTS: Final = {"type": "array", "items": {"type": "object"}}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_IDS: Final = {"type": "array", "items": _ID}
_DOCUMENTS: Final = {
    "anyOf": [_TEXT, {"type": "array", "items": {"anyOf": [_TEXT, {"type": "object"}]}}]
}
# What each field is, and what it may look like.
_FORMS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "id": ("Unique within the data set; made from the row's number where there is none.", _ID),
    "question": ("What the user asked, or the messages of a conversation.", {"anyOf": [_TEXT, _OBJECTS]}),  # noqa: E501
    "contexts": ("Retrieved contexts, best first: texts, or documents with an id. An empty list says that nothing was retrieved.", _DOCUMENTS),  # noqa: E501
    "answer": ("What the RAG system answered.", _TEXT),
    "reference": ("The right answer, or several of which any is right.", {"anyOf": [_TEXT, _TEXTS]}),  # noqa: E501
    "accepted": ("Further right answers.", {"anyOf": [_TEXT, _TEXTS]}),
    "reference_contexts": ("Contexts that should have been retrieved.", _DOCUMENTS),
    "context_ids": ("Ids of the retrieved contexts, best first.", _IDS),
    "reference_context_ids": ("Ids of the contexts that should have been retrieved.", _IDS),
    "relevance_grades": ("Graded relevance by context id.", {"type": "object", "additionalProperties": {"type": "number"}}),  # noqa: E501
    "further_answers": ("Other answers of the same system to the same question.", _TEXTS),
    "other_answer": ("Another system's answer.", _TEXT),
    "answerable": ("Whether there is an answer to be found.", {"type": "boolean"}),
    "rubric": ("What each grade means.", {"type": "object", "additionalProperties": _TEXT}),
    "turns": ("A whole conversation, first message first.", _OBJECTS),
    "reference_tool_calls": ("Tools that should have been called, in order.", _OBJECTS),
    "reference_topics": ("Topics that a conversation may be about.", {"anyOf": [_TEXT, _TEXTS]}),
    "variants": ("Answers of the same system over worse contexts.", _OBJECTS),
    "latency_ms": ("Milliseconds that the answer took.", _NUMBER),
    "cost": ("Money that the answer cost.", _NUMBER),
    "tokens": ("Tokens that the answer cost.", {"type": "integer", "minimum": 0}),
    "failure": ("Why the RAG system gave no answer.", _TEXT),
    "group": ("Document or conversation that it belongs to.", _ID),
    "language": ("BCP 47 tag of its language.", _TEXT),
    "metadata": ("Whatever else there is.", {"type": "object"}),
}  # fmt: skip


def row() -> dict[str, Any]:
    """The schema of a row: every name of every field, and whatever else it holds.

    It says what is well-formed. What a metric needs, `assay run` checks.
    """
    properties = {}
    for field, (about, form) in _FORMS.items():
        for name in ALIASES[field]:
            told = about if name == field else f"The same as `{field}`."
            properties[name] = {"description": told, "anyOf": [*_ways(form), {"type": "null"}]}
    return {
        "$schema": DIALECT,
        "title": "A row of a data set for assay",
        "description": "One question with what a RAG system made of it: a line of a JSONL file.",
        "type": "object",
        "minProperties": 1,
        "properties": properties,
    }


def document() -> dict[str, Any]:
    """The schema of a JSON file: a list of rows."""
    rows = row()
    dialect = rows.pop("$schema")
    return {"$schema": dialect, "title": "A data set for assay", "type": "array", "items": rows}


def _ways(form: dict[str, Any]) -> list[dict[str, Any]]:
    return list(form["anyOf"]) if set(form) == {"anyOf"} else [form]
