"""What did the system answer? Its reply, read as a row of data is."""

import json
from collections.abc import Mapping
from typing import Any, Final

from assay.dataset.aliases import normal, recognised
from assay.dataset.columns import MISSING, fetch
from assay.dataset.convert import Converter
from assay.dataset.record import Record
from assay.errors import InputError, Unreadable
from assay.text.sanitize import one_line

# What a system makes of a question; all else of a row was given.
MADE: Final = ("answer", "contexts", "context_ids", "turns", "cost", "tokens")
# Texts and ids of one search, in one order: whoever makes either leaves nothing of the other.
FOUND: Final = ("contexts", "context_ids")
# What a row records of an answer that the system is now asked for anew.
REPLACED: Final = (*MADE, "latency_ms", "further_answers", "variants", "failure")
# Where the answer stands in replies, beside the names that it has in data.
_ANSWERS: Final = ("result", "output_text", "reply", "text", "content", "message", "replies")
# Where services that answer 200 to everything say what went wrong, and that something did.
_ERRORS: Final = ("error", "errors", "errormessage", "exception")
_STATES: Final = ("status", "statuscode", "code")
_FAILED: Final = ("error", "fail", "failed", "failure")
_DONE: Final = ("success", "ok")
_SHOWN: Final = 20
_LONGEST_ERROR: Final = 300
_READ: Final = Converter({})


class Reported(Unreadable):
    """A reply that reports an error and holds no answer: asked again, the system may answer."""


def check(mapping: Mapping[str, str]) -> None:
    """Raise InputError for fields that no system makes."""
    if unknown := sorted(set(mapping) - set(MADE)):
        what = f"a reply holds no '{unknown[0]}'"
        raise InputError(what, f"fields of a reply are {', '.join(MADE)}")


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
    row = _READ.row(Record(1, _columns(reply, mapping, raw)))
    if row.problems:
        problem = row.problems[0]
        raise Unreadable(f"the reply's {problem.field} {problem.what}", raw=raw)
    found = {name: row.fields[name] for name in MADE if row.fields.get(name) is not None}
    if not str(found.get("answer", "")).strip():
        raise _none("the reply's answer is empty", reply, raw)
    return found


def _object(raw: str) -> Mapping[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return {"answer": raw}
    if isinstance(found, str):
        return {"answer": found}
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        return {"answer": raw}  # "1889" is a text, and the answer to many a question
    if not isinstance(found, dict):
        raise Unreadable("the reply is neither text nor a JSON object", raw=raw)
    return found


def _columns(reply: Mapping[str, Any], mapping: Mapping[str, str], raw: str) -> dict[str, Any]:
    """The parts of a reply that are fields of a sample, by field or by a name that means one."""
    named = {c: f for c, f in recognised(reply).items() if f in MADE and f not in mapping}
    columns = {column: reply[column] for column in named}
    for field, path in mapping.items():
        value = fetch(reply, (path,) if path in reply else tuple(path.split(".")))
        if value is MISSING:
            raise _none(f"the reply has no '{path}'; it has {_names(reply)}", reply, raw)
        columns[field] = _only(value) if field == "answer" else value
    if "answer" not in {*mapping, *named.values()} and "turns" not in {*mapping, *named.values()}:
        columns["answer"] = _answer(reply, raw)
    usage = reply.get("usage")
    if "tokens" not in {*mapping, *named.values()} and isinstance(usage, dict):
        columns |= {"tokens": usage["total_tokens"]} if "total_tokens" in usage else {}
    return columns


def _answer(reply: Mapping[str, Any], raw: str) -> Any:
    """The answer, where no part of the reply is called so."""
    if said := _error(reply):  # what stands under `message` then is no answer
        raise _reported(said, raw)
    for path in ("choices.message.content", *_ANSWERS):
        value = _text(_only(fetch(reply, tuple(path.split(".")))))
        if isinstance(value, str):
            return value
    what = f"no field of the reply is recognised as the answer; it has {_names(reply)}"
    raise _none(f"{what} -> say where it is: --target-reply answer=PATH", reply, raw)


def _text(value: Any) -> Any:
    """The text of a message that comes in parts, without what the model thought; else the value."""
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, Mapping) for part in parts):
        return value
    said = [part.get("text") for part in parts if part.get("type") == "text"]
    return "".join(said) if said and all(isinstance(text, str) for text in said) else value


def _none(what: str, reply: Mapping[str, Any], raw: str) -> Unreadable:
    """The error that there is no answer; what the system says went wrong is the better reason."""
    said = _error(reply) or reply.get("detail")
    return _reported(said, raw) if said else Unreadable(what, raw=raw)


def _reported(said: Any, raw: str) -> Reported:
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    what = f"the reply holds an error instead of an answer: {one_line(text, _LONGEST_ERROR)}"
    remedy = "fix the system and run again, or say where the answer is: --target-reply answer=PATH"
    return Reported(f"{what} -> {remedy}", raw=raw)


def _error(reply: Mapping[str, Any]) -> Any:
    """What a reply says went wrong, None if nothing did."""
    named = {normal(name): value for name, value in reply.items()}
    found = next((named[name] for name in _ERRORS if named.get(name)), None)
    if found is None and not _is_failed(named):
        return None
    if isinstance(found, Mapping):
        return found.get("message") or found
    more = named.get("message") or named.get("detail")
    if found is None or found is True:  # it only says that it failed
        return more or reply
    return f"{found}: {more}" if isinstance(found, str) and more else found


def _is_failed(named: Mapping[str, Any]) -> bool:
    if any(named.get(name) is False for name in _DONE):
        return True
    states = [named.get(name) for name in _STATES]
    return any(
        400 <= state < 600 if isinstance(state, int) else str(state).lower() in _FAILED
        for state in states
    )


def _only(value: Any) -> Any:
    return _only(value[0]) if isinstance(value, list) and len(value) == 1 else value


def _names(reply: Mapping[str, Any]) -> str:
    shown = ", ".join(list(reply)[:_SHOWN])
    return shown or "nothing"
