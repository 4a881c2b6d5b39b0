"""How are rows read from CSV and TSV text?"""

import csv
import io
import itertools
from collections.abc import Callable, Iterator
from typing import IO, Final

from assay.dataset.aliases import recognised
from assay.dataset.columns import refuse_doubled
from assay.dataset.jsonl import LONGEST_ROW, broken
from assay.dataset.record import Record
from assay.errors import InputError

_DELIMITERS: Final = ",;\t|"


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
        cells = csv.reader(text, delimiter=_delimiter(head, delimiter), strict=True)
        header = _header(cells)
        for number in itertools.count(1):
            try:
                row = next(filter(_is_filled, cells), None)
            except csv.Error as error:
                what = f"is not readable (near line {cells.line_num} of the file): {error}"
                yield broken(number, "", what, 'put text with quotes in "..." and double them: ""')
                continue
            if row is None:
                return
            yield _record(number, header, row, cells.line_num)


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


def _record(number: int, header: list[str], row: list[str], line: int) -> Record:
    if len(row) != len(header):
        what = f"has {len(row)} cells, but the header has {len(header)} (line {line} of the file)"
        remedy = 'put text that holds the delimiter or a line end in "..."'
        return broken(number, _shown(row), what, remedy)
    if any(not cell.isascii() and _has_wrong_byte(cell) for cell in row):
        what = f"holds bytes that are not UTF-8 (line {line} of the file)"
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
    return out.getvalue().encode(errors="surrogateescape").decode(errors="backslashreplace")
