"""Sweeps: their runs in a store, the interactions of parameters, the Pareto front."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias

from assay._runner.result import Result
from assay._store import Run, Store
from assay._store.browsing import values_by_row
from assay._store.runs import Value, written
from assay.stats.intervals import LEVEL, Interval

if TYPE_CHECKING:
    from assay.stats.intervals import Floats

Params: TypeAlias = Mapping[str, Value]  # what was set in a configuration
TAG: Final = "sweep"
LOOK: Final = "race under way"  # the runs of a race that is not over
ANSWERED_BY: Final = ", answered by "


@dataclass(frozen=True, slots=True)
class StoredSweep:
    """The runs of one sweep."""

    name: str  # what it was called, "" if it has no name
    runs: tuple[Run, ...]  # the run of each configuration, in the order of what was set
    params: tuple[Params, ...]  # what was set in each, as far as it differs between them

    @property
    def title(self) -> str:
        """Its name, or the data that it is over."""
        return self.name or f"sweep over {self.source}"

    @property
    def source(self) -> str:
        """The data with the questions."""
        return self.runs[0].source.partition(ANSWERED_BY)[0]

    @property
    def target(self) -> str:
        """The system that was asked."""
        return self.runs[0].source.partition(ANSWERED_BY)[2].partition("@")[0]

    @property
    def metric(self) -> str:
        """The metric that decides: the first one."""
        return next(iter(self.runs[0].metrics))

    @property
    def raced(self) -> bool:
        """Whether configurations were dropped before all questions were asked."""
        return len({run.n_samples for run in self.runs}) > 1


def stored_sweeps(runs: Sequence[Run]) -> list[StoredSweep]:
    """The sweeps among some runs, the newest first.

    Runs belong together by name, data, parameters and definition of the metrics. Of several runs
    of one configuration the newest ones are one sweep, those before an earlier one.

    Args:
        runs: The runs of a store, the newest first.
    """
    by_key: dict[tuple[object, ...], list[dict[tuple[str, ...], Run]]] = {}
    for run in runs:
        if TAG not in run.tags or not run.params or run.derived:
            continue
        names = sorted(run.params)
        source = run.source.partition(ANSWERED_BY)[0]
        key = (_name(run), source, *names, *sorted(run.metrics.items()))
        values = tuple(written(run.params[name]) for name in names)
        sweeps = by_key.setdefault(key, [])
        earlier = next((sweep for sweep in sweeps if values not in sweep), None)
        if earlier is None:
            sweeps.append(earlier := {})
        earlier[values] = run
    sweep_list = [
        _sweep_of(list(sweep.values())[::-1]) for sweeps in by_key.values() for sweep in sweeps
    ]
    order = {run.id: n for n, run in enumerate(runs)}
    real_sweeps = [sweep for sweep in sweep_list if len(sweep.runs) > 1]
    return sorted(real_sweeps, key=lambda sweep: min(order[run.id] for run in sweep.runs))


def _name(run: Run) -> str:
    return next((tag for tag in run.tags if run.name.startswith(f"{tag}/")), "")


def _sweep_of(runs: Sequence[Run]) -> StoredSweep:
    differing = [
        name for name in runs[0].params if len({written(r.params[name]) for r in runs}) > 1
    ]
    # Configurations are asked in parallel: which run is begun first says nothing.
    ordered = sorted(runs, key=lambda run: [_order(run.params[name]) for name in differing])
    params = [{name: run.params[name] for name in differing} for run in ordered]
    return StoredSweep(_name(runs[0]), tuple(ordered), tuple(params))


def _order(value: Value) -> tuple[float, str]:
    """Numbers by their size, all else by its letters."""
    return (value, "") if isinstance(value, int | float) else (math.inf, written(value))


def named_sweep(runs: Sequence[Run], name: str) -> StoredSweep | None:
    """The newest sweep of a name, or of any where the name is "sweep"; a run of it goes before."""
    if any(name in (run.id, run.name) for run in runs):
        return None
    return next((sweep for sweep in stored_sweeps(runs) if name in (sweep.name, TAG)), None)


def best_runs(store: Store, sweeps: Sequence[StoredSweep]) -> Mapping[str, StoredSweep]:
    """The run with the best mean by the first metric, of each sweep with scores, by its id."""
    best = ((best_run(x.runs, x.metric, shared_means(store, x.runs, x.metric)), x) for x in sweeps)
    return {run.id: sweep for run, sweep in best if run is not None}


def shared_means(store: Store, runs: Sequence[Run], metric: str) -> Mapping[str, float]:
    """The mean of each configuration over the questions of which all have a score, by its run.

    So a leaderboard compares them. Of a race, which drops some before all questions are asked, each
    mean is over its own.
    """
    scores: dict[str, dict[int, float]] = {}
    for run in runs:
        values = zip(*values_by_row(store, run, metric), strict=True)
        scores_by_row = {row: value for row, value in values if value is not None}
        if scores_by_row:
            scores[run.id] = scores_by_row
    shared = set.intersection(*map(set, scores.values())) if scores else set()
    if not shared or len({run.n_samples for run in runs}) > 1:
        return {
            run: math.fsum(scores_by_row.values()) / len(scores_by_row)
            for run, scores_by_row in scores.items()
        }
    return {
        run: math.fsum(scores_by_row[row] for row in shared) / len(shared)
        for run, scores_by_row in scores.items()
    }


def best_run(runs: Sequence[Run], metric: str, known: Mapping[str, float]) -> Run | None:
    """The first of the runs whose mean is best; None if none is known."""
    scored = [run for run in runs if run.id in known]
    if not scored:
        return None
    sign = 1 if scored[0].config["about"][metric]["higher_is_better"] else -1
    return max(scored, key=lambda run: sign * known[run.id])


@dataclass(frozen=True, slots=True)
class Interaction:
    """What one parameter does beside two values of another, all further ones averaged out.

    Of the many such contrasts of two parameters it is the largest that is surely there, or the
    largest of all if none is.

    Attributes:
        parameter: The one that is changed.
        change: Its value before, and after: the change that is for the better where it does more.
        beside: The other one.
        values: Its value where the change does more for the score, and where it does less.
        effects: What the change does to the mean score beside each of them.
        difference: The first of these minus the second.
        interval: Its confidence interval, simultaneous over all contrasts of all parameters.
        found: Whether the interval leaves zero out.
    """

    parameter: str
    change: tuple[str, str]
    beside: str
    values: tuple[str, str]
    effects: tuple[float, float]
    difference: float
    interval: Interval | None
    found: bool


def parameter_values(params: Sequence[Params]) -> dict[str, list[str]]:
    """The values of each parameter, each once, in the order in which they were given."""
    values: dict[str, dict[str, None]] = {}
    for run_params in params:
        for name, value in run_params.items():
            values.setdefault(name, {})[written(value)] = None
    return {name: list(distinct) for name, distinct in values.items()}


def interactions(
    scores: "Floats",
    params: Sequence[Params],
    *,
    groups: Sequence[Hashable] | None = None,
    span: float | None = None,
    higher_is_better: bool = True,
    level: float = LEVEL,
) -> tuple[Interaction, ...]:
    """The largest interaction of every two parameters with several values.

    Args:
        scores: Shape (questions, configurations), of every combination of the values.
        params: The values of each configuration.
        groups: The cluster of each question, None if all are independent.
        span: The greatest score possible minus the least, None where there is no end.
        higher_is_better: Which scores are better.
        level: Nominal coverage of the differences of all contrasts together.
    """
    values = parameter_values(params)
    varied = [name for name in values if len(values[name]) > 1]
    # The one with fewer values is changed: its pairs of values share the error that is allowed.
    pairs = [
        tuple(sorted(two, key=lambda name: len(values[name]))) for two in combinations(varied, 2)
    ]
    n_tests = sum(len(list(combinations(values[changed], 2))) for changed, _ in pairs)
    largest = []
    for changed, other_name in pairs:
        contrasts = [
            contrast
            for two in combinations(values[changed], 2)
            for contrast in _contrasts(
                _Change(changed, two, other_name, values[other_name]),
                scores,
                params,
                _Test(groups, span, higher_is_better, 1 - (1 - level) / n_tests, level),
            )
        ]
        largest.append(
            max(contrasts, key=lambda contrast: (contrast.found, abs(contrast.difference)))
        )
    return tuple(largest)


@dataclass(frozen=True)
class _Change:
    parameter: str
    values: tuple[str, str]
    beside: str
    others: Sequence[str]


@dataclass(frozen=True)
class _Test:
    groups: Sequence[Hashable] | None
    span: float | None
    higher_is_better: bool
    each: float  # coverage of all contrasts of one change together
    level: float


def _contrasts(
    change: _Change, scores: "Floats", params: Sequence[Params], test: _Test
) -> list[Interaction]:
    """How differently a change of one parameter does beside every two values of another."""
    import numpy as np

    from assay.stats.best import simultaneous_alpha
    from assay.stats.comparison import difference_interval
    from assay.stats.rare import spread_of

    def mean(value: str, other_value: str) -> "Floats":
        columns = [
            column
            for column, run_params in enumerate(params)
            if (written(run_params[change.parameter]), written(run_params[change.beside]))
            == (value, other_value)
        ]
        average: Floats = scores[:, columns].mean(axis=1)
        return average

    before, after = change.values
    effects = np.stack(
        [mean(after, value) - mean(before, value) for value in change.others], axis=1
    )
    alpha = simultaneous_alpha(effects, groups=test.groups, level=test.each)
    span = None if test.span is None else 2 * test.span
    spread = 2 * spread_of(scores)
    results = []
    for first, second in combinations(range(len(change.others)), 2):
        contrast = effects[:, first] - effects[:, second]
        interval = difference_interval(
            contrast, groups=test.groups, span=span, spread=spread, level=1 - alpha
        )
        results.append(_interaction(change, (first, second), effects.mean(axis=0), interval, test))
    return results


def _interaction(
    change: _Change,
    indices: tuple[int, int],
    effects: "Floats",
    interval: Interval | None,
    test: _Test,
) -> Interaction:
    """The contrast, turned so that the change is for the better beside the first value."""
    first, second = indices
    a, b = float(effects[first]), float(effects[second])
    low, high = (interval.low, interval.high) if interval else (0.0, 0.0)
    # Told of the value beside which more happens, as a change for the better.
    if abs(b) > abs(a):
        first, second, a, b, low, high = second, first, b, a, -high, -low
    before, after = change.values
    if (a < 0) == test.higher_is_better:
        before, after, a, b, low, high = after, before, -a, -b, -high, -low
    return Interaction(
        parameter=change.parameter,
        change=(before, after),
        beside=change.beside,
        values=(change.others[first], change.others[second]),
        effects=(a, b),
        difference=a - b,
        interval=interval and Interval(low, high, test.level, f"{interval.method}, simultaneous"),
        found=interval is not None and not low <= 0 <= high,
    )


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
    resource_sets = [
        resources for size in range(1, len(goals) + 1) for resources in combinations(goals, size)
    ]
    return tuple(
        front
        for resources in resource_sets
        for front in _front_lines(quality, amounts, resources, level)
    )


def _front_lines(
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
                quality.names[index],
                float(means[index]),
                tuple(float(table[:, index].mean()) for table in tables),
                next((quality.names[better] for better in order if dominated[index, better]), ""),
            )
            for index in order
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
