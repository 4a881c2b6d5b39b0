"""What the scripts that run a library have in common: rows in, one value for each metric and row out."""

import contextlib
import io
import json
import math
import sys
from pathlib import Path


def values(metrics, rows, fresh=lambda: None):
    """Value by metric and row id: a number, or the kind of no number ("nan" or the exception)."""
    return {
        name: {row["id"]: _value(score, row, fresh) for row in rows}
        for name, score in metrics.items()
    }


def _value(score, row, fresh):
    fresh()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            found = score(row)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a library does instead of a number
        return {"none": type(error).__name__, "why": str(error)[:200]}
    if found is None or math.isnan(found):
        return {"none": "nan", "why": ""}
    return float(found)


def main(metrics, fresh=lambda: None):
    """Read the rows that the first argument names, write the values to the second."""
    given, wanted = map(Path, sys.argv[1:3])
    found = values(metrics, json.loads(given.read_text("utf-8")), fresh)
    wanted.write_text(json.dumps(found, indent=0), encoding="utf-8")
