"""Where everything a run learns is kept: one SQLite file, the single truth."""

from assay.store.store import Run, Spent, Store

__all__ = ["Run", "Spent", "Store"]
