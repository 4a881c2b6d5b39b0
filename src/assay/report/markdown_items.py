"""How is an item analysis shown where Markdown is read?"""

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.analysis.items import ItemAnalysis
from assay.report import items as words
from assay.report.markdown import code, inline, joined, table

Json = Mapping[str, Any]


def render(data: Json, *, most: int) -> str:
    """The systems, what to read beside them, and the questions that are flagged."""
    found = msgspec.convert(data, ItemAnalysis)
    sides = {head: "---:" if place else ":---" for place, head in enumerate(words.SYSTEM_HEADS)}
    blocks = [
        f"## {code(found.metric)}: systems and questions",
        f"{inline(words.title(found))}.",
        table(sides, (map(inline, words.system(one)) for one in found.systems)),
        "\n".join(f"- {inline(note)}" for note in words.notes(found)),
    ]
    for title, questions in words.lists(found):
        lines = [
            f"- {words.answers(q, found.systems)} {code(q.sample)} {inline(q.question)}"
            for q in questions[:most]
        ]
        if len(questions) > most:
            lines.append(f"- ... {len(questions) - most} more")
        blocks += [f"### {inline(title)}", "\n".join(lines)]
    return joined(blocks)
