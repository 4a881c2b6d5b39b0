"""What tables and records say of a statement, by the values of their cells.

Only where nearly every word of a statement has a place among cells and names of columns they
decide. What asks for more than values, such as sums and extremes, is left to the network.
"""

# ruff: noqa: SIM905 - word lists read better as prose

from collections.abc import Sequence

from assay._text import words
from assay._text.amounts import Amount
from assay._text.grids import Grid
from assay._text.quantities import comparable
from assay.judges.embedded.cells import Condition, Finding, Links, link, read_statement
from assay.judges.embedded.measures import MEASURES, OPERATIONS

_VERBS = 2  # content words without a place that leave it clear what a figure is of
_LONGEST = 60  # words of a statement that is looked up
_BOUNDS = frozenset("more less fewer than least most over under above below".split())
_CHANGES = frozenset(
    "lost gained rose fell increased decreased dropped grew climbed missed exceeded increase "
    "decrease rise drop difference later earlier ago ahead behind away left remain remained".split()
)


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
        finding = _value(links) if links and len(links.unknown) <= _VERBS else None
        if finding:
            findings.append(finding)
    return next((finding for finding in findings if finding.agrees), next(iter(findings), None))


def _finding(links: Links, row: int, reason: str, *, agrees: bool) -> Finding:
    return Finding(agrees, reason, links.grid.rows[row].piece)


def _value(links: Links) -> Finding | None:
    """Whether a row that is named has the value that is named."""
    claim, grid = links.statement, links.grid
    if grid.record and len(grid.rows) == 1:
        return None
    numbered = _BOUNDS if any(n.bound for n in links.numbers) else frozenset()
    operations = (claim.words & (OPERATIONS | MEASURES)) - numbered - {"there", "all"}
    if claim.negated or operations or claim.words & _CHANGES:
        return None
    conditions = links.conditions()
    if conditions is None or len(conditions) < 2:
        return None
    shared = frozenset.intersection(*(each.rows for each in conditions))
    if shared:
        return _matching_row(links, min(shared), conditions)
    return _mismatching_cell(links, conditions)


def _matching_row(links: Links, row: int, conditions: Sequence[Condition]) -> Finding | None:
    columns = {each.column for each in conditions} | {links.grid.key, None}
    several = {c for m in links.mentions for c in m.places}
    figures = conditions[len(links.mentions) :]
    clear = any(each.sure for each in figures) and any(m.exact for m in links.row_mentions)
    if (
        len(links.unknown) > (_VERBS if clear else 0)
        or _is_crossed(links)
        or any(h.columns.isdisjoint(columns | several) for h in links.headings)
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
            near = len(between) <= 2 and all(t.word in words_between for t in between)
            if near and heading.columns.isdisjoint(mention.places):
                return not any(h.columns & set(mention.places) for h in links.headings)
    return False


def _mismatching_cell(links: Links, conditions: Sequence[Condition]) -> Finding | None:
    keys = [m for m in links.row_mentions if len(m.places[links.grid.key]) == 1]
    if len(keys) != 1:
        return None
    if len(links.unknown) > 1:
        return None
    row = min(keys[0].places[links.grid.key])
    unmet = [each for each in conditions if row not in each.rows]
    by = any(_before(links, number) == "by" for number in links.numbers)  # a change
    if by or len(unmet) != 1 or not unmet[0].sure or unmet[0].column == links.grid.key:
        return None
    column = unmet[0].column
    if column is None or column not in links.grid.rows[row].cells:
        return None
    numbers = dict(zip(conditions[len(links.mentions) :], links.numbers, strict=True))
    if unmet[0] in numbers and not _is_like(
        numbers[unmet[0]], links.grid.rows[row].cells[column].amounts
    ):
        return None
    cell = links.cell(row, column)
    reason = f"the table gives {cell} for {links.name(row)}, not '{unmet[0].text}'"
    return _finding(links, row, reason, agrees=False)


def _before(links: Links, number: Amount) -> str:
    """The word before a number."""
    at = links.statement.place(number) - 1
    return links.statement.tokens[at].word if at >= 0 else ""


def _is_like(number: Amount, cell: Sequence[Amount]) -> bool:
    """Whether a cell holds one amount, and one that a number may be instead."""
    if len(cell) != 1 or bool(number.days) is not bool(cell[0].days):
        return False
    bare = "" in (number.kind, cell[0].kind) and comparable(number, cell[0])
    return bare or number.kind == cell[0].kind
