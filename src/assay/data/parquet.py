"""Parquet files: rows of a batch, none of them longer than a row of text may be."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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

    A few kilobytes may unpack to any size: the sizes of the pages are added up before they are
    unpacked, and texts that stand there once for many rows are kept once.
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
            about = ParquetFile(stream).metadata
            groups = [_chunks(stream, about.row_group(n)) for n in range(about.num_row_groups)]
            stream.seek(0)
            file = ParquetFile(stream, metadata=about, read_dictionary=_repeated(groups))
            refuse_doubled(file.schema_arrow.names)
            for group, chunks in enumerate(groups):
                size = _batch_rows(about.row_group(group).num_rows, chunks, number)
                for batch in file.iter_batches(batch_size=size, row_groups=[group]):
                    yield from _bounded(batch, number)
                    number += batch.num_rows
        except (ArrowException, UnicodeDecodeError, OverflowError, _NoPage) as error:
            message = f"the Parquet file cannot be read past row {number}: {error}"
            raise InputError(message, "the file is damaged; fetch it again") from error


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A column within a group of rows, as its pages say; the file's footer may say less.

    Attributes:
        name: The column.
        n_values: Values, those of lists counted one by one.
        size: Bytes of all pages, unpacked.
        largest: Bytes of the largest page, unpacked: no value is longer.
        is_text: Whether the values are as long as they like.
        in_dictionary: Whether values may be kept once for many rows.
        in_differences: Whether values may be kept as what differs from the one before.
    """

    name: str
    n_values: int
    size: int
    largest: int
    is_text: bool
    in_dictionary: bool
    in_differences: bool


def _chunks(stream: IO[bytes], group: Any) -> list[_Chunk]:
    return [_chunk(stream, group.column(n)) for n in range(group.num_columns)]


def _chunk(stream: IO[bytes], column: Any) -> _Chunk:
    pages = list(_pages(stream, column))
    return _Chunk(
        column.path_in_schema,
        sum(page.n_values for page in pages if not page.is_dictionary),
        sum(page.size for page in pages),
        max((page.size for page in pages), default=0),
        column.physical_type == "BYTE_ARRAY",
        any(page.is_dictionary for page in pages),
        "DELTA_BYTE_ARRAY" in column.encodings,
    )


def _repeated(groups: list[list[_Chunk]]) -> list[str]:
    """Columns whose texts, each written out for every row that has it, might fill the memory."""
    return [
        *{
            chunk.name
            for chunks in groups
            for chunk in chunks
            if chunk.is_text and chunk.in_dictionary and chunk.n_values * chunk.largest > _MAX_BYTES
        }
    ]


def _batch_rows(n_rows: int, chunks: list[_Chunk], before: int) -> int:
    """How many rows of a group, which is said to have so many, are unpacked at once.

    Raises:
        InputError: If its rows are too long to be unpacked at all.
    """
    rows = max(1, min([n_rows, *(chunk.n_values for chunk in chunks)]))
    for chunk in chunks:
        # A number takes up to eight bytes, however often it is written as one.
        unpacked = max(chunk.size, 8 * chunk.n_values)
        if unpacked > rows * LONGEST_ROW:
            where = f"rows {before + 1} to {before + rows}" if rows > 1 else f"row {before + 1}"
            fault = f"{where}: '{chunk.name}' unpacks to {unpacked / 2**20:,.0f} MiB"
            raise InputError(f"{fault}, more than {LONGEST_ROW // 2**20} MiB a row", _SPLIT)
    per_row = sum(chunk.size for chunk in chunks) / rows
    per_row += sum(chunk.largest for chunk in chunks if chunk.in_differences)
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
        own = _lengths(array.dictionary)
        places = compute.fill_null(array.indices, -1).to_numpy(zero_copy_only=False)
        return np.append(own, 0.0)[places]
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
        for at in range(batch.num_rows):
            cells = {name: batch.column(name)[at] for name in batch.schema.names}
            yield _arrow_record(before + at + 1, cells)
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


class _NoPage(ValueError):
    """Where a page should begin there is none."""

    def __init__(self, at: int) -> None:
        super().__init__(f"no page begins at byte {at}")


@dataclass(frozen=True, slots=True)
class _Page:
    """The head of a page: its bytes here and unpacked, and how many values it has."""

    packed: int
    size: int
    n_values: int
    is_dictionary: bool


def _pages(stream: IO[bytes], column: Any) -> Iterator[_Page]:
    """The heads of a column's pages, in turn, as far as a reader of the column goes."""
    at = column.data_page_offset
    if column.has_dictionary_page and 0 < column.dictionary_page_offset < at:
        at = column.dictionary_page_offset
    end, values = at + column.total_compressed_size, 0
    while at < end and values < column.num_values:
        page, length = _page_at(stream, at)
        values += 0 if page.is_dictionary else page.n_values
        at += length + page.packed
        yield page


def _page_at(stream: IO[bytes], at: int) -> tuple[_Page, int]:
    """The head of the page there, and its length."""
    size = _HEAD
    while True:
        stream.seek(at)
        content = stream.read(size)
        try:
            head, end = _struct(content, 0)
            break
        except IndexError:  # the page's least and greatest text stand in it, too
            if len(content) < size or size > LONGEST_ROW:
                raise _NoPage(at) from None
            size *= 16
    kinds = [head[n][1] for n in (_DATA, _DICTIONARY, _DATA_V2) if isinstance(head.get(n), dict)]
    sizes = head.get(_SIZE), head.get(_PACKED), *kinds
    if len(sizes) != 3 or not all(isinstance(n, int) and n >= 0 for n in sizes):
        raise _NoPage(at)
    return _Page(sizes[1], sizes[0], kinds[0], _DICTIONARY in head), end


# Fields of a page's head, as the format numbers them; the first of each kind of page is how many
# values it has. An index has none, and nobody writes one.
_SIZE, _PACKED, _DATA, _DICTIONARY, _DATA_V2 = 2, 3, 5, 7, 8
_HEAD: Final = 2**10


def _struct(content: bytes, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """The fields of a struct of Thrift's compact protocol that begins there, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while head := content[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _integer(content, at)
        fields[number], at = _field(content, at, head & 15, depth)
    return fields, at + 1


def _field(content: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2):  # true and false
        return kind == 1, at
    if kind == 3:  # a byte
        return content[at], at + 1
    if kind in (4, 5, 6):
        return _integer(content, at)
    if kind == 8:
        length, at = _varint(content, at)
        content[at + length]  # IndexError where it is cut
        return None, at + length
    if kind == 12 and depth < 4:
        return _struct(content, at, depth + 1)
    raise _NoPage(at)


def _integer(content: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(content, at)
    return value >> 1 ^ -(value & 1), at


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (content[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 128 or shift > 63:
            return value, at
