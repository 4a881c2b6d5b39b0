"""What was handed in to a provider as a batch, and is still to be fetched?

It is written down before a batch is submitted: whoever is killed then finds it again.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from assay.store.keys import long_keys, short_keys
from assay.store.tables import Tables

# Providers keep what a batch brought for so long; what was not fetched by then is lost.
KEPT_S = 30 * 86_400
# Keys looked for in one query.
PAGE = 500


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch.

    Attributes:
        name: Our name for it, which stands in its metadata.
        provider: The provider's name for it, "" if we do not know whether it ever came there.
        keys: Keys of the replies that it owes.
        at: When it was handed in, in seconds since 1970 (UTC).
    """

    name: str
    provider: str
    keys: tuple[str, ...]
    at: int


class Batches(Tables):
    """The table of batches of one store."""

    def open(self) -> list[Batch]:
        """All of them, the oldest first."""
        found = self._rows("batches", "ORDER BY at, rowid")
        return [Batch(name, there, tuple(long_keys(keys)), at) for name, there, keys, at in found]

    async def begin(self, name: str, keys: Iterable[str]) -> None:
        """Commit that a batch is about to be submitted."""
        owed = short_keys(" ".join(keys))
        sql = "INSERT INTO batches (name, keys) VALUES (?, ?)"
        await self._change("batches", {"name": name}, sql, name, owed)

    async def submitted(self, name: str, provider: str) -> None:
        """Commit what the provider calls it."""
        sql = "UPDATE batches SET provider = ? WHERE name = ?"
        await self._change("batches", {"name": name}, sql, provider, name)

    async def owes(self, name: str, keys: Iterable[str]) -> None:
        """Commit that these replies are all that it will ever bring; without any, forget it."""
        left = short_keys(" ".join(keys))
        if left:
            sql = "UPDATE batches SET keys = ? WHERE name = ?"
            await self._change("batches", {"name": name}, sql, left, name)
        else:
            sql = "DELETE FROM batches WHERE name = ?"
            await self._change("batches", {"name": name}, sql, name)

    async def clean(self) -> None:
        """Forget those whose replies are all known, or are not kept by the provider any more."""
        await self._writer.commit(_clean)


def _clean(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM batches WHERE at < strftime('%s', 'now') - ?", (KEPT_S,))
    for name, keys in db.execute("SELECT name, keys FROM batches").fetchall():
        if all(_known(db, keys[at : at + 16 * PAGE]) for at in range(0, len(keys), 16 * PAGE)):
            db.execute("DELETE FROM batches WHERE name = ?", (name,))


def _known(db: sqlite3.Connection, keys: bytes) -> bool:
    each = [keys[at : at + 16] for at in range(0, len(keys), 16)]
    marks = ", ".join("?" * len(each))
    sql = f"SELECT count(*) FROM replies WHERE key IN ({marks})"
    return bool(db.execute(sql, each).fetchone()[0] == len(each))
