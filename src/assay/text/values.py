"""How would a person read the key and the value of a record?"""

# ruff: noqa: SIM905 - word lists read better as prose

import re
from collections.abc import Sequence

from assay.text.memo import remembered

NOT_GIVEN = "not given"
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|(?<=[a-z]{3})(?=\d)")
# Written as one word by everyone.
_NAMES = frozenset(
    "YouTube LinkedIn JavaScript TypeScript GitHub PayPal TikTok PlayStation MasterCard PowerPoint "
    "WordPress WhatsApp OpenAI".split()
)
_LITERALS = {
    "true": "yes",
    "false": "no",
    "null": NOT_GIVEN,
    "none": NOT_GIVEN,
    "nan": NOT_GIVEN,
    "undefined": NOT_GIVEN,
    "": NOT_GIVEN,
}
_PYTHON_STRING = re.compile(r"[uUbB]?(['\"])(.*)\1", re.DOTALL)
_TIME = r"(?P<{0}hour>[01]?\d|2[0-4]):(?P<{0}minute>[0-5]?\d)(?::[0-5]\d)?"
_CLOCK = re.compile(_TIME.format(""))
_RANGE = re.compile(rf"{_TIME.format('from_')}\s*(?:-|–|—|to)\s*{_TIME.format('to_')}")
_DATE = re.compile(r"(?P<year>[12]\d{3})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])")
_MONTHS = (
    "January February March April May June July August September October November December"
).split()
# A score, a ratio and a duration have colons too: only these keys make a time of one.
_TIME_KEYS = re.compile(
    r"\b(?:time|hours?|open\w*|clos\w+|start\w*|begin\w*|end\w*|check.?in|check.?out|arriv\w+|"
    r"depart\w+|from|until|till|at|mon|tue|wed|thu|fri|sat|sun)\b|day\b",
    re.IGNORECASE,
)


@remembered(4096, longest=200)
def read_key(key: str) -> str:
    """A key in words: "BusinessParking" is "business parking", "review_stars" "review stars"."""
    plain = " ".join(key.replace("_", " ").strip(" *`-").split())
    return " ".join(_apart(word) for word in plain.split())


def read_value(value: str, key: str = "") -> str:
    """A value in words; `key` says whether "9:0" is a time."""
    line = " ".join(value.split())
    python = _PYTHON_STRING.fullmatch(line)
    line = python[2] if python else line
    literal = _LITERALS.get(line.lower() if line != "none" else "a word")
    return literal if literal is not None else _with_dates(_with_times(line, key))


def joined(path: Sequence[str], text: str) -> str:
    """What a person would write: "hours, Monday: 9 to 5"."""
    return f"{', '.join(path)}: {text}" if path else text


def _apart(word: str) -> str:
    parts = _CAMEL.sub(" ", word).split()
    if len(parts) < 2 or word in _NAMES:
        return word
    return " ".join(part if part.isupper() and len(part) > 1 else part.lower() for part in parts)


def _with_times(line: str, key: str) -> str:
    """With times of 24 hours in both ways: "17:30-23:0" is "17:30-23:00 (5:30 PM to 11 PM)"."""
    found = _RANGE.fullmatch(line)
    if found:
        begin = found["from_hour"], found["from_minute"]
        end = found["to_hour"], found["to_minute"]
        return f"{_full(*begin)}-{_full(*end)} ({_half(*begin)} to {_half(*end)})"
    clock = _CLOCK.fullmatch(line) if _TIME_KEYS.search(key) else None
    if clock:
        return f"{_full(clock['hour'], clock['minute'])} ({_half(clock['hour'], clock['minute'])})"
    return line


def _with_dates(line: str) -> str:
    """With a date such as 2019-05-04 also in words."""
    date = _DATE.match(line)
    if date is None or line[date.end() : date.end() + 1] not in {"", " ", "T"}:
        return line
    month = _MONTHS[int(date["month"]) - 1]
    rest = line[date.end() :]
    return f"{date.group()} ({month} {int(date['day'])}, {date['year']}){rest}"


def _full(hour: str, minute: str) -> str:
    return f"{int(hour)}:{int(minute):02d}"


def _half(hour: str, minute: str) -> str:
    name = "PM" if 12 <= int(hour) < 24 else "AM"
    minutes = f":{int(minute):02d}" if int(minute) else ""
    return f"{int(hour) % 12 or 12}{minutes} {name}"
