"""How do conversations, tool calls, grades and rubrics stand in a value?"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, get_args, get_type_hints

from assay.dataset.lists import listed
from assay.dataset.record import Form
from assay.dataset.values import FieldError, describe, number, plain, text, unboxed
from assay.sample import ToolCall, Turn, Variant

Object: TypeAlias = Mapping[str, Any]
ROLES = get_args(get_type_hints(Turn)["role"])
KINDS = get_args(get_type_hints(Variant)["kind"])
# How messages of OpenAI, LangChain and ragas name the speakers.
_SPEAKERS = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"}


def texts(value: Any, _form: Form) -> tuple[str, ...]:
    """A list of texts."""
    pairs = enumerate(listed(value), 1)
    return tuple(text(unboxed(item), f"item {n}") for n, item in pairs)


def yes_or_no(value: Any, form: Form) -> bool:
    """True or false."""
    if form == "table" and isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if not isinstance(value, bool):
        raise FieldError(f"is {describe(value)}, but must be true or false")
    return value


def grades(value: Any, form: Form) -> dict[str, float]:
    """Grades by context id, each at least 0."""
    given = _object(value, form, "grades by id")
    return {str(key): number(unboxed(item), from_text=False) for key, item in given.items()}


def rubric(value: Any, form: Form) -> dict[str, str]:
    """What each grade means."""
    found = _object(value, form, "descriptions by grade")
    return {str(key): text(unboxed(item), f"grade {key}") for key, item in found.items()}


def turns(value: Any, form: Form) -> tuple[Turn, ...]:
    """The messages of a conversation."""
    return tuple(_turn(item, f"turn {n}") for n, item in enumerate(_objects(value, form), 1))


def tool_calls(value: Any, form: Form) -> tuple[ToolCall, ...]:
    """Tools with their arguments."""
    return tuple(_call(item, f"call {n}") for n, item in enumerate(_objects(value, form), 1))


def variants(value: Any, form: Form) -> tuple[Variant, ...]:
    """Answers over worse contexts."""
    return tuple(_variant(item, f"variant {n}") for n, item in enumerate(_objects(value, form), 1))


def _turn(item: Any, place: str) -> Turn:
    if isinstance(item, Turn):
        return item
    message = _an_object(item, place)
    said = str(message.get("role") or message.get("type") or "")
    role: Any = _SPEAKERS.get(said, said)
    if role not in ROLES:
        raise FieldError(f"{place} has the role '{said}', which is none of {', '.join(ROLES)}")
    content = message.get("text", message.get("content"))
    contexts = message.get("contexts")
    return Turn(
        role,
        text("" if content is None else content, place),
        None if contexts is None else texts(contexts, "json"),
        tool_calls(message.get("tool_calls") or [], "json"),
    )


def _call(item: Any, place: str) -> ToolCall:
    if isinstance(item, ToolCall):
        return item
    call = _an_object(item, place)
    call = call.get("function", call)  # as OpenAI writes it
    args = call.get("args", call.get("arguments", {}))
    if isinstance(args, str):
        with suppress(ValueError):
            args = json.loads(args)
    if not isinstance(args, Mapping):
        raise FieldError(f"{place} has arguments that are no object: {describe(args)}")
    return ToolCall(text(call.get("name"), f"the name of {place}"), plain(args))


def _variant(item: Any, place: str) -> Variant:
    if isinstance(item, Variant):
        return item
    given = _an_object(item, place)
    if given.get("kind") not in KINDS:
        raise FieldError(f"{place} is of kind {given.get('kind')!r}, not {' or '.join(KINDS)}")
    contexts, ratio = given.get("contexts"), given.get("ratio")
    if ratio is not None and number(ratio, from_text=False) > 1:
        raise FieldError(f"{place} has the ratio {ratio}, outside 0 to 1")
    return Variant(
        given["kind"],
        text(given.get("answer"), f"the answer of {place}"),
        None if contexts is None else texts(contexts, "json"),
        None if ratio is None else number(ratio, from_text=False),
    )


def _object(value: Any, form: Form, what: str) -> Object:
    if form == "table" and isinstance(value, str):
        with suppress(ValueError):
            value = json.loads(value)
    if not isinstance(value, Mapping):
        raise FieldError(f"is {describe(value)}, but must be an object of {what}")
    return value


def _objects(value: Any, form: Form) -> Sequence[Any]:
    if form == "table" and isinstance(value, str):
        with suppress(ValueError):
            value = json.loads(value)
    value = unboxed(value)
    if not isinstance(value, list | tuple):
        raise FieldError(f"is {describe(value)}, but must be a list of objects")
    return value


def _an_object(item: Any, place: str) -> Object:
    if not isinstance(item, Mapping):
        raise FieldError(f"{place} is {describe(item)}, but must be an object")
    return item
