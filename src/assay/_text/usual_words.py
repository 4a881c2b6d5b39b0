"""Words that say the same and are read as one, since the network takes them for another claim.

Which ones was measured: sentences of 590 contexts as statements beside these contexts, with one
word or phrase in place of another. "Decreased" for "fell" moves the log-odds of support by -3.4,
"exclusively" for "only" by -3.3, "more than" for "over" by -3 to -4; "clients" for "customers",
"purchased" for "bought" and most others by less than .3.
"""

import re
from collections.abc import Iterable
from typing import Final

from assay._text.expressions import expression

# ruff: noqa: SIM905 - word lists read better as prose


def _by_initial(branches: Iterable[str]) -> str:
    """One pattern of several in any case, of which those with another initial are not tried."""
    by_initial: dict[str, list[str]] = {}
    for branch in branches:
        by_initial.setdefault(f"[{branch[0]}{branch[0].upper()}]", []).append(branch[1:])
    return "|".join(f"{initial}(?i:{'|'.join(ends)})" for initial, ends in by_initial.items())


# Before a number.
_LIMITS = {
    "over": "above|more than|greater than|higher than|exceeding|in excess of|upwards of|older than",
    "under": "below|less than|fewer than|lower than|younger than",
    "at least": "a minimum of|minimum of|m(?<![Tt]he m)inimum|min\\.|no less than|not less than|"
    "no fewer than|not fewer than",
    "up to": "a maximum of|maximum of|m(?<![Tt]he m)aximum|max\\.|max|at most|no more than|"
    "not more than|not exceeding|no longer than|capped at|limited to|as many as|as much as",
    "about": "approximately|around|roughly|approx\\.|circa",
}
LIMIT: Final = _by_initial([*_LIMITS, *"|".join(_LIMITS.values()).split("|")])
# Anywhere.
_PHRASES = {
    "few": ("not (?:very |all that )?many(?! of)",),
    "only": ("exclusively", "solely"),
    "each": ("every(?! (?:other|so often|now and then)| one of)",),
    "always": ("at all times",),
    "never": ("at no time",),
    "to": ("in order to",),
    "so that": ("in order that",),
    "most": (
        r"the (?:vast )?majority(?: of(?! (?:those|these|them|us|its|their|our|your)\b)(?: the)?)?",
    ),
    "before": ("prior to",),
    "if": ("in case(?! of)",),
    "and": ("as well as",),
    "must": ("ha(?<!not ha)(?<!n't ha)(?<!never ha)(?:s|ve) to(?! (?:do|say) with)",),
    "died": ("passed away",),
    "first": ("1st",),
    "second": ("2nd",),
    "third": ("3rd",),
}
# Of what became more or less: "fell to 5", but "they dropped the plan"; "fallen" behind "has".
_CHANGES = {
    "fell": ("decreased", "dropped", "declined"),
    "falls": ("decreases", "drops", "declines"),
    "rose": ("increased", "climbed"),
    "rises": ("increases", "climbs"),
}
_PERFECT = expression(
    rf"(?P<had>ha(?:s|ve|d)) (?P<verb>{'|'.join([*_CHANGES['fell'], *_CHANGES['rose']])})",
    re.IGNORECASE,
)
_PARTICIPLES = {"fell": "fallen", "rose": "risen"}
_CHANGED = (
    r"(?=[.,;:]|$|\s(?:by|to|from|in|over|during|since|after|between|slightly|sharply|steadily|"
    r"significantly|further|again|only|about|[$€£]?\d))"
)
PHRASE: Final = _by_initial(
    [
        *(phrase for phrases in _PHRASES.values() for phrase in phrases),
        *(f"{change}{_CHANGED}" for changes in _CHANGES.values() for change in changes),
        f"ha(?:s|ve|d) (?:{'|'.join([*_CHANGES['fell'], *_CHANGES['rose']])}){_CHANGED}",
    ]
)
# One of these is in every text that has something of it.
_TELLING = frozenset(
    "over above more greater higher exceeding excess upwards older under below less fewer lower "
    "younger shorter least minimum min up most maximum max longer capped limited many much about "
    "approximately around roughly approx circa later between half quarter exclusively solely "
    "every times time order majority prior case well has have had passed st nd rd decreased "
    "dropped declined decreases drops declines increased climbed increases climbs".split()
)
_LETTERS = expression(r"[a-z]+")
_USUAL = tuple(
    (usual, expression(words, re.IGNORECASE))
    for usual, words in [
        *_LIMITS.items(),
        *((usual, "|".join(phrases)) for usual, phrases in [*_PHRASES.items(), *_CHANGES.items()]),
    ]
)


def usual_words(words: str) -> str:
    """What a match of `LIMIT` or `PHRASE` is read as: "over" for "more than"."""
    plain = " ".join(words.split())
    if perfect := _PERFECT.fullmatch(plain):
        return f"{perfect['had']} {_PARTICIPLES[usual_words(perfect['verb'].lower())]}"
    usual = next((usual for usual, like in _USUAL if like.match(plain)), plain.lower())
    return usual.capitalize() if words[0].isupper() else usual


def has_unusual_words(text: str) -> bool:
    """Whether a text may have some, which is told sooner than where they stand."""
    return not _TELLING.isdisjoint(_LETTERS.findall(text.lower()))
