"""Splitting a context into units of evidence: sentences, values of JSON records, rows of tables.

Forgiving on purpose: retrievers cut records off at both ends, print them in Python's notation and
put one into a string of another. Every character is looked at a fixed number of times, and nesting
of any depth is read without recursion.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay._text.expressions import expression
from assay._text.sentences import spans
from assay._text.tables import LONGEST, NOT_GIVEN, Unit, joined, read_key, read_value, rows


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
OPENER = expression(
    rf"(?=[\[({{\"' \t])(?:(?:[\[(]\s*){{0,3}}\{{\s*(?:{_KEY}|[A-Za-z_]\w{{0,40}}\s*:{_VALUE})"
    rf"|{_KEY}(?={_VALUE})"
    r"|(?<![^\n])[ \t]*\[\s*(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')\s*,)"
)
_GOES_ON = expression(rf"[\s,}}\])]*(?=\{{|{_KEY})")
_TOKEN = expression(
    r"\s*(?:(?P<open>[{\[(])|(?P<close>[}\])])|(?P<skip>,|:|\.{3}|…)"
    r"|[uUbBrR]?(?P<quote>[\"'])"
    r"|(?P<bare>(?:[^,{}\[\]()\n]|\([^()\n]{0,200}\))+))"
)
_BARE_KEY = expression(r"\s*(?P<name>[\w$@][\w$@ ./-]{0,60}?)\s*:(?!//)(?=\s|[\"'{\[(\d-])")
_COLON = expression(r"\s*:")
_CLOSED = expression(r"\s*(?:[,:}\])]|$)|[ \t]*\r?\n\s*[\"'}\]]")
_QUOTED = {quote: expression(rf"\\.|{quote}", re.DOTALL) for quote in "\"'"}
_ESCAPE = expression(
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
        is_list = self._text[start : start + 1] in "{[( \t"
        root = Node("object" if not is_list else "array", "", self._places[start], 0)
        self._stack, self._open, self._key = [root], {"object": 0, "array": 0}, None
        position = start
        while True:
            token = _TOKEN.match(self._text, position)
            after = self._take_token(token, position) if token else position
            if after == position:
                break
            position = after
            finished = len(self._stack) == 1 and self._key is None and root.children
            if finished and (is_list or not bool(_GOES_ON.match(self._text, position))):
                break
        self._finish(position)
        root.end = self._places[position]
        return root, position

    def _take_token(self, token: re.Match[str], position: int) -> int:
        """Take in one token; the place after it, or `position` where the record must have ended."""
        if token["skip"]:
            return token.end()
        if token["open"]:
            self._push("object" if token["open"] == "{" else "array", token.start("open"))
            return token.end()
        if token["close"]:
            self._close(_CLOSES[token["close"]], token.end())
            return token.end()
        return self._string(token) if token["quote"] else self._bare(token, position)

    def _string(self, token: re.Match[str]) -> int:
        begin = token.start() + len(token.group()) - len(token.group().lstrip())
        stop, end = self._string_end(token["quote"], token.end())
        colon = _COLON.match(self._text, end)
        text, positions = decoded(
            self._text[token.end() : stop], self._places[token.end() : stop + 1]
        )
        if colon and self._key is None and self._stack[-1].kind == "object":
            self._key = (text, begin)
            return colon.end()
        node = self._add("string", begin, end)
        node.text, node.places = text, positions
        if self._depth < _DEEPEST and (inner := OPENER.match(text)) and text[:1] in "{[":
            node.kind = "array"
            node.children = Reader(text, positions, self._depth + 1).read(inner.start())[0].children
            for child in node.children:
                child.parent = node
        return end

    def _string_end(self, quote: str, begin: int) -> tuple[int, int]:
        """Where the content of a string ends, and where the string does."""
        if quote not in self._unclosed:
            for match in _QUOTED[quote].finditer(self._text, begin):
                if match.group() == quote and _CLOSED.match(self._text, match.end()):
                    return match.start(), match.end()
            self._unclosed.add(quote)
        line = self._text.find("\n", begin)
        stop = len(self._text) if line < 0 else line
        return stop, stop

    def _bare(self, token: re.Match[str], position: int) -> int:
        in_object = self._stack[-1].kind == "object"
        name = _BARE_KEY.match(self._text, position) if in_object and self._key is None else None
        if name:
            self._key = (name["name"], name.start("name"))
            return name.end()
        text = token["bare"].rstrip()
        is_long = text.count(" ") >= _LONG_BARE
        if not text or (self._key is None and (in_object or is_long)):
            return position
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

    def _push(self, kind: str, position: int) -> None:
        self._stack.append(self._add(kind, position, position + 1))
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
    pieces: list[str] = []
    kept_places: list[int] = []
    position = 0
    for escape in _ESCAPE.finditer(raw):
        char = _character(escape.group()[1:])
        pieces += [raw[position : escape.start()], char]
        kept_places += [
            *places[position : escape.start()],
            *places[escape.start() : escape.start() + len(char)],
        ]
        position = escape.end()
    return "".join([*pieces, raw[position:]]), [*kept_places, *places[position:]]


def _character(escape: str) -> str:
    """What an escape stands for; half a surrogate pair, which no file can hold, is a mark."""
    if len(escape) == 1:
        return _ESCAPED.get(escape, escape)
    if len(escape) > 5:
        return bytes.fromhex(escape[1:5] + escape[7:]).decode("utf-16-be")
    char = chr(int(escape[1:], 16))
    return "\ufffd" if "\ud800" <= char <= "\udfff" else char


__all__ = ["Unit", "units"]

_LINE = expression(r"[^\r\n]+")
_PATH = 3  # keys shown before a value; the ones farther out are left away
_OUTWARD = 9  # steps from a value outward in search of keys
_LABEL_WORDS = 8
_LONG = 25  # words; a longer string is taken sentence by sentence
# Say nothing about a value within them.
_CONTAINERS = frozenset({"attributes", "properties", "fields", "data", "metadata", "details"})
_LABELS = ("name", "title", "label", "product", "id", "key", "question")


def units(context: str) -> list[Unit]:
    """The units of a context, in order; of prose exactly its sentences."""
    all_units: list[Unit] = []
    records = list(_records(context))
    position = 0
    label = _labels([root for _, root, _ in records])
    for start, root, end in records:
        all_units += _lines(context, position, start)
        all_units += _values(root, label)
        position = end
    return [*all_units, *_lines(context, position, len(context))]


def _records(context: str) -> Iterator[tuple[int, Node, int]]:
    """Every record of a context: where it begins, what it holds, where it ends."""
    reader = Reader(context)
    position = 0
    while opener := OPENER.search(context, position):
        root, position = reader.read(opener.start())
        position = max(position, opener.end())
        yield opener.start(), root, position


def _lines(context: str, start: int, end: int) -> list[Unit]:
    """The units of what stands between records: tables, lines of keys and values, and prose."""
    lines = [line.span() for line in _LINE.finditer(context, start, end)]
    filled = [line for line in lines if not context[slice(*line)].isspace()]
    line_units: list[Unit] = []
    prose = start
    line = 0
    while line < len(filled):
        table = rows(context, filled, line)
        if table is None:
            line += 1
            continue
        line_units += _prose(context, prose, filled[line][0])
        line_units += table.units
        line = table.after
        prose = filled[line - 1][1]
    return [*line_units, *_prose(context, prose, end)]


def _prose(context: str, start: int, end: int) -> Iterator[Unit]:
    for first, last in spans(context[start:end]):
        yield Unit(start + first, start + last, context[start + first : start + last])


def _labels(roots: Sequence[Node]) -> dict[int, str]:
    """What tells the items of a list apart, by the identity of their nodes: a name or a number."""
    labels: dict[int, str] = {}
    waiting = list(roots)
    top = [item for root in roots for item in root.children if item.kind == "object"]
    _number(top, "", labels)
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.kind == "array" and node.parent is not None:
            _number([item for item in node.children if item.children], node.key, labels)
    return labels


def _number(items: Sequence[Node], key: str, labels: dict[int, str]) -> None:
    if len(items) < 2:
        return
    names = [_label(item) for item in items]
    if not any(names):
        names = _first_values(items)
    for number, (item, label) in enumerate(zip(items, names, strict=True), start=1):
        if not item.key:
            labels[id(item)] = label or ("" if key else "record ") + str(number)


def _label(item: Node) -> str:
    """The name of an object, if it has one that is short."""
    for child in item.children:
        key = read_key(child.key).lower().split()[-1:] if not child.children else []
        if key and key[0] in _LABELS and 0 < len(child.text.split()) <= _LABEL_WORDS:
            return " ".join(child.text.split())
    return ""


def _first_values(items: Sequence[Node]) -> list[str]:
    """The first string of every item, such as its "fund" or "model", if no two have the same."""
    firsts = [item.children[0] for item in items if item.children]
    names = [" ".join(first.text.split()) for first in firsts if first.kind == "string"]
    short = all(0 < len(name.split()) <= _LABEL_WORDS for name in names)
    one_key = len({first.key for first in firsts}) == 1
    tell = short and one_key and len(set(names)) == len(items)
    return names if tell else [""] * len(items)


def _values(root: Node, labels: dict[int, str]) -> Iterator[Unit]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.kind == "array" and node.children and not any(_is_deep(x) for x in node.children):
            yield from _list_units(node, _path(node, labels))
        elif _is_table(node):
            yield from _rows(node, labels)
        elif _is_named_value(node):
            yield from _named_value(node, labels)
        elif node.children:
            waiting += reversed(node.children)
        elif node.parent is not None:
            yield from _value(node, _path(node, labels))


def _is_table(node: Node) -> bool:
    """Whether a list's items are objects of a few short values, as the rows of a table are."""
    return (
        node.kind == "array"
        and len(node.children) > 1
        and all(
            item.kind == "object"
            and len(item.children) > 1
            and not any(
                value.children or value.kind in {"object", "array"} for value in item.children
            )
            and sum(len(value.text.split()) for value in item.children) <= LONGEST
            for item in node.children
        )
        and not all(map(_is_named_value, node.children))
    )


def _rows(node: Node, labels: dict[int, str]) -> Iterator[Unit]:
    """A unit for each object: "rows: player: Ann; team: Reds"."""
    path = _path(node, labels)
    for item in node.children:
        cells = [
            joined([key] if key else [], read_value(value.text, " ".join([*path, key])))
            for value in item.children
            for key in [read_key(value.key)]
        ]
        yield Unit(item.start, item.end, joined(path, "; ".join(cells)))


def _is_named_value(node: Node) -> bool:
    """Whether an object only gives a name and its value: {"name": "Weight", "value": "180 g"}."""
    keys = [child.key.lower() for child in node.children]
    return (
        node.kind == "object"
        and keys in (["name", "value"], ["key", "value"], ["label", "value"])
        and not any(child.children for child in node.children)
    )


def _named_value(node: Node, labels: dict[int, str]) -> Iterator[Unit]:
    name, value = node.children
    path = [*_path(node, {**labels, id(node): ""}), *filter(None, [read_key(name.text)])][-_PATH:]
    read = read_value(value.text, " ".join(path)) if value.text else NOT_GIVEN
    yield Unit(node.start, node.end, joined(path, read))


def _is_deep(node: Node) -> bool:
    """Whether an item of a list needs a unit of its own."""
    long = len(node.text) > 100 and len(node.text.split()) > _LONG
    return bool(node.children or node.key or node.kind in {"object", "array"} or long)


def _path(node: Node, labels: dict[int, str]) -> list[str]:
    """The last keys that lead to a value, outermost first, and the name of its record."""
    path: list[str] = []
    number = ""
    current: Node | None = node
    for _ in range(_OUTWARD):
        if current is None or len(path) >= _PATH:
            break
        key = read_key(current.key)
        label = labels.get(id(current), "")
        if key and not (path and key.lower() in _CONTAINERS):
            path.append(f"{key} {number}".rstrip())
            number = ""
        if label.isdigit():
            number = label
        elif label and label != node.text:
            path.append(label)
        current = current.parent
    return path[::-1]


def _list_units(node: Node, path: Sequence[str]) -> Iterator[Unit]:
    """A list of short values as one unit, or of many values as several."""
    begin = 0
    items = node.children
    read = [read_value(item.text) for item in items]
    while begin < len(items):
        stop, count = begin, 0
        while stop < len(items) and count < LONGEST:
            count += len(read[stop].split())
            stop += 1
        start = node.start if begin == 0 else items[begin].start
        end = node.end if stop == len(items) else items[stop - 1].end
        yield Unit(start, end, joined(path, ", ".join(read[begin:stop])))
        begin = stop


def _value(node: Node, path: Sequence[str]) -> Iterator[Unit]:
    if node.kind == "string":
        pieces = spans(node.text)
        if len(pieces) > 1 or (pieces and len(node.text.split()) > _LONG):
            for start, end in pieces:
                text = " ".join(node.text[start:end].split())
                yield Unit(node.places[start], node.places[end], joined(path, text))
            return
    if not path and not any(char.isalnum() for char in node.text):
        return
    read = read_value(node.text, " ".join(path)) if node.text else NOT_GIVEN
    yield Unit(node.start, node.end, joined(path, read))
