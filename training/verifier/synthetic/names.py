"""Which names does a text hold, and of what kind is each?"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from assay._text import entities
from training.verifier.synthetic import lexicon
from training.verifier.synthetic.corpus import passages

_BODY = re.compile(
    r"\b(?:Inc|Corp|Company|Co|Ltd|LLC|University|College|School|Institute|Association|Council|"
    r"Committee|Department|Ministry|Agency|Bank|Party|Court|Church|Hospital|Museum|Union|League|"
    r"Club|Society|Foundation|Center|Centre|Group|Records|Airlines|Press|Times|Post|News|Team)\b"
)
_PLACE_WORD = re.compile(
    r"\b(?:City|County|River|Lake|Mountain|Island|Islands|Street|Avenue|Park|Valley|Bay|Beach|"
    r"Kingdom|Republic|States|Province|District|Airport|Square|Bridge|Coast|Sea|Ocean)$"
)
# Calendar words, and what only begins with a capital by custom.
_NOT = frozenset(
    """
        January February March April May June July August September October November
        December Monday Tuesday Wednesday Thursday Friday Saturday Sunday I The A An In
        On At It He She They We You Mr Mrs Ms Dr Sir St God Internet COVID
    """.split()  # noqa: SIM905
)


def names_in(text: str) -> list[str]:
    """The names of a text that may be exchanged for others."""
    return [
        name
        for name in _found(text)
        if len(name) > 2 and name.split()[0] not in _NOT and not re.search(r"\d|[.&]$", name)
    ]


@cache
def _found(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"['\u2019]s?$", "", name) for name in entities.names(text))


@cache
def kind_of(name: str) -> str:
    """country, nationality, person, place, body or other."""
    if name in lexicon.COUNTRIES:
        return "country"
    if name in lexicon.ADJECTIVES:
        return "nationality"
    if _BODY.search(name) or (name.isupper() and len(name) > 1):
        return "body"
    words = name.split()
    if words[0] in lexicon.FIRST_NAMES and len(words) in {2, 3}:
        return "person"
    if _PLACE_WORD.search(name) or _stands_as_place()[name] > 0:
        return "place"
    return "other1" if len(words) == 1 else "other"


@cache
def _stands_as_place() -> Counter[str]:
    """Names that stand after "in" more often than elsewhere: above zero."""
    found: Counter[str] = Counter()
    for passage in passages():
        text = passage.text
        for name in set(_found(text)):
            place = text.find(name)
            while place > 0:
                before = text[max(0, place - 12) : place].split()
                word = before[-1] if before and text[place - 1] == " " else ""
                found[name] += 2 if word in {"in", "In", "near", "at", "outside"} else -1
                place = text.find(name, place + 1)
    return found
