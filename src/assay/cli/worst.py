"""Which samples does a metric find worst, and on which did the judge fail?"""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from assay.runner.result import NOT_DONE, Result
from assay.score import Score
from assay.store import Run, Store


@dataclass(frozen=True, slots=True)
class Case:
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


def worst(result: Result, metric: str, *, most: int) -> list[Case]:
    """The worst scores, worst first; equal ones in the order of the data."""
    with Store(result.path) as store:
        run = result.run
        sign = 1 if run.config["about"][metric]["higher_is_better"] else -1
        scored = [(sign * v, row) for row, v, _ in store.values(run.id, metric) if v is not None]
        rows = [row for _, row in heapq.nsmallest(most, scored)]
        return _cases(store, run, metric, rows)


def failed(result: Result, metric: str, *, most: int) -> list[Case]:
    """The first samples on which the judge failed, those not reached included."""
    with Store(result.path) as store:
        run = result.run
        why = {row: why for row, _, why in store.values(run.id, metric)}
        rows = (row for row in range(1, run.n_samples + 1) if why.get(row, "failed") == "failed")
        return _cases(store, run, metric, islice(rows, most))


def _cases(store: Store, run: Run, metric: str, rows: Iterable[int]) -> list[Case]:
    cases = []
    for row in rows:
        _, sample = next(store.samples(run.id, row - 1))
        outcome = store.outcome(run.id, row, metric) or NOT_DONE
        value = outcome.value if isinstance(outcome, Score) else None
        detail = "" if isinstance(outcome, Score) else outcome.detail
        cases.append(Case(sample.id, value, detail, sample.question or ""))
    return cases
