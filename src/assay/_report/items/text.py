"""An item analysis on the console and in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay._analysis.items import ItemAnalysis, Question
from assay._report import items as words
from assay._report import sanitize
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, listed, markdown_list, markdown_measures, measures

Json = Mapping[str, Any]


def console(data: Json, *, most: int) -> RenderableType:
    """The systems, what to read beside them, and the questions that are flagged."""
    analysis = msgspec.convert(data, ItemAnalysis)
    head = Text(sanitize.plain(analysis.metric), style="bold")
    head.append(f"  {words.title(analysis)}", style="not bold")
    table = measures(words.SYSTEM_HEADS, map(words.system, analysis.systems))
    rest = [dim(note) for note in words.notes(analysis)]
    lists = [_list(title, them, analysis, most) for title, them in words.lists(analysis)]
    return Group(head, table, *rest, *lists)


def _list(
    title: str, questions: Sequence[Question], data: ItemAnalysis, most: int
) -> RenderableType:
    rows = [
        (Text(words.answers(one, data.systems)), one.sample, one.question)
        for one in questions[:most]
    ]
    rest = [Text(f"... {len(questions) - most} more")] if len(questions) > most else []
    return Group(Text(f"\n{title}", style="bold"), *listed(rows), *rest)


def markdown(data: Json, *, most: int) -> str:
    """The systems, what to read beside them, and the questions that are flagged."""
    analysis = msgspec.convert(data, ItemAnalysis)
    blocks = [
        f"## {code(analysis.metric)}: systems and questions",
        f"{inline(words.title(analysis))}.",
        markdown_measures(words.SYSTEM_HEADS, map(words.system, analysis.systems)),
        markdown_list(words.notes(analysis)),
    ]
    for title, questions in words.lists(analysis):
        lines = [
            f"- {words.answers(q, analysis.systems)} {code(q.sample)} {inline(q.question)}"
            for q in questions[:most]
        ]
        if len(questions) > most:
            lines.append(f"- ... {len(questions) - most} more")
        blocks += [f"### {inline(title)}", "\n".join(lines)]
    return joined(blocks)
