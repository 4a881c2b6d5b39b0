"""Passages of documents: cut, drawn evenly, and found by their rare words."""

import math
import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from assay._text.sentences import spans
from assay._text.words import Weights, inverse_frequency, recall, stems, weighted_recall, words
from assay.testset.documents import Document

# A passage of fewer words holds nothing to ask about; most are as long as was asked for.
SHORTEST = 25
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![^\S\n]*\n))+")
_HEADING = re.compile(r"\s*(#{1,6})[^\S\n](.*)")
_FENCE = re.compile(r"^[^\S\n]{0,3}(`{3,}|~{3,})", re.MULTILINE)
_UNDERLINED = re.compile(r"\s*(\S[^\n]*)\n([=\-~^*])[=\-~^*]{2,}\s*$")
# A line of an indented paragraph, as pages of `man` have them; a list's items stay apart.
_INDENTED = re.compile(r"(?P<indent>[ \t]{3,})[^\s\-*+|\d]")
_CAPITALS = re.compile(r"[A-Z][A-Z ,/-]+")  # a heading there, which begins no sentence
# Corpora for research are often cut into tokens: "Yemen 's capital ( Sana'a ) , self - owned .".
_TOKENS = re.compile(r"\w [,.](?:\s|$)")
_PRINTED = (
    (re.compile(r"``\s?|\s?''(?!\w)"), '"'),
    (re.compile(r"\s+(?=[,.;:?!%)\]](?:\s|$|[,.;:?!)\"]))|(?<=[(\[$#])\s+"), ""),
    (re.compile(r"\s+(?=(?:'(?:s|re|ve|ll|d|m)|n't)\b)|(?<=s)\s+(?=' )"), ""),
    (re.compile(r"(?<=\w) - (?=\w)"), "-"),
    (re.compile(r"(?<=\w) -- (?=\w)"), "\u2013"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document.

    Attributes:
        document: Id of the document.
        number: Which passage of the document it is, from 1.
        title: Title of the document and the headings above the passage, outermost first.
        text: The stretch, exactly as it stands there.
        start: Its first character in the document.
        end: The character after its last one.
        code: Where blocks of code stand in the text: first character, and the one after the last.
    """

    document: str
    number: int
    title: str
    text: str
    start: int
    end: int
    code: tuple[tuple[int, int], ...] = ()

    @property
    def id(self) -> str:
        """What names it among all passages."""
        return f"{self.document}#{self.number}"

    @property
    def titled(self) -> str:
        """The text below its title."""
        return f"{self.title}\n\n{self.text}"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A paragraph, or a sentence of one that is too long, below its headings."""

    start: int
    end: int
    size: int
    path: tuple[str, ...]
    begins: bool  # a section


def cut(document: Document, size: int, *, shortest: int = SHORTEST) -> list[Passage]:
    """The passages of a document: whole paragraphs of about `size` words together.

    A section begins a passage of its own unless the one before is less than half full. What is
    shorter than `shortest` words is left out, unless it answers the question that is its title.

    Args:
        document: The document.
        size: Words of a passage, about.
        shortest: Words of a passage, at least.
    """
    groups: list[list[_Piece]] = []
    for piece in _pieces_of(document.text, size):
        words_so_far = sum(p.size for p in groups[-1]) if groups else 0
        full = words_so_far + piece.size > size * 1.25 or (
            piece.begins and words_so_far >= size / 2
        )
        if not groups or (full and words_so_far):
            groups.append([])
        groups[-1].append(piece)
    minimum = 1 if document.title.endswith("?") else shortest
    long_enough = [group for group in groups if sum(p.size for p in group) >= minimum]
    return [_passage(document, n, group) for n, group in enumerate(long_enough, start=1)]


def _passage(document: Document, number: int, group: list[_Piece]) -> Passage:
    start, end = group[0].start, group[-1].end
    code = tuple(
        (max(a, start) - start, min(b, end) - start)
        for a, b in _code(document.text)
        if a < end and b > start
    )
    title = " > ".join(filter(None, (document.title or document.id, *group[0].path)))
    return Passage(document.id, number, title, document.text[start:end], start, end, code)


def as_printed(text: str) -> str:
    """A text without the blanks that a tokenizer left around marks; any other text as it is."""
    if _TOKENS.search(text):
        for pattern, mark in _PRINTED:
            text = pattern.sub(mark, text)
    return text


def unwrapped(text: str) -> str:
    """A text of as many characters, in which the lines of an indented paragraph are one."""
    lines, above = list[str](), ""
    for line in text.split("\n"):
        match = _INDENTED.match(line)
        indent = match["indent"] if match else ""
        if indent and lines and _CAPITALS.fullmatch(lines[-1]):
            lines[-1] = " " * len(lines[-1])
        lines.append(" " if indent and indent == above else "\n")
        lines.append(line)
        above = indent
    return "".join(lines[1:])


def _code(text: str) -> Iterator[tuple[int, int]]:
    """The fenced blocks of a text, with their fences; one that is not closed goes to the end."""
    opened, begins = "", 0
    for fence in _FENCE.finditer(text):
        if not opened:
            opened, begins = fence[1], fence.start()
        elif fence[1].startswith(opened):
            yield begins, fence.end()
            opened = ""
    if opened:
        yield begins, len(text)


def sections(text: str) -> list[int]:
    """Where the sections of a text begin: the first characters of its headings."""
    return [piece.start for piece in _pieces_of(text, len(text)) if piece.begins]


def _pieces_of(text: str, size: int) -> Iterator[_Piece]:
    path: list[tuple[int, str]] = []
    fence = ""
    for paragraph in _PARAGRAPH.finditer(text):
        start, end = _trim(text, *paragraph.span())
        if start == end:
            continue
        heading = None
        if not fence:  # in code, a line with # is a comment
            heading = _heading(text[start:end].split("\n", 1)[0]) or _heading(text[start:end])
        fence = _fence(text[start:end], fence)
        if heading is not None:
            level, name = heading
            path = [(depth, above) for depth, above in path if depth < level]
            path.append((level, name))
        names = tuple(name for _, name in path)
        length = len(words(text[start:end]))
        if length <= size * 1.25:
            yield _Piece(start, end, length, names, heading is not None)
            continue
        for number, (a, b) in enumerate(spans(text[start:end])):
            begins = heading is not None and number == 0
            yield _Piece(
                start + a, start + b, len(words(text[start + a : start + b])), names, begins
            )


def _heading(text: str) -> tuple[int, str] | None:
    """Level and text of a heading; one that is underlined is of level 1 by "=", else of 2."""
    if (marked := _HEADING.match(text)) and (name := marked[2].strip().rstrip("#").rstrip()):
        return len(marked[1]), name
    underlined = _UNDERLINED.match(text)
    return (1 if underlined[2] == "=" else 2, underlined[1]) if underlined else None


def _fence(text: str, opened: str) -> str:
    """The fence of the code that goes on after a paragraph, "" if none is open."""
    for mark in _FENCE.findall(text):
        if not opened:
            opened = mark
        elif mark.startswith(opened):
            opened = ""
    return opened


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end].strip()
    start = text.index(piece, start)
    return start, start + len(piece)


_GOLDEN = (math.sqrt(5) - 1) / 2
# A word that more of the passages have says little about what one of them is about.
_COMMON = 0.1
_FEW = 20  # of so few passages every word counts
_COPY = 0.6  # of a passage's words are in another one that says nearly the same


@dataclass
class Corpus:
    """All passages, and the words by which they are found."""

    passages: Sequence[Passage]
    _stems: list[frozenset[str]] = field(init=False)
    _weights: Weights = field(init=False)
    _holders: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self._stems = [frozenset(stems(f"{p.title} {p.text}")) for p in self.passages]
        self._weights = inverse_frequency(self._stems)
        holders = defaultdict(list)
        for number, held in enumerate(self._stems):
            for stem in held:
                holders[stem].append(number)
        limit = max(_FEW, _COMMON * len(self.passages))
        self._holders = {
            stem: numbers for stem, numbers in holders.items() if len(numbers) <= limit
        }

    def evenly(self, seed: int) -> Iterator[int]:
        """Numbers of passages without end: however many are taken, they are spread evenly.

        Steps of the golden ratio through the passages in order, from a random start: a document
        gets as many as it has passages, give or take one. Each round takes every passage once.
        """
        n = len(self.passages)
        position = random.Random(seed).random()  # noqa: S311 - no secret
        while True:
            left = set(range(n))
            for _ in range(4 * n):
                if (number := int(position * n)) in left:
                    left.remove(number)
                    yield number
                position = (position + _GOLDEN) % 1
                if not left:
                    break
            yield from sorted(left)

    def nearest(self, text: str, limit: int, without: Collection[int] = ()) -> list[int]:
        """Numbers of the passages that hold most of a text's rare words, the nearest first."""
        return [number for number, _ in self._ranked(frozenset(stems(text)), without)[:limit]]

    def partner(self, number: int) -> int | None:
        """The passage that shares most rare words with another, best of another document.

        A passage beside it comes last, as it goes on where the other one ends; so does one that
        says nearly the same.
        """
        document, own_stems = self.passages[number].document, self._stems[number]

        def distance(other: int) -> int:
            other_stems = self._stems[other]
            if max(recall(own_stems, other_stems), recall(other_stems, own_stems)) > _COPY:
                return 3
            if self.passages[other].document != document:
                return 0
            return 1 if abs(other - number) > 1 else 2

        sharing = [other for other, _ in self._ranked(self._stems[number], [number])]
        return min(sharing, key=distance, default=None)

    def _ranked(
        self, wanted_stems: frozenset[str], without: Collection[int]
    ) -> list[tuple[int, float]]:
        numbers = {n for stem in wanted_stems for n in self._holders.get(stem, ())} - set(without)
        shares = (
            (n, weighted_recall(wanted_stems, self._stems[n], self._weights)) for n in numbers
        )
        return sorted(shares, key=lambda pair: (-pair[1], pair[0]))
