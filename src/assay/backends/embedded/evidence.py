"""What do the contexts of a sample offer as evidence, sentence by sentence?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.text import facts, numbers, overlap, sentences, words

LONGEST = 60  # words; records and tables without full stops are cut into pieces of at most this
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Piece:
    """A sentence of a context, or a stretch of 60 words of one that is longer."""

    context: int  # its place among the contexts, from 0
    text: str
    stems: tuple[str, ...]


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
        Piece(index, context[start:end], tuple(_stems(context[start:end])))
        for index, context in enumerate(contexts)
        for span in sentences.spans(context)
        for start, end in _cut(context, span)
    )
    sets = tuple(frozenset(piece.stems) for piece in pieces)
    whole = "\n".join(contexts)
    plain = words.words(whole) + words.words(_CAMEL.sub(" ", whole))
    return Evidence(
        pieces=pieces,
        sets=sets,
        weights=overlap.inverse_frequency(sets),
        stems=frozenset().union(*sets),
        bigrams=frozenset().union(*(overlap.bigrams(piece.stems) for piece in pieces)),
        numbers=numbers.numbers(whole),
        words=frozenset(plain).union(words.stem(word) for word in plain),
        acronyms=frozenset(facts.acronyms(whole)),
    )


def _stems(text: str) -> list[str]:
    """Stems; of names such as OutdoorSeating in a record also those of their parts."""
    split = _CAMEL.sub(" ", text)
    whole = words.stems(text)
    return whole if split == text else whole + words.stems(split)


def _cut(text: str, span: sentences.Span) -> list[sentences.Span]:
    found = list(_WORD.finditer(text, *span))
    if len(found) <= LONGEST:
        return [span]
    count = -(-len(found) // LONGEST)
    size = -(-len(found) // count)
    parts = [found[i : i + size] for i in range(0, len(found), size)]
    return [(part[0].start(), part[-1].end()) for part in parts]
