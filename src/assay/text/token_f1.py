"""How many words do two short answers share, as the SQuAD benchmark counts it?

SQuAD's rules: lower case, no ASCII punctuation, no "a", "an", "the", words apart by white space.
They were made for English; MLQA's rules extend them, and are followed for other languages. Two
texts that are compared are always read by the same rules.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_ENGLISH = r"\b(a|an|the)\b"
_ARTICLES = {
    "en": _ENGLISH,
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "fr": r"\b(un|une|des|le|la|les)\b|\bl['’]",
    "it": r"\b(un|uno|una|il|lo|la|i|gli|le)\b|\b(l|un)['’]",
    "nl": r"\b(een|de|het)\b",
    "pt": r"\b(um|uma|uns|umas|o|a|os|as)\b",
}
# Written without spaces between words: Han characters, hiragana and katakana.
_UNSPACED = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
_ASCII = str.maketrans("", "", string.punctuation)


class Overlap(NamedTuple):
    """The words that two texts share, over those of either."""

    precision: float
    recall: float
    f1: float


def tokens(text: str, language: str | None = None) -> list[str]:
    """The words of a text, normalised.

    Args:
        text: The text.
        language: BCP 47 tag. "en": SQuAD's rules. Another one: MLQA's, by which all Unicode
            punctuation goes, the articles of the language do, where they are known here (de, es,
            fr, it, nl, pt), and each Chinese or Japanese character is a word. None: SQuAD's, or
            MLQA's for a text with such a character.
    """
    return _read(text, _main(language), squad=_by_squad(language, text))


def compare(answer: str, reference: str, language: str | None = None) -> Overlap:
    """Precision, recall and F1 of an answer's words against a reference's.

    Args:
        answer: The answer.
        reference: What it is compared with.
        language: As for `tokens`. None: SQuAD's rules, or MLQA's if there are Chinese or Japanese
            characters in both texts. Whichever it is, both are read by the same.
    """
    return overlap(*token_pair(answer, reference, language))


def token_pair(
    answer: str, reference: str, language: str | None = None
) -> tuple[list[str], list[str]]:
    """The words of two texts that are to be compared, both read by the same rules."""
    main, squad = _main(language), _by_squad(language, answer, reference)
    return _read(answer, main, squad=squad), _read(reference, main, squad=squad)


def _main(language: str | None) -> str:
    return (language or "en").replace("_", "-").partition("-")[0].lower()


def _by_squad(language: str | None, *texts: str) -> bool:
    if _main(language) != "en":
        return False
    # In an English answer a name may stand in its own script as well: "Tokyo (東京)".
    return bool(language) or not all(map(_UNSPACED.search, texts))


def _read(text: str, main: str, *, squad: bool) -> list[str]:
    lowered = text.lower()
    if squad:
        return re.sub(_ENGLISH, " ", lowered.translate(_ASCII)).split()
    # Articles first: with the apostrophe of "l'eau" its article would be lost in the word.
    articles = _ARTICLES.get(main)
    bare = re.sub(articles, " ", lowered) if articles else lowered
    kept = "".join(c for c in bare if not unicodedata.category(c).startswith("P"))
    return _UNSPACED.sub(r" \1 ", kept).split()


def overlap(answer: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Precision, recall and F1 of the answer's words against the reference's, each counted.

    Nothing shared is 0, even between two texts without a word, as in SQuAD 1.1.
    """
    shared = (Counter(answer) & Counter(reference)).total()
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = shared / len(answer), shared / len(reference)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))
