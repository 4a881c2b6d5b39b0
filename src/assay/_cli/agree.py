"""The command `assay agree`: how far metrics agree with human labels."""

from collections.abc import Iterable
from typing import Any

from assay._analysis import agreement as analysis
from assay._analysis.annotators import concordance
from assay._analysis.items import refuse_outside
from assay._analysis.selection import warn_of_other_answers
from assay._cli import options, output, values
from assay._cli.errors import OK, say
from assay._cli.output import command_line, run_name
from assay._report import agreement as words
from assay._runner.result import Result, labels, open_run
from assay.data import Labels, read_labels
from assay.errors import InputError

_FORMS = {".html": "the page", ".md": "Markdown", ".json": "what --json shows"}
_WRITERS = {".html": words.html, ".md": words.markdown}


class _AgreeRequest(options.ReportRequest):
    run: str
    labels: str
    metrics: tuple[str, ...] = options.repeatable(
        "--metric", "-m", metavar="METRIC", help="Only this one."
    )
    other: str | None = options.option(
        "--other",
        metavar="RUN",
        help="Labels of pairs: the run with the second answers (B), of the same sample ids.",
    )
    levels: str | None = options.option(
        "--levels",
        metavar="WORDS",
        help="The words of an ordinal scale, worst first, with commas: poor,fair,good.",
    )
    threshold: float | None = options.number(
        "--threshold",
        metavar="SCORE",
        help="A sample with at least this score counts as good. By default the threshold is "
        "chosen by cross-validation.",
    )
    concordance: bool = options.flag(
        "--concordance",
        help="Show how often human labels say correct where one metric, or two, are high or low.",
    )
    above: tuple[str, ...] = options.repeatable(
        "--above",
        metavar="[METRIC=]SCORE",
        help="With --concordance: scores above this are high; default 0.7.",
    )
    below: tuple[str, ...] = options.repeatable(
        "--below",
        metavar="[METRIC=]SCORE",
        help="With --concordance: scores below this are low; default 0.3.",
    )
    worst: int = options.count(
        "--worst",
        default=3,
        least=0,
        help="How many of the worst disagreements to show for each metric.",
    )
    outs: tuple[str, ...] = options.outs(
        "Write it: .html (a page, with pictures), .md (Markdown) or .json. Repeatable."
    )


@options.command("agree", _AgreeRequest)
def agree_command(request: _AgreeRequest) -> int:
    """Measure how far metrics of RUN, trivial baselines and annotators agree with human labels.

    A file of labels names samples by their id and says of each yes or no, a grade, or which of two
    answers is better; of a sample, or of one statement of it; by one annotator or several. A high
    label is a good one.
    """
    if not request.concordance:
        values.reject_options("is for --concordance", "add --concordance", "above", "below")
    output.check_files(request.outs, request.labels, request.store, forms=_FORMS)
    result = open_run(request.run, request.store)
    run = result.run
    levels = [word.strip() for word in (request.levels or "").split(",") if word.strip()]
    human = read_labels(request.labels, metrics=list(run.metrics), levels=levels)
    data = _data(result, human, request)
    if warning := warn_of_other_answers(request.labels, result):
        say(warning)
    is_named = request.metrics or request.concordance or any(label.metric for label in human.labels)
    if not is_named and len(data["metrics"]) > 1:
        say(
            f"The labels name no metric, so they stand beside {len(data['metrics'])} of them -> "
            "name the one that they are about: -m METRIC, or a column 'metric'"
        )
    cases = [case["sample"] for metric in data["metrics"] for case in metric["worst"]]
    next_lines = []
    if cases:
        command = ("show", run_name(result), "--sample", cases[0])
        next_lines = [("next", command_line(*command, store=str(result.path)))]
    output.present(data, request, _WRITERS, words.console, next_lines)
    return OK


def _data(result: Result, human: Labels, request: _AgreeRequest) -> dict[str, Any]:
    run = result.run
    other_result = open_run(request.other, request.store) if request.other else None
    wanted_labels = [label for name in request.metrics for label in labels(run, name)]
    options: dict[str, Any] = {
        "other": other_result,
        "threshold": request.threshold,
        "most": request.worst,
    }
    if wanted_labels:
        agreements = [analysis.agree(result, human, metric, **options) for metric in wanted_labels]
        unmeasured: dict[str, str] = {}
    else:
        agreements, refused = analysis.agree_all(result, human, **options)
        unmeasured = {metric: reason for metric, reason in refused.items() if human.of(metric)}
        unmeasured |= _unknown_names(human, run.metrics)
    if request.threshold is not None:
        remedy = "give one of them, or name the metric that it is for: -m METRIC"
        for agreement in agreements:
            ends = result.run.config["about"][agreement.metric]["range"]
            refuse_outside(agreement.metric, ends, request.threshold, "--threshold", remedy)
    table = None
    if request.concordance:
        above = _thresholds("above", request.above)
        below = _thresholds("below", request.below)
        table = concordance(result, human, wanted_labels, above=above, below=below)
    return words.collect(run, human.source, agreements, unmeasured, table)


def _unknown_names(human: Labels, metrics: Iterable[str]) -> dict[str, str]:
    """Names that labels are about and that no metric has; most often they are misspelt."""
    known_names = {label.metric for metric in metrics for label in human.of(metric)}
    names = dict.fromkeys(label.metric for label in human.labels if label.metric not in known_names)
    return dict.fromkeys(names, "the run has no metric of this name, but labels do")


def _thresholds(name: str, texts: Iterable[str]) -> dict[str, float]:
    """Metric -> threshold, "" for all others."""
    thresholds: dict[str, float] = {}
    for metric, value in values.by_metric(name, texts, "0.8 or faithfulness=0.8"):
        if metric in thresholds:
            subject = f"for {metric}" if metric else "without a metric"
            raise InputError(f"--{name} is given twice {subject}", "keep one of them")
        thresholds[metric] = value
    return thresholds
