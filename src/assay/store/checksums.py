"""Checksums of rows: made when a row is written, checked whenever it is read and by `verify`."""

import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from assay.store.trouble import Damaged

Value: TypeAlias = str | bytes | float | None


def _name(column: str) -> str:
    return f"(SELECT name FROM names WHERE id = {column})"


_PLACE = f"{_name('run')}, {_name('metric')}, row"
# What the checksum of a row covers, by table: SQL over its columns, in this order. A new column of
# one of these tables belongs here, and the migration that adds it seals the rows that are there.
COVERED: Mapping[str, str] = {
    "texts": "id, hash, body",
    "replies": f"key, {_name('run')}, {_name('kind')}, {_name('backend')}, draw, pieces, raw,"
    " tokens_in, tokens_out, ms, at",
    "runs": "id, fingerprint, source, config, n_samples, skipped, stopped, seconds, finished,"
    " created, asked",
    "samples": "run, row, id, body",
    "jobs": f"{_PLACE}, value, why, detail, {_name('method')}, evidence, replies",
    "noise": "signature, run, body, at",
    "fingerprints": "run, judge, day, body",
    "batches": "name, provider, keys, at",
    "descriptions": "run, name, tags, note, params",
}
# Numbers are read without their evidence: they have a checksum of their own.
VALUE = f"{_PLACE}, value, why"


def checksum(*values: Value) -> int:
    """CRC-32 of the values of a row. Rows are kept with it: it is never changed.

    A number counts the same as an integer and as a float, and 0.0 as -0.0: SQLite keeps either.
    """
    parts: list[bytes] = []
    for value in values:
        if isinstance(value, str):
            # Bytes that are no UTF-8 are read as half a surrogate pair (see `opening`).
            parts += b"s", value.encode("utf-8", "surrogateescape")
        elif isinstance(value, bytes):
            parts += b"b", value
        else:
            parts.append(b"" if value is None else repr(float(value) + 0.0).encode())
    return zlib.crc32(b"\0".join(parts))


def value_checksum(run: str, metric: str, row: int, value: float | None, why: str) -> int:
    """CRC-32 of a number, where it stands and whether it is one. Never changed, either."""
    text = f"{run}\0{metric}\0{row}\0{value!r}\0{why}"
    return zlib.crc32(text.encode("utf-8", "surrogateescape"))


def teach(db: sqlite3.Connection) -> None:
    """Let SQL compute checksums."""
    db.create_function("checksum", -1, checksum, deterministic=True)
    db.create_function("value_checksum", 5, value_checksum, deterministic=True)


@contextmanager
def amended(db: sqlite3.Connection, table: str, where: str, *values: object) -> Iterator[None]:
    """Within it rows are changed; damage that they had is not sealed with them.

    Raises:
        Damaged: If one of them was not what was written.
    """
    sql = f"SELECT 1 FROM {table} WHERE ({where}) AND checksum IS NOT checksum({COVERED[table]})"
    if db.execute(sql, values).fetchone():
        path = db.execute("PRAGMA database_list").fetchone()[2]
        raise Damaged(f"a row of '{table}' is not what was written", path)
    yield
    seal(db, table, where, *values)


def seal(db: sqlite3.Connection, table: str, where: str, *values: object) -> None:
    """Write the checksum of rows that were just written."""
    sql = f"UPDATE {table} SET checksum = checksum({COVERED[table]}) WHERE {where}"
    db.execute(sql, values)
