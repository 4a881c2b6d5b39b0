"""Which model is in a file? Found out without loading it, and before anything is paid for."""

import hashlib
from functools import lru_cache
from pathlib import Path

from assay.errors import InputError

MAGIC = b"GGUF"
# Weights are gigabytes. Size, both ends (metadata and vocabulary stand at the beginning) and a
# thousand blocks between them tell two models apart, a fine-tuned one from its base included:
# a layer is far longer than the gap between two blocks.
ENDS = 1 << 20
BLOCKS, BLOCK = 1024, 1 << 12


def checked(path: str | Path) -> Path:
    """The path of a GGUF file.

    Raises:
        InputError: If there is none, or it is something else.
    """
    found = Path(path).expanduser()
    if not found.is_file():
        what = f"there is no model file '{path}'"
        raise InputError(what, "give the path of a GGUF file: gguf:/models/NAME.gguf")
    with found.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            what = f"'{path}' is not a GGUF file"
            raise InputError(what, "give a model in the GGUF format, wholly downloaded")
    return found


def digest(path: Path) -> str:
    """Eight hex digits that change with the weights; computed once for each state of the file."""
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


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
