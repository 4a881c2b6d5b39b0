"""Which characters of a text does a piece of evidence speak about?"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of a text that the same pieces of evidence speak about.

    Attributes:
        text: The characters.
        owners: Who speaks about them; empty where nobody does.
    """

    text: str
    owners: tuple[str, ...]


def segments(text: str, spans: Iterable[tuple[Range, str]]) -> list[Segment]:
    """Cut a text where spans begin and end; joined, the segments are the text again."""
    fitting = [
        (max(start, 0), min(end, len(text)), owner)
        for (start, end), owner in spans
        if max(start, 0) < min(end, len(text))
    ]
    cuts = sorted({0, len(text), *(cut for start, end, _ in fitting for cut in (start, end))})
    return [
        Segment(text[left:right], tuple(o for s, e, o in fitting if s <= left and right <= e))
        for left, right in pairwise(cuts)
    ]


def find_quote(text: str, quote: str) -> Range | None:
    """Where a quote stands in a text, whatever its case, quotation marks and line breaks.

    None if it does not stand there: a quote that a judge made up must not be shown as found.
    """
    at = text.find(quote)
    if quote and at >= 0:
        return at, at + len(quote)
    words = quote.strip(" \t\n\"'\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}")
    if not words:
        return None
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    found = re.search(pattern, text, re.IGNORECASE)
    return found.span() if found else None
