"""Where does each sentence of a text begin and end?

Spans are exact: `text[start:end]` is the sentence. They are ordered and never overlap; what lies
between them is white space, list markers and stray punctuation. Made for English, with the full
stops of Chinese and Japanese.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from assay.text.abbreviations import ABBREVIATIONS, STARTERS, TITLES

Span = tuple[int, int]


class Block(NamedTuple):
    """Lines that belong together: a paragraph, a list item, a heading."""

    start: int  # after the marker
    end: int
    marker: str  # "-", "1.", "##"; "" for plain text


_LINE = re.compile(r"[^\r\n\x0b\x0c\x85\u2028\u2029]+")
_MARKER = re.compile(r"\s*((?:[-*•·▪◦‣–—+]|\(?\d{1,3}[.)]|\(?[A-Za-z]\)|#{1,6}|>)\s+)*")
_FINISHED = re.compile(r"[.!?:;。！？：；…|][\"'”’»)\]*_」』]*\s*$")
_UNFINISHED = re.compile(r"(?:,|\b(?:the|an?|of|in|on|at|by|to|for|from|with|and|or|that))\s*$")
_STOP = re.compile(
    r"(?P<cjk>[。！？]+[」』”’）】]*)"
    r"|(?<![.!?…])(?P<stop>[.!?…]++)(?P<close>(?:[\"'”’»)\]*_]|\[\d{1,3}\])*+)(?=\s|$)"
    # No blank after the full stop: "record.The", but not "example.com" or "Node.js".
    r"|(?<=[a-z0-9)][a-z)][a-z)])(?P<glued>\.)(?=[A-Z][a-z]+[ ,'’]|(?:A|I)\s)"
)
_LAST_WORD = re.compile(r"[^\s(\[\"“‘]+$")
_NEXT = re.compile(r"\s*[\"'“‘(\[*_«]*\s*(\S?)([^\W\d_]*)")


def spans(text: str) -> list[Span]:
    """The span of every sentence of `text`, in order."""
    return [span for block in blocks(text) for span in block_spans(text, block)]


def sentences(text: str) -> list[str]:
    """The sentences of `text`, each exactly as it stands there."""
    return [text[start:end] for start, end in spans(text)]


def blocks(text: str) -> list[Block]:
    """Paragraphs, list items and headings; hard-wrapped lines are joined again."""
    found: list[Block] = []
    previous_end = -1
    for line in _LINE.finditer(text):
        if line.group().isspace():
            continue
        marked = _MARKER.match(text, line.start(), line.end())
        start = marked.end() if marked else line.start()
        marker = marked.group().strip() if marked else ""
        if start >= line.end():
            continue
        adjacent = found and text.count("\n", previous_end, line.start()) <= 1
        if (
            adjacent
            and not marker
            and _continues(text[found[-1].start : previous_end], text[start])
        ):
            found[-1] = found[-1]._replace(end=line.end())
        else:
            found.append(Block(start, line.end(), marker))
        previous_end = line.end()
    return found


def block_spans(text: str, block: Block) -> list[Span]:
    """The span of every sentence of one block."""
    cuts = [block.start]
    for stop in _STOP.finditer(text, block.start, block.end):
        if stop["stop"] is None or _ends(text, cuts[-1], stop, block.end):
            cuts.append(stop.end())
    cuts.append(block.end)
    trimmed = (_trim(text, start, end) for start, end in pairwise(cuts))
    return [span for span in trimmed if span]


def _continues(line: str, first: str) -> bool:
    """Whether a line that begins with `first` goes on with the sentence of `line`."""
    if _FINISHED.search(line):
        return False
    return first.islower() or bool(_UNFINISHED.search(line))


def _trim(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    if not any(char.isalnum() for char in piece):
        return None
    stripped = piece.lstrip()
    return end - len(stripped), end - len(piece) + len(piece.rstrip())


def _ends(text: str, begin: int, stop: re.Match[str], limit: int) -> bool:
    """Whether a stop that is followed by white space ends its sentence."""
    following = _NEXT.match(text, stop.end(), limit)
    if following is None or not following[1]:
        return True
    lower = following[1].islower()
    if stop["stop"] != ".":
        pause = "..." in stop["stop"] or "…" in stop["stop"] or stop["close"]
        return not (lower and pause)  # "Why?" he asked. And: wait ... what
    return _full_stop_ends(text, begin, stop, limit, following)


def _full_stop_ends(
    text: str, begin: int, stop: re.Match[str], limit: int, following: re.Match[str]
) -> bool:
    """The same for a single full stop, which abbreviations and numbers have too."""
    lower = following[1].islower()
    last = _LAST_WORD.search(text, max(begin, stop.start() - 40), stop.start())
    word = last.group().lower() if last else ""
    if word in TITLES and not stop["close"]:
        return word == "no" and not following[1].isdigit() and begin < stop.start() - 2
    if lower and any(char.isupper() for char in text[begin:limit]):
        return len(word) > 4 and word.isalpha() and word not in ABBREVIATIONS
    if word.isdigit() and len(word) < 3:  # "1. Open it", "Steps: 1. Open it"
        before = text[begin : stop.start() - len(word)].rstrip()
        if not before or before.endswith(":"):
            return False
    if word in ABBREVIATIONS or _is_initial(word):
        return (following[1] + following[2]).lower() in STARTERS
    return True


def _is_initial(word: str) -> bool:
    return len(word) < 8 and _dotted(word)


def _dotted(word: str) -> bool:
    return all(len(part) == 1 and part.isalpha() for part in word.split("."))
