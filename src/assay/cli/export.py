"""`assay export`: how does a run get to another machine?"""

import click

from assay.cli.edge import OK


@click.command("export", short_help="Write runs as JSON lines, to be imported elsewhere.")
@click.argument("store", metavar="STORE")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
def command(*, store: str, runs: tuple[str, ...]) -> int:
    """Write each RUN of STORE to stdout as JSON lines: samples, replies, scores, evidence.

    Without RUN: all runs. `assay import` takes them into another store.
    """
    from pathlib import Path

    from assay.cli import screen
    from assay.errors import InputError
    from assay.store import Store
    from assay.store.transfer import export

    if not Path(store).is_file():
        raise InputError(f"there is no store '{store}'", "`assay run` makes one")
    with Store(store) as opened:
        for line in export(opened, runs):
            screen.write(line)
    return OK
