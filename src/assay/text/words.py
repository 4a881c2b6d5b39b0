"""Which words does a text consist of, and which of them carry its content?

Words are lower-cased; hyphenated words are taken apart; a possessive 's is dropped; a number keeps
its separators and is taken apart from its unit ("250F"); accents are dropped ("café" is "cafe"),
and so is what French and Italian put before a vowel ("d'Urville" is "urville"); every Chinese,
Japanese or Korean character is a word of its own.
"""

# ruff: noqa: SIM905 - word lists read better as prose

import re
import unicodedata

from assay.text import memoized, numbers

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_UNIT = (
    "[cfkmgwv]|[ckm]m|[kmµ]g|[cdm]l|[kmgt]b|[kmg]hz|lbs?|oz|mph|ft|in|bn|mn|kw|kwh|hrs?|mins?|[ap]m"
)
# Vowel signs of India's scripts, accents written apart: parts of a word, but not for Python's \\w.
_MARKS = "".join(
    chr(code)
    for codes in (range(0x300, 0x1D00), range(0xA800, 0xAC00))
    for code in codes
    if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
WORD = re.compile(
    rf"\d+(?:[.,:]\d+)+|\d+(?=(?i:{_UNIT})\b)|[{_CJK}]"
    rf"|[^\W_{_CJK}]+(?:[{_MARKS}]+[^\W_{_CJK}]*)*"
    rf"(?:['’][^\W\d_{_CJK}]+(?:[{_MARKS}]+[^\W\d_{_CJK}]*)*)*"
)
_POSSESSIVE = re.compile(r"['’]s?$")
ELISION = re.compile(r"^(?:[dl]|dell|all)['’](?=\w{2})")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
# The Latin letters with accents, in lower case, and the ones without.
_BARE = {
    code: unicodedata.normalize("NFKD", chr(code))[0]
    for codes in (range(0xDF, 0x250), range(0x1E00, 0x1F00))
    for code in codes
    if "a" <= unicodedata.normalize("NFKD", chr(code))[0] <= "z"
}
# "CO₂" and "m²" are written "CO2" and "m2" as well.
_BARE |= {ord(sign): str(unicodedata.digit(sign)) for sign in "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"}
_POWER = re.compile(r"(?<=\d)(?=[⁰¹²³⁴-⁹])")  # "10⁶" is no 106
_VOWEL = re.compile(r"[aeiouy]")
_METRIC = re.compile(r"(met|lit)re$")
# "Five" and "fifth" are 5; "one" is mostly a pronoun, and "first" to "third" are no numbers.
_FIGURES = {
    word: str(value)
    for word, value in {**numbers.SMALL, "twenty": 20, **numbers.ORDINALS}.items()
    if value > 1
}
_SUFFIXES = ("ations", "ation", "ings", "edly", "ing", "ied", "ed", "ly")

STOP_WORDS = frozenset(
    "a an the this that these those it its he him his she her hers they them their theirs we us "
    "our ours i me my mine you your yours who whom whose which what where when why how there here "
    "is are was were be been being am do does did doing done have has had having will would shall "
    "should can could may might must and or but nor so yet if then than as of in on at by to for "
    "from with into onto upon about over under between among through during within out up off per "
    "not no also too very just only such both each any some all more most other another same own "
    "s t don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain "
    "however therefore thus hence moreover furthermore additionally overall while whereas although "
    "though because since until unless both either neither including included include includes "
    "according etc".split()
)


def words(text: str) -> list[str]:
    """Every word of `text`, in order, in lower case."""
    text = text.lower()
    if not text.isascii():
        text = _POWER.sub(" ", unicodedata.normalize("NFC", text)).translate(_BARE)
    found = WORD.findall(text)
    if "'" not in text and "’" not in text:
        return found
    return [word if word.isalnum() else _plain(word) for word in found]


def _plain(word: str) -> str:
    return ELISION.sub("", _POSSESSIVE.sub("", word)).replace("’", "'")


def content_words(text: str) -> list[str]:
    """The words of `text` without stop words, in order, in lower case."""
    return [word for word in words(text) if word and word not in STOP_WORDS]


def stems(text: str) -> list[str]:
    """The stems of the content words of `text`, in order."""
    return [stem(word) for word in content_words(text)]


@memoized(65_536, longest=64)
def stem(word: str) -> str:
    """A short form shared by the inflections of a lower-case word.

    Light on purpose: plural, -ing, -ed, -ly, -ation and a final e or y. "cities" and "city" are
    one, "make" and "making" too, and "five" and "5"; "organ" and "organise" are not.
    """
    if word in _FIGURES:
        return _FIGURES[word]
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return _plain_number(word) if word[:1].isdigit() else word
    word = _METRIC.sub(r"\1er", _singular(word))
    for suffix in _SUFFIXES:
        base = word.removesuffix(suffix)
        least = 4 if suffix.startswith("ation") else 3
        if base != word and len(base) >= least and _VOWEL.search(base):
            word = base + "y" if suffix == "ied" else _undouble(base)
            break
    if len(word) > 3 and word[-1] == "e":
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


def _plain_number(word: str) -> str:
    """Without commas, and without the end of an ordinal."""
    ordinal = _ORDINAL.fullmatch(word)
    return ordinal[1] if ordinal else word.replace(",", "")


def _singular(word: str) -> str:
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def _undouble(word: str) -> str:
    """Make "stopp" "stop"; "fall" stays."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word
