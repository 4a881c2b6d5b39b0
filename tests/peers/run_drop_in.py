"""Our drop-in for ragas on the same rows: its `evaluate`, its samples and its metric classes."""

import math
import os
import tempfile
import warnings
from pathlib import Path

from rows import FULL, RAGAS_FIELDS
from run_assay import Oracle

from assay.integrations.ragas import EvaluationDataset, SingleTurnSample, evaluate, metrics

MODES = ("precision", "recall", "relevant", "irrelevant")
PREFIX = "drop-in "


def _metric(name):
    kind, _, mode = name.removeprefix(PREFIX).partition(" ")
    made = getattr(metrics, kind)
    return made(mode=mode) if mode in MODES else made()


def _value(found):
    return {"none": "nan", "why": ""} if math.isnan(found) else float(found)


def _shape(row):
    """Which fields are missing, empty or blank: rows alike in that are scored in one evaluation."""
    bare = tuple((k, repr(value)) for k, value in row.items() if k != "id" and _bare(value))
    return bare, len(row["contexts"] or ()) == len(row["context_ids"] or ())


def _bare(value):
    items = value if isinstance(value, list) else [value or ""]
    return not items or not all(item.strip() for item in items)


def _scored(rows, name):
    # One row that lacks nothing: a field that is empty in every row is another matter.
    samples = [
        SingleTurnSample(**{k: row[v] for k, v in RAGAS_FIELDS.items()}) for row in (FULL, *rows)
    ]
    try:
        result = evaluate(
            EvaluationDataset(samples), [_metric(name)], llm=Oracle(), show_progress=False
        )
    except Exception as error:  # noqa: BLE001 - whatever keeps a notebook from going on
        none = {"none": type(error).__name__, "why": str(error)[:200]}
        return {row["id"]: none for row in rows}
    (column,) = result.scores[0]
    return {
        row["id"]: _value(score[column]) for row, score in zip(rows, result.scores[1:], strict=True)
    }


def values(rows, names):
    """Value by name and row id; the drop-in keeps its store in the working folder."""
    before, groups = Path.cwd(), {}
    for row in rows:
        groups.setdefault(_shape(row), []).append(row)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            return {
                name: {k: v for group in groups.values() for k, v in _scored(group, name).items()}
                for name in names
            }
        finally:
            os.chdir(before)
