"""How far is an evaluation? A bar on a terminal, nothing elsewhere."""

import sys
from collections.abc import Callable

from assay.runner.progress import Progress

_WIDTH = 30


def bar() -> Callable[[Progress], None] | None:
    """What draws the bar; None where the output is no terminal."""
    return draw if sys.stderr.isatty() else None


def draw(progress: Progress) -> None:
    """Draw the bar once more, over itself."""
    filled = _WIDTH * progress.done // max(1, progress.total)
    line = "\N{FULL BLOCK}" * filled + "\N{LIGHT SHADE}" * (_WIDTH - filled)
    ended = "\n" if progress.done >= progress.total else ""
    failed = f", {progress.failed} failed" if progress.failed else ""
    said = f"Evaluating {line} {progress.done}/{progress.total}{failed}"
    sys.stderr.write(f"\r{said}{ended}")
    sys.stderr.flush()
