"""What stands before the subject of a sentence: "In 1904,", "Height:", "Sold in 1801,"."""

from typing import NamedTuple

from assay._text.asides import is_participle, told_ahead
from assay._text.grammar import (
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    Words,
)
from assay._text.predicates import Subject, be, find_subject, is_order

# ruff: noqa: SIM905 - word lists read better as prose


class Cut(NamedTuple):
    """Where one part of a sentence stops and the next begins."""

    stop: int  # the part before ends here
    start: int  # the next one begins here in the sentence ...
    text: int  # ... and its own words here, behind what is put before them
    before: str = ""  # the subject, if the part has none of its own
    after: str = ""  # the object, if the part has none of its own
    link: str = ""  # "listed": of a list that an "and" has yet to close; "closing": that "and"


class Lead(NamedTuple):
    """Where the subject begins, and what was read before it."""

    begin: int
    repeated: str = ""  # "In winter,": holds for further predicates too
    cuts: tuple[Cut, ...] = (Cut(0, 0, 0),)


LEADS = PREPOSITIONS - {"than", "to"} | frozenset(
    "as according based compared unlike due thanks contrary regarding besides".split()
)
# Begin a clause as well as a phrase.
CLAUSAL = frozenset("after before since until as like".split())
_TODAY = frozenset("today now then later here".split())
_LONGEST = 14  # words before the comma
_LONGEST_LABEL = 6


def read_lead(words: Words) -> Lead | None:
    """What stands before the subject; None where that is not sure."""
    label = _label(words)
    if label:
        return Lead(label)
    first = words.text(0)
    if first in {"although", "though"}:
        return _concession(words)
    comma = _comma(words, 0)
    short = _short(words)
    if short.begin and (comma < 0 or short.begin < comma):
        return short
    if comma >= 0:
        return _before_comma(words, comma)
    return None if first in CLAUSAL else Lead(0)


def _before_comma(words: Words, comma: int) -> Lead | None:
    """What stands before the first comma, if it is no subject."""
    first = words.text(0)
    if words.is_adverb(0) and comma == 1:
        return Lead(comma + 1)
    if first in CLAUSAL and any(words.finite(k, 1) for k in range(2, comma)):
        return None
    if first in LEADS:
        return Lead(comma + 1, words.sentence[: words.tokens[comma].end])
    if is_participle(words, 0):
        return _participle(words, comma)
    # "Quiet in the house, it needs", "Using your hands, pull out"
    order = first.endswith("ing") and is_order(words, comma + 1)
    return Lead(comma + 1 if order or words.text(comma + 1) in PRONOUNS else 0)


def _label(words: Words) -> int:
    """Where a sentence begins behind "Height:"; 0 without a label."""
    for k in range(min(len(words) - 1, _LONGEST_LABEL)):
        if words.text(k) == ":":
            return k + 1
        if words.is_mark(k) or words.auxiliary(k):
            return 0
    return 0


def _comma(words: Words, begin: int) -> int:
    """The first comma from a place on, with no finite verb before it; -1 for none."""
    for k in range(begin, min(len(words), begin + _LONGEST)):
        if words.text(k) == ",":
            return k
        verb = k > begin and words.auxiliary(k)
        if words.is_mark(k) or verb or words.text(k) in SUBORDINATORS:
            return -1
    return -1


def _short(words: Words) -> Lead:
    """What stands there without a comma: "In 1881", "On Sunday", "Today"."""
    end = 1
    if words.text(0) in LEADS:
        while words.is_name(end) or (end < len(words) and words.tokens[end].sort == "number"):
            end += 1
        if end == 1:
            return Lead(0)
    elif words.text(0) not in _TODAY:
        return Lead(0)
    dated = words.is_number(end - 1) and words.is_plural(end)
    if words.is_mark(end) or not (dated or words.text(end) in DETERMINERS | PRONOUNS):
        return Lead(0)
    return Lead(end, words.slice(0, end) if words.text(0) in LEADS else "")


def _concession(words: Words) -> Lead | None:
    """Both parts of "Although he is weak, Tarek tries" are stated."""
    for comma in (k for k in range(2, len(words)) if words.text(k) == ","):
        main = find_subject(words, comma + 1)
        if main is None:
            continue
        if words.text(1) == "there" or words.text(comma - 1) in CONJUNCTIONS:
            return None
        text, before = 1, ""
        if find_subject(words, 1) is None:
            if "participle" not in words.forms(1):
                return None
            before = f"{main.text} {be(main, past=True)}"
        elif words.text(1) in PRONOUNS and words.text(comma + 1) not in PRONOUNS:
            text, before = 2, main.text
        return _two_parts(words, Cut(0, 0, words.tokens[text].start, before), comma)
    return None


def _participle(words: Words, comma: int) -> Lead:
    """A participle becomes a part of its own if it can."""
    if words.text(1) in {"and", "or"} or not words.follows_verb(1):
        return Lead(0)
    # "Founded in 1900 by X, Y, and Z, the firm": the first comma with a clause behind it.
    subject: Subject | None = None
    while comma >= 0:
        subject = find_subject(words, comma + 1)
        if subject is not None:
            break
        comma = _comma(words, comma + 1)
    if subject is None:
        return Lead(0)
    told = told_ahead(words, subject, comma)
    if told is None:
        return Lead(comma + 1)
    return _two_parts(words, Cut(0, 0, words.tokens[told.begin].start, told.before), comma)


def _two_parts(words: Words, first: Cut, comma: int) -> Lead:
    start = words.tokens[comma + 1].start
    return Lead(comma + 1, "", (first, Cut(words.tokens[comma].start, start, start)))
