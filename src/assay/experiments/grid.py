"""The configurations of a sweep, all of a grid or some at random, and the race between them."""

import math
import random
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TypeAlias

from assay._analysis.leaderboard import race_matrix, race_order
from assay._middleware.concurrency import in_parallel
from assay._store.runs import Value, written
from assay.data import Record, Source, values_of
from assay.errors import InputError
from assay.metrics import Metric
from assay.sample import Sample

Grid: TypeAlias = Mapping[str, Sequence[Value]]
# By the ids of all that a configuration has to be asked, and its place: its scores by id.
Scorer: TypeAlias = Callable[[frozenset[str], int], Awaitable[Mapping[str, float]]]
MAX_CONFIGURATIONS = 64


def configurations_of(
    grid: Grid, maximum: int = MAX_CONFIGURATIONS, *, drawn: int | None = None, seed: int = 0
) -> list[dict[str, Value]]:
    """Every combination of values, the last parameter changing first; or some drawn at random.

    Args:
        grid: The values of every parameter.
        maximum: More configurations are refused.
        drawn: How many are drawn, each combination with the same chance and none twice; None for
            all. They stand in the order of the grid, and the first n of a seed are among its first
            n + 1.
        seed: Another seed draws others.

    Raises:
        InputError: If there is none, a value is given twice, or there are more than `maximum`.
    """
    _check(grid)
    size = math.prod(map(len, grid.values()))
    if drawn is not None and not 1 <= drawn <= size:
        fault = f"{drawn} configurations are to be drawn from a grid of {size:,}"
        raise InputError(fault, f"draw 1 to {size:,}, or leave --random (random) out for all")
    if (drawn or size) > maximum:
        counts = " x ".join(f"{len(values)} {name}" for name, values in grid.items())
        fault = f"the grid has {size:,} configurations ({counts}), more than {maximum}"
        if drawn:
            fault = f"{drawn:,} configurations are to be drawn, more than {maximum}"
        remedy = "leave values out, draw some at random (--random N), or allow more: "
        raise InputError(fault, f"{remedy}--max-configurations (max_configurations)")
    if drawn is None:
        return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [_combination(grid, index) for index in sorted(_draw(size, drawn, seed))]


def _check(grid: Grid) -> None:
    if not grid:
        raise InputError("the grid is empty", 'give a parameter and its values: {"k": [3, 5]}')
    for name, values in grid.items():
        if isinstance(values, str) or not isinstance(values, Collection) or not values:
            fault = f"the parameter '{name}' has no values"
            raise InputError(fault, f'give a list: {{"{name}": [3, 5]}}')
        texts = [_text(value) for value in values]
        if twice := sorted({text for text in texts if texts.count(text) > 1}):
            raise InputError(f"'{name}' has the value {twice[0]} twice", "name each value once")


def _text(value: Value) -> str:
    """What tells a value from others: 3.0 is 3."""
    is_whole = isinstance(value, float) and value.is_integer()
    return written(int(value) if is_whole else value)


def _draw(size: int, n: int, seed: int) -> set[int]:
    """Numbers below `size`, each with the same chance: fewer of one seed are among more of it."""
    chance, numbers = random.Random(seed), set[int]()  # noqa: S311 - it guards nothing
    while len(numbers) < n:
        numbers.add(chance.randrange(size))
    return numbers


def _combination(grid: Grid, index: int) -> dict[str, Value]:
    """The combination with this number in the order of the grid."""
    values: dict[str, Value] = {}
    for name in reversed(list(grid)):
        index, value_index = divmod(index, len(grid[name]))
        values[name] = grid[name][value_index]
    return {name: values[name] for name in grid}


@dataclass(frozen=True)
class Race:
    """The questions of a race, and what decides it."""

    ids: Sequence[str]  # the questions, in the order in which they are asked
    span: float  # the greatest score of the metric minus the least
    higher_is_better: bool  # which scores win
    level: float  # with this probability none of the truly best configurations is dropped

    async def run(self, configurations: int, score: Scorer, at_once: int) -> list[int | None]:
        """For each configuration after how many questions it was dropped, None if it never was."""
        from assay.stats.sequential import beaten, looks

        dropped: list[int | None] = [None] * configurations
        running = list(range(configurations))
        for n in looks(len(self.ids)):
            scorer = partial(score, frozenset(self.ids[:n]))
            scores = await in_parallel(scorer, running, at_once)
            if n == len(self.ids) or not any(scores):
                continue
            losers = beaten(
                race_matrix(scores),
                systems=configurations,
                span=self.span,
                higher_is_better=self.higher_is_better,
                level=self.level,
            )
            for index, is_lost in zip(running, losers, strict=True):
                if is_lost:
                    dropped[index] = n
            running = [index for index in running if dropped[index] is None]
            if len(running) == 1:
                break
        return dropped


def plan_race(samples: Sequence[Sample], metric: Metric, level: float) -> Race:
    """The race over these questions that a metric decides.

    Raises:
        InputError: If the metric has no least or no greatest value, or questions stand in groups.
    """
    low, high = metric.ends()
    if low is None or high is None:
        fault = f"{metric.label} cannot decide a race: it has no least or no greatest value"
        raise InputError(fault, "name a metric with both first, such as -m faithfulness,latency")
    if any(sample.group is not None for sample in samples):
        fault = "questions in groups cannot be raced: those of one group are not independent"
        raise InputError(fault, "leave --race out, or the column away: --map group=")
    ids = race_order(sample.id for sample in samples)
    return Race(ids, high - low, metric.higher_is_better, level)


def subset(samples: Sequence[Sample], ids: frozenset[str], name: str) -> Source:
    """Some of the questions, in the order of the data."""

    def records() -> Iterator[Record]:
        for number, sample in enumerate(samples, start=1):
            if sample.id in ids:
                yield Record(number, values_of(sample), form="sample")

    return Source(name, records)
