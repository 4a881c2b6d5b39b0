"""A measured judge on the console and in Markdown, beside baselines and others."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._report import numbers, sanitize
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_table
from assay.bench.benchmark import Figure
from assay.bench.card import JudgeCard, Measured
from assay.judges.embedded import card as cards

Json = Mapping[str, Any]
_STYLES: Final = {"above": "green", "level": "yellow", "below": "red", None: ""}
_HEADS: Final = (
    "measured", "value", "95 % interval", "n", "base rate", "floor", "others", "beside",
)  # fmt: skip
_RIGHT: Final = frozenset(("value", "n", "base rate"))
_ALWAYS: Final = 4  # columns that are shown even where they are empty


def console(data: Json, other: Json | None = None) -> RenderableType:
    """Every set with its figures, or with why there are none; beside those of another judge."""
    card = msgspec.convert(data, JudgeCard)
    beside = msgspec.convert(other, JudgeCard) if other else None
    parts: list[RenderableType] = [Text(sanitize.plain(_title(card)), style="bold")]
    for one in card.sets:
        head = Text(f"\n{one.name}", style="bold")
        head.append(f"  {sanitize.plain(one.about)}", style="not bold")
        parts.append(head)
        if one.skipped:
            parts.append(Text(f"  {sanitize.plain(one.skipped)}", style="yellow"))
        else:
            beneath = [text for text in (_sources(one), _took(one)) if text]
            parts += [_table(one, beside), *(dim(text) for text in beneath)]
    parts += [dim(f"\n{note}") for note in _notes(card, beside)]
    return Group(*parts)


def _table(one: Measured, beside: JudgeCard | None) -> Table:
    table = _wide(expand=True)
    heads, rows = _rows_of(one, beside)
    wide = {"measured": 5, "floor": 3, "others": 3}
    for head in heads:
        table.add_column(
            head,
            justify="right" if head in _RIGHT else "left",
            ratio=wide.get(head),
            no_wrap=head not in (*wide, "base rate"),
        )
    for figure, row in zip(one.figures, rows, strict=True):
        cells = [Text(sanitize.plain(cell)) for cell in row]
        cells[1].stylize(_STYLES[figure.standing])
        if remarks := _remarks(figure):
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
        f"Measured on {inline(_how_many(card))}.",
    ]
    for one in card.sets:
        blocks += [f"## {one.name}: {inline(one.about)}"]
        if one.skipped:
            blocks.append(inline(one.skipped))
            continue
        blocks.append(_markdown_table(one, other))
        beneath = [text for text in (_sources(one), _took(one)) if text]
        blocks += [f"{inline(text)}." for text in beneath]
    blocks.append(markdown_list(_notes(card, other)))
    return joined(blocks)


def _markdown_table(one: Measured, beside: JudgeCard | None) -> str:
    heads, rows = _rows_of(one, beside)
    cells = [[inline(cell) for cell in row] for row in rows]
    for figure, row in zip(one.figures, cells, strict=True):
        if remarks := _remarks(figure):
            row[0] += f"<br>{inline(remarks)}"
    return markdown_table({head: "---:" if head in _RIGHT else ":---" for head in heads}, cells)


def _rows_of(one: Measured, beside: JudgeCard | None) -> tuple[list[str], list[list[str]]]:
    """(heads, a row a figure) of a set, without columns in which nothing stands."""
    cells = [_cells(figure, beside) for figure in one.figures]
    full = [i for i in range(len(_HEADS)) if i < _ALWAYS or any(row[i] for row in cells)]
    return [_HEADS[i] for i in full], [[row[i] for i in full] for row in cells]


def _cells(figure: Figure, beside: JudgeCard | None) -> list[str]:
    return [
        figure.name,
        numbers.DASH if figure.value is None else cards.number(figure.value),
        cards.interval(figure),
        numbers.count(figure.n),
        "" if figure.base_rate is None else f"{figure.base_rate:.2f}",
        "" if figure.value is None else cards.floor(figure),
        figure.reference,
        _theirs(figure, beside),
    ]


def _remarks(figure: Figure) -> str:
    """What has to be read beside it."""
    return figure.note or ("undefined on these rows" if figure.value is None else "")


def _sources(one: Measured) -> str:
    """Where the published figures of a set stand; "" if there are none."""
    named = dict.fromkeys(figure.source for figure in one.figures if figure.source)
    return f"Others: {'; '.join(named)}" if named else ""


def _took(one: Measured) -> str:
    """What the judge took for a set."""
    parts = [numbers.plural(one.calls, "reply")]
    if tokens := one.tokens_in + one.tokens_out:
        parts.append(f"{tokens:,} tokens")
    parts.append(numbers.seconds(one.seconds))
    if one.money is not None:
        parts.append(f"cost {numbers.money(one.money)}")
    if one.unanswered:
        parts.append(f"{one.unanswered:,} without a readable reply")
    return ", ".join(parts)


def _title(card: JudgeCard) -> str:
    """Who was measured, and on how many rows."""
    return f"{card.judge}, {_how_many(card)}"


def _how_many(card: JudgeCard) -> str:
    """On how many rows it was measured."""
    if card.full:
        return "all rows"
    if card.limit is not None:
        return f"at most {numbers.plural(card.limit, 'row')} of each kind"
    return "each set's usual rows"


def _notes(card: JudgeCard, beside: JudgeCard | None) -> list[str]:
    """What must be read beside the figures."""
    lines = [*card.notes]
    lines.append("A judge whose interval does not lie above the floor adds nothing to that rule.")
    if any(one.figures for one in card.sets):
        lines.append(
            "Intervals are 95 % bootstrap intervals in which whole sources are drawn. Replies, "
            "tokens and seconds include known replies; seconds of calls at the same time add up."
        )
    if card.limit is not None and card.limit < 100:
        lines.append("So few rows allow no fine comparison: see the intervals.")
    if beside:
        lines.append(f"beside: {_title(beside)}")
    if card.stopped:
        lines.append(f"Stopped: {card.stopped}")
    return lines


def _theirs(figure: Figure, beside: JudgeCard | None) -> str:
    for other in (other for one in beside.sets for other in one.figures) if beside else ():
        if other.name == figure.name and other.value is not None:
            n = "" if other.n == figure.n else f" (n {other.n:,})"
            return f"{cards.number(other.value)}{n}"
    return ""
