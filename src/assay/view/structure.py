"""Structure in a retrieved text: JSON and tables, laid out in rows and columns to be read."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

MAX_ROWS: Final = 200
MAX_TEXT: Final = 200_000
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
    if not stripped or len(stripped) > MAX_TEXT:
        return None
    if stripped[0] in "{[":
        return _of_json(stripped)
    lines = [line.strip() for line in stripped.splitlines() if line.strip()]
    barred = len(lines) > 2 and all("|" in line for line in lines)
    if not barred or not _RULE.fullmatch(lines[1]):
        return None
    names, *rows = (_cells(line) for line in [lines[0], *lines[2:]])
    return _even(names, rows)


def _of_json(text: str) -> Grid | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return Grid((), list(_flat(value))[:MAX_ROWS])
    if value and all(isinstance(item, dict) for item in value):
        names = list(dict.fromkeys(name for item in value for name in item))
        return _even(names, [[_said(item.get(name, "")) for name in names] for item in value])
    if value and all(isinstance(item, list) for item in value):
        names, *rows = ([_said(cell) for cell in item] for item in value)
        return _even(names, rows)
    return Grid((), [(str(at), _said(item)) for at, item in enumerate(value, 1)][:MAX_ROWS])


def _flat(value: dict[str, Any], path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    for name, item in value.items():
        place = f"{path}.{name}" if path else name
        if isinstance(item, dict) and item and depth < 5:
            yield from _flat(item, place, depth + 1)
        else:
            yield place, _said(item)


def _said(value: Any) -> str:
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


def _even(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Grid:
    """All rows with as many cells as the longest."""
    width = max(map(len, [names, *rows]))
    even = [[*row, *[""] * (width - len(row))] for row in rows[:MAX_ROWS]]
    return Grid([*names, *[""] * (width - len(names))], even)
