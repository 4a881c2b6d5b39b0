"""`adapt`: an embedder fine-tuned to a corpus with PyTorch (extra ``[adapt]``), and measured.

It is exported as ONNX, and measured on questions about documents that it has not seen.
"""

import importlib.util
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from assay.errors import InputError
from assay.experiments.adaptation import (
    HELD_OUT,
    PASSAGE,
    Embedding,
    Floats,
    Gain,
    TrainingData,
    Triplet,
    batches,
    gains,
    mine,
    ranked,
    read_training_data,
    split,
)
from assay.judges.embedded.inference import workers
from assay.judges.onnx import Encoder
from assay.judges.onnx_model import Folder, network
from assay.stats.intervals import LEVEL

if TYPE_CHECKING:
    import torch

SCALE: Final = 20.0  # of cosines before the softmax, as sentence-transformers has it
_WARM: Final = 0.1  # share of the steps in which the learning rate rises
_BESIDE: Final = 4  # questions of one passage that are read together
_WEIGHTS: Final = ("model.safetensors", "pytorch_model.bin")
_NEEDED: Final = ("config.json", "tokenizer.json", "1_Pooling/config.json")
# What else sentence-transformers reads: the adapted folder is one of its models, too.
_COPIED: Final = (
    *_NEEDED[1:],
    *("tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "modules.json"),
    *("sentence_bert_config.json", "config_sentence_transformers.json"),
)


@dataclass(frozen=True, kw_only=True)
class Training:
    """How an embedder is fine-tuned.

    Attributes:
        epochs: How often every triplet is read.
        batch: Triplets of a step; every other passage of the batch is a negative as well.
        rate: Learning rate at its highest, after the first tenth of the steps.
        tokens: Tokens of a text that are read; the rest is cut off, in training only.
        bfloat16: Whether to multiply in bfloat16: faster on processors that have it.
        threads: Cores to use; all that there are if None.
        seed: Order of the triplets, and dropout.
    """

    epochs: int = 1
    batch: int = 16
    rate: float = 5e-5
    tokens: int = 128
    bfloat16: bool = False
    threads: int | None = None
    seed: int = 0


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
    on_progress: Callable[[int, int], None] = lambda n_done, total: None,  # noqa: ARG005
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
    vectors_by_text: dict[str, Floats] = {}

    def embed(texts: Sequence[str]) -> Floats:
        for text in texts:
            if text not in vectors_by_text:
                vectors_by_text[text] = np.asarray(encoder.vector(text), dtype=np.float64)
        return np.stack([vectors_by_text[text] for text in texts])

    return embed


def missing_libraries() -> list[str]:
    """What training needs and is not installed."""
    return [n for n in ("torch", "transformers", "onnx") if not importlib.util.find_spec(n)]


def refuse_filled(folder: Path) -> None:
    """Raise InputError if there is a file of this name, or a folder that holds anything."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"'{folder}' is there already", "name a new folder")


def check_base(folder: Path) -> None:
    """See that libraries and files are there.

    Raises:
        InputError: If PyTorch, transformers or onnx is missing, or a file of the model.
    """
    if missing := missing_libraries():
        fault = f"adapting an embedder needs {', '.join(missing)}"
        raise InputError(fault, "pip install 'assay[adapt]'")
    check_files(folder)


def check_files(folder: Path) -> None:
    """See that a folder holds an embedder with float weights.

    Raises:
        InputError: If it does not, or if its vectors are not means of tokens or first tokens.
    """
    remedy = "give the folder of a sentence-transformers model, which can be trained on"
    if not folder.is_dir():
        raise InputError(f"there is no folder '{folder}'", remedy)
    absent = [name for name in _NEEDED if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in _WEIGHTS):
        absent.append(_WEIGHTS[0])
    if absent:
        raise InputError(f"'{folder}' has no {', no '.join(absent)}", remedy)
    pooling(folder)


def pooling(folder: Path) -> str:
    """How tokens make a vector, as ``1_Pooling/config.json`` says: "mean" or "cls"."""
    config = msgspec.json.decode((folder / "1_Pooling" / "config.json").read_bytes())
    modes = {name for name, on in config.items() if on is True and name.startswith("pooling_mode")}
    for mode, name in (("mean", "pooling_mode_mean_tokens"), ("cls", "pooling_mode_cls_token")):
        if modes == {name} or config.get("pooling_mode") == mode:
            return mode
    raise InputError(f"'{folder}' makes vectors by {', '.join(sorted(modes)) or 'nothing known'}")


class Model:
    """A sentence-transformers model that can be trained."""

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.set_verbosity_error()  # it reports, and draws bars, of every file that it reads
        logging.disable_progress_bar()
        if threads is not None:
            torch.set_num_threads(threads)
        self._folder = folder
        self._pooling = pooling(folder)
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self._net: Any = AutoModel.from_pretrained(folder, attn_implementation="eager")

    def train(
        self,
        triplets: Sequence[Triplet],
        data: TrainingData,
        training: Training,
        on_progress: Callable[[int, int], None] = lambda n_done, total: None,  # noqa: ARG005
    ) -> float:
        """Fine-tune by the multiple-negatives ranking loss; word embeddings stay as they are.

        Returns:
            The mean loss over the last tenth of the steps.

        Source:
            Henderson et al. 2017, Efficient Natural Language Response Suggestion for Smart Reply,
            section 4.
        """
        import torch

        torch.manual_seed(training.seed)
        self._net.get_input_embeddings().weight.requires_grad_(requires_grad=False)
        learnt = [weight for weight in self._net.parameters() if weight.requires_grad]
        steps = [
            batch
            for seed in range(training.seed, training.seed + training.epochs)
            for batch in batches(triplets, training.batch, most=_BESIDE, seed=seed)
        ]
        optimizer = torch.optim.AdamW(learnt, lr=training.rate)
        warm = max(1, round(_WARM * len(steps)))

        def rate(step: int) -> float:
            return min((step + 1) / warm, (len(steps) - step) / max(1, len(steps) - warm))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
        losses = []
        self._net.train()
        for number, batch in enumerate(steps, start=1):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=training.bfloat16):
                loss = self._loss(batch, data, training.tokens)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learnt, 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(float(loss.detach()))
            on_progress(number, len(steps))
        last = losses[-max(1, len(losses) // 10) :]
        return sum(last) / len(last)

    def _loss(self, batch: Sequence[Triplet], data: TrainingData, tokens: int) -> "torch.Tensor":
        """Cross-entropy of each question's passage among all passages of the batch.

        Of the questions of one passage one brings its hard negatives: what is read are passages.
        """
        import torch

        negatives = {triplet.positive: triplet.negatives for triplet in batch}
        columns = list(dict.fromkeys([*negatives, *chain(*negatives.values())]))
        questions = self._vectors([triplet.question.text for triplet in batch], tokens)
        passages = self._vectors([data.passages[number] for number in columns], tokens)
        scores = SCALE * questions @ passages.T
        # Another passage that answers the question as well is no negative.
        also = [
            [p in triplet.question.right and p != triplet.positive for p in columns]
            for triplet in batch
        ]
        scores = scores.masked_fill(torch.tensor(also), float("-inf"))
        target = torch.tensor([columns.index(triplet.positive) for triplet in batch])
        return torch.nn.functional.cross_entropy(scores, target)

    def _vectors(self, texts: list[str], tokens: int) -> "torch.Tensor":
        import torch

        inputs = self._tokenizer(
            texts, padding=True, truncation=True, max_length=tokens, return_tensors="pt"
        )
        states = self._net(**inputs).last_hidden_state.float()
        mask = inputs["attention_mask"].unsqueeze(-1).float()
        mean = (states * mask).sum(1) / mask.sum(1)
        return torch.nn.functional.normalize(states[:, 0] if self._pooling == "cls" else mean)

    def save(self, folder: Path) -> None:
        """Write the model for ``onnx:FOLDER``, and for sentence-transformers."""
        import torch

        folder.mkdir(parents=True, exist_ok=True)
        self._net.eval()
        self._net.save_pretrained(folder)
        # Its writer lets nobody else read the weights; the folder is to be used by a system.
        shutil.copymode(folder / "config.json", folder / _WEIGHTS[0])
        for name in _COPIED:
            if (self._folder / name).is_file():
                (folder / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(self._folder / name, folder / name)
        inputs = dict(
            self._tokenizer(["a text", "one more text"], padding=True, return_tensors="pt")
        )
        axes = {name: {0: "batch", 1: "length"} for name in (*inputs, "last_hidden_state")}
        with torch.no_grad(), warnings.catch_warnings():
            # The exporter that traces is called old; the new one needs two more packages.
            warnings.simplefilter("ignore")
            torch.onnx.export(
                _exported(self._net, list(inputs)),
                tuple(inputs.values()),
                str(folder / "model.onnx"),
                input_names=list(inputs),
                output_names=["last_hidden_state"],
                dynamic_axes=axes,
                opset_version=17,
                dynamo=False,
            )


def _exported(net: Any, names: Sequence[str]) -> Any:
    """The network as a function of tensors in order, which is what an export traces."""
    import torch

    class Exported(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
            states: torch.Tensor = self.net(
                **dict(zip(names, inputs, strict=True))
            ).last_hidden_state
            return states

    return Exported().eval()
