"""`assay agree`: how far do the scores of a run agree with people?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.numbers import NUMBER


@click.command("agree", short_help="Measure how far metrics agree with human labels.")
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
        "A sample with at least this score counts as good. By default the threshold is chosen by "
        "cross-validation."
    ),
)
@click.option(
    "--concordance",
    is_flag=True,
    help="Show how often human labels say correct where one metric, or two, are high or low.",
)
@click.option(
    "--above",
    multiple=True,
    metavar="[METRIC=]SCORE",
    help="With --concordance: scores above this are high; default 0.7. Repeatable.",
)
@click.option(
    "--below",
    multiple=True,
    metavar="[METRIC=]SCORE",
    help="With --concordance: scores below this are low; default 0.3. Repeatable.",
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
    """Measure how far metrics of RUN, trivial baselines and annotators agree with human labels.

    A file of labels names samples by their id and says of each yes or no, a grade, or which of two
    answers is better; of a sample, or of one statement of it; by one annotator or several. A high
    label is a good one.
    """
    from assay.cli import agreeing

    return agreeing.agree(given)
