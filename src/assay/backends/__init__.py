"""Who can answer: back ends, and the wrappers around them; one file each."""

from assay.backends.specs import SPECS, backend

__all__ = ["SPECS", "backend"]
