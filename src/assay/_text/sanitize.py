"""Untrusted text made safe to show and to search, and keys made unreadable."""

import html
import os
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import unquote

from assay._text.expressions import expression


def one_line(text: str, most: int) -> str:
    """Its beginning as one line, with no sequence of controls for a terminal in it."""
    line = " ".join(text.split())[:most]
    return "".join(char if char.isprintable() else "?" for char in line)


def whole(text: str) -> str:
    """With "?" for every lone surrogate: JSON and models make them, but no file can hold one."""
    return text.encode("utf-8", "replace").decode()


# Characters that a reader cannot see but that change what is read: controls, line separators,
# lone surrogates, those that turn the direction of what follows, and those without any width. A
# retrieved text may use them to hide an instruction or to show another order than the judge saw;
# and a judge takes "3\u200b30" for two numbers where a reader sees one. The joiners U+200C and
# U+200D and the variation selectors of emoji are part of how words and signs are spelt.
HIDDEN: Final = expression(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def plain(text: object) -> str:
    """The text with hidden characters shown by their code points: "[U+001B]"."""
    return HIDDEN.sub(lambda match: f"[{code_point(match)}]", str(text).replace("\r\n", "\n"))


def code_point(match: re.Match[str]) -> str:
    """The code point of a character that was found: "U+001B"."""
    return f"U+{ord(match[0]):04X}"


_HEX: Final = "0123456789abcdef"
# To a reader these are digits, too: "b0l1" is "b011".
_ASCII: Final = {**{mark: mark for mark in _HEX}, "o": "0", "i": "1", "l": "1"}
# Letters of other scripts that Unicode's list of confusables (UTS 39) names beside each of them,
# case-folded. Latin letters are told by their names, digits by their values.
_CONFUSABLE: Final = {
    "0": "\u03bf\u03c3\u043e\u0585\u05e1\u0647\u06be\u06c1\u06d5\u0b20\u0d20\u101d\u10ff\u12d0"
    "\u2c9f\u2d54\ua4f3\U00010292\U000102ab\U0001042c\U000104ea\U00010516\U000118b5"
    "\U000118c8\U000118d7",
    "1": "\u01c0\u0269\u03b9\u0456\u04cf\u05d5\u05df\u0627\u07ca\u13a5\u16c1\u2c93\u2d4f\ua4f2"
    "\ua647\U0001028a\U00010309\U000118c3\U00016f28",
    "2": "\u01a8\u03e9\u14bf\ua645\ua6ef\ua75b",
    "3": "\u021d\u0292\u0437\u04e1\u2ccd\ua76b\ua7ab\U000118ca\U00016f3b\U0001d206",
    "4": "\u0447\u13ce\U000118cf",
    "5": "\u01bd\U000118db",
    "6": "\u13ee\u2cd3\U000118d5",
    "7": "\U000104fa\U0001d212",
    "8": "\u0223\U0001031a\U0001e8cb",
    "9": "\u2ccb\ua76f\U000118cc\U000118d6",
    "a": "\u0251\u03b1\u0430\u13aa\u15c5\u237a\ua4ee\U000102a0\U00016f40",
    "b": "\u0185\u03b2\u0432\u044c\u13cf\u13f4\u1472\u15af\u15f7\ua4d0\ua7b5\U00010282"
    "\U000102a1\U00010301",
    "c": "\u03f2\u03f9\u0441\u13df\u2ca5\ua4da\U000102a2\U00010302\U0001043d\U0001051c"
    "\U000118f2\U0001f74c",
    "d": "\u00f0\u03b4\u0434\u0501\u13a0\u13e7\u146f\u15de\u15ea\ua4d2\ua4d3",
    "e": "\u03b5\u0435\u044d\u0454\u04bd\u13ac\u212e\u2d39\ua4f0\U00010286\U000118ce",
    "f": "\u017f\u03c6\u03dd\u0444\u0584\u15b4\u1e9d\ua4dd\U00010287\U000102a5\U00010525"
    "\U000118c2\U0001d213",
}
# What has two readings is told by a letter of its own: one digit or another ("A" to "I"), or
# a digit or nothing ("g" for 0 to "v" for f): unseen letters, and signs that look like digits.
_EITHER: Final = {
    "A": ("50", "\u06f5\u0665"),
    "B": ("84", "\u09ea\u0a6a"),
    "C": ("91", "\u0a67"),
    "D": ("97", "\u0d6d\u09ed"),
    "E": ("92", "\u0b68"),
    "F": ("6b", "\u0431"),
    "G": ("3e", "\u0190\u025b\u025c\u1d08"),
    "H": ("7e", "\U000118c6"),
    "I": ("9c", "\U000118e9"),
}
_OPTIONAL: Final = {digit: chr(ord("g") + n) for n, digit in enumerate(_HEX)}
_SIGNS: Final = {
    "0": "\u00b0\u25cb\u25cf\u25ef\u2b55\u2205\u0c02\u0c82\u0d02\u0d82",
    "1": "\u2223\u2502\u23fd\u05c0\u0964\u02db\u2373",
    "c": "\u00a9\u00a2",
    "e": "\u20ac\u2208\u2203\u22ff",
    "8": "\u0b03",
    "a": "\u2200",
    "b": "\u0e3f\u20bf\u266d",
}
_SEVERAL: Final = {
    "\u00e6": "ae",
    "\u04d5": "ae",
    "\u1d01": "ae",
    "\u0153": "0e",
    "\u0276": "0e",
    "\u1d14": "0e",
    "\ua733": "aa",
    "\ua735": "a0",
    "\ua74f": "00",
    "\u0238": "db",
    "\U0001f51f": "10",
    "\U0001f4af": "100",
    "\U0001f18e": "ab",
    "\U0001f191": "c1",
    "\U0001f194": "1d",
    "\U0001f16d": "cc",
}
_FOLDED: Final = {
    **{mark: code for code, marks in _CONFUSABLE.items() for mark in marks},
    **{mark: _OPTIONAL[code] for code, marks in _SIGNS.items() for mark in marks},
    # Tag letters and combining letters can be taken for letters, or not be seen at all.
    **{chr(0xE0000 + ord(m)): _OPTIONAL[m.lower()] for m in _HEX + _HEX.upper()},
    **{mark: letter for letter, (_, marks) in _EITHER.items() for mark in marks},
    **_SEVERAL,
}
# "LATIN SMALL LETTER B WITH HOOK", "NEGATIVE SQUARED LATIN CAPITAL LETTER B", flags of countries.
_NAMED: Final = expression(
    r"(?=.*(?:LATIN|INDICATOR)).* LETTER(?: [A-Z]{2,})* ([A-FILO])(?: WITH .*)?"
)
_ABOVE: Final = expression(r"COMBINING (?:LATIN|CYRILLIC) (?:SMALL )?LETTER ([A-FILO]|IE|ES)")
_ABOVE_AS: Final = {"IE": "e", "ES": "c"}  # Cyrillic
# Letters by their category; invisible, or an apostrophe.
_FILLERS: Final = "\u115f\u1160\u3164\uffa0\ua78b\ua78c"
_UNSEEN: Final = {"Mn", "Me", "Cc", "Cf"}  # marks (small letters among them), format, controls
_BREAK: Final = "z"  # stands for every other letter
_ESCAPE: Final = expression(
    r"\\u([0-9a-fA-F]{4})|\\[ux]\{([0-9a-fA-F]{1,6})\}|\\U([0-9a-fA-F]{8})"
    r"|\\x([0-9a-fA-F]{2})|%u([0-9a-fA-F]{4})|U\+([0-9a-fA-F]{4,6})\b"
    r"|\\N\{([A-Z0-9 -]{1,80})\}|\\[nrt]"
)
# An entity with blanks in it is one to a reader.
_LOOSE: Final = expression(r"&\s*#\s*([xX]?)\s*([0-9a-fA-F]{1,7})(?![0-9a-fA-F])\s*;?")
# Signs of full width are signs in it, and the digits of every script are digits.
_FOREIGN_ENTITY: Final = expression("[&\uff06]\\s*[#\uff03]\\s*[\\w\\s]{1,12}[;\uff1b]?")
# Sequences that a terminal does not show.
_TERMINAL: Final = expression(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z^_])")
_RUBBED_OUT: Final = expression(r"[^\b]\x08")
# Commands of TeX, what Markdown strikes out, and where it leads.
_TYPESET: Final = expression(r"\\[a-zA-Z]+\*?|~~[^~\n]*~~|\]\([^()\s]*\)|<!\[CDATA\[|\]\]>")
# "&amp;amp;#98;", "%2562" and "\\\\u0062" may be as deep as one likes: that is undone at once.
_NESTED: Final = expression(r"&(?:(?:amp|#0*38|#[xX]0*26);)+|%(?:25)+|\\{2,}")
_NESTING: Final = ("&", "%25", "\\\\")
_MARKUP: Final = expression(r"<[^<>]*>")
# What is not seen, and what is in it: one of these signs at least.
_UNSEEN_PARTS: Final = (
    (_TERMINAL, ("\x1b",)),
    (_RUBBED_OUT, ("\b",)),
    (_TYPESET, ("\\", "~~", "](", "<![CDATA[", "]]>")),
    (_MARKUP, ("<",)),
)
_REVERSED: Final = expression("[\u202b\u202e\u2067]")  # what follows is shown from right to left
_ROUNDS: Final = 3  # so often escapes of one kind may stand within those of another


_FOREIGN: Final = expression(r"[^\x00-\x7f]+")
# Bytes are translated a hundred times as fast as characters.
_BYTES: Final = bytes(
    ord(_ASCII.get(chr(n).lower(), _OPTIONAL["1"] if chr(n) == "|" else _BREAK)) for n in range(256)
)
_DROPPED: Final = bytes(n for n in range(128) if not chr(n).isalnum() and chr(n) != "|")
_ALL_OPTIONAL: Final = "".join(_OPTIONAL.values())
_SYMBOLS: Final = expression(f"[{_ALL_OPTIONAL}{''.join(_EITHER)}]")
_WITHOUT: Final = str.maketrans("", "", _ALL_OPTIONAL)
# What escapes and markup begin with: hardly any text has one of these.
_READ_OTHERWISE: Final = expression(r"[&%\\~\]<\x1b\b]")
_NOT_PLAIN: Final = b"&%\\~]<\x1b\b|"  # these, and what may be the digit 1
_FEW: Final = 3  # so many characters that may be digits are passed over between two digits


class Readings:
    r"""The hexadecimal digits that can be read in a text.

    Case, width, marks, look-alikes of other scripts, blanks, punctuation and all that cannot be
    seen make no difference. A text that holds escapes (`&#98;`, `\u0062`, `%62`) or markup is read
    with and without them, one that turns the direction of writing also backwards.

    Attributes:
        exact: Those of which each character is a digit, or none, line by line.
        open: Those with characters that may be digits.
    """

    def __init__(self, text: str) -> None:
        data = text.encode() if text.isascii() and "U+" not in text else b""
        if data and len(data.translate(None, _NOT_PLAIN)) == len(data):  # most texts
            self.exact, self.open = data.translate(_BYTES, _DROPPED).decode(), set[str]()
            return
        readings = {_folded(reading) for reading in dict.fromkeys(_readings(text))}
        exact = {reading for reading in readings if not _SYMBOLS.search(reading)}
        self.exact = "\n".join(exact)
        self.open = readings - exact
        self.open |= {reading.translate(_WITHOUT) for reading in self.open}

    @staticmethod
    def hold(texts: "Sequence[Readings]", codes: Iterable[str]) -> bool:
        """Whether one of these codes in lower-case hexadecimal digits can be read in any text."""
        exact = "\n".join([text.exact for text in texts])
        doubtful = [reading for text in texts for reading in text.open]
        for code in codes:  # not any(): this is asked a few dozen times a sample
            if code in exact or (doubtful and any(map(_pattern(code).search, doubtful))):
                return True
        return False


def _pattern(code: str) -> re.Pattern[str]:
    character_classes = [
        "".join([digit, _OPTIONAL[digit], *(s for s, (two, _) in _EITHER.items() if digit in two)])
        for digit in code
    ]
    return re.compile(
        f"[{_ALL_OPTIONAL}]{{0,{_FEW}}}".join(f"[{characters}]" for characters in character_classes)
    )


def _folded(text: str) -> str:
    if not text.isascii():
        pieces, end = [], 0
        for run in _FOREIGN.finditer(text):
            pieces += [_ascii(text[end : run.start()]), run[0].translate(_FOLDS)]
            end = run.end()
        return "".join([*pieces, _ascii(text[end:])])
    return _ascii(text)


def _ascii(text: str) -> str:
    return text.encode().translate(_BYTES, _DROPPED).decode()


def _readings(text: str) -> Iterator[str]:
    as_it_is = text
    yield text
    if text.isascii() and not _READ_OTHERWISE.search(text) and "U+" not in text:
        return
    for _ in range(_ROUNDS):
        before = text
        for decoded in (_entities, _escapes, _percent):
            text = decoded(text)
            yield text
        if text == before:
            break
    for read in {text, as_it_is}:
        for unseen, signs in _UNSEEN_PARTS:
            if any(sign in read for sign in signs):
                yield unseen.sub("", read)
    if _REVERSED.search(text):
        yield text[::-1]


def _entities(text: str) -> str:
    if not text.isascii():
        text = _FOREIGN_ENTITY.sub(lambda match: match[0].translate(_SIGN_FOLDS), text)
    if not any(sign in text for sign in _NESTING):
        return text
    text = _NESTED.sub(lambda match: match[0][0], text)
    return html.unescape(_LOOSE.sub(r"&#\1\2;", text))


def _ascii_sign(mark: str) -> str:
    if mark < "\x80":
        return mark
    if "\uff01" <= mark <= "\uff5e":
        return chr(ord(mark) - 0xFEE0)
    return str(unicodedata.decimal(mark, mark))


def _escapes(text: str) -> str:
    if "\\" not in text and "%u" not in text and "U+" not in text:
        return text
    text = _ESCAPE.sub(_unescaped, text)
    # Halves of a pair that were escaped one by one.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _percent(text: str) -> str:
    return unquote(text) if "%" in text else text


def _unescaped(match: re.Match[str]) -> str:
    *codes, name = match.groups()
    if name:
        with suppress(KeyError):
            return unicodedata.lookup(name)
    code = int(next(filter(None, codes), "20"), 16)
    return chr(code) if code < 0x110000 else ""


def _read_mark(mark: str) -> str:
    """What one character is read as; nothing for what is no letter and no number."""
    if mark in _FOLDED:
        return _FOLDED[mark]
    if above := _ABOVE.fullmatch(unicodedata.name(mark, "")):
        letter = _ABOVE_AS.get(above[1], above[1].lower())
        return _OPTIONAL[_ASCII[letter]]
    if unicodedata.category(mark) in _UNSEEN:
        return ""
    read = "".join(map(_read_part, unicodedata.normalize("NFKD", mark).casefold()))
    value = unicodedata.numeric(mark, None)  # of Roman numerals
    return str(int(value or 0)) if _BREAK in read and value in range(1000) else read


def _read_part(mark: str) -> str:
    """The same of what is decomposed and in lower case."""
    letters = _ASCII.get(mark) or _FOLDED.get(mark)
    if letters:
        return letters
    value = unicodedata.numeric(mark, None)
    if value in range(1000):
        return str(int(value or 0))
    if name := _NAMED.fullmatch(unicodedata.name(mark, "")):
        return _ASCII[name[1].lower()]
    kind = unicodedata.category(mark)
    # Modifiers are letters by their category: apostrophes, accents, marks of length.
    return _BREAK if kind[0] in "LN" and kind != "Lm" and mark not in _FILLERS else ""


class _Folds(dict[int, str]):
    """What each character is read as, found out when it is first met."""

    def __init__(self, read: Callable[[str], str]) -> None:
        super().__init__()
        self._read_mark = read

    def __missing__(self, code: int) -> str:
        self[code] = reading = self._read_mark(chr(code))
        return reading


_FOLDS: Final = _Folds(_read_mark)
_SIGN_FOLDS: Final = _Folds(_ascii_sign)


HIDDEN_SECRET: Final = "***"  # noqa: S105 - what stands for one
# A word of letters, such as "none" or "ollama", is no key, and stands in too many texts.
SHORTEST, SHORTEST_WORD = 6, 20
SHORTEST_CORE = 8  # of what base64 makes of a key whatever stands before it
_NAMES: Final = expression(
    r"auth|key|token|secret|passw|credential|cookie|signature|^sig$", re.IGNORECASE
)
_VARIABLE: Final = expression(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)S?$", re.IGNORECASE)
_PATH: Final = ("/", "~", ".")


class _Forms(NamedTuple):
    """What is looked for: in texts, and in what comes from a server."""

    texts: tuple[str, ...]
    contents: tuple[bytes, ...]


class _Secrets:
    """All that this process knows of."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._forms: _Forms | None = None
        self._lock = threading.Lock()

    def add(self, values: Iterable[str]) -> None:
        new = {value for value in values if _is_secret(value)} - self._values
        if new:
            with self._lock:
                self._values |= new
                self._forms = None

    def forms(self) -> _Forms:
        with self._lock:
            if self._forms is None:
                forms_of_values = {form for value in self._values for form in _encodings(value)}
                # The longest first: what stands within another is gone with it.
                texts = tuple(sorted(forms_of_values, key=len, reverse=True))
                self._forms = _Forms(
                    texts, tuple(form.encode("utf-8", "replace") for form in texts)
                )
            return self._forms


_secrets = _Secrets()


def remember(*values: str) -> None:
    """Hide these wherever a service repeats them. A short word is none that could be hidden."""
    _secrets.add(values)


def remember_headers(headers: Mapping[str, str]) -> None:
    """Hide the values of those headers whose name says that they are secret."""
    for name, value in headers.items():
        if _NAMES.search(name):
            _secrets.add(_in_header(value))


def remember_url(url: str) -> None:
    """Hide the password of an address, and what its query calls a key or a token."""
    from base64 import b64encode
    from urllib.parse import parse_qsl, unquote, urlsplit

    try:
        url_parts = urlsplit(url)
    except ValueError:
        return
    user, password = unquote(url_parts.username or ""), unquote(url_parts.password or "")
    login = b64encode(f"{user}:{password}".encode()).decode()
    _secrets.add([password, *([login] if password else [])])
    _secrets.add(value for name, value in parse_qsl(url_parts.query) if _NAMES.search(name))


def _remember_environment() -> None:
    """Hide what the environment calls a key, a token, a secret or a password."""
    secrets = (value for name, value in os.environ.items() if _VARIABLE.search(name))
    _secrets.add(value for value in secrets if not value.startswith(_PATH))


def redacted(text: str) -> str:
    """The text with every secret in it made unreadable, in whichever form it stands there."""
    for form in _secrets.forms().texts:
        if form in text:
            text = text.replace(form, HIDDEN_SECRET)
    return text


def redacted_content(content: bytes) -> bytes:
    """As `redacted`, of what came from a server."""
    for form in _secrets.forms().contents:
        if form in content:
            content = content.replace(form, HIDDEN_SECRET.encode())
    return content


def _is_secret(value: str) -> bool:
    return len(value) >= (SHORTEST_WORD if value.isalpha() else SHORTEST)


def _in_header(value: str) -> Iterator[str]:
    """A header's value, without its scheme too, and the password of a login in it."""
    from base64 import b64decode

    yield value
    for word in value.split()[1:]:
        yield word
        try:
            login = b64decode(word, validate=True).decode()
        except ValueError:
            continue
        yield login.partition(":")[2]


def _encodings(secret: str) -> Iterator[str]:
    """The forms in which a text may hold a secret."""
    # Not at the top: hardly any command needs them.
    import html
    import json
    from urllib.parse import quote, quote_plus

    yield secret
    for escaped in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield escaped
        yield re.sub("%..", lambda code: code[0].lower(), escaped)
    quoted = json.dumps(secret)[1:-1]
    yield from (quoted, quoted.replace("/", "\\/"), html.escape(secret))
    for before in range(3):
        yield from _cores(secret.encode("utf-8", "replace"), before)


def _cores(secret: bytes, before: int) -> Iterator[str]:
    """What base64 makes of a secret behind so many bytes, but for where it meets other bytes."""
    from base64 import b64encode

    content = b64encode(b"\0" * before + secret).decode().rstrip("=")
    is_aligned = (before + len(secret)) % 3 == 0
    core = content[(0, 2, 3)[before] : None if is_aligned else -1]
    if len(core) >= SHORTEST_CORE:
        yield core
        yield core.replace("+", "-").replace("/", "_")


_remember_environment()
