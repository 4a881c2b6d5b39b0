"""Whether a figure of a statement is the evidence's figure for the same thing.

Measures with a unit, shares and clock times of the statement are laid beside those of the evidence.
A word belongs to the figure that it stands nearest to, with no other one of its kind between them;
the figure to which most of the statement's words belong is the one to compare. Counts and dates are
words here: they may be said of several things, or be made of what the evidence counts.
"""

# ruff: noqa: SIM905 - word lists read better as prose

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, starmap
from typing import NamedTuple

from assay._text import memoized, quantities, words
from assay._text.amounts import Amount, amounts
from assay._text.entities import is_negated
from assay._text.quantities import same
from assay._text.units import OtherUnit
from assay.judges.embedded.cells import Finding, with_bound

_PER = re.compile(
    r"\s?(?:per|an?|each|every|/)\s?(?P<unit>second|minute|hour|day|night|week|month|quarter|year|"
    r"annum|person|head|kilo|kg|km|litre|liter|h|min|s)\b",
    re.IGNORECASE,
)
# Which may be short for million: then a sign stands before the number.
_METRES = re.compile(r"\sm(?![\w/²³])")
_SECONDS = {
    "second": 1, "s": 1, "minute": 60, "min": 60, "hour": 3600, "h": 3600, "day": 86_400,
    "week": 604_800, "month": 2_629_746, "year": 31_556_952, "annum": 31_556_952,
}  # fmt: skip
_BETWEEN = re.compile(r"[,;.:()]|\b(?:and|but|while|whereas|then|or)\b")
# How much a word belongs to a figure that stands behind a sign, another figure, or far away.
_SIGN, _OTHER, _STEP = 0.8, 0.45, 0.985
# A sentence that begins so speaks of what the one before it names.
_PRONOUN = re.compile(r"(?:It|Its|He|His|She|Her|They|Their|This|These)\b")
_MARGIN = 0.15  # between the best and the second, as a share of the statement's words
_LITTLE = 0.06  # ... where hardly any word belongs more to the second
_AGAINST = 0.25  # how much more a single word may
_AROUND = 0.75  # of the statement's words in the sentence and its neighbours, by weight
_WITHIN = 0.5  # ... in the sentence itself
_MOST = 400  # figures of the evidence
_FEW = 6  # figures of a statement
_TERMS = 9  # figures of which a difference, a sum or a ratio may be made
_CLOSE = 0.006  # how far what was computed may be off, as a share
_ROUGH = 0.06  # ... behind "about" and "nearly"
_FACTORS = (2, 3, 4, 5, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000)
_VAGUE = frozenset(
    "about around roughly nearly almost approximately just over under some circa barely".split()
)
_WORDS = frozenset({"", "date", "times"})  # kinds that are not compared
_SHARED = frozenset({"clock", "share"})  # kinds that may be said of several things
# Beside one of these a figure is computed, or one of several that are compared.
_COMPUTED = frozenset(
    "more fewer less longer shorter later earlier ahead behind higher lower older younger rose "
    "fell grew dropped increased decreased gained lost difference margin left remain remaining "
    "extra cheaper dearer apart added saved faster slower heavier lighter taller further until gap "
    "rise fall increase decrease drop free missing short another additional since before after "
    "together total altogether combined sum overall all times twice half double doubled tripled "
    "thrice third quarter".split()
)
_BOUNDS = frozenset(words.stems("least most more less longer later fewer exceed minimum maximum"))
_NOT_BESIDE = frozenset("except without besides unless if would could".split())


@dataclass(frozen=True)
class Figure:
    """A figure and what it is per.

    Attributes:
        amount: It as an amount; of kind "clock", in minutes, if it is a time of day.
        per: "minute" of "five a minute"; "" if nothing is said.
        half: Whether its half of the day is not said: "half past five".
    """

    amount: Amount
    per: str
    half: bool = False

    @property
    def kind(self) -> str:
        """What it measures."""
        return self.amount.kind or ("date" if self.amount.days else "")

    @property
    def value(self) -> float:
        """How much it is in units of its kind; of a time of day the seconds."""
        return self.amount.value if self.kind != "clock" else 60 * self.amount.number


@memoized(2048, longest=2000)
def figures(text: str) -> tuple[Figure, ...]:
    """The figures of a text in its usual form, in order."""
    collected = [
        Figure(Amount(each.span, each.text, min(keys), 0.0, "clock"), "", len(keys) > 1)
        for each in quantities.quantities(text)
        if (keys := [minutes for kind, minutes in each.keys if kind == "clock"])
    ]
    clocks = [each.amount.span for each in collected]
    for plain_amount in amounts(text):
        amount = plain_amount
        start, end = amount.span
        if not any(start < last and first < end for first, last in clocks):
            metres = None if amount.kind else _METRES.match(text, end)
            if metres:
                span, metric_text = (start, metres.end()), text[start : metres.end()]
                amount = replace(amount, span=span, text=metric_text, kind="length", days=())
            per = _PER.match(text, amount.span[1])
            collected.append(Figure(with_bound(amount, text), per["unit"].lower() if per else ""))
    return tuple(sorted(collected, key=lambda each: each.amount.span))


@dataclass(frozen=True, eq=False)
class Sentence:
    """A piece of evidence with its figures and where its words stand."""

    piece: int
    context: int
    text: str

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Its figures, in order."""
        return figures(self.text)

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """Where each stem begins."""
        starts: dict[str, list[int]] = {}
        at, lowered = 0, self.text.lower()
        for word in words.words(self.text):
            start = lowered.find(word, at)
            at = start + len(word) if start >= 0 else at
            starts.setdefault(words.stem(word), []).append(max(start, 0))
        return {stem: tuple(each) for stem, each in starts.items()}

    @cached_property
    def _signs(self) -> list[int]:
        return [match.start() for match in _BETWEEN.finditer(self.text)]

    def belongs(self, stem: str, figure: Figure) -> float:
        """How much a word of it belongs to one of its figures, in [0, 1]."""
        return max((self._nearness(at, figure) for at in self.places.get(stem, ())), default=0.0)

    def _nearness(self, at: int, figure: Figure) -> float:
        start, end = figure.amount.span
        first, last = (at, start) if at < start else (end, at)
        others = sum(
            1
            for other in self.figures
            if other.kind == figure.kind
            and first <= other.amount.span[0] < last
            and other is not figure
        )
        signs = sum(1 for sign in self._signs if first <= sign < last)
        return float(_OTHER**others * _SIGN**signs * _STEP ** ((last - first) / 6))


def with_figures(pieces: Iterable[tuple[int, int, str]]) -> tuple[Sentence, ...]:
    """The pieces of evidence that have figures; () if there are too many to compare.

    Args:
        pieces: The index, the context and the text of each.
    """
    sentences: list[Sentence] = []
    count = 0
    for piece in starmap(Sentence, pieces):
        if piece.figures:
            sentences.append(piece)
            count += len(piece.figures)
        if count > _MOST:
            return ()
    return tuple(sentences)


class _Candidate(NamedTuple):
    figure: Figure
    sentence: Sentence
    shares: tuple[float, ...]  # how much each of the statement's words belongs to it
    score: float  # ... and all of them, by weight
    covered: float  # ... and how many of them stand in the sentence and around
    within: float  # ... and in the sentence itself
    same: bool


def compare_figures(
    statement: str,
    sentences: Sequence[Sentence],
    weights: words.Weights,
    around: Callable[[int], AbstractSet[str]],
) -> Finding | None:
    """What the evidence says of a statement's figures; None if nothing is clear.

    Args:
        statement: The statement in its usual form.
        sentences: The pieces of the evidence that have figures.
        weights: How much the stems of words count.
        around: The stems of a piece and its neighbours.
    """
    claimed = [each for each in figures(statement) if each.kind not in _WORDS]
    if not claimed or len(claimed) > _FEW or not sentences or is_negated(statement):
        return None
    statement_words = frozenset(words.words(statement))
    if not statement_words.isdisjoint(_NOT_BESIDE) or "=" in statement:
        return None
    figure_stems = frozenset(words.stems(" ".join(f"{f.amount.text} {f.per}" for f in claimed)))
    stems = frozenset(words.stems(statement)) - figure_stems - _BOUNDS
    claim = _ClaimWords(stems, weights, around)
    if not claim.total:
        return None
    findings: list[Finding | None] = []
    for figure in claimed:
        candidates = [
            claim.candidate(figure, other, sentence)
            for sentence in sentences
            for other in sentence.figures
            if other.kind == figure.kind and _may_be(figure, other, claimed)
        ]
        findings.append(
            _checked(figure, statement_words, candidates, sentences) if candidates else None
        )
    wrong = next((each for each in findings if each and not each.agrees), None)
    return wrong if wrong or not all(findings) else findings[0]


def _checked(
    figure: Figure,
    statement_words: frozenset[str],
    candidates: Sequence[_Candidate],
    sentences: Sequence[Sentence],
) -> Finding | None:
    right = max((c for c in candidates if c.same), key=_score, default=None)
    wrong = max((c for c in candidates if not c.same), key=_score, default=None)
    if figure.amount.bound or not statement_words.isdisjoint(_COMPUTED):
        equal = (c for c in candidates if c.figure.value == figure.value)
        given = max(equal, key=_score, default=None)
        return _other_bound(figure, given) if given else None
    kind = figure.kind
    sure = right is not None and kind not in _SHARED and right.covered >= _AROUND
    if right and sure and _is_nearer(right, wrong):
        reason = f"the evidence gives '{right.figure.amount.text}', too"
        return Finding(agrees=True, reason=reason, piece=right.sentence.piece, rule=f"same {kind}")
    if wrong is None or not _is_clear(wrong) or not _is_nearer(wrong, right):
        return None
    if right is not None and kind in _SHARED:
        return None
    vague = not statement_words.isdisjoint(_VAGUE)
    near = _near(wrong.sentence, sentences)
    other_unit = wrong.figure.amount.number == figure.amount.number
    derived = right is None and not other_unit and _is_derived(figure, near, vague=vague)
    # ... or given without its unit.
    if derived or any(
        not each.kind and each.amount.number == figure.amount.number for each in near
    ):
        return None
    # "150 tonnes (330,000 lb)": people compare tonnes with tonnes.
    alike = (
        c
        for c in candidates
        if not c.same
        and c.sentence is wrong.sentence
        and c.figure.amount.size == figure.amount.size
    )
    shown = max(alike, key=_score, default=wrong).figure.amount.text
    reason = f"the evidence gives '{shown}', not '{figure.amount.text}'"
    rule = f"{'other' if right else 'absent'} {kind}"
    differs = OtherUnit(figure.amount.text, shown)
    return Finding(False, reason, wrong.sentence.piece, rule, differs)  # noqa: FBT003


def _may_be(figure: Figure, other: Figure, claimed: Sequence[Figure]) -> bool:
    """Whether the evidence's figure may stand for this one: not if the statement has it besides.

    But "330,000 lb" behind "150 tonnes" is what a statement's "400,000 lb" is compared with.
    """
    return _is_same(figure, other) or not any(
        each.amount.size == other.amount.size and _is_same(each, other) for each in claimed
    )


def _near(sentence: Sentence, sentences: Sequence[Sentence]) -> list[Figure]:
    """The figures of a sentence and its neighbours."""
    return [
        figure
        for other in sentences
        if other.context == sentence.context and abs(other.piece - sentence.piece) <= 1
        for figure in other.figures
    ]


def _is_clear(wrong: "_Candidate") -> bool:
    named = wrong.within >= _WITHIN or (wrong.within and _PRONOUN.match(wrong.sentence.text))
    return bool(named) and wrong.covered >= _AROUND and not wrong.figure.amount.bound


def _other_bound(figure: Figure, right: "_Candidate") -> Finding | None:
    """Whether the evidence has the figure as the most where the statement has it as the least."""
    bounds = figure.amount.bound, right.figure.amount.bound
    if bounds[0] * bounds[1] >= 0 or right.covered < _AROUND or right.within < _WITHIN:
        return None
    own, given = (("at least", "at most")[bound < 0] for bound in bounds)
    reason = f"the evidence says '{given} {right.figure.amount.text}', not '{own}'"
    return Finding(agrees=False, reason=reason, piece=right.sentence.piece, rule="absent bound")


def _is_nearer(candidate: _Candidate, other: _Candidate | None) -> bool:
    """Whether more of the statement's words belong to it, and hardly any to the other one more."""
    if other is None:
        return True
    ahead = [
        share - other_share
        for share, other_share in zip(candidate.shares, other.shares, strict=True)
    ]
    least = _MARGIN if min(ahead) < -_AGAINST else _LITTLE
    return candidate.score >= other.score + least


def _score(candidate: _Candidate | None) -> float:
    return candidate.score if candidate else 0.0


class _ClaimWords(NamedTuple):
    """The words of a statement without its figures."""

    stems: frozenset[str]
    weights: words.Weights
    around: Callable[[int], AbstractSet[str]]

    @property
    def total(self) -> float:
        return sum(self.weights[stem] for stem in self.stems)

    def candidate(self, figure: Figure, other: Figure, sentence: Sentence) -> _Candidate:
        near, total = self.around(sentence.piece), self.total
        pairs = [(stem, self.weights[stem] / total) for stem in sorted(self.stems)]
        shares = tuple(sentence.belongs(stem, other) for stem, _ in pairs)
        score = sum(weight * share for (_, weight), share in zip(pairs, shares, strict=True))
        covered = sum(weight for stem, weight in pairs if stem in near)
        within = sum(weight for stem, weight in pairs if stem in sentence.places)
        return _Candidate(other, sentence, shares, score, covered, within, _is_same(figure, other))


def _is_derived(figure: Figure, others: Sequence[Figure], *, vague: bool) -> bool:
    """Whether a figure may be computed from others."""
    value = figure.value
    close = _ROUGH if vague or figure.amount.bound else _CLOSE
    least = 0.51 * figure.amount.step * figure.amount.size

    def fits(other: float) -> bool:
        return abs(other - value) <= max(close * abs(value), least)

    alike = [each.value for each in others if each.kind == figure.kind][:_TERMS]
    every = [each.value for each in others][:_TERMS]
    factors = [each.value for each in others if each.kind in ("", "share", "times")][:_TERMS]
    if any(map(fits, chain(_sums(alike), _products(every, factors)))):
        return True
    if figure.kind in ("share", "", "times"):
        return any(map(fits, _shares(alike, every)))
    return _is_span(figure, others, fits)


def _sums(values: Sequence[float]) -> Iterator[float]:
    for a, b in combinations(values, 2):
        yield from (a - b, b - a, a + b)
    for each in combinations(values, 3):
        yield from (sum(each), 2 * max(each) - sum(each))
    yield sum(values)
    yield from (value for a in values for k in _FACTORS for value in (a * k, a / k))


def _products(values: Sequence[float], factors: Sequence[float]) -> Iterator[float]:
    for a in values:
        for k in filter(None, factors):
            yield from (a * k, a / k, a * k / 100, a * (100 - k) / 100, a * (100 + k) / 100)
            yield from (100 * a / share for share in (k, 100 - k, 100 + k) if share)


def _shares(alike: Sequence[float], values: Sequence[float]) -> Iterator[float]:
    for a in values:
        for b in filter(None, values):
            yield from (100 * a / b, a / b, 100 * (a - b) / b)
    yield from (100 - a - b for a in alike for b in (0.0, *alike))


def _is_span(figure: Figure, others: Sequence[Figure], fits: Callable[[float], bool]) -> bool:
    """Whether a time lies between two others, or a clock's time is one and so much."""
    clocks = [60 * each.amount.number for each in others if each.kind == "clock"]
    years = [y for each in others for y, _, _ in each.amount.days if y]
    times = [each.amount.value for each in others if each.kind == "time"]
    if figure.kind == "time":
        spans = [(b - a) % half for a in clocks for b in clocks for half in (43_200, 86_400)]
        spans += [(b - a + k) * _SECONDS["year"] for a in years for b in years for k in (0, 1)]
        return any(map(fits, spans))
    if figure.kind == "clock":
        value = 60 * figure.amount.number
        ends = [(a + sign * t - value) % 43_200 for a in clocks for t in times for sign in (1, -1)]
        return 0 in ends
    if figure.kind == "date":
        claimed = [y for y, _, _ in figure.amount.days if y]
        gaps = [t / _SECONDS["year"] for t in times]
        gaps += [each.amount.number for each in others if not each.kind]
        return any(abs(abs(y - a) - gap) < 1.01 for y in claimed for a in years for gap in gaps)
    return False


def _is_same(figure: Figure, other: Figure) -> bool:
    a, b = figure.amount, other.amount
    if figure.kind == "clock":
        both = 720 if figure.half or other.half else 1440
        return a.number % both == b.number % both
    if figure.per and other.per and figure.per != other.per:
        first, second = _SECONDS.get(figure.per), _SECONDS.get(other.per)
        if not first or not second:
            return False
        b = replace(b, number=b.number * first / second)
    return same(a, b)
