"""Scores and differences as results print them, the same way everywhere."""

from collections.abc import Mapping
from typing import Final, Protocol

MINUS: Final = "\N{MINUS SIGN}"
_SMALL: Final = 0.0095  # below it two decimals show nothing
_MOST: Final = 4  # digits that tell a score from a limit beside it
_EXACT: Final = 9  # digits of a score so close to a whole number that fewer would make it one
_TINY: Final = 1e-6


class Ends(Protocol):
    """An interval; as plain values it is a mapping."""

    @property
    def low(self) -> float:
        """Its lower end."""

    @property
    def high(self) -> float:
        """Its upper end."""


def decimals(value: float, digits: int) -> str:
    """A number with so many digits after the point, and more where these would mislead.

    A mean of 0.996 must not be read as a perfect 1.00, nor 0.004 as 0.00. Of what is small, such as
    the cost of an answer, two digits count wherever they begin: 0.0012 and 0.0014 are not alike.

    Args:
        value: The number, finite.
        digits: Of them after the point, 4 at most.
    """
    if 0 < abs(value) < _SMALL:
        return _without_exponent(value)
    value = value or 0.0  # no minus before nothing
    for more in range(digits, _EXACT + 1):
        text = f"{value:.{more}f}"
        if float(text) == value or float(text) != round(value):
            return text
    return f"{value:.9g}"


def _without_exponent(value: float) -> str:
    text = f"{value:.2g}"
    # 0.00007 is read at a glance, 7e-05 is not; of more zeros than these nobody sees how many.
    return f"{float(text):.7f}".rstrip("0") if abs(value) >= _TINY else text


def rounded(value: float) -> str:
    """A score with the digits that a reader can use."""
    if abs(value) >= 100:  # milliseconds, tokens
        return f"{value:,.0f}"
    return decimals(value, 2)


def beside(value: float, limit: float) -> str:
    """A score beside a limit: with as many digits as tell it from one that it does not reach."""
    if rounded(value) == rounded(limit):
        for digits in range(3, _MOST + 1):
            text = decimals(value, digits)
            if text != decimals(limit, digits):
                return text
    return rounded(value)


def extent(low: float, high: float, between: str = " to ") -> str:
    """The interval of a score; one number where both ends are the same."""
    texts = rounded(low), rounded(high)
    for digits in (3, 4):  # ends that only look alike would read as no uncertainty at all
        if texts[0] == texts[1] and max(abs(low), abs(high)) < 100:
            texts = decimals(low, digits), decimals(high, digits)
    return rounded(low) if texts[0] == texts[1] else between.join(texts)


def signed(value: float, limit: float = 0.0) -> str:
    """A difference, with its sign always shown, and told from a limit beside it."""
    size = beside(abs(value), abs(limit)) if limit else rounded(abs(value))
    if size == rounded(0.0):
        return size
    return ("+" if value > 0 else MINUS) + size


def between(ends: Ends | Mapping[str, float] | None) -> str:
    """The interval of a difference; "" where there is none."""
    if ends is None:
        return ""
    low, high = _pair(ends)
    scale = max(abs(low), abs(high))
    return f"{_of_scale(low, scale)} to {_of_scale(high, scale)}"


def difference(value: float, ends: Ends | Mapping[str, float] | None) -> str:
    """A difference with no more digits than its interval leaves room for."""
    text = _of_scale(value, max(map(abs, _pair(ends))) if ends else 0.0)
    return text if text[1:] != rounded(0.0) else rounded(0.0)


def span(low: float | None, high: float | None) -> str:
    """The range of values in words; None where it has no end on that side."""
    if low is None or high is None:
        return f"{high:g} or less" if low is None else f"{low:g} or more"
    return f"{low:g} to {high:g}"


def _pair(ends: Ends | Mapping[str, float]) -> tuple[float, float]:
    return (ends["low"], ends["high"]) if isinstance(ends, Mapping) else (ends.low, ends.high)


def _of_scale(value: float, scale: float) -> str:
    """A difference with the digits that count beside others of this size: +0.00 beside +0.15."""
    if scale < _SMALL or abs(value) >= _SMALL:
        return signed(value)
    return f"{'+' if value > 0 else MINUS if value < 0 else ''}0.00"
