"""Whether two amounts are the same, in whatever scale, unit or rounding.

"$1,577 million" is 1.577 billion and, where the question says "in millions", 1577.0; "15.7 %" is
0.157, "57 km" 35 miles, "20/07/1969" July 20, 1969. `assay._text.quantities` rewrites what is
exactly as much; here what people accept as the same answer counts as the same.
"""

import math
from collections.abc import Iterator, Sequence

from assay._text.amounts import FALLING, RISING, Amount, Day

_CONVERTED = 0.01  # how far a conversion may be off, as a share
_ROUNDED = 0.05  # ... and what is rounded, at most
_FIRST, _LAST = 1000, 2100  # years that a number may be
_MONEY = frozenset({"$", "€", "£", "¥", "CHF"})


def comparable(one: Amount, other: Amount) -> bool:
    """Whether they may be two answers to one question; a number without a unit is with any."""
    if one.days and other.days:
        return any(_known(a, b) for a in one.days for b in other.days)
    if one.days or other.days:  # a year is compared with a year
        return all(amount.days or _FIRST <= amount.number <= _LAST for amount in (one, other))
    return _alike(one, other)


def _alike(one: Amount, other: Amount) -> bool:
    pair = {one.kind, other.kind}
    return len(pair) == 1 or "" in pair or pair <= _MONEY | {"cent"}


def same(one: Amount, other: Amount, scale: float = 1.0) -> bool:
    """Whether both state the same, one of them perhaps rounded or in another unit.

    Args:
        one: One of them.
        other: The other one.
        scale: What a number without a scale may be counted in, besides 1.
    """
    if "date" in (one.kind, other.kind):
        return _same_date(one, other)
    pair = {one.kind, other.kind}
    if not (_alike(one, other) or pair == {"share", "points"}) or one.bound * other.bound < 0:
        return False
    if len(pair & _MONEY) > 1:  # no rate of exchange is known
        return False
    return any(
        _close(a, one.step * a_size, b, other.step * b_size, converted=converted)
        for a, a_size, b, b_size, converted in _readings(one, other, scale)
    )


def opposed(one: Amount, other: Amount, question: str = "") -> bool:
    """Whether one is a fall and the other is none, by its sign or in words."""
    turns = [_turn(amount, question) for amount in (one, other)]
    if turns[0] * turns[1] < 0:
        return True
    return one.negative is not other.negative and 0 in turns


def _turn(amount: Amount, question: str) -> int:
    if amount.negative or amount.turn:
        return amount.turn or -1
    if FALLING.search(question):
        return -1
    return 1 if RISING.search(question) else 0


def covers(other: Amount, one: Amount) -> bool:
    """Whether a date that is the same says as much: not "1969" of "July 20, 1969"."""
    if one.kind != "date":
        return True
    known = [sum(part is not None for part in day) for day in one.days]
    return other.kind == "date" and max(
        sum(part is not None for part in day) for day in other.days
    ) >= max(known)


def _readings(
    one: Amount, other: Amount, scale: float
) -> Iterator[tuple[float, float, float, float, bool]]:
    """Both values with the size of one unit of each, and whether one was converted."""
    if one.kind and other.kind and not one.kind == other.kind in _MONEY:
        systems = one.size != other.size and _is_odd(one.size / other.size)
        odd = systems or one.zero != other.zero
        yield one.value, one.size, other.value, other.size, odd
        return
    for a in {1.0, scale} if not one.scaled else {1.0}:
        for b in {1.0, scale} if not other.scaled else {1.0}:
            yield one.number * a, a, other.number * b, b, False
    for share, bare in ((one, other), (other, one)):
        if share.kind == "share" and not bare.kind and abs(bare.number) <= 1:
            yield (
                (one.number, 1.0, other.number * 100, 100.0, False)
                if share is one
                else (one.number * 100, 100.0, other.number, 1.0, False)
            )


def _is_odd(ratio: float) -> bool:
    """Whether one unit is no plain multiple of the other: a mile of a kilometre."""
    ratio = max(ratio, 1 / ratio)
    return abs(ratio - round(ratio)) > 1e-6


def _close(a: float, a_step: float, b: float, b_step: float, *, converted: bool) -> bool:
    most = max(abs(a), abs(b))
    allowed = min(max(a_step, b_step), _ROUNDED * most)
    if converted:
        allowed = max(allowed, _CONVERTED * most)
    return abs(a - b) <= allowed + 1e-9 * most


def _same_date(one: Amount, other: Amount) -> bool:
    if one.kind == other.kind:
        return any(_agree(a, b) for a in one.days for b in other.days)
    date, bare = (one, other) if one.kind == "date" else (other, one)
    return not bare.kind and any(bare.number == year for year, _, _ in date.days)


def _agree(one: Day, other: Day) -> bool:
    known = _known(one, other)
    return bool(known) and all(a == b for a, b in known)


def _known(one: Day, other: Day) -> list[tuple[int, int]]:
    """Year, month and day of both, where both have them."""
    pairs = zip(one, other, strict=True)
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def matches(
    claimed: Sequence[Amount], given: Sequence[Amount], question: str = "", scale: float = 1.0
) -> list[tuple[Amount, Amount]]:
    """Every claimed amount that is the same as a given one, with the nearest of these.

    Args:
        claimed: The amounts of one answer.
        given: Those of another one.
        question: What was asked: "how much did it fall?"
        scale: What a number without a scale may be counted in, besides 1.
    """
    pairs = []
    for amount in claimed:
        alike = [
            other
            for other in given
            if same(amount, other, scale) and not opposed(amount, other, question)
        ]
        if alike:
            nearest = min(alike, key=lambda other: math.fabs(other.number - amount.number))
            pairs.append((amount, nearest))
    return pairs
