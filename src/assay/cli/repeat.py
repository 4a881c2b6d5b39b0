"""`assay repeat`: how noisy is the judge of a run?"""

from typing import Any

import click

from assay.cli import options


@click.command("repeat", short_help="Ask the judge of a run again: how noisy is it?")
@click.argument("run", metavar="[RUN]", default="last")
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="How often every task is asked again.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=2),
    default=100,
    show_default=True,
    metavar="N",
    help="About so many samples of the run, drawn at random; the same ones each time.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Only these metrics of the run; MODULE:ATTRIBUTE for one of your own.",
)
@options.judge
@click.option("--prompts", metavar="FILE", help="The prompts that the run was judged with.")
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="N",
    help="Calls to a judge at the same time.",
)
@options.as_json
@options.store
@options.no_progress
def command(**given: Any) -> int:
    """Ask the judge of RUN the same again, and measure how its verdicts and scores move.

    The judge is named as it was for the run. Every task is asked under the same settings as
    before. What is found is kept with the judge, and shown beside every score that it gives under
    the same signature. What was asked before is known: the same command asks nothing.
    """
    from assay.cli import repeating

    return repeating.repeat(given)
