"""The words of a statement laid on the cells and the names of columns of a table or record."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from assay._text import memoized, words
from assay._text.amounts import Amount, amounts
from assay._text.entities import is_negated
from assay._text.expressions import expression
from assay._text.grids import Grid
from assay._text.quantities import same
from assay.judges.embedded.measures import AGES, MEASURES, NEUTRAL, OPERATIONS, SPEAKS, TURNED

_GRAM = 10  # words of a cell that a statement names at most
_FAR = 3  # words between a number and the name of its column
_ORDINAL = expression(r"\d+(?:st|nd|rd|th)")
_STRICT = r"more than|over|above|exceed(?:s|ed|ing)?|beyond|better than|greater than|higher than"
_LESS = r"less than|fewer than|under|below|lower than|smaller than"
_BOUND = expression(
    rf"\b(?:(?P<more>{_STRICT})|(?P<less>{_LESS})|(?P<least>at least|no less than|no fewer than|"
    r"no earlier than|minimum of)|(?P<most>at most|no more than|no longer than|no later than|up to|"
    r"maximum of|(?:not|cannot) exceed))\s(?:a\s|the\s)?$",
    re.IGNORECASE,
)


class Finding(NamedTuple):
    """What a table or record says of what a statement names.

    Attributes:
        agrees: Whether it says the same.
        reason: What it says, in words.
        piece: Index of the piece of evidence.
    """

    agrees: bool
    reason: str
    piece: int


class Token(NamedTuple):
    """A word of a statement."""

    word: str
    stem: str
    span: tuple[int, int]


@dataclass(frozen=True, eq=False)
class StatementWords:
    """A statement's words and amounts."""

    text: str
    tokens: tuple[Token, ...]
    amounts: tuple[Amount, ...]
    negated: bool

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words in lower case."""
        return frozenset(token.word for token in self.tokens)

    def place(self, amount: Amount) -> int:
        """The number of the word that an amount begins with."""
        return next((i for i, t in enumerate(self.tokens) if t.span[1] > amount.span[0]), 0)


@memoized(256, longest=2000)
def read_statement(statement: str) -> StatementWords:
    """The words and amounts of a statement."""
    tokens: list[Token] = []
    position, lowered = 0, statement.lower()
    for word in words.words(statement):
        start = lowered.find(word, position)
        position = start + len(word) if start >= 0 else position
        tokens.append(Token(word, words.stem(word), (position - len(word), position)))
    claimed = list(amounts(statement))
    for token in tokens:
        if _ORDINAL.fullmatch(token.word) and not _meets_claim(token, claimed):
            claimed.append(Amount(token.span, token.word, float(token.stem), 0.0))
    ordered = sorted((_with_bound(amount, statement) for amount in claimed), key=lambda a: a.span)
    return StatementWords(statement, tuple(tokens), tuple(ordered), is_negated(statement))


def _with_bound(amount: Amount, text: str) -> Amount:
    """An amount with what stands before it: "more than" (2), "at least" (1), "up to" (-1) ..."""
    match = _BOUND.search(text[: amount.span[0]])
    kinds = {"more": 2, "less": -2, "least": 1, "most": -1}
    return replace(amount, bound=kinds[match.lastgroup] if match and match.lastgroup else 0)


def _meets_claim(token: Token, claimed: Sequence[Amount]) -> bool:
    return any(a.span[0] < token.span[1] and token.span[0] < a.span[1] for a in claimed)


class Mention(NamedTuple):
    """Words that name cells: the rows by column."""

    first: int
    after: int
    places: Mapping[int, frozenset[int]]
    exact: bool

    @property
    def rows(self) -> frozenset[int]:
        """The rows of all columns."""
        return frozenset().union(*self.places.values())


class Heading(NamedTuple):
    """Words that name columns."""

    first: int
    after: int
    columns: frozenset[int]
    exact: bool


class Condition(NamedTuple):
    """What a statement says of a row."""

    rows: frozenset[int]  # for which it holds
    column: int | None  # None where it may be of several
    text: str
    sure: bool  # whether it is clear which column it is of


@dataclass(frozen=True, eq=False)
class Links:
    """Where the words of a statement have their place in one grid.

    Attributes:
        numbers: Those of its amounts that are no part of a mention.
        unknown: Its content words without a place.
    """

    statement: StatementWords
    grid: Grid
    mentions: tuple[Mention, ...]
    headings: tuple[Heading, ...]
    numbers: tuple[Amount, ...]
    unknown: tuple[str, ...]

    @cached_property
    def headed(self) -> frozenset[int]:
        """The columns that are named."""
        return frozenset().union(*(heading.columns for heading in self.headings))

    @cached_property
    def row_mentions(self) -> tuple[Mention, ...]:
        """The mentions of what its rows are named by."""
        return tuple(m for m in self.mentions if self.grid.key in m.places)

    def text(self, mention: Mention) -> str:
        """The words of a mention as they stand in the statement."""
        tokens = self.statement.tokens[mention.first : mention.after]
        return self.statement.text[tokens[0].span[0] : tokens[-1].span[1]]

    def name(self, row: int) -> str:
        """What a row is called."""
        cell = self.grid.rows[row].cells.get(self.grid.key)
        return f"'{cell.text}'" if cell else f"row {row + 1}"

    def beside(self, row: int, other: int, column: int) -> str:
        """What two rows have in a column, for a reason."""
        return (
            f"the table gives {self.cell(row, column)} for {self.name(row)} and "
            f"{self.cell(other, column)} for {self.name(other)}"
        )

    def name_stems(self, row: int) -> tuple[str, ...]:
        """The stems of what a row is called."""
        cell = self.grid.rows[row].cells.get(self.grid.key)
        return cell.stems if cell else ()

    def cell(self, row: int, column: int) -> str:
        """A cell as it stands there, for a reason."""
        cell = self.grid.rows[row].cells.get(column)
        return f"'{cell.text}'" if cell else "nothing"

    def measured(self, measure: str | None = None) -> list[int]:
        """The columns of numbers that are named, or that a word like "tallest" speaks of."""
        grid = self.grid
        headed: list[int] = []
        for heading in self.headings:
            numeric = [c for c in heading.columns if grid.numeric(c)]
            if len(numeric) == 1 and numeric[0] not in headed:
                headed.append(numeric[0])
        if headed or measure is None:
            return headed
        stems = MEASURES[measure][1] | (TURNED if measure in AGES else frozenset())
        columns = enumerate(grid.columns)
        return [i for i, c in columns if stems & set(c.stems) and grid.numeric(i)]

    def sign(self, measure: str, column: int) -> int:
        """Which way a word looks in a column: the oldest has the earliest year of birth."""
        turned = measure in AGES and not TURNED.isdisjoint(self.grid.columns[column].stems)
        return -MEASURES[measure][0] if turned else MEASURES[measure][0]

    def column_of(self, number: Amount) -> int | None:
        """The column that a number is of: the nearest that is named, or that of its unit."""
        grid, position = self.grid, self.statement.place(number)
        by_distance: list[tuple[int, int]] = []
        for heading in self.headings:
            numeric = [c for c in heading.columns if grid.kinds[c]]
            distance = (
                heading.first - position
                if heading.first > position
                else position - heading.after + 1
            )
            if len(numeric) == 1 and distance <= _FAR:
                by_distance.append((distance, numeric[0]))
        if by_distance:
            return min(by_distance)[1]
        if number.kind and number.kind != "date":
            return _single_column(i for i, kinds in enumerate(grid.kinds) if number.kind in kinds)
        return _single_column(
            i for i, kinds in enumerate(grid.kinds) if number.days and "date" in kinds
        )

    def conditions(self, without: Sequence[Amount] = ()) -> list[Condition] | None:
        """What it says of a row; None where a number has no place."""
        conditions = []
        for mention in self.mentions:
            rows_by_column = {
                c: r for c, r in mention.places.items() if c in self.headed
            } or mention.places
            rows = frozenset().union(*rows_by_column.values())
            column = next(iter(rows_by_column)) if len(rows_by_column) == 1 else None
            conditions.append(Condition(rows, column, self.text(mention), mention.exact))
        for number in self.numbers:
            if number in without:
                continue
            condition = self._numbered_condition(number)
            if condition is None:
                return None
            conditions.append(condition)
        return conditions

    def _numbered_condition(self, number: Amount) -> Condition | None:
        column = self.column_of(number)
        if column is None and (number.bound or not _is_telling(number)):
            return None
        columns = range(len(self.grid.columns)) if column is None else [column]
        rows = frozenset(
            row_index
            for row_index, row in enumerate(self.grid.rows)
            if any(c in row.cells and _holds_number(number, row.cells[c].amounts) for c in columns)
        )
        return Condition(rows, column, number.text, column is not None)


def _single_column(columns: Iterable[int]) -> int | None:
    distinct = list(columns)
    return distinct[0] if len(distinct) == 1 else None


def _is_telling(number: Amount) -> bool:
    """Whether a number stands for itself: hardly by chance in a table."""
    return bool(number.days) or number.number >= 100 or number.number % 1 != 0


def _holds_number(number: Amount, cells: Sequence[Amount]) -> bool:
    if not number.bound:
        return any(same(number, cell) for cell in cells)
    return bool(cells) and is_within(cells[0], number)


def is_within(amount: Amount, bound: Amount) -> bool:
    """Whether an amount is more than the least or less than the most that a bound says."""
    difference = (size_of(amount) - size_of(bound)) * bound.bound
    return difference > 0 if bound.bound in (2, -2) else difference >= 0


def size_of(amount: Amount) -> float:
    """How much it is, or when in years: a number that orders the amounts of a column."""
    year, month, day = amount.days[0] if amount.days else (None, None, None)
    if month is not None:
        return (year or 0) + (month - 1) / 12 + ((day or 1) - 1) / 372
    return -amount.value if amount.negative else amount.value


def link(statement: StatementWords, grid: Grid) -> Links | None:
    """The places of a statement's words; None if no word has one."""
    placed = [False] * len(statement.tokens)
    mentions, headings = _whole_cells(statement, grid, placed)
    _add_headings(statement, grid, placed, headings)
    headings = _narrowed(headings, _numbered_headings(statement, grid, placed))
    mentions += _cell_words(statement, grid, placed)
    mentions = [m for m in mentions if m.exact or not _is_title(statement, m, grid)]
    if not mentions and not headings:
        return None
    covered = [t for t, used in zip(statement.tokens, placed, strict=True) if used]
    numbers = tuple(
        amount
        for amount in statement.amounts
        if not any(t.span[0] < amount.span[1] and amount.span[0] < t.span[1] for t in covered)
    )
    unknown = tuple(
        token.word
        for token, used in zip(statement.tokens, placed, strict=True)
        if not used and _is_unknown(token, grid, numbers)
    )
    by_place = lambda span: span.first  # noqa: E731
    return Links(
        statement,
        grid,
        tuple(sorted(mentions, key=by_place)),
        tuple(sorted(headings, key=by_place)),
        numbers,
        unknown,
    )


def _whole_cells(
    statement: StatementWords, grid: Grid, placed: list[bool]
) -> tuple[list[Mention], list[Heading]]:
    """Whole cells and names of columns, the longest first."""
    stems = [token.stem for token in statement.tokens]
    columns: dict[tuple[str, ...], set[int]] = {}
    for number, column in enumerate(grid.columns):
        columns.setdefault(column.stems, set()).add(number)
    mentions: list[Mention] = []
    headings: list[Heading] = []
    for size in range(min(_GRAM, len(stems)), 0, -1):
        for start in range(len(stems) - size + 1):
            gram = tuple(stems[start : start + size])
            if any(placed[start : start + size]) or not tells(
                statement.tokens[start : start + size]
            ):
                continue
            if gram in columns:
                headings.append(Heading(start, start + size, frozenset(columns[gram]), exact=True))
            elif gram in grid.whole:
                mentions.append(Mention(start, start + size, grid.whole[gram], exact=True))
            else:
                continue
            placed[start : start + size] = [True] * size
    mentions += _numbered_names(statement, grid, headings, placed)
    return mentions, headings


def _numbered_names(
    statement: StatementWords, grid: Grid, headings: Sequence[Heading], placed: list[bool]
) -> Iterator[Mention]:
    """Numbers behind the name of the column that names the rows: "episode 4"."""
    for heading in headings:
        index = heading.after
        if grid.key in heading.columns and index < len(placed) and not placed[index]:
            rows = grid.whole.get((statement.tokens[index].stem,), {}).get(grid.key)
            if rows and not statement.tokens[index].word.isalpha():
                placed[index] = True
                yield Mention(index, index + 1, {grid.key: rows}, exact=True)


def tells(tokens: Sequence[Token]) -> bool:
    """Whether words can name a cell: not a number alone, nor "first" or "more"."""
    if len(tokens) > 1:
        return not all(token.word in words.STOP_WORDS for token in tokens)
    word = tokens[0].word
    return (
        word not in words.STOP_WORDS
        and not tokens[0].stem.isdigit()
        and word[:1].isalpha()
        and word not in OPERATIONS
        and word not in MEASURES
    )


def _is_unknown(token: Token, grid: Grid, numbers: Sequence[Amount]) -> bool:
    if token.word in words.STOP_WORDS or token.word in OPERATIONS or token.word in MEASURES:
        return False
    if token.stem in NEUTRAL or token.stem in grid.around:
        return False
    return not _meets_claim(token, numbers)


def _add_headings(
    statement: StatementWords, grid: Grid, placed: list[bool], headings: list[Heading]
) -> None:
    """Single words of names of columns; neighbours that name the same are one."""
    for index, token in enumerate(statement.tokens):
        if placed[index]:
            continue
        spoken = SPEAKS.get(token.stem, frozenset())
        heading_columns = grid.columns_by_stem.get(token.stem) if tells([token]) else None
        if not heading_columns and spoken:
            heading_columns = frozenset().union(
                *(grid.columns_by_stem.get(stem, ()) for stem in spoken)
            )
        if not heading_columns:
            continue
        last = headings[-1] if headings else None
        if last and not last.exact and last.after == index and last.columns & heading_columns:
            headings[-1] = Heading(
                last.first, index + 1, last.columns & heading_columns, exact=False
            )
        else:
            headings.append(Heading(index, index + 1, heading_columns, exact=False))
        placed[index] = True


def _numbered_headings(
    statement: StatementWords, grid: Grid, placed: list[bool]
) -> Iterator[Heading]:
    """Numbers that stand in the names of some columns, such as years."""
    for index, token in enumerate(statement.tokens):
        columns = grid.columns_by_stem.get(token.stem) if token.stem.isdigit() else None
        if columns and not placed[index]:
            placed[index] = True
            yield Heading(index, index + 1, columns, exact=False)


def _narrowed(headings: Sequence[Heading], numbered: Iterable[Heading]) -> list[Heading]:
    """Names of columns, of which a number may tell which one is meant: "visitors in 2018"."""
    narrowed = list(headings)
    for number in numbered:
        matching = [
            index for index, heading in enumerate(narrowed) if heading.columns & number.columns
        ]
        for index in matching:
            narrowed[index] = narrowed[index]._replace(
                columns=narrowed[index].columns & number.columns
            )
        if not matching:
            narrowed.append(number)
    return narrowed


def _is_title(statement: StatementWords, mention: Mention, grid: Grid) -> bool:
    """Whether words that stand in a cell are only those of the table's title."""
    return all(
        token.stem in grid.around for token in statement.tokens[mention.first : mention.after]
    )


def _cell_words(statement: StatementWords, grid: Grid, placed: list[bool]) -> list[Mention]:
    """Words of cells; neighbours that stand in the same are one."""
    mentions: list[Mention] = []
    goes_on = False
    for index, token in enumerate(statement.tokens):
        if placed[index]:
            goes_on = False
            continue
        rows_by_column = grid.parts.get(token.stem)
        if not rows_by_column or not (tells([token]) or (goes_on and token.stem.isdigit())):
            goes_on = goes_on and token.word in words.STOP_WORDS
            continue
        if goes_on:
            last = mentions[-1]
            shared = {
                c: r & rows_by_column[c]
                for c, r in last.places.items()
                if r & rows_by_column.get(c, frozenset())
            }
            if shared:
                mentions[-1] = Mention(last.first, index + 1, shared, exact=False)
                placed[index] = True
                continue
            if token.stem.isdigit():
                continue
        mentions.append(Mention(index, index + 1, rows_by_column, exact=False))
        placed[index] = goes_on = True
    return mentions
