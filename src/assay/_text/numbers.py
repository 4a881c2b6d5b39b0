"""Numbers as texts write them and as results print them, and the normal form of what is counted."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from assay._text import alternatives, memoized
from assay._text.expressions import expression
from assay._text.sentences import Span
from assay._text.usual_words import LIMIT, PHRASE, has_unusual_words, usual_words

# ruff: noqa: SIM905 - word lists read better as prose


SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
SCALES = {
    "hundred": 100,
    "dozen": 12,
    "thousand": 1_000,
    "k": 1_000,
    "million": 1_000_000,
    "mn": 1_000_000,
    "mln": 1_000_000,
    "mio": 1_000_000,
    "m": 1_000_000,
    "billion": 1_000_000_000,
    "bn": 1_000_000_000,
    "bln": 1_000_000_000,
    "b": 1_000_000_000,
    "trillion": 1_000_000_000_000,
}
# "First", "second" and "third" are mostly no numbers.
ORDINALS = {
    word: value
    for value, word in enumerate(
        "fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=4,
    )
}
_WORDS = alternatives([*SMALL, *TENS])
SPELLED: Final = rf"(?:{_WORDS})\b"  # a number of one word
_CLOCK = expression(
    r"(?=\d)(?<![\d:])(?<!\d[.,])(?P<hour>[01]?\d|2[0-4])"
    r"(?::(?P<minute>[0-5]?\d)(?::\d\d)?|\.(?P<dotted>[0-5]\d)(?=\s*[ap]\.?\s?m\b))?"
    r"(?:\s*(?P<half>[ap])\.?\s?m\b\.?)?(?![\d:])"
    # "5-9 pm": the half of the day is said once.
    r"(?:(?=\s*(?:-|–|—|to|until|till)\s*(?P<end>1[0-2]|0?[1-9])(?::[0-5]\d)?"
    r"\s*(?P<end_half>[ap])\.?\s?m\b))?",
    re.IGNORECASE,
)
_DIGIT = expression(r"\d")
_NAMED_TIME = expression(r"\b(?:(?P<noon>noon|midday)|midnight)\b", re.IGNORECASE)
_DIGITS = expression(
    r"(?=[\d.$€£¥])(?<![\w.,])(?:[$€£¥]\s?)?(?P<number>\d+(?:\.\d+){2,}"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:\s?-?(?P<word>hundred|thousand|million|billion|trillion|dozen|mn|mln|mio|bn|bln)\b"
    r"|(?P<short>k|m|b)\b)?"
    r"(?:st|nd|rd|th|s)?(?!\d)",
    re.IGNORECASE,
)
_SPELLED = expression(
    rf"\b(?P<first>{_WORDS}|(?:a|half\sa)(?=\s(?:hundred|thousand|million|billion|dozen)\b))"
    rf"(?:[\s-]+(?P<second>{'|'.join(list(SMALL)[1:10])}))?"
    r"(?:[\s-]+(?P<scale>hundred|thousand|million|billion|trillion|dozen))?\b",
    re.IGNORECASE,
)
_FRACTION = expression(
    r"(?=[\d\u00bc-\u00be\u2150-\u215e])(?<![\w.,/])(?:(?:(?P<whole>\d{1,4})[\s-]?)?(?P<sign>[\u00bc-\u00be\u2150-\u215e])"
    r"|(?:(?P<before>\d{1,4})[\s-])?(?P<up>[1-7])/(?P<down>[2-8])(?![\w/]|\.\d))"
)
# "A fifth of it", "two fifths" are shares.
_ORDINAL = expression(
    rf"\b(?<!\ba )(?<!\bone )(?<!\bone-)(?:{alternatives(ORDINALS)})\b", re.IGNORECASE
)
# One of these words is in every number that is spelled out, and in every time that has a name.
_SPELLING = frozenset(
    {*SMALL, *TENS, *ORDINALS, "noon", "midday", "midnight"}
    | {"hundred", "thousand", "million", "billion", "dozen"}
)
_LETTERS = expression(r"[a-z]+")
# "one" is mostly a pronoun, and a missing "one" says nothing.
_IGNORED_WORDS = frozenset({"one", "zero"})


def numbers(text: str) -> dict[str, str]:
    """Every number of `text`: its plain form ("1000", "2.5", "17:00") and how it was written."""
    by_plain_form: dict[str, str] = {}
    # Most texts hold no number: a look for what each must have is faster than its pattern.
    digits, ascii_only = _DIGIT.search(text), text.isascii()
    if digits or not ascii_only:
        for fraction in _FRACTION.finditer(text):
            if (value := _fraction_value(fraction)) is not None:
                by_plain_form.setdefault(value, fraction.group())
    if by_plain_form:
        text = _FRACTION.sub(_blank_fraction, text)
    if digits:
        by_plain_form |= _in_digits(text)
    if not ascii_only or not _SPELLING.isdisjoint(_LETTERS.findall(text.lower())):
        _add_spelled(text, by_plain_form)
    return by_plain_form


_WITH_SIGN = expression(
    r"(?P<minus>(?<![\w.,)\u2013-])(?:[-\u2212][$€£]?|minus\s))?(?<![\d.,])(?P<number>\d+(?:[.,]\d+)*)"
)


def by_sign(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The numbers in digits with a minus before them, and those without, in plain form."""
    signed: tuple[set[str], set[str]] = set(), set()
    for match in _WITH_SIGN.finditer(text):
        signed[match["minus"] is None].update(_plain_forms(match["number"]))
    return frozenset(signed[0]), frozenset(signed[1])


@memoized(4096, longest=40)
def _plain_forms(number: str) -> tuple[str, ...]:
    return tuple(numbers(number))


def _add_spelled(text: str, spellings: dict[str, str]) -> None:
    for time in _NAMED_TIME.finditer(text):
        spellings.setdefault("12:00" if time["noon"] else "00:00", time.group())
    for spelled in _SPELLED.finditer(text):
        if spelled.group().lower() not in _IGNORED_WORDS:
            spellings.setdefault(_spelled_value(spelled), spelled.group())
    for ordinal in _ORDINAL.finditer(text):
        spellings.setdefault(str(ORDINALS[ordinal.group().lower()]), ordinal.group())


def _fraction_value(fraction: re.Match[str]) -> str | None:
    """Its plain form; None where it is none: 7/4 is a date or a score."""
    if fraction["sign"]:
        fraction_value = unicodedata.numeric(fraction["sign"])
    else:
        fraction_value = int(fraction["up"]) / int(fraction["down"])
    return (
        _format(int(fraction["whole"] or fraction["before"] or 0) + fraction_value)
        if fraction_value < 1
        else None
    )


def _blank_fraction(fraction: re.Match[str]) -> str:
    return fraction.group() if _fraction_value(fraction) is None else " "


def _in_digits(text: str) -> dict[str, str]:
    by_plain_form: dict[str, str] = {}
    for clock in _CLOCK.finditer(text):
        if _is_time(clock):
            by_plain_form.setdefault(_time(clock), clock.group().strip())
    if by_plain_form:
        text = _CLOCK.sub(_blank_time, text)
    for digits in _DIGITS.finditer(text):
        by_plain_form.setdefault(_plain_digits(digits), digits.group().strip())
    return by_plain_form


def is_close_to_any(number: str, others: Mapping[str, str], tolerance: float) -> bool:
    """Whether `number` (plain form) differs from one of `others` by at most that share of it."""
    if not _is_amount(number):
        return number in others
    value = float(number)
    return any(
        abs(float(other) - value) <= tolerance * abs(value) for other in filter(_is_amount, others)
    )


def is_prefix_of_any(written: str, others: Iterable[str]) -> bool:
    """Whether "5.3", as written, is the beginning of a longer version: "5.3.2"."""
    return "." in written and any(other.startswith(f"{written}.") for other in others)


def _is_amount(number: str) -> bool:
    """Whether it is no time of day ("17:00") and no version or address ("5.3.2")."""
    return ":" not in number and number.count(".") < 2


def _is_time(clock: re.Match[str]) -> bool:
    return bool(clock["minute"] or clock["half"] or (clock["end_half"] and int(clock["hour"]) < 13))


def _blank_time(clock: re.Match[str]) -> str:
    return " " if _is_time(clock) else clock.group()


def _time(clock: re.Match[str]) -> str:
    hour = int(clock["hour"])
    half = clock["half"]
    if not half and clock["end_half"] and 0 < hour < 13:
        # "5-9 pm" begins at 5 pm, "9-5 pm" at 9 am.
        same = hour % 12 < int(clock["end"]) % 12
        half = clock["end_half"] if same else "ap"[clock["end_half"] in "aA"]
    if half:
        hour = hour % 12 + (12 if half in "pP" else 0)
    return f"{hour % 24:02d}:{int(clock['minute'] or clock['dotted'] or 0):02d}"


def _plain_digits(digits: re.Match[str]) -> str:
    if not _is_amount(digits["number"]):
        return digits["number"]
    value = float(digits["number"].replace(",", ""))
    scale = (digits["word"] or digits["short"] or "").lower()
    return _format(value * SCALES.get(scale, 1))


def _spelled_value(spelled: re.Match[str]) -> str:
    first = spelled["first"].lower()
    if first.startswith(("a", "half")):
        value = 1.0 if first == "a" else 0.5
    else:
        value = float(SMALL.get(first, TENS.get(first, 0)))
    if spelled["second"] and first in TENS:
        value += SMALL[spelled["second"].lower()]
    return _format(value * SCALES.get((spelled["scale"] or "").lower(), 1))


def _format(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


# Behind a number. Upper and lower case tell a megabyte from a millibar, and grams from a network.
_UNITS = {
    "sec": "seconds", "secs": "seconds", "min": "minutes", "mins": "minutes", "h": "hours",
    "hr": "hours", "hrs": "hours", "wk": "weeks", "wks": "weeks", "mos": "months", "yr": "years",
    "yrs": "years", "lb": "pounds", "lbs": "pounds", "oz": "ounces", "ft": "feet", "mi": "miles",
    "g": "grams", "ml": "ml", "mL": "ml",
    "bn": "billion", "bln": "billion", "mn": "million", "mln": "million", "tn": "trillion",
    "am": "am", "pm": "pm", "a.m.": "am", "p.m.": "pm", "AM": "am", "PM": "pm",
    "kg": "kg", "mg": "mg", "mm": "mm", "cm": "cm", "km": "km", "km/h": "km/h", "kph": "km/h",
    "mph": "mph", "MP": "MP", "MB": "MB", "GB": "GB", "TB": "TB", "kHz": "kHz", "MHz": "MHz",
    "GHz": "GHz", "kW": "kW", "MW": "MW", "GW": "GW", "kWh": "kWh", "mAh": "mAh",
    "%": "%", "percent": "%", "per cent": "%", "°C": "°C", "°F": "°F",
    "degrees Celsius": "°C", "degrees Fahrenheit": "°F", "degrees C": "°C", "degrees F": "°F",
    "° C": "°C", "° F": "°F", "miles per hour": "mph",
    "kilometers per hour": "km/h", "kilometres per hour": "km/h",
}  # fmt: skip
_SPELLED_OUT = {
    "kilogram": "kg", "milligram": "mg", "millimeter": "mm", "millimetre": "mm",
    "centimeter": "cm", "centimetre": "cm", "kilometer": "km", "kilometre": "km",
    "milliliter": "ml", "millilitre": "ml", "megapixel": "MP", "megabyte": "MB",
    "gigabyte": "GB", "terabyte": "TB", "kilowatt": "kW", "megawatt": "MW", "gigawatt": "GW",
}  # fmt: skip
_UNITS |= {f"{name}{end}": unit for name, unit in _SPELLED_OUT.items() for end in ("", "s")}
_UNITS |= {"kilohertz": "kHz", "megahertz": "MHz", "gigahertz": "GHz"}
_TIGHT = frozenset({"%"})  # written without a blank
_SCALES = {
    "k": "thousand", "K": "thousand", "m": "million", "M": "million", "mn": "million",
    "b": "billion", "B": "billion", "bn": "billion", "T": "trillion",
}  # fmt: skip
_CURRENCIES = {
    "dollars": "$", "US dollars": "$", "U.S. dollars": "$", "USD": "$", "euros": "€", "EUR": "€",
}  # fmt: skip
MONTH_NAMES: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_MONTHS = {
    "Jan": "January", "Feb": "February", "Mar": "March", "Apr": "April", "Jun": "June",
    "Jul": "July", "Aug": "August", "Sep": "September", "Sept": "September", "Oct": "October",
    "Nov": "November", "Dec": "December",
}  # fmt: skip
_DAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday",
    "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip
_ORDER = {"1": "first", "2": "second", "3": "third", "4": "fourth"}
_UNIT_WORDS = {
    "approx.": "approximately", "vs.": "versus", "w/o": "without", "YoY": "year over year",
    "a dozen": "twelve", "A dozen": "Twelve", "chief executive officer": "CEO",
    "chief financial officer": "CFO", "gross domestic product": "GDP",
    "chief operating officer": "COO", "chief technology officer": "CTO", "chief executive": "CEO",
    "avg.": "average", "bldg.": "building", "dept.": "department", "excl.": "excluding",
    "govt.": "government", "incl.": "including", "max.": "maximum", "Mt.": "Mount",
    "Prof.": "Professor", "temp.": "temperature", "univ.": "university",
    "U.S.": "US", "U.S.A.": "US", "USA": "US", "U.K.": "UK", "E.U.": "EU", "U.N.": "UN",
}  # fmt: skip
_UNIT_WORDS |= {
    name.title(): short if name.startswith("chief") else short.capitalize()
    for name, short in _UNIT_WORDS.items()
    if name.startswith("chief") or (name.islower() and name.endswith("."))
}
# Signs of one character that look like others; a number's groups are kept apart by commas.
_LIKE = str.maketrans("\u00a0\u2007\u2009\u202f\u2010\u2011\u2212", "    ---")
_MINUS = expression(r"(?<![\w.,)-])-(?=[$€£]?\d)")  # a model overlooks "-5", and reads "\u22125"
_GROUPS = expression(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
# Behind the first day of some: "Mon - Fri", "Monday–Fri", but "Earth–Sun".
_SINCE = "|".join(
    rf"(?<={day}{dash})" for day in (*_DAYS, "day") for dash in ("[-–—]", r"\s[-–—]\s")
)
_COUNTED = r"(?!(?:video|display|screen|monitor|camera|movie|race|run)s)(?:people|[a-z]+s)\b"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_MEASURED = rf"[$€£]?(?:{_NUMBER})(?:\s?(?:[ap]\.\s?m\.|[^\W\d]{{1,12}}\.?)|%)?"
_HOURS = "|".join(list(SMALL)[1:13])


def _names(names: dict[str, str]) -> str:
    return alternatives(sorted(names, key=len, reverse=True))


_CLOCK_WORDS = (
    rf"|\b(?:a\s)?(?P<spoken>half\spast|quarter\s(?:past|to))\s(?P<hour>1[0-2]|[1-9]|{_HOURS})\b"
)
_LIMITED = (
    rf"|(?<![\w.,/$€£])(?P<floor>{_MEASURED})"
    r"\s(?:or\s(?:more|above|over|older|longer|higher)|and\s(?:above|older))\b(?!\sthan)"
    rf"|(?<![\w.,/$€£])(?P<ceiling>{_MEASURED})"
    r"\sor\s(?:less|fewer|under|below|younger|shorter)\b(?!\sthan)"
)
_WORDED = (
    rf"|(?P<limit>{LIMIT})(?:\sthe\sage\sof)?"
    rf"(?:(?=\s(?:[$€£]?\d|(?:{_WORDS})\b)(?!\d*\syears?\s(?:old|of\sage)\b))"
    r"|\s(?P<age>\d{1,3})\syears?\s(?:old|of\sage)\b)"
    r"|(?P<early>[nN]ot? later than)(?=\s\d{1,3}\s\w+\s(?:before|prior)\b)"
    rf"|[bB]etween\s(?P<low>{_MEASURED})\sand(?=\s[$€£]?\d)"
    rf"|(?P<phrase>{PHRASE})(?!\w)"
)
_WORDS_ALONE = expression(rf"{_CLOCK_WORDS[1:]}|(?<!\w)(?:{_WORDED[1:]})")
# All but a few begin where a word may, which is looked for once: most places are within a word.
_FORMS, _FORMS_AND_WORDS = (
    expression(
        rf"(?P<sign>[$€£])\s?(?P<sum>{_NUMBER})\s?(?P<scale>{_names(_SCALES)})\b"
        rf"{anywhere}"
        r"|(?<!\w)(?P<tilde>[~≈])\s?(?=[$€£]?\d)"
        r"|(?<![\w.,/:-])(?P<date>(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?=\d\d:)|(?![\w:-])))"
        r"|(?P<hidden>[\u00ad\u200b\u2060\ufeff]+)"
        r"|(?<!\w)(?:(?<![\w.,/$€£])(?P<feet>\d{1,2})(?:\s?(?:ft\.?|feet|foot)\s|['′]\s?)"
        r"(?P<inches>\d{1,2}(?:\.\d+)?)"
        r"(?:\s?[\"″]|\sin\b(?=\.?(?:$|[.,;:)]|\s(?:tall|high|long|wide|deep)\b)))"
        rf"{numbered}"
        rf"|(?<![\w.,/$€£])(?P<amount>{_NUMBER})"
        # "4K" is a sort of picture as well.
        rf"(?:(?P<thousands>k|(?:(?<![2458])|(?<=[\d,.]\d))K|K(?=\s{_COUNTED}))\b|\s(?P<seconds>s)(?![\w/'’])"
        r"|(?<=\d\d)(?P<oven>F)\b"  # "350F", but "4F"
        rf"|(?:\s(?P<times>thousand|million|billion|trillion))?\s(?P<currency>{_names(_CURRENCIES)})\b"
        rf"|[\s-]?(?P<unit>{_names(_UNITS)})(?!\w|/\w))"
        rf"|\b(?P<month>{_names(_MONTHS)})\b\.?(?=\s\d)"
        rf"|(?<=\d\s)(?P<later>{_names(_MONTHS)})\b(?:\.(?=\s[\da-z]))?"
        # Not "in Mar del Plata".
        rf"|(?<=\bin\s)(?P<within>{_names(_MONTHS)})\b(?!\s(?:[A-Z]|del?\b))"
        rf"|(?<=\bon\s)(?P<day>{_names(_DAYS)})\b"
        rf"|\b(?P<first>{_names(_DAYS)})(?=\s?[-–—]\s?(?:{_names(_DAYS)})\b|:\s?(?:\d|closed))"
        rf"|(?=[MTWFS])(?:{_SINCE})(?P<last>{_names(_DAYS)})\b"
        r"|(?<!\w)[vV](?P<version>\d+(?:\.\d+)+)"
        rf"|\bQ(?P<quarter>[1-4])\b|\bH(?P<half>[12])(?=\s(?:of\s)?(?:19|20)\d\d\b)"
        rf"|\bFY(?:\s?'?(?P<fiscal>20\d\d|\d\d))?\b"
        rf"|(?<!\w)'(?P<decade>[2-9]0s)\b|(?<!\d\s)\b(?P<minus>minus\s)(?=\d)"
        rf"{worded}"
        rf"|(?<!\w)(?P<word>{_names(_UNIT_WORDS)})(?!\w))"
    )
    for anywhere, numbered, worded in (("", "", ""), (_CLOCK_WORDS, _LIMITED, _WORDED))
)


def _spelled_date(date: str) -> str:
    """Of "2023-03-14" "14 March 2023"."""
    year, month, day = date.rstrip("T").split("-")
    time = " " if date.endswith("T") else ""
    return f"{MONTH_NAMES[int(month) - 1]} {int(day)}, {year}{time}"


_RULES: dict[str, Callable[[str], str]] = {
    "month": _MONTHS.__getitem__,
    "later": _MONTHS.__getitem__,
    "within": _MONTHS.__getitem__,
    "day": _DAYS.__getitem__,
    "first": _DAYS.__getitem__,
    "last": _DAYS.__getitem__,
    "version": str,
    "early": lambda words: "at least" if words[0].islower() else "At least",
    "low": lambda low: f"from {_usual(low)} to",
    "floor": lambda least: f"at least {_usual(least)}",
    "ceiling": lambda most: f"up to {_usual(most)}",
    "date": _spelled_date,
    "tilde": lambda _: "about ",
    "hidden": lambda _: "",
    "quarter": lambda index: f"{_ORDER[index]} quarter",
    "half": lambda index: f"{_ORDER[index]} half",
    "fiscal": lambda year: f"fiscal year {year if len(year) == 4 else '20' + year}",
    "minus": lambda _: "\u2212",
    "decade": lambda years: f"19{years}",
    "phrase": usual_words,
    "word": _UNIT_WORDS.__getitem__,
}
# Whether there is anything to look at: most sentences have nothing.
_HINT = expression(
    rf"[\d\u00ad\u200b\u2060\ufeff]|(?<!\w)(?:(?:Q[1-4]|FY|in\s(?:{_names(_MONTHS)})|{_names(_DAYS)})\b"
    rf"|{_names(_UNIT_WORDS)})"
)


@dataclass(frozen=True, slots=True)
class Normalized:
    """A text in its usual form.

    Attributes:
        text: How it reads.
        changes: Where that differs: (first, last character in it, first, last in the original).
        before: The original, if that had been changed itself.
    """

    text: str
    changes: tuple[tuple[int, int, int, int], ...] = ()
    before: "Normalized | None" = None

    def original(self, span: Span) -> Span:
        """The characters of the original that stand for these; of a change the whole."""
        span_before = self._first(span[0]), self._last_index(span[1])
        return self.before.original(span_before) if self.before else span_before

    def _first(self, position: int) -> int:
        shift = 0
        for start, end, begin, stop in self.changes:
            if position < end:
                return begin if position >= start else position + shift
            shift = stop - end
        return position + shift

    def _last_index(self, position: int) -> int:
        shift = 0
        for start, end, _, stop in self.changes:
            if position <= end:
                return stop if position > start else position + shift
            shift = stop - end
        return position + shift


@memoized(4096, longest=2000)
def normalize(text: str) -> Normalized:
    """The text in its usual form."""
    if not text.isascii():
        text = _GROUPS.sub(",", text).translate(_LIKE)
    text = _MINUS.sub("\u2212", text)
    worded, hinted = has_unusual_words(text), _HINT.search(text)
    if not (worded or hinted):
        return Normalized(text)
    forms = _FORMS if not worded else _FORMS_AND_WORDS if hinted else _WORDS_ALONE
    pieces: list[str] = []
    changes: list[tuple[int, int, int, int]] = []
    end = length = 0
    for match in forms.finditer(text):
        usual = _usual_form(match)
        if usual == match[0]:
            continue
        pieces += [text[end : match.start()], usual]
        length += match.start() - end
        changes.append((length, length + len(usual), match.start(), match.end()))
        length, end = length + len(usual), match.end()
    return Normalized("".join([*pieces, text[end:]]), tuple(changes))


def _usual_form(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "scale":
        return f"{match['sign']}{match['sum']} {_SCALES[match['scale']]}"
    if kind == "inches":
        return f"{match['feet']} feet {match['inches']} inches"
    if kind == "hour":
        hour = SMALL.get(match["hour"]) or int(match["hour"])
        spoken = " ".join(match["spoken"].split())
        minute = {"half past": 30, "quarter past": 15, "quarter to": -15}[spoken]
        return f"{(hour - (minute < 0) - 1) % 12 + 1}:{minute % 60}"
    if kind in {"limit", "age"}:
        return " ".join(filter(None, (usual_words(match["limit"]), match["age"])))
    if kind in _RULES:
        return _RULES[kind](match[kind])
    return _amount(match) if kind else "fiscal year"


def _usual(part: str) -> str:
    return normalize(part).text


def _amount(match: re.Match[str]) -> str:
    amount = match["amount"]
    if match["thousands"]:
        return f"{float(amount.replace(',', '')) * 1000:,.10g}"
    if match["currency"]:
        return " ".join(filter(None, (_CURRENCIES[match["currency"]] + amount, match["times"])))
    unit = "seconds" if match["seconds"] else "°F" if match["oven"] else _UNITS[match["unit"]]
    return f"{amount}{unit}" if unit in _TIGHT else f"{amount} {unit}"
