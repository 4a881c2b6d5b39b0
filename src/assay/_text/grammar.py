"""The words of a sentence with what they can be in it: finite verb, end of a noun phrase, adverb.

No parser: the form of a word, the words beside it and a list of common verbs decide, and what they
leave open is taken for no verb.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, TypeVar

from assay._text import memoized, verbs
from assay._text.expressions import expression

# ruff: noqa: SIM905 - word lists read better as prose

DETERMINERS = frozenset(
    "the a an its their his her my our your this these those each every some any no several "
    "many most all both another such".split()
)
_ARTICLES = DETERMINERS - {"all", "both"}
POSSESSIVE = frozenset("its their his her my our your".split())
PREPOSITIONS = frozenset(
    "in on at by for from with without to of into onto over under after before during since until "
    "through between among near as about against around across along behind below above beyond "
    "despite towards toward upon within off out up down via per than like inside outside past "
    "beside besides".split()
)
PRONOUNS = frozenset("i you he she it we they there".split())
_OBJECTS = frozenset(
    "me him them us itself himself herself themselves yourself something nothing".split()
)
SUBORDINATORS = frozenset(
    "that if whether because although though unless when whenever while whereas what how why who "
    "whom whose which where wherever whereupon provided".split()
)
CONJUNCTIONS = frozenset("and but or nor yet so".split())
_ADVERBS = frozenset(
    "also then later now still soon never often always usually sometimes first therefore thus even "
    "only just already not ever again once twice finally instead however today too more "
    "longer faster slower earlier alone less most almost nearly quite very well best back together "
    "about further".split()
)
_NO_ADVERBS = frozenset(
    "family supply reply apply rely july italy assembly comply multiply fly ally belly butterfly "
    "elderly friendly likely lonely lovely monthly daily weekly yearly only early anomaly".split()
)
_AUXILIARIES = {
    word: kind
    for kind, words in (("be", verbs.BE), ("have", verbs.HAVE), ("modal", verbs.MODAL))
    for word in words.split()
}
_CONTRACTED = expression(r"(?P<verb>\w+)n['’]t$")
_THIRD = frozenset("it he she".split())
_PLURALS = frozenset("people men women children police staff others these those".split())
_TOKEN = expression(
    r"(?P<opaque>\([^()]*\)|\[[^\][]*\]|\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`)"
    r"|(?P<number>[£$€¥]?\d(?:[\d.,:/]*\d)?(?:%|\w*))"
    r"|(?P<word>[^\W\d_](?:[\w'’]|[-./&](?=\w))*)"
    r"|(?P<mark>[^\w\s*])"
)
_SHORT_VERB = expression(
    r"(?P<who>it|he|she|that|there|they|we|you|i|who|what|here)['’](?P<verb>s|re|ve|ll|d|m)",
    re.IGNORECASE,
)
_SHORT_VERBS = {"s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would", "m": "are"}


_NO_FORMS: frozenset[str] = frozenset()
_PAST = frozenset({"past"})
UNKNOWN_PRESENT = expression(r"[a-z]{3,}[a-rt-z]s")


class Token(NamedTuple):
    """A word, number, mark, or what stands in brackets or quotation marks as one."""

    text: str  # in small letters
    start: int
    end: int
    sort: str  # "word", "number", "mark", "opaque"
    capital: bool


def _tokens(sentence: str) -> Iterator[Token]:
    """The tokens of a sentence; "it's" is two, citation marks and dots of abbreviations none."""
    for match in _TOKEN.finditer(sentence):
        text, sort = match.group(), str(match.lastgroup)
        cited = sort == "opaque" and text[0] == "["
        if cited or (text == "." and match.end() < len(sentence.rstrip())):
            continue
        start, end = match.span()
        short = not text.isalnum() and _SHORT_VERB.fullmatch(text)
        if short:
            middle = start + len(short["who"])
            yield Token(short["who"].lower(), start, middle, sort, text[:1].isupper())
            yield Token(_SHORT_VERBS[short["verb"].lower()], middle, end, sort, capital=False)
            continue
        yield Token(text.lower(), start, end, sort, text[:1].isupper())


def _auxiliary(word: str) -> str:
    short = None if word.isalnum() else _CONTRACTED.match(word)
    if short:
        word = {"ca": "can", "wo": "will"}.get(short["verb"], short["verb"])
    return _AUXILIARIES.get(word, "")


Told = TypeVar("Told")


class _Places(dict[int, Told]):
    """What is told of the places of a sentence, and what of those outside it."""

    def __init__(self, told: Mapping[int, Told], outside: Told) -> None:
        super().__init__(told)
        self._outside = outside

    def __missing__(self, i: int) -> Told:
        return self._outside


class Words:
    """The tokens of one sentence, which do not change: what is told of them is told once."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        self.tokens = tuple(_tokens(sentence))
        texts = {i: token.text for i, token in enumerate(self.tokens)}
        marks = {
            i: token.sort == "mark" and token.text not in "&%°€$£#'’"
            for i, token in enumerate(self.tokens)
        }
        # They are asked half of all questions: a look-up is faster than a method.
        #: The word at a place in small letters; "" outside the sentence.
        self.text: Callable[[int], str] = _Places(texts, "").__getitem__
        #: Whether a punctuation mark stands there, or the sentence is over; "&" joins names.
        self.is_mark: Callable[[int], bool] = _Places(marks, outside=True).__getitem__
        self._finite: dict[tuple[int, int], str] = {}

    def __len__(self) -> int:
        return len(self.tokens)

    def slice(self, begin: int, end: int) -> str:
        """The sentence from the token at `begin` to the one before `end`, as it is written."""
        return self.sentence[self.tokens[begin].start : self.tokens[end - 1].end]

    def is_name(self, i: int) -> bool:
        """Whether a word within the sentence is written with a capital."""
        return 0 < i < len(self.tokens) and self.tokens[i].capital

    def is_number(self, i: int) -> bool:
        """Whether a number stands there, in figures or in letters."""
        return 0 <= i < len(self.tokens) and (
            self.tokens[i].sort == "number" or self.text(i) in _NUMERALS or self.text(i) in "£$€"
        )

    def is_adverb(self, i: int) -> bool:
        """Whether a word may stand between a subject and its verb: "also", "mostly"."""
        word = self.text(i)
        return word in _ADVERBS or (
            word.endswith("ly") and not word.endswith("fly") and word not in _NO_ADVERBS
        )

    def after_adverbs(self, i: int) -> int:
        """The place of the first word from `i` on that is no adverb."""
        while i < len(self.tokens) and self.is_adverb(i):
            i += 1
        return i

    @cached_property
    def auxiliary(self) -> Callable[[int], str]:
        """Which of "be", "have" and "modal" the word at a place is; "" for any other."""
        kinds = {
            i: kind
            for i, token in enumerate(self.tokens)
            if not self.is_name(i) and (kind := _auxiliary(token.text))
        }
        return _Places(kinds, "").__getitem__

    @cached_property
    def forms(self) -> Callable[[int], frozenset[str]]:
        """What forms of a verb the word at a place may be; none for a name."""
        forms = {
            i: verbs.forms(token.text)
            for i, token in enumerate(self.tokens)
            if token.sort == "word" and not (i and token.capital)
        }
        return _Places(forms, _NO_FORMS).__getitem__

    def is_plural(self, i: int) -> bool:
        """Whether a noun phrase that ends there is of many."""
        word = self.text(i)
        plain = word.endswith("s") and not word.endswith(("ss", "us", "is", "'s", "’s"))
        return plain or word in _PLURALS

    def opens_object(self, i: int) -> bool:
        """Whether what stands there cannot go on with a noun before it: "the", "5", "it"."""
        word = self.text(i)
        return word in DETERMINERS or word in PRONOUNS or word in _OBJECTS or self.is_number(i)

    def follows_verb(self, i: int) -> bool:
        """Whether what stands there is at home after a verb rather than after a noun."""
        word = self.text(i)
        return (
            self.opens_object(i)
            or (word in PREPOSITIONS and word != "of")
            or (self.is_adverb(i) and not self.is_mark(i))
            or self.is_name(i)
        )

    def finite(self, i: int, subject: int = -1) -> str:
        """The kind of the finite verb at a place; "" if none is surely there.

        Kinds: "be", "have", "modal", "past" (no participle), "both", "present", "base". `subject`
        is where the subject begins; -1 where the verb goes on with one named before.
        """
        kind = self._finite.get((i, subject))
        if kind is None:
            kind = self._finite[i, subject] = self._read_finite(i, subject)
        return kind

    def _read_finite(self, i: int, subject: int) -> str:
        no_subject = subject < 0
        if not (no_subject or self._may_have_subject(i, subject)):
            return ""
        kind = self.auxiliary(i)
        forms = self.forms(i)
        if kind or (forms == _PAST and self.text(i + 1) != "of"):
            return kind or "past"
        if not no_subject and i + 1 in self._before_verbs:
            return ""
        if "past" in forms and ("base" not in forms or not self._is_plural_subject(subject, i)):
            return self._past_kind(i, no_subject=no_subject)
        if not forms:
            return "present" if self._is_unknown_present(i, subject) else ""
        return self._present_kind(i, subject, forms)

    def _past_kind(self, i: int, *, no_subject: bool) -> str:
        """The same for a form that may be the participle as well."""
        if verbs.is_never_passive(self.text(i)):
            return "past"
        common_verb = self.text(i + 1) not in CONJUNCTIONS and verbs.is_known(self.text(i))
        ended = self.is_mark(i + 1)
        # "dried fruit", but hardly "won prizes"
        irregular = not (ended or self.text(i).endswith("ed") or "base" in self.forms(i))
        fits = self.follows_verb(i + 1) or (common_verb and irregular)
        fits = fits or (not no_subject and (common_verb or ended))
        return "both" if fits and self.text(i + 1) != "by" else ""

    def _present_kind(self, i: int, subject: int, forms: frozenset[str]) -> str:
        """The same for a form of the present tense."""
        if "s" in forms and self._is_third_person(i, subject):
            return "present"
        return "base" if "base" in forms and self._is_base(i, subject) else ""

    def _is_third_person(self, i: int, subject: int) -> bool:
        no_subject = subject < 0
        object_ = self.has_object(i)
        if not no_subject and self.text(subject) in _THIRD:
            return self.text(i - 1) in _THIRD or self.is_adverb(i - 1)
        # "Windows records the": a name may end in -s.
        name = subject == 0 and i == 1 and object_
        if not no_subject and not name and self._is_plural_subject(subject, i):
            return False
        if verbs.is_also_noun(self.text(i)):
            follows = self.follows_verb(i + 1) or "ing" in self.forms(i + 1)
            return object_ or (not no_subject and follows)
        return self.text(i + 1) not in CONJUNCTIONS

    def _is_base(self, i: int, subject: int) -> bool:
        no_subject = subject < 0
        if not no_subject and not self._is_plural_subject(subject, i):
            return False
        if no_subject or self.has_object(i):
            return self.has_object(i)
        pure = not verbs.is_also_noun(self.text(i)) and self.text(i + 1) not in CONJUNCTIONS
        second = i == subject + 1 and self.follows_verb(i + 1)
        return pure or second or self.is_adverb(i - 1)

    def has_object(self, i: int) -> bool:
        """Whether what follows shows that no noun stands here: "stops the", "ends in 2029"."""
        timed = self.text(i + 1) in PREPOSITIONS and self.is_number(self.after_adverbs(i + 2))
        plain = self.is_adverb(i + 1) and self.text(i + 1) not in {"more", "most", "less"}
        return self.opens_object(i + 1) or timed or plain or self.is_name(i + 1)

    def _is_unknown_present(self, i: int, subject: int) -> bool:
        """Only an object makes a verb of what no list holds."""
        word = UNKNOWN_PRESENT.fullmatch(self.text(i))
        object_ = self.text(i + 1) in _ARTICLES or self.is_number(i + 1)
        return (
            bool(word)
            and object_
            and not self.is_name(i)
            and not self._is_plural_subject(subject, i)
        )

    def verb_of(self, i: int, *, plural: bool) -> str:
        """The kind of the verb at a place where only the predicate of a known subject can stand."""
        kind = self.finite(i)
        if kind and not (kind == "base" and not plural) and not (kind == "present" and plural):
            return kind
        forms = self.forms(i)
        if self.is_mark(i + 1) and self.text(i + 1) != ",":
            forms -= {"s", "base"} if verbs.is_also_noun(self.text(i)) else set()
        if "past" in forms and self.text(i + 1) != "by":
            return "both"
        if plural:
            return "base" if "base" in forms else ""
        return "present" if "s" in forms else ""

    def _may_have_subject(self, i: int, subject: int) -> bool:
        """Whether the words from `subject` on can be one, so that a verb may follow."""
        before = i - 1
        while before > subject and self.is_adverb(before):
            before -= 1
        if before < subject:
            return False
        word = self.text(before)
        article = word in DETERMINERS and word not in {"this", "these", "those", "all", "both"}
        return not (article or word in PREPOSITIONS or word in CONJUNCTIONS)

    def _is_plural_subject(self, subject: int, verb: int) -> bool:
        if subject < 0:
            return False
        last = verb - 1
        while last > subject and self.is_adverb(last):
            last -= 1
        if self.text(subject) in {"they", "we", "you", "i"}:
            return True
        words = [token.text for token in self.tokens[subject:verb]]
        # "Proof of deliveries": the head stands before the first preposition.
        head = next((k for k in range(subject + 1, last) if self.text(k) in PREPOSITIONS), last + 1)
        return "and" in words or (self.is_plural(head - 1) and not self._is_name_alone(head - 1))

    def _is_name_alone(self, i: int) -> bool:
        return self.is_name(i) and i > 0

    @cached_property
    def _before_verbs(self) -> frozenset[int]:
        """Where a surer verb stands or follows in the same clause: one before that is none."""
        positions = []
        verb_ahead = False
        for k in range(len(self.tokens) - 1, -1, -1):
            word = self.text(k)
            if self.is_mark(k) or word in CONJUNCTIONS or word in SUBORDINATORS:
                verb_ahead = False
            elif self.text(k - 1) != "to" and (self.auxiliary(k) or self.forms(k) == _PAST):
                verb_ahead = True
            if verb_ahead:
                positions.append(k)
        return frozenset(positions)

    @cached_property
    def is_tangled(self) -> bool:
        """Whether quotation marks or brackets are open, or a quotation has a verb of its own."""
        if any(token.sort == "mark" and token.text in '()[]"“”«»' for token in self.tokens):
            return True
        quoted = (t.text for t in self.tokens if t.sort == "opaque" and t.text[0] in '"“«')
        return any(len(text.split()) > 3 for text in quoted)


@memoized(512, longest=1000)
def read_words(sentence: str) -> Words:
    """The tokens of a sentence; of one that was read lately the same ones."""
    return Words(sentence)


_NUMERALS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty "
    "hundred thousand million half".split()
)
