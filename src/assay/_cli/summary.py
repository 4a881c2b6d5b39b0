"""What is shown of a finished run: its scores, its worst samples, and the next commands."""

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Any

import msgspec

from assay._cli import output
from assay._cli.evaluation import Evaluation
from assay._cli.output import command_line, run_name
from assay._report import notes, numbers
from assay._report.run import console as report
from assay._report.run import summed_up
from assay._report.titles import said
from assay._runner.result import NOT_DONE, Result
from assay._store import Run, Store
from assay.score import Score
from assay.target import Answers


def show(result: Result, evaluation: Evaluation) -> None:
    """The score table, the files, the next commands."""
    data = summed_up(result)
    output.stdout().print(report.summary(data))
    output.print_lines(_lines(result, evaluation, _to_read(result, data)))


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


def _lines(result: Result, evaluation: Evaluation, first: str | None) -> list[tuple[str, str]]:
    lines = _renamed(result, evaluation)
    if result.asked != result.cost().calls:  # earlier starts of the same run asked, too
        lines.append(("this time", notes.asked("judge", result.asked, result.reused)))
    lines += output.file_lines(evaluation.outs)
    lines.append(("store", evaluation.store))
    if evaluation.settings.skip_invalid and result.run.skipped:
        skipped = numbers.plural(result.run.skipped, "row")
        lines.append(("skipped", f"{skipped}: {evaluation.settings.skip_invalid}"))
    failed = sum(row.n_failed for row in result.summary())
    if failed and not result.stopped and _may_do_better(result):
        lines.append(("failed", f"{numbers.plural(failed, 'score')}; the same command tries again"))
    run = run_name(result)
    commands: list[tuple[str, ...]] = [("show", run)]
    if first is not None:
        commands.append(("show", run, "--sample", first))
    commands.append(("diagnose", run))
    if not evaluation.outs:
        commands.append(("report", run, "--out", "report.html"))
    named = ["next", *[""] * len(commands)]
    return lines + [
        (name, command_line(*words, store=evaluation.store))
        for name, words in zip(named, commands, strict=False)
    ]


def _renamed(result: Result, evaluation: Evaluation) -> list[tuple[str, str]]:
    """That the data were scored before under another name, by which the run goes."""
    name = PurePath(evaluation.data).name if isinstance(evaluation.data, str) else result.run.source
    if name == result.run.source or evaluation.settings.limit:
        return []
    return [("same", f"{name} holds the samples of {result.run.source}: it is the same run")]


def as_json(result: Result, evaluation: Evaluation) -> dict[str, Any]:
    """The same for programs."""
    files = [shown for _, shown in output.file_lines(evaluation.outs)]  # a URI may hold a password
    calls = {"judge": {"asked": result.asked, "reused": result.reused}}
    if isinstance(evaluation.data, Answers):
        answers = evaluation.data
        calls["system"] = {"asked": answers.asked, "reused": answers.reused}
    return {**summary_json(result), "calls": calls, "store": evaluation.store, "out": files}


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


@dataclass(frozen=True, slots=True)
class Case:
    """A sample worth a look.

    Attributes:
        sample: Its id.
        value: Its score, None if there is none.
        detail: Why there is none.
        question: What was asked.
    """

    sample: str
    value: float | None
    detail: str
    question: str


def worst(result: Result, metric: str, *, most: int) -> list[Case]:
    """The worst scores, worst first; equal ones in the order of the data."""
    with Store(result.path) as store:
        run = result.run
        sign = 1 if run.config["about"][metric]["higher_is_better"] else -1
        scored = [(sign * v, row) for row, v, _ in store.values(run.id, metric) if v is not None]
        rows = [row for _, row in heapq.nsmallest(most, scored)]
        return _cases(store, run, metric, rows)


def failed(result: Result, metric: str, *, most: int) -> list[Case]:
    """The first samples on which the judge failed, those not reached included."""
    with Store(result.path) as store:
        run = result.run
        why = {row: why for row, _, why in store.values(run.id, metric)}
        rows = (row for row in range(1, run.n_samples + 1) if why.get(row, "failed") == "failed")
        return _cases(store, run, metric, islice(rows, most))


def _cases(store: Store, run: Run, metric: str, rows: Iterable[int]) -> list[Case]:
    cases = []
    for row in rows:
        _, sample = next(store.samples(run.id, row - 1))
        outcome = store.outcome(run.id, row, metric) or NOT_DONE
        value = outcome.value if isinstance(outcome, Score) else None
        detail = "" if isinstance(outcome, Score) else outcome.detail
        cases.append(Case(sample.id, value, detail, sample.question or ""))
    return cases
