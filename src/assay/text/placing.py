"""Where in a text do words stand that were taken from it with small changes?"""

from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TypeAlias

from assay.text.sentences import Span

Block: TypeAlias = tuple[int, int, int]  # place in what is said, place in the source, length
# Pairs of characters that are compared at most: what a sentence of 3,000 characters takes.
_MOST = 9_000_000


def placed(spans: Iterable[Span], said: str, source: str) -> list[Span]:
    """The characters of `source` that ranges of `said` were made from, in order.

    `said` is `source` in other words only where a pronoun was resolved, mark-up removed or a
    lead-in put before it. A range without any counterpart (a resolved pronoun) is left out.
    """
    wanted = list(spans)
    if not wanted:
        return []
    at = source.find(said)
    if at >= 0:
        return [(start + at, end + at) for start, end in wanted]
    # A blank that both have is no counterpart.
    blocks = [
        (here, there, size)
        for here, there, size in _blocks(said, source)
        if any(char.isalnum() for char in said[here : here + size])
    ]
    found = (_counterpart(span, blocks) for span in wanted)
    return [span for span in found if span]


def _blocks(said: str, source: str) -> list[Block]:
    """Stretches that both have, in order; of very long texts those at both ends alone."""
    if len(said) * len(source) <= _MOST:
        matcher = SequenceMatcher(None, said, source, autojunk=False)
        return [(block.a, block.b, block.size) for block in matcher.get_matching_blocks()]
    first = _alike(said, source)
    last = _alike(said[first:][::-1], source[first:][::-1])
    return [(0, 0, first), (len(said) - last, len(source) - last, last)]


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _counterpart(span: Span, blocks: Iterable[Block]) -> Span | None:
    start, end = span
    met = [
        (there + max(start, here) - here, there + min(end, here + size) - here)
        for here, there, size in blocks
        if max(start, here) < min(end, here + size)
    ]
    return (met[0][0], met[-1][1]) if met else None
