"""How is an item analysis shown on the console?"""

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.report import items as words
from assay.report import safe
from assay.report.listing import listed

Json = Mapping[str, Any]


def overview(data: Json, *, most: int) -> RenderableType:
    """The systems, what to read beside them, and the questions that are flagged."""
    head = Text(safe.plain(data["metric"]), style="bold")
    head.append(f"  {words.title(data)}", style="not bold")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for place, name in enumerate(words.SYSTEM_HEADS):
        table.add_column(name, justify="right" if place else "left", overflow="fold")
    for one in data["systems"]:
        table.add_row(*(Text(safe.plain(cell)) for cell in words.system(one)))
    rest = [Text(safe.plain(note), style="dim") for note in words.notes(data)]
    lists = [_list(title, found, data, most) for title, found in words.lists(data)]
    return Group(head, table, *rest, *lists)


def _list(title: str, found: Any, data: Json, most: int) -> RenderableType:
    rows = [
        (Text(words.answers(one, data["systems"])), one["sample"], one["question"])
        for one in found[:most]
    ]
    rest = [Text(f"... {len(found) - most} more")] if len(found) > most else []
    return Group(Text(f"\n{title}", style="bold"), *listed(rows), *rest)
