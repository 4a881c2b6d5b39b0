"""Samples that arrive: rows and traces of a file that grows, or of a folder whose files do."""

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from assay._runner.settings import Settings
from assay.data import Record, Source
from assay.data.files import file_records, near
from assay.data.rows import Row
from assay.errors import InputError, Problem
from assay.sample import Sample

_ENDINGS = (".jsonl", ".ndjson", ".json")
_DIGITS = 16  # of a digest, in hexadecimal


@dataclass
class Arrivals:
    """What is new in a source."""

    # New samples of the share that is taken, in the order of their digests.
    samples: list[Sample] = field(default_factory=list)
    known: int = 0  # samples that an earlier look had
    left_out: int = 0  # samples outside the share
    over: int = 0  # samples for which a look had no room
    waiting: int = 0  # samples of traces that ended too recently: more spans of them may come
    invalid: int = 0  # rows that cannot be read
    problem: str = ""  # what is wrong with the first of these, "" if there is none


def files_of(path: str | Path) -> list[Path]:
    """The file, or the files of the folder that hold rows or traces, by name.

    Raises:
        InputError: If there is no such file or folder.
    """
    source = Path(path)
    if source.is_dir():
        files = [f for f in source.iterdir() if f.name.removesuffix(".gz").endswith(_ENDINGS)]
        return sorted(f for f in files if f.is_file())
    if not source.exists():
        raise InputError(f"there is no file or folder '{path}'", near(source))
    return [source]


def arrivals(
    path: str | Path,
    known: Collection[str],
    *,
    share: float = 1.0,
    now: datetime,
    settle: timedelta = timedelta(),
    settings: Settings,
    refuse: Callable[[Row], Sequence[Problem]] = lambda _: (),
) -> Arrivals:
    """What has arrived in a file or folder since it was last read.

    Args:
        path: The file, or the folder.
        known: Ids of the samples that are known.
        share: Which share of the samples is taken, in (0, 1]: a digest of a sample's id decides.
        now: The time, with its zone.
        settle: For how long a trace must have ended.
        settings: As for `evaluate`: mapping and contexts.
        refuse: Gives what else is wrong with a row.

    Raises:
        InputError: If there is no such file or folder, or one cannot be read at all.
    """
    files = files_of(path)
    name, mapping, contexts = Path(path).name, settings.mapping, settings.contexts
    source = Source(name, lambda: _records(files), mapping, contexts=contexts)
    new, copies = Arrivals(), Counter[str]()
    ids = set(known)
    for row in source:
        problems = row.problems or tuple(refuse(row))
        if problems:
            new.invalid += 1
            new.problem = new.problem or str(problems[0])
            continue
        sample = Sample(**row.fields)
        if sample.id == f"row-{row.number}":  # the place in a file that is rotated names nothing
            sample = replace(sample, id=_row_id(row, copies))
        if sample.id in ids:
            new.known += 1
        elif not is_taken(sample.id, share):
            new.left_out += 1
        elif _end_of_trace(sample, now) > now - settle:
            new.waiting += 1
        else:
            ids.add(sample.id)
            new.samples.append(sample)
    # What a budget leaves out is then a random part of what came.
    new.samples.sort(key=lambda sample: _digest(sample.id))
    return new


def is_taken(id_: str, share: float) -> bool:
    """Whether a sample belongs to the share: always the same answer, and none about its content."""
    return bool(int(_digest(id_), 16) / 16**_DIGITS < share)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _row_id(row: Row, copies: "Counter[str]") -> str:
    """The id of a row without one: by its content, and which of several equal ones it is."""
    digest = _digest(row.record.raw)
    copies[digest] += 1
    return digest if copies[digest] == 1 else f"{digest}-{copies[digest]}"


def _end_of_trace(sample: Sample, now: datetime) -> datetime:
    """When a trace ended; long ago where that is not known."""
    long_ago = datetime.min.replace(tzinfo=now.tzinfo)
    if "trace_id" not in sample.metadata:
        return long_ago
    try:
        began = datetime.fromisoformat(str(sample.metadata["began"]))
    except (KeyError, ValueError):
        return long_ago
    if began.tzinfo is None:
        return long_ago
    return began + timedelta(milliseconds=sample.latency_ms or 0)


def _located(problem: Problem, file: Path) -> Problem:
    """What is wrong with a row of one of several files."""
    return replace(problem, what=f"row {problem.row} of {file.name} {problem.what}", row=None)


def _records(files: list[Path]) -> Iterator[Record]:
    """The records of all files; a last line that is still being written is left for the next time.

    They are numbered through, so that a row without an id can be told by its number.
    """
    number = 0
    for file in files:
        if not file.stat().st_size:
            continue
        if len(files) > 1 and _is_cut(file):
            number += 1
            fault = f"{file.name} ends in the middle, so nothing of it is taken yet"
            problem = Problem(fault, "remove it if nothing writes to it any more")
            yield Record(number, None, problem=problem, text=file.name)
            continue
        before: Record | None = None
        for record in file_records(file)():
            if before is not None:
                yield before
            number += 1
            before = replace(record, number=number)
            if record.problem and len(files) > 1:
                before = replace(before, problem=_located(record.problem, file))
        if before is not None and not (before.problem and _is_torn(file)):
            yield before


def _is_cut(file: Path) -> bool:
    """Whether a compressed file is not whole: it is still being written, or what wrote it died."""
    if file.suffix != ".gz":
        return False
    try:
        with gzip.open(file) as opened:
            while opened.read(2**20):
                pass
    except (OSError, EOFError, zlib.error):
        return True
    return False


def _is_torn(file: Path) -> bool:
    with file.open("rb") as opened:
        opened.seek(-1, 2)
        return opened.read(1) != b"\n"
