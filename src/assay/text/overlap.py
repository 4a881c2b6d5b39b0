"""How much of one text stands, word by word, in another?

Every function takes stems (see `words.stems`) and returns a share in [0, 1]; with nothing to look
for the share is 1.0, so a caller decides first whether an empty text is worth asking about.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

_PLACES = 2**32


def recall(wanted: Collection[str], found: Collection[str]) -> float:
    """Share of the distinct wanted stems that were found."""
    distinct = set(wanted)
    if not distinct:
        return 1.0
    return len(distinct.intersection(found)) / len(distinct)


class Weights(dict[str, float]):
    """What stems weigh; one that is not among them as much as the heaviest."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        super().__init__(weights)
        self.most = max(weights.values(), default=1.0)

    def __missing__(self, stem: str) -> float:
        """The greatest weight."""
        return self.most


def inverse_frequency(texts: Iterable[Collection[str]]) -> Weights:
    """Weight of every stem: log(1 + texts / texts with it); the rarer the heavier.

    Rounded to 32 binary places, so that sums of them are exact in any order.
    """
    counts: Counter[str] = Counter()
    total = 0
    for stems in texts:
        counts.update(set(stems))
        total += 1
    each = {
        count: round(math.log(1 + total / count) * _PLACES) / _PLACES
        for count in set(counts.values())
    }
    return Weights({stem: each[count] for stem, count in counts.items()})


def weighted_recall(wanted: Collection[str], found: Collection[str], weights: Weights) -> float:
    """Share of the wanted stems that were found, by weight; an unknown stem weighs most."""
    lookup = found if isinstance(found, set | frozenset) else set(found)
    each = set(wanted)
    # Exact sums: sets have no order, and a last digit may decide between two sentences.
    total = math.fsum(weights[stem] for stem in each)
    hit = math.fsum(weights[stem] for stem in each if stem in lookup)
    return hit / total if total else 1.0


def bigrams(stems: Sequence[str]) -> set[tuple[str, str]]:
    """Every pair of neighbours."""
    return set(pairwise(stems))


def bigram_recall(wanted: Sequence[str], found: Collection[tuple[str, str]]) -> float:
    """Share of the wanted pairs of neighbours that were found; a single word has no pair: 1.0."""
    return recall_of(bigrams(wanted), found)


def recall_of(wanted: Collection[tuple[str, str]], found: Collection[tuple[str, str]]) -> float:
    """Share of the wanted pairs that were found."""
    if not wanted:
        return 1.0
    lookup = found if isinstance(found, set | frozenset) else set(found)
    return sum(pair in lookup for pair in wanted) / len(wanted)


def longest_run(wanted: Sequence[str], found: Sequence[str]) -> float:
    """Length of the longest stretch of stems that both share, over the length of `wanted`."""
    if not wanted:
        return 1.0
    best = 0
    before: dict[int, int] = {}
    places: dict[str, list[int]] = {}
    for place, stem in enumerate(found):
        places.setdefault(stem, []).append(place)
    for stem in wanted:
        now = {place: before.get(place - 1, 0) + 1 for place in places.get(stem, ())}
        best = max(best, max(now.values(), default=0))
        before = now
    return best / len(wanted)
