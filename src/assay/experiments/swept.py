"""A sweep that is in a store, read again: its leaderboards, nobody asked."""

from pathlib import Path

from assay._analysis.leaderboard import configuration_name, leaderboard, race_leaderboard
from assay._analysis.sweeps import StoredSweep, named_sweep
from assay._runner.result import Result
from assay._store import Store
from assay.experiments.sweep import Configuration, Sweep, mean_resources
from assay.stats.intervals import LEVEL


def open_sweep(name: str, store: str | Path, *, level: float = LEVEL) -> Sweep | None:
    """The newest sweep of a name ("sweep": of any name), None if it names a run or nothing.

    Args:
        name: What it was called.
        store: The SQLite file with its runs.
        level: Nominal coverage, as for `assay.sweep`.
    """
    if not Path(store).is_file():
        return None
    with Store(store) as opened:
        found = named_sweep(opened.runs(), name)
    return None if found is None else read_sweep(store, found, level=level)


def read_sweep(store: str | Path, found: StoredSweep, *, level: float = LEVEL) -> Sweep:
    """A sweep as it stands in a store; of what it took, only what the answers say is known.

    Raises:
        InputError: If no question has a score in every configuration.
    """
    results = [Result(store, run.id) for run in found.runs]
    dropped = _dropped(found)
    boards = []
    for number, metric in enumerate(found.runs[0].metrics):
        if found.raced:
            by = None if number else dropped
            boards.append(race_leaderboard(results, found.params, metric, dropped=by, level=level))
        else:
            boards.append(leaderboard(results, found.params, metric, level=level))
    return Sweep(
        target=found.target,
        source=found.source,
        n=max(run.n_samples for run in found.runs),
        configurations=tuple(
            _configuration(found, place, result, dropped=dropped[place])
            for place, result in enumerate(results)
        ),
        leaderboards=tuple(boards),
        level=level,
        store=str(store),
        race=found.raced,
        judge=found.runs[0].config["judge"],
    )


def _dropped(found: StoredSweep) -> list[bool]:
    most = max(run.n_samples for run in found.runs)
    return [run.n_samples < most for run in found.runs]


def _configuration(
    found: StoredSweep, place: int, result: Result, *, dropped: bool
) -> Configuration:
    run, params = found.runs[place], found.params[place]
    latency_ms, cost, failures = mean_resources(result)
    return Configuration(
        name=configuration_name(params),
        params=dict(params),
        run=run.id,
        asked=0,
        reused=run.n_samples - failures,
        judge_asked=0,
        judge_reused=0,
        failures=failures,
        failed=sum(row.n_failed for row in result.summary()),
        latency_ms=latency_ms,
        cost=cost,
        n=run.n_samples,
        dropped_after=run.n_samples if dropped else None,
    )
