"""Reading the answer, contexts and costs out of whatever a system under test returns."""

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from assay._text.misspelt import normal
from assay._text.sanitize import one_line
from assay.data.columns import MISSING, fetch, recognised
from assay.data.json_files import is_object
from assay.data.rows import Converter, Record
from assay.data.values import describe, plain, unboxed
from assay.errors import InputError, Unreadable


class Unfit(TypeError):
    """An object that stands for no plain value; says what it is and what to return instead."""


def plain_of(value: Any) -> Any:
    """Text, number, list or dict: what can be written as JSON.

    Knows the answers of LangChain (messages, dicts with documents) and LlamaIndex (responses with
    source nodes), documents of both and of Haystack, pydantic models and dataclasses.

    Raises:
        Unfit: If it is none of these: how Python shows an object is no answer.
    """
    if hasattr(value, "source_nodes") and hasattr(value, "response"):
        answer = None if value.response is None else str(value.response)
        return {"answer": answer, "source_nodes": _nested(value.source_nodes)}
    if hasattr(value, "usage_metadata") and hasattr(value, "content"):
        return _message(value)
    return _nested(value)


def _message(message: Any) -> dict[str, Any]:
    """A chat model's reply; its content may stand in blocks."""
    content = message.content
    if isinstance(content, list):
        content = "".join(map(_block, content))
    usage = message.usage_metadata
    tokens = usage.get("total_tokens") if isinstance(usage, Mapping) else None
    answer = {"answer": _nested(content)}
    return {**answer, **({} if tokens is None else {"total_tokens": tokens})}


def _block(block: Any) -> str:
    text = block.get("text") if isinstance(block, Mapping) else getattr(block, "text", block)
    return text if isinstance(text, str) else ""


def _nested(value: Any) -> Any:
    value = unboxed(value)
    if isinstance(value, Mapping):
        return {str(key): _inner_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_inner_value(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return plain(value)
    return _fields_of_object(value)


def _inner_value(value: Any) -> Any:
    """A value inside another: anything may stand beside the answer, in its place it is told."""
    try:
        return _nested(value)
    except Unfit:
        return {describe(value): None}


def _fields_of_object(value: Any) -> Any:
    if isinstance(value, type):
        raise _unfit(value)
    if hasattr(value, "page_content"):
        fields = {"page_content": value.page_content, "id": getattr(value, "id", None)}
        return plain({**fields, "metadata": getattr(value, "metadata", {})})
    if hasattr(value, "node") and hasattr(value, "score"):
        node = value.node
        return plain({"text": node.get_content(), "id": node.node_id, "score": value.score})
    if hasattr(value, "model_dump"):
        return _nested(value.model_dump())
    if dataclasses.is_dataclass(value):
        return _nested({f.name: getattr(value, f.name) for f in dataclasses.fields(value)})
    # A date, a decimal or a path have a text beside the one by which Python shows them.
    if isinstance(value, BaseException) or str(value) == repr(value):
        raise _unfit(value)
    return plain(value)


def _unfit(value: Any) -> Unfit:
    if hasattr(value, "__next__") or hasattr(value, "__anext__"):
        remedy = "join its pieces into one text"
    elif isinstance(value, bytes | bytearray):
        remedy = "decode it to text"
    else:
        remedy = "return the text of the answer, or a dict with the answer"
    return Unfit(f"{describe(value)} -> {remedy}")


_PAGE = re.compile(r"<(?:!doctype|html\b|\?xml)", re.IGNORECASE)
_MARKUP = re.compile(r"<[!?a-z]", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_EVENT = re.compile(r"(?:data|event|id|retry)?:")
_ADDRESS = "check that the address is the API's, and whether it wants a key (--target-header)"
_AT_ONCE = 'ask for the whole answer at once, such as by "stream": false in --target-body'
_TITLE_SEARCH = 10_000  # characters of a page, for its title


def decoded(body: bytes, charset: str | None) -> str:
    """The text of a body, by the charset that was named if there is one of that name."""
    try:
        text = body.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):  # a charset that there is not
        text = body.decode("utf-8", "replace")
    return text.removeprefix("\ufeff")  # a byte order mark


def instead_of_answer(text: str, content_type: str) -> str:
    """What came where an answer should be, and what to do about it; "" if it may be one.

    The content type alone proves nothing: frameworks call a bare text HTML, and some servers call
    all they send a stream of events.
    """
    kind = content_type.partition(";")[0].strip().lower()
    typed, text = kind or "no content type", text.lstrip()
    if _PAGE.match(text) or (kind == "text/html" and _MARKUP.match(text)):
        title = _TITLE.search(text[:_TITLE_SEARCH])
        page_title = f" '{one_line(title[1], _MAX_NAMES)}'" if title else ""
        return f"a page{page_title} ({typed}) instead of JSON or plain text -> {_ADDRESS}"
    if _is_of_events(text, kind):
        return f"a stream of events ({typed}), which is not supported -> {_AT_ONCE}"
    if _is_of_objects(text):
        return f"a stream of JSON objects ({typed}), which is not supported -> {_AT_ONCE}"
    return ""


def _is_of_events(text: str, kind: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    if kind == "text/event-stream":
        return bool(lines) and _EVENT.match(lines[0]) is not None
    return len(lines) > 1 and all(map(_EVENT.match, lines))


def _is_of_objects(text: str) -> bool:
    lines = text.split("\n", 2)[:2]
    return len(lines) > 1 and all(map(is_object, lines))


# What a system makes of a question; all else of a row was given.
MADE: Final = (*("answer", "contexts", "context_ids", "context_access", "turns", "cost", "tokens"),)
# Texts and ids of one search, in one order: whoever makes either leaves nothing of the other.
RETRIEVED: Final = ("contexts", "context_ids", "context_access")
# What a row records of an answer that the system is now asked for anew.
REPLACED: Final = (*MADE, "latency_ms", "further_answers", "variants", "failure")
# Where the answer stands in replies, beside the names that it has in data.
_ANSWERS: Final = ("result", "output_text", "reply", "text", "content", "message", "replies")
# Where services that answer 200 to everything say what went wrong, and that something did.
_ERRORS: Final = ("error", "errors", "errormessage", "exception")
_STATES: Final = ("status", "statuscode", "code")
_FAILED: Final = ("error", "fail", "failed", "failure")
_DONE: Final = ("success", "ok")
_MAX_NAMES: Final = 20
_LONGEST_ERROR: Final = 300
_CONVERTER: Final = Converter({})


class Reported(Unreadable):
    """A reply that reports an error and holds no answer: asked again, the system may answer."""


def check(mapping: Mapping[str, str]) -> None:
    """Raise InputError for fields that no system makes."""
    if unknown := sorted(set(mapping) - set(MADE)):
        fault = f"a reply holds no '{unknown[0]}'"
        raise InputError(fault, f"fields of a reply are {', '.join(MADE)}")


def read(raw: str, mapping: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a sample that a reply fills; the answer is always among them.

    Args:
        raw: JSON, or the bare text of the answer.
        mapping: Dotted paths into the reply by field, where a field is not found by its name.

    Raises:
        Reported: If it says what went wrong instead.
        Unreadable: If it holds no answer, or a field cannot be what it should be.
    """
    raw = raw.removeprefix("\ufeff")  # a byte order mark, in replies that were kept as they came
    reply = _object(raw)
    row = _CONVERTER.row(Record(1, _columns(reply, mapping, raw)))
    if row.problems:
        problem = row.problems[0]
        raise Unreadable(f"the reply's {problem.field} {problem.what}", raw=raw)
    values = {name: row.fields[name] for name in MADE if row.fields.get(name) is not None}
    if not str(values.get("answer", "")).strip():
        raise _no_answer("the reply's answer is empty", reply, raw)
    return values


def _object(raw: str) -> Mapping[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {"answer": raw}
    if isinstance(value, str):
        return {"answer": value}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {"answer": raw}  # "1889" is a text, and the answer to many a question
    if not isinstance(value, dict):
        raise Unreadable("the reply is neither text nor a JSON object", raw=raw)
    return value


def _columns(reply: Mapping[str, Any], mapping: Mapping[str, str], raw: str) -> dict[str, Any]:
    """The parts of a reply that are fields of a sample, by field or by a name that means one."""
    fields = {c: f for c, f in recognised(reply).items() if f in MADE and f not in mapping}
    columns = {column: reply[column] for column in fields}
    for field, path in mapping.items():
        value = fetch(reply, (path,) if path in reply else tuple(path.split(".")))
        if value is MISSING:
            raise _no_answer(f"the reply has no '{path}'; it has {_names(reply)}", reply, raw)
        columns[field] = _unwrapped(value) if field == "answer" else value
    if "answer" not in {*mapping, *fields.values()} and "turns" not in {*mapping, *fields.values()}:
        columns["answer"] = _answer(reply, raw)
    usage = reply.get("usage")
    if "tokens" not in {*mapping, *fields.values()} and isinstance(usage, dict):
        columns |= {"tokens": usage["total_tokens"]} if "total_tokens" in usage else {}
    return columns


def _answer(reply: Mapping[str, Any], raw: str) -> Any:
    """The answer, where no part of the reply is called so."""
    if reported := _error(reply):  # what stands under `message` then is no answer
        raise _reported(reported, raw)
    for path in ("choices.message.content", *_ANSWERS):
        value = _text(_unwrapped(fetch(reply, tuple(path.split(".")))))
        if isinstance(value, str):
            return value
    fault = f"no field of the reply is recognised as the answer; it has {_names(reply)}"
    raise _no_answer(f"{fault} -> say where it is: --target-reply answer=PATH", reply, raw)


def _text(value: Any) -> Any:
    """The text of a message that comes in parts, without what the model thought; else the value."""
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, Mapping) for item in items):
        return value
    texts = [item.get("text") for item in items if item.get("type") == "text"]
    return "".join(texts) if texts and all(isinstance(text, str) for text in texts) else value


def _no_answer(fault: str, reply: Mapping[str, Any], raw: str) -> Unreadable:
    """The error that there is no answer; what the system says went wrong is the better reason."""
    reported = _error(reply) or reply.get("detail")
    return _reported(reported, raw) if reported else Unreadable(fault, raw=raw)


def _reported(error: Any, raw: str) -> Reported:
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    fault = f"the reply holds an error instead of an answer: {one_line(text, _LONGEST_ERROR)}"
    remedy = "fix the system and run again, or say where the answer is: --target-reply answer=PATH"
    return Reported(f"{fault} -> {remedy}", raw=raw)


def _error(reply: Mapping[str, Any]) -> Any:
    """What a reply says went wrong, None if nothing did."""
    values = {normal(name): value for name, value in reply.items()}
    error = next((values[name] for name in _ERRORS if values.get(name)), None)
    if error is None and not _is_failed(values):
        return None
    if isinstance(error, Mapping):
        return error.get("message") or error
    more = values.get("message") or values.get("detail")
    if error is None or error is True:  # it only says that it failed
        return more or reply
    return f"{error}: {more}" if isinstance(error, str) and more else error


def _is_failed(values: Mapping[str, Any]) -> bool:
    if any(values.get(name) is False for name in _DONE):
        return True
    states = [values.get(name) for name in _STATES]
    return any(
        400 <= state < 600 if isinstance(state, int) else str(state).lower() in _FAILED
        for state in states
    )


def _unwrapped(value: Any) -> Any:
    return _unwrapped(value[0]) if isinstance(value, list) and len(value) == 1 else value


def _names(reply: Mapping[str, Any]) -> str:
    names = ", ".join(list(reply)[:_MAX_NAMES])
    return names or "nothing"
