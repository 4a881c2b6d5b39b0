"""Where is the human-labelled data, and what is in it? It never ships with assay."""

import gzip
import json
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("ASSAY_DATA", ROOT.parent / "shared" / "data"))
Record = dict[str, Any]


class Absent(SystemExit):
    """A file that is not there; unless someone catches it, the benchmark ends with its word."""


def load(name: str) -> list[Record]:
    """The rows of a file; ends the benchmark with a clear word where it is absent."""
    path = DATA / name
    if not path.is_file():
        raise Absent(f"skipped: {name} is not in {DATA} (set ASSAY_DATA to the folder that has it)")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def thinned(records: Sequence[Record], most: int | None) -> list[Record]:
    """At most so many of them, the same ones every time, and those of fewer among those of more."""
    by_chance = sorted(records, key=lambda record: zlib.crc32(record["id"].encode()))
    return by_chance[:most]
