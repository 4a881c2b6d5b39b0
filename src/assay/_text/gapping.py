"""Coordination that leaves out what its parts share, as "Tom in 2018" behind "Anna left in 2015".

The parts are laid on each other by their prepositions, numbers and names; where that leaves
anything open, they stay as they are.
"""

from typing import NamedTuple

from assay._text import verbs
from assay._text.grammar import DETERMINERS, PREPOSITIONS, Words, read_words
from assay._text.predicates import Subject, find_subject

_LONGEST = 25  # words of a part
# Beside one of them it is open what is left out.
_UNSURE = frozenset({"than", "not", "no", "none", "never", "nor", "unlike", "like", "rest"})
_LED_IN = 6  # words before a comma at the beginning: "In the first trial,"


class _Chunk(NamedTuple):
    """Words from one preposition to the next; the first may have none."""

    preposition: str
    begin: int
    end: int


def in_full(left: str, right: str) -> tuple[str, str]:
    """Two neighbouring parts of a sentence, each with what it leaves out; else as they are.

    "Tickets cost 12 euros for adults", "8 for children" gives "Tickets cost 8 for children" for
    the second; "34 % of the women", "12 % of the men agreed" gives "34 % of the women agreed" for
    the first.
    """
    words, other_words = read_words(left.rstrip(" .;,")), read_words(right.rstrip(" .;,"))
    if not (0 < len(words) <= _LONGEST and 0 < len(other_words) <= _LONGEST):
        return left, right
    if any(token.text in _UNSURE for token in (*words.tokens, *other_words.tokens)):
        return left, right
    begin = _begin(words)
    subject, other_subject = find_subject(words, begin), find_subject(other_words, 0)
    if subject and not (other_subject or _has_verb(other_words)):
        return left, _with_frame(words, begin, subject, other_words) or right
    is_bare = not (subject or _has_verb(words))
    if other_subject and is_bare and _is_alike(words, begin, other_words, 0):
        predicate = _slice(other_words, other_subject.verb, len(other_words))
        return f"{words.sentence} {predicate}", right
    return left, right


def _has_verb(words: Words) -> bool:
    return any(words.finite(i) and verbs.is_known(words.text(i)) for i in range(len(words)))


def _begin(words: Words) -> int:
    """Behind what leads in: "In the trial,"."""
    for i in range(1, min(_LED_IN, len(words))):
        if words.text(i) == "," and words.text(0) in PREPOSITIONS:
            return i + 1
    return 0


def _slice(words: Words, begin: int, end: int) -> str:
    return words.slice(begin, end) if begin < end else ""


def _chunks(words: Words, begin: int) -> list[_Chunk]:
    """From a place on; "of" belongs to what is before it."""
    begins = [
        i
        for i in range(begin, len(words))
        if i == begin or (words.text(i) in PREPOSITIONS and words.text(i) != "of")
    ]
    ends = [*begins[1:], len(words)] if begins else []
    return [
        _Chunk(words.text(i) if words.text(i) in PREPOSITIONS else "", i, end)
        for i, end in zip(begins, ends, strict=True)
    ]


def _with_frame(words: Words, begin: int, subject: Subject, gapped: Words) -> str:
    """What leaves something out, with the words of the part before it; "" where that is open."""
    chunks = _chunks(gapped, 0)
    bare = None if chunks[0].preposition else chunks.pop(0)
    before = _chunks(words, _behind_verb(words, subject))
    before = [chunk for chunk in before if chunk.preposition]
    tail = _common_end(before, chunks)
    if chunks and not tail:
        return ""
    end = tail[0].begin if tail else len(words)
    later = _slice(gapped, chunks[0].begin, len(gapped)) if chunks else ""
    if bare is None:
        return f"{_slice(words, 0, end)} {later}"
    frame = _laid_on(words, begin, subject, end, gapped, bare)
    return f"{frame} {later}".strip() if frame else ""


def _behind_verb(words: Words, subject: Subject) -> int:
    """Where the object begins, or what stands in its place."""
    is_verb = subject.main == subject.verb or words.forms(subject.main)
    return subject.main + 1 if is_verb else subject.main


def _common_end(before: list[_Chunk], chunks: list[_Chunk]) -> list[_Chunk]:
    """The last chunks of one part whose prepositions another part begins with."""
    prepositions = [chunk.preposition for chunk in chunks]
    for size in range(min(len(before), len(chunks)), 0, -1):
        if [chunk.preposition for chunk in before[-size:]] == prepositions[:size]:
            return before[-size:]
    return []


def _laid_on(
    words: Words, begin: int, subject: Subject, end: int, gapped: Words, bare: _Chunk
) -> str:
    """The part before up to `end`, with the words that it does not share exchanged."""
    first = _behind_verb(words, subject)
    number = next((i for i in range(first, end) if words.is_number(i)), -1)
    own_number = next((i for i in range(bare.begin, bare.end) if _is_figure(gapped, i)), -1)
    text = _slice(gapped, bare.begin, bare.end)
    if own_number == bare.begin:
        return f"{_slice(words, 0, number)} {text}" if number >= 0 else ""
    verb = _slice(words, subject.verb, first)
    if own_number > 0:
        if number < 0:
            return ""
        unit_at = number
        while words.is_number(unit_at):
            unit_at += 1
        unit = _slice(words, unit_at, end) if gapped.is_number(bare.end - 1) else ""
        own_subject = _slice(gapped, bare.begin, own_number)
        figure = _slice(gapped, own_number, bare.end)
        return f"{own_subject} {_slice(words, subject.verb, number)} {figure} {unit}".strip()
    if end == len(words):
        return _of_two(words, begin, subject, gapped, bare)
    of_subject = first >= end or (
        _is_alike(words, begin, gapped, bare.begin) and not _is_alike(words, first, gapped, 0)
    )
    if of_subject:
        return f"{text} {verb} {_slice(words, first, end)}".strip()
    return f"{_slice(words, 0, first)} {text}" if number < 0 else ""


def _of_two(words: Words, begin: int, subject: Subject, gapped: Words, bare: _Chunk) -> str:
    """Both a subject and an object: "the west wing the coins"; "" for "and the dairy"."""
    first = _behind_verb(words, subject)
    second = next(
        (i for i in range(bare.begin + 1, bare.end) if gapped.text(i) in DETERMINERS), bare.end
    )
    begins = _is_alike(words, begin, gapped, bare.begin) and words.text(first) in DETERMINERS
    if not begins or second == bare.end:
        return ""
    own_subject = _slice(gapped, bare.begin, second)
    verb = _slice(words, subject.verb, first)
    return f"{own_subject} {verb} {_slice(gapped, second, bare.end)}"


def _is_figure(words: Words, i: int) -> bool:
    """Whether a number stands there, and no "one" in place of a noun."""
    return words.is_number(i) and not (words.text(i) == "one" and i and not words.is_mark(i - 1))


def _is_alike(words: Words, i: int, other_words: Words, k: int) -> bool:
    """Whether two phrases begin in one way: with a number, an article or a name."""
    return _kind(words, i) == _kind(other_words, k) != ""


def _kind(words: Words, i: int) -> str:
    if words.is_number(i):
        return "number"
    if words.text(i) in DETERMINERS:
        return "determiner"
    if words.text(i) in PREPOSITIONS or words.forms(i):
        return ""
    return "name" if i < len(words) and words.tokens[i].capital else "noun"
