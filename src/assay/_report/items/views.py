"""An item analysis on the console, in Markdown and as a page."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay._analysis.items import ItemAnalysis, Question
from assay._report import items as words
from assay._report import numbers, sanitize
from assay._report.page import asset, page
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, listed, markdown_list, markdown_measures, measures
from assay._version import __version__

Json = Mapping[str, Any]


def console(data: Json, *, most: int) -> RenderableType:
    """The systems, what to read beside them, and the questions that are flagged."""
    analysis = msgspec.convert(data, ItemAnalysis)
    head = Text(sanitize.plain(analysis.metric), style="bold")
    head.append(f"  {words.title(analysis)}", style="not bold")
    table = measures(words.SYSTEM_HEADS, map(words.system, analysis.systems))
    rest = [dim(note) for note in words.notes(analysis)]
    lists = [_list(title, them, analysis, most) for title, them in words.lists(analysis)]
    return Group(head, table, *rest, *lists)


def _list(
    title: str, questions: Sequence[Question], data: ItemAnalysis, most: int
) -> RenderableType:
    rows = [
        (Text(words.answers(one, data.systems)), one.sample, one.question)
        for one in questions[:most]
    ]
    rest = [Text(f"... {len(questions) - most} more")] if len(questions) > most else []
    return Group(Text(f"\n{title}", style="bold"), *listed(rows), *rest)


def markdown(data: Json, *, most: int) -> str:
    """The systems, what to read beside them, and the questions that are flagged."""
    analysis = msgspec.convert(data, ItemAnalysis)
    blocks = [
        f"## {code(analysis.metric)}: systems and questions",
        f"{inline(words.title(analysis))}.",
        markdown_measures(words.SYSTEM_HEADS, map(words.system, analysis.systems)),
        markdown_list(words.notes(analysis)),
    ]
    for title, questions in words.lists(analysis):
        lines = [
            f"- {words.answers(q, analysis.systems)} {code(q.sample)} {inline(q.question)}"
            for q in questions[:most]
        ]
        if len(questions) > most:
            lines.append(f"- ... {len(questions) - most} more")
        blocks += [f"### {inline(title)}", "\n".join(lines)]
    return joined(blocks)


WIDTH: Final = 760
BARS: Final = 110  # height of the difficulties
ROW: Final = 24  # height of a system
# So many questions of one kind have room; the others are in the JSON.
MOST: Final = 500
# Logits beyond which nothing differs to the eye, and interval ends are drawn as if they lay there.
_FAR: Final = 8.0
_STEP: Final = 0.5


@dataclass(frozen=True, slots=True)
class Bar:
    """Questions of about the same difficulty, as they are drawn."""

    x: float
    width: float
    height: float
    title: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A system's ability with its interval, as it is drawn."""

    name: str
    x: float
    low: float
    high: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Difficulties and abilities on one scale."""

    bars: Sequence[Bar]  # the questions, by difficulty
    marks: Sequence[Mark]  # the systems that have an ability
    ticks: Sequence[tuple[float, str]]  # (x, logits) of the axis
    height: int  # of all of it, without the names below the axis


def html(data: Json) -> str:
    """The page: one file without any outside reference."""
    analysis = msgspec.convert(data, ItemAnalysis)
    return page(
        "items.html",
        asset("style.css") + asset("items.css"),
        version=__version__,
        data=analysis,
        words=words,
        picture=_picture(analysis),
        size={"w": WIDTH, "bars": BARS, "row": ROW, "most": MOST},
    )


def _picture(data: ItemAnalysis) -> Picture | None:
    systems = [
        (one, one.ability, one.interval)
        for one in data.systems
        if one.ability is not None and one.interval is not None
    ]
    hard = [q.difficulty for q in data.questions if q.difficulty is not None]
    if not systems or not hard:
        return None
    ends = [end for *_, interval in systems for end in (interval.low, interval.high)]
    values = [min(max(value, -_FAR), _FAR) for value in [*hard, *ends]]
    low, high = math.floor(min(values)), math.ceil(max(values))
    high = max(high, low + 1)

    def x(logits: float) -> float:
        share = (min(max(logits, low), high) - low) / (high - low)
        return round(float(share) * WIDTH, 1)

    marks = [
        Mark(
            name=one.name,
            x=x(ability),
            low=x(interval.low),
            high=x(interval.high),
            y=BARS + ROW * (place + 0.75),
            title=f"system {one.name}: ability {words.ability(one)}",
        )
        for place, (one, ability, interval) in enumerate(systems)
    ]
    every = math.ceil((high - low) / 16)
    ticks = [(x(at), f"{at:+d}" if at else "0") for at in range(low, high + 1, every)]
    height = BARS + ROW * len(systems) + ROW // 2
    return Picture(_bars(hard, low, high), marks, ticks, height)


def _bars(hard: Sequence[float], low: int, high: int) -> list[Bar]:
    places = round((high - low) / _STEP)
    counts = [0] * places
    for difficulty in hard:
        counts[min(max(math.floor((difficulty - low) / _STEP), 0), places - 1)] += 1
    width = WIDTH / places
    return [
        Bar(
            x=round(place * width + 0.5, 1),
            width=round(width - 1, 1),
            height=round(n / max(counts) * (BARS - 14), 1),
            title=f"{numbers.plural(n, 'question')} of difficulty {_between(low + place * _STEP)}",
        )
        for place, n in enumerate(counts)
        if n
    ]


def _between(low: float) -> str:
    """The difficulties of a bar that begins there; the outermost ones hold all beyond, too."""
    high = low + _STEP
    if low <= -_FAR:
        return f"{high:+g} or less"
    return f"{low:+g} or more" if high >= _FAR else f"{low:+g} to {high:+g}"
