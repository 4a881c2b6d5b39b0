"""`assay history`: how have the scores moved over the runs of a store?"""

from typing import Any

import click

from assay.cli import options


@click.command("history", short_help="Show the scores over the runs, by metric and configuration.")
@options.only_metrics
@click.option(
    "--config",
    "by",
    multiple=True,
    metavar="KEY",
    help="Tell runs apart by this as well: a parameter (`assay run --param`), source, judge, "
    "embedder, name, or a further column of the data that is the same in all samples of a run, "
    "such as the name of a system. Repeatable.",
)
@click.option(
    "--by",
    "over",
    multiple=True,
    metavar="KEY",
    help="Show one line for each value of this, the newest run of each: a parameter, or what "
    "--config takes. Repeatable.",
)
@click.option("--all", "show_all", is_flag=True, help="Show metrics that never moved as well.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    metavar="N",
    help="Only the newest N runs that have the metric.",
)
@options.outs("Write it to .html (a page with pictures), .md (Markdown) or .json. Repeatable.")
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Show the mean of each metric over the runs of the store, with its interval.

    Runs stand in one series where their means can be set beside each other: one judge, one
    definition of the metric, the same questions and references. What stands in another series says
    in what it differs.
    """
    from assay.cli import historical

    return historical.history(given)
