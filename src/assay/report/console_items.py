"""How is an item analysis shown on the console?"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay.analysis.items import ItemAnalysis, Question
from assay.report import items as words
from assay.report import safe
from assay.report.console_parts import dim, measures
from assay.report.listing import listed

Json = Mapping[str, Any]


def overview(data: Json, *, most: int) -> RenderableType:
    """The systems, what to read beside them, and the questions that are flagged."""
    found = msgspec.convert(data, ItemAnalysis)
    head = Text(safe.plain(found.metric), style="bold")
    head.append(f"  {words.title(found)}", style="not bold")
    table = measures(words.SYSTEM_HEADS)
    for one in found.systems:
        table.add_row(*(Text(safe.plain(cell)) for cell in words.system(one)))
    rest = [dim(note) for note in words.notes(found)]
    lists = [_list(title, them, found, most) for title, them in words.lists(found)]
    return Group(head, table, *rest, *lists)


def _list(title: str, found: Sequence[Question], data: ItemAnalysis, most: int) -> RenderableType:
    rows = [
        (Text(words.answers(one, data.systems)), one.sample, one.question) for one in found[:most]
    ]
    rest = [Text(f"... {len(found) - most} more")] if len(found) > most else []
    return Group(Text(f"\n{title}", style="bold"), *listed(rows), *rest)
