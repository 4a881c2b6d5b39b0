"""How far is a run?"""

import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """A run at one moment.

    Attributes:
        total: Scores to be made in all (samples times metrics).
        done: Scores there are, those of an earlier start included.
        new: Scores made since this start.
        undefined: How many of `new` are undefined.
        failed: How many of `new` failed.
        calls: Replies asked for since this start.
        known: Replies that were known already.
        tokens_in: Prompt tokens since this start.
        tokens_out: Reply tokens since this start.
        money: What they cost, None without a price.
        retries: Calls that were tried again.
        waiting_for: The score that has been worked on longest, and for how many seconds.
        seconds: Seconds since this start.
        batches: Batches that are waited for, in words; "" if there are none.
    """

    total: int
    done: int
    new: int
    undefined: int
    failed: int
    calls: int
    known: int
    tokens_in: int
    tokens_out: int
    money: float | None
    retries: int
    waiting_for: tuple[str, float] | None
    seconds: float
    batches: str = ""


@dataclass
class Tally:
    """What the workers of one run have done so far."""

    total: int
    before: int
    why: Counter[str] = field(default_factory=Counter)
    working: dict[str, float] = field(default_factory=dict)
    start: float = field(default_factory=time.monotonic)

    def longest(self) -> tuple[str, float] | None:
        """The score begun first among those being worked on."""
        label = next(iter(self.working), None)  # dicts keep the order of beginning
        return (label, time.monotonic() - self.working[label]) if label else None
