"""A written sentence with its label, and several of them as one text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

NAMED = 200  # characters of a source that name it


class Statement(NamedTuple):
    """A sentence, its label, and the stretch of it that makes it wrong; "" if nothing does."""

    text: str
    label: str
    wrong: str


def records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name of the file, object) of every line of a folder's files, in the order of the names."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield path.stem, json.loads(line)


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
