"""Spans, and what their attributes mean by OpenInference, OpenTelemetry's conventions, TruLens.

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
    # TruLens, beside names that others have as well
    "record_root": "chain",
    "nested_record_root": "chain",
    "workflow_step": "chain",
    "graph_node": "chain",
    "graph_task": "chain",
    "reranking": "reranker",
    "mcp": "tool",
}
_MASKED: Final = "__REDACTED__"  # what OpenInference writes where it was told to hide
# How Python shows an object that is no text: <Name(...)>, Name(field=Other(...
_OBJECT: Final = re.compile(
    r"<\w+\(.*\)>\Z|[A-Z]\w+\(\w+=[\[<]?[A-Z]\w+\(.*(\)|\.\.\.)\Z", re.DOTALL
)
_TEXTS: Final = ("page_content", "content", "text", "document.content")
_DOCUMENT_PATHS: Final = (
    ("reranker", "output_documents"),
    ("retrieval", "documents"),
    ("gen_ai", "retrieval", "documents"),
    ("ai", "observability", "reranking", "output_context_texts"),
    ("ai", "observability", "retrieval", "retrieved_contexts"),
)
_SCORES: Final = ("relevance_score", "score", "_score", "similarity")  # where LangChain has them
_IDS: Final = ("id", "id_", "node_id", "doc_id", "document.id")


@dataclass(frozen=True, slots=True)
class Span:
    """One step, understood."""

    trace: str  # id of the trace that it belongs to
    id: str  # its own id
    parent: str = ""  # id of the span around it, "" if there is none
    name: str = ""  # what it is called
    kind: Kind = ""  # what it does; "" for what has nothing to do with a language model
    start: int | None = None  # when it began, nanoseconds since 1970; None if not recorded
    end: int | None = None  # when it ended
    input: Any = None  # what went in: text, messages or an object
    output: Any = None  # what came out
    # What it retrieved, best first, each with "text", "id", "score" and what else stood there; None
    # if not recorded.
    documents: Sequence[Mapping[str, Any]] | None = None
    tokens: int | None = None  # tokens that it took, prompt and reply
    cost: float | None = None  # money that it took
    session: str = ""  # the conversation that it belongs to, "" if not recorded
    model: str = ""  # the language model, "" if not recorded
    tool: str = ""  # the tool that it is a call of, "" if not recorded
    error: str = ""  # why it failed, "" if it did not
    metadata: Mapping[str, Any] | None = None  # what else the application noted


def nanoseconds(value: Any) -> int | None:
    """A point of time in nanoseconds since 1970, from digits or an ISO 8601 text; None if none."""
    if isinstance(value, str):
        value = int(value) if value.isdecimal() and len(value) < 20 else _iso(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 < value < _LAST else None


def _iso(text: str) -> int | None:
    try:
        time = datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    except ValueError:
        return None
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    elapsed = time - datetime(1970, 1, 1, tzinfo=UTC)
    return (elapsed.days * 86400 + elapsed.seconds) * 10**9 + elapsed.microseconds * 1000


def iso_time(nanoseconds: int) -> str:
    """The point of time as ISO 8601, to the second."""
    return datetime.fromtimestamp(nanoseconds // 10**9, UTC).isoformat()


def understand(attributes: Mapping[str, Any], kind: str = "") -> dict[str, Any]:
    """The fields of a Span that its attributes hold.

    Args:
        attributes: Name -> value, as recorded.
        kind: OpenInference's kind, where it stands beside the attributes.
    """
    unfolded = unfold(attributes)  # a list, if all names are numbers
    fields = unfolded if isinstance(unfolded, Mapping) else {}
    openinference = _get_path(fields, "openinference", "span", "kind") or kind
    operation = _get_path(fields, "gen_ai", "operation", "name")
    langfuse = _get_path(fields, "langfuse", "observation", "type")
    trulens = _get_path(fields, "ai", "observability", "span_type")
    kind = str(openinference or trulens or operation or langfuse or "")
    known_kind = _KINDS.get(kind.lower(), "")
    retrieves = known_kind in ("retriever", "reranker")
    output = _output(fields)
    return {
        "kind": known_kind,
        "input": _input(fields),
        "output": output,
        "documents": _documents(fields, output) if retrieves else None,
        "tokens": _tokens(fields),
        "cost": number(
            first_filled(
                _get_path(fields, "llm", "cost", "total"),
                _get_path(fields, "ai", "observability", "cost", "cost"),
            )
        ),
        "session": _text(
            fields,
            ("session", "id"),
            ("gen_ai", "conversation", "id"),
            ("ai", "observability", "conversation_id"),
        ),
        "model": _text(
            fields,
            ("llm", "model_name"),
            ("gen_ai", "response", "model"),
            ("gen_ai", "request", "model"),
            ("ai", "observability", "cost", "model"),
        ),
        "tool": _text(fields, ("tool", "name"), ("gen_ai", "tool", "name")),
        "metadata": json_object(fields.get("metadata")),
    }


def unfold(value: Any) -> Any:
    """Attributes as the object that their dotted names spell: numbers are places in a list."""
    if isinstance(value, list):
        return [unfold(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    top: dict[str, Any] = {}
    for key, item in value.items():
        if item is not None:
            _set_path(top, str(key).split("."), unfold(item))
    return _with_lists(top)


def _set_path(top: dict[str, Any], path: list[str], item: Any) -> None:
    for name in path[:-1]:
        inside = top.setdefault(name, {})
        if isinstance(inside, list):
            inside = {str(index): present for index, present in enumerate(inside)}
        elif not isinstance(inside, dict):
            inside = {"": inside}  # both "a" and "a.b" are given
        top[name] = inside
        top = inside
    present = top.get(path[-1])
    if isinstance(present, dict):
        top[path[-1]] = {**present, **item} if isinstance(item, dict) else {**present, "": item}
    else:
        top[path[-1]] = item


def _with_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    items = {key: _with_lists(item) for key, item in value.items()}
    if items and all(key.isdecimal() for key in items):
        return [items[key] for key in sorted(items, key=int)]
    return items


def parse_json(value: Any, beginnings: Sequence[str] = ("{", "[")) -> Any:
    """What a text spells as JSON if it begins so, else the value; None for what was hidden."""
    if value == _MASKED:
        return None
    if isinstance(value, str) and value.lstrip()[:1] in beginnings:
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def is_text(value: str) -> bool:
    """Whether it says something, and is not how Python shows an object."""
    return bool(value.strip()) and value != _MASKED and not _OBJECT.match(value)


def documents_in(value: Any) -> list[dict[str, Any]] | None:
    """The documents that a step gave back; None if it gave something else."""
    value = parse_json(value)
    if isinstance(value, Mapping):
        lists = [item for item in value.values() if isinstance(item, list)]
        if len(lists) != 1:
            return None
        value = lists[0]
    if not isinstance(value, list):
        return None
    documents = [_document(item) for item in value]
    return [item for item in documents if item] if all(documents) else None


def _documents(fields: Mapping[str, Any], output: Any) -> list[dict[str, Any]] | None:
    values = (parse_json(_get_path(fields, *path)) for path in _DOCUMENT_PATHS)
    recorded = next((value for value in values if isinstance(value, list)), None)
    returned = documents_in(output)
    if recorded is None:
        return returned
    documents = [document for item in recorded if (document := _document(item))]
    if len(documents) < len(recorded):
        return returned  # hidden: what nobody may see is not "nothing found"
    # LangChain's instrumentation leaves the ids out of the attributes.
    if returned and len(returned) == len(documents):
        pairs = zip(returned, documents, strict=True)
        documents = [{**base, **document} for base, document in pairs]
    return documents


def _document(item: Any) -> dict[str, Any] | None:
    """A document as "text", "id", "score" and "metadata", as far as it has them."""
    if isinstance(item, str):
        return {"text": item} if is_text(item) else None
    if not isinstance(item, Mapping):
        return None
    # LlamaIndex has the text in a node beside the score, OpenInference everything in a document.
    node = item.get("node", item.get("document"))
    inside = {**item, **node} if isinstance(node, Mapping) else item
    text = next((inside[key] for key in _TEXTS if isinstance(inside.get(key), str)), None)
    id_ = next((inside[key] for key in _IDS if inside.get(key) not in (None, "")), None)
    metadata = json_object(inside.get("metadata")) or {}
    fields = {
        "text": None if text == _MASKED else text,
        "id": id_,
        "score": number(
            first_filled(inside.get("score"), *(metadata.get(name) for name in _SCORES))
        ),
        "metadata": metadata,
    }
    present = {key: value for key, value in fields.items() if value not in (None, {})}
    return present if "text" in present or "id" in present else None


def _input(fields: Mapping[str, Any]) -> Any:
    return first_filled(
        _messages(_get_path(fields, "llm", "input_messages")),
        _messages(_get_path(fields, "gen_ai", "input", "messages")),
        _messages(_get_path(fields, "gen_ai", "prompt")),
        parse_json(_get_path(fields, "gen_ai", "retrieval", "query", "text")),
        parse_json(_get_path(fields, "gen_ai", "tool", "call", "arguments")),
        parse_json(_get_path(fields, "input", "value")),
        parse_json(_get_path(fields, "langfuse", "observation", "input")),
        parse_json(_get_path(fields, "ai", "observability", "record_root", "input")),
        parse_json(_get_path(fields, "ai", "observability", "retrieval", "query_text")),
    )


def _output(fields: Mapping[str, Any]) -> Any:
    return first_filled(
        _messages(_get_path(fields, "llm", "output_messages")),
        _messages(_get_path(fields, "gen_ai", "output", "messages")),
        _messages(_get_path(fields, "gen_ai", "completion")),
        parse_json(_get_path(fields, "gen_ai", "tool", "call", "result")),
        parse_json(_get_path(fields, "output", "value")),
        parse_json(_get_path(fields, "langfuse", "observation", "output")),
        parse_json(_get_path(fields, "ai", "observability", "record_root", "output")),
    )


def _messages(value: Any) -> list[dict[str, Any]] | str | None:
    """Messages with role, text and tool calls; None where there are neither in any of them."""
    value = parse_json(value)
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    messages = []
    for item in value:
        message = item.get("message", item) if isinstance(item, Mapping) else None
        if isinstance(message, Mapping):
            text, calls = _content(message), _tool_calls(message)
            if text or calls:
                role = str(message.get("role") or "assistant")
                with_calls = {"tool_calls": calls} if calls else {}
                messages.append({"role": role, "content": text, **with_calls})
    return messages or None


def _tool_calls(message: Mapping[str, Any]) -> list[Any]:
    calls = parse_json(message.get("tool_calls"))
    if isinstance(calls, list):
        return [c.get("tool_call", c) if isinstance(c, Mapping) else c for c in calls]
    message_parts = parse_json(message.get("parts"))
    items = message_parts if isinstance(message_parts, list) else []
    return [p for p in items if isinstance(p, Mapping) and p.get("type") == "tool_call"]


def _content(message: Mapping[str, Any]) -> str:
    recorded = first_filled(message.get("content"), message.get("parts"), message.get("contents"))
    content = parse_json(recorded)
    if not isinstance(content, list):
        return recorded if isinstance(recorded, str) and content is not None else ""
    texts = []
    for item in content:
        value = item.get("message_content", item) if isinstance(item, Mapping) else item
        if isinstance(value, Mapping):
            if is_thought(value):
                continue
            result = first_filled(value.get("response"), value.get("result"))  # of a tool
            value = first_filled(value.get("text"), value.get("content"), _as_text(result))
        if isinstance(value, str):
            texts.append(value)
    return "\n".join(texts)


def _as_text(value: Any) -> str | None:
    is_text = value is None or isinstance(value, str)
    return value if is_text else json.dumps(value, ensure_ascii=False)


def _tokens(fields: Mapping[str, Any]) -> int | None:
    counts = _get_path(fields, "llm", "token_count") or {}
    usage = _get_path(fields, "gen_ai", "usage") or {}
    total = number(
        first_filled(
            _plain_value(counts, "total"),
            _plain_value(usage, "total_tokens"),
            _get_path(fields, "ai", "observability", "cost", "num_tokens"),
        )
    )
    if total is None:
        parts = [
            number(
                first_filled(_plain_value(counts, "prompt"), _plain_value(usage, "input_tokens"))
            ),
            number(
                first_filled(
                    _plain_value(counts, "completion"), _plain_value(usage, "output_tokens")
                )
            ),
        ]
        counted = [count for count in parts if count is not None]
        total = number(sum(counted)) if counted else None
    return None if total is None else int(total)


def _plain_value(fields: Any, key: str) -> Any:
    """The value itself, where longer names begin with its name."""
    field = fields.get(key) if isinstance(fields, Mapping) else None
    return field.get("") if isinstance(field, Mapping) else field


def _get_path(value: Any, *path: str) -> Any:
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _text(fields: Mapping[str, Any], *paths: Iterable[str]) -> str:
    return str(first_filled(*(_get_path(fields, *path) for path in paths)) or "")


def first_filled(*values: Any) -> Any:
    """The first value that is neither None nor an empty text."""
    return next((value for value in values if value is not None and value != ""), None)


def number(value: Any) -> float | None:
    """The finite number that a value is or spells, None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        parsed = float(value)
    except (ValueError, OverflowError):
        return None
    return parsed if math.isfinite(parsed) else None


def json_object(value: Any) -> dict[str, Any] | None:
    """The object that a value is or spells, None if it is none or empty."""
    parsed = parse_json(value)
    return dict(parsed) if isinstance(parsed, Mapping) and parsed else None
