"""How are rows read from Parquet files, a few at a time?"""

from collections.abc import Callable, Iterator
from typing import IO, Any, Final

from assay.dataset.columns import refuse_doubled
from assay.dataset.jsonl import broken
from assay.dataset.record import Record
from assay.errors import InputError

_BATCH: Final = 256


def parquet_records(opened: Callable[[], IO[bytes]]) -> Iterator[Record]:
    """Records of a Parquet file."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        remedy = "pip install 'assay[parquet]', or save the data as JSONL"
        raise InputError("Parquet files need pyarrow", remedy) from error
    number = 0
    with opened() as stream:
        try:
            file = ParquetFile(stream)
            refuse_doubled(file.schema_arrow.names)
            for batch in file.iter_batches(batch_size=_BATCH):
                yield from _records(batch, number)
                number += batch.num_rows
        except (ArrowException, UnicodeDecodeError) as error:
            what = f"the Parquet file cannot be read past row {number}: {error}"
            raise InputError(what, "the file is damaged; fetch it again") from error


def _records(batch: Any, before: int) -> Iterator[Record]:
    """The records of a batch that `before` records precede."""
    try:
        rows = batch.to_pylist()
    except UnicodeDecodeError:  # of some row: only that one is broken
        for at in range(batch.num_rows):
            cells = {name: batch.column(name)[at] for name in batch.schema.names}
            yield _record(before + at + 1, cells)
        return
    for number, values in enumerate(rows, before + 1):
        yield Record(number, values, "arrow")


def _record(number: int, cells: dict[str, Any]) -> Record:
    values: dict[str, Any] = {}
    wrong = []
    for name, cell in cells.items():
        try:
            values[name] = cell.as_py()
        except UnicodeDecodeError:
            wrong.append(name)
            values[name] = _shown(cell)
    record = Record(number, values, "arrow")
    if not wrong:
        return record
    what = f"column '{wrong[0]}' holds bytes that are not UTF-8"
    return broken(number, record.raw, what, "write it as UTF-8")


def _shown(cell: Any) -> str:
    """The text of a cell with wrong bytes; what it is where it is no mere text."""
    if hasattr(cell, "as_buffer"):
        return bytes(cell.as_buffer()).decode(errors="backslashreplace")
    return f"({cell.type})"
