"""Quoted words in a text, whatever their case, punctuation and mark-up."""

import unicodedata
from typing import Final

from assay._text.expressions import expression

_ADDRESS: Final = expression(r"\]\([^()\s]*\)")  # of a link
# Punctuation and mark-up; what stands within a number counts.
_MARKS: Final = expression(r"(?<!\d)[^\w%]+|[^\w%]+(?!\d)")
_DOTS: Final = expression(r"\s*(?:\.{3}|\N{HORIZONTAL ELLIPSIS})\s*")


def comparable(text: str) -> str:
    """The words of a text in one line, without case, punctuation, mark-up and links' addresses."""
    plain = unicodedata.normalize("NFKC", _ADDRESS.sub("] ", text)).casefold()
    return " ".join(_MARKS.sub(" ", plain.replace("_", " ")).split())


def pieces(quote: str) -> list[str]:
    """The pieces of a quote: dots stand for words that were left out."""
    return _DOTS.split(quote)


def holds_quote(text: str, quote: str) -> bool:
    """Whether a text, made `comparable`, holds every piece of a quote."""
    nonempty = [words for piece in pieces(quote) if (words := comparable(piece))]
    return bool(nonempty) and all(words in text for words in nonempty)
