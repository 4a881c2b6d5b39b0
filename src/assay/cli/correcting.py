"""How is a corrected mean told?"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from assay.analysis import correction as analysis
from assay.analysis.correction import Correction
from assay.analysis.labelled import metrics_meant, one_metric, read_for_run
from assay.analysis.selection import warn_of_other_answers
from assay.cli import alone, screen
from assay.cli.edge import OK, say
from assay.cli.hints import hint, run_name
from assay.report import numbers, sanitize
from assay.runner.result import Result
from assay.stats.intervals import Interval
from assay.stats.misclassification import TrueShare

_RANDOM = "holds if the labelled samples are a random choice; `assay label` makes one"
_CUT_SHORT = (
    "! The probabilities are those of more samples than are labelled, so the estimate is off. "
    "Label the sheet to its end, or delete its last rows, those without labels, and have the "
    "probabilities of the others written anew, with the --random-share that it was made with:"
)


def correct(given: Mapping[str, Any]) -> int:
    """Correct what the options ask for; the exit code."""
    if given["checked_on"] is not None:
        why = "is about labels of this run, and --checked-on names another"
        alone.refuse(why, "leave it out, or --checked-on", "width", "strata")
        return _elsewhere(Result(given["store"], given["run"]), given)
    alone.refuse("is for --checked-on", "leave it out", "threshold")
    result = Result(given["store"], given["run"])
    labels = read_for_run(given["labels"], result)
    _say_others(given, result)
    found = [
        analysis.correct(result, labels, metric, strata=given["strata"])
        for metric in metrics_meant(result, labels, given["metric"])
    ]
    if given["as_json"]:
        screen.write_json([_json(one, given["width"]) for one in found])
        return OK
    console = screen.out()
    for one in found:
        console.print(_table(one))
        if one.cut_short:
            _warn(result, one.metric, given)
        for line in _notes(one, given["width"]):
            console.print(Text(f"  {line}", style="dim"))
    return OK


def _json(found: Correction, width: float) -> dict[str, Any]:
    needed = {
        "width": width,
        "with_judge": found.labels_for(width),
        "without_judge": found.labels_for(width, judged=False),
    }
    return {**msgspec.to_builtins(found), "worth": found.worth, "labels_for_width": needed}


def _table(found: Correction) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = Text(sanitize.plain(found.metric), style="bold")
    table.add_column("")
    table.add_column("mean", justify="right", no_wrap=True)
    table.add_column("95 % interval", no_wrap=True)
    table.add_column("from", overflow="fold")
    both, value = found.corrected, numbers.score
    judged = f"{both.n_judged:,} scores; says nothing of the judge's errors"
    table.add_row("the judge", value(both.judge_mean), "", judged)
    labelled = numbers.plural(both.n_labelled, "label")
    table.add_row("the labels", value(found.alone), _span(found.alone_interval), labelled)
    corrected = Text(value(both.estimate), style="bold")
    table.add_row(Text("corrected", style="bold"), corrected, _span(both.interval), "both together")
    return table


def _notes(found: Correction, width: float) -> Iterable[str]:
    both = found.corrected
    if both.interval is None:
        yield "no interval: too few labels, or labels that do not vary; label more samples"
    if both.correlation is None:
        yield "labels or scores do not vary, so the judge adds nothing"
    else:
        worth = "" if found.worth is None else f"; worth {found.worth:.0f} labels without a judge"
        yield f"correlation of scores and labels {both.correlation:.2f}{worth}"
    if both.interval is not None:
        yield _needed(found, width)
    if not found.by_probability:
        yield _RANDOM
    if found.n_unscored:
        yield f"{numbers.plural(found.n_unscored, 'sample')} without a score: no part of the mean"
    if found.n_open and not found.cut_short:
        yield f"{found.n_open} left open: taken to be like the others; label them to be sure"
    for why, n in found.left_out.items():
        yield f"{n} not used: {why}"


def _needed(found: Correction, width: float) -> str:
    needed, alone = found.labels_for(width), found.labels_for(width, judged=False)
    without = "more than there are samples" if alone is None else f"{alone:,}"
    if needed is None:
        return f"width {width:g}: not even with a label for every sample; judge more samples"
    return f"width {width:g}: about {needed:,} labels in all ({without} without the judge)"


def _span(interval: Interval | None) -> str:
    return numbers.span(None if interval is None else (interval.low, interval.high))


def _elsewhere(result: Result, given: Mapping[str, Any]) -> int:
    other = Result(given["store"], given["checked_on"])
    metric, threshold = given["metric"], given["threshold"]
    share = analysis.correct_verdicts(result, given["labels"], other, metric, threshold=threshold)
    _say_others(given, other)
    if given["as_json"]:
        screen.write_json(msgspec.to_builtins(share))
    else:
        for line in _share(share, threshold):
            screen.out().print(line)
        if share.cut_short:
            _warn(other, one_metric(result, metric), given)
    return OK


def _say_others(given: Mapping[str, Any], labelled: Result) -> None:
    if warning := warn_of_other_answers(given["labels"], labelled):
        say(warning)


def _warn(labelled: Result, metric: str, given: Mapping[str, Any]) -> None:
    """Say that the sheet was labelled in part, and the command that mends it."""
    console = screen.out()
    console.print(Text(_CUT_SHORT, style="yellow"))
    words = (run_name(labelled), "-m", metric, "-n", "0", "--out", str(given["labels"]))
    line = hint("label", *words, store=given["store"])
    console.print(Text(f"  {line}"), soft_wrap=True)  # no line breaks within


def _share(share: TrueShare, threshold: float) -> Iterable[Text]:
    estimate = f"{numbers.score(share.estimate)}, 95 % interval {_span(share.interval)}"
    yield Text(f"share of good samples: {estimate}", style="bold")
    yield Text(f"the judge calls {numbers.score(share.apparent)} good (threshold {threshold:g})")
    good, bad = numbers.score(share.sensitivity), numbers.score(1 - share.specificity)
    yield Text(f"where there are labels: {good} of the good, and {bad} of the bad", style="dim")
    yield Text("holds if it errs here as often as there", style="dim")
    if not share.by_probability:
        yield Text(_RANDOM, style="dim")
