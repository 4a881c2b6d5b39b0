"""A folder with what `assay adapt judge` made: the embedded judge fitted to a domain."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from assay.errors import InputError

MANIFEST: Final = "adapted.json"
NETWORK: Final = "model.onnx"  # absent where only coefficients are fitted
FITTED: Final = ("support.json", "passage.json", "answering.json")  # each may be absent
CARD: Final = "card.json"  # what was measured; no part of the identity


class _Manifest(msgspec.Struct):
    base: str


@dataclass(frozen=True, slots=True)
class Adapted:
    """An adapted judge on disk.

    Attributes:
        folder: Where it is.
        name: Its identity: changes with every byte of network or coefficients.
    """

    folder: Path
    name: str

    @classmethod
    def at(cls, folder: str | Path, base: str) -> "Adapted":
        """The judge in a folder.

        Args:
            folder: As `assay adapt judge --out` wrote it.
            base: The judge of this version: coefficients and network only fit its code.

        Raises:
            InputError: If the folder holds none, or one that was made with another version.
        """
        path = Path(folder)
        remedy = "name a folder that 'assay adapt judge' wrote"
        if not path.is_dir():
            raise InputError(f"there is no folder '{folder}'", remedy)
        try:
            made = msgspec.json.decode((path / MANIFEST).read_bytes(), type=_Manifest)
        except FileNotFoundError:
            raise InputError(f"'{folder}' is no adapted judge: no {MANIFEST}", remedy) from None
        except msgspec.DecodeError as error:
            raise InputError(f"'{path / MANIFEST}' cannot be read: {error}", remedy) from error
        if made.base != base:
            what = f"'{folder}' was adapted from {made.base}; this is {base}"
            raise InputError(what, "adapt it again with this version: assay adapt judge")
        digest = hashlib.sha256()
        for name in (MANIFEST, NETWORK, *FITTED):
            content = (path / name).read_bytes() if (path / name).is_file() else b""
            digest.update(f"{name} {len(content)}\n".encode() + content)
        return cls(path.resolve(), f"reader-l6-adapted:{digest.hexdigest()[:12]}")

    def file(self, name: str) -> Path | None:
        """A file of it; None where what ships is used."""
        path = self.folder / name
        return path if path.is_file() else None
