"""Labels: what people said about samples, statements or pairs of answers.

A file of labels has one judgement a row (long), or one item a row with a column for each annotator
or each metric (wide). Column names are forgiven much; a value that cannot be read is not.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal

from assay._text.misspelt import did_you_mean, near, normal
from assay.data.columns import ALIASES
from assay.data.files import file_records
from assay.data.rows import Record, memory_records
from assay.data.values import (
    FieldError,
    describe,
    identifier,
    is_finite,
    of_decimal,
    plain,
    read_back,
    spelled,
    text,
    unboxed,
)
from assay.errors import InputError, Problem

Kind = Literal["sample", "statement", "pair"]

# Names are compared without case, spaces, "-" and "_".
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "sample": ("sample", *ALIASES["id"], "item", "item_id", "question_id", "query_id"),
    "label": (
        *("label", "human_label", "gold_label", "human", "value", "rating", "score", "grade"),
        *("verdict", "judgement", "judgment", "correct", "supported", "is_correct", "is_supported"),
        *("preference", "preferred", "winner", "better"),
    ),
    "annotator": (
        *("annotator", "annotator_id", "rater", "rater_id", "labeller", "labeler", "expert"),
        *("worker", "worker_id", "person", "user", "by", "assessor"),
    ),
    "metric": ("metric", "dimension", "criterion", "aspect"),
    "statement": ("statement", "claim", "sentence", "part", "statement_text"),
    "place": ("place", "statement_id", "statement_number", "statement_index", "part_id", "number"),
    "chance": ("inclusion_probability",),
    "settled": ("settled", "adjudicated"),
    "labels": ("labels", "votes", "annotations", "ratings"),
    "statements": ("statements", "claims", "parts", "sentences"),
}
# A wide column such as `label_anna` or `annotator 2` holds what that annotator said.
_PREFIXES: Final = ("label", "annotator", "rater", "expert", "vote", "rating")
# How alike an unknown column and a known name have to be for one to be a slip of the other.
_ALIKE_METRIC: Final = 0.85
_ALIKE_PREFIX: Final = 0.8
_NAME_IT: Final = "name its column 'label'"
_MOST_HINTED: Final = 4  # columns that a message names as labels
_DIGITS: Final = 9  # a longer number is the place of no statement
_PARTS: Final = re.compile(r"([^ _.:-]+)([ _.:-].+)", re.DOTALL)
_FIELD_OF: Final = {normal(name): key for key, names in COLUMNS.items() for name in names}
YES: Final = (
    *("true", "yes", "y", "correct", "right", "supported", "attributable", "entailed", "grounded"),
    *("faithful", "consistent", "relevant", "useful", "good", "pass", "passed", "ok", "complete"),
)
NO: Final = (
    *("false", "no", "n", "incorrect", "wrong", "unsupported", "not supported", "refuted"),
    *("not attributable", "contradicted", "contradictory", "hallucinated", "ungrounded"),
    *("unfaithful", "inconsistent", "irrelevant", "useless", "bad", "fail", "failed"),
    *("not relevant", "not correct", "incomplete"),
)
FIRST: Final = ("a", "answer a", "first", "a better", "a is better")
SECOND: Final = ("b", "answer b", "second", "b better", "b is better")
TIE: Final = ("tie", "equal", "draw", "same", "both", "neither")
OPEN: Final = ("", "na", "n/a", "none", "null", "skip", "skipped", "unsure", "unknown", "?", "-")
_VERDICTS: Final = {normal(w): v for v, words in ((1.0, YES), (0.0, NO)) for w in words}
_PREFERENCES: Final = {
    normal(w): v for v, words in ((1.0, FIRST), (0.0, SECOND), (0.5, TIE)) for w in words
}
_REMEDY: Final = (
    "give yes/no, a number, A/B/tie, or one of the levels (give them as levels, worst first)"
)


@dataclass(frozen=True, slots=True)
class Label:
    """What one person said of one thing.

    Attributes:
        sample: Id of the sample.
        value: A number. 1 and 0 for yes and no; a grade as it is; of a named scale the place,
            from 0; of a pair 1 if the first answer is better, 0 if the second, 0.5 for a tie.
        annotator: Who said it, "" if not known.
        metric: The metric it is about, "" for whichever is asked about.
        statement: Text of the statement it is about, "" if it is about the whole sample.
        place: 1-based place of that statement among the parts of the score, None if not known.
        row: Row of the file.
        chance: With which probability the sample was chosen to be labelled (`assay label`
            writes it), None if not known.
        settled: What settled a disagreement about it and counts in place of all that people said
            (`assay label --export` writes it), None if nothing did.
    """

    sample: str
    value: float
    annotator: str = ""
    metric: str = ""
    statement: str = ""
    place: int | None = None
    row: int = 0
    chance: float | None = None
    settled: float | None = None

    @property
    def item(self) -> tuple[str, str, str, int | None]:
        """What it is about: two annotators who judge the same have the same item."""
        return self.sample, self.metric, self.statement, self.place


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels of a file.

    Attributes:
        source: Name of the file or object.
        kind: "sample", "statement" or "pair": what each label is about.
        labels: The labels, in order.
        empty: Judgements that were left open; they say nothing and are no labels.
    """

    source: str
    kind: Kind
    labels: tuple[Label, ...]
    empty: int = 0

    def of(self, metric: str) -> list[Label]:
        """The labels about a metric (label or name without parameters), or about none by name."""
        metrics = ("", metric, metric.partition("(")[0])
        return [label for label in self.labels if label.metric in metrics]


def read_labels(
    data: str | PathLike[str] | Iterable[Mapping[str, Any]],
    *,
    metrics: Sequence[str] = (),
    levels: Sequence[str] = (),
) -> Labels:
    """The labels of a CSV, TSV, JSON, JSONL, Parquet or Excel file, or of rows in memory.

    Args:
        data: Path or rows.
        metrics: Metrics that are known; a column named as one of them holds labels about it.
        levels: Names of an ordinal scale, worst first ("poor", "fair", "good").

    Raises:
        InputError: Naming row and field of everything that cannot be read.
    """
    if isinstance(data, str | PathLike):
        path = Path(data)
        name, records = plain(path.name), file_records(path)
    else:
        name, records = "labels in memory", memory_records(data)
    names = frozenset(metrics) | {metric.partition("(")[0] for metric in metrics}
    reader = _Reader(names, scale(levels))
    for record in records():
        reader.read(record)
    return reader.finish(name)


class _CellError(FieldError):
    """An error that names the column of its cell."""

    def __init__(self, column: str, fault: str, remedy: str) -> None:
        super().__init__(fault, remedy)
        self.column = column


class _AbsentError(_CellError):
    """A row without a sample's id or a label."""


@dataclass
class _Reader:
    """Reads labels row by row, and collects all problems."""

    metrics: frozenset[str]
    levels: Mapping[str, float]
    labels: list[Label] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    absent: list[Problem] = field(default_factory=list)
    misspelt: dict[str, Problem] = field(default_factory=dict)
    unread: dict[str, bool] = field(default_factory=dict)  # column -> whether it holds labels alone
    rows: int = 0
    seen: dict[Any, int] = field(default_factory=dict)
    kinds: dict[Kind, int] = field(default_factory=dict)
    empty: int = 0

    def read(self, record: Record) -> None:
        if record.problem is not None or record.values is None:
            self.problems.append(record.problem or Problem("is empty", row=record.number))
            return
        for values in _rows_of_statements(record.values):
            self.rows += 1
            try:
                self._row(record.number, values)
            except _CellError as error:
                problem = Problem(error.what, error.remedy, record.number, error.column)
                absent = isinstance(error, _AbsentError)
                (self.absent if absent else self.problems).append(problem)

    def _row(self, row: int, values: Mapping[str, Any]) -> None:
        cells = _cells_of(values)
        sample = read_back(_read_cell("sample", cells, identifier) or "")
        columns = ", ".join(map(str, values))
        if not sample.strip():
            remedy = f"name it 'sample' or 'id'; the columns are {columns}"
            raise _AbsentError("sample", "there is no sample id", remedy)
        statement = _read_cell("statement", cells, lambda v: text(v).strip()) or ""
        position = _read_cell("place", cells, _read_position)
        chance = _read_cell("chance", cells, _read_probability)
        decided = _read_cell("settled", cells, lambda v: number(v, self.levels))
        judgements = list(self._judgements(values, cells))
        if not judgements:
            self._note_unread(values)
            remedy = f"{_NAME_IT}; the columns are {columns}"
            raise _AbsentError("label", "there is no label", remedy)
        self._note_slips(row, values)
        for column, value, annotator, metric in judgements:
            label = Label(sample, 0, annotator, metric, statement, position, row, chance)
            self._add(
                replace(label, settled=None if decided is None else decided[1]), column, value
            )

    def _judgements(
        self, values: Mapping[str, Any], cells: Mapping[str, tuple[str, Any]]
    ) -> Iterator[tuple[str, Any, str, str]]:
        """(column, value, annotator, metric) of all that a row says."""
        annotator = _read_cell("annotator", cells, identifier) or ""
        metric = read_back(_read_cell("metric", cells, text) or "")
        if "label" in cells:
            yield (*cells["label"], annotator, metric)
        for column, value in values.items():
            if column in self.metrics:
                yield column, value, annotator, column
            elif (name := _annotator(column)) is not None:
                yield column, value, name, metric
        if "labels" in cells:
            column, votes = cells["labels"]
            for name, value in _votes(votes):
                person, metric_name = (
                    (annotator, name) if name in self.metrics else (name or annotator, metric)
                )
                yield column, value, person, metric_name

    def _note_slips(self, row: int, values: Mapping[str, Any]) -> None:
        """Note columns that hold labels and whose names are nearly those of wide ones."""
        for column, value in values.items():
            if column in self.misspelt or not self._is_label(value):
                continue
            if (similar := self._similar_column(column, values)) is not None:
                fault = "holds labels, but its name is unknown"
                remedy = f"rename it to '{similar}', or remove it if it holds something else"
                self.misspelt[column] = Problem(fault, remedy, row, column)

    def _is_label(self, value: Any) -> bool:
        try:
            return number(unboxed(value), self.levels) is not None
        except FieldError:
            return False

    def _note_unread(self, values: Mapping[str, Any]) -> None:
        """Note which columns of unknown names hold labels, and nothing else."""
        for column, value in values.items():
            if normal(column) in _FIELD_OF:
                continue
            try:
                is_label = number(unboxed(value), self.levels) is not None
            except FieldError:
                self.unread[column] = False
            else:
                if is_label:
                    self.unread.setdefault(column, True)

    def _hint(self) -> str:
        """How to name the columns that hold labels, "" if there are none or many."""
        columns = [column for column, labels_alone in self.unread.items() if labels_alone]
        quoted = [f"'{column}'" for column in columns]
        if not columns or len(columns) > _MOST_HINTED:
            return ""
        if len(columns) > 1:
            renamed = " and ".join(f"'label_{column}'" for column in columns)
            condition = f"if each is an annotator's call them {renamed}"
            return f"{' and '.join(quoted)} look like labels: {condition}, else name one 'label'"
        if _VERDICTS.get(normal(columns[0])) == 0:
            turned = "exchange yes and no, since a high label means good"
            return f"{quoted[0]} looks like it: rename it to 'label' and {turned}"
        return f"{quoted[0]} looks like it: rename it to 'label' if a high one means good"

    def _similar_column(self, column: str, values: Mapping[str, Any]) -> str | None:
        """The name that an unknown column was meant to have, None if it is like none."""
        recognized = column in self.metrics or normal(column) in _FIELD_OF or _annotator(column)
        if recognized:
            return None
        metrics = [name for name in self.metrics if name not in values]
        if matches := near(column, metrics, cutoff=_ALIKE_METRIC):
            return matches[0]
        name_match = _PARTS.fullmatch(column)
        if name_match is None or not any(map(_annotator, values)):
            return None
        stem, suffix = name_match.groups()
        prefixes = near(stem, _PREFIXES, cutoff=_ALIKE_PREFIX)
        return f"{prefixes[0]}{suffix}" if prefixes else None

    def _add(self, label: Label, column: str, value: Any) -> None:
        try:
            judgement = number(unboxed(value), self.levels)
        except FieldError as error:
            raise _CellError(column, error.what, error.remedy) from None
        if judgement is None:
            self.empty += 1
            return
        paired, as_number = judgement
        level: Kind = "statement" if label.statement or label.place is not None else "sample"
        self.kinds.setdefault("pair" if paired else level, label.row)
        key = (*label.item, label.annotator)
        if key in self.seen:
            fault = f"is about the same as row {self.seen[key]}, by the same annotator"
            raise _CellError(
                column, fault, "keep one, or name the annotators in a column 'annotator'"
            )
        self.seen[key] = label.row
        self.labels.append(replace(label, value=as_number))

    def finish(self, name: str) -> Labels:
        """All labels, unless anything was wrong."""
        if len(self.kinds) > 1:
            kinds = " and ".join(f"{kind}s (row {row})" for kind, row in self.kinds.items())
            remedy = "give each kind a file of its own"
            self.problems.append(Problem(f"labels are about {kinds}", remedy))
        self.problems += self.misspelt.values()
        fields = {problem.field for problem in self.absent}
        if len(self.absent) == self.rows and len(fields) == 1:  # said once, not for every row
            first = self.absent[0]
            hint = self._hint() if fields == {"label"} else ""
            remedy = first.remedy.replace(_NAME_IT, hint, 1) if hint else first.remedy
            self.absent = [Problem(f"{first.what} in any row of '{name}'", remedy)]
        self.problems = sorted(self.problems + self.absent, key=lambda problem: problem.row or 0)
        if not self.labels and not self.problems:
            remedy = "fill in at least one label" if self.empty else "give at least one row"
            self.problems.append(Problem(f"'{name}' holds no labels", remedy))
        if self.problems:
            raise InputError(self.problems)
        return Labels(name, next(iter(self.kinds)), tuple(self.labels), self.empty)


def _rows_of_statements(values: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
    """The row, or a row for each of the statements that it lists."""
    row = {plain(str(key)): value for key, value in values.items()}
    column = next((c for c in row if _FIELD_OF.get(normal(c)) == "statements"), None)
    entries = row.pop(column) if column is not None else None
    if not isinstance(entries, list | tuple):
        yield row
        return
    for position, item in enumerate(entries, 1):
        inner = item if isinstance(item, Mapping) else {"label": item}
        fields = {**row, **{plain(str(key)): value for key, value in inner.items()}}
        if "text" in fields:
            fields.setdefault("statement", fields.pop("text"))
        yield {"place": position, **fields}


def _cells_of(values: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """Field -> (column, value) for columns known by name; the first names of each list win."""
    columns = {normal(column): column for column in values}
    fields = {}
    for key, names in COLUMNS.items():
        column = next((columns[n] for n in map(normal, names) if n in columns), None)
        if column is not None:
            fields[key] = (column, values[column])
    return fields


def _annotator(column: str) -> str | None:
    """Whose column it is: `label_anna`, `Rater 2`; None if it is no such column."""
    if _FIELD_OF.get(normal(column)) is not None:
        return None
    for prefix in _PREFIXES:
        suffix = column[len(prefix) :]
        if (
            column.lower().startswith(prefix)
            and suffix
            and (suffix[0] in " _-.:" or suffix.isdigit())
        ):
            return suffix.lstrip(" _-.:") or None
    return None


def _votes(value: Any) -> Iterable[tuple[str, Any]]:
    """(annotator or metric, label) of a list or an object; one label alone is nobody's by name."""
    votes = unboxed(value)
    votes = spelled(votes) if isinstance(votes, str) else votes
    if isinstance(votes, Mapping):
        return [(str(key), item) for key, item in votes.items()]
    if isinstance(votes, list | tuple):
        return [(str(number), item) for number, item in enumerate(votes, 1)]
    return [] if votes is None else [("", votes)]


def _read_cell(key: str, cells: Mapping[str, tuple[str, Any]], reader: Any) -> Any:
    column, value = cells.get(key, ("", None))
    value = unboxed(value)
    if value is None or value == "":
        return None
    try:
        return reader(value)
    except FieldError as error:
        raise _CellError(column, error.what, error.remedy) from None


def _read_position(value: Any) -> int:
    text_of_value = (
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    )
    digits = text_of_value.strip().lower().removeprefix("s")
    if not digits.isdecimal() or len(digits) > _DIGITS or int(digits) < 1:
        remedy = "count the parts of the score from 1, as `assay show --sample` lists them"
        raise FieldError(f"is {value!r}, which is not a position", remedy)
    return int(digits)


def _read_probability(value: Any) -> float:
    try:
        probability = float(value)
    except (TypeError, ValueError, OverflowError):
        probability = 0.0
    if not 0 < probability <= 1:
        raise FieldError(
            f"is {value!r}, which is not a probability", "give a number above 0 and at most 1"
        )
    return probability


def scale(levels: Sequence[str]) -> dict[str, float]:
    """Number of each level of an ordinal scale, worst first, from 0.

    Raises:
        InputError: If there is only one level or one stands there twice.
    """
    names = [normal(level) for level in levels]
    if levels and (len(set(names)) < len(names) or len(names) < 2):
        raise InputError(
            f"levels '{','.join(levels)}' are not a scale", "name two or more, worst first"
        )
    return {name: float(index) for index, name in enumerate(names)}


def number(value: Any, levels: Mapping[str, float]) -> tuple[bool, float] | None:
    """(whether it prefers one of two answers, the number); None if it was left open.

    Raises:
        FieldError: If it is no judgement.
    """
    if isinstance(value, str):
        return _number_of_text(value, levels)
    if value is None:
        return None
    numeric = of_decimal(value)
    if isinstance(numeric, bool | int | float) and is_finite(numeric):
        return False, float(numeric)
    raise FieldError(f"is {describe(value)}, but must be a label", _REMEDY)


def _number_of_text(value: str, levels: Mapping[str, float]) -> tuple[bool, float] | None:
    stripped = value.strip().lower()
    key = normal(value)
    if key in levels:
        return False, levels[key]
    if stripped in OPEN:
        return None
    with suppress(ValueError):
        number = float(stripped)
        if math.isfinite(number) and "_" not in stripped:
            return False, number
    if key in _VERDICTS and not levels:
        return False, _VERDICTS[key]
    if key in _PREFERENCES and not levels:
        return True, _PREFERENCES[key]
    hint = did_you_mean(key, levels or _VERDICTS, cutoff=0.75)
    raise FieldError(f"is {describe(value)}, which is not a label", f"{hint} {_REMEDY}".lstrip())
