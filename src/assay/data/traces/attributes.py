"""Spans, and what their attributes mean by OpenInference and OpenTelemetry's GenAI conventions.

OpenInference: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md.
GenAI: https://github.com/open-telemetry/semantic-conventions-genai, and the form before it.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from assay.data.conversations import is_thought

_LAST: Final = 2**63
Kind = Literal["chain", "llm", "retriever", "reranker", "embedding", "tool", ""]


@dataclass(frozen=True, slots=True)
class Span:
    """One step, understood.

    Attributes:
        trace: Id of the trace that it belongs to.
        id: Its own id.
        parent: Id of the span around it, "" if there is none.
        name: What it is called.
        kind: What it does; "" for what has nothing to do with a language model.
        start: When it began, nanoseconds since 1970; None if not recorded.
        end: When it ended.
        asked: What went in: text, messages or an object.
        said: What came out.
        documents: What it retrieved, best first, each with "text", "id", "score" and what else
            stood there; None if not recorded.
        tokens: Tokens that it took, prompt and reply.
        cost: Money that it took.
        session: The conversation that it belongs to, "" if not recorded.
        model: The language model, "" if not recorded.
        tool: The tool that it is a call of, "" if not recorded.
        error: Why it failed, "" if it did not.
        metadata: What else the application noted.
    """

    trace: str
    id: str
    parent: str = ""
    name: str = ""
    kind: Kind = ""
    start: int | None = None
    end: int | None = None
    asked: Any = None
    said: Any = None
    documents: Sequence[Mapping[str, Any]] | None = None
    tokens: int | None = None
    cost: float | None = None
    session: str = ""
    model: str = ""
    tool: str = ""
    error: str = ""
    metadata: Mapping[str, Any] | None = None


def moment(value: Any) -> int | None:
    """A point of time in nanoseconds since 1970, from digits or an ISO 8601 text; None if none."""
    if isinstance(value, str):
        value = int(value) if value.isdecimal() and len(value) < 20 else _iso(value)
    known = isinstance(value, int) and not isinstance(value, bool)
    return value if known and 0 < value < _LAST else None


def _iso(text: str) -> int | None:
    try:
        found = datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    except ValueError:
        return None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    since = found - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * 10**9 + since.microseconds * 1000


def written(nanoseconds: int) -> str:
    """The point of time as ISO 8601, to the second."""
    return datetime.fromtimestamp(nanoseconds // 10**9, UTC).isoformat()


_KINDS: Final[Mapping[str, Kind]] = {
    # OpenInference
    "llm": "llm",
    "retriever": "retriever",
    "reranker": "reranker",
    "embedding": "embedding",
    "tool": "tool",
    "chain": "chain",
    "agent": "chain",
    # GenAI operations
    "chat": "llm",
    "text_completion": "llm",
    "generate_content": "llm",
    "retrieval": "retriever",
    "embeddings": "embedding",
    "execute_tool": "tool",
    "invoke_agent": "chain",
    "invoke_workflow": "chain",
    # Langfuse's SDK
    "generation": "llm",
    "span": "chain",
}
_MASKED: Final = "__REDACTED__"  # what OpenInference writes where it was told to hide
# How Python shows an object that is no text: <Name(...)>, Name(field=Other(...
_OBJECT: Final = re.compile(
    r"<\w+\(.*\)>\Z|[A-Z]\w+\(\w+=[\[<]?[A-Z]\w+\(.*(\)|\.\.\.)\Z", re.DOTALL
)
_TEXTS: Final = ("page_content", "content", "text", "document.content")
_SCORES: Final = ("relevance_score", "score", "_score", "similarity")  # where LangChain has them
_IDS: Final = ("id", "id_", "node_id", "doc_id", "document.id")


def understand(attributes: Mapping[str, Any], kind: str = "") -> dict[str, Any]:
    """The fields of a Span that its attributes hold.

    Args:
        attributes: Name -> value, as recorded.
        kind: OpenInference's kind, where it stands beside the attributes.
    """
    spelled = nested(attributes)
    found = spelled if isinstance(spelled, Mapping) else {}
    openinference = _at(found, "openinference", "span", "kind") or kind
    operation = _at(found, "gen_ai", "operation", "name")
    own = _at(found, "langfuse", "observation", "type")
    meant = _KINDS.get(str(openinference or operation or own or "").lower(), "")
    said = _said(found)
    return {
        "kind": meant,
        "asked": _asked(found),
        "said": said,
        "documents": _documents(found, said) if meant in ("retriever", "reranker") else None,
        "tokens": _tokens(found),
        "cost": number(_at(found, "llm", "cost", "total")),
        "session": _text(found, ("session", "id"), ("gen_ai", "conversation", "id")),
        "model": _text(
            found,
            ("llm", "model_name"),
            ("gen_ai", "response", "model"),
            ("gen_ai", "request", "model"),
        ),
        "tool": _text(found, ("tool", "name"), ("gen_ai", "tool", "name")),
        "metadata": _object(found.get("metadata")),
    }


def nested(value: Any) -> Any:
    """Attributes as the object that their dotted names spell: numbers are places in a list."""
    if isinstance(value, list):
        return [nested(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    top: dict[str, Any] = {}
    for key, item in value.items():
        if item is not None:
            _put(top, str(key).split("."), nested(item))
    return _listed(top)


def _put(top: dict[str, Any], path: list[str], item: Any) -> None:
    for name in path[:-1]:
        inside = top.setdefault(name, {})
        if isinstance(inside, list):
            inside = {str(place): held for place, held in enumerate(inside)}
        elif not isinstance(inside, dict):
            inside = {"": inside}  # both "a" and "a.b" are given
        top[name] = inside
        top = inside
    held = top.get(path[-1])
    if isinstance(held, dict):
        top[path[-1]] = {**held, **item} if isinstance(item, dict) else {**held, "": item}
    else:
        top[path[-1]] = item


def _listed(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    inside = {key: _listed(item) for key, item in found.items()}
    if inside and all(key.isdecimal() for key in inside):
        return [inside[key] for key in sorted(inside, key=int)]
    return inside


def opened(value: Any) -> Any:
    """The object that a text spells as JSON, else the value as it is; None for what was hidden."""
    if value == _MASKED:
        return None
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def is_text(value: str) -> bool:
    """Whether it says something, and is not how Python shows an object."""
    return bool(value.strip()) and value != _MASKED and not _OBJECT.match(value)


def documents_in(value: Any) -> list[dict[str, Any]] | None:
    """The documents that a step gave back; None if it gave something else."""
    value = opened(value)
    if isinstance(value, Mapping):
        lists = [item for item in value.values() if isinstance(item, list)]
        if len(lists) != 1:
            return None
        value = lists[0]
    if not isinstance(value, list):
        return None
    found = [_document(item) for item in value]
    return [item for item in found if item] if all(found) else None


def _documents(found: Mapping[str, Any], said: Any) -> list[dict[str, Any]] | None:
    given = next(
        (
            held
            for path in (
                ("reranker", "output_documents"),
                ("retrieval", "documents"),
                ("gen_ai", "retrieval", "documents"),
            )
            if isinstance(held := opened(_at(found, *path)), list)
        ),
        None,
    )
    output = documents_in(said)
    if given is None:
        return output
    documents = [document for item in given if (document := _document(item))]
    if len(documents) < len(given):
        return output  # hidden: what nobody may see is not "nothing found"
    # LangChain's instrumentation leaves the ids out of the attributes.
    if output and len(output) == len(documents):
        documents = [{**other, **own} for own, other in zip(documents, output, strict=True)]
    return documents


def _document(item: Any) -> dict[str, Any] | None:
    """A document as "text", "id", "score" and "metadata", as far as it has them."""
    if isinstance(item, str):
        return {"text": item} if is_text(item) else None
    if not isinstance(item, Mapping):
        return None
    # LlamaIndex has the text in a node beside the score, OpenInference everything in a document.
    beside = item.get("node", item.get("document"))
    inside = {**item, **beside} if isinstance(beside, Mapping) else item
    text = next((inside[key] for key in _TEXTS if isinstance(inside.get(key), str)), None)
    own = next((inside[key] for key in _IDS if inside.get(key) not in (None, "")), None)
    about = _object(inside.get("metadata")) or {}
    found = {
        "text": None if text == _MASKED else text,
        "id": own,
        "score": number(_first(inside.get("score"), *(about.get(name) for name in _SCORES))),
        "metadata": about,
    }
    known = {key: value for key, value in found.items() if value not in (None, {})}
    return known if "text" in known or "id" in known else None


def _asked(found: Mapping[str, Any]) -> Any:
    return _first(
        _messages(_at(found, "llm", "input_messages")),
        _messages(_at(found, "gen_ai", "input", "messages")),
        _messages(_at(found, "gen_ai", "prompt")),
        opened(_at(found, "gen_ai", "retrieval", "query", "text")),
        opened(_at(found, "gen_ai", "tool", "call", "arguments")),
        opened(_at(found, "input", "value")),
        opened(_at(found, "langfuse", "observation", "input")),
    )


def _said(found: Mapping[str, Any]) -> Any:
    return _first(
        _messages(_at(found, "llm", "output_messages")),
        _messages(_at(found, "gen_ai", "output", "messages")),
        _messages(_at(found, "gen_ai", "completion")),
        opened(_at(found, "gen_ai", "tool", "call", "result")),
        opened(_at(found, "output", "value")),
        opened(_at(found, "langfuse", "observation", "output")),
    )


def _messages(value: Any) -> list[dict[str, Any]] | str | None:
    """Messages with role, text and tool calls; None where there are neither in any of them."""
    value = opened(value)
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    found = []
    for item in value:
        message = item.get("message", item) if isinstance(item, Mapping) else None
        if isinstance(message, Mapping):
            text, calls = _content(message), _tool_calls(message)
            if text or calls:
                role = str(message.get("role") or "assistant")
                called = {"tool_calls": calls} if calls else {}
                found.append({"role": role, "content": text, **called})
    return found or None


def _tool_calls(message: Mapping[str, Any]) -> list[Any]:
    """The calls beside its text, or among its parts."""
    beside = opened(message.get("tool_calls"))
    if isinstance(beside, list):
        return [c.get("tool_call", c) if isinstance(c, Mapping) else c for c in beside]
    parts = opened(message.get("parts"))
    listed = parts if isinstance(parts, list) else []
    return [p for p in listed if isinstance(p, Mapping) and p.get("type") == "tool_call"]


def _content(message: Mapping[str, Any]) -> str:
    """The text of a message: one text, or those among its parts."""
    given = _first(message.get("content"), message.get("parts"), message.get("contents"))
    content = opened(given)
    if not isinstance(content, list):
        return given if isinstance(given, str) and content is not None else ""
    texts = []
    for part in content:
        inside = part.get("message_content", part) if isinstance(part, Mapping) else part
        if isinstance(inside, Mapping):
            if is_thought(inside):
                continue
            result = _first(inside.get("response"), inside.get("result"))  # of a tool
            inside = _first(inside.get("text"), inside.get("content"), _written(result))
        if isinstance(inside, str):
            texts.append(inside)
    return "\n".join(texts)


def _written(value: Any) -> str | None:
    known = value is None or isinstance(value, str)
    return value if known else json.dumps(value, ensure_ascii=False)


def _tokens(found: Mapping[str, Any]) -> int | None:
    counts = _at(found, "llm", "token_count") or {}
    usage = _at(found, "gen_ai", "usage") or {}
    total = number(_first(_plain(counts, "total"), _plain(usage, "total_tokens")))
    if total is None:
        parts = [
            number(_first(_plain(counts, "prompt"), _plain(usage, "input_tokens"))),
            number(_first(_plain(counts, "completion"), _plain(usage, "output_tokens"))),
        ]
        known = [part for part in parts if part is not None]
        total = number(sum(known)) if known else None
    return None if total is None else int(total)


def _plain(found: Any, key: str) -> Any:
    """The value itself, where longer names begin with its name."""
    held = found.get(key) if isinstance(found, Mapping) else None
    return held.get("") if isinstance(held, Mapping) else held


def _at(found: Any, *path: str) -> Any:
    for name in path:
        if not isinstance(found, Mapping):
            return None
        found = found.get(name)
    return found


def _text(found: Mapping[str, Any], *paths: Iterable[str]) -> str:
    return str(_first(*(_at(found, *path) for path in paths)) or "")


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None and value != ""), None)


def number(value: Any) -> float | None:
    """The finite number that a value is or spells, None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _object(value: Any) -> dict[str, Any] | None:
    found = opened(value)
    return dict(found) if isinstance(found, Mapping) and found else None
