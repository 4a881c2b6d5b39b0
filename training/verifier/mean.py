"""The mean of two checkpoints of one run: steadier than either on rows of other kinds."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from assay.experiments.reader_training import WORDS, mean


def main() -> None:
    """Write the mean of two checkpoints."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--share", type=float, required=True, help="of the second one")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--small", action="store_true", help="16 bits, no word vectors: 22 MB")
    options = parser.parse_args()
    paths = (options.first, options.second)
    one, other = (torch.load(path, map_location="cpu")["model"] for path in paths)
    found = mean(one, other, options.share)
    if options.small:
        found = {name: value.half() for name, value in found.items() if name != WORDS}
    torch.save({"model": found}, options.out)


if __name__ == "__main__":
    main()
