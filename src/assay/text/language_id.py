"""Language identification by script and by the commonest words."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+")
_FEWEST = 2  # words of a language that must occur before a text counts as one of that language
_READ = 2000  # characters that are looked at
_MOST_LETTERS = 0.5  # share of the letters that decides the script
_JAPANESE = ("HIRAGANA", "KATAKANA")

_COMMON = {
    "en": "the of and to is are was were which what when where who how why with for from it its "
    "this that these those by at in did does do has have had can much many long there",
    "de": "der die das den dem des ein eine einer eines einem und ist sind war waren wurde wurden "
    "wer wie wo wann warum welche welcher welches was mit für von im am zu zur zum nicht auf hat "
    "es sich aus bei nach in viel viele hoch",
    "fr": "le la les un une des du de et est sont était étaient fut qui que quoi quel quelle quels "
    "quelles quand où comment pourquoi avec pour par dans sur ne pas il elle au aux ce cette en a "
    "été",
    "es": "el la los las un una unos unas y es son era fue fueron qué quién cuál cuándo dónde cómo "
    "por para con del de en se no al su está que",
    "it": "il lo la i gli le un una uno e è sono era fu chi che cosa quale quando dove come "
    "perché con per di del della dei delle nel nella da dal si non al su",
    "pt": "o a os as um uma e é são era foi foram quem que qual quando onde como por para com do "
    "da dos das em no na se não ao",
    "nl": "de het een en is zijn was werd werden wie wat welke wanneer waar hoe waarom met voor "
    "van in op te niet aan dat die deze heeft",
}
# The languages of each common word, by their places in `_NAMES`.
_NAMES = tuple(_COMMON)
_LANGUAGES_OF: dict[str, list[int]] = {}
for _place, _words in enumerate(_COMMON.values()):
    for _common in set(_words.split()):
        _LANGUAGES_OF.setdefault(_common, []).append(_place)


def identify_language(text: str) -> str:
    """The language of a text, or its script where that is all there is to tell; "" if unclear."""
    return _identify(text[:_READ])


@lru_cache(maxsize=2048)  # a text is looked at again when its questions are compared
def _identify(text: str) -> str:
    script = _script(text)
    if script != "LATIN":
        return script
    hits = [0] * len(_NAMES)
    for word in _WORD.findall(text.lower()):
        for place in _LANGUAGES_OF.get(word, ()):
            hits[place] += 1
    best, second = sorted(hits, reverse=True)[:2]
    clear = best >= _FEWEST and best > second
    return _NAMES[hits.index(best)] if clear else ""


def _script(text: str) -> str:
    if text.isascii():  # nearly always, and unicodedata is asked about every single letter
        return "LATIN" if any(map(str.isalpha, text)) else ""
    letters = [letter for letter in text if letter.isalpha()]
    scripts: Counter[str] = Counter()
    for letter, n in Counter(letters).items():
        scripts[unicodedata.name(letter, "").partition(" ")[0]] += n
    if any(scripts[kana] for kana in _JAPANESE):
        # Japanese mixes its syllables with Chinese characters; Chinese never holds such syllables.
        shared = sum(scripts[name] for name in (*_JAPANESE, "CJK"))
        return "JAPANESE" if shared > _MOST_LETTERS * len(letters) else ""
    name, n = max(scripts.items(), key=lambda item: item[1], default=("", 0))
    return name if n > _MOST_LETTERS * len(letters) else ""


# ruff: noqa: SIM905 - word lists read better as prose


_LATIN_END = "\u0250"
_FEW = 12  # words; in fewer the commonest ones need not occur
_LETTERS = 0.7  # share of Latin letters, at least
# English text of every kind in our data holds more than this; other languages hold 0 to 0.06.
_ENGLISH_SHARE = 0.08
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
    return len(words) < _FEW or common >= _ENGLISH_SHARE * len(words)
