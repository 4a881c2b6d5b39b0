"""An evaluation that the command line asks for, or its cost, and what is shown of it."""

import heapq
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePath
from typing import Any

import msgspec

from assay._analysis.answering import answered_by
from assay._analysis.comparability import drift_told, judge_of
from assay._cli import estimates, options, output
from assay._cli.errors import BUDGET, INTERRUPTED, OK, REFUSED, SOME_FAILED, say
from assay._cli.evaluation import Evaluation, read_request, select_metrics
from assay._cli.judges import Target, ask_target
from assay._cli.output import Meter, command_line, meter, run_name
from assay._report import notes, numbers
from assay._report import run as report
from assay._report.numbers import run_description
from assay._report.run import summed_up
from assay._runner.estimate import estimate
from assay._runner.evaluate import evaluate
from assay._runner.plan import plan, texts_of, trust_in, unmeasured_judges
from assay._runner.result import NOT_DONE, Result
from assay._runner.stack import choose
from assay._store import Run, Store
from assay.errors import Denied
from assay.metrics import resolve
from assay.score import Score, Unscored
from assay.target import Answers
from assay.target.ask import count


def show(result: Result, evaluation: Evaluation) -> None:
    """The score table, the files, the next commands."""
    data = summed_up(result)
    output.stdout().print(report.summary(data))
    output.print_lines(_lines(result, evaluation, _to_read(result, data)))


def _to_read(result: Result, data: Mapping[str, Any]) -> str | None:
    """The sample to be read first: by the diagnosis, else the worst of the first metric."""
    if data["diagnosis"] and data["diagnosis"]["first"]:
        return str(data["diagnosis"]["first"][0])
    cases = (case for metric in result.run.metrics for case in worst(result, metric, limit=1))
    return next((case.sample for case in cases), None)


def _may_do_better(result: Result) -> bool:
    """Whether some judge may reply otherwise next time; one in this process says the same again."""
    config = result.run.config
    return not {config["judge"], *config["routes"].values()} <= set(config["local"])


def _first_failed(result: Result) -> str:
    """The first sample on which the judge failed: what it replied tells why."""
    labels = [row.metric for row in result.summary() if row.n_failed]
    outcomes = (scored for label in labels for scored in result.outcomes(label))
    return next(
        s.id for s, outcome in outcomes if isinstance(outcome, Unscored) and outcome.why == "failed"
    )


def _lines(result: Result, evaluation: Evaluation, first: str | None) -> list[tuple[str, str]]:
    lines = _renamed_lines(result, evaluation)
    if result.asked != result.cost().calls:  # earlier starts of the same run asked, too
        lines.append(("this time", notes.asked("judge", result.asked, result.reused)))
    lines += output.file_lines(evaluation.outs)
    lines.append(("store", evaluation.store))
    if evaluation.settings.skip_invalid and result.run.skipped:
        skipped = numbers.plural(result.run.skipped, "row")
        lines.append(("skipped", f"{skipped}: {evaluation.settings.skip_invalid}"))
    failed = sum(row.n_failed for row in result.summary())
    if failed and not result.stopped and _may_do_better(result):
        hint = "the same command asks again for those that got no reply"
        lines.append(("failed", f"{numbers.plural(failed, 'score')}; {hint}"))
    run = run_name(result)
    commands: list[tuple[str, ...]] = [("show", run)]
    if first is not None:
        commands.append(("show", run, "--sample", first))
    elif failed:
        commands.append(("show", run, "--sample", _first_failed(result), "--raw"))
    is_scored = any(row.n_scored for row in result.summary())
    if is_scored:
        commands.append(("diagnose", run))
    if is_scored and not evaluation.outs:
        commands.append(("report", run, "--out", "report.html"))
    names = ["next", *[""] * len(commands)]
    return lines + [
        (name, command_line(*words, store=evaluation.store))
        for name, words in zip(names, commands, strict=False)
    ]


def _renamed_lines(result: Result, evaluation: Evaluation) -> list[tuple[str, str]]:
    """That the data were scored before under another name, by which the run goes."""
    name = PurePath(evaluation.data).name if isinstance(evaluation.data, str) else result.run.source
    if name == result.run.source or evaluation.settings.limit:
        return []
    return [("same", f"{name} holds the samples of {result.run.source}: it is the same run")]


def as_json(result: Result, evaluation: Evaluation) -> dict[str, Any]:
    """The same for programs."""
    files = [file for _, file in output.file_lines(evaluation.outs)]  # a URI may hold a password
    calls = {"judge": {"asked": result.asked, "reused": result.reused}}
    if isinstance(evaluation.data, Answers):
        answers = evaluation.data
        calls["system"] = {"asked": answers.asked, "reused": answers.reused}
    return {**summary_json(result), "calls": calls, "store": evaluation.store, "out": files}


def summary_json(result: Result) -> dict[str, Any]:
    """A run's scores, how far they can be trusted, and their cost as plain values."""
    run = result.run
    with Store(result.path) as store:
        answering = answered_by(store, run)
        drift = drift_told(store, run.id, answering)
    return {
        "run": run.id,
        **run_description(run),
        "source": run.source,
        "judge": judge_of(run),
        "samples": run.n_samples,
        "skipped": run.skipped,
        "notes": list(run.config.get("data_notes", ())),
        "finished": run.finished is not None,
        "stopped": run.stopped,
        "texts": dict(texts_of(run)),
        "metrics": [
            {**msgspec.to_builtins(row), **trust_in(run, row.metric)} for row in result.summary()
        ],
        "unmeasured": unmeasured_judges(run),
        "drift": drift,
        "answered_by": msgspec.to_builtins(answering),
        "cost": msgspec.to_builtins(result.cost()),
    }


@dataclass(frozen=True, slots=True)
class Case:
    """A sample worth a look."""

    sample: str
    value: float | None
    detail: str
    question: str


def worst(result: Result, metric: str, *, limit: int) -> list[Case]:
    """The worst scores, worst first; equal ones in the order of the data."""
    with Store(result.path) as store:
        run = result.run
        sign = 1 if run.config["about"][metric]["higher_is_better"] else -1
        scored = [(sign * v, row) for row, v in store.numbers(run.id, metric).items()]
        rows = [row for _, row in heapq.nsmallest(limit, scored)]
        return _cases(store, run, metric, rows)


def failed(result: Result, metric: str, *, limit: int) -> list[Case]:
    """The first samples on which the judge failed, those not reached included."""
    with Store(result.path) as store:
        run = result.run
        reasons = {row: reason for row, _, reason in store.values(run.id, metric)}
        rows = (
            row for row in range(1, run.n_samples + 1) if reasons.get(row, "failed") == "failed"
        )
        return _cases(store, run, metric, islice(rows, limit))


def _cases(store: Store, run: Run, metric: str, rows: Iterable[int]) -> list[Case]:
    cases = []
    for row in rows:
        _, sample = next(store.samples(run.id, row - 1))
        outcome = store.outcome(run.id, row, metric) or NOT_DONE
        value = outcome.value if isinstance(outcome, Score) else None
        detail = "" if isinstance(outcome, Score) else outcome.detail
        cases.append(Case(sample.id, value, detail, sample.question or ""))
    return cases


def run(
    request: options.RunRequest,
    show: Callable[[Result, Evaluation], None] = show,
    as_json: Callable[[Result, Evaluation], dict[str, Any]] = as_json,
) -> int:
    """Do what `assay run` is asked for; the exit code."""
    evaluation = read_request(request)
    hidden = request.quiet or request.no_progress
    if evaluation.target and request.dry_run:
        return _estimate_target(evaluation, evaluation.target, request)
    if evaluation.target:
        evaluation = _with_answers(evaluation, evaluation.target, silent=hidden)
    if not request.quiet:
        _introduce(evaluation)
    if request.dry_run:
        return _estimate(evaluation, request)
    progress = meter(silent=hidden)
    try:
        with progress:
            result = _evaluate(evaluation, progress)
    except KeyboardInterrupt:
        return _interrupted(progress, evaluation)
    except Denied as error:
        say(f"error: {error}")
        kept = _kept_line(progress, evaluation)
        say(f"{kept}; put it right, and the same command goes on from there")
        return REFUSED
    output.write_reports(result, evaluation.outs)
    if request.as_json:
        output.print_json(as_json(result, evaluation))
    elif not request.quiet:
        show(result, evaluation)
    return _exit_code(result)


def _with_answers(evaluation: Evaluation, target: Target, *, silent: bool) -> Evaluation:
    """The evaluation of what the target answers."""
    data, metrics, settings = evaluation.data, evaluation.metrics, evaluation.settings
    judge, embedder = evaluation.judge, evaluation.embedder
    if metrics:  # what the judge cannot do is told before the system is asked
        plan(data, metrics, judge, embedder, settings)
    answers = ask_target(target, data, metrics, evaluation.store, silent=silent)
    if metrics:
        return replace(evaluation, data=answers)
    selection = select_metrics(answers, settings, choose(judge, embedder, settings))
    metrics = resolve(selection.metrics)
    return replace(evaluation, data=answers, metrics=metrics, selection=selection)


def _introduce(evaluation: Evaluation) -> None:
    if (selection := evaluation.selection) and selection.known:
        say(f"metrics that the data fills: {', '.join(selection.metrics)} (choose with -m)")
        by_reason: dict[str, list[str]] = {}
        for name, reason in selection.left_out.items():
            by_reason.setdefault(reason, []).append(name)
        for reason, names in by_reason.items():
            say(f"  left out, since {reason}: {', '.join(names)}")
        if selection.near_columns:
            say(f"  did you mean {selection.near_columns}?")
    for kind, template in evaluation.settings.prompts.items():
        say(f"prompt replaced: {kind} ({template.digest})")


def _evaluate(evaluation: Evaluation, progress: Meter) -> Result:
    return evaluate(
        evaluation.data,
        evaluation.metrics,
        evaluation.judge,
        embedder=evaluation.embedder,
        store=evaluation.store,
        settings=replace(evaluation.settings, on_progress=progress),
    )


def _interrupted(progress: Meter, evaluation: Evaluation) -> int:
    say(f"interrupted: {_kept_line(progress, evaluation)}; the same command goes on from there")
    if progress.last is not None and (n := progress.last.lost):
        calls, those = numbers.plural(n, "call"), "it" if n == 1 else "them"
        say(
            f"{calls} on the way brought no reply in time: the provider may bill {those}, the cost "
            f"that is shown does not count {those}"
        )
    if progress.last is not None and progress.last.batches:
        say(
            "Submitted batches continue at the provider. Their replies are fetched by "
            "the same command, within 30 days, and are not paid for again."
        )
    return INTERRUPTED


def _kept_line(progress: Meter, evaluation: Evaluation) -> str:
    if progress.last is None:
        return "nothing was asked yet"
    last = progress.last
    # A failed score is no score to keep: it is tried again.
    n_replied = last.done - last.failed
    scores = f"{n_replied:,} of {last.total:,} scores"
    return f"{scores} and every reply that came are kept in {evaluation.store}"


def _exit_code(result: Result) -> int:
    if result.stopped:
        say(f"stopped: {result.stopped}")
        return BUDGET
    incomplete = any(row.n_failed or row.n_unanswered for row in result.summary())
    return SOME_FAILED if incomplete else OK


def _estimate_target(evaluation: Evaluation, target: Target, request: options.RunRequest) -> int:
    """Show how many questions the target would be sent; nobody is asked."""
    new, known = count(
        evaluation.data, target.system, evaluation.metrics, evaluation.store, target.asking
    )
    if request.as_json:
        output.print_json({"target": target.system.name, "ask": new, "known": known})
    elif not request.quiet:
        say(f"{new:,} questions to send to {target.system.name}, {known:,} known already")
        say("Nothing was asked. The cost of the judge can be estimated once there are answers.")
    return OK


def _estimate(evaluation: Evaluation, request: options.RunRequest) -> int:
    """Show what the run would cost; nobody is asked and nothing is stored."""
    cost = estimate(
        evaluation.data,
        evaluation.metrics,
        evaluation.judge,
        embedder=evaluation.embedder,
        store=evaluation.store,
        settings=evaluation.settings,
    )
    if request.as_json:
        names = [metric.label for metric in evaluation.metrics]
        output.print_json({"metrics": names, **msgspec.to_builtins(cost)})
    elif not request.quiet:
        n_scores = cost.samples * len(evaluation.metrics)
        budget = evaluation.settings.budget
        estimates.show(cost, n_scores, evaluation.judge, evaluation.store, budget)
    return OK
