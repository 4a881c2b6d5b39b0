"""An item analysis in words: systems and questions."""

from collections.abc import Sequence
from typing import Final

from assay._analysis.exam import NextQuestions
from assay._analysis.items import ItemAnalysis, Question, System
from assay._report import numbers, titles

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


def system(one: System) -> list[str]:
    """A system as a row."""
    right = numbers.DASH
    if one.right is not None:
        right = f"{numbers.score(one.right)} ({numbers.interval(one.right_interval)})"
    name = f"{one.name}  {titles.beside(one.title or one.source, one.run)}"
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
    return [
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


def answers(question: Question, systems: Sequence[System]) -> str:
    """Who got it right: "A ✓ B ✗ C ·"."""
    return " ".join(verdicts(question, systems))


def verdicts(question: Question, systems: Sequence[System]) -> list[str]:
    """The same, system by system."""
    pairs = zip(systems, question.right, strict=True)
    return [f"{one.name} {_RIGHT[right]}" for one, right in pairs]


def others(data: ItemAnalysis) -> tuple[str, Sequence[Question]]:
    """The questions that tell systems apart and are not flagged, the hardest first."""
    rest = [q for q in data.questions if not q.flag]
    rest.sort(key=lambda q: q.difficulty or 0.0, reverse=True)
    return f"Some get it right, as the model has it ({len(rest)}; hardest first)", rest


def question(one: Question) -> list[str]:
    """Difficulty, discrimination and the chance of such answers, as cells."""
    return [
        _give_or_take(one.difficulty, one.difficulty_sd, "+"),
        _give_or_take(one.discrimination, one.discrimination_sd),
        numbers.DASH if one.p is None else numbers.score(one.p),
    ]


def _give_or_take(value: float | None, sd: float | None, sign: str = "") -> str:
    return numbers.DASH if value is None or sd is None else f"{value:{sign}.1f} ± {sd:.1f}"


def _next(found: NextQuestions) -> str:
    first = ", ".join(found.samples[:_NEXT]) or "none is left"
    return (
        f"{found.system} has answered {numbers.plural(found.answered, 'question')}: ability "
        f"{found.ability:+.2f} ± {found.sd:.2f} (s.d.). Ask it next: {first}"
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
    if any(one.ability is None for one in data.systems):
        lines.append("A system that gets all right, or all wrong, has no ability that can be told.")
    lines += [
        f"{part.parameter} {part.value}: {part.effect:+.2f} logits beside its other values "
        f"(95 % CI {part.interval.low:+.2f} to {part.interval.high:+.2f}; "
        f"{numbers.plural(part.runs, 'run')})"
        for part in data.components
    ]
    if data.exam is not None:
        lines.append(
            f"A shorter exam: {len(data.exam.kept)} of {numbers.plural(data.exam.n, 'question')} "
            f"keep {data.exam.share:.0%} of what all tell about systems like these; --json names "
            "them (exam)."
        )
    if data.following is not None:
        lines.append(_next(data.following))
    if data.left_out:
        left = numbers.plural(data.left_out, "question")
        lines.append(f"Left out: {left} that fewer than two systems have a score for.")
    return lines
