"""What do all reports on the console have in common?"""

from collections.abc import Iterable, Sequence
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from assay.report import safe

# By tone. No colour carries a meaning alone: each stands beside a symbol or a word.
STYLES: Final = {"good": "cyan", "bad": "bold yellow", "warn": "yellow", "plain": ""}


def table(*heads: str, gap: int = 1) -> Table:
    """A table with a line below its heads.

    Args:
        heads: Of its first columns, which hold words and may be folded.
        gap: Spaces between its columns.
    """
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
    for head in heads:
        made.add_column(Text(safe.plain(head)), overflow="fold")
    return made


def numeric(made: Table, heads: Iterable[str]) -> None:
    """Add columns of numbers, which are never folded, to a table."""
    for head in heads:
        made.add_column(head, justify="right", no_wrap=True)


def measures(heads: Sequence[str]) -> Table:
    """A table of numbers with their intervals beside what they are of, its first column."""
    made = table(heads[0])
    for head in heads[1:]:
        made.add_column(head, justify="right", overflow="fold")
    return made


def dim(text: str) -> Text:
    """A remark beside the numbers."""
    return Text(safe.plain(text), style="dim")


def warnings(found: Iterable[str]) -> list[Text]:
    """What must be read before the numbers, a line each."""
    return [Text(f"! {safe.plain(text)}", STYLES["bad"]) for text in found]


def flat(text: str) -> str:
    """Text on one line, whatever it holds."""
    return " ".join(safe.plain(text).split())
