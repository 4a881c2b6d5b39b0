"""Where the labelled data is: `$ASSAY_DATA`, `$ASSAY_DATA2`, or else beside the repository."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = Path(os.environ.get("ASSAY_DATA", _SHARED / "data"))
DATA2 = Path(os.environ.get("ASSAY_DATA2", _SHARED / "data2"))


def read(name: str, folder: Path = DATA) -> Iterator[dict[str, Any]]:
    """The objects of one gzipped file of a data folder."""
    with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
