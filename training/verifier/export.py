"""A checkpoint to the int8 ONNX graph that ships.

Word vectors, layers and heads in one file; one text a pass, so there is no mask among the inputs.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path

import torch

from training.embedder.build import quantise
from training.verifier.model import Verifier

INPUTS = ("ids", "types", "positions", "visible")
TARGET = Path(__file__).resolve().parents[2] / "src" / "assay" / "judges" / "embedded" / "reader"


def export(checkpoint: Path, base: Path, path: Path) -> None:
    """Write the fp32 graph with a dynamic length."""
    verifier = Verifier(base, attention="eager")
    verifier.load(torch.load(checkpoint, map_location="cpu")["model"])
    ids = torch.arange(1000, 1009)[None]
    torch.onnx.export(
        verifier.eval(),
        (ids, torch.zeros_like(ids), torch.arange(9)[None], torch.ones(1, 9, 9, dtype=torch.bool)),
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


def main() -> None:
    """Export and quantise; `--fp32 FILE` keeps the graph before quantisation."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--target", type=Path, default=TARGET)
    parser.add_argument("--fp32", type=Path)
    options = parser.parse_args()
    options.target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        plain = options.fp32 or Path(name) / "fp32.onnx"
        export(options.checkpoint, options.base, plain)
        quantise(plain, options.target / "model.onnx")
    weights = (options.target / "model.onnx").read_bytes()
    print(len(weights), hashlib.sha256(weights).hexdigest())


if __name__ == "__main__":
    main()
