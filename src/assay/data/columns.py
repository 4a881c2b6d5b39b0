"""Columns: which of them hold which field, by the user's mapping, by name and by likeness."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import fields as fields_of
from itertools import islice
from typing import Any, Final

from assay._text.misspelt import did_you_mean, near, normal
from assay.data.values import plain, spelled, unboxed
from assay.errors import InputError, Problem
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
    "context_access": ("context_access",),
    "user_access": ("user_access",),
    "relevance_grades": ("relevance_grades", "qrels", "relevance_judgements"),
    "further_answers": ("further_answers", "sampled_answers", "sampled_passages"),
    "other_answer": ("other_answer", "baseline_answer", "second_answer"),
    "answerable": ("answerable", "is_answerable"),
    "rubric": ("rubric", "rubrics"),
    "nuggets": ("nuggets",),
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
_MAX_GUESSED: Final = 500
_MAX_GUESSED_LENGTH: Final = 100


NUMBER: Final = "#"  # stands for the numbers of columns that hold a list together
_LAST_NUMBER: Final = re.compile(r"\d+(?=\D*$)")
_LISTS: Final = {
    *("contexts", "reference", "accepted", "reference_contexts", "context_ids"),
    *("reference_context_ids", "further_answers", "reference_topics"),
}
# A column is a field's if every word of its name says so: "Bot response", but not "response time".
_NOUNS: Final[Mapping[str, frozenset[str]]] = {
    "question": frozenset({"question", "query", "prompt", "input", "request", "utterance"}),
    "contexts": frozenset({"context", "passage", "chunk", "document", "doc", "snippet", "excerpt"}),
    "answer": frozenset(
        {"answer", "response", "reply", "output", "completion", "generation", "prediction"}
    ),
    "reference": frozenset({"answer", "response", "reply", "output", "truth", "reference"}),
}
_BESIDE: Final[Mapping[str, frozenset[str]]] = {
    "question": frozenset({"user", "customer", "client", "end", "test", "original", "asked"}),
    "contexts": frozenset(
        {"retrieved", "retrieval", "retriever", "rag", "source", "supporting", "found", "used"}
        | {"knowledge", "base", "kb", "search", "top", "fetched", "provided", "given"}
    ),
    "answer": frozenset(
        {"bot", "chatbot", "model", "llm", "ai", "assistant", "system", "agent", "rag", "gpt"}
        | {"generated", "predicted", "produced", "actual", "app", "pipeline"}
    ),
    "reference": frozenset(
        {"reference", "gold", "golden", "ground", "expected", "correct", "ideal", "right"}
        | {"expert", "human", "true", "target", "sme", "approved"}
    ),
}
# The last word of a column that may name each row: "Ticket No".
_ID_NOUNS: Final = frozenset(
    {"id", "ids", "no", "nr", "number", "ref", "uid", "uuid", "key", "qid", "ticket"}
)
# Words that say nothing of what a column holds.
_FILLERS: Final = frozenset({"the", "of", "a", "by", "from", "to", "text", "column", "s", "full"})
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_MAX_LENGTH: Final = 60
MISSING: Final = object()
_DIGITS: Final = 9
Path = tuple[Any, ...]


_FIELD_OF: Final = {normal(name): field for field, names in ALIASES.items() for name in names}


def recognised(columns: Iterable[str]) -> dict[str, str]:
    """Column -> field for those columns that are recognised by their name."""
    keys = {column: normal(column) for column in columns}
    fields = {column: _FIELD_OF[key] for column, key in keys.items() if key in _FIELD_OF}
    # DeepEval calls what was retrieved `retrieval_context` and what should have been `context`. Of
    # a conversation the former stands in the turns.
    names = {*keys.values()}
    if "retrievalcontext" in names or {"turns", "expectedoutcome"} <= names:
        ideal = {column: "reference_contexts" for column, key in keys.items() if key == "context"}
        fields.update(ideal)
    return fields


def renamed(columns: Iterable[str]) -> list[str]:
    """Which columns are read as fields of other names, as a sentence without its full stop."""
    fields = recognised(columns).items()
    origins = ", ".join(
        f"{field} from '{column}'" for column, field in fields if normal(column) != normal(field)
    )
    return [f"reading {origins}"] if origins else []


def field_meant(name: str) -> str:
    """What to say of a name that is no field: which was probably meant, else all that there are."""
    name = _FIELD_OF.get(normal(name), name)
    return did_you_mean(name, FIELDS) or f"fields are {', '.join(FIELDS)}."


def likely_column(field: str, columns: Iterable[str]) -> str | None:
    """The column that probably holds `field` under a misspelt or unknown name.

    Of several that differ in a number alone it is their name with "#" in its place.
    """
    columns = list(columns)
    considered = [
        column for column in islice(columns, _MAX_GUESSED) if len(column) <= _MAX_GUESSED_LENGTH
    ]
    free = [column for column in considered if normal(column) not in _FIELD_OF]
    for name in ALIASES.get(field, (field,)):
        if matches := near(name, free, cutoff=0.75):
            return numbered_pattern(field, matches[0], columns)
    return None


def numbered_pattern(field: str, column: str, columns: Iterable[str]) -> str:
    """The column; of a list's, the name for all that differ from it in their last number alone."""
    pattern = _LAST_NUMBER.sub(NUMBER, column)
    like_names = [name for name in columns if _LAST_NUMBER.sub(NUMBER, name) == pattern]
    return pattern if len(like_names) > 1 and field in _LISTS else column


def candidates(columns: Iterable[str]) -> dict[str, list[str]]:
    """Field -> columns whose names say that they hold it, several that make a list as one."""
    columns = list(columns)
    by_field: dict[str, dict[str, None]] = {}
    for column in columns:
        words = _words(column)
        for field in _NOUNS:
            if _names_field(words, field):
                name = numbered_pattern(field, column, columns)
                by_field.setdefault(field, {})[name] = None
    return {field: list(names) for field, names in by_field.items()}


def may_name_rows(column: str) -> bool:
    """Whether a column's name says that it holds an id, a number or a key."""
    words = _words(column)
    return bool(words) and words[-1] in _ID_NOUNS


def _words(column: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(column)] if len(column) <= _MAX_LENGTH else []
    return [word for word in words if word not in _FILLERS]


def _names_field(words: list[str], field: str) -> bool:
    """Whether the words name the field: the last is its noun, all others go with that."""
    nouns, modifiers = _NOUNS[field], _BESIDE[field]
    if field == "contexts":
        words = [_singular(word, nouns) for word in words]
    if not words or words[-1] not in nouns or not set(words) <= nouns | modifiers:
        return False
    # Without a word that says so, an answer is the system's and not the right one.
    return field != "reference" or not modifiers.isdisjoint(words)


def _singular(word: str, nouns: frozenset[str]) -> str:
    return word.removesuffix("s") if word.removesuffix("s") in nouns else word


class NumberedColumns(tuple[Any, ...]):
    """Columns whose cells are the items of one list, in order."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How rows with one set of columns are read."""

    columns: tuple[str, ...]  # names of all columns
    # Field -> paths to the values that may hold it (several: they must agree)
    fields: Mapping[str, tuple[Path, ...]]
    extra: tuple[Any, ...]  # columns that no field takes; they go to the metadata
    guessed: frozenset[str] = frozenset()  # fields whose column was guessed


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raise InputError naming every unknown field of the user's mapping."""
    problems = []
    for field in mapping:
        if field not in FIELDS:
            fault = "is not a field that a column can be mapped to"
            problems.append(Problem(fault, field_meant(field), field=field))
    if problems:
        raise InputError(problems)


def refuse_doubled(names: Sequence[str]) -> None:
    """Raise InputError naming every column that there is twice: only one could be read."""
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        remedy = "give each column its own name"
        raise InputError([Problem("two columns have this name", remedy, field=n) for n in twice])


def plan(
    keys: Iterable[Hashable],
    mapping: Mapping[str, str],
    guessed: Mapping[str, str] | None = None,
) -> Plan:
    """How to read a row with these columns.

    Args:
        keys: The columns.
        mapping: Field -> column, as the user gave it.
        guessed: Field -> column, where the row has that column and none known for the field.
    """
    names = {plain(str(key)): key for key in keys}
    mapped = {field: _path(names, column) for field, column in mapping.items()}
    single = (
        path for path in mapped.values() if len(path) == 1 or isinstance(path, NumberedColumns)
    )
    single_keys = {key for path in single for key in path}
    fields: dict[str, tuple[Path, ...]] = {field: (path,) for field, path in mapped.items() if path}
    used = set(single_keys)
    for name, field in recognised(names).items():
        if field not in mapping and names[name] not in single_keys:
            fields[field] = (*fields.get(field, ()), (names[name],))
            used.add(names[name])
    likely = {field: _path(names, name) for field, name in (guessed or {}).items()}
    likely = {f: p for f, p in likely.items() if f not in fields and p and p[0] in names.values()}
    fields |= {field: (path,) for field, path in likely.items()}
    used |= {key for path in likely.values() for key in path}
    extra = tuple(key for key in names.values() if key not in used)
    return Plan(tuple(names), fields, extra, frozenset(likely))


def _path(names: Mapping[str, Hashable], column: str) -> Path:
    """Path to the mapped column; () if the user wrote an empty one to leave the field out."""
    if not column:
        return ()
    if column in names:
        return (names[column],)
    if numbered := _numbered_path(names, column):
        return numbered
    like_keys = [key for name, key in names.items() if normal(name) == normal(column)]
    if len(like_keys) == 1 and normal(column):
        return (like_keys[0],)
    first, *inner_keys = column.split(".")
    return (names.get(first, first), *inner_keys)


def _numbered_path(names: Mapping[str, Hashable], column: str) -> Path:
    """The columns that differ in the number that stands for "#", lowest first."""
    before, mark, after = column.partition(NUMBER)
    pattern = re.compile(rf"{re.escape(before)}(\d+){re.escape(after)}", re.IGNORECASE)
    matches = (pattern.fullmatch(name) for name in names if mark)
    numbers = {names[match[0]]: int(match[1]) for match in matches if match}
    return NumberedColumns(sorted(numbers, key=numbers.__getitem__))


def fetch(values: Mapping[Any, Any], path: Path) -> Any:
    """The value at the path, MISSING if there is none.

    A name that meets a list is looked up in its items, a number is a place in it: `docs.text` is
    every document's text, `docs.0.text` the first one's. Text is entered if it spells an object.
    """
    if isinstance(path, NumberedColumns):
        cells = (unboxed(values[key]) for key in path)
        return [cell for cell in cells if cell is not None and cell != ""] or None
    if len(path) == 1:
        return values.get(path[0], MISSING)
    value: Any = values
    for depth, name in enumerate(path):
        value = _as_object_value(value)
        if isinstance(value, list) and not name.isdecimal():
            return _from_items(value, path[depth:])
        value = _item_at(value, name)
        if value is MISSING:
            break
    return value


def _as_object_value(value: Any) -> Any:
    """A value as it may be gone into: a text as the object that it spells."""
    value = unboxed(value)
    return spelled(value) if isinstance(value, str) else value


def _item_at(container: Any, name: Any) -> Any:
    """What stands under a key of an object or at a place of a list."""
    if isinstance(container, list):
        is_place = len(name) < _DIGITS and int(name) < len(container)
        return container[int(name)] if is_place else MISSING
    return container.get(name, MISSING) if isinstance(container, Mapping) else MISSING


def _from_items(documents: list[Any], path: Path) -> Any:
    items = [fetch(item, path) if isinstance(item, Mapping) else MISSING for item in documents]
    if items and all(item is MISSING for item in items):
        return MISSING
    return [None if item is MISSING else item for item in items]
