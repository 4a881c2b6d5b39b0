"""Where are data sets and experiments kept?"""

import csv
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from assay.errors import InputError
from assay.integrations.ragas.absent import missing

_SAFE = re.compile(r"[\w][\w .-]*")


class BaseBackend(ABC):
    """Where data sets and experiments are kept. A user's own is a subclass."""

    @abstractmethod
    def load_dataset(self, name: str) -> list[dict[str, Any]]:
        """The rows of a data set."""

    @abstractmethod
    def load_experiment(self, name: str) -> list[dict[str, Any]]:
        """The rows of an experiment."""

    @abstractmethod
    def save_dataset(self, name: str, data: list[dict[str, Any]], data_model: Any = None) -> None:
        """Keep the rows of a data set."""

    @abstractmethod
    def save_experiment(
        self, name: str, data: list[dict[str, Any]], data_model: Any = None
    ) -> None:
        """Keep the rows of an experiment."""

    @abstractmethod
    def list_datasets(self) -> list[str]:
        """The names of all data sets."""

    @abstractmethod
    def list_experiments(self) -> list[str]:
        """The names of all experiments."""


class _Tables(BaseBackend):
    """A backend that keeps both kinds of tables alike."""

    @abstractmethod
    def load(self, kind: str, name: str) -> list[dict[str, Any]]:
        """The rows of a table of this kind."""

    @abstractmethod
    def save(self, kind: str, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep the rows of a table of this kind."""

    @abstractmethod
    def names(self, kind: str) -> list[str]:
        """The names of all tables of this kind."""

    def load_dataset(self, name: str) -> list[dict[str, Any]]:
        """The rows of a data set."""
        return self.load("datasets", name)

    def load_experiment(self, name: str) -> list[dict[str, Any]]:
        """The rows of an experiment."""
        return self.load("experiments", name)

    def save_dataset(self, name: str, data: list[dict[str, Any]], data_model: Any = None) -> None:
        """Keep the rows of a data set."""
        del data_model
        self.save("datasets", name, data)

    def save_experiment(
        self, name: str, data: list[dict[str, Any]], data_model: Any = None
    ) -> None:
        """Keep the rows of an experiment."""
        del data_model
        self.save("experiments", name, data)

    def list_datasets(self) -> list[str]:
        """The names of all data sets."""
        return self.names("datasets")

    def list_experiments(self) -> list[str]:
        """The names of all experiments."""
        return self.names("experiments")


class InMemoryBackend(_Tables):
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

    def names(self, kind: str) -> list[str]:
        """The names of all tables."""
        return sorted(name for other, name in self._tables if other == kind)


class _Local(_Tables):
    ending: ClassVar[str]

    def __init__(self, root_dir: str | Path = ".", **_: Any) -> None:
        self.root_dir = Path(root_dir)

    def path(self, kind: str, name: str) -> Path:
        """The file of a table.

        Raises:
            InputError: If the name is not a file name.
        """
        if not _SAFE.fullmatch(name):
            raise InputError(f"'{name}' is not a file name", "use letters, digits, - and _")
        return self.root_dir / kind / f"{name}{self.ending}"

    def names(self, kind: str) -> list[str]:
        """The names of all tables."""
        return sorted(path.stem for path in (self.root_dir / kind).glob(f"*{self.ending}"))


class LocalJSONLBackend(_Local):
    """Rows as lines of JSON, in `datasets` and `experiments` below a folder."""

    ending = ".jsonl"

    def load(self, kind: str, name: str) -> list[dict[str, Any]]:
        """The rows of a file."""
        lines = self.path(kind, name).read_text("utf-8").split("\n")
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
        write_csv(path, rows)


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write one line a row, below a line with the names of all columns."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


def _json(value: Any) -> Any:
    # A MetricResult in a row.
    return value.to_dict() if hasattr(value, "to_dict") else str(value)


BACKENDS: dict[str, Any] = {
    "local/csv": LocalCSVBackend,
    "local/jsonl": LocalJSONLBackend,
    "inmemory": InMemoryBackend,
}


BACKEND_REGISTRY = BACKENDS


def get_registry() -> dict[str, Any]:
    """The backends by name."""
    return BACKENDS


def register_backend(name: str, backend_class: Any, aliases: Sequence[str] | None = None) -> None:
    """Make a backend of the user's own known.

    Args:
        name: What data sets call it.
        backend_class: A subclass of `BaseBackend`, made with the options of the data set.
        aliases: Further names.
    """
    BACKENDS.update(dict.fromkeys([name, *(aliases or ())], backend_class))


def print_available_backends() -> None:
    """Print name and purpose of each backend."""
    for name, kind in BACKENDS.items():
        purpose = (kind.__doc__ or "").strip().partition("\n")[0]
        print(f"{name}: {purpose}")  # noqa: T201 - what the function is for


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


__getattr__ = partial(missing, "backends")
