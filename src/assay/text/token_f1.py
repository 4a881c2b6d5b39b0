"""How many words do two short answers share, as the SQuAD benchmark counts it?

SQuAD's rules: lower case, no ASCII punctuation, no "a", "an", "the", words apart by white space.
They were made for English; MLQA's rules extend them, and are followed for other languages.
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
        language: BCP 47 tag; None means English. Beyond English all Unicode punctuation goes, and
            the articles of the language do, where they are known here (de, es, fr, it, nl, pt).
            In any language each Chinese or Japanese character is a word.
    """
    lowered = text.lower()
    main = (language or "en").replace("_", "-").partition("-")[0].lower()
    unspaced = bool(_UNSPACED.search(lowered))
    if main == "en" and not unspaced:
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
