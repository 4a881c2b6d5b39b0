"""Statements that mix up what the contexts say of two things.

"Alice lives in Paris. Bob lives in Rome." does not say that Alice lives in Rome, though every word
of it is there. Two parts of sentences that say the same of different things are laid side by side:
a statement that takes after the first here and after the second there says what neither does. So
does one that says of one of several ("Plan B") what is said of another alone ("Plan C").
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, TypeAlias

from assay._text import words
from assay._text.entities import is_negated
from assay._text.expressions import expression
from assay._text.relations import one_of_a_kind
from assay.judges.embedded.sentence_parts import LEAST, Part, parts

_LONGEST = 25  # words of a part: longer ones are hardly ever alike
_NEAR = 3  # parts from one to the other, at most
_ALIKE = 1 / 2  # of the shorter one's words, at least, both have in the same order
_SHORT = 4  # words: of no more, one is enough
# "a vaccine against A and one against B": the later part repeats what is left out by a pronoun.
_STANDS_FOR = expression(r"\W*(?:the\s+)?(?:ones?|none|that|those|another)\b", re.IGNORECASE)
_STOPS = frozenset(map(words.stem, words.STOP_WORDS))
_NEIGHBOURS = 10  # parts about names that one of them is laid beside
FURTHER = 2  # words of a statement that seems to mix up two parts and stand nowhere
UNKNOWN = 1  # content words of a statement that stand nowhere: "goes" for "runs"
# With one of them a part may say the same of others.
_SHARING = frozenset(
    map(
        words.stem,
        words.words(
            "also another both either equally like likewise neither none one same so those too"
        ),
    )
)


class Swap(NamedTuple):
    """Two parts of sentences of the contexts, of different things, that a statement mixes up.

    Attributes:
        first: The one.
        second: The other.
        sure: Whether the statement says no more than they do; else in four of five cases.
    """

    first: Part
    second: Part
    sure: bool = True


class Slot(NamedTuple):
    """Where two parts differ: the content words of each."""

    first: frozenset[str]
    second: frozenset[str]


class Pair(NamedTuple):
    """Two parts that are alike, and where they differ."""

    first: Part
    second: Part
    slots: tuple[Slot, ...]


# Two words that tell things of one kind apart, and the noun that both stand at.
Sibling: TypeAlias = tuple[str, str, frozenset[str]]


def pairs(sentence_parts: Sequence[Part]) -> Iterator[Pair]:
    """Those of the parts, in order, that stand near each other and are alike."""
    short = [
        part for part in sentence_parts if len(part.stems) >= LEAST and len(part.tokens) <= _LONGEST
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
    is_gapped = (first.gapped or second.gapped) and first.piece == second.piece
    named = bool(first.names and second.names)
    if not (named or is_gapped) or (_STANDS_FOR.match(second.text) and not is_gapped):
        return ()
    size = min(len(first.tokens), len(second.tokens))
    minimum = 1 if size <= _SHORT or is_gapped else _ALIKE * size
    if len(set(first.tokens) & set(second.tokens)) < minimum:
        return ()
    differences: list[Slot] = []
    same = 0
    matcher = SequenceMatcher(None, first.tokens, second.tokens, autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        if kind == "equal":
            same += a_end - a
        elif kind == "insert":
            if not second.stems.isdisjoint(second.tokens[b:b_end]):
                return ()
        else:
            differences += _differences(first.tokens[a:a_end], second.tokens[b:b_end])
    slots = [
        Slot(first_words & first.stems, second_words & second.stems)
        for first_words, second_words in differences
    ]
    by_name = is_gapped or any(a & first.names and b & second.names for a, b in slots)
    if same < minimum or not by_name:
        return ()
    return tuple(slot for slot in slots if all(slot))


def _differences(first: Sequence[str], second: Sequence[str]) -> list[Slot]:
    """Word by word if there are as many, else all against all; stop words may be left out."""
    if len(first) != len(second):
        first, second = ([word for word in side if word not in _STOPS] for side in (first, second))
    if len(first) == len(second):
        return [Slot(frozenset({a}), frozenset({b})) for a, b in zip(first, second, strict=True)]
    return [Slot(frozenset(first) - frozenset(second), frozenset(second) - frozenset(first))]


def find_siblings(
    evidence_parts: Sequence[Part], alike: Sequence[Pair]
) -> dict[str, dict[str, frozenset[str]]]:
    """Words that tell several things of one kind apart: "B" and "C" of "Plan B" and "Plan C".

    Args:
        evidence_parts: The parts of all sentences of the contexts.
        alike: Their `pairs`.

    Returns:
        Of each such stem the others of its kind, with what stands before or behind both.
    """
    siblings: dict[str, dict[str, frozenset[str]]] = {}
    for first, second, head in itertools.chain(
        _of_one_kind(evidence_parts), _with_like_parts(evidence_parts), _in_like_places(alike)
    ):
        for word, sibling in ((first, second), (second, first)):
            siblings_of_word = siblings.setdefault(word, {})
            siblings_of_word[sibling] = siblings_of_word.get(sibling, frozenset()) | head
    return siblings


def _of_one_kind(evidence_parts: Sequence[Part]) -> Iterator[Sibling]:
    """By a label, a name or a colour at the same noun."""
    kinds: dict[str, dict[str, bool]] = {}
    for part in evidence_parts:
        for noun, label in part.labels:
            kinds.setdefault(noun, {})[label] = True
        for word, noun in part.modified:
            kinds.setdefault(noun, {})[words.stem(word.lower())] = word[:1].isupper()
    for noun, kin in kinds.items():
        for first, second in itertools.combinations(kin, 2):
            if (kin[first] and kin[second]) or one_of_a_kind(first, second):
                yield first, second, frozenset({noun})


def _with_like_parts(evidence_parts: Sequence[Part]) -> Iterator[Sibling]:
    """Names of which near each other much the same is said."""
    parts_with_name = [part for part in evidence_parts if part.name]
    for i, first in enumerate(parts_with_name):
        for second in parts_with_name[i + 1 : i + _NEIGHBOURS]:
            like = first.context == second.context and len(first.stems & second.stems) >= LEAST
            if like and first.name != second.name:
                yield first.name, second.name, frozenset()


def _in_like_places(like_pairs: Sequence[Pair]) -> Iterator[Sibling]:
    """Words, no numbers, by which two parts that are alike differ."""
    for slot in itertools.chain.from_iterable(pair.slots for pair in like_pairs):
        if len(slot.first) == len(slot.second) == 1:
            (first,), (second,) = slot
            if not (first[:1].isdigit() or second[:1].isdigit()):
                yield first, second, frozenset()


def find_swap(
    statement: str,
    evidence_parts: Sequence[Part],
    alike: Sequence[Pair],
    siblings: Mapping[str, Mapping[str, frozenset[str]]],
) -> Swap | None:
    """What a statement mixes up; None if nothing.

    Args:
        statement: The statement.
        evidence_parts: The parts of all sentences of the contexts.
        alike: Their `pairs`.
        siblings: Their `siblings`.
    """
    if "respectively" in statement:
        return None
    for part in parts(statement):
        if "than" in part.tokens or any(part.stems <= other.stems for other in evidence_parts):
            continue
        mixed = [pair for pair in alike if _mixes(part, pair)]
        if mixed:
            # A sentence that holds both holds every word, and says it no more than they do.
            mixing = {first.piece for first, second, _ in mixed if first.piece == second.piece}
            stems_by_piece = _stems_by_piece(evidence_parts).items()
            if {piece for piece, stems in stems_by_piece if part.stems <= stems} <= mixing:
                first, second, _ = mixed[0]
                return Swap(first, second)
        swap = _of_another(part, evidence_parts, siblings) or _seeming(part, evidence_parts, alike)
        if swap:
            return swap
    return None


def _mixes(part: Part, pair: Pair) -> bool:
    """Whether a statement takes after the first in one place and after the second in another."""
    further = part.stems - pair.first.stems - pair.second.stems
    like = {(slot.first <= part.stems, slot.second <= part.stems) for slot in pair.slots}
    if pair.first.piece == pair.second.piece:  # what else they say may be left out
        like.discard((False, False))
        if (pair.first.gapped or pair.second.gapped) and further.isdisjoint(part.names):
            further = frozenset(sorted(further)[UNKNOWN:])
    return not further and like == {(True, False), (False, True)}


def _seeming(part: Part, evidence_parts: Sequence[Part], alike: Sequence[Pair]) -> Swap | None:
    """Two parts of one sentence that a part seems to mix up, in words of its own."""
    if is_negated(part.text) or not _SHARING.isdisjoint(part.tokens):
        return None
    for pair in alike:
        first, second, _ = pair
        beside = first.piece == second.piece and part.stems & first.stems & second.stems
        taken = _taken_from_both(part.stems, pair) if beside else frozenset()
        if taken:
            stems_by_piece = _stems_by_piece(evidence_parts)
            further = part.stems.difference(*stems_by_piece.values())
            said = [other.stems for other in evidence_parts]
            said += [stems for piece, stems in stems_by_piece.items() if piece != first.piece]
            if len(further) <= min(FURTHER, len(part.stems) // 2) and _nowhere(taken, said):
                return Swap(first, second, sure=False)
    return None


def _nowhere(stems: frozenset[str], sets: Sequence[frozenset[str]]) -> bool:
    return not any(stems <= other_stems for other_stems in sets)


def _taken_from_both(stems: frozenset[str], pair: Pair) -> frozenset[str]:
    """What a statement has of the first part in some places and of the second in others."""
    of_first: set[str] = set()
    of_second: set[str] = set()
    for slot in pair.slots:
        first, second = _comparable(slot, pair)
        if not (first and second):
            continue
        taken = first & stems, second & stems
        if all(taken) or not (
            taken[0] in {frozenset(), first} and taken[1] in {frozenset(), second}
        ):
            return frozenset()
        of_first |= taken[0]
        of_second |= taken[1]
    return frozenset(of_first | of_second) if of_first and of_second else frozenset()


def _comparable(slot: Slot, pair: Pair) -> tuple[frozenset[str], frozenset[str]]:
    """The figures of both sides, or else as many other words of each: "small" and "large ones"."""
    sides = slot.first - slot.second, slot.second - slot.first
    figures = tuple(frozenset(stem for stem in side if stem[:1].isdigit()) for side in sides)
    if all(figures):
        return figures[0], figures[1]
    count = min(len(side - figure) for side, figure in zip(sides, figures, strict=True))
    first, second = (
        frozenset([stem for stem in dict.fromkeys(part.tokens) if stem in side - figure][:count])
        for part, side, figure in zip((pair.first, pair.second), sides, figures, strict=True)
    )
    return first, second


def _of_another(
    part: Part,
    evidence_parts: Sequence[Part],
    siblings: Mapping[str, Mapping[str, frozenset[str]]],
) -> Swap | None:
    """Whether what a part says of one thing is said of another of its kind alone."""
    names_with_siblings = part.stems & siblings.keys()
    if not names_with_siblings or not _SHARING.isdisjoint(part.tokens):
        return None
    stems_by_piece = _stems_by_piece(evidence_parts)
    known = frozenset().union(*stems_by_piece.values())
    for name in sorted(names_with_siblings):
        kin = siblings[name]
        stems_said = (part.stems & known).difference({name}, *kin.values())
        missing = part.stems - known
        if len(stems_said) < LEAST or len(missing) > UNKNOWN or part.stems & kin.keys():
            continue
        parts_about = [other for other in evidence_parts if name in other.stems]
        # Of this one, or of none in particular: "all plans can be cancelled".
        own_sets = [other.stems for other in parts_about]
        own_sets += [other.stems for other in evidence_parts if not other.stems & {name, *kin}]
        own_sets += [
            stems for stems in stems_by_piece.values() if name in stems and not stems & kin.keys()
        ]
        for other in evidence_parts:
            is_of_kin = (
                stems_said <= other.stems and name not in other.stems and other.stems & kin.keys()
            )
            if is_of_kin and not any(
                _SHARING & {*sharing.tokens} for sharing in (other, *parts_about)
            ):
                if any(_may_say(stems, stems_said, other) for stems in own_sets):
                    break
                return Swap(parts_about[0], other)
    return None


def _may_say(stems: frozenset[str], stems_said: frozenset[str], other: Part) -> bool:
    """Whether some words may say the same: most of it, with its names and numbers."""
    return 2 * len(stems_said & stems) > len(stems_said) and other.names.isdisjoint(
        stems_said - stems
    )


def _stems_by_piece(evidence_parts: Sequence[Part]) -> dict[int, frozenset[str]]:
    """The stems of each piece."""
    stems_by_piece: dict[int, frozenset[str]] = {}
    for part in evidence_parts:
        stems_by_piece[part.piece] = stems_by_piece.get(part.piece, frozenset()) | part.stems
    return stems_by_piece
