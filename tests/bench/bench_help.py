"""Tiny data sets of the form of the real ones."""

import gzip
import json


def write(folder, name, rows):
    """Write a file of rows where the sets look for it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
