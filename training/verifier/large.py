"""A larger reader: all-mpnet-base-v2 with small adapters in its upper layers, over many sessions.

    python -m training.verifier.large train --examples pairs.pkl people.pkl --out large.pt
    python -m training.verifier.large measure large.pt --examples held_out.pkl
    python -m training.verifier.large teach large.pt --examples pairs.pkl --out taught.pkl
    python -m training.verifier.large keep large.pt --out adapters.pt
    python -m training.verifier.large export large.pt --out model.onnx

The same windows as the small reader's, each statement for itself. Base weights are never changed:
what is learnt are adapters of a few million numbers, so a checkpoint is small enough to keep. The
rate is constant after its warm-up, so a run goes on at any time; the running mean of the adapters
is what is measured and kept. `--until` ends it: the rate goes down over the last steps.
"""

from __future__ import annotations

import argparse
import itertools
import math
import pickle
import random
import time
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_training import _WEIGHTS as WEIGHTS
from assay.experiments.reader_training import (
    OUTPUTS,
    TYPES,
    Batch,
    Verifier,
    batches,
    losses_of,
    votes,
)
from assay.experiments.reader_windows import Example
from training.verifier import train
from training.verifier.logistic import auroc

RANK: Final = 32
LOW: Final = 4  # layers below it are the base's own and need no gradient
LAYERS: Final = 10  # of twelve: in the last ones all tokens of a text come near its mean
TOKENS: Final = 1536  # of a batch: small ones, since a run takes few steps
WARM: Final = 100  # steps
DECAY: Final = 400  # steps down to nothing before the last one
MEAN: Final = 0.995  # of the running mean
SETS: Final = 128  # at most
_HIDDEN: Final = -1e4
# Ids of BERT's vocabulary are those of the base less 4; its special tokens have other numbers.
_SPECIAL: Final = {0: 1, 100: 3, 101: 0, 102: 2}
_SHIFT: Final = 4

# Windows with many statements and little text first; see `train.SHARES`.
_MIX: Final = """
relations/roles=.25 relations/time=.25 relations/hours=.25 relations/numbers=.25
relations/negation=.25 relations/quantifiers=.25 pairs=1.5 pairs/said=1 pairs/reference=.5
pairs/replies=0 pairs/sentences=0 foolmetwice=3 fever_symmetric=3 conjnli=3 breaking_nli=.08
written=2 written/claim=1.5 written/said=1 written/covered=1 written/part=.3 written/page=1
written/page_part=.2 written/said_part=.1 written/covered_part=.1 written/item=1 written/list=1
written/report=1 factcheckgpt_stance=.4 summedits_dev=1 ragtruth_qa=1 ragtruth_summary=1
expertqa_claims=.5 evouna_recall=.15 evouna_precision=.3 halueval_qa500=.15 begin=.6 removed=.3
wice_claims=1 wice_nonsupported_tokens=.5 infotabs=.5 tabfact_pairs=.3 factcg_doc=.3 quintd1=1
llm_spans=1 contractnli=1 rotowire=1 diasumfact=1
"""

# What the votes are asked of: short windows, of every kind some; see `train.SHARES`.
_TAUGHT: Final = """
pairs/said=.5 pairs=.6 pairs/reference=.4 pairs/replies=0 pairs/sentences=0
relations/quantifiers=.12 relations/hours=.1 relations/roles=.07 relations/numbers=.1
relations/time=.2 relations/negation=.15 infotabs=.3 tabfact_pairs=.3 factcg_doc=.4
ragtruth_qa=1 expertqa_claims=.6 factcheckgpt_stance=.25 halueval_qa500=.15 breaking_nli=.2
evouna_recall=.3 evouna_precision=.5 removed=.15 written=.5 written/part=.15 written/claim=.5
written/said=.4 written/said_part=.1 written/covered=.3 written/covered_part=.1
written/page_part=.15
"""
_SHARE: Final = 0.6  # of these votes, where another network votes along


class Adapted(nn.Module):  # type: ignore[misc]
    """A linear layer of the base, and what is added to it if it has a rank; 0: itself learns."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor, rank: int | None) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=rank == 0)
        self.bias = nn.Parameter(bias, requires_grad=rank == 0)
        self.rank = rank
        if rank:
            self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) / weight.shape[1] ** 0.5)
            self.up = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Twice the adapter beside the layer."""
        plain = functional.linear(x, self.weight, self.bias)
        if not self.rank:
            return plain
        return plain + 2 * functional.linear(functional.linear(x, self.down), self.up)


class Layer(nn.Module):  # type: ignore[misc]
    """One layer of the base; see `Adapted`, None: nothing of it is learnt."""

    def __init__(self, state: Mapping[str, torch.Tensor], number: int, rank: int | None) -> None:
        super().__init__()
        held = {
            name.removeprefix(f"encoder.layer.{number}."): value
            for name, value in state.items()
            if name.startswith(f"encoder.layer.{number}.")
        }

        def linear(*names: str) -> Adapted:
            weight, bias = (
                torch.cat([held[f"{name}.{end}"] for name in names]) for end in ("weight", "bias")
            )
            return Adapted(weight, bias, rank)

        self.queries = linear(*(f"attention.attn.{one}" for one in "qkv"))
        self.out = linear("attention.attn.o")
        self.wide = linear("intermediate.dense")
        self.narrow = linear("output.dense")
        self.first = _norm(held, "attention.LayerNorm", learnt=rank is not None)
        self.second = _norm(held, "output.LayerNorm", learnt=rank is not None)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """Attention, then the two linear layers."""
        batch, length, _ = x.shape
        parts = self.queries(x).view(batch, length, 3, bias.shape[1], -1).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts, attn_mask=bias)
        x = self.first(x + self.out(seen.transpose(1, 2).reshape(x.shape)))
        found: torch.Tensor = self.second(x + self.narrow(functional.gelu(self.wide(x))))
        return found


class Large(nn.Module):  # type: ignore[misc]
    """Inputs and outputs as of `training.verifier.network.Verifier`.

    Token types come in at the first adapted layer.

    Args:
        base: The folder of all-mpnet-base-v2.
    """

    def __init__(self, base: Path, rank: int = RANK, low: int = LOW) -> None:
        super().__init__()
        state = load_file(base / "model.safetensors")
        self.words = nn.Embedding.from_pretrained(state["embeddings.word_embeddings.weight"])
        self.places = nn.Embedding.from_pretrained(state["embeddings.position_embeddings.weight"])
        self.near = nn.Embedding.from_pretrained(state["encoder.relative_attention_bias.weight"])
        self.norm = _norm(state, "embeddings.LayerNorm", learnt=False)
        self.rank, self.low = rank, low
        self.layers = nn.ModuleList(
            Layer(state, number, rank if number >= low else None) for number in range(LAYERS)
        )
        size = self.words.weight.shape[1]
        self.types = nn.Embedding(TYPES, size)
        nn.init.normal_(self.types.weight, std=0.02)
        self.head = nn.Linear(size, OUTPUTS)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(
        self,
        ids: torch.Tensor,
        types: torch.Tensor,
        positions: torch.Tensor,
        visible: torch.Tensor,
    ) -> torch.Tensor:
        """Logits of every token."""
        x = self.norm(self.words(own_ids(ids)) + self.places(positions + 2))
        apart = bucket(positions[:, None, :] - positions[:, :, None])
        bias = self.near(apart).permute(0, 3, 1, 2).masked_fill(~visible[:, None], _HIDDEN)
        if torch.is_autocast_enabled(x.device.type):
            x, bias = x.bfloat16(), bias.bfloat16()
        with torch.no_grad():
            for layer in self.layers[: self.low]:
                x = layer(x, bias)
        x = x + self.types(types)
        for layer in self.layers[self.low :]:
            x = layer(x, bias)
        found: torch.Tensor = self.head(x)
        return found

    def learnt(self) -> dict[str, nn.Parameter]:
        """What is trained and kept."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}

    def load(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take adapters, in 16 bits or 32."""
        mine = self.learnt()
        if mine.keys() != state.keys():
            raise ValueError("adapters of another shape")
        for name, value in mine.items():
            value.data.copy_(state[name])


def _norm(state: Mapping[str, torch.Tensor], name: str, *, learnt: bool) -> nn.LayerNorm:
    norm = nn.LayerNorm(len(state[f"{name}.bias"]), 1e-5)
    norm.load_state_dict({end: state[f"{name}.{end}"] for end in ("weight", "bias")})
    return norm.requires_grad_(learnt)


def own_ids(ids: torch.Tensor) -> torch.Tensor:
    """Ids of the base's vocabulary, of those of BERT's."""
    own = ids + _SHIFT
    for bert, number in _SPECIAL.items():
        own[ids == bert] = number
    return own


def bucket(apart: torch.Tensor) -> torch.Tensor:
    """The number of a distance: exact up to 7, by its logarithm up to 128, each way."""
    far = apart.abs()
    log = 8 + (torch.log(far.clamp(min=1) / 8) / math.log(16) * 8).long().clamp(max=7)
    return 16 * (apart > 0).long() + torch.where(far < 8, far, log)


class Run:
    """Network, optimiser and place, kept in a checkpoint; begins anew or goes on from there."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model = Large(options.base, options.rank, options.low).to(self.device)
        if options.start:
            self.model.load(torch.load(options.start, map_location="cpu")["model"])
        self.offsets = nn.Parameter(torch.zeros(SETS, 3))
        self.names: list[str] = []
        self.step, self.tokens, self.seconds = 0, 0, 0.0
        learnt = self.model.learnt()
        fresh = [value for name, value in learnt.items() if name.startswith("head")]
        types = [self.model.types.weight]
        rest = [value for name, value in learnt.items() if name.startswith("layers")]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": rest, "most": options.rate, "weight_decay": 0.0},
                {"params": fresh, "most": 5e-4, "weight_decay": 0.01},
                {"params": types, "most": 1e-3, "weight_decay": 0.0},
                {"params": [self.offsets], "most": 1e-2, "weight_decay": 0.1},
            ],
            betas=(0.9, 0.98),
            fused=True,
        )
        self.mean = {name: value.detach().clone() for name, value in learnt.items()}
        self.sums: dict[str, float] = {}
        if options.out.exists():
            self._resume(torch.load(options.out, map_location="cpu"))

    def learn(self, examples: Sequence[Example]) -> None:
        """One batch forth and back."""
        started = time.monotonic()
        self.names += sorted({e.data for e in examples} - set(self.names))
        batch = Batch(examples, self.names, random.Random(f"{self.options.seed} {self.step}"))
        inputs = (batch.ids, batch.types, batch.positions, batch.visible)
        with torch.autocast(self.device, dtype=torch.bfloat16):
            out = self.model(*(each.to(self.device) for each in inputs))
        losses = losses_of(out.cpu(), batch, self.offsets)
        self.optimiser.zero_grad()
        torch.stack([WEIGHTS[name] * loss for name, loss in losses.items()]).sum().backward()
        learnt = self.model.learnt()
        nn.utils.clip_grad_norm_(learnt.values(), 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = group["most"] * self._share_of_rate()
        self.optimiser.step()
        self.step += 1
        self.tokens += sum(len(e.ids) for e in examples)
        kept = min(MEAN, self.step / (self.step + 10))
        for name, value in learnt.items():
            self.mean[name].lerp_(value.detach(), 1 - kept)
        # Near 0: all tokens have become alike, and nothing is learnt any more.
        losses["spread"] = votes(out.detach().cpu(), batch.parts)[:, 0].std(correction=0)
        for name, loss in losses.items():
            value = float(loss.detach())
            self.sums[name] = 0.98 * self.sums.get(name, value) + 0.02 * value
        self.seconds += time.monotonic() - started

    def _share_of_rate(self) -> float:
        left = (self.options.until - self.step) / DECAY if self.options.until else 1.0
        return max(0.0, min(1.0, (self.step + 1) / WARM, left))

    def save(self) -> None:
        """Write the checkpoint; the old one stays whole until the new one is."""
        state: dict[str, Any] = {
            "form": (self.model.rank, self.model.low),
            "model": {name: value.data for name, value in self.model.learnt().items()},
            "mean": self.mean,
            "offsets": self.offsets.data,
            "names": self.names,
            "optimiser": self.optimiser.state_dict(),
            "place": (self.step, self.tokens, self.seconds),
            "sums": self.sums,
        }
        fresh = self.options.out.with_suffix(".new")
        torch.save(state, fresh)
        fresh.replace(self.options.out)

    def _resume(self, state: dict[str, Any]) -> None:
        self.model.load(state["model"])
        for name, value in self.mean.items():
            value.copy_(state["mean"][name])
        self.offsets.data = state["offsets"]
        self.names = state["names"]
        self.sums = {name: value for name, value in state["sums"].items() if math.isfinite(value)}
        self.step, self.tokens, self.seconds = state["place"]
        self.optimiser.load_state_dict(state["optimiser"])


def _train(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.share = [*_MIX.split(), *options.share]
    options.made, options.most, options.clean = [], None, False
    rng = random.Random(options.seed)
    found = [e for e in train.taught(options, rng) if len(e.ids) <= options.longest]
    run = Run(options)
    print(f"{len(found)} windows, {sum(len(e.ids) for e in found)} tokens", flush=True)
    started = saved = time.monotonic()
    # A run that goes on does so with another order.
    order = random.Random(f"{options.seed} {run.step}")
    endless = (batches(found, order, options.tokens) for _ in itertools.count())
    for batch in itertools.chain.from_iterable(endless):
        run.learn(batch)
        now = time.monotonic()
        if run.step % 25 == 0:
            shown = " ".join(f"{name} {value:.4f}" for name, value in run.sums.items())
            rate = run.tokens / run.seconds
            print(f"{run.step} {run.tokens} {shown} {run.seconds:.0f}s {rate:.0f}/s", flush=True)
        ended = now - started > options.minutes * 60 or run.step == options.until
        if ended or now - saved > 240:
            run.save()
            saved = now
        if ended:
            break


def read(path: Path, base: Path) -> nn.Module:
    """The network of a checkpoint: this one's running mean, or the small reader's weights."""
    state = torch.load(path, map_location="cpu")
    if any(name.startswith("bert.") for name in state["model"]):
        small = Verifier(base)
        small.load(state["model"])
        return small.eval()
    large = Large(base, *state["form"])
    large.load(state.get("mean", state["model"]))
    return large.to("cuda" if torch.cuda.is_available() else "cpu").eval()


class _Shown(random.Random):
    """Chance that hides no flags."""

    def random(self) -> float:
        return 1.0


@torch.no_grad()  # type: ignore[untyped-decorator]
def voted(model: nn.Module, found: Sequence[Example]) -> list[npt.NDArray[np.float32]]:
    """Of each window the votes of its statements: supported, refuted, neutral."""
    device = next(model.parameters()).device
    made: list[npt.NDArray[np.float32]] = [np.empty((0, 3), np.float32)] * len(found)
    left = sorted(range(len(found)), key=lambda i: len(found[i].ids))
    while left:
        size = max(1, 4 * TOKENS // len(found[left[-1]].ids))
        left, taken = left[:-size], left[-size:]
        examples = [found[i] for i in taken]
        batch = Batch(examples, sorted({e.data for e in examples}), _Shown())
        inputs = (batch.ids, batch.types, batch.positions, batch.visible)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=isinstance(model, Large)):
            out = model(*(each.to(device) for each in inputs)).cpu()
        each = votes(out, batch.parts)[:, :3].numpy()
        ends = np.cumsum([len(e.parts) for e in examples])[:-1]
        for i, part in zip(taken, np.split(each, ends), strict=True):
            made[i] = part
    return made


def _measure(options: argparse.Namespace) -> None:
    """AUROC of the raw votes by set, on windows of the fold that nothing is trained on."""
    sets: dict[str, list[Example]] = defaultdict(list)
    for path in options.examples:
        for one in pickle.loads(path.read_bytes()):
            if fold_of(one.group) == HELD_OUT and len(one.ids) <= options.longest:
                sets[one.data].append(one)
    torch.set_num_threads(options.threads)
    model, every = read(options.file, options.base), []
    for name in sorted(sets):
        picked = sorted(sets[name], key=lambda e: zlib.crc32(e.ids.tobytes()))[: options.each]
        each = np.concatenate(voted(model, picked))
        scores = each[:, 0] - np.logaddexp(each[:, 1], each[:, 2])
        label = np.array([part[2] for e in picked for part in e.parts])
        known, right = label >= 0, label[label >= 0] == 0
        if min(right.sum(), (~right).sum()) >= 5:
            every.append(auroc(scores[known], right))
            print(f"{name:28} n {len(right):5} AUROC {every[-1]:.3f}", flush=True)
    print(f"mean of {len(every)} sets {np.mean(every):.4f}")


def _teach(options: argparse.Namespace) -> None:
    """Windows that may be trained on, with its votes beside their labels: see `train`."""
    torch.set_num_threads(options.threads)
    options.share = options.share or list(_TAUGHT.split())
    options.made, options.most, options.clean = [], None, False
    chosen = train.taught(options, random.Random(options.seed))
    found = [one for one in chosen if len(one.ids) <= options.longest]
    print(f"{len(found)} windows, {sum(len(e.ids) for e in found)} tokens", flush=True)
    both = voted(read(options.file, options.base), found)
    if options.beside:
        other = voted(read(options.beside, options.beside_base), found)
        both = [_SHARE * one + (1 - _SHARE) * two for one, two in zip(both, other, strict=True)]
    taught = []
    for one, each in zip(found, both, strict=True):
        shares = np.exp(each - np.logaddexp.reduce(each, axis=1, keepdims=True))
        taught.append(replace(one, taught=tuple(map(tuple, shares.tolist()))))
    options.out.write_bytes(pickle.dumps(taught))


def _keep(options: argparse.Namespace) -> None:
    """The adapters alone, their running mean: what is built of them is what was measured."""
    state = torch.load(options.file, map_location="cpu")
    kept = {"model": state["mean"], "form": state["form"], "place": state["place"]}
    torch.save(kept, options.out)


def _export(options: argparse.Namespace) -> None:
    from training.verifier import large_export

    large_export.run(options)


def main() -> None:
    """Train the larger reader or go on where it stands; measure it; keep what it has learnt."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    steps = parser.add_subparsers(required=True)
    training = steps.add_parser("train")
    training.set_defaults(run=_train)
    training.add_argument("--share", nargs="*", default=[], metavar="SET=SHARE", help="over _MIX")
    training.add_argument("--minutes", type=float, default=60.0)
    training.add_argument("--until", type=int, help="last step; the rate goes down to it")
    training.add_argument("--rate", type=float, default=1.5e-4, help="of whole layers 2e-5")
    training.add_argument("--rank", type=int, default=RANK, help="0: whole layers are learnt")
    training.add_argument("--low", type=int, default=LOW, help="layers that are not learnt")
    training.add_argument("--tokens", type=int, default=TOKENS, help="of a batch")
    training.add_argument("--seed", type=int, default=0)
    training.add_argument("--out", type=Path, required=True, help="goes on there if it exists")
    training.add_argument("--start", type=Path, help="what `keep` wrote, where no checkpoint is")
    measuring = steps.add_parser("measure")
    measuring.set_defaults(run=_measure)
    measuring.add_argument("file", type=Path, help="a checkpoint, also one of the small reader")
    measuring.add_argument("--each", type=int, default=50, help="windows of a set")
    teaching = steps.add_parser("teach")
    teaching.set_defaults(run=_teach)
    teaching.add_argument("file", type=Path)
    teaching.add_argument("--out", type=Path, required=True)
    teaching.add_argument("--beside", type=Path, help="the small reader's weights, voting along")
    teaching.add_argument("--beside-base", type=Path, help="folder of its base weights")
    teaching.add_argument("--share", nargs="*", metavar="SET=SHARE", help="instead of _TAUGHT")
    teaching.add_argument("--seed", type=int, default=7)
    keeping = steps.add_parser("keep")
    keeping.set_defaults(run=_keep)
    keeping.add_argument("file", type=Path)
    keeping.add_argument("--out", type=Path, required=True)
    exporting = steps.add_parser("export", help="an int8 graph; with --examples it is measured")
    exporting.set_defaults(run=_export)
    exporting.add_argument("file", type=Path, help="a checkpoint, or what `keep` wrote")
    exporting.add_argument("--out", type=Path, required=True)
    for step in (training, measuring, teaching, exporting):
        step.add_argument("--examples", type=Path, nargs="+", required=step is not exporting)
        step.add_argument("--base", type=Path, required=True, help="folder of the base weights")
        step.add_argument("--longest", type=int, default=256, help="tokens of a window")
        step.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
