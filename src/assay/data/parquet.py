"""Parquet files: rows of a batch, none of them longer than a row of text may be."""

from collections.abc import Callable, Iterator
from typing import IO, Any, Final

from assay.data.columns import refuse_doubled
from assay.data.json_files import LONGEST_ROW, broken
from assay.data.rows import Record
from assay.errors import InputError

_MAX_ROWS: Final = 256  # of a batch
_MAX_BYTES: Final = 4 * LONGEST_ROW  # of a batch, unpacked, as far as the file tells
_SPLIT: Final = "split its texts, or leave the column out of the file"


def parquet_records(opened: Callable[[], IO[bytes]]) -> Iterator[Record]:
    """Records of a Parquet file.

    A few kilobytes may unpack to any size: what the footer says of it is looked at before, and
    texts that stand there once for many rows are kept once.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        remedy = "pip install 'assay[parquet]', or save the data as JSONL"
        raise InputError("Parquet files need pyarrow", remedy) from error
    number = 0
    with opened() as stream:
        try:
            metadata = ParquetFile(stream).metadata
            groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
            stream.seek(0)
            file = ParquetFile(stream, metadata=metadata, read_dictionary=_repeated_columns(groups))
            refuse_doubled(file.schema_arrow.names)
            for group_number, group in enumerate(groups):
                size = _batch_rows(group, number)
                for batch in file.iter_batches(batch_size=size, row_groups=[group_number]):
                    yield from _bounded(batch, number)
                    number += batch.num_rows
        except (ArrowException, UnicodeDecodeError, OverflowError) as error:
            message = f"the Parquet file cannot be read past row {number}: {error}"
            raise InputError(message, "the file is damaged; fetch it again") from error


def _columns(group: Any) -> list[Any]:
    """What the footer says of the columns of a group of rows."""
    return [group.column(n) for n in range(group.num_columns)]


def _repeated_columns(groups: list[Any]) -> list[str]:
    """Columns whose texts, each written out for every row that has it, might fill the memory."""
    return [
        *{
            column.path_in_schema
            for group in groups
            for column in _columns(group)
            if column.physical_type == "BYTE_ARRAY"
            and any(encoding.endswith("_DICTIONARY") for encoding in column.encodings)
            and column.num_values * column.total_uncompressed_size > _MAX_BYTES
        }
    ]


def _batch_rows(group: Any, before: int) -> int:
    """How many rows of a group are unpacked at once.

    Raises:
        InputError: If its rows are too long to be unpacked at all.
    """
    rows, per_row = max(1, group.num_rows), 0.0
    for column in _columns(group):
        # A number takes up to eight bytes, however often it is written as one.
        unpacked = max(column.total_uncompressed_size, 8 * column.num_values)
        if unpacked > rows * LONGEST_ROW:
            location = f"rows {before + 1} to {before + rows}" if rows > 1 else f"row {before + 1}"
            fault = f"{location}: '{column.path_in_schema}' unpacks to {unpacked / 2**20:,.0f} MiB"
            raise InputError(f"{fault}, more than {LONGEST_ROW // 2**20} MiB a row", _SPLIT)
        per_row += column.total_uncompressed_size / rows
        if "DELTA_BYTE_ARRAY" in column.encodings:  # each may repeat all of the one before it
            per_row += column.total_uncompressed_size
    return max(1, min(_MAX_ROWS, int(_MAX_BYTES / max(1.0, per_row))))


def _bounded(batch: Any, before: int) -> Iterator[Record]:
    """The records of a batch, made of so many rows at once as together are as long as one may be.

    A row that is longer carries its problem.
    """
    import numpy as np

    lengths = sum((_lengths(column) for column in batch.columns), np.zeros(batch.num_rows))
    start, total = 0, 0.0
    for row, length in enumerate(lengths.tolist()):
        too_long = length > LONGEST_ROW
        if total + length > LONGEST_ROW:
            yield from _arrow_records(batch.slice(start, row - start), before + start)
            start, total = row, 0.0
        if too_long:
            fault = f"is longer than {LONGEST_ROW // 2**20} MiB"
            yield broken(before + row + 1, f"({length / 2**20:,.0f} MiB)", fault, _SPLIT)
            start = row + 1
        else:
            total += length
    yield from _arrow_records(batch.slice(start), before + start)


def _lengths(array: Any) -> Any:
    """Bytes of each value of an Arrow array, written out."""
    import numpy as np
    from pyarrow import compute, types

    kind = array.type
    if types.is_dictionary(kind):
        value_lengths = _lengths(array.dictionary)
        indices = compute.fill_null(array.indices, -1).to_numpy(zero_copy_only=False)
        return np.append(value_lengths, 0.0)[indices]
    if types.is_struct(kind):
        fields = (_lengths(array.field(n)) for n in range(kind.num_fields))
        return sum(fields, np.zeros(len(array)))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        # Of a slice the offsets do not begin at 0, and the values are those of the whole.
        items = array.items if types.is_map(kind) else array.values
        inner = _lengths(items) + (_lengths(array.keys) if types.is_map(kind) else 0.0)
        ends = np.concatenate([[0.0], np.cumsum(inner)])
        offsets = array.offsets.to_numpy(zero_copy_only=False)
        return ends[offsets[1:]] - ends[offsets[:-1]]
    if types.is_string(kind) or types.is_binary(kind) or _is_large(kind):
        return (
            compute.fill_null(compute.binary_length(array), 0)
            .to_numpy(zero_copy_only=False)
            .astype(float)
        )
    return np.full(len(array), 8.0)


def _is_large(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_large_string(kind) or types.is_large_binary(kind))


def _arrow_records(batch: Any, before: int) -> Iterator[Record]:
    try:
        rows = batch.to_pylist()
    except UnicodeDecodeError:  # of some row: only that one is broken
        for index in range(batch.num_rows):
            cells = {name: batch.column(name)[index] for name in batch.schema.names}
            yield _arrow_record(before + index + 1, cells)
        return
    for number, values in enumerate(rows, before + 1):
        yield Record(number, values, "arrow")


def _arrow_record(number: int, cells: dict[str, Any]) -> Record:
    values: dict[str, Any] = {}
    wrong = []
    for name, cell in cells.items():
        try:
            values[name] = cell.as_py()
        except UnicodeDecodeError:
            wrong.append(name)
            values[name] = _arrow_text(cell)
    record = Record(number, values, "arrow")
    if not wrong:
        return record
    fault = f"column '{wrong[0]}' holds bytes that are not UTF-8"
    return broken(number, record.raw, fault, "write it as UTF-8")


def _arrow_text(cell: Any) -> str:
    """The text of a cell with wrong bytes; what it is where it is no mere text."""
    cell = getattr(cell, "value", cell)  # of a dictionary
    if hasattr(cell, "as_buffer"):
        return bytes(cell.as_buffer()).decode(errors="backslashreplace")
    return f"({cell.type})"
