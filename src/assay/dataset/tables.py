"""How are rows read from CSV and TSV text?"""

import csv
import io
import itertools
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import IO, Final

from assay.dataset.aliases import recognised
from assay.dataset.columns import refuse_doubled
from assay.dataset.jsonl import LONGEST_ROW, broken
from assay.dataset.record import Record
from assay.errors import InputError

_DELIMITERS: Final = ",;\t|"
_TOLD: Final = re.compile(r'"?sep=(.)"?')  # a first line for Excel
# Characters read again after quotes that are not closed; beyond it the time would grow without end.
_MOST_REREAD: Final = 4 * LONGEST_ROW
_CLOSE: Final = 'close it, and double the quotes within it: ""'


class _Lines:
    """Lines of a text, of which those of the row at hand are kept and can be read again.

    Attributes:
        row: The lines of the row at hand.
        last: 1-based number of the last line read.
        reread: Whether the row begins with a line that is read again.
    """

    def __init__(self, text: Iterator[str]) -> None:
        self.row: list[str] = []
        self.last = 0
        self.reread = False
        self._text = text
        self._again: deque[str] = deque()
        self._length = 0
        self._reread = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        begins = not self.row
        if begins:
            self.reread = bool(self._again)
        line = self._again.popleft() if self._again else next(self._text)
        self.row.append(line)
        self.last += 1
        self._length += len(line)
        if self._length > LONGEST_ROW and not begins:
            raise csv.Error(f"a row is longer than {LONGEST_ROW // 2**20} MiB")
        return line

    @property
    def place(self) -> str:
        """Where the row at hand stands."""
        first = self.last - len(self.row) + 1
        return f"line {self.last}" if first >= self.last else f"lines {first} to {self.last}"

    def done(self) -> None:
        """The row at hand was read: the next line begins another."""
        self.row, self._length = [], 0

    def back(self) -> None:
        """All lines of the row but its first are to be read again."""
        again = self.row[1:]
        self._reread += self._length - len(self.row[0]) if self.row else 0
        if self._reread > _MOST_REREAD:
            raise InputError(f"too many quotes are not closed (last at {self.place})", _CLOSE)
        self._again.extendleft(reversed(again))
        self.last -= len(again)
        self.done()


def table_records(opened: Callable[[], IO[bytes]], delimiter: str) -> Iterator[Record]:
    """Records below the header. A row that does not fit the header carries its problem.

    Args:
        opened: Opens the file.
        delimiter: What the extension promises; another one is taken if the header shows it.
    """
    # The csv module has one limit for the whole process; contexts are longer than its default.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_ROW))
    # A wrong byte is kept as half a character, so that only its own row is refused.
    with opened() as stream, io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", "") as text:
        head = next((line for line in text if line.strip()), "")
        text.seek(0)
        told, lines = _TOLD.fullmatch(head.rstrip("\r\n")), _Lines(text)
        if told:
            next(line for line in lines if line.strip())
            lines.done()
        mark = told[1] if told else _delimiter(head, delimiter)
        rows = csv.reader(lines, delimiter=mark, strict=True)
        header = _header(rows)
        lines.done()
        opened_at = ""
        for number in itertools.count(1):
            try:
                row = _next_row(rows, lines)
            except csv.Error as error:
                opened_at = lines.place
                yield _unreadable(number, lines, error)
                lines.back()
                # What a reader makes of the lines after an error is not promised.
                rows = csv.reader(lines, delimiter=mark, strict=True)
                continue
            if row is None:
                return
            if lines.reread and (len(row) != len(header) or len(header) == 1):
                # Likely a part of the text in the quote: the lines around it may be parts too, and
                # must not pass for rows.
                what = f"a quote in {opened_at} is not closed"
                what = f"{what}, and {lines.place} may be part of its text"
                raise InputError(what, _CLOSE)
            yield _record(number, header, row, lines.place)
            lines.done()


def _next_row(rows: Iterator[list[str]], lines: _Lines) -> list[str] | None:
    """The next row that is not blank; the lines tell where it stands."""
    for row in rows:
        if _is_filled(row):
            return row
        lines.done()
    return None


def _unreadable(number: int, lines: _Lines, error: csv.Error) -> Record:
    """The record of a row with a wrong quote. Only its first line is surely a part of it."""
    first = _escaped(lines.row[0].rstrip("\r\n")) if lines.row else ""
    if len(lines.row) > 1:
        at = lines.last - len(lines.row) + 1
        what = f"is not readable ({lines.place} of the file): the quote opened in line {at}"
        return broken(number, first, f"{what} is not closed", _CLOSE)
    what = f"is not readable ({lines.place} of the file): {error}"
    return broken(number, first, what, 'put text with quotes in "..." and double them: ""')


def _delimiter(head: str, promised: str) -> str:
    """The delimiter under which the header has the most known columns, or else the most columns."""

    def known(mark: str) -> tuple[int, int]:
        names = next(csv.reader([head], delimiter=mark), [])
        return len(recognised(names)), len(names)

    return max(promised + _DELIMITERS, key=known)


def _header(cells: Iterator[list[str]]) -> list[str]:
    try:
        names = next(filter(_is_filled, cells), [])
    except csv.Error as error:
        raise InputError(f"the header is not readable: {error}") from error
    # pandas writes its index under an empty name.
    header = [name.strip() or f"column_{n}" for n, name in enumerate(names, 1)]
    refuse_doubled(header)
    return header


def _record(number: int, header: list[str], row: list[str], place: str) -> Record:
    if len(row) != len(header):
        what = f"has {len(row)} cells, but the header has {len(header)} ({place} of the file)"
        remedy = 'put text that holds the delimiter or a line end in "..."'
        return broken(number, _shown(row), what, remedy)
    if any(not cell.isascii() and _has_wrong_byte(cell) for cell in row):
        what = f"holds bytes that are not UTF-8 ({place} of the file)"
        return broken(number, _shown(row), what, "save the file as UTF-8 (Excel: 'CSV UTF-8')")
    return Record(number, dict(zip(header, row, strict=True)), form="table")


def _is_filled(row: list[str]) -> bool:
    """Whether any cell holds anything; spreadsheets leave empty rows behind."""
    return any(cell.strip() for cell in row)


def _has_wrong_byte(cell: str) -> bool:
    return any("\udc80" <= mark <= "\udcff" for mark in cell)


def _shown(row: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(row)
    return _escaped(out.getvalue())


def _escaped(text: str) -> str:
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")
