"""What does a report show of a conversation: who said what, with which tools and contexts?"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.report import numbers

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """One turn, ready to be shown.

    Attributes:
        heading: Its number, as the evidence of a score names it, and who speaks.
        role: Who speaks.
        text: What was said, "" for a turn that only calls tools.
        calls: The tools that it calls.
        contexts: The contexts retrieved for it.
        about: How many contexts there are, "" where none were recorded.
    """

    heading: str
    role: str
    text: str
    calls: Sequence[str]
    contexts: Sequence[str]
    about: str


def told(sample: Json) -> list[Told]:
    """The turns of a sample, none if it is no conversation."""
    return [_told(number, turn) for number, turn in enumerate(sample.get("turns") or (), start=1)]


def call(found: Json) -> str:
    """A tool call on one line: ``weather(city="Rome")``."""
    args = [f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in found["args"].items()]
    return f"{found['name']}({', '.join(args)})"


def _told(number: int, turn: Json) -> Told:
    contexts = turn["contexts"]
    return Told(
        f"Turn {number}, {turn['role']}",
        turn["role"],
        turn["text"],
        [call(found) for found in turn["tool_calls"]],
        contexts or (),
        "" if contexts is None else numbers.plural(len(contexts), "context"),
    )
