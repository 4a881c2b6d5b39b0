"""The subject and the finite verb of a clause, and which further verbs go on with them."""

from typing import NamedTuple

from assay._text import verbs
from assay._text.grammar import (
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    Words,
)

# ruff: noqa: SIM905 - word lists read better as prose


class Subject(NamedTuple):
    """What a clause is about, and what its last finite verb lets another share."""

    text: str  # "" where it cannot be repeated: "there", "nobody"
    kind: str  # of the verb, as `Words.finite` names it; "order" for "close the lid"
    plural: bool
    past: bool
    verb: int  # where the verb stands
    main: int  # where its full verb stands: in "may not use" that of "use"
    auxiliary: str = ""  # "may", "was"; what a second verb may share
    needs: str = ""  # the form such a verb has


_NO_SUBJECTS = frozenset(
    "there here that these those which who what not no nobody none neither either both nothing few "
    "how why when where if as than because please".split()
)
_BEFORE_ARTICLE = PREPOSITIONS | CONJUNCTIONS | {"all", "both", "half", "the"}
_SINGULAR = frozenset("is has was does".split())
_PLURAL = frozenset("are have were do".split())
# May begin a subject, though they are adverbs too: "most people".
_QUANTITIES = frozenset("most more less about almost nearly only first".split())
_LONGEST = 16  # words of a subject
_NEAR = 6  # words


def find_subject(words: Words, begin: int) -> Subject | None:
    """The subject that begins at a place with its verb; None if no plain one does."""
    verb = noun_phrase_end(words, begin)
    if verb <= begin or not words.finite(verb, begin):
        return None
    return subject_with_verb(words, begin, verb, verb)


def noun_phrase_end(words: Words, begin: int) -> int:
    """Where the finite verb after a noun phrase stands, or the comma that ends it; -1 for none."""
    start = words.text(begin)
    quoted = begin < len(words) and words.tokens[begin].sort == "opaque"
    quoted = quoted or (words.is_adverb(begin) and start not in _QUANTITIES)
    if words.is_mark(begin) or quoted or start in PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS:
        return -1
    for k in range(begin + 1, min(len(words), begin + _LONGEST)):
        if words.is_mark(k):
            return k if words.text(k) == "," else -1
        if _breaks(words, k):
            return -1
        if words.finite(k, begin):
            return k
    return -1


def _breaks(words: Words, k: int) -> bool:
    """Whether no noun phrase can go on with the word at a place."""
    word = words.text(k)
    if word in SUBORDINATORS or (word in PRONOUNS and word != "there"):
        return True
    if word in DETERMINERS:
        return words.text(k - 1) not in _BEFORE_ARTICLE
    return word in CONJUNCTIONS and bool(words.finite(words.after_adverbs(k + 1)))


def subject_with_verb(words: Words, begin: int, end: int, verb: int) -> Subject:
    """The noun phrase between two places as the subject of the verb at a third."""
    while end - 1 > begin and words.is_adverb(end - 1):
        end -= 1
    many = is_many(words, begin, end)
    kind = words.finite(verb, begin) or words.verb_of(verb, plural=many)
    plural = many
    if kind in {"present", "base"} or words.text(verb) in _SINGULAR | _PLURAL:
        plural = kind == "base" or words.text(verb) in _PLURAL
    text = "" if words.text(begin) in _NO_SUBJECTS else words.slice(begin, end)
    past = kind in {"past", "both"} or words.text(verb) in {"was", "were", "had", "did"}
    return with_verb(words, Subject(text, kind, plural, past, verb, verb), verb)


def with_verb(words: Words, subject: Subject, verb: int) -> Subject:
    """The subject with the verb at a place as its last one."""
    kind = words.auxiliary(verb) or words.finite(verb) or subject.kind
    plain = subject._replace(kind=kind, verb=verb, main=verb, auxiliary="", needs="")
    if kind not in {"be", "have", "modal"}:
        return plain
    main = verb
    while words.auxiliary(main) or words.text(main) in _AUXILIARY or words.is_adverb(main):
        main += 1
    group = range(verb, main)
    if any(words.text(k) == "not" or words.text(k).endswith(("n't", "n’t")) for k in group):
        return plain._replace(main=main)
    last = max(k for k in group if not words.is_adverb(k) or k == verb)
    ends = "be" if words.text(last) in {"be", "been"} else words.auxiliary(last)
    needs = "base" if ends == "modal" else "participle"
    if ends == "be" and "ing" in words.forms(main):
        needs = "ing"
    auxiliary = words.slice(verb, last + 1)
    if (ends != "be" and needs not in words.forms(main)) or auxiliary[0] in "'’":
        return plain._replace(main=main)
    return plain._replace(main=main, auxiliary=auxiliary, needs=needs)


_AUXILIARY = frozenset({"be", "been", "not"})


def is_many(words: Words, begin: int, end: int) -> bool:
    """Whether a noun phrase is of many: "Heat pumps", "Roos and Quint"; no "Quill & Sons"."""
    if any(words.text(k) == "and" for k in range(begin, end)):
        return True
    head = next((k for k in range(begin + 1, end) if words.text(k) in PREPOSITIONS), end) - 1
    return words.is_plural(head) and not words.is_name(head)


def be(subject: Subject, *, past: bool) -> str:
    """The form of "be" that goes with a subject."""
    many = subject.plural or " and " in subject.text
    return ("were" if many else "was") if past else ("are" if many else "is")


def inflect(base: str, subject: Subject) -> str:
    """A verb in the tense and number of the clause; "" where that is not known."""
    if subject.past:
        return verbs.past(base)
    if subject.kind in {"present", "base", "be", "have"}:
        return base if subject.plural else verbs.third_person(base)
    return ""


def goes_with(words: Words, verb: int, subject: Subject) -> bool:
    """Whether the finite verb at a place can be a further predicate of the subject."""
    kind, first, word = words.finite(verb), subject.kind, words.text(verb)
    if word in _PLURAL:
        many = subject.plural or " and " in subject.text
        return many or subject.text.lower() in {"you", "we", "they", "i"}
    if kind in {"be", "have", "modal"}:
        return not (word in _SINGULAR and subject.plural)
    if kind == "present":
        return first in {"present", "be", "have", "modal"} and not subject.plural
    if kind == "base":
        return first == "base" or (subject.plural and first in {"be", "have"})
    if kind == "past":
        return first not in {"present", "base"}
    return kind == "both" and first in {"past", "both"}


def shares_auxiliary(words: Words, joint: int, verb: int, subject: Subject) -> bool:
    """Whether a verb goes on with the auxiliary of the subject.

    "was born in Lima and raised in Cusco", but not "was designed and built by".
    """
    passive = subject.needs == "base" and words.text(verb) == "be"
    if not subject.needs or not (passive or subject.needs in words.forms(verb)):
        return False
    if words.text(subject.main) == "help":  # "can help prevent pain and reduce fever"
        return False
    between = range(joint - _NEAR, joint)
    if joint - 1 <= subject.main or any(words.text(k) == "to" for k in between):
        return False
    if subject.needs == "base":
        pure = not verbs.is_also_noun(words.text(verb)) and not words.is_mark(verb + 1)
        full = pure and words.text(verb + 1) not in CONJUNCTIONS
        return passive or full or words.opens_object(verb + 1)
    if subject.needs == "ing":
        return words.follows_verb(verb + 1)
    active = subject.kind == "have" and words.opens_object(verb + 1)
    return active or words.text(verb + 1) in PREPOSITIONS


def is_order(words: Words, begin: int) -> bool:
    """Whether a clause without a subject begins: "close the lid", "do not open it"."""
    first = words.text(begin)
    if first in {"don't", "don’t"} or (first == "do" and words.text(begin + 1) == "not"):
        return True
    return "base" in verbs.forms(first) and has_complement(words, begin, begin)


def has_complement(words: Words, verb: int, since: int) -> bool:
    """Whether a verb of an order has an object or adverbial, and is no noun of a list.

    "Melt the butter and oil in a pan": two nouns, unless an adverbial ended the first order.
    """
    if words.is_mark(verb + 1) or words.text(verb + 1) in CONJUNCTIONS:
        return False
    if not verbs.is_also_noun(words.text(verb)) or words.opens_object(verb + 1):
        return True
    ended = any(words.text(k) in PREPOSITIONS | {","} for k in range(since, verb))
    return words.text(verb + 1) in PREPOSITIONS and (ended or since == verb)
