"""The int8 graph that ships as a checkpoint to train on from.

Checkpoints are too large for the repository; what ships is not. Its weights are rounded to seven
bits, which the first steps of training make good.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from assay.experiments.reader_training import WORDS, Verifier, restored
from training.verifier.export import TARGET


def main() -> None:
    """Write the checkpoint; fail if a weight of the network is not in the graph."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--graph", type=Path, default=TARGET / "model.onnx")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    needed = Verifier(options.base).state_dict()
    weights = restored(options.graph)
    if set(weights) != set(needed):
        raise SystemExit(f"not in both: {sorted(set(weights) ^ set(needed))}")
    torch.save({"model": {**weights, WORDS: needed[WORDS]}}, options.out)


if __name__ == "__main__":
    main()
