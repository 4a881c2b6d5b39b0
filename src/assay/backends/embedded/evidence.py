"""What do the contexts of a sample offer as evidence, unit by unit?

A unit is a sentence, or of a record a value with its keys, read as a person would.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.text import facts, numbers, overlap, words
from assay.text.records import Unit, units

LONGEST = 60  # words; a longer unit is cut into pieces of at most this
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Piece:
    """A unit of a context, or a stretch of 60 words of one that is longer."""

    context: int  # its place among the contexts, from 0
    text: str
    stems: tuple[str, ...]
    start: int  # where its unit stands in the context
    end: int


@dataclass(frozen=True)
class Evidence:
    """Everything looked up again and again while statements are checked against contexts."""

    pieces: tuple[Piece, ...]
    sets: tuple[frozenset[str], ...]  # the stems of each piece
    weights: dict[str, float]  # inverse frequency of a stem among the pieces
    stems: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    numbers: dict[str, str]
    words: frozenset[str]  # lower-cased, stop words included, and their stems
    acronyms: frozenset[str]

    def window(self, piece: int) -> range:
        """The piece and its neighbours in the same context."""
        context = self.pieces[piece].context
        first = piece - 1 if piece > 0 and self.pieces[piece - 1].context == context else piece
        last = piece + 1
        if last < len(self.pieces) and self.pieces[last].context == context:
            last += 1
        return range(first, last)


def prepare(contexts: Sequence[str]) -> Evidence:
    """Split contexts into pieces and look up their words once."""
    pieces = tuple(
        Piece(index, text, tuple(words.stems(text)), unit.start, unit.end)
        for index, context in enumerate(contexts)
        for unit in units(context)
        for text in _cut(unit)
    )
    sets = tuple(frozenset(piece.stems) for piece in pieces)
    whole = "\n".join(contexts)
    # As written and as read: "OutdoorSeating" and "outdoor seating".
    plain = {*words.words(whole), *(word for piece in pieces for word in words.words(piece.text))}
    return Evidence(
        pieces=pieces,
        sets=sets,
        weights=overlap.inverse_frequency(sets),
        stems=frozenset().union(*sets),
        bigrams=frozenset().union(*(overlap.bigrams(piece.stems) for piece in pieces)),
        numbers=numbers.numbers(whole),
        words=frozenset(plain).union(map(words.stem, plain)),
        acronyms=frozenset(facts.acronyms(whole)),
    )


def _cut(unit: Unit) -> list[str]:
    found = list(_WORD.finditer(unit.text))
    if len(found) <= LONGEST:
        return [unit.text]
    count = -(-len(found) // LONGEST)
    size = -(-len(found) // count)
    parts = [found[i : i + size] for i in range(0, len(found), size)]
    return [unit.text[part[0].start() : part[-1].end()] for part in parts]
