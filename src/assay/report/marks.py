"""Which characters of a text does a piece of evidence speak about?"""

import re
from collections import defaultdict
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
    begins: dict[int, list[int]] = defaultdict(list)
    ends: dict[int, list[int]] = defaultdict(list)
    owners: list[str] = []
    for (start, end), owner in spans:
        first, last = max(start, 0), min(end, len(text))
        if first < last:
            begins[first].append(len(owners))
            ends[last].append(len(owners))
            owners.append(owner)
    found: list[Segment] = []
    speaking: set[int] = set()
    for left, right in pairwise(sorted({0, len(text), *begins, *ends})):
        speaking.difference_update(ends.get(left, ()))
        speaking.update(begins.get(left, ()))
        found.append(Segment(text[left:right], tuple(owners[i] for i in sorted(speaking))))
    return found


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
