"""Does yes or no in the contexts settle what a statement says?

"outdoor seating: no" in a record, in a row of a table or in a list settles "It has outdoor
seating", and so does "Is there outdoor seating? No". Of statements that name hardly more than such
a key 99 % are right where they agree, and 8 % where they do not (`training/NOTES.md`).
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.backends.embedded.claim import Claim
from assay.backends.embedded.evidence import Evidence
from assay.text import facts, words

_FLAG = re.compile(r"(?P<key>[^:?]{2,80}): (?P<value>yes|no|true|false)\.?", re.IGNORECASE)
_ASKS = re.compile(r"(?:(?:q|question):\s*)?(?P<question>.+\?)", re.IGNORECASE | re.DOTALL)
# "No problem" and "No worries" mean yes.
_REPLY = re.compile(
    r"(?:(?:a|answer):\s*)?(?P<value>yes|no)(?=\s*(?:[.,;:!]|$))(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_CELLS = "; "  # between the cells of a row
_FURTHER = 2  # content words that a statement may have besides what it names
_DENIES = frozenset(
    words.stems("unavailable absent missing prohibited forbidden banned excluded disabled")
)
# Say no more than that there is something.
_NEUTRAL = _DENIES.union(
    words.stems(
        "available availability offered offers offer provided provides included includes include "
        "allowed permitted accepted accepts has have contains comes feature there present "
        "customers guests users people cafe hotel restaurant place establishment plan product"
    )
)
# With one of these a statement may agree with either: "non-smoker", "breakfast costs extra".
_UNCLEAR = frozenset(
    words.words(
        "non extra only except unless but if or free zero out off gone absence negative resolved "
        "exhausted instead rather than own from hard skip skips waive waived problem problems "
        "trouble mention mentions mentioned information say says said state states stated"
    )
)
_DENIALS = re.compile(r" (?:not|no|never|without|lack\w*|neither|nor|none|cannot|\w+n't)(?= )")


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
    words: frozenset[str]  # of the key
    holds: bool


def flag(said: Claim, evidence: Evidence) -> Flag | None:
    """What the contexts say of all that a statement names; None if nothing, or yes and no."""
    if said.start:  # a question and its answer
        return None if said.replied is None else flag(said.replied, evidence)
    if not said.wanted or len(_DENIALS.findall(said.said)) > 1:
        return None
    named = [one for one in _flags(said, evidence) if _is_named(one, said, evidence)]
    # Of several records or rows, those that the statement is about.
    most: dict[frozenset[str], int] = {}
    for one in named:
        most[one.key] = max(most.get(one.key, 0), len(one.of & said.wanted))
    named = [one for one in named if len(one.of & said.wanted) == most[one.key]]
    if len({one.holds for one in named}) != 1 or not _is_all(named, said, evidence):
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
    """Of the cells of a row, or of one value; "no deposit: yes" may mean either."""
    cells = text.split(_CELLS)
    for found in filter(None, map(_FLAG.fullmatch, cells)):
        *above, last = found["key"].split(", ")
        key = frozenset(words.stems(last))
        of = evidence.sets[place] - key if len(cells) > 1 else words.stems(" ".join(above))
        holds = found["value"].lower() in {"yes", "true"}
        if not facts.is_negated(last):
            yield _Said(place, key, frozenset(of), frozenset(words.words(last)), holds)


def _replied(place: int, question: str, evidence: Evidence) -> Iterator[_Said]:
    """Of a question that is answered with yes or no at once; "Is it not?" may mean either."""
    after = place + 1
    if after not in evidence.window(place) or facts.is_negated(question):
        return
    found = _REPLY.fullmatch(evidence.pieces[after].text)
    if found and _UNCLEAR.isdisjoint(words.words(found["rest"])):
        key, holds = words.words(question), found["value"].lower() == "yes"
        yield _Said(after, frozenset(words.stems(question)), frozenset(), frozenset(key), holds)


def _is_named(one: _Said, said: Claim, evidence: Evidence) -> bool:
    """Whether a statement names what a flag is about."""
    if not one.key or not one.key <= said.wanted:
        return False
    if one.of and not one.of & said.wanted:
        # Alone "lot" of "parking, lot" may be any lot, and a name another record's.
        return len(one.key) > 1 and not (said.wanted - one.key) & evidence.stems
    return True


def _is_all(named: Sequence[_Said], said: Claim, evidence: Evidence) -> bool:
    """Whether a statement says hardly more than what it names, and of the same thing.

    Of what there is not, there is nothing in particular either; of what there is, a statement may
    say what nobody knows.
    """
    spoken = set(said.said.split()).difference(*(one.words for one in named))
    if not spoken.isdisjoint(_UNCLEAR):
        return False
    beside = said.wanted.difference(_DENIES, *(one.key | one.of for one in named))
    further = {stem for stem in beside if not stem.endswith("n't")}
    names = further.intersection(words.stems(" ".join(said.names)))
    context = evidence.pieces[named[0].piece].context
    if len(further) > _FURTHER or not all(_stands(stem, context, evidence) for stem in names):
        return False
    if named[0].holds:
        return further <= names | _NEUTRAL
    return all(stem not in evidence.stems or _stands(stem, context, evidence) for stem in further)


def _stands(stem: str, context: int, evidence: Evidence) -> bool:
    return any(evidence.pieces[i].context == context for i in evidence.places.get(stem, ()))
