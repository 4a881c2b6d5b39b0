"""`assay gc`: what does a store hold that no run needs?"""

import click

from assay.cli.edge import OK
from assay.runner import STORE


@click.command("gc", short_help="Drop what no run needs, and whole runs if you name them.")
@click.argument("store", metavar="[STORE]", default=STORE)
@click.option(
    "--delete",
    "delete",
    multiple=True,
    metavar="RUN",
    help="Drop this run first: its samples, scores and what only it needs. Repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be dropped; drop nothing.")
def command(*, store: str, delete: tuple[str, ...], dry_run: bool) -> int:
    """Drop what no run of STORE needs, and give the room back to the disk.

    A reply that was paid for and that a remaining run rests on is kept.
    """
    from assay.cli import screen
    from assay.store.garbage_collection import clean

    done = clean(store, delete, dry_run=dry_run)
    word = "would drop" if dry_run else "dropped"
    for table, n in done.rows.items():
        screen.write(f"{word} {n:>10,} {'scores' if table == 'jobs' else table}\n")
    if done.after is not None:
        screen.write(f"{done.before / 1e6:.1f} MB before, {done.after / 1e6:.1f} MB now\n")
    return OK
