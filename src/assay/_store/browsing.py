"""Browsing: which samples of a run fit a filter, in which order, and what a page needs of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec

from assay._store import Run, Store, rows

# Rows of samples, as a query and its values: what an index of one's own found.
Rows: TypeAlias = tuple[str, tuple[object, ...]]

_ARRAY: Final = "json_group_array"
_ENDS: Final = ("min", "max")
_JOBS: Final = f"SELECT row FROM jobs WHERE run = {rows.NAME} AND metric = {rows.NAME}"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Scores of a metric that lie between two ends, these included; None is no end."""

    metric: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which samples of a run are meant, and in which order."""

    bounds: tuple[Bounds, ...] = ()  # what their scores must be
    # Why one of their scores is missing: "failed", "undefined", "unanswered"; "" for any.
    why: str = ""
    among: tuple[Rows, ...] = ()  # further rows that they must be among
    # Label of the metric by whose scores they are ordered; "" for the order of the data.
    order: str = ""
    descending: bool = False  # whether the greatest comes first, or the last row


def matching(store: Store, run: Run, wanted: Filter) -> Sequence[int]:
    """The rows of the samples that fit, in order."""
    sets = [*(_bounded(run, bounds) for bounds in wanted.bounds), *wanted.among]
    if wanted.why:
        sets.append(_missing(run, wanted.why))
    if not (sets or wanted.order):
        numbers = all_rows(store, run)
        return numbers[::-1] if wanted.descending else numbers
    fitting_rows = " INTERSECT ".join(sql for sql, _ in sets)
    values = tuple(value for _, set_values in sets for value in set_values)
    direction = " DESC" if wanted.descending else ""
    if not wanted.order:
        sql = f"SELECT DISTINCT row FROM ({fitting_rows}) ORDER BY row{direction}"
        return [row for (row,) in store.query(sql, *values)]
    fitting = f" AND row IN ({fitting_rows})" if sets else ""
    sql = f"{_JOBS}{fitting} ORDER BY value IS NULL, value{direction}, row"
    return [row for (row,) in store.query(sql, run.id, wanted.order, *values)]


def _bounded(run: Run, bounds: Bounds) -> Rows:
    ends = [(">=", bounds.low), ("<=", bounds.high)]
    tests = "".join(f" AND value {sign} ?" for sign, end in ends if end is not None)
    values = (end for _, end in ends if end is not None)
    return f"{_JOBS} AND value IS NOT NULL{tests}", (run.id, bounds.metric, *values)


def _missing(run: Run, reason: str) -> Rows:
    # Metric by metric, as the index is ordered.
    metrics = f"SELECT id FROM names WHERE name IN ({', '.join('?' * len(run.metrics))})"
    sql = (
        f"SELECT row FROM jobs WHERE run = {rows.NAME} AND metric IN ({metrics})"
        " AND value IS NULL AND why = ?"
    )
    return sql, (run.id, *run.metrics, reason)


def these(numbers: Iterable[int]) -> Rows:
    """Rows that are known already, as what a filter takes."""
    return "SELECT value AS row FROM json_each(?)", (json.dumps(sorted(numbers)),)


def not_these(run: Run, numbers: Iterable[int]) -> Rows:
    """All rows of a run but these."""
    sql, (numbers_json,) = these(numbers)
    every_row = f"SELECT row FROM samples WHERE run = {rows.NAME}"
    return f"SELECT row FROM ({every_row} EXCEPT {sql})", (run.id, numbers_json)


def rows_of(store: Store, run: Run, ids: Iterable[str]) -> dict[str, int]:
    """The rows of samples by their ids; ids that the run does not have are left out."""
    sql = (
        f"SELECT id, row FROM samples WHERE run = {rows.NAME}"
        " AND id IN (SELECT value FROM json_each(?))"
    )
    return dict(store.query(sql, run.id, json.dumps(list(ids))))


def all_rows(store: Store, run: Run) -> Sequence[int]:
    """Every row, in order: they are numbered from 1, unless what was imported says otherwise."""
    # One query each: of both at once SQLite reads the table from end to end.
    lowest, highest = (f"SELECT {end}(row) FROM samples WHERE run = {rows.NAME}" for end in _ENDS)
    ends = store.query(f"SELECT ({lowest}), ({highest})", run.id, run.id)[0]
    if run.n_samples and ends == (1, run.n_samples):
        return range(1, run.n_samples + 1)
    sql = f"SELECT row FROM samples WHERE run = {rows.NAME} ORDER BY row"
    return [row for (row,) in store.query(sql, run.id)]


def same_samples(store: Store, one: Run, other: Run) -> bool:
    """Whether two runs have the same ids in the same rows."""
    # By the index alone, up to the first that differs; neither ids nor rows are read out.
    of_run = f"FROM samples WHERE run = {rows.NAME}"
    same = f"SELECT 1 {of_run} AND id = a.id AND row = a.row"
    differing = f"SELECT 1 FROM samples a WHERE run = {rows.NAME} AND NOT EXISTS ({same}) LIMIT 1"
    counts = f"SELECT (SELECT count(*) {of_run}) = (SELECT count(*) {of_run})"
    equal = store.query(counts, one.id, other.id)[0][0]
    return bool(equal and not store.query(differing, one.id, other.id))


def means(store: Store, metric: str) -> Mapping[str, float]:
    """The mean score by a metric of every run that has one, by the run's id."""
    sql = (
        "SELECT r.id, (SELECT avg(value) FROM jobs WHERE run = n.id AND metric = m.id)"
        " FROM runs r JOIN names n ON n.name = r.id JOIN names m ON m.name = ?"
    )
    return {run: mean for run, mean in store.query(sql, metric) if mean is not None}


def ids_and_rows(store: Store, run: Run) -> tuple[list[str], list[int]]:
    """The ids of a run's samples, in an order that equal ids of another run have as well; rows."""
    samples = f"SELECT id, row FROM samples WHERE run = {rows.NAME} ORDER BY id"
    return _columns(store, f"SELECT {_ARRAY}(id), {_ARRAY}(row) FROM ({samples})", run.id)


def values_by_row(store: Store, run: Run, metric: str) -> tuple[list[int], list[float | None]]:
    """The rows that a metric was done for, in any order, and their scores to fifteen digits."""
    # In the order of the index, which holds both; by row, the evidence beside them is read as well.
    jobs = f"FROM jobs WHERE run = {rows.NAME} AND metric = {rows.NAME}"
    return _columns(store, f"SELECT {_ARRAY}(row), {_ARRAY}(value) {jobs}", run.id, metric)


def _columns(store: Store, sql: str, *values: object) -> tuple[list[Any], list[Any]]:
    """Two columns of many rows: as one row of two lists they are read in a third of the time."""
    first, second = store.query(sql, *values)[0]
    return msgspec.json.decode(first), msgspec.json.decode(second)
