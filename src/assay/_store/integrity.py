"""What is kept by its content: the keys of texts and replies, checksums, errors of the file."""

import hashlib
import os
import re
import shutil
import sqlite3
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from assay.errors import InputError
from assay.judge import Task

MAGIC = b"SQLite format 3\0"  # every database of SQLite begins so
DAMAGED = "the file is damaged: use a copy of it, or name another --store"

# What can befall any SQLite file, and what its user can do; every other code would be our mistake.
TROUBLE = {
    sqlite3.SQLITE_FULL: "make room on the disk, and the same command goes on from there",
    sqlite3.SQLITE_IOERR: "the disk fails; try again, or move the file",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_READONLY: "the file cannot be written; take another --store",
    sqlite3.SQLITE_CANTOPEN: "check the folder's permissions, or take another --store",
    sqlite3.SQLITE_BUSY: "another process has held it for minutes; end that one first",
}

_LOG_INDEX = 32_768  # bytes that the index of SQLite's log takes

# A store that was opened has every table and column, unless their names were damaged.
LACKING = ("no such column", "no such table", "malformed database schema")

# File systems that are shared between machines. SQLite's log needs memory that all who write share.
NETWORK = frozenset(
    (
        *("9p", "afs", "beegfs", "ceph", "cifs", "glusterfs", "gpfs", "lustre", "nfs", "nfs4"),
        *("orangefs", "smb3", "smbfs", "fuse.ceph", "fuse.gcsfuse", "fuse.glusterfs"),
        *("fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
    )
)


class StoreWarning(UserWarning):
    """The store can be used, with care."""


class StoreError(InputError):
    """The file cannot be used just now, or not at all: no fault of what was asked."""


class Damaged(StoreError):
    """What stands in the store is not what was written.

    Attributes:
        what: What is damaged.
    """

    def __init__(self, what: str, path: object) -> None:
        remedy = f"`assay verify {path}` names all that is damaged and says what can be saved"
        super().__init__(f"the store '{path}' is damaged: {what}", remedy)
        self.what = what


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Tell of SQLite's errors as what they mean for the user."""
    try:
        yield
    except (UnicodeDecodeError, sqlite3.Error) as error:  # of the names of its tables, even
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            check_beginning(path)
        fault, remedy = _trouble(error, code, path)
        fault = f"'{path}' cannot be used as a store: {fault}"
        raise StoreError(fault, remedy or DAMAGED) from error


def _trouble(error: Exception, code: int, path: Path) -> tuple[str, str]:
    """What befell the file, and what its user can do; "" where it would be our mistake."""
    if code == sqlite3.SQLITE_IOERR:
        # On a full disk not even the log's index can be made, which SQLite takes for a fault.
        with suppress(OSError):
            if shutil.disk_usage(path.absolute().parent).free < _LOG_INDEX:
                return "its disk is full", TROUBLE[sqlite3.SQLITE_FULL]
    return str(error), TROUBLE.get(code, "")


def as_store_error(error: BaseException, path: Path) -> BaseException:
    """What an error of SQLite's means for the user; another, or one of our making, as it is."""
    if not isinstance(error, sqlite3.Error):
        return error
    fault, remedy = _trouble(error, getattr(error, "sqlite_errorcode", 0) & 0xFF, path)
    if str(error).startswith(LACKING):
        remedy = DAMAGED
    if not remedy:
        return error
    if remedy is DAMAGED:
        translated: StoreError = Damaged(str(error), path)
    else:
        translated = StoreError(f"'{path}' cannot be used as a store: {fault}", remedy)
    translated.__cause__ = error
    return translated


# How many connections of this process are open, by file.
_in_use: Counter[str] = Counter()
_opening = threading.RLock()


class Connection(sqlite3.Connection):
    """A connection that is counted while it is open."""

    file = ""

    def close(self) -> None:
        """Close it, and count it no more."""
        super().close()
        with _opening:
            _in_use[self.file] -= bool(self.file)
            self.file = ""


def connect(path: Path, address: str, **options: Any) -> Connection:
    """A connection to a file by its address, as `sqlite3.connect` makes it."""
    with _opening:
        db = sqlite3.connect(address, uri=True, factory=Connection, **options)
        db.file = os.path.realpath(path)
        _in_use[db.file] += 1
    return db


@contextmanager
def closed(path: Path) -> Iterator[bool]:
    """Whether this process has no connection to a file; none is made meanwhile.

    Whoever closes a file gives back every lock of its process on it, SQLite's as well (so does a
    connection to an immutable file). Another process would then take itself for the last one and
    remove the log, with all that is in it: so a file in use is opened by SQLite alone.
    """
    with _opening:
        yield _in_use[os.path.realpath(path)] <= 0


def log_of(path: Path) -> Path:
    """The log of writes, which SQLite keeps beside the file that a link leads to."""
    return Path(f"{path.resolve()}-wal")


def has_log(path: Path) -> bool:
    """Whether something is in the log beside a store that is not in the store yet."""
    with suppress(FileNotFoundError):  # whoever closes the store last removes it
        return bool(log_of(path).stat().st_size)
    return False


# What a file is told by: its place on the disk, its size and its times.
Stamp: TypeAlias = tuple[int, ...]

# Times of a file are told in steps, of milliseconds or of a second: two changes may show as one.
_STEP_NS = 10_000_000
_SECOND_NS = 1_000_000_000


def settled_stamp(path: Path) -> Stamp | None:
    """What any later change of the file would change; None where that cannot be told yet."""
    stamp = stamp_of(path)
    if stamp is None:
        return None
    changed = max(stamp[-2:])
    step = _STEP_NS if changed % _SECOND_NS else 2 * _SECOND_NS
    return stamp if time.time_ns() - changed > step else None


def stamp_of(path: Path) -> Stamp | None:
    """What changes when the file does; None where its newest state is in a log."""
    try:
        if has_log(path):
            return None
        state = path.stat()
    except (OSError, ValueError):  # which looking at it tells better
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def is_database(path: Path) -> bool:
    """Whether a file begins as every database does; one that this process has open does."""
    with closed(path) as may_be_read:
        if not may_be_read:
            return True
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC


def check_beginning(path: Path) -> None:
    """See that a file that is not empty begins as every database does.

    Raises:
        StoreError: If it does not.
    """
    if path.stat().st_size and not is_database(path):
        fault = f"'{path}' cannot be used as a store: it is another kind of file, or damaged"
        remedy = "name a store, or a run of one (`assay runs` lists them); `assay run` scores data"
        raise StoreError(fault, remedy)


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
    "labels": "id, run, metric, sample, statement, annotator, kind, value, reason, tags, chance,"
    " undone, at",
    "label_queue": "run, metric, against, batch, place, sample, chance, why",
    "second_opinions": "run, metric, against, share",
    "alerts": "watch, look, stream, body, pending",
    "prompt_cache": "reply, cached_in, cache_written",
    "answering_models": f"reply, {_name('model')}",
}
# Numbers are read without their evidence: they have a checksum of their own.
VALUE = f"{_PLACE}, value, why"


def checksum(*values: Value) -> int:
    """CRC-32 of the values of a row. Rows are kept with it: it is never changed.

    A number counts the same as an integer and as a float, and 0.0 as -0.0: SQLite keeps either.
    """
    encoded: list[bytes] = []
    for value in values:
        if isinstance(value, str):
            # Bytes that are no UTF-8 are read as half a surrogate pair (see `connection`).
            encoded.append(b"s\0" + value.encode("utf-8", "surrogateescape"))
        elif isinstance(value, bytes):
            encoded.append(b"b\0" + value)
        else:
            encoded.append(b"" if value is None else repr(float(value) + 0.0).encode())
    return zlib.crc32(b"\0".join(encoded))


def value_checksum(run: str, metric: str, row: int, value: float | None, why: str) -> int:
    """CRC-32 of a number, where it stands and whether it is one. Never changed, either."""
    text = f"{run}\0{metric}\0{row}\0{value!r}\0{why}"
    return zlib.crc32(text.encode("utf-8", "surrogateescape"))


def add_sql_functions(db: sqlite3.Connection) -> None:
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


def insert(db: sqlite3.Connection, table: str, *values: Value, verb: str = "INSERT") -> bool:
    """Write the columns that a row's checksum covers, with it; whether there is a new row."""
    marks = ", ".join("?" * (1 + len(values)))
    sql = f"{verb} INTO {table} (checksum, {COVERED[table]}) VALUES ({marks})"
    return db.execute(sql, (checksum(*values), *values)).rowcount > 0


def seal(db: sqlite3.Connection, table: str, where: str, *values: object) -> None:
    """Write the checksum of rows that were just written."""
    sql = f"UPDATE {table} SET checksum = checksum({COVERED[table]}) WHERE {where}"
    db.execute(sql, values)


# A key as it is kept: bytes take half the room of their hex digits.
Key: TypeAlias = bytes | str
_HEX = re.compile(r"[0-9a-f]{32}")


def text_key(text: str) -> bytes:
    """16 bytes that name a text by its content."""
    return hashlib.sha256(text.encode()).digest()[:16]


def reply_key(identity: str, task: Task[Any], draw: int) -> str:
    """32 hex digits that name a reply by all that could change it: backend, task, draw."""
    return digest([identity, task.kind, str(draw), *task.inputs()])


def cut_key(reply: str) -> str:
    """Where it is kept that free text under this key was cut by the length limit."""
    return digest([reply, "cut"])


def digest(parts: Sequence[str]) -> str:
    """32 hex digits of a list of texts; no two lists share one by shifting a boundary."""
    state = hashlib.sha256()
    for text in parts:
        data = text.encode()
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()[:32]


def run_id(fingerprint: str) -> str:
    """The name of a run: twelve hex digits of what it is."""
    return fingerprint[:12]


def short_key(key: str) -> Key:
    """A key as it is kept; one that is not ours stays as it is."""
    return bytes.fromhex(key) if _HEX.fullmatch(key) else key


def short_keys(keys: str) -> Key:
    """Keys with spaces between them as they are kept."""
    stored = [short_key(key) for key in keys.split(" ")]
    all_hex = all(isinstance(key, bytes) for key in stored)
    return b"".join(key for key in stored if isinstance(key, bytes)) if all_hex else keys


def split_keys(stored: Key) -> list[Key]:
    """Kept keys one by one, each as it is kept."""
    if isinstance(stored, str):
        return [short_key(key) for key in stored.split()]
    return [stored[at : at + 16] for at in range(0, len(stored), 16)]


def long_key(stored: Key) -> str:
    """A kept key as text."""
    return stored.hex() if isinstance(stored, bytes) else stored


def long_keys(stored: Key) -> list[str]:
    """Kept keys as texts."""
    if isinstance(stored, str):
        return stored.split()
    digits = stored.hex()
    return [digits[start : start + 32] for start in range(0, len(digits), 32)]


def file_system(path: Path, table: Path = Path("/proc/self/mounts")) -> str:
    """The type of the file system that a file lies on, "" where that cannot be known."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        lines = table.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    target, best, kind = f"{path.resolve()}/", -1, ""
    for _, mount, mount_type, *_ in (row for line in lines if len(row := line.split(" ")) > 2):
        # Spaces in a path are written as octal codes.
        mount_point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), mount).rstrip("/")
        if len(mount_point) >= best and target.startswith(f"{mount_point}/"):
            best, kind = len(mount_point), mount_type
    return kind
