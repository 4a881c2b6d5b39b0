"""Claims beside sentences that have nothing to do with them, each with a label of its own.

What a verifier is to learn from them: a verdict is about its own statement. So company stands
beside supported and unsupported claims alike, and in the contexts, where it changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from assay._text import sentences
from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import BESIDE, Row

LONGEST = 60  # words of a claim
IN_CONTEXTS = 0.3  # share of the rows with a foreign sentence in their contexts too
# What a hostile or a chatty text says, or a page of the web beside what it is about: none of it
# follows from any evidence, and nothing follows from it.
_FOREIGN = tuple(Path(__file__).with_name("foreign.txt").read_text("utf-8").splitlines())


def beside(rows: Iterable[Row], most: int, seed: int = 0) -> Iterator[Row]:
    """At most so many supported claims of the rows, and as many others, between other sentences."""
    rng = random.Random(f"{seed} beside")
    claims = [row for row in rows if _fits(row)]
    rng.shuffle(claims)
    supported = [row for row in claims if row.label == "supported"][:most]
    others = [row for row in claims if row.label != "supported"][: len(supported)]
    for row in [*supported, *others]:
        alien = [_alien(row, claims, rng) for _ in range(rng.choice((1, 1, 2)))]
        cut = rng.randint(0, len(alien))
        joined = _joined(row, alien[:cut], alien[cut:])
        yield _visited(joined, claims, rng) if rng.random() < IN_CONTEXTS else joined


def _fits(row: Row) -> bool:
    claim = row.answer.strip()
    return (
        row.label is not None
        and fold_of(row.group) != HELD_OUT
        and len(sentences.spans(claim)) == 1
        and claim.endswith((".", "!"))
        and len(claim.split()) <= LONGEST
    )


def _visited(row: Row, claims: list[Row], rng: random.Random) -> Row:
    """A foreign sentence behind one of its contexts, or as one more."""
    alien, first = _alien(row, claims, rng), rng.randrange(len(row.contexts))
    contexts = list(row.contexts)
    if rng.random() < 0.5:
        contexts[first] = f"{contexts[first]}\n{alien}"
    else:
        contexts.insert(first + 1, alien)
    return replace(row, contexts=tuple(contexts))


def _alien(row: Row, claims: list[Row], rng: random.Random) -> str:
    while rng.random() < 0.6:
        other = rng.choice(claims)
        if other.group != row.group:
            return other.answer.strip()
    return rng.choice(_FOREIGN)


def _joined(row: Row, before: list[str], after: list[str]) -> Row:
    said, spans = "", list[tuple[int, int, str]]()
    texts = [(t, "neutral") for t in before]
    texts += [(row.answer.strip(), row.label or ""), *((t, "neutral") for t in after)]
    for text, label in texts:
        start = len(said) + bool(said)
        # What does not begin and end as sentences do needs a line of its own.
        between = " " if said.endswith((".", "!", "?")) and text[0].isupper() else "\n"
        said = f"{said}{between}{text}".strip()
        if label != "supported":
            spans.append((start, len(said), label))
    # Only the labels of sentences are known, not those of single words.
    return replace(row, data=f"{row.data}{BESIDE}", answer=said, label=None, spans=tuple(spans))
