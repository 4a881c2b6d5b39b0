"""The command `assay show`: the scores of a run, or the evidence behind one sample."""

from dataclasses import dataclass
from typing import Any

import click
import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay._cli import options, output
from assay._cli.errors import OK
from assay._cli.output import command_line, run_name
from assay._cli.summary import failed, summary_json, worst
from assay._report import numbers
from assay._report.run import collect, sample_values, summed_up
from assay._report.run import console as report
from assay._report.tables import listed
from assay._runner.result import Result, labels
from assay._store import Store
from assay.errors import InputError

LOWEST = 5
FAILED = 3


@dataclass(frozen=True, kw_only=True)
class ShowRequest:
    """What `assay show` is asked for."""

    run: str
    sample: str | None
    metric: str | None
    raw: bool
    about: bool
    as_json: bool
    store: str


@click.command("show")
@click.argument("run", metavar="[RUN]", default="last")
@click.option("--sample", metavar="ID", help="Show the evidence behind this sample's scores.")
@click.option("--metric", "-m", metavar="METRIC", help="Only this metric.")
@options.flag("--raw", help="With --sample: every prompt and every reply, word for word.")
@options.flag(
    "--about", help="Show instead how each metric is defined, who judged, and how often wrongly."
)
@options.as_json
@options.store
@options.takes(ShowRequest)
def show_command(request: ShowRequest) -> int:
    """Show the scores of RUN with its worst samples, or the evidence behind one sample.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". `assay runs`
    lists them.
    """
    result = Result(request.store, request.run)
    metrics = _metrics(result, request.metric)
    if request.raw and request.sample is None:
        raise InputError("--raw shows what was said about one sample", "add --sample ID")
    if request.sample is not None:
        _show_sample(result, metrics, request.sample, request)
    elif request.as_json:
        output.print_json(_overview(result, metrics))
    else:
        console = output.stdout()
        data = collect(result, most=0) if request.about else summed_up(result)
        data["metrics"] = [row for row in data["metrics"] if row["label"] in metrics]
        if request.about:
            console.print(report.about(data))
            return OK
        console.print(report.summary(data))
        for metric in metrics:
            console.print(_worst(result, metric))
        line = command_line("show", run_name(result), "--sample", "ID", store=request.store)
        console.print(Text(f"{line} shows why", style="dim"), soft_wrap=True)
    return OK


def _metrics(result: Result, wanted: str | None) -> list[str]:
    """The labels asked for, or all of them."""
    return list(result.run.metrics) if wanted is None else labels(result.run, wanted)


def _show_sample(result: Result, metrics: list[str], sample: str, request: ShowRequest) -> None:
    data = _of_one(result, sample)
    if request.as_json:
        output.print_json(_evidence(data["samples"][0], metrics, raw=request.raw))
        return
    console = output.stdout()
    if request.metric is None:
        console.print(report.sample(data, sample, raw=request.raw))
        return
    for metric in metrics:
        console.print(report.sample(data, sample, metric, raw=request.raw))


def _of_one(result: Result, sample_id: str) -> dict[str, Any]:
    """What a report holds of one sample: nothing that is counted over all of the run."""
    with Store(result.path) as store:
        run = store.run(result.run.id)
        row, sample = store.sample(run.id, sample_id)
        about = [{"label": label, **run.config["about"][label]} for label in run.metrics]
        return {
            "run": {"id": run.id},
            "metrics": about,
            "samples": [sample_values(store, run, row, sample)],
        }


def _evidence(sample: dict[str, Any], metrics: list[str], *, raw: bool) -> dict[str, Any]:
    scores = {metric: sample["scores"][metric] for metric in metrics}
    if not raw:
        scores = {
            metric: {key: value for key, value in score.items() if key != "replies"}
            for metric, score in scores.items()
        }
    return {**sample, "scores": scores}


def _overview(result: Result, metrics: list[str]) -> dict[str, Any]:
    cases = {
        metric: {
            "lowest": msgspec.to_builtins(worst(result, metric, most=LOWEST)),
            "failed": msgspec.to_builtins(failed(result, metric, most=FAILED)),
        }
        for metric in metrics
    }
    summary = summary_json(result)
    shown = [row for row in summary["metrics"] if row["metric"] in metrics]
    return {**summary, "metrics": shown, "worst": cases}


def _worst(result: Result, metric: str) -> RenderableType:
    cases = [
        (Text(numbers.score(case.value)), case.sample, case.question)
        for case in worst(result, metric, most=LOWEST)
    ]
    cases += [
        (Text("failed", "bold yellow"), case.sample, case.detail)
        for case in failed(result, metric, most=FAILED)
    ]
    return Group(Text(f"{metric}, worst first", style="bold"), *listed(cases))
