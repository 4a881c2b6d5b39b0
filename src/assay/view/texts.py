"""Texts as they are laid out to be read: Markdown, tables, and what differs between two.

What a model wrote leads and loads nothing: of Markdown neither links nor images nor HTML are made.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markupsafe import Markup

from assay._report.sanitize import plain

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_MARKDOWN: Final = 50_000
RULES: Final = (
    *("emphasis", "backticks", "newline", "escape"),
    *("heading", "list", "fence", "code", "blockquote", "table", "hr"),
)
_SIGNS: Final = re.compile(
    r"^ {0,3}(?:#{1,6} |[-*+] |\d{1,9}[.)] |```|> |\|)|\*\*\S|__\S|`[^`\n]+`", re.MULTILINE
)


def rendered(text: str) -> Markup | None:
    """The text as HTML; None where nothing in it is written as Markdown, or it is very long."""
    if len(text) > MAX_MARKDOWN or not _SIGNS.search(text):
        return None
    parser = _parser()
    tokens = parser.parse(plain(text))
    for token in tokens:
        token.attrs = {}  # the alignment of cells would be a style
        token.info = ""
        if token.type.startswith("heading"):
            token.tag = "h6"  # a heading of the answer is none of the page
    html = parser.renderer.render(tokens, parser.options, {})
    return Markup(html)  # noqa: S704 - of these elements only, without attributes


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("zero", {"html": False, "linkify": False}).enable(list(RULES))


MAX_ROWS: Final = 200
MAX_GRID: Final = 200_000
_RULE: Final = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_BAR: Final = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells under the names of their columns; () where the first cell names its row."""

    names: Sequence[str]
    rows: Sequence[Sequence[str]]


def grid(text: str) -> Grid | None:
    """The text as a table; None where it is prose."""
    stripped = text.strip()
    if not stripped or len(stripped) > MAX_GRID:
        return None
    if stripped[0] in "{[":
        return _of_json(stripped)
    lines = [line.strip() for line in stripped.splitlines() if line.strip()]
    barred = len(lines) > 2 and all("|" in line for line in lines)
    if not barred or not _RULE.fullmatch(lines[1]):
        return None
    names, *rows = (_cells(line) for line in [lines[0], *lines[2:]])
    return _of_even_length(names, rows)


def in_lines(text: str) -> str:
    """A record in JSON with a line for each of its values; any other text as it is."""
    table = grid(text) if text.lstrip().startswith("{") else None
    if table is None or len(table.rows) == MAX_ROWS:  # nothing is left out
        return text
    return "\n".join(": ".join(row) for row in table.rows)


def _of_json(text: str) -> Grid | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return Grid((), list(_flat_items(value))[:MAX_ROWS])
    if value and all(isinstance(item, dict) for item in value):
        names = list(dict.fromkeys(name for item in value for name in item))
        return _of_even_length(
            names, [[_cell_text(item.get(name, "")) for name in names] for item in value]
        )
    if value and all(isinstance(item, list) for item in value):
        names, *rows = ([_cell_text(cell) for cell in item] for item in value)
        return _of_even_length(names, rows)
    return Grid(
        (), [(str(number), _cell_text(item)) for number, item in enumerate(value, 1)][:MAX_ROWS]
    )


def _flat_items(value: dict[str, Any], path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    for name, item in value.items():
        inner_path = f"{path}.{name}" if path else name
        if isinstance(item, dict) and item and depth < 5:
            yield from _flat_items(item, inner_path, depth + 1)
        elif isinstance(item, list) and item and all(isinstance(entry, dict) for entry in item):
            for n, entry in enumerate(item, 1):
                yield from _flat_items(entry, f"{inner_path}.{n}", depth + 1)
        else:
            yield inner_path, _cell_text(item)


def _cell_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)


def _cells(line: str) -> list[str]:
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(line)]
    return cells[1 if not cells[0] else 0 : -1 if not cells[-1] else None]


def _of_even_length(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Grid:
    """All rows with as many cells as the longest."""
    width = max(map(len, [names, *rows]))
    even = [[*row, *[""] * (width - len(row))] for row in rows[:MAX_ROWS]]
    return Grid([*names, *[""] * (width - len(names))], even)


# A piece of a text, and whether the other text does not have it there.
Piece: TypeAlias = tuple[str, bool]

# Longer texts would keep the reader waiting: matching takes the square of their words.
MAX_WORDS: Final = 4000
_TOKEN: Final = re.compile(r"\w+|\s+|[^\w\s]")
_BLANK_LINE: Final = re.compile(r"(\s*\n\s*\n\s*)")


def differences(before: str, after: str, least: float = 0.0) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces, with what the other lacks marked.

    Args:
        before: The one.
        after: The other.
        least: How much of the shorter text both must share, 0 to 1, for anything to be marked:
            marks all over tell nothing. Texts too long to be matched are not marked either.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if max(len(old), len(new)) > MAX_WORDS:
        return [(before, False)], [(after, False)]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    left: list[Piece] = []
    right: list[Piece] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        _add(left, old[a:b], changed=kind != "equal")
        _add(right, new[c:d], changed=kind != "equal")
    left, right = _join_pieces(left), _join_pieces(right)
    shared = sum(len(text.split()) for text, changed in left if not changed)
    if shared < least * min(len(before.split()), len(after.split())):
        return [(before, False)], [(after, False)]
    return _by_line(left), _by_line(right)


def _add(pieces: list[Piece], words: Sequence[str], *, changed: bool) -> None:
    if words:
        pieces.append(("".join(words), changed))


def _join_pieces(pieces: list[Piece]) -> list[Piece]:
    """Without islands: blanks, or a word that long changes happen to share, count as changed."""
    joined: list[Piece] = []
    for index, (text, changed) in enumerate(pieces):
        inside = 0 < index < len(pieces) - 1 and pieces[index - 1][1] and pieces[index + 1][1]
        counts_as_changed = changed or (
            inside and _is_island(text, pieces[index - 1][0], pieces[index + 1][0])
        )
        if joined and joined[-1][1] == counts_as_changed:
            joined[-1] = (joined[-1][0] + text, counts_as_changed)
        else:
            joined.append((text, counts_as_changed))
    return joined


def _by_line(pieces: list[Piece]) -> list[Piece]:
    """With blank lines unmarked: marked, they show a stray dot."""
    return [
        (piece, changed and not piece.isspace())
        for text, changed in pieces
        for piece in (_BLANK_LINE.split(text) if changed else [text])
        if piece
    ]


def _is_island(text: str, before: str, after: str) -> bool:
    words = len(text.split())
    return not words or (words == 1 and min(len(before.split()), len(after.split())) > 2)
