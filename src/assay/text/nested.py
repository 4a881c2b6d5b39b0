"""Which values does a JSON-like text hold, under which keys, and where does each stand?

Forgiving on purpose: retrievers cut records off at both ends, print them in Python's notation,
leave keys without quotes and put one into a string of another. Whatever is there becomes the
nearest sensible tree; what cannot belong to a record ends it. Every character is looked at a fixed
number of times, and nesting of any depth is read without recursion.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(eq=False)
class Node:
    """A value of a record: an object, an array, a string or a bare literal."""

    kind: str  # "object", "array", "string" or "literal"
    key: str  # the name it stands under in an object; "" for an item of an array
    start: int  # of its key if it has one, in the text that was given first
    end: int
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)
    text: str = ""  # of a string, without escapes; of a literal, as written
    places: Sequence[int] = ()  # where each character of `text` stands, and where the last ends


_KEY = r"(?:\"[^\"\n]{1,80}\"|'[^'\n]{1,80}')\s*:"
_VALUE = r"\s*(?:[\"'{\[(\d-]|u['\"]|[Tt]rue\b|[Ff]alse\b|null\b|None\b|NaN\b)"
# A record begins with a brace and a key, or, cut off in front, with a key and its value.
OPENER = re.compile(
    rf"(?:[\[(]\s*){{0,3}}\{{\s*(?:{_KEY}|[A-Za-z_]\w{{0,40}}\s*:{_VALUE})"
    rf"|{_KEY}(?={_VALUE})"
    r"|(?<![^\n])[ \t]*\[\s*(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')\s*,"
)
_GOES_ON = re.compile(rf"[\s,}}\])]*(?=\{{|{_KEY})")
_TOKEN = re.compile(
    r"\s*(?:(?P<open>[{\[(])|(?P<close>[}\])])|(?P<skip>,|:|\.{3}|…)"
    r"|[uUbBrR]?(?P<quote>[\"'])"
    r"|(?P<bare>(?:[^,{}\[\]()\n]|\([^()\n]{0,200}\))+))"
)
_BARE_KEY = re.compile(r"\s*(?P<name>[\w$@][\w$@ ./-]{0,60}?)\s*:(?!//)(?=\s|[\"'{\[(\d-])")
_COLON = re.compile(r"\s*:")
_CLOSED = re.compile(r"\s*(?:[,:}\])]|$)|[ \t]*\r?\n\s*[\"'}\]]")
_QUOTED = {quote: re.compile(rf"\\.|{quote}", re.DOTALL) for quote in "\"'"}
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"
    r"|x[0-9a-fA-F]{2}|.)",
    re.DOTALL,
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " ", "\n": ""}
_CLOSES = {"}": "object", "]": "array", ")": "array"}
_LONG_BARE = 6  # words without quotes; more of them are prose after a record that was cut off
_DEEPEST = 3  # records within strings of records


class Reader:
    """Reads the records of one text."""

    def __init__(self, text: str, places: Sequence[int] | None = None, depth: int = 0) -> None:
        """`places` says where the characters of a decoded string stand in the text around it."""
        self._text = text
        self._places = range(len(text) + 1) if places is None else places
        self._depth = depth
        self._unclosed: set[str] = set()
        self._stack: list[Node] = []
        self._open = {"object": 0, "array": 0}
        self._key: tuple[str, int] | None = None

    def read(self, start: int) -> tuple[Node, int]:
        """The record whose `OPENER` begins at `start`, and the place after it."""
        whole = self._text[start : start + 1] in "{[( \t"
        root = Node("object" if not whole else "array", "", self._places[start], 0)
        self._stack, self._open, self._key = [root], {"object": 0, "array": 0}, None
        at = start
        while True:
            token = _TOKEN.match(self._text, at)
            after = self._take(token, at) if token else at
            if after == at:
                break
            at = after
            finished = len(self._stack) == 1 and self._key is None and root.children
            if finished and (whole or not self._goes_on(at)):
                break
        self._finish(at)
        root.end = self._places[at]
        return root, at

    def _goes_on(self, at: int) -> bool:
        """Whether a record without its first brace has another member."""
        return bool(_GOES_ON.match(self._text, at))

    def _take(self, token: re.Match[str], at: int) -> int:
        """Take in one token; the place after it, or `at` where the record must have ended."""
        if token["skip"]:
            return token.end()
        if token["open"]:
            self._push("object" if token["open"] == "{" else "array", token.start("open"))
            return token.end()
        if token["close"]:
            self._close(_CLOSES[token["close"]], token.end())
            return token.end()
        return self._string(token) if token["quote"] else self._bare(token, at)

    def _string(self, token: re.Match[str]) -> int:
        begin = token.start() + len(token.group()) - len(token.group().lstrip())
        stop, end = self._string_end(token["quote"], token.end())
        colon = _COLON.match(self._text, end)
        text, places = decoded(self._text[token.end() : stop], self._places[token.end() : stop + 1])
        if colon and self._key is None and self._stack[-1].kind == "object":
            self._key = (text, begin)
            return colon.end()
        node = self._add("string", begin, end)
        node.text, node.places = text, places
        if self._depth < _DEEPEST and (inner := OPENER.match(text)) and text[:1] in "{[":
            node.kind = "array"
            node.children = Reader(text, places, self._depth + 1).read(inner.start())[0].children
            for child in node.children:
                child.parent = node
        return end

    def _string_end(self, quote: str, begin: int) -> tuple[int, int]:
        """Where the content of a string ends, and where the string does."""
        if quote not in self._unclosed:
            for found in _QUOTED[quote].finditer(self._text, begin):
                if found.group() == quote and _CLOSED.match(self._text, found.end()):
                    return found.start(), found.end()
            self._unclosed.add(quote)
        line = self._text.find("\n", begin)
        stop = len(self._text) if line < 0 else line
        return stop, stop

    def _bare(self, token: re.Match[str], at: int) -> int:
        in_object = self._stack[-1].kind == "object"
        name = _BARE_KEY.match(self._text, at) if in_object and self._key is None else None
        if name:
            self._key = (name["name"], name.start("name"))
            return name.end()
        text = token["bare"].rstrip()
        many = text.count(" ") >= _LONG_BARE
        if not text or (self._key is None and (in_object or many)):
            return at
        node = self._add("literal", token.start("bare"), token.start("bare") + len(text))
        node.text = text
        return token.end()

    def _add(self, kind: str, start: int, end: int) -> Node:
        key, begin = self._key or ("", start)
        self._key = None
        parent = self._stack[-1]
        node = Node(kind, key, self._places[begin], self._places[end], parent)
        parent.children.append(node)
        return node

    def _push(self, kind: str, at: int) -> None:
        self._stack.append(self._add(kind, at, at + 1))
        self._open[kind] += 1

    def _close(self, kind: str, end: int) -> None:
        """Close the innermost object or array and what was left open in it; ignore a stray mark."""
        self._key = None
        if not self._open[kind]:
            return
        while True:
            node = self._stack.pop()
            node.end = self._places[end]
            self._open[node.kind] -= 1
            if node.kind == kind:
                return

    def _finish(self, end: int) -> None:
        if self._key:  # cut off after a key
            self._add("literal", self._key[1], end)
        for node in self._stack:
            node.end = self._places[end]


def decoded(raw: str, places: Sequence[int]) -> tuple[str, Sequence[int]]:
    """A string's content without its escapes, and where each character of it stands."""
    if "\\" not in raw:
        return raw, places
    parts: list[str] = []
    kept: list[int] = []
    at = 0
    for escape in _ESCAPE.finditer(raw):
        char = _character(escape.group()[1:])
        parts += [raw[at : escape.start()], char]
        kept += [*places[at : escape.start()], *places[escape.start() : escape.start() + len(char)]]
        at = escape.end()
    return "".join([*parts, raw[at:]]), [*kept, *places[at:]]


def _character(escape: str) -> str:
    """What an escape stands for; half a surrogate pair, which no file can hold, is a mark."""
    if len(escape) == 1:
        return _ESCAPED.get(escape, escape)
    if len(escape) > 5:
        return bytes.fromhex(escape[1:5] + escape[7:]).decode("utf-16-be")
    char = chr(int(escape[1:], 16))
    return "\ufffd" if "\ud800" <= char <= "\udfff" else char
