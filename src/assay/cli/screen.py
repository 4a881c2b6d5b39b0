"""Where is something shown, and how wide?"""

import json
import os
import sys
from collections.abc import Sequence
from typing import IO, Any

import rich.console
from rich.text import Text

from assay.report import sanitize

# What is not a terminal has no width; a log or a file takes more than the 80 columns of old.
_WIDTH_OF_FILES = 100


class Console(rich.console.Console):
    """A console whose reader may leave early (``assay show | head``): that is no error."""

    def on_broken_pipe(self) -> None:
        """Write to nowhere from now on; the command goes on and ends with its own code."""
        self.quiet = True
        _to_nowhere(sys.stdout)


def out() -> Console:
    """For results."""
    return _console(stderr=False)


def err() -> Console:
    """For everything else."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_FILES
    return console


def tell(lines: Sequence[tuple[str, str]]) -> None:
    """What to know at the end, named in a column: files and commands, there to be copied."""
    width = max((len(name) for name, _ in lines), default=0)
    console = out()
    for name, value in lines:  # no line breaks within
        line = Text(name.ljust(width), "dim").append(f"  {sanitize.plain(value)}", "not dim")
        console.print(line, soft_wrap=True)


def write(text: str) -> None:
    """Text as it is, on stdout."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _to_nowhere(sys.stdout)


def write_json(value: Any) -> None:
    """A value as JSON, on stdout; in ASCII where stdout takes no Unicode."""
    unicode = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    # What is no number would be no JSON: better found here than by who reads it.
    text = json.dumps(value, ensure_ascii=not unicode, indent=2, allow_nan=False)
    write(text + "\n")


def _to_nowhere(stream: IO[str]) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
