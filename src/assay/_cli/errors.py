"""How the help of a command is laid out, and how it ends: its exit code, and errors in words."""

import codecs
import errno
import gc
import io
import os
import shutil
import signal
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import click

from assay._report.sanitize import plain
from assay._text.sanitize import redacted
from assay.errors import AssayError, InputError, OverBudget

OK, BUG, BAD_INPUT, SOME_FAILED, REFUSED, BUDGET, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
GATE_FAILED, GATE_UNDECIDED, DRIFT = 6, 7, 8
# New objects after which the garbage collector looks: a run has hundreds of samples on their way.
RARE_THRESHOLD = 10_000

# What the machine refuses is no bug. A file that is not there may be one, and is told where it
# is asked for.
_MACHINE = {
    errno.ENOSPC: "make room on the disk",
    errno.EROFS: "name a file where you may write",
    errno.EACCES: "check the permissions of the file or its folder",
    errno.EPERM: "check the permissions of the file or its folder",
}

# Signs of the tables in characters that every code page has.
_IN_ASCII = str.maketrans("▁▂▃▄▅▆▇█│├┤─✓✗↓●•·", ".:-=+*%#|||-+xv**.") | {
    ord("\N{EN DASH}"): "-",
    ord("\N{MINUS SIGN}"): "-",
    ord("…"): "...",
    ord("±"): "+-",
}

EXIT_CODES = """Exit codes:
  0    everything was scored, or is undefined for its sample
  1    a bug: please report it
  2    the input or the command line cannot be used
  3    finished, but some scores failed, or the system left questions unanswered
  4    the judge refused or cannot be used (key, quota, model, unreachable)
  5    stopped by the budget
  6    assay gate: a rule does not hold
  7    assay gate: a rule is undecided, there are too few samples; none fails
  8    assay watch --once: drift or another judge was told in this look
  130  interrupted (Ctrl-C, SIGTERM); the same command goes on from there"""


class Grouped(click.Command):
    """A command whose help shows its options in groups.

    Args:
        groups: Heading -> the names of its options; those that no group names stand in "Other".
    """

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups; all options together where there are none."""
        if not self.groups:
            return super().format_options(ctx, formatter)
        options = (p for p in self.get_params(ctx) if isinstance(p, click.Option))
        rows = {option.name: row for option in options if (row := option.get_help_record(ctx))}
        for heading, names in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl([rows.pop(name) for name in names])
        with formatter.section("Other"):
            formatter.write_dl(list(rows.values()))
        return None


class CommandGroup(click.Group):
    """A group of commands that return their exit code, and whose errors are explained in words."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command; in standalone mode (the default) end the process with its code."""
        call: Callable[..., Any] = super().main
        if not kwargs.pop("standalone_mode", True):
            return call(*args, **kwargs, standalone_mode=False)
        arguments = kwargs.get("args") or (args[0] if args else None) or sys.argv[1:]
        debug = _wants_traceback(arguments)
        _accept_all_characters()
        of_the_process = not args and kwargs.get("args") is None
        if of_the_process:
            _end_as_interrupted(signal.SIGTERM)
            _collect_rarely()
        code = _code(lambda: call(*args, **kwargs, standalone_mode=False), debug=debug)
        _flush()
        if code == INTERRUPTED and of_the_process:
            # Without waiting for threads: a model that computes cannot be called back.
            os._exit(code)
        sys.exit(code)


def _end_as_interrupted(name: signal.Signals) -> None:
    """Let a signal end the process as Ctrl-C does: what is kept then is kept now.

    It does what Ctrl-C would do at that moment. Where Ctrl-C is ignored, as by what a shell runs in
    the background, Python has nobody to hand it to.
    """

    def interrupt(_number: int, frame: FrameType | None) -> None:
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    signal.signal(name, interrupt)


def _collect_rarely() -> None:
    """Let the garbage collector look at new objects less often: it took a tenth of a run's time.

    A library leaves the collector to the program that it is used in; here assay is the program.
    """
    first, *other_thresholds = gc.get_threshold()
    gc.set_threshold(first and max(first, RARE_THRESHOLD), *other_thresholds)  # 0 is never


def _accept_all_characters() -> None:
    """Write what an old code page does not have in others, or by its number; do not fail at it."""
    codecs.register_error("assay", _in_other_characters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in {"strict", "backslashreplace"}:
            stream.reconfigure(errors="assay")


def _in_other_characters(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_IN_ASCII)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def _flush() -> None:
    """Write what is left, or drop it: Python would fail at it too, with a code of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # nobody reads it any more, or the disk is full
            with suppress(OSError, ValueError), Path(os.devnull).open("w") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())


def say(text: str) -> None:
    """Tell the user something that is no result: on stderr.

    What it quotes may be anybody's: a control character of it must not steer the terminal, nor
    may one that nobody sees change what is read, or a key stand in it.
    """
    text = plain(redacted(text))
    if sys.stderr.isatty():
        text = "\n".join(map(_wrap, text.splitlines()))
    click.echo(text, err=True)


def _wrap(line: str) -> str:
    # A terminal breaks lines within words. In a log, lines stay whole for those who search it.
    width = shutil.get_terminal_size().columns
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _wants_traceback(arguments: Sequence[str]) -> bool:
    return list(arguments[:1]) == ["--debug"] or os.environ.get("ASSAY_DEBUG", "") not in ("", "0")


def _code(call: Callable[[], Any], *, debug: bool) -> int:
    stdout = sys.stdout
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return call() or OK
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        say("interrupted")
        return INTERRUPTED
    except AssayError as error:
        stopped = isinstance(error, OverBudget)
        say(f"{'stopped' if stopped else 'error'}: {error}")
        return BUDGET if stopped else BAD_INPUT if isinstance(error, InputError) else REFUSED
    except SystemExit:
        if sys.stdout is not stdout:  # click's answer to a reader of --help who leaves early
            return OK
        raise
    except Exception as error:  # noqa: BLE001 - the outermost call: nothing is swallowed, all is told
        return _unexpected(error, debug=debug)


def _unexpected(error: Exception, *, debug: bool) -> int:
    """Tell what the machine refused from a bug; the exit code."""
    from assay._store.integrity import TROUBLE

    if remedy := TROUBLE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF):
        say(f"error: the store cannot be used: {error} -> {remedy}")
        return BAD_INPUT
    if remedy := _MACHINE.get(getattr(error, "errno", None) or 0):
        say(f"error: {error} -> {remedy}")
        return BAD_INPUT
    _report_bug(error, debug=debug)
    return BUG


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"warning: {message}")


def _report_bug(error: Exception, *, debug: bool) -> None:
    if debug:
        say("".join(traceback.format_exception(error)).rstrip())
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_file()]
    location = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    say(f"error: unexpected {type(error).__name__}{location}: {error}{notes}")
    say(
        "This is a bug in assay, or in a judge or metric of your own if the file named is yours. "
        "Scores and replies made so far are kept."
    )
    if not debug:
        say("Please report it with what `ASSAY_DEBUG=1` in front of the command shows.")


async def until_stopped() -> None:
    """Return when the process is told to end."""
    import asyncio

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows: there Ctrl-C interrupts all that is awaited
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, stopped.set)
    await stopped.wait()
