"""How far can the embedded judge be trusted? Its card: what was measured, and what is known of it.

`card.json` is written by `benchmarks/judge/run.py --write-card`; no figure in it is typed by hand.
"""

from functools import lru_cache
from importlib import resources
from typing import Literal, TypeAlias

import msgspec

POINTER = "see `assay doctor --card`"
Standing: TypeAlias = Literal["above", "level", "below"]


class CardFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One measured number with all that is needed to believe it.

    Attributes:
        name: What was measured on which data, by which measure.
        value: The number.
        low: Lower end of its 95 % interval (of a speed: the slowest round).
        high: Its upper end.
        n: How many rows, pairs, sentences ... it rests on.
        floor: What the best trivial rule reaches; None where there is none.
        floor_name: That rule.
        reference: What others publish.
        note: What else there is to know.
        lower_is_better: Whether small numbers are good.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int
    floor: float | None = None
    floor_name: str = ""
    reference: str = ""
    note: str = ""
    lower_is_better: bool = False

    @property
    def standing(self) -> Standing | None:
        """Where the whole interval lies to the floor; level with it, the judge adds nothing.

        None where there is no floor, or no interval to decide by.
        """
        if self.floor is None or self.low is None or self.high is None:
            return None
        if self.low <= self.floor <= self.high:
            return "level"
        return "above" if (self.low > self.floor) is not self.lower_is_better else "below"


class CardSection(msgspec.Struct, frozen=True):
    """The figures of one benchmark.

    Attributes:
        title: What it measures.
        command: How to measure it again.
        figures: What was found.
    """

    title: str
    command: str
    figures: tuple[CardFigure, ...]


class Card(msgspec.Struct, frozen=True):
    """What is known of a judge's agreement with people.

    Attributes:
        judge: The very version that was measured.
        machine: On what its speed was measured.
        headlines: By kind of task, the most important figures in one line.
        sections: All figures.
        languages: Which languages it was measured in.
        weaknesses: What it is known to get wrong.
        training_text: By model, what text it has seen in training.
    """

    judge: str
    machine: str
    headlines: dict[str, str]
    sections: tuple[CardSection, ...]
    languages: str
    weaknesses: tuple[str, ...]
    training_text: dict[str, str]


@lru_cache
def card() -> Card:
    """The card that ships."""
    found = resources.files("assay.backends.embedded").joinpath("card.json").read_bytes()
    return msgspec.json.decode(found, type=Card)


def headline(kind: str) -> str:
    """The line on a kind of task, with a pointer to the whole card; "" if nothing was measured."""
    found = card().headlines.get(kind)
    return f"{found}; {POINTER}" if found else ""


def number(value: float) -> str:
    """As many digits as a reader can use."""
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.2f}"


def interval(figure: CardFigure) -> str:
    """The 95 % interval; "" where there is none."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{number(figure.low)} to {number(figure.high)}"


def floor(figure: CardFigure) -> str:
    """The floor, its rule, and whether it was beaten; "" where there is none."""
    if figure.floor is None:
        return ""
    beaten = {"above": "", "level": ", not beaten", "below": ", better", None: ", undecided"}
    return f"{number(figure.floor)} {figure.floor_name}{beaten[figure.standing]}"
