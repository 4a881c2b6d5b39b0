"""Rows beside passages of other subjects, as a retriever brings them.

Nearly all labelled rows stand beside their evidence alone. A retriever brings passages that share
words with the question and say nothing of it, and of several such passages together almost every
word of a statement is known. Each row is repeated beside the passages of other sources that share
most with it; supported statements also beside those alone, without their evidence.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from assay._text.words import stems
from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import Row

RETRIEVED = "retrieved/"  # how the names of their sets begin
WORDS = 260  # of the evidence of a row at most: with more there is no room for anything else
PASSAGE = (8, 180)  # words of a passage that is put beside it
MOST = 4  # passages
KNOWN = 0.6  # share of a text's words, by weight, in one passage: it may speak of the same
ALIKE = 0.5  # share of the words of a passage or of the evidence in the other: the same page
WITHOUT = 0.3  # share of the supported rows that are repeated without their evidence
NEAREST = 12  # passages looked at
# Single sentences beside single sentences, references beside answers, and parts of other rows.
LEFT_OUT = {
    *("breaking_nli", "conjnli", "evouna_recall", "evouna_precision"),
    *("written/part", "written/page_part", "wice_claims", "wice_nonsupported_tokens"),
}


def retrieved(rows: Iterable[Row], seed: int = 0) -> Iterator[Row]:
    """Every row that has room beside other passages, and supported ones beside those alone.

    Passages come from sources that are trained on, also for rows that are held out.
    """
    found = [row for row in rows if row.data not in LEFT_OUT and _is_prose(row)]
    passages = Passages(row for row in found if fold_of(row.group) != HELD_OUT)
    rng = random.Random(f"{seed} retrieved")
    for row in found:
        if sum(len(context.split()) for context in row.contexts) > WORDS:
            continue
        others = passages.beside(row)[: rng.randint(1, MOST)]
        if not others:
            continue
        together = [*row.contexts, *others]
        rng.shuffle(together)
        repeated = replace(row, data=RETRIEVED + row.data, contexts=tuple(together))
        yield repeated
        if len(others) > 1 and rng.random() < WITHOUT:
            yield from _without(replace(repeated, contexts=tuple(others)))


def _is_prose(row: Row) -> bool:
    records = any(context.lstrip().startswith(("{", "[", "|")) for context in row.contexts)
    return bool(row.contexts) and not records


def _without(row: Row) -> Iterator[Row]:
    """Its statements as what the contexts say nothing of."""
    if row.cuts is not None:
        cuts = tuple((first, last, "neutral", False) for first, last, _, _ in row.cuts)
        yield replace(row, label=None, spans=None, cuts=cuts)
    elif row.label == "supported":
        yield replace(row, label="neutral", spans=None)


class Passages:
    """The contexts of some rows by their words."""

    def __init__(self, rows: Iterable[Row]) -> None:
        groups: dict[str, str] = {}
        least, longest = PASSAGE
        for row in rows:
            for context in row.contexts:
                if least <= len(context.split()) <= longest:
                    groups.setdefault(context, row.group)
        self.texts = list(groups)
        self.groups = list(groups.values())
        self.stems = [frozenset(stems(text)) for text in self.texts]
        places: dict[str, list[int]] = defaultdict(list)
        for place, each in enumerate(self.stems):
            for stem in sorted(each):
                places[stem].append(place)
        self.places = {stem: np.array(each) for stem, each in places.items()}
        count = len(self.texts)
        self.weights = {stem: float(np.log(count / len(each))) for stem, each in places.items()}
        self.lengths = np.sqrt([20 + len(each) for each in self.stems])

    def beside(self, row: Row) -> list[str]:
        """The passages that share most with a text and its question, and hold it not."""
        said = frozenset(stems(row.answer))
        own = frozenset().union(*(stems(context) for context in row.contexts))
        shared = self._weights_of(said | frozenset(stems(row.question)))
        known = self._weights_of(said)
        whole = sum(self.weights.get(stem, 0.0) for stem in said) or 1.0
        nearest = np.argsort(-shared / self.lengths, kind="stable")[:NEAREST]
        return [
            self.texts[i]
            for i in nearest.tolist()
            if self.groups[i] != row.group and shared[i] > 0 and known[i] / whole < KNOWN
            if len(self.stems[i] & own) < ALIKE * min(len(self.stems[i]), len(own))
        ]

    def _weights_of(self, wanted: frozenset[str]) -> npt.NDArray[np.float64]:
        total = np.zeros(len(self.texts))
        for stem in sorted(wanted & self.places.keys()):
            total[self.places[stem]] += self.weights[stem]
        return total
