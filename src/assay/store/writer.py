"""How writes reach the disk: one thread, many writes to a transaction, none believed before it."""

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from assay.store.opening import check_still_there
from assay.store.recent import Recent
from assay.store.trouble import meant

Write: TypeAlias = Callable[[sqlite3.Connection], None]

# Writes that come within so many seconds, or while a commit is on its way, go into one transaction.
GATHER_S = 0.002
# So many at most.
MOST = 512


class _Item(NamedTuple):
    write: Write
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[None]"


class Writer:
    """Commits writes in groups on a thread of its own.

    Args:
        connection: Its own connection; closed when it ends.
        path: The file; a connection goes on writing to one that was deleted.

    Attributes:
        path: The file.
        recent: What its writes need not look up; to be used in them only.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self.recent = Recent()
        self._closed = False
        self._queue: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="assay-store", daemon=True)
        self._thread.start()

    async def commit(self, write: Write) -> None:
        """Return once the write is on disk. A caller that is cancelled does not undo it.

        Raises:
            InputError: If it cannot be written, or would be lost.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        with self._closing:
            if self._closed:  # nobody would ever take it from the queue
                raise sqlite3.ProgrammingError("the store is closed")
            self._queue.put(_Item(write, loop, done))
        await done

    def close(self) -> None:
        """Commit what is queued and end the thread."""
        with self._closing:
            if not self._closed:
                self._queue.put(None)
            self._closed = True
        self._thread.join()

    def _run(self) -> None:
        while (group := self._group()) is not None:
            self._write(self._connection, group)
        self._connection.close()

    def _group(self) -> list[_Item] | None:
        first = self._queue.get()
        if first is None:
            return None
        group = [first]
        time.sleep(GATHER_S)
        while len(group) < MOST:
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
                _tell(group, meant(error, self.path))
                return
            for item in group:  # one bad write does not spoil its neighbours
                self._write(connection, [item])
            return
        _tell(group)


def _tell(group: list[_Item], error: BaseException | None = None) -> None:
    """Wake those who wait: each loop once for all of them, since waking it is what costs."""
    for loop in {item.loop for item in group}:
        waiting = [item.done for item in group if item.loop is loop]
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, waiting, error)


def _settle(waiting: list["asyncio.Future[None]"], error: BaseException | None) -> None:
    for done in waiting:
        if done.done():
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)
