"""How is a measured judge shown where Markdown is read?"""

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.bench.card import JudgeCard, Measured
from assay.report import bench as words
from assay.report.markdown import code, inline, joined, table

Json = Mapping[str, Any]


def render(data: Json, beside: Json | None = None) -> str:
    """Every set with its figures, or with why there are none; beside those of another judge."""
    card = msgspec.convert(data, JudgeCard)
    other = msgspec.convert(beside, JudgeCard) if beside else None
    blocks = [
        f"# How far {code(card.judge)} agrees with people",
        f"Measured on {inline(words.rows(card))}.",
    ]
    for one in card.sets:
        blocks += [f"## {one.name}: {inline(one.about)}"]
        if one.skipped:
            blocks.append(inline(one.skipped))
            continue
        blocks.append(_table(one, other))
        beneath = [text for text in (words.sources(one), words.took(one)) if text]
        blocks += [f"{inline(text)}." for text in beneath]
    blocks.append("\n".join(f"- {inline(note)}" for note in words.notes(card, other)))
    return joined(blocks)


def _table(one: Measured, beside: JudgeCard | None) -> str:
    heads, rows = words.table(one, beside)
    cells = [[inline(cell) for cell in row] for row in rows]
    for figure, row in zip(one.figures, cells, strict=True):
        if remarks := words.remarks(figure):
            row[0] += f"<br>{inline(remarks)}"
    return table({head: "---:" if head in words.RIGHT else ":---" for head in heads}, cells)
