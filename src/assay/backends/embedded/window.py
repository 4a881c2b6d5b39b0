"""What does the reader read at once? Some texts and what they are to be judged by.

A window is `[CLS] texts [SEP] yardstick [SEP]` in token ids, at most 384 of them. Statements are
judged by evidence, sentences by a question. Statements that follow each other share a window as
long as they take no more than 128 tokens; the pieces of evidence are those that share most words
with them, in the order in which they stand in the contexts. `training/verifier` builds its examples
with the same code.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from assay.backends.embedded.evidence import Evidence
from assay.text import facts, numbers
from assay.text.words import STOP_WORDS, WORD, stem, stems, words

LONGEST = 384  # tokens of a window
STATED = 128  # ... of them at most so many of statements
ASKED = 96  # ... and of a question; the middle of a longer one is left out
FIRST, LAST = 101, 102  # ids of [CLS] and [SEP]

# Token types: what is known of a token before the model reads it.
EVIDENCE, ABSENT, PRESENT, UNKNOWN, QUESTION, NEAR = range(6)

_AGAIN = 0.25  # what a word counts for a piece when a chosen piece has it already


class Token(NamedTuple):
    """A token of a statement."""

    id: int
    start: int  # characters of the statement
    end: int


Tokenise = Callable[[str], Sequence[Token]]


class Part(NamedTuple):
    """A text, or a stretch of one that is longer than a window, and where it stands."""

    text: int  # its index
    first: int  # index into the window's ids
    last: int  # exclusive
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class Window:
    """What the model reads in one pass."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    parts: tuple[Part, ...]
    pieces: tuple[int, ...]  # of the evidence, those that are shown


Stretch = tuple[int, Sequence[Token]]  # the index of a text and some of its tokens


def supporting(
    statements: Sequence[str], evidence: Evidence, tokenise: Tokenise, *, together: bool = True
) -> list[Window]:
    """The windows in which statements are read beside their evidence, each statement once.

    `together=False` gives every statement a window of its own.
    """
    tokens = [tokenise(statement) for statement in statements]
    shown = [[token.id for token in tokenise(piece.text)] for piece in evidence.pieces]
    lengths = [len(ids) for ids in shown]
    said = [_Said.of(statement, evidence) for statement in statements]

    @cache  # the stretches of a long statement all want the same
    def pieces(wanted: frozenset[str], budget: int) -> list[int]:
        return chosen(wanted, evidence, lengths, budget)

    rows = _rows(tokens, STATED if together else 0, STATED)
    return [_beside_evidence(row, said, evidence, shown, pieces) for row in rows]


def answering(question: str, texts: Sequence[str], tokenise: Tokenise) -> list[Window]:
    """The windows in which sentences are read beside a question, each sentence once."""
    asked = [token.id for token in tokenise(question)]
    if len(asked) > ASKED:
        asked = [*asked[: ASKED // 2], *asked[-ASKED // 2 :]]
    room = LONGEST - len(asked) - 3
    rows = _rows([tokenise(text) for text in texts], room, room)
    return [_beside_question(row, asked) for row in rows]


def _rows(tokens: Sequence[Sequence[Token]], together: int, longest: int) -> list[list[Stretch]]:
    """Texts that share a window: as many as take up to `together` tokens, in order.

    A text of more than `longest` tokens is read in stretches, each in a window of its own.
    """
    rows: list[list[Stretch]] = []
    room = 0
    for i, mine in enumerate(tokens):
        if len(mine) > longest:
            rows.extend([(i, mine[start:end])] for start, end in _cuts(len(mine), longest))
            room = 0
        elif len(mine) <= room and rows:
            rows[-1].append((i, mine))
            room -= len(mine)
        else:
            rows.append([(i, mine)])
            room = together - len(mine)
    return rows


def _cuts(length: int, longest: int) -> Iterator[tuple[int, int]]:
    count = -(-length // longest)
    return pairwise(round(k * length / count) for k in range(count + 1))


def _beside_question(row: Sequence[Stretch], asked: Sequence[int]) -> Window:
    ids, types, parts = [FIRST], [EVIDENCE], []
    for i, tokens in row:
        parts.append(Part(i, len(ids), len(ids) + len(tokens), tuple(tokens)))
        ids.extend(token.id for token in tokens)
        types.extend([UNKNOWN] * len(tokens))
    ids += [LAST, *asked, LAST]
    types += [EVIDENCE, *[QUESTION] * len(asked), EVIDENCE]
    return Window(tuple(ids), tuple(types), tuple(parts), ())


@dataclass(frozen=True)
class _Said:
    """A statement, the stems of its content words, and those of the place nearest to it."""

    text: str
    wanted: frozenset[str]
    near: frozenset[str]

    @classmethod
    def of(cls, text: str, evidence: Evidence) -> "_Said":
        wanted = frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)
        return cls(text, wanted, _near(text, evidence))


def _beside_evidence(
    stretches: Sequence[Stretch],
    said: Sequence[_Said],
    evidence: Evidence,
    shown: Sequence[Sequence[int]],
    pieces: Callable[[frozenset[str], int], list[int]],
) -> Window:
    ids, types, parts = [FIRST], [EVIDENCE], []
    for i, tokens in stretches:
        parts.append(Part(i, len(ids), len(ids) + len(tokens), tuple(tokens)))
        ids.extend(token.id for token in tokens)
        types.extend(_types(said[i], tokens, evidence))
    ids.append(LAST)
    types.append(EVIDENCE)
    wanted = frozenset().union(*(said[i].wanted for i, _ in stretches))
    found = pieces(wanted, LONGEST - len(ids) - 1)
    for piece in found:
        ids.extend(shown[piece])
    ids = [*ids[: LONGEST - 1], LAST]
    types.extend([EVIDENCE] * (len(ids) - len(types)))
    return Window(tuple(ids), tuple(types), tuple(parts), tuple(found))


def _types(said: _Said, tokens: Sequence[Token], evidence: Evidence) -> list[int]:
    """Where the word of each token stands: nowhere, anywhere, or near the closest piece.

    Marks that belong to no word are PRESENT.
    """
    found = _words_of(said.text, tokens)
    kinds = [_kind(said.text[start:end], said.near, evidence) for start, end in found]
    types, at = [], 0
    for token in tokens:
        while at < len(found) and found[at][1] <= token.start:
            at += 1
        met = at < len(found) and found[at][0] < token.end
        types.append(kinds[at] if met else PRESENT)
    return types


def _words_of(statement: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """The words that the tokens are of, whole ones only, though the tokens may begin within one."""
    if not tokens:
        return []
    start, last = tokens[0].start, tokens[-1].end
    while start > 0 and not statement[start - 1].isspace():
        start -= 1
    spans = (word.span() for word in WORD.finditer(statement, start))
    return list(takewhile(lambda span: span[0] < last, spans))


def _near(statement: str, evidence: Evidence) -> frozenset[str]:
    """The stems of the piece that shares most with a statement, and of its neighbours."""
    if not evidence.pieces:
        return frozenset()
    wanted = set(stems(statement))
    shares = [_weight(found & wanted, evidence) for found in evidence.sets]
    best = max(range(len(shares)), key=shares.__getitem__)
    return frozenset().union(*(evidence.sets[i] for i in evidence.window(best)))


def _weight(found: AbstractSet[str], evidence: Evidence) -> float:
    # An exact sum: sets have no order, and a last digit may decide between two pieces.
    return math.fsum(evidence.weights[s] for s in found)


def _kind(word: str, near: frozenset[str], evidence: Evidence) -> int:
    if not _stands(word, evidence):
        return ABSENT
    return NEAR if near.issuperset(stems(word)) else PRESENT


def _stands(written: str, evidence: Evidence) -> bool:
    (word, *_) = words(written) or [""]
    if not word or word in STOP_WORDS or word in evidence.words or stem(word) in evidence.words:
        return True
    stated = numbers.numbers(written)
    if stated:
        return all(number in evidence.numbers for number in stated)
    return (
        facts.stands_in(written, evidence.words, evidence.acronyms) if written.isupper() else False
    )


def chosen(
    wanted: AbstractSet[str], evidence: Evidence, lengths: Sequence[int], budget: int
) -> list[int]:
    """The pieces to show within a budget of tokens: those that share most with the statements.

    Greedy: first the piece that adds most of the wanted words not yet shown, by their weight; then
    the neighbours of what was chosen; then the rest by what they share.
    """
    everything = list(range(len(lengths)))
    if sum(lengths) <= budget:
        return everything
    shares = {i: evidence.sets[i] & wanted for i in everything}
    candidates = [i for i in everything if shares[i]]
    kept: list[int] = []
    seen: set[str] = set()
    left = budget

    def gain(i: int) -> float:
        new, old = _weight(shares[i] - seen, evidence), _weight(shares[i] & seen, evidence)
        return (new + _AGAIN * old) / math.sqrt(lengths[i] + 20)

    while candidates:
        best = max(candidates, key=gain)
        candidates.remove(best)
        if lengths[best] > left and kept:
            continue
        new = bool(shares[best] - seen)
        kept.append(best)
        left -= lengths[best]
        seen |= shares[best]
        if left <= 0:
            break
        if new:
            left = _with_neighbours(best, kept, candidates, evidence, lengths, left)
    return sorted(kept)


def _with_neighbours(
    piece: int,
    kept: list[int],
    candidates: list[int],
    evidence: Evidence,
    lengths: Sequence[int],
    left: int,
) -> int:
    """Keep the piece before, which says what its pronouns mean, if it is short; what is left."""
    before = min(evidence.window(piece))
    if before not in kept and lengths[before] <= left // 4:
        kept.append(before)
        left -= lengths[before]
        if before in candidates:
            candidates.remove(before)
    return left
