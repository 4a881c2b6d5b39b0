"""Which rows of a labelled data set belong together, and which groups are kept out of training?

Training and benchmarks both ask here: a row whose source text was trained on measures memory, not
judgement. Nothing but the standard library, so that either side can import it.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

FOLDS = 5
KEPT_OUT = 0
_SHOWN = 200  # characters of a first context that tell one source text from another


def fold_of(group: str) -> int:
    """A fold in 0..4 that depends on the group's name alone."""
    return zlib.crc32(group.encode()) % FOLDS


def group_of(record: Mapping[str, Any]) -> str:
    """The name of what a record shares with others: its source where named, else its text.

    RAGTruth names its sources, FoolMeTwice its Wikipedia pages; EVOUNA has no contexts, and five
    systems answer each of its questions; Factcheck-GPT shows each claim beside several passages. Of
    all others the first context tells.
    """
    meta = record.get("meta") or {}
    match record["dataset"]:
        case "ragtruth":
            return str(meta["source_id"])
        case "foolmetwice":
            return str(meta["page"])
        case "evouna":
            return str(record["question"])
        case "factcheckgpt":
            return str(record["claim"])
    contexts = record.get("contexts") or [record.get("question") or ""]
    return str(contexts[0][:_SHOWN])


def kept_out(record: Mapping[str, Any]) -> bool:
    """Whether training must not see the record: its group is in the fold that measures."""
    return fold_of(group_of(record)) == KEPT_OUT
