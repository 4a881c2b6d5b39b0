"""Tables, lists, remarks and distributions, on the console, in Markdown and on pages."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any, Final

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from assay._report import numbers, sanitize
from assay._text.sanitize import whole

# By tone. No colour carries a meaning alone: each stands beside a symbol or a word.
STYLES: Final = {"good": "cyan", "bad": "bold yellow", "warn": "yellow", "plain": ""}
_PIECE: Final = re.compile(r"[^_]*_+|[^_]+")
ELLIPSIS: Final = " \N{HORIZONTAL ELLIPSIS}"


def table(*heads: str, gap: int = 1) -> Table:
    """A table of the console with a line below its heads.

    Args:
        heads: Of its first columns, which hold words and may be folded.
        gap: Spaces between its columns.
    """
    columns = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
    for head in heads:
        columns.add_column(Text(sanitize.plain(head)), overflow="fold")
    return columns


def numeric(made: Table, heads: Iterable[str]) -> None:
    """Add columns of numbers, which are never folded, to a table of the console."""
    for head in heads:
        made.add_column(head, justify="right", no_wrap=True)


def measures(
    heads: Sequence[str], rows: Iterable[Iterable[str]], styles: Mapping[str, str] | None = None
) -> Table:
    """A table of numbers with their intervals beside what they are of, its first column."""
    columns = table(heads[0])
    for head in heads[1:]:
        columns.add_column(head, justify="right", overflow="fold")
    for row in rows:
        columns.add_row(*(Text(sanitize.plain(cell), (styles or {}).get(cell, "")) for cell in row))
    return columns


@dataclass(frozen=True)
class Name:
    """A name in a cell of the console, broken behind an underscore where it does not fit."""

    text: Text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The longest piece, and the whole name."""
        return Measurement(max(map(cell_len, self._name_pieces())), self.text.cell_len)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The name in as few lines as it takes."""
        ends: list[int] = []
        line = char_index = 0
        for piece in self._name_pieces():
            width = cell_len(piece.rstrip())
            if line and line + width > options.max_width:
                ends.append(char_index)
                line = 0
            line, char_index = line + cell_len(piece), char_index + len(piece)
        yield Text("\n").join(self.text.divide(ends))

    def _name_pieces(self) -> list[str]:
        return _PIECE.findall(self.text.plain) or [""]


def grid(gap: int = 1, *, right: bool = True) -> Table:
    """Names or numbers in a first column, texts that may be folded in a second one."""
    columns = Table.grid(padding=(0, gap))
    columns.add_column(justify="right" if right else "left", no_wrap=True)
    columns.add_column(overflow="fold")
    return columns


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
    sides = {sanitize.inline(head): "---:" if index else ":---" for index, head in enumerate(heads)}
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


BINS: Final = 20
# Digits that count when a score is held against a guide value, here and in the page's script.
EXACT: Final = 6
BLOCKS: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Spread:
    """The scores of one metric over all samples."""

    values: tuple[float, ...]  # the scores in ascending order
    low: float  # left end of the axis
    high: float  # right end of the axis
    counts: tuple[int, ...]  # number of scores in each of the equally wide bins

    @classmethod
    def of(cls, values: Sequence[float], ends: Sequence[float | None] | None) -> "Spread":
        """Count `values` over the metric's range, or over their own where it is open."""
        ordered = tuple(sorted(values))
        low, high = _axis(ordered, ends)
        counts = [0] * BINS
        for value in ordered:
            # Rounded, since 0.15 / 0.05 is 2.9999999999999996 and would fall into the wrong bin.
            bin_index = int(round((value - low) / (high - low) * BINS, 9))
            counts[min(max(bin_index, 0), BINS - 1)] += 1
        return cls(ordered, low, high, tuple(counts))

    def at(self, value: float) -> float:
        """Where a value lies on the axis, from 0 (left) to 1 (right)."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def edges(self, number: int) -> tuple[float, float]:
        """Where a bin begins and ends."""
        width = (self.high - self.low) / len(self.counts)
        return self.low + number * width, self.low + (number + 1) * width

    def words(self) -> str:
        """The spread in words, for those who cannot see the bars."""
        if not self.values:
            return "no scores"
        lowest, highest = numbers.score(self.values[0]), numbers.score(self.values[-1])
        text = f"{numbers.plural(len(self.values), 'score')} from {lowest} to {highest}"
        if len(self.values) < 4:
            return text
        first, median, third = quantiles(self.values, method="inclusive")
        quartiles = ", ".join(numbers.score(value) for value in (first, median, third))
        return f"{text}; quartiles {quartiles}"

    def line(self, width: int = 10) -> str:
        """The bars as block characters; a bin without a score is a space."""
        step = len(self.counts) // width
        sums = [sum(self.counts[start : start + step]) for start in range(0, step * width, step)]
        top = max(sums, default=0)
        return "".join(BLOCKS[round(n / top * (len(BLOCKS) - 1))] if n else " " for n in sums)


def spread(metric: Mapping[str, Any]) -> Spread:
    """The spread of one metric of a report."""
    return Spread.of(metric["values"], metric["range"])


def goodness(value: float, metric: Mapping[str, Any]) -> float:
    """How good a score is, from 0 (worst possible) to 1 (best possible); 0.5 if that is open."""
    if None in (metric["range"] or (None,)):  # nothing says how much is much
        return 0.5
    low, high = _axis((value,), metric["range"])
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return share if metric["higher_is_better"] else 1 - share


def standing(metric: Mapping[str, Any]) -> str:
    """How the mean stands to the guide value.

    "good" or "bad" if the whole interval lies on that side, "warn" if it spans the guide value or
    so little is known that there is no interval; "" if there is no guide value or no mean.
    """
    if metric["guide"] is None or metric["mean"] is None:
        return ""
    sides = {misses(value, metric) for value in metric["interval"] or ()}
    if len(sides) != 1:
        return "warn"
    return "bad" if sides.pop() else "good"


def misses(value: float, metric: Mapping[str, Any]) -> bool:
    """Whether a score or a mean lies on the wrong side of the metric's guide value."""
    guide = metric["guide"]
    if guide is None:
        return False
    # 4 / 5 may come out as 0.7999999999999999, and reads 0.80 like the guide value.
    value = round(value, EXACT)
    return bool(value < guide) if metric["higher_is_better"] else bool(value > guide)


def _axis(ordered: Sequence[float], ends: Sequence[float | None] | None) -> tuple[float, float]:
    """The ends of the axis. A cosine may be negative, but hardly ever is: 0 is its usual end."""
    lowest, highest = (ordered[0], ordered[-1]) if ordered else (0.0, 1.0)
    low, high = ends or (None, None)
    low = min(lowest, 0.0) if low is None or low < 0 else low
    high = max(highest, low) if high is None else high
    return (low, high) if high > low else (low, low + 1.0)
