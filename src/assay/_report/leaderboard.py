"""A sweep in words: leaderboards, effects of parameters, and what each configuration took."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assay._analysis.corrected_leaderboard import CorrectedStanding
from assay._analysis.front import Front
from assay._analysis.interactions import Interaction
from assay._analysis.leaderboard import Effect, Leaderboard, Standing
from assay._report import numbers, sanitize
from assay._report.tables import STYLES, dim, numeric, table, warnings

RESOURCES = {"latency_ms": "latency", "cost": "cost"}
DOMINATED = (
    "Dominated: another configuration is surely better, and this one is surely cheaper (faster) in "
    "nothing that the front is against."
)
_NAMED = 4  # tied configurations that a sentence names; the table shows all
_PRACTICAL = 10_000  # further questions; of more, the number says no more
_STYLES = {"best": STYLES["good"], "worse": STYLES["bad"], "tied": "bold"}


def blocks(board: Leaderboard, level: float) -> list[RenderableType]:
    """A leaderboard on the console: its table, the finding, and the effects."""
    arrow = "" if board.higher_is_better else ", lower is better"
    questions = numbers.plural(board.n, "question")
    head = Text.assemble((sanitize.plain(board.metric), "bold"), f"  {questions}{arrow}")
    lines: list[RenderableType] = [Text(), head, *warnings(board.warnings)]
    lines.append(_standings("configuration", board.standings, level))
    lines.append(Text(sanitize.plain(finding(board))))
    if board.corrected:
        lines += [Text(), _standings("corrected by labels", board.corrected, level)]
        lines.append(Text(sanitize.plain(corrected_in_words(board))))
    for effect in board.effects if len(board.effects) > 1 else ():
        lines += [Text(), _standings(effect.parameter, effect.values, level)]
        lines.append(Text(sanitize.plain(effect_in_words(effect))))
    remarks = [interaction_in_words(one) for one in board.interactions if one.found]
    remarks += [front_in_words(one) for one in board.fronts]
    lines += [Text(), *(Text(sanitize.plain(remark)) for remark in remarks)] if remarks else []
    return lines


def name(configuration: str) -> Text:
    """A configuration in a table, which breaks a line between parameters only."""
    return Text(sanitize.plain(configuration.replace(",", " ")))


def finding(board: Leaderboard) -> str:
    """Who won, or that nobody did and what would settle it."""
    if board.winner:
        return f"{board.winner} is best: every other configuration is worse."
    if not board.tied:
        return "There is nothing to compare."
    shown = "; ".join(board.tied[:_NAMED])
    rest = len(board.tied) - _NAMED
    shown += f" and {rest} more" if rest > 0 else ""
    text = f"No winner: {len(board.tied)} configurations cannot be told apart at the top: {shown}."
    if board.more is not None and board.more > _PRACTICAL:
        return f"{text} Even {_PRACTICAL:,} more questions would hardly tell the first two apart."
    if board.more is not None:
        about = numbers.plural(board.more, "more question")
        return f"{text} About {about} would tell the first two apart, if they differ as seen."
    if not board.standings[1].difference:
        return f"{text} The first two have the same mean."
    return f"{text} How many more questions would tell them apart cannot be said."


def corrected_in_words(board: Leaderboard) -> str:
    """What labels say of the choice, and how many there are."""
    best, *others = board.corrected
    counts = {one.labels for one in board.corrected}
    n = numbers.plural(max(counts), "labelled answer")
    n = f"{min(counts):,} to {n}" if len(counts) > 1 else n
    text = f"Corrected for the judge's error by {n} of each configuration: "
    without = len(board.standings) - len(board.corrected)
    tied = [one.name for one in others if one.verdict == "tied"]
    if without:
        text += f"{without} of {len(board.standings)} configurations have none. "
    if not others:
        return f"{text}label answers of a second one to compare them."
    if not tied:
        return f"{text}{best.name} is best."
    shown = "; ".join(tied[:_NAMED]) + (f" and {len(tied) - _NAMED} more" * (len(tied) > _NAMED))
    return f"{text}{best.name} cannot be told from {shown}."


def effect_in_words(effect: Effect) -> str:
    """What a parameter does, averaged over all others."""
    best, *others = effect.values
    tied = [one.name for one in others if one.verdict == "tied"]
    head = f"Effect of {effect.parameter}, averaged over the rest:"
    if len(tied) == len(others):
        return f"{head} none found."
    if tied:
        return f"{head} {best.name} cannot be told from {', '.join(tied)}; the rest is worse."
    return f"{head} {best.name} is best."


def interaction_in_words(one: Interaction) -> str:
    """Where a change does more."""
    before, after = one.change
    shown = [signed(effect) for effect in one.effects]
    if len(set(shown)) == 1:  # alike at two decimals, and yet surely apart
        shown = [f"{effect:+.4f}" for effect in one.effects]
    more, less = (
        f"{one.beside}={value} ({effect})" for value, effect in zip(one.values, shown, strict=True)
    )
    return (
        f"Interaction: {one.parameter}={after} instead of {before} does more with {more} than with "
        f"{less}; the difference is {numbers.interval(one.interval)}."
    )


def front_in_words(front: Front) -> str:
    """Which configurations are worth what they take, and how many are not."""
    kept = [place.name for place in front.places if not place.dominated_by]
    head = f"Pareto front against {resources_in_words(front)}:"
    if len(kept) == len(front.places):
        return f"{head} all {len(kept)}, none is dominated."
    shown = "; ".join(kept[:_NAMED])
    shown += f" and {len(kept) - _NAMED} more" if len(kept) > _NAMED else ""
    rest = len(front.places) - len(kept)
    return (
        f"{head} {shown}. {rest} of {len(front.places)} {'is' if rest == 1 else 'are'} dominated."
    )


def resources_in_words(front: Front) -> str:
    """``latency and cost``."""
    return " and ".join(RESOURCES[name] for name in front.resources)


def signed(value: float) -> str:
    """A difference with its sign."""
    return f"{'+' if value > 0 else ''}{numbers.score(value)}"


def _standings(head: str, standings: Sequence[Standing | CorrectedStanding], level: float) -> Table:
    made = table(head, gap=2)
    share = f"{numbers.percent(level)} %"
    numeric(made, (f"mean\n({share})", f"to the best\n({share}, jointly)", ""))
    for one in standings:
        made.add_row(
            name(one.name),
            _beside(one.mean, numbers.interval(one.interval)),
            *_to_best(one, in_a_word(one, standings)),
        )
    return made


def in_a_word(
    one: Standing | CorrectedStanding, standings: Sequence[Standing | CorrectedStanding]
) -> str:
    """Its verdict as a reader is told it: nothing is best that another cannot be told from."""
    shared = one.verdict == "best" and any(other.verdict == "tied" for other in standings)
    return "tied" if shared else one.verdict


def _to_best(one: Standing | CorrectedStanding, word: str) -> tuple[Text, Text]:
    verdict = Text(word, _STYLES.get(word, "dim"))
    if one.difference is None or one.verdict == "best":
        return Text(numbers.DASH), verdict
    return Text(f"{signed(one.difference)} ({numbers.interval(one.difference_interval)})"), verdict


def _beside(mean: float | None, interval: str) -> Text:
    return Text(numbers.DASH if mean is None else f"{numbers.score(mean)} ({interval})")


def legend(level: float, *, race: bool = False, fronts: bool = False) -> Text:
    """How the intervals are to be read."""
    when = " All of it holds whenever the race ended." if race else ""
    text = (
        f"Means: each interval holds by itself in {numbers.percent(level)} of 100 cases. "
        "Differences to the best: all of a metric's table hold together that often, whichever "
        f"configuration is best.{when} Metrics are not corrected for each other."
    )
    return dim(f"{text} {DOMINATED}" if fronts else text)
