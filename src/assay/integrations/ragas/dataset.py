"""Rows of a user's own kind, kept in files (ragas 0.4's `Dataset`)."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.backends import InMemoryBackend, backend_of


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
        place = backend_of(backend, **options)
        return cls(name, place, data_model, cls._stored(place, name))

    @classmethod
    def _stored(cls, place: Any, name: str) -> Any:
        spoken = cls.DATATABLE_TYPE == "Experiment"
        return place.load_experiment(name) if spoken else place.load_dataset(name)

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
        save = self.backend.save_dataset
        if self.DATATABLE_TYPE == "Experiment":
            save = self.backend.save_experiment
        save(self.name, self.to_list(), self.data_model)

    def reload(self) -> None:
        """Take the rows as they were saved last."""
        found = self._stored(self.backend, self.name)
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
        place = InMemoryBackend()
        named = ((f"{self.name}_train", rows[:cut]), (f"{self.name}_test", rows[cut:]))
        first, second = (type(self)(n, place, self.data_model, part) for n, part in named)
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


__getattr__ = partial(missing, "dataset")
