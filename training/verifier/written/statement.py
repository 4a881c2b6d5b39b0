"""A written sentence with its label, and several of them as one text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

NAMED = 200  # characters of a source that name it


class Statement(NamedTuple):
    """A sentence, its label, and the stretch of it that makes it wrong; "" if nothing does."""

    text: str
    label: str
    wrong: str


def joined(said: Sequence[Statement]) -> tuple[str, tuple[tuple[int, int, str], ...]]:
    """Them as one text, and the characters of it that are wrong, with their labels."""
    text, spans = "", list[tuple[int, int, str]]()
    for statement in said:
        start = len(text) + bool(text)
        text = f"{text} {statement.text}".strip()
        if statement.wrong:
            place = start + statement.text.index(statement.wrong)
            spans.append((place, place + len(statement.wrong), statement.label))
    return text, tuple(spans)
