"""An interval around an estimate."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies with the stated confidence.

    Attributes:
        low: Lower end.
        high: Upper end, not below `low`.
        level: Nominal coverage, 0..1 (0.95: 95 of 100 such intervals hold the true value).
        method: How it was computed, in words: "BCa bootstrap", "Wilson".
    """

    low: float
    high: float
    level: float = 0.95
    method: str = ""
