"""Tables of a user's own rows, experiments over them, and where both are kept (ragas 0.4)."""

import asyncio
import csv
import json
import random
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial, update_wrapper
from pathlib import Path
from typing import Any, ClassVar, Self

from assay._middleware.concurrency import settled
from assay.data.values import as_text, read_back
from assay.errors import AssayError, InputError
from assay.integrations.ragas.advice import missing


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
    def load(
        cls, name: str, backend: Any, data_model: type[Any] | None = None, **options: Any
    ) -> Self:
        """The rows that were saved by this name."""
        table_backend = backend_of(backend, **options)
        return cls(name, table_backend, data_model, cls._stored_rows(table_backend, name))

    @classmethod
    def _stored_rows(cls, table_backend: Any, name: str) -> Any:
        spoken = cls.DATATABLE_TYPE == "Experiment"
        return table_backend.load_experiment(name) if spoken else table_backend.load_dataset(name)

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
        model: Any = self.data_model or Mapping
        if not isinstance(item, model) and not (not self.data_model and _is_model(item)):
            raise TypeError(f"a row is a {model.__name__}, not {type(item).__name__}")
        self._data.append(item)

    def save(self) -> None:
        """Keep the rows where the backend keeps them."""
        save = self.backend.save_dataset
        if self.DATATABLE_TYPE == "Experiment":
            save = self.backend.save_experiment
        save(self.name, self.to_list(), self.data_model)

    def reload(self) -> None:
        """Take the rows as they were saved last."""
        rows = self._stored_rows(self.backend, self.name)
        self._data = []
        for item in rows:
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
        self, test_size: float = 0.2, random_state: int | None = None
    ) -> tuple["DataTable", "DataTable"]:
        """The rows parted in two tables that are kept in memory, as ragas parts them.

        Args:
            test_size: Share of the rows in the second table; the first is rounded down.
            random_state: Seed by which the rows are shuffled first; None keeps their order.
        """
        rows = list(self._data)
        if random_state is not None:
            random.Random(random_state).shuffle(rows)  # noqa: S311 - parted, not encrypted
        cut = int(len(rows) * (1 - test_size))
        memory = InMemoryBackend()
        names_and_rows = ((f"{self.name}_train", rows[:cut]), (f"{self.name}_test", rows[cut:]))
        first, second = (type(self)(n, memory, self.data_model, rows) for n, rows in names_and_rows)
        first.save()
        second.save()
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


_AT_ONCE = 16


class Experiment(DataTable):
    """The results of an experiment, one row each."""

    DATATABLE_TYPE = "Experiment"


class ExperimentFunction:
    """A function of one row, which `arun` runs over all rows of a data set.

    Args:
        function: The function, plain or async.
        experiment_model: A model of pydantic that its results are like.
        backend: Where results are kept; by default where the data set is.
        name_prefix: What names of experiments begin with.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        experiment_model: type[Any] | None,
        backend: Any,
        name_prefix: str,
    ) -> None:
        update_wrapper(self, function)
        self.function, self.experiment_model = function, experiment_model
        self.backend, self.name_prefix = backend, name_prefix

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives."""
        return await settled(self.function(*args, **kwargs))

    async def arun(
        self, dataset: Any, name: str | None = None, backend: Any = None, *args: Any, **kwargs: Any
    ) -> Experiment:
        """Run it over all rows and save what it gives, in the order of the rows.

        A row for which it raises is left out with a warning; all others are kept.

        Args:
            dataset: The rows.
            name: What the experiment is called; the time if it is not given.
            backend: Where to keep it.
            args: Passed on behind the row.
            kwargs: Passed on.
        """
        table_name = name or datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
        table_name = f"{self.name_prefix}-{table_name}" if self.name_prefix else table_name
        table_backend = backend_of(backend or self.backend or dataset.backend)
        free = asyncio.Semaphore(_AT_ONCE)

        async def one(row: Any) -> Any:
            async with free:
                return await self(row, *args, **kwargs)

        results = await asyncio.gather(*map(one, dataset), return_exceptions=True)
        table = Experiment(table_name, table_backend, self.experiment_model)
        for number, result in enumerate(results, 1):
            if isinstance(result, AssayError | Exception):
                warnings.warn(f"{table_name}: row {number} has no result: {result}", stacklevel=2)
            elif isinstance(result, BaseException):
                raise result
            elif result is not None:
                table.append(result)
        table.save()
        return table


def experiment(
    experiment_model: type[Any] | None = None, backend: Any = None, name_prefix: str = ""
) -> Callable[[Callable[..., Any]], ExperimentFunction]:
    """Make a function of one row an experiment.

    Args:
        experiment_model: A model of pydantic that its results are like.
        backend: Where results are kept; by default where the data set is.
        name_prefix: What names of experiments begin with.
    """

    def made(function: Callable[..., Any]) -> ExperimentFunction:
        return ExperimentFunction(function, experiment_model, backend, name_prefix)

    return made


ExperimentWrapper = ExperimentFunction


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
        return sorted(name for table_kind, name in self._tables if table_kind == kind)


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
            cells = ([read_back(cell) for cell in row] for row in csv.reader(file) if row)
            header = next(cells, [])
            return [dict(zip(header, row, strict=False)) for row in cells]

    def save(self, kind: str, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the file."""
        path = self.path(kind, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_csv(path, rows)


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write one line a row, below a line with the names of all columns; no cell is a formula."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(map(as_text, columns))
        writer.writerows([_cell(row.get(column, "")) for column in columns] for row in rows)


def _cell(value: Any) -> Any:
    return as_text(value) if isinstance(value, str) else value


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


__getattr__ = partial(missing, "dataset")
