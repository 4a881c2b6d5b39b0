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
from pathlib import Path

import numpy as np
import torch

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_training import Plan, Run, batches
from assay.experiments.reader_windows import Example

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


def taught(options: argparse.Namespace, rng: random.Random) -> list[Example]:
    """The windows that it is to learn from."""
    found = chosen(options, rng)
    return [e for e in found if fold_of(e.group) != HELD_OUT and not (options.clean and e.msmarco)]


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
    run = Run(
        Plan(
            steps=plan,
            out=options.out,
            rate=options.rate,
            seed=options.seed,
            bfloat16=options.bfloat16,
        ),
        torch.load(options.start)["model"] if options.start else None,
        options.base,
    )
    print(f"{len(found)} windows, {len(plan)} steps, {run.names}", flush=True)
    started = time.time()

    def show(run: Run) -> None:
        if run.done % 50 == 0 or run.done == len(plan):
            shown = ", ".join(f"{k} {v:.4f}" for k, v in run.sums.items())
            print(f"{run.done}/{len(plan)} {shown} {time.time() - started:.0f} s", flush=True)

    run.train(show)


if __name__ == "__main__":
    main()
