"""Years that a text names only by what they follow: "in 2019 ... two years later" for 2021."""

import re
from collections.abc import Iterator, Sequence

from assay._text.numbers import SMALL
from assay._text.sentences import Span

_NAMED = re.compile(r"\b[Ii]n (?P<year>1\d{3}|20\d\d)\b(?![-,.]?\d)")
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b(?![-,.]?\d)")
_LATER = re.compile(
    rf"\b(?P<count>an?|\d{{1,3}}|{'|'.join(SMALL)}) years? "
    r"(?P<way>later|afterwards|earlier|before)\b"
)


def as_told(text: str, beside: Sequence[str]) -> Iterator[tuple[Span, str]]:
    """Where a text names such a year that the texts beside it do not, with what they say."""
    for match in _NAMED.finditer(text):
        year = match["year"]
        if any(year in other for other in beside):
            continue
        told = {phrase for phrase, meant in _told(beside) if meant == int(year)}
        if told:
            yield match.span(), min(told)


def _told(texts: Sequence[str]) -> Iterator[tuple[str, int]]:
    """What is said to be so many years from the year named last, with the year that it is."""
    last = 0
    for text in texts:
        for match in _LATER.finditer(text):
            years = _YEAR.findall(text[: match.start()])
            since = int(years[-1]) if years else last
            count = match["count"]
            number = int(count) if count.isdigit() else SMALL.get(count, 1)
            if since:
                sign = 1 if match["way"] in {"later", "afterwards"} else -1
                yield match.group(), since + sign * number
        years = _YEAR.findall(text)
        last = int(years[-1]) if years else last
