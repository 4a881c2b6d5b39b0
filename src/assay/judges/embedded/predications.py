"""Whether a statement and its evidence say the same of the same things, or turn it round.

"Alice hired Ben" agrees with "Ben was hired by Alice" and differs from "Ben hired Alice" and from
"Alice did not hire Ben". Only where all else is surely the same does
a difference count, so that it hardly ever is a mistake.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple, TypeAlias

from assay._text.entities import MONTHS, names
from assay._text.expressions import expression
from assay._text.predications import Predication, content, predications
from assay._text.relations import TRANSFERS, concept, opposite
from assay._text.sides import IT, Ordered, Stems
from assay._text.words import content_words, words
from assay.judges.embedded.sentence_parts import Part

# ruff: noqa: SIM905 - word lists read better as prose

Kind: TypeAlias = Literal["roles", "polarity", "direction"]


class Finding(NamedTuple):
    """What a clause of a statement and one of the evidence say of each other.

    Attributes:
        kind: What was compared.
        agrees: Whether they say the same.
        claim: The clause of the statement.
        evidence: The clause of the evidence.
    """

    kind: Kind
    agrees: bool
    claim: str
    evidence: str

    @property
    def doubt(self) -> str:
        """What it says against support."""
        return f"{_DOUBTS[self.kind]} '{self.evidence.rstrip(' .')}'"


_DOUBTS: dict[Kind, str] = {
    "roles": "it turns round who does what in",
    "polarity": "it says the opposite of",
    "direction": "it turns round the order or direction in",
}
_ALIKE = 0.6  # of the smaller one's stems, at least, two sides that are the same have in common
_UNLIKE = 0.25  # ... and at most, two that are not
_FURTHER = expression(r",\s(?:and|but|while|whereas|which|who)\b|;")  # another clause begins
_ROOT = 5  # letters that words of one root begin with ...
_ENDING = 5  # ... and by how many they may differ in length
# "Ward 3", "March 2024", "the year"
_NUMBERED = expression(r"\b[A-Za-z]{3,} \d[\w.]*|\byears?\b|\bquarter\b")
_FEWEST = 2  # stems besides the predicate
# Stems that a clause whose sides are exchanged may have and the evidence lacks: none of a time.
_LOST = {"roles": 3, "direction": 1}
_TIMES = content(" ".join([*MONTHS, *"spring summer autumn winter first last next".split()]))
_IS = r"(?:is|was|does|did|has|can|are|were|do|have)"
_REPLY = expression(
    r"(?P<question>[^?]{8,200}\?)\s+(?:"
    r"(?P<no>no|nope|not at all|not true|incorrect|wrong|that(?: is|'s) (?:not true|wrong|false)"
    rf"|(?:it|they|that) (?:{_IS} not|{_IS}n't|can't|cannot)(?: true| correct| right)?)"
    r"|(?P<yes>yes|yeah|correct|right|true|that(?: is|'s) (?:true|right|correct)"
    rf"|(?:it|they) {_IS}))(?=\W|$)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_TRUE = expression(r"^(?:so )?is it (?:true|correct|right|the case) that ", re.IGNORECASE)
_DENIES = expression(r"\b(?:not|never|no|without)\b|n't\b", re.IGNORECASE)
_PARTLY = {"some", "few", "most", "not all", "only", "?"}
# Beside one of them not all that is said is denied.
_SCOPES = frozenset("all every each both only always than necessarily entirely fully just".split())
_MANNER = expression(r"\b\w+ly\b")
_BARE = frozenset({"be", "hav"})  # say too little by themselves
_LIGHT = _BARE | content("occur happen exist show take place feel seem")  # beside what is compared
# Without one of them the same words say something else.
_LIMITING = frozenset("all every each only most same any other both never together alone".split())
# ... of the evidence, it may be so of both together alone, or of one of them.
_OPENING = frozenset({"or", "and", "but"})


class Passage(NamedTuple):
    """A sentence of the evidence, and the stems of what it is likely to be about besides.

    Attributes:
        text: The sentence.
        topic: The stems of the sentence before it and of the first one of its context.
    """

    text: str
    topic: AbstractSet[str] = frozenset()


def findings(statement: str, passages: Sequence[Passage]) -> list[Finding]:
    """What in a statement is surely the same as in the evidence, or surely turned round.

    What agrees counts only where all of the statement does.

    Args:
        statement: The statement.
        passages: The sentences of the evidence that may say the same.
    """
    claims = list(_claims(statement)) if passages else []
    names_stated = [*names(statement), *_NUMBERED.findall(statement)] if claims else []
    name_stems = content(" ".join(names_stated))
    evidence = [
        (predication, topic & name_stems)
        for text, topic in passages
        if claims
        for predication in predications(text)
    ]
    agreeing: list[Finding] = []
    differing: list[Finding] = []
    covered: Stems = frozenset()
    for claim in claims:
        verdicts = list(dict.fromkeys(_compare_claim(claim, evidence)))
        same = [finding for finding in verdicts if finding.agrees]
        if same and len(same) < len(verdicts):  # said both ways
            continue
        agreeing += same
        differing += [finding for finding in verdicts if not finding.agrees]
        covered |= claim.content | {claim.predicate} if same else frozenset()
    if differing or not agreeing:
        return differing
    is_covered = content(statement) <= covered
    return agreeing if is_covered and not _says_twice(statement, agreeing) else []


def _says_twice(statement: str, agreeing: Sequence[Finding]) -> bool:
    """Whether it says a word more often than the evidence: "white chairs under a white tent"."""
    word_counts = Counter(content_words(statement))
    counts_given = [Counter(content_words(finding.evidence)) for finding in agreeing]
    return any(
        count > counts[word] > 0 for word, count in word_counts.items() for counts in counts_given
    )


def _claims(statement: str) -> Iterator[Predication]:
    """What a statement says, a reply to a yes-no question by the question's words."""
    reply = _REPLY.fullmatch(statement.strip().replace("\u2019", "'"))
    if not reply:
        yield from predications(statement)
        return
    question = _TRUE.sub("", reply["question"])
    if not _DENIES.search(question.partition(" ")[2]):
        yield Predication(
            text=statement, content=content(question), negated=reply["no"] is not None
        )
    yield from predications(reply["rest"].lstrip(" ,.;:-\u2013\u2014"))


def _compare_claim(
    claim: Predication, evidence: Iterable[tuple[Predication, AbstractSet[str]]]
) -> Iterator[Finding]:
    for clause, topic in evidence:
        if claim.modality and clause.modality:
            yield from _Pair(claim, clause, topic).findings()


class _Pair:
    """A clause of the statement beside one of the evidence."""

    def __init__(self, claim: Predication, evidence: Predication, topic: AbstractSet[str]) -> None:
        self.claim = claim
        self.evidence = evidence
        self.claim_concepts = _concepts(claim.content | {claim.predicate}) - {""}
        self.evidence_concepts = _concepts({*evidence.core, evidence.predicate})
        missing = (
            stem
            for stem in self.claim_concepts - self.evidence_concepts
            if not _is_derived(stem, self.evidence_concepts)
        )
        self.missing = frozenset(missing)
        # "The rooms of the Larkmere Inn", where the text is about the Larkmere Inn.
        placed = (
            len(self.claim_concepts) - len(self.missing) >= _FEWEST and claim.predicate not in _BARE
        )
        self.unmatched = self.missing - (topic - evidence.barred if placed else frozenset())
        self.topic = topic

    def findings(self) -> Iterator[Finding]:
        """What the two say of each other."""
        direction = 0
        for kind, turn, supports in self._turns():
            unmatched = self.missing - supports
            if kind == "direction":
                unmatched -= _LIGHT
                if len(self.claim_concepts - unmatched) >= _FEWEST:
                    unmatched -= self.topic - self.evidence.barred
            dated = any(stem[:1].isdigit() or stem in _TIMES for stem in unmatched)
            if turn < 0 and len(unmatched) <= _LOST[kind] and not (dated or self._is_denied()):
                direction = -1
                yield self._finding(kind, agrees=False)
            elif turn > 0 and direction >= 0:
                direction = 1
                compared = kind == "direction"
                opening = frozenset({"or"}) if compared else _OPENING
                if self._is_equal(supports | (_LIGHT if compared else frozenset()), opening):
                    yield self._finding(kind, agrees=True)
        subjects = self.claim.subject, self.evidence.subject
        is_pronoun = not self.evidence.subject and self.claim.subject <= self.topic  # "it", "they"
        free = not self.claim.subject or self.evidence.ordered or is_pronoun
        if direction > 0 or (direction == 0 and (free or _share(*subjects) >= _ALIKE)):
            yield from self._in_words()

    def _finding(self, kind: Kind, *, agrees: bool) -> Finding:
        return Finding(kind, agrees, self.claim.text, self.evidence.text)

    def _turns(self) -> Iterator[tuple[Kind, int, Stems]]:
        """Whether the sides of what both say stand the same way (1) or are exchanged (-1).

        With the words that say it.
        """
        compares = "than" in words(self.claim.text)
        evidence = (*self.evidence.roles, *self.evidence.orders)
        evidence_sides = [
            side for predication in evidence if (side := self._resolve_pronoun(predication))
        ]
        kinds: tuple[tuple[Kind, Sequence[Ordered]], ...] = (
            ("roles", self.claim.roles),
            ("direction", self.claim.orders),
        )
        for kind, claim_sides in kinds:
            for a, b in itertools.product(claim_sides, evidence_sides):
                concepts = {concept(a.concept), concept(b.concept)}
                differ = a.of and b.of and _is_other(a.of, b.of)
                if not differ and (len(concepts) == 1 or concepts <= TRANSFERS):
                    direction = _orientation(a, b)
                    if kind == "roles" and compares:
                        continue
                    anothers = not direction and kind == "roles"
                    exchanged = anothers and self._is_of_another(a, b)
                    stems_said = (
                        a.by | b.first | b.second
                    )  # also behind where another clause may begin
                    yield kind, -1 if exchanged else direction, _concepts(stems_said)

    def _resolve_pronoun(self, ordered: Ordered) -> Ordered | None:
        """With what "it" may mean; None where that is not known."""
        if not (IT & (ordered.first | ordered.second)):
            return ordered
        if not self.topic:
            return None
        first, second = (
            (side - IT) | self.topic if IT & side else side
            for side in (ordered.first, ordered.second)
        )
        return ordered._replace(first=first, second=second)

    def _is_of_another(self, a: Ordered, b: Ordered) -> bool:
        """Whether the statement says of one name what the evidence says of another."""
        texts = self.claim.text, self.evidence.text
        name_stems = [Part(piece=0, context=0, text=text, begins=True).names for text in texts]
        evidence_names = {stem for stem in b.first & name_stems[1] if not stem[:1].isdigit()}
        return (
            bool(a.first & name_stems[0] and evidence_names)
            and not _share(a.first, b.first)
            and _share(a.second, b.second) >= _ALIKE
            and self.missing <= _concepts(a.first | a.by)
        )

    def _is_denied(self) -> bool:
        return self.claim.negated or self.evidence.negated

    def _is_equal(self, supports: Stems = frozenset(), opening: Stems = _OPENING) -> bool:
        """Whether the statement says nothing more than that, and limits it in the same way."""
        claim, evidence = self.claim, self.evidence
        claim_words, evidence_words = (
            set(words(_FURTHER.split(predication.text)[0])) for predication in (claim, evidence)
        )
        limits = (
            claim_words & _LIMITING <= evidence_words and evidence_words & opening <= claim_words
        )
        same = claim.negated == evidence.negated and claim.never == evidence.never
        often = opening != _OPENING or claim.quantity == evidence.quantity
        level = often and claim.modality == evidence.modality
        return (
            self.missing <= supports
            and limits
            and same
            and level
            and claim.barred <= evidence.barred
        )

    def _in_words(self) -> Iterator[Finding]:
        claim, evidence = self.claim, self.evidence
        # What one of them excludes has to be excluded by the other, too.
        if not claim.barred <= evidence.barred or not evidence.barred.isdisjoint(claim.content):
            return
        partly = not _PARTLY.isdisjoint({claim.quantity, evidence.quantity})
        if not self.unmatched and self._same_predicate() and len(self.claim_concepts) >= _FEWEST:
            if claim.negated == evidence.negated:
                if self._is_equal() and (claim.negated or not claim.predicate):
                    yield self._finding("polarity", agrees=True)
            elif not partly and self._denies_whole():
                yield self._finding("polarity", agrees=False)
        elif len(self.unmatched) == 1 and len(self.claim_concepts) > _FEWEST and not partly:
            yield from self._opposites(*self.unmatched)

    def _denies_whole(self) -> bool:
        """Whether what is denied is all of it: not "not all of it", not "not willingly"."""
        claim, evidence = self.claim, self.evidence
        denied = claim if claim.negated else evidence
        if not _SCOPES.isdisjoint(words(denied.text)):
            return False
        return evidence is not denied or set(_MANNER.findall(denied.text)) <= set(
            _MANNER.findall(claim.text)
        )

    def _same_predicate(self) -> bool:
        evidence_concept = concept(self.evidence.predicate)
        return evidence_concept == concept(self.claim.predicate) or (
            not self.claim.predicate and evidence_concept in self.claim_concepts
        )

    def _opposites(self, word: str) -> Iterator[Finding]:
        """Whether the statement has the opposite of a word of the evidence, and all others."""
        claim, evidence = self.claim, self.evidence
        compares = {"than", "as"} & {*claim.text.split(), *evidence.text.split()}
        if compares or claim.ordered:  # of two things: see `Predication.orders`
            return
        for opposite_word in self.evidence_concepts - self.claim_concepts:
            contrary = opposite(word, opposite_word)
            if contrary is None or not self._in_same_position(word, opposite_word):
                continue
            if claim.negated == evidence.negated and not (contrary and claim.negated):
                yield self._finding("direction" if contrary else "polarity", agrees=False)

    def _in_same_position(self, word: str, other_word: str) -> bool:
        """Whether two words are the predicates, or stand between the same words."""
        claim, evidence = self.claim, self.evidence
        predicates = concept(claim.predicate) == word, concept(evidence.predicate) == other_word
        if any(predicates):
            return all(predicates) and claim.stative == evidence.stative
        claim_stems, evidence_stems = (
            [concept(stem) for stem in side.core] for side in (claim, evidence)
        )
        if word not in claim_stems:
            return False
        i, k = claim_stems.index(word), evidence_stems.index(other_word)
        same_after = claim_stems[i + 1 : i + 2] == evidence_stems[k + 1 : k + 2]
        before = claim_stems[max(0, i - 1) : i], evidence_stems[max(0, k - 1) : k]
        return same_after and before[0] == before[1]


def _concepts(stems: Iterable[str]) -> Stems:
    return frozenset(map(concept, stems))


def _is_derived(stem: str, other_stems: Iterable[str]) -> bool:
    """Whether one of the others is of the same root: "compensation" and "compensate"."""
    return len(stem) > _ROOT and any(
        other_stem[:_ROOT] == stem[:_ROOT] and abs(len(other_stem) - len(stem)) <= _ENDING
        for other_stem in other_stems
    )


def _orientation(a: Ordered, b: Ordered) -> int:
    """1 if both stand the same way, -1 if the other way round, 0 if that is not clear."""
    (a_first, a_second), (b_first, b_second) = map(_distinguishing, (a, b))
    straight = min(_share(a_first, b_first), _share(a_second, b_second))
    crossed = min(_share(a_first, b_second), _share(a_second, b_first))
    if straight >= _ALIKE and crossed <= _UNLIKE:
        return 1
    return -1 if crossed >= _ALIKE and straight <= _UNLIKE else 0


def _is_other(a: Stems, b: Stems) -> bool:
    """Whether two things are not one: "the margin of Hale" and "the revenue of Hale" are not."""
    a, b = _concepts(a), _concepts(b)
    return _share(a, b) < _ALIKE or bool(a - b and b - a)


def _distinguishing(ordered: Ordered) -> tuple[Stems, Stems]:
    """What tells the two sides from each other: "3" and "5" of "Ward 3" and "Ward 5"."""
    first, second = ordered.first, ordered.second
    return (
        (first - second, second - first) if first - second and second - first else (first, second)
    )


def _share(a: Stems, b: Stems) -> float:
    a, b = _concepts(a), _concepts(b)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
