"""`assay compare`: is one run better than another, or one kind of sample than others?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.numbers import POSITIVE, NumberRange


@click.command("compare", short_help="Compare runs sample by sample, or the samples of one run.")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--by",
    metavar="FIELD",
    help="Of one RUN, compare the samples by a further column of the data, by group, language or "
    "answerable, or by a metric that is 0 or 1 (hit_at_k: retrieved or not).",
)
@options.only_metrics
@click.option(
    "--detect",
    "wanted",
    type=POSITIVE,
    metavar="D",
    help="Show how many samples detect a difference of D; default: the observed one.",
)
@click.option(
    "--level",
    type=NumberRange(0.5, 0.999),
    metavar="SHARE",
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals and of the verdicts.",
)
@click.option(
    "--most",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many of the samples that lost most, and gained most, to show.",
)
@click.option("--all", "show_all", is_flag=True, help="Show metrics without a difference as well.")
@options.force
@options.outs("Write it to .html (a page), .md (Markdown) or .json. Repeatable.")
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Compare the scores of RUNs with those of the first RUN, sample by sample.

    A RUN is a run's name, the beginning of its id, "last" or "last~1"; FILE:RUN one of another
    store, FILE its last.
    Samples are matched by id: run both over the same questions, by the same metrics and judge.

    One RUN with --by compares groups of its samples. To see several definitions of a metric on the
    same answers, use `assay metrics --compare`.
    """
    from assay.cli import comparing

    return comparing.compare(given)
