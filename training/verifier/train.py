"""Train the verifier: examples to a checkpoint.

Seeds are fixed; on a CPU two runs give the same weights. A checkpoint is written every few minutes,
and a run that was cut off goes on where its last one stands.
"""

from __future__ import annotations

import argparse
import pickle
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from training.groups import KEPT_OUT
from training.verifier.examples import Example
from training.verifier.model import Verifier

TOKENS = 4096  # of a batch, padding included
TOKEN_WEIGHT = 1.0  # of the loss of single tokens beside that of statements
HIDDEN_FLAGS = 0.3  # share of windows whose flags are hidden
SAVE_EVERY = 240  # seconds


class Batch:
    """Examples of like length, padded."""

    def __init__(self, examples: list[Example], names: list[str], rng: random.Random) -> None:
        length = max(len(e.ids) for e in examples)
        shape = (len(examples), length)
        ids, types = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        mask, tokens = np.zeros(shape, np.int64), np.full(shape, -1, np.int64)
        parts, wrong = [], []
        for i, e in enumerate(examples):
            n = len(e.ids)
            ids[i, :n], mask[i, :n], tokens[i, :n] = e.ids, 1, e.tokens
            types[i, :n] = e.types
            if rng.random() < HIDDEN_FLAGS:
                types[i, :n][e.types > 0] = 3
            for first, last, label in e.parts:
                parts.append((i, first, last, label, names.index(e.data)))
            if e.any_wrong:
                wrong.append(i)
        self.ids, self.types = torch.from_numpy(ids), torch.from_numpy(types)
        self.mask, self.tokens = torch.from_numpy(mask), torch.from_numpy(tokens)
        self.parts = torch.tensor(parts)
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


def votes(out: Tensor, parts: Tensor) -> Tensor:
    """Mean of the class votes over the tokens of every part, (parts, 3)."""
    summed = F.pad(out[..., 1:].float().cumsum(1), (0, 0, 1, 0))
    rows, first, last = parts[:, 0], parts[:, 1], parts[:, 2]
    return (summed[rows, last] - summed[rows, first]) / (last - first).clamp(min=1)[:, None]


def loss_of(out: Tensor, batch: Batch, offsets: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Statements' and tokens' cross-entropy; what is known only of a text counts by its worst part."""
    scores = votes(out, batch.parts)
    label, data = batch.parts[:, 3], batch.parts[:, 4]
    # How often a data set's statements are supported is its makers' choice, not to be learnt.
    logs = F.log_softmax(scores + offsets[data], dim=1)
    unsupported = torch.logsumexp(logs[:, 1:], dim=1)
    known = label >= 0
    picked = torch.where(label == 3, unsupported, logs.gather(1, label.clamp(0, 2)[:, None])[:, 0])
    losses = [-picked[known]]
    for i in batch.wrong:
        mine = unsupported[batch.parts[:, 0] == i]
        losses.append(-mine.max()[None])
    statements = torch.cat(losses).mean()
    marked = batch.tokens >= 0
    if not marked.any():
        return statements, {"statements": float(statements.detach())}
    each = F.binary_cross_entropy_with_logits(
        out[..., 0].float()[marked], batch.tokens[marked].float()
    )
    shown = {"statements": float(statements.detach()), "tokens": float(each.detach())}
    return statements + TOKEN_WEIGHT * each, shown


def main() -> None:
    """Train on pickles of `training.verifier.examples`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--examples", type=Path, nargs="+", required=True)
    parser.add_argument("--start", type=Path, help="a checkpoint to begin from")
    parser.add_argument("--base", type=Path, required=True, help="folder of the base weights")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clean", action="store_true", help="without text of MS MARCO")
    parser.add_argument("--repeat", nargs="*", default=[], metavar="DATA=N", help="rows shown N times")
    parser.add_argument("--all", action="store_true", help="with the fold kept aside")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    rng = random.Random(options.seed)
    found = [e for path in options.examples for e in pickle.loads(path.read_bytes())]
    found = [e for e in found if options.all or e.fold != KEPT_OUT]
    found = [e for e in found if not (options.clean and e.msmarco)]
    times = {name: float(n) for name, _, n in (r.partition("=") for r in options.repeat)}
    found = [
        e
        for e in found
        for _ in range(int(times.get(e.data, 1.0) + rng.random()))
    ]
    names = sorted({e.data for e in found})
    model = Verifier(options.base)
    offsets = torch.nn.Parameter(torch.zeros(len(names), 3))
    if options.start:
        model.load_state_dict(torch.load(options.start)["model"])
    plan = [b for _ in range(int(np.ceil(options.epochs))) for b in batches(found, rng)]
    plan = plan[: int(len(plan) * options.epochs / np.ceil(options.epochs))]
    weights = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in weights if p.ndim > 1], "weight_decay": 0.01},
            {"params": [p for p in weights if p.ndim <= 1], "weight_decay": 0.0},
            {"params": [offsets], "weight_decay": 0.1, "lr": options.rate * 20},
        ],
        lr=options.rate,
        betas=(0.9, 0.98),
        fused=True,
    )
    warm = max(1, int(0.06 * len(plan)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min((s + 1) / warm, max(0.02, (len(plan) - s) / (len(plan) - warm)))
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"{len(found)} windows, {len(plan)} steps, {names}", flush=True)
    model.to(device).train()
    started = saved = time.time()
    sums: dict[str, float] = {}
    for step, chosen in enumerate(plan, start=1):
        batch = Batch(chosen, names, rng)
        with torch.autocast(device, dtype=torch.bfloat16):
            out = model(batch.ids.to(device), batch.types.to(device), batch.mask.to(device))
        loss, shown = loss_of(out.cpu(), batch, offsets)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        schedule.step()
        for name, value in shown.items():
            sums[name] = 0.98 * sums.get(name, value) + 0.02 * value
        if step % 50 == 0 or step == len(plan):
            done = time.time() - started
            losses = ", ".join(f"{k} {v:.4f}" for k, v in sums.items())
            print(f"{step}/{len(plan)} {losses} {done:.0f} s", flush=True)
        if time.time() - saved > SAVE_EVERY or step == len(plan):
            saved = time.time()
            torch.save({"model": model.state_dict(), "step": step}, options.out)


if __name__ == "__main__":
    main()
