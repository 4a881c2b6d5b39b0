"""Where do rows come from? Every file and every object is opened as a `Source`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from assay.dataset import joints
from assay.dataset.columns import check_mapping
from assay.dataset.convert import Converter
from assay.dataset.files import about_file, file_records
from assay.dataset.memory import Once, memory_records
from assay.dataset.reading import ROWS, begun, decide
from assay.dataset.record import Record, Row
from assay.dataset.remote import located
from assay.dataset.sheets import parted
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
        contexts: What becomes of contexts that are one text: "auto", "whole", "numbered", or what
            separates the passages.
        file: The file of this machine that it is read from, None for all else.
        notes: What a reader of the scores must know of the source.
    """

    name: str
    records: Callable[[], Iterator[Record]]
    mapping: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    contexts: str = joints.AUTO
    file: Path | None = None
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Row]:
        """Rows, in the order of the source; no more than the first ones are held."""
        # What can be read only once is read no further than it is wanted.
        most = min(ROWS, self.limit or ROWS) if isinstance(self.records, Once) else ROWS
        head, records = begun(understood(self.records(), self.mapping), most)
        understand = Converter(self.mapping, decide(head, self.mapping, self.contexts)).row
        del head
        for record in islice(records, self.limit):
            yield understand(record)


def read(
    data: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    contexts: str | None = None,
) -> Source:
    """Open a data set without reading its rows.

    Args:
        data: Path to a JSONL, JSON, CSV, TSV, Parquet or Excel file (`FILE.xlsx#Sheet`); a list,
            generator or other iterable of dicts or Samples; a pandas DataFrame; a Hugging Face
            Dataset; a dict of columns; or a Source. Where spans of traces stand in any of these,
            each question answered is a row.
        mapping: Field -> column, for columns that are not recognised by their name. A dotted path
            reaches into an object; an empty column leaves the field out.
        limit: Read only the first so many rows.
        contexts: What becomes of contexts that are one text. "auto" (the default) splits where the
            first rows show that several passages were joined, and says so; "whole" never does;
            "numbered" splits at numbers and labels; anything else is what separates passages.

    Raises:
        InputError: The source cannot be read at all.
    """
    joints.check(contexts)
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit} leaves no rows", "give 1 or more")
    check_mapping(mapping or {})
    if isinstance(data, Source):
        chosen = data.contexts if contexts in (None, joints.AUTO) else contexts
        again = (mapping or data.mapping, limit or data.limit, chosen, data.file, data.notes)
        return Source(data.name, data.records, *again)
    how = (mapping or {}, limit, contexts or joints.AUTO)
    if isinstance(data, str | PathLike):
        path = located(data)
        file = parted(path)[0] if isinstance(path, Path) else None
        records = file_records(path)
        return Source(plain(path.name), records, *how, file, about_file(path))
    return Source(f"{type(data).__name__} in memory", memory_records(data), *how)
