"""What tables and records say of a statement: values, counts, extremes, comparisons and sums.

Only where nearly every word of a statement has a place among cells and names of columns, or asks
for an operation, the cells decide.
"""

# ruff: noqa: SIM905 - word lists read better as prose

from collections.abc import Callable, Sequence

from assay._text import words
from assay._text.amounts import Amount
from assay._text.grids import Grid
from assay._text.quantities import comparable, same
from assay.judges.embedded.cells import (
    Condition,
    Finding,
    Links,
    link,
    read_statement,
    size_of,
)
from assay.judges.embedded.measures import MEASURES, OPERATIONS, SUPERLATIVES

_VERBS = 2  # content words without a place that leave it clear what a figure is of
_LONGEST = 60  # words of a statement that is looked up
# An extreme of these may be the first as well as the largest.
_RANKS = frozenset(
    map(
        words.stem,
        "rank ranking position pos place no number seed pick id season game week".split(),
    )
)
_DATED = frozenset(
    "later latest newer newest earlier earliest older oldest younger youngest".split()
)
_DATES = frozenset(map(words.stem, "year date round episode day".split()))
_SUM = frozenset(map(words.stem, "total totals sum overall all".split()))
_TOTALS = frozenset("total altogether together combined sum".split())
_MEANS = frozenset("average mean".split())


def look_up(statement: str, grids: Sequence[Grid]) -> Finding | None:
    """What the tables and records say of a statement; None if nothing is clear."""
    if not grids:
        return None
    claim = read_statement(statement)
    if len(claim.tokens) > _LONGEST:
        return None
    findings: list[Finding] = []
    for grid in grids:
        links = link(claim, grid)
        if links is not None:
            checks = (check for check, max_unknown in _CHECKS if len(links.unknown) <= max_unknown)
            finding = next(filter(None, (check(links) for check in checks)), None)
            if finding:
                findings.append(finding)
    return next((finding for finding in findings if finding.agrees), next(iter(findings), None))


def _finding(links: Links, row: int, reason: str, *, agrees: bool) -> Finding:
    return Finding(agrees, reason, links.grid.rows[row].piece)


def _superlative(links: Links) -> Finding | None:
    """Whether what it calls the largest is."""
    claim, grid = links.statement, links.grid
    measures = [t.word for t in claim.tokens if t.word in SUPERLATIVES]
    other_words = claim.words & (OPERATIONS | MEASURES.keys()) - {
        "all",
        "of",
        "with",
        "any",
        "total",
    }
    unclear = "but" in claim.words or claim.negated or other_words - set(measures)
    if unclear or len(measures) != 1 or len(grid.rows) < 2:
        return None
    columns = links.measured(measures[0])
    if len(columns) != 1 or not _is_measured(links, columns[0], measures[0]):
        return None
    column = columns[0]
    subject = links.row_mentions if len(links.mentions) > 1 else links.mentions
    if len(subject) != (0 if links.numbers else 1) or len(links.numbers) > 1:
        return None
    rows = frozenset(range(len(grid.rows)))
    for mention in links.mentions:
        if mention not in subject:
            rows &= mention.rows
    sizes = {
        row: size_of(a)
        for row in rows
        if (a := grid.number(row, column)) and _SUM.isdisjoint(links.name_stems(row))
    }
    if len(sizes) < 2:
        return None
    best = (max if links.sign(measures[0], column) > 0 else min)(sizes.values())
    top = [row for row, value in sizes.items() if value == best]
    reason = (
        f"the {measures[0]} {grid.columns[column].name} in the table is "
        f"{links.cell(top[0], column)}, of {links.name(top[0])}"
    )
    subject_rows = subject[0].rows if subject else frozenset(sizes)
    if subject_rows.isdisjoint(sizes):
        return None
    agrees = not subject_rows.isdisjoint(top)
    if links.numbers:
        cell = grid.number(top[0], column)
        agrees = cell is not None and same(links.numbers[0], cell)
    return _finding(links, top[0], reason, agrees=agrees)


def _is_measured(links: Links, column: int, measure: str) -> bool:
    """Whether more in a column is more: not of ranks, and of dates only behind "later"."""
    stems = links.grid.columns[column].stems
    return _RANKS.isdisjoint(stems) and (measure in _DATED or _DATES.isdisjoint(stems))


def _comparison(links: Links) -> Finding | None:
    """Whether one row has more than another one, and how much more."""
    claim, grid = links.statement, links.grid
    comparatives = [
        (i, t.word)
        for i, t in enumerate(claim.tokens)
        if t.word in MEASURES and t.word not in SUPERLATIVES
    ]
    thans = [i for i, t in enumerate(claim.tokens) if t.word == "than"]
    if len(comparatives) != 1 or len(thans) != 1 or claim.negated or len(links.mentions) != 2:
        return None
    (position, measure), (first, second) = comparatives[0], links.mentions
    if not first.after <= thans[0] <= second.first or position > thans[0] or len(links.numbers) > 1:
        return None
    columns = links.measured(measure)
    rows = [sorted(m.places.get(grid.key, m.rows)) for m in (first, second)]
    if len(columns) != 1 or any(len(row_set) != 1 for row_set in rows):
        return None
    column, row, other_row = columns[0], rows[0][0], rows[1][0]
    values = grid.number(row, column), grid.number(other_row, column)
    if values[0] is None or values[1] is None or not _is_measured(links, column, measure):
        return None
    difference = (size_of(values[0]) - size_of(values[1])) * links.sign(measure, column)
    agrees = difference > 0
    if links.numbers:
        claimed = links.numbers[0]
        agrees = agrees and abs(difference - claimed.value) <= claimed.step + 1e-6 * abs(difference)
    reason = links.beside(row, other_row, column)
    return _finding(links, row, reason, agrees=agrees)


def _same_value(links: Links) -> Finding | None:
    """Whether two rows have the same in a column."""
    claim, grid = links.statement, links.grid
    if "same" not in claim.words or claim.negated or len(links.mentions) != 2 or links.numbers:
        return None
    rows = [sorted(m.places.get(grid.key, ())) for m in links.mentions]
    columns = [c for c in links.headed if c != grid.key]
    if any(len(row_set) != 1 for row_set in rows) or len(columns) != 1:
        return None
    first_row, other_row, column = rows[0][0], rows[1][0], columns[0]
    cell, second = (grid.rows[row].cells.get(column) for row in (first_row, other_row))
    if cell is None or second is None:
        return None
    agrees = cell.stems == second.stems
    reason = links.beside(first_row, other_row, column)
    return _finding(links, first_row, reason, agrees=agrees)


def _only_row(links: Links) -> Finding | None:
    """Whether no other row has what it names."""
    claim, grid = links.statement, links.grid
    bounds = _BOUNDS if any(number.bound for number in links.numbers) else frozenset()
    other_words = (claim.words & OPERATIONS) - {"only", "all", "there"} - bounds
    if (
        "only" not in claim.words
        or claim.negated
        or other_words
        or (claim.words & MEASURES.keys()) - bounds
    ):
        return None
    if (
        len(links.row_mentions) != 1
        or len(links.row_mentions[0].places[grid.key]) != 1
        or grid.record
    ):
        return None
    conditions = links.conditions()
    if conditions is None or len(conditions) < 2:
        return None
    row = min(links.row_mentions[0].places[grid.key])
    remaining = [
        c
        for c, m in zip(conditions, links.mentions, strict=False)
        if m is not links.row_mentions[0]
    ]
    remaining += conditions[len(links.mentions) :]
    rows = frozenset.intersection(*(condition.rows for condition in remaining))
    if not all(condition.sure for condition in remaining) or not rows:
        return None
    other_row = min(rows - {row}, default=row)
    reason = (
        f"{links.name(other_row)} has it in the table, too" if row in rows else "it is another one"
    )
    return _finding(links, other_row, reason, agrees=rows == {row})


_BEHIND = frozenset({"of", "times", "are", "have", "were"})
_COUNTS = 200  # rows that a statement counts at most


def _count(links: Links) -> Finding | None:
    """Whether as many rows as it says have what it names."""
    claim, grid = links.statement, links.grid
    bounds = _BOUNDS if any(number.bound for number in links.numbers) else frozenset()
    operations = (claim.words & (OPERATIONS | MEASURES.keys())) - bounds
    if len(grid.rows) < 2 or claim.negated or links.row_mentions:
        return None
    if operations - {"there", "only", "total", "times", "all"}:
        return None
    totals = [n for n in links.numbers if _is_total(n, links)]
    counted = [n for n in links.numbers if n not in totals and _is_count(n, links)]
    if len(counted) != 1 or links.column_of(counted[0]) not in (None, grid.key):
        return None
    conditions = links.conditions(without=[*counted, *totals])
    if not conditions or not all(condition.sure for condition in conditions):
        return None
    rows = frozenset.intersection(*(condition.rows for condition in conditions))
    if not rows:
        return None
    number = counted[0].number
    agrees = number in (len(rows), len({links.name(row) for row in rows}))
    reason = f"the table has {len(rows)} such rows, not {counted[0].text}"
    return _finding(links, min(rows), reason, agrees=agrees)


def _is_total(number: Amount, links: Links) -> bool:
    """Whether it is how many rows there are: "of the five"."""
    before = _word(links, number, -1)
    return number.number == len(links.grid.rows) and before in ("the", "these", "all", "those")


def _word(links: Links, number: Amount, step: int) -> str:
    """The word behind a number (1) or before it (-1)."""
    tokens = links.statement.tokens
    index = links.statement.place(number) + step
    while step > 0 and index < len(tokens) and tokens[index].span[0] < number.span[1]:
        index += 1
    return tokens[index].word if 0 <= index < len(tokens) else ""


def _is_count(number: Amount, links: Links) -> bool:
    """Whether a number counts rows, by its place: "three of the", "there are three"."""
    if number.kind or number.days or number.number % 1 or number.bound or number.number > _COUNTS:
        return False
    before, word_after = _word(links, number, -1), _word(links, number, 1)
    first = (
        not links.statement.place(number)
        and word_after.endswith("s")
        and word_after not in words.STOP_WORDS
    )
    return first or word_after in _BEHIND or before in ("are", "were", "only")


def _aggregate(links: Links) -> Finding | None:
    """Whether a sum or a mean of a column is what it says."""
    claim, grid = links.statement, links.grid
    kinds = (claim.words & _TOTALS) or (claim.words & _MEANS)
    if not kinds or claim.negated or len(grid.rows) < 2 or len(links.numbers) != 1:
        return None
    if claim.words & MEASURES.keys() or claim.words & (
        OPERATIONS - _TOTALS - _MEANS - {"all", "both", "there"}
    ):
        return None
    number = links.numbers[0]
    measured = links.measured()
    column = measured[0] if len(measured) == 1 else links.column_of(number)
    if column is None or number.days or number.bound or not grid.numeric(column):
        return None
    if (
        number.number == len(grid.rows)
        or "total" in grid.columns[column].stems
        or grid.columns[column].stems == ("averag",)
    ):
        return None
    rows = set(range(len(grid.rows)))
    if len(links.mentions) > 1 and len(links.row_mentions) == len(links.mentions):
        rows = {row for mention in links.row_mentions for row in mention.places[grid.key]}
    else:
        for mention in links.mentions:
            rows &= mention.rows
    values = [a for row in rows if (a := grid.number(row, column))]
    if len(values) < 2 or len(values) < len(rows):
        return None
    value = sum(map(size_of, values))
    if claim.words & _MEANS and not claim.words & _TOTALS:
        value /= len(values)
    step = (
        0.5
        if claim.words & _MEANS and not number.number % 1
        else max(number.step * number.size, 0.0)
    )
    agrees = abs(value - size_of(number)) <= step + 1e-6 * abs(value)
    reason = (
        f"the {grid.columns[column].name} of the table comes to {value:.10g}, not {number.text}"
    )
    return _finding(links, min(rows), reason, agrees=agrees)


def _field(links: Links) -> Finding | None:
    """Whether a record has the figures that are named."""
    claim, grid = links.statement, links.grid
    if not (grid.record and len(grid.rows) == 1) or claim.negated or not links.numbers:
        return None
    if claim.words & (((OPERATIONS | MEASURES.keys()) - _BOUNDS) | _CHANGES):
        return None
    conditions = links.conditions()
    if conditions is None:
        return None
    figures = list(zip(links.numbers, conditions[len(links.mentions) :], strict=True))
    number, figure = next((condition for condition in figures if not condition[1].rows), figures[0])
    column = figure.column
    if column is None or column not in grid.rows[0].cells:
        return None
    if any(char.isdigit() for char in grid.columns[column].name) or not _is_one_like(
        number, grid.rows[0].cells[column].amounts
    ):
        return None
    name = grid.columns[column].name
    reason = f"the record gives {links.cell(0, column)} for {name}, not '{figure.text}'"
    return _finding(links, 0, reason, agrees=bool(figure.rows))


def _is_one_like(number: Amount, cell: Sequence[Amount]) -> bool:
    """Whether a cell holds one amount, and one that a number may be instead."""
    if len(cell) != 1 or bool(number.days) is not bool(cell[0].days):
        return False
    is_bare = "" in (number.kind, cell[0].kind) and comparable(number, cell[0])
    return is_bare or number.kind == cell[0].kind


_CHANGES = frozenset(
    "lost gained rose fell increased decreased dropped grew climbed missed exceeded increase "
    "decrease rise drop difference later earlier ago ahead behind away left remain remained".split()
)
_BOUNDS = frozenset("more less fewer than least most over under above below there".split())


def _both_rows(links: Links) -> Finding | None:
    """Whether two rows that are named have what it names."""
    claim, grid = links.statement, links.grid
    keys = [m for m in links.row_mentions if len(m.places[grid.key]) == 1]
    operations = (claim.words & (OPERATIONS | MEASURES.keys())) - {"both", "all", "each"}
    if len(keys) != 2 or claim.negated or operations or claim.words & _CHANGES or grid.record:
        return None
    between = claim.tokens[keys[0].after : keys[1].first]
    conditions = links.conditions()
    if [t.word for t in between if t.word != "the"] != ["and"] or not conditions:
        return None
    names = {links.text(m) for m in keys}
    remaining = [condition for condition in conditions if condition.text not in names]
    if not remaining or not all(condition.sure for condition in remaining):
        return None
    rows = [min(m.places[grid.key]) for m in keys]
    unmet = [
        (row, condition) for row in rows for condition in remaining if row not in condition.rows
    ]
    if not unmet:
        reason = f"the table says so of {links.name(rows[0])} and {links.name(rows[1])}"
        return _finding(links, rows[0], reason, agrees=True)
    row, condition = unmet[0]
    if condition.column is None or condition.column not in grid.rows[row].cells:
        return None
    cell = links.cell(row, condition.column)
    reason = f"the table gives {cell} for {links.name(row)}, not '{condition.text}'"
    return _finding(links, row, reason, agrees=False)


def _value(links: Links) -> Finding | None:
    """Whether a row that is named has the value that is named."""
    claim, grid = links.statement, links.grid
    if grid.record and len(grid.rows) == 1:
        return None
    numbered = (
        claim.words
        & {"more", "less", "fewer", "than", "least", "most", "over", "under", "above", "below"}
        if any(n.bound for n in links.numbers)
        else frozenset()
    )
    operations = (claim.words & (OPERATIONS | MEASURES.keys())) - numbered - {"there", "all"}
    if claim.negated or operations or claim.words & _CHANGES:
        return None
    conditions = links.conditions()
    if conditions is None or len(conditions) < 2:
        return None
    shared = frozenset.intersection(*(condition.rows for condition in conditions))
    if shared:
        return _matching_row(links, min(shared), conditions)
    return _mismatching_cell(links, conditions)


def _matching_row(links: Links, row: int, conditions: Sequence[Condition]) -> Finding | None:
    columns = {condition.column for condition in conditions} | {links.grid.key, None}
    columns_named = {c for m in links.mentions for c in m.places}
    figures = conditions[len(links.mentions) :]
    clear = any(condition.sure for condition in figures) and any(
        m.exact for m in links.row_mentions
    )
    if (
        len(links.unknown) > (_VERBS if clear else 0)
        or _is_crossed(links)
        or any(h.columns.isdisjoint(columns | columns_named) for h in links.headings)
    ):
        return None
    reason = f"the table says so of {links.name(row)}"
    return _finding(links, row, reason, agrees=True)


def _is_crossed(links: Links) -> bool:
    """Whether a name of a column stands beside a cell of another one: "the editor, Ann"."""
    words_between = words.STOP_WORDS | {"named", "called"}
    values = [m for m in links.mentions if links.grid.key not in m.places]
    for heading in links.headings:
        for mention in values:
            first, last = sorted((heading[:2], mention[:2]))
            between = links.statement.tokens[first[1] : last[0]]
            is_near = len(between) <= 2 and all(t.word in words_between for t in between)
            if is_near and heading.columns.isdisjoint(mention.places):
                return not any(h.columns & set(mention.places) for h in links.headings)
    return False


def _mismatching_cell(links: Links, conditions: Sequence[Condition]) -> Finding | None:
    keys = [m for m in links.row_mentions if len(m.places[links.grid.key]) == 1]
    if len(keys) != 1:
        return None
    if len(links.unknown) > 1:
        return None
    row = min(keys[0].places[links.grid.key])
    unmet = [condition for condition in conditions if row not in condition.rows]
    is_change = any(_word(links, number, -1) == "by" for number in links.numbers)  # a change
    if is_change or len(unmet) != 1 or not unmet[0].sure or unmet[0].column == links.grid.key:
        return None
    column = unmet[0].column
    if column is None or column not in links.grid.rows[row].cells:
        return None
    numbers = dict(zip(conditions[len(links.mentions) :], links.numbers, strict=True))
    if unmet[0] in numbers and not _is_one_like(
        numbers[unmet[0]], links.grid.rows[row].cells[column].amounts
    ):
        return None
    cell = links.cell(row, column)
    reason = f"the table gives {cell} for {links.name(row)}, not '{unmet[0].text}'"
    return _finding(links, row, reason, agrees=False)


# With how many content words without a place, at most.
_CHECKS: tuple[tuple[Callable[[Links], Finding | None], int], ...] = (
    (_superlative, 2),
    (_comparison, 3),
    (_same_value, 1),
    (_only_row, 1),
    (_aggregate, 1),
    (_count, 1),
    (_field, 1),
    (_both_rows, 1),
    (_value, _VERBS),
)
