"""Supported statements with one fact of them exchanged: a number, a name, an opposite, a denial."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import replace

from assay._text import entities, numbers
from training.verifier.windows import Row

PAIRS = [pair.split("/") for pair in entities._OPPOSITES]  # noqa: SLF001
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_BE = re.compile(r"\b(is|was|are|were|can|will|has|have|should|could|would|may)\b(?! not|n't)")


def swapped(good: list[Row]) -> Iterator[Row]:
    """Of supported statements those where a swap was possible, each followed by its twin."""
    foreign = [name for row in good for name in entities.names(row.answer) if len(name) > 3]
    for row in good:
        seed = zlib.crc32(row.answer.encode())
        ways = [number, name, opposite, denial]
        for turn in range(len(ways)):
            changed = ways[(seed + turn) % len(ways)](row, seed, foreign)
            if changed and changed != row.answer:
                yield replace(row, data="swapped", label="supported", spans=())
                yield replace(row, data="swapped", answer=changed, label="unsupported", spans=None)
                break


def number(row: Row, seed: int, _foreign: list[str]) -> str:
    """Another number: of the contexts, or a little more or less."""
    stated = list(numbers.numbers(row.answer).items())
    if not stated:
        return ""
    plain, written = stated[seed % len(stated)]
    if not _PLAIN_NUMBER.fullmatch(plain):  # a time, a version
        return ""
    others = [w for p, w in numbers.numbers("\n".join(row.contexts)).items() if p != plain]
    new = f"{float(plain) + 1 + seed % 7:g}"
    if others and seed % 2:
        new = others[seed % len(others)]
    return row.answer.replace(written, new, 1)


def name(row: Row, seed: int, foreign: list[str]) -> str:
    """A name of another source."""
    stated = entities.names(row.answer)
    if not stated or not foreign:
        return ""
    context = "\n".join(row.contexts)
    others = [n for n in foreign[seed % len(foreign) :][:20] if n not in context]
    if not others:
        return ""
    return row.answer.replace(stated[seed % len(stated)], others[0], 1)


def opposite(row: Row, _seed: int, _foreign: list[str]) -> str:
    """The other word of a pair of opposites."""
    for one, other in PAIRS:
        for old, new in ((one, other), (other, one)):
            changed = re.sub(rf"\b{old}(s|d|ed|r|er|est)?\b", rf"{new}\1", row.answer, count=1)
            if changed != row.answer:
                return changed
    return ""


def denial(row: Row, _seed: int, _foreign: list[str]) -> str:
    """The first auxiliary verb denied."""
    if entities.is_negated(row.answer):
        return ""
    return _BE.sub(r"\1 not", row.answer, count=1)
