"""A checkpoint to the int8 ONNX graph that ships.

Word vectors, layers and heads in one file; one text a pass, so there is no mask among the inputs.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

from training.embedder.build import quantise
from training.verifier.model import Verifier

TARGET = Path(__file__).resolve().parents[2] / "src" / "assay" / "judges" / "embedded" / "reader"


class Alone(nn.Module):
    """The network for one text of any length: nothing is masked."""

    def __init__(self, verifier: Verifier) -> None:
        super().__init__()
        self.verifier = verifier

    def forward(self, ids: Tensor, types: Tensor) -> Tensor:
        """Logits (1, length, 6)."""
        nothing = torch.zeros(1, 1, 1, 1)  # a ready-made bias keeps mask building out of the graph
        hidden = self.verifier.bert(
            input_ids=ids, attention_mask=nothing, token_type_ids=types
        ).last_hidden_state
        out: Tensor = self.verifier.head(hidden)
        return out


def export(checkpoint: Path, base: Path, path: Path) -> None:
    """Write the fp32 graph with a dynamic length."""
    verifier = Verifier(base, attention="eager")
    verifier.load(torch.load(checkpoint, map_location="cpu")["model"])
    ids = torch.arange(1000, 1009)[None]
    torch.onnx.export(
        Alone(verifier).eval(),
        (ids, torch.zeros_like(ids)),
        str(path),
        input_names=["ids", "types"],
        output_names=["logits"],
        dynamic_axes={name: {1: "length"} for name in ("ids", "types", "logits")},
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
