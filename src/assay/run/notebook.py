"""How is progress shown in a notebook? One line below the cell, written anew as it goes."""

import sys
import time
from dataclasses import dataclass
from typing import Any

from assay.run.progress import Progress

# So often, at most: each time is a message to the browser.
EVERY_S = 0.5


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
    """Shows how far a run is.

    Attributes:
        handle: What IPython's `display` gave for the line.
    """

    handle: Any
    _next: float = 0.0

    def __call__(self, progress: Progress) -> None:
        """Show it, if it is time or the end."""
        now = time.monotonic()
        if now < self._next and progress.done < progress.total:
            return
        self._next = now + EVERY_S
        plain = line(progress)
        done = 100 * progress.done / max(progress.total, 1)
        bar = f'<progress max="100" value="{done:.1f}"></progress> {plain}'  # numbers only
        self.handle.update({"text/plain": plain, "text/html": bar}, raw=True)


def line(progress: Progress) -> str:
    """Counts, rate and what failed, in one line."""
    parts = [f"{progress.done:,}/{progress.total:,} scores"]
    if progress.seconds >= 1:
        parts.append(f"{progress.new / progress.seconds:,.1f}/s")
    parts.append(f"{progress.calls:,} calls")
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if progress.money is not None:
        parts.append(f"cost {progress.money:,.4f}")
    return ", ".join(parts)
