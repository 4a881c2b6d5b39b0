"""The retrieval table of a sweep: every configuration by several measures of its ranking."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assay._analysis.leaderboard import Leaderboard, Params, Standing
from assay._report import numbers, sanitize
from assay._report.leaderboard import in_a_word, varied_values
from assay._report.tables import STYLES, dim, numeric, table
from assay.experiments.swept import Sweep
from assay.metrics import resolve
from assay.metrics.retrieval import Ranked

LEGEND: Final = (
    "Means, with their intervals. *: worse than the best by this measure, question by question; "
    "all others cannot be told from it."
)
_WIDTH, _MEASURE = 80, 13  # columns of a table, and of a measure in it


@dataclass(frozen=True, slots=True)
class RetrievalTable:
    """Every configuration by several measures of its ranking.

    Attributes:
        boards: By each measure.
        rows: By the name of a configuration: the values of what is varied.
        cells: By the name of a configuration: how it stands by each measure.
        of: How many questions.
    """

    boards: Sequence[Leaderboard]
    rows: Mapping[str, Mapping[str, str]]
    cells: Mapping[str, Sequence[Standing]]
    of: str


def retrieval_blocks(
    boards: Sequence[Leaderboard], params: Mapping[str, Params], *, pool: bool = False
) -> list[RenderableType]:
    """The table and how it is read; nothing where fewer than two metrics are of a ranking.

    Args:
        boards: The leaderboards of all metrics.
        params: What was set, by the name of the configuration.
        pool: Whether a judged pool stands in the place of gold labels.
    """
    found = retrieval_table(boards, params, pool=pool)
    if found is None:
        return []
    lines: list[RenderableType] = [Text(), Text.assemble(("Retrieval", "bold"), f"  {found.of}")]
    ranked, rows = found.boards, found.rows
    taken = sum(len(key) + 2 for key in next(iter(rows.values())))
    beside = max(1, (_WIDTH - taken) // _MEASURE)
    for at in range(0, len(ranked), beside):
        lines += [_table(ranked[at : at + beside], rows), Text()]
    return [*lines, dim(LEGEND)]


def retrieval_table(
    boards: Sequence[Leaderboard], params: Mapping[str, Params], *, pool: bool = False
) -> RetrievalTable | None:
    """The leaderboards by measures of a ranking beside each other; None for fewer than two."""
    ranked = [board for board in boards if isinstance(resolve(board.metric)[0], Ranked)]
    if len(ranked) < 2:
        return None
    fewest, most = min(board.n for board in ranked), max(board.n for board in ranked)
    of = f"{fewest:,} to " * (fewest < most) + numbers.plural(most, "question")
    of += ", by a judged pool" * pool
    rows = varied_values([one.name for one in ranked[0].standings], params)
    places = [{one.name: one for one in board.standings} for board in ranked]
    return RetrievalTable(ranked, rows, {name: [at[name] for at in places] for name in rows}, of)


def pool_remarks(swept: Sweep) -> list[str]:
    """What a reader must know of a judged pool, in sentences; nothing where labels are gold."""
    remarks = [f"{swept.note[0].upper()}{swept.note[1:]}."] if swept.note else []
    if pool := swept.pool:
        shares = ", ".join(f"{n:,} have {grade}" for grade, n in enumerate(pool.grades))
        text = f"Passages asked about {pool.asked:,}, reused {pool.reused:,}; grades: {shares}."
        if pool.ungraded:
            text += f" {pool.ungraded:,} have none, and their questions no scores: {pool.reason}."
        if pool.nothing:
            without = numbers.plural(pool.nothing, "question")
            text += f" {without} without a relevant one: undefined, but for nDCG by grade 1."
        remarks.append(text)
    return remarks


def is_worse(one: Standing) -> bool:
    """Whether a star marks it."""
    return one.verdict in ("worse", "dropped")


def _table(boards: Sequence[Leaderboard], rows: Mapping[str, Mapping[str, str]]) -> Table:
    made = table(*map(sanitize.plain, next(iter(rows.values()))), gap=2)
    numeric(made, [sanitize.plain(board.metric.replace("(", "\n(")) for board in boards])
    places = [{one.name: one for one in board.standings} for board in boards]
    for name, values in rows.items():
        shown = (Text(sanitize.plain(value)) for value in values.values())
        made.add_row(*shown, *(_cell(place[name], place.values()) for place in places))
    return made


def is_best(one: Standing, standings: Iterable[Standing]) -> bool:
    """Whether every other one is surely worse."""
    return in_a_word(one, [*standings]) == "best"


def _cell(one: Standing, among: Iterable[Standing]) -> Text:
    if one.mean is None:
        return Text(numbers.DASH)
    style = STYLES["good"] if is_best(one, among) else ""
    mark = "*" if is_worse(one) else ""
    ends = "" if one.interval is None else f"\n{one.interval.low:.2f}-{one.interval.high:.2f}"
    return Text.assemble((numbers.score(one.mean) + mark, style), (ends, "dim"))
