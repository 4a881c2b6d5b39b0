"""The leaderboard of several configurations of one system: means, ties, and effects."""

import hashlib
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from assay._analysis.corrected_leaderboard import CorrectedStanding, corrected_standings
from assay._analysis.sweeps import (
    Front,
    Interaction,
    Params,
    Quality,
    fronts,
    interactions,
    parameter_values,
)
from assay._runner.result import Result
from assay._store import Store
from assay._store.runs import written
from assay.errors import InputError
from assay.stats.intervals import LEVEL, Interval

if TYPE_CHECKING:
    from assay.stats.best import Placed
    from assay.stats.intervals import Floats

NO_SCORES = "no scores"
DROPPED = "dropped"
UNKNOWN = ""


def configuration_name(params: Params) -> str:
    """``k=3,chunk=256``."""
    return ",".join(f"{name}={written(value)}" for name, value in params.items())


def configuration_names(params: Sequence[Params]) -> list[str]:
    """What each is called among the others: by what varies, or in full where nothing does."""
    varied = {
        name
        for name, values in parameter_values(params).items()
        if len(values) > 1 or any(name not in run_params for run_params in params)
    }
    return [
        configuration_name({n: v for n, v in values.items() if not varied or n in varied})
        for values in params
    ]


@dataclass(frozen=True, slots=True)
class Standing:
    """One configuration, or one value of a parameter, beside the best.

    Attributes:
        name: The configuration by what varies ("k=3,chunk=256"), or the value as it is written.
        mean: Its mean over the questions that all have a score for; None without any score.
        interval: The confidence interval of the mean, by itself.
        difference: Its mean minus that of the best, None without any score.
        difference_interval: The confidence interval of that, simultaneous over all.
        verdict: "best", "tied" (cannot be told from the best), "worse", "no scores", "dropped" (no
            longer asked in a race, once another one was surely better), or "" where a race cannot
            say: by a metric without a greatest value.
        n: Questions that it has a score for.
    """

    name: str
    mean: float | None
    interval: Interval | None
    difference: float | None
    difference_interval: Interval | None
    verdict: str
    n: int


@dataclass(frozen=True, slots=True)
class Effect:
    """The main effect of a parameter: each of its values, averaged over all other parameters."""

    parameter: str
    values: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The configurations by one metric.

    Attributes:
        metric: Its label.
        higher_is_better: False for error rates.
        n: Questions that every configuration has a score for: all numbers are theirs. In a race
            those that the best one has a score for; the others' numbers are of their own `n`.
        standings: The configurations, the best first.
        winner: The best one, "" where another one cannot be told from it.
        tied: Those that cannot be told from each other at the top, none where there is a winner.
        more: How many more such questions would tell the two best apart in 80 of 100 cases, if
            they differ by as much as was seen; None where there is a winner or it cannot be said.
        effects: The main effect of every parameter with several values; none where a configuration
            has no scores, and none in a race, which asks some of them less than others.
        warnings: What must be known before the numbers are believed.
        interactions: The largest interaction of every two parameters; none where there are no
            effects.
        fronts: Quality set against latency and cost, of the configurations with scores; none in a
            race, which drops configurations by their quality alone.
        corrected: The configurations whose answers have labels in the store, as people would have
            judged them, the best first; none in a race.
    """

    metric: str
    higher_is_better: bool
    n: int
    standings: tuple[Standing, ...]
    winner: str
    tied: tuple[str, ...]
    more: int | None
    effects: tuple[Effect, ...]
    warnings: tuple[str, ...]
    interactions: tuple[Interaction, ...] = ()
    fronts: tuple[Front, ...] = ()
    corrected: tuple[CorrectedStanding, ...] = ()


def leaderboard(
    results: Sequence[Result],
    params: Sequence[Params],
    metric: str,
    *,
    names: Sequence[str] = (),
    level: float = LEVEL,
) -> Leaderboard:
    """Rank configurations by a metric, over the questions that all of them have a score for.

    Args:
        results: The run of each configuration, over the same questions by the same metrics.
        params: What was set in each.
        metric: Label of the metric.
        names: What each is called; by default what was set in it.
        level: Nominal coverage, of each mean's interval and of all differences together.

    Raises:
        InputError: If no question has a score in every configuration that has scores.
    """
    from assay.stats.best import compare_with_best

    names = names or configuration_names(params)
    scores = [_scores(result, metric) for result in results]
    scored = [i for i, by_id in enumerate(scores) if by_id]
    facts = results[0].run.config["about"][metric]
    up, ends = bool(facts["higher_is_better"]), (facts["range"][0], facts["range"][1])
    if not scored:
        missing = tuple(_missing(name) for name in names)
        return Leaderboard(metric, up, 0, missing, "", (), None, (), (f"no {metric} at all",))
    ids, matrix, groups = _matrix([scores[i] for i in scored], metric)
    compared = compare_with_best(matrix, groups=groups, ends=ends, higher_is_better=up, level=level)
    standings = [
        _standing(names[scored[column]], compared.placed[column], len(scores[scored[column]]))
        for column in compared.order
    ]
    top = tuple(standing.name for standing in standings if standing.verdict in ("best", "tied"))
    more = max(1, compared.needed - len(matrix)) if compared.needed and len(top) > 1 else None
    complete = len(scored) == len(names)
    span = None if None in ends else ends[1] - ends[0]
    runs, titles = [results[i] for i in scored], [names[i] for i in scored]
    corrected, unused = corrected_standings(
        runs, titles, metric, (ids, matrix), groups=groups, level=level
    )
    return Leaderboard(
        metric=metric,
        higher_is_better=up,
        n=len(matrix),
        standings=(*standings, *(_missing(n) for i, n in enumerate(names) if i not in scored)),
        winner=top[0] if len(top) == 1 and len(scored) > 1 else "",
        tied=top if len(top) > 1 else (),
        more=more,
        effects=_effects(matrix, groups, params, ends, up, level) if complete else (),
        warnings=_warnings(dict(zip(names, scores, strict=True)), len(matrix), groups, unused),
        interactions=interactions(
            matrix, params, groups=groups, span=span, higher_is_better=up, level=level
        )
        if complete and is_full(params)
        else (),
        fronts=fronts(Quality(metric, titles, ids, matrix, groups, span, up), runs, level=level),
        corrected=corrected,
    )


def race_leaderboard(
    results: Sequence[Result],
    params: Sequence[Params],
    metric: str,
    *,
    dropped: Sequence[bool] | None,
    level: float = LEVEL,
) -> Leaderboard:
    """Rank configurations that were asked as long as they could win; their runs share questions.

    Args:
        results: The run of each configuration.
        params: What was set in each.
        metric: Label of the metric.
        dropped: Which were dropped early; None if this metric did not decide it.
        level: As for `leaderboard`; it holds whenever the race ended.
    """
    from assay.stats.sequential import compare_raced

    names = configuration_names(params)
    scores = [race_scores(result, metric) for result in results]
    scored = [i for i, by_id in enumerate(scores) if by_id]
    up, ends = _direction(results[0], metric)
    missing = tuple(_missing(name) for name, by_id in zip(names, scores, strict=True) if not by_id)
    warnings = [f"{len(missing)} of {len(scores)} configurations have no scores"] if missing else []
    if ends is None:
        fault = f"{metric} has no greatest value: a race gives means of it, and no intervals"
        standings = _means(names, scores, scored, up=up)
        return Leaderboard(
            metric, up, 0, (*standings, *missing), "", (), None, (), (*warnings, fault)
        )
    if not scored:
        return Leaderboard(metric, up, 0, missing, "", (), None, (), (f"no {metric} at all",))
    is_dropped = [bool(dropped and dropped[i]) for i in scored]
    compared = compare_raced(
        race_matrix([scores[i] for i in scored]),
        is_dropped,
        ends=ends,
        higher_is_better=up,
        level=level,
    )
    standings = []
    for column in compared.order:
        standing = _standing(
            names[scored[column]], compared.placed[column], len(scores[scored[column]])
        )
        standings.append(replace(standing, verdict=DROPPED) if is_dropped[column] else standing)
    top = tuple(standing.name for standing in standings if standing.verdict in ("best", "tied"))
    return Leaderboard(
        metric=metric,
        higher_is_better=up,
        n=standings[0].n,
        standings=(*standings, *missing),
        winner=top[0] if len(top) == 1 and len(scored) > 1 else "",
        tied=top if len(top) > 1 else (),
        more=None,
        effects=(),
        warnings=tuple(warnings),
    )


def _direction(result: Result, metric: str) -> tuple[bool, tuple[float, float] | None]:
    """Whether more of a metric is better, and its least and greatest value if it has both."""
    facts = result.run.config["about"][metric]
    low, high = facts["range"]
    up = bool(facts["higher_is_better"])
    return up, None if low is None or high is None else (float(low), float(high))


def race_scores(result: Result, metric: str) -> dict[str, float]:
    """By id of the sample: its score."""
    return {id_: score for id_, (score, _) in _scores(result, metric).items()}


def race_matrix(scores: Sequence[Mapping[str, float]]) -> "Floats":
    """Scores by id as a table in the order of a race, a column a configuration; NaN for none."""
    import numpy as np

    ids = race_order(set().union(*scores))
    rows = [[by_id.get(id_, math.nan) for by_id in scores] for id_ in ids]
    return np.array(rows, dtype=np.float64)


def race_order(ids: Iterable[str]) -> list[str]:
    """Ids in an order that has nothing to do with the questions: always the same one."""
    return sorted(ids, key=lambda id_: (hashlib.sha256(id_.encode()).digest(), id_))


def _means(
    names: Sequence[str],
    scores: Sequence[Mapping[str, float]],
    scored: Sequence[int],
    *,
    up: bool,
) -> list[Standing]:
    means = {i: math.fsum(scores[i].values()) / len(scores[i]) for i in scored}
    order = sorted(scored, key=lambda i: -means[i] if up else means[i])
    return [Standing(names[i], means[i], None, None, None, UNKNOWN, len(scores[i])) for i in order]


_NAMED = 3  # configurations that lack most scores
_Scores: TypeAlias = Mapping[str, tuple[float, Hashable]]


def _scores(result: Result, metric: str) -> _Scores:
    """By id of the sample: its score, and its cluster."""
    with Store(result.path) as store:
        run = result.run.id
        values = store.numbers(run, metric)
        return {
            sample.id: (float(values[row]), sample.group)
            for row, sample in store.samples(run)
            if row in values
        }


def _matrix(
    scores: Sequence[_Scores], metric: str
) -> tuple[list[str], "Floats", Sequence[Hashable] | None]:
    """The questions that all have a score for, their scores, a column each, and their clusters."""
    import numpy as np

    shared = [id_ for id_ in scores[0] if all(id_ in by_id for by_id in scores)]
    if not shared:
        fault = f"no question has a score of {metric} in every configuration"
        raise InputError(fault, "see why with `assay show`, and sweep the others")
    matrix = np.array([[by_id[id_][0] for by_id in scores] for id_ in shared])
    groups = [scores[0][id_][1] for id_ in shared]
    if all(group is None for group in groups):
        return shared, matrix, None
    return (
        shared,
        matrix,
        [(id_,) if g is None else g for id_, g in zip(shared, groups, strict=True)],
    )


def _standing(name: str, placed: "Placed", n: int) -> Standing:
    return Standing(
        name=name,
        mean=placed.mean,
        interval=placed.interval,
        difference=None if math.isnan(placed.difference) else placed.difference,
        difference_interval=placed.difference_interval,
        verdict=placed.verdict,
        n=n,
    )


def _missing(name: str) -> Standing:
    return Standing(name, None, None, None, None, NO_SCORES, 0)


def _effects(
    matrix: "Floats",
    groups: Sequence[Hashable] | None,
    params: Sequence[Params],
    ends: tuple[float | None, float | None],
    up: bool,  # noqa: FBT001
    level: float,
) -> tuple[Effect, ...]:
    import numpy as np

    from assay.stats.best import compare_with_best

    effects = []
    for parameter, (names, weights) in _averages(params).items():
        # What rests on rounding alone is no difference.
        size = max(float(np.abs(matrix).max()), 1e-300)
        columns = np.round(matrix @ weights / size, 12) * size
        compared = compare_with_best(
            columns, groups=groups, ends=ends, higher_is_better=up, level=level
        )
        standings = (
            _standing(names[column], compared.placed[column], len(matrix))
            for column in compared.order
        )
        effects.append(Effect(parameter, tuple(standings)))
    return tuple(effects)


def is_full(params: Sequence[Params]) -> bool:
    """Whether every value of each parameter stands beside all values of the others."""
    sizes = [len({written(values[name]) for values in params}) for name in params[0]]
    return math.prod(sizes) == len(params)


def _averages(params: Sequence[Params]) -> dict[str, tuple[list[str], "Floats"]]:
    """By parameter with several values: these, and how much each configuration counts for each.

    In a full grid each value's configurations count the same: all else is averaged out. In a part
    of one they count as least squares say, if effects add up; none where it does not tell them.
    """
    import numpy as np

    varied = {n: values for n, values in parameter_values(params).items() if len(values) > 1}
    if not varied:
        return {}
    # A column for each value of a parameter, all of which together stand for the mean.
    design = np.array(
        [
            [written(run_params[name]) == v for name in varied for v in varied[name]]
            for run_params in params
        ],
        float,
    )
    if np.linalg.matrix_rank(design) < design.shape[1] - max(0, len(varied) - 1):
        return {}
    averages, row = {}, 0
    for name, values in varied.items():
        targets = np.concatenate(
            [np.full((len(v), len(values)), 1 / len(v)) for v in varied.values()]
        )
        targets[row : row + len(values)] = np.eye(len(values))
        averages[name] = values, np.linalg.pinv(design).T @ targets
        row += len(values)
    return averages


def _warnings(
    scores: Mapping[str, _Scores], n: int, groups: Sequence[Hashable] | None, unused: str
) -> tuple[str, ...]:
    warnings = []
    if without := sum(not by_id for by_id in scores.values()):
        warnings.append(f"{without} of {len(scores)} configurations have no scores")
    union = len(set().union(*scores.values()))
    if n < union:
        lacking = {name: union - len(by_id) for name, by_id in scores.items() if by_id}
        lacking_most = sorted(filter(lacking.get, lacking), key=lambda name: -lacking[name])
        counts = ", ".join(f"{lacking[name]} in {name}" for name in lacking_most[:_NAMED])
        more = f" and {len(lacking_most) - _NAMED} more" if len(lacking_most) > _NAMED else ""
        warnings.append(
            f"{union - n} of {union} questions with a score lack one in another configuration "
            f"({counts}{more}): all numbers are of the other {n}, so a configuration that answers "
            "only the easy ones looks better than it is"
        )
    if groups is not None and (distinct := len(set(groups))) < n:
        warnings.append(
            f"the {n} questions form {distinct} groups: the intervals treat groups, not "
            "questions, as independent"
        )
    return tuple(filter(None, (*warnings, unused)))
