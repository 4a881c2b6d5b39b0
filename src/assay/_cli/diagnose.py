"""The command `assay diagnose`: which part of the system failed, and what to try."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
import msgspec

from assay._analysis import diagnosis
from assay._analysis.robustness import Regenerated
from assay._cli import options, output
from assay._cli.errors import OK, SOME_FAILED
from assay._cli.judges import Judges
from assay._cli.output import command_line, run_name
from assay._cli.progress import meter
from assay._cli.target import Target, read_target
from assay._report.diagnosis import told, views
from assay._report.run import collect, html
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay.errors import InputError
from assay.experiments.regeneration import regenerate

_FORMS = {
    ".md": "Markdown",
    ".json": "what --json shows",
    ".html": "the report, which begins with it",
}


@dataclass(frozen=True, kw_only=True)
class DiagnoseRequest(options.JudgeRequest, options.TargetRequest, options.ReportRequest):
    """What `assay diagnose` is asked for."""

    run: str
    sample: str | None
    within: int
    counterfactual: bool
    each_wrong: bool
    steps: bool
    show_all: bool


@click.command("diagnose")
@click.argument("run", metavar="[RUN]", default="last")
@click.option("--sample", metavar="ID", help="Show the findings of this sample with all evidence.")
@options.count(
    "--within",
    default=3,
    metavar="K",
    help="A right context below rank K counts as ranked too low.",
)
@options.flag(
    "--counterfactual",
    help="Re-score the answers against the reference contexts first, as a run of its own in the "
    "store, and say which failures would be gone. Nothing is generated anew.",
)
@options.flag(
    "--each-wrong",
    help="With --target: also ask with each context left out that is known to be wrong.",
)
@options.flag(
    "--steps",
    help="Judge each answer of a trace with several retrievals or calls of tools again, with the "
    "evidence of each step taken out, and say which was decisive. Nothing is generated anew.",
)
@options.flag("--all", "show_all", help="List every sample under its cause.")
@options.outs("Write it: .md, .json, or .html (the report, which begins with it). Repeatable.")
@options.target
@options.judge
@options.as_json
@options.store
@options.takes(DiagnoseRequest)
def diagnose_command(request: DiagnoseRequest) -> int:
    """Say of each sample of RUN which part of the system failed, and what is worth trying.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". Nobody is
    asked, but for --counterfactual, --steps and --target, which take the --judge of the run. A
    --target that is given contexts answers again, with the retrieved ones and with the reference
    contexts: the difference is what better retrieval alone would fix.
    """
    result = Result(request.store, request.run)
    output.check_files(request.outs, request.store, forms=_FORMS)
    if not (request.counterfactual or request.steps or request.target):
        why = "is for --counterfactual, --steps and --target: nobody is asked otherwise"
        options.reject_options(why, "leave it out, or add one of them", *options.JUDGE_OPTIONS)
    target = read_target(request, Settings(), contexts=True)
    if target is None:
        options.reject_options("is for --target", "add --target", "each_wrong")
    code = _rescore(result, request) if request.counterfactual else OK
    blame = _blame(result, request) if request.steps else None
    again = _regenerate(result, target, request) if target else None
    data = {
        **told(diagnosis.diagnose(result, within=request.within)),
        "regenerated": msgspec.to_builtins(again),
        "steps": msgspec.to_builtins(blame),
    }
    code = SOME_FAILED if blame and blame.failed else code
    code = SOME_FAILED if again and (again.failures or again.failed) else code
    sample = request.sample
    if sample is not None and all(one["id"] != sample for one in data["samples"]):
        raise InputError(f"run {data['run']} has no sample '{sample}'", "name it as the data does")
    writers: dict[str, Any] = {".md": views.markdown, ".html": partial(_page, result)}
    output.write_data(data, request.outs, writers)
    if request.as_json:
        output.print_json(_of(data, sample))
        return code
    console = output.stdout()
    if sample is not None:
        console.print(views.console_sample(data, sample))
    else:
        console.print(views.console(data, show_all=request.show_all))
    shown = sample or next((s["id"] for s in data["samples"] if s["main"]), None)
    lines = output.file_lines(request.outs)
    if shown is not None:
        command = command_line("show", run_name(result), "--sample", shown, store=request.store)
        lines.append(("next", command))
    console.print()
    output.print_lines(lines)
    return code


def _rescore(result: Result, request: DiagnoseRequest) -> int:
    judges = Judges(request)
    judge, embedder = judges.build()
    output.check_files(request.outs, *judges.files, forms=_FORMS)
    progress = meter(silent=request.as_json)
    with progress:
        again = diagnosis.counterfactual(
            result, judge, embedder=embedder, settings=Settings(on_progress=progress)
        )
    return SOME_FAILED if any(row.n_failed for row in again.summary()) else OK


def _blame(result: Result, request: DiagnoseRequest) -> diagnosis.Blame:
    judges = Judges(request)
    judge, embedder = judges.build()
    output.check_files(request.outs, *judges.files, forms=_FORMS)
    progress = meter(silent=request.as_json)
    with progress:
        return diagnosis.blame_steps(
            result, judge, embedder=embedder, settings=Settings(on_progress=progress)
        )


def _regenerate(result: Result, target: Target, request: DiagnoseRequest) -> Regenerated:
    judges = Judges(request)
    judge, embedder = judges.build()
    return regenerate(
        result,
        target.system,
        judge,
        each_wrong=request.each_wrong,
        embedder=embedder,
        asking=target.asking,
    )


def _of(data: dict[str, Any], sample: str | None) -> dict[str, Any]:
    if sample is None:
        return data
    return next(one for one in data["samples"] if one["id"] == sample)


def _page(result: Result, data: Mapping[str, Any]) -> str:
    """The report, with this diagnosis."""
    return html.render({**collect(result, diagnosed=False), "diagnosis": data})
