"""What does the verifier read at once? Some statements and the evidence nearest to them.

A window is `[CLS] statements [SEP] evidence [SEP]` in token ids, at most 384 of them. Statements
that follow each other share a window as long as they take no more than 128 tokens; the pieces of
evidence are those that share most words with them, in the order in which they stand in the
contexts. `training/verifier` builds its examples with the same code.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from assay.backends.embedded.evidence import Evidence
from assay.text import facts, numbers
from assay.text.words import STOP_WORDS, WORD, stem, words

LONGEST = 384  # tokens of a window
STATED = 128  # ... of them at most so many of statements
FIRST, LAST = 101, 102  # ids of [CLS] and [SEP]

# Token types: what is known of a token before the model reads it.
EVIDENCE, ABSENT, PRESENT, UNKNOWN = range(4)

_AGAIN = 0.25  # what a word counts for a piece when a chosen piece has it already


class Token(NamedTuple):
    """A token of a statement."""

    id: int
    start: int  # characters of the statement
    end: int


Tokenise = Callable[[str], Sequence[Token]]


class Part(NamedTuple):
    """A statement, or a stretch of one that is longer than a window, and where it stands."""

    statement: int
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


def windows(
    statements: Sequence[str], evidence: Evidence, tokenise: Tokenise, *, together: bool = True
) -> list[Window]:
    """The windows in which all statements are read, each statement once.

    `together=False` gives every statement a window of its own.
    """
    tokens = [tuple(tokenise(statement)) for statement in statements]
    shown = [[token.id for token in tokenise(piece.text)] for piece in evidence.pieces]
    found: list[Window] = []
    for group in _groups([len(t) for t in tokens], together=together):
        stretches = [
            (i, tokens[i][start:end])
            for i in group
            for start, end in _stretches(len(tokens[i]))
        ]
        # Only a statement that is alone in its group has several stretches.
        rows = [stretches] if len(group) > 1 else [[stretch] for stretch in stretches]
        found.extend(_window(row, statements, evidence, shown) for row in rows)
    return found


def _groups(lengths: Sequence[int], *, together: bool) -> list[list[int]]:
    groups: list[list[int]] = []
    total = 0
    for i, length in enumerate(lengths):
        if groups and together and total + length <= STATED:
            groups[-1].append(i)
            total += length
        else:
            groups.append([i])
            total = length
    return groups


def _stretches(length: int) -> list[tuple[int, int]]:
    count = max(1, -(-length // STATED))
    cuts = [round(k * length / count) for k in range(count + 1)]
    return list(pairwise(cuts))


def _window(
    stretches: Sequence[tuple[int, Sequence[Token]]],
    statements: Sequence[str],
    evidence: Evidence,
    shown: Sequence[Sequence[int]],
) -> Window:
    ids, types, parts = [FIRST], [EVIDENCE], []
    wanted: set[str] = set()
    for i, tokens in stretches:
        parts.append(Part(i, len(ids), len(ids) + len(tokens), tuple(tokens)))
        ids.extend(token.id for token in tokens)
        types.extend(_types(statements[i], tokens, evidence))
        wanted.update(stem(word) for word in words(statements[i]) if word not in STOP_WORDS)
    ids.append(LAST)
    types.append(EVIDENCE)
    pieces = chosen(wanted, evidence, [len(s) for s in shown], LONGEST - len(ids) - 1)
    for piece in pieces:
        ids.extend(shown[piece])
    ids = [*ids[: LONGEST - 1], LAST]
    types.extend([EVIDENCE] * (len(ids) - len(types)))
    return Window(tuple(ids), tuple(types), tuple(parts), tuple(pieces))


def _types(statement: str, tokens: Sequence[Token], evidence: Evidence) -> list[int]:
    """Whether the word of each token stands anywhere in the evidence; marks of no word do."""
    absent = [
        (found.start(), found.end())
        for found in WORD.finditer(statement)
        if not _stands(found.group(), evidence)
    ]
    return [
        ABSENT if any(start < token.end and token.start < end for start, end in absent) else PRESENT
        for token in tokens
    ]


def _stands(written: str, evidence: Evidence) -> bool:
    (word, *_) = words(written) or [""]
    if not word or word in STOP_WORDS or word in evidence.words or stem(word) in evidence.words:
        return True
    stated = numbers.numbers(written)
    if stated:
        return all(number in evidence.numbers for number in stated)
    return facts.stands_in(written, evidence.words, evidence.acronyms) if written.isupper() else False


def chosen(
    wanted: set[str], evidence: Evidence, lengths: Sequence[int], budget: int
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
        new = sum(evidence.weights[s] for s in shares[i] - seen)
        old = sum(evidence.weights[s] for s in shares[i] & seen)
        return (new + _AGAIN * old) / (lengths[i] + 20) ** 0.5

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
