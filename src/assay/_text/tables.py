"""Rows of tables and lines of keys and values, read as a person would."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay._text import memoized
from assay._text.expressions import expression
from assay._text.regions import region
from assay._text.sentences import Span

# ruff: noqa: SIM905 - word lists read better as prose


NOT_GIVEN = "not given"
_CAMEL = expression(r"(?<=[a-z]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|(?<=[a-z]{3})(?=\d)")
# Written as one word by everyone.
_NAMES = frozenset(
    "YouTube LinkedIn JavaScript TypeScript GitHub PayPal TikTok PlayStation MasterCard PowerPoint "
    "WordPress WhatsApp OpenAI".split()
)
_LITERALS = {
    "true": "yes",
    "false": "no",
    "null": NOT_GIVEN,
    "none": NOT_GIVEN,
    "nan": NOT_GIVEN,
    "undefined": NOT_GIVEN,
    "": NOT_GIVEN,
}
_PYTHON_STRING = expression(r"[uUbB]?(['\"])(.*)\1", re.DOTALL)
_TIME = r"(?P<{0}hour>[01]?\d|2[0-4]):(?P<{0}minute>[0-5]?\d)(?::[0-5]\d)?"
_CLOCK = expression(_TIME.format(""))
_RANGE = expression(rf"{_TIME.format('from_')}\s*(?:-|–|—|to)\s*{_TIME.format('to_')}")
# A score, a ratio and a duration have colons too: only these keys make a time of one.
_TIME_KEYS = expression(
    r"\b(?:time|hours?|open\w*|clos\w+|start\w*|begin\w*|end\w*|check.?in|check.?out|arriv\w+|"
    r"depart\w+|from|until|till|at|mon|tue|wed|thu|fri|sat|sun)\b|day\b",
    re.IGNORECASE,
)


@memoized(4096, longest=200)
def read_key(key: str) -> str:
    """A key in words: "BusinessParking" is "business parking", "review_stars" "review stars"."""
    plain = " ".join(key.replace("_", " ").strip(" *`-").split())
    return " ".join(_spaced_name(word) for word in plain.split())


def read_value(value: str, key: str = "") -> str:
    """A value in words; `key` says whether "9:0" is a time."""
    line = " ".join(value.split())
    python = _PYTHON_STRING.fullmatch(line)
    line = python[2] if python else line
    literal = _LITERALS.get(line.lower() if line != "none" else "a word")
    if literal is not None:
        return literal
    name = region(line, key)
    return f"{line} ({name})" if name else _with_times(line, key)


def joined(path: Sequence[str], text: str) -> str:
    """What a person would write: "hours, Monday: 9 to 5"."""
    return f"{', '.join(path)}: {text}" if path else text


def _spaced_name(word: str) -> str:
    name_words = _CAMEL.sub(" ", word).split()
    if len(name_words) < 2 or word in _NAMES:
        return word
    return " ".join(
        word if word.isupper() and len(word) > 1 else word.lower() for word in name_words
    )


def _with_times(line: str, key: str) -> str:
    """With times of 24 hours in both ways: "17:30-23:0" is "17:30-23:00 (5:30 PM to 11 PM)"."""
    match = _RANGE.fullmatch(line)
    if match:
        begin = match["from_hour"], match["from_minute"]
        end = match["to_hour"], match["to_minute"]
        return f"{_h24(*begin)}-{_h24(*end)} ({_h12(*begin)} to {_h12(*end)})"
    clock = _CLOCK.fullmatch(line) if _TIME_KEYS.search(key) else None
    if clock:
        return f"{_h24(clock['hour'], clock['minute'])} ({_h12(clock['hour'], clock['minute'])})"
    return line


def _h24(hour: str, minute: str) -> str:
    return f"{int(hour)}:{int(minute):02d}"


def _h12(hour: str, minute: str) -> str:
    name = "PM" if 12 <= int(hour) < 24 else "AM"
    minutes = f":{int(minute):02d}" if int(minute) else ""
    return f"{int(hour) % 12 or 12}{minutes} {name}"


class Unit(NamedTuple):
    """A piece of a context that can be checked against."""

    start: int  # context[start:end] is the part it was read from
    end: int
    text: str  # as a person would read it


class Extract(NamedTuple):
    """The units of a table or of lines, and the index of the line after it."""

    units: list[Unit]
    after: int


class Table(NamedTuple):
    """A table, where it stands, and its rows."""

    start: int
    end: int
    units: list[Unit]


LONGEST = 60  # words of a row; a longer one is several units
_LINE = expression(r"[^\r\n]+")
# One dash a column is enough where there is a bar: "|-|-|".
_RULE = expression(r"(?=[^|\n]*(?:\||--))\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_CELL = expression(r"(?:\\.|[^|\\])*")
_CSV_CELL = {
    mark: expression(rf'[^\S{mark}]*+"(?:[^"]|"")*+"\s*(?={mark}|$)|[^{mark}]*')
    for mark in ("\t", ";", ",")
}
_PAIR = expression(
    r"(?P<indent>\s*)(?:[-*•]\s+)?(?P<key>(?:\*\*)?[A-Za-z][\w /()&'-]{0,40}?(?:\*\*)?)"
    r"\s*:(?:\*\*)?(?:\s+(?P<value>\S.*?)|(?P<none>))\s*"
)
_PAIR_WORDS = 30  # a longer line is prose that begins with a name
_NUMBER = expression(r"[\d.,%$€£+-]+")


def rows(text: str, lines: Sequence[Span], at: int) -> Extract | None:
    """What begins at line `at`: a table, lines of keys and values, or None where it is prose."""
    return (
        _markdown(text, lines, at) or _separated_table(text, lines, at) or _pairs(text, lines, at)
    )


def tables(text: str) -> Iterator[Table]:
    """Every table of a text that has a rule under its first row."""
    lines = [line.span() for line in _LINE.finditer(text)]
    after = 0
    for rule in range(1, len(lines)):
        if rule < after or "|" not in text[slice(*lines[rule])]:
            continue
        table = _markdown(text, lines, rule - 1) if _RULE.fullmatch(text, *lines[rule]) else None
        if table:
            after = table.after
            yield Table(lines[rule - 1][0], lines[after - 1][1], table.units)


def _markdown(text: str, lines: Sequence[Span], index: int) -> Extract | None:
    """A table with bars; without a rule under its first row it has no names of columns."""
    start, end = lines[index]
    if "|" not in text[start:end]:
        return None
    ruled = index + 1 < len(lines) and bool(_RULE.fullmatch(text, *lines[index + 1]))
    ruled = ruled and "-" in text[slice(*lines[index + 1])]
    if not ruled and not (text[start:end].strip().startswith("|") and index + 1 < len(lines)):
        return None
    names = [text[a:b] for a, b in _bar_cells(text, lines[index])] if ruled else []
    after = index + 2 if ruled else index
    units: list[Unit] = []
    while after < len(lines) and "|" in text[slice(*lines[after])]:
        if not _RULE.fullmatch(text, *lines[after]):
            units += _row(text, _bar_cells(text, lines[after]), names)
        after += 1
    if not ruled and after - index < 2:
        return None
    return Extract(units or list(_row(text, _bar_cells(text, lines[index]), [])), after)


def _bar_cells(text: str, line: Span) -> list[Span]:
    cells = []
    position, end = line
    while position <= end:
        cell = _CELL.match(text, position, end)
        stop = max(cell.end(), position) if cell else position
        cells.append(_stripped(text, position, stop))
        position = stop + 1
    inside = slice(
        1 if cells[0][0] == cells[0][1] else 0, -1 if cells[-1][0] == cells[-1][1] else None
    )
    return cells[inside] if len(cells) > 1 else cells


def _separated_table(text: str, lines: Sequence[Span], index: int) -> Extract | None:
    """Lines of one number of cells under names of columns, apart by tabs, semicolons or commas."""
    for mark in _CSV_CELL:
        if text.count(mark, *lines[index]) < (1 if mark == "\t" else 2):
            continue
        names = [text[a:b].strip('"') for a, b in _csv_cells(text, lines[index], mark)]
        if not _are_names(names):
            continue
        rows: list[list[Span]] = []
        for line in lines[index + 1 :]:
            cells = _csv_cells(text, line, mark)
            if len(cells) != len(names) or text[line[1] - 1] in ".!?:;":
                break
            rows.append(cells)
        if len(rows) >= (1 if mark == "\t" else 2):
            units = [unit for cells in rows for unit in _row(text, cells, names)]
            return Extract(units, index + 1 + len(rows))
    return None


def _csv_cells(text: str, line: Span, mark: str) -> list[Span]:
    cells = []
    position, end = line
    while position <= end:
        cell = _CSV_CELL[mark].match(text, position, end)
        stop = cell.end() if cell else end
        cells.append(_stripped(text, position, stop))
        position = stop + 1
    return cells


def _are_names(cells: Sequence[str]) -> bool:
    """Whether a first row can be one of names: short, different, and not of numbers."""
    return len(set(cells)) == len(cells) and all(
        0 < len(cell) <= 40 and len(cell.split()) <= 4 and not _NUMBER.fullmatch(cell)
        for cell in cells
    )


def _row(text: str, cells: Sequence[Span], names: Sequence[str]) -> Iterator[Unit]:
    """One unit, or of a very long row several that begin with its first cell."""
    read = [
        joined(
            [read_key(names[i])] if i < len(names) and names[i] else [],
            read_value(
                text[a:b].replace('""', '"').strip('"*'), names[i] if i < len(names) else ""
            ),
        )
        for i, (a, b) in enumerate(cells)
    ]
    begin = 0
    while begin < len(cells):
        stop, count = begin, 0
        while stop < len(cells) and (stop == begin or count < LONGEST):
            count += len(read[stop].split())
            stop += 1
        used = [i for i in range(begin, stop) if cells[i][0] < cells[i][1]]
        if any(char.isalnum() for i in used for char in text[slice(*cells[i])]):
            head = [read[0]] if begin else []
            texts = [*head, *(read[i] for i in used)]
            yield Unit(cells[used[0]][0], cells[used[-1]][1], "; ".join(texts))
        begin = stop


def _pairs(text: str, lines: Sequence[Span], index: int) -> Extract | None:
    """Three or more lines of "key: value", indented ones under the key that stands alone."""
    units: list[Unit] = []
    above: list[tuple[int, str]] = []
    after = index
    while after < len(lines):
        start, end = lines[after]
        pair = _PAIR.fullmatch(text, start, end)
        if pair is None or len(text[start:end].split()) > _PAIR_WORDS:
            break
        indent = len(pair["indent"])
        above = [entry for entry in above if entry[0] < indent][-3:]
        if pair["value"]:
            path = [*(name for _, name in above), read_key(pair["key"])]
            read = joined(path, read_value(pair["value"], " ".join(path)))
            units.append(Unit(pair.start("key"), pair.end("value"), read))
        elif after + 1 < len(lines) and _indent(text, lines[after + 1]) > indent:
            above.append((indent, read_key(pair["key"])))
        else:
            break
        after += 1
    is_all = index == 0 and after == len(lines)
    return Extract(units, after) if len(units) >= (2 if is_all else 3) else None


def _indent(text: str, line: Span) -> int:
    piece = text[slice(*line)]
    return len(piece) - len(piece.lstrip())


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return end - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
