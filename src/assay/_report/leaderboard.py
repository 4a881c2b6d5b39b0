"""A sweep in words: leaderboards, rankings of retrievers, effects of parameters, costs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assay._analysis.corrected_leaderboard import CorrectedStanding
from assay._analysis.groups import is_ranked
from assay._analysis.leaderboard import Effect, Leaderboard, Standing
from assay._analysis.sweeps import Front, Interaction, Params, parameter_values
from assay._report import numbers, sanitize
from assay._report.tables import STYLES, dim, numeric, table, warnings
from assay._store.runs import written
from assay._text.results import between, difference, signed
from assay.experiments.swept import Sweep

RESOURCES = {"latency_ms": "latency", "cost": "cost"}
DOMINATED = (
    "Dominated: another configuration is surely better, and this one is surely cheaper (faster) in "
    "nothing that the front is against."
)
_NAMED = 4  # configurations that a sentence names; the table shows all
_PRACTICAL = 10_000  # further questions; of more, the number says no more
_PARAMETERS = 26  # columns of 80 that means and differences leave
_STYLES = {"best": STYLES["good"], "worse": STYLES["bad"], "tied": "bold"}


def blocks(board: Leaderboard, level: float, params: Mapping[str, Params]) -> list[RenderableType]:
    """A leaderboard on the console: its table and the effects."""
    arrow = "" if board.higher_is_better else ", lower is better"
    questions = numbers.plural(board.n, "question")
    head = Text.assemble((sanitize.plain(board.metric), "bold"), f"  {questions}{arrow}")
    lines: list[RenderableType] = [Text(), head, *warnings(board.warnings)]
    lines.append(_configurations("configuration", board.standings, level, params))
    if board.corrected:
        corrected = _configurations("corrected by labels", board.corrected, level, params)
        lines += [Text(), corrected]
        lines.append(Text(sanitize.plain(corrected_in_words(board))))
    for effect in board.effects if len(board.effects) > 1 else ():
        lines += [Text(), _standings_table(effect.parameter, effect.values, level)]
        lines.append(Text(sanitize.plain(effect_in_words(effect))))
    remarks = [
        interaction_in_words(interaction) for interaction in board.interactions if interaction.found
    ]
    remarks += [front_in_words(front) for front in board.fronts]
    lines += [Text(), *(Text(sanitize.plain(remark)) for remark in remarks)] if remarks else []
    return lines


def name(configuration: str) -> Text:
    """A configuration in a table, which breaks a line between parameters only."""
    return Text(sanitize.plain(configuration.replace(",", " ")))


def _join_names(configurations: Sequence[str]) -> str:
    """The first few by name, and how many more there are."""
    more = len(configurations) - _NAMED
    return "; ".join(configurations[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def finding(board: Leaderboard, what: str = "configuration") -> str:
    """Who won, or that nobody did and what would settle it."""
    if board.winner:
        return f"{board.winner} is best: every other {what} is worse."
    if not board.tied:
        return "There is nothing to compare."
    text = f"No winner: {len(board.tied)} {what}s cannot be told apart at the top: "
    text += f"{_join_names(board.tied)}."
    if len(board.tied) == len(board.standings):
        text = f"No winner: none of the {len(board.tied)} {what}s can be told from the best."
    if board.more is not None and board.more > _PRACTICAL:
        return f"{text} Even {_PRACTICAL:,} more questions would hardly tell the first two apart."
    if board.more is not None:
        questions = numbers.plural(board.more, "more question")
        return f"{text} About {questions} would tell the first two apart, if they differ as seen."
    if not board.standings[1].difference:
        return f"{text} The first two have the same mean."
    return f"{text} How many more questions would tell them apart cannot be said."


def findings(boards: Sequence[Leaderboard], what: str = "configuration") -> list[str]:
    """Who won by each metric, or that nobody did: a line for all of which the same is said."""
    metrics: dict[str, list[str]] = {}
    for board in boards:
        metrics.setdefault(finding(board, what), []).append(board.metric)
    if len(boards) == 1:
        return list(metrics)
    return [f"{', '.join(names)}: {text}" for text, names in metrics.items()]


def corrected_in_words(board: Leaderboard, what: str = "configuration") -> str:
    """What labels say of the choice, and how many there are; `what` is what is compared."""
    best, *other_standings = board.corrected
    counts = {standing.labels for standing in board.corrected}
    n = numbers.plural(max(counts), "labelled answer")
    n = f"{min(counts):,} to {n}" if len(counts) > 1 else n
    without = len(board.standings) - len(board.corrected)
    tied = [standing.name for standing in other_standings if standing.verdict == "tied"]
    text = (
        f"Corrected for the judge's error by {n} of {'each' if other_standings else 'one'} {what}: "
    )
    if not other_standings:
        return f"{text}label answers of a second one to compare them."
    if without:
        text += f"{without} of {len(board.standings)} {what}s have none. "
    if not tied:
        return f"{text}{best.name} is best{' of those that do' if without else ''}."
    return f"{text}{best.name} cannot be told from {_join_names(tied)}."


def effect_in_words(effect: Effect) -> str:
    """What a parameter does, averaged over all others."""
    best, *other_values = effect.values
    tied = [value.name for value in other_values if value.verdict == "tied"]
    head = f"Effect of {effect.parameter}, averaged over the rest:"
    if len(tied) == len(other_values):
        return f"{head} none found."
    if tied:
        return f"{head} {best.name} cannot be told from {', '.join(tied)}; the rest is worse."
    return f"{head} {best.name} is best."


def interaction_in_words(one: Interaction) -> str:
    """Where a change does more."""
    before, after = one.change
    texts = [signed(effect) for effect in one.effects]
    if len(set(texts)) == 1:  # alike at two decimals, and yet surely apart
        texts = [f"{effect:+.4f}" for effect in one.effects]
    more, less = (
        f"{one.beside}={value} ({effect})" for value, effect in zip(one.values, texts, strict=True)
    )
    return (
        f"Interaction: {one.parameter}={after} instead of {before} does more with {more} than with "
        f"{less}; the difference is {numbers.interval(one.interval)}."
    )


def front_in_words(front: Front) -> str:
    """Which configurations are worth what they take, and how many are not."""
    best = [place.name for place in front.places if not place.dominated_by]
    head = f"Pareto front against {resources_in_words(front)}:"
    if len(best) == len(front.places):
        return f"{head} {'both' if len(best) == 2 else f'all {len(best)}'}, none is dominated."
    n_dominated = len(front.places) - len(best)
    are = "is" if n_dominated == 1 else "are"
    return f"{head} {_join_names(best)}. {n_dominated} of {len(front.places)} {are} dominated."


def resources_in_words(front: Front) -> str:
    """``latency and cost``."""
    return " and ".join(RESOURCES[name] for name in front.resources)


def varied_values(names: Sequence[str], params: Mapping[str, Params]) -> dict[str, dict[str, str]]:
    """By the name of a configuration: the values of what is varied, as they are written."""
    distinct = parameter_values([params[name] for name in names])
    varied = [key for key, values in distinct.items() if len(values) > 1] or list(distinct)
    return {name: {key: written(params[name][key]) for key in varied} for name in names}


def _configurations(
    head: str,
    standings: Sequence[Standing | CorrectedStanding],
    level: float,
    params: Mapping[str, Params],
) -> Table:
    """A column for each parameter where they fit, else the names of the configurations."""
    rows = varied_values([standing.name for standing in standings], params)
    heads = [key.replace("_", "_\n") for key in next(iter(rows.values()), {})]
    columns = zip(heads, *(values.values() for values in rows.values()), strict=True)
    widths = [max(len(line) for text in column for line in text.split("\n")) for column in columns]
    if len(heads) < 2 or sum(widths) + len(widths) > _PARAMETERS:
        return _standings_table(head, standings, level)
    grid = table(*heads, gap=0)
    _measures(grid, level)
    for standing in standings:
        values = (Text(sanitize.plain(value)) for value in rows[standing.name].values())
        grid.add_row(*values, *_standing_cells(standing, standings))
    return grid


def _standings_table(
    head: str, standings: Sequence[Standing | CorrectedStanding], level: float
) -> Table:
    grid = table(head, gap=2)
    _measures(grid, level)
    for standing in standings:
        grid.add_row(name(standing.name), *_standing_cells(standing, standings))
    return grid


def _measures(table: Table, level: float) -> None:
    share = f"{numbers.percent(level)} %"
    numeric(table, (f"mean\n({share})", f"to the best\n({share}, jointly)", ""))


def _standing_cells(
    standing: Standing | CorrectedStanding, standings: Sequence[Standing | CorrectedStanding]
) -> tuple[Text, ...]:
    mean = Text(numbers.estimate(standing.mean, standing.interval))
    return mean, *_to_best(standing, in_a_word(standing, standings))


def in_a_word(
    one: Standing | CorrectedStanding, standings: Sequence[Standing | CorrectedStanding]
) -> str:
    """Its verdict as a reader is told it: nothing is best that another cannot be told from."""
    shared = one.verdict == "best" and any(other.verdict == "tied" for other in standings)
    return "tied" if shared else one.verdict


def _to_best(standing: Standing | CorrectedStanding, word: str) -> tuple[Text, Text]:
    verdict = Text(word, _STYLES.get(word, "dim"))
    if standing.difference is None or standing.verdict == "best":
        return Text(numbers.DASH), verdict
    ends = standing.difference_interval
    return Text(
        f"{difference(standing.difference, ends)} ({between(ends) or numbers.DASH})"
    ), verdict


def legend(
    level: float, *, race: bool = False, fronts: bool = False, what: str = "configuration"
) -> Text:
    """How the intervals are to be read."""
    when = " All of it holds whenever the race ended." if race else ""
    text = (
        f"Means: each interval holds by itself in {numbers.percent(level)} of 100 cases. "
        "Differences to the best: all of a metric's table hold together that often, whichever "
        f"{what} is best.{when} Metrics are not corrected for each other."
    )
    return dim(f"{text} {DOMINATED}" if fronts else text)


LEGEND: Final = (
    "Means, with their intervals. *: worse than the best by this measure, question by question; "
    "all others cannot be told from it."
)
_WIDTH, _MEASURE = 80, 13  # columns of a table, and of a measure in it


@dataclass(frozen=True, slots=True)
class RetrievalTable:
    """Every configuration by several measures of its ranking."""

    boards: Sequence[Leaderboard]  # by each measure
    # By the name of a configuration: the values of what is varied.
    rows: Mapping[str, Mapping[str, str]]
    # By the name of a configuration: how it stands by each measure.
    cells: Mapping[str, Sequence[Standing]]
    of: str  # how many questions


def retrieval_blocks(
    boards: Sequence[Leaderboard], params: Mapping[str, Params], *, pool: bool = False
) -> list[RenderableType]:
    """The table and how it is read; nothing where fewer than two metrics are of a ranking.

    Args:
        boards: The leaderboards of all metrics.
        params: What was set, by the name of the configuration.
        pool: Whether a judged pool stands in the place of gold labels.
    """
    ranking = retrieval_table(boards, params, pool=pool)
    if ranking is None:
        return []
    lines: list[RenderableType] = [Text(), Text.assemble(("Retrieval", "bold"), f"  {ranking.of}")]
    ranked, rows = ranking.boards, ranking.rows
    width_taken = sum(len(key) + 2 for key in next(iter(rows.values())))
    n_beside = max(1, (_WIDTH - width_taken) // _MEASURE)
    for start in range(0, len(ranked), n_beside):
        lines += [_table(ranked[start : start + n_beside], rows), Text()]
    return [*lines, dim(LEGEND)]


def retrieval_table(
    boards: Sequence[Leaderboard], params: Mapping[str, Params], *, pool: bool = False
) -> RetrievalTable | None:
    """The leaderboards by measures of a ranking beside each other; None for fewer than two."""
    ranked = [board for board in boards if is_ranked(board.metric)]
    if len(ranked) < 2:
        return None
    fewest, highest = min(board.n for board in ranked), max(board.n for board in ranked)
    questions = f"{fewest:,} to " * (fewest < highest) + numbers.plural(highest, "question")
    questions += ", by a judged pool" * pool
    rows = varied_values([standing.name for standing in ranked[0].standings], params)
    standings_by_name = [
        {standing.name: standing for standing in board.standings} for board in ranked
    ]
    return RetrievalTable(
        ranked,
        rows,
        {name: [by_name[name] for by_name in standings_by_name] for name in rows},
        questions,
    )


def sweep_remarks(swept: Sweep) -> list[str]:
    """What a reader must know: configurations that are one system, and how a pool was judged."""
    return [*_one_system(swept), *_pool_remarks(swept)]


def _one_system(swept: Sweep) -> Iterable[str]:
    same: dict[tuple[str, ...], list[str]] = {}
    for configuration in swept.configurations:
        same.setdefault(configuration.without_effect, []).append(configuration.name)
    for parameters, names in same.items():
        if parameters:
            has = "has" if len(parameters) == 1 else "have"
            text = f"{' and '.join(parameters)} {has} no effect in these, so each was asked once, "
            yield f"{text}under the first value: {_join_names(names)}."


def _pool_remarks(swept: Sweep) -> list[str]:
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
    grid = table(*map(sanitize.plain, next(iter(rows.values()))), gap=2)
    numeric(grid, [sanitize.plain(board.metric.replace("(", "\n(")) for board in boards])
    standings_by_name = [
        {standing.name: standing for standing in board.standings} for board in boards
    ]
    for name, values in rows.items():
        cells = (Text(sanitize.plain(value)) for value in values.values())
        grid.add_row(
            *cells, *(_cell(by_name[name], by_name.values()) for by_name in standings_by_name)
        )
    return grid


def is_best(one: Standing, standings: Iterable[Standing]) -> bool:
    """Whether every other one is surely worse."""
    return in_a_word(one, [*standings]) == "best"


def _cell(standing: Standing, among: Iterable[Standing]) -> Text:
    if standing.mean is None:
        return Text(numbers.DASH)
    style = STYLES["good"] if is_best(standing, among) else ""
    mark = "*" if is_worse(standing) else ""
    ends = (
        ""
        if standing.interval is None
        else f"\n{standing.interval.low:.2f}-{standing.interval.high:.2f}"
    )
    return Text.assemble((numbers.score(standing.mean) + mark, style), (ends, "dim"))
