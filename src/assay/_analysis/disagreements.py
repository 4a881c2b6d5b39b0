"""Items on which a metric and people disagree: how many, and which to read first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay._analysis.annotators import Bools, LabelArrays
from assay.score import Part
from assay.stats.intervals import Floats


@dataclass(frozen=True, slots=True)
class Confusion:
    """What people call good and bad, and what the metric calls so.

    Attributes:
        good_good: People good, metric good.
        good_bad: People good, metric bad: a false alarm.
        bad_good: People bad, metric good: a miss.
        bad_bad: People bad, metric bad.
    """

    good_good: int
    good_bad: int
    bad_good: int
    bad_bad: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item that a person should read.

    Attributes:
        sample: Id of the sample.
        score: What the metric said; of a statement how good the judge takes it to be.
        label: What people said, their mean.
        labels: What each of them said.
        gap: Place of the score among all scores less that of the label among all labels, each in
            [0, 1]; above 0 the metric is the kinder one.
        question: What was asked.
        text: What was labelled: the statement, or else the answer.
        parts: The evidence of the score: statements with their verdicts.
    """

    sample: str
    score: float
    label: float
    labels: Mapping[str, float]
    gap: float
    question: str
    text: str
    parts: Sequence[Part]


def confusion(labels: Floats, good: Bools | None) -> Confusion | None:
    """The four counts; None if nothing was called good or bad."""
    if good is None:
        return None
    truth = labels >= 0.5
    pairs = ((truth, good), (truth, ~good), (~truth, good), (~truth, ~good))
    return Confusion(*(int((called_so & labelled_so).sum()) for called_so, labelled_so in pairs))


def disagreements(data: LabelArrays, good: Bools | None, most: int) -> list[Disagreement]:
    """The items on which the ranks of score and label differ most, worst first.

    Where items were called good or bad only those called wrongly are given; where they could not
    be, only those that score on the wrong side of an item of the other label.
    """
    gaps = _rank_shares(data.goodness) - _rank_shares(data.labels)
    wrong = np.abs(gaps) > 0 if good is None else good != (data.labels >= 0.5)
    if good is None and data.scale == "binary":
        wrong = _misordered(data.goodness, data.labels >= 0.5)
    order = [item for item in np.argsort(-np.abs(gaps), kind="stable") if wrong[item]]
    worst = []
    for index in order[:most]:
        item = data.items[index]
        worst.append(
            Disagreement(
                sample=item.sample.id,
                score=item.score,
                label=item.label,
                labels=item.labels,
                gap=float(gaps[index]),
                question=item.sample.question or "",
                text=item.part.text if item.part else item.sample.answer or "",
                parts=(item.part,) if item.part else item.outcome.parts,
            )
        )
    return worst


def _misordered(goodness: Floats, good: Bools) -> Bools:
    """Good items that score lower than a bad one, bad ones that score as high as a good one."""
    if good.all() or not good.any():
        return np.zeros(len(good), dtype=bool)
    least_good, highest_bad = goodness[good].min(), goodness[~good].max()
    return np.asarray(np.where(good, goodness < highest_bad, goodness >= least_good))


def _rank_shares(values: Floats) -> Floats:
    """Middle rank of each value as a share, in (0, 1)."""
    _, rank, counts = np.unique(values, return_inverse=True, return_counts=True)
    shares = (np.cumsum(counts) - counts / 2)[rank] / max(len(values), 1)
    return np.asarray(shares)
