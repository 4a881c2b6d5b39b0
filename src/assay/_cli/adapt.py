"""The commands `assay adapt` and `assay adapt judge`: models fitted to a corpus, and measured."""

from pathlib import Path
from typing import Any

import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from assay._cli import options, output, values
from assay._cli.errors import OK, say
from assay._cli.options import POSITIVE, NumberRange
from assay._cli.output import counter
from assay._report import bench, page
from assay._version import __version__
from assay.experiments.adapt import Adapting, Training, adapt
from assay.experiments.adaptation import HELD_OUT, PASSAGE
from assay.experiments.judge_adaptation import JudgeAdapting, adapt_judge

_USUAL = Training()
_GROUPS = {
    "What is learnt": ("questions", "words", "whole", "held_out", "seed"),
    "How": ("epochs", "batch", "rate", "tokens", "bfloat16", "threads"),
    "What is written and shown": ("out", "outs", "level", "as_json", "no_progress"),
}
_FORMS = {".html": "a page", ".md": "Markdown", ".json": "all that is shown"}


def _report_files(deed: str) -> Any:
    help_ = f"Write what was {deed}: .html (a page), .md (Markdown) or .json. Repeatable."
    return options.option("--report", multiple=True, metavar="FILE", help=help_)


class _AdaptationRequest(options.ShownRequest):
    """What both commands are asked for; each has its own words for some."""

    corpus: tuple[str, ...]
    questions: str | None
    out: str
    held_out: float
    seed: int
    rate: float
    bfloat16: bool = options.flag(
        "--bfloat16", help="Multiply in bfloat16: faster on processors that have it."
    )
    threads: int | None = options.count("--threads", help="Cores to use; default: all.")
    level: float = options.level("Confidence level of the intervals.")
    no_progress: bool


class _AdaptRequest(_AdaptationRequest):
    embedder: str = options.argument()
    corpus: tuple[str, ...] = options.argument(nargs=-1, required=True)
    questions: str | None = options.option(
        "--questions",
        metavar="FILE",
        help="Questions about the corpus, with the ids or texts of the contexts that answer them, "
        "or with references. Without it sentences taken out of the passages stand for questions.",
    )
    out: str = options.option(
        "--out",
        required=True,
        metavar="FOLDER",
        help="The adapted embedder, for --embedder onnx:FOLDER and for sentence-transformers.",
    )
    outs: tuple[str, ...] = _report_files("gained")
    words: int = options.count(
        "--passage-words",
        default=PASSAGE,
        least=20,
        help="Words of a passage that documents are cut into.",
    )
    whole: bool = options.flag("--whole", help="Do not cut documents: each is one passage.")
    held_out: float = options.number(
        "--held-out",
        type=NumberRange(0.05, 0.9),
        default=HELD_OUT,
        metavar="SHARE",
        help="Share of the documents whose questions are not learnt from: they measure.",
    )
    seed: int = options.count(
        "--seed",
        default=0,
        least=0,
        help="Chooses the held-out documents, and the order of training.",
    )
    epochs: int = options.count(
        "--epochs", default=_USUAL.epochs, help="How often every question is read."
    )
    batch: int = options.count(
        "--batch", default=_USUAL.batch, least=2, help="Questions of a step."
    )
    rate: float = options.number(
        "--rate", type=POSITIVE, default=_USUAL.rate, metavar="RATE", help="Learning rate."
    )
    tokens: int = options.count(
        "--tokens",
        default=_USUAL.tokens,
        least=16,
        help="Tokens of a passage that training reads; it costs time in proportion.",
    )


@options.command("adapt", _AdaptRequest, _GROUPS)
def adapt_command(request: _AdaptRequest) -> int:
    """Fine-tune EMBEDDER to the documents CORPUS and measure what retrieval gains.

    EMBEDDER is the folder of a sentence-transformers model. It learns to place each question near
    the passage that answers it and away from the three that the base finds first of all others.
    Questions about some documents are held out; base and adapted embedder are compared on them.
    Needs PyTorch: pip install 'assay[adapt]'.
    """
    read = filter(None, [request.questions])
    output.check_files(request.outs, *read, forms=_FORMS)
    if request.whole:
        values.reject_options("cuts documents", "leave out --whole, or it", "words")
    settings = options.fill(
        Adapting,
        request,
        words=None if request.whole else request.words,
        training=options.fill(Training, request),
    )
    corpus = list(map(Path, request.corpus))
    columns = (TextColumn("steps of training"), BarColumn(), MofNCompleteColumn())
    with counter(*columns, silent=request.no_progress) as progress:
        adapted = adapt(
            request.embedder,
            corpus,
            request.questions,
            out=request.out,
            settings=settings,
            on_progress=progress,
        )
    data = {
        "assay": __version__,
        **msgspec.to_builtins(adapted),
        "gains": [{**msgspec.to_builtins(gain), "verdict": gain.verdict} for gain in adapted.gains],
    }
    next_lines = [("next", f"assay run DATA --embedder onnx:{request.out}")]
    show, writers = page.renderers(bench.embedder_report)
    output.present(data, request, writers, show, next_lines)
    return OK


_USUAL_JUDGE = JudgeAdapting()
_JUDGE_GROUPS = {
    "What is learnt": ("questions", "labels", "held_out", "seed"),
    "How": ("steps", "time_limit", "rate", "share", "bfloat16", "threads"),
    "What is written and shown": ("out", "outs", "level", "as_json", "no_progress"),
}


class _AdaptJudgeRequest(_AdaptationRequest):
    corpus: tuple[str, ...] = options.argument(nargs=-1)
    questions: str | None = options.option(
        "--questions",
        metavar="FILE",
        help="Questions about the corpus with references, as assay testset writes them (better "
        "with a language model). Without it rules make them.",
    )
    labels: str | None = options.option(
        "--labels",
        metavar="FILE",
        help="Labels of people: a store in which statements were labelled, or rows with supported, "
        "context_relevant or answer_relevant. They measure, and coefficients are fitted to them.",
    )
    out: str = options.option(
        "--out", required=True, metavar="FOLDER", help="For --judge embedded:FOLDER."
    )
    outs: tuple[str, ...] = _report_files("measured")
    held_out: float = options.number(
        "--held-out",
        type=NumberRange(0.05, 0.9),
        default=_USUAL_JUDGE.held_out,
        metavar="SHARE",
        help="Share of the documents whose synthetic cases only measure.",
    )
    seed: int = options.count(
        "--seed",
        default=_USUAL_JUDGE.seed,
        least=0,
        help="Chooses the held-out documents, and the order of training.",
    )
    steps: int = options.count(
        "--steps",
        default=_USUAL_JUDGE.steps,
        least=0,
        help="Steps of training; 0: fit coefficients alone, to --labels, without CORPUS or "
        "PyTorch.",
    )
    time_limit: float | None = options.number(
        "--time-limit",
        type=POSITIVE,
        metavar="MINUTES",
        help="End the training after so many, counted anew if it goes on after an interruption, "
        "and use what was learnt by then.",
    )
    rate: float = options.number(
        "--rate", type=POSITIVE, default=_USUAL_JUDGE.rate, metavar="RATE", help="Learning rate."
    )
    share: float = options.number(
        "--share",
        type=NumberRange(0.05, 1),
        default=_USUAL_JUDGE.share,
        metavar="SHARE",
        help="Share of the trained weights in the mean with those that ship.",
    )


@options.command("adapt judge", _AdaptJudgeRequest, _JUDGE_GROUPS)
def adapt_judge_command(request: _AdaptJudgeRequest) -> int:
    """Fit the embedded judge to the documents CORPUS, and keep it only if it is better.

    Rules make right and wrong statements, contexts and answers of the documents; the judge's
    network learns from them, and its coefficients are fitted to labels of people. Every candidate
    is measured beside the judge that ships, on sources that it has not learnt from. If none is
    better, no folder is written.
    Training needs PyTorch: pip install 'assay[adapt]'.
    """
    read = filter(None, [request.questions, request.labels])
    output.check_files(request.outs, *read, forms=_FORMS)
    seconds = None if request.time_limit is None else 60 * request.time_limit
    settings = options.fill(JudgeAdapting, request, seconds=seconds)
    columns = (
        TextColumn("steps of training"),
        *(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()),
    )
    silent = request.no_progress
    with counter(*columns, description="steps of training", silent=silent) as progress:

        def train(n_done: int, total: int) -> None:
            progress(n_done, total)
            if n_done == total and not silent:
                say("trained; now measured on the cases kept aside, which takes minutes")

        adapted = adapt_judge(
            list(map(Path, request.corpus)) or None,
            request.questions,
            request.labels,
            out=request.out,
            settings=settings,
            on_progress=train,
        )
    compared = [
        {**msgspec.to_builtins(comparison), "verdict": comparison.verdict}
        for comparison in adapted.compared
    ]
    data = {"assay": __version__, **msgspec.to_builtins(adapted), "compared": compared}
    next_lines = [
        ("use", f"assay run DATA --judge embedded:{adapted.folder}"),
        ("then", "assay correct last --labels FILE, with labels that were not fitted to"),
    ]
    next_lines = next_lines if adapted.folder is not None else []
    show, writers = page.renderers(bench.judge_report)
    output.present(data, request, writers, show, next_lines)
    return OK
