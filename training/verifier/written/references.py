"""Answers beside a reference answer to the same question, and the reference beside the answers.

How correct an answer is, and how much of the reference it covers, is asked of two texts of like
length about one thing. What people labelled for it are single phrases beside single sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.experiments.reader_windows import Row
from training.verifier.written import reports
from training.verifier.written.reports import Report
from training.verifier.written.statement import NAMED, Statement, records

# What their rows are named: answers, up to three sentences of them; references beside an answer,
# of which it is known which sentences follow from it, but not which words do not.
SAID, SAID_PARTS = "written/said", "written/said_part"
COVERED, COVERED_PARTS = "written/covered", "written/covered_part"
TEXTS = Path(__file__).parent / "references"


def rows(seed: int = 0) -> Iterator[Row]:
    """Both directions of every pair, whole and in parts."""
    read = [record for _, record in records(TEXTS)]
    said = [_said(record) for record in read]
    yield from reports.cut(said, (SAID, SAID_PARTS), f"{seed} said")
    covered = [one for record in read for one in _covered(record)]
    yield from reports.cut(covered, (COVERED, COVERED_PARTS), f"{seed} covered")


def _said(record: dict[str, Any]) -> Report:
    texts = [tuple(Statement(**each) for each in answer["said"]) for answer in record["answers"]]
    reference = " ".join(record["reference"])
    return Report(record["domain"], (reference,), tuple(texts), reference[:NAMED])


def _covered(record: dict[str, Any]) -> Iterator[Report]:
    group = " ".join(record["reference"])[:NAMED]
    for answer in record["answers"]:
        text = " ".join(each["text"] for each in answer["said"])
        labels = zip(record["reference"], answer["covers"], strict=True)
        sentences = (
            Statement(said, label, "" if label == "supported" else said) for said, label in labels
        )
        yield Report(record["domain"], (text,), (tuple(sentences),), group)
