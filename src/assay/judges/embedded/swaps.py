"""Statements that mix up what the contexts say of two things.

"Alice lives in Paris. Bob lives in Rome." does not say that Alice lives in Rome, though every word
of it is there. Two parts of sentences that say the same of different things are laid side by side:
a statement that takes after the first here and after the second there says what neither does.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from assay._text import words
from assay._text.verbs import FINITE

_AND = r"(?:and|but|while|whereas)\s++"
# No two ways to read the same blanks: a long run of them takes no longer than its length.
_JOINT = re.compile(rf"(?<!\s)\s*+;\s++|,\s++(?:{_AND})?|(?<!\s)\s++{_AND}")
# "Team A" and "in May", whose words are otherwise an article and a verb.
_LETTER = re.compile(r"(?<=[a-z] )A\b")
_MAY = re.compile(r"(?<=\b(?:[Ii]n|of|[Oo]n|[Bb]y|to)\s)May\b|(?<=\d\s)May\b|\bMay(?=\s\d)")
# Names, numbers and labels ("B2"); the first word of a sentence is one only if a verb follows.
_NAME = re.compile(r"\b(?:[A-Z][\w'\u2019-]*|\w*\d[\w.,]*)")
_NO_NAME = re.compile(rf"\W*[A-Z][\w'\u2019-]*+(?!\s(?:{FINITE}|\w+s|were|are)\b)")
_LEAST = 2  # content words of a part
_LONGEST = 25  # words of a part: longer ones are hardly ever alike
_NEAR = 3  # parts from one to the other, at most
_ALIKE = 1 / 2  # of the shorter one's words, at least, both have in the same order
_SHORT = 4  # words: of no more, one is enough


class Swap(NamedTuple):
    """What a statement mixes up.

    Attributes:
        piece: Index of the piece of evidence that the first stands in.
        first: A part of a sentence of the contexts.
        second: Another one that says the same of something else.
    """

    piece: int
    first: str
    second: str


@dataclass(frozen=True)
class Part:
    """A part of a sentence that says something by itself.

    Attributes:
        piece: Index of the piece of evidence; 0 of a statement.
        context: Place of its context among the contexts.
        text: As it stands there.
        begins: Whether the sentence begins with it.
    """

    piece: int
    context: int
    text: str
    begins: bool

    @cached_property
    def _plain(self) -> str:
        return _MAY.sub("MonthMay", _LETTER.sub("LetterA", self.text))

    @cached_property
    def names(self) -> frozenset[str]:
        """Its names and numbers."""
        first = _NO_NAME.match(self._plain) if self.begins else None
        matches = _NAME.findall(self._plain, first.end() if first else 0)
        return frozenset(words.stems(" ".join(matches)))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its words, stemmed, in order."""
        return tuple(map(words.stem, words.words(self._plain)))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its content words."""
        return frozenset(words.stems(self._plain))


class Slot(NamedTuple):
    """Where two parts differ: the content words of each."""

    first: frozenset[str]
    second: frozenset[str]


class Pair(NamedTuple):
    """Two parts that are alike, and where they differ."""

    first: Part
    second: Part
    slots: tuple[Slot, ...]


def parts(text: str, piece: int = 0, context: int = 0) -> list[Part]:
    """The parts of a sentence: it is cut where something is said on both sides."""
    collected = []
    start = 0
    joints = list(_JOINT.finditer(text))
    ends = [*(joint.start() for joint in joints[1:]), len(text)]
    for joint, end in zip(joints, ends, strict=False):  # without a joint there is one end
        left = Part(piece, context, text[start : joint.start()], not start)
        if min(len(left.stems), len(words.stems(text[joint.end() : end]))) >= _LEAST:
            collected.append(left)
            start = joint.end()
    return [*collected, Part(piece, context, text[start:], not start)]


def pairs(sentence_parts: Sequence[Part]) -> Iterator[Pair]:
    """Those of the parts, in order, that stand near each other and are alike."""
    short = [
        part
        for part in sentence_parts
        if len(part.stems) >= _LEAST and len(part.tokens) <= _LONGEST
    ]
    for i, first in enumerate(short):
        for second in short[i + 1 : i + 1 + _NEAR]:
            if first.context == second.context:
                slots = _slots(first, second)
                if len(slots) > 1:
                    yield Pair(first, second, slots)


def _slots(first: Part, second: Part) -> tuple[Slot, ...]:
    """Where they differ; () if they are not alike.

    The later one may leave out what goes without saying: "the red car is Tom's, the blue Ann's".
    """
    size = min(len(first.tokens), len(second.tokens))
    least = 1 if size <= _SHORT else _ALIKE * size
    if len(set(first.tokens) & set(second.tokens)) < least:
        return ()
    differences: list[Slot] = []
    same = 0
    matcher = SequenceMatcher(None, first.tokens, second.tokens, autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        if kind == "equal":
            same += a_end - a
        elif kind == "insert":
            return ()
        else:
            differences += _differences(first.tokens[a:a_end], second.tokens[b:b_end])
    slots = [
        Slot(first_words & first.stems, other & second.stems) for first_words, other in differences
    ]
    if same < least or not any(a & first.names and b & second.names for a, b in slots):
        return ()
    return tuple(slot for slot in slots if all(slot))


def _differences(first: Sequence[str], second: Sequence[str]) -> list[Slot]:
    """Word by word if there are as many, else all against all."""
    if len(first) == len(second):
        return [Slot(frozenset({a}), frozenset({b})) for a, b in zip(first, second, strict=True)]
    return [Slot(frozenset(first) - frozenset(second), frozenset(second) - frozenset(first))]


def find_swap(statement: str, evidence_parts: Sequence[Part], alike: Sequence[Pair]) -> Swap | None:
    """What a statement mixes up; None if nothing.

    Args:
        statement: The statement.
        evidence_parts: The parts of all sentences of the contexts.
        alike: Their `pairs`.
    """
    if "respectively" in statement:
        return None
    for part in parts(statement):
        mixed = [pair for pair in alike if _mixes(part.stems, pair)]
        if not mixed or any(part.stems <= other.stems for other in evidence_parts):
            continue
        # A sentence that holds both holds every word, and says it no more than they do.
        both = {first.piece for first, second, _ in mixed if first.piece == second.piece}
        if _sentences(part.stems, evidence_parts) <= both:
            first, second, _ = mixed[0]
            return Swap(first.piece, first.text.strip(), second.text.strip())
    return None


def _mixes(stems: frozenset[str], pair: Pair) -> bool:
    """Whether a statement takes after the first in one place and after the second in another."""
    if not stems <= pair.first.stems | pair.second.stems:
        return False
    like = {(slot.first <= stems, slot.second <= stems) for slot in pair.slots}
    return like == {(True, False), (False, True)}


def _sentences(part_stems: frozenset[str], evidence_parts: Sequence[Part]) -> set[int]:
    """The pieces that hold all these words."""
    whole: dict[int, frozenset[str]] = {}
    for part in evidence_parts:
        whole[part.piece] = whole.get(part.piece, frozenset()) | part.stems
    return {piece for piece, stems in whole.items() if part_stems <= stems}
