"""The commands `assay calibrate` and `assay correct`."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from rich.table import Table
from rich.text import Text

from assay._analysis import calibration as analysis
from assay._analysis import correction as means
from assay._analysis.calibration import Applied, Card, Quality, load
from assay._analysis.correction import Correction
from assay._analysis.labelled import metrics_meant, one_metric, read_for_run
from assay._analysis.selection import choose_examples, warn_of_other_answers
from assay._cli import options, output, values
from assay._cli.errors import OK, say
from assay._cli.options import POSITIVE
from assay._cli.output import command_line, run_name
from assay._report import calibration as report
from assay._report import numbers, sanitize
from assay._runner.result import Result
from assay._runner.result import labels as meant
from assay.data import Labels
from assay.errors import InputError
from assay.stats.calibration import Objective
from assay.stats.misclassification import TrueShare

CROSS_VALIDATED: Final = "cross-validated, whole groups held out"
OTHERS: Final = "labels that the card was not fitted on, if you kept them apart"
_PAGES: Final = {".html": "a page with the reliability diagram", ".md": "its tables"}
_FITTING: Final = ("objective", "costs", "method", "good")


class _CalibrateRequest(options.ReportRequest):
    run: str
    labels: str | None = options.option("--labels", metavar="FILE", help=options.LABELS)
    metric: str | None = options.option(
        "--metric", "-m", metavar="METRIC", help="The metric that the labels are about."
    )
    objective: Literal["balanced", "f1", "f1-bad"] = options.choice(
        "--objective",
        choices=["balanced", "f1", "f1-bad"],
        default="balanced",
        help="What the threshold is to reach: balanced accuracy, or F1 of the good or of the bad.",
    )
    costs: str | None = options.option(
        "--costs",
        metavar="ACCEPT:REJECT",
        help="Instead: minimum cost; a bad sample called good costs ACCEPT, the reverse REJECT.",
    )
    method: Literal["platt", "isotonic"] = options.choice(
        "--method",
        choices=["platt", "isotonic"],
        default="platt",
        help="The curve from scores to probabilities; isotonic needs a few hundred labels.",
    )
    good: float = options.number(
        "--good", default=0.5, metavar="LABEL", help="A label of at least this counts as good."
    )
    card: str | None = options.option(
        "--card",
        metavar="FILE",
        help="Fit nothing: apply this card to RUN, or with --labels measure it on these.",
    )
    examples: str | None = options.option(
        "--examples",
        metavar="FILE",
        help="Write a prompts file (.toml) with examples for an LLM judge, chosen from the labels.",
    )
    example_count: int = options.count(
        "--example-count", default=4, help="With --examples: maximum number of examples."
    )
    outs: tuple[str, ...] = options.outs(
        "Write the card (.json), a page with the reliability diagram (.html), its tables (.md), "
        "or with --card the calibrated scores (.jsonl). Repeatable."
    )


@options.command("calibrate", _CalibrateRequest)
def calibrate_command(request: _CalibrateRequest) -> int:
    """Fit a threshold and a curve of probabilities for one metric of RUN to human labels.

    What is reported is cross-validated: whole groups are held out in turn. The card is tied to
    judge, metric and versions, and refuses others. Scores in the store stay as they are.
    """
    if request.card is None and request.labels is None:
        raise InputError("there are no labels to learn from", "--labels FILE, or --card to apply")
    if request.examples and not request.examples.lower().endswith(".toml"):
        raise InputError(f"--examples {request.examples} is no prompts file", "end it in .toml")
    if request.card is None:
        return _fit(request, str(request.labels))
    if request.examples:
        raise InputError("--examples are chosen while fitting", "leave --card out")
    reason = "is for fitting, and --card is given"
    values.reject_options(reason, "leave it out, or --card", *_FITTING)
    if request.labels is None:
        return _apply(request, request.card)
    return _check(request, request.card, request.labels)


def _fit(request: _CalibrateRequest, labels_file: str) -> int:
    _check_files(request, {".json": "the card", **_PAGES})
    output.check_file("--examples", request.examples, labels_file, request.store, *request.outs)
    result = Result(request.store, request.run)
    labels = _read_labels(labels_file, result)
    card = analysis.calibrate(
        result,
        labels,
        request.metric,
        objective=_objective(request),
        method=request.method,
        good_from=request.good,
    )
    if request.examples:
        examples = choose_examples(result, labels, card.metric, n=request.example_count)
        output.write_text("--examples", request.examples, examples.prompts())
        say(f"{len(examples.examples)} examples in {request.examples}, for --prompts")
        if examples.one_sided:
            say("  all with the same verdict: label statements of both kinds for better ones")
    _write_and_show(request, card, card.quality, CROSS_VALIDATED)
    if not request.as_json and not any(path.endswith(".json") for path in request.outs):
        say("nothing is kept: --out card.json writes the card")
    return OK


def _check(request: _CalibrateRequest, card_file: str, labels_file: str) -> int:
    _check_files(request, _PAGES)
    result = Result(request.store, request.run)
    labels = _read_labels(labels_file, result)
    card = load(card_file)
    _check_metric(card, result, request.metric)
    _write_and_show(request, card, analysis.check(card, result, labels), OTHERS)
    return OK


def _apply(request: _CalibrateRequest, card_file: str) -> int:
    _check_files(request, {".jsonl": "the calibrated scores"})
    result = Result(request.store, request.run)
    card = load(card_file)
    _check_metric(card, result, request.metric)
    applied = card.apply(result)
    for path in request.outs:
        lines = (json.dumps(msgspec.to_builtins(item), ensure_ascii=False) for item in applied)
        output.write_text("--out", path, "".join(f"{line}\n" for line in lines))
    if request.as_json:
        output.print_json(msgspec.to_builtins(applied))
        return OK
    if not applied:
        raise InputError(f"run {result.run.id} has no score of {card.metric}")
    _show_applied(card, applied)
    output.print_lines(output.file_lines(request.outs))
    return OK


def _check_files(request: _CalibrateRequest, forms: Mapping[str, str]) -> None:
    if not request.examples:
        values.reject_options("is for --examples", "leave it out", "example_count")
    files = [file for file in (request.labels, request.card, request.store) if file]
    output.check_files(request.outs, *files, forms=forms)


def _read_labels(file: str, result: Result) -> Labels:
    labels = read_for_run(file, result)
    if warning := warn_of_other_answers(file, result):
        say(warning)
    return labels


def _write_and_show(
    request: _CalibrateRequest, card: Card, quality: Quality, held_out: str
) -> None:
    """Write the card and its quality, and show them; a card that was given is not shown again."""
    writers = {
        ".json": lambda _: card.json(),
        ".html": lambda _: report.page(card, quality, held_out=held_out),
        ".md": lambda _: report.markdown(card, quality, held_out=held_out),
    }
    output.write_data(None, request.outs, writers)
    if request.as_json:
        output.print_json(msgspec.to_builtins(card if request.card is None else quality))
    else:
        _show(card, quality, held_out)
        output.print_lines(output.file_lines(request.outs))


def _check_metric(card: Card, result: Result, metric: str | None) -> None:
    if metric is not None and meant(result.run, metric) != [card.metric]:
        raise InputError(f"--metric {metric}: the card is about {card.metric}", "leave it out")


def _objective(request: _CalibrateRequest) -> Objective:
    costs = request.costs
    if costs is None:
        return Objective(request.objective)
    accept, _, reject = costs.partition(":")
    try:
        objective = Objective("cost", float(accept), float(reject))
    except ValueError:
        objective = None
    if objective is None or not all(
        0 < cost < math.inf for cost in (objective.accept, objective.reject)
    ):
        raise InputError(f"--costs '{costs}' are not two amounts", "such as --costs 5:1")
    return objective


def _show(card: Card, quality: Quality, held_out: str) -> None:
    console = output.stdout()
    console.print(Text(sanitize.plain(card.metric), style="bold"))
    for name, value in report.head(card):
        console.print(Text(f"  {name.lower()}: {sanitize.plain(value)}"))
    console.print(Text(f"  {report.counted(quality, held_out)}", style="dim"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "before", "calibrated"):
        table.add_column(name, no_wrap=True)
    rows = report.rows(card, quality)
    for row in rows:
        table.add_row(row.name, row.before, Text(row.after, style="bold"))
    console.print(table)
    for row in filter(lambda row: row.note, rows):
        console.print(Text(f"{row.name}: {row.note}", style="dim"))
    diagram = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    diagram.title = Text("reliability: do predicted probabilities come true?", style="bold")
    for name in ("labels", "predicted", "observed"):
        diagram.add_column(name, justify="right")
    diagram.add_column("95 % interval")
    diagram.add_column("predicted \N{MIDDLE DOT}, observed \N{BLACK CIRCLE}", no_wrap=True)
    for cells, bin_ in zip(report.bin_rows(quality.bins), quality.bins, strict=True):
        diagram.add_row(*cells, _line(bin_.said, bin_.share))
    console.print(diagram)


def _line(predicted: float, share: float, width: int = 30) -> str:
    cells = [" "] * (width + 1)
    cells[round(predicted * width)] = "\N{MIDDLE DOT}"
    cells[round(share * width)] = "\N{BLACK CIRCLE}"
    return "".join(cells)


def _show_applied(card: Card, applied: Sequence[Applied]) -> None:
    n = len(applied)
    means = {
        "score": sum(item.score for item in applied) / n,
        "called good": sum(item.calibrated for item in applied) / n,
        "probability of good": sum(item.probability for item in applied) / n,
    }
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(Text(sanitize.plain(card.metric)))
    table.add_column("mean", justify="right")
    for name, mean in means.items():
        table.add_row(name, numbers.score(mean))
    console = output.stdout()
    console.print(table)
    console.print(Text(f"{numbers.plural(n, 'sample')}; the store keeps the raw scores", "dim"))
    note = "a mean over all samples needs labels of these very samples: assay correct"
    console.print(Text(note, style="dim"))


_CUT_SHORT = (
    "! The probabilities are those of more samples than are labelled, so the estimate is off. "
    "Label the sheet to its end, or delete its last rows, those without labels, and have the "
    "probabilities of the others written anew, with the --random-share that it was made with:"
)


class _CorrectRequest(options.Request):
    run: str
    labels: str
    metric: str | None = options.option(
        "--metric", "-m", metavar="METRIC", help="The metric that the labels are about."
    )
    width: float = options.number(
        "--width",
        type=POSITIVE,
        default=0.1,
        metavar="WIDTH",
        help="Show how many labels an interval of this total width needs.",
    )
    strata: str | None = options.option(
        "--strata",
        metavar="COLUMN",
        help="The samples were chosen at random within each value of this column of the data.",
    )
    checked_on: str | None = options.option(
        "--checked-on",
        metavar="RUN",
        help="The labels are about samples of this other run: the judge's error rates are taken "
        "from there (Rogan-Gladen), and the share of good samples in RUN is freed of them.",
    )
    threshold: float = options.number(
        "--threshold",
        default=0.5,
        metavar="SCORE",
        help="With --checked-on: the judge calls a sample good from this score on.",
    )
    as_json: bool
    store: str


@options.command("correct", _CorrectRequest)
def correct_command(request: _CorrectRequest) -> int:
    """Estimate the mean of RUN if all its samples had human labels.

    From labels of some samples and the judge's scores of all (prediction-powered inference). The
    labelled samples must be a random choice, or chosen by `assay label`.
    """
    if request.checked_on is not None:
        reason = "is about labels of this run, and --checked-on names another"
        values.reject_options(reason, "leave it out, or --checked-on", "width", "strata")
        return _correct_share(request, request.checked_on)
    values.reject_options("is for --checked-on", "leave it out", "threshold")
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
        for line in report.notes(correction, request.width):
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
    for row in report.mean_rows(correction):
        last = "bold" if row.name == "corrected" else ""
        name, mean = Text(row.name, style=last), Text(row.mean, style=last)
        table.add_row(name, mean, row.interval, row.source)
    return table


def _correct_share(request: _CorrectRequest, checked_on: str) -> int:
    """The share of good samples, by the error rates of the judge on another run."""
    result, other_result = Result(request.store, request.run), Result(request.store, checked_on)
    metric, threshold = request.metric, request.threshold
    share = means.correct_verdicts(
        result, request.labels, other_result, metric, threshold=threshold
    )
    _warn_of_others(request, other_result)
    if request.as_json:
        output.print_json(msgspec.to_builtins(share))
    else:
        for line in _share_lines(share, threshold):
            output.stdout().print(line)
        if share.cut_short:
            _warn_of_cut(other_result, one_metric(result, metric), request)
    return OK


def _warn_of_others(request: _CorrectRequest, labelled: Result) -> None:
    if warning := warn_of_other_answers(request.labels, labelled):
        say(warning)


def _warn_of_cut(labelled: Result, metric: str, request: _CorrectRequest) -> None:
    """Say that the sheet was labelled in part, and the command that mends it."""
    console = output.stdout()
    console.print(Text(_CUT_SHORT, style="yellow"))
    words = (run_name(labelled), "-m", metric, "-n", "0", "--out", str(request.labels))
    line = command_line("label", *words, store=request.store)
    console.print(Text(f"  {line}"), soft_wrap=True)  # no line breaks within


def _share_lines(share: TrueShare, threshold: float) -> Iterable[Text]:
    estimate = f"{numbers.score(share.estimate)}, 95 % interval {numbers.interval(share.interval)}"
    yield Text(f"share of good samples: {estimate}", style="bold")
    yield Text(f"the judge calls {numbers.score(share.apparent)} good (threshold {threshold:g})")
    good, bad = numbers.score(share.sensitivity), numbers.score(1 - share.specificity)
    yield Text(f"where there are labels: {good} of the good, and {bad} of the bad", style="dim")
    yield Text("holds if it errs here as often as there", style="dim")
    if not share.by_probability:
        yield Text(report.RANDOM, style="dim")
