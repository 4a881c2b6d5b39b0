"""The amounts and dates of a text, with their units, their signs and how far they are rounded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from assay._text import memoized
from assay._text.expressions import expression
from assay._text.numbers import MONTH_NAMES, ORDINALS, SCALES, SMALL, TENS
from assay._text.sentences import Span

_SPOKEN = 0.005  # how far a large number in words may be rounded
_ROUGH = 0.025  # ... and one behind "about"
_NEAR = 200  # characters in which the words before a number stand


class _Unit(NamedTuple):
    kind: str
    size: float = 1.0
    zero: float = 0.0  # where its scale begins, in units of its kind


_UNITS = {
    name: _Unit(kind, size, zero)
    for kind, size, zero, names in (
        ("time", 1, 0, "s|second|seconds"),
        ("time", 60, 0, "minute|minutes"),
        ("time", 3600, 0, "hour|hours"),
        ("time", 86_400, 0, "d|day|days"),
        ("time", 604_800, 0, "week|weeks"),
        ("time", 1_209_600, 0, "fortnight|fortnights"),
        ("time", 2_629_746, 0, "month|months"),
        ("time", 31_556_952, 0, "year|years"),
        ("time", 315_569_520, 0, "decade|decades"),
        ("time", 3_155_695_200, 0, "century|centuries"),
        ("length", 0.001, 0, "mm|millimetre|millimetres|millimeter|millimeters"),
        ("length", 0.01, 0, "cm|centimetre|centimetres|centimeter|centimeters"),
        ("length", 1, 0, "meter|meters|metre|metres"),
        ("length", 1000, 0, "km|kilometre|kilometres|kilometer|kilometers"),
        ("length", 0.0254, 0, "inch|inches"),
        ("length", 0.3048, 0, "foot|feet"),
        ("length", 0.9144, 0, "yard|yards"),
        ("length", 1609.344, 0, "mile|miles"),
        ("mass", 1e-6, 0, "mg|milligram|milligrams"),
        ("mass", 0.001, 0, "gram|grams|grammes"),
        ("mass", 1, 0, "kg|kilogram|kilograms|kilo|kilos"),
        ("mass", 1000, 0, "tonne|tonnes|metric ton|metric tons"),
        ("mass", 1e6, 0, "kt|kilotonne|kilotonnes"),
        ("mass", 0.028349523, 0, "ounce|ounces"),
        ("mass", 0.45359237, 0, "pound|pounds"),
        ("volume", 0.001, 0, "ml"),
        ("volume", 0.01, 0, "cl"),
        ("volume", 1, 0, "l|L|liter|liters|litre|litres"),
        ("volume", 3.785411784, 0, "gallon|gallons"),
        ("area", 1, 0, "hectare|hectares|ha"),
        ("area", 0.404685642, 0, "acre|acres"),
        ("density", 1, 0, "g/L|g/l|mg/mL|mg/ml"),
        ("density", 10, 0, "g/dL|g/dl"),
        ("density", 0.01, 0, "mg/dL|mg/dl"),
        ("speed", 1, 0, "m/s|metres per second|meters per second|metres a second"),
        ("speed", 1000, 0, "km/s"),
        ("speed", 1 / 3.6, 0, "km/h|kilometres an hour|kilometers an hour"),
        ("speed", 0.44704, 0, "mph|miles an hour"),
        ("temperature", 1, 0, "°C|degrees celsius|celsius|degrees centigrade|centigrade"),
        ("temperature", 1, -273.15, "K|kelvin|kelvins"),
        ("temperature", 5 / 9, -160 / 9, "°F|degrees fahrenheit|fahrenheit"),
        ("energy", 1, 0, "kWh"),
        ("energy", 1000, 0, "MWh"),
        ("energy", 1e6, 0, "GWh"),
        ("energy", 1e9, 0, "TWh"),
        ("power", 1, 0, "kW"),
        ("power", 1000, 0, "MW"),
        ("power", 1e6, 0, "GW"),
        ("share", 1, 0, "%"),
        ("points", 1, 0, "percentage points|percentage point"),
        ("points", 0.01, 0, "basis points|basis point|bps"),
        ("$", 1, 0, "dollar|dollars"),
        ("€", 1, 0, "euro|euros"),
        ("£", 1, 0, "pounds sterling"),
        ("¥", 1, 0, "yen"),
        ("CHF", 1, 0, "franc|francs"),
        ("cent", 0.01, 0, "cent|cents"),
    )
    for name in names.split("|")
}
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
_MONTHS = [name.lower() for name in MONTH_NAMES]
_ONES = "|".join(list(SMALL)[1:10])
_SMALL = "|".join(sorted(SMALL, key=len, reverse=True))
_TENS = "|".join(TENS)
_BELOW = rf"(?:(?:{_TENS})(?:[ -](?:{_ONES}))?|(?:{_SMALL}))"
_HUNDREDS = rf"(?:(?:{_BELOW}|an?) hundred(?:(?: and)? {_BELOW})?|{_BELOW})"
_SPELLED = (
    rf"(?:{_HUNDREDS}|an?(?= (?:thousand|million)))"
    rf"(?: (?:thousand|million|billion|trillion),?(?: and)? {_HUNDREDS})*"
    rf"(?: (?:point(?: (?:{_SMALL}))+|and a half))?"
    r"(?: (?:thousand|million|billion|trillion|dozen))?"
)
_TEENS = "|".join(list(SMALL)[13:])
_SPOKEN_YEAR = (
    rf"(?P<hundreds>{_TEENS}|eleven|twelve|twenty)[ -]"
    rf"(?P<rest>(?:o|oh)[ -](?:{_ONES})|(?:{_TENS})(?:[ -](?:{_ONES}))?|ten|eleven|twelve|{_TEENS})"
)
_MONTH = "|".join(_MONTHS)
_DAYS = {"first": 1, "second": 2, "third": 3, **ORDINALS, "thirtieth": 30, "thirty-first": 31}
_DAYS |= {f"twenty-{name}": 20 + number for name, number in _DAYS.items() if number < 10}
_DAY_NAME = "|".join(sorted(_DAYS, key=len, reverse=True))
_DATE = expression(
    rf"(?<!\w)(?:\b(?P<m1>{_MONTH})\s(?P<d1>\d\d?)(?:st|nd|rd|th)?,?\s(?P<y1>\d{{4}})\b"
    rf"|\b(?P<d2>\d\d?|{_DAY_NAME})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m2>{_MONTH}),?\s(?P<y2>\d{{4}})\b"
    rf"|\b(?P<m3>{_MONTH}),?\s(?:of\s)?(?P<y3>\d{{4}})\b"
    rf"|\b(?P<m4>{_MONTH})\s(?:the\s)?(?P<d4>\d\d?)(?:st|nd|rd|th)?\b"
    rf"|\b(?P<d5>\d\d?|{_DAY_NAME})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m5>{_MONTH})\b"
    r"|(?<![\w/.-])(?:(?P<y6>[12]\d{3})-(?P<m6>\d\d?)-(?P<d6>\d\d?)"
    r"|(?P<a>\d\d?)(?P<by>[./-])(?P<b>\d\d?)(?P=by)(?P<c>[12]\d{3}|\d\d))(?![\w/-]|\.\d)"
    rf"|(?<![\w.,$€£¥/-])(?P<year>1\d{{3}}|20\d\d)(?![\w%/]|[.,]\d|\s?(?:%|million|billion))"
    rf"|(?:\b(?P<m7>{_MONTH})\s)?(?<!\w)['’](?P<short>\d\d)\b|\b(?:{_SPOKEN_YEAR})\b)",
    re.IGNORECASE,
)
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3}){2,}(?!\d)|\d+(?:\.\d+)?|\.\d+"
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_AMOUNT = expression(
    r"(?:(?<!\w)|(?=[($€£¥\u2212]))(?P<minus>\u2212\s?(?=[($€£¥\d.]))?(?P<open>\((?=[$€£¥\d.,]+\)))?"
    r"(?:(?P<sign>[$€£¥]|\b(?:USD|EUR|GBP|CHF|JPY)\b)\s?(?P<inner>[\u2212-]|\()?)?"
    rf"(?:(?<![\w.,/:])(?P<digits>{_DIGITS})(?:\s?[×x]\s?10(?:(?:\^|\*\*)(?P<power>-?\d+)|(?P<raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?"
    rf"|\b(?P<words>{_SPELLED})\b)\)?"
    r"(?:[ -]?(?P<scale>hundred|thousand|million|billion|trillion|dozen|bn|mn)\b)?"
    rf"(?:[ -]?(?P<unit>{_UNIT})(?!\w|/\w))?(?![\w:/^]|[.,]\d)",
    re.IGNORECASE,
)
_DECADE = expression(
    r"(?:\b(?:1\d|20)|\b(?:the|early|mid|late|his|her|their|my|that|over)[\s-]|['’])[1-9]?\d0s$",
    re.IGNORECASE,
)
_FRACTIONS = {
    "one half": 50, "half": 50, "one third": 100 / 3, "two thirds": 200 / 3, "one quarter": 25,
    "a quarter": 25, "three quarters": 75, "one fifth": 20, "two fifths": 40, "three fifths": 60,
    "four fifths": 80, "a third": 100 / 3, "a fifth": 20, "a tenth": 10, "one tenth": 10,
}  # fmt: skip
_FRACTION = expression(
    rf"(?<!and )(?<!and a )\b(?:{'|'.join(_FRACTIONS)})\b(?!\s(?:hour|year|million|an?)\b)",
    re.IGNORECASE,
)
_DIGIT = expression(r"\d")
_LETTERS = expression(r"[a-z]+")
_SAYING = frozenset(
    word
    for words in (*SMALL, *TENS, *SCALES, *_DAYS, *_FRACTIONS, "hundred dozen")
    for word in words.replace("-", " ").split()
) - {"a"}
_SCALED = expression(
    r"\bin\s(?:[\w$€£.]+\s)?(?P<scale>thousand|million|billion|trillion)s?\b"
    r"|\((?:in\s)?(?:[\w$€£]+\s)?(?P<inside>thousand|million|billion|trillion)s?\)",
    re.IGNORECASE,
)
_ABOUT = expression(
    r"(?:about|around|approximately|nearly|almost|roughly|some|just (?:under|over))\s$|~\s?$",
    re.IGNORECASE,
)
_FALLS = (
    r"declin\w*|decreas\w*|dropp?\w*|fell|fall\w*|down|loss\w*|lower|minus|negative|reduc\w*|shrank|"
    r"shrunk|below zero|less"
)
_RISES = r"rise\w*|rose|rising|increas\w*|grew|grow\w*|gain\w*|up|higher|more|climb\w*|above zero"
_TURNED = expression(
    rf"\b(?:(?P<falls>{_FALLS})|(?:{_RISES}))(?:\s(?:of|by|about|around|to|some|nearly|a)){{0,2}}\s?$"
    r"(?<!up to)",
    re.IGNORECASE,
)
_TURNS = expression(
    rf"\s(?:degrees\s)?(?:(?P<falls>{_FALLS})|(?:{_RISES}))\b(?!\sthan)", re.IGNORECASE
)
FALLING = expression(rf"\b(?:{_FALLS})\b", re.IGNORECASE)
RISING = expression(rf"\b(?:{_RISES})\b(?!\sthan|\sto)", re.IGNORECASE)
_BOUND = expression(
    r"\b(?:(?P<most>up to|at most|no more than|not more than|below|under|less than|maximum(?: of)?)"
    r"|at least|no less than|more than|over|above|minimum(?: of)?)\s$",
    re.IGNORECASE,
)
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

Day = tuple[int | None, int | None, int | None]  # year, month, day


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit, or a date.

    Attributes:
        span: Its characters.
        text: How it is written.
        number: As it is written, scale included; of a date the year, or 0.
        step: How much rounding may have changed it.
        kind: What is measured: "length", "$", "share", "date"; "" without a unit.
        size: How much one of its unit is, in units of the kind.
        zero: Where its scale begins.
        scaled: Whether a scale ("million") stands with it.
        negative: Whether a minus or brackets stand with it.
        turn: Whether the words beside it say that it fell (-1) or rose (1); else 0.
        bound: Whether it is the most (-1) or the least (1); else 0.
        days: What a date may be; of a number that may be a year, that.
    """

    span: Span
    text: str
    number: float
    step: float
    kind: str = ""
    size: float = 1.0
    zero: float = 0.0
    scaled: bool = False
    negative: bool = False
    turn: int = 0
    bound: int = 0
    days: tuple[Day, ...] = field(default=())

    @property
    def value(self) -> float:
        """How much it is in units of its kind."""
        return self.number * self.size + self.zero


@memoized(1024, longest=2000)
def amounts(text: str) -> tuple[Amount, ...]:
    """The amounts and dates of a text in its usual form, in order."""
    if not _may_state(text):
        return ()
    separate: list[Amount] = []
    is_taken = bytearray(len(text))
    for kind in (_dates, _fractions, _numbers):
        for amount in kind(text):
            span = slice(*amount.span)
            if not any(is_taken[span]):
                separate.append(amount)
                is_taken[span] = b"\1" * len(amount.text)
    joined: list[Amount] = []
    for amount in sorted(separate, key=lambda amount: amount.span):
        if joined and _continues(joined[-1], amount, text):
            joined[-1] = _sum(joined[-1], amount, text)
        else:
            joined.append(amount)
    return tuple(joined)


def _may_state(text: str) -> bool:
    """Whether a text has a digit or a word that an amount or a date cannot do without."""
    lowered = text.lower()
    return (
        not text.isascii()
        or _DIGIT.search(text) is not None
        or not _SAYING.isdisjoint(_LETTERS.findall(lowered))
    )


def _continues(amount: Amount, other: Amount, text: str) -> bool:
    """Whether it is a part of the same: "8 feet 11 inches"."""
    between = text[amount.span[1] : other.span[0]]
    same_kind = amount.kind == other.kind not in ("", "date", "share") and other.size < amount.size
    return same_kind and between.strip() in ("", "and", ",") and not amount.zero


def _sum(amount: Amount, other: Amount, text: str) -> Amount:
    span, share = (amount.span[0], other.span[1]), other.size / amount.size
    number, step = amount.number + other.number * share, other.step * share
    return replace(amount, span=span, text=text[slice(*span)], number=number, step=step)


def scale_of(question: str) -> float:
    """What its numbers are counted in: 1,000,000 where a question or heading says "in millions"."""
    match = _SCALED.search(question)
    return float(SCALES[(match["scale"] or match["inside"]).lower()]) if match else 1.0


def _dates(text: str) -> Iterator[Amount]:
    for match in _DATE.finditer(text):
        days = tuple(day for day in _days(match) if _exists(day))
        if days:
            year = bool(match["year"] or match["hundreds"])  # or a number: "1577"
            kind = "" if year else "date"
            yield Amount(match.span(), match[0], float(days[0][0] or 0), 0.0, kind, days=days)


def _days(match: re.Match[str]) -> Iterator[Day]:
    if match["year"]:
        yield int(match["year"]), None, None
    elif match["hundreds"]:
        yield (
            100 * int(_number_in_words(match["hundreds"])) + int(_number_in_words(match["rest"])),
            None,
            None,
        )
    elif match["short"]:
        month_name = (match["m7"] or "").lower()
        for century in (1900, 2000):
            month_number = _MONTHS.index(month_name) + 1 if month_name else None
            yield century + int(match["short"]), month_number, None
    elif match["a"]:
        first, second, year = int(match["a"]), int(match["b"]), match["c"]
        years = [int(year)] if len(year) == 4 else [1900 + int(year), 2000 + int(year)]
        for candidate in years:
            yield candidate, second, first
            if match["by"] != ".":
                yield candidate, first, second
    else:
        read = {
            unit: next(
                (match[f"{unit}{n}"] for n in range(1, 7) if _has_group(match, unit, n)), None
            )
            for unit in "ymd"
        }
        month = read["m"] or ""
        yield (
            int(read["y"]) if read["y"] else None,
            int(month) if month.isdigit() else _MONTHS.index(month.lower()) + 1,
            _DAYS.get((read["d"] or "").lower()) or (int(read["d"]) if read["d"] else None),
        )


def _has_group(match: re.Match[str], unit: str, n: int) -> bool:
    return f"{unit}{n}" in match.re.groupindex and match[f"{unit}{n}"] is not None


def _exists(day: Day) -> bool:
    _, month, number = day
    return (month is None or 1 <= month <= 12) and (number is None or 1 <= number <= 31)


def _fractions(text: str) -> Iterator[Amount]:
    for match in _FRACTION.finditer(text):
        yield Amount(match.span(), match[0], _FRACTIONS[match[0].lower()], 0.5, kind="share")


def _numbers(text: str) -> Iterator[Amount]:
    for match in _AMOUNT.finditer(text):
        number, step = _read_number(match)
        if match["words"] and number in (0, 1) and not (match["scale"] or match["unit"]):
            continue  # "one" and "a" are mostly no numbers
        if _match_before(_ABOUT, text, match.start()):
            step = max(step, _ROUGH * number)
        sign, unit = match["sign"], None if _is_decade(match, text) else match["unit"]
        measured = _UNITS.get(unit) or _UNITS.get(unit.lower()) if unit else None
        kind = _SIGNS.get(sign.upper(), sign.upper()) if sign else measured.kind if measured else ""
        negative = bool(match["minus"] or match["open"] or match["inner"])
        bound = _bound_sign(text, match.start())
        size, zero = (measured.size, measured.zero) if measured and not sign else (1.0, 0.0)
        yield Amount(
            match.span(),
            match[0],
            number,
            step,
            kind,
            size,
            zero,
            scaled=bool(match["scale"]) or bool(match["words"] and number >= 1000),
            negative=negative,
            turn=0 if bound else _sign_of_turn(text, match.span()),
            bound=bound,
        )


def _is_decade(match: re.Match[str], text: str) -> bool:
    """Whether its "s" makes it no time: "the 70s", "1820s", "4S"; but "30s" is one."""
    if match["unit"] == "S":
        return True
    return match["unit"] == "s" and bool(_match_before(_DECADE, text, match.end()))


def _match_before(words: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """Where words end in a text; a search through all before them would be made for each number."""
    return words.search(text, max(0, end - _NEAR), end)


def _sign_of_turn(text: str, span: Span) -> int:
    match = _match_before(_TURNED, text, span[0]) or _TURNS.match(text, span[1])
    return 0 if not match else -1 if match["falls"] else 1


def _bound_sign(text: str, end: int) -> int:
    match = _match_before(_BOUND, text, end)
    return 0 if not match else -1 if match["most"] else 1


def _read_number(match: re.Match[str]) -> tuple[float, float]:
    """The number with its scale, and half of what its last digit counts."""
    if match["digits"]:
        digits = match["digits"].replace(",", "").replace(" ", "")
        number = float(digits)
        step = 0.5 * 10.0 ** -len(digits.partition(".")[2])
        if "." not in digits and number >= 10_000 and digits.endswith("000"):
            step = 500.0
    else:
        number, step = _number_in_words(match["words"]), 0.5
        step = 0.05 if number % 1 else max(step, _SPOKEN * number if number >= 1000 else 0)
    raised = match["power"] or (match["raised"] or "0").translate(_POWERS)
    power = 10.0 ** int(raised)
    scale = float(SCALES[match["scale"].lower()]) if match["scale"] else 1.0
    # A number that is counted, and not rounded, has no half.
    is_exact = "." not in (match["digits"] or "") and scale == power == 1.0 and step == 0.5
    return number * power * scale, 0.0 if is_exact and not match["unit"] else step * power * scale


def _number_in_words(words: str) -> float:
    """A number in words: "one million two hundred thousand", "eight point two million"."""
    total = group = 0.0
    digit = 0.0  # what the next digit counts, behind "point"
    for word in re.split(r"[\s,-]+", words.lower()):
        if word == "hundred":
            group = (group or 1) * 100
        elif word in SCALES:
            total += (group or 1) * SCALES[word]
            group = digit = 0
        elif word == "half":
            group += 0.5 - 1  # "and a"
        elif word == "point":
            digit = 0.1
        elif word in ("a", "an"):
            group += 1
        elif digit:
            group += SMALL.get(word, 0) * digit
            digit /= 10
        else:
            group += SMALL.get(word, TENS.get(word, 0))
    return total + group
