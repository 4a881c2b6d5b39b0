"""How much do two texts share, and which questions are like a question?"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from assay._text import words


@lru_cache(maxsize=200_000)
def stems(text: str) -> frozenset[str]:
    """The stems of the content words of a text."""
    return frozenset(words.stems(text))


class Weights:
    """How rare each stem is among the texts it was made from."""

    def __init__(self, texts: Iterable[str]) -> None:
        seen: Counter[str] = Counter()
        size = 0
        for text in texts:
            seen.update(stems(text))
            size += 1
        self._weight = {stem: math.log(1 + size / (1 + n)) for stem, n in seen.items()}
        self._rare = math.log(1 + size)

    def of(self, found: Iterable[str]) -> float:
        """The weight of some stems together."""
        return sum(self._weight.get(stem, self._rare) for stem in found)

    def share(self, part: frozenset[str], whole: frozenset[str]) -> float:
        """Which share of `part` stands in `whole`; 0 for an empty part."""
        total = self.of(part)
        return self.of(part & whole) / total if total else 0.0

    def overlap(self, question: str, text: str) -> float:
        """Which share of a question's words stands in a text."""
        return self.share(stems(question), stems(text))


class Neighbours:
    """The questions of a list that share most with one of them."""

    def __init__(self, questions: Sequence[str], weights: Weights) -> None:
        self._stems = [stems(question) for question in questions]
        self._weights = weights
        self._sizes = [weights.of(found) or 1.0 for found in self._stems]
        self._where: dict[str, list[int]] = defaultdict(list)
        for i, found in enumerate(self._stems):
            for stem in found:
                self._where[stem].append(i)

    def of(self, i: int, count: int = 30) -> list[tuple[int, float]]:
        """(place, likeness in 0..1) of the nearest others, the nearest first."""
        shared: dict[int, float] = defaultdict(float)
        for stem in sorted(self._stems[i]):
            places = self._where[stem]
            if len(places) < 400:
                weight = self._weights.of((stem,))
                for j in places:
                    shared[j] += weight
        shared.pop(i, None)
        near = [
            (j, both / math.sqrt(self._sizes[i] * self._sizes[j])) for j, both in shared.items()
        ]
        return sorted(near, key=lambda pair: (-pair[1], pair[0]))[:count]
