"""How is a measured judge shown where Markdown is read?"""

from collections.abc import Mapping
from typing import Any

from assay.report import bench as words
from assay.report.markdown import code, inline, joined

Json = Mapping[str, Any]


def render(card: Json, beside: Json | None = None) -> str:
    """Every set with its figures, or with why there are none."""
    blocks = [
        f"# How far {code(card['judge'])} agrees with people",
        f"Measured on {inline(words.rows(card))}.",
    ]
    for one in card["sets"]:
        blocks += [f"## {one['name']}: {inline(one['about'])}"]
        if one["skipped"]:
            blocks.append(inline(one["skipped"]))
            continue
        blocks.append("\n".join(_table(one, beside)))
        beneath = [text for text in (words.sources(one), words.took(one)) if text]
        blocks += [f"{inline(text)}." for text in beneath]
    blocks.append("\n".join(f"- {inline(note)}" for note in words.notes(card, beside)))
    return joined(blocks)


def _table(one: Json, beside: Json | None) -> list[str]:
    heads, rows = words.table(one, beside)
    lines = [
        f"| {' | '.join(heads)} |",
        f"|{'|'.join('---:' if head in words.RIGHT else ':---' for head in heads)}|",
    ]
    for figure, row in zip(one["figures"], rows, strict=True):
        cells = [inline(cell) for cell in row]
        if remarks := words.remarks(figure):
            cells[0] += f"<br>{inline(remarks)}"
        lines.append(f"| {' | '.join(cells)} |")
    return lines
