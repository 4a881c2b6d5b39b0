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
    help="How often to repeat every task.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=2),
    default=100,
    show_default=True,
    metavar="N",
    help="Approximate number of samples, drawn at random; the same ones each time.",
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
    help="Maximum number of concurrent calls to a judge.",
)
@options.as_json
@options.store
@options.no_progress
def command(**given: Any) -> int:
    """Ask the judge of RUN the same again, and measure how its verdicts and scores move.

    Name the same judge as for the run. Every task is asked with the same settings as
    before. The result is stored with the judge and shown beside every score that it gives under
    the same signature. Replies are stored, so the same command asks nothing again.
    """
    from assay.cli import repeating

    return repeating.repeat(given)
