"""Language identification by script and by the commonest words."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from assay._text.expressions import expression

_WORD = expression(r"[^\W\d_]+")
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
        for language in _LANGUAGES_OF.get(word, ()):
            hits[language] += 1
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


def is_latin(text: str) -> bool:
    """Whether at least half of the characters are no letters of another script."""
    return text.isascii() or sum(letter >= _LATIN_END for letter in text) * 2 < len(text)


def is_english(text: str) -> bool:
    """Whether the text seems to be English; a short one in Latin letters is taken for it."""
    words = _WORD.findall(text.lower())
    letters = "".join(words)
    if sum(letter < _LATIN_END for letter in letters) < _LETTERS * len(letters):
        return False
    common = sum(word in _COMMONEST for word in words)
    return len(words) < _FEW or common >= _ENGLISH_SHARE * len(words)


# Beside the languages and words above; of these no more is told than which they are.
_FURTHER = {
    "it": "sono ha hanno alla dalla nel nella sul sulla più anche questo questa essere stato stata "
    "viene ogni tra dopo prima loro suo sua",
    "fr": "ont sont cette ces plus être fait après avant chaque leur leurs son aussi mais ou",
    "es": "más también pero sus sobre entre desde hasta cada después antes ser ha han este esta",
    "pt": "mais também mas seus sobre entre desde até cada depois antes ser este esta pelo pela",
    "nl": "ook maar bij naar over wordt worden heeft hebben na voor dit deze per uit tot",
    "pl": "się jest nie że przez są został została było był oraz który która które przy gdy kiedy "
    "jak dla lub jego jej ale czy po od",
    "tr": "ve bir bu için ile olarak çok daha gibi kadar sonra ne nasıl zaman değil var olan oldu "
    "tarafından mi mı ise",
    "sv": "och att det är som på av för med den till har inte om ett var från eller när blev under "
    "hur vad också kan",
    "da/no": "og er det af av på til med som ikke blev ble fra eller når hvad hva hvordan hvornår "
    "hvem også har den et kan ved efter etter",
    "fi": "ja on ei oli että joka ovat kuin mutta myös sekä tai hän se mitä milloin kuinka missä "
    "vuonna",
    "cs": "je se na že byl byla bylo které který která jsou pro při jak kdy kde nebo také podle "
    "jeho od až",
    "hu": "és az egy hogy nem volt van meg ez csak mint mikor hol vagy volt után még lett",
    "ro": "și este în la cu pe nu sunt din pentru mai fost era cum când unde sau prin după o",
    "id": "dan yang di ini itu dengan untuk dari pada adalah tidak akan oleh dalam sebagai atau "
    "berapa kapan bagaimana",
    "vi": "của và là các được trong có một cho không những với này người đã khi như từ năm",
}
# What is a word, a name or a short form in English as well says nothing against English.
_AMBIGUOUS = frozenset(
    "a as do no on in an am is was war die me so non per con sur des fut chi gli era los las van "
    "door son os o e i y la le il de del den par pour at har var om et ja je se od na the to po mi "
    "ne bu kan pe cu di mai dan hat es met da al au si lo over per bij tot sous ser sus".split()
)
_SURE = 2  # words that no English text holds; more where English ones stand beside them
_LEAST = 0.14  # share of all words that these are
_LETTERS_OF = {
    **dict.fromkeys("ğış", "tr"),
    **dict.fromkeys("łąęśźż", "pl"),
    **dict.fromkeys("řěů", "cs"),
    **dict.fromkeys("őű", "hu"),
    **dict.fromkeys("ãõ", "pt"),
    **dict.fromkeys("øæ", "da/no"),
    "ß": "de",
    "ñ": "es",
}
_OWN_LETTER = expression(f"[{''.join(_LETTERS_OF)}]")
NAMES = {
    "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "pl": "Polish", "tr": "Turkish", "sv": "Swedish", "fi": "Finnish",
    "da/no": "Danish or Norwegian", "da": "Danish", "no": "Norwegian", "cs": "Czech",
    "hu": "Hungarian", "ro": "Romanian", "id": "Indonesian", "vi": "Vietnamese", "CJK": "Chinese",
    "JAPANESE": "Japanese", "HANGUL": "Korean", "zh": "Chinese", "ja": "Japanese", "ko": "Korean",
    "ru": "Russian", "ar": "Arabic", "hi": "Hindi", "uk": "Ukrainian", "el": "Greek",
    "CYRILLIC": "a language in Cyrillic letters",
}  # fmt: skip
_SAYINGS: dict[str, set[str]] = {}
_NO_LANGUAGES: set[str] = set()
for _lists in (_COMMON, _FURTHER):
    for _name, _words in _lists.items():
        for _common in _words.split() if _name != "en" else ():
            _SAYINGS.setdefault(_common, set()).add(_name)


_FOREIGN = _SAYINGS.keys() - _AMBIGUOUS


def language_name(code: str) -> str:
    """A language in words: "German" for "de", "a language in Greek letters" for a script."""
    script = f"a language in {code.title()} letters" if code.isupper() else f"'{code}'"
    return NAMES.get(code, script)


@lru_cache(maxsize=2048)
def _other_by_words(text: str) -> str:
    script = _script(text)
    if script != "LATIN":
        return script
    hits: Counter[str] = Counter()
    tokens = _WORD.findall(text)
    if text.isascii() and sum(token.lower() in _FOREIGN for token in tokens) < _SURE:
        return ""  # nearly always
    foreign = english = 0
    for token in tokens:
        word = token.lower()
        languages = _SAYINGS.get(word, _NO_LANGUAGES)
        # A name has letters of its own language in any other: Łódź, Erdoğan.
        if token == word and not word.isascii() and (own_letter := _OWN_LETTER.search(word)):
            languages = languages | {_LETTERS_OF[own_letter[0]]}
        if languages:
            hits.update(languages)
            foreign += word not in _AMBIGUOUS
        english += word in _COMMONEST and word not in _AMBIGUOUS
    if foreign < max(_SURE + 2 * english, _LEAST * len(tokens)):
        return ""
    (best, most_hits), *next_best = hits.most_common(2)
    return best if not next_best or most_hits > next_best[0][1] else ""


def likely_other(text: str) -> str:
    """The language of a text with no English word in it and some of another's; "" if unclear."""
    tokens = set(_WORD.findall(text.lower())) - _AMBIGUOUS
    foreign = sum(token in _SAYINGS for token in tokens)
    if foreign < _SURE or not tokens.isdisjoint(_COMMONEST):
        return ""
    return identify_language(text)


def other_language(texts: Iterable[str]) -> str:
    """The language of the first of some texts that is surely not in English; "" if none is.

    A few words, names, code and records are left open: no mark is better than a wrong one.
    """
    languages = [language for text in texts if (language := _other_by_words(text[:_READ]))]
    # A few Chinese characters beside Japanese are Japanese.
    shared = languages[:1] == ["CJK"] and "JAPANESE" in languages
    return "JAPANESE" if shared else next(iter(languages), "")
