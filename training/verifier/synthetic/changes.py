"""Changes to a text: which words make way for which, and where the new ones then stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

# (old, new) pairs, all carried out at once.
Change = tuple[tuple[str, str], ...]
_VOWEL_SOUND = re.compile(
    r"(?:[aeio]|un(?!i)|u[^nst]|hour|honest|honou?r|8|11\b|18\b)", re.IGNORECASE
)
_CONSONANT_SOUND = re.compile(r"(?:one\b|once|eu|uni|use|usu)", re.IGNORECASE)


def find(text: str, old: str) -> int:
    """Where `old` stands in `text` as whole words; -1 if it does not or more than once."""
    place, found = text.find(old), -1
    while place >= 0:
        if _whole(text, place, place + len(old)):
            if found >= 0:
                return -1
            found = place
        place = text.find(old, place + 1)
    return found


def _whole(text: str, start: int, end: int) -> bool:
    """Whether no word or number goes on at either side."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isalnum() or before == "_" or after.isalnum() or after == "_":
        return False
    if text[start].isdigit() and before and before in ".,":
        return False
    return not (
        text[end - 1].isdigit() and after and after in ".," and text[end + 1 : end + 2].isdigit()
    )


def apply(text: str, change: Change) -> tuple[str, list[tuple[int, int]]] | None:
    """The changed text and where the new words stand; None where the old ones are not unique."""
    places = sorted((find(text, old), old, new) for old, new in change)
    if any(start < 0 for start, _, _ in places):
        return None
    if any(a[0] + len(a[1]) > b[0] for a, b in pairwise(places)):
        return None
    made, spans, end = "", [], 0
    for start, old, new in places:
        made += text[end:start]
        made, new_word = _with_article(made, new)
        spans.append((len(made), len(made) + len(new_word)))
        made, end = made + new_word, start + len(old)
    made += text[end:]
    return (made, spans) if made != text else None


def reverse(change: Change) -> Change:
    """The change that undoes it."""
    return tuple((new, old) for old, new in change)


def like(old: str, new: str) -> str:
    """`new` with a capital if `old` has one."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def article(word: str) -> str:
    """The indefinite article before a word."""
    vowel = _VOWEL_SOUND.match(word) and not _CONSONANT_SOUND.match(word)
    return "an" if vowel else "a"


def sample(rng, items: Sequence, count: int = 1) -> list:  # noqa: ANN001
    """Up to `count` of these, in random order."""
    return rng.sample(items, min(count, len(items)))


def _with_article(before: str, new: str) -> tuple[str, str]:
    """Make "a" before a new word "an" where it must be."""
    last = re.search(r"(?<!\w)([Aa])n?(\s)$", before)
    if not last or not new:
        return before, new
    right = article(new)
    return before[: last.start()] + like(last[1], right) + last[2], new
