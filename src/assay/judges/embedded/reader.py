"""The trained network that reads statements beside evidence and sentences beside a question.

A window is `[CLS] texts [SEP] yardstick [SEP]` in token ids, at most 384 of them, read in one pass.
Statements that follow each other share a window as long as they take no more than 128 tokens, but
for those that are foreign to the evidence. `training/verifier` builds its examples with this code.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from assay._text import entities, memoized, numbers
from assay._text.words import STOP_WORDS, WORD, stem, stems, words
from assay.judges.embedded.adapted import NETWORK, Adapted
from assay.judges.embedded.evidence import Evidence
from assay.judges.embedded.inference import Passes, load, session, tokenizer, workers

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Numbers = npt.NDArray[np.int32]
Lengths = Sequence[int] | npt.NDArray[np.int64]  # of the pieces of evidence, in tokens

# Behind the colon the SHA-256 of the weights: a run that needs none of them does not read them.
NAME = "reader-l6-int8:8c526c08"
LONGEST = 384  # tokens of a window
STATED = 128  # ... of them at most so many of statements
FOREIGN = 6  # one in so many stems of a statement stands in a piece, or it is read apart
ASKED = 96  # ... and of a question; the middle of a longer one is left out
FIRST, LAST = 101, 102  # ids of [CLS] and [SEP]

# Token types: what is known of a token before the model reads it.
EVIDENCE, ABSENT, PRESENT, UNKNOWN, QUESTION, NEAR = range(6)

_BEHIND = np.iinfo(np.int32).max  # where no word begins any more
_FEW = 3  # stems of a piece; with less it cannot be told whether it is foreign
_AGAIN = 0.25  # what a word counts for a piece when a chosen piece has it already


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a text, or some that follow each other."""

    ids: Numbers  # shape (tokens,)
    offsets: Numbers  # the first character of each and the one behind it, shape (tokens, 2)

    @classmethod
    def of(cls, ids: Sequence[int], offsets: Sequence[tuple[int, int]]) -> "Tokens":
        """As a tokeniser gives them."""
        return cls(np.asarray(ids, np.int32), np.asarray(offsets, np.int32).reshape(-1, 2))

    def __len__(self) -> int:
        """How many."""
        return len(self.ids)

    def cut(self, first: int, last: int) -> "Tokens":
        """Those from the first to before the last."""
        return Tokens(self.ids[first:last], self.offsets[first:last])


Tokenise = Callable[[str], Tokens]


class Part(NamedTuple):
    """A text, or a stretch of one that is longer than a window, and where it stands."""

    text: int  # its index
    first: int  # index into the window's ids
    last: int  # exclusive
    tokens: Tokens


@dataclass(frozen=True)
class Window:
    """What the model reads in one pass."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    parts: tuple[Part, ...]
    pieces: tuple[int, ...]  # of the evidence, those that are shown


Stretch = tuple[int, Tokens]  # the index of a text and some of its tokens


def supporting(
    statements: Sequence[str], evidence: Evidence, tokenise: Tokenise, *, together: bool = True
) -> list[Window]:
    """The windows in which statements are read beside their evidence, each statement once.

    `together=False` gives every statement a window of its own.
    """
    tokens = [tokenise(statement) for statement in statements]
    shown = [tokenise(piece.text).ids.tolist() for piece in evidence.pieces]
    lengths = np.array([len(ids) for ids in shown])
    marked = [_Marked.of(statement, evidence) for statement in statements]

    @cache  # the stretches of a long statement all want the same
    def pieces(wanted: frozenset[str], budget: int) -> list[int]:
        return chosen(wanted, evidence, lengths, budget)

    apart = {i for i, one in enumerate(marked) if _is_foreign(one.statement.wanted, evidence)}
    rows = _rows(tokens, STATED if together else 0, STATED, apart=apart)
    return [_beside_evidence(row, marked, shown, pieces, evidence) for row in rows]


def answering(
    question: str, texts: Sequence[str], tokenise: Tokenise, begins: AbstractSet[int] = frozenset()
) -> list[Window]:
    """The windows in which sentences are read beside a question, each sentence once.

    A sentence that `begins` a context, by its index, shares no window with those before it.
    """
    asked = tokenise(question).ids.tolist()
    if len(asked) > ASKED:
        asked = [*asked[: ASKED // 2], *asked[-ASKED // 2 :]]
    room = LONGEST - len(asked) - 3
    rows = _rows([tokenise(text) for text in texts], room, room, begins=begins)
    return [_beside_question(row, asked) for row in rows]


def _rows(
    tokens: Sequence[Tokens],
    together: int,
    longest: int,
    *,
    apart: AbstractSet[int] = frozenset(),
    begins: AbstractSet[int] = frozenset(),
) -> list[list[Stretch]]:
    """Texts that share a window: as many as take up to `together` tokens, in order.

    A text of more than `longest` tokens is read in stretches, each in a window of its own; those
    that are to be read `apart` have one each, and one that `begins` something has a new one.
    """
    rows: list[list[Stretch]] = []
    row: list[Stretch] = []  # what further texts may join
    room = 0
    for i, mine in enumerate(tokens):
        if len(mine) > longest:
            rows.extend([(i, mine.cut(*cut))] for cut in _cuts(len(mine), longest))
            room = 0
        elif i in apart:
            rows.append([(i, mine)])
        elif row and len(mine) <= room and i not in begins:
            row.append((i, mine))
            room -= len(mine)
        else:
            row = [(i, mine)]
            rows.append(row)
            room = together - len(mine)
    return rows


def _is_foreign(wanted: AbstractSet[str], evidence: Evidence) -> bool:
    """Whether no piece of the evidence has a sixth of a statement's stems.

    An order to whoever judges, a greeting, an advertisement: read beside other statements it would
    sway their verdicts.
    """
    shared = np.zeros(len(evidence.pieces), np.int32)
    for each in wanted & evidence.stems:
        shared[evidence.places[each]] += 1
    return bool(shared.max(initial=0) * FOREIGN < len(wanted))


def _cuts(length: int, longest: int) -> Iterator[tuple[int, int]]:
    count = -(-length // longest)
    return pairwise(round(k * length / count) for k in range(count + 1))


def _beside_question(row: Sequence[Stretch], asked: Sequence[int]) -> Window:
    ids, types, parts = [FIRST], [EVIDENCE], []
    for i, tokens in row:
        parts.append(Part(i, len(ids), len(ids) + len(tokens), tokens))
        ids.extend(tokens.ids.tolist())
        types.extend([UNKNOWN] * len(tokens))
    ids += [LAST, *asked, LAST]
    types += [EVIDENCE, *[QUESTION] * len(asked), EVIDENCE]
    return Window(tuple(ids), tuple(types), tuple(parts), ())


class _Word(NamedTuple):
    """A word as it is written, as it is compared, its stems and the numbers that it states."""

    written: str
    plain: str
    stems: tuple[str, ...]
    numbers: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of a statement, where each stands, and the stems of those with content."""

    words: tuple[_Word, ...]
    starts: Numbers
    ends: Numbers
    wanted: frozenset[str]


@memoized(512, longest=2000)
def _read_words(statement: str) -> _Words:
    # Read once for all the contexts that it is read beside.
    found = list(WORD.finditer(statement))
    return _Words(
        tuple(_word(match.group()) for match in found),
        np.array([match.start() for match in found], np.int32),
        np.array([match.end() for match in found], np.int32),
        frozenset(stem(word) for word in words(statement) if word not in STOP_WORDS),
    )


@memoized(16_384, longest=64)
def _word(written: str) -> _Word:
    (plain, *_) = words(written) or [""]
    return _Word(written, plain, tuple(stems(written)), tuple(numbers.numbers(written)))


@dataclass(frozen=True, eq=False)
class _Marked:
    """A statement, and of each of its words whether it stands in the evidence."""

    statement: _Words
    kinds: Numbers  # ABSENT, PRESENT or NEAR, and a last PRESENT for marks behind all words

    @classmethod
    def of(cls, text: str, evidence: Evidence) -> "_Marked":
        words_of, near = _read_words(text), _near(text, evidence)
        kinds = [_kind(word, near, evidence) for word in words_of.words]
        return cls(words_of, np.array([*kinds, PRESENT], np.int32))

    def types(self, tokens: Tokens) -> list[int]:
        """Of each token the kind of its word; marks that belong to no word are PRESENT."""
        starts, ends = tokens.offsets.T
        word = np.searchsorted(self.statement.ends, starts, side="right")
        begins = np.append(self.statement.starts, _BEHIND)
        kinds: list[int] = np.where(begins[word] < ends, self.kinds[word], PRESENT).tolist()
        return kinds


def _beside_evidence(
    stretches: Sequence[Stretch],
    marked: Sequence[_Marked],
    shown: Sequence[Sequence[int]],
    pieces: Callable[[frozenset[str], int], list[int]],
    evidence: Evidence,
) -> Window:
    ids, types, parts = [FIRST], [EVIDENCE], []
    for i, tokens in stretches:
        parts.append(Part(i, len(ids), len(ids) + len(tokens), tokens))
        ids.extend(tokens.ids.tolist())
        types.extend(marked[i].types(tokens))
    ids.append(LAST)
    types.append(EVIDENCE)
    wanted = frozenset().union(*(marked[i].statement.wanted for i, _ in stretches))
    found = nearest_first(pieces(wanted, LONGEST - len(ids) - 1), wanted, evidence)
    for piece in found:
        ids.extend(shown[piece])
    ids = [*ids[: LONGEST - 1], LAST]
    types.extend([EVIDENCE] * (len(ids) - len(types)))
    return Window(tuple(ids), tuple(types), tuple(parts), tuple(found))


def nearest_first(found: Sequence[int], wanted: AbstractSet[str], evidence: Evidence) -> list[int]:
    """The chosen pieces context by context, that one first whose best piece shares most."""
    if len({evidence.pieces[piece].context for piece in found}) < 2:
        return list(found)
    shares = evidence.shared(wanted)
    best: dict[int, float] = {}
    for piece in found:
        context = evidence.pieces[piece].context
        best[context] = max(best.get(context, 0.0), float(shares[piece]))
    return sorted(found, key=lambda piece: -best[evidence.pieces[piece].context])


def _near(statement: str, evidence: Evidence) -> frozenset[str]:
    """The stems of the piece that shares most with a statement, and of its neighbours."""
    if not evidence.pieces:
        return frozenset()
    return evidence.around(int(np.argmax(evidence.shared(set(stems(statement)))))).stems


def _kind(word: _Word, near: frozenset[str], evidence: Evidence) -> int:
    if not _stands(word, evidence):
        return ABSENT
    return NEAR if near.issuperset(word.stems) else PRESENT


def _stands(word: _Word, evidence: Evidence) -> bool:
    plain, written = word.plain, word.written
    if not plain or plain in STOP_WORDS:
        return True
    if plain in evidence.words or stem(plain) in evidence.words:
        return True
    if word.numbers:
        return all(number in evidence.numbers for number in word.numbers)
    return written.isupper() and entities.stands_in(written, evidence.words, evidence.acronyms)


def chosen(
    wanted: AbstractSet[str], evidence: Evidence, lengths: Lengths, budget: int
) -> list[int]:
    """The pieces to show within a budget of tokens: those that share most with the statements.

    If there is room for all, all but the foreign ones. Else greedy: first the piece that adds most
    of the wanted words not yet shown, by their weight; then the neighbours of what was chosen; then
    the rest by what they share.
    """
    room = np.asarray(lengths)
    if room.sum() <= budget:
        return _connected(wanted, evidence)
    shares = evidence.shared(wanted)
    new = shares.copy()  # what of it no chosen piece has
    cost = np.sqrt(room + 20)
    gains = shares / cost
    seen: set[str] = set()
    kept: list[int] = []
    left = budget
    while left > 0 and gains[best := int(gains.argmax())] > 0:
        added = (evidence.sets[best] & wanted) - seen
        seen |= added
        kept.append(best)
        left -= int(room[best])
        if added and left > 0:
            left = _with_neighbours(best, kept, evidence, lengths, left)
        for known in added:
            new[evidence.places[known]] -= evidence.weights[known]
        if added:
            gains = (new + _AGAIN * (shares - new)) / cost
        # What no longer fits never will.
        gains[room > left] = 0
        gains[kept] = 0
    return sorted(kept)


def _connected(wanted: AbstractSet[str], evidence: Evidence) -> list[int]:
    """The pieces that share a word with the statements, or with such a piece, and so on.

    What shares none is foreign, as an advertisement is or an order to whoever judges, and would
    sway the verdict. A piece stays before one that stays, since that one's pronouns may mean what
    it says, and so does one of few words, as "Yes." is; all stay where nothing is shared.
    """
    stays = np.zeros(len(evidence.pieces), bool)
    known: set[str] = set()
    fresh = set(wanted & evidence.stems)
    while fresh:
        known |= fresh
        found = np.unique(np.concatenate([evidence.places[each] for each in fresh]))
        new = found[~stays[found]]
        stays[new] = True
        fresh = {each for i in new.tolist() for each in evidence.sets[i]} - known
    if not stays.any():
        return list(range(len(stays)))
    before = [min(evidence.window(i)) for i in np.flatnonzero(stays).tolist()]
    stays[before] = True
    stays |= np.array([len(each) < _FEW for each in evidence.sets])
    kept: list[int] = np.flatnonzero(stays).tolist()
    return kept


def _with_neighbours(
    piece: int, kept: list[int], evidence: Evidence, lengths: Lengths, left: int
) -> int:
    """Keep the piece before, which says what its pronouns mean, if it is short; what is left."""
    before = min(evidence.window(piece))
    if before not in kept and lengths[before] <= left // 4:
        kept.append(before)
        left -= int(lengths[before])
    return left


Logits = npt.NDArray[np.float32]
WindowIds = tuple[tuple[int, ...], tuple[int, ...]]  # the ids and types of a window

# The columns of what the network says of a token.
UNSUPPORTED, SUPPORTED, REFUTED, NEUTRAL, HELPS, ANSWERS = range(6)


@dataclass(frozen=True)
class Reading:
    """What the network says of one text.

    Attributes:
        each: Votes of every token: supported, refuted, neutral, helps, answers; shape
            (tokens, 5). Logits: the first three against each other, the last two each for itself.
        tokens: Logit of "unsupported" of every token, shape (tokens,).
        offsets: The first character of every token and the one behind it, shape (tokens, 2).
        pieces: The pieces of evidence that it was read beside.
    """

    each: Logits
    tokens: Logits
    offsets: Numbers
    pieces: tuple[int, ...]

    @cached_property
    def votes(self) -> Logits:
        """The mean of the votes of all tokens, shape (5,)."""
        return self.votes_from(0)

    def votes_from(self, start: int) -> Logits:
        """The mean of the votes of the tokens from this character on, shape (5,)."""
        later = self.each[self.offsets[:, 0] >= start]
        return later.mean(axis=0) if len(later) else np.zeros(5, np.float32)


class Reader:
    """Texts to readings by the model that ships with assay, or an adapted one.

    Nothing is loaded before the first text. One instance may be used from several threads. A
    reading depends on its window alone, not on the number of threads.
    """

    def __init__(self, threads: int | None = None, adapted: Adapted | None = None) -> None:
        """Read `threads` windows at a time; None means as many as there are cores to use."""
        self.threads = workers(threads)
        self.adapted = adapted

    @property
    def name(self) -> str:
        """Identity of the readings: changes whenever the weights do."""
        return self.adapted.name if self.adapted else NAME

    def read_beside_evidence(self, statements: Sequence[str], evidence: Evidence) -> list[Reading]:
        """One reading for every statement, in order."""
        return self._read(supporting(statements, evidence, tokenise), len(statements))

    def read_beside_question(
        self, question: str, texts: Sequence[str], begins: AbstractSet[int] = frozenset()
    ) -> list[Reading]:
        """One reading for every text, in order; texts that follow each other are read together.

        Those before one that `begins` a context, by its index, have no part in its reading.
        """
        return self._read(answering(question, texts, tokenise, begins), len(texts))

    def _read(self, windows: Sequence[Window], count: int) -> list[Reading]:
        run = _passes_of(self.adapted) if self.adapted else passes
        logits = run([(window.ids, window.types) for window in windows], self.threads)
        stretches: list[list[tuple[Window, int, Logits]]] = [[] for _ in range(count)]
        for i, window in enumerate(windows):
            for k, part in enumerate(window.parts):
                found = logits[i][part.first : part.last]
                stretches[part.text].append((window, k, found))
        return [_reading(mine) for mine in stretches]


def _reading(stretches: Sequence[tuple[Window, int, Logits]]) -> Reading:
    logits = np.concatenate([found for _, _, found in stretches])
    offsets = [window.parts[k].tokens.offsets for window, k, _ in stretches]
    pieces = dict.fromkeys(piece for window, _, _ in stretches for piece in window.pieces)
    return Reading(
        each=logits[:, SUPPORTED:],
        tokens=logits[:, UNSUPPORTED],
        offsets=np.concatenate(offsets),
        pieces=tuple(pieces),
    )


def _run(window: WindowIds, model: "InferenceSession | None" = None) -> Logits:
    ids, types = window
    feed = {"ids": np.asarray([ids], np.int64), "types": np.asarray([types], np.int64)}
    (result,) = (model or session("reader")).run(["logits"], feed)
    logits: Logits = result[0]
    return logits


# Metrics read the same windows within one sample: few are worth remembering (9 kB each).
passes: Passes[WindowIds, Logits] = Passes(_run, lambda window: len(window[0]), 256)


@lru_cache(4)
def _passes_of(adapted: Adapted) -> Passes[WindowIds, Logits]:
    """Those of an adapted network; of one with the shipped network, the shipped ones."""
    file = adapted.file(NETWORK)
    if file is None:
        return passes
    model = load(file.read_bytes())
    return Passes(lambda window: _run(window, model), lambda window: len(window[0]), 256)


@memoized(20_000, longest=2000)
def tokenise(text: str) -> Tokens:
    """The tokens of a text without the special ones; of contexts met again from memory."""
    found = tokenizer().encode(text, add_special_tokens=False)
    return Tokens.of(found.ids, found.offsets)
