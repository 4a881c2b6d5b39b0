"""A text without the words of a question: answers need not repeat what was asked."""

from __future__ import annotations

import random
import re

from assay._text import words
from training.verifier.asked.lexical import stems

LEAST = 5  # content words that must be left
_TOKEN = re.compile(r"\w+(?:['\u2019-]\w+)*|\s+|[^\w\s]")
_LEAD = re.compile(r"[^,;:.?!]{3,90},\s+(?=\w)")
# What may stand before a word of the question, and between two of them that go together.
_BEFORE = frozenset({"the", "a", "an", "your", "my", "his", "her", "its", "their", "our", "these"})
_JOINING = {"of", "in", "on", "at", "for", "to", "and", "or", "with", "by", "from", "as"}
_BETWEEN = _BEFORE | _JOINING
_PLURAL = re.compile(r"\s*(?:are|were|have|do|include)\b")


def plain(text: str, question: str, rng: random.Random) -> str | None:
    """The text with pronouns for what it takes from the question, or without it.

    None if it takes nothing, or if too little is left.
    """
    asked = stems(question)
    if not stems(text) & asked:
        return None
    lead = _LEAD.match(text)
    if lead and stems(lead[0]) & asked and len(words.content_words(text[lead.end() :])) >= LEAST:
        text = text[lead.end() :]
    pieces = _TOKEN.findall(text)
    found: list[str] = []
    place = 0
    while place < len(pieces):
        end = _run(pieces, place, asked)
        if end == place:
            found.append(pieces[place])
            place += 1
            continue
        # A first mention becomes a pronoun; what is left out altogether was an aside.
        if not found or rng.random() < 0.7:
            plural = _PLURAL.match("".join(pieces[end : end + 3]))
            found.append("they" if plural else rng.choice(("it", "it", "this")))
        place = end
    said = re.sub(r"\s+(?=[\s.,;:!?)])", "", "".join(found)).strip(" ,;")
    if stems(said) & asked or len(words.content_words(said)) < LEAST:
        return None
    return said[:1].upper() + said[1:]


def _run(pieces: list[str], start: int, asked: frozenset[str]) -> int:
    """Where words of the question that stand together end; `start` if none begins there."""
    end = place = start
    while place < len(pieces):
        word = pieces[place]
        if stems(word) & asked:
            end = place + 1
        elif word.isspace():
            if place == start:
                break
        elif word.lower() not in (_BEFORE if end == start else _BETWEEN):
            break
        place += 1
    return end
