"""Rows made by rule: one subject, several properties, every way to answer or not to.

Question, answer and what does not answer share the same words; only what was asked for tells them
apart. Values are made up: an answer may be wrong and answer all the same.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.experiments.reader_windows import Asked
from training.verifier.asked import forms, phrases


@dataclass(frozen=True)
class Property:
    """Something that one can ask about a subject {s}; {v} is its value."""

    noun: str  # "the height of {s}"
    value: str  # how its value is made, see `_value`
    questions: Sequence[str]
    answers: Sequence[str]
    vague: Sequence[str]


_TABLES = tomllib.loads((Path(__file__).parent / "properties.toml").read_text(encoding="utf-8"))
_CHOICES: dict[str, list[str]] = _TABLES.pop("values")
_FIRST = "Anna Paul Mina Victor Leila Oscar Judith Ravi Helen Marco Sofia Ben".split()  # noqa: SIM905
_LAST = "Reyes Lund Okoro Becker Rossi Nakamura Grant Novak Silva Hughes Park".split()  # noqa: SIM905


def _date(rng: random.Random) -> str:
    year = rng.randint(1880, 2022)
    text = rng.choice([t for t in phrases.TIMES if "{n}" not in t])
    month = rng.choice(phrases.MONTHS)
    return text.format(y=year, c=year // 10 * 10, d=rng.randint(1, 28), m=month)


_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "date": _date,
    "place": lambda rng: rng.choice(phrases.PLACES),
    "person": lambda rng: f"{rng.choice(_FIRST)} {rng.choice(_LAST)}",
    "metres": lambda rng: f"{rng.randint(8, 900)} {rng.choice(('metres', 'feet'))}",
    "money": lambda rng: rng.choice(("${n} million", "{n} million euros", "£{n},000")).format(
        n=rng.randint(2, 900)
    ),
    "money_small": lambda rng: rng.choice(("${n}", "{n} euros", "${n}.99 a month")).format(
        n=rng.randint(3, 90)
    ),
    "minutes": lambda rng: rng.choice(("about two hours", f"{rng.randint(60, 180)} minutes")),
    "count": lambda rng: rng.choice((f"{rng.randint(30, 9000):,}", f"{rng.randint(2, 900)},000")),
    "square": lambda rng: f"{rng.randint(3, 9000):,} {rng.choice(('square miles', 'hectares'))}",
    "small": lambda rng: f"{rng.randint(2, 60)} {rng.choice(('centimetres', 'inches'))}",
    "years": lambda rng: f"{rng.randint(2, 28)} {rng.choice(('years', 'months'))}",
}


def _value(kind: str, rng: random.Random) -> str:
    return _MAKERS[kind](rng) if kind in _MAKERS else rng.choice(_CHOICES[kind])


_ABOUT = (
    "{N} is an important property.",
    "{N} is a matter of interest to many people.",
    "There is a lot to say about {n}.",
    "{N} has often been discussed.",
    "Information on {n} is of use in many situations.",
    "{N} is something that one should know.",
    "When people speak of {s}, they often ask about {n}.",
    "{N} is well documented.",
    "Many sources deal with {n}.",
    "{N} can be looked up.",
    "Let us now turn to {n}.",
)
_DECLINED = (
    "I do not know anything about {n}.",
    "The documents do not mention {n}.",
    "I could not find {n} in the sources.",
    "There is no information on {n} in the context.",
    "For {n}, please ask someone who knows.",
    "{N} is not stated anywhere in the text.",
    "I am not able to tell you about {n}.",
    "Do you really want to know about {n}?",
    "It depends on what you mean by {n}.",
)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class _Case:
    """One subject, one asked property and others of its kind."""

    def __init__(self, kind: str, subject: str, rng: random.Random) -> None:
        self.kind, self.subject, self.rng = kind, subject, rng
        table = _TABLES[kind]
        self.defining: list[str] = table["defining"]
        drawn = rng.sample(table["properties"], 3)
        self.one, self.two, self.three = (Property(**found) for found in drawn)
        self.asked = self.question(self.one)

    def _put(self, text: str, value: str = "") -> str:
        return _capital(text.strip().format(s=self.subject, v=value))

    def question(self, what: Property) -> str:
        return forms.styled(self._put(self.rng.choice(what.questions)), self.rng)

    def full(self, what: Property) -> str:
        return self._put(self.rng.choice(what.answers), _value(what.value, self.rng))

    def vague(self, what: Property) -> str:
        return self._put(self.rng.choice(what.vague))

    def about(self, what: Property, texts: tuple[str, ...]) -> str:
        noun = what.noun.format(s=self.subject)
        return self.rng.choice(texts).format(n=noun, N=_capital(noun), s=self.subject)

    def background(self) -> str:
        return self._put(self.rng.choice(self.defining))

    def row(self, found: list[tuple[str, float | None]], answers: float, asked: str = "") -> Asked:
        texts, helps = zip(*found, strict=True)
        return Asked(
            "made/property",
            f"made {self.kind} {self.subject}",
            asked or self.asked,
            texts,
            helps,
            answers,
        )


def rows(rng: random.Random) -> Iterator[Asked]:
    """Three asked properties a subject, each with answers of every grade."""
    for kind, table in _TABLES.items():
        for subject in table["subjects"]:
            for _ in range(3):
                case = _Case(kind, subject, rng)
                yield from rng.sample(list(_graded(case, rng)), 9)
                yield from _compound(case, rng)


def _graded(case: _Case, rng: random.Random) -> Iterator[Asked]:
    one, two = case.one, case.two
    yield case.row([(case.full(one), 1.0)], 1.0)
    yield case.row([(case.full(one), 1.0)], 1.0)
    yield case.row([(_capital(_value(one.value, rng)) + rng.choice((".", "")), 1.0)], 1.0)
    yield case.row([(case.background(), 0.0), (case.full(one), 1.0)], 0.95)
    yield case.row([(case.full(one), 1.0), (case.full(two), 0.0)], 0.85)
    yield case.row([(case.vague(two), 0.0), (case.full(one), 1.0)], 0.85)
    yield case.row(
        [(case.about(one, _ABOUT), 0.0), (case.full(one), 1.0), (case.background(), 0.0)], 0.85
    )
    yield case.row([(case.full(two), 0.0)], 0.0)
    yield case.row([(case.full(two), 0.0), (case.full(case.three), 0.0)], 0.0)
    yield case.row([(case.vague(one), 0.0)], 0.0)
    yield case.row([(case.about(one, _ABOUT), 0.0)], 0.0)
    yield case.row([(case.about(one, _DECLINED), 0.0)], 0.0)
    yield case.row([(case.background(), 0.0), (case.full(two), 0.0)], 0.0)
    yield case.row(
        [(case.about(one, _ABOUT), 0.0), (case.vague(one), 0.0), (case.full(two), 0.0)], 0.0
    )


def _compound(case: _Case, rng: random.Random) -> Iterator[Asked]:
    one, two = case.one, case.two
    second = case.question(two)
    if not (forms.asks(case.asked) and forms.asks(second)) or rng.random() < 0.4:
        return
    asked = f"{case.asked.rstrip('?')} and {second[:1].lower()}{second[1:]}"
    first, other = (case.full(one), 1.0), (case.full(two), 1.0)
    yield case.row([first, other] if rng.random() < 0.6 else [other, first], 1.0, asked)
    yield case.row([rng.choice((first, other))], 0.5, asked)
    yield case.row([(case.vague(one), 0.0), other], 0.5, asked)
    yield case.row([(case.full(case.three), 0.0)], 0.0, asked)
