"""Maintenance of a store: whether it is whole, and the removal of what no run needs."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assay._store import Store, rows
from assay._store.connection import paged
from assay._store.integrity import (
    COVERED,
    MAGIC,
    VALUE,
    Damaged,
    checksum,
    digest,
    file_errors,
    log_of,
    long_key,
    long_keys,
    short_key,
    text_key,
)
from assay._store.labels import pair_label
from assay._store.rows import numbers
from assay._store.runs import BENCH, POOL, TARGET, TESTSET, Run
from assay._store.schema import ROW, TEXT, decompress
from assay._store.transfer import UNREADABLE, export
from assay.errors import AssayError, InputError

# So many problems are named; a file that is damaged through and through has no end of them.
MAX_PROBLEMS = 100
# What reading a row may lead to whose bytes are not those that were written.
DAMAGE = (AssayError, sqlite3.DatabaseError, *UNREADABLE)


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found in a store."""

    problems: tuple[str, ...]  # what is damaged or missing, at most `MAX_PROBLEMS` of them
    # What is no damage: runs that have not finished, rows that no run needs.
    remarks: tuple[str, ...]
    counts: dict[str, int]  # rows looked at, by table
    # Of a store with problems, the runs that `assay export` can still write in full.
    whole: tuple[str, ...] = ()


def verify(path: str | Path) -> Verification:
    """Read all of a store and check it: the file, every checksum, every reference, every run.

    It takes memory for a page of rows, and about as long as reading the file three times.

    Raises:
        InputError: If the file is not there or cannot be opened as a store.
    """
    if not Path(path).is_file():
        raise InputError(f"there is no store '{path}'", "`assay run` makes one")
    if Path(path).stat().st_size < len(MAGIC):  # SQLite would begin a new one in its place
        raise InputError(f"'{path}' is empty: no store, or none any more", "use a copy of it")
    with Store(path) as store:
        check = _Verifier(store)
        return check.all()


class _Verifier:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._problems: list[str] = []
        self._remarks: list[str] = []
        self._counts: dict[str, int] = {}
        self._damaged: set[str] = set()
        self._runs: list[str] = []

    def all(self) -> Verification:
        readable_runs: tuple[str, ...] = ()
        try:
            self._check_all()
        except _TooMany:
            self._remarks.append(f"more than {MAX_PROBLEMS} problems: the rest was not looked at")
        if self._problems:
            readable_runs = tuple(run for run in self._runs if self._is_readable(run))
        return Verification(
            tuple(self._problems), tuple(self._remarks), self._counts, readable_runs
        )

    def _check_all(self) -> None:
        steps: list[Callable[[], None]] = [
            self._check_file,
            *(partial(self._check_rows, table) for table in COVERED),
            *(self._check_texts, self._check_replies, self._find_runs),
        ]
        for step in steps:
            self._try(step)
        for run in self._runs:
            self._try(partial(self._check_run, run))
        self._try(self._check_orphans)

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except DAMAGE as error:
            self._add_problem(f"the file is damaged: {_text_of(error)}")

    def _add_problem(self, text: str) -> None:
        if text not in self._problems:
            self._problems.append(text)
        if len(self._problems) >= MAX_PROBLEMS:
            raise _TooMany

    def _check_file(self) -> None:
        for (answer,) in self._store.query("PRAGMA integrity_check(20)"):
            if answer != "ok":
                self._add_problem(f"SQLite: {answer}")

    def _check_rows(self, table: str) -> None:
        values = f"value_checksum IS value_checksum({VALUE})" if table == "jobs" else "1"
        sql = f"SELECT checksum, {values}, {COVERED[table]} FROM {table}"
        for stored, same_value, *row in self._store.each(sql):
            if checksum(*row) != stored or not same_value:
                name = self._row_name(table, row)
                self._damaged.add(name)
                self._add_problem(f"{name} is not what was written")

    def _row_name(self, table: str, row: Sequence[Any]) -> str:
        """A row as problems name it, by what its checksum covers."""
        if table == "texts":
            return f"text {row[0]}"
        if table == "replies":
            return f"reply {long_key(row[0])}"
        if table == "runs":
            return f"run {row[0]}"
        if table == "samples":
            names = self._store.query("SELECT name FROM names WHERE id = ?", row[0])
            return f"sample {row[1]} of run {names[0][0] if names else row[0]}"
        if table == "jobs":
            run, metric, number = row[:3]
            return f"the score of run {run}, row {number} by {metric}"
        return f"a row of '{table}' ({row[0]}, {row[1]})"

    def _check_texts(self) -> None:
        for number, key, body in self._pages_of("texts", "id, hash, body"):
            try:
                fits = text_key(decompress(body, TEXT)) == key
            except DAMAGE:
                fits = False
            if not fits and f"text {number}" not in self._damaged:
                self._add_problem(f"text {number} is not what its hash says")

    def _check_replies(self) -> None:
        for _, key in self._pages_of("replies", "id, key"):
            title = f"reply {long_key(key)}"
            if title in self._damaged:
                continue
            try:
                if self._store.reply(long_key(key)) is None:
                    self._add_problem(f"{title} is not found by its key")
            except DAMAGE as error:
                self._add_problem(f"{title} cannot be read: {_text_of(error)}")

    def _pages_of(self, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
        count = 0
        sql = f"SELECT {columns} FROM {table} WHERE id > ? ORDER BY id LIMIT ?"
        for count, row in enumerate(paged(self._store.query, sql), start=1):  # noqa: B007
            yield row
        self._counts[table] = count

    def _find_runs(self) -> None:
        sql = "SELECT id FROM runs ORDER BY created DESC, rowid DESC"
        self._runs = [id_ for (id_,) in self._store.query(sql)]

    def _is_readable(self, run: str) -> bool:
        """Whether all of a run can be exported."""
        try:
            for _ in export(self._store, [run]):
                pass
        except DAMAGE:
            return False
        return True

    def _check_run(self, name: str) -> None:
        run = self._store.run(name)
        fingerprint, n = digest(sorted(run.metrics.values())), 0
        try:
            for row, sample in self._store.samples(run.id):
                n += 1
                body = rows.sample_body(sample, lambda text: text_key(text).hex())
                fingerprint = digest([fingerprint, body])
                for metric in run.metrics:
                    self._check_score(run, row, metric)
        except DAMAGE as error:
            self._add_problem(f"run {run.id}, after {n} samples: {_text_of(error)}")
            return
        self._counts["samples"] = self._counts.get("samples", 0) + n
        if n != run.n_samples:
            self._add_problem(f"run {run.id} has {n} of its {run.n_samples} samples")
        elif fingerprint != self._store.fingerprint(run.id):
            self._add_problem(
                f"run {run.id}: its samples or metrics are not those that it was named by"
            )
        self._check_complete(run)

    def _check_score(self, run: Run, row: int, metric: str) -> None:
        location = f"run {run.id}, row {row}, {metric}"
        try:
            if self._store.outcome(run.id, row, metric) is None:
                return
        except DAMAGE as error:
            self._add_problem(f"{location}: the evidence cannot be read: {_text_of(error)}")
            return
        self._counts["scores"] = self._counts.get("scores", 0) + 1
        for key in self._store.reply_keys(run.id, row, metric):
            if not self._store.query("SELECT 1 FROM replies WHERE key = ?", short_key(key)):
                self._add_problem(f"{location}: the reply {key} that it rests on is not there")

    def _check_complete(self, run: Run) -> None:
        counts = self._store.counts(run.id)
        scored = sum(sum(by_why.values()) for by_why in counts.values())
        missing = run.n_samples * len(run.metrics) - scored
        if run.finished and missing:
            self._add_problem(f"run {run.id} has finished, and {missing} of its scores are missing")
        elif not run.finished:
            reason = run.stopped.partition(":")[0] or "it did not end by itself"
            self._remarks.append(
                f"run {run.id} has not finished ({reason}): {missing} scores to go"
            )

    def _check_orphans(self) -> None:
        for table in ("samples", "jobs"):
            known = "SELECT names.id FROM names JOIN runs ON runs.id = name"
            sql = f"SELECT count(*) FROM {table} WHERE run NOT IN ({known})"
            ((n,),) = self._store.query(sql)
            if n:
                self._remarks.append(
                    f"{n} rows of '{table}' belong to no run: `assay gc` drops them"
                )


def _text_of(error: Exception) -> str:
    return error.what if isinstance(error, Damaged) else str(error)


class _TooMany(Exception):
    """As many problems as are reported were found."""


# Tables, and what has to be true of a row for it to stay.
_RETAINED = {
    "samples": "run IN kept_runs",
    "jobs": "run IN kept_runs",
    "replies": "id IN kept_replies",
    "texts": "id IN kept_texts",
}


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What was dropped, or would be."""

    rows: dict[str, int]  # rows by table
    before: int  # bytes that it took on the disk, its log of writes included
    after: int | None  # bytes when it was done; None if nothing was


def clean(path: str | Path, delete: Sequence[str] = (), *, dry_run: bool = False) -> Cleaning:
    """Drop what no run needs, and give the room back to the disk.

    Needed are the samples and scores of every run, the replies that a run paid for or its scores
    rest on, what systems answered that were asked, what judges said that were measured, and the
    texts of all these. Needs room for a second copy of the file while it works. Runs under way in
    other processes ask anew for a reply that goes after they have read it.

    Args:
        path: The store.
        delete: Runs to drop first, each by its name or the beginning of its id.
        dry_run: Only count.

    Raises:
        InputError: If there is no such store or run.
    """
    if not Path(path).is_file():
        raise InputError(f"there is no store '{path}'", "`assay run` makes one")
    with Store(path) as store:
        ids = [store.run(name).id for name in delete]
        size = _size(store.path)
        with contextlib.suppress(_OnlyCounted), store.changing() as db:
            dropped = _drop(db, ids)
            if dry_run:
                raise _OnlyCounted
        if dry_run:
            return Cleaning(dropped, size, None)
        with file_errors(store.path):
            store.query("VACUUM")
            store.query("PRAGMA wal_checkpoint(TRUNCATE)")
        return Cleaning(dropped, size, _size(store.path))


def _size(path: Path) -> int:
    """Bytes of the file and of its log, in which what was written last stands alone."""
    log = log_of(path)
    return path.stat().st_size + (log.stat().st_size if log.is_file() else 0)


class _OnlyCounted(Exception):
    """Rolls back a deletion that was done only to count."""


def _drop(db: sqlite3.Connection, deleted_runs: Sequence[str]) -> dict[str, int]:
    for table in ("runs", "replies", "texts"):
        db.execute(f"CREATE TEMP TABLE kept_{table} (id INTEGER PRIMARY KEY)")
    try:
        dropped = {"runs": 0}
        for run in deleted_runs:
            dropped["runs"] += db.execute("DELETE FROM runs WHERE id = ?", (run,)).rowcount
            db.execute("DELETE FROM descriptions WHERE run = ?", (run,))
            # How noisy a judge is holds for other runs, too; what it once said does not.
            db.execute("DELETE FROM fingerprints WHERE run = ?", (run,))
            # Of pairs, too, whose other answers were of this run.
            pairs = f"%{pair_label('', run)}"
            db.execute("DELETE FROM labels WHERE run = ? OR metric LIKE ?", (run, pairs))
            for table in ("label_queue", "second_opinions"):
                db.execute(f"DELETE FROM {table} WHERE run = ? OR against = ?", (run, run))
        _mark_retained(db)
        for table, condition in _RETAINED.items():
            dropped[table] = db.execute(f"DELETE FROM {table} WHERE NOT ({condition})").rowcount
        for table in ("prompt_cache", "answering_models"):
            db.execute(f"DELETE FROM {table} WHERE reply NOT IN (SELECT key FROM replies)")
        return dropped
    finally:
        for table in ("runs", "replies", "texts"):
            db.execute(f"DROP TABLE kept_{table}")


def _mark_retained(db: sqlite3.Connection) -> None:

    def query(sql: str, *values: object) -> list[Any]:
        return db.execute(sql, values).fetchall()

    db.execute(
        "INSERT INTO kept_runs SELECT names.id FROM names"
        " WHERE name IN (SELECT id FROM runs) OR name IN (?, ?, ?, ?)",
        (TARGET, BENCH, TESTSET, POOL),
    )
    db.execute("INSERT INTO kept_replies SELECT id FROM replies WHERE run IN kept_runs")
    # "+": by the index of runs, each page would sort all scores of a run anew.
    jobs = "SELECT id, replies FROM jobs WHERE +run IN kept_runs AND id > ? ORDER BY id LIMIT ?"
    for _, keys in paged(query, jobs):
        db.executemany(
            "INSERT OR IGNORE INTO kept_replies SELECT id FROM replies WHERE key = ?",
            [(short_key(key),) for key in long_keys(keys)],
        )
    # "IN" would begin each page with the first reply again.
    replies = (
        "SELECT k.id, pieces FROM kept_replies k CROSS JOIN replies r ON r.id = k.id"
        " WHERE k.id > ? ORDER BY k.id LIMIT ?"
    )
    _mark_retained_texts(db, paged(query, replies))
    samples = "SELECT row, body FROM samples WHERE run = {} AND row > ? ORDER BY row LIMIT ?"
    for (run,) in db.execute("SELECT id FROM kept_runs").fetchall():
        _mark_retained_texts(db, paged(query, samples.format(run)))


def _mark_retained_texts(db: sqlite3.Connection, bodies: Iterator[tuple[Any, ...]]) -> None:
    for _, body in bodies:
        texts = [(number,) for number in numbers(decompress(body, ROW))]
        db.executemany("INSERT OR IGNORE INTO kept_texts VALUES (?)", texts)
