"""Which column names mean which field of a sample?"""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields as fields_of
from itertools import islice
from typing import Final

from assay.sample import Sample

FIELDS: Final = tuple(field.name for field in fields_of(Sample))

# Names are written as people write them; they are compared without case, spaces, "-" and "_".
# Names whose meaning or unit is open are left out on purpose: "latency" may be seconds, "answers"
# may be gold answers or answers of several systems, "question_id" often stands in many rows.
ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "_id", "sample_id", "row_id", "example_id", "uid", "uuid"),
    "question": (
        *("question", "user_input", "input", "query", "prompt"),
        *("user_query", "user_question", "question_text"),
    ),
    "contexts": (
        *("contexts", "context", "retrieved_contexts", "retrieved_context"),
        *("retrieval_context", "retrieval_contexts", "documents", "docs", "passages", "chunks"),
        *("retrieved_documents", "retrieved_docs", "retrieved_passages", "retrieved_chunks"),
        *("source_documents", "source_nodes", "ctxs"),
    ),
    "answer": (
        *("answer", "response", "actual_output", "output", "completion", "prediction"),
        *("generated_answer", "predicted_answer", "model_answer", "system_answer", "generation"),
    ),
    "reference": (
        *("reference", "ground_truth", "ground_truths", "expected_output", "expected", "gold"),
        *("expected_answer", "gold_answer", "gold_answers", "golden_answer", "golden_answers"),
        *("reference_answer", "correct_answer", "ideal_answer", "references", "target"),
    ),
    "accepted": ("accepted", "accepted_answers"),
    "reference_contexts": (
        *("reference_contexts", "reference_context", "gold_contexts", "gold_context"),
        *("ground_truth_contexts", "ground_truth_context", "expected_contexts"),
        *("expected_context", "ideal_contexts", "ideal_context", "relevant_contexts"),
        *("relevant_documents", "gold_documents", "gold_passages", "relevant_passages"),
    ),
    "context_ids": (
        *("context_ids", "retrieved_context_ids", "retrieved_ids", "retrieved_doc_ids"),
        *("retrieved_document_ids", "document_ids", "doc_ids", "chunk_ids", "passage_ids"),
    ),
    "reference_context_ids": (
        *("reference_context_ids", "relevant_ids", "relevant_context_ids", "relevant_doc_ids"),
        *("relevant_document_ids", "gold_ids", "gold_context_ids", "gold_doc_ids"),
        *("gold_document_ids", "expected_context_ids", "reference_ids"),
    ),
    "relevance_grades": ("relevance_grades", "qrels", "relevance_judgements"),
    "further_answers": ("further_answers", "sampled_answers", "sampled_passages"),
    "other_answer": ("other_answer", "baseline_answer", "second_answer"),
    "answerable": ("answerable", "is_answerable"),
    "rubric": ("rubric", "rubrics"),
    "turns": ("turns", "messages", "conversation", "conversations", "chat_history", "dialogue"),
    "reference_tool_calls": ("reference_tool_calls", "expected_tool_calls", "expected_tools"),
    "reference_topics": ("reference_topics",),
    "variants": ("variants",),
    "latency_ms": ("latency_ms", "duration_ms", "response_time_ms"),
    "cost": ("cost", "cost_usd", "total_cost", "token_cost"),
    "tokens": ("tokens", "total_tokens", "token_count"),
    "failure": ("failure",),
    "group": ("group", "group_id", "conversation_id", "thread_id", "session_id"),
    "language": ("language", "lang", "locale"),
    "metadata": ("metadata",),
}


# Guessing what was meant takes half a millisecond a column: so many are looked at, and none longer.
_MOST: Final = 500
_LONGEST: Final = 100


NUMBER: Final = "#"  # stands for the numbers of columns that hold a list together
_LAST_NUMBER: Final = re.compile(r"\d+(?=\D*$)")
_LISTS: Final = {
    *("contexts", "reference", "accepted", "reference_contexts", "context_ids"),
    *("reference_context_ids", "further_answers", "reference_topics"),
}


def normal(name: str) -> str:
    """The name without case, spaces, "-", "_" and other separators."""
    return re.sub(r"[\W_]+", "", name).lower()


_FIELD_OF: Final = {normal(name): field for field, names in ALIASES.items() for name in names}


def recognised(columns: Iterable[str]) -> dict[str, str]:
    """Column -> field for those columns that are recognised by their name."""
    keys = {column: normal(column) for column in columns}
    found = {column: _FIELD_OF[key] for column, key in keys.items() if key in _FIELD_OF}
    # DeepEval calls what was retrieved `retrieval_context` and what should have been `context`.
    if "retrievalcontext" in keys.values():
        ideal = {column: "reference_contexts" for column, key in keys.items() if key == "context"}
        found.update(ideal)
    return found


def closest(name: str, choices: Iterable[str]) -> str | None:
    """The choice that `name` was probably meant to be, None if none is close."""
    keys = {normal(choice): choice for choice in choices}
    found = difflib.get_close_matches(normal(name), keys, n=1, cutoff=0.7)
    return keys[found[0]] if found else None


def likely_column(field: str, columns: Iterable[str]) -> str | None:
    """The column that probably holds `field` under a misspelt or unknown name.

    Of several that differ in a number alone it is their name with "#" in its place.
    """
    columns = list(columns)
    looked_at = [column for column in islice(columns, _MOST) if len(column) <= _LONGEST]
    free = {normal(column): column for column in looked_at if normal(column) not in _FIELD_OF}
    for name in ALIASES.get(field, (field,)):
        found = difflib.get_close_matches(normal(name), free, n=1, cutoff=0.75)
        if found:
            return with_others(field, free[found[0]], columns)
    return None


def with_others(field: str, column: str, columns: Iterable[str]) -> str:
    """The column; of a list's, the name for all that differ from it in their last number alone."""
    shown = _LAST_NUMBER.sub(NUMBER, column)
    alike = [name for name in columns if _LAST_NUMBER.sub(NUMBER, name) == shown]
    return shown if len(alike) > 1 and field in _LISTS else column
