"""What is said when a run has ended: the scores, where everything is, and what to do next."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from assay.cli import outputs, screen
from assay.cli.hints import hint, run_name
from assay.cli.request import Request
from assay.cli.worst import worst
from assay.report import notes, numbers
from assay.report.run import console as report
from assay.report.run import summed_up
from assay.report.titles import said
from assay.runner.result import Result
from assay.target import Answers


def show(result: Result, request: Request) -> None:
    """The score table, the files, the next commands."""
    data = summed_up(result)
    screen.out().print(report.summary(data))
    screen.tell(_lines(result, request, _to_read(result, data)))


def _to_read(result: Result, data: Mapping[str, Any]) -> str | None:
    """The sample to be read first: by the diagnosis, else the worst of the first metric."""
    if data["diagnosis"] and data["diagnosis"]["first"]:
        return str(data["diagnosis"]["first"][0])
    cases = (case for metric in result.run.metrics for case in worst(result, metric, most=1))
    return next((case.sample for case in cases), None)


def _may_do_better(result: Result) -> bool:
    """Whether some judge may reply otherwise next time; one in this process says the same again."""
    config = result.run.config
    return not {config["judge"], *config["routes"].values()} <= set(config["local"])


def _lines(result: Result, request: Request, first: str | None) -> list[tuple[str, str]]:
    lines = _renamed(result, request)
    if result.asked != result.cost().calls:  # earlier starts of the same run asked, too
        lines.append(("this time", notes.asked("judge", result.asked, result.reused)))
    lines += outputs.written(request.outs)
    lines.append(("store", request.store))
    if request.settings.skip_invalid and result.run.skipped:
        skipped = numbers.plural(result.run.skipped, "row")
        lines.append(("skipped", f"{skipped}: {request.settings.skip_invalid}"))
    failed = sum(row.n_failed for row in result.summary())
    if failed and not result.stopped and _may_do_better(result):
        lines.append(("failed", f"{numbers.plural(failed, 'score')}; the same command tries again"))
    run = run_name(result)
    commands: list[tuple[str, ...]] = [("show", run)]
    if first is not None:
        commands.append(("show", run, "--sample", first))
    commands.append(("diagnose", run))
    if not request.outs:
        commands.append(("report", run, "--out", "report.html"))
    named = ["next", *[""] * len(commands)]
    return lines + [
        (name, hint(*words, store=request.store))
        for name, words in zip(named, commands, strict=False)
    ]


def _renamed(result: Result, request: Request) -> list[tuple[str, str]]:
    """That the data were scored before under another name, by which the run goes."""
    name = PurePath(request.data).name if isinstance(request.data, str) else result.run.source
    if name == result.run.source or request.settings.limit:
        return []
    return [("same", f"{name} holds the samples of {result.run.source}: it is the same run")]


def as_json(result: Result, request: Request) -> dict[str, Any]:
    """The same for programs."""
    files = [shown for _, shown in outputs.written(request.outs)]  # a URI may hold a password
    calls = {"judge": {"asked": result.asked, "reused": result.reused}}
    if isinstance(request.data, Answers):
        answers = request.data
        calls["system"] = {"asked": answers.asked, "reused": answers.reused}
    return {**summary_json(result), "calls": calls, "store": request.store, "out": files}


def summary_json(result: Result) -> dict[str, Any]:
    """A run's scores and cost as plain values."""
    run = result.run
    return {
        "run": run.id,
        **said(run),
        "source": run.source,
        "judge": run.config["judge"],
        "samples": run.n_samples,
        "skipped": run.skipped,
        "notes": list(run.config.get("data_notes", ())),
        "finished": run.finished is not None,
        "stopped": run.stopped,
        "metrics": [msgspec.to_builtins(row) for row in result.summary()],
        "cost": msgspec.to_builtins(result.cost()),
    }
