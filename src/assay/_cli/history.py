"""The commands `assay history` and `assay items`: the scores over runs, and by question."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
import msgspec

from assay._analysis import items as analysis
from assay._analysis.history import history as analyse
from assay._cli import options, output
from assay._cli.errors import OK
from assay._report import history as history_words
from assay._report import items as items_views
from assay._runner.result import open_run

_ITEMS_FORMS = {
    ".html": "the page, with a picture",
    ".md": "Markdown",
    ".json": "what --json shows",
}


@dataclass(frozen=True, kw_only=True)
class ItemsRequest(options.ReportRequest):
    """What `assay items` is asked for."""

    runs: tuple[str, ...]
    metric: str | None
    threshold: float | None
    keep: float
    ask_next: str | None
    most: int
    force: bool


@click.command("items")
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True)
@click.option(
    "--metric", "-m", metavar="METRIC", help="The metric; required if the runs have several."
)
@options.number(
    "--threshold",
    metavar="SCORE",
    help="A question counts as got right from this score on. Without it: the metric's guide value, "
    "or else the middle of its range.",
)
@options.count(
    "--most",
    default=10,
    least=0,
    help="How many questions of each kind to show, on the console and in Markdown.",
)
@options.number(
    "--keep",
    metavar="SHARE",
    default=analysis.KEEP,
    help="The share of what all questions tell about the systems that a shorter exam is to keep.",
)
@click.option(
    "--next",
    "ask_next",
    metavar="SYSTEM",
    help="Say which questions a system (its letter: C is the third RUN) should be asked next.",
)
@options.force
@options.outs("Write it: .html (a page, with a picture), .md (Markdown) or .json. Repeatable.")
@options.as_json
@options.store
@options.takes(ItemsRequest)
def items_command(request: ItemsRequest) -> int:
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
    markdown = partial(items_views.markdown, most=request.most)
    writers: dict[str, Callable[[Any], str]] = {".html": items_views.html, ".md": markdown}
    show = partial(items_views.console, most=request.most)
    output.present(msgspec.to_builtins(items), request, writers, show)
    return OK


_HISTORY_FORMS = {".html": "a page with pictures", ".md": "Markdown", ".json": "what --json shows"}


@dataclass(frozen=True, kw_only=True)
class HistoryRequest(options.ReportRequest):
    """What `assay history` is asked for."""

    metrics: tuple[str, ...]
    by: tuple[str, ...]
    over: tuple[str, ...]
    show_all: bool
    limit: int


@click.command("history")
@options.only_metrics
@options.repeatable(
    "--config",
    "by",
    metavar="KEY",
    help="Tell runs apart by this as well: a parameter (`assay run --param`), source, judge, "
    "embedder, name, or a further column of the data that is the same in all samples of a run, "
    "such as the name of a system.",
)
@options.repeatable(
    "--by",
    "over",
    metavar="KEY",
    help="Show one line for each value of this, the newest run of each: a parameter, or what "
    "--config takes.",
)
@options.flag("--all", "show_all", help="Show metrics that never moved as well.")
@options.count("--limit", default=30, help="Only the newest N runs that have the metric.")
@options.outs("Write it to .html (a page with pictures), .md (Markdown) or .json. Repeatable.")
@options.as_json
@options.store
@options.takes(HistoryRequest)
def history_command(request: HistoryRequest) -> int:
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
