"""How many words of a text stand in its contexts: the signal that no generator may leave behind."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence

from assay._text.words import stems
from assay.experiments.reader_windows import Row

_BINS = 20


def overlap(row: Row) -> float:
    """Share of the content words of the text that stand in the contexts."""
    wanted = stems(row.answer)
    if not wanted:
        return 1.0
    found = {stem for context in row.contexts for stem in stems(context)}
    return sum(word in found for word in wanted) / len(wanted)


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a right one lies above a wrong one; ties count half."""
    if not right or not wrong:
        return 0.5
    ranked = sorted([(value, True) for value in right] + [(value, False) for value in wrong])
    below = won = 0.0
    start = 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        tied = [good for _, good in ranked[start:end]]
        won += sum(tied) * (below + (len(tied) - sum(tied)) / 2)
        below += len(tied) - sum(tied)
        start = end
    return won / (len(right) * len(wrong))


def balanced(rows: Iterable[Row], seed: int) -> list[Row]:
    """As many right as wrong rows at every level of overlap; what is too many of is left out.

    Of long texts the number of words matters too, so the levels are taken apart by length.
    """
    rng = random.Random(f"{seed}/balance")
    levels: dict[tuple[int, int], dict[bool, list[Row]]] = defaultdict(
        lambda: {True: [], False: []}
    )
    for row in rows:
        length = len(row.answer.split())
        level = (round(overlap(row) * _BINS), 0 if length < 12 else 1 if length < 30 else 2)
        levels[level][row.label == "supported"].append(row)
    kept = []
    for level in sorted(levels):
        right, wrong = levels[level][True], levels[level][False]
        size = min(len(right), len(wrong))
        kept += [row for side in (right, wrong) for row in rng.sample(side, size)]
    rng.shuffle(kept)
    return kept
