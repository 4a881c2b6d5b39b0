"""Is everything in a store what it was when it was written?"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError, InputError
from assay.store import rows
from assay.store.keys import digest, long_key, short_key, text_key
from assay.store.known import TEXT
from assay.store.packing import unpacked
from assay.store.records import Run
from assay.store.store import Store

# So many problems are named; a file that is damaged through and through has no end of them.
MOST = 100
# What reading a row may lead to whose bytes are not those that were written.
DAMAGE = (
    AssayError,
    sqlite3.DatabaseError,
    msgspec.DecodeError,
    ValueError,  # of text that is not UTF-8, too
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
)


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found in a store.

    Attributes:
        problems: What is damaged or missing, at most `MOST` of them.
        remarks: What is no damage: runs that have not finished, rows that no run needs.
        counts: Rows looked at, by table.
    """

    problems: tuple[str, ...]
    remarks: tuple[str, ...]
    counts: dict[str, int]


def verify(path: str | Path) -> Verification:
    """Read all of a store and check it: the file, every text's hash, every reference, every run.

    It takes memory for one row at a time, and about as long as reading the file twice.

    Raises:
        InputError: If the file is not there or cannot be opened as a store.
    """
    if not Path(path).is_file():
        raise InputError(f"there is no store '{path}'", "`assay run` makes one")
    with Store(path) as store:
        check = _Check(store)
        return check.all()


class _Check:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._problems: list[str] = []
        self._remarks: list[str] = []
        self._counts: dict[str, int] = {}

    def all(self) -> Verification:
        try:
            self._file()
            self._texts()
            self._replies()
            for run in self._store.runs():
                self._run(run)
            self._orphans()
        except DAMAGE as error:
            self._problem(f"the file is damaged: {error}")
        except _TooMany:
            self._remarks.append(f"more than {MOST} problems: the rest was not looked at")
        return Verification(tuple(self._problems), tuple(self._remarks), self._counts)

    def _problem(self, text: str) -> None:
        self._problems.append(text)
        if len(self._problems) >= MOST:
            raise _TooMany

    def _file(self) -> None:
        for (said,) in self._store.query("PRAGMA integrity_check(20)"):
            if said != "ok":
                self._problem(f"SQLite: {said}")

    def _texts(self) -> None:
        for number, key, body in self._paged("texts", "id, hash, body"):
            try:
                fits = text_key(unpacked(body, TEXT)) == key
            except DAMAGE:
                fits = False
            if not fits:
                self._problem(f"text {number} is not what its hash says")

    def _replies(self) -> None:
        for number, key in self._paged("replies", "id, key"):
            shown = f"reply {long_key(key)}"
            try:
                if self._store.reply(long_key(key)) is None:
                    self._problem(f"{shown} (row {number}) names nobody who gave it")
            except DAMAGE as error:
                self._problem(f"{shown} cannot be read: {error}")

    def _paged(self, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
        last, count = 0, 0
        sql = f"SELECT {columns} FROM {table} WHERE id > ? ORDER BY id LIMIT 256"
        while page := self._store.query(sql, last):
            yield from page
            count, last = count + len(page), page[-1][0]
        self._counts[table] = count

    def _run(self, run: Run) -> None:
        fingerprint, n = digest(sorted(run.metrics.values())), 0
        try:
            for row, sample in self._store.samples(run.id):
                n += 1
                body = rows.body(sample, lambda text: text_key(text).hex())
                fingerprint = digest([fingerprint, body])
                for metric in run.metrics:
                    self._score(run, row, metric)
        except DAMAGE as error:
            self._problem(f"run {run.id}, after {n} samples: {error}")
            return
        self._counts["samples"] = self._counts.get("samples", 0) + n
        if n != run.n_samples:
            self._problem(f"run {run.id} has {n} of its {run.n_samples} samples")
        elif fingerprint != self._store.fingerprint(run.id):
            self._problem(
                f"run {run.id}: its samples or metrics are not those that it was named by"
            )
        self._complete(run)

    def _score(self, run: Run, row: int, metric: str) -> None:
        place = f"run {run.id}, row {row}, {metric}"
        try:
            if self._store.outcome(run.id, row, metric) is None:
                return
        except DAMAGE as error:
            self._problem(f"{place}: the evidence cannot be read: {error}")
            return
        self._counts["scores"] = self._counts.get("scores", 0) + 1
        for key in self._store.reply_keys(run.id, row, metric):
            if not self._store.query("SELECT 1 FROM replies WHERE key = ?", short_key(key)):
                self._problem(f"{place}: the reply {key} that it rests on is not there")

    def _complete(self, run: Run) -> None:
        counts = self._store.counts(run.id)
        scored = sum(sum(by_why.values()) for by_why in counts.values())
        missing = run.n_samples * len(run.metrics) - scored
        if run.finished and missing:
            self._problem(f"run {run.id} has finished, and {missing} of its scores are missing")
        elif not run.finished:
            why = run.stopped.partition(":")[0] or "it did not end by itself"
            self._remarks.append(f"run {run.id} has not finished ({why}): {missing} scores to go")

    def _orphans(self) -> None:
        for table in ("samples", "jobs"):
            known = "SELECT names.id FROM names JOIN runs ON runs.id = name"
            sql = f"SELECT count(*) FROM {table} WHERE run NOT IN ({known})"
            ((n,),) = self._store.query(sql)
            if n:
                self._remarks.append(
                    f"{n} rows of '{table}' belong to no run: `assay gc` drops them"
                )


class _TooMany(Exception):
    """Enough is enough."""
