"""Which tools did an agent call, and what did they return? A conversation, where it called any."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assay.dataset import messages
from assay.dataset.traces.span import Span
from assay.dataset.traces.vocabulary import opened
from assay.dataset.values import FieldError
from assay.sample import Turn

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
        return messages.turns(given, "json")
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
