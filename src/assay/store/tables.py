"""How are tables read and written that stand apart from runs and replies?"""

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from assay.store.checksums import COVERED, amended, checksum
from assay.store.trouble import Damaged
from assay.store.writer import Writer


class Tables:
    """Some tables of one store.

    Args:
        read: Gives all rows of a query.
        writer: Commits writes.
    """

    def __init__(self, read: Callable[..., list[Any]], writer: Writer) -> None:
        self._read = read
        self._writer = writer

    def _rows(self, table: str, which: str, *values: object) -> list[list[Any]]:
        """What the checksum covers of rows of a table, each seen to be what was written."""
        found = self._read(f"SELECT checksum, {COVERED[table]} FROM {table} {which}", *values)
        for kept, *row in found:
            if checksum(*row) != kept:
                raise Damaged(f"a row of '{table}' is not what was written", self._writer.path)
        return [row for _, *row in found]

    async def _change(
        self, table: str, key: Mapping[str, object], sql: str, *values: object
    ) -> None:
        """Commit one statement that changes the row with a key in a table."""

        def write(db: sqlite3.Connection) -> None:
            where = " AND ".join(f"{column} = ?" for column in key)
            with amended(db, table, where, *key.values()):
                db.execute(sql, values)

        await self._writer.commit(write)
