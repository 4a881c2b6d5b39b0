"""The amounts of a text as another text writes them, and whether two amounts are the same.

"90 minutes" and "one and a half hours", "15:00" and "3 pm" are exactly as much:
only that is rewritten. Equality is what people accept as the same answer: "$1,577 million" is 1.577
billion and, where the question says "in millions", 1577.0; "15.7 %" is 0.157, "57 km" 35 miles.
"""

import math
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from assay._text import memoized
from assay._text.amounts import FALLING, RISING, Amount, Day
from assay._text.expressions import expression
from assay._text.numbers import MONTH_NAMES, SCALES, SMALL, TENS, Normalized
from assay._text.sentences import Span

Key = tuple[str, float]  # what is measured, and how much in its least unit

_UNITS: dict[str, Key] = {
    name: (kind, size)
    for kind, size, names in (
        ("time", 0.001, "ms millisecond milliseconds"),
        ("time", 1, "second seconds"),
        ("time", 60, "minute minutes"),
        ("time", 3600, "hour hours"),
        ("time", 86_400, "day days"),
        ("time", 604_800, "week weeks"),
        ("time", 1_209_600, "fortnight fortnights"),
        ("months", 1, "month months"),
        ("months", 12, "year years"),
        ("months", 120, "decade decades"),
        ("months", 1200, "century centuries"),
        ("length", 1, "mm"),
        ("length", 10, "cm"),
        ("length", 1000, "m meter meters metre metres"),
        ("length", 1_000_000, "km"),
        ("inches", 1, "inch inches"),
        ("inches", 12, "foot feet"),
        ("inches", 36, "yard yards"),
        ("inches", 63_360, "mile miles"),
        ("mass", 1, "mg"),
        ("mass", 1000, "gram grams"),
        ("mass", 1_000_000, "kg"),
        ("mass", 1_000_000_000, "tonne tonnes"),
        ("ounces", 1, "ounce ounces"),
        ("ounces", 16, "pound pounds"),
        ("volume", 1, "ml"),
        ("volume", 10, "cl"),
        ("volume", 1000, "l L liter liters litre litres"),
        ("energy", 1, "kWh"),
        ("energy", 1000, "MWh"),
        ("energy", 1_000_000, "GWh"),
        ("energy", 1_000_000_000, "TWh"),
        ("pressure", 1, "Pa"),
        ("pressure", 100, "hPa"),
        ("pressure", 1000, "kPa"),
        ("speed", 1, "kbps kbit/s"),
        ("speed", 1000, "Mbps Mbit/s"),
        ("speed", 1_000_000, "Gbps Gbit/s"),
        ("points", 1, "bps"),
        ("power", 1, "kW"),
        ("power", 1000, "MW"),
        ("power", 1_000_000, "GW"),
        ("frequency", 1, "kHz"),
        ("frequency", 1000, "MHz"),
        ("frequency", 1_000_000, "GHz"),
        ("$", 0.01, "cent cents"),
        ("share", 1, "%"),
        ("times", 1, "times"),
    )
    for name in names.split()
}
_UNITS |= {"basis points": ("points", 1), "basis point": ("points", 1)}
_UNITS |= {"percentage points": ("points", 100), "percentage point": ("points", 100)}
_ALSO: dict[str, Key] = {"m": ("count", 1_000_000)}  # metres or million
_SIGNS = {"$": "$", "USD": "$", "€": "€", "EUR": "€", "£": "£", "GBP": "£"}
# Thirds are rounded in many ways.
_PARTS: dict[str, tuple[float, ...]] = {
    "half": (50,), "third": (33, 33.3, 33.33), "quarter": (25,), "fourth": (25,),
    "fifth": (20,), "sixth": (16.7, 17), "eighth": (12.5,), "tenth": (10,),
    "two thirds": (66.7, 67, 66, 66.67), "three quarters": (75,), "three fourths": (75,),
    "two fifths": (40,), "three fifths": (60,), "four fifths": (80,),
}  # fmt: skip
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SPELLED = rf"(?:{'|'.join(TENS)})(?:[ -](?:{'|'.join(list(SMALL)[1:10])}))?|{'|'.join(SMALL)}"
_SCALES = "hundred|thousand|million|billion|trillion|dozen"
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_MONTH = "|".join(MONTH_NAMES)
_A = rf"(?:half\s|(?:a\s)?quarter\sof\s|three\squarters\sof\s)?an?(?=\s(?:{_SCALES}|{_UNIT})\b)"
_DATE = expression(
    rf"\b(?P<month>{_MONTH})\s(?P<day>\d\d?)(?:st|nd|rd|th)?,?\s(?P<year>\d{{4}})\b"
    rf"|\b(?P<day2>\d\d?)(?:st|nd|rd|th)?\s(?:of\s)?(?P<month2>{_MONTH}),?\s(?P<year2>\d{{4}})\b"
    r"|(?<![\w/.-])(?:(?P<iso>(?:19|20)\d\d-\d\d?-\d\d?)|(?P<dots>\d\d?\.\d\d?\.(?:19|20)\d\d)"
    r"|(?P<slashes>\d\d?[/-]\d\d?[/-](?:19|20)\d\d))(?![\w/-])"
)
_CLOCK = expression(
    r"(?<![\w:.,])(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d))?(?![\d:])"
    r"(?:\s?(?P<half>am|pm)\b)?|\b(?P<named>noon|midday|midnight)\b"
)
_PARTED = "half|third|quarter|fourth|fifth|sixth|eighth|tenth"
_PART = expression(
    r"\b(?:(?P<many>two|three|four)[ -](?P<parts>thirds|quarters|fourths|fifths)\b(?!\sof\san?\s)"
    # "A quarter" alone is a coin or three months; "by a quarter" and "one quarter" are shares.
    rf"|(?<!and )\b(?:an?[ -](?P<part>{_PARTED})(?=\sof\b(?!\san?\b))"
    rf"|(?:(?<=\bby\s)an?|one)[ -](?P<whole>{_PARTED})\b(?!\sof\san?\b))"
    r"|(?P<bare>(?<!and a )(?<!and one )\b[Hh]alf)(?=\s(?:of|the|all|its|their|his|her|our)\b)"
    rf"|\b(?P<some>{_DIGITS}|{_SPELLED})\s(?:out\sof|in)\s(?:every\s)?(?P<all>\d\d?\b|100\b"
    rf"|(?:{_SPELLED})\b))",
    re.IGNORECASE,
)
_AMOUNT = expression(
    r"(?:(?<!\w)|(?=[$€£]))(?:(?:(?P<sign>[$€£]|\b(?:USD|EUR|GBP)\b)\s?)?(?<![\w.,/:\u2212-])"
    rf"(?P<number>{_DIGITS}|{_A}|(?:{_SPELLED})\b)"
    r"(?P<and>\sand\s(?:a|one)\shalf)?"
    rf"(?:[\s-](?P<scale>{_SCALES})\b)?(?:(?:\s|-|(?<=\d))(?P<unit>{_UNIT})(?!\w|/\w))?"
    r"(?P<later>\sand\sa\shalf)?(?![\w:/]|[.,]\d)"  # "2FA" is no two
    r"|\b(?P<twice>twice|thrice)\b)",
    re.IGNORECASE,
)
_HINT = expression(
    rf"\d|%|\b(?:{_SPELLED}|an?|half|twice|thrice|noon|midday|midnight)\b", re.IGNORECASE
)


_DECIMALS = expression(r"(\d+(?:,\d{3})*)(?:\.(\d+))?")
_TELLING = 2  # digits of a number that may round another
_TIMES = frozenset({"date", "clock"})


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that is counted or measured, a time or a date.

    Attributes:
        span: Its characters.
        text: How it is written.
        keys: What it may be, in units of its kind; mostly one.
    """

    span: Span
    text: str
    keys: frozenset[Key]


@memoized(4096, longest=2000)
def quantities(text: str) -> tuple[Quantity, ...]:
    """What a text in its usual form states (see `assay._text.numbers`), in order."""
    if not _HINT.search(text):
        return ()
    keys_at: dict[Span, frozenset[Key]] = {}
    spans: list[Span] = []  # in order
    for pattern, keys_of in _KINDS:
        for match in pattern.finditer(text):
            span, keys = match.span(), frozenset(keys_of(match))
            index = bisect(spans, span)
            # None of them overlaps another, so only the two neighbours can overlap this one.
            if keys and not any(
                span[0] < e and s < span[1] for s, e in spans[max(0, index - 1) : index + 1]
            ):
                spans.insert(index, span)
                keys_at[span] = keys
    return tuple(Quantity(span, text[slice(*span)], keys_at[span]) for span in spans)


def spellings_of(texts: Iterable[str]) -> dict[Key, list[str]]:
    """How texts write what they state: in their usual form, every way once."""
    ways_of: dict[Key, list[str]] = {}
    for text in texts:
        for quantity in quantities(text):
            for key in quantity.keys:
                spellings = ways_of.setdefault(key, [])
                if quantity.text not in spellings:
                    spellings.append(quantity.text)
    return ways_of


def written_like(text: Normalized, spellings: Mapping[Key, Sequence[str]]) -> Normalized:
    """The text with quantities as another text writes them, where it writes them otherwise.

    Args:
        text: In its usual form.
        spellings: How the other text writes what it states, see `spellings_of`.
    """
    changes: list[tuple[int, int, int, int]] = []
    pieces: list[str] = []
    done = length = 0
    for quantity in quantities(text.text):
        spellings_of_keys: Sequence[str] = [
            spelling for key in sorted(quantity.keys) for spelling in spellings.get(key, ())
        ]
        start, end = quantity.span
        if not spellings_of_keys:
            spellings_of_keys = _rounded(quantity, text.text[:start], spellings)
        if not spellings_of_keys or quantity.text.lower() in (
            spelling.lower() for spelling in spellings_of_keys
        ):
            continue
        spelling = spellings_of_keys[0]
        if start == 0:
            spelling = spelling[:1].upper() + spelling[1:]
        pieces += [text.text[done:start], spelling]
        length += start - done
        changes.append((length, length + len(spelling), start, end))
        length, done = length + len(spelling), end
    if not changes:
        return text
    return Normalized("".join([*pieces, text.text[done:]]), tuple(changes), text)


def _rounded(
    quantity: Quantity, before: str, spellings: Mapping[Key, Sequence[str]]
) -> Sequence[str]:
    """How the other text writes the one quantity that this one rounds: "2.417" for "2.42"."""
    match = _DECIMALS.search(quantity.text)
    if len(quantity.keys) != 1 or not match or not (match[2] or before.endswith("about ")):
        return ()
    if len(re.sub(r"\D", "", match[0]).lstrip("0")) < _TELLING:
        return ()
    ((kind, value),) = quantity.keys
    written = float(match[0].replace(",", ""))
    step = value / written * 10.0 ** -len(match[2] or "") if written else 0.0
    exact = [
        ways
        for (other_kind, other), ways in spellings.items()
        # A half is rounded up.
        if other_kind == kind and other != value and -step <= 2 * (other - value) < step
    ]
    return exact[0] if len(exact) == 1 and kind not in _TIMES else ()


def _dates(match: re.Match[str]) -> Iterator[Key]:
    if match["month"] or match["month2"]:
        month = MONTH_NAMES.index(match["month"] or match["month2"]) + 1
        day, year = int(match["day"] or match["day2"]), int(match["year"] or match["year2"])
        yield from _date(year, month, day)
        return
    first, second, third = map(int, re.split(r"[./-]", match[0]))
    if match["iso"]:
        yield from _date(first, second, third)
        return
    yield from _date(third, second, first)
    if match["slashes"]:
        yield from _date(third, first, second)


def _date(year: int, month: int, day: int) -> Iterator[Key]:
    try:
        yield "date", float(date(year, month, day).toordinal())
    except ValueError:  # no such day
        return


def _clock(match: re.Match[str]) -> Iterator[Key]:
    if match["named"]:
        yield "clock", 0 if match["named"] == "midnight" else 720
        return
    hour, half = int(match["hour"]), match["half"]
    if half and not 1 <= hour <= 12:
        return
    if not half and not match["minute"]:
        return
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    yield "clock", 60 * hour + int(match["minute"] or 0)


def _share_keys(match: re.Match[str]) -> Iterator[Key]:
    if match["some"]:
        part_number, all_number = _number(match["some"]), _number(match["all"])
        if 0 < part_number < all_number <= 100:
            yield "share", round(100 * part_number / all_number, 6)
        return
    if match["bare"]:
        name = "half"
    else:
        name = (match["part"] or match["whole"] or f"{match['many']} {match['parts']}").lower()
    for value in _PARTS.get(name, ()):
        yield "share", value


def _amounts(match: re.Match[str]) -> Iterator[Key]:
    if match["twice"]:
        yield "times", 2 if match["twice"].lower() == "twice" else 3
        return
    value = _number(match["number"])
    if match["and"] or match["later"]:
        value += 0.5
    if match["scale"]:
        value *= SCALES[match["scale"].lower()]
    unit = match["unit"]
    if match["sign"]:
        yield _SIGNS[match["sign"].upper()], round(value, 6)
    elif unit:
        # Of single letters the case tells: "5 M" are no metres.
        measured = _UNITS.get(unit if len(unit) == 1 else unit.lower()) or _UNITS.get(unit)
        for kind, size in filter(None, (measured, _ALSO.get(unit))):
            yield kind, round(value * size, 6)
    # "One" and "a" are mostly no numbers.
    elif match["scale"] or value not in (0, 1):
        yield "count", round(value, 6)


def _number(spellings_of: str) -> float:
    if spellings_of[0].isdigit():
        return float(spellings_of.replace(",", ""))
    lowered = spellings_of.lower()
    if lowered.split()[-1] in {"a", "an"}:
        return {"h": 0.5, "t": 0.75}.get(lowered[0], 0.25 if "quarter" in lowered else 1.0)
    first, *further_words = re.split(r"[ -]", lowered)
    return float(TENS.get(first, SMALL.get(first, 0)) + sum(SMALL[word] for word in further_words))


# In this order: a date is no amount, and "one in four" not a four.
_KINDS = (
    (_DATE, _dates),
    (_PART, _share_keys),
    (_CLOCK, _clock),
    (_AMOUNT, _amounts),
)


_CONVERTED = 0.01  # how far a conversion may be off, as a share
_ROUNDED = 0.05  # ... and what is rounded, at most
_FIRST, _LAST = 1000, 2100  # years that a number may be
_MONEY = frozenset({"$", "€", "£", "¥", "CHF"})


def comparable(first: Amount, second: Amount) -> bool:
    """Whether they may be two answers to one question; a number without a unit is with any."""
    if first.days and second.days:
        return any(_shared_parts(a, b) for a in first.days for b in second.days)
    if first.days or second.days:  # a year is compared with a year
        return all(amount.days or _FIRST <= amount.number <= _LAST for amount in (first, second))
    return _are_like(first, second)


def _are_like(amount: Amount, other: Amount) -> bool:
    pair = {amount.kind, other.kind}
    return len(pair) == 1 or "" in pair or pair <= _MONEY | {"cent"}


def same(amount: Amount, other: Amount, scale: float = 1.0) -> bool:
    """Whether both state the same, one of them perhaps rounded or in another unit.

    Args:
        amount: One of them.
        other: The other one.
        scale: What a number without a scale may be counted in, besides 1.
    """
    if "date" in (amount.kind, other.kind):
        return _same_date(amount, other)
    pair = {amount.kind, other.kind}
    if (
        not (_are_like(amount, other) or pair == {"share", "points"})
        or amount.bound * other.bound < 0
    ):
        return False
    if len(pair & _MONEY) > 1:  # no rate of exchange is known
        return False
    return any(
        _close(a, amount.step * a_size, b, other.step * b_size, converted=converted)
        for a, a_size, b, b_size, converted in _readings(amount, other, scale)
    )


def opposed(first: Amount, second: Amount, question: str = "") -> bool:
    """Whether one is a fall and the other is none, by its sign or in words."""
    turns = [_turn(amount, question) for amount in (first, second)]
    if turns[0] * turns[1] < 0:
        return True
    return first.negative is not second.negative and 0 in turns


def _turn(amount: Amount, question: str) -> int:
    if amount.negative or amount.turn:
        return amount.turn or -1
    if FALLING.search(question):
        return -1
    return 1 if RISING.search(question) else 0


def covers(other: Amount, amount: Amount) -> bool:
    """Whether a date that is the same says as much: not "1969" of "July 20, 1969"."""
    if amount.kind != "date":
        return True
    precisions = [sum(field is not None for field in day) for day in amount.days]
    return other.kind == "date" and max(
        sum(field is not None for field in day) for day in other.days
    ) >= max(precisions)


def _readings(
    amount: Amount, other: Amount, scale: float
) -> Iterator[tuple[float, float, float, float, bool]]:
    """Both values with the size of one unit of each, and whether one was converted."""
    if amount.kind and other.kind and not amount.kind == other.kind in _MONEY:
        systems = amount.size != other.size and _is_odd_ratio(amount.size / other.size)
        odd = systems or amount.zero != other.zero
        yield amount.value, amount.size, other.value, other.size, odd
        return
    for a in {1.0, scale} if not amount.scaled else {1.0}:
        for b in {1.0, scale} if not other.scaled else {1.0}:
            yield amount.number * a, a, other.number * b, b, False
    for share, number in ((amount, other), (other, amount)):
        if share.kind == "share" and not number.kind and abs(number.number) <= 1:
            yield (
                (amount.number, 1.0, other.number * 100, 100.0, False)
                if share is amount
                else (amount.number * 100, 100.0, other.number, 1.0, False)
            )


def _is_odd_ratio(ratio: float) -> bool:
    """Whether one unit is no plain multiple of the other: a mile of a kilometre."""
    ratio = max(ratio, 1 / ratio)
    return abs(ratio - round(ratio)) > 1e-6


def _close(a: float, a_step: float, b: float, b_step: float, *, converted: bool) -> bool:
    larger = max(abs(a), abs(b))
    allowed = min(max(a_step, b_step), _ROUNDED * larger)
    if converted:
        allowed = max(allowed, _CONVERTED * larger)
    return abs(a - b) <= allowed + 1e-9 * larger


def _same_date(amount: Amount, other: Amount) -> bool:
    if amount.kind == other.kind:
        return any(_same_day(a, b) for a in amount.days for b in other.days)
    date, year_amount = (amount, other) if amount.kind == "date" else (other, amount)
    return not year_amount.kind and any(year_amount.number == year for year, _, _ in date.days)


def _same_day(day: Day, other: Day) -> bool:
    shared = _shared_parts(day, other)
    return bool(shared) and all(a == b for a, b in shared)


def _shared_parts(day: Day, other: Day) -> list[tuple[int, int]]:
    """Year, month and day of both, where both have them."""
    pairs = zip(day, other, strict=True)
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def matches(
    claimed: Sequence[Amount], candidates: Sequence[Amount], question: str = "", scale: float = 1.0
) -> list[tuple[Amount, Amount]]:
    """Every claimed amount that is the same as a candidate, with the nearest of these.

    Args:
        claimed: The amounts of one answer.
        candidates: Those of another one.
        question: What was asked: "how much did it fall?"
        scale: What a number without a scale may be counted in, besides 1.
    """
    pairs = []
    for amount in claimed:
        like_candidates = [
            candidate
            for candidate in candidates
            if same(amount, candidate, scale) and not opposed(amount, candidate, question)
        ]
        if like_candidates:
            nearest = min(
                like_candidates, key=lambda candidate: math.fabs(candidate.number - amount.number)
            )
            pairs.append((amount, nearest))
    return pairs
