"""What the dates of the evidence say of when, in which order and how long something was."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay._text import memoized
from assay._text.amounts import Amount, Day, amounts
from assay._text.clauses import parts
from assay._text.entities import is_negated
from assay._text.predications import content
from assay._text.quantities import same_day, shared_parts
from assay.judges.embedded.wordings import Near, Otherwise, differs

_PREPOSITION = re.compile(
    r"\b(in|on|at|of|by|before|after|since|until|till|from|to|between|and|during)"
    r"(?: (?:early|late|mid|the|about|around|end|beginning|start|of|spring|summer|autumn|winter))*"
    r"[ -]$",
    re.IGNORECASE,
)
_AT = frozenset({"", "in", "on", "at", "of", "during"})
_PRONOUN = re.compile(r"(?:It|He|She|They)\b")
_ORDER = re.compile(
    r"(?P<x>.{5,}?) (?P<way>before|after|earlier than|later than) (?P<y>[^,;]{3,}?)\W*$"
)
_LASTS = re.compile(r"\b(?:for|lasted|lasts|took|takes) $")
_LASTS_ANY = re.compile(r"\b(?:for|lasted|lasts|took|takes) ")
_RANGE = frozenset({"until", "till", "to", "and"})
_YEARS = range(500, 2200)
_DAYS = {2_629_746: 30.44, 31_556_952: 365.25, 604_800: 7.0, 86_400: 1.0}  # of units, in seconds
_LATER = re.compile(
    r"\b(?:later|earlier|next|following|afterwards|then|previous|after|before|when)\b"
)
_ORDERING = content("before after until since")
_MORE = 3  # words that the evidence may have besides
_FEWEST = 2  # words that say what happened
_CLOSE, _FAR = 0.06, 0.2  # how far a duration may be off, as a share


class _Dated(NamedTuple):
    """A date and the preposition before it."""

    amount: Amount
    before: str


class _Event(NamedTuple):
    """What a part of a sentence says, with its dates."""

    text: str
    stems: frozenset[str]
    dates: tuple[_Dated, ...]


def compare_times(statement: str, sentences: Sequence[Near]) -> Otherwise | None:
    """What the dates of nearby sentences say of a statement; None if nothing for sure."""
    if is_negated(statement):
        return None
    claim = _event(statement)
    order = _ORDER.match(statement)
    if not (claim.dates or order or _LASTS_ANY.search(statement)):
        return None
    findings: list[Otherwise] = []
    for near in sentences:
        topic = content(" ".join(near.before))
        for event in (_event(part.text) for part in parts(near.text)):
            if is_negated(event.text):
                continue
            if finding := _lasting(statement, claim, event, topic):
                return finding
            if _may_be(claim, event, topic):  # "held in 2013. ... In 2015 it was held again"
                return None
            findings += filter(None, [_dated(claim, event, topic)])
    if findings:
        return findings[0]
    return _ordered(order, sentences) if order else None


@memoized(1024, longest=1000)
def _event(text: str) -> _Event:
    dates = tuple(_dates(text))
    plain = text
    for date, _ in reversed(dates):
        plain = f"{plain[: date.span[0]]} {plain[date.span[1] :]}"
    return _Event(text, content(plain) - _ORDERING, dates)


def _dates(text: str) -> Iterator[_Dated]:
    for amount in amounts(text):
        if not amount.days:
            continue
        before = _PREPOSITION.search(text[: amount.span[0]])
        word = before[1].lower() if before else ""
        year = amount.days[0][0]
        if amount.kind == "date" or (word and year in _YEARS and len(amount.text) == 4):
            yield _Dated(amount, word)


def _is_in(stems: frozenset[str], event: _Event, topic: frozenset[str]) -> bool:
    """Whether the event is the one that some words tell of."""
    fewest = 1 if _PRONOUN.match(event.text) else min(_FEWEST, len(stems))
    return len(stems & event.stems) >= fewest and stems <= event.stems | topic


def _may_be(claim: _Event, event: _Event, topic: frozenset[str]) -> bool:
    """Whether the event has the date of the claim, whatever more is said of it."""
    days = [(a, b) for a, _ in claim.dates for b, _ in event.dates]
    met = any(same_day(x, y) for a, b in days for x in a.days for y in b.days)
    return met and _is_in(claim.stems, event, topic)


def _dated(claim: _Event, event: _Event, topic: frozenset[str]) -> Otherwise | None:
    """Whether the event has another date."""
    if len(claim.dates) != 1 or len(event.dates) != 1 or len(claim.stems) < _FEWEST:
        return None
    (mine, own), (theirs, other) = claim.dates[0], event.dates[0]
    alike = own == other or {own, other} <= _AT
    more = event.stems - claim.stems
    if not alike or len(more) > _MORE or _LATER.search(event.text):
        return None
    if not _is_in(claim.stems, event, topic):
        return None
    pairs = [(a, b) for a in mine.days for b in theirs.days]
    if any(same_day(a, b) or not shared_parts(a, b) for a, b in pairs):
        return None
    return differs("date", f"it says '{mine.text}' where the evidence has '{theirs.text}'")


def _ordered(order: re.Match[str], sentences: Sequence[Near]) -> Otherwise | None:
    """Whether two dated events stand in this order."""
    events = []
    for near in sentences:
        topic = content(" ".join(near.before))
        for text in (*near.before, near.text):
            events += [(_event(part.text), topic) for part in parts(text)]
    spans = []
    for side in ("x", "y"):
        mine = _event(f"in {order[side]}")
        if mine.dates and not mine.stems:
            found = [mine]
        else:
            found = [
                e
                for e, topic in events
                if mine.stems
                and not mine.dates
                and len(e.dates) == 1
                and e.dates[0].before in _AT | {"from", "between"}
                and not is_negated(e.text)
                and _is_in(mine.stems, e, topic)
            ]
        days = {each.dates[0].amount.days[0] for each in found}
        if len(days) != 1 or any(len(each.dates[0].amount.days) > 1 for each in found):
            return None
        spans.append(days.pop())
    if not any(year for year, _, _ in spans):  # "in July", "on 1 October": of one year
        spans = [(2000, month, number) for _, month, number in spans]
    (first, second) = map(
        day_range, spans if order["way"] in {"before", "earlier than"} else spans[::-1]
    )
    if not first or not second:
        return None
    if first[1] < second[0]:
        return Otherwise(agrees=True, rule="dated order", doubt="")
    if second[1] < first[0]:
        return differs("dated order", "the dates of the evidence stand in the other order")
    return None


def day_range(day: Day) -> tuple[int, int] | None:
    """The first and the last day that a date may mean; None without a year."""
    year, month, number = day
    if year is None or not 1 <= year < dt.MAXYEAR:
        return None
    first = dt.date(year, month or 1, min(number or 1, 28))
    if number:
        return first.toordinal(), first.toordinal()
    ahead = dt.date(year + (month in (None, 12)), (month or 12) % 12 + 1, 1)
    return first.toordinal(), ahead.toordinal() - 1


def _lasting(
    statement: str, claim: _Event, event: _Event, topic: frozenset[str]
) -> Otherwise | None:
    """Whether something lasted as long as from the first to the last of its dates."""
    if len(event.dates) != 2 or claim.dates:
        return None
    (start, before), (end, between) = event.dates
    lasting = [a for a in amounts(statement) if a.kind == "time" and round(a.size) in _DAYS]
    if before not in {"from", "between", "since"} or between not in _RANGE or len(lasting) != 1:
        return None
    (lasted,) = lasting
    plain = content(f"{statement[: lasted.span[0]]} {statement[lasted.span[1] :]}")
    bare = _LASTS.search(statement[: lasted.span[0]])
    spans = [day_range(each.days[0]) for each in (start, end)]
    if not bare or not _is_in(plain, event, topic) or None in spans:
        return None
    (first, _), (last, ends) = (span for span in spans if span)
    given = (ends - first + 1 if last == ends else last - first) / _DAYS[round(lasted.size)]
    off = abs(given - lasted.number) / max(given, 1e-9)
    if off > _FAR:
        return differs("duration", f"from '{start.text}' to '{end.text}' it is not that long")
    return Otherwise(agrees=True, rule="duration", doubt="") if off < _CLOSE else None
