"""Tables and records as columns and cells, read back from the units of a context.

`assay._text.records.units` writes a row as "river: Arvel; length (km): 412" and a value of a record
as "battery, mAh: 4300", whatever the format was; here rows with the same keys are one grid.
"""

# ruff: noqa: SIM905 - word lists read better as prose

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from assay._text import words
from assay._text.amounts import Amount, amounts, scale_of
from assay._text.expressions import expression
from assay._text.numbers import normalize
from assay._text.tables import NOT_GIVEN

_CELLS = "; "
_BAR = " | "
_PARSED = expression(r"(?P<key>[^:]{1,60}(?::[^ :][^:]{0,40})*): (?P<value>.*)", re.DOTALL)
_UNIT = expression(r"\((?P<inside>[^()]{1,20})\)|[ _](?P<last>[A-Za-z%°/²]{1,5})$|^(?P<all>%)$")
_MOST = 20_000  # cells; a larger grid is not read
_KEY_WORDS = 8
_LOOKED = 30  # rows that show what a column measures
_NUMERIC = 0.8  # of the cells of a column of numbers, at least
_SAME = 0.5  # of the keys of two rows of one table, at least
# Of a table of two such columns every row is a value of one record.
_KEYS = frozenset("field attribute property key item name parameter setting detail feature".split())
_VALUES = frozenset("value values information content setting data specification entry".split())
_NAMES = frozenset("name title model product label player team id".split())


@dataclass(frozen=True, eq=False)
class Entry:
    """A cell.

    Attributes:
        text: As it stands there.
        stems: The stems of all its words, in order.
        unit: The unit of its column; "" if none is named.
    """

    text: str
    stems: tuple[str, ...]
    unit: str = ""

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """Its amounts and dates, in the unit of its column."""
        own_amounts = amounts(self.text)
        if not self.unit or not own_amounts or own_amounts[0].kind or own_amounts[0].days:
            return own_amounts
        first, scale = own_amounts[0], scale_of(f"in {self.unit}")
        if scale != 1:
            number, step = first.number * scale, max(first.step, 0.05) * scale
            return (replace(first, number=number, step=step, scaled=True), *own_amounts[1:])
        read = amounts(normalize(f"{first.text} {self.unit}").text)
        return (replace(read[0], span=first.span), *own_amounts[1:]) if read else own_amounts


class Column(NamedTuple):
    """A column.

    Attributes:
        name: As it stands there.
        stems: The stems of its words without its unit, in order.
    """

    name: str
    stems: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """A row.

    Attributes:
        piece: Index of the unit it was read from.
        cells: By the place of their column; what is empty or not given is not there.
    """

    piece: int
    cells: Mapping[int, Entry]


@dataclass(frozen=True, eq=False)
class Grid:
    """A table, or a record with a row for each thing of the same kind.

    Attributes:
        context: Place of its context.
        columns: The columns, in order.
        rows: The rows, in order.
        record: Whether it is a record: one thing, or several with a record each.
        around: The stems of what else stands in its context: its title.
    """

    context: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    record: bool
    around: frozenset[str] = field(default=frozenset())

    @cached_property
    def whole(self) -> dict[tuple[str, ...], dict[int, frozenset[int]]]:
        """Where cells with these words stand: the rows of each column."""
        places_of: dict[tuple[str, ...], dict[int, set[int]]] = {}
        for number, row in enumerate(self.rows):
            for column, cell in row.cells.items():
                places_of.setdefault(cell.stems, {}).setdefault(column, set()).add(number)
        return {
            stems: {column: frozenset(rows) for column, rows in rows_by_column.items()}
            for stems, rows_by_column in places_of.items()
        }

    @cached_property
    def parts(self) -> dict[str, dict[int, frozenset[int]]]:
        """Where a stem stands in cells that are no numbers: the rows of each column."""
        places_of: dict[str, dict[int, set[int]]] = {}
        for number, row in enumerate(self.rows):
            for column, cell in row.cells.items():
                for stem in cell.stems:
                    places_of.setdefault(stem, {}).setdefault(column, set()).add(number)
        return {
            stem: {column: frozenset(rows) for column, rows in rows_by_column.items()}
            for stem, rows_by_column in places_of.items()
        }

    @cached_property
    def key(self) -> int:
        """The column that names the rows: the first of words that all differ, else the first."""
        for column, _ in enumerate(self.columns):
            texts = [row.cells[column].text for row in self.rows if column in row.cells]
            worded = sum(any(c.isalpha() for c in text) for text in texts)
            if len(texts) == len(self.rows) == len(set(texts)) == worded:
                return column
        return 0

    @cached_property
    def columns_by_stem(self) -> dict[str, frozenset[int]]:
        """The columns whose names have a stem."""
        columns_of: dict[str, set[int]] = {}
        for number, column in enumerate(self.columns):
            for stem in column.stems:
                columns_of.setdefault(stem, set()).add(number)
        return {stem: frozenset(columns) for stem, columns in columns_of.items()}

    @cached_property
    def kinds(self) -> tuple[frozenset[str], ...]:
        """What the first cells of each column measure, "date" for what has a year."""
        return tuple(
            frozenset(
                "date" if amount.days else amount.kind
                for row in self.rows[:_LOOKED]
                if column in row.cells
                for amount in row.cells[column].amounts[:1]
            )
            for column, _ in enumerate(self.columns)
        )

    @cached_property
    def _numeric(self) -> dict[int, bool]:
        return {}

    def number(self, row: int, column: int) -> Amount | None:
        """What a cell counts or measures, or its date; None if nothing or several things."""
        cell = self.rows[row].cells.get(column)
        return cell.amounts[0] if cell and cell.amounts else None

    def numeric(self, column: int) -> bool:
        """Whether nearly all its cells begin with a number or are a date."""
        if column not in self._numeric:
            cells = [row.cells[column] for row in self.rows if column in row.cells]
            least_numeric = _NUMERIC * len(cells)
            self._numeric[column] = (
                bool(cells) and sum(map(_begins_numeric, cells)) >= least_numeric
            )
        return self._numeric[column]


def _begins_numeric(cell: Entry) -> bool:
    return bool(cell.amounts) and not any(
        char.isalpha() for char in cell.text[: cell.amounts[0].span[0]]
    )


def grids(units: Sequence[tuple[int, str]]) -> tuple[Grid, ...]:
    """The tables and records of contexts.

    Args:
        units: The units of the contexts, in order: the place of the context and the text.
    """
    tabular: list[Grid] = []
    records: list[tuple[int, list[tuple[int, str, str]]]] = []
    for context, group in groupby(enumerate(units), key=lambda numbered: numbered[1][0]):
        texts = [(index, text) for index, (_, text) in group]
        tables, pairs, prose = _read_texts(texts)
        around = frozenset(words.stems(" ".join(prose)))
        for rows in tables:
            grid = _grid(context, rows, around, record=False)
            fields = _as_fields(grid) if grid else None
            if fields:
                pairs += fields
            elif grid:
                tabular.append(grid)
        if len(pairs) > 1:
            records.append((context, pairs))
    return (*tabular, *_records(records))


_Cells = list[tuple[str, str]]


def _read_texts(
    texts: Sequence[tuple[int, str]],
) -> tuple[list[list[tuple[int, _Cells]]], list[tuple[int, str, str]], list[str]]:
    """The tables, the pairs of keys and values, and the other texts of one context."""
    tables: list[list[tuple[int, _Cells]]] = []
    pairs: list[tuple[int, str, str]] = []
    prose: list[str] = []
    barred: list[tuple[int, list[str]]] = []
    for index, text in texts:
        cells = _cells(text)
        if len(cells) > 1:
            last = tables[-1][-1] if tables else None
            if last and last[1][0] == cells[0] and not _have_like_keys(last[1], cells):
                last[1].extend(cells[1:])  # a long row goes on
            elif last and _have_like_keys(tables[-1][0][1], cells):
                tables[-1].append((index, cells))
            else:
                tables.append([(index, cells)])
        elif cells:
            pairs.append((index, *cells[0]))
            if cells[0][0].lower() in _NAMES | {"title", "caption"}:
                prose.append(cells[0][1])
        elif _BAR in text and "\n" not in text:
            barred.append((index, [cell.strip() for cell in text.split(_BAR)]))
        else:
            prose.append(text)
    for rows in tables:
        first = rows[0][1][0][0]
        lone_pairs = [pair for pair in pairs if pair[1] == first]  # rows of which all else is empty
        pairs = [pair for pair in pairs if pair[1] != first]
        rows += [(index, [(key, value)]) for index, key, value in lone_pairs]
        rows.sort(key=lambda row: row[0])
        if len(rows) == 1:  # no table, but what somebody wrote with semicolons
            pairs += [(rows[0][0], key, value) for key, value in rows[0][1]]
    return [rows for rows in [*tables, *_barred(barred)] if len(rows) > 1], pairs, prose


def _barred(rows: Sequence[tuple[int, list[str]]]) -> Iterator[list[tuple[int, _Cells]]]:
    """Tables without a rule under their first row."""
    if len(rows) < 3 or len({len(cells) for _, cells in rows}) > 1:
        return
    names = rows[0][1]
    if len(set(names)) == len(names) and not any(char.isdigit() for char in "".join(names)):
        yield [
            (index, [(name, cell) for name, cell in zip(names, cells, strict=True) if cell])
            for index, cells in rows[1:]
        ]


def _cells(text: str) -> _Cells:
    """The keys and values of a row or of one pair; [] if it is neither."""
    cells: _Cells = []
    for cell_text in text.split(_CELLS):
        match = _PARSED.fullmatch(cell_text)
        if match and len(match["key"].split()) <= _KEY_WORDS:
            cells.append((match["key"].strip(), match["value"].strip()))
        elif cells:  # a list within a cell
            cells[-1] = (cells[-1][0], f"{cells[-1][1]}{_CELLS}{cell_text}")
        else:
            return []
    if len(cells) == 1 and text.count(". ") > 1:
        return []
    return cells


def _have_like_keys(first: _Cells, other_cells: _Cells) -> bool:
    first_keys, second_keys = ({key for key, _ in cells} for cells in (first, other_cells))
    return len(first_keys & second_keys) >= _SAME * max(len(first_keys), len(second_keys))


def _as_fields(grid: Grid) -> list[tuple[int, str, str]]:
    """The pairs of a table of fields and their values; [] if it is none."""
    names = [column.name.lower() for column in grid.columns]
    if len(names) != 2 or names[0] not in _KEYS or names[1] not in _VALUES:
        return []
    return [
        (row.piece, row.cells[0].text, row.cells[1].text)
        for row in grid.rows
        if len(row.cells) == 2
    ]


def _records(pairs_by_context: Sequence[tuple[int, list[tuple[int, str, str]]]]) -> Iterator[Grid]:
    """Records of the same keys are rows of one grid."""
    rows: list[tuple[int, int, _Cells]] = []
    for context, pairs in pairs_by_context:
        if pairs:
            rows.append((context, pairs[0][0], [(key, value) for _, key, value in pairs]))
    while rows:
        context, _, first = rows[0]
        same = [row for row in rows if _have_like_keys(first, row[2])]
        rows = [row for row in rows if row not in same]
        around = frozenset(
            words.stems(" ".join(v for row in same for k, v in row[2] if k.lower() in _NAMES))
        )
        grid = _grid(context, [(piece, cells) for _, piece, cells in same], around, record=True)
        if grid:
            yield grid


def _grid(
    context: int, rows: Sequence[tuple[int, _Cells]], around: frozenset[str], *, record: bool
) -> Grid | None:
    if sum(len(cells) for _, cells in rows) > _MOST:
        return None
    prefix = "" if record else _prefix(rows)
    columns_at: dict[tuple[str, int], int] = {}
    columns: list[Column] = []
    units: list[str] = []
    grid_rows: list[Row] = []
    for piece, pairs in rows:
        cells = pairs
        occurrences: dict[str, int] = {}
        read: dict[int, Entry] = {}
        if prefix:
            first, _, inner_value = cells[0][1].partition(": ")
            cells = [(first, inner_value), *cells[1:]]
        for key, value in cells:
            occurrences[key] = occurrences.get(key, 0) + 1
            column = columns_at.setdefault((key, occurrences[key]), len(columns))
            if column == len(columns):
                name, unit = _unit_of(key)
                columns.append(Column(key, _stems(name)))
                units.append(unit)
            if value and value != NOT_GIVEN:
                read[column] = Entry(value, _stems(value), units[column])
        grid_rows.append(Row(piece, read))
    return Grid(context, tuple(columns), tuple(grid_rows), record, around)


def _prefix(rows: Sequence[tuple[int, _Cells]]) -> str:
    """The key above a table, "rows" of "rows: river: Arvel"; "" if there is none."""
    firsts = {(cells[0][0], cells[0][1].partition(": ")[0]) for _, cells in rows}
    inside = all(": " in cells[0][1] for _, cells in rows)
    return next(iter(firsts))[0] if inside and len(firsts) == 1 else ""


def _unit_of(name: str) -> tuple[str, str]:
    """The name of a column without its unit, and its unit as texts write it."""
    match = _UNIT.search(name)
    unit = next(filter(None, match.groups()), "").strip() if match else ""
    if not match or not unit:
        return name, ""
    if match["inside"]:
        scaled = scale_of(f"in {unit}") != 1
        return (
            f"{name[: match.start()]} {name[match.end() :]}",
            unit if scaled or _is_unit(unit) else "",
        )
    return (name[: match.start()], unit) if _is_unit(unit) else (name, "")


def _is_unit(unit: str) -> bool:
    read = amounts(normalize(f"5 {unit}").text)
    return len(read) == 1 and bool(read[0].kind)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(map(words.stem, words.words(text)))
