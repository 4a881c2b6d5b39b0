"""The leaderboard of several configurations of one system: means, ties, and effects."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from assay._runner.result import Result
from assay._store import Store
from assay._store.runs import Value, written
from assay.errors import InputError
from assay.stats.intervals import LEVEL, Interval

if TYPE_CHECKING:
    from assay.stats.best import Placed
    from assay.stats.intervals import Floats

Params: TypeAlias = Mapping[str, Value]
NO_SCORES = "no scores"


def configuration_name(params: Params) -> str:
    """``k=3,chunk=256``."""
    return ",".join(f"{name}={written(value)}" for name, value in params.items())


@dataclass(frozen=True, slots=True)
class Standing:
    """One configuration, or one value of a parameter, beside the best.

    Attributes:
        name: The configuration ("k=3,chunk=256"), or the value as it is written.
        mean: Its mean over the questions that all have a score for; None without any score.
        interval: The confidence interval of the mean, by itself.
        difference: Its mean minus that of the best, None without any score.
        difference_interval: The confidence interval of that, simultaneous over all.
        verdict: "best", "tied" (cannot be told from the best), "worse" or "no scores".
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
    """The main effect of a parameter: each of its values, averaged over all other parameters.

    Attributes:
        parameter: Its name.
        values: Its values, the best first; differences are to the best value.
    """

    parameter: str
    values: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The configurations by one metric.

    Attributes:
        metric: Its label.
        higher_is_better: False for error rates.
        n: Questions that every configuration has a score for: all numbers are theirs.
        standings: The configurations, the best first.
        winner: The best one, "" where another one cannot be told from it.
        tied: Those that cannot be told from each other at the top, none where there is a winner.
        more: How many more such questions would tell the two best apart in 80 of 100 cases, if
            they differ by as much as was seen; None where there is a winner or it cannot be said.
        effects: The main effect of every parameter with several values; none where a configuration
            has no scores.
        warnings: What must be known before the numbers are believed.
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


def leaderboard(
    results: Sequence[Result], params: Sequence[Params], metric: str, *, level: float = LEVEL
) -> Leaderboard:
    """Rank configurations by a metric, over the questions that all of them have a score for.

    Args:
        results: The run of each configuration, over the same questions by the same metrics.
        params: What was set in each.
        metric: Label of the metric.
        level: Nominal coverage, of each mean's interval and of all differences together.

    Raises:
        InputError: If no question has a score in every configuration that has scores.
    """
    from assay.stats.best import compare_with_best

    names = [configuration_name(values) for values in params]
    scores = [_scores(result, metric) for result in results]
    scored = [place for place, by_id in enumerate(scores) if by_id]
    about = results[0].run.config["about"][metric]
    up, ends = bool(about["higher_is_better"]), (about["range"][0], about["range"][1])
    if not scored:
        missing = tuple(_missing(name) for name in names)
        return Leaderboard(metric, up, 0, missing, "", (), None, (), (f"no {metric} at all",))
    matrix, groups = _matrix([scores[place] for place in scored], metric)
    compared = compare_with_best(matrix, groups=groups, ends=ends, higher_is_better=up, level=level)
    standings = [
        _standing(names[scored[at]], compared.placed[at], len(scores[scored[at]]))
        for at in compared.order
    ]
    top = tuple(one.name for one in standings if one.verdict in ("best", "tied"))
    more = max(1, compared.needed - len(matrix)) if compared.needed and len(top) > 1 else None
    complete = len(scored) == len(names)
    return Leaderboard(
        metric=metric,
        higher_is_better=up,
        n=len(matrix),
        standings=(*standings, *(_missing(n) for at, n in enumerate(names) if at not in scored)),
        winner=top[0] if len(top) == 1 and len(scored) > 1 else "",
        tied=top if len(top) > 1 else (),
        more=more,
        effects=_effects(matrix, groups, params, ends, up, level) if complete else (),
        warnings=_warnings(scores, len(matrix), complete=complete),
    )


_Scores: TypeAlias = Mapping[str, tuple[float, Hashable]]


def _scores(result: Result, metric: str) -> _Scores:
    """By id of the sample: its score, and its cluster."""
    with Store(result.path) as store:
        run = result.run.id
        values = {row: value for row, value, _ in store.values(run, metric) if value is not None}
        return {
            sample.id: (float(values[row]), sample.group)
            for row, sample in store.samples(run)
            if row in values
        }


def _matrix(scores: Sequence[_Scores], metric: str) -> tuple["Floats", Sequence[Hashable] | None]:
    """The scores of the questions that all have one, a column a configuration; their clusters."""
    import numpy as np

    shared = [id_ for id_ in scores[0] if all(id_ in by_id for by_id in scores)]
    if not shared:
        what = f"no question has a score of {metric} in every configuration"
        raise InputError(what, "see why with `assay show`, and sweep the others")
    matrix = np.array([[by_id[id_][0] for by_id in scores] for id_ in shared])
    groups = [scores[0][id_][1] for id_ in shared]
    if all(group is None for group in groups):
        return matrix, None
    return matrix, [(id_,) if g is None else g for id_, g in zip(shared, groups, strict=True)]


def _standing(name: str, placed: "Placed", n: int) -> Standing:
    return Standing(
        name=name,
        mean=placed.mean,
        interval=placed.interval,
        difference=placed.difference,
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
    for parameter in params[0]:
        places: dict[str, list[int]] = {}
        for at, values in enumerate(params):
            places.setdefault(written(values[parameter]), []).append(at)
        if len(places) < 2:
            continue
        # Each question's mean over the configurations with that value: all else is averaged out.
        columns = np.stack([matrix[:, at].mean(axis=1) for at in places.values()], axis=1)
        compared = compare_with_best(
            columns, groups=groups, ends=ends, higher_is_better=up, level=level
        )
        names = list(places)
        standings = (
            _standing(names[at], compared.placed[at], len(matrix)) for at in compared.order
        )
        effects.append(Effect(parameter, tuple(standings)))
    return tuple(effects)


def _warnings(scores: Sequence[_Scores], n: int, *, complete: bool) -> tuple[str, ...]:
    warnings = []
    if not complete:
        without = sum(not by_id for by_id in scores)
        warnings.append(f"{without} of {len(scores)} configurations have no scores")
    union = len(set().union(*scores))
    if n < union:
        warnings.append(
            f"{union - n} of {union} questions have no score in some configuration: "
            f"all numbers are of the other {n}"
        )
    return tuple(warnings)
