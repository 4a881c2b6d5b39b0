"""Taking a sentence apart into clauses and predicates that each can stand alone.

"The lock, opened in 1927, is deep and has two gates" says three things of the lock. Every part gets
the subject it lacks. Where it is not sure what belongs together, the sentence stays whole.
"""

import re
from typing import NamedTuple

from assay._text import memoized, verbs
from assay._text.asides import (
    CLAUSAL,
    LEADS,
    RELATIVES,
    Aside,
    Cut,
    aside_of_subject,
    noun_of_relative,
    participle_behind,
    read_lead,
    relative_clause,
)
from assay._text.expressions import expression
from assay._text.grammar import (
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    Words,
    read_words,
)
from assay._text.predicates import (
    Subject,
    find_subject,
    goes_with,
    has_complement,
    is_many,
    is_order,
    noun_phrase_end,
    shares_auxiliary,
    subject_with_verb,
    with_verb,
)
from assay._text.refusals import is_plain_refusal

# ruff: noqa: SIM905 - word lists read better as prose


class Part(NamedTuple):
    """What a sentence says in one place; sentence[start:end] is where."""

    text: str
    start: int
    end: int


class _Place(NamedTuple):
    """Where reading goes on, and what further predicates may be about."""

    i: int
    main: Subject
    aside: Subject | None = None  # what a relative clause is about


_DEPENDENT = frozenset(
    "if when whenever because while unless given whether not either neither both once even "
    "only".split()
)
_CONDITIONS = frozenset("if unless provided".split())
_LINKS = frozenset("and but while whereas so yet whereupon".split())
# What depends on them, or is told by somebody, is not taken apart.
_REPORTED = frozenset("if whether because that who which where what why".split())
_ATTRIBUTED = expression(
    r",\s(?!(?:and|but|so|while|which|who|as)\b)[^,]*\b(?:said|says|reports?|reported|"
    r"according to|added|wrote|told|claims?|claimed|notes|noted|announced)\b[^,]*$",
    re.IGNORECASE,
)
_OWN_TIME = expression(r"\b(?:later|then|eventually|finally|subsequently|now|\d{4})\b")
_NOBODY = Subject("", "", plural=False, past=False, verb=-1, main=-1)
_LONGEST = 150  # words; what is longer is no sentence
_LONGEST_ASIDE = 14  # words between two commas


def parts(sentence: str) -> list[Part]:
    """The parts of a sentence in order; the sentence itself where it is one or unsure."""
    return list(_clause_parts(sentence))


@memoized(512, longest=1000)
def _clause_parts(sentence: str) -> tuple[Part, ...]:
    # An answer is cut into statements, and each of these is read again by the judge's rules.
    undivided = (Part(sentence, 0, len(sentence)),)
    words = read_words(sentence)
    if not 2 < len(words) < _LONGEST or words.text(0) in _DEPENDENT or sentence[0] in "\"“'‘«":
        return undivided
    if words.is_tangled or _ATTRIBUTED.search(sentence):
        return undivided
    clauses: list[Part] = []
    cuts = _Reader(words).read()
    stops = [*(cut.stop for cut in cuts[1:]), len(sentence)]
    for cut, stop in zip(cuts, stops, strict=False):
        end = len(sentence[:stop].rstrip())
        text = f"{cut.before} {sentence[cut.text : end]}{cut.after}".lstrip()
        clauses.append(Part(text, cut.start, end))
    return tuple(clauses) or undivided


class _Reader:
    """Reads a sentence from left to right and notes where a new part begins."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.cuts: list[Cut] = []
        self.lead = ""
        self.commas = 0  # passed over since the last cut

    def read(self) -> list[Cut]:
        """The cuts, the first one where the sentence begins; none where it is unsure."""
        words = self.words
        lead = read_lead(words)
        if lead is None or words.text(lead.begin) in _DEPENDENT:
            return []
        self.cuts, self.lead = list(lead.cuts), lead.repeated
        subject = self._first_subject(lead.begin)
        if subject is None:
            return []
        self._scan_further(subject)
        if self._has_condition():
            return []
        closed = [i for i, cut in enumerate(self.cuts) if cut.link == "closing"]
        last = max(closed, default=0)
        return [cut for i, cut in enumerate(self.cuts) if cut.link != "listed" or i < last]

    def _first_subject(self, begin: int) -> Subject | None:
        words = self.words
        order = begin + (words.text(begin) in {"then", "now"})
        ordered = is_order(words, order)
        subject = None if ordered and words.opens_object(order + 1) else self._clause(begin)
        if subject is not None:
            return subject
        if ordered:  # "Remember to eat well, sleep well"
            to = words.text(order + 1) == "to"
            return None if to else _NOBODY._replace(kind="order", verb=order, main=order)
        for k in range(begin, len(words)):
            if (words.is_mark(k) and words.text(k) != ",") or words.text(k) in SUBORDINATORS:
                return None
            kind = words.finite(k, begin) if k > begin else ""
            if kind:
                return _NOBODY._replace(kind=kind, verb=k, main=k)
        return None

    def _clause(self, begin: int) -> Subject | None:
        """The subject of a clause that begins at a place, with its verb."""
        words = self.words
        subject = find_subject(words, begin)
        if subject is not None:
            return subject
        comma = noun_phrase_end(words, begin)
        if comma < 0 or words.text(comma) != "," or "ing" in words.forms(begin):
            return None
        return self._with_aside(begin, comma)

    def _with_aside(self, begin: int, comma: int) -> Subject | None:
        """A subject, something between commas, and the finite verb behind it."""
        words = self.words
        for end in range(comma + 2, min(len(words), comma + _LONGEST_ASIDE)):
            if words.text(end) != ",":
                if words.is_mark(end):
                    return None
                continue
            # "Bob, a cook, and Ann, a nurse, met", "Ann, who sings, and Bob, who dances, met"
            relative = any(words.text(k) in {"which", "who"} for k in range(comma + 2, end))
            if words.text(end + 1) == "and" or relative:
                return None
            verb = words.after_adverbs(end + 1)
            if words.verb_of(verb, plural=is_many(words, begin, comma)):
                subject = subject_with_verb(words, begin, comma, verb)
                if subject.text:
                    self._note_aside(subject, comma, end)
                    return subject
                return None
        return None

    def _note_aside(self, subject: Subject, comma: int, end: int) -> None:
        """Make a part of what stands between the commas if it says something of the subject."""
        words = self.words
        aside = aside_of_subject(words, subject, comma + 1, end)
        if aside is None:
            return
        start = words.tokens[aside.begin].start
        self.cuts[-1] = self.cuts[-1]._replace(text=start, before=aside.before, after=aside.after)
        if words.text(comma + 1) in {"which", "who"} and not aside.after:
            self._predicates_aside(subject, aside.begin, end)
        self._add_cut(end, end + 1, Aside(subject.text, end + 1))

    def _predicates_aside(self, subject: Subject, begin: int, end: int) -> None:
        """Further predicates of a relative clause: "who bakes and keeps the books"."""
        words = self.words
        verb = words.after_adverbs(begin)
        kind = words.verb_of(verb, plural=subject.plural)
        relative_subject = with_verb(words, subject._replace(kind=kind), verb)
        for k in range(verb + 1, end):
            if words.text(k) in SUBORDINATORS:
                return
            if words.text(k) in {"and", "but"}:
                self._predicate(k, k + 1, _Place(k, relative_subject), link="closing")

    def _scan_further(self, subject: Subject) -> None:
        """Note every further part of what follows a finite verb."""
        words = self.words
        place = _Place(subject.verb + 1, subject)
        self.commas = 0
        if self._governs_clause(subject.main + 1):
            self._after_bar(place.i, reported=True)
            return
        while place.i < len(words):
            moved = self._joint_part(place)
            if moved is None:
                if self._is_barred(place.i):
                    self._after_bar(place.i)
                    return
                self.commas += words.text(place.i) == ","
                place = place._replace(i=place.i + 1)
                continue
            place = moved
            self.commas = 0
            if self._governs_clause(max(place.i, (place.aside or place.main).main + 1)):
                self._after_bar(place.i, reported=True)
                return

    def _governs_clause(self, i: int) -> bool:
        """Whether a clause without "that" begins behind a verb: "says the tower is closed"."""
        words = self.words
        noun = words.is_plural(i) and not words.forms(i)
        begins = words.text(i) in DETERMINERS | PRONOUNS or words.is_name(i) or noun
        return begins and find_subject(words, i) is not None

    def _is_barred(self, i: int) -> bool:
        """Whether what follows depends on what stands here, or is reported."""
        words = self.words
        word = words.text(i)
        if words.is_mark(i):
            dash = word == "-" and words.sentence[words.tokens[i].start - 1] == " "
            return word in ":–—" or dash
        if word in {"both", "either", "neither"}:
            return True
        if word in CLAUSAL or word == "once":
            reason = word in {"as", "since"} and words.text(i - 1) == ","
            return reason or words.text(i + 1) in PRONOUNS or self._governs_clause(i + 1)
        if word in SUBORDINATORS:
            return not (words.text(i - 1) == "," and word in RELATIVES)
        return self._is_second_verb(i)

    def _is_second_verb(self, i: int) -> bool:
        """Whether a clause began unnoticed: "found the tower was closed"."""
        words = self.words
        if words.text(i) not in {"is", "are", "was", "were", "has", "had", "would", "could"}:
            return False
        return not (words.text(i - 1) in {"to", ","} or words.is_adverb(i - 1)) and not (
            words.auxiliary(i - 1)
        )

    def _after_bar(self, i: int, *, reported: bool = False) -> None:
        """Behind a bar only a comma and conjunction, or a semicolon, let a new clause begin.

        "knows that A is closed, and B is open" is one thought; so is a reason.
        """
        words = self.words
        closed = reported or words.text(i) in _REPORTED | {"as", "since"}
        for k in range(i, len(words)):
            word = words.text(k)
            closed = closed or word in _REPORTED
            if word != ";" and not (word in _LINKS and words.text(k - 1) == ","):
                continue
            end = k if word == ";" else k - 1
            left = words.sentence[self.cuts[-1].start : words.tokens[end].start]
            if word != ";" and closed and not is_plain_refusal(left):
                continue
            place = self._new_clause(end, words.after_adverbs(k + 1))
            if place:
                self._scan_further(place.main)
                return

    def _joint_part(self, place: _Place) -> _Place | None:
        """A further part that begins behind a comma or conjunction; None if none does."""
        words = self.words
        i = place.i
        if words.text(i) == ";":
            return self._new_clause(i, words.after_adverbs(i + 1))
        if words.text(i) not in {",", "and", "but"}:
            return None
        comma = words.text(i) == ","
        link = words.text(i + 1) if comma else words.text(i)
        if comma and link not in _LINKS:
            return self._after_comma(place)
        if link in {"and", "but"}:
            return self._after_conjunction(place, i + 1 + comma)
        return self._new_clause(i, i + 1 + comma, link="closing")

    def _after_conjunction(self, place: _Place, begin: int) -> _Place | None:
        """The same behind "and" or "but", with or without a comma."""
        words = self.words
        i = place.i
        comma = words.text(i) == ","
        if words.text(begin) in _CONDITIONS:
            return self._conditional(i, begin)
        without_aside = place._replace(aside=None) if comma else place
        moved = self._predicate(i, begin, without_aside, link="closing")
        if moved or not (comma or words.text(i) == "and"):
            return moved
        return self._new_clause(i, begin, link="closing")

    def _after_comma(self, place: _Place) -> _Place | None:
        """The same behind a comma alone."""
        words = self.words
        i = place.i
        if words.text(i + 1) in RELATIVES:
            return self._relative(place)
        aside = participle_behind(words, place.main, i + 1)
        if aside:
            self._add_cut(i, i + 1, aside)
            return _Place(len(words), place.main)
        moved = self._predicate(i, i + 1, place._replace(aside=None), link="listed")
        if moved:
            return moved
        before = next((k for k in range(i - 1, -1, -1) if words.text(k) == ","), -1)
        linked = any(words.text(k) in CONJUNCTIONS for k in range(max(i - 4, before, 0), i))
        if linked or (before >= 0 and words.text(before + 1) in LEADS):  # ", for medium, it is"
            return None
        pronoun = words.text(i + 1) in PRONOUNS - {"i", "you", "we"}
        return self._new_clause(i, i + 1, link="" if pronoun else "listed")

    def _conditional(self, i: int, begin: int) -> _Place | None:
        """The last part of "..., and if she is ill, he takes over"."""
        words = self.words
        comma = next((k for k in range(begin, len(words)) if words.text(k) == ","), -1)
        if comma < 0 or find_subject(words, comma + 1) is None:
            return None
        self._add_cut(i, begin)
        return _Place(len(words), _NOBODY)

    def _predicate(self, i: int, begin: int, place: _Place, *, link: str) -> _Place | None:
        """A further predicate of the subject, or of what a relative clause is about."""
        words = self.words
        subject = place.aside or place.main
        verb = words.after_adverbs(begin)
        if words.text(begin) == "not":
            return None
        if subject.kind == "order":
            return self._order(place, begin, link=link)
        before = subject.text
        if subject.text and goes_with(words, verb, subject):
            subject = with_verb(words, subject, verb)
        elif not self.commas and shares_auxiliary(words, i, verb, subject):
            before = f"{subject.text} {subject.auxiliary}"
        else:
            return None
        own_time = _OWN_TIME.search(words.sentence[words.tokens[begin].start :])
        if self.lead and not own_time and place.aside is None:
            before = f"{self.lead} {before}"
        self._add_cut(i, begin, Aside(before, begin), link=link)
        if place.aside:
            return _Place(verb + 1, place.main, subject)
        return _Place(verb + 1, subject)

    def _order(self, place: _Place, begin: int, *, link: str) -> _Place | None:
        """A further order: "close the lid and wait for an hour"."""
        words = self.words
        verb = words.after_adverbs(begin)
        start = self.cuts[-1].start
        since = next(k for k, token in enumerate(words.tokens) if token.start >= start)
        full = "base" in words.forms(verb) and has_complement(words, verb, since)
        aim = any(words.text(k) == "to" and words.forms(k + 1) for k in range(since, verb))
        if aim and words.text(place.i) != ",":  # "to warm them and prevent"
            return None
        if not full and words.text(verb) not in {"do", "don't", "don’t"}:
            return None
        self._add_cut(place.i, begin, link=link)
        return _Place(verb + 1, place.main._replace(verb=verb, main=verb))

    def _new_clause(self, i: int, begin: int, *, link: str = "") -> _Place | None:
        """A clause with a subject of its own."""
        words = self.words
        if begin >= len(words):
            return None
        saved = list(self.cuts)
        self._add_cut(i, begin, link=link)
        subject = self._clause(begin)
        if subject is None or not self._may_begin(i, begin, subject):
            self.cuts = saved
            return None
        self.lead = ""
        return _Place(subject.verb + 1, subject)

    def _may_begin(self, i: int, begin: int, subject: Subject) -> bool:
        """Whether no list of nouns can go on where a clause seems to begin."""
        words = self.words
        if words.text(i) == "and":
            closed_class = words.text(begin) in DETERMINERS | PRONOUNS
            if subject.kind == "present":
                return closed_class and not verbs.is_also_noun(words.text(subject.verb))
            nominal = closed_class or words.is_name(begin)
            return nominal and subject.kind in {"be", "have", "modal", "past"}
        full = words.forms(begin) and not verbs.is_also_noun(words.text(begin))
        if full and words.text(begin + 1) not in PREPOSITIONS:  # "roast, crush and sprinkle seeds"
            return False
        in_list = words.text(begin - 1) in {"and", ","}
        has_no_object = in_list and not (words.opens_object(begin) or words.tokens[begin].capital)
        unsure = has_no_object and verbs.is_also_noun(words.text(subject.verb))
        if unsure and not words.has_object(subject.verb):  # "water, and bay leaves to the pan"
            return False
        return not (words.text(i) == "," and self.commas and subject.kind == "both")

    def _relative(self, place: _Place) -> _Place | None:
        """A relative clause about the noun phrase before a comma: ", which is closed in March"."""
        words = self.words
        i = place.i
        noun = noun_of_relative(words, i)
        end = next((k for k in range(i + 2, len(words)) if words.is_mark(k)), len(words))
        aside: Aside | None = relative_clause(words, noun, i + 1, end) if noun else None
        if aside is None:
            return None
        self._add_cut(i, i + 1, aside)
        verb = words.after_adverbs(i + 2)
        kind = words.finite(verb)
        if aside.after or not kind:
            return _Place(end, place.main)
        plural = words.text(verb) in {"are", "were", "have"} or kind == "base"
        relative_subject = Subject(noun, kind, plural, kind in {"past", "both"}, verb, verb)
        return _Place(verb + 1, place.main, with_verb(words, relative_subject, verb))

    def _has_condition(self) -> bool:
        """Whether a condition at the end may hold for more than the last part."""
        last = self.cuts[-1].start
        later = (token.text for token in self.words.tokens if token.start > last)
        return len(self.cuts) > 1 and any(text in _CONDITIONS for text in later)

    def _add_cut(self, i: int, begin: int, aside: Aside | None = None, *, link: str = "") -> None:
        """Note that the part before stops at the token `i` and the next begins at `begin`."""
        tokens = self.words.tokens
        before, text, after = aside or Aside("", begin)
        text_start = tokens[text].start
        self.cuts.append(Cut(tokens[i].start, tokens[begin].start, text_start, before, after, link))
