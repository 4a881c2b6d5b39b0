"""How is a conversation told to a judge, and which exchanges does it hold?"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from assay.sample import ToolCall, Turn


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message of the assistant with what it answers.

    Attributes:
        number: Which turn of the conversation it is, counted from 1.
        question: The user's last message before it, "" if there is none.
        earlier: What was said before, oldest first: "user: ..." and "assistant: ...".
        answer: The assistant's message.
        contexts: What was retrieved for it; None if not recorded.
        results: What tools returned since the user's message.
    """

    number: int
    question: str
    earlier: tuple[str, ...]
    answer: str
    contexts: tuple[str, ...] | None
    results: tuple[str, ...]


def exchanges(turns: Sequence[Turn], window: int) -> list[Exchange]:
    """The messages in which the assistant says something.

    Args:
        turns: The conversation.
        window: How many earlier messages are shown with each.
    """
    return [
        _exchange(turns, at, window)
        for at, turn in enumerate(turns)
        if turn.role == "assistant" and turn.text.strip()
    ]


def call(found: ToolCall) -> str:
    """A tool call on one line: ``weather(city="Rome")``."""
    args = [f"{name}={shown(value)}" for name, value in found.args.items()]
    return f"{found.name}({', '.join(args)})"


def shown(value: object) -> str:
    """An argument as JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)


def transcript(turns: Sequence[Turn]) -> str:
    """The whole conversation as text, tools included."""
    return "\n".join(line for turn in turns for line in _lines(turn))


def _exchange(turns: Sequence[Turn], at: int, window: int) -> Exchange:
    asked = max((n for n in range(at) if turns[n].role == "user"), default=-1)
    before = [
        f"{turn.role}: {turn.text}"
        for n, turn in enumerate(turns[:at])
        if n != asked and turn.role in ("user", "assistant") and turn.text.strip()
    ]
    since = turns[asked + 1 : at]
    return Exchange(
        at + 1,
        turns[asked].text if asked >= 0 else "",
        tuple(before[-window:]) if window else (),
        turns[at].text,
        turns[at].contexts,
        tuple(turn.text for turn in since if turn.role == "tool" and turn.text.strip()),
    )


def _lines(turn: Turn) -> list[str]:
    said = [f"{turn.role}: {turn.text}"] if turn.text.strip() else []
    return said + [f"{turn.role} calls {call(found)}" for found in turn.tool_calls]
