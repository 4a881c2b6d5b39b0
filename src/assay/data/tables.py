"""Tables: CSV and TSV text, and sheets of Excel workbooks."""

import csv
import functools
import io
import itertools
import re
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import IO, Any, Final

from assay.data.columns import recognised, refuse_doubled
from assay.data.json_files import LONGEST_ROW, broken, escaped, has_wrong_byte
from assay.data.rows import Record
from assay.errors import InputError

SUFFIX: Final = ".xlsx"
_SHEET_MARK: Final = f"{SUFFIX}#"
_MAX_WORKBOOK: Final = 8 * LONGEST_ROW
_MAX_CELLS: Final = 20_000_000  # of a sheet: half a gigabyte
_CELL: Final = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
_DAMAGED: Final = "open it in Excel and save it again as .xlsx, without a password"
_DELIMITERS: Final = ",;\t|"
_DECLARED_DELIMITER: Final = re.compile(r'"?sep=(.)"?')  # a first line for Excel
# Characters read again after quotes that are not closed; beyond it the time would grow without end.
_MAX_REREAD: Final = 4 * LONGEST_ROW
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
        pushed_back = self.row[1:]
        self._reread += self._length - len(self.row[0]) if self.row else 0
        if self._reread > _MAX_REREAD:
            raise InputError(f"too many quotes are not closed (last at {self.place})", _CLOSE)
        self._again.extendleft(reversed(pushed_back))
        self.last -= len(pushed_back)
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
        declared, lines = _DECLARED_DELIMITER.fullmatch(head.rstrip("\r\n")), _Lines(text)
        if declared:
            next(line for line in lines if line.strip())
            lines.done()
        yield from _csv_records(lines, declared[1] if declared else _delimiter(head, delimiter))


def _csv_records(lines: _Lines, delimiter: str) -> Iterator[Record]:
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    header = _header(rows)
    lines.done()
    open_quote = ""
    for number in itertools.count(1):
        try:
            row = _next_row(rows, lines)
        except csv.Error as error:
            open_quote = lines.place
            yield _unreadable(number, lines, error)
            lines.back()
            # What a reader makes of the lines after an error is not promised.
            rows = csv.reader(lines, delimiter=delimiter, strict=True)
            continue
        if row is None:
            return
        if lines.reread and (len(row) != len(header) or len(header) == 1):
            # Likely a part of the text in the quote: the lines around it may be parts too, and
            # must not pass for rows.
            fault = f"a quote in {open_quote} is not closed"
            raise InputError(f"{fault}, and {lines.place} may be part of its text", _CLOSE)
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
    first = escaped(lines.row[0].rstrip("\r\n")) if lines.row else ""
    if len(lines.row) > 1:
        line = lines.last - len(lines.row) + 1
        fault = f"is not readable ({lines.place} of the file): the quote opened in line {line}"
        return broken(number, first, f"{fault} is not closed", _CLOSE)
    fault = f"is not readable ({lines.place} of the file): {error}"
    return broken(number, first, fault, 'put text with quotes in "..." and double them: ""')


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
    return _column_names(names)


def _column_names(header: list[str]) -> list[str]:
    # pandas writes its index under an empty name.
    names = [name.strip() or f"column_{n}" for n, name in enumerate(header, 1)]
    refuse_doubled(names)
    return names


def _record(number: int, header: list[str], row: list[str], location: str) -> Record:
    if len(row) != len(header):
        fault = f"has {len(row)} cells, but the header has {len(header)}"
        remedy = 'put text that holds the delimiter or a line end in "..."'
        return broken(number, _as_csv(row), fault, remedy, location)
    if any(map(has_wrong_byte, row)):
        remedy = "save the file as UTF-8 (Excel: 'CSV UTF-8')"
        return broken(number, _as_csv(row), "holds bytes that are not UTF-8", remedy, location)
    return Record(number, dict(zip(header, row, strict=True)), form="table")


def _is_filled(row: list[str]) -> bool:
    """Whether any cell holds anything; spreadsheets leave empty rows behind."""
    return any(cell.strip() for cell in row)


def _as_csv(row: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(row)
    return escaped(buffer.getvalue())


def split_sheet(path: Path) -> tuple[Path, str]:
    """The file, and the sheet that is named after it; "" for the first one."""
    index = path.name.lower().rfind(_SHEET_MARK)
    if index < 0 or path.exists():
        return path, ""
    end = index + len(SUFFIX)
    return path.with_name(path.name[:end]), path.name[end + 1 :]


def sheet_records(opened: Callable[[], IO[bytes]], sheet: str) -> Iterator[Record]:
    """Records below the header of a sheet, each numbered as the sheet's rows are.

    Args:
        opened: Opens the file.
        sheet: Name of the sheet, "" for the first one.
    """
    with opened() as stream:
        name, rows = _sheet_rows(stream, sheet)
        header: list[str] | None = None
        for number, cells in enumerate(rows, 1):
            texts = [_cell_text(cell) for cell in cells]
            if not any(text.strip() for text in texts):
                continue
            if header is None:
                header = _sheet_header(texts, name)
                continue
            yield Record(number, dict(zip(header, texts, strict=False)), form="table")


def other_sheets(opened: Callable[[], IO[bytes]]) -> tuple[str, ...]:
    """The names of all sheets but the first one."""
    with opened() as stream:
        return tuple(_book(stream).sheet_names[1:])


def _book(stream: IO[bytes]) -> Any:
    name = getattr(stream, "name", "the Excel file")
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        remedy = "pip install 'assay[xlsx]', or save the sheet as CSV"
        raise InputError(f"'{name}' needs python-calamine", remedy) from error
    _refuse_endless(stream, name)
    try:
        return CalamineWorkbook.from_filelike(stream)
    except (CalamineError, OSError) as error:
        raise InputError(f"'{name}' cannot be read as an Excel file: {error}", _DAMAGED) from error


def _refuse_endless(stream: IO[bytes], name: str) -> None:
    """See before a workbook is unpacked that it fits into memory: empty cells take room, too.

    Raises:
        InputError: If it does not.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > _MAX_WORKBOOK:
                message = f"'{name}' unpacks to {size / 2**20:,.0f} MiB"
                raise InputError(f"{message}, more than {_MAX_WORKBOOK // 2**20}", "save it as CSV")
            for member in archive.namelist():
                if (
                    member.startswith("xl/worksheets/")
                    and (cells := _extent(archive, member)) > _MAX_CELLS
                ):
                    message = f"a sheet of '{name}' has {cells:,} cells, most of them empty"
                    raise InputError(
                        message, "delete what stands far from the table, or save it as CSV"
                    )
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, NotImplementedError, RuntimeError):
        pass  # its reader tells what is wrong with it
    finally:
        stream.seek(0)


def _extent(archive: zipfile.ZipFile, member: str) -> int:
    """Cells of the rectangle from the first cell of a sheet to the last."""
    rows, columns, tail = 0, 0, b""
    with archive.open(member) as content:
        while chunk := content.read(2**20):
            for letters, digits in _CELL.findall(tail + chunk):
                number = functools.reduce(lambda n, letter: 26 * n + letter - 64, letters, 0)
                rows, columns = max(rows, int(digits)), max(columns, number)
            tail = chunk[-32:]
    return rows * columns


def _sheet_rows(stream: IO[bytes], sheet: str) -> tuple[str, Iterator[list[Any]]]:
    book = _book(stream)
    from python_calamine import CalamineError

    names = book.sheet_names
    if not names or (sheet and sheet not in names):
        available = ", ".join(f"'{name}'" for name in names) or "none"
        raise InputError(f"the Excel file has no sheet '{sheet}'", f"its sheets are {available}")
    name = sheet or names[0]
    try:
        content = book.get_sheet_by_name(name)
        return name, iter(content.to_python(skip_empty_area=False))
    except (CalamineError, OSError) as error:
        message = f"the sheet '{name}' of the Excel file cannot be read: {error}"
        raise InputError(message, _DAMAGED) from error


def _sheet_header(texts: list[str], sheet: str) -> list[str]:
    try:
        return _column_names(texts)
    except InputError as error:
        problems = [f"{problem} (sheet '{sheet}')" for problem in error.problems]
        raise InputError("; ".join(problems)) from error


def _cell_text(cell: Any) -> str:
    """A cell as a person reads it: 12 and not 12.0, a date as its day."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell)
