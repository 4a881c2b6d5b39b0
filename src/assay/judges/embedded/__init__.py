"""The embedded judge: always there, offline, without a key."""

from typing import TYPE_CHECKING

from assay._lazy import lazy_names

if TYPE_CHECKING:
    from assay.judges.embedded.judge import Embedded

__all__ = ["Embedded"]

_NAMES = {"assay.judges.embedded.judge": "Embedded"}
__getattr__ = lazy_names(__name__, _NAMES)
