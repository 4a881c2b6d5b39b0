"""The progress of a run, and of other long work, shown on stderr while it goes on."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

import rich.progress
from rich.console import RenderableType
from rich.live import Live
from rich.progress import ProgressColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from assay._cli import output
from assay._cli.errors import say
from assay._runner.progress import Progress

# Named when it is waited for longer than this.
SLOW_S = 5.0
LINE_EVERY_S = 5.0
# Batches take minutes or hours.
BATCH_LINE_EVERY_S = 30.0
# The rate is that of the last while: a start that came from the store says nothing of the rest.
WINDOW_S = 30.0


class Meter:
    """Shows nothing, and knows how far it came."""

    def __init__(self) -> None:
        self.last: Progress | None = None
        self._points: deque[tuple[float, int]] = deque()

    def __call__(self, progress: Progress) -> None:
        """Take note of how far the run is."""
        self.last = progress
        if not self._points or progress.seconds - self._points[-1][0] >= 0.5:
            self._points.append((progress.seconds, progress.new))
            while progress.seconds - self._points[0][0] > WINDOW_S:
                self._points.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def pace(self, progress: Progress) -> str:
        """Scores a second and the time that is left."""
        then, new = self._points[0] if self._points else (0.0, 0)
        if progress.seconds - then < 1:  # too short a while to tell
            then, new = 0.0, 0
        rate = (progress.new - new) / max(progress.seconds - then, 1e-6)
        if rate <= 0:
            return "waiting for replies"
        if progress.done >= progress.total:
            return f"{rate:,.1f}/s"
        return f"{rate:,.1f}/s, {_clock((progress.total - progress.done) / rate)} left"


class Lines(Meter):
    """A plain line now and then, where there is no terminal to draw on."""

    def __init__(self) -> None:
        super().__init__()
        self._next = LINE_EVERY_S

    def __call__(self, progress: Progress) -> None:
        """Take note, and say it if it is time."""
        super().__call__(progress)
        if progress.seconds >= self._next:
            every = BATCH_LINE_EVERY_S if progress.batches else LINE_EVERY_S
            self._next = progress.seconds + every
            count = f"{progress.done:,}/{progress.total:,} scores, {self.pace(progress)}"
            say("; ".join([count, _spent(progress), *_held_up(progress)]))


class Bar(Meter):
    """A bar with the counts below it, drawn four times a second."""

    def __init__(self, console: output.Console) -> None:
        super().__init__()
        self._live = Live(
            console=console, get_renderable=self._drawn, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def _drawn(self) -> RenderableType:
        progress = self.last
        if progress is None:
            return Text("reading the data ...", style="dim")
        bar = ProgressBar(total=max(progress.total, 1), completed=progress.done, width=28)
        count = Text(f"{progress.done:,}/{progress.total:,} scores  {self.pace(progress)}")
        table = Table.grid(padding=(0, 2))
        table.add_row(bar, count)
        whole = Table.grid()
        whole.add_row(table)
        whole.add_row(Text(_spent(progress), style="dim"))
        for line in _held_up(progress):
            whole.add_row(Text(line, style="yellow"))
        return whole


def meter(*, silent: bool) -> Meter:
    """Nothing, a bar on a terminal, or a line every few seconds in a log."""
    if silent:
        return Meter()
    console = output.stderr()
    return Bar(console) if console.is_terminal and not console.is_dumb_terminal else Lines()


@contextmanager
def counter(
    *columns: ProgressColumn, description: str = "", silent: bool
) -> Iterator[Callable[[int, int], None]]:
    """A bar of these columns on a terminal, else a line now and then.

    What it gives takes what is done, and the total.
    """
    console = output.stderr()
    if not silent and not console.is_terminal:
        yield _counting(description)
        return
    with rich.progress.Progress(*columns, console=console, transient=True, disable=silent) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _counting(what: str) -> Callable[[int, int], None]:
    """Says how many are done, and how long the rest takes at this pace, every few seconds."""
    start = told = time.monotonic()

    def count(done: int, total: int) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told < LINE_EVERY_S:
            return
        told = now
        left = f", {_clock((total - done) * (now - start) / done)} left" if done else ""
        say(f"{what} {done:,}/{total:,}{left}".strip())

    return count


def _spent(progress: Progress) -> str:
    scored = progress.new - progress.undefined - progress.failed
    parts = [f"{scored:,} scored, {progress.undefined:,} undefined, {progress.failed:,} failed"]
    known = f" + {progress.known:,} known" if progress.known else ""
    parts.append(f"{progress.calls:,} calls{known}")
    if tokens := progress.tokens_in + progress.tokens_out:
        parts.append(f"{short(tokens)} tokens")
    if progress.money is not None:
        parts.append(f"cost {progress.money:,.4f}")
    if progress.retries:
        parts.append(f"{progress.retries:,} retries")
    return "; ".join(parts)


def _held_up(progress: Progress) -> list[str]:
    """What goes wrong, and what is waited for."""
    return [text for text in (progress.trouble, _slow(progress)) if text]


def _slow(progress: Progress) -> str:
    if progress.batches:
        return progress.batches
    if progress.waiting_for is None or progress.waiting_for[1] <= SLOW_S:
        return ""
    label, seconds = progress.waiting_for
    return f"waiting {seconds:.0f} s for {label}"


def short(number: int) -> str:
    """A large count in three digits."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= 10 * size:
            return f"{number / size:,.0f}{unit}"
    return f"{number:,}"


def _clock(seconds: float) -> str:
    text = time.strftime("%M:%S", time.gmtime(seconds % 3600))
    return f"{int(seconds // 3600)}:{text}" if seconds >= 3600 else text
