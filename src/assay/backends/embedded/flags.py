"""Does yes or no in the contexts settle what a statement says?

"outdoor seating: no" in a record, in a row of a table or in a list settles "It has outdoor
seating", and so does "Is there outdoor seating? No". Of statements that name hardly more than such
a key 99 % are right where they agree, and 8 % where they do not (`training/NOTES.md`).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from assay.backends.embedded.claim import Claim
from assay.backends.embedded.evidence import Evidence
from assay.text import facts, words

_FLAG = re.compile(r"(?P<key>[^:?]{2,80}): (?P<value>yes|no|true|false)\.?", re.IGNORECASE)
_ASKS = re.compile(r"(?:(?:q|question):\s*)?(?P<question>.+\?)", re.IGNORECASE | re.DOTALL)
_REPLY = re.compile(
    r"(?:(?:a|answer):\s*)?(?P<value>yes|no)\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
_CELLS = "; "  # between the cells of a row
_FURTHER = 2  # content words that a statement may have besides what it names
_DENIES = frozenset(
    words.stems("unavailable absent missing prohibited forbidden banned excluded disabled")
)
# With one of these a statement may agree with either: "non-smoker", "breakfast costs extra".
_UNCLEAR = re.compile(r"\b(?:non|extra|only|except|unless|but|if|or)\b")


class Flag(NamedTuple):
    """A yes or no.

    Attributes:
        piece: Index of the piece of evidence.
        agrees: Whether the statement says the same.
    """

    piece: int
    agrees: bool


class _Said(NamedTuple):
    piece: int
    key: frozenset[str]  # stems of what it is about
    of: frozenset[str]  # ... and of whom: the keys above, the other cells of a row
    holds: bool


def flag(said: Claim, evidence: Evidence) -> Flag | None:
    """What the contexts say of all that a statement names; None if nothing, or yes and no."""
    if said.start or not said.wanted or _UNCLEAR.search(said.said):
        return None
    named = [one for one in _flags(said, evidence) if _is_named(one, said, evidence)]
    # Of several records or rows, those that the statement is about.
    most: dict[frozenset[str], int] = {}
    for one in named:
        most[one.key] = max(most.get(one.key, 0), len(one.of & said.wanted))
    named = [one for one in named if len(one.of & said.wanted) == most[one.key]]
    further = said.wanted.difference(_DENIES, *(one.key | one.of for one in named))
    if len({one.holds for one in named}) != 1 or len(further) > _FURTHER:
        return None
    context = evidence.pieces[named[0].piece].context
    if not all(_is_of(stem, context, evidence) for stem in further):
        return None
    denies = said.denies is not bool(said.wanted & _DENIES)
    return Flag(named[0].piece, named[0].holds is not denies)


def _flags(said: Claim, evidence: Evidence) -> Iterator[_Said]:
    places = {int(i) for stem in said.wanted & evidence.stems for i in evidence.places[stem]}
    for i in sorted(places):
        text = evidence.pieces[i].text
        asked = _ASKS.fullmatch(text)
        yield from _replied(i, asked["question"], evidence) if asked else _told(i, text, evidence)


def _told(place: int, text: str, evidence: Evidence) -> Iterator[_Said]:
    """Of the cells of a row, or of one value."""
    cells = text.split(_CELLS)
    for found in filter(None, map(_FLAG.fullmatch, cells)):
        *above, last = found["key"].split(", ")
        key = frozenset(words.stems(last))
        of = evidence.sets[place] - key if len(cells) > 1 else words.stems(" ".join(above))
        yield _Said(place, key, frozenset(of), found["value"].lower() in {"yes", "true"})


def _replied(place: int, question: str, evidence: Evidence) -> Iterator[_Said]:
    """Of a question that is answered with yes or no at once."""
    after = place + 1
    if after not in evidence.window(place):
        return
    found = _REPLY.fullmatch(evidence.pieces[after].text)
    if found and not _UNCLEAR.search(found["rest"].lower()):
        holds = (found["value"].lower() == "yes") is not facts.is_negated(question)
        yield _Said(after, frozenset(words.stems(question)), frozenset(), holds)


def _is_named(one: _Said, said: Claim, evidence: Evidence) -> bool:
    """Whether a statement names what a flag is about."""
    if not one.key or not one.key <= said.wanted:
        return False
    if one.of and not one.of & said.wanted:
        # Alone "lot" of "parking, lot" may be any lot, and a name another record's.
        return len(one.key) > 1 and not (said.wanted - one.key) & evidence.stems
    return True


def _is_of(stem: str, context: int, evidence: Evidence) -> bool:
    """Whether a stem, if any context has it, is of this one: else another thing may be meant."""
    found = [evidence.pieces[i].context for i in evidence.places.get(stem, ())]
    return not found or context in found
