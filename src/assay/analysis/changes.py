"""On which samples did two runs differ most, and which pieces of the evidence changed?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.analysis.pairing import Pair
from assay.runner.result import Result
from assay.score import Part
from assay.store import Store

MOST_PARTS = 4


@dataclass(frozen=True, slots=True)
class PartChange:
    """One piece of evidence that is not what it was.

    Attributes:
        kind: What it is: "statement", "reference statement", "context" ...
        text: The statement, context ... itself.
        before: Its label in the baseline, None if it is not there.
        after: The same in the other run.
        reason: Why, in the words of the judge of the later label that is there.
        values: What it adds to the score, in the baseline and in the other run; None where it is
            not there or adds none.
    """

    kind: str
    text: str
    before: str | None
    after: str | None
    reason: str
    values: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True, slots=True)
class SampleChange:
    """One sample that two runs score differently.

    Attributes:
        sample: Its id.
        question: What was asked, None if the data has no question.
        before: Its score in the baseline.
        after: Its score in the other run.
        parts: What changed in the evidence, what explains the difference best first.
    """

    sample: str
    question: str | None
    before: float
    after: float
    parts: tuple[PartChange, ...]


def largest(
    pairs: Iterable[Pair], metric: str, runs: tuple[Result, Result], *, sign: int, most: int
) -> tuple[SampleChange, ...]:
    """The samples whose score rose (`sign` 1) or fell (-1) most, at most so many."""
    moved = [pair for pair in pairs if sign * (pair.after - pair.before) > 0]
    moved.sort(key=lambda pair: sign * (pair.before - pair.after))
    baseline, other = runs
    if not moved or not most:
        return ()
    with Store(baseline.path) as first, Store(other.path) as second:
        return tuple(
            SampleChange(
                pair.sample,
                first.sample(baseline.run.id, pair.sample)[1].question,
                pair.before,
                pair.after,
                changed(
                    _parts(first, baseline.run.id, pair.rows[0], metric),
                    _parts(second, other.run.id, pair.rows[1], metric),
                    sign=sign,
                ),
            )
            for pair in moved[:most]
        )


def _parts(store: Store, run: str, row: int, metric: str) -> Sequence[Part]:
    outcome = store.outcome(run, row, metric)
    return outcome.parts if outcome else ()


def changed(
    before: Sequence[Part], after: Sequence[Part], *, sign: int, most: int = MOST_PARTS
) -> tuple[PartChange, ...]:
    """What changed between two sets of evidence, what moved the score that way first."""
    old = {(part.kind, part.text): part for part in before}
    new = {(part.kind, part.text): part for part in after}
    found: list[tuple[float, PartChange]] = []
    for key in dict.fromkeys([*new, *old]):
        one, other = old.get(key), new.get(key)
        if one and other and (one.label, one.value) == (other.label, other.value):
            continue
        shown = other or one
        if shown is None:  # it stands in one of them
            continue
        was, now = (part.label if part else None for part in (one, other))
        values = (one.value if one else None, other.value if other else None)
        change = PartChange(*key, was, now, shown.reason, values)
        found.append((sign * (_weight(other) - _weight(one)), change))
    found.sort(key=lambda item: -item[0])
    # What moved the other way explains nothing, unless there is nothing else.
    found = [item for item in found if item[0] > 0] or found
    return tuple(change for _, change in found[:most])


def _weight(part: Part | None) -> float:
    # What is not there neither adds nor takes away: half way between a yes and a no.
    if part is None:
        return 0.5
    return 0.5 if part.value is None else part.value
