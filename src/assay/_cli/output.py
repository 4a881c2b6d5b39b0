"""What commands write: to the terminal, as JSON, to the files of --out, and how far they are."""

import json
import os
import shlex
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import click
import rich.console
from click.core import ParameterSource
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay._cli.errors import say
from assay._cli.options import ShownRequest
from assay._report import sanitize
from assay._runner import STORE
from assay._runner.config_files import FILES
from assay._runner.progress import Progress
from assay._text.sanitize import redacted
from assay.data.files import is_uri, landing, located, redacted_uri
from assay.errors import InputError, Problem

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from assay._runner.result import Result

# What is not a terminal has no width; a log or a file takes more than the 80 columns of old.
_WIDTH_OF_FILES = 100


class Console(rich.console.Console):
    """A console whose reader may leave early (``assay show | head``): that is no error."""

    def on_broken_pipe(self) -> None:
        """Write to nowhere from now on; the command goes on and ends with its own code."""
        self.quiet = True
        _to_nowhere(sys.stdout)


def stdout() -> Console:
    """For results."""
    return _console(stderr=False)


def stderr() -> Console:
    """For everything else."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_FILES
    return console


def print_lines(lines: Sequence[tuple[str, str]]) -> None:
    """What to know at the end, named in a column: files and commands, there to be copied."""
    width = max((len(name) for name, _ in lines), default=0)
    console = stdout()
    for name, value in lines:  # no line breaks within
        line = Text(name.ljust(width), "dim").append(f"  {sanitize.plain(value)}", "not dim")
        console.print(line, soft_wrap=True)


def present(
    data: Any,
    request: ShownRequest,
    writers: Mapping[str, Callable[[Any], str]],
    show: Callable[[Any], RenderableType],
    then: Sequence[tuple[str, str]] = (),
    *,
    quiet: bool = False,
) -> None:
    """Write the result of a command to its files, and show it as JSON, or by `show` with a hint."""
    write_data(data, request.outs, writers)
    if request.as_json:
        print_json(data)
    elif not quiet:
        stdout().print(show(data))
        print_lines([*file_lines(request.outs), *then])


def print_counts(rows: Iterable[tuple[str, str]]) -> None:
    """Numbers, each with what it counts, in two columns; of what there is none nothing is said."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    for number, description in rows:
        if number != "0":
            table.add_row(number, Text(sanitize.plain(description)))
    stdout().print(table)


def print_text(text: str) -> None:
    """Text as it is, on stdout."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _to_nowhere(sys.stdout)


def indented(text: str, by: int) -> Padding:
    """A text that wraps behind a margin."""
    return Padding(Text(sanitize.plain(text)), (0, 0, 0, by))


def print_json(value: Any) -> None:
    """A value as JSON, on stdout; in ASCII where stdout takes no Unicode."""
    unicode = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    # What is no number would be no JSON: better found here than by who reads it.
    text = json.dumps(value, ensure_ascii=not unicode, indent=2, allow_nan=False)
    print_text(text + "\n")


def _to_nowhere(stream: IO[str]) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


_FORMS = {
    ".html": "the report, one page that needs nothing else",
    ".md": "the score table in Markdown",
    ".jsonl": "one line a sample: its fields, scores and evidence",
    ".json": "all that the report shows",
    ".csv": "one row a sample for a spreadsheet: its id, scores, why there is none, its texts",
    ".parquet": "one row a sample: its id, scores and why there is none",
}


def check_files(
    outs: Sequence[str],
    *others: str,
    forms: Mapping[str, str] = _FORMS,
    option: str = "--out",
) -> None:
    """See before anything is spent that every file can be written and is not read as well."""
    problems = [problem for path in outs for problem in _problems(option, path, others, forms)]
    if problems:
        raise InputError(problems)


def _problems(
    option: str, file: str, files_read: Sequence[str], forms: Mapping[str, str]
) -> list[Problem]:
    path = Path(file)
    if path.suffix.lower() not in forms:
        forms_in_words = "; ".join(f"{form} {description}" for form, description in forms.items())
        ends = f"no report ends in '{path.suffix}', but in {', '.join(forms)}"
        fault = f"{option} {_shown_path(file)}: {ends}"
        return [Problem(fault, forms_in_words)]
    if path.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
        return [
            Problem(f"{option} {_shown_path(file)} needs pyarrow", "pip install 'assay[parquet]'")
        ]
    if is_uri(file):
        located(file)  # whether it may be written there, the store tells when it is
        return []
    return _path_problems(option, file, files_read)


def check_file(option: str, file: str | None, *others: str) -> None:
    """See that a file of another option than --out can be written and is not read as well."""
    if file and (problems := _path_problems(option, file, others)):
        raise InputError(problems)


def _path_problems(option: str, file: str, files_read: Sequence[str]) -> list[Problem]:
    path = Path(file)
    if path.is_dir() or not path.parent.is_dir():
        fault = f"{option} {path} cannot be written"
        return [Problem(fault, "name a file in an existing folder")]
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        fault = f"{option} {path} cannot be written: it is read-only"
        return [Problem(fault, "name a file in a folder that can be written to")]
    configuration = [name for name in FILES if Path(name).is_file()]
    read = (os.path.realpath(file_read) for file_read in (*files_read, *configuration))
    if os.path.realpath(path) in read:
        fault = f"{option} {path} would overwrite what this command reads"
        return [Problem(fault, "name another")]
    return []


def write_data(data: Any, outs: Sequence[str], writers: Mapping[str, Callable[[Any], str]]) -> None:
    """Write what a command found: by the writer of the file's ending, else as JSON."""
    for file in outs:
        write_text("--out", file, writers.get(Path(file).suffix.lower(), _json)(data))


def write_text(option: str, file: str, text: str) -> None:
    """Write the file that an option names."""
    try:
        with landing(file) as path:
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        fault = f"{option} {_shown_path(file)} cannot be written: {error.strerror or error}"
        raise InputError(fault, "name another file, or make room for it") from error


def file_lines(outs: Sequence[str]) -> list[tuple[str, str]]:
    """The files that were written, as `print_lines` takes them."""
    return [("report", _shown_path(path)) for path in outs]


def _shown_path(file: str) -> str:
    """A file as messages name it: of a URI without password and query."""
    return redacted_uri(file) if is_uri(file) else file


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_reports(result: "Result", outs: Sequence[str]) -> None:
    """Write every file."""
    for report_path in outs:
        try:
            with landing(report_path) as path:
                _write_report(result, path)
        except OSError as error:
            fault = f"--out {_shown_path(report_path)} cannot be written: {error.strerror or error}"
            remedy = f"the scores are kept: assay report {result.run.id} --out FILE"
            raise InputError(fault, remedy) from error


def _write_report(result: "Result", path: Path) -> None:
    from assay._report import run as views
    from assay._report.run import collect, summed_up

    form = path.suffix.lower()
    if form == ".html":
        result.report(path)
    elif form == ".jsonl":
        result.to_jsonl(path)
    elif form == ".csv":
        result.to_csv(path)
    elif form == ".parquet":
        result.to_parquet(path)
    elif form == ".md":
        path.write_text(views.markdown(summed_up(result)), encoding="utf-8")
    else:
        path.write_text(_json(collect(result)), encoding="utf-8")


def run_name(result: "Result") -> str:
    """How a run is named on a command line: by its name where no other is called so."""
    from assay._store import Store

    run = result.run
    with Store(result.path) as store:
        return run.name if run.name and store.called(run.name) == 1 else run.short


def command_line(*words: str, store: str) -> str:
    """The command, quoted, with the store it is about unless that is the one it would take."""
    context = click.get_current_context(silent=True)
    default = (context and context.lookup_default("store")) or STORE
    store_option = () if store == default else ("--store", store)
    # A control character of an id must not steer the terminal, not even within quotation marks.
    return sanitize.plain(shlex.join(("assay", *words, *store_option)))


# What is not repeated of a command: what may be a secret, what is shown how, and what stops it.
_UNSAID = (
    *("api_key", "target_headers", "target_body", "base_url"),
    *("store", "outs", "as_json", "quiet", "no_progress", "dry_run", "budget"),
)


def given_command(store: str, **instead: str) -> str:
    """The command that was given, without what may be secret; "" outside of one.

    Args:
        store: The store it is about.
        instead: What stands in the place of the value of a parameter.
    """
    context = click.get_current_context(silent=True)
    if context is None or not context.info_name:
        return ""
    words = [context.info_name]
    for option in context.command.params:
        name = option.name or ""
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not is_given or name in _UNSAID:
            continue
        value = instead.get(name, context.params[name])
        if isinstance(option, click.Option) and option.is_flag:
            words.append((option.opts if value else option.secondary_opts)[0])
        elif isinstance(option, click.Option):
            for item in value if option.multiple else [value]:
                words += [option.opts[-1], str(item)]
        else:
            words += value if isinstance(value, tuple) else [value]
    return redacted(command_line(*words, store=store))


# Named when it is waited for longer than this.
SLOW_S = 5.0
# The longer a run takes the rarer are its lines, so that hours do not fill a log.
LINE_EVERY_S, MOST_BETWEEN_LINES_S = 5.0, 60.0
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
        since, new = self._points[0] if self._points else (0.0, 0)
        if progress.seconds - since < 1:  # too short a while to tell
            since, new = 0.0, 0
        rate = (progress.new - new) / max(progress.seconds - since, 1e-6)
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
            interval = min(max(LINE_EVERY_S, progress.seconds / 4), MOST_BETWEEN_LINES_S)
            self._next = progress.seconds + interval
            count = f"{progress.done:,}/{progress.total:,} scores, {self.pace(progress)}"
            say("; ".join([count, _progress_text(progress), *_delays(progress)]))


class Bar(Meter):
    """A bar with the counts below it, drawn four times a second."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        super().__init__()
        self._live = Live(
            console=console, get_renderable=self._renderable, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def _renderable(self) -> RenderableType:
        from rich.progress_bar import ProgressBar

        progress = self.last
        if progress is None:
            return Text("reading the data ...", style="dim")
        bar = ProgressBar(total=max(progress.total, 1), completed=progress.done, width=28)
        count = Text(f"{progress.done:,}/{progress.total:,} scores  {self.pace(progress)}")
        table = Table.grid(padding=(0, 2))
        table.add_row(bar, count)
        table_of_all = Table.grid()
        table_of_all.add_row(table)
        table_of_all.add_row(Text(_progress_text(progress), style="dim"))
        for line in _delays(progress):
            table_of_all.add_row(Text(line, style="yellow"))
        return table_of_all


def meter(*, silent: bool) -> Meter:
    """Nothing, a bar on a terminal, or a line every few seconds in a log."""
    if silent:
        return Meter()
    console = stderr()
    return Bar(console) if console.is_terminal and not console.is_dumb_terminal else Lines()


@contextmanager
def counter(
    *columns: "ProgressColumn", description: str = "", silent: bool
) -> Iterator[Callable[[int, int], None]]:
    """A bar of these columns on a terminal, else a line now and then.

    What it gives takes what is done, and the total.
    """
    from rich.progress import Progress as Columns

    console = stderr()
    if not silent and not console.is_terminal:
        yield _line_counter(description)
        return
    with Columns(*columns, console=console, transient=True, disable=silent) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _line_counter(description: str) -> Callable[[int, int], None]:
    """Says how many are done, and how long the rest takes at this pace, every few seconds."""
    start = last_said = time.monotonic()

    def count(done: int, total: int) -> None:
        nonlocal last_said
        now = time.monotonic()
        if now - last_said < LINE_EVERY_S:
            return
        last_said = now
        left = f", {_clock((total - done) * (now - start) / done)} left" if done else ""
        say(f"{description} {done:,}/{total:,}{left}".strip())

    return count


def _progress_text(progress: Progress) -> str:
    scored = progress.new - progress.undefined - progress.failed
    phrases = [f"{scored:,} scored, {progress.undefined:,} undefined, {progress.failed:,} failed"]
    reused = f" + {progress.known:,} known" if progress.known else ""
    phrases.append(f"{progress.calls:,} calls{reused}")
    if tokens := progress.tokens_in + progress.tokens_out:
        phrases.append(f"{short(tokens)} tokens")
    if progress.money is not None:
        phrases.append(f"cost {progress.money:,.4f}")
    if progress.retries:
        phrases.append(f"{progress.retries:,} retries")
    return "; ".join(phrases)


def _delays(progress: Progress) -> list[str]:
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
