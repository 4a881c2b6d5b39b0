"""Is a text in English, the only language that the embedded judge was made for and measured on?"""

# ruff: noqa: SIM905 - word lists read better as prose

import re

_WORD = re.compile(r"[^\W\d_]+")
_LATIN_END = "\u0250"
_FEW = 12  # words; in fewer the commonest ones need not occur
_LETTERS = 0.7  # share of Latin letters, at least
# English text of every kind in our data holds more than this; other languages hold 0 to 0.06.
_COMMON = 0.08
_COMMONEST = frozenset(
    "the of and to is are were be that which what when where who how why with for from it its this "
    "these those by at or not have has had can could will would does did do you your we they their "
    "there if about than".split()
)


def is_english(text: str) -> bool:
    """Whether the text seems to be English; a short one in Latin letters is taken for it."""
    words = _WORD.findall(text.lower())
    letters = "".join(words)
    if sum(letter < _LATIN_END for letter in letters) < _LETTERS * len(letters):
        return False
    common = sum(word in _COMMONEST for word in words)
    return len(words) < _FEW or common >= _COMMON * len(words)
