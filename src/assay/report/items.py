"""What is said of systems and questions, in whatever form it is shown?"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay.report import numbers

Json = Mapping[str, Any]
SYSTEM_HEADS: Final = ("system", "n", "mean", "right (95 % CI)", "ability (95 % CI)")
_RIGHT: Final = {True: "✓", False: "✗", None: "·"}


def title(data: Json) -> str:
    """What was analysed, in a sentence."""
    n, k = len(data["questions"]), len(data["systems"])
    threshold = numbers.score(data["threshold"])
    text = f"{numbers.plural(n, 'question')}, {k} systems; right from {threshold} on"
    return f"{text} ({data['threshold_by']})"


def system(one: Json) -> list[str]:
    """A system as a row."""
    right, ability = numbers.DASH, numbers.DASH
    if one["right"] is not None:
        right = f"{numbers.score(one['right'])} ({_ends(one['right_interval'])})"
    if one["ability"] is not None:
        ability = f"{one['ability']:+.2f} ({_ends(one['interval'])})"
    name = f"{one['name']}  {one['run'][:8]}  {one['source']}"
    return [name, numbers.count(one["n"]), numbers.score(one["mean"]), right, ability]


def _ends(interval: Json) -> str:
    return f"{interval['low']:.2f} to {interval['high']:.2f}"


def lists(data: Json) -> list[tuple[str, Sequence[Json]]]:
    """(what the questions have in common, the questions) of each kind that is flagged."""
    found = data["questions"]
    inverted = sorted((q for q in found if q["flag"] == "inverted"), key=lambda q: q["p"])
    chance = f"{data['inverted_by_chance']:.1f} would be by chance alone"
    return [
        (f"Better systems get it wrong, worse ones right ({len(inverted)}; {chance})", inverted),
        *(
            (
                f"{head} ({sum(q['flag'] == flag for q in found)})",
                [q for q in found if q["flag"] == flag],
            )
            for head, flag in (
                ("Nobody gets it right", "all wrong"),
                ("Everyone gets it right", "all right"),
            )
        ),
    ]


def answers(question: Json, systems: Sequence[Json]) -> str:
    """Who got it right: "A ✓ B ✗ C ·"."""
    pairs = zip(systems, question["right"], strict=True)
    return " ".join(f"{one['name']} {_RIGHT[right]}" for one, right in pairs)


def hardness(question: Json) -> str:
    """Difficulty and how far it may be off."""
    if question["difficulty"] is None:
        return ""
    return f"difficulty {question['difficulty']:+.1f} ± {question['difficulty_sd']:.1f}"


def notes(data: Json) -> list[str]:
    """What must be read beside the numbers."""
    found = list(data["warnings"])
    if data["spread"] is None:
        found.append(
            "Fewer than two systems have both right and wrong answers: there are no abilities."
        )
        return found
    found.append(
        "Abilities and difficulties are in logits: a system of ability 0 gets the average question "
        f"right half the time. Difficulties spread by {data['spread']:.2f} (s.d.)."
    )
    found.append(
        "The intervals hold for other questions of this kind, which would move all systems alike: "
        "`assay compare` says whether one is better than another."
    )
    if data["few"]:
        found.append(
            f"{len(data['systems'])} systems say little about how well a single question tells "
            "able from less able ones: its discrimination is held near 1."
        )
    if any(one["ability"] is None for one in data["systems"]):
        found.append("A system that gets all right, or all wrong, has no ability that can be told.")
    if data["left_out"]:
        left = numbers.plural(data["left_out"], "question")
        found.append(f"Left out: {left} that fewer than two systems have a score for.")
    return found
