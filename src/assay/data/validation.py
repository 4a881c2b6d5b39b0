"""Validation: which rows can be evaluated, and what a reader must know of how they were read."""

import hashlib
import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import IO, Any, Final, Protocol, Self, TypeAlias

from assay.data import missing_fields
from assay.data.columns import FIELDS, likely_column, recognised
from assay.data.files import Source, read
from assay.data.passages import Decision
from assay.data.rows import Reading, Row
from assay.data.values import absent_word, error_message
from assay.errors import InputError, Problem
from assay.sample import Sample

KEPT: Final = 1000
_COLUMNS_KEPT: Final = 200
_TEXTS: Final = ("question", "answer", "contexts", "reference", "reference_contexts")
_MAIN: Final = ("answer", "question", "contexts", "reference")

Refuse: TypeAlias = Callable[[Row], list[Problem]]


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
    tally = _Tally(needs, source.mapping, instead or {}, required or {}, skips=skips)
    return Samples(source, tally, path)


class Watcher(Protocol):
    """Looks at every sample as it is read."""

    def add(self, sample: Sample) -> None:
        """Look at one."""

    def notes(self) -> Iterable[str]:
        """What a reader of the scores must know of them, a sentence each without its full stop."""


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
        watchers: Who looks at every sample as well, and has notes of its own at the end.
    """

    def __init__(self, source: Source, tally: "_Tally", skip_file: Path | None) -> None:
        self.name = source.name
        self.rows = 0
        self.skipped = 0
        self.skip_file = skip_file
        self.notes: list[str] = list(source.notes)
        self.watchers: list[Watcher] = []
        self._tally = tally
        self._continues = source.continues
        self._refuse: Refuse = lambda _: []
        self._iterator = self._walk(source)

    def __next__(self) -> Sample:
        return next(self._iterator)

    def refusing(self, refuse: "Refuse") -> Self:
        """The same, of which rows are invalid, too, that `refuse` finds problems with."""
        self._refuse = refuse
        return self

    def _walk(self, source: Source) -> Iterator[Sample]:
        broken_off: tuple[Problem, ...] = ()
        valid = 0
        with _writer(self.skip_file) if self.skip_file else nullcontext() as skip_file:
            try:
                for row in source:
                    self.rows += 1
                    if not row.problems and (more := self._refuse(row)):
                        row = replace(row, problems=(*more,))  # noqa: PLW2901 - it is now invalid
                    problems = self._tally.add(row)
                    if not problems:
                        valid += 1
                        sample = Sample(**row.fields)
                        for watcher in self.watchers:
                            watcher.add(sample)
                        yield sample
                    elif skip_file is not None:
                        self._skip(skip_file, row, problems)
            except InputError as error:
                # The source broke off: what its rows before that lack is told together with it.
                broken_off = error.problems
        self._conclude(broken_off, valid)

    def _skip(self, skip_file: IO[str], row: Row, problems: Iterable[Problem]) -> None:
        self.skipped += 1
        texts = [str(problem) for problem in problems]
        entry = {"row": row.number, "raw": row.record.raw, "problems": texts}
        skip_file.write(json.dumps(entry) + "\n")

    def _conclude(self, broken_off: tuple[Problem, ...], valid: int) -> None:
        if not self.rows and not broken_off:
            raise no_rows(self.name)
        general = [] if self._continues else self._tally.general()
        if self.skip_file is not None and valid:
            problems = [*broken_off, *general]
            error = InputError(problems) if problems else None
        else:
            error = self._tally.error(general)
            if broken_off:
                other_problems = error.problems if error else ()
                total = len(broken_off) + (error.total if error else 0)
                error = InputError([*broken_off, *other_problems][:KEPT], total=total)
        if error is not None:
            raise error
        self.notes += self._tally.notes()
        for watcher in self.watchers:
            self.notes += watcher.notes()


def no_rows(name: str) -> InputError:
    """The error of a data set without a single row."""
    return InputError(f"'{name}' holds no rows", "give at least one row")


def _writer(path: Path) -> IO[str]:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        message = f"'{path}' cannot take the skipped rows: {error.strerror}"
        raise InputError(message, "name a file that can be written") from error


def _check_skip_file(path: Path, file: Path | None) -> None:
    """Refuse a file that cannot be written, or whose writing would destroy the data."""
    if path.is_dir() or not path.parent.is_dir():
        message = f"'{path}' cannot take the skipped rows"
        raise InputError(message, "name a file in a directory that exists")
    if file is not None and path.exists() and path.samefile(file):
        message = f"'{path}' is the data itself and would be overwritten by the skipped rows"
        raise InputError(message, "name another file")


@dataclass
class _Problems:
    """Counts all problems and keeps the first ones, so that bad data cannot fill the memory."""

    first: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, problems: Iterable[Problem]) -> None:
        """Count problems, and keep them while there is room."""
        for problem in problems:
            self.total += 1
            if len(self.first) < KEPT:
                self.first.append(problem)


@dataclass
class _Missing:
    """Rows that lack a field which a metric needs."""

    first: int
    n: int = 0


class _Tally:
    """Looks at every row once and tells in the end what is wrong with all of them.

    Args:
        needs: Metric -> fields that it needs.
        mapping: Field -> column, as the user gave it.
        instead: Metric -> sets of fields of which any does as well.
        required: Who else needs fields, and cannot do without -> these fields.
        skips: Whether invalid rows are left out: then they serve no metric.
    """

    def __init__(
        self,
        needs: Mapping[str, Iterable[str]],
        mapping: Mapping[str, str],
        instead: Mapping[str, Sequence[Sequence[str]]],
        required: Mapping[str, Iterable[str]],
        *,
        skips: bool = False,
    ) -> None:
        self._skips = skips
        self._required = {*required}
        self._needs = {user: tuple(names) for user, names in {**required, **needs}.items()}
        self._mapping = mapping
        self._instead = instead
        self._missing: dict[tuple[str, str], _Missing] = {}  # by field and who needs it
        self._refused: dict[str, _Problems] = {}  # fields a row cannot lack
        self._served: set[str] = set()  # who found all that they need in some row
        self._silent: dict[str, None] = {}  # metrics that need an answer where it was empty
        self._rows = 0
        self._faults = _Problems()
        self._present: set[str] = set()
        self._unfound = set(mapping)
        self._columns: dict[str, None] = {}
        self._ids: set[int] = set()
        self._remarks = _Remarks()

    def add(self, row: Row) -> list[Problem]:
        """All problems of one row."""
        faults = [*row.problems, *self._same_id(row)]
        self._faults.add(faults)
        left_out = self._skips and bool(faults)
        if not left_out:
            self._rows += 1
            self._remarks.add(row)
        if row.record.values is None:
            return faults
        self._unfound &= row.unfound
        if len(self._columns) < _COLUMNS_KEPT:
            self._columns |= dict.fromkeys(row.columns)
        wrong = {problem.field for problem in row.problems}
        self._present |= wrong
        if left_out:
            needed = {name for names in self._needs.values() for name in names}
            self._present |= {n for n in needed if missing_fields.value_of(row, n) is not None}
        elif row.fields.get("failure") is not None:
            self._serve_failed(row)
        else:
            faults += self._note_missing(row, wrong)
        return faults

    def _note_missing(self, row: Row, wrong: Container[str]) -> list[Problem]:
        """Count which fields a row lacks; problems where it cannot be used without them."""
        missing: dict[str, list[str]] = {}
        for user, names in self._needs.items():
            for name in self._lacking(user, names, row, wrong):
                self._missing.setdefault((name, user), _Missing(row.number)).n += 1
                if user in self._required:
                    missing.setdefault(name, []).append(user)
        return [self._refuse(name, users, row) for name, users in missing.items()]

    def _serve_failed(self, row: Row) -> None:
        """Note which metrics a row would have served, had its system answered."""
        value = partial(missing_fields.value_of, row)
        for user, names in self._needs.items():
            expected = [name for name in names if name not in missing_fields.PRODUCED]
            if not missing_fields.lacking(expected, self._instead.get(user, ()), value):
                self._served.add(user)

    def _lacking(
        self, user: str, names: Sequence[str], row: Row, wrong: Container[str]
    ) -> list[str]:
        """The fields that a metric (or another user) needs and the row lacks."""
        value = partial(missing_fields.value_of, row)
        instead = self._instead.get(user, ())
        for name in names:
            if name != "answer" or not missing_fields.is_blank(value(name)):
                self._present |= {name} if value(name) is not None else set()
            elif not missing_fields.replaced(instead, value):
                # One is a result; if all of several are, the answers were not recorded.
                self._silent[user] = None
        lacking = [
            name for name in missing_fields.lacking(names, instead, value) if name not in wrong
        ]
        if not lacking:
            self._served.add(user)
        return lacking

    def _refuse(self, name: str, users: Sequence[str], row: Row) -> Problem:
        problem = missing_fields.missing_in_row(row, name, users)
        self._refused.setdefault(name, _Problems()).add([problem])
        return problem

    def _same_id(self, row: Row) -> list[Problem]:
        """A problem if an earlier row has the same id; 8 bytes of each id are remembered."""
        name = row.fields.get("id")
        if name is None:
            return []
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        key = int.from_bytes(digest)
        if key in self._ids:
            remedy = f"give each row an id of its own, or remove one{missing_fields.SKIP_HINT}"
            return [Problem(f"'{name}' is the id of an earlier row", remedy, row.number, "id")]
        self._ids.add(key)
        return []

    def general(self) -> list[Problem]:
        """Problems of the data set as a whole: what cannot be computed for any row."""
        if not self._columns and self._faults.total:  # nothing could be read at all
            return []
        unfound = [name for name in self._mapping if name in self._unfound]
        absent = {
            name: users
            for name, users in self._unserved().items()
            if name not in self._present and name not in unfound
        }
        reported = {user for users in absent.values() for user in users}
        reported |= {user for name, user in self._missing if name in unfound}
        users = [user for user in self._needs if user not in self._served | reported]
        unclear = self._unclear(absent)
        return [
            *(
                missing_fields.not_found(name, self._mapping[name], self._columns)
                for name in unfound
            ),
            *([missing_fields.unclear(unclear, absent, self._columns)] if unclear else ()),
            *(self._absent(name, users) for name, users in absent.items() if name not in unclear),
            *(
                missing_fields.unserved(user, self._needs[user], first_rows)
                for user in users
                if (first_rows := self._first_rows_without(user))
            ),
        ]

    def _unclear(self, absent: Iterable[str]) -> dict[str, Sequence[str]]:
        """Field -> the columns that may hold it, where there is more than one to choose."""
        resolved = {*self._mapping, *recognised(self._columns).values()}
        ambiguous = self._remarks.reading.ambiguous
        likely: dict[str, Sequence[str]] = {}
        for name in absent:
            if name in FIELDS and name not in resolved:
                column = likely_column(name, self._columns)
                likely[name] = ambiguous.get(name, [column] if column else [])
        likely = {name: columns for name, columns in likely.items() if columns}
        return likely if sum(map(len, likely.values())) > 1 else {}

    def _unserved(self) -> dict[str, list[str]]:
        """Field -> the metrics that need it and were served by no row."""
        unserved: dict[str, list[str]] = {}
        for name, user in self._missing:
            if user not in self._served:
                unserved.setdefault(name, []).append(user)
        if self._silent and self._rows > 1:
            silent = [user for user in self._silent if user not in unserved.get("answer", ())]
            unserved["answer"] = [*unserved.get("answer", ()), *silent]
        return unserved

    def _first_rows_without(self, user: str) -> dict[str, int]:
        """Field that a metric lacked -> the first row without it."""
        return {
            name: missing.first for (name, owner), missing in self._missing.items() if owner == user
        }

    def _absent(self, name: str, users: Sequence[str]) -> Problem:
        sets = [names for user in users for names in self._instead.get(user, ())]
        alternatives = dict.fromkeys(" and ".join(names) for names in sets if name not in names)
        instead = " or ".join(alternatives)
        return missing_fields.missing_in_all_rows(
            name, users, self._columns, instead, self._mapping
        )

    def notes(self) -> list[str]:
        """How the rows were read, and where metrics are undefined since a field is not there."""
        users: dict[tuple[str, int, int], list[str]] = {}
        for (name, user), missing in self._missing.items():
            if user not in self._required:
                users.setdefault((name, missing.first, missing.n), []).append(user)
        return self._remarks.notes(self._rows) + [
            missing_fields.missing_in_some_rows(name, metrics, first, n, self._rows)
            for (name, first, n), metrics in users.items()
        ]

    def error(self, general: Sequence[Problem]) -> InputError | None:
        """The general problems and those of rows in one error, None if there is none."""
        bags = [self._faults, *(b for name, b in self._refused.items() if name in self._present)]
        total = sum(bag.total for bag in bags) + len(general)
        rows = sorted((p for bag in bags for p in bag.first), key=lambda problem: problem.row or 0)
        return InputError([*general, *rows][:KEPT], total=total) if total else None


@dataclass
class _Occurrences:
    first: int
    word: str = ""
    n: int = 0
    least: int = 0
    most: int = 0


@dataclass
class _Remarks:
    """Counts of what readers of the scores must know of the rows."""

    absent: dict[str, _Occurrences] = field(default_factory=dict)
    joined: dict[str, _Occurrences] = field(default_factory=dict)
    printed: dict[str, _Occurrences] = field(default_factory=dict)
    failed: _Occurrences | None = None
    reading: Reading = field(default_factory=Reading)

    def add(self, row: Row) -> None:
        """Count what is odd in a row."""
        self.reading = row.reading
        for name in _TEXTS:
            if word := absent_word(row.fields.get(name)):
                self.absent.setdefault(name, _Occurrences(row.number, word)).n += 1
        if message := error_message(row.fields.get("answer")):
            self.failed = self.failed or _Occurrences(row.number, message)
            self.failed.n += 1
        for name, passages in row.passages.items():
            if passages > 1:
                count = self.joined.setdefault(name, _Occurrences(row.number, least=passages))
                count.n += 1
                count.least, count.most = min(count.least, passages), max(count.most, passages)
        for name in row.printed:
            self.printed.setdefault(name, _Occurrences(row.number)).n += 1

    def notes(self, rows: int) -> list[str]:
        """All remarks, each a sentence without its full stop."""
        return [
            *self._columns(),
            *(
                _note_on_separator(name, count, rows, self.reading.decisions[name])
                for name, count in self.joined.items()
            ),
            *(
                f"{name} of {_rows(count.n, rows)} are printed documents, read as the texts in them"
                "; --contexts whole (contexts= of Settings in Python) keeps them as they are"
                for name, count in self.printed.items()
            ),
            *(_note_on_words(name, count, rows) for name, count in self.absent.items()),
            *([_note_on_errors(self.failed, rows)] if self.failed else ()),
        ]

    def _columns(self) -> Iterator[str]:
        if guessed := self.reading.guessed:
            columns = {**self.reading.columns, **guessed}
            origins = [f"{name} from '{columns[name]}'" for name in _MAIN if name in columns]
            change = "--map (mapping= of Settings in Python) changes this"
            yield f"reading {', '.join(origins)}; {change}"
        if ambiguous := self.reading.ambiguous:
            yield missing_fields.ambiguous_columns(ambiguous)
        if column := self.reading.id_column:
            option = missing_fields.options({"id": [column]})
            yield f"samples are named by their rows; if '{column}' names each, {option} takes it"


def _rows(n: int, rows: int) -> str:
    return f"{n:,} of {rows:,} rows"


def _note_on_separator(name: str, count: _Occurrences, rows: int, decision: Decision) -> str:
    separator = decision.separator
    if count.least == count.most:
        passages = f"{count.most} passages"
    else:
        passages = f"{count.least} to {count.most} passages"
    if decision.splits:
        note = f"{name} of {_rows(count.n, rows)} were split at {separator.name} into {passages}"
        return f"{note}; --contexts whole (contexts= of Settings in Python) keeps them whole"
    note = f"{name} of {_rows(count.n, rows)} hold {separator.name} and were read as one text each"
    option = f"--contexts '{separator.option}' (contexts= of Settings in Python)"
    remedy = f"{option} splits them into {passages}"
    return f"{note}; if they are several, {remedy}"


def _note_on_words(name: str, count: _Occurrences, rows: int) -> str:
    note = f"the text '{count.word}' stands as {name} in {_rows(count.n, rows)}"
    kind = "a missing value as an export writes it" if count.n > 1 else "perhaps a missing value"
    return f"{note} (the first is row {count.first}), {kind}: it is scored as a text"


def _note_on_errors(count: _Occurrences, rows: int) -> str:
    note = f"the answer of {_rows(count.n, rows)} reads like an error message"
    remedy = "it is scored as an answer; if the system gave none, say why in the field 'failure'"
    return f"{note} (the first is row {count.first}, '{count.word}'): {remedy}"
