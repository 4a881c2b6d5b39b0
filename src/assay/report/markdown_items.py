"""How is an item analysis shown where Markdown is read?"""

from collections.abc import Mapping
from typing import Any

from assay.report import items as words
from assay.report.markdown import code, inline, joined

Json = Mapping[str, Any]


def render(data: Json, *, most: int) -> str:
    """The systems, what to read beside them, and the questions that are flagged."""
    rows = [f"| {' | '.join(words.SYSTEM_HEADS)} |", "|:---|---:|---:|---:|---:|"]
    rows += [f"| {' | '.join(map(inline, words.system(one)))} |" for one in data["systems"]]
    blocks = [
        f"## {code(data['metric'])}: systems and questions",
        f"{inline(words.title(data))}.",
        "\n".join(rows),
        "\n".join(f"- {inline(note)}" for note in words.notes(data)),
    ]
    for title, found in words.lists(data):
        lines = [
            f"- {words.answers(q, data['systems'])} {code(q['sample'])} {inline(q['question'])}"
            for q in found[:most]
        ]
        if len(found) > most:
            lines.append(f"- ... {len(found) - most} more")
        blocks += [f"### {inline(title)}", "\n".join(lines)]
    return joined(blocks)
