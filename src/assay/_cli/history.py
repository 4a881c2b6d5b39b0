"""The command `assay history`: the scores over the runs of a store."""

from dataclasses import dataclass
from functools import partial

import click

from assay._analysis.history import history as analyse
from assay._cli import options, output
from assay._cli.errors import OK
from assay._report import history as words
from assay._report.history import views

_FORMS = {".html": "a page with pictures", ".md": "Markdown", ".json": "what --json shows"}


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
    output.check_files(request.outs, request.store, forms=_FORMS)
    series = analyse(
        request.store, request.metrics, by=request.by, over=request.over, limit=request.limit
    )
    writers = {".html": views.html, ".md": views.markdown}
    show = partial(views.console, show_all=request.show_all)
    output.present(words.collect(series), request, writers, show)
    return OK
