"""What commands write: to the terminal, as JSON, and to the files of --out."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
import rich.console
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay._cli.options import ReportRequest
from assay._report import sanitize
from assay._runner import STORE
from assay._runner.config_files import FILES
from assay.data.files import is_uri, landing, located, shown_uri
from assay.errors import InputError, Problem

if TYPE_CHECKING:
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
    request: ReportRequest,
    writers: Mapping[str, Callable[[Any], str]],
    show: Callable[[Any], RenderableType],
) -> None:
    """Write the result of a command to its files, and show it as JSON or by `show`."""
    write_data(data, request.outs, writers)
    if request.as_json:
        print_json(data)
    else:
        stdout().print(show(data))
        print_lines(file_lines(request.outs))


def print_counts(rows: Iterable[tuple[str, str]]) -> None:
    """Numbers, each with what it counts, in two columns."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    for number, what in rows:
        table.add_row(number, Text(sanitize.plain(what)))
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
    ".parquet": "one row a sample: its id, scores and why there is none",
}


def check_files(outs: Sequence[str], *others: str, forms: Mapping[str, str] = _FORMS) -> None:
    """See before anything is spent that every file can be written and is not read as well.

    Args:
        outs: The files to be written.
        others: The files that are read.
        forms: What each ending makes, in words.
    """
    problems = [problem for out in outs for problem in _problems(out, others, forms)]
    if problems:
        raise InputError(problems)


def _problems(out: str, others: Sequence[str], forms: Mapping[str, str]) -> list[Problem]:
    path = Path(out)
    if path.suffix.lower() not in forms:
        known = "; ".join(f"{form} {what}" for form, what in forms.items())
        what = f"--out {_shown(out)}: no report ends in '{path.suffix}', but in {', '.join(forms)}"
        return [Problem(what, known)]
    if path.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
        return [Problem(f"--out {_shown(out)} needs pyarrow", "pip install 'assay[parquet]'")]
    if is_uri(out):
        located(out)  # whether it may be written there, the store tells when it is
        return []
    return _places("--out", out, others)


def check_file(option: str, file: str | None, *others: str) -> None:
    """See that a file of another option than --out can be written and is not read as well.

    Args:
        option: The option.
        file: Its value.
        others: The files that are read, or written besides.
    """
    if file and (problems := _places(option, file, others)):
        raise InputError(problems)


def _places(option: str, file: str, others: Sequence[str]) -> list[Problem]:
    path = Path(file)
    if path.is_dir() or not path.parent.is_dir():
        what = f"{option} {path} cannot be written"
        return [Problem(what, "name a file in an existing folder")]
    configuration = [name for name in FILES if Path(name).is_file()]
    if any(path.resolve() == Path(other).resolve() for other in (*others, *configuration)):
        what = f"{option} {path} would overwrite what this command reads"
        return [Problem(what, "name another")]
    return []


def write_data(data: Any, outs: Sequence[str], writers: Mapping[str, Callable[[Any], str]]) -> None:
    """Write what a command found: by the writer of the file's ending, else as JSON."""
    for out in outs:
        write_text("--out", out, writers.get(Path(out).suffix.lower(), _json)(data))


def write_text(option: str, file: str, text: str) -> None:
    """Write the file that an option names."""
    try:
        with landing(file) as path:
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        what = f"{option} {_shown(file)} cannot be written: {error.strerror or error}"
        raise InputError(what, "name another file, or make room for it") from error


def file_lines(outs: Sequence[str]) -> list[tuple[str, str]]:
    """The files that were written, as `print_lines` takes them."""
    return [("report", _shown(out)) for out in outs]


def _shown(file: str) -> str:
    """A file as messages name it: of a URI without password and query."""
    return shown_uri(file) if is_uri(file) else file


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_reports(result: "Result", outs: Sequence[str]) -> None:
    """Write every file."""
    for out in outs:
        try:
            with landing(out) as path:
                _write_report(result, path)
        except OSError as error:
            what = f"--out {_shown(out)} cannot be written: {error.strerror or error}"
            remedy = f"the scores are kept: assay report {result.run.id} --out FILE"
            raise InputError(what, remedy) from error


def _write_report(result: "Result", path: Path) -> None:
    from assay._report.run import collect, summed_up, views

    form = path.suffix.lower()
    if form == ".html":
        result.report(path)
    elif form == ".jsonl":
        result.to_jsonl(path)
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
    named = () if store == default else ("--store", store)
    # A control character of an id must not steer the terminal, not even within quotation marks.
    return sanitize.plain(shlex.join(("assay", *words, *named)))
