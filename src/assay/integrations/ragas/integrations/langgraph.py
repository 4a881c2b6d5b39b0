"""The messages of an agent of LangGraph as ragas writes them."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from assay.integrations.naming import text_of
from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.messages import (
    AIMessage,
    HumanMessage,
    Message,
    ToolCall,
    ToolMessage,
)

_KINDS: dict[str, type[Message]] = {"human": HumanMessage, "ai": AIMessage, "tool": ToolMessage}


def convert_to_ragas_messages(
    messages: Iterable[Any],
    metadata: bool = False,  # noqa: FBT001, FBT002 - as ragas has it
) -> list[Message]:
    """Messages of LangChain as ragas writes them; those of the system are left out.

    Args:
        messages: The messages, ``result["messages"]`` of a graph.
        metadata: Whether to keep all that belongs to a message.

    Raises:
        ValueError: If a message is of no known kind.
    """
    return [_message(one, metadata) for one in messages if one.type != "system"]


def _message(one: Any, metadata: bool) -> Message:  # noqa: FBT001
    if one.type not in _KINDS:
        raise ValueError(f"Unsupported message type: {type(one).__name__}")
    given: dict[str, Any] = {"content": text_of(one.content)}
    if metadata:
        given["metadata"] = {k: v for k, v in vars(one).items() if k != "content"}
    if called := getattr(one, "tool_calls", None):
        given["tool_calls"] = [ToolCall(name=c["name"], args=c["args"]) for c in called]
    return _KINDS[one.type](**given)


__getattr__ = partial(missing, "integrations")
