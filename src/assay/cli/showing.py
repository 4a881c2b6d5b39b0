"""What does `assay show` show: a run with its worst samples, or one sample's evidence?"""

from collections.abc import Mapping
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay.cli import screen
from assay.cli.closing import summary_json
from assay.cli.edge import OK
from assay.cli.hints import hint, run_name
from assay.cli.worst import failed, worst
from assay.errors import InputError
from assay.report import numbers
from assay.report.run import _sample as _sample_shown
from assay.report.run import collect, summed_up
from assay.report.run import console as report
from assay.report.tables import listed
from assay.runner.result import Result, labels
from assay.store import Store

LOWEST = 5
FAILED = 3


def show(given: Mapping[str, Any]) -> int:
    """Show what the options ask for; the exit code."""
    result = Result(given["store"], given["run"])
    metrics = _metrics(result, given["metric"])
    if given["raw"] and given["sample"] is None:
        raise InputError("--raw shows what was said about one sample", "add --sample ID")
    if given["sample"] is not None:
        _sample(result, metrics, given)
    elif given["as_json"]:
        screen.write_json(_overview(result, metrics))
    else:
        console = screen.out()
        data = collect(result, most=0) if given["about"] else summed_up(result)
        data["metrics"] = [row for row in data["metrics"] if row["label"] in metrics]
        if given["about"]:
            console.print(report.about(data))
            return OK
        console.print(report.summary(data))
        for metric in metrics:
            console.print(_worst(result, metric))
        line = hint("show", run_name(result), "--sample", "ID", store=given["store"])
        console.print(Text(f"{line} shows why", style="dim"), soft_wrap=True)
    return OK


def _metrics(result: Result, wanted: str | None) -> list[str]:
    """The labels asked for, or all of them."""
    return list(result.run.metrics) if wanted is None else labels(result.run, wanted)


def _sample(result: Result, metrics: list[str], given: Mapping[str, Any]) -> None:
    data = _of_one(result, given["sample"])
    if given["as_json"]:
        screen.write_json(_evidence(data["samples"][0], metrics, raw=given["raw"]))
        return
    console = screen.out()
    if given["metric"] is None:
        console.print(report.sample(data, given["sample"], raw=given["raw"]))
        return
    for metric in metrics:
        console.print(report.sample(data, given["sample"], metric, raw=given["raw"]))


def _of_one(result: Result, sample: str) -> dict[str, Any]:
    """What a report holds of one sample: nothing that is counted over all of the run."""
    with Store(result.path) as store:
        run = store.run(result.run.id)
        row, found = store.sample(run.id, sample)
        about = [{"label": label, **run.config["about"][label]} for label in run.metrics]
        return {
            "run": {"id": run.id},
            "metrics": about,
            "samples": [_sample_shown(store, run, row, found)],
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
    found = summary_json(result)
    shown = [row for row in found["metrics"] if row["metric"] in metrics]
    return {**found, "metrics": shown, "worst": cases}


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
