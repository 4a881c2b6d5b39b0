"""The command `assay adapt`: an embedder fine-tuned to a corpus, and measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

from assay._cli import options, output
from assay._cli.errors import OK
from assay._cli.options import POSITIVE, Grouped, NumberRange
from assay._cli.progress import counter
from assay._report import adaptation, sections
from assay._version import __version__
from assay.experiments.adapt import Adapting, adapt
from assay.experiments.adaptation import HELD_OUT
from assay.experiments.fine_tuning import Training
from assay.testset.sources import PASSAGE

_USUAL = Training()
_GROUPS = {
    "What is learnt": ("questions", "words", "whole", "held_out", "seed"),
    "How": ("epochs", "batch", "rate", "tokens", "bfloat16", "threads"),
    "What is written and shown": ("out", "outs", "level", "as_json", "no_progress"),
}
_FORMS = {".html": "a page", ".md": "Markdown", ".json": "all that is shown"}


@dataclass(frozen=True, kw_only=True)
class AdaptRequest:
    """What `assay adapt` is asked for."""

    embedder: str
    corpus: tuple[str, ...]
    questions: str | None
    out: str
    outs: tuple[str, ...]
    words: int
    whole: bool
    held_out: float
    seed: int
    epochs: int
    batch: int
    rate: float
    tokens: int
    bfloat16: bool
    threads: int | None
    level: float
    as_json: bool
    no_progress: bool


@click.command("adapt", cls=Grouped, groups=_GROUPS)
@click.argument("embedder")
@click.argument("corpus", nargs=-1, required=True)
@click.option(
    "--questions",
    metavar="FILE",
    help="Questions about the corpus, with the ids or texts of the contexts that answer them, or "
    "with references. Without it sentences taken out of the passages stand for questions.",
)
@click.option(
    "--out",
    required=True,
    metavar="FOLDER",
    help="The adapted embedder, for --embedder onnx:FOLDER and for sentence-transformers.",
)
@click.option(
    "--report",
    "outs",
    multiple=True,
    metavar="FILE",
    help="Write what was gained: .html (a page), .md (Markdown) or .json. Repeatable.",
)
@options.count(
    "--passage-words",
    "words",
    default=PASSAGE,
    least=20,
    help="Words of a passage that documents are cut into.",
)
@options.flag("--whole", help="Do not cut documents: each is one passage.")
@options.number(
    "--held-out",
    type=NumberRange(0.05, 0.9),
    default=HELD_OUT,
    metavar="SHARE",
    help="Share of the documents whose questions are not learnt from: they measure.",
)
@options.count("--seed", default=0, least=0, help="Chooses them, and the order of training.")
@options.count("--epochs", default=_USUAL.epochs, help="How often every question is read.")
@options.count("--batch", default=_USUAL.batch, least=2, help="Questions of a step.")
@options.number("--rate", type=POSITIVE, default=_USUAL.rate, metavar="RATE", help="Learning rate.")
@options.count(
    "--tokens",
    default=_USUAL.tokens,
    least=16,
    help="Tokens of a passage that training reads; it costs time in proportion.",
)
@options.flag("--bfloat16", help="Multiply in bfloat16: faster on processors that have it.")
@options.count("--threads", help="Cores to use; default: all.")
@options.level("Confidence level of the intervals.")
@options.as_json
@options.no_progress
@options.takes(AdaptRequest)
def adapt_command(request: AdaptRequest) -> int:
    """Fine-tune EMBEDDER to the documents CORPUS and measure what retrieval gains.

    EMBEDDER is the folder of a sentence-transformers model. It learns to place each question near
    the passage that answers it and away from the passage that the base finds first of all others.
    Questions about some documents are held out; base and adapted embedder are compared on them.
    Needs PyTorch: pip install 'assay[adapt]'.
    """
    read = filter(None, [request.questions])
    output.check_files(request.outs, *read, forms=_FORMS)
    if request.whole:
        options.reject_options("cuts documents", "leave out --whole, or it", "words")
    how = Adapting(
        words=None if request.whole else request.words,
        held_out=request.held_out,
        seed=request.seed,
        level=request.level,
        training=Training(
            epochs=request.epochs,
            batch=request.batch,
            rate=request.rate,
            tokens=request.tokens,
            bfloat16=request.bfloat16,
            threads=request.threads,
            seed=request.seed,
        ),
    )
    corpus = list(map(Path, request.corpus))
    columns = (TextColumn("steps of training"), BarColumn(), MofNCompleteColumn())
    with counter(*columns, silent=request.no_progress) as progress:
        made = adapt(
            request.embedder,
            corpus,
            request.questions,
            out=request.out,
            how=how,
            on_progress=progress,
        )
    gains = [{**msgspec.to_builtins(gain), "verdict": gain.verdict} for gain in made.gains]
    data = {"assay": __version__, **msgspec.to_builtins(made), "gains": gains}
    then = [("next", f"assay run DATA --embedder onnx:{request.out}")]
    return tell(data, adaptation.report(data), then, request.outs, as_json=request.as_json)


def tell(
    data: Mapping[str, Any],
    report: sections.Sections,
    then: Sequence[tuple[str, str]],
    outs: Sequence[str],
    *,
    as_json: bool,
) -> int:
    """Write and show what came of an adaptation and what to do next; the exit code."""
    writers = {".html": lambda _: sections.html(report), ".md": lambda _: sections.markdown(report)}
    output.write_data(data, outs, writers)
    if as_json:
        output.print_json(data)
        return OK
    output.stdout().print(sections.console(report))
    output.print_lines([*output.file_lines(outs), *then])
    return OK
