"""The command `assay adapt judge`: the embedded judge fitted to a domain, and measured."""

from dataclasses import dataclass
from pathlib import Path

import click
import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from assay._cli import options, output
from assay._cli.adapt import tell
from assay._cli.options import POSITIVE, Grouped, NumberRange
from assay._cli.progress import counter
from assay._report import judge_adaptation
from assay._version import __version__
from assay.experiments.judge_adaptation import JudgeAdapting, adapt_judge

_USUAL = JudgeAdapting()
_GROUPS = {
    "What is learnt": ("questions", "labels", "held_out", "seed"),
    "How": ("steps", "time_limit", "rate", "share", "bfloat16", "threads"),
    "What is written and shown": ("out", "outs", "level", "as_json", "no_progress"),
}
_FORMS = {".html": "a page", ".md": "Markdown", ".json": "all that is shown"}


@dataclass(frozen=True, kw_only=True)
class AdaptJudgeRequest:
    """What `assay adapt judge` is asked for."""

    corpus: tuple[str, ...]
    questions: str | None
    labels: str | None
    out: str
    outs: tuple[str, ...]
    held_out: float
    seed: int
    steps: int
    time_limit: float | None
    rate: float
    share: float
    bfloat16: bool
    threads: int | None
    level: float
    as_json: bool
    no_progress: bool


@click.command("adapt judge", cls=Grouped, groups=_GROUPS)
@click.argument("corpus", nargs=-1)
@click.option(
    "--questions",
    metavar="FILE",
    help="Questions about the corpus with references, as assay testset writes them (better with a "
    "language model). Without it rules make them.",
)
@click.option(
    "--labels",
    metavar="FILE",
    help="Labels of people: a store in which statements were labelled, or rows with supported, "
    "context_relevant or answer_relevant. They measure, and coefficients are fitted to them.",
)
@click.option("--out", required=True, metavar="FOLDER", help="For --judge embedded:FOLDER.")
@click.option(
    "--report",
    "outs",
    multiple=True,
    metavar="FILE",
    help="Write what was measured: .html (a page), .md (Markdown) or .json. Repeatable.",
)
@options.number(
    "--held-out",
    type=NumberRange(0.05, 0.9),
    default=_USUAL.held_out,
    metavar="SHARE",
    help="Share of the documents whose synthetic cases only measure.",
)
@options.count("--seed", default=_USUAL.seed, least=0, help="Chooses them, and the order.")
@options.count(
    "--steps",
    default=_USUAL.steps,
    least=0,
    help="Steps of training; 0: fit coefficients alone, to --labels, without CORPUS or PyTorch.",
)
@options.number(
    "--time-limit",
    type=POSITIVE,
    metavar="MINUTES",
    help="End the training after so many and use what was learnt by then.",
)
@options.number("--rate", type=POSITIVE, default=_USUAL.rate, metavar="RATE", help="Learning rate.")
@options.number(
    "--share",
    type=NumberRange(0.05, 1),
    default=_USUAL.share,
    metavar="SHARE",
    help="Share of the trained weights in the mean with those that ship.",
)
@options.flag("--bfloat16", help="Multiply in bfloat16: faster on processors that have it.")
@options.count("--threads", help="Cores to use; default: all.")
@options.level("Confidence level of the intervals.")
@options.as_json
@options.no_progress
@options.takes(AdaptJudgeRequest)
def adapt_judge_command(request: AdaptJudgeRequest) -> int:
    """Fit the embedded judge to the documents CORPUS, and keep it only if it is better.

    Rules make right and wrong statements, contexts and answers of the documents; the judge's
    network learns from them, and its coefficients are fitted to labels of people. Every candidate
    is measured beside the judge that ships, on sources that it has not learnt from. If none is
    better, no folder is written.
    Training needs PyTorch: pip install 'assay[adapt]'.
    """
    read = filter(None, [request.questions, request.labels])
    output.check_files(request.outs, *read, forms=_FORMS)
    how = JudgeAdapting(
        steps=request.steps,
        rate=request.rate,
        share=request.share,
        held_out=request.held_out,
        seconds=None if request.time_limit is None else 60 * request.time_limit,
        bfloat16=request.bfloat16,
        threads=request.threads,
        seed=request.seed,
        level=request.level,
    )
    columns = (
        TextColumn("steps of training"),
        *(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()),
    )
    silent = request.no_progress
    with counter(*columns, description="steps of training", silent=silent) as progress:
        made = adapt_judge(
            list(map(Path, request.corpus)) or None,
            request.questions,
            request.labels,
            out=request.out,
            how=how,
            on_progress=progress,
        )
    compared = [{**msgspec.to_builtins(one), "verdict": one.verdict} for one in made.compared]
    data = {"assay": __version__, **msgspec.to_builtins(made), "compared": compared}
    then = [
        ("use", f"assay run DATA --judge embedded:{made.folder}"),
        ("then", "assay correct last --labels FILE, with labels that were not fitted to"),
    ]
    then = then if made.folder is not None else []
    return tell(data, judge_adaptation.report(data), then, request.outs, as_json=request.as_json)
