"""A measured judge on the console and in Markdown."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._report import bench as words
from assay._report import sanitize
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_table
from assay.bench.card import JudgeCard, Measured

Json = Mapping[str, Any]
_STYLES: Final = {"above": "green", "level": "yellow", "below": "red", None: ""}


def console(data: Json, other: Json | None = None) -> RenderableType:
    """Every set with its figures, or with why there are none; beside those of another judge."""
    card = msgspec.convert(data, JudgeCard)
    beside = msgspec.convert(other, JudgeCard) if other else None
    parts: list[RenderableType] = [Text(sanitize.plain(words.title(card)), style="bold")]
    for one in card.sets:
        head = Text(f"\n{one.name}", style="bold")
        head.append(f"  {sanitize.plain(one.about)}", style="not bold")
        parts.append(head)
        if one.skipped:
            parts.append(Text(f"  {sanitize.plain(one.skipped)}", style="yellow"))
        else:
            beneath = [text for text in (words.sources(one), words.took(one)) if text]
            parts += [_table(one, beside), *(dim(text) for text in beneath)]
    parts += [dim(f"\n{note}") for note in words.notes(card, beside)]
    return Group(*parts)


def _table(one: Measured, beside: JudgeCard | None) -> Table:
    table = _wide(expand=True)
    heads, rows = words.table(one, beside)
    wide = {"measured": 5, "floor": 3, "others": 3}
    for head in heads:
        table.add_column(
            head,
            justify="right" if head in words.RIGHT else "left",
            ratio=wide.get(head),
            no_wrap=head not in (*wide, "base rate"),
        )
    for figure, row in zip(one.figures, rows, strict=True):
        cells = [Text(sanitize.plain(cell)) for cell in row]
        cells[1].stylize(_STYLES[figure.standing])
        if remarks := words.remarks(figure):
            cells[0].append(f"\n{sanitize.plain(remarks)}", style="dim")
        table.add_row(*cells)
    return table


def console_costs(costs: Json) -> RenderableType:
    """What each set would take, and all of them."""
    table = _wide()
    heads = ("calls", "known", "here", "prompt tokens", "reply tokens", "money")
    table.add_column("set")
    for head in heads:
        table.add_column(head, justify="right")
    for one in (*costs["sets"], costs["all"]):
        if one["skipped"]:
            continue
        money = "?" if one["money"] is None else f"{one['money']:,.4f}"
        counts = ("calls", "known", "local", "tokens_in", "tokens_out")
        table.add_row(one["name"], *(f"{one[count]:,}" for count in counts), money)
    remark = "Nothing was asked, nothing was spent. Counts are about right, not exact."
    missed = [
        Text(sanitize.plain(f"{one['name']}: {one['skipped']}"), style="yellow")
        for one in costs["sets"]
        if one["skipped"]
    ]
    priced = "" if costs["all"]["money"] is not None else " Money: say what tokens cost, --price."
    return Group(table, *missed, Text(f"\n{remark}{priced}", style="dim"))


def console_catalogue(sets: Json) -> RenderableType:
    """What can be measured, and on which files."""
    table = _wide()
    for head in ("set", "what people said of it", "files and their licence", "there"):
        table.add_column(head, overflow="fold")
    for one in sets["sets"]:
        files = Text("\n".join(one["files"]))
        files.append(f"\n{one['licence']}", style="dim")
        there = {True: Text("yes", style="green"), False: Text("no", style="red"), None: Text("?")}
        about = Text(one["about"])
        if one["family"] != one["name"]:
            about.append(f"\none of {one['family']}", style="dim")
        table.add_row(one["name"], about, files, there[one["present"]])
    return table


def _wide(*, expand: bool = False) -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=expand)


def markdown(data: Json, beside: Json | None = None) -> str:
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
        blocks.append(_markdown_table(one, other))
        beneath = [text for text in (words.sources(one), words.took(one)) if text]
        blocks += [f"{inline(text)}." for text in beneath]
    blocks.append(markdown_list(words.notes(card, other)))
    return joined(blocks)


def _markdown_table(one: Measured, beside: JudgeCard | None) -> str:
    heads, rows = words.table(one, beside)
    cells = [[inline(cell) for cell in row] for row in rows]
    for figure, row in zip(one.figures, cells, strict=True):
        if remarks := words.remarks(figure):
            row[0] += f"<br>{inline(remarks)}"
    return markdown_table(
        {head: "---:" if head in words.RIGHT else ":---" for head in heads}, cells
    )
