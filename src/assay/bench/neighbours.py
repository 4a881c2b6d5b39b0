"""Which question is most like another in words? What belongs to it is a hard negative."""

from collections.abc import Sequence

from assay.text import words


def nearest(questions: Sequence[str]) -> list[int | None]:
    """Of each question the place of the one most like it, the first of equals; None if alone."""
    stems = [frozenset(words.stems(question)) for question in questions]
    found: list[int | None] = []
    for place, mine in enumerate(stems):
        others = [other for other in range(len(stems)) if other != place]
        found.append(max(others, key=lambda o: _likeness(mine, stems[o])) if others else None)
    return found


def _likeness(mine: frozenset[str], other: frozenset[str]) -> float:
    return len(mine & other) / max(1, len(mine | other))
