"""The commands on a whole store: `assay export`, `import`, `verify` and `gc`."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO

import click
import msgspec

from assay._cli import options, output
from assay._cli.errors import BAD_INPUT, OK, say
from assay._cli.output import command_line
from assay._runner import STORE
from assay._store import Store
from assay._store.maintenance import clean, verify
from assay._store.transfer import begun, export, import_runs, store_for_import
from assay.errors import InputError


@click.command("export")
@click.argument("store", metavar="STORE")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
def export_command(*, store: str, runs: tuple[str, ...]) -> int:
    """Write each RUN of STORE to stdout as JSON lines: samples, replies, scores, evidence.

    Without RUN: all runs. `assay import` takes them into another store.
    """
    if not Path(store).is_file():
        raise InputError(f"there is no store '{store}'", "`assay run` makes one")
    with Store(store) as opened:
        for line in export(opened, runs):
            output.print_text(line)
    return OK


@click.command("import")
@click.argument("file", metavar="FILE")
@options.store
def import_command(*, file: str, store: str) -> int:
    """Add the runs of FILE, as `assay export` wrote them, to a store ("-" reads stdin).

    What is there already stays as it is: importing twice changes nothing.
    """
    if file != "-" and not Path(file).is_file():
        raise InputError(f"there is no file '{file}'", "`assay export STORE > FILE` writes one")
    try:
        with _lines(file) as lines:
            checked = begun(lines)
            with store_for_import(Path(store)) as opened:
                moved = import_runs(opened, checked)
    except UnicodeDecodeError as error:
        remedy = "`assay export STORE > FILE` writes what can be imported"
        raise InputError(f"'{file}' is no text", remedy) from error
    for kind, n in moved.new.items():
        known = f", {moved.known[kind]:,} were there already" if moved.known[kind] else ""
        output.print_text(f"{n:>10,} new: {kind}{known}\n")
    for run in moved.runs:
        output.print_text(command_line("show", run[:8], store=store) + "\n")
    return OK


def _lines(file: str) -> AbstractContextManager[IO[str]]:
    return nullcontext(sys.stdin) if file == "-" else Path(file).open(encoding="utf-8")


@click.command("verify")
@click.argument("store", metavar="[STORE]", default=STORE)
@options.as_json
def verify_command(*, store: str, as_json: bool) -> int:
    """Check STORE: the file, the checksum of every row, every reference, every run.

    Exit code 0 if it is whole, 2 if something is damaged or missing.
    """
    checked = verify(store)
    if as_json:
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


def _remedy(store: str, whole: Sequence[str]) -> str:
    if not whole:
        return (
            "no run can be read in full: use a copy of the file, or begin anew in another --store"
        )
    runs = "1 run" if len(whole) == 1 else f"{len(whole)} runs"
    return (
        f"{runs} can be saved: assay export {store} {' '.join(whole)} > saved.jsonl, then assay "
        "import saved.jsonl --store NEW; the others, begun anew there, pay only for what is lost"
    )


@click.command("gc")
@click.argument("store", metavar="[STORE]", default=STORE)
@options.repeatable(
    "--delete",
    "delete",
    metavar="RUN",
    help="Drop this run first: its samples, scores and what only it needs.",
)
@options.flag("--dry-run", help="Show what would be dropped; drop nothing.")
def gc_command(*, store: str, delete: tuple[str, ...], dry_run: bool) -> int:
    """Drop what no run of STORE needs, and give the room back to the disk.

    A reply that was paid for and that a remaining run rests on is kept.
    """
    done = clean(store, delete, dry_run=dry_run)
    word = "would drop" if dry_run else "dropped"
    for table, n in done.rows.items():
        output.print_text(f"{word} {n:>10,} {'scores' if table == 'jobs' else table}\n")
    if done.after is not None:
        output.print_text(f"{done.before / 1e6:.1f} MB before, {done.after / 1e6:.1f} MB now\n")
    return OK
