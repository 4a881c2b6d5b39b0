"""How writes reach the disk: one thread, many writes to a transaction, none believed before it."""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeAlias

Write: TypeAlias = Callable[[sqlite3.Connection], None]
_Item: TypeAlias = tuple[Write, "Future[None]"]

# Writes that wait while a commit is on its way go into the next one together; this bounds it.
MOST = 512


class Writer:
    """Commits writes in groups on a thread of its own.

    Args:
        connection: Its own connection; closed when it ends.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._closed = False
        self._queue: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="assay-store", daemon=True)
        self._thread.start()

    def submit(self, write: Write) -> "Future[None]":
        """Queue a write; the future is done once it is committed."""
        future: Future[None] = Future()
        with self._closing:
            if self._closed:  # nobody would ever take it from the queue
                future.set_exception(sqlite3.ProgrammingError("the store is closed"))
            else:
                self._queue.put((write, future))
        return future

    async def commit(self, write: Write) -> None:
        """Return once the write is on disk. A caller that is cancelled does not undo it."""
        await asyncio.shield(asyncio.wrap_future(self.submit(write)))

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
            connection.execute("BEGIN IMMEDIATE")
            for write, _ in group:
                write(connection)
            connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the write
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if len(group) == 1:
                group[0][1].set_exception(error)
                return
            for item in group:  # one bad write does not spoil its neighbours
                self._write(connection, [item])
            return
        for _, future in group:
            future.set_result(None)
