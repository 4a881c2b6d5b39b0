"""The subject and the finite verb of a clause, and the pronouns that stand for a subject.

A pronoun is only replaced where the sentence before has one plain subject that fits; what can be
read in two ways stays as it is.
"""

import re
from typing import NamedTuple

from assay._text import entities, verbs
from assay._text.expressions import expression
from assay._text.grammar import (
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    Words,
)
from assay._text.verbs import FINITE

# ruff: noqa: SIM905 - word lists read better as prose


_VERB = rf"(?-i:{FINITE}|refers|[a-z]{{3,}}es(?=\s+(?:the|an?|its|their|his|her)\b))"
_SUBJECT = expression(
    rf"(?P<subject>(?:(?:the|a|an)\s+)?[\w'’.&-]+(?:\s+(?:of\s+(?:the\s+)?)?[\w'’.&-]+){{0,4}}?)"
    rf"(?:\s+\([^)]{{1,60}}\))?(?:,[^,]{{3,80}},)?\s+{_VERB}\s",
    re.IGNORECASE,
)
_ASKED = expression(
    r"(?:who|what|where|when|how|why)?\s*(?:is|was|are|were|does|did|do|has|have|can)\s+"
    r"(?P<subject>(?:the\s+)?[A-Z][\w'’.&-]*(?:\s+(?:of\s+)?[A-Z][\w'’.&-]*){0,4})(?=\W|\s|$)",
)
_ASKED_START = expression(r"^(?:Who|What|Where|When|How|Why|Is|Was|Are|Were|Does|Did|Do)\b")
_PRONOUN = r"(?P<pronoun>It|He|She|They|Its|His|Her|Their)(?=\s+(?P<next>\w+))"
_LEADING = expression(_PRONOUN)
_LATER = expression(
    r"(?P<lead>(?P<link>However|Later|Then|Also|Today|Eventually|Additionally|Moreover|Furthermore|"
    r"Finally|Initially|Subsequently|Afterwards|Originally|Now|Instead|Thus|Therefore),?\s+"
    r"|(?:In|On|By|At|During|From|Since|Until)\s[^,.;]{1,40},\s+)"
    rf"(?i:{_PRONOUN})"
)
# A name after these is a place or a body, no other person: "grew up in Malmö".
_PLACED = expression(
    r"\b(?:in|at|from|to|near|of|through|into|around|across|for|on)\s+(?:the\s+)?$"
)
_NO_SUBJECT = frozenset(
    "it he she they this that these those there which who what i we you one some many most all "
    "both each however therefore also additionally overall in on at by for from with to during "
    "according if when while as after before since although because not no yes its his her their "
    "here nobody everyone everybody someone anyone nothing everything something".split()
)
_PLURAL_VERBS = frozenset("are were have do".split())
# "It is raining", "It is important to", "It seems that": this "it" means nothing.
_BE = (
    r"(?:(?:is|was|would be|may be|can be|could be|has been)(?:n['’]t)?|seems|appears|turns out|"
    r"depends|took)"
)
_EMPTY_IT = expression(
    rf"it\s+(?:should|may|must|can)?\s*(?:also\s+)?{_BE}\s+"
    r"(?:(?:also|not|very|more|most|quite|often|generally|un|\w+ly)\s*)?"
    r"(?:important|possible|likely|worth|clear|difficult|easy|necessary|known|said|believed|thought|"
    r"reported|estimated|recommended|common|best|better|true|that|to|raining|unclear|until|"
    r"unlikely|impossible|unknown|hard|essential|crucial|advisable|not|mentioned|noted|accepted|"
    r"helpful|useful|up)\b"
    # "It was United's fourth defeat" tells of what happened.
    r"|it\s+(?:is|was|will\s+be)\s+(?:the|an?|his|her|their|[\w.&-]+(?:['’]s|s['’]))\s+"
    r"(?:first|second|third|\w+th|last|only)\s+(?:\w+\s+)?(?:time|win|victory|defeat|loss|title|"
    r"goal|visit|attack|such)\b"
    rf"|it\s+(?:should|may|might|must|can|could)\s+(?:also\s+)?be\s+(?:\w+ly\s+)?(?:noted|mentioned|"
    r"helpful|useful|necessary|important|possible|better|best|difficult|easier|worth)\b",
    re.IGNORECASE,
)
# After a few words "it" is only taken for the subject where no "that" or "to" explains it.
_EXPLAINED_IT = expression(
    rf"it\s+{_BE}\s+(?:\w+\s+){{1,4}}(?:that|to|whether|when|if|how|who)\b", re.IGNORECASE
)


def subject_of(sentence: str) -> str:
    """The subject of a plain sentence, or who or what a question asks about; "" if unsure."""
    question = sentence.rstrip().endswith("?") or bool(_ASKED_START.match(sentence))
    if question:
        asked_about = _ASKED.search(sentence[:1].lower() + sentence[1:])
        owner = (
            asked_about is None
            or asked_about["subject"] == "I"
            or asked_about["subject"].endswith(("'s", "’s"))
        )
        return asked_about["subject"] if asked_about and not owner else ""
    plain = _SUBJECT.match(sentence)
    if plain is None:
        return ""
    subject = plain["subject"]
    words_of_subject = subject.lower().split()
    if subject.endswith("ly") and len(words_of_subject) == 1:  # "Properly designed rules"
        return ""
    return "" if any(word in _NO_SUBJECT - {"the"} for word in words_of_subject) else subject


def resolve(sentence: str, subject: str, *, alone: bool = True) -> str:
    """`sentence` with its first pronoun replaced by `subject` where that is safe.

    `alone` says that no other person was named since; otherwise "he" may mean either.
    """
    leading = _LEADING.match(sentence) or _LATER.match(sentence)
    if leading is None or not subject or _EMPTY_IT.match(sentence, leading.start("pronoun")):
        return sentence
    pronoun = leading["pronoun"].capitalize()
    person = pronoun in {"He", "She", "His", "Her"}
    lead = leading.groupdict().get("lead") or ""
    if lead and pronoun == "It":
        # "In winter, it is cold", "However, it is held that": no subject is meant.
        explained = _EXPLAINED_IT.match(sentence, leading.start("pronoun"))
        if explained or not leading.groupdict()["link"]:
            return sentence
    if (person and not alone) or not _fits_pronoun(pronoun, leading["next"], subject):
        return sentence
    article = subject.partition(" ")[0] in {"The", "A", "An"}
    first = subject[:1].lower() if lead and article else subject[:1]
    replacement = f"{first if lead else first.upper()}{subject[1:]}"
    if pronoun in {"Its", "His", "Her", "Their"}:
        replacement += "'" if replacement.endswith("s") and pronoun == "Their" else "'s"
    return f"{lead}{replacement}{sentence[leading.end('pronoun') :]}"


def is_alone(sentence: str, subject: str) -> bool:
    """Whether a sentence names no person beside its subject, as far as capitals tell."""
    subject_words = set(subject.split())
    for name in entities.names(sentence):
        if subject_words.isdisjoint(name.split()):
            beginning = sentence[: max(0, sentence.find(name))]
            if not _PLACED.search(beginning):
                return False
    return True


def _fits_pronoun(pronoun: str, following: str, subject: str) -> bool:
    words_of_subject = subject.split()
    last = words_of_subject[-1].lower()
    plural = " and " in f" {subject.lower()} " or (
        last.endswith("s") and not last.endswith(("ss", "us", "is", "'s"))
    )
    capitals = all(word[:1].isupper() for word in words_of_subject)
    if pronoun in {"They", "Their"}:
        return plural and following.lower() not in {"is", "was", "has"}
    if pronoun in {"He", "She", "His", "Her"}:
        # A person: one to three capitalised words without an article.
        return capitals and len(words_of_subject) <= 3 and words_of_subject[0].lower() != "the"
    return not plural and following.lower() not in _PLURAL_VERBS


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
_NO_NOUNS = PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS
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
    if words.is_mark(begin) or quoted or start in _NO_NOUNS:
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
    is_plural = is_many(words, begin, end)
    kind = words.finite(verb, begin) or words.verb_of(verb, plural=is_plural)
    plural = is_plural
    if kind in {"present", "base"} or words.text(verb) in _SINGULAR | _PLURAL:
        plural = kind == "base" or words.text(verb) in _PLURAL
    text = "" if words.text(begin) in _NO_SUBJECTS else words.slice(begin, end)
    is_past = kind in {"past", "both"} or words.text(verb) in {"was", "were", "had", "did"}
    return with_verb(words, Subject(text, kind, plural, is_past, verb, verb), verb)


def with_verb(words: Words, subject: Subject, verb: int) -> Subject:
    """The subject with the verb at a place as its last one."""
    kind = words.auxiliary(verb) or words.finite(verb) or subject.kind
    plain = subject._replace(kind=kind, verb=verb, main=verb, auxiliary="", needs="")
    if kind not in {"be", "have", "modal"}:
        return plain
    main = verb
    while words.auxiliary(main) or words.text(main) in _AUXILIARY or words.is_adverb(main):
        main += 1
    if main == verb:  # "HAs": taken for a name
        return plain
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
    is_plural = subject.plural or " and " in subject.text
    return ("were" if is_plural else "was") if past else ("are" if is_plural else "is")


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
        is_plural = subject.plural or " and " in subject.text
        return is_plural or subject.text.lower() in {"you", "we", "they", "i"}
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
