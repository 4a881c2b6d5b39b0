"""Judges: whoever can reply to the tasks of a metric."""

from assay.judges.specs import SPECS, backend

__all__ = ["SPECS", "backend"]
