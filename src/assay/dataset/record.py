"""What stands between a source and a sample: a record as read, a row as understood."""

import json
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.dataset.joints import Decision
from assay.dataset.values import Form
from assay.errors import Problem
from assay.sample import Sample


@dataclass(frozen=True, slots=True)
class Record:
    """One record as a source gives it, before its columns are understood.

    Attributes:
        number: 1-based line of a JSONL file; 1-based record of anything else (a CSV file's header
            is not counted).
        values: Column -> value, None if the record is broken.
        form: "table" if lists and numbers may stand as text in a cell and an empty cell is an
            absent value; "arrow" if objects have the keys of all rows, null where a row has none;
            "sample" if the columns are the fields of a Sample.
        problem: What is broken, None if nothing is.
        text: The record as it stood in the file, None if the source is not text.
        framed: Whether it is a table's that has a word of its own for what is absent (a data
            frame's NaN): an empty answer in it is one.
    """

    number: int
    values: Mapping[Any, Any] | None
    form: Form = "json"
    problem: Problem | None = None
    text: str | None = None
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
    """How the rows of a data set are read, beyond what the user said and what names say.

    Attributes:
        guessed: Field -> column, where one column alone seems to hold it.
        ambiguous: Field -> columns of which any may hold it.
        columns: Field -> column of the main fields that are known by their name.
        decisions: Field -> what becomes of texts that are no lists.
        whole: Whether the user wants each text to be one context.
    """

    guessed: Mapping[str, str] = field(default_factory=dict)
    ambiguous: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One record, understood.

    Attributes:
        number: As in Record.
        fields: Fields of a Sample that could be read, those that are absent as None.
        problems: Everything wrong with the row by itself.
        columns: Names of the columns it had.
        unfound: Fields whose column, named by the user's mapping, this row does not have.
        record: What it was read from.
        passages: Field -> how many passages its one text makes, for texts that are no lists.
        printed: Fields that were read from documents printed as text.
        reading: What the first rows decided of all.
    """

    number: int
    fields: Mapping[str, Any]
    problems: tuple[Problem, ...]
    columns: tuple[str, ...]
    record: Record
    unfound: frozenset[str] = field(default=frozenset())
    passages: Mapping[str, int] = field(default_factory=dict)
    printed: frozenset[str] = field(default=frozenset())
    reading: Reading = field(default_factory=Reading)

    @property
    def sample(self) -> Sample | None:
        """The sample, None if the row has a problem."""
        return None if self.problems else Sample(**self.fields)
