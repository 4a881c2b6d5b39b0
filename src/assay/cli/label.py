"""`assay label`: which samples should people label next?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.edge import OK
from assay.cli.numbers import NumberRange


@click.command("label", short_help="Choose samples for human labelling, and write a sheet.")
@click.argument("run", metavar="[RUN]", default="last")
@click.option("--metric", "-m", metavar="METRIC", help="The metric to check.")
@click.option(
    "-n",
    "--number",
    "n",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="How many samples to add; 0 after deleting the last rows of a sheet.",
)
@click.option(
    "--out",
    "sheet",
    required=True,
    metavar="FILE",
    help="The sheet (.csv). An existing sheet keeps its content and is extended.",
)
@click.option(
    "--random-share",
    type=NumberRange(min=0, max=1, min_open=True),
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="Share of the choice that is uniformly random; 1 is purely random.",
)
@options.store
def command(**given: Any) -> int:
    """Choose samples of RUN for human labelling, and write them to a sheet with room for labels.

    Samples on which the judge is uncertain are chosen more often. The sheet records with which
    probability each was chosen: `assay correct` needs it to stay unbiased.
    """
    from assay.analysis import selection
    from assay.cli.edge import say
    from assay.cli.hints import hint, run_name
    from assay.errors import InputError
    from assay.report import numbers
    from assay.runner.result import Result

    if not str(given["sheet"]).lower().endswith(".csv"):
        raise InputError(f"--out {given['sheet']} is no sheet", "let it end in .csv")
    result = Result(given["store"], given["run"])
    before = selection.read_sheet(given["sheet"])
    chosen = selection.label_next(
        result,
        given["metric"],
        n=given["n"],
        random_share=given["random_share"],
        before=list(before),
    )
    try:
        selection.write_sheet(chosen, given["sheet"], before)
    except OSError as error:
        what = f"--out {given['sheet']} cannot be written: {error.strerror or error}"
        raise InputError(what) from error
    added = numbers.plural(len(chosen) - len(before), "sample")
    told = f"{added} added to" if given["n"] else "probabilities written anew in"
    say(f"{told} {given['sheet']}, {len(chosen)} in all; fill in 'label':")
    say("1 or 0 for good or bad, a share between them, or a grade of your own scale")
    line = hint("correct", run_name(result), "--labels", given["sheet"], store=given["store"])
    say(f"then    {line}")
    return OK
