"""Where in a text do words stand that were taken from it with small changes?"""

from collections.abc import Iterable
from difflib import SequenceMatcher

from assay.text.sentences import Span


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
    matcher = SequenceMatcher(None, said, source, autojunk=False)
    # A blank that both have is no counterpart.
    blocks = [
        block
        for block in matcher.get_matching_blocks()
        if any(char.isalnum() for char in said[block.a : block.a + block.size])
    ]
    found = (_counterpart(span, blocks) for span in wanted)
    return [span for span in found if span]


def _counterpart(span: Span, blocks: Iterable[tuple[int, int, int]]) -> Span | None:
    start, end = span
    met = [
        (there + max(start, here) - here, there + min(end, here + size) - here)
        for here, there, size in blocks
        if max(start, here) < min(end, here + size)
    ]
    return (met[0][0], met[-1][1]) if met else None
