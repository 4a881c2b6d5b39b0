"""Differences of two texts, word by word."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, TypeAlias

# A piece of a text, and whether the other text does not have it there.
Piece: TypeAlias = tuple[str, bool]

# Longer texts would keep the reader waiting: matching takes the square of their words.
MAX_WORDS: Final = 4000
_TOKEN: Final = re.compile(r"\w+|\s+|[^\w\s]")
_BLANK_LINE: Final = re.compile(r"(\s*\n\s*\n\s*)")


def differences(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces; texts that are too long to be matched are one piece each, unmarked."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if max(len(old), len(new)) > MAX_WORDS:
        return [(before, False)], [(after, False)]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    left: list[Piece] = []
    right: list[Piece] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        _add(left, old[a:b], changed=kind != "equal")
        _add(right, new[c:d], changed=kind != "equal")
    return _by_line(_joined(left)), _by_line(_joined(right))


def _add(pieces: list[Piece], words: Sequence[str], *, changed: bool) -> None:
    if words:
        pieces.append(("".join(words), changed))


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Without islands: blanks, or a word that long changes happen to share, count as changed."""
    made: list[Piece] = []
    for at, (text, changed) in enumerate(pieces):
        inside = 0 < at < len(pieces) - 1 and pieces[at - 1][1] and pieces[at + 1][1]
        now = changed or (inside and _is_island(text, pieces[at - 1][0], pieces[at + 1][0]))
        if made and made[-1][1] == now:
            made[-1] = (made[-1][0] + text, now)
        else:
            made.append((text, now))
    return made


def _by_line(pieces: list[Piece]) -> list[Piece]:
    """With blank lines unmarked: marked, they show a stray dot."""
    return [
        (part, changed and not part.isspace())
        for text, changed in pieces
        for part in (_BLANK_LINE.split(text) if changed else [text])
        if part
    ]


def _is_island(text: str, before: str, after: str) -> bool:
    words = len(text.split())
    return not words or (words == 1 and min(len(before.split()), len(after.split())) > 2)
