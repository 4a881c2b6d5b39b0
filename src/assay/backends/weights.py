"""Which weights are in a file? Told without reading gigabytes, for the names of models."""

import hashlib
from functools import lru_cache
from pathlib import Path

# Weights are gigabytes. Size, both ends (metadata and vocabulary stand at the beginning) and a
# thousand blocks between them tell two models apart, a fine-tuned one from its base included:
# a layer is far longer than the gap between two blocks.
ENDS = 1 << 20
BLOCKS, BLOCK = 1024, 1 << 12


def digest(path: Path) -> str:
    """Eight hex digits that change with the weights; computed once for each state of the file."""
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


def whole_digest(path: Path) -> str:
    """The same of every byte, for files where one small layer may be all that was trained.

    A classifier on a frozen encoder is a few kilobytes among hundreds of megabytes.
    """
    state = path.stat()
    return _whole_digest(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _whole_digest(path: Path, size: int, changed: int) -> str:
    if size <= BLOCKS * BLOCK:  # every block is among those that are read
        return _digest(path, size, changed)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:8]


@lru_cache(maxsize=64)
def _digest(path: Path, size: int, _changed: int) -> str:
    found = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        found.update(file.read(ENDS))
        for number in range(BLOCKS):
            file.seek(size * number // BLOCKS)
            found.update(file.read(BLOCK))
        file.seek(max(0, size - ENDS))
        found.update(file.read(ENDS))
    return found.hexdigest()[:8]
