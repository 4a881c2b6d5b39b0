"""Rows: records of any source, objects in memory too, and their columns as fields of a sample."""

import dataclasses
import json
import re
import reprlib
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from assay._text.misspelt import normal
from assay.data import columns
from assay.data.columns import MISSING, NumberedColumns, Path, Plan, fetch, refuse_doubled
from assay.data.conversations import (
    CALLS,
    add_exchange,
    are_messages,
    as_object,
    fill_from_conversation,
)
from assay.data.documents import JOINED, Documents, documents, is_plain
from assay.data.fields import READERS
from assay.data.passages import Decision
from assay.data.values import FieldError, Form, describe, plain, refuse_lost, unboxed
from assay.errors import InputError, Problem
from assay.sample import Sample


@dataclass(frozen=True, slots=True)
class Record:
    """One record as a source gives it, before its columns are understood."""

    # 1-based line of a JSONL file; 1-based record of anything else (a CSV file's header is not
    # counted)
    number: int
    values: Mapping[Any, Any] | None  # column -> value, None if the record is broken
    # "table" if lists and numbers may stand as text in a cell and an empty cell is an absent value;
    # "arrow" if objects have the keys of all rows, null where a row has none; "sample" if the
    # columns are the fields of a Sample.
    form: Form = "json"
    problem: Problem | None = None  # what is broken, None if nothing is
    text: str | None = None  # the record as it stood in the file, None if the source is not text
    # Whether it is a table's that has a word of its own for what is absent (a data frame's NaN): an
    # empty answer in it is one.
    framed: bool = False

    @property
    def raw(self) -> str:
        """The record as text, to be shown to a person who repairs it."""
        if self.text is not None:
            return self.text
        try:
            return json.dumps(self.values, ensure_ascii=False, default=str, skipkeys=True)
        except (RecursionError, ValueError):  # nested too deeply, or within itself
            return reprlib.repr(self.values)


@dataclass(frozen=True)
class Reading:
    """How the rows of a data set are read, beyond the user's mapping and the names of columns."""

    # Field -> column, where one column alone seems to hold it.
    guessed: Mapping[str, str] = field(default_factory=dict)
    # Field -> columns of which any may hold it.
    ambiguous: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Field -> column of the main fields that are known by their name.
    columns: Mapping[str, str] = field(default_factory=dict)
    # Field -> what becomes of texts that are no lists.
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    whole: bool = False  # whether the user wants each text to be one context
    id_column: str = ""  # column that may name each row, where none is known to; "" for none


@dataclass(frozen=True, slots=True)
class Row:
    """One record, understood."""

    number: int  # as in Record
    # Fields of a Sample that could be read, those that are absent as None.
    fields: Mapping[str, Any]
    problems: tuple[Problem, ...]  # everything wrong with the row by itself
    columns: tuple[str, ...]  # names of the columns it had
    record: Record  # what it was read from
    # Fields whose column, named by the user's mapping, this row does not have.
    unfound: frozenset[str] = field(default=frozenset())
    # Field -> how many passages its one text makes, for texts that are no lists.
    passages: Mapping[str, int] = field(default_factory=dict)
    # Fields that were read from documents printed as text.
    printed: frozenset[str] = field(default=frozenset())
    reading: Reading = field(default_factory=Reading)  # what the first rows decided of all

    @property
    def sample(self) -> Sample | None:
        """The sample, None if the row has a problem."""
        return None if self.problems else Sample(**self.fields)


_OPTIONAL: Final = {
    *("latency_ms", "cost", "tokens", "group", "language", "relevance_grades", "further_answers"),
    *("other_answer", "answerable", "rubric", "turns", "reference_tool_calls", "reference_topics"),
    *("variants", "failure", "nuggets", "context_access", "user_access"),
}
_PLANS_KEPT: Final = 256
_HOP: Final = re.compile(r"\A<\d+-hop>\s+")  # ragas' mark of a passage of a multi-hop question


class Converter:
    """Turns records into rows. Rows that share their columns share the work of finding fields."""

    def __init__(self, mapping: Mapping[str, str], reading: Reading | None = None) -> None:
        self._mapping = mapping
        self._decided = reading or Reading()
        self._plans: dict[tuple[Any, ...], Plan] = {}

    def row(self, record: Record) -> Row:
        """The row that the record makes."""
        if record.values is None:
            problems = (record.problem,) if record.problem else ()
            return Row(record.number, {}, problems, (), record, reading=self._decided)
        mapping = {} if record.form == "sample" else self._mapping
        plan = self._plan(record, mapping)
        fields = _Fields(record, plan, self._decided)
        for name, paths in plan.fields.items():
            fields.read(name, paths)
        fields.finish()
        return Row(
            number=record.number,
            fields=fields.fields,
            problems=tuple(fields.problems),
            columns=plan.columns,
            record=record,
            unfound=frozenset(field for field in mapping if field in fields.unfound),
            passages=fields.passages,
            printed=frozenset(fields.printed),
            reading=self._decided,
        )

    def _plan(self, record: Record, mapping: Mapping[str, str]) -> Plan:
        key = (record.form == "sample", *(record.values or ()))
        if key not in self._plans:
            if len(self._plans) >= _PLANS_KEPT:
                self._plans.clear()  # rows of ever new columns must not fill the memory
            guessed = {} if record.form == "sample" else self._decided.guessed
            self._plans[key] = columns.plan(record.values or (), mapping, guessed)
        return self._plans[key]


class _Fields:
    def __init__(self, record: Record, plan: Plan, decided: Reading) -> None:
        self.values: Mapping[Any, Any] = record.values or {}
        self.number = record.number
        self.form = record.form
        self.framed = record.framed
        self.plan = plan
        self.decided = decided
        self.passages: dict[str, int] = {}
        self.whole: dict[str, Documents] = {}
        self.printed: set[str] = set()
        self.fields: dict[str, Any] = {}
        self.problems: list[Problem] = []
        self.unfound: set[str] = set()
        self.metadata: dict[str, Any] = {}

    def complain(self, field: str, fault: str, remedy: str, sent: str = "") -> None:
        sent = sent or remedy
        if field in _OPTIONAL:
            remedy = f"{remedy}; --map {field}= leaves the field out"
            sent = f"{sent}, or leave the field out"
        self.problems.append(Problem(fault, remedy, row=self.number, field=field, sent=sent))

    def read(self, field: str, paths: tuple[Path, ...]) -> None:
        """Read one field from all columns that may hold it; they must agree."""
        values: dict[str, Any] = {}
        for path in paths:
            value = fetch(self.values, path)
            if value is MISSING:
                self.unfound.add(field)
                continue
            name = (" and " if isinstance(path, NumberedColumns) else ".").join(map(str, path))
            try:
                value = self._value(field, unboxed(value))
            except FieldError as error:
                column = "" if name == field else f" (column {name!r})"
                remedy = _inner_name(field, name, unboxed(value)) or error.remedy
                self.complain(field, f"{error.what}{column}", remedy, error.sent)
                return
            except RecursionError:
                self.complain(field, "is nested too deeply", "flatten it")
                return
            if value is not None:
                values[name] = value
        self._agree(field, values)

    def _agree(self, field: str, candidates: Mapping[str, Any]) -> None:
        """Take the value that the columns agree on; an empty text disagrees with nothing."""
        candidates = {
            name: value for name, value in candidates.items() if value != ""
        } or candidates
        distinct = list(candidates.values())
        if any(value != distinct[0] for value in distinct[1:]):
            names = " and ".join(f"'{name}'" for name in candidates)
            remedy = f"choose one with --map {field}=COLUMN"
            fault = f"columns {names} both hold it and differ"
            self.complain(field, fault, remedy, "keep one of them")
        elif distinct:
            self.fields[field] = distinct[0]

    def _value(self, field: str, value: Any) -> Any:
        if value is None:
            return None
        if self.form == "table" and value == "" and not (self.framed and field == "answer"):
            return None
        if self.form == "table" and not self.framed:
            refuse_lost(value if isinstance(value, list) else [value])
        # What a frame's cell holds beside text came from Arrow or has pandas' gaps.
        form = "arrow" if self.framed and not isinstance(value, str) else self.form
        if field in JOINED and isinstance(value, str) and self.form != "sample":
            return self._documents(field, value)
        return READERS[field](value, form)

    def _documents(self, field: str, value: str) -> Documents:
        """The contexts in one text: a list, printed documents, or passages joined as decided."""
        document = documents(value)
        if document.printed:
            if self.decided.whole:
                return documents([value])
            self.printed.add(field)
        decision = self.decided.decisions.get(field)
        if decision is None or not is_plain(value):
            return document
        pieces = decision.separator.split(value)
        self.passages[field] = len(pieces)
        self.whole[field] = document
        return documents(list(pieces)) if decision.splits else document

    def finish(self) -> None:
        """Join what several columns say together and put the rest into the metadata."""
        self._collect_metadata()
        self._join_references()
        self._join_contexts()
        self._join_turns()
        self.fields["id"] = self.fields.get("id") or f"row-{self.number}"
        self.fields["metadata"] = self.metadata

    def _collect_metadata(self) -> None:
        try:
            extra = {plain(str(key)): plain(self.values[key]) for key in self.plan.extra}
        except RecursionError:
            self.complain("metadata", "a column is nested too deeply", "flatten it")
            return
        metadata = self.fields.pop("metadata", {})
        if not isinstance(metadata, dict) or metadata.keys() & extra.keys():
            metadata = {"metadata": metadata}
        self.metadata = {**metadata, **extra}

    def _join_references(self) -> None:
        first = self.fields.pop("reference", None)
        accepted = self.fields.pop("accepted", ())
        if first is not None:
            self.fields["reference"] = first[0]
            accepted = (*first[1:], *accepted)
        self.fields["accepted"] = accepted

    def _join_contexts(self) -> None:
        for name, ids_field in (
            ("contexts", "context_ids"),
            ("reference_contexts", "reference_context_ids"),
        ):
            documents: Documents | None = self.fields.get(name)
            if documents is None:
                continue
            ids = self.fields.get(ids_field)
            if name in self.whole and ids is not None and len(ids) < len(documents.texts):
                documents = self.whole[name]  # passages without an id each would be none
                del self.passages[name]
            texts = documents.texts
            is_retrieved = name == "contexts"
            self.fields[name] = texts if is_retrieved else tuple(_HOP.sub("", t) for t in texts)
            if documents.rest:
                self.metadata.setdefault(name, plain(documents.rest))
            self._check_ids(name, ids_field, documents)
            self.fields.setdefault(ids_field, documents.ids)
            if is_retrieved:
                self._join_access(documents)

    def _check_ids(self, name: str, ids_field: str, documents: Documents) -> None:
        """Complain of ids in a column of their own that do not fit the texts."""
        if self._filled(name) - self._filled(ids_field) and self._filled(ids_field):
            fault = "is empty where a text is given, so the next text's id would be taken"
            self.complain(ids_field, fault, "give each text its id")
        ids = self.fields.get(ids_field)
        if ids is None:
            return
        if name == "contexts":
            # More may have been retrieved than was handed on: ids go on where the texts end.
            ids = ids[: len(documents.texts)]
            if len(ids) < len(documents.texts):
                fault = f"holds {len(ids)} ids for {len(documents.texts)} contexts"
                remedy = "give one id for each context, in the same order; more may follow"
                self.complain(ids_field, fault, remedy)
                return
        if documents.ids is not None and documents.ids != ids:
            self.complain(ids_field, f"differs from the ids in '{name}'", "keep one of them")

    def _join_access(self, documents: Documents) -> None:
        """Take the labels of the documents where the row gives none; one for each context."""
        labels, document_labels = self.fields.get("context_access"), documents.access
        if labels is not None and len(labels) != len(documents.texts):
            fault = f"holds {len(labels)} labels for {len(documents.texts)} contexts"
            self.complain("context_access", fault, "give each context its label, or [] if open")
        elif labels is None and None not in document_labels and document_labels:
            self.fields["context_access"] = document_labels
        elif labels is None and any(document_labels) and "user_access" in self.fields:
            fault = f"is absent from context {document_labels.index(None) + 1}, unlike from others"
            self.complain("context_access", fault, "give each context its 'access'; [] opens it")

    def _filled(self, field: str) -> set[int]:
        """Which of the numbered columns that make a field have a value; none if none make it."""
        paths = [
            path for path in self.plan.fields.get(field, ()) if isinstance(path, NumberedColumns)
        ]
        filled = enumerate(self.values.get(key) for path in paths for key in path)
        return {number for number, value in filled if unboxed(value) not in (None, "")}

    def _join_turns(self) -> None:
        """Put messages that stood as the question where they belong, and fill from them."""
        if isinstance(self.fields.get("question"), tuple):
            turns = self.fields.pop("question")
            if self.fields.setdefault("turns", turns) != turns:
                fault = "holds different messages from 'turns'"
                remedy = "choose one with --map turns=COLUMN"
                self.complain("question", fault, remedy, "keep one of them")
        for key in self.plan.extra:
            if normal(str(key)) in CALLS:
                add_exchange(self.fields, self.values[key], self.form)
        fill_from_conversation(self.fields)


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
        return lambda: _list_records(_rows_of_batches(data), "arrow")
    if hasattr(data, "iter_rows"):
        return lambda: _list_records(data.iter_rows(named=True), "arrow")
    # A Hugging Face Dataset may give tensors or frames instead.
    form: Form = "arrow" if hasattr(data, "with_format") else "json"
    data = data.with_format(None) if form == "arrow" else data
    if isinstance(cases := getattr(data, "test_cases", None), list):  # DeepEval's EvaluationDataset
        data = cases or list(data.goldens)
    _refuse_no_rows(data)
    return Once(data) if isinstance(data, Iterator) else lambda: _list_records(data, form)


def _refuse_no_rows(data: Any) -> None:
    """Raise InputError for what holds no rows, even if it can be iterated over."""
    if hasattr(data, "invoke"):  # a chain
        remedy = "give the rows that assay.integrations.langchain.Collector records of its calls"
        raise InputError(f"{describe(data)} is a system, and holds no rows", remedy)
    if hasattr(data, "model_dump") or isinstance(data, Sample):  # a model gives pairs
        raise InputError(f"{describe(data)} is a single row", "give it in a list: [row]")
    if isinstance(data, bytes) or not isinstance(data, Iterable):
        raise InputError(f"cannot read rows from {describe(data)}", f"give {_KINDS}")


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
        counts = ", ".join(f"'{key}' has {length}" for key, length in lengths.items())
        raise InputError(f"columns differ in length: {counts}", "give equal lists")
    for number, values in enumerate(zip(*columns.values(), strict=True), 1):
        yield Record(number, dict(zip(columns, values, strict=True)))


def values_of(sample: Sample) -> dict[str, Any]:
    """The sample as a row of plain values without what is absent; reading it gives it back."""
    values = {f.name: _as_plain(getattr(sample, f.name)) for f in dataclasses.fields(sample)}
    present = {name: value for name, value in values.items() if value not in (None, ())}
    present |= {name: () for name, value in values.items() if value == () and name != "accepted"}
    lists = {name: list(value) for name, value in present.items() if isinstance(value, tuple)}
    return {**present, **lists, "metadata": dict(sample.metadata)}


def _as_plain(value: Any) -> Any:
    """Turns, tool calls and variants as dicts without what is absent."""
    if isinstance(value, tuple) and any(dataclasses.is_dataclass(item) for item in value):
        return [_fields_of(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _fields_of(item: Any) -> dict[str, Any]:
    values = {f.name: _as_plain(getattr(item, f.name)) for f in dataclasses.fields(item)}
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    # An empty list of contexts says that nothing was retrieved; an empty one of calls nothing.
    present = {
        k: v for k, v in values.items() if v not in (None, {}) and (k, v) != ("tool_calls", ())
    }
    return {**present, **{name: value for name, value in lists.items() if name in present}}


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
            message = "the rows came from a generator, which can be read only once"
            raise InputError(message, "give a list or a path")
        self.used = True
        return _list_records(self.rows)


def _rows_of_batches(data: Any) -> Iterator[Any]:
    for batch in data.to_batches():
        refuse_doubled(batch.schema.names)
        yield from batch.to_pylist()


def _list_records(rows: Iterable[Any], form: Form = "json") -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        if isinstance(row, Sample):
            yield Record(number, values_of(row), form="sample")
            continue
        values = as_object(row)
        if values is not None:
            yield Record(number, values, form)
        else:
            fault = f"is {describe(row)}, not a row"
            remedy = "give each row as a dict or a Sample"
            problem = Problem(fault, remedy, row=number)
            yield Record(number, None, problem=problem, text=str(row))


def _pandas_records(frame: Any) -> Iterator[Record]:
    # An index that was given a name, such as an id, is a column; so is each level of several.
    levels = [n for n in frame.index.names if n is not None and n not in frame.columns]
    refuse_doubled([str(name) for name in levels])
    frame = frame.reset_index(level=levels) if levels else frame
    names = [str(name) for name in frame.columns]
    refuse_doubled(names)
    columns = [frame.iloc[:, index] for index in range(len(names))]
    for number, values in enumerate(zip(*columns, strict=True), 1):
        yield Record(number, dict(zip(names, values, strict=True)), form="table", framed=True)


def _refuse_splits(data: Mapping[Any, Any]) -> None:
    splits = [str(name) for name, value in data.items() if hasattr(value, "column_names")]
    if splits:
        message = f"the data set has the splits {', '.join(splits)}"
        raise InputError(message, f"give one of them: data[{splits[0]!r}]")


def _inner_name(field: str, column: str, value: Any) -> str:
    """How the one text within an object is named; "" where there is none or more than one."""
    if not isinstance(value, Mapping):
        return ""
    keys = [key for key, item in value.items() if isinstance(item, str)]
    keys_of_field = [key for key in keys if columns.recognised([str(key)]).get(str(key)) == field]
    candidates = keys_of_field if len(keys_of_field) == 1 else keys
    if len(candidates) != 1:
        return ""
    option = shlex.quote(f"{field}={column}.{candidates[0]}")
    return f"take the text within it: --map {option} (mapping= of Settings in Python)"
