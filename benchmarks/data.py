"""Where is the human-labelled data, and what is in it? It never ships with assay."""

import os
from pathlib import Path

from assay.bench.data import Data, Record, thinned

__all__ = ["DATA", "FOLDER", "ROOT", "Absent", "Record", "load", "thinned"]

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("ASSAY_DATA", ROOT.parent / "shared" / "data"))
DATA = Data(FOLDER)


class Absent(SystemExit):
    """A file that is not there; unless someone catches it, the benchmark ends with its word."""


def load(name: str) -> list[Record]:
    """The rows of a file; ends the benchmark with a clear word where it is absent."""
    present(name)
    return DATA.rows(name)


def present(name: str) -> None:
    """Ends the benchmark with a clear word where the file is absent."""
    if not DATA.has(name):
        raise Absent(
            f"skipped: {name} is not in {FOLDER} (set ASSAY_DATA to the folder that has it)"
        )
