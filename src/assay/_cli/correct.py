"""The command `assay correct`: the mean of a run if every sample had a human label."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import click
import msgspec
from rich.table import Table
from rich.text import Text

from assay._analysis import correction as means
from assay._analysis.correction import Correction
from assay._analysis.labelled import metrics_meant, one_metric, read_for_run
from assay._analysis.selection import warn_of_other_answers
from assay._cli import options, output
from assay._cli.errors import OK, say
from assay._cli.options import POSITIVE
from assay._cli.output import command_line, run_name
from assay._report import calibration as mean_report
from assay._report import numbers, sanitize
from assay._runner.result import Result
from assay.stats.misclassification import TrueShare

_CUT_SHORT = (
    "! The probabilities are those of more samples than are labelled, so the estimate is off. "
    "Label the sheet to its end, or delete its last rows, those without labels, and have the "
    "probabilities of the others written anew, with the --random-share that it was made with:"
)


@dataclass(frozen=True, kw_only=True)
class CorrectRequest:
    """What `assay correct` is asked for."""

    run: str
    labels: str
    metric: str | None
    width: float
    strata: str | None
    checked_on: str | None
    threshold: float
    as_json: bool
    store: str


@click.command("correct")
@click.argument("run", metavar="[RUN]", default="last")
@options.labels
@click.option("--metric", "-m", metavar="METRIC", help="The metric that the labels are about.")
@options.number(
    "--width",
    type=POSITIVE,
    default=0.1,
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
    help="The labels are about samples of this other run: the judge's error rates are taken from "
    "there (Rogan-Gladen), and the share of good samples in RUN is freed of them.",
)
@options.number(
    "--threshold",
    default=0.5,
    metavar="SCORE",
    help="With --checked-on: the judge calls a sample good from this score on.",
)
@options.as_json
@options.store
@options.takes(CorrectRequest)
def correct_command(request: CorrectRequest) -> int:
    """Estimate the mean of RUN if all its samples had human labels.

    From labels of some samples and the judge's scores of all (prediction-powered inference). The
    labelled samples must be a random choice, or chosen by `assay label`.
    """
    if request.checked_on is not None:
        why = "is about labels of this run, and --checked-on names another"
        options.reject_options(why, "leave it out, or --checked-on", "width", "strata")
        return _correct_share(request, request.checked_on)
    options.reject_options("is for --checked-on", "leave it out", "threshold")
    result = Result(request.store, request.run)
    labels = read_for_run(request.labels, result)
    _warn_of_others(request, result)
    corrections = [
        means.correct(result, labels, metric, strata=request.strata)
        for metric in metrics_meant(result, labels, request.metric)
    ]
    if request.as_json:
        output.print_json([_json(correction, request.width) for correction in corrections])
        return OK
    console = output.stdout()
    for correction in corrections:
        console.print(_table(correction))
        if correction.cut_short:
            _warn_of_cut(result, correction.metric, request)
        for line in mean_report.notes(correction, request.width):
            console.print(Text(f"  {line}", style="dim"))
    return OK


def _json(correction: Correction, width: float) -> dict[str, Any]:
    needed = {
        "width": width,
        "with_judge": correction.labels_for(width),
        "without_judge": correction.labels_for(width, judged=False),
    }
    return {
        **msgspec.to_builtins(correction),
        "worth": correction.worth,
        "labels_for_width": needed,
    }


def _table(correction: Correction) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = Text(sanitize.plain(correction.metric), style="bold")
    table.add_column("")
    table.add_column("mean", justify="right", no_wrap=True)
    table.add_column("95 % interval", no_wrap=True)
    table.add_column("from", overflow="fold")
    for row in mean_report.mean_rows(correction):
        last = "bold" if row.name == "corrected" else ""
        name, mean = Text(row.name, style=last), Text(row.mean, style=last)
        table.add_row(name, mean, row.interval, row.source)
    return table


def _correct_share(request: CorrectRequest, checked_on: str) -> int:
    """The share of good samples, by the error rates of the judge on another run."""
    result, other = Result(request.store, request.run), Result(request.store, checked_on)
    metric, threshold = request.metric, request.threshold
    share = means.correct_verdicts(result, request.labels, other, metric, threshold=threshold)
    _warn_of_others(request, other)
    if request.as_json:
        output.print_json(msgspec.to_builtins(share))
    else:
        for line in _share_lines(share, threshold):
            output.stdout().print(line)
        if share.cut_short:
            _warn_of_cut(other, one_metric(result, metric), request)
    return OK


def _warn_of_others(request: CorrectRequest, labelled: Result) -> None:
    if warning := warn_of_other_answers(request.labels, labelled):
        say(warning)


def _warn_of_cut(labelled: Result, metric: str, request: CorrectRequest) -> None:
    """Say that the sheet was labelled in part, and the command that mends it."""
    console = output.stdout()
    console.print(Text(_CUT_SHORT, style="yellow"))
    words = (run_name(labelled), "-m", metric, "-n", "0", "--out", str(request.labels))
    line = command_line("label", *words, store=request.store)
    console.print(Text(f"  {line}"), soft_wrap=True)  # no line breaks within


def _share_lines(share: TrueShare, threshold: float) -> Iterable[Text]:
    estimate = f"{numbers.score(share.estimate)}, 95 % interval {mean_report.span(share.interval)}"
    yield Text(f"share of good samples: {estimate}", style="bold")
    yield Text(f"the judge calls {numbers.score(share.apparent)} good (threshold {threshold:g})")
    good, bad = numbers.score(share.sensitivity), numbers.score(1 - share.specificity)
    yield Text(f"where there are labels: {good} of the good, and {bad} of the bad", style="dim")
    yield Text("holds if it errs here as often as there", style="dim")
    if not share.by_probability:
        yield Text(mean_report.RANDOM, style="dim")
