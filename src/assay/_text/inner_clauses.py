"""Clauses that stand within another: relative ones, participles, those behind "after" or "and".

Also short clauses whose verb only its place tells: "Voltis supplies cells".
"""

from collections.abc import Iterator
from typing import NamedTuple

from assay._text import verbs
from assay._text.entities import MONTHS
from assay._text.grammar import (
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    UNKNOWN_PRESENT,
    Words,
    read_words,
)
from assay._text.words import stem

# ruff: noqa: SIM905 - word lists read better as prose


class _Clause(NamedTuple):
    """What stands before a verb.

    Attributes:
        subject: Its subject.
        object: Its object where that stands before both: "the rate that the server has set".
        lead: When it was, where a clause begins with that.
    """

    subject: str
    object: str = ""
    lead: str = ""


class Inner(NamedTuple):
    """A clause as if it stood alone, and the place of its verb among its words."""

    text: str
    verb: int


_RELATIVES = frozenset({"that", "which", "who"})
_UNSURE = frozenset({"if", "unless", "whether", "either", "neither", "nor", "nobody"})
# Behind them a clause may begin.
_OPENING = frozenset({"before", "after", "since", "until", "as", "than", "once"})
# What they tell is taken for true: "he said that".
_TELLING = frozenset(
    map(
        stem,
        "say state show report announce confirm note find add answer explain write tell "
        "warn".split(),
    )
)
# "No evidence that he came" does not say that he came.
_THOUGHTS = frozenset(
    "evidence proof sign claim claims rumour rumor myth idea notion belief view doubt hope fear "
    "suggestion allegation misconception theory hypothesis true false".split()
)
_GOING_ON = frozenset({"it", "he", "she", "they"})
_TO = frozenset({"to", "not", "be", "been", "being"})
# Unions of such sets are made once: they are asked about every word.
_BOUNDS = SUBORDINATORS | CONJUNCTIONS | _OPENING
_GOES_ON = CONJUNCTIONS | _OPENING
_NO_SUBJECT_ENDS = PREPOSITIONS - _OPENING
_BEFORE_PARTICIPLE = _TO | CONJUNCTIONS | DETERMINERS
_BEFORE_PHRASE = CONJUNCTIONS | SUBORDINATORS | (PREPOSITIONS - {"of"}) | PRONOUNS
_LONGEST = 40  # words of a sentence ...
_LONGEST_PHRASE = 7  # ... and of a noun before a relative pronoun
_SURE, _WEAK, _UNLISTED = 3, 2, 1
_AGENT = 4  # words behind a participle in which "by" may stand


def inner_clauses(sentence: str) -> Iterator[Inner]:
    """The clauses that stand within a sentence, as far as they are surely read."""
    words = read_words(sentence)
    unsure = sentence.rstrip().endswith("?") or any(t.text in _UNSURE for t in words.tokens)
    if unsure or not 2 < len(words) <= _LONGEST:
        return
    subject = ""
    verbs = verb_places(words)
    for k in range(1, len(words)):
        if k in verbs:
            clause = _clause(words, k, subject, verbs)
            if clause:
                subject = clause.subject
                yield _inner_of(clause, words, k, _end(words, k, verbs))
        elif _is_participle(words, k):
            noun = _phrase_before(words, k, verbs)
            end = min((j for j in verbs if j > k), default=len(words))
            if noun:
                text = f"{noun} was {words.slice(k, min(end, _end(words, k, verbs)))}"
                yield Inner(text, len(read_words(noun)))


def verb_places(words: Words) -> set[int]:
    """The places of finite verbs, the surest one of each clause."""
    verbs: set[int] = set()
    best = (0, 0)
    for k in range(len(words) + 1):
        if _is_bound(words, k):
            verbs |= {best[1]} - {0}
            best = (0, 0)
        elif k and (strength := _strength(words, k)) > best[0]:
            best = (strength, k)
    return verbs


def _inner_of(clause: _Clause, words: Words, verb: int, end: int) -> Inner:
    last = min(end, _last_of_group(words, verb)) if clause.object else end
    texts = [clause.subject, words.slice(verb, last), clause.object]
    texts += [words.slice(last, end) if last < end else "", clause.lead]
    return Inner(" ".join(filter(None, texts)), len(read_words(clause.subject)))


def _last_of_group(words: Words, verb: int) -> int:
    """Where what follows a verb and its auxiliaries begins."""
    k = verb
    while words.auxiliary(k) or words.text(k) in _TO or words.is_adverb(k):
        k += 1
    return k + 1


def _index_before(words: Words, k: int) -> int:
    """The place of the last word before one, adverbs passed over."""
    k -= 1
    while k > 0 and words.is_adverb(k):
        k -= 1
    return k


def _strength(words: Words, k: int) -> int:
    """How surely a finite verb stands there."""
    before = _index_before(words, k)
    word = words.text(before)
    if before < 0 or words.auxiliary(before) or word in _TO:
        return 0
    if (words.is_mark(before) and word != ",") or word in DETERMINERS:
        return 0
    if word in _NO_SUBJECT_ENDS:
        return 0
    if words.auxiliary(k):
        return _SURE
    forms, following = words.forms(k), k + 1
    plural = words.is_plural(before)
    if not forms:
        return _UNLISTED * (not plural and _is_unlisted(words, k))
    opens = words.opens_object(following) or words.is_name(following)
    opens = opens or words.is_plural(following)
    goes_on = opens or words.follows_verb(following)
    noun = verbs.is_also_noun(words.text(k))
    strength = 0
    if word in _RELATIVES and forms - {"ing"}:
        strength = _SURE
    elif "past" in forms:
        strength = _SURE if opens or "participle" not in forms else _WEAK * goes_on
    elif "s" in forms and not (plural and not words.is_name(before)):
        plain = not (noun or words.is_mark(following))
        strength = _SURE if opens or (goes_on and not noun) else _WEAK * (goes_on or plain)
    elif "base" in forms and (plural or word in PRONOUNS or not noun):
        strength = _SURE if opens or (plural and not noun) else _WEAK * goes_on
    return strength


def _is_unlisted(words: Words, k: int) -> bool:
    """Whether a verb that no list holds may stand there."""
    goes_on = words.is_plural(k + 1) or words.follows_verb(k + 1)
    return bool(UNKNOWN_PRESENT.fullmatch(words.text(k))) and not words.is_name(k) and goes_on


def _is_participle(words: Words, k: int) -> bool:
    """Whether "written by" stands there behind a noun."""
    if "participle" not in words.forms(k):
        return False
    before = _index_before(words, k)
    is_bare = not (words.auxiliary(before) or words.text(before) in _BEFORE_PARTICIPLE)
    agent = any(words.text(j) == "by" for j in range(k + 1, min(k + 1 + _AGENT, len(words))))
    return is_bare and agent and not words.is_mark(before)


def _clause(words: Words, verb: int, former: str, verb_indices: set[int]) -> _Clause | None:
    """What stands before a verb; None if that is not sure."""
    last = _index_before(words, verb)
    word = words.text(last)
    if word in CONJUNCTIONS:
        return _Clause(former) if former else None
    if word in _RELATIVES:
        noun = _phrase_before(words, last - (words.text(last - 1) == ","), verb_indices)
        return _Clause(noun) if noun else None
    begin = last
    # "Ann and Ben", not "Ann waited and Ben"
    while begin >= 0 and not (
        _is_bound(words, begin) and not (verb == min(verb_indices) and _joins_clauses(words, begin))
    ):
        begin -= 1
    bound = words.text(begin) if begin >= 0 else ""
    first = begin + 1
    begin = behind_lead(words, first, verb)
    subject = words.slice(begin, last + 1) if begin <= last else ""
    if subject.lower() in PRONOUNS:  # "registers before it asks"
        subject = former if subject.lower() in _GOING_ON else ""
    if not subject or (bound == "that" and words.text(first - 2) in _THOUGHTS):
        return None
    lead = words.slice(first, begin) if first < begin else ""
    if bound in {"that", "which", "whom"}:
        obj = _phrase_before(words, first - 1 - (words.text(first - 2) == ","), verb_indices)
        teller = verbs.base(words.text(first - 2))
        if words.forms(first - 2) and obj.partition(" ")[0].lower() not in DETERMINERS:
            return _Clause(subject, lead=lead) if stem(teller) in _TELLING else None
        return _Clause(subject, obj, lead)
    return _Clause(subject, lead=lead)


def _is_bound(words: Words, k: int) -> bool:
    word = words.text(k)
    return words.is_mark(k) or word in _BOUNDS


def _joins_clauses(words: Words, k: int) -> bool:
    return words.text(k) in {"and", "or"}


def behind_lead(words: Words, begin: int, verb: int) -> int:
    """Where a subject begins behind "In June 2023"; at the verb where that is not clear."""
    if words.text(begin) not in PREPOSITIONS:
        return begin
    k = begin + 1
    while k < verb and (words.is_number(k) or words.text(k) in MONTHS or k == begin + 1):
        k += 1
    dated = words.is_number(k - 1) or words.text(k - 1) in MONTHS
    return k if dated else verb


def _phrase_before(words: Words, end: int, verbs: set[int]) -> str:
    """The noun phrase that ends before a place; "" for none."""
    begin = end
    while begin > max(0, end - _LONGEST_PHRASE):
        word = words.text(begin - 1)
        joined = word in _BEFORE_PHRASE
        verb = words.auxiliary(begin - 1) or begin - 1 in verbs
        if words.is_mark(begin - 1) or joined or verb:
            break
        begin -= 1
        if word in DETERMINERS:
            break
    return words.slice(begin, end) if begin < end else ""


def _end(words: Words, verb: int, verbs: set[int]) -> int:
    """Where the clause of a verb ends."""
    following = min((j for j in verbs if j > verb), default=-1)
    for k in range(verb + 1, len(words)):
        word = words.text(k)
        if words.is_mark(k) or word in SUBORDINATORS or word in {"but", "so"}:
            return k
        if k < following and word in _GOES_ON:
            return k
    return len(words)
