"""What a clause says of whom: its predicate with both sides, and how it is denied or limited.

Read by the forms of words, without a parser: what is not surely read is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay._text import memoized, relations, verbs
from assay._text.asides import read_lead
from assay._text.clauses import parts
from assay._text.expressions import expression
from assay._text.grammar import (
    CONJUNCTIONS,
    DETERMINERS,
    POSSESSIVE,
    PREPOSITIONS,
    SUBORDINATORS,
    Words,
    read_words,
)
from assay._text.inner_clauses import behind_lead, inner_clauses, verb_places
from assay._text.plain_order import plainly
from assay._text.predicates import find_subject, is_order, subject_with_verb
from assay._text.sides import Clause, Ordered, Phrase, Stems, changed, namings, stems_of
from assay._text.words import stem

# ruff: noqa: SIM905 - word lists read better as prose


@dataclass(frozen=True)
class Predication:
    """What one clause says.

    Attributes:
        text: The clause.
        predicate: The stem of its verb, of the adjective behind "is" or of the noun.
        subject: The stems of what it is about.
        content: The stems of all its content words but the predicate's.
        core: The stems up to where another clause may begin, in order, with the predicate's.
        barred: The stems of what stands behind "without" or "except".
        roles: Who does what to whom.
        orders: Comparisons, orders in time, ways from one place to another, causes.
        negated: Whether the predicate is denied.
        never: Whether that is so at any time.
        stative: Whether the predicate is a participle or stands behind "is".
        ordered: Whether it is an order: "do not open the lid".
        quantity: Of how many of its subject it holds, "all", "some"; "" where nothing says.
        modality: "fact", "can", "must", "should", "will"; "" for a condition or what is unsure.
    """

    text: str
    predicate: str = ""
    subject: Stems = frozenset()
    content: Stems = frozenset()
    core: tuple[str, ...] = ()
    barred: Stems = frozenset()
    roles: tuple[Ordered, ...] = ()
    orders: tuple[Ordered, ...] = ()
    negated: bool = False
    never: bool = False
    stative: bool = False
    ordered: bool = False
    quantity: str = ""
    modality: str = "fact"


_BARS = frozenset("without except unless excluding barring".split())
_NOT = frozenset("not never hardly scarcely barely".split())
_QUANTITIES = {
    "all": "all",
    "every": "all",
    "each": "all",
    "both": "all",
    "everyone": "all",
    "everybody": "all",
    "most": "most",
    "some": "some",
    "several": "some",
    "many": "some",
    "someone": "some",
    "few": "few",
    "no": "none",
    "none": "none",
    "nobody": "none",
    "neither": "none",
    "nothing": "none",
    "only": "only",
}
_TIMES = {
    "always": "all",
    "usually": "most",
    "mostly": "most",
    "often": "some",
    "sometimes": "some",
    "occasionally": "some",
    "rarely": "few",
    "seldom": "few",
}
_MODALITIES = {
    "can": "can",
    "could": "can",
    "may": "can",
    "might": "can",
    "must": "must",
    "should": "should",
    "shall": "must",
    "will": "will",
    "would": "",
    "cannot": "can",
}
# Before "to": what they make of the verb behind it; "-" denies it.
_CHAINS = {
    stem(verb): says
    for says, chained in (
        ("-fact", "fail refuse decline neglect forget omit"),
        ("fact", "manage remember continue begin start help"),
        ("will", "plan intend expect schedule propose promise"),
        ("can", "allow permit entitle able free"),
        ("must", "have need require oblige force"),
        ("-can", "forbid prohibit unable"),
        ("", "want hope try attempt threaten appear seem say believe think allege"),
    )
    for verb in chained.split()
}
_BEFORE_ORDERS = frozenset("please do not never always don't don’t".split())
_CONDITIONS = frozenset("if unless whether".split())
_NEGATED = expression(r"n['’]t$")
_PARTICLES = frozenset("off out away back".split())  # "sent off the player"
_TAKES_OVER = frozenset((verb, "over") for verb in ("take", "takes", "took", "taken"))
_LONGEST = 45  # words of a clause
_LONGEST_LEAD = 16  # words before a subject


@memoized(1024, longest=1000)
def predications(sentence: str) -> tuple[Predication, ...]:
    """What the clauses of a sentence say, as far as they are surely read."""
    plain = plainly(sentence)
    readings = [reading for clause in parts(plain) if (reading := _read_clause(clause.text))]
    known = {(reading.predicate, reading.subject) for reading in readings}
    inner = (reading for reading in _inner_predications(plain) if reading)
    readings += (reading for reading in inner if (reading.predicate, reading.subject) not in known)
    return (*readings, *_named(plain), *_changed(plain), *_elided(plain, readings))


def _inner_predications(sentence: str) -> Iterator[Predication | None]:
    """What its inner clauses say."""
    for text, verb in inner_clauses(sentence):
        words = read_words(text)
        main = subject_with_verb(words, 0, verb, verb).main
        yield _Reader(words, 0, verb, main).read()


def _named(sentence: str) -> Iterator[Predication]:
    """Of "Ann Lind, a pupil of Ben Moor, won" that she is his pupil."""
    for text, noun, holder, role in namings(sentence):
        sides = role.first | role.second
        yield Predication(text, noun, holder, sides, (*sides, noun), roles=(role,), stative=True)


_ELIDED = expression(
    r"\b(?:it|they|(?:its|their) (?P<of>[a-z]+)) (?:is|was|are|were) (?:also |much |far )?"
    r"(?P<word>more|less|[a-z]+er)(?: (?P<next>[a-z]+))?\s*(?=[.,;]|$)"
)


def _elided(sentence: str, readings: Sequence[Predication]) -> Iterator[Predication]:
    """Of "A is larger than B, but it is lighter" that A is lighter than B."""
    match = _ELIDED.search(sentence)
    meaning = match and relations.of_comparative(match["word"], match["next"] or "than")
    if not (match and meaning) or meaning[0] == "amount":
        return
    for reading in readings:
        for order in reading.orders:
            if order.concept.startswith("more ") and reading.subject & (order.first | order.second):
                first, second = order.first, order.second
                pair = (first, second) if reading.subject & (first - second) else (second, first)
                norm_stems = frozenset(stems_of(filter(None, match.group("word", "next"))))
                kind_stems = frozenset(stems_of([match["of"]] if match["of"] else []))
                pronoun_order = order._replace(
                    concept=f"more {meaning[0]}",
                    first=pair[meaning[1] < 0],
                    second=pair[meaning[1] > 0],
                    by=norm_stems,
                    of=kind_stems,
                )
                stems = frozenset(stems_of(sentence.lower().split()))
                yield Predication(
                    sentence, "", reading.subject, stems, tuple(stems), orders=(pronoun_order,)
                )
                return


_UP = expression(
    r"\b(?P<of>[A-Za-z]+) (?:of|was|were|to|at|reached|totalled) [^,;]{1,60}, "
    r"(?P<way>up|down) (?:from|by|on|\d)"
)


def _changed(sentence: str) -> Iterator[Predication]:
    """Of "revenue of 5 million, up from 4 million" that it rose."""
    for match in _UP.finditer(sentence):
        stems = frozenset(stems_of([match["of"].lower()]))
        order = changed(1 if match["way"] == "up" else -1, stems)
        said = frozenset(stems_of(sentence.lower().split()))
        if stems:
            yield Predication(sentence, "change", stems, said, tuple(said), orders=(order,))


def content(text: str) -> Stems:
    """The stems of a text's content words, "taught" as "teach"."""
    tokens = read_words(text).tokens
    return frozenset(stems_of(token.text for token in tokens if token.sort != "mark"))


def _read_clause(text: str) -> Predication | None:
    words = read_words(text)
    if not 2 < len(words) <= _LONGEST:
        return None
    lead = read_lead(words)
    commas = (k + 1 for k in range(min(len(words), _LONGEST_LEAD)) if words.text(k) == ",")
    short = _behind_phrase(words)
    for begin in dict.fromkeys((lead.begin if lead else 0, *commas, *short)):
        subject = find_subject(words, begin)
        if subject is not None and words.text(begin) not in _CONDITIONS:
            return _Reader(words, begin, subject.verb, subject.main).read()
    return _order(words) or _by_place(words) or _by_auxiliary(words)


def _order(words: Words) -> Predication | None:
    """What an order says: "do not open the lid", "never lift it alone"."""
    verb = next((k for k in range(len(words)) if words.text(k) not in _BEFORE_ORDERS), 0)
    denied = any(words.text(k) in {"not", "never", "don't", "don’t"} for k in range(verb))
    if "base" not in words.forms(verb) or not (verb or is_order(words, 0)):
        return None
    reader = _Reader(words, verb, verb, verb)
    reader.ordered, reader.negated, reader.modality = True, denied, "must"
    return reader.read()


def _by_place(words: Words) -> Predication | None:
    """What a clause says whose verb only its place tells."""
    verb = min(verb_places(words), default=0)
    begin = behind_lead(words, 0, verb)
    if not verb or begin == verb:
        return None
    return _Reader(words, begin, verb, subject_with_verb(words, begin, verb, verb).main).read()


def _by_auxiliary(words: Words) -> Predication | None:
    """What a clause says whose subject is long or odd: its first auxiliary is its verb."""
    for k in range(1, min(len(words), _LONGEST_LEAD)):
        if words.is_mark(k) or words.text(k) in SUBORDINATORS:
            return None
        if words.auxiliary(k) and words.text(k - 1) not in PREPOSITIONS | DETERMINERS:
            subject = subject_with_verb(words, 0, k, k)
            return _Reader(words, 0, k, subject.main).read()
    return None


def _behind_phrase(words: Words) -> Iterator[int]:
    """Where a subject may begin behind "In 1980" or "In winter", without a comma."""
    if words.text(0) in PREPOSITIONS:
        for k in range(2, min(6, len(words))):
            if k == 2 or words.text(k) in DETERMINERS or words.is_name(k):
                yield k


class _Reader(Clause):
    """Reads one clause whose subject and verb are known."""

    modality = "fact"
    ordered = False

    def read(self) -> Predication | None:
        """What the clause says; None where that is not sure."""
        words = self.words
        self._verb_group()
        if self.main >= len(words) or words.is_mark(self.main):
            return None
        if not self.copula:
            self._chain()
        start = self.main + (not self.copula)
        if self.copula and words.text(self.main) in {"no", "not"}:
            self.negated = not self.negated
            start += 1
        self.phrases = list(self._phrases(start))
        predicate = self._predicate()
        if not predicate:
            return None
        self._denied_object()
        quantity = self._quantity()
        barred = self._barred()
        content_stems = self.of(0, len(words)) - barred - {predicate}
        return Predication(
            text=words.sentence,
            predicate=predicate,
            subject=self.of(self.begin, self.verb),
            content=content_stems,
            core=self._core(barred),
            barred=barred,
            roles=tuple(self.roles(predicate)),
            orders=tuple(self.orders(predicate)),
            negated=self.negated != (quantity == "none"),
            never=any(token.text == "never" for token in words.tokens),
            stative=self.copula or self.passive,
            ordered=self.ordered,
            quantity=quantity,
            modality=self._condition(),
        )

    def _verb_group(self) -> None:
        """The full verb behind auxiliaries, and what these say."""
        words = self.words
        if self.ordered:
            return
        kind = words.auxiliary(self.verb)
        indices = range(max(self.begin + 1, self.verb - 2), self.verb)
        self.negated = any(words.text(k) in _NOT for k in indices)
        if not kind:
            self.main = self.verb
            return
        self._auxiliaries(range(self.verb, self.main))
        forms = words.forms(self.main)
        last = self._last_auxiliary()
        if last == "be":
            self.passive = "participle" in forms and "ing" not in forms
            self.copula = not self.passive and "ing" not in forms
        elif last == "have" and words.text(self.main) == "to":
            self.main -= 1
        elif last == "have" and not ("participle" in forms or self._is_participle()):
            self.main = next(k for k in range(self.verb, self.main) if words.auxiliary(k) == "have")

    def _is_participle(self) -> bool:
        """Whether a word that is in no list is one behind "have": "has not forgiven"."""
        word, before = self.words.text(self.main), self.words.text(self.main - 1)
        return word.endswith(("en", "wn")) or before in _NOT or before.endswith(("n't", "n’t"))

    def _last_auxiliary(self) -> str:
        words = self.words
        last = ""
        for k in range(self.verb, self.main):
            kind = "be" if words.text(k) in {"be", "been"} else words.auxiliary(k)
            last = kind or last
        return last

    def _auxiliaries(self, indices: range) -> None:
        for k in indices:
            word = self.words.text(k)
            self.negated ^= word in _NOT or word == "cannot" or word.endswith(("n't", "n’t"))
            plain = _NEGATED.sub("", word)
            plain = {"ca": "can", "wo": "will"}.get(plain, plain)
            self.modality = _MODALITIES.get(plain, self.modality)

    def _chain(self) -> None:
        """Go on to the verb behind "refused to", "has to", "is allowed to"."""
        words = self.words
        while True:
            denied = words.text(self.main + 1) == "not"
            position = self.main + 1 + denied
            is_need = denied and words.text(self.main) == "need"
            if not (is_need or words.text(position) == "to"):
                return
            says = _CHAINS.get(stem(verbs.base(words.text(self.main))))
            following = words.after_adverbs(position + (not is_need))
            word = words.text(following)
            if says is None or words.opens_object(following) or words.is_name(following):
                return
            self.negated ^= says.startswith("-") ^ denied
            self.modality = says.lstrip("-") if says.lstrip("-") != "fact" else self.modality
            self.main, self.passive = following, False
            if word == "be":
                self.main = words.after_adverbs(following + 1)
                self.passive = "participle" in words.forms(self.main)
                self.copula = not self.passive
                return

    def _phrases(self, start: int) -> list[Phrase]:
        """The objects and adverbials behind the verb, up to what begins another clause."""
        words = self.words
        phrases: list[Phrase] = []
        particle = words.text(start) in _PARTICLES and words.text(start + 1) != "of"
        particle = particle or (words.text(start - 1), words.text(start)) in _TAKES_OVER
        before, begin = "", start + particle
        for k in range(begin, len(words) + 1):
            word = words.text(k)
            elided = word == "that" and words.text(k + 1) == "of"
            ends = words.is_mark(k) or (word in SUBORDINATORS and not elided)
            ends = ends or word in {"but", "while"}
            ends = ends or (word in CONJUNCTIONS and bool(words.finite(words.after_adverbs(k + 1))))
            opens = word in PREPOSITIONS and word != "of"
            second = not before and k > begin and self._opens_second(k)
            if ends or opens or second:
                if k > begin:
                    phrases.append(Phrase(before, begin, k))
                before, begin = (word, k + 1) if opens else ("", k + (not second))
            if ends and not (word == "," and opens):
                break
        return phrases

    def _opens_second(self, k: int) -> bool:
        """Whether a second object begins: "sent the customer a strap"."""
        words = self.words
        word = words.text(k)
        article = word in DETERMINERS or word in POSSESSIVE or words.is_number(k)
        joined = words.text(k - 1) in CONJUNCTIONS | {"of", "all", "both", "half", "than", "as"}
        return article and not joined and words.text(k - 1) not in DETERMINERS

    def _predicate(self) -> str:
        """The stem of the verb, or of what is said behind "is"."""
        words = self.words
        if (words.text(self.main), words.text(self.main + 1)) in _TAKES_OVER:
            return stem("takeover")
        if not self.copula:
            word = words.text(self.main)
            verb = words.forms(self.main) or words.auxiliary(self.main) == "have"
            last = self._last_auxiliary()
            unknown = self.main == self.verb or last == "modal" or word.endswith("ed")
            raised = relations.PHRASAL.get((verbs.base(word), words.text(self.main + 1)))
            if raised:
                return raised
            return stem(verbs.base(word)) if verb or unknown else ""
        first = next((p for p in self.phrases if not p.before), None)
        if first is None:
            return "be" if self.phrases else ""
        head = next((k for k in range(first.begin, first.end) if words.text(k) == "of"), first.end)
        return stem(verbs.base(words.text(head - 1)))

    def _denied_object(self) -> None:
        """Whether "no" stands before an object: "has no lift", "won nothing"."""
        words = self.words
        objects = [p for p in self.phrases if p.before in {"", "in", "to", "at", "on"}][:2]
        denied = any(
            words.text(p.begin) in {"no", "nothing", "nobody", "none"}
            and not {words.text(p.begin - 1), words.text(p.begin - 2)} & CONJUNCTIONS
            for p in objects
        )
        self.negated ^= denied
        self.negated ^= words.text(self.begin) == "not" and words.text(self.begin + 1) not in {
            "all",
            "every",
        }

    def _quantity(self) -> str:
        words = self.words
        first, second = words.text(self.begin), words.text(self.begin + 1)
        if first == "not" and _QUANTITIES.get(second) == "all":
            return "not all"
        subject = {words.text(k) for k in range(self.begin, self.verb)}
        if subject & {"but", "except", "other"}:
            return "?"  # "nobody but Ann"
        if first in {"almost", "nearly"}:
            return "most"
        quantity = _QUANTITIES.get(first, "")
        if quantity == "all" and self.negated:
            return "?"  # "All rooms are not": none, or not all
        if quantity:
            return quantity
        times = (_TIMES.get(words.text(k), "") for k in range(self.verb - 1, self.main + 2))
        return next(filter(None, times), "")

    def _barred(self) -> Stems:
        words = self.words
        stems: Stems = frozenset()
        for k in range(self.begin, len(words)):
            denies = words.text(k) in _BARS or (words.text(k) in {"not", "never"} and k > self.main)
            denies = denies or (words.text(k) == "but" and not self._has_verb(k + 1))
            excludes = words.text(k) in {"apart", "other"} and words.text(k + 1) in {"from", "than"}
            if denies or excludes:
                end = next((j for j in range(k + 1, len(words)) if words.is_mark(j)), len(words))
                stems |= self.of(k + 1, end)
        return stems

    def _condition(self) -> str:
        texts = [token.text for token in self.words.tokens[: self._end() + 1]]
        unsure = self.negated and any(text in {"because", "but"} for text in texts[self.main :])
        unsure = unsure or "either" in texts or self.words.sentence.rstrip().endswith("?")
        unsure = unsure or not _CONDITIONS.isdisjoint(t.text for t in self.words.tokens)
        return "" if unsure else self.modality

    def _core(self, barred: Stems) -> tuple[str, ...]:
        stems = self.in_order(0, self._end())
        return tuple(word for word in stems if word not in barred)

    def _end(self) -> int:
        """Where another clause may begin."""
        words = self.words
        for k in range(self.main + 1, len(words)):
            joint = words.is_mark(k) or words.text(k) in CONJUNCTIONS
            none = joint and words.text(k + 1) in {"none", "not", "no"}
            if words.text(k) in SUBORDINATORS or none or (joint and self._has_verb(k + 1)):
                return k
        return len(words)

    def _has_verb(self, begin: int) -> bool:
        words = self.words
        return any(
            words.auxiliary(k) or "past" in words.forms(k) or words.finite(k)
            for k in range(begin, len(words))
        )
