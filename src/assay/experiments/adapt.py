"""`adapt`: an embedder fine-tuned to a corpus, and measured on questions that it has not seen."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assay.experiments.adaptation import (
    HELD_OUT,
    PASSAGE,
    Embedding,
    Floats,
    Gain,
    gains,
    mine,
    ranked,
    read_training_data,
    split,
)
from assay.experiments.fine_tuning import Model, Training, check_base, refuse_filled
from assay.judges.embedded.inference import workers
from assay.judges.onnx import Encoder
from assay.judges.onnx_model import Folder, network
from assay.stats.intervals import LEVEL


@dataclass(frozen=True, kw_only=True)
class Adapting:
    """How an embedder is adapted and measured.

    Attributes:
        words: Words of a passage, about; None: each document is one passage.
        held_out: Share of the documents whose questions only measure.
        seed: Chooses these, the order of training, and dropout.
        level: Nominal coverage of the intervals.
        training: How it is fine-tuned.
    """

    words: int | None = PASSAGE
    held_out: float = HELD_OUT
    seed: int = 0
    level: float = LEVEL
    training: Training = field(default_factory=Training)


@dataclass(frozen=True, slots=True)
class Adaptation:
    """An embedder that was adapted.

    Attributes:
        base: The folder of the base.
        folder: The folder of the adapted embedder.
        passages: How many passages are searched.
        train: How many questions were learnt from.
        held_out: How many others it was measured with.
        documents: How many documents these are about.
        left_out: How many questions have no passage, or passages of several documents.
        by_rule: Whether the questions are sentences taken out of the passages.
        loss: Mean loss at the end of the training.
        gains: What it gained, measure by measure.
        level: Nominal coverage of the intervals.
    """

    base: str
    folder: str
    passages: int
    train: int
    held_out: int
    documents: int
    left_out: int
    by_rule: bool
    loss: float
    gains: tuple[Gain, ...]
    level: float


def adapt(
    base: str | Path,
    corpus: Any,
    questions: Any = None,
    *,
    out: str | Path,
    settings: Adapting | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> Adaptation:
    """Fine-tune an embedder to a corpus, and measure it on documents that it has not learnt from.

    Args:
        base: The folder of a sentence-transformers model.
        corpus: As for `read_documents`.
        questions: A data set of questions about the corpus; None: sentences taken out of it.
        out: The folder to write: for ``onnx:FOLDER`` and for sentence-transformers.
        settings: How it is done.
        on_progress: Called with (steps done, all) of the training.

    Raises:
        InputError: If anything cannot be used; told before the training begins.
    """
    settings, base, out = settings or Adapting(), Path(base), Path(out)
    check_base(base)
    refuse_filled(out)
    data = read_training_data(corpus, questions, words=settings.words)
    divided = split(data.questions, settings.held_out, seed=settings.seed)
    model = Model(base, settings.training.threads)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder))  # measured as it will be read
        embed = embedding(Path(folder), settings.training.threads)
        triplets = mine(divided.train, data, embed)
        before = ranked(divided.held_out, data, embed)
    loss = model.train(triplets, data, settings.training, on_progress)
    model.save(out)
    after = ranked(divided.held_out, data, embedding(out, settings.training.threads))
    return Adaptation(
        base=str(base),
        folder=str(out),
        passages=len(data.passages),
        train=len(divided.train),
        held_out=len(divided.held_out),
        documents=len({question.source for question in divided.held_out}),
        left_out=data.unmatched + divided.mixed,
        by_rule=data.by_rule,
        loss=loss,
        gains=gains(divided.held_out, before, after, level=settings.level),
        level=settings.level,
    )


def embedding(folder: Path, threads: int | None = None) -> Embedding:
    """The embedder of a folder, read as ``onnx:FOLDER`` reads it; each text once."""
    files = Folder.at(folder)
    encoder = Encoder.of(network(files.model, files.name), workers(threads))
    known: dict[str, Floats] = {}

    def embed(texts: Sequence[str]) -> Floats:
        for text in texts:
            if text not in known:
                known[text] = np.asarray(encoder.vector(text), dtype=np.float64)
        return np.stack([known[text] for text in texts])

    return embed
