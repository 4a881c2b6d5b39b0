"""The commands `assay diagnose` and `assay show`."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec
from rich.text import Text

from assay._analysis import diagnosis
from assay._analysis.robustness import Regenerated
from assay._cli import options, output, values
from assay._cli.errors import OK, SOME_FAILED
from assay._cli.judges import Judges, Target, read_target
from assay._cli.output import command_line, meter, run_name
from assay._cli.scoring import failed, summary_json, worst
from assay._report import diagnosis as words
from assay._report import numbers
from assay._report import run as report
from assay._report.diagnosis import views
from assay._report.run import collect, html, sample_values, summed_up
from assay._report.tables import goodness, listed
from assay._runner.result import Result, labels
from assay._runner.settings import Settings
from assay._store import Store
from assay.errors import InputError
from assay.experiments.regeneration import regenerate

T = TypeVar("T")
_FORMS = {
    ".md": "Markdown",
    ".json": "what --json shows",
    ".html": "the report, which begins with it",
}


class _DiagnoseRequest(options.JudgeRequest, options.TargetRequest, options.ReportRequest):
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


@options.command("diagnose", _DiagnoseRequest)
def diagnose_command(request: _DiagnoseRequest) -> int:
    """Say of each sample of RUN which part of the system failed, and what is worth trying.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". Nobody is
    asked, but for --counterfactual, --steps and --target, which take the --judge of the run. A
    --target that is given contexts answers again, with the retrieved ones and with the reference
    contexts: the difference is what better retrieval alone would fix.
    """
    result = Result(request.store, request.run)
    output.check_files(request.outs, request.store, forms=_FORMS)
    if not (request.counterfactual or request.steps or request.target):
        reason = "is for --counterfactual, --steps and --target: nobody is asked otherwise"
        values.reject_options(reason, "leave it out, or add one of them", *options.JUDGE_OPTIONS)
    target = read_target(request, Settings(), contexts=True)
    if target is None:
        values.reject_options("is for --target", "add --target", "each_wrong")
    data, code = _diagnosed(result, target, request)
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


def _diagnosed(
    result: Result, target: Target | None, request: _DiagnoseRequest
) -> tuple[dict[str, Any], int]:
    """All that is found, as plain values, and the exit code."""
    failed, blame = False, None
    if request.counterfactual:
        rescored = _judged_again(diagnosis.counterfactual, result, request)
        failed = any(row.n_failed for row in rescored.summary())
    if request.steps:
        blame = _judged_again(diagnosis.blame_steps, result, request)
        failed = failed or bool(blame.failed)
    regenerated = _regenerate(result, target, request) if target else None
    if regenerated is not None:
        failed = failed or bool(regenerated.failures or regenerated.failed)
    data = {
        **words.collect(diagnosis.diagnose(result, within=request.within)),
        "regenerated": msgspec.to_builtins(regenerated),
        "steps": msgspec.to_builtins(blame),
    }
    return data, SOME_FAILED if failed else OK


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


def _judged_again(work: Callable[..., T], result: Result, request: _DiagnoseRequest) -> T:
    """What comes of a run whose judge is asked again about its answers."""
    judges = Judges(request)
    judge, embedder = judges.build()
    output.check_files(request.outs, *judges.files, forms=_FORMS)
    progress = meter(silent=request.as_json)
    with progress:
        return work(result, judge, embedder=embedder, settings=Settings(on_progress=progress))


def _regenerate(result: Result, target: Target, request: _DiagnoseRequest) -> Regenerated:
    judge, embedder = Judges(request).build()
    return regenerate(
        result,
        target.system,
        judge,
        each_wrong=request.each_wrong,
        embedder=embedder,
        asking=target.asking,
    )


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
