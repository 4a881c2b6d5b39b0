"""`assay import`: how do runs of another machine get into a store here?"""

from typing import IO

import click

from assay.cli import options
from assay.cli.edge import OK


@click.command("import", short_help="Take in runs that were exported elsewhere.")
@click.argument("file", metavar="FILE", type=click.File("r", encoding="utf-8"))
@options.store
def command(*, file: IO[str], store: str) -> int:
    """Add the runs of FILE, as `assay export` wrote them, to a store ("-" reads stdin).

    What is there already stays as it is: importing twice changes nothing.
    """
    from assay.cli import screen
    from assay.store import Store
    from assay.store.moving import take_in

    with Store(store) as opened:
        moved = take_in(opened, file)
    for kind, n in moved.new.items():
        known = f", {moved.known[kind]:,} were there already" if moved.known[kind] else ""
        screen.write(f"{n:>10,} new: {kind}{known}\n")
    for run in moved.runs:
        screen.write(f"assay show {run[:8]} --store {store}\n")
    return OK
