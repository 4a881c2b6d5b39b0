"""Missing fields: which values a metric lacks, and what users can do about it."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from assay._text.misspelt import near
from assay.data.columns import FIELDS, likely_column, numbered_pattern, recognised
from assay.data.rows import Row
from assay.data.values import is_invisible
from assay.errors import Problem
from assay.sample import Sample

# The last words of a remedy where rows can be left out; a command that cannot leaves them away.
SKIP_HINT: Final = (
    ", or skip such rows with --skip-invalid FILE (skip_invalid= of Settings in Python)"
)
_COLUMNS_SHOWN: Final = 30
# What says that there was none, which is a result.
_NO_ANSWER: Final = " (if the system gave none, say why in the field 'failure')"
# What a system that failed has not brought.
PRODUCED: Final = frozenset(
    {"answer", "contexts", "context_ids", "turns", "cost", "tokens", "latency_ms"}
    | {"further_answers", "variants", "context_access"}
)


def value_of(row: Row, name: str) -> Any:
    """What the row holds under the name, which may also be a key of its metadata."""
    if name in FIELDS:
        return row.fields.get(name)
    return row.fields.get("metadata", {}).get(name)


def is_missing(value: Any, name: str = "") -> bool:
    """Whether a metric that needs the value can do nothing with it.

    An empty list is no gap: it says that nothing was retrieved. Nor is an empty answer: it says
    that the system had nothing to say, which every metric has a word for.
    """
    if value is None or name == "answer":
        return value is None
    return isinstance(value, str) and is_invisible(value)


def is_blank(value: Any) -> bool:
    """Whether it is a text of nothing but white space."""
    return isinstance(value, str) and not value.strip()


def lacking(
    needs: Iterable[str], instead: Iterable[Sequence[str]], value: Callable[[str], Any]
) -> tuple[str, ...]:
    """The fields that a metric needs and a row does not hold; none where others do as well."""
    if replaced(instead, value):
        return ()
    return tuple(name for name in needs if is_missing(value(name), name))


def replaced(instead: Iterable[Sequence[str]], value: Callable[[str], Any]) -> bool:
    """Whether a row holds other fields that do as well as those that a metric needs."""
    return any(not any(is_missing(value(name), name) for name in names) for names in instead)


def lacked(needs: Iterable[str], instead: Iterable[Sequence[str]], sample: Sample) -> str:
    """Why a metric is undefined for a sample that lacks what it needs; "" if it lacks nothing."""
    if sample.failure is not None:  # what the system did not answer has a word of its own
        return ""

    def value(name: str) -> Any:
        return getattr(sample, name) if name in FIELDS else sample.metadata.get(name)

    names = lacking(needs, instead, value)
    return f"the row has no {_for_each_user(names)}" if names else ""


def missing_in_some_rows(name: str, users: Sequence[str], first: int, n: int, rows: int) -> str:
    """A field that some rows lack, for which the metrics that need it are undefined."""
    lack = f"{n:,} of {rows:,} rows {'has' if n == 1 else 'have'} no '{name}'"
    are = "is" if len(users) == 1 else "are"
    return f"{lack} (the first is row {first}): {_for_each_user(users)} {are} undefined there"


def unserved(metric: str, needs: Iterable[str], first: Mapping[str, int]) -> Problem:
    """Every field that a metric needs stands in some row, and in no row do all of them."""
    fault = f"no row holds all that {metric} needs ({', '.join(needs)})"
    rows = ", ".join(f"row {row} has no '{name}'" for name, row in first.items())
    remedy = f"fill them in, or drop {metric}"
    return Problem(f"{fault}: {rows}" if rows else fault, remedy)


def missing_in_row(row: Row, name: str, users: Sequence[str]) -> Problem:
    """A field without which nothing can be done with a row."""
    fault = (
        f"is {'missing' if value_of(row, name) is None else 'empty'}, and {_needed_by(users)} it"
    )
    return Problem(fault, f"fill it in or remove the row{SKIP_HINT}", row=row.number, field=name)


def missing_in_all_rows(
    name: str,
    users: Sequence[str],
    columns: Iterable[str],
    instead: str,
    mapping: Mapping[str, str],
) -> Problem:
    """A field that all rows lack, reported once.

    Args:
        name: Field, or key of the metadata.
        users: Metrics that need it.
        columns: Names of the columns that there are.
        instead: Other fields that would do, "" for none.
        mapping: Field -> column, as the user gave it.
    """
    if problem := _by_mapping(name, users, columns, mapping):
        return problem
    mapped = name in FIELDS  # no column is mapped to a key of the metadata
    holds = recognised(columns) if mapped else {column: column for column in columns}
    mapped_columns = {*mapping.values()}
    empty = next(
        (c for c, field in holds.items() if field == name and c not in mapped_columns), None
    )
    if empty is None:
        return _no_column(name, users, columns, f", give {instead} instead" if instead else "")
    fault = f"column '{empty}' is empty in every row, and {_needed_by(users)} '{name}'"
    filled = f"fill it in{_NO_ANSWER if name == 'answer' else ''}"
    another = f", name another column with --map {name}=COLUMN" if mapped else ""
    drop = f"or drop {_for_each_user(users)}"
    return Problem(fault, f"{filled}{another}, {drop}", sent=f"{filled}, {drop}")


def _no_column(
    name: str, users: Sequence[str], columns: Iterable[str], alternative: str
) -> Problem:
    similar = likely_column(name, columns)
    fault = (
        f"no column holds '{name}', which {_needed_by(users)}; columns found: {_listing(columns)}"
    )
    field = f"'{similar}'" if similar else "the field that holds it"
    renamed = f"rename {field} to '{name}'"
    if similar and similar not in columns:
        renamed = f"combine the fields {field} into one list '{name}'"
    sent = f"{renamed}{alternative}, or drop {_for_each_user(users)}"
    if name not in FIELDS:
        correct = f"correct needs= of {_for_each_user(users)}"
        if alias := recognised([name]):
            return Problem(fault, f"{correct}: the field is called '{alias[name]}'", sent=sent)
        column = f"'{similar}'" if similar else "the column"
        return Problem(fault, f"rename {column} to '{name}'{alternative}, or {correct}", sent=sent)
    hint = f"did you mean {_option(name, similar)}? " if similar else ""
    option = f"name it with --map {name}=COLUMN (mapping= of Settings in Python)"
    return Problem(
        fault, f"{hint}{option}{alternative}, or drop {_for_each_user(users)}", sent=sent
    )


def unclear(
    fields: Mapping[str, Sequence[str]],
    users: Mapping[str, Sequence[str]],
    columns: Iterable[str],
) -> Problem:
    """Missing fields for which columns would do, with options that can be pasted.

    Args:
        fields: Field -> columns that may hold it.
        users: Field -> metrics that need it.
        columns: Names of the columns that there are.
    """
    listing = ", or ".join(
        f"'{name}', which {_needed_by(users[name])}"
        + (f" ({' or '.join(map(repr, names))}?)" if len(names) > 1 else "")
        for name, names in fields.items()
    )
    fault = f"no column surely holds {listing}; columns found: {_listing(columns)}"
    drop = (
        f"drop {_for_each_user([*dict.fromkeys(user for name in fields for user in users[name])])}"
    )
    renamed = " and ".join(f"'{names[0]}' to '{name}'" for name, names in fields.items())
    sent = f"rename {renamed}, or {drop}"
    return Problem(
        fault,
        f"choose with {options(fields)} (mapping= of Settings in Python), or {drop}",
        sent=sent,
    )


def ambiguous_columns(fields: Mapping[str, Sequence[str]]) -> str:
    """That several columns may hold a field, and how to say which does."""
    choices = (
        f"'{name}' may stand in {' or '.join(map(repr, names))}" for name, names in fields.items()
    )
    return f"{', '.join(choices)}: choose with {options(fields)} (mapping= of Settings in Python)"


def probable_columns(absent: Sequence[str], columns: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Field -> the column that probably holds it."""
    likely = {name: likely_column(name, columns) for name in absent}
    return {name: [column] for name, column in likely.items() if column}


def note_on_unmapped(
    absent: Sequence[str], columns: Sequence[str], probable: Mapping[str, Sequence[str]]
) -> str:
    """A note on what no row holds, and on the columns of text that may be it."""
    if not columns:
        return f"no row holds {' or '.join(absent)}: what needs them is not computed"
    only = {absent[0]: columns} if len(columns) == 1 else {}
    use = options(probable or only) or " ".join(f"--map {name}=COLUMN" for name in absent)
    fault = f"no row holds {' or '.join(absent)}; columns that stand for no field: "
    return f"{fault}{', '.join(columns[:_COLUMNS_SHOWN])} -> {use}, if it holds them"


def options(fields: Mapping[str, Sequence[str]]) -> str:
    """The options that map each field to the first of its columns, as a shell reads them."""
    return " ".join(_option(name, names[0]) for name, names in fields.items())


def _by_mapping(
    name: str, users: Sequence[str], columns: Iterable[str], mapping: Mapping[str, str]
) -> Problem | None:
    """The problem where the user's mapping is the reason; None if it is not."""
    drop = f"or drop {_for_each_user(users)}"
    if name in mapping:
        if not mapping[name]:
            fault = f"--map {name}= leaves '{name}' out, and {_needed_by(users)} it"
            return Problem(fault, f"name its column, {drop}")
        fault = f"column '{mapping[name]}' is empty in every row, and {_needed_by(users)} '{name}'"
        return Problem(fault, f"fill it in, name another column with --map {name}=COLUMN, {drop}")
    field_of = {column: field for field, column in mapping.items()}
    columns_of = [column for column, field in recognised(columns).items() if field == name]
    if not columns_of or not field_of.keys() >= {*columns_of}:
        return None
    fault = f"no column is left for '{name}', which {_needed_by(users)}"
    taken_by = f"{_option(field_of[columns_of[0]], columns_of[0])} takes the column of this name"
    return Problem(f"{fault}: {taken_by}", f"name its column with --map {name}=COLUMN, {drop}")


def missing_in_all_answers(
    name: str, users: Sequence[str], system: str, instead: str = ""
) -> Problem:
    """A field that all answers of a system lack; `instead` says what would do as well."""
    fault = f"no answer of {system} holds '{name}', which {_needed_by(users)}"
    alternative = f", {instead}" if instead else ""
    remedy = f"let the system return it, name it with --target-reply {name}=PATH{alternative}"
    return Problem(fault, f"{remedy}, or drop {_for_each_user(users)}")


def not_found(name: str, column: str, columns: Iterable[str]) -> Problem:
    """The user's mapping names a column that no row has."""
    names = list(columns)
    options_meant = [
        _option(name, numbered_pattern(name, like_name, names)) for like_name in near(column, names)
    ]
    hint = (
        f"did you mean {options_meant[0]}?"
        if options_meant
        else f"columns found: {_listing(names)}"
    )
    fault = f"no row has the column '{column}' that {_option(name, column)} names"
    return Problem(fault, hint)


def _option(name: str, column: str) -> str:
    return f"--map {shlex.quote(f'{name}={column}')}"


def _needed_by(users: Sequence[str]) -> str:
    return f"{_for_each_user(users)} {'needs' if len(users) == 1 else 'need'}"


def _for_each_user(users: Sequence[str]) -> str:
    if len(users) > 3:
        return f"{users[0]}, {users[1]} and {len(users) - 2} more metrics"
    return " and ".join(filter(None, [", ".join(users[:-1]), users[-1]]))


def _listing(columns: Iterable[str]) -> str:
    names = list(columns)
    more = f" and {len(names) - _COLUMNS_SHOWN} more" if len(names) > _COLUMNS_SHOWN else ""
    return ", ".join(f"'{name}'" for name in names[:_COLUMNS_SHOWN]) + more
