"""The embedded reader's network in PyTorch (extra ``[adapt]``), and its training.

The network is MiniLM-L6 with a linear layer on every token. Beside evidence each token of a
statement says how likely it is unsupported and votes for one of three classes; a statement's class
is the mean of its tokens' votes. Beside a question the tokens vote whether their sentence helps to
answer it, and whether the whole text answers it.

Seeds are fixed; on a CPU two runs with as many threads give the same weights. A checkpoint is
written now and then, and a run that was cut off goes on where its last one stands.
"""

import random
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from assay.experiments.reader_windows import Example
from assay.judges.embedded.reader import ABSENT, NEAR, PRESENT, UNKNOWN, visible

OUTPUTS: Final = 6  # unsupported, supported, refuted, neutral, helps, answers
TYPES: Final = 6  # see assay.judges.embedded.reader
INPUTS: Final = ("ids", "types", "positions", "visible")
WORDS: Final = "bert.embeddings.word_embeddings.weight"  # never trained
_SIZES: Final = {"hidden_size": 384, "num_hidden_layers": 6, "intermediate_size": 1536}
_HIDDEN: Final = -1e4  # bias of what a token does not see: an attention weight of exactly 0
_QUANTISED: Final = "_quantized"


class Verifier(nn.Module):  # type: ignore[misc]
    """Token ids, types, positions and what each sees to logits of shape (batch, length, 6).

    Args:
        base: The folder of MiniLM-L6; None: weights are loaded afterwards.
        attention: As of transformers; only "eager" can be exported.
    """

    def __init__(self, base: Path | None = None, *, attention: str = "sdpa") -> None:
        super().__init__()
        options: dict[str, Any] = {"add_pooling_layer": False}
        if base is None:
            config = BertConfig(**_SIZES, attn_implementation=attention)
            self.bert = BertModel(config, **options)
        else:
            self.bert = BertModel.from_pretrained(base, attn_implementation=attention, **options)
        embeddings = self.bert.embeddings
        old = embeddings.token_type_embeddings.weight.data
        fresh = nn.Embedding(TYPES, old.shape[1])
        fresh.weight.data[:] = old[0]  # every type begins as what the base model was trained with
        embeddings.token_type_embeddings = fresh
        embeddings.word_embeddings.weight.requires_grad = False  # shared with the other models
        self.head = nn.Linear(old.shape[1], OUTPUTS)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0

    def forward(
        self,
        ids: torch.Tensor,
        types: torch.Tensor,
        positions: torch.Tensor,
        visible: torch.Tensor,
    ) -> torch.Tensor:
        """Logits of every token; `visible` is (batch, length, length): which sees which."""
        # A ready-made bias keeps the library's own mask building out of the graph.
        bias = (~visible[:, None]).to(self.head.weight.dtype) * _HIDDEN
        hidden = self.bert(
            input_ids=ids, attention_mask=bias, token_type_ids=types, position_ids=positions
        ).last_hidden_state
        logits: torch.Tensor = self.head(hidden)
        return logits

    def load(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take the weights of a checkpoint; what it has not learnt yet keeps its first values."""
        own_state = self.state_dict()
        for name, value in state.items():
            sizes = zip(value.shape, own_state[name].shape, strict=True)
            common = tuple(slice(min(size)) for size in sizes)
            own_state[name][common] = value[common]
        self.load_state_dict(own_state)


def export(verifier: nn.Module, path: Path) -> None:
    """Write the fp32 graph with a dynamic length; a `Verifier`'s attention must be "eager"."""
    ids, visibility = torch.arange(1000, 1009)[None], torch.ones(1, 9, 9, dtype=torch.bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that traces is called old
        torch.onnx.export(
            verifier.eval(),
            (ids, torch.zeros_like(ids), torch.arange(9)[None], visibility),
            str(path),
            input_names=list(INPUTS),
            output_names=["logits"],
            dynamic_axes={
                "visible": {1: "length", 2: "length"},
                **{name: {1: "length"} for name in (*INPUTS[:-1], "logits")},
            },
            opset_version=17,
            dynamo=False,  # the tracing exporter gives a smaller graph that needs no clean-up
        )


def quantise(source: Path, target: Path, exact: Sequence[str] = ()) -> None:
    """Int8 weights, a scale for every output channel, 7 bits so that no CPU saturates.

    One scale a tensor instead of one a channel costs a mean cosine difference of 0.12 to 0.18,
    measured; with one a channel it is below 0.01. Nodes that are named `exact` stay as they are.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared = source.with_name(f"{source.stem}-prepared.onnx")
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(
        str(prepared),
        str(target),
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        nodes_to_exclude=list(exact),
    )
    onnx.checker.check_model(onnx.load(str(target)))


def save(state: Mapping[str, torch.Tensor], path: Path) -> None:
    """Write weights as the int8 graph that the embedded judge reads."""
    verifier = Verifier(attention="eager")
    verifier.load(state)
    with tempfile.TemporaryDirectory() as name:
        plain = Path(name) / "fp32.onnx"
        export(verifier, plain)
        quantise(plain, path)


def restored(graph: Path | bytes) -> dict[str, torch.Tensor]:
    """Every weight of an int8 graph under its name in `Verifier`, word vectors included.

    They are rounded to seven bits, which the first steps of training make good.
    """
    import onnx
    from onnx import numpy_helper

    content = graph if isinstance(graph, bytes) else graph.read_bytes()
    model = onnx.load_from_string(content).graph
    arrays = {
        initializer.name: numpy_helper.to_array(initializer) for initializer in model.initializer
    }
    weights = {name: value for name, value in arrays.items() if name.endswith((".weight", ".bias"))}
    for name in arrays:
        if name.endswith(f".weight{_QUANTISED}"):
            plain = name.removesuffix(_QUANTISED)
            weights[plain] = _exact(arrays, plain)
    for node in model.node:
        if node.op_type == "MatMulInteger":
            layer = node.name.removesuffix("/MatMul_quant").strip("/").replace("/", ".")
            matrix = _exact(arrays, node.input[1].removesuffix(_QUANTISED))
            weights[f"{layer}.weight"] = matrix.T
    return {name: torch.tensor(value) for name, value in weights.items()}


def _exact(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> npt.NDArray[np.float32]:
    """What the int8 values stand for, in float32."""
    values, zero = (
        arrays[f"{name}{end}"].astype(np.float32) for end in (_QUANTISED, "_zero_point")
    )
    exact: npt.NDArray[np.float32] = (values - zero) * arrays[f"{name}_scale"].astype(np.float32)
    return exact


def mean(
    one: Mapping[str, torch.Tensor], other: Mapping[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """Every weight as `share` of the second one's and the rest of the first one's."""
    shared = one.keys() & other.keys()  # a small checkpoint is without word vectors
    return {name: torch.lerp(one[name].float(), other[name].float(), share) for name in shared}


TOKENS: Final = 4096  # of a batch, padding included
_ROUNDED: Final = 16  # lengths are multiples of it: kernels are made anew for every shape
# Of the losses.
_WEIGHTS: Final = {"statements": 1.0, "taught": 1.0, "tokens": 1.0, "helps": 0.5, "answers": 0.5}
_HIDDEN_FLAGS: Final = 0.3  # share of windows whose flags are hidden
_TOGETHER: Final = 2048  # windows that are sorted by length together


class Batch:
    """Examples of like length, padded."""

    def __init__(self, examples: Sequence[Example], names: list[str], rng: random.Random) -> None:
        length = -(-max(len(e.ids) for e in examples) // _ROUNDED) * _ROUNDED
        shape = (len(examples), length)
        ids, types = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        positions, visibility = np.zeros(shape, np.int64), np.zeros((*shape, length), bool)
        tokens = np.full(shape, -1, np.int64)
        statements, wrong, helps, answers, taught = [], [], [], [], []
        for i, e in enumerate(examples):
            n = len(e.ids)
            ids[i, :n], types[i, :n], tokens[i, :n] = e.ids, e.types, e.tokens
            positions[i, :n], visibility[i, :n, :n] = e.positions, visible(e.groups, e.views)
            if rng.random() < _HIDDEN_FLAGS:
                types[i, :n][np.isin(e.types, (ABSENT, PRESENT, NEAR))] = UNKNOWN
            for k, (first, last, label) in enumerate(e.parts):
                statements.append((i, first, last, label, names.index(e.data)))
                helps.append(e.helps[k] if e.helps else -1.0)
                taught.append(e.taught[k] if e.taught else (-1.0,) * 3)
            answers.append(e.answers)
            if e.any_wrong:
                wrong.append(i)
        self.ids, self.types = torch.from_numpy(ids), torch.from_numpy(types)
        self.positions, self.visible = torch.from_numpy(positions), torch.from_numpy(visibility)
        self.tokens = torch.from_numpy(tokens)
        self.parts, self.taught = torch.tensor(statements), torch.tensor(taught)
        self.helps, self.answers = torch.tensor(helps), torch.tensor(answers)
        self.wrong = wrong


def batches(
    examples: Sequence[Example], rng: random.Random, tokens: int = TOKENS
) -> Iterator[list[Example]]:
    """All examples once: shuffled, then sorted by length within stretches, then shuffled again.

    A batch has at most so many tokens, the room that shorter examples leave in it included.
    """
    order = list(examples)
    rng.shuffle(order)
    shuffled: list[list[Example]] = []
    for start in range(0, len(order), _TOGETHER):
        stretch = sorted(order[start : start + _TOGETHER], key=lambda e: len(e.ids))
        batch: list[Example] = []
        for example in stretch:
            if batch and (len(batch) + 1) * len(example.ids) > tokens:
                shuffled.append(batch)
                batch = []
            batch.append(example)
        shuffled.append(batch)
    rng.shuffle(shuffled)
    yield from shuffled


def votes(out: torch.Tensor, parts: torch.Tensor) -> torch.Tensor:
    """Mean of the votes over the tokens of every part, (parts, 5)."""
    summed = functional.pad(out[..., 1:].float().cumsum(1), (0, 0, 1, 0))
    rows, first, last = parts[:, 0], parts[:, 1], parts[:, 2]
    return (summed[rows, last] - summed[rows, first]) / (last - first).clamp(min=1)[:, None]


def losses_of(out: torch.Tensor, batch: Batch, offsets: torch.Tensor) -> dict[str, torch.Tensor]:
    """The mean cross-entropy of each kind of judgement that the batch has labels for."""
    scores = votes(out, batch.parts)
    losses = {
        "statements": _statements(scores[:, :3], batch, offsets),
        "taught": _as_taught(scores[:, :3], batch.taught),
        "tokens": _binary(out[..., 0].float().flatten(), batch.tokens.flatten().float()),
        "helps": _binary(scores[:, 3], batch.helps),
        "answers": _binary(_text_loss(scores[:, 4], batch), batch.answers),
    }
    return {name: loss for name, loss in losses.items() if loss is not None}


def _as_taught(scores: torch.Tensor, taught: torch.Tensor) -> torch.Tensor | None:
    """Cross-entropy with what another reader finds."""
    known = taught[:, 0] >= 0
    return functional.cross_entropy(scores[known], taught[known]) if known.any() else None


def _binary(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor | None:
    known = labels >= 0
    if not known.any():
        return None
    return functional.binary_cross_entropy_with_logits(logits[known], labels[known])


def _text_loss(scores: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Mean over all tokens of a text."""
    rows, lengths = batch.parts[:, 0], (batch.parts[:, 2] - batch.parts[:, 1]).float()
    empty = torch.zeros(len(batch.answers))
    total = empty.index_add(0, rows, scores * lengths)
    return total / empty.index_add(0, rows, lengths).clamp(min=1)


def _statements(scores: torch.Tensor, batch: Batch, offsets: torch.Tensor) -> torch.Tensor | None:
    """Cross-entropy of statements; of a text known to be wrong somewhere its worst part counts."""
    label, data = batch.parts[:, 3], batch.parts[:, 4]
    # How often a data set's statements are supported is its makers' choice, not to be learnt.
    logs = functional.log_softmax(scores + offsets[data], dim=1)
    unsupported = torch.logsumexp(logs[:, 1:], dim=1)
    picked = torch.where(label == 3, unsupported, logs.gather(1, label.clamp(0, 2)[:, None])[:, 0])
    losses = [-picked[label >= 0]]
    losses += [-unsupported[batch.parts[:, 0] == i].max()[None] for i in batch.wrong]
    return torch.cat(losses).mean() if any(len(loss) for loss in losses) else None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a network is trained.

    Attributes:
        steps: The batches, in order.
        out: The checkpoint.
        rate: The learning rate at its highest.
        seed: Which windows' flags are hidden.
        bfloat16: Whether to multiply in bfloat16, where that is faster.
        save_every: Seconds between two checkpoints.
        seconds: After how many to stop early; None: never.
    """

    steps: Sequence[Sequence[Example]]
    out: Path
    rate: float = 1e-4
    seed: int = 0
    bfloat16: bool = False
    save_every: float = 240.0
    seconds: float | None = None


class Run:
    """A training run: network, optimiser and the place where it stands, kept in a checkpoint.

    Args:
        plan: How.
        start: The weights to begin with.
        base: The folder of MiniLM-L6, where the weights are not complete.
    """

    def __init__(
        self, plan: Plan, start: Mapping[str, torch.Tensor] | None, base: Path | None = None
    ) -> None:
        self.plan = plan
        self.names = sorted({e.data for batch in plan.steps for e in batch})
        self.done = 0
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        # Of processors some multiply bfloat16 faster than float32 and some at half its speed.
        self.short = self.device == "cuda" or plan.bfloat16
        self.model = Verifier(base)
        if start:
            self.model.load(start)
        self.model.to(self.device).train()
        self.offsets = torch.nn.Parameter(torch.zeros(len(self.names), 3))
        self.weights = [p for p in self.model.parameters() if p.requires_grad]
        self.optimiser = self._optimiser(plan.rate)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimiser, self._share_of_rate)
        self.sums: dict[str, float] = {}
        self._resume()

    def train(self, on_step: Callable[["Run"], None]) -> None:
        """All steps that are left, or as many as there is time for; then a checkpoint."""
        started = saved = time.monotonic()
        for batch in self.plan.steps[self.done :]:
            if self.plan.seconds and time.monotonic() - started > self.plan.seconds:
                break
            self.step(batch)
            on_step(self)
            if time.monotonic() - saved > self.plan.save_every:
                saved = time.monotonic()
                self.save()
        self.save()

    def step(self, examples: Sequence[Example]) -> None:
        """One batch forth and back."""
        self.done += 1
        batch = Batch(examples, self.names, random.Random(f"{self.plan.seed} {self.done}"))  # noqa: S311 - no secret
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.short):
            inputs = (batch.ids, batch.types, batch.positions, batch.visible)
            logits = self.model(*(tensor.to(self.device) for tensor in inputs))
        losses = losses_of(logits.cpu(), batch, self.offsets)
        self.optimiser.zero_grad()
        torch.stack([_WEIGHTS[name] * loss for name, loss in losses.items()]).sum().backward()
        torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimiser.step()
        self.schedule.step()
        for name, loss in losses.items():
            value = float(loss.detach())
            self.sums[name] = 0.98 * self.sums.get(name, value) + 0.02 * value

    def save(self) -> None:
        """Write the checkpoint; the old one stays whole until the new one is."""
        state = {
            "model": self.model.state_dict(),
            "offsets": self.offsets.data,
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
            "step": self.done,
        }
        fresh = self.plan.out.with_suffix(".new")
        torch.save(state, fresh)
        fresh.replace(self.plan.out)

    def _resume(self) -> None:
        if not self.plan.out.exists():
            return
        state = torch.load(self.plan.out, map_location=self.device)
        self.done = state["step"]
        self.model.load(state["model"])
        self.offsets.data = state["offsets"].cpu()
        self.optimiser.load_state_dict(state["optimiser"])
        self.schedule.load_state_dict(state["schedule"])

    def _optimiser(self, rate: float) -> torch.optim.Optimizer:
        groups = [
            {"params": [p for p in self.weights if p.ndim > 1], "weight_decay": 0.01},
            {"params": [p for p in self.weights if p.ndim <= 1], "weight_decay": 0.0},
            {"params": [self.offsets], "weight_decay": 0.1, "lr": rate * 20},
        ]
        return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=True)

    def _share_of_rate(self, step: int) -> float:
        """Up in a straight line, then down in one."""
        steps = len(self.plan.steps)
        warm = max(1, int(0.06 * steps))
        return min((step + 1) / warm, max(0.02, (steps - step) / max(1, steps - warm)))
