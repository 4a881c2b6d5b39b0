"""How far do the shipped int8 vectors lie from the fp32 ones, and how fast is each?

Usage: python training/embedder/build.py --fp32 /tmp/fp32.onnx
       python training/embedder/drift.py /tmp/fp32.onnx TEXTS   (a text file, one text a line)
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnxruntime

from assay.judges.embedded import embedding as shipped

RANDOM_PAIRS = 20_000


class Fp32Encoder(shipped.Encoder):
    """The same encoder on another graph."""

    def __init__(self, path: Path) -> None:
        super().__init__(threads=2)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(path), options)
        self._loaded = shipped._load()._replace(session=session)  # noqa: SLF001


def ranks(values: np.ndarray) -> np.ndarray:
    """Rank of every value (ties do not occur among cosines)."""
    return np.argsort(np.argsort(values))


def main() -> None:
    """Print the drift and the speeds."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("fp32", type=Path)
    parser.add_argument("texts", type=Path)
    options = parser.parse_args()
    texts = [line for line in options.texts.read_text("utf-8").splitlines() if line.strip()]
    small, full = shipped.Encoder(threads=2), Fp32Encoder(options.fp32)
    vectors = {}
    for label, encoder in (("int8", small), ("fp32", full)):
        encoder.encode(texts[:2])
        start = time.perf_counter()
        vectors[label] = encoder.encode(texts)
        print(f"{label}: {len(texts) / (time.perf_counter() - start):.0f} texts/s")
    drift = 1 - (vectors["int8"] * vectors["fp32"]).sum(axis=1)
    print(f"cosine difference: mean {drift.mean():.4f}, largest {drift.max():.4f}")
    left, right = np.random.default_rng(0).integers(len(texts), size=(2, RANDOM_PAIRS))
    near = np.array(list(pairwise(range(len(texts))))).T
    pairs = np.concatenate([np.stack([left, right]), near], axis=1)
    pairs = pairs[:, pairs[0] != pairs[1]]
    small_cos, full_cos = (
        (vectors[label][pairs[0]] * vectors[label][pairs[1]]).sum(axis=1)
        for label in ("int8", "fp32")
    )
    rho = np.corrcoef(ranks(small_cos), ranks(full_cos))[0, 1]
    change = np.abs(small_cos - full_cos).mean()
    print(f"cosines of pairs: mean change {change:.4f}, rank correlation {rho:.4f}")


if __name__ == "__main__":
    main()
