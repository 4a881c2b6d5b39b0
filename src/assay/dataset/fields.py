"""What does each field of a sample accept, and what does it make of it?"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from assay.dataset import messages, structured
from assay.dataset.aliases import FIELDS
from assay.dataset.lists import documents, list_in_text, listed
from assay.dataset.values import (
    FieldError,
    Form,
    count,
    describe,
    identifier,
    is_invisible,
    number,
    plain,
    text,
    unboxed,
)

# pandas writes whole numbers so into a CSV file where the column has a gap.
_FLOAT: Final = re.compile(r"\d{1,15}\.0")


def _reference(value: Any, form: Form) -> tuple[str, ...] | None:
    """All right answers, the first one first."""
    items: Any = value
    if isinstance(value, str):
        spelled = list_in_text(value) if form == "table" and value.lstrip()[:1] == "[" else None
        # A right answer may be a list itself; only a list of texts is several right answers.
        texts = bool(spelled) and all(isinstance(item, str) for item in spelled or ())
        items = spelled if texts else [value]
    if not isinstance(items, list | tuple):
        raise FieldError(f"is {describe(value)}, but must be text or a list of texts")
    several = [text(unboxed(item), f"item {n}") for n, item in enumerate(items, 1)]
    if len(several) > 1:
        _none_empty(several)
    return tuple(several) or None


def _accepted(value: Any, form: Form) -> tuple[str, ...]:
    """Further right answers, none of them empty."""
    several = _reference(value, form) or ()
    _none_empty(several)
    return several


def _none_empty(several: Sequence[str]) -> None:
    if any(map(is_invisible, several)):
        raise FieldError("one of its items is an empty text", "remove the empty item")


def _answer(value: Any, _form: Form) -> str:
    if isinstance(value, list | tuple):
        remedy = "give one text; if these are right answers: --map reference=COLUMN"
        sent = "give one text; if these are right answers, rename the field to 'reference'"
        raise FieldError(f"is {describe(value)}, but must be text", remedy, sent=sent)
    return text(value)


def _ids(value: Any, form: Form) -> tuple[str, ...]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = [value]
    items = listed(value)
    if items == [value] and isinstance(value, str) and value.lstrip().startswith("["):
        raise FieldError("begins like a list but cannot be read as one", "write it as JSON text")
    found = tuple(identifier(unboxed(item), f"item {n}") for n, item in enumerate(items, 1))
    if form == "table":  # in every cell alike, or an id would differ from itself
        found = tuple(name[:-2] if _FLOAT.fullmatch(name) else name for name in found)
    empty = next((n for n, name in enumerate(found, 1) if is_invisible(name)), None)
    if empty is not None:  # two empty ids would pass for a document that was found
        raise FieldError(f"item {empty} is an empty id", "remove it; [] says that there is none")
    return found


def _metadata(value: Any, form: Form) -> Any:
    if form == "table" and isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError):
            value = json.loads(value)
    return plain(value)


READERS: Final[Mapping[str, Callable[[Any, Form], Any]]] = {
    "id": lambda value, _: identifier(value) if str(value).strip() else None,
    "question": messages.question,
    "contexts": lambda value, _: documents(value),
    "answer": _answer,
    "reference": _reference,
    "accepted": _accepted,
    "reference_contexts": lambda value, _: documents(value),
    "context_ids": _ids,
    "reference_context_ids": _ids,
    "relevance_grades": structured.grades,
    "further_answers": structured.texts,
    "other_answer": lambda value, _: text(value),
    "answerable": structured.yes_or_no,
    "rubric": structured.rubric,
    "turns": messages.turns,
    "reference_tool_calls": messages.tool_calls,
    "reference_topics": structured.texts,
    "variants": structured.variants,
    "latency_ms": lambda value, form: number(value, from_text=form == "table"),
    "cost": lambda value, form: number(value, from_text=form == "table"),
    "tokens": lambda value, form: count(value, from_text=form == "table"),
    "group": lambda value, _: identifier(value),
    "failure": lambda value, _: text(value) or None,
    "language": lambda value, _: text(value),
    "metadata": _metadata,
}
if set(READERS) != set(FIELDS):  # a new field of Sample must be given a reader
    raise TypeError(set(READERS) ^ set(FIELDS))
