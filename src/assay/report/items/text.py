"""An item analysis on the console and in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay.analysis.items import ItemAnalysis, Question
from assay.report import items as words
from assay.report import sanitize
from assay.report.sanitize import code, inline
from assay.report.tables import dim, joined, listed, markdown_list, markdown_measures, measures

Json = Mapping[str, Any]


def console(data: Json, *, most: int) -> RenderableType:
    """The systems, what to read beside them, and the questions that are flagged."""
    found = msgspec.convert(data, ItemAnalysis)
    head = Text(sanitize.plain(found.metric), style="bold")
    head.append(f"  {words.title(found)}", style="not bold")
    table = measures(words.SYSTEM_HEADS, map(words.system, found.systems))
    rest = [dim(note) for note in words.notes(found)]
    lists = [_list(title, them, found, most) for title, them in words.lists(found)]
    return Group(head, table, *rest, *lists)


def _list(title: str, found: Sequence[Question], data: ItemAnalysis, most: int) -> RenderableType:
    rows = [
        (Text(words.answers(one, data.systems)), one.sample, one.question) for one in found[:most]
    ]
    rest = [Text(f"... {len(found) - most} more")] if len(found) > most else []
    return Group(Text(f"\n{title}", style="bold"), *listed(rows), *rest)


def markdown(data: Json, *, most: int) -> str:
    """The systems, what to read beside them, and the questions that are flagged."""
    found = msgspec.convert(data, ItemAnalysis)
    blocks = [
        f"## {code(found.metric)}: systems and questions",
        f"{inline(words.title(found))}.",
        markdown_measures(words.SYSTEM_HEADS, map(words.system, found.systems)),
        markdown_list(words.notes(found)),
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
