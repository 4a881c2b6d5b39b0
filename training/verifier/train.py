"""Train the network: examples to a checkpoint.

Seeds are fixed; on a CPU two runs with as many threads give the same weights. A checkpoint is
written every few minutes, and a run that was cut off goes on where its last one stands.
"""

from __future__ import annotations

import argparse
import pickle
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from assay.bench.data import HELD_OUT
from assay.judges.embedded.reader import ABSENT, NEAR, PRESENT, UNKNOWN, visible
from training.verifier.examples import Example
from training.verifier.model import Verifier

TOKENS = 4096  # of a batch, padding included
ROUNDED = 16  # lengths are multiples of it: kernels are made anew for every shape
WEIGHTS = {
    "statements": 1.0,
    "taught": 1.0,
    "tokens": 1.0,
    "helps": 0.5,
    "answers": 0.5,
}  # of the losses
HIDDEN_FLAGS = 0.3  # share of windows whose flags are hidden
# How many times as many windows of a kind of made rows a run takes: whole answers teach what
# sentences alone do not.
OFTENER = {"answers": 2, "records": 12, "rephrased/changed": 2, "nq/answered": 2}
# Share of the windows of a set that a run takes, 1 if not named, and more where often.
SHARES = {
    "ragtruth_qa": 0.3,
    "factcheckgpt_stance": 0.5,
    "halueval_qa500": 0.3,
    "breaking_nli": 0.1,  # nearly all of it is refuted
    "evouna_recall": 0.5,
    "written/part": 0.15,
    "written/page_part": 0.15,
    "written/said_part": 0.3,
    "written/covered_part": 0.3,
    "tabfact_pairs": 0.35,
    "removed": 0.3,
}
SAVE_EVERY = 240  # seconds


class Batch:
    """Examples of like length, padded."""

    def __init__(self, examples: list[Example], names: list[str], rng: random.Random) -> None:
        length = -(-max(len(e.ids) for e in examples) // ROUNDED) * ROUNDED
        shape = (len(examples), length)
        ids, types = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        positions, seen = np.zeros(shape, np.int64), np.zeros((*shape, length), bool)
        tokens = np.full(shape, -1, np.int64)
        parts, wrong, helps, answers, taught = [], [], [], [], []
        for i, e in enumerate(examples):
            n = len(e.ids)
            ids[i, :n], types[i, :n], tokens[i, :n] = e.ids, e.types, e.tokens
            positions[i, :n], seen[i, :n, :n] = e.positions, visible(e.groups, e.views)
            if rng.random() < HIDDEN_FLAGS:
                types[i, :n][np.isin(e.types, (ABSENT, PRESENT, NEAR))] = UNKNOWN
            for k, (first, last, label) in enumerate(e.parts):
                parts.append((i, first, last, label, names.index(e.data)))
                helps.append(e.helps[k] if e.helps else -1.0)
                taught.append(e.taught[k] if e.taught else (-1.0,) * 3)
            answers.append(e.answers)
            if e.any_wrong:
                wrong.append(i)
        self.ids, self.types = torch.from_numpy(ids), torch.from_numpy(types)
        self.positions, self.visible = torch.from_numpy(positions), torch.from_numpy(seen)
        self.tokens = torch.from_numpy(tokens)
        self.parts = torch.tensor(parts)
        self.taught = torch.tensor(taught)
        self.helps, self.answers = torch.tensor(helps), torch.tensor(answers)
        self.wrong = wrong


def batches(examples: list[Example], rng: random.Random) -> Iterator[list[Example]]:
    """All examples once: shuffled, then sorted by length within stretches, then shuffled again."""
    order = examples[:]
    rng.shuffle(order)
    found: list[list[Example]] = []
    for start in range(0, len(order), 2048):
        stretch = sorted(order[start : start + 2048], key=lambda e: len(e.ids))
        batch: list[Example] = []
        for example in stretch:
            if batch and (len(batch) + 1) * len(example.ids) > TOKENS:
                found.append(batch)
                batch = []
            batch.append(example)
        found.append(batch)
    rng.shuffle(found)
    yield from found


def chosen(options: argparse.Namespace, rng: random.Random) -> list[Example]:
    """People's and written rows by their shares, and of made ones as many as there is time for.

    A share above 1 takes windows more than once.
    """
    shares = SHARES | {name: float(share) for name, _, share in map(_partition, options.share)}
    usual = shares.get("", 1.0)
    found = [
        e
        for path in options.examples
        for e in pickle.loads(path.read_bytes())
        for _ in range(_times(shares.get(e.data, 1.0) * usual, rng))
    ]
    kinds: dict[str, list[Example]] = defaultdict(list)
    for path in options.made:
        for example in pickle.loads(path.read_bytes()):
            kinds[example.data].append(example)
    most: int | None = options.most
    for name in sorted(kinds):
        rng.shuffle(kinds[name])
        limit = len(kinds[name]) if most is None else most * OFTENER.get(name, 1)
        found = found + kinds[name][:limit]
    return found


def _partition(option: str) -> tuple[str, str, str]:
    return option.rpartition("=")


def _times(share: float, rng: random.Random) -> int:
    return int(share) + (rng.random() < share % 1)


def votes(out: Tensor, parts: Tensor) -> Tensor:
    """Mean of the votes over the tokens of every part, (parts, 5)."""
    summed = functional.pad(out[..., 1:].float().cumsum(1), (0, 0, 1, 0))
    rows, first, last = parts[:, 0], parts[:, 1], parts[:, 2]
    return (summed[rows, last] - summed[rows, first]) / (last - first).clamp(min=1)[:, None]


def losses_of(out: Tensor, batch: Batch, offsets: Tensor) -> dict[str, Tensor]:
    """The mean cross-entropy of each kind of judgement that the batch has labels for."""
    scores = votes(out, batch.parts)
    found = {
        "statements": _statements(scores[:, :3], batch, offsets),
        "taught": _as_taught(scores[:, :3], batch.taught),
        "tokens": _binary(out[..., 0].float().flatten(), batch.tokens.flatten().float()),
        "helps": _binary(scores[:, 3], batch.helps),
        "answers": _binary(_whole(scores[:, 4], batch), batch.answers),
    }
    return {name: loss for name, loss in found.items() if loss is not None}


def _as_taught(scores: Tensor, taught: Tensor) -> Tensor | None:
    """Cross-entropy with what another reader finds."""
    known = taught[:, 0] >= 0
    if not known.any():
        return None
    return functional.cross_entropy(scores[known], taught[known])


def _binary(logits: Tensor, labels: Tensor) -> Tensor | None:
    known = labels >= 0
    if not known.any():
        return None
    return functional.binary_cross_entropy_with_logits(logits[known], labels[known])


def _whole(scores: Tensor, batch: Batch) -> Tensor:
    """Mean over all tokens of a text."""
    rows, lengths = batch.parts[:, 0], (batch.parts[:, 2] - batch.parts[:, 1]).float()
    empty = torch.zeros(len(batch.answers))
    total = empty.index_add(0, rows, scores * lengths)
    return total / empty.index_add(0, rows, lengths).clamp(min=1)


def _statements(scores: Tensor, batch: Batch, offsets: Tensor) -> Tensor | None:
    """Cross-entropy of statements; of a text known to be wrong somewhere its worst part counts."""
    label, data = batch.parts[:, 3], batch.parts[:, 4]
    # How often a data set's statements are supported is its makers' choice, not to be learnt.
    logs = functional.log_softmax(scores + offsets[data], dim=1)
    unsupported = torch.logsumexp(logs[:, 1:], dim=1)
    picked = torch.where(label == 3, unsupported, logs.gather(1, label.clamp(0, 2)[:, None])[:, 0])
    each = [-picked[label >= 0]]
    each += [-unsupported[batch.parts[:, 0] == i].max()[None] for i in batch.wrong]
    return torch.cat(each).mean() if any(len(part) for part in each) else None


class Run:
    """A training run: network, optimiser and the place where it stands, kept in a checkpoint."""

    def __init__(self, options: argparse.Namespace, names: list[str], steps: int) -> None:
        self.out: Path = options.out
        self.seed: int = options.seed
        self.names = names
        self.steps = steps
        self.done = 0
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        # Of processors some multiply bfloat16 faster than float32 and some at half its speed.
        self.short = self.device == "cuda" or options.bfloat16
        self.model = Verifier(options.base)
        if options.start:
            self.model.load(torch.load(options.start)["model"])
        self.model.to(self.device).train()
        self.offsets = torch.nn.Parameter(torch.zeros(len(names), 3))
        self.weights = [p for p in self.model.parameters() if p.requires_grad]
        self.optimiser = self._optimiser(options.rate)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimiser, self._share_of_rate)
        self.sums: dict[str, float] = {}
        self._resume()

    def step(self, examples: list[Example]) -> None:
        """One batch forth and back."""
        self.done += 1
        batch = Batch(examples, self.names, random.Random(f"{self.seed} {self.done}"))
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.short):
            inputs = (batch.ids, batch.types, batch.positions, batch.visible)
            out = self.model(*(each.to(self.device) for each in inputs))
        losses = losses_of(out.cpu(), batch, self.offsets)
        self.optimiser.zero_grad()
        torch.stack([WEIGHTS[name] * loss for name, loss in losses.items()]).sum().backward()
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
        torch.save(state, self.out.with_suffix(".new"))
        self.out.with_suffix(".new").replace(self.out)

    def _resume(self) -> None:
        if not self.out.exists():
            return
        state = torch.load(self.out, map_location=self.device)
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
        warm = max(1, int(0.06 * self.steps))
        return min((step + 1) / warm, max(0.02, (self.steps - step) / (self.steps - warm)))


def taught(options: argparse.Namespace, rng: random.Random) -> list[Example]:
    """The windows that it is to learn from."""
    found = chosen(options, rng)
    return [e for e in found if e.fold != HELD_OUT and not (options.clean and e.msmarco)]


def planned(found: list[Example], epochs: float, rng: random.Random) -> list[list[Example]]:
    """The batches of all epochs; of the last one only its share."""
    whole = int(np.ceil(epochs))
    plan = [batch for _ in range(whole) for batch in batches(found, rng)]
    return plan[: int(len(plan) * epochs / whole)]


def arguments() -> argparse.Namespace:
    """What is asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=Path, nargs="+", required=True, help="see SHARES")
    parser.add_argument("--made", type=Path, nargs="*", default=[], help="made by rule: see --most")
    parser.add_argument(
        "--share", nargs="*", default=[], metavar="SET=SHARE", help="for SHARES; =SHARE for all"
    )
    parser.add_argument("--start", type=Path, help="a checkpoint to begin from")
    parser.add_argument("--base", type=Path, required=True, help="folder of the base weights")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clean", action="store_true", help="without text of MS MARCO")
    parser.add_argument("--bfloat16", action="store_true", help="where that is faster")
    parser.add_argument("--most", type=int, help="windows of each kind of made rows; see OFTENER")
    return parser.parse_args()


def main() -> None:
    """Train on pickles of `training.verifier.examples`."""
    options = arguments()
    torch.manual_seed(options.seed)
    rng = random.Random(options.seed)
    found = taught(options, rng)
    plan = planned(found, options.epochs, rng)
    run = Run(options, sorted({e.data for e in found}), len(plan))
    print(f"{len(found)} windows, {len(plan)} steps, {run.names}", flush=True)
    started = saved = time.time()
    for examples in plan[run.done :]:
        run.step(examples)
        if run.done % 50 == 0 or run.done == len(plan):
            shown = ", ".join(f"{k} {v:.4f}" for k, v in run.sums.items())
            print(f"{run.done}/{len(plan)} {shown} {time.time() - started:.0f} s", flush=True)
        if time.time() - saved > SAVE_EVERY or run.done == len(plan):
            saved = time.time()
            run.save()


if __name__ == "__main__":
    main()
