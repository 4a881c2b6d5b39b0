"""A measured judge in words: its figures beside those of baselines and of others."""

from typing import Final

from assay._report import numbers
from assay.bench.benchmark import Figure
from assay.bench.card import JudgeCard, Measured
from assay.judges.embedded import card as cards

HEADS: Final = ("measured", "value", "95 % interval", "n", "base rate", "floor", "others", "beside")
RIGHT: Final = frozenset(("value", "n", "base rate"))
_ALWAYS: Final = 4  # columns that are shown even where they are empty


def table(one: Measured, beside: JudgeCard | None) -> tuple[list[str], list[list[str]]]:
    """(heads, a row a figure) of a set, without columns in which nothing stands."""
    cells = [_cells(figure, beside) for figure in one.figures]
    full = [i for i in range(len(HEADS)) if i < _ALWAYS or any(row[i] for row in cells)]
    return [HEADS[i] for i in full], [[row[i] for i in full] for row in cells]


def _cells(figure: Figure, beside: JudgeCard | None) -> list[str]:
    return [
        figure.name,
        numbers.DASH if figure.value is None else cards.number(figure.value),
        cards.interval(figure),
        numbers.count(figure.n),
        "" if figure.base_rate is None else f"{figure.base_rate:.2f}",
        "" if figure.value is None else cards.floor(figure),
        figure.reference,
        _theirs(figure, beside),
    ]


def remarks(figure: Figure) -> str:
    """What has to be read beside it."""
    return figure.note or ("undefined on these rows" if figure.value is None else "")


def sources(one: Measured) -> str:
    """Where the published figures of a set stand; "" if there are none."""
    sources = dict.fromkeys(figure.source for figure in one.figures if figure.source)
    return f"Others: {'; '.join(sources)}" if sources else ""


def took(one: Measured) -> str:
    """What the judge took for a set."""
    parts = [numbers.plural(one.calls, "reply")]
    if tokens := one.tokens_in + one.tokens_out:
        parts.append(f"{tokens:,} tokens")
    parts.append(numbers.seconds(one.seconds))
    if one.money is not None:
        parts.append(f"cost {numbers.money(one.money)}")
    if one.unanswered:
        parts.append(f"{one.unanswered:,} without a readable reply")
    return ", ".join(parts)


def title(card: JudgeCard) -> str:
    """Who was measured, and on how many rows."""
    return f"{card.judge}, {rows(card)}"


def rows(card: JudgeCard) -> str:
    """On how many rows it was measured."""
    if card.full:
        return "all rows"
    if card.limit is not None:
        return f"at most {numbers.plural(card.limit, 'row')} of each kind"
    return "each set's usual rows"


def notes(card: JudgeCard, beside: JudgeCard | None) -> list[str]:
    """What must be read beside the figures."""
    lines = [*card.notes]
    lines.append("A judge whose interval does not lie above the floor adds nothing to that rule.")
    if any(one.figures for one in card.sets):
        lines.append(
            "Intervals are 95 % bootstrap intervals in which whole sources are drawn. Replies, "
            "tokens and seconds include known replies; seconds of calls at the same time add up."
        )
    if card.limit is not None and card.limit < 100:
        lines.append("So few rows allow no fine comparison: see the intervals.")
    if beside:
        lines.append(f"beside: {title(beside)}")
    if card.stopped:
        lines.append(f"Stopped: {card.stopped}")
    return lines


def _theirs(figure: Figure, beside: JudgeCard | None) -> str:
    for other in (other for one in beside.sets for other in one.figures) if beside else ():
        if other.name == figure.name and other.value is not None:
            n = "" if other.n == figure.n else f" (n {other.n:,})"
            return f"{cards.number(other.value)}{n}"
    return ""
