"""Which metrics can be computed from this data, where the user names none?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.data import FIELDS, Record, read
from assay.data.missing_fields import ambiguous_columns, is_missing, not_found
from assay.data.validation import no_rows
from assay.errors import InputError, Problem
from assay.judge import Task
from assay.metrics import METRICS
from assay.metrics.registry import DIAGNOSTIC, OCCASIONAL, USUAL
from assay.middleware.wrapper import Route
from assay.runner.plan import who_can

# So many rows are looked at.
ROWS = 1000
CANNOT = "the judge cannot do"
_ABSENT = "is in no row"
# Of two metrics that differ in what they need only, the one that needs more tells more.
_SPARES = {"context_precision_without_reference": "context_precision"}


@dataclass(frozen=True)
class Fitting:
    """The metrics that fit.

    Attributes:
        metrics: Their names.
        left_out: Name -> why, for the others of the usual ones.
    """

    metrics: tuple[str, ...]
    left_out: Mapping[str, str]


def fitting(data: Any, mapping: Mapping[str, str], limit: int | None, route: Route) -> Fitting:
    """The common metrics whose needs some row fills and whose tasks the judge can do.

    With judges in this process also those that only a diagnosis needs: they cost no money.

    Raises:
        InputError: If there is none, or the data cannot be read or hold no rows.
    """
    gaps, apart, columns, unfound = _gaps(data, mapping, min(limit or ROWS, ROWS))
    fit: list[str] = []
    left_out: dict[str, str] = {}
    unable: list[type[Task[Any]]] = []
    local = route.capabilities.local
    for name in (*USUAL, *(DIAGNOSTIC if local else ()), *OCCASIONAL):
        metric = METRICS[name]
        missing = _reasons(metric.needs, gaps)
        asked = metric().asks(route.serves)
        cannot = [kind for kind in asked if not route.serves(kind)]
        if missing:
            left_out[name] = ", ".join(missing)
        elif name in apart:
            left_out[name] = f"no row holds all of {', '.join(metric.needs)}"
        elif cannot:
            left_out[name] = f"{CANNOT} {', '.join(kind.kind for kind in cannot)}"
            unable += cannot
        elif _SPARES.get(name) not in fit:
            fit.append(name)
    if not fit:
        wanted = {need for name in USUAL for need in METRICS[name].needs}
        reasons = _reasons([need for need in FIELDS if need in wanted], gaps)
        reasons += [f"{name}: {why}" for name, why in left_out.items() if CANNOT in why]
        name = getattr(data, "name", data)
        what = f"no metric can be computed from {name}: {', '.join(reasons)}"
        by_name = "name columns with --map field=column; one row is one question"
        remedy = who_can(unable[0]) if unable else by_name
        raise InputError([*unfound, Problem(f"{what}; columns found: {columns}", remedy)])
    return Fitting(tuple(fit), {name: left_out[name] for name in USUAL if name in left_out})


def _reasons(needs: Iterable[str], gaps: Mapping[str, str]) -> list[str]:
    """Why these fields cannot be used; those that no row holds are told together."""
    missing = [need for need in needs if need in gaps]
    absent = " or ".join(need for need in missing if gaps[need] == _ABSENT)
    told = [f"{need} {gaps[need]}" for need in missing if gaps[need] != _ABSENT]
    return [f"no row holds {absent}", *told] if absent else told


def _gaps(
    data: Any, mapping: Mapping[str, str], rows: int
) -> tuple[dict[str, str], set[str], str, list[Problem]]:
    """What the first rows lack.

    Returns:
        Why a field cannot be used, by field; the metrics whose fields stand in no row together;
        the columns there are; what the mapping names and no row has.
    """
    names = (*USUAL, *DIAGNOSTIC, *OCCASIONAL)
    needs = {need for name in names for need in METRICS[name].needs}
    given: set[str] = set()
    filled: set[str] = set()
    served: set[str] = set()
    columns: dict[str, str] = {}
    unfound = set(mapping)
    read_any = False
    source, row = read(data, mapping=mapping, limit=rows), None
    for row in source:
        columns |= {name: _nested(row.record, name) for name in row.columns}
        if row.record.values is not None:
            unfound &= row.unfound
        if row.problems:  # refused or skipped when the run begins
            continue
        read_any = True
        held = {need for need in needs if not is_missing(row.fields.get(need), need)}
        given |= held
        filled |= {need for need in held if row.fields.get(need) != ()}
        served |= {name for name in names if held.issuperset(METRICS[name].needs)}
    if row is None:
        raise no_rows(source.name)
    unclear = {name: it for name, it in row.reading.ambiguous.items() if name != "reference"}
    if unclear:  # to compute what needs none of them would be another answer than was asked for
        raise InputError(ambiguous_columns(unclear))
    if not read_any:  # what is wrong with the rows is told when the run begins
        served, given, filled = {*names}, needs, needs
    gaps = dict.fromkeys(needs - given, _ABSENT)
    # One empty list says that nothing was retrieved; nothing but empty ones, that none were kept.
    gaps |= dict.fromkeys(given - filled, "is empty in every row")
    shown = ", ".join(name + nested for name, nested in columns.items()) or "none"
    lost = [not_found(name, mapping[name], columns) for name in mapping if name in unfound]
    return gaps, {*names} - served, shown, lost


def _nested(record: Record, column: str) -> str:
    """What to add to the name of a column that holds rows of its own, as in SQuAD's files."""
    value = (record.values or {}).get(column)
    nested = isinstance(value, list) and any(isinstance(item, Mapping) for item in value)
    return " (a list of objects)" if nested else ""
