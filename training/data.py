"""Where the labelled data is: `$ASSAY_DATA`, by default `shared/data` beside the repository."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("ASSAY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def read(name: str) -> Iterator[dict[str, Any]]:
    """The objects of one gzipped file of the data folder."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
