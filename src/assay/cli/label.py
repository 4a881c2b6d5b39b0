"""The command `assay label`: choose samples for human labelling."""

from dataclasses import dataclass

import click

from assay.analysis import selection
from assay.cli import options
from assay.cli.errors import OK, say
from assay.cli.output import command_line, run_name
from assay.errors import InputError
from assay.report import numbers
from assay.runner.result import Result


@dataclass(frozen=True, kw_only=True)
class LabelRequest:
    """What `assay label` is asked for."""

    run: str
    metric: str | None
    n: int
    sheet: str
    random_share: float
    store: str


@click.command("label")
@click.argument("run", metavar="[RUN]", default="last")
@click.option("--metric", "-m", metavar="METRIC", help="The metric to check.")
@options.count(
    "-n",
    "--number",
    "n",
    default=20,
    least=0,
    help="How many samples to add; 0 after deleting the last rows of a sheet.",
)
@click.option(
    "--out",
    "sheet",
    required=True,
    metavar="FILE",
    help="The sheet (.csv). An existing sheet keeps its content and is extended.",
)
@options.number(
    "--random-share",
    type=options.NumberRange(min=0, max=1, min_open=True),
    default=0.5,
    metavar="SHARE",
    help="Share of the choice that is uniformly random; 1 is purely random.",
)
@options.store
@options.takes(LabelRequest)
def label_command(request: LabelRequest) -> int:
    """Choose samples of RUN for human labelling, and write them to a sheet with room for labels.

    Samples on which the judge is uncertain are chosen more often. The sheet records with which
    probability each was chosen: `assay correct` needs it to stay unbiased.
    """
    if not request.sheet.lower().endswith(".csv"):
        raise InputError(f"--out {request.sheet} is no sheet", "let it end in .csv")
    result = Result(request.store, request.run)
    before = selection.read_sheet(request.sheet)
    chosen = selection.label_next(
        result,
        request.metric,
        n=request.n,
        random_share=request.random_share,
        before=list(before),
    )
    try:
        selection.write_sheet(chosen, request.sheet, before)
    except OSError as error:
        what = f"--out {request.sheet} cannot be written: {error.strerror or error}"
        raise InputError(what) from error
    added = numbers.plural(len(chosen) - len(before), "sample")
    done = f"{added} added to" if request.n else "probabilities written anew in"
    say(f"{done} {request.sheet}, {len(chosen)} in all; fill in 'label':")
    say("1 or 0 for good or bad, a share between them, or a grade of your own scale")
    line = command_line("correct", run_name(result), "--labels", request.sheet, store=request.store)
    say(f"then    {line}")
    return OK
