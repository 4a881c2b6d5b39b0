"""The letters of hexadecimal codes that a reader finds in a text, however they are spelt."""

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

_HEX: Final = "0123456789abcdef"
# To a reader these are digits, too: "b0l1" is "b011".
_ASCII: Final = {**{mark: mark for mark in _HEX}, "o": "0", "i": "1", "l": "1"}
# Letters of other scripts that Unicode's list of confusables (UTS 39) names beside each of them,
# case-folded. Latin letters are told by their names, digits by their values.
_CONFUSABLE: Final = {
    "0": "\u03bf\u03c3\u043e\u0585\u0b20\u0c02\u0c82\u0d02\u0d20\u0d82\u101d\u10ff\u12d0\u2c9f"
    "\u2d54\ua4f3\U00010292\U000102ab\U0001042c\U000104ea\U00010516\U000118c8\U000118d7",
    "1": "\u01c0\u0269\u03b9\u0456\u04cf\u16c1\u2223\u23fd\u2502\u2c93\u2d4f\ua4f2\U0001028a"
    "\U00010309\U00016f28",
    "2": "\u01a8\u03e9\u14bf\ua645\ua75b",
    "3": "\u021d\u0292\u0437\u04e1\u2ccd\ua76b\ua7ab\U000118ca\U00016f3b\U0001d206",
    "4": "\u0447\u13ce\U000118cf",
    "5": "\u01bd\U000118db",
    "6": "\u0431\u13ee\u2cd3\U000118d5",
    "7": "\U000104fa\U0001d212",
    "8": "\u0223\u0b03\U0001031a",
    "9": "\u2ccb\ua76f\U000118cc\U000118d6",
    "a": "\u0251\u03b1\u0430\u13aa\u15c5\u237a\ua4ee\U000102a0\U00016f40",
    "b": "\u0185\u03b2\u0432\u044c\u13cf\u13f4\u1472\u15af\u15f7\ua4d0\ua7b5\U00010282\U000102a1"
    "\U00010301",
    "c": "\u03f2\u03f9\u0441\u13df\u2ca5\ua4da\U000102a2\U00010302\U0001043d\U0001051c\U000118f2"
    "\U0001f74c",
    "d": "\u00f0\u0501\u13a0\u13e7\u146f\u15de\u15ea\ua4d2\ua4d3",
    "e": "\u03b5\u0435\u0454\u04bd\u13ac\u212e\u22ff\u2d39\ua4f0\U00010286\U000118c6\U000118ce",
    "f": "\u03dd\u0584\u15b4\u1e9d\ua4dd\U00010287\U000102a5\U00010525\U000118c2\U0001d213",
}
_FOLDED: Final = {mark: code for code, marks in _CONFUSABLE.items() for mark in marks}
# "LATIN SMALL LETTER B WITH HOOK", "NEGATIVE SQUARED LATIN CAPITAL LETTER B", flags of countries.
_NAMED: Final = re.compile(
    r"(?=.*(?:LATIN|INDICATOR)).* LETTER(?: [A-Z]{2,})* ([A-FILO])(?: WITH .*)?"
)
_FILLERS: Final = "\u115f\u1160\u3164\uffa0"  # letters by their category, and invisible
_UNSEEN: Final = {"Mn", "Me", "Cc", "Cf"}  # marks (small letters among them), format, controls
_BREAK: Final = "z"  # stands for every other letter
_TAGS: Final = {0xE0000 + mark: chr(mark) for mark in range(0x20, 0x7F)}  # invisible ASCII
_ESCAPE: Final = re.compile(
    r"\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]{1,6})\}|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{2})"
)
_NESTED: Final = 4  # so often "&amp;" may stand within "&amp;"


class _Folds(dict[int, str]):
    """What each character is read as, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _read(chr(code))
        return found


_FOLDS: Final = _Folds()
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]+")
# Bytes are translated a hundred times as fast as characters.
_BYTES: Final = bytes(ord(_ASCII.get(chr(n).lower(), _BREAK)) for n in range(256))
_DROPPED: Final = bytes(n for n in range(128) if not chr(n).isalnum())


def hex_digits(text: str) -> str:
    r"""The hexadecimal digits that can be read in a text, with breaks where other letters stand.

    Case, width, marks, look-alikes of other scripts, blanks, punctuation and all that cannot be
    seen make no difference. A text that holds escapes (`&#98;`, `\u0062`, `%62`) is read with
    and without them, one after the other.
    """
    return _BREAK.join(_folded(reading) for reading in dict.fromkeys(_readings(text)))


def _folded(text: str) -> str:
    if not text.isascii():
        text = _FOREIGN.sub(lambda run: run[0].translate(_FOLDS), text)
    return text.encode().translate(_BYTES, _DROPPED).decode()


def _readings(text: str) -> Iterator[str]:
    yield text
    for _ in range(_NESTED):
        if "&" not in text:
            break
        text = html.unescape(text)
    yield text
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text)
        yield text
    if "%" in text:
        text = unquote(text)
        yield text
    if not text.isascii():
        yield text.translate(_TAGS)


def _unescaped(found: re.Match[str]) -> str:
    code = int(next(filter(None, found.groups())), 16)
    return chr(code) if code < 0x110000 else ""


def _read(mark: str) -> str:
    """What one character is read as; nothing for what is no letter and no number."""
    if mark in _FOLDED:
        return _FOLDED[mark]
    if unicodedata.category(mark) in _UNSEEN:
        return ""
    return "".join(map(_read_part, unicodedata.normalize("NFKD", mark).casefold()))


def _read_part(mark: str) -> str:
    """The same of what is decomposed and in lower case."""
    known = _ASCII.get(mark) or _FOLDED.get(mark)
    if known:
        return known
    value = unicodedata.numeric(mark, None)
    if value in range(10):
        return str(int(value or 0))
    if named := _NAMED.fullmatch(unicodedata.name(mark, "")):
        return _ASCII[named[1].lower()]
    return _BREAK if unicodedata.category(mark)[0] in "LN" and mark not in _FILLERS else ""
