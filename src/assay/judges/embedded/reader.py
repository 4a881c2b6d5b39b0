"""The trained network that reads statements beside evidence and sentences beside a question.

A window holds texts and what they are read beside, and is read in one pass. Statements that follow
each other share a window and its evidence, but not their attention: each sees itself and the
evidence, as if it stood there alone, and the evidence sees no statement. So a verdict does not
depend on what else is claimed, and the evidence is read once for all. Sentences beside a question
see each other. `training/verifier` builds its examples with this code.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay._text import entities, memoized, numbers
from assay._text.words import STOP_WORDS, WORD, stem, stems, words
from assay.judges.embedded.evidence import Evidence, connected, nearest_first, select_pieces
from assay.judges.embedded.inference import (
    LARGE,
    NETWORK,
    Adapted,
    Passes,
    load,
    session,
    tokenizer,
    workers,
)

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Numbers = npt.NDArray[np.int32]
Booleans = npt.NDArray[np.bool_]

# Behind the colon the SHA-256 of the weights: a run that needs none of them does not read them.
NAME = "reader-l6-int8:7a8c2327"
LONGEST = 384  # tokens of evidence, or of sentences beside a question
STATED = 256  # tokens of the statements that share a window, but for a long one
EVIDENCE_AT = 128  # position of the first token of evidence, behind those of any statement
ASKED = 96  # ... and of a question; the middle of a longer one is left out
FIRST, LAST = 101, 102  # ids of [CLS] and [SEP]

# Token types: what is known of a token before the model reads it.
EVIDENCE, ABSENT, PRESENT, UNKNOWN, QUESTION, NEAR = range(6)

_BEHIND = np.iinfo(np.int32).max  # where no word begins any more


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
    positions: tuple[int, ...]
    # Of each token the number of its statement, from 1, or of its piece of evidence, from -1 down;
    # 0 of what all see.
    groups: tuple[int, ...]
    views: tuple[tuple[int, ...], ...]  # of each statement the numbers of the pieces that it sees
    parts: tuple[Part, ...]
    pieces: tuple[int, ...]  # of the evidence, those that are shown


Stretch = tuple[int, Tokens]  # the index of a text and some of its tokens


def supporting(statements: Sequence[str], evidence: Evidence, tokenise: Tokenise) -> list[Window]:
    """The windows in which statements are read beside their evidence, each statement once."""
    tokens = [tokenise(statement) for statement in statements]
    piece_ids = [tokenise(piece.text).ids.tolist() for piece in evidence.pieces]
    lengths = np.array([len(ids) for ids in piece_ids])
    marked = [_Marked.of(statement, evidence) for statement in statements]

    @cache  # the stretches of a long statement all want the same
    def pieces(stems: frozenset[str]) -> list[int]:
        selection = select_pieces(stems, evidence, lengths, LONGEST - 1)
        # Where all are shown, their order must not depend on what is claimed.
        is_all = len(selection) == len(evidence.pieces)
        return selection if is_all else nearest_first(selection, stems, evidence)

    @cache
    def view(stems: frozenset[str]) -> frozenset[int]:
        return frozenset(connected(stems, evidence))

    rows = _rows(tokens, STATED, EVIDENCE_AT - 2)
    return [_beside_evidence(row, marked, piece_ids, pieces, view) for row in rows]


def answering(
    question: str, texts: Sequence[str], tokenise: Tokenise, begins: AbstractSet[int] = frozenset()
) -> list[Window]:
    """The windows in which sentences are read beside a question, each sentence once.

    A sentence that `begins` a context, by its index, shares no window with those before it.
    """
    question_ids = tokenise(question).ids.tolist()
    if len(question_ids) > ASKED:
        question_ids = [*question_ids[: ASKED // 2], *question_ids[-ASKED // 2 :]]
    room = LONGEST - len(question_ids) - 3
    rows = _rows([tokenise(text) for text in texts], room, room, begins=begins)
    return [_beside_question(row, question_ids) for row in rows]


def _rows(
    tokens: Sequence[Tokens],
    together: int,
    longest: int,
    begins: AbstractSet[int] = frozenset(),
) -> list[list[Stretch]]:
    """Texts that share a window: as many as take up to `together` tokens, in order.

    A text of more than `longest` tokens is read in stretches, each in a window of its own, and one
    that `begins` something has a new one.
    """
    rows: list[list[Stretch]] = []
    row: list[Stretch] = []  # what further texts may join
    room = 0
    for i, text_tokens in enumerate(tokens):
        if len(text_tokens) > longest:
            rows.extend([(i, text_tokens.cut(*cut))] for cut in _cuts(len(text_tokens), longest))
            room = 0
        elif row and len(text_tokens) <= room and i not in begins:
            row.append((i, text_tokens))
            room -= len(text_tokens)
        else:
            row = [(i, text_tokens)]
            rows.append(row)
            room = together - len(text_tokens)
    return rows


def _cuts(length: int, longest: int) -> Iterator[tuple[int, int]]:
    count = -(-length // longest)
    return pairwise(round(k * length / count) for k in range(count + 1))


def _beside_question(row: Sequence[Stretch], question_ids: Sequence[int]) -> Window:
    ids, types, spans = [FIRST], [EVIDENCE], []
    for i, tokens in row:
        spans.append(Part(i, len(ids), len(ids) + len(tokens), tokens))
        ids.extend(tokens.ids.tolist())
        types.extend([UNKNOWN] * len(tokens))
    ids += [LAST, *question_ids, LAST]
    types += [EVIDENCE, *[QUESTION] * len(question_ids), EVIDENCE]
    positions, groups = tuple(range(len(ids))), (0,) * len(ids)
    return Window(tuple(ids), tuple(types), positions, groups, (), tuple(spans), ())


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
    content_stems: frozenset[str]


@memoized(512, longest=2000)
def _read_words(statement: str) -> _Words:
    # Read once for all the contexts that it is read beside.
    matches = list(WORD.finditer(statement))
    return _Words(
        tuple(_word(match.group()) for match in matches),
        np.array([match.start() for match in matches], np.int32),
        np.array([match.end() for match in matches], np.int32),
        frozenset(stem(word) for word in words(statement) if word not in STOP_WORDS),
    )


@memoized(16_384, longest=64)
def _word(text: str) -> _Word:
    (plain, *_) = words(text) or [""]
    return _Word(text, plain, tuple(stems(text)), tuple(numbers.numbers(text)))


@dataclass(frozen=True, eq=False)
class _Marked:
    """A statement, and of each of its words whether it stands in the evidence."""

    statement: _Words
    kinds: Numbers  # ABSENT, PRESENT or NEAR, and a last PRESENT for marks behind all words

    @classmethod
    def of(cls, text: str, evidence: Evidence) -> "_Marked":
        words_of, nearby = _read_words(text), _nearby_stems(text, evidence)
        kinds = [_kind(word, nearby, evidence) for word in words_of.words]
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
    piece_ids: Sequence[Sequence[int]],
    pieces: Callable[[frozenset[str]], list[int]],
    view: Callable[[frozenset[str]], frozenset[int]],
) -> Window:
    """Some statements beside the pieces for all of them, of which each has its own view."""
    ids, types, positions, groups = [FIRST], [EVIDENCE], [0], [0]
    spans = []
    for group, (i, tokens) in enumerate(stretches, start=1):
        spans.append(Part(i, len(ids), len(ids) + len(tokens), tokens))
        ids += [*tokens.ids.tolist(), LAST]
        types += [*marked[i].types(tokens), EVIDENCE]
        positions += range(1, len(tokens) + 2)
        groups += [group] * (len(tokens) + 1)
    stems = frozenset().union(*(marked[i].statement.content_stems for i, _ in stretches))
    views_of = [view(marked[i].statement.content_stems) for i, _ in stretches]
    # What no statement sees must not be seen by the evidence either: it may be an order to judges.
    read_by_any = frozenset().union(*views_of)
    selection = [piece for piece in pieces(stems) if piece in read_by_any]
    read = [*chain.from_iterable(piece_ids[piece] for piece in selection)][: LONGEST - 1]
    ids += [*read, LAST]
    types += [EVIDENCE] * (len(read) + 1)
    positions += range(EVIDENCE_AT, EVIDENCE_AT + len(read) + 1)
    owners = chain.from_iterable(
        [-n] * len(piece_ids[piece]) for n, piece in enumerate(selection, start=1)
    )
    groups += [*islice(owners, len(read)), 0]
    numbered = list(enumerate(selection, start=1))
    views = tuple(tuple(n for n, piece in numbered if piece in view) for view in views_of)
    return Window(
        tuple(ids),
        tuple(types),
        tuple(positions),
        tuple(groups),
        views,
        tuple(spans),
        tuple(selection),
    )


def visible(groups: Sequence[int] | Numbers, views: Sequence[Sequence[int]]) -> Booleans:
    """Whether each token sees each other one, shape (tokens, tokens); see `Window`."""
    group_of = np.asarray(groups)
    last_piece = max(-int(group_of.min()), *(max(view, default=0) for view in views), 0)
    sees = np.zeros((len(views) + 1, last_piece + 1), bool)
    sees[0], sees[:, 0] = True, True  # evidence sees all evidence
    for statement, view in enumerate(views, start=1):
        sees[statement, list(view)] = True
    table = sees[np.maximum(group_of, 0)][:, np.maximum(-group_of, 0)]
    same: Booleans = (group_of[None, :] <= 0) & table | (group_of[:, None] == group_of[None, :])
    return same


def _nearby_stems(statement: str, evidence: Evidence) -> frozenset[str]:
    """The stems of the piece that shares most with a statement, and of its neighbours."""
    if not evidence.pieces:
        return frozenset()
    return evidence.around(int(np.argmax(evidence.shared(set(stems(statement)))))).stems


def _kind(word: _Word, nearby: frozenset[str], evidence: Evidence) -> int:
    if not _stands_in(word, evidence):
        return ABSENT
    return NEAR if nearby.issuperset(word.stems) else PRESENT


def _stands_in(word: _Word, evidence: Evidence) -> bool:
    plain, text = word.plain, word.written
    if not plain or plain in STOP_WORDS:
        return True
    if plain in evidence.words or stem(plain) in evidence.words:
        return True
    if word.numbers:
        return all(number in evidence.numbers for number in word.numbers)
    return text.isupper() and entities.stands_in(text, evidence.words, evidence.acronyms)


Logits = npt.NDArray[np.float32]
# The ids, types, positions, groups and views of a window.
WindowIds = tuple[
    tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]
]

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
    """Texts to readings by the model that ships with assay, an adapted one, or two together.

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

    def begin_beside_evidence(
        self, statements: Sequence[str], evidence: Evidence
    ) -> Callable[[], list[Reading]]:
        """Begin to read statements; what is returned waits for a reading of each, in order."""
        return self._begin(supporting(statements, evidence, tokenise), len(statements))

    def read_beside_question(
        self, question: str, texts: Sequence[str], begins: AbstractSet[int] = frozenset()
    ) -> list[Reading]:
        """One reading for every text, in order; texts that follow each other are read together.

        Those before one that `begins` a context, by its index, have no part in its reading.
        """
        return self._begin(answering(question, texts, tokenise, begins), len(texts))()

    def _begin(self, windows: Sequence[Window], count: int) -> Callable[[], list[Reading]]:
        run = _passes_of(self.adapted) if self.adapted else passes
        read = [(w.ids, w.types, w.positions, w.groups, w.views) for w in windows]
        wait_for_logits = run.start(read, self.threads)

        def readings() -> list[Reading]:
            stretches: list[list[tuple[Window, int, Logits]]] = [[] for _ in range(count)]
            for window, logits in zip(windows, wait_for_logits(), strict=True):
                for k, span in enumerate(window.parts):
                    stretches[span.text].append((window, k, logits[span.first : span.last]))
            return [_reading_of(read_parts) for read_parts in stretches]

        return readings


def _reading_of(stretches: Sequence[tuple[Window, int, Logits]]) -> Reading:
    logits = np.concatenate([part_logits for _, _, part_logits in stretches])
    offsets = [window.parts[k].tokens.offsets for window, k, _ in stretches]
    pieces = dict.fromkeys(piece for window, _, _ in stretches for piece in window.pieces)
    return Reading(
        each=logits[:, SUPPORTED:],
        tokens=logits[:, UNSUPPORTED],
        offsets=np.concatenate(offsets),
        pieces=tuple(pieces),
    )


def _run(window: WindowIds, model: "InferenceSession | None" = None) -> Logits:
    ids, types, positions, groups, views = window
    named_inputs = (("ids", ids), ("types", types), ("positions", positions))
    feed: dict[str, npt.NDArray[Any]] = {
        name: np.asarray([values], np.int64) for name, values in named_inputs
    }
    feed["visible"] = visible(groups, views)[None]
    logits: Logits = (model or session("reader")).run(["logits"], feed)[0][0]
    return logits


# Metrics read the same windows within one sample: few are worth remembering (9 kB each).
passes: Passes[WindowIds, Logits] = Passes(_run, lambda window: len(window[0]), 256)


@lru_cache(4)
def _passes_of(adapted: Adapted) -> Passes[WindowIds, Logits]:
    """Those of an adapted network; of one with the shipped network, the shipped ones."""
    model, second_model = (
        load(file.read_bytes()) if (file := adapted.file(name)) else None
        for name in (NETWORK, LARGE)
    )
    if model is None and second_model is None:
        return passes

    def run(window: WindowIds) -> Logits:
        logits = _run(window, model)
        return (
            _mix_logits(logits, _run(window, second_model), adapted.share)
            if second_model and window[-1]
            else logits
        )

    return Passes(run, lambda window: len(window[0]), 256)


def _mix_logits(logits: Logits, second_logits: Logits, share: float) -> Logits:
    """The logits with those of a second network, which says nothing of questions, mixed in."""
    mixed = logits.copy()
    columns = second_logits.shape[1]
    mixed[:, :columns] += share * (second_logits - logits[:, :columns])
    return mixed


@memoized(20_000, longest=2000)
def tokenise(text: str) -> Tokens:
    """The tokens of a text without the special ones; of contexts met again from memory."""
    encoding = tokenizer().encode(text, add_special_tokens=False)
    return Tokens.of(encoding.ids, encoding.offsets)
