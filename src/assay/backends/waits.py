"""How long is a server not to be asked, as its replies say in headers or words?"""

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that a server asks to wait, given in milliseconds, in seconds or as a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after", "")
        if not value:
            return None
        if value.replace(".", "", 1).isdecimal():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    # A header of no known form, a date without a zone, a year or zone that no calendar has.
    except (ValueError, TypeError, OverflowError):
        return None


_SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(ms|milli|[smhd])", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "milli": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
# "retryDelay": "20s", "Please try again in 1m2.5s", "retry after 6 seconds".
_ADVICE = re.compile(
    r"(?:\bretryDelay\W+|\btry again (?:in|after) |\bretry (?:in|after) )"
    r"((?:\d+(?:\.\d+)? ?"
    r"(?:ms|milliseconds?|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)(?![a-z]) ?)+)",
    re.IGNORECASE,
)


def advised(text: str) -> float | None:
    """Seconds that a refusal asks to wait in its own words, None if it does not say."""
    found = _ADVICE.search(text)
    return _reset(found[1]) if found else None


def nothing_left(headers: Mapping[str, str]) -> float:
    """Seconds until there are requests and tokens again, 0 while some are left or nothing is said.

    ``x-ratelimit-remaining-requests: 0`` with ``x-ratelimit-reset-requests: 1m0.5s``, and the same
    of tokens.
    """
    return max(
        _reset(headers.get(f"x-ratelimit-reset-{what}", ""))
        if headers.get(f"x-ratelimit-remaining-{what}", "") == "0"
        else 0.0
        for what in ("requests", "tokens")
    )


def _reset(span: str) -> float:
    if span.replace(".", "", 1).isdecimal():
        return float(span)
    return sum(float(number) * _SECONDS[unit.lower()] for number, unit in _SPAN.findall(span))
