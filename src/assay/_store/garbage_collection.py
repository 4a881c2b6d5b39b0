"""Garbage collection: dropping what no run needs any more."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay._store import Store
from assay._store.compression import ROW, decompress
from assay._store.connection import paged
from assay._store.integrity import file_errors
from assay._store.keys import long_keys, short_key
from assay._store.labels import pair_label
from assay._store.rows import numbers
from assay._store.runs import BENCH, POOL, TARGET, TESTSET
from assay.errors import InputError

# Tables, and what has to be true of a row for it to stay.
_KEPT = {
    "samples": "run IN kept_runs",
    "jobs": "run IN kept_runs",
    "replies": "id IN kept_replies",
    "texts": "id IN kept_texts",
}


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What was dropped, or would be.

    Attributes:
        rows: Rows by table.
        before: Bytes that it took on the disk, its log of writes included.
        after: Bytes when it was done; None if nothing was.
    """

    rows: dict[str, int]
    before: int
    after: int | None


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
        gone = [store.run(name).id for name in delete]
        before = _size(store.path)
        with contextlib.suppress(_OnlyCounted), store.changing() as db:
            dropped = _drop(db, gone)
            if dry_run:
                raise _OnlyCounted
        if dry_run:
            return Cleaning(dropped, before, None)
        with file_errors(store.path):
            store.query("VACUUM")
            store.query("PRAGMA wal_checkpoint(TRUNCATE)")
        return Cleaning(dropped, before, _size(store.path))


def _size(path: Path) -> int:
    """Bytes of the file and of its log, in which what was written last stands alone."""
    log = path.with_name(f"{path.name}-wal")
    return path.stat().st_size + (log.stat().st_size if log.is_file() else 0)


class _OnlyCounted(Exception):
    """Rolls back a deletion that was done only to count."""


def _drop(db: sqlite3.Connection, gone: Sequence[str]) -> dict[str, int]:
    for table in ("runs", "replies", "texts"):
        db.execute(f"CREATE TEMP TABLE kept_{table} (id INTEGER PRIMARY KEY)")
    try:
        dropped = {"runs": 0}
        for run in gone:
            dropped["runs"] += db.execute("DELETE FROM runs WHERE id = ?", (run,)).rowcount
            db.execute("DELETE FROM descriptions WHERE run = ?", (run,))
            # How noisy a judge is holds for other runs, too; what it once said does not.
            db.execute("DELETE FROM fingerprints WHERE run = ?", (run,))
            # Of pairs, too, whose other answers were of this run.
            pairs = f"%{pair_label('', run)}"
            db.execute("DELETE FROM labels WHERE run = ? OR metric LIKE ?", (run, pairs))
            db.execute("DELETE FROM label_queue WHERE run = ? OR against = ?", (run, run))
        _mark(db)
        for table, kept in _KEPT.items():
            dropped[table] = db.execute(f"DELETE FROM {table} WHERE NOT ({kept})").rowcount
        db.execute("DELETE FROM prompt_cache WHERE reply NOT IN (SELECT key FROM replies)")
        return dropped
    finally:
        for table in ("runs", "replies", "texts"):
            db.execute(f"DROP TABLE kept_{table}")


def _mark(db: sqlite3.Connection) -> None:

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
    _mark_texts(db, paged(query, replies))
    samples = "SELECT row, body FROM samples WHERE run = {} AND row > ? ORDER BY row LIMIT ?"
    for (run,) in db.execute("SELECT id FROM kept_runs").fetchall():
        _mark_texts(db, paged(query, samples.format(run)))


def _mark_texts(db: sqlite3.Connection, bodies: Iterator[tuple[Any, ...]]) -> None:
    for _, body in bodies:
        texts = [(number,) for number in numbers(decompress(body, ROW))]
        db.executemany("INSERT OR IGNORE INTO kept_texts VALUES (?)", texts)
