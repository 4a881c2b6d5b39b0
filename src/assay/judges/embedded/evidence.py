"""What a statement claims, what the contexts offer as evidence, and which of it is read."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay._text import entities, memoized, numbers, quantities, words
from assay._text.expressions import expression
from assay._text.grids import Grid, grids
from assay._text.lexicons import language_of
from assay._text.markup import without_lead, without_pointers, without_tags
from assay._text.numbers import Normalized, normalize
from assay._text.questions import kind_of
from assay._text.records import units
from assay._text.refusals import absence_claim
from assay._text.units import Measure, measures
from assay.judges.embedded.sentence_parts import Part, parts
from assay.judges.embedded.surface import Vocabulary, plain, vocabulary
from assay.judges.embedded.swaps import Pair, find_siblings, pairs

Lengths = Sequence[int] | npt.NDArray[np.int64]  # of the pieces of evidence, in tokens

_FEW_STEMS = 3  # stems of a piece; with less it cannot be told whether it is foreign
_AGAIN = 0.25  # what a word counts for a piece when a chosen piece has it already

_ABOUT = expression(
    r"\b(?:about|around|approximately|approx|nearly|almost|roughly|over|under|more than|less than|"
    r"at least|at most|up to|some|estimated|close to)\b|~",
    re.IGNORECASE,
)
# More signs than a few are a line that is drawn; without a bound each would begin the search anew.
# Not possessive: Python before 3.11.5 loses the groups of what it repeats so.
_SIGNED = expression(
    r"((?:(?<!\w)[-\u2212\u2013+±]|[<>≤≥]=?\s?|[$€£¥]\s?){0,8})(\d+(?:[.,]\d+){0,8})(\s?[%$€£¥](?!\d))?"
    r"|(?<=[A-Za-z])([+#]+)(?!\w)"
)
# Letters, or they would be no part of a word; every minus and dash is one.
_LETTERS = str.maketrans(
    {sign: f"sign{chr(97 + i)}" for i, sign in enumerate("-+±<>≤≥=$€£¥%#")}
    | dict.fromkeys("\u2212\u2013", "signa")
    | {" ": ""}
)
_PHRASE = expression(r"\?\s+(?=\S)")
_FEW = 8  # words that answer a question without being a sentence
_NO_NAMES = frozenset({"yes", "no", "true", "false", "both", "none", "neither", "nobody", "never"})


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement without what only points at its sources.

    Attributes:
        content_stems: The stems of its content words.
        figures: Those of them that are numbers.
        content: Its content words in order, each once.
        plain: Its words in lower case, each between blanks; "" without any. "Passage 2" stays.
        exact: The same with the signs of its numbers (see `exact`).
        length: How many words those are.
        start: Where its claim begins, behind a question; else 0.
        stems: The stems of the claim's content words, in order.
        numbers: The claim's numbers, in plain form, as they are written.
        tolerance: How far these may be off, as a share: more than 0 for "about 50".
        names: The claim's names.
        calendar: Its months and week days.
        denies: Whether it denies something.
        replied: What it claims without the yes-no question before it, "It's in stock".
    """

    content_stems: frozenset[str]
    figures: frozenset[str]
    content: tuple[str, ...]
    plain: str
    exact: str
    length: int
    start: int
    stems: tuple[str, ...]
    numbers: Mapping[str, str]
    tolerance: float
    names: tuple[str, ...]
    calendar: frozenset[str]
    denies: bool
    replied: "Claim | None"


@memoized(512, longest=2000)
def read_claim(statement: str) -> Claim:
    """What a statement claims."""
    claim_text = without_lead(statement) or statement
    statement = without_pointers(statement) or statement
    content_stems = frozenset(words.stems(statement))
    start = claim_start(statement)
    # Behind other words a capital makes a name of an answer's first word, too.
    text = f"it is {statement[start:]}" if start else statement
    spoken = words.words(claim_text)
    candidates = (name for name in entities.names(text) if name.lower() not in _NO_NAMES)
    return Claim(
        content_stems=content_stems,
        figures=frozenset(stem for stem in content_stems if stem[:1].isdigit()),
        content=tuple(dict.fromkeys(words.content_words(statement))),
        plain=f" {' '.join(spoken)} " if spoken else "",
        exact=exact(claim_text),
        length=len(spoken),
        start=start,
        stems=tuple(words.stems(statement[start:]) or words.stems(statement)),
        numbers=numbers.numbers(text),
        tolerance=0.05 if _ABOUT.search(text) else 0.0,
        names=tuple(name for name in candidates if not numbers.numbers(name)),
        calendar=frozenset(entities.calendar_words(statement)),
        # "The passages do not mention it" denies nothing.
        denies=entities.is_negated(statement) and absence_claim(statement) is None,
        replied=read_claim(statement[start:]) if _asks_plainly(statement[:start]) else None,
    )


def _asks_plainly(question: str) -> bool:
    """Whether a question wants a yes or no and denies nothing itself."""
    return kind_of(question) == "yes or no" and not entities.is_negated(question)


def exact(text: str) -> str:
    """Its words in lower case, each between blanks, with the signs that stand at them.

    "-15", "$5", "5%", "< 18" and "C++" are no "15", "5", "18" and "C"; "5 €" is "€5".
    """
    signed = _SIGNED.sub(_with_signs, text).replace("⁻", "signa")  # "10⁻⁶" is no "10⁶"
    return f" {' '.join(words.words(signed))} "


def _with_signs(match: re.Match[str]) -> str:
    before, number, sign_after, letters = match.group(1, 2, 3, 4)
    signs = "".join((before or "", sign_after or "", letters or "")).translate(_LETTERS)
    return signs + (number or "")


def claim_start(statement: str) -> int:
    """Where its claim begins: behind the question in "Who built it? Eiffel", else at 0.

    The words of a question claim nothing.
    """
    match = _PHRASE.search(statement)
    phrase = words.words(statement[match.end() :]) if match else []
    # With "Yes" the question itself is what is claimed.
    claims = 0 < len(phrase) <= _FEW and phrase[0] not in _NO_NAMES
    return match.end() if match and claims else 0


LONGEST = 60  # words; a longer unit is cut into pieces of at most this
_WORD = expression(r"\S+")

Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Piece:
    """A unit of a context, or a stretch of 60 words of one that is longer.

    Attributes:
        context: Its place among the contexts, from 0.
        text: What is read.
        stems: The stems of its words.
        plain: Its words in lower case, each between blanks.
        start: Where its unit stands in the context.
        end: Where that ends.
        written: The same words as the context writes them: "250K" is read as "250,000".
    """

    context: int
    text: str
    stems: tuple[str, ...]
    plain: str
    start: int
    end: int
    written: str

    def as_written(self, fragment: str) -> str:
        """Some of its words as the context writes them."""
        return as_written(fragment, normalize(self.written), self.written)


class Around(NamedTuple):
    """What stands in a piece and its neighbours."""

    stems: frozenset[str]
    words: frozenset[str]  # as `facts.lookup` gives them, and the stems
    numbers: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything looked up again and again while statements are checked against contexts."""

    pieces: tuple[Piece, ...]
    sets: tuple[frozenset[str], ...]  # the stems of each piece
    sayings: frozenset[str]  # what the pieces say, each as a whole
    places: Mapping[str, Places]  # the pieces in which a stem stands, in order
    weights: words.Weights  # inverse frequency of a stem among the pieces
    stems: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    numbers: Mapping[str, str]
    words: frozenset[str]  # as `facts.lookup` gives them, stop words included, and their stems
    acronyms: frozenset[str]
    _around: dict[int, Around] = field(default_factory=dict, repr=False)

    @cached_property
    def language(self) -> str:
        """Its language if `lexicons.tsv` has words of it; else ""."""
        return language_of(tuple(piece.text for piece in self.pieces))

    def window(self, piece: int) -> range:
        """The piece and its neighbours in the same context."""
        context = self.pieces[piece].context
        first = piece - 1 if piece > 0 and self.pieces[piece - 1].context == context else piece
        last = piece + 1
        if last < len(self.pieces) and self.pieces[last].context == context:
            last += 1
        return range(first, last)

    def before(self, piece: int, count: int) -> Iterator[str]:
        """The sentences before a piece in its context, at most so many, in order."""
        context = self.pieces[piece].context
        for unit in self.pieces[max(0, piece - count) : piece]:
            if unit.context == context:
                yield unit.text

    def topic(self, piece: int) -> frozenset[str]:
        """The stems of what a piece may be about: of the one before it and of the first one."""
        first = piece
        while first > 0 and self.pieces[first - 1].context == self.pieces[piece].context:
            first -= 1
        before = {first, max(first, piece - 1)} - {piece}
        return frozenset().union(*(self.sets[i] for i in before))

    def around(self, piece: int) -> Around:
        """What stands in the piece and its neighbours; looked up once."""
        surroundings = self._around.get(piece)
        if surroundings is None:
            window = self.window(piece)
            text = " ".join(self.pieces[i].text for i in window)
            stems = frozenset().union(*(self.sets[i] for i in window))
            surroundings = Around(stems, stems.union(entities.lookup(text)), numbers.numbers(text))
            self._around[piece] = surroundings
        return surroundings

    @cached_property
    def groups(self) -> list[int]:
        """A number for each piece: the same for those that share a word, and so on."""
        groups = list(range(len(self.pieces)))

        def first(piece: int) -> int:
            while groups[piece] != piece:
                groups[piece] = piece = groups[groups[piece]]
            return piece

        for holders in self.places.values():
            together = [first(piece) for piece in holders.tolist()]
            for number in together:
                groups[number] = min(together)
        return [first(piece) for piece in groups]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the pieces, in order."""
        collected: list[Part] = []
        for i, piece in enumerate(self.pieces):
            last = collected[-1] if collected else None
            before = (last.whole or last.text) if last and last.context == piece.context else ""
            collected += parts(piece.text, i, piece.context, before)
        return tuple(collected)

    @cached_property
    def alike(self) -> tuple[Pair, ...]:
        """Those of them that say the same of different things."""
        return tuple(pairs(self.parts))

    @cached_property
    def siblings(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Words that tell several things of one kind apart."""
        return find_siblings(self.parts, self.alike)

    @cached_property
    def grids(self) -> tuple[Grid, ...]:
        """The tables and records of the contexts."""
        return grids([(piece.context, piece.text) for piece in self.pieces])

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The numbers of the pieces with their units."""
        return tuple(measure for piece in self.pieces for measure in measures(piece.text))

    @cached_property
    def by_sign(self) -> tuple[frozenset[str], frozenset[str]]:
        """Its numbers below zero, and the others."""
        number_sets = [numbers.by_sign(piece.text) for piece in self.pieces]
        below, above = zip(*number_sets, strict=True) if number_sets else ((), ())
        return frozenset().union(*below), frozenset().union(*above)

    @cached_property
    def _spellings(self) -> dict[quantities.Key, list[str]]:
        return quantities.spellings_of(piece.text for piece in self.pieces)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Its words as they are written."""
        return vocabulary(piece.text for piece in self.pieces)

    def read(self, statement: str) -> Normalized:
        """A statement in its usual form, with words and amounts as the evidence writes them."""
        plain_form = plain(statement, self.vocabulary)
        normalized = normalize(plain_form.text)
        if plain_form.changes:
            normalized = replace(normalized, before=plain_form)
        return (
            quantities.written_like(normalized, self._spellings)
            if quantities.quantities(normalized.text)
            else normalized
        )

    def shared(self, stems: Iterable[str]) -> npt.NDArray[np.float64]:
        """The weight of these stems, each given once, that every piece has; shape (pieces,)."""
        shares = np.zeros(len(self.pieces))
        for stem in sorted(stems):  # sums depend on the order, and so would ties
            if stem in self.places:
                shares[self.places[stem]] += self.weights[stem]
        return shares


def prepare(contexts: Sequence[str]) -> Evidence:
    """Split contexts into pieces and look up their words once.

    The pieces are the same, in the same order, in whatever order the contexts are given.
    """
    in_order = sorted(enumerate(contexts), key=lambda numbered: numbered[1])
    pieces = tuple(
        Piece(index, *fields) for index, context in in_order for fields in _pieces_of(context)
    )
    sets = tuple(frozenset(piece.stems) for piece in pieces)
    indices_by_stem: dict[str, list[int]] = {}
    for index, stems in enumerate(sets):
        for stem in stems:
            indices_by_stem.setdefault(stem, []).append(index)
    full_text = "\n".join(context for _, context in in_order)
    # As written and as read: "OutdoorSeating" and "outdoor seating".
    plain = frozenset(entities.lookup(full_text)).union(*(piece.plain.split() for piece in pieces))
    return Evidence(
        pieces=pieces,
        sets=sets,
        sayings=frozenset(piece.plain for piece in pieces),
        places={stem: np.array(indices) for stem, indices in indices_by_stem.items()},
        weights=words.inverse_frequency(sets),
        stems=frozenset(indices_by_stem),
        bigrams=frozenset().union(*(words.bigrams(piece.stems) for piece in pieces)),
        numbers=numbers.numbers(normalize(full_text).text),
        words=plain.union(map(words.stem, plain)),
        acronyms=frozenset(entities.acronyms(full_text)),
    )


@memoized(128, longest=20_000)
def _pieces_of(context: str) -> tuple[tuple[str, tuple[str, ...], str, int, int, str], ...]:
    # A context is judged among its neighbours and alone, and again for the next question.
    pieces = []
    for unit in units(without_tags(context)):
        read = normalize(unit.text)
        for span in _cut_spans(read.text):
            text, original = read.text[slice(*span)], unit.text[slice(*read.original(span))]
            stems, spoken = tuple(words.stems(text)), f" {' '.join(words.words(text))} "
            pieces.append((text, stems, spoken, unit.start, unit.end, original))
    return tuple(pieces)


def _cut_spans(text: str) -> list[tuple[int, int]]:
    matches = list(_WORD.finditer(text))
    if len(matches) <= LONGEST:
        return [(0, len(text))]
    count = -(-len(matches) // LONGEST)
    size = -(-len(matches) // count)
    chunks = [matches[i : i + size] for i in range(0, len(matches), size)]
    return [(chunk[0].start(), chunk[-1].end()) for chunk in chunks]


def as_written(fragment: str, read: Normalized, written: str) -> str:
    """Words of a text in its usual form as they are written; the same where they are not found.

    Args:
        fragment: The words, in whichever case.
        read: The text in its usual form.
        written: The text.
    """
    start = _place_of(fragment, read.text)
    if start < 0 and fragment.isascii() and read.text.isascii():
        start = _place_of(fragment.lower(), read.text.lower())
    elif start < 0:  # a letter and its capital may differ in length
        pattern = rf"(?<!\w){re.escape(fragment)}(?!\w)"
        if match := re.search(pattern, read.text, re.IGNORECASE):
            return written[slice(*read.original(match.span()))]
    end = start + len(fragment)
    return fragment if start < 0 else written[slice(*read.original((start, end)))]


def _place_of(fragment: str, text: str) -> int:
    """Where words stand that are no part of others; -1 if nowhere."""
    start = text.find(fragment)
    while start >= 0:
        end = start + len(fragment)
        around = text[max(0, start - 1) : start] + text[end : end + 1]
        if not any(sign == "_" or sign.isalnum() for sign in around):
            return start
        start = text.find(fragment, start + 1)
    return -1


def nearest_first(
    selected: Sequence[int], claim_stems: AbstractSet[str], evidence: Evidence
) -> list[int]:
    """The selected pieces context by context, that one first whose best piece shares most."""
    if len({evidence.pieces[piece].context for piece in selected}) < 2:
        return list(selected)
    shares = evidence.shared(claim_stems)
    best: dict[int, float] = {}
    for piece in selected:
        context = evidence.pieces[piece].context
        best[context] = max(best.get(context, 0.0), float(shares[piece]))
    return sorted(selected, key=lambda piece: -best[evidence.pieces[piece].context])


def select_pieces(
    claim_stems: AbstractSet[str], evidence: Evidence, lengths: Lengths, budget: int
) -> list[int]:
    """The pieces to show within a budget of tokens: those that share most with the statements.

    If there is room for all, all. Else greedy: first the piece that adds most
    of the statements' words not yet shown, by their weight; then the neighbours of those; then
    the rest by what they share.
    """
    room = np.asarray(lengths)
    if room.sum() <= budget:
        return list(range(len(room)))
    shares = evidence.shared(claim_stems)
    new = shares.copy()  # what of it no chosen piece has
    cost = np.sqrt(room + 20)
    gains = shares / cost
    covered: set[str] = set()
    selection: list[int] = []
    left = budget
    while left > 0 and gains[best := int(gains.argmax())] > 0:
        added = (evidence.sets[best] & claim_stems) - covered
        covered |= added
        selection.append(best)
        left -= int(room[best])
        if added and left > 0:
            left = _with_neighbours(best, selection, evidence, lengths, left)
        for stem in added:
            new[evidence.places[stem]] -= evidence.weights[stem]
        if added:
            gains = (new + _AGAIN * (shares - new)) / cost
        # What no longer fits never will.
        gains[room > left] = 0
        gains[selection] = 0
    return sorted(selection)


def connected(claim_stems: AbstractSet[str], evidence: Evidence) -> list[int]:
    """The pieces that share a word with a statement, or with such a piece, and so on.

    What shares none is foreign, as an advertisement is or an order to whoever judges, and would
    sway the verdict. A piece stays before one that stays, since that one's pronouns may mean what
    it says, and so does one of few words, as "Yes." is; all stay where nothing is shared.
    """
    groups = evidence.groups
    reached = {groups[evidence.places[stem][0]] for stem in claim_stems & evidence.stems}
    if not reached:
        return list(range(len(groups)))
    stays = [group in reached for group in groups]
    for i in range(1, len(stays)):
        if stays[i] and evidence.pieces[i].context == evidence.pieces[i - 1].context:
            stays[i - 1] = True
    return [
        i
        for i, piece_stems in enumerate(evidence.sets)
        if stays[i] or len(piece_stems) < _FEW_STEMS
    ]


def _with_neighbours(
    piece: int, selection: list[int], evidence: Evidence, lengths: Lengths, left: int
) -> int:
    """Keep the piece before, which says what its pronouns mean, if it is short; what is left."""
    previous = min(evidence.window(piece))
    if previous not in selection and lengths[previous] <= left // 4:
        selection.append(previous)
        left -= int(lengths[previous])
    return left
