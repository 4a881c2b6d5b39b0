"""The files of human-labelled rows, which never ship with assay."""

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
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


def thinned(records: Sequence[R], most: int | None) -> list[R]:
    """At most so many of them, the same ones every time, and those of fewer among those of more."""
    by_chance = sorted(records, key=lambda record: zlib.crc32(record["id"].encode()))
    return by_chance[:most]


def dataset(record: Record) -> str:
    """The data set that a row names."""
    return str(record["dataset"])
