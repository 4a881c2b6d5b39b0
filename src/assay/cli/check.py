"""`assay check`: are these data sets well-formed, and do they hold what metrics need?"""

from typing import Any

import click

from assay.cli import options


@click.command("check", short_help="Check data sets without evaluating them.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Check too that the rows hold what this metric needs; say which do not. Repeatable.",
)
@options.maps
@options.contexts
def command(**given: Any) -> int:
    """Read all rows of each FILE and report everything that is wrong with it. Nobody is asked."""
    from assay.cli import checking

    return checking.check(given)
