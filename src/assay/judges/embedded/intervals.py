"""Whether something holds at a time, beside evidence that says from when or until when it does.

"Open from 8:00 to 17:00" agrees with "closes at 5 pm" and with "open at 9 am", and differs from
"open at 7 am"; "supported until the end of 2025" differs from "no longer supported in 2024".
"""

import datetime as dt
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from assay._text import verbs
from assay._text.amounts import Day, amounts
from assay._text.clauses import parts
from assay._text.entities import is_negated
from assay._text.expressions import expression
from assay._text.numbers import MONTH_NAMES
from assay._text.predications import content
from assay._text.quantities import quantities
from assay._text.words import stem, words
from assay.judges.embedded.wordings import Near, Otherwise, compare_wordings, differs

# ruff: noqa: SIM905 - word lists read better as prose

Kind: TypeAlias = Literal["date", "month", "clock"]

_BEFORE = expression(
    r"\b(?P<word>in|on|at|by|since|until|till|from|to|between|and|through|throughout|during|up to)"
    r"(?: (?:early|late|mid|the|about|around|end|beginning|start|of|midnight|a|an))*[ -]*$"
    r"|(?P<dash>[\u2013-]) ?$",
    re.IGNORECASE,
)
_MONTH = expression(rf"\b(?:{'|'.join(MONTH_NAMES)})\b")
_UP_TO = frozenset({"until", "till", "through", "up to"})
_UNTIL = _UP_TO | {"to", "and", "-"}
_SINCE = frozenset({"since", "from", "between"})
_POINT = frozenset({"in", "on", "at", "during"})
_ENDS = frozenset(
    map(stem, "close end expire stop finish cease shut lapse terminate conclude".split())
)
_BEGINS = frozenset(map(stem, "open begin start commence launch".split()))
# Say no more than that something holds.
_STATES = (
    _ENDS
    | _BEGINS
    | content(
        "last run valid available still longer hold remain stay day hour time clock normally "
        "usually continue reach life go effect every always already am pm until since opening hours"
    )
)
_OVER = frozenset("closed shut over expired".split())  # behind "is"
_WEEK = "monday tuesday wednesday thursday friday saturday sunday".split()
_DAY = expression(rf"\b(?P<day>{'|'.join(_WEEK)}|weekday|weekend)s?\b", re.IGNORECASE)
_DAYS_TO = expression(
    rf"\b(?P<first>{'|'.join(_WEEK)})s? (?:to|through|until|[\u2013-]) "
    rf"(?P<last>{'|'.join(_WEEK)})",
    re.IGNORECASE,
)
_MONTH_SIZE = 100  # 3 May is 503
_GAP = 20  # characters between the two ends of an interval
_PRONOUN = expression(r"(?:It|He|She|They|Its|Their)\b")


class _Point(NamedTuple):
    """A time and the preposition before it."""

    kind: Kind
    first: int  # a day, a day of any year ("3 May" is 503) or a minute of the day
    last: int
    before: str
    span: tuple[int, int]


class _Held(NamedTuple):
    """What is said to hold, and from when until when as far as that is known."""

    stems: frozenset[str]
    about: frozenset[str]  # those of them that stand before the time
    days: frozenset[int]  # of the week; none where all are meant
    start: _Point | None
    end: _Point | None
    over: bool  # it is said not to hold then


def compare_nearby(statement: str, sentences: Sequence[Near]) -> Otherwise | None:
    """What sentences say of a statement by their intervals, else by their words."""
    return compare_intervals(statement, sentences) or compare_wordings(statement, sentences)


def compare_intervals(statement: str, sentences: Sequence[Near]) -> Otherwise | None:
    """What the intervals of nearby sentences say of a statement; None if nothing for sure."""
    points = _points(statement)
    if len(points) != 1 or {"if", "unless", "only"} & {*words(statement)}:
        return None
    (point,) = points
    stems, days = _stems_said(statement, points), _week(statement)
    verdicts: set[bool] = set()
    for sentence in sentences:
        topic = content(" ".join(sentence.before))
        for part in parts(sentence.text):
            for interval in _intervals(part.text):
                pronoun = _PRONOUN.match(part.text)
                known = interval.stems | {stem for stem in topic if pronoun or stem.isalpha()}
                is_about = stems & interval.about or pronoun
                meets = not (days and interval.days) or days <= interval.days
                if stems and is_about and stems <= known and meets:
                    verdicts |= {v for v in [_verdict(statement, point, interval)] if v is not None}
    if len(verdicts) != 1:
        return None
    if verdicts == {True}:
        return Otherwise(agrees=True, rule="interval", doubt="")
    if any(_repeats(point, sentence) for sentence in sentences):
        return None
    text = statement[slice(*point.span)]
    return differs("interval", f"it says '{text}', which the times of the evidence rule out")


def _verdict(statement: str, point: _Point, interval: _Held) -> bool | None:
    """Whether what holds then fits the statement; None where that is not known."""
    start, end = interval.start, interval.end
    point = _in_year(point, start or end)
    if any(side and side.kind != point.kind for side in (start, end)):
        return None
    verb = _bases(statement)
    is_over = _is_over(statement, verb)
    bound = _bound_of(verb, point, is_over=is_over)
    if bound == "end":
        return _overlap(point, end) if end and not interval.over else None
    if bound == "start":
        return _overlap(point, start) if start and not interval.over else None
    if bound or point.before not in _POINT:
        return None
    inside = _is_inside(point, start, end)
    return None if inside is None else inside != (is_over != interval.over)


def _bases(text: str) -> set[str]:
    """The stems of its words, of a verb that of its base."""
    return {stem(verbs.base(word)) for word in words(text)}


def _is_over(text: str, verb: set[str]) -> bool:
    return is_negated(text) or ("be" in verb and not _OVER.isdisjoint(words(text)))


def _bound_of(verb: set[str], point: _Point, *, is_over: bool) -> str:
    """Whether a statement says when something ends or when it starts; "" for neither."""
    if point.before in _UP_TO:
        return "none" if is_over else "end"
    if point.before == "since":
        return "none" if is_over else "start"
    if is_over or point.before not in _POINT:
        return ""
    if verb & _ENDS:
        return "end"
    # "is open at nine", "opens at nine"
    return "start" if verb & _BEGINS and "be" not in verb else ""


def _is_inside(point: _Point, start: _Point | None, end: _Point | None) -> bool | None:
    if start and point.last < start.first:
        return False
    if end and point.first > end.last:
        return False
    within = start and end and start.first <= point.first and point.last <= end.last
    return True if within else None


def _overlap(point: _Point, other: _Point) -> bool:
    """Whether the two may be the same time; a year ends with its last day."""
    return point.first <= other.last and other.first <= point.last


def _intervals(text: str) -> Iterator[_Held]:
    """What a part of a sentence says to hold from when or until when."""
    points = _points(text)
    verb = _bases(text)
    is_over = _is_over(text, verb)
    plain = _Held(_stems_said(text, points), frozenset(), _week(text), None, None, is_over)
    used: set[int] = set()
    for i, pair in enumerate(itertools.pairwise(points)):
        first, second = _in_year(*pair), pair[1]
        joined = second.before in _UNTIL and first.before in _SINCE | {"", "at"}
        is_near = second.span[0] - first.span[1] < _GAP
        if first.kind == second.kind and joined and is_near and i not in used:
            used |= {i, i + 1}
            yield _with_context(plain._replace(start=first, end=second), text, i and points[i - 1])
    for i, point in enumerate(points):
        ends, begins = _bounds_of(
            point, verb, no_own_time=len(points) == 1 and not is_negated(text)
        )
        if i not in used and (ends or begins):
            interval = plain._replace(start=point if begins else None, end=point if ends else None)
            is_point = point.before in _POINT | {""}
            yield _with_context(interval._replace(over=is_over and not is_point), text, 0)


def _bounds_of(point: _Point, verb: set[str], *, no_own_time: bool) -> tuple[bool, bool]:
    """Whether a time of its own is when something ends, and when it begins."""
    if point.before in _POINT | {""}:
        ends = no_own_time and bool(verb & _ENDS)
        return ends, no_own_time and not ends and bool(verb & _BEGINS) and "be" not in verb
    return point.before in _UP_TO, point.before == "since"


def _with_context(interval: _Held, text: str, former: _Point | int) -> _Held:
    """With what stands before its times, and with its own days of the week of several."""
    first = interval.start or interval.end
    before = text[: first.span[0]] if first else ""
    stems_before = content(before) & interval.stems
    if first and interval.end and interval.start:
        text_after = re.split(r"[,;]| and (?=from|at|between)", text[interval.end.span[1] :])[0]
        text_between = text[
            former.span[1] if isinstance(former, _Point) else 0 : interval.end.span[1]
        ]
        return interval._replace(
            about=stems_before, days=_week(text_after) or _week(text_between) or interval.days
        )
    return interval._replace(about=stems_before)


def _in_year(first: _Point, second: _Point | None) -> _Point:
    """The first of "May to October 2018" in the year of the second."""
    if first.kind != "month" or second is None or second.kind != "date":
        return first
    month, day = divmod(first.first, _MONTH_SIZE)
    year = dt.date.fromordinal(second.first).year
    span = _day_range((year, month, day if first.first == first.last else None))
    return first._replace(kind="date", first=span[0], last=span[1]) if span else first


def _day_range(day: Day) -> tuple[int, int] | None:
    """The first and the last day that a date may mean; None without a year."""
    year, month, number = day
    if year is None or not 1 <= year < dt.MAXYEAR:
        return None
    first = dt.date(year, month or 1, min(number or 1, 28))
    if number:
        return first.toordinal(), first.toordinal()
    following_month = dt.date(year + (month in (None, 12)), (month or 12) % 12 + 1, 1)
    return first.toordinal(), following_month.toordinal() - 1


def _points(text: str) -> list[_Point]:
    """The dates and clock times of a text, in order."""
    points: list[_Point] = []
    for quantity in quantities(text):
        minutes = [int(minute) for kind, minute in quantity.keys if kind == "clock"]
        if len(minutes) == 1:  # "half past five" is at two times of the day
            points.append(_Point("clock", minutes[0], minutes[0], "", quantity.span))
    for amount in amounts(text):
        years = amount.kind == "date" or (len(amount.text) == 4 and amount.text.isdigit())
        if not (amount.days and years) or any(_overlap_spans(amount.span, e.span) for e in points):
            continue
        _, month, day = amount.days[0]
        span = _day_range(amount.days[0])
        if span:
            points.append(_Point("date", *span, "", amount.span))
        elif month and day:
            number = _MONTH_SIZE * month + day
            points.append(_Point("month", number, number, "", amount.span))
    for match in _MONTH.finditer(text):
        if not any(_overlap_spans(match.span(), point.span) for point in points):
            number = _MONTH_SIZE * (MONTH_NAMES.index(match[0]) + 1)
            points.append(_Point("month", number + 1, number + 31, "", match.span()))
    return [
        point._replace(before=_word_before(text, point)) for point in sorted(points, key=_sort_key)
    ]


def _sort_key(point: _Point) -> tuple[int, int]:
    return point.span


def _overlap_spans(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def _word_before(text: str, point: _Point) -> str:
    match = _BEFORE.search(text[: point.span[0]])
    if not match:
        return ""
    return "-" if match["dash"] else match["word"].lower()


def _stems_said(text: str, points: Sequence[_Point]) -> frozenset[str]:
    """The stems of a text without its times and what only says that something holds."""
    for point in reversed(points):
        text = f"{text[: point.span[0]]} {text[point.span[1] :]}"
    return content(_DAY.sub(" ", text)) - _STATES


def _week(text: str) -> frozenset[int]:
    """The days of the week that a text names."""
    days: set[int] = set()
    for match in _DAYS_TO.finditer(text):
        first, last = (_WEEK.index(match[side].lower()) for side in ("first", "last"))
        days |= {(first + k) % 7 for k in range((last - first) % 7 + 1)}
    for match in _DAY.finditer(text):
        name = match["day"].lower()
        groups_of_days = {"weekday": range(5), "weekend": range(5, 7)}
        days |= {*groups_of_days[name]} if name in groups_of_days else {_WEEK.index(name)}
    return frozenset(days)


def _repeats(point: _Point, sentence: Near) -> bool:
    """Whether a sentence has the time of the statement itself."""
    same = (
        point_there for text in (*sentence.before, sentence.text) for point_there in _points(text)
    )
    return any(
        point_there.kind == point.kind
        and (point_there.first, point_there.last) == (point.first, point.last)
        for point_there in same
    )
