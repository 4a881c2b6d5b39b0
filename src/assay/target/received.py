"""Is what came over HTTP with status 200 text that may be an answer, or a page or a stream?"""

import json
import re

from assay.text.sanitize import one_line

_PAGE = re.compile(r"<(?:!doctype|html\b|\?xml)", re.IGNORECASE)
_MARKUP = re.compile(r"<[!?a-z]", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_EVENT = re.compile(r"(?:data|event|id|retry)?:")
_ADDRESS = "check that the address is the API's, and whether it wants a key (--target-header)"
_AT_ONCE = 'ask for the whole answer at once, such as by "stream": false in --target-body'
_LOOKED_AT = 10_000  # characters of a page, for its title
_SHOWN = 100


def decoded(body: bytes, charset: str | None) -> str:
    """The text of a body, by the charset that was named if there is one of that name."""
    try:
        text = body.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):  # a charset that there is not
        text = body.decode("utf-8", "replace")
    return text.removeprefix("\ufeff")  # a byte order mark


def instead_of_answer(text: str, content_type: str) -> str:
    """What came where an answer should be, and what to do about it; "" if it may be one.

    The content type alone proves nothing: frameworks call a bare text HTML, and some servers call
    all they send a stream of events.
    """
    kind = content_type.partition(";")[0].strip().lower()
    typed, text = kind or "no content type", text.lstrip()
    if _PAGE.match(text) or (kind == "text/html" and _MARKUP.match(text)):
        title = _TITLE.search(text[:_LOOKED_AT])
        named = f" '{one_line(title[1], _SHOWN)}'" if title else ""
        return f"a page{named} ({typed}) instead of JSON or plain text -> {_ADDRESS}"
    if _is_of_events(text, kind):
        return f"a stream of events ({typed}), which is not supported -> {_AT_ONCE}"
    if _is_of_objects(text):
        return f"a stream of JSON objects ({typed}), which is not supported -> {_AT_ONCE}"
    return ""


def _is_of_events(text: str, kind: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    if kind == "text/event-stream":
        return bool(lines) and _EVENT.match(lines[0]) is not None
    return len(lines) > 1 and all(map(_EVENT.match, lines))


def _is_of_objects(text: str) -> bool:
    lines = text.split("\n", 2)[:2]
    return len(lines) > 1 and all(map(_is_object, lines))


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
