"""The store: replies, runs, samples and scores in one SQLite file, the single truth."""

from pathlib import Path

from assay._store.alerts import Alerts
from assay._store.claims import Claims
from assay._store.judges import Batches, Judges
from assay._store.labels import HumanLabels
from assay._store.runs import Run, Runs, Spent
from assay._store.scores import Scores


class Store(Runs, Scores):
    """One SQLite file (WAL). Several processes may use it at once.

    Args:
        path: The file; made if it is not there.

    Attributes:
        judges: What is known of the judges themselves.
        batches: What providers were asked in batches and still owe.
        labels: What people said of its samples.
        alerts: What watches have told.
        claims: Which replies are being asked for, by whichever process.

    Raises:
        InputError: If it is not a store, or cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.judges = Judges(self.query, self._writer)
        self.batches = Batches(self.query, self._writer)
        self.labels = HumanLabels(self)
        self.alerts = Alerts(self)
        self.claims = Claims(self.path)

    def close(self) -> None:
        """Commit what is queued and close the file."""
        self.claims.close()
        super().close()


__all__ = ["Run", "Spent", "Store"]
