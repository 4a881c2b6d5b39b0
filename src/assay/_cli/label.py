"""The command `assay label`: label in the terminal, or choose samples for a sheet."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from assay._analysis import selection
from assay._cli import options
from assay._cli.errors import OK, say
from assay._cli.output import command_line, run_name
from assay._report import numbers
from assay._runner.result import Result
from assay.errors import InputError

if TYPE_CHECKING:
    from assay._analysis.label_pool import Order
    from assay._analysis.labelling import Labelling

_LIVE = ("annotator", "order", "against", "per", "second_opinions", "half_width")
_LIVE_TOO = ("threshold", "show_judge", "grades", "take", "give", "everyone", "settle")
_SHEET = ("n", "random_share")


@dataclass(frozen=True, kw_only=True)
class LabelRequest:
    """What `assay label` is asked for."""

    run: str
    run_named: str | None
    metric: str | None
    n: int
    sheet: str | None
    random_share: float
    annotator: str | None
    order: "Order | None"
    against: str | None
    per: Literal["answer", "statement", "pair"]
    second_opinions: float
    half_width: float
    threshold: float | None
    show_judge: bool
    grades: bool
    take: str | None
    give: str | None
    everyone: bool
    settle: bool
    store: str


@click.command("label")
@click.argument("run", metavar="[RUN|STORE]", default="last")
@click.option("--run", "run_named", metavar="RUN", help="The run, where a store is named before.")
@click.option("--metric", "-m", metavar="METRIC", help="The metric to check.")
@click.option(
    "--annotator",
    "-a",
    metavar="NAME",
    help="Label in the terminal, under this name. Every decision is kept in the store at once.",
)
@options.choice(
    "--order",
    choices=("mean", "difference", "threshold", "random"),
    help="Which samples come first: those that narrow the corrected mean (the default), or the "
    "difference from another run, those near a threshold, or any.",
)
@click.option(
    "--against",
    metavar="RUN",
    help="Label answers of this run and of the other, where they differ.",
)
@options.choice(
    "--per",
    choices=("answer", "statement", "pair"),
    default="answer",
    help="What is labelled: answers, statements, or which of two answers is better (--against).",
)
@options.number(
    "--second-opinions",
    type=options.NumberRange(min=0, max=1),
    default=0.0,
    metavar="SHARE",
    help="Share of the samples that two annotators label.",
)
@options.number(
    "--half-width",
    type=options.POSITIVE,
    default=0.05,
    metavar="WIDTH",
    help="Labels are enough once the corrected mean is known to within this.",
)
@options.number(
    "--threshold",
    metavar="SCORE",
    help="The score from which on the judge calls a sample good; that of the metric by default.",
)
@options.flag("--show-judge", help="Show what the judge says before the label, not after it.")
@options.flag("--grades", help="The keys 0 to 9 are grades of your own scale.")
@options.flag("--settle", help="Decide what annotators disagree about.")
@click.option("--import", "take", metavar="FILE", help="Keep the labels of a file in the store.")
@click.option("--export", "give", metavar="FILE", help="Write the labels of the store to a sheet.")
@options.flag("--everyone", help="Export what every annotator said, for `assay agree`.")
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
    metavar="FILE",
    help="Write a sheet (.csv). An existing sheet keeps its content and is extended.",
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
    """Label samples of RUN in the terminal, or write a sheet with room for labels.

    Samples on which the judge is likely to err are chosen more often. With which probability each
    was chosen is kept: `assay correct` needs it to stay unbiased.
    """
    if request.sheet is not None:
        why = "is for labelling in the terminal, and --out writes a sheet"
        options.reject_options(why, "leave it out, or --out", *_LIVE, *_LIVE_TOO)
        return _write_sheet(request, request.sheet)
    options.reject_options("is for --out", "leave it out, or name a sheet", *_SHEET)
    if not (request.annotator or request.give):
        what = "there is nobody to label, and no sheet to write"
        raise InputError(what, "give --annotator NAME to label here, or --out FILE for a sheet")
    return _label(request)


def _place(request: LabelRequest) -> tuple[str, str]:
    """(store, run): the first argument may be either."""
    if request.run_named is not None and request.run != "last":
        return request.run, request.run_named
    if request.run_named is not None:
        return request.store, request.run_named
    if Path(request.run).is_file():
        return request.run, "last"
    return request.store, request.run


def _label(request: LabelRequest) -> int:
    from assay._analysis.labelling import Labelling
    from assay._cli.labelling import label_in_terminal, settle_in_terminal
    from assay._store import Store

    if request.per == "pair" and request.against is None:
        raise InputError("--per pair compares two runs", "name the other with --against RUN")
    if request.per == "pair" and request.grades:
        raise InputError("--grades is for single answers", "leave it out, or --per pair")
    path, run = _place(request)
    order: Order = request.order or ("difference" if request.against else "mean")
    with Store(Result(path, run).path) as store:
        labelling = Labelling(
            store,
            run,
            request.metric,
            annotator=request.annotator or "export",
            order=order,
            against=request.against,
            per=request.per,
            blind=not request.show_judge,
            second_opinions=request.second_opinions,
            half_width=request.half_width,
            threshold=request.threshold,
        )
        if request.take or request.give:
            _move(labelling, request)
        elif request.settle:
            settle_in_terminal(labelling)
        else:
            label_in_terminal(labelling, grades=request.grades)
            name = run_name(Result(path, run))
            words = ["label", name, "-m", labelling.metric, "--export", "labels.csv"]
            if request.per == "pair":
                words += ["--per", "pair", "--against", str(request.against)]
            say(f"as a sheet    {command_line(*words, store=path)}")
    return OK


def _move(labelling: "Labelling", request: LabelRequest) -> None:
    """Labels of a file into the store, and those of the store to a file."""
    from assay._analysis.label_files import take_labels, write_labels

    if request.take:
        taken = take_labels(labelling, request.take)
        say(f"{numbers.plural(taken, 'new label')} of {request.take} kept in the store")
    if request.give:
        try:
            written = write_labels(labelling, request.give, everyone=request.everyone)
        except OSError as error:
            what = f"--export {request.give} cannot be written: {error.strerror or error}"
            raise InputError(what) from error
        say(f"{numbers.plural(written, 'label')} written to {request.give}")


def _write_sheet(request: LabelRequest, sheet: str) -> int:
    if not sheet.lower().endswith(".csv"):
        raise InputError(f"--out {sheet} is no sheet", "let it end in .csv")
    path, run = _place(request)
    result = Result(path, run)
    before = selection.read_sheet(sheet)
    chosen = selection.label_next(
        result,
        request.metric,
        n=request.n,
        random_share=request.random_share,
        before=list(before),
    )
    try:
        selection.write_sheet(chosen, sheet, before)
    except OSError as error:
        what = f"--out {sheet} cannot be written: {error.strerror or error}"
        raise InputError(what) from error
    added = numbers.plural(len(chosen) - len(before), "sample")
    done = f"{added} added to" if request.n else "probabilities written anew in"
    say(f"{done} {sheet}, {len(chosen)} in all; fill in 'label':")
    say("1 or 0 for good or bad, a share between them, or a grade of your own scale")
    line = command_line("correct", run_name(result), "--labels", sheet, store=path)
    say(f"then    {line}")
    return OK
