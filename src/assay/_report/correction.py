"""A corrected mean in rows and notes, from which every form of it is made."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from assay._analysis.correction import Correction
from assay._report import numbers
from assay.stats.intervals import Interval

RANDOM: Final = "holds if the labelled samples are a random choice; `assay label` makes one"


@dataclass(frozen=True, slots=True)
class Row:
    """One estimate of the mean: what it is of, the mean, its interval, and what it rests on."""

    name: str
    mean: str
    interval: str
    source: str


def rows(correction: Correction) -> list[Row]:
    """The judge's mean, that of the labels, and both together."""
    both, value = correction.corrected, numbers.score
    judged = f"{both.n_judged:,} scores; says nothing of the judge's errors"
    labelled = numbers.plural(both.n_labelled, "label")
    return [
        Row("the judge", value(both.judge_mean), "", judged),
        Row("the labels", value(correction.alone), span(correction.alone_interval), labelled),
        Row("corrected", value(both.estimate), span(both.interval), "both together"),
    ]


def notes(correction: Correction, width: float) -> Iterable[str]:
    """What is to be known about it.

    Args:
        correction: What was found.
        width: The total width of the interval that is wanted.
    """
    both = correction.corrected
    if both.interval is None:
        yield "no interval: too few labels, or labels that do not vary; label more samples"
    if both.correlation is None:
        yield "labels or scores do not vary, so the judge adds nothing"
    else:
        n = correction.worth
        worth = "" if n is None else f"; worth {n:.0f} labels without a judge"
        yield f"correlation of scores and labels {both.correlation:.2f}{worth}"
    if both.interval is not None:
        yield _needed(correction, width)
    if not correction.by_probability:
        yield RANDOM
    if correction.n_unscored:
        unscored = numbers.plural(correction.n_unscored, "sample")
        yield f"{unscored} without a score: no part of the mean"
    if correction.n_open and not correction.cut_short:
        yield f"{correction.n_open} left open: taken to be like the others; label them to be sure"
    for why, n in correction.left_out.items():
        yield f"{n} not used: {why}"


def span(interval: Interval | None) -> str:
    """The ends of an interval."""
    return numbers.span(None if interval is None else (interval.low, interval.high))


def _needed(correction: Correction, width: float) -> str:
    needed, unjudged = correction.labels_for(width), correction.labels_for(width, judged=False)
    without = "more than there are samples" if unjudged is None else f"{unjudged:,}"
    if needed is None:
        return f"width {width:g}: not even with a label for every sample; judge more samples"
    return f"width {width:g}: about {needed:,} labels in all ({without} without the judge)"
