"""The embedded judge: always there, offline, without a key."""

from assay.judges.embedded.judge import Embedded

__all__ = ["Embedded"]
