"""The int8 graph that ships as a checkpoint to train on from.

Checkpoints are too large for the repository; what ships is not. Its weights are rounded to seven
bits, which the first steps of training make good.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from training.verifier.export import TARGET
from training.verifier.model import Verifier

WORDS = "bert.embeddings.word_embeddings.weight"  # never trained: the base's own are exact
_QUANTISED = "_quantized"


def restored(graph: Path) -> dict[str, torch.Tensor]:
    """Every weight of the graph under its name in `Verifier`."""
    model = onnx.load(str(graph)).graph
    held = {each.name: numpy_helper.to_array(each) for each in model.initializer}
    found = {name: value for name, value in held.items() if name.endswith((".weight", ".bias"))}
    for name in held:
        if name.endswith(f".weight{_QUANTISED}"):
            plain = name.removesuffix(_QUANTISED)
            found[plain] = _exact(held, plain)
    for node in model.node:
        if node.op_type == "MatMulInteger":
            layer = node.name.removesuffix("/MatMul_quant").strip("/").replace("/", ".")
            matrix = _exact(held, node.input[1].removesuffix(_QUANTISED))
            found[f"{layer}.weight"] = matrix.T
    return {name.removeprefix("verifier."): torch.tensor(value) for name, value in found.items()}


def _exact(held: dict[str, np.ndarray], name: str) -> np.ndarray:
    """What the int8 values stand for, in float32."""
    values, zero = (held[f"{name}{end}"].astype(np.float32) for end in (_QUANTISED, "_zero_point"))
    exact: np.ndarray = (values - zero) * held[f"{name}_scale"].astype(np.float32)
    return exact


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
