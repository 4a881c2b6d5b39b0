"""Tables, lists and remarks, as the console draws them and as Markdown writes them."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text

from assay._report import sanitize
from assay._text.sanitize import whole

# By tone. No colour carries a meaning alone: each stands beside a symbol or a word.
STYLES: Final = {"good": "cyan", "bad": "bold yellow", "warn": "yellow", "plain": ""}
ELLIPSIS: Final = " \N{HORIZONTAL ELLIPSIS}"


def table(*heads: str, gap: int = 1) -> Table:
    """A table of the console with a line below its heads.

    Args:
        heads: Of its first columns, which hold words and may be folded.
        gap: Spaces between its columns.
    """
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
    for head in heads:
        made.add_column(Text(sanitize.plain(head)), overflow="fold")
    return made


def numeric(made: Table, heads: Iterable[str]) -> None:
    """Add columns of numbers, which are never folded, to a table of the console."""
    for head in heads:
        made.add_column(head, justify="right", no_wrap=True)


def measures(
    heads: Sequence[str], rows: Iterable[Iterable[str]], styles: Mapping[str, str] | None = None
) -> Table:
    """A table of numbers with their intervals beside what they are of, its first column.

    Args:
        heads: Of all columns.
        rows: The cells.
        styles: How cells of these texts are styled.
    """
    made = table(heads[0])
    for head in heads[1:]:
        made.add_column(head, justify="right", overflow="fold")
    for row in rows:
        made.add_row(*(Text(sanitize.plain(cell), (styles or {}).get(cell, "")) for cell in row))
    return made


def grid(gap: int = 1, *, right: bool = True) -> Table:
    """Names or numbers in a first column, texts that may be folded in a second one."""
    made = Table.grid(padding=(0, gap))
    made.add_column(justify="right" if right else "left", no_wrap=True)
    made.add_column(overflow="fold")
    return made


def dim(text: str) -> Text:
    """A remark beside the numbers."""
    return Text(sanitize.plain(text), style="dim")


def warnings(texts: Iterable[str]) -> list[Text]:
    """What must be read before the numbers, a line each."""
    return [Text(f"! {sanitize.plain(text)}", STYLES["bad"]) for text in texts]


def shorten(text: str, limit: int, end: str = ELLIPSIS) -> str:
    """The beginning of a text, on one line."""
    line = sanitize.flat(text)
    return line if len(line) <= limit else line[:limit] + end


def markdown_table(sides: Mapping[str, str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown.

    Args:
        sides: Its heads, each with the side to which its column is set: ":---", "---:", ":---:".
        rows: Cells that are Markdown already.
    """
    lines = [f"| {' | '.join(sides)} |", f"|{'|'.join(sides.values())}|"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])


def markdown_measures(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """What `measures` draws, in Markdown."""
    sides = {sanitize.inline(head): "---:" if place else ":---" for place, head in enumerate(heads)}
    return markdown_table(sides, (map(sanitize.inline, row) for row in rows))


def markdown_list(texts: Iterable[str]) -> str:
    """Plain texts as a list in Markdown."""
    return "\n".join(f"- {sanitize.inline(text)}" for text in texts)


def markdown_warnings(texts: Iterable[str]) -> str:
    """What must be read before the numbers, in Markdown."""
    return "\n>\n".join(f"> **Warning:** {sanitize.inline(text)}" for text in texts)


def joined(blocks: Iterable[str]) -> str:
    """The Markdown page that is made of these blocks; empty ones are left out."""
    return whole("\n\n".join(block for block in blocks if block) + "\n")


def folded(summary: str, block: str) -> str:
    """A block of Markdown that opens on a click on its summary."""
    head = html.escape(sanitize.flat(summary))
    return f"<details><summary>{head}</summary>\n\n{block}\n\n</details>"


def listed(rows: Sequence[tuple[Text, str, str]]) -> list[Text]:
    """Lines of (what is said, id, question); of a line that is too long only the end is cut."""
    ids = [sanitize.plain(name) for _, name, _ in rows]
    first = max((head.cell_len for head, *_ in rows), default=0)
    second = max(map(cell_len, ids), default=0)
    lines = []
    for (head, _, question), name in zip(rows, ids, strict=True):
        line = Text(no_wrap=True, overflow="ellipsis").append(" " * (first - head.cell_len))
        line.append(head).append(f"  {set_cell_size(name, second)}  ")
        lines.append(line.append(sanitize.flat(question), style="dim"))
    return lines
