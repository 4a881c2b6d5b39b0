"""Who does what to whom in a clause, and which of two things is the greater or the earlier."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

from assay._text import relations, verbs
from assay._text.entities import MONTHS
from assay._text.expressions import expression
from assay._text.grammar import PREPOSITIONS, PRONOUNS, SUBORDINATORS, Words
from assay._text.words import STOP_WORDS, stem

# ruff: noqa: SIM905 - word lists read better as prose

Stems: TypeAlias = frozenset[str]

_IRRELEVANT = frozenset(
    map(
        stem,
        "never hardly scarcely barely many several every always sometimes usually often mostly "
        "rarely seldom nobody nothing none everyone everybody someone without except unless cannot "
        "ever yet still already able unable fail failed refuse however than".split(),
    )
)
_TELLING = frozenset("more up down above below under over inside outside".split())
_ORDERS = {"before": 1, "after": -1}
_SEQUENCES = frozenset(map(stem, [*_ORDERS, "then", "first"]))
# Stands for what "it" means.
IT = frozenset({"(it)"})
_ENDING = PREPOSITIONS | {"but", "and"}
_NOW, _THEN = frozenset({"(now)"}), frozenset({"(then)"})
_ONE, _PLAIN = frozenset({"on", "one"}), frozenset({"high", "large", "amount"})
_BECOMING = frozenset("become becomes became get gets got grow grows grew".split())
_MEANT = frozenset("it he she they him her them".split())
_POSSESSIVES = frozenset("its his her their".split())
_ORDERING = frozenset({*_ORDERS, "behind", "because", "then"})
_RACES = frozenset(map(stem, ["finish", "arrive", "end", "come", "place"]))


class Ordered(NamedTuple):
    """Two things of which the first is the doer, the greater, the earlier or the start.

    Attributes:
        concept: What holds between them, "buy" or "older".
        first: The stems of the one.
        second: The stems of the other.
        by: The stems of the words that say so, "buy", "bought" or "younger".
        of: What of the two is compared, "boiler"; nothing where that is not said.
    """

    concept: str
    first: Stems
    second: Stems
    by: Stems = frozenset()
    of: Stems = frozenset()


def changed(sign: int, of: Stems, dimension: str = "", by: Stems = frozenset()) -> Ordered:
    """That something became more (1) or less (-1)."""
    pair = (_NOW, _THEN) if sign > 0 else (_THEN, _NOW)
    said_by = by | relations.changing() | relations.REFERENCES
    return Ordered(f"change {dimension}", *pair, said_by, of)


class Phrase(NamedTuple):
    """A noun phrase and the preposition before it; "" for an object."""

    before: str
    begin: int
    end: int


class Clause:
    """A clause whose verb and phrases are known.

    Attributes:
        words: Its words.
        begin: Where its subject begins.
        verb: Where its finite verb stands.
        main: ... and its full verb, or what is said behind "is".
        passive: Whether the full verb is a participle behind a form of "be".
        copula: Whether a form of "be" is its only verb.
        negated: Whether its verb is denied.
        phrases: What stands behind the full verb.
    """

    def __init__(self, words: Words, begin: int, verb: int, main: int) -> None:
        self.words = words
        self.begin = begin
        self.verb = verb
        self.main = main
        self.passive = False
        self.copula = False
        self.negated = False
        self.phrases: list[Phrase] = []

    def of(self, begin: int, end: int) -> Stems:
        """The stems of the words between two places."""
        return frozenset(self.in_order(begin, end))

    def in_order(self, begin: int, end: int) -> list[str]:
        """The same as a list; "May" is a month where it has a capital."""
        return [*chain.from_iterable(self._stems[begin:end])]

    @cached_property
    def _stems(self) -> list[list[str]]:
        """The stems of each token."""
        return [
            stems_of(["month" if token.text == "may" and token.capital else token.text])
            if token.sort != "mark"
            else []
            for token in self.words.tokens
        ]

    def _phrase(self, begin: int, end: int) -> Stems:
        """The stems of a noun phrase without whose it is: "Ann's husband" is no Ann."""
        words = self.words
        if end - begin == 1 and words.text(begin) in _MEANT:
            return IT
        owned = [k for k in range(begin, end - 1) if words.text(k).endswith(("'s", "’s"))]
        return self.of(owned[-1] + 1 if owned else begin, end)

    def _role(self, name: str) -> Stems:
        """The stems of a part of the clause by its logical role: "subject", "object", "to"."""
        if name == "subject":
            return self._stems_after("by") if self.passive else self._phrase(self.begin, self.verb)
        objects = [p for p in self.phrases if not p.before]
        if name == "object":
            if self.passive:
                return self._phrase(self.begin, self.verb)
            named = [p for p in objects if not self.words.is_number(p.begin)] or objects
            return self._phrase(named[-1].begin, named[-1].end) if named else frozenset()
        return self._receiver(objects) if name == "receiver" else self._stems_after(name)

    def _receiver(self, objects: list[Phrase]) -> Stems:
        """Of "gave Ben a book", "gave a book to Ben", "Ben was given a book", "taught Ben"."""
        if self.passive and objects:
            return self._phrase(self.begin, self.verb)
        receiver = self._stems_after("to")
        if self.passive and not receiver:  # "was taught by Ann"
            return self._phrase(self.begin, self.verb)
        if objects and not self.passive and (len(objects) > 1 or not receiver):
            return self._phrase(objects[0].begin, objects[0].end)
        return receiver

    def _stems_after(self, preposition: str) -> Stems:
        for phrase in self.phrases:
            if phrase.before == preposition:
                words = self.words
                timed = words.is_number(phrase.begin) or words.text(phrase.begin) in MONTHS
                if preposition == "by" and (timed or "ing" in words.forms(phrase.begin)):
                    continue
                return self._phrase(phrase.begin, phrase.end)
        return frozenset()

    def roles(self, predicate: str) -> list[Ordered]:
        """Who does to whom what the predicate, by its stem, says."""
        if self.copula:
            return self._noun_roles()
        preposition = next((p.before for p in self.phrases if p.before), "")
        direct = any(not p.before for p in self.phrases)
        sides = relations.of_verb(predicate, preposition, direct=direct)
        if sides == []:
            two = sum(not p.before for p in self.phrases) > 1 and not self.passive
            second = "object" if direct or self.passive else preposition
            # "stands behind" is not "stands in front of"
            concept = predicate if second == "object" else f"{predicate} {second}"
            sides = [(concept, "subject", "receiver" if two else second)]
        said = frozenset({predicate})
        orders = [Ordered(role, self._role(a), self._role(b), said) for role, a, b in sides or ()]
        orders = [order for order in orders if order.first and order.second]
        if sides and not orders:  # "acquired it" without "from whom"
            plain = Ordered(predicate, self._role("subject"), self._role("object"), said)
            orders = [plain] if plain.first and plain.second else []
        return [*orders, *self._receiver_roles(predicate, preposition)]

    def _receiver_roles(self, predicate: str, preposition: str) -> list[Ordered]:
        """Of "dedicated the book to Ben" who did it for whom."""
        has_object = self.passive or any(not phrase.before for phrase in self.phrases)
        to = Ordered(f"{predicate} to", self._role("subject"), self._role("to"))
        known = preposition == "to" and relations.of_verb(predicate, preposition, direct=True)
        return [to] if has_object and not known and to.first and to.second else []

    def _noun_roles(self) -> list[Ordered]:
        """Of "is the mother of", "is Ann's teacher", "Ann's teacher is"."""
        sides = self.of(self.begin, self.verb), self._complement()
        orders = []
        for own_side, other_side, side_number in ((sides[1], sides[0], 1), (sides[0], sides[1], 0)):
            span = self._span(side_number)
            for noun, concept, holder in relations.of_nouns(own_side):
                whose = self._stems_of_whose(*span)
                if whose - other_side and other_side - whose:
                    pair = (other_side, whose) if holder == "first" else (whose, other_side)
                    said_by = frozenset({noun, "be"}) | (own_side & relations.FIRMS)
                    orders.append(Ordered(concept, *pair, said_by))
            if orders:
                break
        return orders

    def _span(self, side_number: int) -> tuple[int, int]:
        if not side_number:
            return self.begin, self.verb
        first = next((p for p in self.phrases if not p.before), None)
        return (first.begin, first.end) if first else (self.main, self.main)

    def _complement(self) -> Stems:
        begin, end = self._span(1)
        return self.of(begin, end)

    def _stems_of_whose(self, begin: int, end: int) -> Stems:
        """Of whom somebody is the teacher: "of Ann", "Ann's"."""
        words = self.words
        for k in range(begin, end):
            if words.text(k) == "of":
                return self.of(k + 1, end)
            if words.text(k).endswith(("'s", "’s", "s'", "s’")):
                return self.of(begin, k + 1)
        return frozenset()

    def orders(self, predicate: str) -> list[Ordered]:
        """What is compared, set in order or the cause of something."""
        orders = [
            *self._comparison(predicate),
            *self._multiples(),
            *self._sequence(),
            *self._way_orders(),
            *self._change(predicate),
        ]
        return [order for order in orders if order.first and order.second]

    def _comparison(self, predicate: str) -> Iterator[Ordered]:
        """Of "is older than", "has more seats than", "is larger than X but smaller than Y"."""
        words = self.words
        last = self.verb
        if self.negated:
            return
        for than in range(self.verb, len(words)):
            if words.text(than) != "than":
                continue
            for k in range(than - 1, max(last, than - 9), -1):
                is_adjective = bool(words.auxiliary(k - 1)) or words.is_adverb(k - 1)
                following = words.text(k + 1) if is_adjective or k + 1 < than else ""
                meaning = relations.of_comparative(words.text(k), following)
                if meaning:
                    yield self._compares(*meaning, k, than, predicate)
                    yield from self._further_comparison(than)
                    break
            last = than

    def _compares(self, dimension: str, sign: int, k: int, than: int, predicate: str) -> Ordered:
        """What the comparative at a place says of the things on both sides of "than"."""
        words = self.words
        own_stems = self.of(
            k + 1, next((j for j in range(k, than) if words.text(j) in PREPOSITIONS), than)
        )
        if dimension == "amount":
            dimension, own_stems = " ".join(sorted(own_stems or {predicate})), frozenset()
        dimension = relations.MEASURED.get(dimension, dimension)
        first, second, head = self._compared(than)
        graded = relations.is_graded(words.text(k + 1))
        said_by = frozenset(
            stems_of(["less", "more", *(words.text(j) for j in (k, k + 1)[: 1 + graded])])
        )
        if second and second <= relations.REFERENCES | _ONE:  # "than in the previous year"
            subject_stems = own_stems or head or first - IT
            return changed(sign, subject_stems, "" if dimension in _PLAIN else dimension, said_by)
        pair = (first, second) if sign > 0 else (second, first)
        return Ordered(f"more {dimension}", *pair, said_by, own_stems | head)

    def _change(self, predicate: str) -> list[Ordered]:
        """Of "profit fell", "was cut", "cut the costs", "becomes rarer" what was more when."""
        words = self.words
        sign, role = relations.of_change(predicate)
        dimension, changing = "", self.of(self.begin, self.verb)
        if words.text(self.main) in _BECOMING:
            meaning = relations.of_comparative(words.text(self.main + 1), words.text(self.main + 2))
            dimension, sign = meaning or ("", 0)
        elif role != "subject" and not self.passive:
            objects = [p for p in self.phrases if not p.before and not words.is_number(p.begin)]
            first = objects[0] if objects else None
            if first and (role == "object" or words.opens_object(first.begin)):
                changing = self.of(first.begin, first.end)
            elif role == "object":
                sign = 0
        compares = any(token.text == "than" for token in words.tokens)
        if not sign or self.negated or compares or (self.copula and not dimension):
            return []
        ahead = range(self.main + 1, self.main + 3) if dimension else ()
        said_by = frozenset(stems_of(words.text(k) for k in ahead)) | {predicate}
        return [changed(sign, changing, dimension, said_by if dimension else frozenset())]

    def _multiples(self) -> list[Ordered]:
        """Of "has twice as much salt as B and half as much fat"."""
        words = self.words
        starts = [
            k for k in range(self.verb, len(words))
            if words.text(k) == "as" and words.text(k - 1) in {"twice", "times", "half"}
        ]  # fmt: skip
        second = next(
            (k for k in range(self.verb, len(words)) if words.text(k) == "as" and k not in starts),
            -1,
        )
        if not starts or second < starts[0] or self.negated:
            return []
        sides = self.of(self.begin, self.verb), self.of(second + 1, self._end_after(second + 1))
        orders = []
        for start in starts:
            ends = (k for k in range(start + 1, len(words)) if words.is_mark(k) or k == second)
            compared = self.of(start + 1, next(ends, len(words)))
            pair = sides if words.text(start - 1) != "half" else sides[::-1]
            said_by = frozenset(stems_of(["more", "less"])) | compared
            orders.append(Ordered(f"more {' '.join(sorted(compared))}", *pair, said_by))
        return orders

    def _further_comparison(self, than: int) -> Iterator[Ordered]:
        """Of "is taller than X but ten years younger" the second."""
        words = self.words
        ends = (k for k in range(than, len(words)) if words.text(k) == ".")
        last = next(ends, len(words)) - 1
        meaning = relations.of_comparative(words.text(last), "")
        joined = any(words.text(k) in {"but", "and"} for k in range(than, last))
        if meaning and joined and words.text(last) not in {"more", "less", "fewer"}:
            first, second, head = self._compared(than)
            said_by = frozenset(stems_of([words.text(last)]))
            pair = (first, second) if meaning[1] > 0 else (second, first)
            yield Ordered(f"more {meaning[0]}", *pair, said_by, head)

    def _compared(self, than: int) -> tuple[Stems, Stems, Stems]:
        """What stands on both sides of "than", and what of them is compared."""
        words = self.words
        begin = than + 1
        preposition = words.text(begin) if words.text(begin) in PREPOSITIONS else ""
        begin += bool(preposition)
        elided = words.text(begin) in {"that", "those"} and words.text(begin + 1) == "of"
        begin += 2 * elided
        end = begin
        while end < len(words) and not self._ends_second(end, begin):
            end += 1
        if {words.text(j) for j in range(begin, end)} & {"all", "any", "every", "but", "ever"}:
            return frozenset(), frozenset(), frozenset()
        second = self.of(begin, end)
        if preposition:
            ends = next((p for p in self.phrases if p.before == preposition), None)
            is_before = ends is not None and ends.end <= than
            first = self.of(ends.begin, ends.end) if ends and is_before else IT
            return first, second, self.of(self.begin, self.verb) if is_before else frozenset()
        first, head = self._owner_and_owned()
        if words.text(end - 1) in {"one", "ones"}:  # "than the older ones"
            last_stem = self.in_order(self.begin, self.verb)[-1:]  # "older patients"
            noun = frozenset(last_stem) if not head else frozenset()
            return first - noun, second - _ONE or second, head | noun
        return first, second, head

    def _ends_second(self, end: int, begin: int) -> bool:
        words = self.words
        own_words = {words.text(k) for k in range(self.begin, self.verb)}  # "colonies near wheat"
        return bool(
            words.is_mark(end)
            or (words.text(end) in PREPOSITIONS - {"of"} - own_words)
            or words.auxiliary(end)
            or words.text(end) in SUBORDINATORS
            or (words.text(end) == "but" and end > begin)
            or (words.text(end) == "and" and words.finite(end + 1))
        )

    def _owner_and_owned(self) -> tuple[Stems, Stems]:
        """Of "the boiler of the Halden" the latter and "boiler"."""
        words = self.words
        end = self.verb
        while end > self.begin + 1 and words.is_adverb(end - 1):
            end -= 1
        for k in range(self.begin, end):
            if words.text(k) == "of":
                return self.of(k + 1, end), self.of(self.begin, k)
            if words.text(k).endswith(("'s", "’s", "s'", "s’")) and k + 1 < end:
                return self.of(self.begin, k + 1), self.of(k + 1, end)
        if words.text(self.begin) in _POSSESSIVES:
            return IT, self.of(self.begin, end)
        return self._phrase(self.begin, end), frozenset()

    def _sequence(self) -> list[Ordered]:
        """Of "X before Y", "after X, Y", "X and then Y", "X because Y"."""
        words = self.words
        orders = []
        for k in range(len(words)):
            word = words.text(k)
            if word not in _ORDERING:
                continue
            idiom = word == "after" and words.text(k - 1) in {"named", "look", "looks", "looked"}
            races = not _RACES.isdisjoint(self.in_order(self.verb, k))
            if word == "behind" and races:
                word = "after"
            if word == "then" and self._continues(k):
                word = "before"
            idiom = idiom or words.text(k + 1) in {"that", "this"}  # "before that he was"
            if idiom or (word not in _ORDERS and word != "because"):
                continue
            left, right = self._around(k)
            if races:
                left, right = self.of(self.begin, self.verb), self.of(k + 1, self._end_after(k + 1))
            if word == "because":
                orders.append(Ordered("cause", right, left, frozenset({"because"})))
            else:
                pair = (left, right) if _ORDERS[word] > 0 else (right, left)
                orders.append(Ordered("earlier", *pair, _SEQUENCES))
        return orders

    def _continues(self, k: int) -> bool:
        """Whether "then" follows what was first: "X, and only then Y"."""
        before = [self.words.text(j) for j in range(max(0, k - 2), k)]
        return bool({"and", ";", ","} & {*before}) and k > self.main

    def _end_after(self, begin: int) -> int:
        """Where the next thing ends."""
        words = self.words
        return next(
            (j for j in range(begin, len(words)) if words.is_mark(j) or words.text(j) in _ENDING),
            len(words),
        )

    def _around(self, k: int) -> tuple[Stems, Stems]:
        """What stands on both sides of a conjunction."""
        words = self.words
        comma = next((j for j in range(k, len(words)) if words.is_mark(j)), len(words))
        if k <= 1:
            return self.of(comma, len(words)), self.of(k + 1, comma)
        bounds = (j for j in range(k + 2, comma) if words.text(j) == "and" and self._begins(j + 1))
        return self.of(0, k), self.of(k + 1, next(bounds, comma))

    def _begins(self, k: int) -> bool:
        """Whether a further order or clause begins: "and then brew", "and only then"."""
        return self.words.text(k) in {"then", "only", "again", *_ORDERS} or bool(
            self.words.finite(self.words.after_adverbs(k))
        )

    def _way_orders(self) -> list[Ordered]:
        """Of "from A to B"."""
        if any(token.text == "until" for token in self.words.tokens):
            return []
        start, end = self._stems_after("from"), self._stems_after("to") or self._stems_after("into")
        return [Ordered("way", start, end)] if start and end else []


_NAME = r"[A-Z][\w'\u2019.&-]*(?: (?:(?:of|de|van|von) )?[A-Z][\w'\u2019.&-]*)*"
_KIN = r"(?P<noun>[a-z]+)(?: (?:company|firm))?"
_ARTICLE = r"(?:(?:a|an|the|his|her|its|then) )?(?:former )?"
_WHOSE = "[^,.;]{3,80} (?:his|her|its)"
_NAMINGS = tuple(
    expression(pattern)
    for pattern in (
        rf"(?P<holder>{_NAME}), {_ARTICLE}{_KIN} of (?:the )?(?P<whose>{_NAME})",
        rf"(?P<whose>{_NAME}),? whose (?:\w+ )?{_KIN},? (?P<holder>{_NAME})",
        rf"(?P<whose>{_NAME})['\u2019]s? {_KIN},? (?P<holder>{_NAME})",
        rf"^(?:The [a-z]+ )?(?P<whose>{_NAME}) {_WHOSE} {_KIN},? (?P<holder>{_NAME})",
    )
)


def namings(sentence: str) -> Iterator[tuple[str, str, Stems, Ordered]]:
    """Where a text calls somebody another's pupil in passing: as it stands, noun, who, of whom."""
    for pattern in _NAMINGS:
        for match in pattern.finditer(sentence):
            holder, whose = (
                frozenset(stems_of(match[n].lower().split())) for n in ("holder", "whose")
            )
            if not (holder - whose and whose - holder):
                continue
            for noun, concept, side in relations.of_nouns(frozenset({stem(match["noun"])})):
                pair = (holder, whose) if side == "first" else (whose, holder)
                role = Ordered(concept, *pair, frozenset({noun, "be"}))
                yield match[0], noun, holder, role


_PART = expression(r"[\w.,%$€£]+")
_POSSESSIVE = expression(r"['’]s?\b")


def stems_of(texts: Iterable[str]) -> list[str]:
    """The stems of content words in order, without what says how many or denies."""
    stems = []
    for text in texts:
        for word in (text,) if text.isalpha() else _token_words(text):
            if (word in STOP_WORDS and word not in _TELLING) or word in PRONOUNS:
                continue
            short = stem(verbs.base(word))
            if short not in _IRRELEVANT:
                stems.append(short)
    return stems


def _token_words(text: str) -> list[str]:
    """The words of a token: "air-conditioned" is two, "Ann's" one, "don't" none."""
    if text.endswith(("n't", "n’t")):
        return []
    words = _PART.findall(_POSSESSIVE.sub("", text))
    return [plain for word in words if (plain := word.strip(".,"))]
