"""What stands beside a clause: appositions, participles, and what precedes its subject."""

import re
from typing import NamedTuple

from assay._text import verbs
from assay._text.expressions import expression
from assay._text.grammar import (
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    Words,
)
from assay._text.predicates import Subject, be, find_subject, inflect, is_order

# ruff: noqa: SIM905 - word lists read better as prose

RELATIVES = frozenset({"which", "who", "whose"})
# Verbs whose -ing form tells of the whole event or of how, and words that are no verbs any more.
_NO_ACTION = frozenset(
    "including according regarding depending concerning following considering excluding resulting "
    "leading causing making allowing enabling helping ensuring giving meaning using providing "
    "creating being having saying adding noting stating citing claiming suggesting indicating "
    "showing starting beginning ranging assuming speaking referring basing prompting forcing "
    "leaving bringing pending during ending calling".split()
)
# What still holds when the rest is in the present: "Costing 5, it is dear".
_LASTING = frozenset(
    "weigh cost measure contain feature span cover stand stretch date hold lie belong consist "
    "comprise house".split()
)
_LASTING_FORMS = _LASTING | {verbs.third_person(base) for base in _LASTING}
_SETTLED = frozenset(
    "located situated built founded written born designed opened established published launched "
    "created discovered named made invented introduced completed approved composed".split()
)
_NO_PARTICIPLES = frozenset("based given compared provided related united used".split())
_ADJECTIVES = frozenset("last left set open live".split())  # that are verbs too
_YEAR = expression(r"\b\d{4}\b")
_LONGEST = 9  # words of a noun phrase


class Aside(NamedTuple):
    """A part made of words that have no subject of their own."""

    before: str  # what is put before its words
    begin: int  # where they begin
    after: str = ""  # what is put behind them


def aside_of_subject(words: Words, subject: Subject, begin: int, end: int) -> Aside | None:
    """What the words between two commas behind a subject say of it; None if nothing sure."""
    first = words.text(begin)
    if first in RELATIVES:
        return relative_clause(words, subject.text, begin, end)
    if first in SUBORDINATORS:
        return None
    is_ = be(subject, past=subject.past)
    noun = begin + 1 if first == "also" else begin
    article = words.text(noun) in DETERMINERS - {"all", "both", "each", "some"}
    if article:
        return Aside(f"{subject.text} {is_}", begin)
    if "participle" in words.forms(begin) and first not in _NO_PARTICIPLES:
        settled = subject.past or first in _SETTLED or words.text(begin + 1) == "by"
        return Aside(f"{subject.text} {_passive(subject, first) if settled else is_}", begin)
    if first.endswith("ing"):
        form = "" if first in _NO_ACTION else inflect(verbs.base_of_ing(first), subject)
        return Aside(f"{subject.text} {form}", begin + 1) if form else None
    plain = words.tokens[begin].sort == "word" and not words.is_name(begin)
    function_word = first in PREPOSITIONS | CONJUNCTIONS or words.is_adverb(begin)
    # "free for children", "captain of Lund"
    goes_on = words.text(begin + 1) in PREPOSITIONS or first == "worth"
    return (
        Aside(f"{subject.text} {is_}", begin) if plain and not function_word and goes_on else None
    )


def participle_ahead(words: Words, subject: Subject, comma: int) -> Aside | None:
    """What a participle before the subject says of it: "Sold in 1801, the clock ..."."""
    first = words.text(0)
    base = verbs.base_of_ing(first)
    if base:
        form = inflect(base, subject) if subject.past or base in _LASTING else ""
        return Aside(f"{subject.text} {form}", 1) if form else None
    dated = _YEAR.search(words.slice(0, comma))
    if not (subject.past or first in _SETTLED or dated):  # "Heated, water boils"
        return None
    return Aside(f"{subject.text} {_passive(subject, first)} {first}", 1)


def is_participle(words: Words, i: int) -> bool:
    """Whether a participle that tells of a subject stands there."""
    word = words.text(i)
    is_listed = "participle" in verbs.forms(word) and word not in _NO_PARTICIPLES
    return is_listed or (bool(verbs.base_of_ing(word)) and word not in _NO_ACTION)


def participle_behind(words: Words, subject: Subject, begin: int) -> Aside | None:
    """What the subject did besides: "..., finishing it early"; only at the end of a sentence."""
    word = words.text(begin)
    base = "" if word in _NO_ACTION else verbs.base_of_ing(word)
    remaining_words = {words.text(k) for k in range(begin + 1, len(words))}
    if not base or not subject.text or not words.follows_verb(begin + 1):
        return None
    form = "" if remaining_words & {",", "and", "but"} else inflect(base, subject)
    return Aside(f"{subject.text} {form}", begin + 1) if form else None


def relative_clause(words: Words, noun: str, begin: int, end: int) -> Aside | None:
    """What a relative clause says of a noun."""
    relative = words.text(begin)
    if relative == "whose":
        return Aside(f"{noun}'s", begin + 1)
    verb = words.after_adverbs(begin + 1)
    if words.auxiliary(verb) or words.forms(verb) - {"ing"} or words.finite(verb):
        return Aside(noun, begin + 1)
    # "which the office has approved": the noun is the object.
    if relative == "who" or not noun or find_subject(words, begin + 1) is None:
        return None
    small = noun if words.is_name(0) else f"{noun[:1].lower()}{noun[1:]}"
    ended = words.forms(end - 1) & {"participle", "past"}
    return Aside("", begin + 1, f" {small}") if ended else None


def noun_of_relative(words: Words, comma: int) -> str:
    """The noun phrase that the relative clause behind a comma is about; "" where unsure."""
    begin = _noun_phrase_before(words, comma)
    verb = words.after_adverbs(comma + 2)
    if begin < 0 or words.is_number(begin - 1):  # "15 a month, which is"
        return ""
    if words.text(comma + 1) == "which" and not _is_of_thing(words, verb):
        return ""
    is_plural = is_plural_phrase(words, begin, comma)
    fits = words.text(verb) not in ({"is", "was", "has"} if is_plural else {"are", "were", "have"})
    return re.sub(r"^an?\s", "the ", words.slice(begin, comma)) if fits else ""


def is_plural_phrase(words: Words, begin: int, end: int) -> bool:
    """Whether a noun phrase is of many; its head stands before the first preposition."""
    head = next((k for k in range(begin, end) if words.text(k) in PREPOSITIONS), end) - 1
    return words.is_plural(head) and not words.is_name(head)


def _passive(subject: Subject, participle: str) -> str:
    return be(subject, past=participle not in {"located", "situated"} or subject.past)


def _is_of_thing(words: Words, verb: int) -> bool:
    """Whether a relative clause is of a thing, and not of all that was said: "which annoyed"."""
    kind = words.auxiliary(verb)
    if kind == "be":
        follows = words.after_adverbs(verb + 1)
        word = words.text(follows)
        settled = words.forms(follows) & {"participle", "ing"}
        return bool(settled) or word in PREPOSITIONS | DETERMINERS
    if kind:
        return kind == "have"
    if not words.forms(verb):
        return find_subject(words, verb) is not None
    is_past = "past" in words.forms(verb) and not words.opens_object(verb + 1)
    return words.text(verb) in _LASTING_FORMS or is_past


def _noun_phrase_before(words: Words, comma: int) -> int:
    """Where the noun phrase before a comma begins; -1 where that is not plain."""
    for k in range(comma - 1, max(0, comma - _LONGEST), -1):
        word = words.text(k)
        if words.is_mark(k) or word in CONJUNCTIONS or word in PRONOUNS:
            return -1
        if word in DETERMINERS and words.text(k - 1) != "of":
            return k
        full = words.forms(k) and not verbs.is_also_noun(word) and word not in _ADJECTIVES
        if (word in PREPOSITIONS and word != "of") or words.auxiliary(k) or full:
            sure = words.is_name(k + 1) or words.is_plural(comma - 1) or words.is_number(k + 1)
            return k + 1 if sure and k + 1 < comma else -1
    return -1


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
_LONGEST_LEAD = 14  # words before the comma
_LONGEST_LABEL = 6


def read_lead(words: Words) -> Lead | None:
    """What stands before the subject; None where that is not sure."""
    label = _label(words)
    if label:
        return Lead(label)
    first = words.text(0)
    if first in {"although", "though"}:
        return _concessive_lead(words)
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
    for k in range(begin, min(len(words), begin + _LONGEST_LEAD)):
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


def _concessive_lead(words: Words) -> Lead | None:
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
        return _main_or_relative(words, Cut(0, 0, words.tokens[text].start, before), comma)
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
    aside = participle_ahead(words, subject, comma)
    if aside is None:
        return Lead(comma + 1)
    return _main_or_relative(words, Cut(0, 0, words.tokens[aside.begin].start, aside.before), comma)


def _main_or_relative(words: Words, first: Cut, comma: int) -> Lead:
    start = words.tokens[comma + 1].start
    return Lead(comma + 1, "", (first, Cut(words.tokens[comma].start, start, start)))
