"""Where does one argument end and the next begin in a text like ``f(a=1, b="x, y")``?"""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_PAIRS.values())
_QUOTES = "\"'"
# A quote opens a quoted text only where a value may begin: in "the user's" it is an apostrophe.
_BEFORE_A_VALUE = frozenset("=,:([{")


def pieces(text: str) -> list[str]:
    """The pieces between commas that stand outside quotes and brackets, stripped, empty ones too.

    Raises:
        ValueError: If brackets or quotes do not match.
    """
    found, open_until, at = [""], "", 0
    while at < len(text):
        letter = text[at]
        last = found[-1].rstrip()[-1:]
        if letter in _QUOTES and (not last or last in _BEFORE_A_VALUE):
            end = _end_of_quote(text, at)
            found[-1] += text[at:end]
            at = end
            continue
        if letter in _PAIRS:
            open_until += _PAIRS[letter]
        elif letter in _CLOSING:
            if open_until[-1:] != letter:
                raise ValueError("parentheses do not match")
            open_until = open_until[:-1]
        if letter == "," and not open_until:
            found.append("")
        else:
            found[-1] += letter
        at += 1
    if open_until:
        raise ValueError("parentheses do not match")
    return [piece.strip() for piece in found]


def _end_of_quote(text: str, start: int) -> int:
    at = start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == text[start]:
            return at + 1
        at += 1
    raise ValueError("a quote is opened and never closed")


def pairs(text: str) -> list[tuple[str, str]]:
    """(name, value) of the arguments in a text like ``a=1, b="x, y"``; values as they stand.

    Raises:
        ValueError: If brackets or quotes do not match.
    """
    split = (piece.partition("=") for piece in pieces(text) if piece)
    return [(name.strip(), value.strip()) for name, _, value in split]


def value(text: str) -> Any:
    """What a text means: a number, true, a quoted text, a tuple ...; else the text itself."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def frozen(given: Any) -> Any:
    """A mapping as a tuple of pairs, a sequence as a tuple, all else as it is: hashable."""
    if isinstance(given, Mapping):
        return tuple((key, frozen(item)) for key, item in given.items())
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        return tuple(frozen(item) for item in given)
    return given
