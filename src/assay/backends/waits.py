"""How long is a server not to be asked, as the headers of its replies say?"""

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


_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


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
    return sum(float(number) * _SECONDS[unit] for number, unit in _SPAN.findall(span))
