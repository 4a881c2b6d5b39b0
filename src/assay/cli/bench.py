"""`assay bench`: how far does a judge agree with people?"""

from typing import Any

import click

from assay.cli import options


@click.command("bench", short_help="Measure a judge on human-labelled sets: its card.")
@click.argument("names", metavar="[NAME...]", nargs=-1)
@click.option(
    "--data",
    metavar="DIR",
    envvar="ASSAY_DATA",
    help="The folder with the labelled sets, which do not ship; instead of ASSAY_DATA.",
)
@click.option("--list", "listed", is_flag=True, help="List the sets and their files; ask nobody.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only estimate calls, tokens and money of each set; ask nobody.",
)
@options.judge
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most N rows of each kind; the same ones each time, few among more.",
)
@click.option("--full", is_flag=True, help="All rows of large sets, which are sampled otherwise.")
@click.option(
    "--fit",
    is_flag=True,
    help=(
        "Fit the thresholds that sets need on training rows first. Those of the embedded judge "
        "ship."
    ),
)
@options.concurrency
@options.retries
@options.rpm
@options.tpm
@options.price
@options.budget
@options.outs("Write the card to .json (it can be read again) or .md (Markdown). Repeatable.")
@click.option(
    "--beside", metavar="FILE", help="Also show the card of another judge: JSON from --out."
)
@options.as_json
@options.store
@options.quiet
@options.no_progress
def command(**given: Any) -> int:
    """Measure a judge's agreement with human labels, beside baselines, on the named sets or all.

    Replies are kept in the store: killed or stopped at any point, the same command asks nothing
    twice. A set whose file is absent, or that asks for what the judge cannot do, says so.
    """
    from assay.cli import benching

    return benching.bench(given)
