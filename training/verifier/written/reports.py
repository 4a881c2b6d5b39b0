"""Whole texts about a source, as assistants write them: which of their sentences follow from it?

Records, tables, news, dialogues and passages with two texts each. Nothing that people labelled and
that may be trained on holds texts about records, and little summaries.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from assay.experiments.reader_windows import Row
from training.verifier.written.statement import NAMED, Statement, joined, records

WHOLE, PARTS = "written/report", "written/part"  # what their rows are named
LISTS, ITEMS = "written/list", "written/item"  # ... and those of bullet points with their lead-in
TEXTS = Path(__file__).parent / "reports"
PART = 3  # sentences of a text at most that stand without the others


class Report(NamedTuple):
    """What was told about, as contexts, and two texts about it."""

    field: str
    contexts: tuple[str, ...]
    texts: tuple[tuple[Statement, ...], ...]
    group: str  # what it is kept aside with
    msmarco: bool = False  # whether its contexts are MS MARCO's


@cache
def reports() -> tuple[Report, ...]:
    """All of them, in the order of the files."""
    return tuple(_read(field, record) for field, record in records(TEXTS))


def _read(field: str, record: dict[str, Any]) -> Report:
    texts = tuple(tuple(Statement(**said) for said in text) for text in record["texts"])
    contexts = _contexts(field, record["source"])
    return Report(field, contexts, texts, "\n".join(contexts)[:NAMED])


def _contexts(field: str, source: dict[str, object] | list[str]) -> tuple[str, ...]:
    """Records as programs write them; passages apart; what is one text as one."""
    if isinstance(source, dict):
        style = random.Random(str(source)).choice((None, 2, "python"))
        return (str(source) if style == "python" else json.dumps(source, indent=style),)
    return tuple(source) if field.startswith("answers") else ("\n".join(source),)


def rows(seed: int = 0) -> Iterator[Row]:
    """Every text whole, and again in parts of up to three sentences."""
    texts = [one for one in reports() if one.field != "lists"]
    return cut(texts, (WHOLE, PARTS), f"{seed} reports")


def lists(seed: int = 0) -> Iterator[Row]:
    """The bullet points, as `rows`."""
    points = [one for one in reports() if one.field == "lists"]
    return cut(points, (LISTS, ITEMS), f"{seed} lists")


def cut(made: Iterable[Report], names: tuple[str, str], seed: str) -> Iterator[Row]:
    """Every text whole, in a set of the first name, and its parts, in one of the second."""
    rng = random.Random(seed)
    for one in made:
        for text in one.texts:
            yield row(names[0], one, text)
            start = 0
            while start < len(text):
                size = rng.randint(1, PART)
                yield row(names[1], one, text[start : start + size])
                start += size


def row(data: str, one: Report, said: Sequence[Statement]) -> Row:
    """Some sentences of a text as one row."""
    text, spans = joined(said)
    return Row(data, one.group, "", one.contexts, text, None, spans, one.msmarco)
