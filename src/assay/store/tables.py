"""How are tables read and written that stand apart from runs and replies?"""

import sqlite3
from collections.abc import Callable
from typing import Any

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

    async def _write(self, sql: str, *values: object) -> None:
        """Commit one statement."""

        def write(db: sqlite3.Connection) -> None:
            db.execute(sql, values)

        await self._writer.commit(write)
