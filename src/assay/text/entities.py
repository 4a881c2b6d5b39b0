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
_ELISION = re.compile(ELISION.pattern, re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_INITIALS = 3  # letters of a name in capitals that may be a common word too: US, WHO, IT
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


def compared(entity: str) -> tuple[str, ...]:
    """The words of an entity as they are compared: two that are equal here are one.

    Case, accents, punctuation, white space, a leading article ("l'Italie" too) and the commas of a
    number do not count; only a name that is one word in capitals keeps them ("WHO").
    """
    words = _words(entity)
    if len(words) > 1 and words[0][1] in _ARTICLES:
        words = words[1:]
    if len(words) == 1 and _is_acronym(words[0][0]):
        return (words[0][0],)
    return tuple(folded for _, folded, _ in words)


def place(entity: str, text: str) -> Span | None:
    """Where an entity first stands in a text as whole words, see `compared`; None if nowhere.

    A name in capitals is no common word: "US", "IT" and "WHO" stand only where all letters are
    capitals, one of four letters or more where the first is ("Nasa").
    """
    wanted = compared(entity)
    sought = [word.casefold() for word in wanted]
    acronym = len(wanted) == 1 and _is_acronym(wanted[0])
    there = _words(text)
    folded = [word for _, word, _ in there]
    for at in range(len(there) - len(wanted) + 1) if wanted else ():
        if folded[at : at + len(wanted)] == sought and not (acronym and _is_common(there[at][0])):
            return there[at][2][0], there[at + len(wanted) - 1][2][1]
    return None


def _is_acronym(name: str) -> bool:
    return len(name) > 1 and name.isalpha() and name.isupper()


def _is_common(word: str) -> bool:
    """Whether a word with the letters of an acronym is written as a common word."""
    return not (word if len(word) <= _INITIALS else word[0]).isupper()


@remembered(16, longest=20_000)  # the same few texts are looked through for every entity
def _words(text: str) -> tuple[tuple[str, str, Span], ...]:
    """Each word without what does not count, the same without its case, and where it stands."""
    found = ((_plain(match.group()), match.span()) for match in WORD.finditer(text))
    return tuple((word, word.casefold(), span) for word, span in found)


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFKD", _GROUPED.sub("", word))
    # Accents of Latin, Greek and Cyrillic letters only: elsewhere a mark makes another letter.
    bare = "".join(char for char in apart if not "\u0300" <= char <= "\u036f")
    return _ELISION.sub("", _POSSESSIVE.sub("", bare)).replace("\u2019", "'")


def _within(span: Span, others: list[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)
