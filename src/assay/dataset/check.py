"""Can every row be evaluated, and if not, what are all the reasons?"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import IO, Any

from assay.dataset.record import Row
from assay.dataset.source import Source, read
from assay.dataset.tally import KEPT, Tally
from assay.errors import InputError, Problem
from assay.sample import Sample


def samples(
    data: Any,
    *,
    needs: Mapping[str, Iterable[str]],
    mapping: Mapping[str, str] | None = None,
    skip_invalid: str | PathLike[str] | None = None,
    limit: int | None = None,
    instead: Mapping[str, Sequence[Sequence[str]]] | None = None,
    required: Mapping[str, Iterable[str]] | None = None,
) -> "Samples":
    """The samples of a data set, checked for what the metrics need.

    A metric is undefined for a row that lacks what it needs; it must be there in some row.

    Args:
        data: As for `read`.
        needs: Metric -> fields that it needs.
        mapping: As for `read`.
        skip_invalid: File to which rows with problems are written instead of refusing the data.
        limit: As for `read`.
        instead: Metric -> sets of fields of which any does as well as those that it needs.
        required: Who else needs fields -> those without which a row is invalid.

    Raises:
        InputError: The source cannot be read at all. Problems of rows are raised in one InputError
            when the returned iterator ends.
    """
    source = read(data, mapping=mapping, limit=limit)
    path = None if skip_invalid is None else Path(skip_invalid)
    if path is not None:
        _check_skip_file(path, source.file)
    skips = path is not None
    tally = Tally(needs, source.mapping, instead or {}, required or {}, skips=skips)
    return Samples(source, tally, path)


class Samples(Iterator[Sample]):
    """Gives the valid samples one by one; at the end raises one InputError if any row was invalid.

    With a skip file, invalid rows are written there instead; InputError is then raised only if no
    row is left or a metric can be computed for none.

    Attributes:
        name: Name of the data set.
        rows: Rows seen so far.
        skipped: Rows written to the skip file so far.
        skip_file: Where they are, None if invalid rows are refused.
        notes: What else a reader of the scores must know of the data; filled at the end.
    """

    def __init__(self, source: Source, tally: Tally, skip_file: Path | None) -> None:
        self.name = source.name
        self.rows = 0
        self.skipped = 0
        self.skip_file = skip_file
        self.notes: list[str] = list(source.notes)
        self._tally = tally
        self._iterator = self._walk(source)

    def __next__(self) -> Sample:
        return next(self._iterator)

    def _walk(self, source: Source) -> Iterator[Sample]:
        broken: tuple[Problem, ...] = ()
        given = 0
        with _opened(self.skip_file) if self.skip_file else nullcontext() as out:
            try:
                for row in source:
                    self.rows += 1
                    problems = self._tally.see(row)
                    if not problems:
                        given += 1
                        yield Sample(**row.fields)
                    elif out is not None:
                        self._skip(out, row, problems)
            except InputError as error:
                # The source broke off: what its rows before that lack is told together with it.
                broken = error.problems
        self._conclude(broken, given)

    def _skip(self, out: IO[str], row: Row, problems: Iterable[Problem]) -> None:
        self.skipped += 1
        shown = [str(problem) for problem in problems]
        entry = {"row": row.number, "raw": row.record.raw, "problems": shown}
        out.write(json.dumps(entry) + "\n")

    def _conclude(self, broken: tuple[Problem, ...], given: int) -> None:
        if not self.rows and not broken:
            raise no_rows(self.name)
        general = self._tally.general()
        if self.skip_file is not None and given:
            found = [*broken, *general]
            error = InputError(found) if found else None
        else:
            error = self._tally.error()
            if broken:
                rest = error.problems if error else ()
                total = len(broken) + (error.total if error else 0)
                error = InputError([*broken, *rest][:KEPT], total=total)
        if error is not None:
            raise error
        self.notes += self._tally.notes()


def no_rows(name: str) -> InputError:
    """What is said of a data set without a single row."""
    return InputError(f"'{name}' holds no rows", "give at least one row")


def _opened(path: Path) -> IO[str]:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        what = f"'{path}' cannot take the skipped rows: {error.strerror}"
        raise InputError(what, "name a file that can be written") from error


def _check_skip_file(path: Path, file: Path | None) -> None:
    """Refuse a file that cannot be written, or whose writing would destroy the data."""
    if path.is_dir() or not path.parent.is_dir():
        what = f"'{path}' cannot take the skipped rows"
        raise InputError(what, "name a file in a directory that exists")
    if file is not None and path.exists() and path.samefile(file):
        what = f"'{path}' is the data itself and would be overwritten by the skipped rows"
        raise InputError(what, "name another file")
