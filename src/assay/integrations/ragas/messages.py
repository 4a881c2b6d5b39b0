"""What was said in a conversation, as ragas writes it: messages and tool calls."""

from typing import Any, Literal

from assay.integrations.ragas.models import BaseModel


class Message(BaseModel):
    """One message.

    Attributes:
        content: Its text.
        metadata: Whatever belongs to it.
    """

    content: str
    metadata: dict[str, Any] | None = None


class ToolCall(BaseModel):
    """A tool that was called, or should have been.

    Attributes:
        name: The tool's name.
        args: Its arguments by name.
    """

    name: str
    args: dict[str, Any]


class HumanMessage(Message):
    """What the user said."""

    type: Literal["human"] = "human"

    def pretty_repr(self) -> str:
        """The message as a line of a transcript."""
        return f"Human: {self.content}"


class ToolMessage(Message):
    """What a tool gave back."""

    type: Literal["tool"] = "tool"

    def pretty_repr(self) -> str:
        """The message as a line of a transcript."""
        return f"ToolOutput: {self.content}"


class AIMessage(Message):
    """What the assistant said.

    Attributes:
        tool_calls: Tools that it called.
    """

    type: Literal["ai"] = "ai"
    tool_calls: list[ToolCall] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Text, tool calls and speaker as plain values."""
        called = [call.model_dump() for call in self.tool_calls or ()]
        content = {"text": self.content, "tool_calls": called} if called else self.content
        return {"content": content, "type": self.type}

    def pretty_repr(self) -> str:
        """The message, and the tools below it, as lines of a transcript."""
        said = [f"AI: {self.content}"] if self.content else []
        calls = [f"  {call.name}: {call.args}" for call in self.tool_calls or ()]
        return "\n".join([*said, *(["Tools:", *calls] if self.tool_calls is not None else [])])
