"""What a record can hold, and how a value is drawn: as the record has it, and in words."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from training.verifier.synthetic import lexicon

Value = tuple[Any, str]  # as the record has it, and in words
Draw = Callable[[random.Random], Value]
MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)


class Field(NamedTuple):
    """Something with a value."""

    key: str  # in words: "outdoor seating"
    draw: Draw
    templates: tuple[str, ...]  # predicates with {v}


class Flag(NamedTuple):
    """Something that is so or not."""

    key: str
    yes: tuple[str, ...]
    no: tuple[str, ...]


class Options(NamedTuple):
    """Several things that are so or not, nested in the record."""

    key: str
    options: dict[str, str]  # key in the record, in words
    templates: tuple[str, ...]  # predicates with {v}
    none: tuple[str, ...]  # what may be said when nothing is so


class Domain(NamedTuple):
    """One sort of record."""

    nouns: tuple[str, ...]
    name: Callable[[random.Random], str]
    place: tuple[str, ...]  # predicates with {city}, {street} or {region}; () for none
    fields: tuple[Field | Flag | Options, ...]
    hours: bool = False
    reviews: str = ""


def choice(*options: str) -> Draw:
    """One of these, "record=words" or the same word for both."""
    pairs = [(o.partition("=")[0], o.partition("=")[2] or o) for o in options]
    return lambda rng: rng.choice(pairs)


def whole(low: int, high: int, step: int = 1, form: str = "{:,}") -> Draw:
    """A whole number."""

    def draw(rng: random.Random) -> Value:
        value = rng.randrange(low, high + 1, step)
        return value, form.format(value)

    return draw


def decimal(low: float, high: float, step: float = 0.5, form: str = "{:g}") -> Draw:
    """A number with a fraction."""

    def draw(rng: random.Random) -> Value:
        value = round(low + step * rng.randint(0, round((high - low) / step)), 2)
        return value, form.format(value)

    return draw


def day(first: int = 2005, last: int = 2026) -> Draw:
    """A date."""

    def draw(rng: random.Random) -> Value:
        year, month, date = rng.randint(first, last), rng.randint(1, 12), rng.randint(1, 28)
        name = MONTHS[month - 1]
        words = rng.choice([f"{name} {date}, {year}", f"{date} {name} {year}"])
        return f"{year}-{month:02d}-{date:02d}", words

    return draw


def clock(first: int = 5, last: int = 23) -> Draw:
    """A time of day."""

    def draw(rng: random.Random) -> Value:
        hour, minute = rng.randint(first, last), rng.choice([0, 15, 20, 30, 40, 45, 50])
        return f"{hour:02d}:{minute:02d}", in_words(hour, minute, rng)

    return draw


def in_words(hour: int, minute: int, rng: random.Random) -> str:
    """A time as people say it."""
    if rng.random() < 0.25:
        return f"{hour % 24}:{minute:02d}"
    half = "AM" if hour % 24 < 12 else "PM"
    minutes = f":{minute:02d}" if minute or rng.random() < 0.4 else ""
    return f"{(hour - 1) % 12 + 1}{minutes} {half}"


def person(rng: random.Random) -> Value:
    """A made-up person."""
    name = f"{rng.choice(_FIRST)} {rng.choice(lexicon.LAST_NAMES)}"
    return name, name


def city(rng: random.Random) -> Value:
    """A city."""
    name = rng.choice(lexicon.CITIES)
    return name, name


def few(*items: str) -> Draw:
    """Two or three of these; in words one of them, since all of them are true."""

    def draw(rng: random.Random) -> Value:
        found = rng.sample(items, rng.randint(2, 3))
        return found, f"{', '.join(found[:-1])} and {found[-1]}"

    return draw


def stadium(rng: random.Random) -> Value:
    """A made-up stadium."""
    name = f"{rng.choice(lexicon.LAST_NAMES)} Park"
    return name, name


def version(rng: random.Random) -> Value:
    """A version number."""
    number = f"{rng.randint(0, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 12)}"
    return number, number


def built_of(*parts: str) -> Callable[[random.Random], str]:
    """A name of one word of each of these lists, "#" a number."""

    def draw(rng: random.Random) -> str:
        name = "".join(rng.choice(part.split("|")) for part in parts)
        return name.replace("#", str(rng.randint(2, 990)))

    return draw


_FIRST = sorted(lexicon.FIRST_NAMES)
_ADJECTIVE = """
        Golden Silver Blue Red Green Happy Lucky Rustic Urban Royal Old New Little Grand
        Sunny Coastal Northern Hidden Copper Wild Twin Crystal Velvet Humble Salty Iron
        Maple Harbor Garden
    """.split()  # noqa: SIM905
_THING = """
        Spoon Lantern Anchor Oak Pepper Table Fox Harvest Kitchen Olive Dragon Bean
        Barrel Pearl Willow Plate Grove Rooster Basil Crown Bridge Compass Acorn Sparrow
        Ember Stone Meadow
    """.split()  # noqa: SIM905


def named(*endings: str) -> Callable[[random.Random], str]:
    """A made-up name such as "Copper Fox Grill"."""

    def draw(rng: random.Random) -> str:
        first = rng.choice(
            [
                rng.choice(_ADJECTIVE),
                f"{rng.choice(lexicon.LAST_NAMES)}'s",
                "The " + rng.choice(_ADJECTIVE),
            ]
        )
        return " ".join(
            w for w in (first, rng.choice([rng.choice(_THING), ""]), rng.choice(endings)) if w
        )

    return draw


def person_name(rng: random.Random) -> str:
    """A made-up person's name."""
    return str(person(rng)[0])


visit_name = person_name


def weather_name(rng: random.Random) -> str:
    """A weather report."""
    return f"Weather for {city(rng)[0]}"


def flight_name(rng: random.Random) -> str:
    """A flight."""
    return f"Flight {rng.choice(['KX', 'NR', 'TB', 'QF', 'ZL', 'WO'])}{rng.randint(100, 9800)}"


def match_name(rng: random.Random) -> str:
    """A match."""
    return f"{city(rng)[0]} Rovers vs {city(rng)[0]} United"


country = choice(*lexicon.COUNTRIES)
gate = choice(*(f"{letter}{n}" for letter in "ABCD" for n in range(1, 20)))
# What makes a draw or a name of arguments; all else here is one.
FACTORIES = frozenset(("choice", "whole", "decimal", "day", "clock", "few", "named", "built_of"))
