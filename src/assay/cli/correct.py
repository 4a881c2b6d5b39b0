"""`assay correct`: what would the mean be if people had judged every sample?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.numbers import NUMBER, POSITIVE


@click.command("correct", short_help="Correct a mean for the judge's errors, from human labels.")
@click.argument("run", metavar="[RUN]", default="last")
@options.labels
@click.option("--metric", "-m", metavar="METRIC", help="The metric that the labels are about.")
@click.option(
    "--width",
    type=POSITIVE,
    default=0.1,
    show_default=True,
    metavar="WIDTH",
    help="Show how many labels an interval of this total width needs.",
)
@click.option(
    "--strata",
    metavar="COLUMN",
    help="The samples were chosen at random within each value of this column of the data.",
)
@click.option(
    "--checked-on",
    metavar="RUN",
    help=(
        "The labels are about samples of this other run: the judge's error rates are taken from "
        "there (Rogan-Gladen), and the share of good samples in RUN is freed of them."
    ),
)
@click.option(
    "--threshold",
    type=NUMBER,
    default=0.5,
    show_default=True,
    metavar="SCORE",
    help="With --checked-on: the judge calls a sample good from this score on.",
)
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Estimate the mean of RUN if all its samples had human labels.

    From labels of some samples and the judge's scores of all (prediction-powered inference). The
    labelled samples must be a random choice, or chosen by `assay label`.
    """
    from assay.cli import correcting

    return correcting.correct(given)
