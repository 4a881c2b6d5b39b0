"""Which column of a row holds which field, by the user's mapping first and by name otherwise?"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.dataset.aliases import FIELDS, closest, normal, recognised
from assay.dataset.values import plain
from assay.errors import InputError, Problem

MISSING: Final = object()
Path = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How rows with one set of columns are read.

    Attributes:
        columns: Names of all columns.
        fields: Field -> paths to the values that may hold it (several: they must agree).
        extra: Columns that no field takes; they go to the metadata.
    """

    columns: tuple[str, ...]
    fields: Mapping[str, tuple[Path, ...]]
    extra: tuple[Any, ...]


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raise InputError naming every unknown field of the user's mapping."""
    problems = []
    for field in mapping:
        if field not in FIELDS:
            near = closest(field, FIELDS)
            hint = f"did you mean '{near}'? " if near else ""
            remedy = f"{hint}fields are {', '.join(FIELDS)}"
            problems.append(
                Problem("is not a field that a column can be mapped to", remedy, field=field)
            )
    if problems:
        raise InputError(problems)


def refuse_doubled(names: Sequence[str]) -> None:
    """Raise InputError naming every column that there is twice: only one could be read."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        remedy = "give each column its own name"
        raise InputError([Problem("two columns have this name", remedy, field=n) for n in twice])


def plan(keys: Iterable[Hashable], mapping: Mapping[str, str]) -> Plan:
    """How to read a row with these columns."""
    names = {plain(str(key)): key for key in keys}
    mapped = {field: _path(names, column) for field, column in mapping.items()}
    whole = {path[0] for path in mapped.values() if len(path) == 1}
    fields: dict[str, tuple[Path, ...]] = {field: (path,) for field, path in mapped.items() if path}
    taken = set(whole)
    for name, field in recognised(names).items():
        if field not in mapping and names[name] not in whole:
            fields[field] = (*fields.get(field, ()), (names[name],))
            taken.add(names[name])
    extra = tuple(key for key in names.values() if key not in taken)
    return Plan(columns=tuple(names), fields=fields, extra=extra)


def _path(names: Mapping[str, Hashable], column: str) -> Path:
    """Path to the mapped column; () if the user wrote an empty one to leave the field out."""
    if not column:
        return ()
    if column in names:
        return (names[column],)
    alike = [key for name, key in names.items() if normal(name) == normal(column)]
    if len(alike) == 1 and normal(column):
        return (alike[0],)
    first, *rest = column.split(".")
    return (names.get(first, first), *rest)


def fetch(values: Mapping[Any, Any], path: Path) -> Any:
    """The value at the path, MISSING if there is none.

    A name that meets a list is looked up in its items: `docs.text` is every document's text.
    """
    if len(path) == 1:
        return values.get(path[0], MISSING)
    found: Any = values
    for depth, name in enumerate(path):
        if isinstance(found, list):
            rest = path[depth:]
            items = [fetch(item, rest) if isinstance(item, Mapping) else MISSING for item in found]
            if items and all(item is MISSING for item in items):
                return MISSING
            return [None if item is MISSING else item for item in items]
        if not isinstance(found, Mapping) or name not in found:
            return MISSING
        found = found[name]
    return found
