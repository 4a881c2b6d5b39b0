"""Sweeps in a store: the runs of each, found by what is said of them, nobody asked."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay._analysis.leaderboard import Params
from assay._store import Run, Store
from assay._store.browsing import means
from assay._store.runs import Value, written

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
        earlier = next((one for one in sweeps if values not in one), None)
        if earlier is None:
            sweeps.append(earlier := {})
        earlier[values] = run
    made = [_made(list(one.values())[::-1]) for sweeps in by_key.values() for one in sweeps]
    place = {run.id: n for n, run in enumerate(runs)}
    several = [one for one in made if len(one.runs) > 1]
    return sorted(several, key=lambda one: min(place[run.id] for run in one.runs))


def _name(run: Run) -> str:
    return next((tag for tag in run.tags if run.name.startswith(f"{tag}/")), "")


def _made(runs: Sequence[Run]) -> StoredSweep:
    differing = [
        name for name in runs[0].params if len({written(r.params[name]) for r in runs}) > 1
    ]
    # Configurations are asked in parallel: which run is begun first says nothing.
    ordered = sorted(runs, key=lambda run: [_place(run.params[name]) for name in differing])
    params = [{name: run.params[name] for name in differing} for run in ordered]
    return StoredSweep(_name(runs[0]), tuple(ordered), tuple(params))


def _place(value: Value) -> tuple[float, str]:
    """Numbers by their size, all else by its letters."""
    return (value, "") if isinstance(value, int | float) else (math.inf, written(value))


def named_sweep(runs: Sequence[Run], name: str) -> StoredSweep | None:
    """The newest sweep of a name, or of any where the name is "sweep"; a run of it goes before."""
    if any(name in (run.id, run.name) for run in runs):
        return None
    return next((one for one in stored_sweeps(runs) if name in (one.name, TAG)), None)


def best_runs(store: Store, sweeps: Sequence[StoredSweep]) -> Mapping[str, StoredSweep]:
    """The run with the best mean by the first metric, of each sweep with scores, by its id."""
    known = {metric: means(store, metric) for metric in {one.metric for one in sweeps}}
    best = ((best_run(one.runs, one.metric, known[one.metric]), one) for one in sweeps)
    return {run.id: one for run, one in best if run is not None}


def best_run(runs: Sequence[Run], metric: str, known: Mapping[str, float]) -> Run | None:
    """The first of the runs whose mean is best; None if none is known."""
    scored = [run for run in runs if run.id in known]
    if not scored:
        return None
    sign = 1 if scored[0].config["about"][metric]["higher_is_better"] else -1
    return max(scored, key=lambda run: sign * known[run.id])
