"""How is the one file of a store read, and changed at once?"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from assay.errors import InputError
from assay.store.checksums import checksum
from assay.store.known import TEXT
from assay.store.opening import check_room, connections, named
from assay.store.packing import unpacked
from assay.store.trouble import Damaged, meant, told
from assay.store.writer import Writer

PAGE = 256  # rows that are read at once where there may be any number


class File:
    """One SQLite file (WAL), of which parts of the store read and write their tables.

    Args:
        path: The file; made if it is not there.

    Raises:
        InputError: If it is not a store, or cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = named(path)
        self._db, writing = connections(self.path)
        # One connection for reading, whichever thread asks: readers take turns.
        self._reading = threading.RLock()
        self._writer = Writer(writing, self.path.absolute())

    def close(self) -> None:
        """Commit what is queued and close the file."""
        self._writer.close()
        with self._reading:  # another thread may still be taking samples in
            self._db.close()

    def check_room(self, scores: int) -> None:
        """See that what is on its way can still be written, of a run with so many scores.

        Raises:
            InputError: If the disk is nearly full.
        """
        check_room(self.path.absolute(), scores)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def query(self, sql: str, *values: object) -> list[Any]:
        """All rows of a query, for those who look after the store itself.

        Raises:
            InputError: If the file is damaged, or cannot be read.
        """
        with self._reading, self._meant():
            return self._db.execute(sql, values).fetchall()

    def each(self, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows of a query one by one; others wait until all are read.

        Raises:
            InputError: If the file is damaged, or cannot be read.
        """
        with self._reading, self._meant():
            cursor = self._db.execute(sql, values)
            while page := cursor.fetchmany(PAGE):
                yield from page

    @contextmanager
    def _meant(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise meant(error, self.path) from error

    def _intact(self, what: str, kept: object, *values: Any) -> None:
        """See that what was read of a row is what was written.

        Raises:
            InputError: If it is not.
        """
        if checksum(*values) != kept:
            raise Damaged(f"{what} is not what was written", self.path)

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """The connection, to change many rows at once: all of it or nothing.

        Raises:
            InputError: If the file cannot be written.
        """
        with self._reading, told(self.path):
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
        found = self.query("SELECT checksum, hash, body FROM texts WHERE id = ?", int(number))
        if not found:
            what = f"text {number} is not in {self.path} any more"
            raise InputError(what, "another process dropped its run, or the file is damaged")
        kept, key, body = found[0]
        self._intact(f"text {number}", kept, int(number), key, body)
        return unpacked(body, TEXT)
