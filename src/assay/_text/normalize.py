"""The normal form of units, sums, dates and titles in a text.

"12 megapixels", "4.2 million dollars", "Q3" and "Jan 5" read "12 MP", "$4.2 million", "third
quarter" and "January 5". What can be read in two ways stays ("5 m", "7/4").
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from assay._text import memoized
from assay._text.sentences import Span

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
    "degrees Celsius": "°C", "degrees Fahrenheit": "°F", "miles per hour": "mph",
    "kilometers per hour": "km/h", "kilometres per hour": "km/h",
}  # fmt: skip
_SPELLED = {
    "kilogram": "kg", "milligram": "mg", "millimeter": "mm", "millimetre": "mm",
    "centimeter": "cm", "centimetre": "cm", "kilometer": "km", "kilometre": "km",
    "milliliter": "ml", "millilitre": "ml", "megapixel": "MP", "megabyte": "MB",
    "gigabyte": "GB", "terabyte": "TB", "kilowatt": "kW", "megawatt": "MW", "gigawatt": "GW",
}  # fmt: skip
_UNITS |= {f"{name}{end}": unit for name, unit in _SPELLED.items() for end in ("", "s")}
_UNITS |= {"kilohertz": "kHz", "megahertz": "MHz", "gigahertz": "GHz"}
_TIGHT = frozenset({"%"})  # written without a blank
_SCALES = {
    "k": "thousand", "K": "thousand", "m": "million", "M": "million", "mn": "million",
    "b": "billion", "B": "billion", "bn": "billion", "T": "trillion",
}  # fmt: skip
_CURRENCIES = {
    "dollars": "$", "US dollars": "$", "U.S. dollars": "$", "USD": "$", "euros": "€", "EUR": "€",
}  # fmt: skip
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
_WORDS = {
    "approx.": "approximately", "vs.": "versus", "w/o": "without", "YoY": "year over year",
    "a dozen": "twelve", "A dozen": "Twelve", "chief executive officer": "CEO",
    "chief financial officer": "CFO", "gross domestic product": "GDP",
    "chief operating officer": "COO", "chief technology officer": "CTO", "chief executive": "CEO",
    "U.S.": "US", "U.S.A.": "US", "USA": "US", "U.K.": "UK", "E.U.": "EU", "U.N.": "UN",
}  # fmt: skip
_WORDS |= {name.title(): short for name, short in _WORDS.items() if name.startswith("chief")}
# Signs of one character that look like others; a number's groups are kept apart by commas.
_LIKE = str.maketrans("\u00a0\u2007\u2009\u202f\u2010\u2011\u2212", "    ---")
_MINUS = re.compile(r"(?<![\w.,)-])-(?=[$€£]?\d)")  # a model overlooks "-5", and reads "\u22125"
_GROUPS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
# Behind the first day of some: "Mon - Fri", "Monday–Fri", but "Earth–Sun".
_SINCE = "|".join(
    rf"(?<={day}{dash})" for day in (*_DAYS, "day") for dash in ("[-–—]", r"\s[-–—]\s")
)
_COUNTED = r"(?!(?:video|display|screen|monitor|camera|movie|race|run)s)(?:people|[a-z]+s)\b"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


def _any(names: dict[str, str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


_FORMS = re.compile(
    rf"(?P<sign>[$€£])\s?(?P<sum>{_NUMBER})\s?(?P<scale>{_any(_SCALES)})\b"
    rf"|(?<![\w.,/$€£])(?P<amount>{_NUMBER})"
    # "4K" is a sort of picture as well.
    rf"(?:(?P<thousands>k|(?:(?<![2458])|(?<=[\d,.]\d))K|K(?=\s{_COUNTED}))\b|\s(?P<seconds>s)(?![\w/'’])"
    rf"|(?:\s(?P<times>thousand|million|billion|trillion))?\s(?P<currency>{_any(_CURRENCIES)})\b"
    rf"|[\s-]?(?P<unit>{_any(_UNITS)})(?!\w|/\w))"
    rf"|\b(?P<month>{_any(_MONTHS)})\b\.?(?=\s\d)"
    rf"|(?<=\d\s)(?P<later>{_any(_MONTHS)})\b(?:\.(?=\s[\da-z]))?"
    rf"|(?<=\bin\s)(?P<within>{_any(_MONTHS)})\b(?!\s(?:[A-Z]|del?\b))"  # but "in Mar del Plata"
    rf"|(?<=\bon\s)(?P<day>{_any(_DAYS)})\b"
    rf"|\b(?P<first>{_any(_DAYS)})(?=\s?[-–—]\s?(?:{_any(_DAYS)})\b|:\s?(?:\d|closed))"
    rf"|(?:{_SINCE})(?P<last>{_any(_DAYS)})\b"
    r"|(?<!\w)[vV](?P<version>\d+(?:\.\d+)+)|(?P<hidden>[\u00ad\u200b\u2060\ufeff]+)"
    rf"|\bQ(?P<quarter>[1-4])\b|\bH(?P<half>[12])(?=\s(?:of\s)?(?:19|20)\d\d\b)"
    rf"|\bFY(?:\s?'?(?P<fiscal>20\d\d|\d\d))?\b"
    rf"|(?<!\w)'(?P<decade>[2-9]0s)\b|(?<!\d\s)\b(?P<minus>minus\s)(?=\d)"
    rf"|(?<!\w)(?P<word>{_any(_WORDS)})(?!\w)"
)
_RULES: dict[str, Callable[[str], str]] = {
    "month": _MONTHS.__getitem__,
    "later": _MONTHS.__getitem__,
    "within": _MONTHS.__getitem__,
    "day": _DAYS.__getitem__,
    "first": _DAYS.__getitem__,
    "last": _DAYS.__getitem__,
    "version": str,
    "hidden": lambda _: "",
    "quarter": lambda place: f"{_ORDER[place]} quarter",
    "half": lambda place: f"{_ORDER[place]} half",
    "fiscal": lambda year: f"fiscal year {year if len(year) == 4 else '20' + year}",
    "minus": lambda _: "\u2212",
    "decade": lambda years: f"19{years}",
    "word": _WORDS.__getitem__,
}
# Whether there is anything to look at: most sentences have nothing.
_HINT = re.compile(
    rf"\d|\b(?:Q[1-4]|FY|in\s(?:{_any(_MONTHS)}))\b|\b(?:{_any(_DAYS)})\b|{_any(_WORDS)}"
    r"|[\u00ad\u200b\u2060\ufeff]"
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
        span_before = self._first(span[0]), self._last(span[1])
        return self.before.original(span_before) if self.before else span_before

    def _first(self, at: int) -> int:
        shift = 0
        for start, end, begin, stop in self.changes:
            if at < end:
                return begin if at >= start else at + shift
            shift = stop - end
        return at + shift

    def _last(self, at: int) -> int:
        shift = 0
        for start, end, _, stop in self.changes:
            if at <= end:
                return stop if at > start else at + shift
            shift = stop - end
        return at + shift


@memoized(4096, longest=2000)
def normalize(text: str) -> Normalized:
    """The text in its usual form."""
    if not text.isascii():
        text = _GROUPS.sub(",", text).translate(_LIKE)
    text = _MINUS.sub("\u2212", text)
    if not _HINT.search(text):
        return Normalized(text)
    parts: list[str] = []
    changes: list[tuple[int, int, int, int]] = []
    done = length = 0
    for match in _FORMS.finditer(text):
        said = _said(match)
        if said == match[0]:
            continue
        parts += [text[done : match.start()], said]
        length += match.start() - done
        changes.append((length, length + len(said), match.start(), match.end()))
        length, done = length + len(said), match.end()
    return Normalized("".join([*parts, text[done:]]), tuple(changes))


def _said(match: re.Match[str]) -> str:
    if match["sign"]:
        return f"{match['sign']}{match['sum']} {_SCALES[match['scale']]}"
    if match["amount"]:
        return _amount(match)
    kind = match.lastgroup
    return _RULES[kind](match[kind]) if kind else "fiscal year"


def _amount(match: re.Match[str]) -> str:
    amount = match["amount"]
    if match["thousands"]:
        return f"{float(amount.replace(',', '')) * 1000:,.10g}"
    if match["currency"]:
        return " ".join(filter(None, (_CURRENCIES[match["currency"]] + amount, match["times"])))
    unit = "seconds" if match["seconds"] else _UNITS[match["unit"]]
    return f"{amount}{unit}" if unit in _TIGHT else f"{amount} {unit}"
