"""Files of data, here or in an object store, and sources: files or objects opened as rows."""

import gzip
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from io import BufferedReader
from itertools import chain, islice
from os import PathLike
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, Any, Final, cast

from assay._text import misspelt
from assay.data import passages
from assay.data.columns import (
    Plan,
    candidates,
    check_mapping,
    fetch,
    may_name_rows,
    plan,
    recognised,
)
from assay.data.documents import JOINED, is_plain
from assay.data.json_files import document_records, line_records
from assay.data.parquet import parquet_records
from assay.data.rows import Converter, Once, Reading, Record, Row, memory_records
from assay.data.tables import SUFFIX, other_sheets, sheet_records, split_sheet, table_records
from assay.data.traces import trace_rows
from assay.data.values import is_number, plain, unboxed
from assay.errors import InputError

BUFFER = 1 << 20  # bytes fetched at a time: a request takes long, whatever it brings
_URI = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
# What stands between user and host. A secret of AWS may hold a slash, and what follows a host that
# is no user is a port.
_PASSWORD = re.compile(r"(?<=://)([^/@:]*):(?!\d+/)[^@]*@")
Opener = Callable[[], IO[bytes]]
_READERS: Final[dict[str, Callable[[Opener], Iterator[Record]]]] = {
    ".jsonl": line_records,
    ".ndjson": line_records,
    ".json": document_records,
    ".csv": lambda opened: table_records(opened, ","),
    ".tsv": lambda opened: table_records(opened, "\t"),
    ".parquet": parquet_records,
    SUFFIX: lambda opened: sheet_records(opened, ""),
}
_KNOWN: Final = ", ".join(_READERS)
_UTF8: Final = "save it as UTF-8 (iconv -f {} -t UTF-8 OLD > NEW)"
_HEAD: Final = 256
_ZIP: Final = b"PK\x03\x04"
_OLE: Final = b"\xd0\xcf\x11\xe0"
# First bytes that show that a file is not what its name says.
_FOREIGN: Final = (
    (b"\xff\xfe\0\0", "is UTF-32 text", _UTF8.format("UTF-32")),  # begins like UTF-16
    (b"\0\0\xfe\xff", "is UTF-32 text", _UTF8.format("UTF-32")),
    (b"\xff\xfe", "is UTF-16 text", _UTF8.format("UTF-16")),
    (b"\xfe\xff", "is UTF-16 text", _UTF8.format("UTF-16")),
    (_ZIP, "is a ZIP archive or an Excel file", "unpack it, or name it '*.xlsx'"),
    (_OLE, "is an old or a locked Excel file", "save it as .xlsx, not locked"),
    (b"\x28\xb5\x2f\xfd", "is zstd-compressed", "unpack it, or compress it with gzip"),
    (b"BZh", "is bzip2-compressed", "unpack it, or compress it with gzip"),
    (b"\xfd7zXZ", "is xz-compressed", "unpack it, or compress it with gzip"),
    (b"ARROW1", "is an Arrow file", "save it as Parquet"),
)


def is_uri(data: object) -> bool:
    """Whether a text names a file by scheme and place rather than by a path of this machine."""
    return isinstance(data, str) and _URI.match(data) is not None


def located(data: str | PathLike[str]) -> "Path | Remote":
    """The file that a path or URI names; of a URI it is not known yet whether it is there.

    Raises:
        InputError: If the URI's scheme is unknown, or pyarrow is not installed.
    """
    return Remote(str(data)) if is_uri(data) else Path(data)


class Remote:
    """A file in an object store: as much of a `Path` as reading needs.

    Credentials are the usual ones of each store: environment, configuration files, the machine's
    role.

    Args:
        uri: ``s3://bucket/rows.parquet``, ``gs://...``, ``abfs://...``, ``hdfs://...``, and
            ``file:///...`` for a disk that all machines share.

    Raises:
        InputError: If the scheme is unknown, or pyarrow is not installed.

    Attributes:
        path: Its place within the store.
    """

    def __init__(self, uri: str) -> None:
        try:
            from pyarrow import ArrowException
            from pyarrow.fs import FileSystem
        except ImportError as error:
            remedy = "pip install 'assay[parquet]'"
            raise InputError(f"'{redacted_uri(uri)}' needs pyarrow", remedy) from error
        try:
            self._files, path = FileSystem.from_uri(uri)
        except (ArrowException, ValueError, OSError) as error:
            remedy = "give a path, or s3://, gs://, abfs://, hdfs:// or file:///"
            reason = str(error).partition("\n")[0].replace(uri, redacted_uri(uri))
            raise InputError(f"'{redacted_uri(uri)}' names no file: {reason}", remedy) from error
        self._name = redacted_uri(uri)
        self.path = PurePosixPath(path)

    def __str__(self) -> str:
        return self._name

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.name

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return self._kind() == "Directory"

    def exists(self) -> bool:
        """Whether it is there."""
        return self._kind() != "NotFound"

    def open(self, mode: str = "rb") -> IO[bytes]:
        """A stream of its bytes, to read ("rb", may be searched) or to write ("wb")."""
        files: Any = self._files
        if mode == "wb":
            return cast("IO[bytes]", files.open_output_stream(str(self.path)))
        return cast("IO[bytes]", BufferedReader(files.open_input_file(str(self.path)), BUFFER))

    def _kind(self) -> str:
        return str(self._files.get_file_info(str(self.path)).type.name)


def redacted_uri(uri: str) -> str:
    """A URI as messages show it: neither with a password nor with a query, which may be a key."""
    return _PASSWORD.sub(r"\1@", uri.partition("?")[0])


@contextmanager
def landing(target: str | PathLike[str]) -> Iterator[Path]:
    """Where to write what a path or URI is to hold once it is whole; OSError if it cannot."""
    location = located(target)
    if not isinstance(location, Path):
        with tempfile.TemporaryDirectory() as folder:
            local = Path(folder) / location.name
            yield local
            with local.open("rb") as local_file, location.open("wb") as sent:
                shutil.copyfileobj(local_file, sent)
    elif location.exists() and not location.is_file():  # a pipe, a terminal
        yield location
    else:
        place = location.resolve()
        beside = place.with_name(f".{os.getpid()}-{place.name}")
        try:
            yield beside
            if place.exists():
                shutil.copymode(place, beside)
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)


def file_records(path: Path | Remote) -> Callable[[], Iterator[Record]]:
    """A function that gives the file's records; InputError if it cannot be read.

    Of an Excel file it is the sheet that is named after "#".
    """
    path, sheet = split_sheet(path) if isinstance(path, Path) else (path, "")
    try:
        suffix = _suffix(path)
        head = _head(path)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"'{path}' cannot be read: {error}") from error
    _refuse_foreign(path, suffix, head)
    reader = _READERS[suffix] if not sheet else partial(sheet_records, sheet=sheet)

    def records() -> Iterator[Record]:
        number = 0
        try:
            for record in reader(lambda: _open_file(path)):
                number = record.number
                yield record
        except (OSError, EOFError, zlib.error) as error:
            message = f"'{path}' cannot be read past row {number}: {error}"
            raise InputError(message, "the file is damaged; fetch it again") from error

    return records


def about_file(path: Path | Remote) -> tuple[str, ...]:
    """A note on how a file is read: which of several sheets it is."""
    file, sheet = split_sheet(path) if isinstance(path, Path) else (path, "")
    if sheet or _without_gz(file).suffix.lower() != SUFFIX:
        return ()
    sheets = other_sheets(lambda: _open_file(file))
    names = ", ".join(f"'{name}'" for name in sheets)
    name = file.name
    return (f"the first sheet is read; {name}#SHEET names another: {names}",) if sheets else ()


def _suffix(path: Path | Remote) -> str:
    """The extension without .gz, which must be one that is known."""
    if path.is_dir():
        if isinstance(path, Remote):
            raise InputError(f"'{path}' is a directory", "name a file in it")
        inside = sorted(p.name for p in path.iterdir() if _without_gz(p).suffix.lower() in _READERS)
        remedy = f"name a file in it, such as '{path / inside[0]}'" if inside else "name a file"
        raise InputError(f"'{path}' is a directory", remedy)
    if not path.exists():
        remedy = "check the URI" if isinstance(path, Remote) else near(path)
        raise InputError(f"there is no file '{path}'", remedy)
    if isinstance(path, Path):
        refuse_endless(path)
    suffix = _without_gz(path).suffix.lower()
    if suffix not in _READERS:
        hint = misspelt.did_you_mean(suffix, _READERS)
        extension = f"the extension '{suffix}'" if suffix else "no extension"
        remedy = f"{hint} known extensions are {_KNOWN}, each also with .gz".lstrip()
        raise InputError(f"the format of '{path}' is unknown: it has {extension}", remedy)
    return suffix


def _without_gz(path: Path | Remote) -> PurePath:
    plain_path: PurePath = path if isinstance(path, Path) else path.path
    return plain_path.with_suffix("") if plain_path.suffix.lower() == ".gz" else plain_path


def refuse_endless(path: Path) -> None:
    """Raise InputError if it is a pipe or a device: reading one may never end."""
    if not path.is_file():
        remedy = "save what it gives to a file, and name that"
        raise InputError(f"'{path}' is no file, but a pipe, a socket or a device", remedy)


def near(path: Path) -> str:
    """What to do where there is no such file: the one that may have been meant."""
    if path.is_symlink():
        return f"it is a link to '{path.readlink()}': link it to a file"
    if not path.parent.is_dir():
        return f"there is no directory '{path.parent}' either"
    names = [sibling.name for sibling in path.parent.iterdir()]
    close = [str(path.parent / name) for name in misspelt.near(path.name, names)]
    return misspelt.ask(close) or "check the path"


def _open_file(path: Path | Remote) -> IO[bytes]:
    """The file's bytes, unpacked where its content (not its name) is that of a gzip file."""
    stream = path.open("rb")
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    return cast("IO[bytes]", _Unpacked(stream)) if packed else stream


class _Unpacked(gzip.GzipFile):
    """A stream that is unpacked, and closed with it."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(mode="rb", fileobj=stream)
        self._stream = stream

    def close(self) -> None:
        super().close()
        self._stream.close()


def _head(path: Path | Remote) -> bytes:
    with _open_file(path) as stream:
        return stream.read(_HEAD)


def _refuse_foreign(path: Path | Remote, suffix: str, head: bytes) -> None:
    if len(head) < _HEAD and not head.removeprefix(b"\xef\xbb\xbf").strip():
        raise InputError(f"'{path}' is empty", "give a file with at least one row")
    is_parquet = head.startswith(b"PAR1")
    if suffix == ".parquet" and not is_parquet:
        raise InputError(f"'{path}' is not a Parquet file", "correct its extension")
    if is_parquet and suffix != ".parquet":
        raise InputError(f"'{path}' is a Parquet file", "name it '*.parquet'")
    if suffix == SUFFIX and not head.startswith((_ZIP, _OLE)):
        raise InputError(f"'{path}' is not an Excel file", "correct its extension")
    if not is_parquet and not (suffix == SUFFIX and head.startswith(_ZIP)):
        refuse_binary(path, head)


def refuse_binary(path: Path | Remote, head: bytes) -> None:
    """Raise InputError if the first bytes of a file are those of no text in UTF-8."""
    for magic, fault, remedy in _FOREIGN:
        if head.startswith(magic):
            raise InputError(f"'{path}' {fault}", remedy)
    if head.count(b"\0") > len(head) // 4:
        name = _utf_name(head)
        raise InputError(f"'{path}' is {name[:6]} or binary", _UTF8.format(name))


def _utf_name(head: bytes) -> str:
    """The encoding of text without a mark, by where the NULs beside ASCII stand."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if min(even, odd) > len(head) // 6:  # three bytes of four
        return "UTF-32LE" if head[0] else "UTF-32BE"
    return "UTF-16BE" if even > odd else "UTF-16LE"


# So many rows are looked at before the first is given, fewer if they are long.
_ROWS: Final = 200
_CHARACTERS: Final = 2**24
_MAIN: Final = ("question", "answer", "contexts", "reference")


@dataclass(frozen=True)
class Source:
    """A data set that gives its rows one by one, each time it is iterated."""

    name: str  # what reports call it: the name of the file, or the kind of object
    records: Callable[[], Iterator[Record]]  # opens the source and gives its records
    mapping: Mapping[str, str] = field(default_factory=dict)  # field -> column, as the user gave it
    limit: int | None = None  # only the first so many records are read, None for all
    # What becomes of contexts that are one text: "auto", "whole", "numbered", or what separates the
    # passages.
    contexts: str = passages.AUTO
    file: Path | None = None  # the file of this machine that it is read from, None for all else
    notes: tuple[str, ...] = ()  # what a reader of the scores must know of the source
    # Whether other rows of the same origin came before: what all of these lack is then a gap, not a
    # sign that the data are read wrongly.
    continues: bool = False

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
        splitting = data.contexts if contexts in (None, passages.AUTO) else contexts
        limit = limit or data.limit
        return replace(data, mapping=mapping or data.mapping, limit=limit, contexts=splitting)
    options = (mapping or {}, limit, contexts or passages.AUTO)
    if isinstance(data, str | PathLike):
        path = located(data)
        file = split_sheet(path)[0] if isinstance(path, Path) else None
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


_LEAST_NAMED: Final = 3  # rows of which unequal cells say something
_LONGEST_ID: Final = 60


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
        id_column="" if "id" in mapping else _id_column(columns, rows),
    )


def _id_column(columns: Iterable[str], rows: Sequence[Record]) -> str:
    """The first column whose name and cells may be those of an id; "" where one is known."""
    fields = recognised(columns).values()
    if "id" in fields or len(rows) < _LEAST_NAMED:
        return ""
    for column in filter(may_name_rows, columns):
        if column in recognised([column]):
            continue
        cells = [(record.values or {}).get(column) for record in rows]
        texts = {str(cell).strip() for cell in cells if isinstance(cell, str | int)}
        if len(texts) == len(rows) and "" not in texts and max(map(len, texts)) <= _LONGEST_ID:
            return column
    return ""


def _is_free(column: str, mapping: Mapping[str, str], rows: Iterable[Record]) -> bool:
    """Whether nothing else takes the column, and it holds more than numbers."""
    if column in recognised([column]) or column in mapping.values():
        return False
    cells = [unboxed((record.values or {}).get(column)) for record in rows]
    filled = [cell for cell in cells if cell not in (None, "")]
    return "#" in column or not filled or not all(map(is_number, filled))


def _decisions(
    rows: Iterable[Record], mapping: Mapping[str, str], guessed: Mapping[str, str], contexts: str
) -> Iterator[tuple[str, passages.Decision]]:
    if chosen := passages.chosen_decision(contexts):
        yield from ((name, chosen) for name in JOINED)
    if contexts != passages.AUTO:
        return
    plans: dict[tuple[Any, ...], Plan] = {}
    texts: dict[str, list[str]] = {name: [] for name in JOINED}
    columns: dict[str, None] = {}
    for record in rows:
        values = record.values or {}
        key = tuple(values)
        if key not in plans:
            plans[key] = plan(values, mapping, guessed)
            columns |= dict.fromkeys(plans[key].columns)
        for name in JOINED:
            paths = plans[key].fields.get(name, ())
            cells = (fetch(values, path) for path in paths)
            texts[name] += [text for text in map(unboxed, cells) if is_plain(text)]
    for name, field_texts in texts.items():
        if decision := passages.decide(field_texts, columns):
            yield name, decision
