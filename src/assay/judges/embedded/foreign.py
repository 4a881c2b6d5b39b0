"""A statement laid beside sentences of its contexts in languages that the network hardly reads.

Where a sentence has all of a statement but one number, date, unit, denial or name, or has it the
other way round, it says otherwise; where nothing differs, it says so.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay._text import lexicons
from assay._text.lexicons import Phrasing, Token, phrasing
from assay._text.relations import opposite
from assay.judges.embedded.wordings import CLASHES, Near, Otherwise, differs

_FEWEST = 2  # things that a statement says
_HEAD = 4  # things at the beginning of a sentence that its later parts are about
_LONG = 400  # characters; what is longer says more than one thing
_OPPOSED = {
    frozenset(pair)
    for pair in (("before", "after"), ("after", "until"), ("above", "under"), ("from", "until"))
}

_TELLING = frozenset({"before", "after", "until", "above", "under", "outside", "without"})
_COMPUTED = frozenset({"more", "less", "above", "under"})


def compare_foreign(statement: str, sentences: Sequence[Near], language: str) -> Otherwise | None:
    """What sentences of the evidence, all of one language, say of a statement worded like them."""
    if len(statement) > _LONG:
        return None
    claim = phrasing(statement, language)
    if len(claim.content) < _FEWEST:
        return None
    findings: list[Otherwise] = []
    for sentence in sentences:
        source = phrasing(sentence.text, language)
        topic = [token for text in sentence.before for token in phrasing(text, language).content]
        findings += _Beside(claim, source, topic, language).findings()
    return next((finding for finding in findings if finding.agrees), next(iter(findings), None))


class _Place(NamedTuple):
    """Where in a sentence something of the statement stands."""

    claim: int
    source: int


class _Beside:
    """A statement beside a sentence."""

    def __init__(
        self, claim: Phrasing, source: Phrasing, topic: Sequence[Token], language: str
    ) -> None:
        self.claim, self.source, self.topic, self.language = claim, source, topic, language

    def same(self, first: Token, second: Token) -> bool:
        return lexicons.same(first, second, self.language)

    def findings(self) -> Iterator[Otherwise]:
        """What the parts of the sentence say of the statement."""
        parts = sorted({token.part for token in self.source.content})
        sizes = {part: self._size((part,)) for part in parts}
        best = max(sizes.values(), default=0)
        if not best:
            return
        for part in parts:
            if sizes[part] == best:
                finding = self._finding_in((part,))
                if finding:
                    yield finding
                    return
        for first, second in itertools.pairwise(parts):
            # Both said in full: "It opened in 1921 and closed in 1950".
            if self._size((first, second)) > best and (
                finding := self._finding_in((first, second))
            ):
                yield finding
                return

    def _size(self, parts: tuple[int, ...]) -> int:
        pool = [token for token in self.source.content if token.part in parts]
        return sum(any(self.same(a, b) for b in pool) for a in self.claim.content)

    def _finding_in(self, parts: tuple[int, ...]) -> Otherwise | None:
        """What some parts of the sentence, read as one, say of the statement."""
        claim = self.claim.content
        pool = [token for token in self.source.content if token.part in parts]
        places = self._lay_out(claim, pool)
        matched = {place.claim for place in places}
        missing = [i for i in range(len(claim)) if i not in matched]
        used = {place.source for place in places}
        extra = [i for i in range(len(pool)) if i not in used]
        is_own = any(_is_name(pool[i]) for i in extra)
        is_own = is_own or min(used, default=0) > 0 or not _is_straight(places)
        carried = set() if is_own else self._carried_over(missing, parts[0])
        missing = [i for i in missing if i not in carried]
        if len(matched) < _FEWEST - (len(carried) + len(missing) > 0) or len(missing) > 1:
            return None
        if self._limits(parts):
            return None
        if missing:
            return None if carried else self._but_for(missing[0], places, pool, extra, parts)
        return self._finding_of_all(places, pool, extra, parts)

    def _lay_out(self, claim: Sequence[Token], pool: Sequence[Token]) -> list[_Place]:
        """For each thing of the statement the place in the sentence that is nearest to the last."""
        places: list[_Place] = []
        used: set[int] = set()
        for i, token in enumerate(claim):
            options = [
                k
                for k, token_there in enumerate(pool)
                if k not in used and self.same(token, token_there)
            ]
            if options:
                last = places[-1].source if places else -1
                best = min(options, key=lambda k: (k < last, abs(k - last)))
                places.append(_Place(i, best))
                used.add(best)
        return places

    def _carried_over(self, missing: Sequence[int], part: int) -> set[int]:
        """What the sentence is about without saying so in this part."""
        heads = [token for token in self.source.content if token.part < part][:_HEAD]
        # "Bolle likes children and can be left alone": not somebody of the sentence before.
        subject_tokens = heads if any(_is_name(token) for token in heads) else [*heads, *self.topic]
        claim = self.claim.content
        words = [i for i in missing if claim[i].sort in {"word", "name"}]
        carried = {i for i in words if any(self.same(claim[i], token) for token in subject_tokens)}
        begins = set(range(min(_HEAD, len(carried))))  # what it is about
        return carried if carried == begins else set()

    def _limits(self, parts: tuple[int, ...]) -> bool:
        """Whether one of the two limits what the other does not."""
        source = {limit for part, limit in self.source.limits if part in parts}
        return source != {limit for _, limit in self.claim.limits}

    def _denials(self, parts: tuple[int, ...]) -> tuple[bool, bool]:
        return bool(self.claim.denied), not self.source.denied.isdisjoint(parts)

    def _finding_of_all(
        self,
        places: Sequence[_Place],
        pool: Sequence[Token],
        extra: Sequence[int],
        parts: tuple[int, ...],
    ) -> Otherwise | None:
        claim, source = self._denials(parts)
        is_several = len(parts) > 1
        if claim != source:
            doubt = "one of the two is negated, the other is not"
            return None if is_several or extra else differs("denied", doubt)
        turned, small = (
            self._are_exchanged(places, pool, parts),
            self._small_word_doubt(places, pool),
        )
        for rule, says in (
            ("quantity", self._quantities(parts)),
            ("order", small or ""),
            ("exchanged", "the evidence has it the other way round" if turned else ""),
        ):
            if says:
                return differs(rule, says)
        unclear = (
            turned is None or small is None or self._modals(parts) or self._limits_otherwise(parts)
        )
        if is_several:
            mixed = len(extra) > len(places) // 3 or not _is_straight(places)
            unclear = unclear or claim or mixed
        return None if unclear else Otherwise(agrees=True, rule="same words", doubt="")

    def _modals(self, parts: tuple[int, ...]) -> bool:
        source = {modal for part, modal in self.source.modals if part in parts}
        return source != {modal for _, modal in self.claim.modals}

    def _quantities(self, parts: tuple[int, ...]) -> str:
        claim = {quantity for _, quantity in self.claim.quantities}
        source = {quantity for part, quantity in self.source.quantities if part in parts}
        for claimed in claim:
            for quantity_there in source:
                if claimed in CLASHES.get(quantity_there, ()):
                    return f"it says '{claimed}' where the evidence says '{quantity_there}'"
        return ""

    def _limits_otherwise(self, parts: tuple[int, ...]) -> bool:
        """Whether the statement says it of others, or in another order of time or place."""
        claim = {quantity for _, quantity in self.claim.quantities}
        source = {quantity for part, quantity in self.source.quantities if part in parts}
        small = {token.key for token in self.claim.tokens if token.sort == "small"} - {"with", "to"}
        small_words = {t.key for t in self.source.tokens if t.sort == "small" and t.part in parts}
        return bool(claim - source or small - small_words)

    def _small_word_doubt(self, places: Sequence[_Place], pool: Sequence[Token]) -> str | None:
        """Where the same stands behind "before" here and "after" there; None where unclear."""
        followed = [
            _small_words_before(tokens) for tokens in (self.claim.tokens, self.source.tokens)
        ]
        unclear = False
        for place in places:
            a, b = self.claim.content[place.claim], pool[place.source]
            claim, source = followed[0].get(id(a), ""), followed[1].get(id(b), "")
            if frozenset({claim, source}) in _OPPOSED:
                return f"it says '{claim}' where the evidence says '{source}'"
            unclear |= claim != source and bool({claim, source} & _TELLING)
        return None if unclear else ""

    def _are_exchanged(
        self, places: Sequence[_Place], pool: Sequence[Token], parts: tuple[int, ...]
    ) -> bool | None:
        """Whether two things are exchanged; None if that is not clear."""
        claim = self.claim.content
        ranges = [place for place in places if claim[place.claim].sort in {"date", "number"}]
        if not _is_straight(ranges):  # "from Tuesday to Thursday"
            return None
        order = [place for place in places if claim[place.claim].sort in {"word", "name"}]
        passive = bool(self.claim.passive) != (not self.source.passive.isdisjoint(parts))
        if len(order) < _FEWEST + 1:
            return False
        if self.language == "JAPANESE":
            pairs = [(claim[p.claim].led, pool[p.source].led) for p in order]
            subject, thing_marks = {"は", "が"}, {"を", "に"}
            falling = any(m in subject and t in thing_marks for m, t in pairs)
            rising = any(m in thing_marks and t in subject for m, t in pairs)
            return (
                (falling and rising) is not passive
                if falling or rising
                else (None if passive else False)
            )
        runs = _runs(order)
        a, b = runs[0][0], runs[-1][0]
        leads = [(claim[place.claim].led, pool[place.source].led) for place in (a, b)]
        inner = [place.source for run in runs[1:-1] for place in run]
        if inner and all(b.source < k < a.source for k in inner):
            moved = leads[0][0] != leads[0][1] or leads[1][0] != leads[1][1]
            return False if passive else None if moved else True
        if any(b > a > c for b, a, c in _triples([place.source for place in order])):
            return None
        # Said in the active here, in the passive there, and all the same in the same order.
        acts = (
            passive
            and len(runs) == 1
            and all(claim[i].text[0].isupper() for i in _first_and_last(order))
        )
        return True if acts else None if passive else False

    def _but_for(
        self,
        index: int,
        places: Sequence[_Place],
        pool: Sequence[Token],
        extra: Sequence[int],
        parts: tuple[int, ...],
    ) -> Otherwise | None:
        """What it says where one thing of the statement is not there, and another is."""
        claimed = self.claim.content[index]
        claim, source = self._denials(parts)
        for k in extra:
            token = pool[k]
            contrary = opposite(claimed.key, token.key)
            doubt = f"it says '{claimed.text}' where the evidence has '{token.text}'"
            if contrary is not None and claimed.sort == token.sort:
                if claim == source:
                    return differs("opposite", doubt)
                return None
            too_few = len(places) < _FEWEST
            if too_few or claim != source or not self._takes_place(index, k, places, pool):
                continue
            computed = any(token.key in _COMPUTED for token in self.source.tokens)
            if claimed.sort == token.sort == "number" and _are_comparable(claimed, token):
                if computed:  # "eleven, three more than the other"
                    return None
                return differs("value", doubt)
            names = claimed.sort == token.sort == "name"
            mixed = self._stands_elsewhere(claimed) and token.sort == claimed.sort != "number"
            if self.language == "JAPANESE":
                mixed = mixed and bool(claimed.led and token.led)
            if names or mixed:
                return differs("name", doubt)
        return None

    def _stands_elsewhere(self, claimed: Token) -> bool:
        """Whether the sentence or those before it have it elsewhere."""
        return any(self.same(claimed, token) for token in (*self.source.content, *self.topic))

    def _takes_place(
        self, index: int, k: int, places: Sequence[_Place], pool: Sequence[Token]
    ) -> bool:
        """Whether another thing stands in the sentence where this one does in the statement."""
        to = {place.claim: place.source for place in places}
        number = pool[k].sort == "number"
        before = to.get(index - 1, -1 if index == 0 else None) == k - 1
        after = (
            to.get(index + 1, len(pool) if index + 1 == len(self.claim.content) else None) == k + 1
        )
        return (before or after) if number else (before and after)


def _is_name(token: Token) -> bool:
    return token.sort == "name" or token.text[0].isupper()


def _is_straight(places: Sequence[_Place]) -> bool:
    """Whether everything stands in the same order."""
    order = [place.source for place in places]
    return order == sorted(order)


def _triples(order: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    yield from zip(order, order[1:], order[2:], strict=False)


def _first_and_last(order: Sequence[_Place]) -> tuple[int, int]:
    return order[0].claim, order[-1].claim


def _runs(order: Sequence[_Place]) -> list[list[_Place]]:
    """Places in a row that stand in a row in the sentence, too."""
    runs: list[list[_Place]] = []
    for place in order:
        if runs and runs[-1][-1].source + 1 == place.source:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _are_comparable(claimed: Token, other: Token) -> bool:
    """Whether two numbers count the same, or are the same of different units."""
    return claimed.unit == other.unit or claimed.amount == other.amount


def _small_words_before(tokens: Sequence[Token]) -> dict[int, str]:
    """The small word before each thing."""
    return {
        id(after): before.key
        for before, after in itertools.pairwise(tokens)
        if before.sort == "small" and after.sort != "small"
    }
