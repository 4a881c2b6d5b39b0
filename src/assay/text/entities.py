"""Which names, dates and numbers does a text hold, by rule, and where does a name stand in it?"""

import re
import unicodedata

from assay.text import facts
from assay.text.memo import remembered
from assay.text.sentences import Span
from assay.text.words import ELISION, WORD

_MONTH = "|".join(month.capitalize() for month in sorted(facts.MONTHS))
_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})(?:,?\s+\d{{4}})?\b"
    rf"|\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b"
    rf"|\b(?:{_MONTH})\s+\d{{4}}\b"
)
_NUMBER = re.compile(r"(?<![\w.,])[$€£¥]?\d+(?:[.,:]\d+)*\s?(?:%|°C|°F)?(?!\w)")
_GROUPED = re.compile(r"(?<=\d)[,'’](?=\d{3}(?!\d))")
_ARTICLES = frozenset(
    ["a", "an", "the", "der", "die", "das", "le", "la", "les", "l", "el", "los", "las", "il", "lo"]
)


def entities(text: str) -> list[str]:
    """Names by their capitals, dates and numbers, as they are written, each once.

    A rule for English: a single capitalised word at the beginning of a sentence is left out, since
    there a capital proves nothing, and so is what is written in lower case.
    """
    dates = [match.span() for match in _DATE.finditer(text)]
    found = [text[slice(*span)] for span in dates]
    found += facts.names(_DATE.sub(" ", text))
    numbers = (m for m in _NUMBER.finditer(text) if not _within(m.span(), dates))
    found += [match.group().strip() for match in numbers]
    return sorted(dict.fromkeys(found), key=text.find)


def place(entity: str, text: str) -> Span | None:
    """Where an entity first stands in a text as whole words; None if nowhere.

    Case, accents, punctuation, white space, a leading article ("l'Italie" too) and the commas of a
    number do not count.
    """
    wanted = [word for word, _ in _words(entity)]
    if len(wanted) > 1 and wanted[0] in _ARTICLES:
        wanted = wanted[1:]
    there = _words(text)
    bare = [word for word, _ in there]
    for at in range(len(bare) - len(wanted) + 1) if wanted else ():
        if bare[at : at + len(wanted)] == wanted:
            return there[at][1][0], there[at + len(wanted) - 1][1][1]
    return None


@remembered(16, longest=20_000)  # the same few texts are looked through for every entity
def _words(text: str) -> tuple[tuple[str, Span], ...]:
    return tuple((_plain(match.group()), match.span()) for match in WORD.finditer(text))


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFKD", _GROUPED.sub("", word).casefold())
    # Accents of Latin, Greek and Cyrillic letters only: elsewhere a mark makes another letter.
    bare = "".join(char for char in apart if not "\u0300" <= char <= "\u036f")
    return ELISION.sub("", bare.removesuffix("'s").removesuffix("’s"))


def _within(span: Span, others: list[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)
