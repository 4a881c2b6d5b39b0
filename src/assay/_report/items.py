"""An item analysis, systems and questions: in words, on the console, in Markdown and as a page."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay._analysis.items import ItemAnalysis, NextQuestions, Question, System
from assay._report import numbers, sanitize
from assay._report.page import asset, page
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, listed, markdown_list, markdown_measures, measures
from assay._version import __version__

SYSTEM_HEADS: Final = ("system", "n", "mean", "right (95 % CI)", "ability (95 % CI)")
QUESTION_HEADS: Final = ("right", "difficulty ± s.d.", "discrimination ± s.d.", "p")
_NEXT: Final = 10  # questions to ask next that are named; the others are in the JSON
_RIGHT: Final = {True: "✓", False: "✗", None: "·"}


def title(data: ItemAnalysis) -> str:
    """What was analysed, in a sentence."""
    n, k = len(data.questions), len(data.systems)
    threshold = numbers.score(data.threshold)
    limit = f"from {threshold} on" if data.higher_is_better else f"up to {threshold}"
    text = f"{numbers.plural(n, 'question')}, {k} systems; right {limit}"
    return f"{text} ({data.threshold_by})"


def headline(data: ItemAnalysis) -> str:
    """How many of the questions tell the systems apart."""
    flags = [q.flag for q in data.questions]
    right, wrong = flags.count("all right"), flags.count("all wrong")
    n = len(flags)
    n_telling = numbers.count(n - right - wrong)
    text = f"{n_telling} of {numbers.plural(n, 'question')} tell these systems apart"
    phrases = [f"{wrong:,} nobody gets right"] * bool(wrong)
    phrases += [f"{right:,} everyone gets right"] * bool(right)
    return "; ".join([text, *phrases])


def system(one: System) -> list[str]:
    """A system as a row."""
    right = numbers.estimate(one.right, one.right_interval)
    name = f"{one.name}  {numbers.beside(one.title or one.source, one.run)}"
    return [name, numbers.count(one.n), numbers.score(one.mean), right, ability(one)]


def ability(one: System) -> str:
    """The ability of a system with its interval."""
    if one.ability is None or one.interval is None:
        return numbers.DASH
    return f"{one.ability:+.2f} ({one.interval.low:.2f} to {one.interval.high:.2f})"


def lists(data: ItemAnalysis) -> list[tuple[str, Sequence[Question]]]:
    """(what the questions have in common, the questions) of each kind that is flagged."""
    questions = data.questions
    inverted = sorted((q for q in questions if q.flag == "inverted"), key=lambda q: q.p or 0.0)
    chance = f"{data.inverted_by_chance:.1f} would be by chance alone"
    kinds = [
        (f"Better systems get it wrong, worse ones right ({len(inverted)}; {chance})", inverted),
        *(
            (
                f"{head} ({sum(q.flag == flag for q in questions)})",
                [q for q in questions if q.flag == flag],
            )
            for head, flag in (
                ("Nobody gets it right", "all wrong"),
                ("Everyone gets it right", "all right"),
            )
        ),
    ]
    return [(head, questions) for head, questions in kinds if questions]


def answers(question: Question, systems: Sequence[System]) -> str:
    """Who got it right: "A ✓ B ✗ C ·"."""
    return " ".join(verdicts(question, systems))


def verdicts(question: Question, systems: Sequence[System]) -> list[str]:
    """The same, system by system."""
    pairs = zip(systems, question.right, strict=True)
    return [f"{system.name} {_RIGHT[right]}" for system, right in pairs]


def others(data: ItemAnalysis) -> tuple[str, Sequence[Question]]:
    """The questions that tell systems apart and are not flagged, the hardest first."""
    unflagged = [q for q in data.questions if not q.flag]
    unflagged.sort(key=lambda q: q.difficulty or 0.0, reverse=True)
    return f"Some get it right, as the model has it ({len(unflagged)}; hardest first)", unflagged


def question(one: Question) -> list[str]:
    """Difficulty, discrimination and the chance of such answers, as cells."""
    return [
        _give_or_take(one.difficulty, one.difficulty_sd, "+"),
        _give_or_take(one.discrimination, one.discrimination_sd),
        numbers.DASH if one.p is None else numbers.score(one.p),
    ]


def _give_or_take(value: float | None, sd: float | None, sign: str = "") -> str:
    return numbers.DASH if value is None or sd is None else f"{value:{sign}.1f} ± {sd:.1f}"


def _next_in_words(upcoming: NextQuestions) -> str:
    first = ", ".join(upcoming.samples[:_NEXT]) or "none is left"
    return (
        f"{upcoming.system} has answered {numbers.plural(upcoming.answered, 'question')}: ability "
        f"{upcoming.ability:+.2f} ± {upcoming.sd:.2f} (s.d.). Ask it next: {first}"
    )


def notes(data: ItemAnalysis) -> list[str]:
    """What must be read beside the numbers."""
    lines = list(data.warnings)
    if data.spread is None:
        lines.append(
            "Fewer than two systems have both right and wrong answers: there are no abilities."
        )
        return lines
    lines.append(
        "Abilities and difficulties are in logits: a system of ability 0 gets the average question "
        f"right half the time. Difficulties spread by {data.spread:.2f} (s.d.)."
    )
    lines.append(
        "The intervals hold for other questions of this kind, which would move all systems alike: "
        "`assay compare` says whether one is better than another."
    )
    if data.few:
        lines.append(
            f"{len(data.systems)} systems say little about how well a single question tells "
            "able from less able ones: its discrimination is held near 1."
        )
    if any(system.ability is None for system in data.systems):
        lines.append("A system that gets all right, or all wrong, has no ability that can be told.")
    lines += [
        f"{term.parameter} {term.value}: {term.effect:+.2f} logits beside its other values "
        f"(95 % CI {term.interval.low:+.2f} to {term.interval.high:+.2f}; "
        f"{numbers.plural(term.runs, 'run')})"
        for term in data.components
    ]
    if data.exam is not None:
        lines.append(
            f"A shorter exam: {len(data.exam.kept)} of {numbers.plural(data.exam.n, 'question')} "
            f"keep {data.exam.share:.0%} of what all tell about systems like these; --json names "
            "them (exam)."
        )
    if data.following is not None:
        lines.append(_next_in_words(data.following))
    if data.left_out:
        left = numbers.plural(data.left_out, "question")
        lines.append(f"Left out: {left} that fewer than two systems have a score for.")
    return lines


Json = Mapping[str, Any]


def console(data: Json, *, limit: int) -> RenderableType:
    """The systems, what to read beside them, and the questions that are flagged."""
    analysis = msgspec.convert(data, ItemAnalysis)
    name = Text(f"{headline(analysis)}.", style="bold")
    name.append(sanitize.plain(f"\n{analysis.metric}  {title(analysis)}"), style="not bold")
    table = measures(SYSTEM_HEADS, map(system, analysis.systems))
    note_lines = [dim(note) for note in notes(analysis)]
    flagged = [_list(head, questions, analysis, limit) for head, questions in lists(analysis)]
    return Group(name, table, *note_lines, *flagged)


def _list(
    title: str, questions: Sequence[Question], data: ItemAnalysis, limit: int
) -> RenderableType:
    rows = [
        (Text(answers(question, data.systems)), question.sample, question.question)
        for question in questions[:limit]
    ]
    remark = [Text(f"... {len(questions) - limit} more")] if len(questions) > limit else []
    return Group(Text(f"\n{title}", style="bold"), *listed(rows), *remark)


def markdown(data: Json, *, limit: int) -> str:
    """The systems, what to read beside them, and the questions that are flagged."""
    analysis = msgspec.convert(data, ItemAnalysis)
    blocks = [
        f"## {code(analysis.metric)}: systems and questions",
        f"**{headline(analysis)}.**",
        f"{inline(title(analysis))}.",
        markdown_measures(SYSTEM_HEADS, map(system, analysis.systems)),
        markdown_list(notes(analysis)),
    ]
    for head, questions in lists(analysis):
        lines = [
            f"- {answers(q, analysis.systems)} {code(q.sample)} {inline(q.question)}"
            for q in questions[:limit]
        ]
        if len(questions) > limit:
            lines.append(f"- ... {len(questions) - limit} more")
        blocks += [f"### {inline(head)}", "\n".join(lines)]
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
        words=sys.modules[__name__],
        picture=_picture(analysis),
        size={"w": WIDTH, "bars": BARS, "row": ROW, "most": MOST},
    )


def _picture(data: ItemAnalysis) -> Picture | None:
    systems = [
        (system, system.ability, system.interval)
        for system in data.systems
        if system.ability is not None and system.interval is not None
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
            name=system.name,
            x=x(value),
            low=x(interval.low),
            high=x(interval.high),
            y=BARS + ROW * (row + 0.75),
            title=f"system {system.name}: ability {ability(system)}",
        )
        for row, (system, value, interval) in enumerate(systems)
    ]
    interval = math.ceil((high - low) / 16)
    ticks = [(x(tick), f"{tick:+d}" if tick else "0") for tick in range(low, high + 1, interval)]
    height = BARS + ROW * len(systems) + ROW // 2
    return Picture(_bars(hard, low, high), marks, ticks, height)


def _bars(hard: Sequence[float], low: int, high: int) -> list[Bar]:
    n_bars = round((high - low) / _STEP)
    counts = [0] * n_bars
    for difficulty in hard:
        counts[min(max(math.floor((difficulty - low) / _STEP), 0), n_bars - 1)] += 1
    width = WIDTH / n_bars
    return [
        Bar(
            x=round(index * width + 0.5, 1),
            width=round(width - 1, 1),
            height=round(n / max(counts) * (BARS - 14), 1),
            title=f"{numbers.plural(n, 'question')} of difficulty {_bar_name(low + index * _STEP)}",
        )
        for index, n in enumerate(counts)
        if n
    ]


def _bar_name(low: float) -> str:
    """The difficulties of a bar that begins there; the outermost ones hold all beyond, too."""
    high = low + _STEP
    if low <= -_FAR:
        return f"{high:+g} or less"
    return f"{low:+g} or more" if high >= _FAR else f"{low:+g} to {high:+g}"
