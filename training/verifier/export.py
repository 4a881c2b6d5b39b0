"""A checkpoint to the int8 ONNX graph that ships.

Word vectors, layers and heads in one file; one text a pass, so nothing is padded.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path

import torch

from assay.experiments.reader_training import Verifier, export, quantise

TARGET = Path(__file__).resolve().parents[2] / "src" / "assay" / "judges" / "embedded" / "reader"


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
        verifier = Verifier(options.base, attention="eager")
        verifier.load(torch.load(options.checkpoint, map_location="cpu")["model"])
        export(verifier, plain)
        quantise(plain, options.target / "model.onnx")
    weights = (options.target / "model.onnx").read_bytes()
    print(len(weights), hashlib.sha256(weights).hexdigest())


if __name__ == "__main__":
    main()
