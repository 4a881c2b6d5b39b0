"""The progress of a run, and its display in a notebook."""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

# So often, at most: each time is a message to the browser.
EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class Progress:
    """A run at one moment.

    Attributes:
        total: Scores to be made in all (samples times metrics).
        done: Scores there are, those of an earlier start included.
        new: Scores made since this start.
        undefined: How many of `new` are undefined.
        failed: How many of `new` failed.
        calls: Calls made since this start; those that wait to be sent are none.
        known: Replies that were known already.
        tokens_in: Prompt tokens since this start.
        tokens_out: Reply tokens since this start.
        money: What they cost, None without a price.
        retries: Calls that were tried again.
        waiting_for: The score that has been worked on longest, and for how many seconds.
        seconds: Seconds since this start.
        batches: Batches that are waited for, in words; "" if there are none.
        trouble: What goes wrong with calls of late, in words; "" if nothing does.
        lost: Calls that were given up on their way: the provider may bill them, and no cost
            counts them.
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
    trouble: str = ""
    lost: int = 0


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


def in_notebook() -> bool:
    """Whether a notebook runs this; nothing is imported to find out."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


def meter() -> "Meter":
    """What shows progress below the cell that is running."""
    from IPython.display import display

    return Meter(display({"text/plain": "assay: reading the data"}, raw=True, display_id=True))


@dataclass
class Meter:
    """Shows how far a run is."""

    handle: Any  # what IPython's `display` gave for the line
    _next: float = 0.0

    def __call__(self, progress: Progress) -> None:
        """Show it, if it is time or the end."""
        now = time.monotonic()
        if now < self._next and progress.done < progress.total:
            return
        self._next = now + EVERY_S
        plain = line(progress)
        percent = 100 * progress.done / max(progress.total, 1)
        bar = f'<progress max="100" value="{percent:.1f}"></progress> {plain}'  # numbers only
        self.handle.update({"text/plain": plain, "text/html": bar}, raw=True)


def line(progress: Progress) -> str:
    """Counts, rate and what failed, in one line."""
    phrases = [f"{progress.done:,}/{progress.total:,} scores"]
    if progress.seconds >= 1:
        phrases.append(f"{progress.new / progress.seconds:,.1f}/s")
    phrases.append(f"{progress.calls:,} calls")
    if progress.failed:
        phrases.append(f"{progress.failed:,} failed")
    if progress.money is not None:
        phrases.append(f"cost {progress.money:,.4f}")
    if progress.trouble:
        phrases.append(progress.trouble)
    return ", ".join(phrases)
