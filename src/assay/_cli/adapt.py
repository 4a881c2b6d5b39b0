"""The commands `assay adapt` and `assay adapt judge`: models fitted to a corpus, and measured."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

from assay._cli import options, output, values
from assay._cli.errors import OK
from assay._cli.options import POSITIVE, NumberRange
from assay._cli.output import counter
from assay._report import bench, page
from assay._version import __version__
from assay.experiments.adapt import Adapting, Training, adapt
from assay.experiments.adaptation import HELD_OUT, PASSAGE, Gain
from assay.experiments.judge_adaptation import adapt_judge

_USUAL = Training()
_GROUPS = {
    "What is learnt": ("questions", "words", "whole", "held_out", "seed"),
    "How": ("epochs", "batch", "rate", "tokens", "bfloat16", "threads"),
    "What is written and shown": ("out", "outs", "level", "as_json", "no_progress"),
}
_FORMS = {".html": "a page", ".md": "Markdown", ".json": "all that is shown"}


def _report_files(what: str) -> Any:
    help_ = f"Write what was {what}: .html (a page), .md (Markdown) or .json. Repeatable."
    return options.option("--report", multiple=True, metavar="FILE", help=help_)


def _threads() -> Any:
    return options.count("--threads", help="Cores to use; default: all.")


class _AdaptRequest(options.ShownRequest):
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
    bfloat16: bool = options.flag(
        "--bfloat16", help="Multiply in bfloat16: faster on processors that have it."
    )
    threads: int | None = _threads()
    level: float = options.level("Confidence level of the intervals.")
    no_progress: bool


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
        "gains": _with_verdicts(adapted.gains),
    }
    then = [("next", f"assay run DATA --embedder onnx:{request.out}")]
    show, writers = page.renderers(bench.embedder_report)
    output.present(data, request, writers, show, then)
    return OK


def _with_verdicts(gains: Iterable[Gain]) -> list[dict[str, Any]]:
    return [{**msgspec.to_builtins(gain), "verdict": gain.verdict} for gain in gains]


class _AdaptJudgeRequest(options.ShownRequest):
    labels: str = options.option(
        "--labels",
        required=True,
        metavar="FILE",
        help="Labels of people: a store in which statements were labelled, or rows with supported, "
        "context_relevant or answer_relevant. Coefficients are fitted to them, and measured with "
        "those of other sources.",
    )
    out: str = options.option(
        "--out", required=True, metavar="FOLDER", help="For --judge embedded:FOLDER."
    )
    outs: tuple[str, ...] = _report_files("measured")
    threads: int | None = _threads()
    level: float = options.level("Confidence level of the intervals.")


@options.command("adapt judge", _AdaptJudgeRequest)
def adapt_judge_command(request: _AdaptJudgeRequest) -> int:
    """Fit the embedded judge to labels of a domain, and keep it only if it is better.

    Its coefficients are fitted, and measured beside those that ship, on sources that they were not
    fitted to. Where they are no better, no folder is written.
    """
    output.check_files(request.outs, request.labels, forms=_FORMS)
    adapted = adapt_judge(
        request.labels, out=request.out, threads=request.threads, level=request.level
    )
    compared = [{**msgspec.to_builtins(one), "verdict": one.verdict} for one in adapted.compared]
    data = {"assay": __version__, **msgspec.to_builtins(adapted), "compared": compared}
    then = [
        ("use", f"assay run DATA --judge embedded:{adapted.folder}"),
        ("then", "assay correct last --labels FILE, with labels that were not fitted to"),
    ]
    then = then if adapted.folder is not None else []
    show, writers = page.renderers(bench.judge_report)
    output.present(data, request, writers, show, then)
    return OK
