"""Rows of a user's own kind, kept in files (ragas 0.4's `Dataset`)."""

import csv
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from assay.errors import InputError
from assay.integrations.ragas.absent import missing

_SAFE = re.compile(r"[\w][\w .-]*")


class BaseBackend(Protocol):
    """Where rows are kept."""

    def load(self, kind: str, name: str) -> list[dict[str, Any]]:
        """The rows of a table ("datasets" or "experiments") by its name."""

    def save(self, kind: str, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep the rows."""


class InMemoryBackend:
    """Rows kept as long as the process lives."""

    def __init__(self, **_: Any) -> None:
        self._tables: dict[tuple[str, str], list[dict[str, Any]]] = {}

    def load(self, kind: str, name: str) -> list[dict[str, Any]]:
        """The rows of a table.

        Raises:
            FileNotFoundError: If it was not saved.
        """
        if (kind, name) not in self._tables:
            raise FileNotFoundError(f"there is no {name} among the {kind}")
        return [dict(row) for row in self._tables[kind, name]]

    def save(self, kind: str, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep the rows."""
        self._tables[kind, name] = [dict(row) for row in rows]


class _Local:
    ending: ClassVar[str]

    def __init__(self, root_dir: str | Path = ".", **_: Any) -> None:
        self.root_dir = Path(root_dir)

    def path(self, kind: str, name: str) -> Path:
        """The file of a table.

        Raises:
            InputError: If the name is no name of a file.
        """
        if not _SAFE.fullmatch(name):
            raise InputError(f"'{name}' is no name of a file", "use letters, digits, - and _")
        return self.root_dir / kind / f"{name}{self.ending}"


class LocalJSONLBackend(_Local):
    """Rows as lines of JSON, in `datasets` and `experiments` below a folder."""

    ending = ".jsonl"

    def load(self, kind: str, name: str) -> list[dict[str, Any]]:
        """The rows of a file."""
        lines = self.path(kind, name).read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]

    def save(self, kind: str, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the file."""
        path = self.path(kind, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(row, ensure_ascii=False, default=_json) + "\n" for row in rows]
        path.write_text("".join(lines), "utf-8")


class LocalCSVBackend(_Local):
    """Rows as lines of CSV; what is read back is text unless a data model says otherwise."""

    ending = ".csv"

    def load(self, kind: str, name: str) -> list[dict[str, Any]]:
        """The rows of a file."""
        with self.path(kind, name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def save(self, kind: str, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the file."""
        path = self.path(kind, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)


def _json(value: Any) -> Any:
    # A MetricResult in a row.
    return value.to_dict() if hasattr(value, "to_dict") else str(value)


BACKENDS = {
    "local/csv": LocalCSVBackend,
    "local/jsonl": LocalJSONLBackend,
    "inmemory": InMemoryBackend,
}


def backend_of(backend: Any, **options: Any) -> Any:
    """A place for rows by its name, or as it is.

    Raises:
        InputError: If nothing is known by that name.
    """
    if not isinstance(backend, str):
        return backend
    if backend not in BACKENDS:
        raise InputError(f"no backend is called '{backend}'", f"one of {', '.join(BACKENDS)}")
    return BACKENDS[backend](**options)


class DataTable:
    """A list of rows, dicts or models of pydantic, that can be saved and loaded.

    Args:
        name: What the table is called.
        backend: "local/csv", "local/jsonl", "inmemory" or an object that loads and saves.
        data_model: A model of pydantic that every row is to be like.
        data: The rows.
        options: For the backend: `root_dir`.
    """

    DATATABLE_TYPE: ClassVar[str] = "Dataset"

    def __init__(
        self,
        name: str,
        backend: Any = "inmemory",
        data_model: type[Any] | None = None,
        data: Sequence[Any] | None = None,
        **options: Any,
    ) -> None:
        self.name, self.data_model = name, data_model
        self.backend = backend_of(backend, **options)
        self._data: list[Any] = []
        for item in data or ():
            self.append(item)

    @classmethod
    def _kind(cls) -> str:
        return f"{cls.DATATABLE_TYPE.lower()}s"

    @classmethod
    def load(
        cls, name: str, backend: Any, data_model: type[Any] | None = None, **options: Any
    ) -> Self:
        """The rows that were saved by this name."""
        place = backend_of(backend, **options)
        return cls(name, place, data_model, place.load(cls._kind(), name))

    @classmethod
    def from_pandas(
        cls,
        dataframe: Any,
        name: str,
        backend: Any = "inmemory",
        data_model: type[Any] | None = None,
        **options: Any,
    ) -> Self:
        """The rows of a data frame."""
        return cls(name, backend, data_model, dataframe.to_dict(orient="records"), **options)

    def append(self, item: Any) -> None:
        """Add a row.

        Raises:
            TypeError: If it is neither a dict nor of the table's model.
        """
        if self.data_model is not None and isinstance(item, Mapping):
            item = self.data_model(**item)
        wanted: Any = self.data_model or Mapping
        if not isinstance(item, wanted) and not (not self.data_model and _is_model(item)):
            raise TypeError(f"a row is a {wanted.__name__}, not {type(item).__name__}")
        self._data.append(item)

    def save(self) -> None:
        """Keep the rows where the backend keeps them."""
        self.backend.save(self._kind(), self.name, self.to_list())

    def reload(self) -> None:
        """Take the rows as they were saved last."""
        found = self.backend.load(self._kind(), self.name)
        self._data = []
        for item in found:
            self.append(item)

    def validate_with(self, data_model: type[Any]) -> Self:
        """The same table with every row made a model."""
        return type(self)(self.name, self.backend, data_model, self.to_list())

    def to_list(self) -> list[dict[str, Any]]:
        """Every row as a dict."""
        return [item.model_dump() if _is_model(item) else dict(item) for item in self._data]

    def to_pandas(self) -> Any:
        """The rows as a data frame (package `pandas`)."""
        import pandas as pd

        return pd.DataFrame(self.to_list())

    def train_test_split(
        self, test_size: float = 0.2, random_state: int = 42
    ) -> tuple["DataTable", "DataTable"]:
        """The rows shuffled and parted in two tables kept in memory."""
        rows = list(self._data)
        random.Random(random_state).shuffle(rows)  # noqa: S311 - parted, not encrypted
        cut = len(rows) - round(len(rows) * test_size)
        place = InMemoryBackend()
        named = ((f"{self.name}_train", rows[:cut]), (f"{self.name}_test", rows[cut:]))
        first, second = (type(self)(n, place, self.data_model, part) for n, part in named)
        return first, second

    def get_row_value(self, row: Any, key: str) -> Any:
        """A row's value, whether it is a dict or a model; None if it has none."""
        return row.get(key) if isinstance(row, Mapping) else getattr(row, key, None)

    def __getitem__(self, at: Any) -> Any:
        return self._data[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        model = f", model={self.data_model.__name__}" if self.data_model else ""
        return f"{self.DATATABLE_TYPE}(name={self.name}{model}, len={len(self)})"


def _is_model(item: Any) -> bool:
    return hasattr(item, "model_dump")


class Dataset(DataTable):
    """The rows that an experiment is made with."""


def __getattr__(name: str) -> Any:
    return missing("dataset", name)
