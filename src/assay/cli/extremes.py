"""Which samples does a metric find worst, and on which did the judge fail?"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from assay.run.result import Result
from assay.score import Score


@dataclass(frozen=True, slots=True)
class Low:
    """A sample worth a look.

    Attributes:
        sample: Its id.
        value: Its score, None if there is none.
        detail: Why there is none.
        question: What was asked.
    """

    sample: str
    value: float | None
    detail: str
    question: str


def extremes(result: Result, metric: str, *, most: int) -> list[Low]:
    """The worst scores, worst first; equal ones in the order of the data."""
    sign = 1 if result.run.config["about"][metric]["higher_is_better"] else -1
    found = heapq.nsmallest(most, _scored(result, metric), key=lambda low: sign * (low.value or 0))
    return list(found)


def failures(result: Result, metric: str, *, most: int) -> list[Low]:
    """The first samples on which the judge failed."""
    found: list[Low] = []
    for sample, outcome in result.outcomes(metric):
        if not isinstance(outcome, Score) and outcome.why == "failed" and len(found) < most:
            found.append(Low(sample.id, None, outcome.detail, sample.question or ""))
    return found


def _scored(result: Result, metric: str) -> Iterator[Low]:
    for sample, outcome in result.outcomes(metric):
        if isinstance(outcome, Score):
            yield Low(sample.id, outcome.value, "", sample.question or "")
