"""Which column of a row holds which field, by the user's mapping first and by name otherwise?"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.dataset.aliases import FIELDS, NUMBER, closest, normal, recognised
from assay.dataset.values import plain, spelled, unboxed
from assay.errors import InputError, Problem

MISSING: Final = object()
_DIGITS: Final = 9
Path = tuple[Any, ...]


class Several(tuple[Any, ...]):
    """Columns whose cells are the items of one list, in order."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How rows with one set of columns are read.

    Attributes:
        columns: Names of all columns.
        fields: Field -> paths to the values that may hold it (several: they must agree).
        extra: Columns that no field takes; they go to the metadata.
        guessed: Fields whose column was guessed.
    """

    columns: tuple[str, ...]
    fields: Mapping[str, tuple[Path, ...]]
    extra: tuple[Any, ...]
    guessed: frozenset[str] = frozenset()


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


def plan(
    keys: Iterable[Hashable],
    mapping: Mapping[str, str],
    guessed: Mapping[str, str] | None = None,
) -> Plan:
    """How to read a row with these columns.

    Args:
        keys: The columns.
        mapping: Field -> column, as the user gave it.
        guessed: Field -> column, where the row has that column and none known for the field.
    """
    names = {plain(str(key)): key for key in keys}
    mapped = {field: _path(names, column) for field, column in mapping.items()}
    single = (path for path in mapped.values() if len(path) == 1 or isinstance(path, Several))
    whole = {key for path in single for key in path}
    fields: dict[str, tuple[Path, ...]] = {field: (path,) for field, path in mapped.items() if path}
    taken = set(whole)
    for name, field in recognised(names).items():
        if field not in mapping and names[name] not in whole:
            fields[field] = (*fields.get(field, ()), (names[name],))
            taken.add(names[name])
    likely = {field: _path(names, name) for field, name in (guessed or {}).items()}
    likely = {f: p for f, p in likely.items() if f not in fields and p and p[0] in names.values()}
    fields |= {field: (path,) for field, path in likely.items()}
    taken |= {key for path in likely.values() for key in path}
    extra = tuple(key for key in names.values() if key not in taken)
    return Plan(tuple(names), fields, extra, frozenset(likely))


def _path(names: Mapping[str, Hashable], column: str) -> Path:
    """Path to the mapped column; () if the user wrote an empty one to leave the field out."""
    if not column:
        return ()
    if column in names:
        return (names[column],)
    if numbered := _numbered(names, column):
        return numbered
    alike = [key for name, key in names.items() if normal(name) == normal(column)]
    if len(alike) == 1 and normal(column):
        return (alike[0],)
    first, *rest = column.split(".")
    return (names.get(first, first), *rest)


def _numbered(names: Mapping[str, Hashable], column: str) -> Path:
    """The columns that differ in the number that stands for "#", lowest first."""
    before, mark, after = column.partition(NUMBER)
    pattern = re.compile(rf"{re.escape(before)}(\d+){re.escape(after)}", re.IGNORECASE)
    found = (pattern.fullmatch(name) for name in names if mark)
    numbers = {names[each[0]]: int(each[1]) for each in found if each}
    return Several(sorted(numbers, key=numbers.__getitem__))


def fetch(values: Mapping[Any, Any], path: Path) -> Any:
    """The value at the path, MISSING if there is none.

    A name that meets a list is looked up in its items, a number is a place in it: `docs.text` is
    every document's text, `docs.0.text` the first one's. Text is entered if it spells an object.
    """
    if isinstance(path, Several):
        cells = (unboxed(values[key]) for key in path)
        return [cell for cell in cells if cell is not None and cell != ""] or None
    if len(path) == 1:
        return values.get(path[0], MISSING)
    found: Any = values
    for depth, name in enumerate(path):
        found = _entered(found)
        if isinstance(found, list) and not name.isdecimal():
            return _of_items(found, path[depth:])
        found = _inside(found, name)
        if found is MISSING:
            break
    return found


def _entered(value: Any) -> Any:
    """A value as it may be gone into: a text as the object that it spells."""
    value = unboxed(value)
    return spelled(value) if isinstance(value, str) else value


def _inside(held: Any, name: Any) -> Any:
    """What stands under a key of an object or at a place of a list."""
    if isinstance(held, list):
        return held[int(name)] if len(name) < _DIGITS and int(name) < len(held) else MISSING
    return held.get(name, MISSING) if isinstance(held, Mapping) else MISSING


def _of_items(held: list[Any], path: Path) -> Any:
    items = [fetch(item, path) if isinstance(item, Mapping) else MISSING for item in held]
    if items and all(item is MISSING for item in items):
        return MISSING
    return [None if item is MISSING else item for item in items]
