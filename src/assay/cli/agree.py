"""`assay agree`: how far do the scores of a run agree with people?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.numbers import NUMBER


@click.command("agree", short_help="Say how far metrics agree with people's labels.")
@click.argument("run", metavar="[RUN]", default="last")
@options.labels
@click.option(
    "--metric", "-m", "metrics", multiple=True, metavar="METRIC", help="Only this one. Repeatable."
)
@click.option(
    "--other",
    metavar="RUN",
    help="Labels of pairs: the run with the second answers (B), of the same sample ids.",
)
@click.option(
    "--levels",
    metavar="WORDS",
    help="The words of an ordinal scale, worst first, with commas: poor,fair,good.",
)
@click.option(
    "--threshold",
    type=NUMBER,
    metavar="SCORE",
    help=(
        "A sample counts as good from this score on. Without it a threshold is chosen on other "
        "samples than it is used on."
    ),
)
@click.option(
    "--concordance",
    is_flag=True,
    help="Say how likely people call an answer correct where one metric, or two, are high or low.",
)
@click.option(
    "--above",
    multiple=True,
    metavar="[METRIC=]SCORE",
    help="With --concordance: scores above it are high; 0.7 if not given. Repeatable.",
)
@click.option(
    "--below",
    multiple=True,
    metavar="[METRIC=]SCORE",
    help="With --concordance: scores below it are low; 0.3 if not given. Repeatable.",
)
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="How many of the worst disagreements to show for each metric.",
)
@options.outs("Write it: .html (a page, with pictures), .md (Markdown) or .json. Repeatable.")
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Say how far the metrics of RUN agree with people, beside trivial rules and people themselves.

    A file of labels names samples by their id and says of each yes or no, a grade, or which of two
    answers is better; of a sample, or of one statement of it; by one annotator or several. A high
    label is a good one.
    """
    from assay.cli import agreeing

    return agreeing.agree(given)
