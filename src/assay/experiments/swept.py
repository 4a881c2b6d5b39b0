"""What came of a sweep: its configurations and leaderboards, also read again from a store."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from assay._analysis.comparability import judge_of
from assay._analysis.leaderboard import (
    Leaderboard,
    configuration_names,
    leaderboard,
    race_leaderboard,
)
from assay._analysis.sweeps import Params, StoredSweep, named_sweep
from assay._runner.result import Result
from assay._store import Run, Store
from assay.experiments.pipeline import NAME, Parameters
from assay.experiments.pool import Pool, pool_note
from assay.score import Readable
from assay.stats.intervals import LEVEL


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration of a sweep and its run.

    Attributes:
        name: ``k=3,chunk=256``.
        params: What was set.
        run: Id of its run in the store.
        asked: How often the system had to be asked.
        reused: Answers that were in the store already.
        judge_asked: How often the judge had to be asked.
        judge_reused: Replies of the judge that were in the store already.
        failures: Questions without an answer.
        failed: Scores that the judge failed to make, by all metrics.
        latency_ms: Mean time of an answer, None if none was given.
        cost: Mean cost of an answer as the system told it, None if it told none.
        n: How many questions it was asked, or would have been if their answers were not known.
        dropped_after: After how many questions it was dropped from a race, None if it was not.
        without_effect: Parameters whose other values in the grid change nothing in it, so that it
            is asked once for all of them.
    """

    name: str
    params: Params
    run: str
    asked: int
    reused: int
    judge_asked: int
    judge_reused: int
    failures: int
    failed: int
    latency_ms: float | None
    cost: float | None
    n: int
    dropped_after: int | None = None
    without_effect: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sweep(Readable):
    """What a sweep has found.

    Attributes:
        target: The system that was asked.
        source: The data with the questions.
        n: How many questions.
        configurations: Every configuration, in the order of the grid.
        leaderboards: By each metric; the first one is that of the first metric named.
        level: Nominal coverage of each mean's interval, and of all differences of a metric.
        store: The file that keeps the runs.
        race: Whether configurations were dropped once they could not win.
        judge: Who judged.
        pool: What was pooled and graded in the place of gold labels; None if nothing was, and of a
            sweep that is read again.
        note: What a reader must know of a judged pool, "" without one.
    """

    target: str
    source: str
    n: int
    configurations: tuple[Configuration, ...]
    leaderboards: tuple[Leaderboard, ...]
    level: float
    store: str
    race: bool = False
    judge: str = ""
    pool: Pool | None = None
    note: str = ""

    def __str__(self) -> str:
        """A line for each metric."""
        return "\n".join(map(_line, self.leaderboards))


def open_sweep(name: str, store: str | Path, *, level: float = LEVEL) -> Sweep | None:
    """The newest sweep of a name ("sweep": of any name), None if it names a run or nothing.

    Args:
        name: What it was called.
        store: The SQLite file with its runs.
        level: Nominal coverage, as for `assay.sweep`.
    """
    stored = stored_sweep(name, store)
    return None if stored is None else read_sweep(store, stored, level=level)


def stored_sweep(name: str, store: str | Path) -> StoredSweep | None:
    """The runs of the newest sweep of a name, None if it names a run or nothing."""
    if not Path(store).is_file():
        return None
    with Store(store) as opened:
        return named_sweep(opened.runs(), name)


def read_sweep(store: str | Path, stored: StoredSweep, *, level: float = LEVEL) -> Sweep:
    """A sweep as it stands in a store; of what it took, only what the answers say is known.

    Raises:
        InputError: If no question has a score in every configuration.
    """
    results = [Result(store, run.id) for run in stored.runs]
    most_questions = max(run.n_samples for run in stored.runs)
    dropped = [run.n_samples < most_questions for run in stored.runs]
    metrics = list(stored.runs[0].metrics)
    names = configuration_names(stored.params)
    return Sweep(
        target=stored.target,
        source=stored.source,
        n=most_questions,
        configurations=tuple(
            _configuration(stored, index, name, result, dropped=dropped[index])
            for index, (name, result) in enumerate(zip(names, results, strict=True))
        ),
        leaderboards=leaderboards(
            results, stored.params, metrics, dropped if stored.raced else None, level=level
        ),
        level=level,
        store=str(store),
        race=stored.raced,
        judge=judge_of(stored.runs[0]),
        note=pool_note(results[0].notes),
    )


def leaderboards(
    results: Sequence[Result],
    params: Sequence[Params],
    metrics: Sequence[str],
    dropped: Sequence[bool] | None,
    *,
    level: float,
) -> tuple[Leaderboard, ...]:
    """One by each metric; `dropped` tells which a race dropped, None if there was none."""
    if dropped is None:
        return tuple(leaderboard(results, params, metric, level=level) for metric in metrics)
    return tuple(
        race_leaderboard(results, params, metric, dropped=None if n else dropped, level=level)
        for n, metric in enumerate(metrics)
    )


def _configuration(
    stored: StoredSweep, index: int, name: str, result: Result, *, dropped: bool
) -> Configuration:
    run, params = stored.runs[index], stored.params[index]
    latency_ms, cost, failures = mean_resources(result)
    return Configuration(
        name=name,
        params=dict(run.params),
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
        without_effect=_without_effect(stored, run, params),
    )


def _without_effect(stored: StoredSweep, run: Run, params: Params) -> tuple[str, ...]:
    """Which of the parameters that vary change nothing in this configuration of the pipeline."""
    if not stored.target.startswith(NAME):
        return ()
    names = {field.name for field in fields(Parameters)}
    configuration = Parameters.of({k: v for k, v in run.params.items() if k in names})
    return tuple(name for name in params if name in configuration.without_effect)


def mean_resources(result: Result) -> tuple[float | None, float | None, int]:
    """(mean latency in ms, mean cost) of the answers of a run, None where none says; failures."""
    latencies, costs, failures = [], [], 0
    with Store(result.path) as store:
        for _, sample in store.samples(result.run.id):
            failures += sample.failure is not None
            if sample.failure is None and sample.latency_ms is not None:
                latencies.append(sample.latency_ms)
            if sample.cost is not None:
                costs.append(sample.cost)
    latency, cost = (
        math.fsum(values) / len(values) if values else None for values in (latencies, costs)
    )
    return latency, cost, failures


def _line(board: Leaderboard) -> str:
    if not board.standings or board.standings[0].mean is None:
        return f"{board.metric}: no scores"
    if board.winner:
        return f"{board.metric}: {board.winner} is best ({board.standings[0].mean:.2f})"
    if board.tied:
        return f"{board.metric}: no winner among {'; '.join(board.tied)}"
    return f"{board.metric}: {board.standings[0].name} ({board.standings[0].mean:.2f})"
