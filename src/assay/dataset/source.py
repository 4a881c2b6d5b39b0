"""Where do rows come from? Every file and every object is opened as a `Source`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from typing import Any

from assay.dataset.columns import check_mapping
from assay.dataset.convert import Converter
from assay.dataset.files import file_records
from assay.dataset.memory import memory_records
from assay.dataset.record import Record, Row
from assay.dataset.remote import located
from assay.dataset.traces import understood
from assay.dataset.values import plain
from assay.errors import InputError


@dataclass(frozen=True)
class Source:
    """A data set that gives its rows one by one, each time it is iterated.

    Attributes:
        name: What reports call it: the name of the file, or the kind of object.
        records: Opens the source and gives its records.
        mapping: Field -> column, as the user gave it.
        limit: Only the first so many records are read, None for all.
    """

    name: str
    records: Callable[[], Iterator[Record]]
    mapping: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None

    def __iter__(self) -> Iterator[Row]:
        """Rows, in the order of the source; no more than one is held."""
        understand = Converter(self.mapping).row
        for record in islice(understood(self.records(), self.mapping), self.limit):
            yield understand(record)


def read(
    data: Any, *, mapping: Mapping[str, str] | None = None, limit: int | None = None
) -> Source:
    """Open a data set without reading its rows.

    Args:
        data: Path to a JSONL, JSON, CSV, TSV or Parquet file; a list, generator or other iterable
            of dicts or Samples; a pandas DataFrame; a Hugging Face Dataset; a dict of columns; or
            a Source. Where spans of traces stand in any of these, each question answered is a row.
        mapping: Field -> column, for columns that are not recognised by their name. A dotted path
            reaches into an object; an empty column leaves the field out.
        limit: Read only the first so many rows.

    Raises:
        InputError: The source cannot be read at all.
    """
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit} leaves no rows", "give 1 or more")
    check_mapping(mapping or {})
    if isinstance(data, Source):
        return Source(data.name, data.records, mapping or data.mapping, limit or data.limit)
    if isinstance(data, str | PathLike):
        path = located(data)
        return Source(plain(path.name), file_records(path), mapping or {}, limit)
    return Source(f"{type(data).__name__} in memory", memory_records(data), mapping or {}, limit)
