"""`assay show`: what are the scores of a run, and why is a score what it is?"""

from typing import Any

import click

from assay.cli import options


@click.command("show", short_help="Show the scores of a run, or the evidence behind one sample.")
@click.argument("run", metavar="[RUN]", default="last")
@click.option("--sample", metavar="ID", help="Show the evidence behind this sample's scores.")
@click.option("--metric", "-m", metavar="METRIC", help="Only this metric.")
@click.option(
    "--raw", is_flag=True, help="With --sample: every prompt and every reply, word for word."
)
@click.option(
    "--about",
    is_flag=True,
    help="Show instead how each metric is defined, who judged, and how often wrongly.",
)
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Show the scores of RUN with its worst samples, or the evidence behind one sample.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". `assay runs`
    lists them.
    """
    from assay.cli import showing

    return showing.show(given)
