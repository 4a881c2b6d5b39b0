"""A race: configurations are asked in growing batches, and dropped once they cannot win."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from assay._analysis.leaderboard import race_matrix, race_order
from assay._middleware.concurrency import in_parallel
from assay.data import Record, Source, values_of
from assay.errors import InputError
from assay.metrics import Metric
from assay.sample import Sample

# By the ids of all that a configuration has to be asked, and its place: its scores by id.
Scorer: TypeAlias = Callable[[frozenset[str], int], Awaitable[Mapping[str, float]]]


@dataclass(frozen=True)
class Race:
    """The questions of a race, and what decides it.

    Attributes:
        ids: The questions, in the order in which they are asked.
        span: The greatest score of the metric minus the least.
        higher_is_better: Which scores win.
        level: With this probability none of the truly best configurations is dropped.
    """

    ids: Sequence[str]
    span: float
    higher_is_better: bool
    level: float

    async def run(self, configurations: int, score: Scorer, at_once: int) -> list[int | None]:
        """For each configuration after how many questions it was dropped, None if it never was.

        Args:
            configurations: How many there are.
            score: Asks and scores one.
            at_once: So many are asked at the same time.
        """
        from assay.stats.sequential import beaten, looks

        dropped: list[int | None] = [None] * configurations
        running = list(range(configurations))
        for n in looks(len(self.ids)):
            asked = partial(score, frozenset(self.ids[:n]))
            scores = await in_parallel(asked, running, at_once)
            if n == len(self.ids) or not any(scores):
                continue
            lost = beaten(
                race_matrix(scores),
                systems=configurations,
                span=self.span,
                higher_is_better=self.higher_is_better,
                level=self.level,
            )
            for place, out in zip(running, lost, strict=True):
                if out:
                    dropped[place] = n
            running = [place for place in running if dropped[place] is None]
            if len(running) == 1:
                break
        return dropped


def prepare(samples: Sequence[Sample], metric: Metric, level: float) -> Race:
    """The race over these questions that a metric decides.

    Raises:
        InputError: If the metric has no least or no greatest value, or questions stand in groups.
    """
    low, high = metric.ends()
    if low is None or high is None:
        what = f"{metric.label} cannot decide a race: it has no least or no greatest value"
        raise InputError(what, "name a metric with both first, such as -m faithfulness,latency")
    if any(sample.group is not None for sample in samples):
        what = "questions in groups cannot be raced: those of one group are not independent"
        raise InputError(what, "leave --race out, or the column away: --map group=")
    ids = race_order(sample.id for sample in samples)
    return Race(ids, high - low, metric.higher_is_better, level)


def some(samples: Sequence[Sample], ids: frozenset[str], name: str) -> Source:
    """Some of the questions, in the order of the data."""

    def records() -> Iterator[Record]:
        for number, sample in enumerate(samples, start=1):
            if sample.id in ids:
                yield Record(number, values_of(sample), form="sample")

    return Source(name, records)
