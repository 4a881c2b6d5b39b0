"""`assay verify`: is everything in a store what it was when it was written?"""

from collections.abc import Sequence

import click

from assay.cli.edge import BAD_INPUT, OK, say
from assay.cli.options import as_json
from assay.runner import STORE


@click.command("verify", short_help="Check that a store is whole.")
@click.argument("store", metavar="[STORE]", default=STORE)
@as_json
def command(*, store: str, as_json: bool) -> int:
    """Check STORE: the file, the checksum of every row, every reference, every run.

    Exit code 0 if it is whole, 2 if something is damaged or missing.
    """
    import msgspec

    from assay.cli import screen
    from assay.store.verification import verify

    found = verify(store)
    if as_json:
        screen.write_json(msgspec.to_builtins(found))
    else:
        looked_at = ", ".join(f"{n:,} {table}" for table, n in found.counts.items())
        screen.write(f"looked at: {looked_at or 'nothing'}\n")
        for remark in found.remarks:
            screen.write(f"remark: {remark}\n")
        if not found.problems:
            screen.write(f"{store} is whole\n")
    for problem in found.problems:
        say(f"problem: {problem}")
    if found.problems:
        say(f"{store} is damaged -> {_remedy(store, found.whole)}")
    return BAD_INPUT if found.problems else OK


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
