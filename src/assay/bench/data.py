"""Where benchmark data sets lie, how they are read, and how their rows are split into folds."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from assay.errors import InputError

Record: TypeAlias = dict[str, Any]
R = TypeVar("R", bound=Mapping[str, Any])


@dataclass(frozen=True)
class Data:
    """The folder with the labelled sets, one JSON object a line, `.gz` compressed."""

    folder: Path

    def has(self, name: str) -> bool:
        """Whether the file is there."""
        return (self.folder / name).is_file()

    def text(self, name: str) -> str:
        """What is in a file.

        Raises:
            InputError: If it is not there, or is no such text.
        """
        path = self.folder / name
        opened = gzip.open if path.suffix == ".gz" else open
        try:
            with opened(path, "rt", encoding="utf-8") as file:
                return str(file.read())
        except FileNotFoundError:
            raise InputError(
                f"{name} is not in {self.folder}", "see `assay bench --list`"
            ) from None
        except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
            raise InputError(f"{path} cannot be read: {error}") from error

    def rows(self, name: str) -> list[Record]:
        """The rows of a file.

        Raises:
            InputError: If it is not there, or a line is not a JSON object.
        """
        records = []
        for number, line in enumerate(self.text(name).split("\n"), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise InputError(f"{name}, line {number} is not JSON: {error}") from error
            if not isinstance(row, dict):
                raise InputError(f"{name}, line {number} is not a JSON object")
            records.append(row)
        return records


def thinned(records: Sequence[R], limit: int | None) -> list[R]:
    """At most so many of them, the same ones every time, and those of fewer among those of more."""
    by_chance = sorted(records, key=lambda record: zlib.crc32(record["id"].encode()))
    return by_chance[:limit]


def dataset(record: Record) -> str:
    """The data set that a row names."""
    return str(record["dataset"])


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
