"""`assay import`: how do runs of another machine get into a store here?"""

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO

import click

from assay.cli import options
from assay.cli.edge import OK


@click.command("import", short_help="Take in runs that were exported elsewhere.")
@click.argument("file", metavar="FILE")
@options.store
def command(*, file: str, store: str) -> int:
    """Add the runs of FILE, as `assay export` wrote them, to a store ("-" reads stdin).

    What is there already stays as it is: importing twice changes nothing.
    """
    from assay.cli import screen
    from assay.cli.hints import hint
    from assay.errors import InputError
    from assay.store.transfer import begun, import_runs, store_for_import

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
        screen.write(f"{n:>10,} new: {kind}{known}\n")
    for run in moved.runs:
        screen.write(hint("show", run[:8], store=store) + "\n")
    return OK


def _lines(file: str) -> AbstractContextManager[IO[str]]:
    return nullcontext(sys.stdin) if file == "-" else Path(file).open(encoding="utf-8")
