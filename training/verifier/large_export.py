"""The larger reader's checkpoint to an int8 ONNX graph, and what that costs and takes.

    python -m training.verifier.large export large.pt --base FOLDER --out model.onnx

With `--examples people.pkl` it also says how far its probabilities are off, and how fast it is.
The graph has the inputs of the small reader's (ids of BERT's vocabulary) and the first four of its
outputs: nobody taught the larger one what helps or answers a question.
"""

from __future__ import annotations

import argparse
import hashlib
import pickle
import tempfile
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_training import export, quantise
from assay.experiments.reader_windows import Example
from assay.judges.embedded import reader
from assay.judges.embedded.inference import load, session
from training.verifier.large import Adapted, Large, Layer, bucket, own_ids, read

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

OUTPUTS: Final = 4  # unsupported, supported, refuted, neutral
_VOCABULARY: Final = 30_522  # of BERT
_FAR: Final = 128  # from there on all distances are alike
_HIDDEN: Final = -1e4
_MEASURED: Final = 60  # windows


class Merged(nn.Module):  # type: ignore[misc]
    """A `Large` whose adapters are part of its layers; ids and distances are looked up.

    Args:
        large: What to merge; it is changed.
    """

    def __init__(self, large: Large) -> None:
        super().__init__()
        weight = large.words.weight
        known = own_ids(torch.arange(_VOCABULARY)).clamp(max=len(weight) - 1)
        self.words = nn.Embedding.from_pretrained(weight[known].clone())
        self.places = nn.Embedding.from_pretrained(large.places.weight[2:].clone())
        near = large.near(bucket(torch.arange(-_FAR, _FAR + 1)))
        self.near = nn.Embedding.from_pretrained(near.detach().clone())
        self.norm, self.types, self.low = large.norm, large.types, large.low
        self.layers = large.layers
        size, heads = self.types.weight.shape[1], near.shape[1]
        for layer in self.layers:
            for linear in (layer.queries, layer.out, layer.wide, layer.narrow):
                _merge(linear)
            layer.queries.weight.data[:size] /= (size // heads) ** 0.5
            layer.queries.bias.data[:size] /= (size // heads) ** 0.5
        self.head = nn.Linear(size, OUTPUTS)
        self.head.weight.data = large.head.weight.data[:OUTPUTS]
        self.head.bias.data = large.head.bias.data[:OUTPUTS]

    def forward(
        self,
        ids: torch.Tensor,
        types: torch.Tensor,
        positions: torch.Tensor,
        visible: torch.Tensor,
    ) -> torch.Tensor:
        """Logits of every token, (batch, length, 4)."""
        x = self.norm(self.words(ids) + self.places(positions))
        apart = (positions[:, None, :] - positions[:, :, None]).clamp(-_FAR, _FAR) + _FAR
        bias = self.near(apart).permute(0, 3, 1, 2).masked_fill(~visible[:, None], _HIDDEN)
        for number, layer in enumerate(self.layers):
            if number == self.low:
                x = x + self.types(types)
            x = _through(layer, x, bias)
        found: torch.Tensor = self.head(x)
        return found


def _merge(linear: Adapted) -> None:
    if linear.rank:
        linear.weight.data += 2 * linear.up.data @ linear.down.data
    linear.rank = 0


def _through(layer: Layer, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """`Layer.forward` in plain matrices, which a graph can have; queries are scaled already."""
    batch, length, size = x.shape
    queries, keys, values = (
        part.view(batch, length, bias.shape[1], -1).transpose(1, 2)
        for part in layer.queries(x).split(size, dim=2)
    )
    seen = torch.softmax(queries @ keys.transpose(2, 3) + bias, dim=3) @ values
    x = layer.first(x + layer.out(seen.transpose(1, 2).reshape(batch, length, size)))
    found: torch.Tensor = layer.second(x + layer.narrow(functional.gelu(layer.wide(x))))
    return found


def write(large: Large, path: Path) -> Merged:
    """The int8 graph of a network; what it was made from."""
    merged = Merged(large).eval()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "fp32.onnx"
        export(merged, plain)
        # Distances are few, and their bias must be exact.
        quantise(plain, path, exact=("/near/Gather",))
    return merged


def _picked(paths: Sequence[Path]) -> list[Example]:
    """Windows that nothing was trained on."""
    every = [
        one
        for path in paths
        for one in pickle.loads(path.read_bytes())
        if fold_of(one.group) == HELD_OUT and any(part[2] >= 0 for part in one.parts)
    ]
    return sorted(every, key=lambda one: zlib.crc32(one.ids.tobytes()))[:_MEASURED]


def _fed(one: Example) -> dict[str, npt.NDArray[Any]]:
    each = {"ids": one.ids, "types": one.types, "positions": one.positions}
    feed = {name: np.asarray([part], np.int64) for name, part in each.items()}
    return feed | {"visible": reader.visible(one.groups, one.views)[None]}


def _supported(logits: npt.NDArray[np.float32], one: Example) -> npt.NDArray[np.float32]:
    """Of each statement the probability that it is supported, by the votes alone."""
    votes = np.stack([logits[first:last, 1:4].mean(axis=0) for first, last, *_ in one.parts])
    probabilities: npt.NDArray[np.float32] = np.exp(
        votes[:, 0] - np.logaddexp.reduce(votes, axis=1)
    )
    return probabilities


def _timed(model: InferenceSession, feeds: Sequence[dict[str, Any]]) -> tuple[list[Any], float]:
    model.run(["logits"], feeds[0])
    started = time.process_time()
    outputs = [model.run(["logits"], feed)[0][0] for feed in feeds]
    return outputs, len(feeds) / (time.process_time() - started)


def compare(merged: Merged, path: Path, examples: Sequence[Example]) -> None:
    """Print how probabilities differ from the unrounded network's, and the speed beside the small.

    Speed is by the processor's own time of one thread.
    """
    feeds = [_fed(one) for one in examples]
    outputs, speed = _timed(load(path.read_bytes()), feeds)
    _, small_speed = _timed(session("reader"), feeds)
    with torch.no_grad():
        exact = [merged(*map(torch.from_numpy, feed.values()))[0].numpy() for feed in feeds]
    after, before = (
        np.concatenate([_supported(*pair) for pair in zip(logits, examples, strict=True)])
        for logits in (outputs, exact)
    )
    drift = np.abs(after - before)
    tokens = np.mean([len(one.ids) for one in examples])
    print(f"{len(drift)} statements in {len(examples)} windows of {tokens:.0f} tokens")
    median, most = np.quantile(drift, (0.5, 0.95))
    print(f"drift of int8: median {median:.3f}, 95th percentile {most:.3f}")
    print(f"windows a second: {speed:.1f}, the small reader {small_speed:.1f}")


def run(options: argparse.Namespace) -> None:
    """The step `export` of `training.verifier.large`."""
    torch.set_num_threads(options.threads)
    merged = write(read(options.file, options.base).cpu(), options.out)
    weights = options.out.read_bytes()
    print(len(weights), hashlib.sha256(weights).hexdigest())
    if options.examples:
        compare(merged, options.out, _picked(options.examples))
