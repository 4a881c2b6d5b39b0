"""The card of the embedded judge: how far it agrees with people, and what is known of it.

`card.json` is written by `benchmarks/judge/run.py --write-card`; no figure in it is typed by hand.
The judge with a second network has one of its own, in its package.
"""

from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from assay._text.expressions import expression

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


class Rate(msgspec.Struct, frozen=True):
    """A share of labelled cases, with its 95 % interval (None where there is none)."""

    value: float
    low: float | None = None
    high: float | None = None


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """How well the scores of one metric, by one judge, tell bad from good by human labels.

    Attributes:
        judge: Who was measured, in words.
        data: The labelled set.
        bad: What the bad ones are, in words: "answers with a claim that no context supports".
        good: What the others are.
        n_bad: How many of these.
        n_good: And of those.
        found: Share of the bad ones that are flagged.
        wrong: Share of the good ones that are flagged.
        bad_uncertain: Share of the bad ones of which the judge is uncertain.
        good_uncertain: Share of the good ones of which it is.
        floor: Share of the bad ones that the best trivial rule flags at the same share of the good
            ones; None if there is no such rule.
        floor_name: That rule.
        rows: How the rows were sampled, "" for all of them.
    """

    judge: str
    data: str
    bad: str
    good: str
    n_bad: int
    n_good: int
    found: Rate
    wrong: Rate
    bad_uncertain: Rate | None = None
    good_uncertain: Rate | None = None
    floor: float | None = None
    floor_name: str = ""
    rows: str = ""

    @property
    def sentence(self) -> str:
        """All of it in words that a reader can act on."""
        text = (
            f"of 100 {self.bad} it flags {hundredths(self.found)}, "
            f"of 100 {self.good} {hundredths(self.wrong)} "
            f"({self.data}, human labels: {self.n_bad:,} and {self.n_good:,}"
            f"{f', {self.rows}' if self.rows else ''})"
        )
        if self.floor is None:
            return text
        beats = self.found.low is not None and self.found.low > self.floor
        floor = f"{self.floor_name} alone would flag {100 * self.floor:.0f} of the 100 bad ones"
        return f"{text}; {floor} at that rate{'' if beats else ': not beaten'}"


def hundredths(rate: Rate) -> str:
    """A share as so many of 100, with its interval."""
    share = f"{100 * rate.value:.0f}"
    if rate.low is None or rate.high is None:
        return share
    return f"{share} ({100 * rate.low:.0f} to {100 * rate.high:.0f})"


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


_RANKS = expression(r"\b(?:AUROC|Pearson|agreement)$")


class Card(msgspec.Struct, frozen=True):
    """What is known of a judge's agreement with people.

    Attributes:
        judge: The very version that was measured.
        machine: On what its speed was measured.
        quality: By metric, how well its scores tell bad from good.
        sections: All figures.
        languages: Which languages it was measured in.
        weaknesses: What it is known to get wrong.
        training_text: By model, what text it has seen in training.
    """

    judge: str
    machine: str
    quality: dict[str, Quality]
    sections: tuple[CardSection, ...]
    languages: str
    weaknesses: tuple[str, ...]
    training_text: dict[str, str]

    @property
    def at_floor(self) -> tuple[str, ...]:
        """Figures that rank (AUROC, Pearson, agreement) and do not beat their floor."""
        return tuple(
            figure.name
            for section in self.sections
            for figure in section.figures
            if figure.standing in ("level", "below") and _RANKS.search(figure.name)
        )


@lru_cache
def card() -> Card:
    """The card that ships."""
    content = resources.files("assay.judges.embedded").joinpath("card.json").read_bytes()
    return msgspec.json.decode(content, type=Card)


@lru_cache
def card_in(folder: Path) -> Card | None:
    """The card in the folder of a judge; None where there is none."""
    file = folder / "card.json"
    return msgspec.json.decode(file.read_bytes(), type=Card) if file.is_file() else None


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
