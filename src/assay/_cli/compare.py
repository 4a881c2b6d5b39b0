"""The commands `assay compare`, `history` and `items`: runs beside each other."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec
from rich.console import RenderableType

from assay._analysis import items as analysis
from assay._analysis.comparison import compare as compare_runs
from assay._analysis.groups import RETRIEVAL, by_group, compare_groups
from assay._analysis.history import history as analyse
from assay._analysis.telecom import telecom_study
from assay._cli import options, output, values
from assay._cli.errors import OK
from assay._cli.options import POSITIVE
from assay._cli.sweep import labelled, show_sweep, sweep_writers, tables
from assay._report import comparison, page
from assay._report import history as history_words
from assay._report import items as items_views
from assay._report.comparison import groups, views
from assay._runner.result import Result, open_run
from assay.data import read_labels
from assay.errors import InputError
from assay.experiments.swept import open_sweep, stored_sweep

_FORMS = {
    ".html": "a page that needs nothing else",
    ".md": "the same in Markdown",
    ".json": "all that is shown",
}
# What is found, what shows it on the terminal, and what writes it, by the ending of the file.
_Presentation = tuple[
    Mapping[str, Any],
    Callable[[Mapping[str, Any]], RenderableType],
    Mapping[str, Callable[[Mapping[str, Any]], str]],
]


class _CompareRequest(options.ReportRequest):
    runs: tuple[str, ...] = options.argument(metavar="RUN...", nargs=-1, required=True)
    by: str | None = options.option(
        "--by",
        metavar="FIELD",
        help="Compare segments of each RUN, by a further column of the data, by group, language "
        "or answerable, by a metric that is 0 or 1, or by retrieval: was a right context "
        "retrieved? Of several RUNs, compare each group with that of the first RUN, too.",
    )
    report: str | None = tables()
    labels: tuple[str, ...] = labelled()
    metrics: tuple[str, ...]
    wanted: float | None = options.number(
        "--detect",
        type=POSITIVE,
        metavar="D",
        help="Show how many samples detect a difference of D; default: the observed one.",
    )
    level: float = options.level("Confidence level of the intervals and of the verdicts.")
    most: int = options.count(
        "--most",
        default=5,
        least=0,
        help="How many of the samples that lost most, and gained most, to show.",
    )
    show_all: bool = options.flag("--all", help="Show metrics without a difference as well.")
    force: bool
    outs: tuple[str, ...] = options.outs(
        "Write it to .html (a page), .md (Markdown) or .json. Repeatable."
    )


@options.command("compare", _CompareRequest)
def compare_command(request: _CompareRequest) -> int:
    """Compare the scores of RUNs with those of the first RUN, sample by sample.

    A RUN is a run's name, the beginning of its id, "last" or "last~1"; FILE:RUN one of another
    store, FILE its last.
    Samples are matched by id: run both over the same questions, by the same metrics and judge.

    One RUN may be a sweep, by its name, or "sweep" for the newest: its leaderboard. With --by or
    --report it stands for the runs of its configurations.

    With --by it compares groups of samples, of one RUN or several. To see several definitions of a
    metric on the same answers, use `assay metrics --compare`.
    """
    if not request.report:
        values.reject_options("is for --report", "add --report telecom", "labels")
    if request.report:
        data, show, writers = _report_study(request)
    elif request.by is None:
        if len(request.runs) == 1 and _compare_sweep(request, request.runs[0]):
            return OK
        data, show, writers = _compare_runs(request)
    else:
        data, show, writers = _compare_groups(request, request.by)
    output.present(data, request, writers, show)
    return OK


def _compare_sweep(request: _CompareRequest, name: str) -> bool:
    """Show the leaderboard of a sweep; False if there is none of that name."""
    swept = open_sweep(name, request.store, level=request.level)
    if swept is None:
        return False
    fault, remedy = "is not for a sweep, whose leaderboard has them all", "leave it out"
    values.reject_options(fault, remedy, "metrics", "wanted", "most", "show_all", "force")
    writers = sweep_writers(swept, request.store)
    _check_files(request, dict.fromkeys((".html", ".json"), ""))
    output.present(msgspec.to_builtins(swept), request, writers, lambda _: show_sweep(swept))
    return True


def _open_results(request: _CompareRequest) -> list[Result]:
    """The runs; a sweep stands for those of its configurations, but for what is named beside it."""
    results: list[Result] = []
    for spec in request.runs:
        if (sweep := stored_sweep(spec, request.store)) is None:
            results.append(open_run(spec, request.store))
        else:
            ids = [result.run.id for result in results]
            results += [Result(request.store, run.id) for run in sweep.runs if run.id not in ids]
    return results


def _compare_runs(request: _CompareRequest) -> _Presentation:
    _check_files(request, _FORMS)
    results = [open_run(spec, request.store) for spec in request.runs]
    if len(results) == 1:
        raise InputError("one run is no comparison", "name two, or the groups of one: --by FIELD")
    compared = compare_runs(
        *results,
        metrics=request.metrics,
        level=request.level,
        wanted=request.wanted,
        most=request.most,
        force=request.force,
    )
    show = partial(views.console, show_all=request.show_all)
    writers = {".html": views.html, ".md": views.markdown}
    return comparison.collect(compared), show, writers


def _compare_groups(request: _CompareRequest, field: str) -> _Presentation:
    _refuse_of_runs()
    first, *other_results = _open_results(request)
    is_several = bool(other_results)
    if not is_several:
        values.reject_options("is for several runs", "leave it out", "force")
    forms = {
        form: description for form, description in _FORMS.items() if is_several or form != ".html"
    }
    _check_files(request, forms)
    if not is_several:
        groups_of_run = by_group(first, field, metrics=request.metrics, level=request.level)
        writers = {".md": views.markdown_groups}
        return comparison.collect_groups(groups_of_run), views.console_groups, writers
    grouped = compare_groups(
        first,
        *other_results,
        field=field,
        metrics=request.metrics,
        level=request.level,
        force=request.force,
    )
    return groups.collect(grouped), *page.renderers(groups.report)


def _report_study(request: _CompareRequest) -> _Presentation:
    _refuse_of_runs()
    _check_files(request, _FORMS)
    output.check_files(request.outs, *request.labels, forms=_FORMS)
    results = _open_results(request)
    names = list(dict.fromkeys(name for result in results for name in result.run.metrics))
    labelled = [read_labels(file, metrics=names) for file in request.labels]
    study = telecom_study(
        results,
        labelled,
        field=request.by or RETRIEVAL,
        metrics=request.metrics,
        level=request.level,
        force=request.force,
    )
    return groups.collect_study(study), *page.renderers(groups.study_report)


def _refuse_of_runs() -> None:
    reason = "is for whole runs, and these are groups of samples"
    values.reject_options(reason, "leave it out", "wanted", "most", "show_all")


def _check_files(request: _CompareRequest, forms: Mapping[str, str]) -> None:
    files = [name for spec in request.runs for name in (spec, spec.rpartition(":")[0]) if name]
    output.check_files(request.outs, request.store, *files, forms=forms)


_ITEMS_FORMS = {
    ".html": "the page, with a picture",
    ".md": "Markdown",
    ".json": "what --json shows",
}


class _ItemsRequest(options.ReportRequest):
    runs: tuple[str, ...] = options.argument(metavar="RUN RUN...", nargs=-1, required=True)
    metric: str | None = options.option(
        "--metric", "-m", metavar="METRIC", help="The metric; required if the runs have several."
    )
    threshold: float | None = options.number(
        "--threshold",
        metavar="SCORE",
        help="A question counts as got right from this score on. Without it: the metric's guide "
        "value, or else the middle of its range.",
    )
    most: int = options.count(
        "--most",
        default=10,
        least=0,
        help="How many questions of each kind to show, on the console and in Markdown.",
    )
    keep: float = options.number(
        "--keep",
        metavar="SHARE",
        default=analysis.KEEP,
        help="The share of what all questions tell about the systems that a shorter exam is to "
        "keep.",
    )
    ask_next: str | None = options.option(
        "--next",
        metavar="SYSTEM",
        help="Say which questions a system (its letter: C is the third RUN) should be asked next.",
    )
    force: bool
    outs: tuple[str, ...] = options.outs(
        "Write it: .html (a page, with a picture), .md (Markdown) or .json. Repeatable."
    )


@options.command("items", _ItemsRequest)
def items_command(request: _ItemsRequest) -> int:
    """Put the systems behind several RUNs and the questions they answered on one scale.

    Item response theory: each system has an ability, each question a difficulty. Questions that
    every system gets right, that none gets right, and that better systems get wrong where worse
    ones get them right, are listed to be read. It says which questions a shorter exam keeps, what
    to ask a system next, and, where runs share the values of what was set of them (--param), what
    each adds. A RUN is a run's name, the
    beginning of its id, "last" or "last~1", or STORE:RUN.
    """
    output.check_files(request.outs, request.store, forms=_ITEMS_FORMS)
    results = [open_run(spec, request.store) for spec in request.runs]
    items = analysis.items(
        results,
        request.metric,
        threshold=request.threshold,
        force=request.force,
        keep=request.keep,
        ask_next=request.ask_next,
    )
    markdown = partial(items_views.markdown, limit=request.most)
    writers: dict[str, Callable[[Any], str]] = {".html": items_views.html, ".md": markdown}
    show = partial(items_views.console, limit=request.most)
    output.present(msgspec.to_builtins(items), request, writers, show)
    return OK


_HISTORY_FORMS = {".html": "a page with pictures", ".md": "Markdown", ".json": "what --json shows"}


class _HistoryRequest(options.ReportRequest):
    metrics: tuple[str, ...]
    by: tuple[str, ...] = options.repeatable(
        "--config",
        metavar="KEY",
        help="Tell runs apart by this as well: a parameter (`assay run --param`), source, judge, "
        "embedder, name, or a further column of the data that is the same in all samples of a run, "
        "such as the name of a system.",
    )
    over: tuple[str, ...] = options.repeatable(
        "--by",
        metavar="KEY",
        help="Show one line for each value of this, the newest run of each: a parameter, or what "
        "--config takes.",
    )
    show_all: bool = options.flag("--all", help="Show metrics that never moved as well.")
    limit: int = options.count(
        "--limit", default=30, help="Only the newest N runs that have the metric."
    )
    outs: tuple[str, ...] = options.outs(
        "Write it to .html (a page with pictures), .md (Markdown) or .json. Repeatable."
    )


@options.command("history", _HistoryRequest)
def history_command(request: _HistoryRequest) -> int:
    """Show the mean of each metric over the runs of the store, with its interval.

    Runs stand in one series where their means can be set beside each other: one judge, one
    definition of the metric, the same questions and references. What stands in another series says
    in what it differs.
    """
    output.check_files(request.outs, request.store, forms=_HISTORY_FORMS)
    series = analyse(
        request.store, request.metrics, by=request.by, over=request.over, limit=request.limit
    )
    writers = {".html": history_words.html, ".md": history_words.markdown}
    show = partial(history_words.console, show_all=request.show_all)
    output.present(history_words.collect(series), request, writers, show)
    return OK
