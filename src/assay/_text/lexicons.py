"""Sentences in seven languages other than English as rows of what they say.

`lexicons.tsv` holds, by the English word that says the same, the words whose exchange changes what
a sentence says: denials, numbers, months, opposites, limits. A star stands for any ending, and the
rows that begin with one hold words that say nothing by themselves. What is in no list is compared
as it is written, but for its ending. Japanese is read by characters.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import NamedTuple

from assay._text import relations, verbs
from assay._text.entities import DAYS, MONTHS
from assay._text.expressions import expression
from assay._text.language_id import likely_other, other_language
from assay._text.words import stem, words

CHARACTERS = frozenset({"JAPANESE"})
LANGUAGES = CHARACTERS | {"de", "fr", "es", "it", "pt", "nl"}
LIMITS = frozenset({"only", "unless"})
QUANTITIES = frozenset({"all", "most", "some"})
_MODALS = frozenset({"can", "must"})
SMALL = frozenset("before after until from to with above under outside without".split())  # noqa: SIM905
_UNITS = frozenset(
    "second minute hour day week month year percent euro dollar million billion thousand "  # noqa: SIM905
    "kilometre metre kilogram gram yen".split()
)
_TOKEN = expression(
    r"\d+(?:[.,:]\d+)*|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+|[\u30a0-\u30ff]+|[\u3400-\u9fff]|"
    r"[\u3040-\u309f]|[,;:()\u2013\u2014、，；：。]|[%$€£]"
)
_STOPS = frozenset(",;:()\u2013\u2014、，；：。")
_SIGNS = {"%": "percent", "$": "dollar", "€": "euro", "£": "pound"}
_THOUSANDS = expression(r"\d{1,3}(?:[.,]\d{3})+")
_HAN_DIGITS = {char: i for i, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_HAN_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "億": 10**8, "亿": 10**8}
_HAN_NUMBER = expression("[〇零一二两三四五六七八九十百千万億亿]+")
_COUNTED = expression("[年月日号点分时時人名个個岁歳元円米回冊錠週周天倍次位家台本]")
_LONGEST_ENTRY = 10  # characters
_LEAST, _ENDING = 4, 3  # letters that two forms of a word begin with; ... and may end with
_PARTICLES = frozenset("はがをにでともへの")


class Lexicon(NamedTuple):
    """What words of a language say.

    Attributes:
        whole: Words, in lower case without accents, by what they say.
        begins: Beginnings of words, the longest first, with what they say.
        special: The other lists, by their names.
    """

    whole: Mapping[str, str]
    begins: tuple[tuple[str, str], ...]
    special: Mapping[str, frozenset[str]]

    def key(self, word: str) -> str:
        """What a word says; "" where no list has it."""
        key = self.whole.get(word)
        if key is None:
            key = next((key for begin, key in self.begins if word.startswith(begin)), "")
        return key


@cache
def lexicon(language: str) -> Lexicon:
    """The words of a language, by its code or its script."""
    keys_by_form: dict[str, str] = {}
    begins: list[tuple[str, str]] = []
    special: dict[str, frozenset[str]] = {}
    own_keys = LIMITS | QUANTITIES | _MODALS | SMALL | _UNITS | {"not"}
    table = resources.files("assay._text").joinpath("lexicons.tsv").read_text("utf-8")
    header, *lines = table.splitlines()
    column = header.split("\t").index(language)
    for line in lines:
        english, forms = (line.split("\t")[i] for i in (0, column))
        plain = [_plain_form(form, language) for form in forms.split()]
        if english.startswith("*"):
            special[english[1:]] = frozenset(plain)
            continue
        key = (
            english
            if english in own_keys or english.isdigit()
            else relations.concept(stem(verbs.base(english)))
        )
        for form in plain:
            if form.endswith("*"):
                begins.append((form[:-1], key))
            else:
                keys_by_form.setdefault(form, key)
    begins.sort(key=lambda entry: -len(entry[0]))
    return Lexicon(keys_by_form, tuple(begins), special)


def _plain_form(form: str, language: str) -> str:
    if language in CHARACTERS:
        return form
    return "".join(words(form)) + "*" * form.endswith("*")


class Token(NamedTuple):
    """Something that a sentence says.

    Attributes:
        text: As it is written.
        key: What stands for it.
        sort: "word", "number", "date", "name", "small".
        part: The number of the part of the sentence that it stands in.
        led: The preposition before it, or the particle behind it; "" for none.
    """

    text: str
    key: str
    sort: str
    part: int
    led: str = ""

    @property
    def amount(self) -> str:
        """The number without its unit."""
        return self.key.partition(" ")[0]

    @property
    def unit(self) -> str:
        """The unit behind the number."""
        return self.key.partition(" ")[2]


@dataclass(frozen=True, eq=False)
class Phrasing:
    """A sentence as it is worded.

    Attributes:
        tokens: What it says, in order.
        denied: The parts with a denial.
        limits: For each part which of `LIMITS` it has.
        quantities: ... of how many it is said.
        modals: ... "can" and "must".
        passive: The parts that turn round who does what.
    """

    tokens: tuple[Token, ...]
    denied: frozenset[int]
    limits: frozenset[tuple[int, str]]
    quantities: frozenset[tuple[int, str]]
    modals: frozenset[tuple[int, str]]
    passive: frozenset[int]

    @cached_property
    def content(self) -> tuple[Token, ...]:
        """The same without the small words."""
        return tuple(token for token in self.tokens if token.sort != "small")


@lru_cache(maxsize=2048)
def phrasing(sentence: str, language: str) -> Phrasing:
    """A sentence of one of `LANGUAGES` as it is worded."""
    return _Reader(unicodedata.normalize("NFKC", sentence), language).read()


def language_of(texts: tuple[str, ...]) -> str:
    """The language of some texts if it is one of `LANGUAGES`; else ""."""
    joined = " ".join(texts)
    language = other_language((*texts, joined)) or likely_other(joined)
    return language if language in LANGUAGES else ""


class _Reader:
    def __init__(self, sentence: str, language: str) -> None:
        self.language = language
        self.lexicon = lexicon(language)
        self.sentence = sentence
        self.tokens: list[Token] = []
        self.part = 0
        self.fresh = True  # nothing of this part was read yet
        self.led = ""
        self.denied: set[int] = set()
        self.found: dict[str, set[tuple[int, str]]] = {
            "limit": set(),
            "many": set(),
            "modal": set(),
        }
        self.passive: list[set[int]] = [set(), set()]  # forms of "be", and "by"
        self.currency = ""

    def read(self) -> Phrasing:
        if self.language in CHARACTERS:
            self._characters()
        else:
            read = _TOKEN.findall(self.sentence)
            for i, token in enumerate(read):
                ranges = (
                    0 < i < len(read) - 1 and read[i - 1][0].isdigit() and read[i + 1][0].isdigit()
                )
                if not ranges:  # "between 1902 and 1906"
                    self._word(token, first=not i)
        be, agents = self.passive
        return Phrasing(
            tuple(self.tokens),
            frozenset(self.denied),
            frozenset(self.found["limit"]),
            frozenset(self.found["many"]),
            frozenset(self.found["modal"]),
            frozenset(agents if self.language in CHARACTERS else be & agents),
        )

    def _word(self, token: str, *, first: bool) -> None:
        if token in _STOPS:
            self._break()
        elif token in _SIGNS:
            self._unit(_SIGNS[token])
        elif token[0].isdigit():
            self._add(token, _number(token), "number")
        elif word := "".join(words(token)):
            self._add_word(word, token, is_name=token[0].isupper() and not first)

    def _add_word(self, word: str, text: str, *, is_name: bool) -> None:
        special = self.lexicon.special
        if word in special["breaks"]:
            self._break()
        for index, name in enumerate(("be", "by")):
            if word in special[name]:
                self.passive[index].add(self.part)
        if word in special["led"]:
            self.led = word
        key = self.lexicon.key(word)
        if self._notes(key) or word in special["empty"]:
            return
        if key in _UNITS:
            self._unit(key, text)
        elif key:
            self._add(text, key, self._sort_of(key))
        else:
            self._add(text, word, "name" if is_name and self.language != "de" else "word")

    def _notes(self, key: str) -> bool:
        """Whether a word denies or limits its part, which is noted then."""
        if key == "not":
            self.denied.add(self.part)
            return True
        for name, keys in (("limit", LIMITS), ("many", QUANTITIES), ("modal", _MODALS)):
            if key in keys:
                self.found[name].add((self.part, key))
                return True
        return False

    def _sort_of(self, key: str) -> str:
        if key in SMALL:
            return "small"
        if key.isdigit():
            return "number"
        return "date" if key in _DATES else "word"

    def _break(self) -> None:
        if not self.fresh:
            self.part, self.fresh, self.led = self.part + 1, True, ""

    def _unit(self, key: str, text: str = "") -> None:
        last = self.tokens[-1] if self.tokens else None
        if last and last.sort == "number" and last.part == self.part:
            if key not in last.unit.split():
                self.tokens[-1] = last._replace(key=f"{last.key} {key}")
        elif text:
            self._add(text, key, "word")
        else:
            self.currency = key

    def _add(self, text: str, key: str, sort: str) -> None:
        if sort == "number" and self.currency:
            key, self.currency = f"{key} {self.currency}", ""
        self.tokens.append(Token(text, key, sort, self.part, self.led))
        self.fresh = False
        if sort != "small":
            self.led = ""

    def _characters(self) -> None:
        text, position, run = self.sentence, 0, ""
        inflected = False  # behind a word whose ending goes on
        while position < len(text):
            number, entry = _han_number(text, position), self._entry(text, position)
            if number and len(number[0]) < max(2, len(entry)) and entry:
                number = None
            match = _TOKEN.match(text, position)
            token = match[0] if match else ""
            if not (number or entry) and _is_plain_character(token):
                run, position, inflected = run + token, position + len(token), True
                continue
            self._run(run)
            run = ""
            if number:
                self._add(*number, "number")
                token = number[0]
            elif entry:
                self._add_entry(entry)
                inflected = inflected and entry not in _PARTICLES
                token = entry
            elif token in _STOPS:
                self._break()
                inflected = False
            elif _is_hiragana(token):
                run = "" if inflected else token
            elif token:
                self._word(token, first=False)
            position += len(token) or 1
        self._run(run)

    def _entry(self, text: str, position: int) -> str:
        """The longest word of the lists that stands at a place."""
        for length in range(min(_LONGEST_ENTRY, len(text) - position), 0, -1):
            entry = text[position : position + length]
            if entry in self.lexicon.whole or any(
                entry in self.lexicon.special[name] for name in ("plain", "empty", "breaks", "by")
            ):
                return entry
        return ""

    def _add_entry(self, entry: str) -> None:
        special = self.lexicon.special
        if entry in special["by"]:
            self.passive[1].add(self.part)
            return
        if entry in special["breaks"]:
            self._break()
        key = self.lexicon.whole.get(entry, "")
        if entry in _PARTICLES and self.tokens:
            last = self.tokens[-1]
            self.tokens[-1] = last if last.led else last._replace(led=entry)
        if not key and entry not in special["plain"]:
            return
        if key in _UNITS:
            self._unit(key, entry)
        elif not self._notes(key):
            self._add(entry, key or entry, self._sort_of(key) if key else "word")

    def _run(self, run: str) -> None:
        if run:
            self._add(run, run.lower(), "word")


_DATES = frozenset(relations.concept(stem(verbs.base(word))) for word in (*MONTHS, *DAYS))


def _is_hiragana(token: str) -> bool:
    return "\u3040" <= token[:1] <= "\u309f"


def _is_plain_character(token: str) -> bool:
    """Whether characters may be part of a word that is in no list."""
    special = token in _STOPS or token in _SIGNS or token[:1].isdigit()
    return bool(token) and not (special or _is_hiragana(token))


def _number(digits: str) -> str:
    if _THOUSANDS.fullmatch(digits):
        return re.sub("[.,]", "", digits)
    return digits.replace(",", ".")


def _han_number(text: str, position: int) -> tuple[str, str] | None:
    """A number in Chinese characters at a place, as written and in digits."""
    match = _HAN_NUMBER.match(text, position)
    if not match:
        return None
    counted = _COUNTED.match(text, match.end())
    if len(match[0]) == 1 and not counted:
        return None
    total = section = digit = 0
    for char in match[0]:
        if char in _HAN_DIGITS:
            digit = 10 * digit + _HAN_DIGITS[char]
        elif (power := _HAN_POWERS[char]) < 10**4:
            section, digit = section + (digit or 1) * power, 0
        else:
            total, section, digit = (total + section + digit) * power, 0, 0
    return match[0], str(total + section + digit)


def same(first: Token, second: Token, language: str) -> bool:
    """Whether two things are the same, but for an ending."""
    if first.key == second.key:
        return True
    if {first.sort, second.sort} & {"number", "date", "small"}:
        return False
    if language in CHARACTERS:
        return len(first.key) > 1 and first.key in second.key
    a, b = (_bare(token.key, language) for token in (first, second))
    shared = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    remainder = max(len(a), len(b)) - shared
    return shared >= _LEAST and remainder <= _ENDING and shared > remainder


def _bare(word: str, language: str) -> str:
    """A participle without the syllable before it."""
    begins = language in {"de", "nl"} and word.startswith("ge") and word[-1:] in "tnd"
    return word[2:] if begins and len(word) > _LEAST + 2 else word
