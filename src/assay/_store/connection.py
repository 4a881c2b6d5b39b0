"""Connections to the file of a store: one to read it, one that commits writes in groups."""

import asyncio
import contextlib
import os
import queue
import shutil
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias
from urllib.parse import quote

from assay._store import integrity
from assay._store.integrity import (
    COVERED,
    NETWORK,
    TROUBLE,
    Damaged,
    Stamp,
    StoreError,
    StoreWarning,
    as_store_error,
    checksum,
    file_errors,
    file_system,
    has_log,
    stamp_of,
)
from assay._store.schema import TEXT, check, decompress, migrate
from assay.errors import InputError

PAGE = 256  # rows that are read at once where there may be any number
Write: TypeAlias = Callable[[sqlite3.Connection], None]
# Writes that come within so many seconds, or while a commit is on its way, go into one transaction.
GATHER_S = 0.002
MAX_WRITES = 512  # so many at most
# Texts remembered: those of a few hundred samples on their way.
MAX_TEXTS = 8192
PATIENCE_S = 300.0  # another process may be importing a large file
# Kept for the replies and scores that are on their way when the disk fills up: they are paid for.
ROOM_BYTES = 16 << 20
# No more is kept than a run can need: so much for each of its scores, the log of writes included.
SCORE_BYTES = 16 << 10
SYNCHRONOUS = "FULL"  # a paid reply survives a power cut too
LOG_BYTES = 64 << 20  # the write-ahead log is cut back to this once it has been written over


def paged(query: Callable[..., list[Any]], sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, read a page at a time.

    Args:
        query: Gives all rows of a query.
        sql: It ends in "AND n > ? ORDER BY n LIMIT ?", where n is its first column, above 0.
        values: The values before these two.
    """
    last = 0
    while page := query(sql, *values, last, PAGE):
        yield from page
        last = page[-1][0]


class File:
    """One SQLite file (WAL), of which parts of the store read and write their tables.

    Args:
        path: The file; made if it is not there.

    Raises:
        InputError: If it is not a store, or cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = named(path)
        self._db = connection(self.path)
        # One connection for reading, whichever thread asks: readers take turns.
        self._reading = threading.RLock()
        self._writer = Writer(self.path.absolute())

    def close(self) -> None:
        """Commit what is queued and close the file."""
        self._writer.close()
        with self._reading:  # another thread may still be adding samples
            self._db.close()

    def check_room(self, scores: int) -> None:
        """See that what is on its way can still be written, of a run with so many scores.

        Raises:
            InputError: If the disk is nearly full.
        """
        try:
            free = shutil.disk_usage(self.path.absolute().parent).free
        except OSError:  # the folder is gone, which whoever writes tells better
            return
        if free < min(ROOM_BYTES, scores * SCORE_BYTES):
            fault = f"the disk of '{self.path.absolute()}' is full: {free / 1e6:.1f} MB are left"
            raise StoreError(fault, TROUBLE[sqlite3.SQLITE_FULL])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def query(self, sql: str, *values: object) -> list[Any]:
        """All rows of a query, for those who look after the store itself.

        Raises:
            InputError: If the file is damaged, or cannot be read.
        """
        try:  # as `_translate_errors`, which would take as long as the query
            with self._reading:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise as_store_error(error, self.path) from error

    def each(self, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows of a query one by one; others wait until all are read.

        Raises:
            InputError: If the file is damaged, or cannot be read.
        """
        with self._reading, self._translate_errors():
            cursor = self._db.execute(sql, values)
            while page := cursor.fetchmany(PAGE):
                yield from page

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise as_store_error(error, self.path) from error

    def covered(self, table: str, which: str, *values: object) -> list[list[Any]]:
        """The columns that the checksum of a table covers, each row checked against it."""
        rows = self.query(f"SELECT checksum, {COVERED[table]} FROM {table} {which}", *values)
        for row in rows:
            self._intact(f"a row of '{table}'", *row)
        return [row for _, *row in rows]

    def _intact(self, description: str, stored: object, *values: Any) -> None:
        """See that what was read of a row is what was written.

        Raises:
            InputError: If it is not.
        """
        if checksum(*values) != stored:
            raise Damaged(f"{description} is not what was written", self.path)

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """The connection, to change many rows at once: all of it or nothing.

        Raises:
            InputError: If the file cannot be written.
        """
        with self._reading, file_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:  # SQLite itself takes back what a full disk cut short
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """All queries see the file at one moment, whatever other processes drop meanwhile."""
        with self._reading:
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    def _text(self, number: str) -> str:
        if text := self._texts([int(number)]).get(number):
            return text
        fault = f"text {number} is not in {self.path} any more"
        raise InputError(fault, "another process dropped its run, or the file is damaged")

    def _texts(self, numbers: Sequence[int]) -> dict[str, str]:
        """The texts with these numbers, those that are there."""
        texts = {}
        for start in range(0, len(numbers), PAGE):
            page = numbers[start : start + PAGE]
            condition = f"id IN ({', '.join('?' * len(page))})"
            sql = f"SELECT checksum, id, hash, body FROM texts WHERE {condition}"
            for stored_sum, number, key, body in self.query(sql, *page):
                self._intact(f"text {number}", stored_sum, number, key, body)
                texts[str(number)] = decompress(body, TEXT)
        return texts


class _Item(NamedTuple):
    write: Write
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[None]"


class Writer:
    """Commits writes in groups on a thread of its own, which the first of them starts.

    Args:
        path: The file; a connection goes on writing to one that was deleted.

    Attributes:
        path: The file.
        recent: What its writes need not look up; to be used in them only.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.recent = Recent()
        self._closed = False
        self._queue: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._thread: threading.Thread | None = None

    async def commit(self, write: Write) -> None:
        """Return once the write is on disk. A caller that is cancelled does not undo it.

        Raises:
            InputError: If it cannot be written, or would be lost.
        """
        loop = asyncio.get_running_loop()
        on_disk: asyncio.Future[None] = loop.create_future()
        with self._closing:
            if self._closed:  # nobody would ever take it from the queue
                raise sqlite3.ProgrammingError("the store is closed")
            if self._thread is None:
                self._thread = self._start_thread()
            self._queue.put(_Item(write, loop, on_disk))
        await on_disk

    def close(self) -> None:
        """Commit what is queued and end the thread."""
        with self._closing:
            if not self._closed:
                self._queue.put(None)
            self._closed = True
        if self._thread:
            self._thread.join()

    def _start_thread(self) -> threading.Thread:
        """The thread, with a connection of its own."""
        check_still_there(self.path)  # connecting would make it anew
        with ExitStack() as opened, file_errors(self.path):
            db = _connect(self.path, opened)
            _to_wal(db)
            opened.pop_all()
        thread = threading.Thread(target=self._run, args=(db,), name="assay-store", daemon=True)
        thread.start()
        return thread

    def _run(self, connection: sqlite3.Connection) -> None:
        while (group := self._group()) is not None:
            self._write(connection, group)
        connection.close()

    def _group(self) -> list[_Item] | None:
        first = self._queue.get()
        if first is None:
            return None
        group = [first]
        time.sleep(GATHER_S)
        while len(group) < MAX_WRITES:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                break
            if item is None:
                self._queue.put(None)  # end after this group
                break
            group.append(item)
        return group

    def _write(self, connection: sqlite3.Connection, group: list[_Item]) -> None:
        try:
            check_still_there(self.path)
            connection.execute("BEGIN IMMEDIATE")
            self.recent.begun(connection)
            for item in group:
                item.write(connection)
            connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the write
            self.recent.forget()
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if len(group) == 1:
                _wake(group, as_store_error(error, self.path))
                return
            for item in group:  # one bad write does not spoil its neighbours
                self._write(connection, [item])
            return
        _wake(group)


def _wake(group: list[_Item], error: BaseException | None = None) -> None:
    """Wake those who wait: each loop once for all of them, since waking it is what costs."""
    for loop in {item.loop for item in group}:
        waiting = [item.done for item in group if item.loop is loop]
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle_all, waiting, error)


def _settle_all(waiting: list["asyncio.Future[None]"], error: BaseException | None) -> None:
    for future in waiting:
        if future.done():
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)


class Recent:
    """What one connection wrote or found of late, for as long as nobody else writes.

    Attributes:
        texts: Numbers of texts, by their keys.
        names: Names that have a number.
        replies: Keys of replies that are there.
    """

    def __init__(self) -> None:
        self.texts: dict[bytes, str] = {}
        self.names: set[str] = set()
        self.replies: set[str] = set()
        self._version: int | None = None

    def begun(self, db: sqlite3.Connection) -> None:
        """Begin a transaction: forget all, if another connection may have deleted some of it.

        Until the transaction ends nobody else can write.
        """
        (version,) = db.execute("PRAGMA data_version").fetchone()
        if version != self._version or max(len(self.texts), len(self.replies)) > MAX_TEXTS:
            self.forget()
        self._version = version

    def forget(self) -> None:
        """Forget all: a transaction was rolled back, and what it wrote is not there."""
        self.texts.clear()
        self.names.clear()
        self.replies.clear()


def named(path: object) -> Path:
    """The path of a store that a user names; InputError for what is none."""
    if not isinstance(path, str | os.PathLike) or "\0" in str(path) or str(path) == ":memory:":
        raise InputError(f"the store is {path!r}, no path", "name a file, such as 'assay.db'")
    return Path(path)


def check_place(path: Path) -> None:
    """See that a store may stand there.

    Raises:
        InputError: If it is a folder, or in none that is there.
    """
    try:
        if path.is_dir():  # as "" is, which is the folder that one is in
            raise InputError(f"the store '{path}' is a folder", "name a file")
        if not path.parent.is_dir():
            raise InputError(f"there is no folder '{path.parent}' for the store")
        if path.exists() and not path.is_file():
            raise InputError(f"the store '{path}' is a device or a pipe", "name a file")
    except OSError as error:  # a name that is too long, a folder that may not be entered
        raise InputError(f"the store cannot be opened: {error}", "name another file") from error


def connection(path: Path) -> sqlite3.Connection:
    """A connection to a store, which is brought to the newest schema.

    Raises:
        InputError: If it is not a store, or cannot be opened.
    """
    stamp = stamp_of(path)
    is_checked = stamp is not None and _checked_stamps.get(path) == stamp
    if not is_checked:
        look(path)
    if not is_checked and (kind := file_system(path)) in NETWORK:
        warnings.warn(
            f"'{path}' lies on a network file system ({kind}): use it from one machine at a time, "
            "or name a --store on a local disk",
            StoreWarning,
            stacklevel=3,
        )
    with ExitStack() as opened, file_errors(path):
        db = _connect(path, opened)
        if not is_checked:
            _to_wal(db)
            migrate(db)
        opened.pop_all()  # it stays open, unless something failed
    if stamp:
        _checked_stamps[path] = stamp
    return db


# Stores as they were when opened: a result opens its own for each question that it is asked.
_checked_stamps: dict[Path, Stamp] = {}


def check_still_there(path: Path) -> None:
    """See that a store that is in use was not deleted or moved: what is written would be lost.

    SQLite does not notice; the next who opens the store would find none, and pay for all again.

    Raises:
        InputError: If it was.
    """
    if not path.exists():
        fault = f"the store '{path}' was deleted or moved while it was in use"
        raise InputError(fault, "put it back if you can, and run the same command again")


def _connect(path: Path, opened: ExitStack) -> sqlite3.Connection:
    options = {"timeout": PATIENCE_S, "isolation_level": None, "check_same_thread": False}
    db = integrity.connect(path, _address(path), **options)
    opened.callback(db.close)
    # Text that is no UTF-8 is damage, which its checksum tells; it does not keep a row from us.
    db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    integrity.add_sql_functions(db)
    db.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    db.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
    return db


def look(path: Path) -> None:
    """See that a store is there, or may be made, without changing a file.

    Opening a database to write to it changes its header, and takes over what its own program left
    in a log.

    Raises:
        InputError: If something else is there, or nothing may be.
    """
    check_place(path)
    if not path.is_file() or not path.stat().st_size:
        return
    with integrity.closed(path) as unknown, file_errors(path):
        if not unknown:
            return
        integrity.check_beginning(path)  # SQLite begins anew where there is but a byte
        # Readers of a log make files beside it, which nobody removes who may not write.
        address = f"file:{quote(str(path))}?mode=ro" + ("" if has_log(path) else "&immutable=1")
        with contextlib.closing(integrity.connect(path, address, timeout=PATIENCE_S)) as db:
            check(db)


def _address(path: Path) -> str:
    url = f"file:{quote(str(path))}"
    read_only = path.is_file() and not os.access(path.parent, os.W_OK)
    if read_only and not has_log(path):
        # Not even the files that readers share can be made there, so nobody else changes it.
        return f"{url}?mode=ro&immutable=1"
    return url


def _to_wal(db: sqlite3.Connection) -> None:
    # This change alone does not wait for its turn: two may open a new file at the same moment.
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
        else:
            return
