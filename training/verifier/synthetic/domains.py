"""What records may tell and how sentences say it, as `domains.txt` has it: one block a domain.

A template says a value in words; `[[...]]` holds what is wrong when the value is another one. The
same templates serve right and wrong statements, so wording alone tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from training.verifier.synthetic import draws
from training.verifier.synthetic.draws import Domain, Field, Flag, Options

REGIONS = ("CA", "TX", "PA", "FL", "NV", "AZ", "LA", "MO", "TN", "IN", "AB", "NJ", "ID", "DE", "IL")
_SHARED = " (as above)"
_BAR = " | "
_OPTIONS = "options "


def _blocks() -> list[list[str]]:
    """The lines of each block."""
    text = Path(__file__).with_suffix(".txt").read_text("utf-8")
    text = re.sub(r"^!.*\n+", "", text, flags=re.MULTILINE)
    return [block.split("\n") for block in re.sub(r" \|\n  ", _BAR, text).strip().split("\n\n")]


def _draw(written: str) -> Any:
    """The function of `draws`; one that takes arguments, "whole 2 | 60", called with them."""
    name, _, arguments = written.partition(" ")
    function = getattr(draws, name)
    if name not in draws.FACTORIES:
        return function
    return function(*map(_number, arguments.split(_BAR)) if arguments else ())


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _fields(lines: Sequence[str], shared: dict[str, Any]) -> Iterator[Field | Flag | Options]:
    for head, *below in _items(lines):
        key, _, value = head.partition(": ")
        templates = [tuple(line[4:].split(_BAR)) for line in below]
        if key.endswith(_SHARED):
            yield shared[key.removesuffix(_SHARED)]
        elif value.startswith(_OPTIONS):
            pairs = (option.split("=") for option in value.removeprefix(_OPTIONS).split(_BAR))
            yield Options(key, dict(pairs), *templates)
        elif value:
            yield Field(key, _draw(value), *templates)
        else:
            yield Flag(key, *templates)


def _items(lines: Sequence[str]) -> list[list[str]]:
    """Each line that begins with a star, without it, and those below it."""
    items: list[list[str]] = []
    for line in lines:
        if line.startswith("* "):
            items.append([line[2:]])
        elif items:
            items[-1].append(line)
    return items


def _domain(block: Sequence[str], shared: dict[str, Any]) -> tuple[Domain, int]:
    """A domain, and how often it is taken."""
    name, weight, *flags = block[0].removeprefix("# ").split()
    about = dict(line.split(": ", 1) for line in block[1:4] if line[0] != "*")
    domain = Domain(
        nouns=tuple(about["nouns"].split(_BAR)),
        name=_draw(about["name"]),
        place=tuple(about["place"].split(_BAR)) if "place" in about else (),
        fields=tuple(_fields(block, shared)),
        hours="hours" in flags,
        reviews=name if "reviews" in flags else "",
    )
    return domain, int(weight)


def _reviews(block: Sequence[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Aspect: what a good and a bad review says of it, and how a summary puts either."""
    return {
        aspect: tuple(tuple(line.split(": ", 1)[1].split(_BAR)) for line in below)
        for aspect, *below in _items(block)
    }


_FIRST, *_BLOCKS = _blocks()
_OF = "# reviews of "
_SHARED_FIELDS = {field.key: field for field in _fields(_FIRST, {})}
# Businesses twice: reviews and hours make them the richest.
DOMAINS = {b[0].split()[1]: _domain(b, _SHARED_FIELDS) for b in _BLOCKS if not b[0].startswith(_OF)}
REVIEWS = {b[0].removeprefix(_OF): _reviews(b) for b in _BLOCKS if b[0].startswith(_OF)}
