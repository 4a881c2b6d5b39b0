"""Fields of a sample: how each is read from a value, and the JSON schema of a row."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, get_args, get_type_hints

from assay.data import conversations
from assay.data.columns import ALIASES, FIELDS
from assay.data.conversations import Object, as_object, items, pairs
from assay.data.documents import documents, labels, list_in_text, listed
from assay.data.values import (
    FieldError,
    Form,
    count,
    describe,
    identifier,
    is_invisible,
    number,
    plain,
    spelled,
    text,
    unboxed,
)
from assay.sample import Variant

KINDS: Final = get_args(get_type_hints(Variant)["kind"])
_YES: Final = {
    **dict.fromkeys(("true", "yes", "1", "1.0"), True),
    **dict.fromkeys(("false", "no", "0", "0.0"), False),
}
_AS_VARIANT: Final = 'write it as {"kind": "noise", "answer": "...", "contexts": [...]}'


def _read_texts(value: Any, _form: Form) -> tuple[str, ...]:
    items = enumerate(listed(value), 1)
    return tuple(text(unboxed(item), f"item {n}") for n, item in items)


def _read_access(value: Any, _form: Form) -> tuple[tuple[str, ...], ...]:
    """For each context its labels: one text, or a list of texts of which any will do."""
    items = enumerate(map(unboxed, listed(value)), 1)
    return tuple(labels(item, f"item {n}") for n, item in items)


def _read_boolean(value: Any, form: Form) -> bool:
    """True or false; 1 or 0; in a cell also yes or no."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if form == "table" and isinstance(value, str) and value.strip().lower() in _YES:
        return _YES[value.strip().lower()]
    raise FieldError(f"is {describe(value)}, but must be true or false")


def _read_grades(value: Any, form: Form) -> dict[str, float]:
    by_id = _read_object(value, form, "grades by id", '{"doc1": 2, "doc2": 0}')
    grades: dict[str, float] = {}
    for key, item in by_id.items():
        name = identifier(key, "an id")
        try:
            grades[name] = number(unboxed(item), from_text=form != "json")
        except FieldError as error:
            raise FieldError(f"the grade of '{name}' {error.what}", "0 says: no use") from None
    return grades


def _read_rubric(value: Any, form: Form) -> dict[str, str]:
    by_grade = _read_object(value, form, "descriptions by grade", '{"1": "wrong", "5": "right"}')
    return {str(key): text(unboxed(item), f"grade {key}") for key, item in by_grade.items()}


IMPORTANCE: Final = ("vital", "okay")
_NUGGETS: Final = '{"a fact": "vital", "another fact": "okay"}'


def _read_nuggets(value: Any, form: Form) -> dict[str, str]:
    """Facts with their importance: an object, a list of objects, or texts that are all vital."""
    value = spelled(value) if isinstance(value, str) else value
    if isinstance(value, list | tuple):
        facts = [_read_nugget(unboxed(item), f"item {n}") for n, item in enumerate(value, 1)]
    else:
        facts = list(_read_object(value, form, "importance by fact", _NUGGETS).items())
    nuggets = {str(fact): str(unboxed(kind)).strip().lower() for fact, kind in facts}
    for fact, kind in nuggets.items():
        if kind not in IMPORTANCE or not fact.strip():
            raise FieldError(f"'{fact}' is '{kind}', not vital or okay", f"write it as {_NUGGETS}")
    return nuggets


def _read_nugget(item: Any, location: str) -> tuple[str, Any]:
    fields = as_object(item)
    if fields is None:
        return text(item, location), IMPORTANCE[0]
    return text(fields.get("text"), f"{location}: text"), fields.get("importance", IMPORTANCE[0])


def _read_variants(value: Any, form: Form) -> tuple[Variant, ...]:
    variants = items(value, "variants", _AS_VARIANT)
    return tuple(_read_variant(item, f"variant {n}", form) for n, item in enumerate(variants, 1))


def _read_variant(item: Any, location: str, form: Form) -> Variant:
    fields = as_object(item)
    if fields is None:
        raise FieldError(f"{location} is {describe(item)}, but must be an object", _AS_VARIANT)
    values = {str(key): unboxed(value) for key, value in fields.items()}
    kind: Any = values.get("kind")
    if kind not in KINDS:
        raise FieldError(f"{location} is of kind {kind!r}, not {' or '.join(KINDS)}", _AS_VARIANT)
    contexts = values.get("contexts")
    try:
        return Variant(
            kind,
            text(values.get("answer"), "answer"),
            None if contexts is None else documents(contexts).texts,
            _read_ratio(values.get("ratio"), form),
        )
    except FieldError as error:
        raise FieldError(f"{location}: {error.what}", error.remedy) from None


def _read_ratio(value: Any, form: Form) -> float | None:
    if value is None:
        return None
    ratio = number(value, from_text=form == "table")
    if ratio > 1:
        raise FieldError(f"ratio is {value}", "give the share of noise, from 0 to 1")
    return ratio


def _read_object(value: Any, form: Form, expected: str, example: str) -> Object:
    if isinstance(value, str):
        value = spelled(value)
    mapping = pairs(value)
    if mapping is None:
        raise FieldError(f"is {describe(value)}, but must be {expected}", f"write it as {example}")
    if form == "arrow":  # a struct has the keys of all rows
        return {key: item for key, item in mapping.items() if unboxed(item) is not None}
    return mapping


# pandas writes whole numbers so into a CSV file where the column has a gap.
_FLOAT: Final = re.compile(r"\d{1,15}\.0")


def _read_references(value: Any, form: Form) -> tuple[str, ...] | None:
    """All right answers, the first one first."""
    items: Any = value
    if isinstance(value, str):
        spelled = list_in_text(value) if form == "table" and value.lstrip()[:1] == "[" else None
        # A right answer may be a list itself; only a list of texts is several right answers.
        are_texts = bool(spelled) and all(isinstance(item, str) for item in spelled or ())
        items = spelled if are_texts else [value]
    if not isinstance(items, list | tuple):
        raise FieldError(f"is {describe(value)}, but must be text or a list of texts")
    if len(items) == 1 and unboxed(items[0]) is None:  # as pandas boxes a gap
        return None
    references = [text(unboxed(item), f"item {n}") for n, item in enumerate(items, 1)]
    if len(references) > 1:
        _refuse_empty(references)
    return tuple(references) or None


def _read_accepted(value: Any, form: Form) -> tuple[str, ...]:
    references = _read_references(value, form) or ()
    _refuse_empty(references)
    return references


def _refuse_empty(references: Sequence[str]) -> None:
    if any(map(is_invisible, references)):
        raise FieldError("one of its items is an empty text", "remove the empty item")


def _read_answer(value: Any, _form: Form) -> str:
    if isinstance(value, list | tuple):
        remedy = "give one text; if these are right answers: --map reference=COLUMN"
        sent = "give one text; if these are right answers, rename the field to 'reference'"
        raise FieldError(f"is {describe(value)}, but must be text", remedy, sent=sent)
    return text(value)


def _read_ids(value: Any, form: Form) -> tuple[str, ...]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = [value]
    items = listed(value)
    if items == [value] and isinstance(value, str) and value.lstrip().startswith("["):
        raise FieldError("begins like a list but cannot be read as one", "write it as JSON text")
    if form == "table" and items == [value] and isinstance(value, str):
        items = _separated(value)
    ids = tuple(identifier(unboxed(item), f"item {n}") for n, item in enumerate(items, 1))
    if form == "table":  # in every cell alike, or an id would differ from itself
        ids = tuple(name[:-2] if _FLOAT.fullmatch(name) else name for name in ids)
    empty = next((n for n, name in enumerate(ids, 1) if is_invisible(name)), None)
    if empty is not None:  # two empty ids would pass for a document that was found
        raise FieldError(f"item {empty} is an empty id", "remove it; [] says that there is none")
    return ids


def _separated(cell: str) -> list[str]:
    """The ids of a cell as people write them: "a; b", "4, 5"; but "Smith, Rome 2020" is one."""
    pieces = [stripped for piece in re.split(r"[;\n]", cell) if (stripped := piece.strip())]
    if len(pieces) == 1:
        by_comma = [stripped for piece in cell.split(",") if (stripped := piece.strip())]
        pieces = by_comma if all(len(piece.split()) == 1 for piece in by_comma) else pieces
    return pieces or [cell]


def _read_metadata(value: Any, form: Form) -> Any:
    if form == "table" and isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError):
            value = json.loads(value)
    return plain(value)


READERS: Final[Mapping[str, Callable[[Any, Form], Any]]] = {
    "id": lambda value, _: identifier(value) if str(value).strip() else None,
    "question": conversations.question,
    "contexts": lambda value, _: documents(value),
    "answer": _read_answer,
    "reference": _read_references,
    "accepted": _read_accepted,
    "reference_contexts": lambda value, _: documents(value),
    "context_ids": _read_ids,
    "reference_context_ids": _read_ids,
    "context_access": _read_access,
    "user_access": lambda value, _: labels(value),
    "relevance_grades": _read_grades,
    "further_answers": _read_texts,
    "other_answer": lambda value, _: text(value),
    "answerable": _read_boolean,
    "rubric": _read_rubric,
    "nuggets": _read_nuggets,
    "turns": conversations.turns,
    "reference_tool_calls": conversations.tool_calls,
    "reference_topics": _read_texts,
    "variants": _read_variants,
    "latency_ms": lambda value, form: number(value, from_text=form == "table"),
    "cost": lambda value, form: number(value, from_text=form == "table"),
    "tokens": lambda value, form: count(value, from_text=form == "table"),
    "group": lambda value, _: identifier(value),
    "failure": lambda value, _: text(value) or None,
    "language": lambda value, _: text(value),
    "metadata": _read_metadata,
}
if set(READERS) != set(FIELDS):  # a new field of Sample must be given a reader
    raise TypeError(set(READERS) ^ set(FIELDS))


DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Final = {"type": "string"}
_ID: Final = {"type": ["string", "integer"]}
_NUMBER: Final = {"type": "number", "minimum": 0}
_OBJECTS: Final = {"type": "array", "items": {"type": "object"}}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_IDS: Final = {"type": "array", "items": _ID}
_DOCUMENTS: Final = {
    "anyOf": [
        _TEXT,
        {"type": "array", "items": {"anyOf": [_TEXT, {"type": "object"}]}},
    ]
}
# What each field is, and what it may look like.
_SCHEMAS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "id": ("Unique within the data set; made from the row's number where there is none.", _ID),
    "question": ("What the user asked, or the messages of a conversation.", {"anyOf": [_TEXT, _OBJECTS]}),  # noqa: E501
    "contexts": ("Retrieved contexts, best first: texts, or documents with an id. An empty list says that nothing was retrieved.", _DOCUMENTS),  # noqa: E501
    "answer": ("What the RAG system answered.", _TEXT),
    "reference": ("The right answer, or several of which any is right.", {"anyOf": [_TEXT, _TEXTS]}),  # noqa: E501
    "accepted": ("Further right answers.", {"anyOf": [_TEXT, _TEXTS]}),
    "reference_contexts": ("Contexts that should have been retrieved.", _DOCUMENTS),
    "context_ids": ("Ids of the retrieved contexts, best first.", _IDS),
    "reference_context_ids": ("Ids of the contexts that should have been retrieved.", _IDS),
    "context_access": ("For each context its access label, or a list of labels of which any opens it. An empty list opens it to everybody.", {"type": "array", "items": {"anyOf": [_TEXT, _TEXTS]}}),  # noqa: E501
    "user_access": ("Access labels that the asking user holds.", {"anyOf": [_TEXT, _TEXTS]}),
    "relevance_grades": ("Graded relevance by context id.", {"type": "object", "additionalProperties": {"type": "number"}}),  # noqa: E501
    "further_answers": ("Other answers of the same system to the same question.", _TEXTS),
    "other_answer": ("Another system's answer.", _TEXT),
    "answerable": ("Whether there is an answer to be found.", {"type": "boolean"}),
    "rubric": ("What each grade means.", {"type": "object", "additionalProperties": _TEXT}),
    "nuggets": ("Facts that an answer should hold: importance (vital or okay) by fact, or a list of facts.", {"anyOf": [{"type": "object", "additionalProperties": {"enum": ["vital", "okay"]}}, _TEXTS, _OBJECTS]}),  # noqa: E501
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
    for field, (field_description, form) in _SCHEMAS.items():
        for name in ALIASES[field]:
            description = field_description if name == field else f"The same as `{field}`."
            properties[name] = {
                "description": description,
                "anyOf": [*_alternatives(form), {"type": "null"}],
            }
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


def _alternatives(form: dict[str, Any]) -> list[dict[str, Any]]:
    return list(form["anyOf"]) if set(form) == {"anyOf"} else [form]
