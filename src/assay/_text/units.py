"""Numbers with their units as they are written ("250 mg", "€14"), and whether a unit is another."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay._text import memoized, numbers
from assay._text.expressions import expression
from assay._text.words import stem

# Dimension, size in one of its units, names. "m", "s" and "h" may be anything and are none.
_TABLE = (
    ("bit rate", 1, "kbit/s kbps kb/s"), ("bit rate", 1e3, "Mbit/s Mbps Mb/s"),
    ("bit rate", 1e6, "Gbit/s Gbps Gb/s"), ("bytes", 1, "kB KB kiB"), ("bytes", 1e3, "MB MiB"),
    ("bytes", 1e6, "GB GiB"), ("bytes", 1e9, "TB TiB"), ("frequency", 1, "Hz"),
    ("frequency", 1e3, "kHz"), ("frequency", 1e6, "MHz"), ("frequency", 1e9, "GHz"),
    ("power", 1e-3, "mW"), ("power", 1, "W"), ("power", 1e3, "kW"), ("power", 1e6, "MW"),
    ("power", 1e9, "GW"), ("energy", 1, "Wh"), ("energy", 1e3, "kWh"), ("energy", 1e6, "MWh"),
    ("energy", 1e9, "GWh"), ("energy", 1e12, "TWh"), ("voltage", 1e-3, "mV"), ("voltage", 1, "V"),
    ("voltage", 1e3, "kV"), ("pressure", 1, "Pa"), ("pressure", 100, "hPa"),
    ("pressure", 1e3, "kPa"), ("pressure", 1e6, "MPa"), ("pressure", 1e5, "bar"),
    ("pressure", 6894.757, "psi"),
    ("level", 1, "dBm"), ("gain", 1, "dB dBi"), ("mass", 1e-6, "µg μg mcg microgram micrograms"),
    ("mass", 1e-3, "mg milligram milligrams"), ("mass", 1, "g gram grams"),
    ("mass", 1e3, "kg kilogram kilograms kilo kilos"), ("mass", 1e6, "tonne tonnes"),
    ("mass", 28.35, "ounce ounces oz"), ("mass", 453.59, "lb lbs"),
    ("length", 1e-3, "mm millimetre millimetres millimeter millimeters"),
    ("length", 1e-2, "cm centimetre centimetres centimeter centimeters"),
    ("length", 1, "metre metres meter meters"),
    ("length", 1e3, "km kilometre kilometres kilometer kilometers"),
    ("length", 0.0254, "inch inches"), ("length", 0.3048, "foot feet ft"),
    ("length", 0.9144, "yard yards"), ("length", 1609.344, "mile miles"),
    ("volume", 1e-3, "ml mL millilitre millilitres milliliter milliliters"),
    ("volume", 1, "litre litres liter liters"), ("volume", 3.785, "gallon gallons"),
    ("time", 1e-3, "ms millisecond milliseconds"), ("time", 1, "second seconds"),
    ("time", 60, "min minute minutes"), ("time", 3600, "hour hours"), ("time", 86_400, "day days"),
    ("time", 604_800, "week weeks"), ("time", 2_629_746, "month months"),
    ("time", 31_556_952, "year years"), ("celsius", 1, "°C"), ("fahrenheit", 1, "°F"),
    ("speed", 1, "km/h kph"), ("speed", 1.609344, "mph"), ("basis points", 1, "bps bp"),
    # Percentage points are called per cent too often to be another unit.
    ("share", 1, "% percent pct"), ("$", 1, "$ USD dollar dollars"), ("€", 1, "€ EUR euro euros"),
    ("£", 1, "£ GBP"), ("¥", 1, "¥ JPY yen"),
    ("clock", 1, "am AM a.m."), ("clock", 2, "pm PM p.m."),
)  # fmt: skip
_UNITS = {name: (kind, float(size)) for kind, size, names in _TABLE for name in names.split()}
_UNITS |= dict.fromkeys(("per cent", "percentage points", "percentage point"), ("share", 1.0))
_UNITS |= dict.fromkeys(("basis points", "basis point"), ("basis points", 1.0))
_UNITS["pounds sterling"] = ("£", 1.0)
_NAMES = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_MEASURE = expression(
    r"(?=[\d$€£¥])(?:(?P<sign>[$€£¥])\s?)?(?<![\w.,:/-])"
    r"(?P<number>\d{1,2}:\d\d|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s?-?(?P<scale>hundred|thousand|million|billion|trillion|bn|mn|m|k)\b)?"
    rf"(?:[\s-]?(?P<unit>{_NAMES})(?![\w/]))?(?![\w:]|[.,/-]\d)"
)
# Kinds that are taken for each other; beside another kind a small number may be one by chance.
_GROUPS = tuple(
    map(
        frozenset,
        (
            {"$", "€", "£", "¥"},
            {"share", "basis points"},
            {"celsius", "fahrenheit"},
            {"bit rate", "bytes"},
            {"power", "level"},
        ),
    )
)
_TELLING = 13
_ALIKE = 0.005  # share by which a converted amount may be off


class Measure(NamedTuple):
    """A number and its unit.

    Attributes:
        text: As it is written.
        number: The number; of a time of day its digits.
        scale: "million"; "" if there is none.
        kind: What is measured; "" without a unit.
        size: How much the unit is, in one of its kind.
    """

    text: str
    number: float
    scale: str
    kind: str
    size: float


class OtherUnit(NamedTuple):
    """A number of a statement, and how it stands elsewhere."""

    statement: str
    evidence: str


@memoized(4096, longest=2000)
def measures(text: str) -> tuple[Measure, ...]:
    """The numbers in digits of a text, in order."""
    return tuple(_measures(text))


def _measures(text: str) -> Iterator[Measure]:
    for match in _MEASURE.finditer(text):
        number = float(match["number"].replace(",", "").replace(":", ""))
        kind, size = _UNITS.get(match["sign"] or match["unit"] or "", ("", 1.0))
        yield Measure(match.group(), number, match["scale"] or "", kind, size)


def other_figure(
    statement: str, others: Sequence[Measure], texts: Sequence[str]
) -> OtherUnit | None:
    """A number of a statement that texts, with these measures, give otherwise alone."""
    return other_unit(statement, others) or other_bound(statement, texts)


def other_unit(statement: str, others: Sequence[Measure]) -> OtherUnit | None:
    """The first number of a statement that is given with other units alone; None if there is none.

    A number that is also given without a unit that is known, or as much in another unit, is none.
    """
    for measure in measures(statement) if others else ():
        like_measures = [
            o for o in others if (o.number, o.scale) == (measure.number, measure.scale)
        ]
        if (
            not measure.kind
            or not like_measures
            or not all(measure_like.kind for measure_like in like_measures)
        ):
            continue
        comparable = measure.number >= _TELLING or any(
            _are_mistaken(measure, measure_like) for measure_like in like_measures
        )
        if comparable and not any(_is_as_much(measure, other) for other in others):
            return OtherUnit(measure.text, like_measures[0].text)
    return None


def _is_as_much(measure: Measure, other: Measure) -> bool:
    amount, other_amount = measure.number * measure.size, other.number * other.size
    same = measure.kind == other.kind and measure.scale == other.scale
    return same and abs(amount - other_amount) <= _ALIKE * amount


def _are_mistaken(measure: Measure, other: Measure) -> bool:
    return measure.kind == other.kind or any(
        {measure.kind, other.kind} <= group for group in _GROUPS
    )


# In the usual form "at most" is "up to". "The minimum deposit is €500" is a bound as well.
_BOUND = expression(
    r"\b(?:(?P<bound>at least|up to)\s"
    r"|(?P<named>minimum|maximum)\s(?:[^\W\d]+\s){0,3}(?:is|was|of)\s)"
    rf"(?P<number>[$€£¥]?\d+(?:,\d{{3}})*(?:\.\d+)?|{numbers.SPELLED})(?![\w.,:]*\d)"
    r"(?:[\s-]?(?P<noun>[^\W\d]+|%))?",
    re.IGNORECASE,
)
_LOW = frozenset({"at least", "minimum"})


def other_bound(statement: str, texts: Sequence[str]) -> OtherUnit | None:
    """The first "at least" of a statement that is "up to" wherever a number of texts is bounded.

    Or the other way round. A number that also stands there without a bound is none.

    Args:
        statement: In its usual form.
        texts: What it is compared with, in that form.
    """
    for own in _BOUND.finditer(statement):
        number = _number(own)
        if not number:
            continue
        having = [text for text in texts if number in numbers.numbers(text)]
        bounds = [
            match for text in having for match in _BOUND.finditer(text) if _number(match) == number
        ]
        like = [match for match in bounds if _are_alike(match, own)]
        if (
            like
            and len(having) == len(like) == len(bounds)
            and all(_is_low(match) is not _is_low(own) for match in like)
        ):
            return OtherUnit(_text(own), _text(like[0]))
    return None


def _number(bound: re.Match[str]) -> str:
    return next(iter(numbers.numbers(bound["number"])), "")


def _are_alike(bound: re.Match[str], other: re.Match[str]) -> bool:
    """Whether both count the same: "€500" needs no noun."""
    nouns = [match["noun"] for match in (bound, other)]
    money = _is_money(bound) and _is_money(other)
    return money or not all(nouns) or len({stem(noun.lower()) for noun in nouns}) == 1


def _text(bound: re.Match[str]) -> str:
    end = bound.end("number" if _is_money(bound) else 0)
    return bound.string[bound.start() : end]


def _is_money(bound: re.Match[str]) -> bool:
    return not bound["number"][0].isalnum()


def _is_low(bound: re.Match[str]) -> bool:
    return (bound["bound"] or bound["named"]).lower() in _LOW
