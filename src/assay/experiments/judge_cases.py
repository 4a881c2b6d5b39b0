"""Cases that people labelled, for a judge that is fitted to their domain."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from assay._text import misspelt
from assay.data.columns import recognised
from assay.data.files import file_records, located
from assay.data.labels import number as judgement
from assay.data.values import FieldError, describe
from assay.errors import InputError, Problem
from assay.judges.cascade import is_store, read_labels

Kind: TypeAlias = Literal["faithfulness", "context_relevance", "answer_relevance"]
KINDS: Final[tuple[Kind, ...]] = ("faithfulness", "context_relevance", "answer_relevance")
_LABELS: Final[dict[str, Kind]] = {
    "supported": "faithfulness",
    "context_relevant": "context_relevance",
    "answer_relevant": "answer_relevance",
}
_EXAMPLE: Final = '{"statement": "...", "contexts": ["..."], "supported": true}'


@dataclass(frozen=True)
class Case:
    """What a judge is asked, and what people say that it should say."""

    kind: Kind  # what is asked
    group: str  # what belongs together when cases are held out: the source
    question: str  # "" of a statement that has none
    contexts: tuple[str, ...]  # () beside an answer that is to be relevant
    text: str  # the statement or the answer; "" of a context
    good: bool


class _Labelled(msgspec.Struct):
    contexts: list[str] | str = []
    question: str = ""
    statement: str = ""
    answer: str = ""
    supported: bool | None = None
    context_relevant: bool | None = None
    answer_relevant: bool | None = None
    source: str = ""
    id: str | int = ""


def labelled(path: str | Path) -> list[Case]:
    """The cases that people labelled.

    Args:
        path: A store in which statements were labelled (`assay label`), or a file. Each row of a
            file has `supported` (beside `statement` and `contexts`), `context_relevant` (beside
            `question` and `contexts`) or `answer_relevant` (beside `question` and `answer`), or
            several of them, and may name its `source`.

    Raises:
        InputError: If a row is none of these, or there are none.
    """
    if is_store(Path(path)):
        return [
            Case(
                "faithfulness",
                "\n".join(task.contexts),
                "",
                task.contexts,
                one.text,
                labels[one.id],
            )
            for task, labels in read_labels(str(path))
            for one in task.statements
        ]
    problems: list[Problem] = []
    cases: list[Case] = []
    unknown: set[str] = set()
    for record in file_records(located(path))():
        if record.problem:
            problems.append(record.problem)
            continue
        values = record.values or {}
        new = [name for name in values if name not in _COLUMNS and name not in unknown]
        problems += [_unknown(name, record.number) for name in new]
        unknown.update(new)
        try:
            cases += _cases(_row(values, record.number))
        except InputError as error:
            problems += error.problems
        except (msgspec.ValidationError, ValueError) as error:
            if not unknown:  # under whose names what is missing may stand
                problems.append(Problem(f"{path}: {error}", _EXAMPLE, row=record.number))
    if problems or not cases:
        raise InputError(problems or f"no labels in '{path}'")
    return cases


_COLUMNS: Final = _Labelled.__struct_fields__
# What other data sets call a statement, and a label.
_OTHER_NAMES: Final = {"claim": "statement", "label": "supported", "text": "statement"}


def _unknown(name: str, row: int) -> Problem:
    """A column that is none of those that are read: a label under it would be lost."""
    meant = _OTHER_NAMES.get(misspelt.normal(name)) or recognised([name]).get(name, name)
    names = misspelt.near(meant, _COLUMNS)
    hint = f"call it '{names[0]}' if it is that, else leave it out" if names else "leave it out"
    remedy = f"{hint}; columns are {', '.join(_COLUMNS)}"
    return Problem("is an unknown column, here and in what follows", remedy, row=row, field=name)


def _row(values: Mapping[str, Any], number: int) -> _Labelled:
    present = {name: value for name, value in values.items() if value is not None}
    for label in [name for name in _LABELS if name in present]:
        value = present.pop(label)
        try:
            judged = judgement(value, {})
        except FieldError:
            judged = (False, math.nan)
        if judged is None:  # left open
            continue
        if judged not in ((False, 0.0), (False, 1.0)):
            what = f"is {describe(value)}, but must be yes or no"
            raise InputError([Problem(what, "write true or false", row=number, field=label)])
        present[label] = bool(judged[1])
    return msgspec.convert(present, _Labelled, strict=False)


def _cases(row: _Labelled) -> list[Case]:
    contexts = (row.contexts,) if isinstance(row.contexts, str) else tuple(row.contexts)
    claim = row.statement or row.answer
    needs: dict[str, tuple[object, object]] = {
        "supported": (claim, contexts),
        "context_relevant": (row.question, contexts),
        "answer_relevant": (row.question, row.answer),
    }
    cases = []
    for label, kind in _LABELS.items():
        good = getattr(row, label)
        if good is None:
            continue
        if not all(needs[label]):
            beside = {"supported": "a statement and contexts", "context_relevant": "contexts"}
            what = beside.get(label, "an answer")
            raise ValueError(f"'{label}' needs {what}, and a question where one is asked")
        group = row.source or "\n".join(contexts) or row.question
        mine = () if kind == "answer_relevance" else contexts
        text = "" if kind == "context_relevance" else claim
        cases.append(Case(kind, group, row.question, mine, text, good))
    if not cases:
        raise ValueError(f"a row has none of the labels {', '.join(_LABELS)}")
    return cases
