"""Which passages are asked about, and which others say something of the same?"""

import math
import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from assay.testset.passages import Passage
from assay.text.words import Weights, inverse_frequency, stems, weighted_recall

_GOLDEN = (math.sqrt(5) - 1) / 2
# A word that more of the passages have says little about what one of them is about.
_COMMON = 0.1
_FEW = 20  # of so few passages every word counts


@dataclass
class Corpus:
    """All passages, and the words by which they are found."""

    passages: Sequence[Passage]
    _stems: list[frozenset[str]] = field(init=False)
    _weights: Weights = field(init=False)
    _holders: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self._stems = [frozenset(stems(f"{p.title} {p.text}")) for p in self.passages]
        self._weights = inverse_frequency(self._stems)
        holders = defaultdict(list)
        for number, held in enumerate(self._stems):
            for stem in held:
                holders[stem].append(number)
        most = max(_FEW, _COMMON * len(self.passages))
        self._holders = {stem: found for stem, found in holders.items() if len(found) <= most}

    def evenly(self, seed: int) -> Iterator[int]:
        """Numbers of passages without end: however many are taken, they are spread evenly.

        Steps of the golden ratio through the passages in order, from a random start: a document
        gets as many as it has passages, give or take one. Each round takes every passage once.
        """
        n = len(self.passages)
        place = random.Random(seed).random()  # noqa: S311 - no secret
        while True:
            left = set(range(n))
            for _ in range(4 * n):
                if (number := int(place * n)) in left:
                    left.remove(number)
                    yield number
                place = (place + _GOLDEN) % 1
                if not left:
                    break
            yield from sorted(left)

    def nearest(self, text: str, most: int, without: Collection[int] = ()) -> list[int]:
        """Numbers of the passages that hold most of a text's rare words, the nearest first."""
        return [number for number, _ in self._ranked(frozenset(stems(text)), without)[:most]]

    def partner(self, number: int) -> int | None:
        """The passage that shares most rare words with another, best of another document.

        A passage beside it comes last: it goes on where the other one ends.
        """
        document = self.passages[number].document

        def distance(other: int) -> int:
            if self.passages[other].document != document:
                return 0
            return 1 if abs(other - number) > 1 else 2

        others = [other for other, _ in self._ranked(self._stems[number], [number])]
        return min(others, key=distance, default=None)

    def _ranked(self, wanted: frozenset[str], without: Collection[int]) -> list[tuple[int, float]]:
        found = {n for stem in wanted for n in self._holders.get(stem, ())} - set(without)
        shares = ((n, weighted_recall(wanted, self._stems[n], self._weights)) for n in found)
        return sorted(shares, key=lambda pair: (-pair[1], pair[0]))
