"""Which pieces of a context can a statement be checked against, be it prose, a record or a table?

Prose is taken sentence by sentence, as it stands. What a program wrote (JSON, Python's notation,
tables, lines of "key: value") is taken value by value and read as a person would:
`{"hours": {"Monday": "17:30-23:0"}}` is "hours, Monday: 17:30-23:00 (5:30 PM to 11 PM)".
"""

import re
from collections.abc import Iterator, Sequence

from assay.text.nested import OPENER, Node, Reader
from assay.text.sentences import spans
from assay.text.tables import LONGEST, Unit, rows
from assay.text.values import NOT_GIVEN, joined, read_key, read_value

__all__ = ["Unit", "units"]

_LINE = re.compile(r"[^\r\n]+")
_PATH = 3  # keys shown before a value; the ones farther out are left away
_OUTWARD = 9  # steps from a value outward in search of keys
_LABEL_WORDS = 8
_LONG = 25  # words; a longer string is taken sentence by sentence
# Say nothing about a value within them.
_CONTAINERS = frozenset({"attributes", "properties", "fields", "data", "metadata", "details"})
_LABELS = ("name", "title", "label", "product", "id", "key", "question")


def units(context: str) -> list[Unit]:
    """The units of a context, in order; of prose exactly its sentences."""
    found: list[Unit] = []
    records = list(_records(context))
    at = 0
    label = _labels([root for _, root, _ in records])
    for start, root, end in records:
        found += _lines(context, at, start)
        found += _values(root, label)
        at = end
    return [*found, *_lines(context, at, len(context))]


def _records(context: str) -> Iterator[tuple[int, Node, int]]:
    """Every record of a context: where it begins, what it holds, where it ends."""
    reader = Reader(context)
    at = 0
    while opener := OPENER.search(context, at):
        root, at = reader.read(opener.start())
        at = max(at, opener.end())
        yield opener.start(), root, at


def _lines(context: str, start: int, end: int) -> list[Unit]:
    """The units of what stands between records: tables, lines of keys and values, and prose."""
    lines = [line.span() for line in _LINE.finditer(context, start, end)]
    filled = [line for line in lines if not context[slice(*line)].isspace()]
    found: list[Unit] = []
    prose = start
    at = 0
    while at < len(filled):
        table = rows(context, filled, at)
        if table is None:
            at += 1
            continue
        found += _prose(context, prose, filled[at][0])
        found += table.units
        at = table.after
        prose = filled[at - 1][1]
    return [*found, *_prose(context, prose, end)]


def _prose(context: str, start: int, end: int) -> Iterator[Unit]:
    for first, last in spans(context[start:end]):
        yield Unit(start + first, start + last, context[start + first : start + last])


def _labels(roots: Sequence[Node]) -> dict[int, str]:
    """What tells the items of a list apart, by the identity of their nodes: a name or a number."""
    found: dict[int, str] = {}
    waiting = list(roots)
    top = [item for root in roots for item in root.children if item.kind == "object"]
    _number(top, "", found)
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.kind == "array" and node.parent is not None:
            _number([item for item in node.children if item.children], node.key, found)
    return found


def _number(items: Sequence[Node], key: str, found: dict[int, str]) -> None:
    if len(items) < 2:
        return
    taken = [_label(item) for item in items]
    if not any(taken):
        taken = _first_values(items)
    for place, (item, label) in enumerate(zip(items, taken, strict=True), start=1):
        if not item.key:
            found[id(item)] = label or ("" if key else "record ") + str(place)


def _label(item: Node) -> str:
    """The name of an object, if it has one that is short."""
    for child in item.children:
        named = read_key(child.key).lower().split()[-1:] if not child.children else []
        if named and named[0] in _LABELS and 0 < len(child.text.split()) <= _LABEL_WORDS:
            return " ".join(child.text.split())
    return ""


def _first_values(items: Sequence[Node]) -> list[str]:
    """The first string of every item, such as its "fund" or "model", if no two have the same."""
    firsts = [item.children[0] for item in items if item.children]
    found = [" ".join(first.text.split()) for first in firsts if first.kind == "string"]
    short = all(0 < len(name.split()) <= _LABEL_WORDS for name in found)
    one_key = len({first.key for first in firsts}) == 1
    tell = short and one_key and len(set(found)) == len(items)
    return found if tell else [""] * len(items)


def _values(root: Node, labels: dict[int, str]) -> Iterator[Unit]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.kind == "array" and node.children and not any(_is_deep(x) for x in node.children):
            yield from _listed(node, _path(node, labels))
        elif node.children:
            waiting += reversed(node.children)
        elif node.parent is not None:
            yield from _value(node, _path(node, labels))


def _is_deep(node: Node) -> bool:
    """Whether an item of a list needs a unit of its own."""
    long = len(node.text) > 100 and len(node.text.split()) > _LONG
    return bool(node.children or node.key or node.kind in {"object", "array"} or long)


def _path(node: Node, labels: dict[int, str]) -> list[str]:
    """The last keys that lead to a value, outermost first, and the name of its record."""
    path: list[str] = []
    number = ""
    here: Node | None = node
    for _ in range(_OUTWARD):
        if here is None or len(path) >= _PATH:
            break
        key = read_key(here.key)
        label = labels.get(id(here), "")
        if key and not (path and key.lower() in _CONTAINERS):
            path.append(f"{key} {number}".rstrip())
            number = ""
        if label.isdigit():
            number = label
        elif label and label != node.text:
            path.append(label)
        here = here.parent
    return path[::-1]


def _listed(node: Node, path: Sequence[str]) -> Iterator[Unit]:
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
