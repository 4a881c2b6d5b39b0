"""What an adapted embedder gained, in words: the telecom study's table of retrievers."""

from collections.abc import Mapping
from typing import Any

from assay._report import numbers
from assay._report.comparison import between, signed
from assay._report.sections import Section, Sections

Json = Mapping[str, Any]


def report(data: Json) -> Sections:
    """The table of an adaptation as plain values."""
    facts = [("base", data["base"]), ("adapted", data["folder"]), ("questions", _questions(data))]
    text = "Questions are sentences taken out of the passages: users ask in other words, and may"
    warnings = [f"{text} find less gained, or more."] if data["by_rule"] else []
    heads = ("retrieval", "base", "adapted", "adapted - base", "")
    level = f"{numbers.percent(data['level'])} %"
    note = f"Among {numbers.plural(data['passages'], 'passage')}. In brackets {level} intervals, "
    note += "clustered by document; of the differences, over the same questions."
    rows = list(map(_row, data["gains"]))
    table = Section("Retrieval of held-out questions", heads, rows, [note])
    return Sections("An embedder adapted to a corpus", facts, warnings, [table])


def _questions(data: Json) -> str:
    held_out = numbers.plural(data["held_out"], "question")
    documents = numbers.plural(data["documents"], "document")
    text = f"{data['train']:,} to learn from; {held_out} about {documents} held out"
    return f"{text}; {data['left_out']:,} left out" if data["left_out"] else text


def _row(gain: Json) -> list[str]:
    pairs = gain["paired"]
    ends, difference = pairs["interval"], signed(pairs["difference"])
    return [
        gain["measure"],
        _beside(pairs["before"], gain["base"]),
        _beside(pairs["after"], gain["adapted"]),
        f"{difference} ({between(ends)})" if ends else difference,
        gain["verdict"],
    ]


def _beside(mean: float, ends: Json | None) -> str:
    return f"{numbers.score(mean)} ({numbers.span((ends['low'], ends['high']) if ends else None)})"
