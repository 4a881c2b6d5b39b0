"""Rows of a sheet of an Excel workbook, named as ``FILE.xlsx`` or ``FILE.xlsx#Sheet``."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import IO, Any, Final

from assay.dataset.columns import refuse_doubled
from assay.dataset.record import Record
from assay.errors import InputError

SUFFIX: Final = ".xlsx"
_MARK: Final = f"{SUFFIX}#"
_DAMAGED: Final = "open it in Excel and save it again as .xlsx, without a password"


def parted(path: Path) -> tuple[Path, str]:
    """The file, and the sheet that is named after it; "" for the first one."""
    at = path.name.lower().rfind(_MARK)
    if at < 0 or path.exists():
        return path, ""
    end = at + len(SUFFIX)
    return path.with_name(path.name[:end]), path.name[end + 1 :]


def sheet_records(opened: Callable[[], IO[bytes]], sheet: str) -> Iterator[Record]:
    """Records below the header of a sheet, each numbered as the sheet's rows are.

    Args:
        opened: Opens the file.
        sheet: Name of the sheet, "" for the first one.
    """
    with opened() as stream:
        name, rows = _rows(stream, sheet)
        header: list[str] | None = None
        for number, cells in enumerate(rows, 1):
            texts = [_text(cell) for cell in cells]
            if not any(text.strip() for text in texts):
                continue
            if header is None:
                header = _header(texts, name)
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
    try:
        return CalamineWorkbook.from_filelike(stream)
    except (CalamineError, OSError) as error:
        raise InputError(f"'{name}' cannot be read as an Excel file: {error}", _DAMAGED) from error


def _rows(stream: IO[bytes], sheet: str) -> tuple[str, Iterator[list[Any]]]:
    """The name of the sheet, and its rows from the first one on."""
    book = _book(stream)
    from python_calamine import CalamineError

    names = book.sheet_names
    if not names or (sheet and sheet not in names):
        shown = ", ".join(f"'{name}'" for name in names) or "none"
        raise InputError(f"the Excel file has no sheet '{sheet}'", f"its sheets are {shown}")
    name = sheet or names[0]
    try:
        found = book.get_sheet_by_name(name)
        return name, iter(found.to_python(skip_empty_area=False))
    except (CalamineError, OSError) as error:
        what = f"the sheet '{name}' of the Excel file cannot be read: {error}"
        raise InputError(what, _DAMAGED) from error


def _header(texts: list[str], sheet: str) -> list[str]:
    header = [text.strip() or f"column_{n}" for n, text in enumerate(texts, 1)]
    try:
        refuse_doubled(header)
    except InputError as error:
        more = [f"{problem} (sheet '{sheet}')" for problem in error.problems]
        raise InputError("; ".join(more)) from error
    return header


def _text(cell: Any) -> str:
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
