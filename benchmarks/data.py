"""Where is the human-labelled data, and what is in it? It never ships with assay."""

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("ASSAY_DATA", ROOT.parent / "shared" / "data"))


def load(name: str) -> list[dict[str, Any]]:
    """The rows of a file; ends the benchmark with a clear word where it is absent."""
    path = DATA / name
    if not path.is_file():
        sys.exit(f"skipped: {name} is not in {DATA} (set ASSAY_DATA to the folder that has it)")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
