"""Messages in what went into a step and came out of it: question, answer, conversation."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from assay._text.misspelt import normal
from assay.data import conversations
from assay.data.columns import recognised
from assay.data.traces.attributes import Span, documents_in, is_text, parse_json
from assay.data.values import FieldError
from assay.sample import Turn

_MAX_DEPTH: Final = 6
_KEYS: Final = {
    "question": ("query_str", "query_bundle", "text", "content", "args", "kwargs"),
    "answer": ("result", "text", "content", "message", "generations", "choices"),
}
_SPEAKERS: Final = {
    "question": ("user", "human"),
    "answer": ("assistant", "ai", "model"),
}
_LISTS: Final = ("messages", "turns", "conversation")

Side = Literal["question", "answer"]
Message = dict[str, Any]


def text_in(value: Any, side: Side, depth: int = 0) -> str | None:
    """The question or the answer in a value; None if there is none.

    A text is itself. Of messages it is the last one of the user, or of the assistant. Of an object
    it is what stands under a name that a data set could use too, or under its only name.
    """
    value = parse_json(value)
    if isinstance(value, str):
        return value.strip() if is_text(value) else None
    if depth > _MAX_DEPTH or not value:
        return None
    if isinstance(value, Mapping):
        return _in_object(value, side, depth + 1)
    if isinstance(value, Sequence):
        return _in_list(value, side, depth + 1)
    return None


def contexts_in(value: Any) -> list[dict[str, Any]] | None:
    """The documents that an application gave back together with its answer."""
    value = parse_json(value)
    if not isinstance(value, Mapping):
        return None
    names = [name for name, field in recognised(map(str, value)).items() if field == "contexts"]
    lists = [value[name] for name in names if isinstance(value[name], list)]
    return documents_in(lists[0]) if len(lists) == 1 else None


def _in_object(value: Mapping[Any, Any], side: Side, depth: int) -> str | None:
    message = _as_message(value)
    if message is not None:
        return _content(message, side, depth) if _speaks(message, side) else None
    names = {str(key): key for key in value}
    keys = [key for key, field in recognised(names).items() if field == side]
    keys += [key for key in names if normal(key) in map(normal, _KEYS[side])]
    keys += [key for key in names if key in _LISTS]
    keys += list(names) if len(names) == 1 else []
    tried = (text_in(value[names[key]], side, depth) for key in keys)
    return next((text for text in tried if text), None)


def _in_list(value: Sequence[Any], side: Side, depth: int) -> str | None:
    messages = [message for item in value if (message := _as_message(item)) is not None]
    if messages and len(messages) == len(value):
        fitting = [message for message in messages if _speaks(message, side)]
        tried = (_content(message, side, depth) for message in reversed(fitting))
        return next((text for text in tried if text), None)
    return text_in(value[0], side, depth) if len(value) == 1 else None


def _as_message(item: Any) -> Mapping[str, Any] | None:
    """A message of any library, None if it is none."""
    if not isinstance(item, Mapping):
        return None
    names = item.get("id")
    if isinstance(item.get("kwargs"), Mapping) and isinstance(names, list) and names:
        return {"type": str(names[-1]), **item["kwargs"]}  # LangChain, serialised
    if isinstance(item.get("data"), Mapping) and "content" in item["data"]:
        return {**item["data"], "type": item.get("type")}  # LangChain, as a dict
    return item if _role_of(item) and ("content" in item or "parts" in item) else None


def _role_of(message: Mapping[str, Any]) -> str:
    name = str(message.get("role") or message.get("type") or "").lower()
    role = name.removesuffix("chunk").removesuffix("message")
    roles = (*_SPEAKERS["question"], *_SPEAKERS["answer"], "system", "developer", "tool")
    return role if role in roles else ""


def _speaks(message: Mapping[str, Any], side: Side) -> bool:
    return _role_of(message) in _SPEAKERS[side]


def _content(message: Mapping[str, Any], side: Side, depth: int) -> str | None:
    content = message.get("content") or message.get("parts")
    if isinstance(content, list):
        spoken = (
            p for p in content if not (isinstance(p, Mapping) and conversations.is_thought(p))
        )
        texts = [text_in(item, side, depth) for item in spoken]
        return "\n".join(text for text in texts if text) or None
    text = text_in(content, side, depth)
    if text is None and isinstance(content, str) and is_text(content):
        return content.strip()  # JSON that names no answer
    return text


def conversation(tops: Sequence[Span], models: Sequence[Span]) -> list[Message]:
    """The messages of an agent with its calls; empty where none records a call.

    They are those of the outermost step, or of the model's call that records most tools: its last
    one has seen all of the conversation.

    Args:
        tops: The outermost steps.
        models: Calls of models, in order.
    """
    candidates = [_turns(_messages_in(top.output, "assistant")) for top in tops]
    candidates += [
        _turns([*_messages_in(span.input, "user"), *_messages_in(span.output, "assistant")])
        for span in reversed(models)
    ]
    best = max(candidates, key=_n_calls, default=())
    return [_message(turn) for turn in best] if _n_calls(best) else []


def tool_messages(tool: Span) -> list[Message]:
    """A tool that ran, as the message that calls it and the one with what it returned."""
    call = {"name": tool.tool or tool.name or "tool", "args": _arguments(tool.input)}
    messages: list[Message] = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    if tool.output is not None:
        messages.append({"role": "tool", "content": _result_text(tool.output)})
    return messages


def _messages_in(value: Any, role: str) -> list[Any]:
    """Messages in a value; a text alone is one of the given role."""
    content = parse_json(value)
    if isinstance(content, Mapping) and isinstance(content.get("messages"), list):
        content = content["messages"]
    if isinstance(content, str):
        return [{"role": role, "content": content}]
    if isinstance(content, list):
        return content
    return [] if content is None else [content]


def _turns(messages: list[Any]) -> tuple[Turn, ...]:
    try:
        return conversations.turns(messages, "json")
    except FieldError:  # something else than messages
        return ()


def _n_calls(turns: Sequence[Turn]) -> int:
    return sum(len(turn.tool_calls) for turn in turns)


def _message(turn: Turn) -> Message:
    calls = [{"name": call.name, "args": dict(call.args)} for call in turn.tool_calls]
    return {"role": turn.role, "content": turn.text, **({"tool_calls": calls} if calls else {})}


def _arguments(value: Any) -> dict[str, Any]:
    parsed = parse_json(value)
    if not isinstance(parsed, Mapping):
        return {} if parsed in (None, "") else {"input": parsed}
    inside = parsed.get("kwargs")  # LlamaIndex: what the function was called with
    return dict(inside if isinstance(inside, Mapping) else parsed)


def _result_text(output: Any) -> str:
    """The text of what a tool returned: its message's, or the whole as JSON."""
    parsed = parse_json(output)
    (turn, *_) = _turns([parsed]) or (None,)
    if turn is not None:
        return turn.text
    raw = parsed.get("raw_output") if isinstance(parsed, Mapping) else None  # LlamaIndex
    result = parsed if raw is None else raw
    return (
        result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    )
