"""The Pareto front of configurations: which pay for their quality with time or money."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from assay._runner.result import Result
from assay._store import Store
from assay.stats.intervals import LEVEL

if TYPE_CHECKING:
    from assay.stats.intervals import Floats

RESOURCES = ("latency_ms", "cost")
_THEMSELVES = ("latency", "cost_per_query")  # metrics of what a front sets quality against


@dataclass(frozen=True, slots=True)
class Place:
    """One configuration on a front, or off it.

    Attributes:
        name: The configuration.
        mean: Its mean score.
        amounts: Mean of each resource, over the questions of the front.
        dominated_by: The configuration whose quality is surely better while this one is surely
            cheaper in none of the resources, the best of them; "" for one on the front.
    """

    name: str
    mean: float
    amounts: tuple[float, ...]
    dominated_by: str


@dataclass(frozen=True, slots=True)
class Front:
    """Quality set against what it takes.

    Attributes:
        resources: What it takes: "latency_ms", "cost", or both.
        n: Questions for which every configuration has a score and all amounts.
        places: The configurations, in the order of the leaderboard.
    """

    resources: tuple[str, ...]
    n: int
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Quality:
    """The scores of several configurations, question by question.

    Attributes:
        metric: Its label.
        names: The configurations.
        ids: The questions.
        scores: Shape (questions, configurations).
        groups: The cluster of each question, None if all are independent.
        span: The greatest score possible minus the least, None where there is no end.
        higher_is_better: Which scores are better.
    """

    metric: str
    names: Sequence[str]
    ids: Sequence[str]
    scores: "Floats"
    groups: Sequence[Hashable] | None
    span: float | None
    higher_is_better: bool


_Amounts: TypeAlias = Mapping[str, Mapping[str, float]]  # by resource, by id


def fronts(
    quality: Quality, results: Sequence[Result], *, level: float = LEVEL
) -> tuple[Front, ...]:
    """The front against each resource that every configuration tells, and against both.

    Args:
        quality: The scores.
        results: The run of each configuration.
        level: Nominal coverage of all differences of the quality, and of those of each resource.
    """
    if quality.metric in _THEMSELVES or len(results) < 2:
        return ()
    amounts = [_amounts(result) for result in results]
    goals = [
        name
        for name in RESOURCES
        if all(any(id_ in by_name[name] for id_ in quality.ids) for by_name in amounts)
    ]
    chosen = [some for size in range(1, len(goals) + 1) for some in combinations(goals, size)]
    return tuple(
        front for resources in chosen for front in _front(quality, amounts, resources, level)
    )


def _front(
    quality: Quality, amounts: Sequence[_Amounts], resources: tuple[str, ...], level: float
) -> Iterator[Front]:
    """The front, unless no question tells all that it takes in every configuration."""
    import numpy as np

    from assay.stats.best import surely_below

    rows = [
        row
        for row, id_ in enumerate(quality.ids)
        if all(id_ in by_name[name] for by_name in amounts for name in resources)
    ]
    if not rows:
        return
    ids, scores = [quality.ids[row] for row in rows], quality.scores[rows]
    groups = quality.groups and [quality.groups[row] for row in rows]
    sign = 1 if quality.higher_is_better else -1
    worse = surely_below(sign * scores, groups=groups, span=quality.span, level=level)
    tables = [
        np.array([[by_name[name][id_] for by_name in amounts] for id_ in ids]) for name in resources
    ]
    cheaper = [surely_below(table, groups=groups, level=level) for table in tables]
    dominated = worse & ~np.logical_or.reduce(cheaper)
    means = scores.mean(axis=0)
    order = np.argsort(np.round(-sign * means, 12), kind="stable")
    yield Front(
        resources=resources,
        n=len(rows),
        places=tuple(
            Place(
                quality.names[at],
                float(means[at]),
                tuple(float(table[:, at].mean()) for table in tables),
                next((quality.names[other] for other in order if dominated[at, other]), ""),
            )
            for at in order
        ),
    )


def _amounts(result: Result) -> _Amounts:
    """What each question took, by resource and by id."""
    amounts: dict[str, dict[str, float]] = {name: {} for name in RESOURCES}
    with Store(result.path) as store:
        for _, sample in store.samples(result.run.id):
            if sample.latency_ms is not None:
                amounts["latency_ms"][sample.id] = float(sample.latency_ms)
            if sample.cost is not None:
                amounts["cost"][sample.id] = float(sample.cost)
    return amounts
