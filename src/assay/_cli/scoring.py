"""An evaluation that the command line asks for, or its cost, and what is shown of it."""

import heapq
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePath
from typing import Any

import msgspec
from rich.text import Text

from assay._analysis.comparability import judge_of
from assay._cli import options, output
from assay._cli.errors import BUDGET, INTERRUPTED, OK, REFUSED, SOME_FAILED, say
from assay._cli.evaluation import Evaluation, read_request, select_metrics
from assay._cli.judges import Target, ask_target, priced
from assay._cli.output import Meter, command_line, meter, run_name
from assay._middleware.wrapper import Route
from assay._report import notes, numbers, sanitize
from assay._report import run as report
from assay._report.numbers import run_description
from assay._report.run import summed_up
from assay._runner.estimate import Estimate, estimate
from assay._runner.evaluate import evaluate
from assay._runner.plan import plan
from assay._runner.result import NOT_DONE, Result
from assay._runner.stack import choose
from assay._store import Run, Store
from assay.errors import Denied
from assay.judge import Backend
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
    """A run's scores and cost as plain values."""
    run = result.run
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
        "metrics": [msgspec.to_builtins(row) for row in result.summary()],
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
        _print_estimate(cost, evaluation)
    return OK


def _print_estimate(cost: Estimate, evaluation: Evaluation) -> None:
    output.print_counts(_estimate_lines(cost, evaluation))
    console = output.stdout()
    if cost.margins:
        console.print(
            f"Counted on {cost.counted:,} rows drawn from all; ± is the 95 % error of the draw."
        )
    for note in cost.notes:
        console.print(Text(sanitize.plain(f"note: {note}")))
    console.print("Nothing was asked, nothing was spent. Counts are about right, not exact.")
    budget = evaluation.settings.budget
    tokens = cost.tokens_in + cost.tokens_out
    pairs = ((cost.money, budget.money), (tokens, budget.tokens), (cost.calls, budget.calls))
    if any(limit is not None and (amount or 0) > limit for amount, limit in pairs):
        console.print("This exceeds the budget: the run would stop before its end.")


def _estimate_lines(cost: Estimate, evaluation: Evaluation) -> list[tuple[str, str]]:
    whom = ", ".join(_paid_judges(evaluation.judge))
    least_text, rising = "", ""
    if cost.least_calls is not None:
        least_text = f"{cost.least_calls:,} to "
        rising = ": which share goes up the cascade is not known before"
    lines = [
        (f"{cost.samples:,}", "samples"),
        (f"{cost.samples * len(evaluation.metrics):,}", "scores in all"),
        (f"{least_text}{_number(cost, 'calls')}", f"calls to be made to {whom}{rising}"),
        (_number(cost, "known"), f"calls known already, from {evaluation.store}"),
        (_number(cost, "local"), "calls answered on this machine, free of charge"),
        (_number(cost, "tokens_in"), "prompt tokens, about"),
        (_number(cost, "tokens_out"), "reply tokens, about"),
    ]
    if cost.batches:
        lines.insert(3, (f"{cost.batches:,}", "batches that they are submitted in, at least"))
    if cost.local_tokens:
        lines.append((_number(cost, "local_tokens"), "prompt tokens read on this machine, about"))
        tokens = _number(cost, "local_written")
        lines.append((tokens, "reply tokens written on this machine, about"))
    if cost.money is not None:
        least_text = "" if cost.least_money is None else f"{cost.least_money:,.4f} to "
        price = priced(evaluation.settings.budget.price)
        lines.append((f"{least_text}{cost.money:,.4f}", f"money, about, {price}"))
    elif cost.calls:
        lines.append(("?", "money: say what tokens cost, --price IN/OUT or --price list"))
    if cost.seconds is None:
        lines.append(("?", f"time: {cost.seconds_from}"))
    else:
        basis = f", {cost.seconds_from}" if cost.seconds_from else ""
        lines.append((numbers.seconds(cost.seconds), f"time, about{basis}"))
    return lines


def _paid_judges(judge: Backend) -> list[str]:
    """The names of those that compute elsewhere; of the judge itself if there are none."""
    judges = Route.of(judge).backends
    leaves = [judge for leaf in judges for judge in leaf.behind() or (leaf,)]
    elsewhere = [leaf.name for leaf in leaves if not leaf.capabilities.local]
    return list(dict.fromkeys(elsewhere)) or [numbers.judge_in_words(judge.name)]


def _number(cost: Estimate, name: str) -> str:
    """A count, with its error where it was scaled up."""
    amount, margin = getattr(cost, name), cost.margins.get(name, 0.0)
    return f"{amount:,} ± {100 * margin / amount:.1f} %" if margin and amount else f"{amount:,}"
