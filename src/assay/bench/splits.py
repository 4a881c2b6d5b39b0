"""Which rows of a labelled data set belong together, and which are held out of training.

Training and benchmarks both ask here: a row whose source text was trained on measures memory, not
judgement. Nothing but the standard library and the reader of rows is imported.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.bench.data import Data, Record

FOLDS = 5
HELD_OUT = 0
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


def held_out(record: Mapping[str, Any]) -> bool:
    """Whether training must not see the record: its group is in the fold that measures."""
    return fold_of(group_of(record)) == HELD_OUT


def rows_of_fold(
    data: Data,
    files: Iterable[tuple[str, bool]],
    usable: Callable[[Record], bool],
    *,
    fitting: bool,
) -> list[Record]:
    """The usable rows of files; of those that fit the judge one fold is measured, the rest fits.

    Args:
        data: Where the files are.
        files: Each with whether the embedded judge is fitted on rows of it.
        usable: Whether a row can be measured at all.
        fitting: Whether the rows to fit on are wanted instead of those to measure.
    """
    return [
        record
        for file, fitted in files
        if fitted or not fitting
        for record in data.rows(file)
        if usable(record) and fitting == (fitted and fold_of(record["question"]) != HELD_OUT)
    ]
