"""Sources: a file or an object opened as rows, and what its first rows decide for all of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any, Final

from assay.data import passages
from assay.data.columns import Plan, candidates, check_mapping, fetch, plan, recognised
from assay.data.documents import JOINED, is_plain
from assay.data.files import about_file, file_records, located
from assay.data.rows import Converter, Once, Reading, Record, Row, memory_records
from assay.data.tables import parted
from assay.data.traces import trace_rows
from assay.data.values import plain, unboxed
from assay.errors import InputError

# So many rows are looked at before the first is given, fewer if they are long.
_ROWS: Final = 200
_CHARACTERS: Final = 2**24
_MAIN: Final = ("question", "answer", "contexts", "reference")


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
    contexts: str = passages.AUTO
    file: Path | None = None
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Row]:
        """Rows, in the order of the source; no more than the first ones are held."""
        # What can be read only once is read no further than it is wanted.
        size = min(_ROWS, self.limit or _ROWS) if isinstance(self.records, Once) else _ROWS
        head, records = _peek(trace_rows(self.records(), self.mapping), size)
        understand = Converter(self.mapping, _decide(head, self.mapping, self.contexts)).row
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
    passages.check(contexts)
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit} leaves no rows", "give 1 or more")
    check_mapping(mapping or {})
    if isinstance(data, Source):
        kept = data.contexts if contexts in (None, passages.AUTO) else contexts
        limit = limit or data.limit
        return replace(data, mapping=mapping or data.mapping, limit=limit, contexts=kept)
    options = (mapping or {}, limit, contexts or passages.AUTO)
    if isinstance(data, str | PathLike):
        path = located(data)
        file = parted(path)[0] if isinstance(path, Path) else None
        records = file_records(path)
        return Source(plain(path.name), records, *options, file, about_file(path))
    return Source(f"{type(data).__name__} in memory", memory_records(data), *options)


def _peek(records: Iterator[Record], size: int) -> tuple[list[Record], Iterator[Record]]:
    """The first records, and all of them. Where the source breaks off is found out in its turn."""
    head: list[Record] = []
    characters = 0
    try:
        for record in records:
            head.append(record)
            characters += len(record.text or "") or sum(
                map(_length, (record.values or {}).values())
            )
            if len(head) >= size or characters > _CHARACTERS:
                break
    except InputError as error:
        return head, chain(head, _raise(error))
    return head, chain(head, records)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 100


def _raise(error: InputError) -> Iterator[Record]:
    """No records: the error, once the first of them is wanted."""
    yield from ()
    raise error


def _decide(head: Iterable[Record], mapping: Mapping[str, str], contexts: str) -> Reading:
    """What the first records say of all.

    Args:
        head: The first records.
        mapping: Field -> column, as the user gave it.
        contexts: What the user wants of texts: `passages.AUTO`, WHOLE, NUMBERED, or a separator.
    """
    rows = [record for record in head if record.values is not None and record.form != "sample"]
    columns = {plain(str(key)): None for record in rows for key in record.values or ()}
    by_name = {name: column for column, name in recognised(columns).items() if name in _MAIN}
    by_name |= {name: column for name, column in mapping.items() if name in _MAIN}
    likely = {} if "turns" in recognised(columns).values() else candidates(columns)
    free = {
        name: [column for column in likely.get(name, ()) if _is_free(column, mapping, rows)]
        for name in _MAIN
        if name not in by_name
    }
    guessed = {name: names[0] for name, names in free.items() if len(names) == 1}
    return Reading(
        guessed=guessed,
        ambiguous={name: names for name, names in free.items() if len(names) > 1},
        columns={name: column for name, column in by_name.items() if column},
        decisions=dict(_decisions(rows, mapping, guessed, contexts)),
        whole=contexts == passages.WHOLE,
    )


def _is_free(column: str, mapping: Mapping[str, str], rows: Iterable[Record]) -> bool:
    """Whether nothing else takes the column, and it holds more than numbers."""
    if column in recognised([column]) or column in mapping.values():
        return False
    cells = [unboxed((record.values or {}).get(column)) for record in rows]
    filled = [cell for cell in cells if cell not in (None, "")]
    return "#" in column or not filled or not all(map(_is_number, filled))


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _decisions(
    rows: Iterable[Record], mapping: Mapping[str, str], guessed: Mapping[str, str], contexts: str
) -> Iterator[tuple[str, passages.Decision]]:
    if chosen := passages.chosen_decision(contexts):
        yield from ((name, chosen) for name in JOINED)
    if contexts != passages.AUTO:
        return
    plans: dict[tuple[Any, ...], Plan] = {}
    texts: dict[str, list[str]] = {name: [] for name in JOINED}
    for record in rows:
        values = record.values or {}
        key = tuple(values)
        if key not in plans:
            plans[key] = plan(values, mapping, guessed)
        for name in JOINED:
            paths = plans[key].fields.get(name, ())
            cells = (fetch(values, path) for path in paths)
            texts[name] += [text for text in map(unboxed, cells) if is_plain(text)]
    for name, held in texts.items():
        if decision := passages.decide(held):
            yield name, decision
