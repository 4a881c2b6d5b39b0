"""What do the contexts of a sample offer as evidence, unit by unit?

A unit is a sentence, or of a record a value with its keys, read as a person would.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.backends.embedded.exchange import Pair, Part, pairs, parts
from assay.text import facts, numbers, overlap, quantities, words
from assay.text.memo import remembered
from assay.text.records import units
from assay.text.tags import without_tags
from assay.text.usual import Usual, usual

LONGEST = 60  # words; a longer unit is cut into pieces of at most this
_WORD = re.compile(r"\S+")

Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Piece:
    """A unit of a context, or a stretch of 60 words of one that is longer."""

    context: int  # its place among the contexts, from 0
    text: str
    stems: tuple[str, ...]
    said: str  # its words in lower case, each between blanks
    start: int  # where its unit stands in the context
    end: int


class Around(NamedTuple):
    """What stands in a piece and its neighbours."""

    stems: frozenset[str]
    words: frozenset[str]  # as `facts.lookup` gives them, and the stems
    numbers: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything looked up again and again while statements are checked against contexts."""

    pieces: tuple[Piece, ...]
    sets: tuple[frozenset[str], ...]  # the stems of each piece
    sayings: frozenset[str]  # what the pieces say, each as a whole
    places: Mapping[str, Places]  # the pieces in which a stem stands, in order
    weights: overlap.Weights  # inverse frequency of a stem among the pieces
    stems: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    numbers: Mapping[str, str]
    words: frozenset[str]  # as `facts.lookup` gives them, stop words included, and their stems
    acronyms: frozenset[str]
    _around: dict[int, Around] = field(default_factory=dict, repr=False)

    def window(self, piece: int) -> range:
        """The piece and its neighbours in the same context."""
        context = self.pieces[piece].context
        first = piece - 1 if piece > 0 and self.pieces[piece - 1].context == context else piece
        last = piece + 1
        if last < len(self.pieces) and self.pieces[last].context == context:
            last += 1
        return range(first, last)

    def around(self, piece: int) -> Around:
        """What stands in the piece and its neighbours; looked up once."""
        found = self._around.get(piece)
        if found is None:
            near = self.window(piece)
            text = " ".join(self.pieces[i].text for i in near)
            stems = frozenset().union(*(self.sets[i] for i in near))
            found = Around(stems, stems.union(facts.lookup(text)), numbers.numbers(text))
            self._around[piece] = found
        return found

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the pieces, in order."""
        cut = (parts(piece.text, i, piece.context) for i, piece in enumerate(self.pieces))
        return tuple(part for found in cut for part in found)

    @cached_property
    def alike(self) -> tuple[Pair, ...]:
        """Those of them that say the same of different things."""
        return tuple(pairs(self.parts))

    @cached_property
    def _written(self) -> dict[quantities.Key, list[str]]:
        return quantities.written(piece.text for piece in self.pieces)

    def read(self, statement: str) -> Usual:
        """A statement in its usual form, with amounts and times as the evidence writes them."""
        said = usual(statement)
        return quantities.said_as(said, self._written) if quantities.quantities(said.text) else said

    def shared(self, wanted: Iterable[str]) -> npt.NDArray[np.float64]:
        """The weight of these stems, each given once, that every piece has; shape (pieces,)."""
        shares = np.zeros(len(self.pieces))
        for stem in sorted(wanted):  # sums depend on the order, and so would ties
            if stem in self.places:
                shares[self.places[stem]] += self.weights[stem]
        return shares


def prepare(contexts: Sequence[str]) -> Evidence:
    """Split contexts into pieces and look up their words once.

    The pieces are the same, in the same order, in whatever order the contexts are given.
    """
    in_order = sorted(enumerate(contexts), key=lambda numbered: numbered[1])
    pieces = tuple(
        Piece(index, text, stems, said, start, end)
        for index, context in in_order
        for text, stems, said, start, end in _pieces(context)
    )
    sets = tuple(frozenset(piece.stems) for piece in pieces)
    places: dict[str, list[int]] = {}
    for place, stems in enumerate(sets):
        for stem in stems:
            places.setdefault(stem, []).append(place)
    whole = "\n".join(context for _, context in in_order)
    # As written and as read: "OutdoorSeating" and "outdoor seating".
    plain = frozenset(facts.lookup(whole)).union(*(piece.said.split() for piece in pieces))
    return Evidence(
        pieces=pieces,
        sets=sets,
        sayings=frozenset(piece.said for piece in pieces),
        places={stem: np.array(each) for stem, each in places.items()},
        weights=overlap.inverse_frequency(sets),
        stems=frozenset(places),
        bigrams=frozenset().union(*(overlap.bigrams(piece.stems) for piece in pieces)),
        numbers=numbers.numbers(usual(whole).text),
        words=plain.union(map(words.stem, plain)),
        acronyms=frozenset(facts.acronyms(whole)),
    )


@remembered(128, longest=20_000)
def _pieces(context: str) -> tuple[tuple[str, tuple[str, ...], str, int, int], ...]:
    # A context is judged among its neighbours and alone, and again for the next question.
    return tuple(
        (text, tuple(words.stems(text)), f" {' '.join(words.words(text))} ", unit.start, unit.end)
        for unit in units(without_tags(context))
        for text in _cut(usual(unit.text).text)
    )


def _cut(text: str) -> list[str]:
    found = list(_WORD.finditer(text))
    if len(found) <= LONGEST:
        return [text]
    count = -(-len(found) // LONGEST)
    size = -(-len(found) // count)
    parts = [found[i : i + size] for i in range(0, len(found), size)]
    return [text[part[0].start() : part[-1].end()] for part in parts]
