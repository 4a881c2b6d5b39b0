"""`assay items`: how able are several systems, how hard is each question, and which are no use?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.numbers import NUMBER


@click.command("items", short_help="Show which questions discriminate between runs.")
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True)
@click.option(
    "--metric", "-m", metavar="METRIC", help="The metric; required if the runs have several."
)
@click.option(
    "--threshold",
    type=NUMBER,
    metavar="SCORE",
    help=(
        "A question counts as got right from this score on. Without it: the metric's guide value, "
        "or else the middle of its range."
    ),
)
@click.option(
    "--most",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many questions of each kind to show, on the console and in Markdown.",
)
@options.force
@options.outs("Write it: .html (a page, with a picture), .md (Markdown) or .json. Repeatable.")
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Put the systems behind several RUNs and the questions they answered on one scale.

    Item response theory: each system has an ability, each question a difficulty. Questions that
    every system gets right, that none gets right, and that better systems get wrong where worse
    ones get them right, are listed to be read. A RUN is a run's name, the
    beginning of its id, "last" or "last~1", or STORE:RUN.
    """
    from assay.cli import item_analysis

    return item_analysis.items(given)
