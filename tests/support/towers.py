"""Two small RAG systems over questions on towers: one with planted weaknesses, one without."""

import difflib
import re
from collections.abc import Sequence
from typing import Any

NAMES = (
    *("Anna Gruber", "Bela Kovacs", "Carla Rossi", "David Lund"),
    *("Elsa Moreau", "Frank Weber", "Greta Olsen", "Hugo Marin"),
)
_TOWER = re.compile(r"tower of (\w+) was (?:built by|finished in) (.+)\.")


def rows(n: int) -> list[dict[str, Any]]:
    """Questions with three contexts each, the first of which holds the reference."""
    return [_row(number) for number in range(n)]


def _row(number: int) -> dict[str, Any]:
    place = f"Place{number}town"
    if number % 2:
        fact, question = NAMES[number % len(NAMES)], f"Who built the tower of {place}?"
        right = f"The tower of {place} was built by {fact}."
    else:
        fact, question = str(1700 + 3 * number), f"When was the tower of {place} finished?"
        right = f"The tower of {place} was finished in {fact}."
    others = [f"The market of {place} opens on Mondays.", f"The river at {place} is cold."]
    return {
        "id": f"q{number}",
        "question": question,
        "reference": fact,
        "contexts": [right, *others],
        "reference_contexts": [right],
    }


def weak(question: str, contexts: Sequence[str]) -> str:
    """It reads two contexts and words as they are written, never declines, follows any context."""
    for text in contexts[:2]:
        found = _TOWER.search(text)
        if found and {"tower", found[1].lower()} <= set(re.findall(r"\w+", question.lower())):
            return found[2]
    return contexts[0].split()[-1] if contexts else "Rome"


def careful(question: str, contexts: Sequence[str]) -> str:
    """It reads all contexts, forgives typing errors, declines, and says where contexts disagree."""
    facts = list(dict.fromkeys(_about(question, contexts)))
    if not facts:
        return "I do not know."
    if len(facts) > 1:
        return f"The sources contradict each other: {' or '.join(facts)}."
    return facts[0]


def _about(question: str, contexts: Sequence[str]) -> list[str]:
    words = re.findall(r"\w*\d+\w*", question.lower())
    found = [match for text in contexts if (match := _TOWER.search(text))]
    return [
        match[2]
        for match in found
        if any(
            re.sub(r"\D", "", word) == re.sub(r"\D", "", match[1])
            and difflib.SequenceMatcher(None, word, match[1].lower()).ratio() > 0.8
            for word in words
        )
    ]
