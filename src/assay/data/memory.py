"""Rows of objects in memory: lists, generators, data frames, dicts of columns."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.data.columns import refuse_doubled
from assay.data.conversations import are_messages
from assay.data.rows import Record
from assay.data.values import Form, describe, unboxed
from assay.errors import InputError, Problem
from assay.sample import Sample

_KINDS = "a path, a list of dicts or Samples, a DataFrame, a Dataset or a dict of columns"


def memory_records(data: Any) -> Callable[[], Iterator[Record]]:
    """What gives the records of an object; InputError if it holds no rows."""
    if isinstance(data, Mapping):
        _refuse_splits(data)
        if not is_columns(data):
            remedy = "give one list a column; for a single row give [row]"
            raise InputError("the dict is not a dict of columns", remedy)
        return lambda: column_records(data)
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return lambda: _pandas_records(data)
    if hasattr(data, "to_batches"):
        return lambda: _listed(_rows_of_batches(data), "arrow")
    if hasattr(data, "iter_rows"):
        return lambda: _listed(data.iter_rows(named=True), "arrow")
    # A Hugging Face Dataset may give tensors or frames instead.
    form: Form = "arrow" if hasattr(data, "with_format") else "json"
    data = data.with_format(None) if form == "arrow" else data
    if isinstance(data, bytes) or not isinstance(data, Iterable):
        raise InputError(f"cannot read rows from {describe(data)}", f"give {_KINDS}")
    if isinstance(data, Iterator):
        return Once(data)
    return lambda: _listed(data, form)


def is_columns(data: Mapping[Any, Any]) -> bool:
    """Whether every value is a list, as in a dict of columns. One conversation is no column."""
    return bool(data) and all(
        isinstance(unboxed(v), list | tuple) and not are_messages(v) for v in data.values()
    )


def column_records(data: Mapping[Any, Any]) -> Iterator[Record]:
    """Records of a dict of columns, which must be of equal length."""
    columns = {key: unboxed(values) for key, values in data.items()}
    lengths = {key: len(values) for key, values in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"'{key}' has {length}" for key, length in lengths.items())
        raise InputError(f"columns differ in length: {shown}", "give equal lists")
    for number, values in enumerate(zip(*columns.values(), strict=True), 1):
        yield Record(number, dict(zip(columns, values, strict=True)))


def values_of(sample: Sample) -> dict[str, Any]:
    """The sample as a row of plain values without what is absent; reading it gives it back."""
    values = {f.name: _plain(getattr(sample, f.name)) for f in dataclasses.fields(sample)}
    kept = {name: value for name, value in values.items() if value not in (None, ())}
    kept |= {name: () for name, value in values.items() if value == () and name != "accepted"}
    lists = {name: list(value) for name, value in kept.items() if isinstance(value, tuple)}
    return {**kept, **lists, "metadata": dict(sample.metadata)}


def _plain(value: Any) -> Any:
    """Turns, tool calls and variants as dicts without what is absent."""
    if isinstance(value, tuple) and any(dataclasses.is_dataclass(item) for item in value):
        return [_fields_of(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _fields_of(item: Any) -> dict[str, Any]:
    values = {f.name: _plain(getattr(item, f.name)) for f in dataclasses.fields(item)}
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    # An empty list of contexts says that nothing was retrieved; an empty one of calls nothing.
    kept = {k: v for k, v in values.items() if v not in (None, {}) and (k, v) != ("tool_calls", ())}
    return {**kept, **{name: value for name, value in lists.items() if name in kept}}


@dataclass
class Once:
    """An iterator that can be read only once, and says so instead of seeming empty."""

    rows: Iterator[Any]
    used: bool = field(default=False)

    def __call__(self) -> Iterator[Record]:
        """The records, the first time.

        Raises:
            InputError: If they were given before.
        """
        if self.used:
            what = "the rows came from a generator, which can be read only once"
            raise InputError(what, "give a list or a path")
        self.used = True
        return _listed(self.rows)


def _rows_of_batches(data: Any) -> Iterator[Any]:
    for batch in data.to_batches():
        refuse_doubled(batch.schema.names)
        yield from batch.to_pylist()


def _listed(rows: Iterable[Any], form: Form = "json") -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        if isinstance(row, Sample):
            yield Record(number, values_of(row), form="sample")
            continue
        values = _as_dict(row)
        if isinstance(values, Mapping):
            yield Record(number, values, form)
        else:
            what = f"is {describe(row)}, not a row"
            remedy = "give each row as a dict or a Sample"
            problem = Problem(what, remedy, row=number)
            yield Record(number, None, problem=problem, text=str(row))


def _as_dict(row: Any) -> Any:
    """A row of another library (pydantic model, dataclass) as the dict that it stands for."""
    if isinstance(row, Mapping | type):
        return row
    if hasattr(row, "model_dump"):
        return row.model_dump()
    if dataclasses.is_dataclass(row):
        return {f.name: getattr(row, f.name) for f in dataclasses.fields(row)}
    return row


def _pandas_records(frame: Any) -> Iterator[Record]:
    # An index that was given a name, such as an id, is a column; so is each level of several.
    levels = [n for n in frame.index.names if n is not None and n not in frame.columns]
    refuse_doubled([str(name) for name in levels])
    frame = frame.reset_index(level=levels) if levels else frame
    names = [str(name) for name in frame.columns]
    refuse_doubled(names)
    columns = [frame.iloc[:, at] for at in range(len(names))]
    for number, values in enumerate(zip(*columns, strict=True), 1):
        yield Record(number, dict(zip(names, values, strict=True)), form="table", framed=True)


def _refuse_splits(data: Mapping[Any, Any]) -> None:
    splits = [str(name) for name, value in data.items() if hasattr(value, "column_names")]
    if splits:
        what = f"the data set has the splits {', '.join(splits)}"
        raise InputError(what, f"give one of them: data[{splits[0]!r}]")
