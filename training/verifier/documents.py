"""Rows with human labels about records, tables, dialogues and contracts: the second bundle.

Only files marked train. Spans that people called misleading, but not unsupported, are no errors
here, and texts whose flag and spans disagree are left out.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from assay.experiments.reader_windows import Row
from training.data import DATA2, read

# Each with the most rows taken of it: tables are many and long.
FILES = {
    "records/quintd1_train.jsonl.gz": 1_300,
    "records/llm_spans_train.jsonl.gz": 800,
    "records/rotowire_train.jsonl.gz": 60,
    "tables/tabfact_pairs_train.jsonl.gz": 6_000,
    "tables/infotabs_train.jsonl.gz": 5_000,
    "dialogues/diasumfact_train.jsonl.gz": 100,
    "documents/contractnli_train.jsonl.gz": 900,
    "claims/factcg_doc_train.jsonl.gz": 1_800,
}
_NAMED = 200  # characters of a context that name it
_REFUTED = ("incorrect", "contradict", "number", "name", "entity", "predicate", "word")


def rows() -> Iterator[Row]:
    """Every row that is taken, pairs together."""
    for name, most in FILES.items():
        records = sorted(read(name, DATA2), key=_order)[:most]
        for record in records:
            if not record["labels"].get("flag_conflict"):
                yield _row(name.rpartition("/")[2].removesuffix("_train.jsonl.gz"), record)


def _order(record: dict[str, Any]) -> tuple[int, str]:
    """By chance, the same one every time; the two halves of a pair follow each other."""
    pair = str(record["meta"].get("pair", record["id"]))
    return zlib.crc32(pair.encode()), pair


def _row(data: str, record: dict[str, Any]) -> Row:
    labels = record["labels"]
    label, spans = None, None
    if "spans" in labels:
        spans = tuple(
            (span["start"], span["end"], _kind(str(span["label_type"])))
            for span in labels["spans"]
            if span["unsupported"]
        )
    else:
        label = {"not_supported": "unsupported"}.get(labels["label"], labels["label"])
        spans = () if label == "supported" else None
    return Row(
        data=data,
        group=group_of(record),
        question=record["question"] or "",
        contexts=tuple(record["contexts"]),
        answer=record.get("claim") or record["answer"],
        label=label,
        spans=spans,
    )


def _kind(label: str) -> str:
    return "refuted" if label.startswith(_REFUTED) else "neutral"


def group_of(record: dict[str, Any]) -> str:
    """What belongs together: the record, table, dialogue or contract."""
    meta = record["meta"]
    for name in ("source_id", "table_id", "document_id", "group"):
        if name in meta:
            return f"{record['dataset']} {meta[name]}"
    return str(record["contexts"][0][:_NAMED])
