"""Statements that people labelled, from a file or a store: what a cascade's band is fitted on."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from assay._store import Store
from assay._store.integrity import is_database
from assay._store.labels import HumanLabel
from assay.data.files import file_records, located
from assay.errors import InputError, Problem
from assay.score import Score
from assay.stats.correction import fixed_numbers
from assay.tasks import Statement, VerifyStatements

LabelledTask: TypeAlias = tuple[VerifyStatements, Mapping[str, bool]]
_METRIC = "faithfulness"


class _Row(msgspec.Struct, frozen=True):
    statement: str
    contexts: tuple[str, ...]
    supported: bool


def read_labels(path: str) -> tuple[LabelledTask, ...]:
    """The labelled statements of a file or a store: those on the same contexts in one task.

    Raises:
        InputError: If a row is none, or there are none.
    """
    if is_store(Path(path)):
        if not (labelled := list(_in_store(path))):
            remedy = "label statements first: assay label --metric faithfulness"
            raise InputError(f"nobody labelled statements for faithfulness in '{path}'", remedy)
        return _tasks(labelled)
    problems: list[Problem] = []
    rows: list[_Row] = []
    for record in file_records(located(path))():
        if record.problem:
            problems.append(record.problem)
            continue
        try:
            rows.append(msgspec.convert(record.values, _Row))
        except msgspec.ValidationError as error:
            remedy = '{"statement": "...", "contexts": ["..."], "supported": true}'
            problems.append(Problem(f"{path}: {error}", remedy, row=record.number))
    if problems or not rows:
        raise InputError(problems or f"no labels in '{path}'")
    return _tasks(rows)


def _tasks(rows: Sequence[_Row]) -> tuple[LabelledTask, ...]:
    by_contexts: dict[tuple[str, ...], list[_Row]] = {}
    for row in rows:
        by_contexts.setdefault(row.contexts, []).append(row)
    labelled = []
    for contexts, same in by_contexts.items():
        statements = tuple(Statement(f"s{n}", r.statement) for n, r in enumerate(same, start=1))
        labels = {s.id: row.supported for s, row in zip(statements, same, strict=True)}
        labelled.append((VerifyStatements(statements, contexts), labels))
    return tuple(labelled)


def is_store(path: Path) -> bool:
    """Whether a file is a store of runs."""
    return path.is_file() and is_database(path)


def _in_store(path: str) -> Iterator[_Row]:
    """The statements that people labelled in the runs of a store.

    The bound holds for labels of answers drawn at random, each as likely as any other: of those
    that were drawn rather than others, fewer are taken, by numbers that follow from their ids.
    """
    with Store(path) as store:
        for run in store.runs():
            for metric in run.metrics:
                if metric.partition("(")[0] != _METRIC:
                    continue
                for sample_id, by_statement in _by_sample(store.labels.of(run.id, metric)).items():
                    row, sample = store.sample(run.id, sample_id)
                    outcome = store.outcome(run.id, row, metric)
                    parts = outcome.parts if isinstance(outcome, Score) else ()
                    for number, share in sorted(by_statement.items()):
                        if number < len(parts) and share != 0.5:
                            contexts = tuple(sample.contexts or ())
                            yield _Row(parts[number].text, contexts, share > 0.5)


def _by_sample(labels: Sequence[HumanLabel]) -> dict[str, dict[int, float]]:
    """By sample and statement, the mean of people's labels, or what settled their dispute."""
    usable = [one for one in labels if one.statement is not None and one.value is not None]
    settled = {one.item for one in usable if one.kind == "settled"}
    chances = [one.chance for one in usable if one.chance is not None]
    values: dict[str, dict[int, list[float]]] = {}
    for one in usable:
        number = fixed_numbers([one.sample])[0]
        taken = number * (one.chance or 1.0) < min(chances, default=1.0)
        counts = one.kind == "settled" or (one.kind == "label" and one.item not in settled)
        if taken and counts and one.statement is not None and one.value is not None:
            values.setdefault(one.sample, {}).setdefault(one.statement, []).append(one.value)
    return {
        sample: {number: sum(each) / len(each) for number, each in by_statement.items()}
        for sample, by_statement in values.items()
    }
