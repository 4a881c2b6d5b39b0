"""Where everything a run learns is kept: one SQLite file, the single truth."""

from assay.store.records import Run, Spent
from assay.store.store import Store

__all__ = ["Run", "Spent", "Store"]
