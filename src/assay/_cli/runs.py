"""The commands of the store: list, describe and report runs, move, verify and clear them."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec
from rich.table import Table
from rich.text import Text

from assay._analysis.comparability import judge_of
from assay._cli import options, output
from assay._cli.errors import BAD_INPUT, OK, say
from assay._cli.output import command_line
from assay._report import numbers, sanitize, tables
from assay._report.numbers import judge_in_words, remarks, run_description
from assay._runner import STORE
from assay._store import Run, Store
from assay._store.maintenance import clean, verify
from assay._store.runs import written
from assay._store.transfer import begun, export, import_runs, store_for_import
from assay.errors import InputError

if TYPE_CHECKING:
    from assay._runner.result import Result

_CHANGES = ("name", "tags", "note", "params", "untags", "unsets")


class _RunsRequest(options.Request):
    tags: tuple[str, ...] = options.repeatable(
        "--tag", metavar="TAG", help="Only runs with this tag."
    )
    as_json: bool
    store: str


@options.command("runs", _RunsRequest)
def runs_command(request: _RunsRequest) -> int:
    """List the runs in the store, the newest first.

    Every command that takes a RUN takes its name, the beginning of its id, "last", or "last~1" for
    the one before.
    """
    with _existing(request.store) as store:
        runs = [run for run in store.runs() if {*request.tags} <= {*run.tags}]
        rows = [_row(store, run) for run in runs]
    if request.as_json:
        output.print_json(rows)
    else:
        _print_runs(runs, rows, request.tags)
    return OK


def _existing(store: str) -> Store:
    if not Path(store).is_file():
        raise InputError(f"there is no store '{store}'", "`assay run` makes one")
    return Store(store)


def _row(store: Store, run: Run) -> dict[str, Any]:
    counts = store.counts(run.id).values()
    n_done = sum(n for by_why in counts for reason, n in by_why.items() if reason != "failed")
    failed, unanswered = (
        sum(by_why.get(reason, 0) for by_why in counts) for reason in ("failed", "unanswered")
    )
    scores = {"done": n_done, "failed": failed, "unanswered": unanswered}
    spent = store.spent(run.id)
    return {
        "run": run.id,
        **run_description(run),
        "created": run.created,
        "source": run.source,
        "judge": judge_of(run),
        "metrics": list(run.metrics),
        "samples": run.n_samples,
        "scores": {**scores, "all": run.n_samples * len(run.metrics)},
        "calls": spent.calls,
        "tokens": spent.tokens_in + spent.tokens_out,
        "finished": run.finished is not None,
        "stopped": run.stopped,
        "about": _repetition(run),
    }


def _repetition(run: Run) -> str:
    """Which run it asks again about; "" for one that was asked for by itself."""
    if "repeats" in run.config:
        repeat = run.config["repeats"]
        return f"repetition {repeat['time']} of {repeat['run'][:8]}"
    return f"{run.config['rescores'][:8]} re-scored" if run.derived else ""


def _judges_of(run: Run) -> str:
    judge = judge_of(run)
    return f", judged by {judge_in_words(judge)}" if judge else ""


def _print_runs(runs: list[Run], rows: list[dict[str, Any]], tags: tuple[str, ...]) -> None:
    # Names are whole at 80 columns, in two lines if need be: what else there is stands below.
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("run", overflow="fold")
    for name in ("id", "begun (UTC)"):
        table.add_column(name, no_wrap=True)
    for name in ("samples", "scores"):
        table.add_column(name, justify="right", no_wrap=True)
    console = output.stdout()
    for row in rows:
        scores = row["scores"]
        n_answered = scores["done"] - scores["unanswered"]
        share = "all" if n_answered == scores["all"] else f"{n_answered}/{scores['all']}"
        table.add_row(
            Text(sanitize.plain(row["name"] or row["source"])),
            row["run"][:8],
            row["created"][:16].replace("T", " "),
            f"{row['samples']:,}",
            share,
        )
    console.print(table if rows else "no run with that tag" if tags else "no run yet")
    details = tables.grid(gap=2)
    for run, row in zip(runs, rows, strict=True):
        metrics = numbers.plural(len(row["metrics"]), "metric")
        calls = numbers.plural(row["calls"], "call")
        made_of = f"{run.source}, {metrics}, {calls}{_judges_of(run)}"
        text = "; ".join(filter(None, [_run_state(row), remarks(row), made_of]))
        details.add_row(tables.dim(run.short), tables.dim(text))
    console.print(details)


def _run_state(row: dict[str, Any]) -> str:
    stopped = str(row["stopped"]).partition(":")[0]
    state = "finished" if row["finished"] else f"stopped: {stopped}" if stopped else "not finished"
    failed = row["scores"]["failed"] if row["finished"] else 0
    unanswered = row["scores"]["unanswered"]
    missing = [f"{failed} failed" * bool(failed), f"{unanswered} unanswered" * bool(unanswered)]
    phrases = [state, *missing, row["about"]]
    return ", ".join(filter(None, phrases))


class _DescribeRequest(options.DescriptionRequest):
    run: str = options.argument(metavar="RUN")
    untags: tuple[str, ...] = options.repeatable("--untag", metavar="TAG", help="Take a tag off.")
    unsets: tuple[str, ...] = options.repeatable("--unset", metavar="KEY", help="Drop a parameter.")
    as_json: bool
    store: str


@options.command("describe", _DescribeRequest)
def describe_command(request: _DescribeRequest) -> int:
    """Show what is said of RUN, or change it: scores and ids stay as they are.

    RUN is a run's name, the beginning of its id, "last" or "last~1". A name or a note takes the
    place of the old one (--name "" and --note "" take it away); tags and parameters are added.
    """
    from assay._cli import values
    from assay._runner.result import Result

    result = Result(request.store, request.run)
    if contradictory := [*{*request.tags} & {*request.untags}]:
        raise InputError(
            f"the tag '{contradictory[0]}' is given and taken off", "keep one of the two"
        )
    if any(getattr(request, name) not in (None, ()) for name in _CHANGES):
        description = result.run.description.without(request.untags, request.unsets)
        result.describe(
            name=request.name,
            tags=(*description.tags, *request.tags),
            note=request.note,
            params={**description.params, **values.params(request.params)},
        )
    if request.as_json:
        output.print_json({"run": result.run.id, **run_description(result.run)})
    else:
        _print_description(result)
    return OK


def _print_description(result: "Result") -> None:
    run = result.run
    params = ", ".join(f"{key}={written(value)}" for key, value in run.params.items())
    lines = [
        ("run", run.id),
        ("name", run.name or "none"),
        ("data", f"{run.default_title} (UTC){_judges_of(run)}"),
        ("tags", ", ".join(run.tags)),
        ("params", params),
        ("note", run.note),
    ]
    output.print_lines([(name, text) for name, text in lines if text])


class _ReportRequest(options.Request):
    run: str
    outs: tuple[str, ...]
    store: str


@options.command("report", _ReportRequest)
def report_command(request: _ReportRequest) -> int:
    """Write the report of RUN (its name, the beginning of its id, or "last") to each --out FILE."""
    from assay._runner.result import Result

    if not request.outs:
        raise InputError("nowhere to write the report to", "add --out report.html")
    output.check_files(request.outs, request.store)
    output.write_reports(Result(request.store, request.run), request.outs)
    output.print_lines(output.file_lines(request.outs))
    return OK


class _ExportRequest(options.Request):
    store: str = options.argument(metavar="STORE")
    runs: tuple[str, ...] = options.argument(metavar="[RUN]...", nargs=-1)


@options.command("export", _ExportRequest)
def export_command(request: _ExportRequest) -> int:
    """Write each RUN of STORE to stdout as JSON lines: samples, replies, scores, evidence.

    Without RUN: all runs. `assay import` takes them into another store.
    """
    with _existing(request.store) as store:
        for line in export(store, request.runs):
            output.print_text(line)
    return OK


class _ImportRequest(options.Request):
    file: str = options.argument(metavar="FILE")
    store: str


@options.command("import", _ImportRequest)
def import_command(request: _ImportRequest) -> int:
    """Add the runs of FILE, as `assay export` wrote them, to a store ("-" reads stdin).

    What is there already stays as it is: importing twice changes nothing.
    """
    file = request.file
    if file != "-" and not Path(file).is_file():
        raise InputError(f"there is no file '{file}'", "`assay export STORE > FILE` writes one")
    try:
        with _lines(file) as lines:
            checked = begun(lines)
            with store_for_import(Path(request.store)) as opened:
                imported = import_runs(opened, checked)
    except UnicodeDecodeError as error:
        remedy = "`assay export STORE > FILE` writes what can be imported"
        raise InputError(f"'{file}' is no text", remedy) from error
    for kind, n in imported.new.items():
        present = f", {imported.known[kind]:,} were there already" if imported.known[kind] else ""
        output.print_text(f"{n:>10,} new: {kind}{present}\n")
    for run in imported.runs:
        output.print_text(command_line("show", run[:8], store=request.store) + "\n")
    return OK


def _lines(file: str) -> AbstractContextManager[IO[str]]:
    return nullcontext(sys.stdin) if file == "-" else Path(file).open(encoding="utf-8")


class _VerifyRequest(options.Request):
    store: str = options.argument(metavar="[STORE]", default=STORE)
    as_json: bool


@options.command("verify", _VerifyRequest)
def verify_command(request: _VerifyRequest) -> int:
    """Check STORE: the file, the checksum of every row, every reference, every run.

    Exit code 0 if it is whole, 2 if something is damaged or missing.
    """
    store, checked = request.store, verify(request.store)
    if request.as_json:
        output.print_json(msgspec.to_builtins(checked))
    else:
        counts = ", ".join(f"{n:,} {table}" for table, n in checked.counts.items())
        output.print_text(f"looked at: {counts or 'nothing'}\n")
        for remark in checked.remarks:
            output.print_text(f"remark: {remark}\n")
        if not checked.problems:
            output.print_text(f"{store} is whole\n")
    for problem in checked.problems:
        say(f"problem: {problem}")
    if checked.problems:
        say(f"{store} is damaged -> {_remedy(store, checked.whole)}")
    return BAD_INPUT if checked.problems else OK


def _remedy(store: str, saved: Sequence[str]) -> str:
    if not saved:
        return (
            "no run can be read in full: use a copy of the file, or begin anew in another --store"
        )
    runs = "1 run" if len(saved) == 1 else f"{len(saved)} runs"
    return (
        f"{runs} can be saved: assay export {store} {' '.join(saved)} > saved.jsonl, then assay "
        "import saved.jsonl --store NEW; the others, begun anew there, pay only for what is lost"
    )


class _GcRequest(options.Request):
    store: str = options.argument(metavar="[STORE]", default=STORE)
    delete: tuple[str, ...] = options.repeatable(
        "--delete",
        metavar="RUN",
        help="Drop this run first: its samples, scores and what only it needs.",
    )
    dry_run: bool = options.flag("--dry-run", help="Show what would be dropped; drop nothing.")


@options.command("gc", _GcRequest)
def gc_command(request: _GcRequest) -> int:
    """Drop what no run of STORE needs, and give the room back to the disk.

    A reply that was paid for and that a remaining run rests on is kept.
    """
    size = clean(request.store, request.delete, dry_run=request.dry_run)
    word = "would drop" if request.dry_run else "dropped"
    for table, n in size.rows.items():
        output.print_text(f"{word} {n:>10,} {'scores' if table == 'jobs' else table}\n")
    if size.after is not None:
        output.print_text(f"{size.before / 1e6:.1f} MB before, {size.after / 1e6:.1f} MB now\n")
    return OK
