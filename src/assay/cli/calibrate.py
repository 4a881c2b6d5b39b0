"""`assay calibrate`: from which score on is a sample good, measured by people's labels?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.numbers import NUMBER


@click.command(
    "calibrate", short_help="Fit a threshold and probabilities to human labels, or apply them."
)
@click.argument("run", metavar="[RUN]", default="last")
@options.labels_if_any
@click.option("--metric", "-m", metavar="METRIC", help="The metric that the labels are about.")
@click.option(
    "--objective",
    type=click.Choice(["balanced", "f1", "f1-bad"]),
    default="balanced",
    metavar="balanced|f1|f1-bad",
    show_default=True,
    help="What the threshold is to reach: balanced accuracy, or F1 of the good or of the bad.",
)
@click.option(
    "--costs",
    metavar="ACCEPT:REJECT",
    help="Instead: minimum cost; a bad sample called good costs ACCEPT, the reverse REJECT.",
)
@click.option(
    "--method",
    type=click.Choice(["platt", "isotonic"]),
    default="platt",
    metavar="platt|isotonic",
    show_default=True,
    help="The curve from scores to probabilities; isotonic needs a few hundred labels.",
)
@click.option(
    "--good",
    type=NUMBER,
    default=0.5,
    show_default=True,
    metavar="LABEL",
    help="A label of at least this counts as good.",
)
@click.option(
    "--card",
    metavar="FILE",
    help="Fit nothing: apply this card to RUN, or with --labels measure it on these.",
)
@click.option(
    "--examples",
    metavar="FILE",
    help="Write a prompts file (.toml) with examples for an LLM judge, chosen from the labels.",
)
@click.option(
    "--example-count",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    metavar="N",
    help="With --examples: maximum number of examples.",
)
@options.outs(
    "Write the card (.json), a page with the reliability diagram (.html), its tables (.md), "
    "or with --card the calibrated scores (.jsonl). Repeatable."
)
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Fit a threshold and a curve of probabilities for one metric of RUN to human labels.

    What is reported is cross-validated: whole groups are held out in turn. The card is tied to
    judge, metric and versions, and refuses others. Scores in the store stay as they are.
    """
    from assay.cli import calibrating

    return calibrating.calibrate(given)
