"""Which labelled statements may the support coefficients be fitted on?

Only files whose licence and marking allow training; see the table in README.md. The data folder is
`$ASSAY_DATA`, by default `shared/data` beside the repository.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DATA = Path(os.environ.get("ASSAY_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
# File, weight of the whole file in the fit. The nearer to a RAG answer the heavier.
FILES = {
    "ragtruth/ragtruth_train.jsonl.gz": 3.0,
    "attribution/expertqa_claims.jsonl.gz": 1.0,
    "claims/factcheckgpt_stance.jsonl.gz": 1.0,
    "claims/wice_claims.jsonl.gz": 1.0,
    "claims/foolmetwice.jsonl.gz": 0.5,
    "claims/fever_symmetric.jsonl.gz": 0.3,
    "claims/begin.jsonl.gz": 0.1,
    "claims/halueval_qa500.jsonl.gz": 0.01,
    "claims/conjnli.jsonl.gz": 0.1,
    "faithfulness/summedits_dev.jsonl.gz": 0.3,
}
LARGEST = 4000  # rows taken from one file
FOLDS = 5


class Row(NamedTuple):
    """One labelled statement."""

    data: str
    group: str  # what belongs together when rows are kept aside: same source text
    statement: str
    contexts: tuple[str, ...]
    supported: bool


def fold_of(group: str) -> int:
    """A fold in 0..4 that depends on the group's name alone."""
    return zlib.crc32(group.encode()) % FOLDS


def read(name: str) -> Iterator[dict]:
    """The objects of one file."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def load(name: str) -> list[Row]:
    """The rows of one file, evenly thinned to at most 4,000 statements."""
    rows = [row for record in read(name) for row in _rows(name, record)]
    step = max(1, -(-len(rows) // LARGEST))
    return rows[::step]


def _rows(name: str, record: dict) -> Iterator[Row]:
    data = Path(name).name.partition(".")[0]
    contexts = tuple(record["contexts"])
    group = contexts[0][:200] if contexts else ""
    labels = record["labels"]
    if data == "ragtruth_train":
        data = f"ragtruth_{record['meta']['task_type'].lower()}"
        group = record["meta"]["source_id"]
        for sentence in labels["sentences"]:
            text = record["answer"][sentence["start"] : sentence["end"]]
            yield Row(data, group, text, contexts, sentence["supported"])
        return
    if data == "halueval_qa500":  # the answer alone is a word or two
        yield Row(data, group, record["answer"], contexts, labels["supported"])
    elif data == "summedits_dev":
        yield Row(data, group, record["answer"], contexts, labels["consistent"])
    elif labels.get("supported") is not None:
        yield Row(data, group, record["claim"], contexts, labels["supported"])
