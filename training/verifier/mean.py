"""The mean of two checkpoints of one run: steadier than either on rows of other kinds."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch


def mean(first: Path, second: Path, share: float) -> dict[str, torch.Tensor]:
    """Every weight as `share` of the second one and the rest of the first."""
    one, other = (torch.load(path, map_location="cpu")["model"] for path in (first, second))
    return {name: torch.lerp(one[name], other[name], share) for name in other}


def main() -> None:
    """Write the mean of two checkpoints."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--share", type=float, required=True, help="of the second one")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.save({"model": mean(options.first, options.second, options.share)}, options.out)


if __name__ == "__main__":
    main()
