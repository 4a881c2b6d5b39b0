"""Which texts and names does a writer know to be there, so that it need not look them up again?"""

import sqlite3

# Texts remembered: those of a few hundred samples on their way.
MOST = 8192


class Recent:
    """What one connection wrote or found of late, for as long as nobody else writes.

    Attributes:
        texts: Numbers of texts, by their keys.
        names: Names that have a number.
    """

    def __init__(self) -> None:
        self.texts: dict[bytes, str] = {}
        self.names: set[str] = set()
        self._version: int | None = None

    def begun(self, db: sqlite3.Connection) -> None:
        """A transaction has begun: forget all, if another connection may have deleted some of it.

        Until the transaction ends nobody else can write.
        """
        (version,) = db.execute("PRAGMA data_version").fetchone()
        if version != self._version or len(self.texts) > MOST:
            self.forget()
        self._version = version

    def forget(self) -> None:
        """A transaction was taken back: what it wrote is not there."""
        self.texts.clear()
        self.names.clear()
