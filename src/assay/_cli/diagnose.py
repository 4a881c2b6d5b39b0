"""The commands `assay diagnose` and `assay show`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import msgspec
from rich.text import Text

from assay._analysis import diagnosis
from assay._cli import estimates, options, output, values
from assay._cli.errors import OK, SOME_FAILED, say
from assay._cli.judges import Judges, Target, budget, read_target
from assay._cli.output import command_line, meter, run_name
from assay._cli.scoring import failed, summary_json, worst
from assay._middleware.cache import SharedLimits
from assay._report import diagnosis as words
from assay._report import numbers
from assay._report import run as report
from assay._report.diagnosis import views
from assay._report.run import collect, html, sample_values, summed_up
from assay._report.tables import goodness, listed
from assay._runner.estimate import Estimate
from assay._runner.result import Result, labels
from assay._runner.settings import Settings
from assay._store import Store
from assay.errors import InputError, OverBudget
from assay.experiments.regeneration import Regeneration, prepare
from assay.judge import Backend, Reasons

T = TypeVar("T")
_FORMS = {
    ".md": "Markdown",
    ".json": "what --json shows",
    ".html": "the report, which begins with it",
}


# What does nothing unless somebody is asked.
_ASKING = (*options.JUDGE_OPTIONS, "prompts", "reasons", "dry_run", "no_progress")


class _DiagnoseRequest(options.LimitedJudgeRequest, options.TargetRequest, options.ReportRequest):
    run: str
    sample: str | None = options.option(
        "--sample", metavar="ID", help="Show the findings of this sample with all evidence."
    )
    within: int = options.count(
        "--within",
        default=3,
        metavar="K",
        help="A right context below rank K counts as ranked too low.",
    )
    counterfactual: bool = options.flag(
        "--counterfactual",
        help="Re-score the answers against the reference contexts first, as a run of its own in "
        "the store, and say which failures would be gone. Nothing is generated anew.",
    )
    each_wrong: bool = options.flag(
        "--each-wrong",
        help="With --target: also ask with each context left out that is known to be wrong.",
    )
    steps: bool = options.flag(
        "--steps",
        help="Judge each answer of a trace with several retrievals or calls of tools again, with "
        "the evidence of each step taken out, and say which was decisive. Nothing is generated "
        "anew.",
    )
    show_all: bool = options.flag("--all", help="List every sample under its cause.")
    outs: tuple[str, ...] = options.outs(
        "Write it: .md, .json, or .html (the report, which begins with it). Repeatable."
    )
    prompts: str | None
    reasons: Reasons
    dry_run: bool
    no_progress: bool


@options.command("diagnose", _DiagnoseRequest)
def diagnose_command(request: _DiagnoseRequest) -> int:
    """Say of each sample of RUN which part of the system failed, and what is worth trying.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". Nobody is
    asked, but for --counterfactual, --steps and --target, which take the --judge (and the
    --prompts and --reasons) of the run; --dry-run estimates them, and --budget limits them. A
    --target that is given contexts answers again, with the retrieved ones and with the reference
    contexts: the difference is what better retrieval alone would fix.
    """
    result = Result(request.store, request.run)
    output.check_files(request.outs, request.store, forms=_FORMS)
    is_asking = bool(request.counterfactual or request.steps or request.target)
    if not is_asking:
        reason = "is for --counterfactual, --steps and --target: nobody is asked otherwise"
        values.reject_options(reason, "leave it out, or add one of them", *_ASKING)
    target = read_target(request, Settings(), contexts=True)
    if target is None:
        values.reject_options("is for --target", "add --target", "each_wrong")
    asking = _read_asking(result, target, request) if is_asking else None
    if asking and request.dry_run:
        return _estimate(asking, request)
    asked, code = _ask(asking, request) if asking else ({"regenerated": None, "steps": None}, OK)
    data = {**words.collect(diagnosis.diagnose(result, within=request.within)), **asked}
    sample = request.sample
    if sample is not None and all(sample_data["id"] != sample for sample_data in data["samples"]):
        with Store(result.path) as store:
            raise store.no_sample(data["run"], sample)
    writers: dict[str, Any] = {".md": views.markdown, ".html": partial(_page, result)}
    output.write_data(data, request.outs, writers)
    if request.as_json:
        output.print_json(_find_sample(data, sample))
    else:
        _print_diagnosis(data, result, request)
    return code


@dataclass(frozen=True)
class _Asking:
    """A run about which the judge, and perhaps the system, is asked again."""

    result: Result
    target: Target | None
    judge: Backend
    embedder: Backend | None
    settings: Settings
    each_wrong: bool
    silent: bool

    def again(self, work: Callable[..., T]) -> T:
        """What comes of judging its answers again."""
        with meter(silent=self.silent) as progress:
            settings = replace(self.settings, on_progress=progress)
            return work(self.result, self.judge, embedder=self.embedder, settings=settings)

    def of_system(self) -> Regeneration | None:
        """What the system is asked again; None if no system is named."""
        if self.target is None:
            return None
        return prepare(
            self.result,
            self.target.system,
            self.judge,
            each_wrong=self.each_wrong,
            embedder=self.embedder,
            settings=self.settings,
            asking=self.target.asking,
        )


def _read_asking(result: Result, target: Target | None, request: _DiagnoseRequest) -> _Asking:
    """Who is asked and how; one budget holds for all that is asked."""
    spending, judges = budget(request), Judges(request)
    judge, embedder = judges.build()
    output.check_files(request.outs, *judges.files, forms=_FORMS)
    settings = Settings(
        prompts=values.read_prompts(request.prompts),
        reasons=request.reasons,
        limits=request.limits(),
        budget=spending,
        _shared=SharedLimits(),
    )
    silent = request.as_json or request.no_progress or request.dry_run
    return _Asking(result, target, judge, embedder, settings, request.each_wrong, silent)


def _estimate(asking: _Asking, request: _DiagnoseRequest) -> int:
    """Show what would be asked; nobody is."""
    costs: dict[str, Estimate] = {}
    if request.counterfactual:
        costs["counterfactual"] = asking.again(diagnosis.estimate_counterfactual)
    if request.steps:
        costs["steps"] = asking.again(diagnosis.estimate_steps)
    regeneration = asking.of_system()
    new, known = regeneration.count() if regeneration else (0, 0)
    if request.as_json:
        told = {"target": {"ask": new, "known": known}} if regeneration else {}
        output.print_json({**msgspec.to_builtins(costs), **told})
        return OK
    for option, cost in costs.items():
        output.stdout().print(Text(f"--{option}", style="bold"))
        estimates.show(cost, None, asking.judge, request.store, asking.settings.budget)
    if regeneration:
        name = regeneration.system.name
        say(f"{new:,} questions to send to {name}, {known:,} known already; nothing was asked")
        say("What judging these answers costs is not known before: --budget limits it.")
    return OK


def _ask(asking: _Asking, request: _DiagnoseRequest) -> tuple[dict[str, Any], int]:
    """What came of asking again, as plain values, and the exit code.

    Raises:
        OverBudget: If the budget does not suffice; what came is kept.
    """
    failed, blame, regenerated = False, None, None
    if request.counterfactual:
        rescored = asking.again(diagnosis.counterfactual)
        if rescored.stopped:
            raise OverBudget(rescored.stopped)
        failed = any(row.n_failed for row in rescored.summary())
    if request.steps:
        blame = asking.again(diagnosis.blame_steps)
        failed = failed or bool(blame.failed)
    if regeneration := asking.of_system():
        regenerated = regeneration.ask()
        failed = failed or bool(regenerated.failures or regenerated.failed)
    asked = {"regenerated": msgspec.to_builtins(regenerated), "steps": msgspec.to_builtins(blame)}
    return asked, SOME_FAILED if failed else OK


def _print_diagnosis(data: dict[str, Any], result: Result, request: _DiagnoseRequest) -> None:
    console, sample = output.stdout(), request.sample
    if sample is not None:
        console.print(views.console_sample(data, sample))
    else:
        console.print(views.console(data, show_all=request.show_all))
    case = sample or next((s["id"] for s in data["samples"] if s["main"]), None)
    lines = output.file_lines(request.outs)
    if case is not None:
        command = command_line("show", run_name(result), "--sample", case, store=request.store)
        lines.append(("next", command))
    console.print()
    output.print_lines(lines)


def _find_sample(data: dict[str, Any], sample: str | None) -> dict[str, Any]:
    if sample is None:
        return data
    return next(sample_data for sample_data in data["samples"] if sample_data["id"] == sample)


def _page(result: Result, data: Mapping[str, Any]) -> str:
    """The report, with this diagnosis."""
    return html.render({**collect(result, diagnosed=False), "diagnosis": data})


LOWEST = 5
FAILED = 3


class _ShowRequest(options.Request):
    run: str
    sample: str | None = options.option(
        "--sample", metavar="ID", help="Show the evidence behind this sample's scores."
    )
    metric: str | None = options.option(
        "--metric", "-m", metavar="METRIC", help="Only this metric."
    )
    raw: bool = options.flag(
        "--raw", help="With --sample: every prompt and every reply, word for word."
    )
    about: bool = options.flag(
        "--about",
        help="Show instead how each metric is defined, who judged, and how often wrongly.",
    )
    as_json: bool
    store: str


@options.command("show", _ShowRequest)
def show_command(request: _ShowRequest) -> int:
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
        data = collect(result, limit=0) if request.about else summed_up(result)
        data["metrics"] = [row for row in data["metrics"] if row["label"] in metrics]
        if request.about:
            console.print(report.about(data))
            return OK
        console.print(report.summary(data))
        for text in (text for metric in metrics for text in _lowest_scores(result, metric)):
            console.print(text)
        line = command_line("show", run_name(result), "--sample", "ID", store=request.store)
        console.print(Text(f"{line} shows why", style="dim"), soft_wrap=True)
    return OK


def _metrics(result: Result, spec: str | None) -> list[str]:
    """The labels asked for, or all of them."""
    return list(result.run.metrics) if spec is None else labels(result.run, spec)


def _show_sample(result: Result, metrics: list[str], sample: str, request: _ShowRequest) -> None:
    data = _sample_data(result, sample)
    if request.as_json:
        output.print_json(_evidence(data["samples"][0], metrics, raw=request.raw))
        return
    console = output.stdout()
    if request.metric is None:
        console.print(report.sample(data, sample, raw=request.raw))
        return
    for metric in metrics:
        console.print(report.sample(data, sample, metric, raw=request.raw))


def _sample_data(result: Result, sample_id: str) -> dict[str, Any]:
    """What a report holds of one sample: nothing that is counted over all of the run."""
    with Store(result.path) as store:
        run = store.run(result.run.id)
        row, sample = store.sample(run.id, sample_id)
        metrics = [{"label": label, **run.config["about"][label]} for label in run.metrics]
        return {
            "run": {"id": run.id},
            "metrics": metrics,
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
            "lowest": msgspec.to_builtins(worst(result, metric, limit=LOWEST)),
            "failed": msgspec.to_builtins(failed(result, metric, limit=FAILED)),
        }
        for metric in metrics
    }
    summary = summary_json(result)
    rows = [row for row in summary["metrics"] if row["metric"] in metrics]
    return {**summary, "metrics": rows, "worst": cases}


def _lowest_scores(result: Result, metric: str) -> list[Text]:
    """The lowest scores, without those that no score could be better than, and what failed."""
    facts = result.run.config["about"][metric]
    cases = [
        (Text(numbers.score(case.value)), case.sample, case.question)
        for case in worst(result, metric, limit=LOWEST)
        if case.value is not None and goodness(case.value, facts) < 1
    ]
    cases += [
        (Text("failed", "bold yellow"), case.sample, case.detail)
        for case in failed(result, metric, limit=FAILED)
    ]
    return [Text(f"{metric}, worst first", style="bold"), *listed(cases)] if cases else []
