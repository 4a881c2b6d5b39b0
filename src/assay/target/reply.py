"""What did the system answer? Its reply, read as a row of data is."""

import json
from collections.abc import Mapping
from typing import Any, Final

from assay.dataset.aliases import recognised
from assay.dataset.columns import MISSING, fetch
from assay.dataset.convert import Converter
from assay.dataset.record import Record
from assay.errors import InputError, Unreadable

# What a system makes of a question; all else of a row was given.
MADE: Final = ("answer", "contexts", "context_ids", "turns", "cost", "tokens")
# Texts and ids of one search, in one order: whoever makes either leaves nothing of the other.
FOUND: Final = ("contexts", "context_ids")
# What a row records of an answer that the system is now asked for anew.
REPLACED: Final = (*MADE, "latency_ms", "further_answers", "variants", "failure")
# Where the answer stands in replies, beside the names that it has in data.
_ANSWERS: Final = ("result", "output_text", "reply", "text", "content", "message", "replies")
_SHOWN: Final = 20
_READ: Final = Converter({})


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
        Unreadable: If it holds no answer, or a field cannot be what it should be.
    """
    raw = raw.removeprefix("\ufeff")  # a byte order mark, in replies that were kept as they came
    row = _READ.row(Record(1, _columns(_object(raw), mapping, raw)))
    if row.problems:
        problem = row.problems[0]
        raise Unreadable(f"the reply's {problem.field} {problem.what}", raw=raw)
    found = {name: row.fields[name] for name in MADE if row.fields.get(name) is not None}
    if not str(found.get("answer", "")).strip():
        raise Unreadable("the reply's answer is empty", raw=raw)
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
            what = f"the reply has no '{path}'; it has {_names(reply)}"
            raise Unreadable(what, raw=raw)
        columns[field] = _only(value) if field == "answer" else value
    if "answer" not in {*mapping, *named.values()} and "turns" not in {*mapping, *named.values()}:
        columns["answer"] = _answer(reply, raw)
    usage = reply.get("usage")
    if "tokens" not in {*mapping, *named.values()} and isinstance(usage, dict):
        columns |= {"tokens": usage["total_tokens"]} if "total_tokens" in usage else {}
    return columns


def _answer(reply: Mapping[str, Any], raw: str) -> Any:
    """The answer, where no part of the reply is called so."""
    for path in ("choices.message.content", *_ANSWERS):
        value = _only(fetch(reply, tuple(path.split("."))))
        if isinstance(value, str):
            return value
    what = f"no part of the reply is known as the answer; it has {_names(reply)}"
    raise Unreadable(f"{what} -> say where it stands: answer=PATH", raw=raw)


def _only(value: Any) -> Any:
    return _only(value[0]) if isinstance(value, list) and len(value) == 1 else value


def _names(reply: Mapping[str, Any]) -> str:
    shown = ", ".join(list(reply)[:_SHOWN])
    return shown or "nothing"
