"""Statements beside what is left of a document once the sentences that bear them out are gone.

What a system adds of its own stays on the subject and sounds right. Rows in which the evidence is
missing show that this is not enough; that nothing else may tell, each statement may stand instead
beside its evidence alone, and beside as short a piece of the rest.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from assay._text import entities, numbers
from assay._text.words import stems
from assay.experiments.reader_windows import Row
from assay.judges.embedded.embedding import Encoder
from assay.judges.embedded.evidence import Evidence, Piece, prepare
from training.verifier import people
from training.verifier.synthetic.neutral import starts_with_pronoun

REMOVED = "removed"  # what their set is named
CLEAR = 0.45  # the cosine that the evidence of a statement has at least
BELOW = 0.15  # ... and how far what is left lies below it
HALF = 0.5  # share of a statement's words, by weight, in a sentence that is taken out as well
MOST = 6  # sentences taken out at most
LEFT = 3  # ... and left at least
WORDS = (6, 45)  # of a statement
EACH = 3  # statements of a text at most


def removed(rows: Iterable[Row], most: int, seed: int = 0) -> Iterator[Row]:
    """Rows of supported statements of at most so many texts, and as many that are not any more."""
    rng = random.Random(f"{seed} removed")
    texts = [
        row for row in rows if not any(c.lstrip().startswith(("{", "[")) for c in row.contexts)
    ]
    rng.shuffle(texts)
    encoder = Encoder()
    for row in texts[:most]:
        said = _statements(row)
        if said:
            yield from _of_text(row, rng.sample(said, min(EACH, len(said))), encoder, rng)


def _statements(row: Row) -> list[str]:
    found = [
        row.answer[a:b].strip() for a, b, label in people.segments(row) if label == "supported"
    ]
    least, longest = WORDS
    return [
        text
        for text in found
        if least <= len(text.split()) <= longest and not starts_with_pronoun(text)
    ]


def _of_text(row: Row, said: list[str], encoder: Encoder, rng: random.Random) -> Iterator[Row]:
    evidence = prepare(row.contexts)
    if len(evidence.pieces) < LEFT + 1:
        return
    vectors = encoder.encode([*(piece.text for piece in evidence.pieces), *said])
    pieces = vectors[: len(evidence.pieces)]
    for text, vector in zip(said, vectors[len(evidence.pieces) :], strict=True):
        cosines = (pieces @ vector).astype(float)
        gone = _bearing(text, cosines, evidence)
        if gone is None:
            continue
        left = [i for i in range(len(pieces)) if i not in gone]
        near = sorted(left, key=lambda i: -cosines[i])[: len(gone)]
        alone = _quoted(gone, evidence)
        more = _quoted({*gone, *near}, evidence)
        contexts, label = rng.choice(
            (
                (_without(row, evidence, gone), "neutral"),
                (_without(row, evidence, gone), "neutral"),
                ((_quoted(near, evidence),), "neutral"),
                ((alone,) if _holds(alone, text) else row.contexts, "supported"),
                ((more,) if _holds(more, text) else row.contexts, "supported"),
                (row.contexts, "supported"),
            )
        )
        spans = () if label == "supported" else None
        yield replace(row, data=REMOVED, contexts=contexts, answer=text, label=label, spans=spans)


def _bearing(text: str, cosines: np.ndarray, evidence: Evidence) -> set[int] | None:
    """The pieces that bear a statement out; None where it is not clear which."""
    best = float(cosines.max())
    wanted = set(stems(text))
    shared = evidence.shared(wanted)
    whole = sum(evidence.weights[stem] for stem in wanted if stem in evidence.places)
    gone = {int(i) for i in np.flatnonzero(cosines > best - BELOW)}
    if whole:
        gone |= {int(i) for i in np.flatnonzero(shared >= HALF * whole)}
    clear = best >= CLEAR and len(gone) <= MOST and len(cosines) - len(gone) >= LEFT
    return gone if clear else None


def _quoted(places: Iterable[int], evidence: Evidence) -> str:
    return " ".join(evidence.pieces[i].text for i in sorted(places))


def _holds(quoted: str, text: str) -> bool:
    """Whether it has every number and name of a statement, as what bears it out must."""
    return set(numbers.numbers(quoted)).issuperset(numbers.numbers(text)) and all(
        name in quoted for name in entities.names(text)
    )


def _without(row: Row, evidence: Evidence, gone: set[int]) -> tuple[str, ...]:
    """The contexts without the units that some pieces stand in; none is left empty."""
    kept = [_cut(context, i, evidence, gone) for i, context in enumerate(row.contexts)]
    return tuple(context for context in kept if context.strip())


def _cut(context: str, place: int, evidence: Evidence, gone: set[int]) -> str:
    taken: list[Piece] = [evidence.pieces[i] for i in gone if evidence.pieces[i].context == place]
    for start, end in sorted({(piece.start, piece.end) for piece in taken}, reverse=True):
        context = f"{context[:start].rstrip(' ')} {context[end:].lstrip(' ')}"
    return context
