"""Messages in what went into a step and came out of it: question, answer, conversation."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from assay.data import conversations
from assay.data.columns import normal, recognised
from assay.data.conversations import is_thought
from assay.data.traces.attributes import Span, documents_in, is_text, opened
from assay.data.values import FieldError
from assay.sample import Turn

_DEEPEST: Final = 6
_MORE: Final = {
    "question": ("query_str", "query_bundle", "text", "content", "args", "kwargs"),
    "answer": ("result", "text", "content", "message", "generations", "choices"),
}
_SPEAKERS: Final = {
    "question": ("user", "human"),
    "answer": ("assistant", "ai", "model"),
}
_MESSAGES: Final = ("messages", "turns", "conversation")

Wanted = Literal["question", "answer"]


def text_in(value: Any, wanted: Wanted, depth: int = 0) -> str | None:
    """The question or the answer in a value; None if none can be told.

    A text is itself. Of messages it is the last one of the user, or of the assistant. Of an object
    it is what stands under a name that a data set could use too, or under its only name.
    """
    value = opened(value)
    if isinstance(value, str):
        return value.strip() if is_text(value) else None
    if depth > _DEEPEST or not value:
        return None
    if isinstance(value, Mapping):
        return _in_object(value, wanted, depth + 1)
    if isinstance(value, Sequence):
        return _in_list(value, wanted, depth + 1)
    return None


def contexts_in(value: Any) -> list[dict[str, Any]] | None:
    """The documents that an application gave back together with its answer."""
    value = opened(value)
    if not isinstance(value, Mapping):
        return None
    named = [name for name, field in recognised(map(str, value)).items() if field == "contexts"]
    lists = [value[name] for name in named if isinstance(value[name], list)]
    return documents_in(lists[0]) if len(lists) == 1 else None


def _in_object(value: Mapping[Any, Any], wanted: Wanted, depth: int) -> str | None:
    message = _as_message(value)
    if message is not None:
        return _content(message, wanted, depth) if _speaks(message, wanted) else None
    names = {str(key): key for key in value}
    known = [key for key, field in recognised(names).items() if field == wanted]
    known += [key for key in names if normal(key) in map(normal, _MORE[wanted])]
    known += [key for key in names if key in _MESSAGES]
    known += list(names) if len(names) == 1 else []
    tried = (text_in(value[names[key]], wanted, depth) for key in known)
    return next((text for text in tried if text), None)


def _in_list(value: Sequence[Any], wanted: Wanted, depth: int) -> str | None:
    """Of messages the last that fits; of anything else the only item."""
    messages = [message for item in value if (message := _as_message(item)) is not None]
    if messages and len(messages) == len(value):
        fitting = [message for message in messages if _speaks(message, wanted)]
        tried = (_content(message, wanted, depth) for message in reversed(fitting))
        return next((text for text in tried if text), None)
    return text_in(value[0], wanted, depth) if len(value) == 1 else None


def _as_message(item: Any) -> Mapping[str, Any] | None:
    """A message of any library, None if it is none."""
    if not isinstance(item, Mapping):
        return None
    names = item.get("id")
    if isinstance(item.get("kwargs"), Mapping) and isinstance(names, list) and names:
        return {"type": str(names[-1]), **item["kwargs"]}  # LangChain, serialised
    if isinstance(item.get("data"), Mapping) and "content" in item["data"]:
        return {**item["data"], "type": item.get("type")}  # LangChain, as a dict
    return item if _role(item) and ("content" in item or "parts" in item) else None


def _role(message: Mapping[str, Any]) -> str:
    said = str(message.get("role") or message.get("type") or "").lower()
    role = said.removesuffix("chunk").removesuffix("message")
    known = (*_SPEAKERS["question"], *_SPEAKERS["answer"], "system", "developer", "tool")
    return role if role in known else ""


def _speaks(message: Mapping[str, Any], wanted: Wanted) -> bool:
    return _role(message) in _SPEAKERS[wanted]


def _content(message: Mapping[str, Any], wanted: Wanted, depth: int) -> str | None:
    content = message.get("content") or message.get("parts")
    if isinstance(content, list):
        said = (p for p in content if not (isinstance(p, Mapping) and is_thought(p)))
        texts = [text_in(part, wanted, depth) for part in said]
        return "\n".join(text for text in texts if text) or None
    found = text_in(content, wanted, depth)
    if found is None and isinstance(content, str) and is_text(content):
        return content.strip()  # JSON that names no answer
    return found


Message = dict[str, Any]


def conversation(tops: Sequence[Span], models: Sequence[Span]) -> list[Message]:
    """The messages of an agent with its calls; empty where none tells of a call.

    They are those of the outermost step, or of the model's call that tells of most tools: its last
    one has seen all of the conversation.

    Args:
        tops: The outermost steps.
        models: Calls of models, in order.
    """
    told = [_turns(_listed(top.said, "assistant")) for top in tops]
    told += [
        _turns([*_listed(span.asked, "user"), *_listed(span.said, "assistant")])
        for span in reversed(models)
    ]
    best = max(told, key=_calls, default=())
    return [_message(turn) for turn in best] if _calls(best) else []


def ran(tool: Span) -> list[Message]:
    """A tool that ran, as the message that calls it and the one with what it returned."""
    call = {"name": tool.tool or tool.name or "tool", "args": _arguments(tool.asked)}
    found: list[Message] = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    if tool.said is not None:
        found.append({"role": "tool", "content": _returned(tool.said)})
    return found


def _listed(value: Any, role: str) -> list[Any]:
    """The messages that stand in a value; a text alone is one of that role."""
    found = opened(value)
    if isinstance(found, Mapping) and isinstance(found.get("messages"), list):
        found = found["messages"]
    if isinstance(found, str):
        return [{"role": role, "content": found}]
    if isinstance(found, list):
        return found
    return [] if found is None else [found]


def _turns(given: list[Any]) -> tuple[Turn, ...]:
    try:
        return conversations.turns(given, "json")
    except FieldError:  # something else than messages
        return ()


def _calls(turns: Sequence[Turn]) -> int:
    return sum(len(turn.tool_calls) for turn in turns)


def _message(turn: Turn) -> Message:
    called = [{"name": call.name, "args": dict(call.args)} for call in turn.tool_calls]
    return {"role": turn.role, "content": turn.text, **({"tool_calls": called} if called else {})}


def _arguments(asked: Any) -> dict[str, Any]:
    given = opened(asked)
    if not isinstance(given, Mapping):
        return {} if given in (None, "") else {"input": given}
    inside = given.get("kwargs")  # LlamaIndex: what the function was called with
    return dict(inside if isinstance(inside, Mapping) else given)


def _returned(said: Any) -> str:
    """The text of what a tool returned: its message's, or the whole as JSON."""
    found = opened(said)
    (turn, *_) = _turns([found]) or (None,)
    if turn is not None:
        return turn.text
    raw = found.get("raw_output") if isinstance(found, Mapping) else None  # LlamaIndex
    kept = found if raw is None else raw
    return kept if isinstance(kept, str) else json.dumps(kept, ensure_ascii=False, default=str)
