"""A sweep: every configuration of a grid asked, evaluated and compared with the best."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay._analysis.comparability import judge_of
from assay._analysis.leaderboard import (
    Leaderboard,
    configuration_name,
    configuration_names,
    race_scores,
)
from assay._analysis.sweeps import LOOK, TAG, Params
from assay._middleware.cache import SharedLimits
from assay._middleware.concurrency import in_parallel
from assay._runner import STORE
from assay._runner.evaluate import aevaluate
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import plan
from assay._runner.result import Result
from assay._runner.settings import Settings, chosen
from assay._store import Store
from assay._store.runs import written
from assay.data import Record, Source, read
from assay.errors import InputError, OverBudget
from assay.experiments.grid import MAX_CONFIGURATIONS, Grid, configurations_of, plan_race, subset
from assay.experiments.pipeline import PipelineSystem, opened, with_found_gold, with_gold
from assay.experiments.pool import Graded, check_pool, grade_pool, pool_note, pooled, uses_gold
from assay.experiments.swept import Configuration, Sweep, leaderboards, mean_resources
from assay.judges.code_digest import place_of
from assay.judges.specs import DEFAULT, backend
from assay.metrics import Metric, resolve
from assay.stats.intervals import LEVEL
from assay.target import Answers, Asking, AskSystem, Configurable, aask
from assay.target.ask import ANSWERED_BY, LIMITS, check_answers, questions
from assay.target.system import HttpSystem, System

PARALLEL = 4


@dataclass(frozen=True, kw_only=True)
class SweepSettings:
    """How a sweep is made.

    Attributes:
        max_configurations: More configurations are refused.
        random: So many configurations are drawn at random from the grid; None for all of it.
        seed: Another seed draws others.
        parallel: So many configurations are asked and judged at the same time, within the limits of
            system and judge, which they share.
        level: Nominal coverage of each mean's interval, and of all differences of a metric.
        race: Ask in growing batches, and drop a configuration once another one is surely better by
            the first metric.
        judge_retrieval: Have the judge grade what all configurations retrieved, and take these
            grades for gold labels.
        embedder: As for `evaluate`.
        settings: As for `evaluate`. The budget is that of the whole sweep. With a name each run is
            called ``NAME/k=3,chunk=256`` and has NAME as a tag; parameters are kept with each run
            beside those of the grid.
        asking: How the system is asked: draws, limits, paths into its replies.
        on_configuration: Called with each configuration once it is asked and scored, one after the
            other.
    """

    max_configurations: int = MAX_CONFIGURATIONS
    random: int | None = None
    seed: int = 0
    parallel: int = PARALLEL
    level: float = LEVEL
    race: bool = False
    judge_retrieval: bool = False
    embedder: Any = None
    settings: Settings | None = None
    asking: Asking | None = None
    on_configuration: Callable[[Configuration], None] | None = None

    def __post_init__(self) -> None:
        if not 0.5 <= self.level < 1:
            raise InputError(f"level is {self.level}", "give a share, such as 0.95")
        if self.parallel < 1:
            raise InputError(f"parallel is {self.parallel}", "give 1 or more")
        if self.race and self.judge_retrieval:
            fault = "a race drops configurations before all that they retrieve is pooled and judged"
            raise InputError(fault, "leave out the race, or the judging of retrieval")


def sweep(
    data: Any,
    target: object,
    grid: Grid,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    store: str | Path = STORE,
    settings: SweepSettings | None = None,
) -> Sweep:
    """Ask a system the same questions in every configuration of a grid, and compare the answers.

    Each configuration is one run in the store. Killed or stopped at any point, the same call goes
    on where it was: what is in the store is asked neither of the system nor of the judge again.

    Args:
        data: As for `evaluate`, with questions.
        target: A URL, ``module:function``, ``file.py:function``, a function, a `Pipeline` over
            documents, or a `assay.target.Configurable` that says more. A function takes the
            parameters as keyword arguments, a URL as fields of the request; ``env:NAME`` is a
            variable of the environment of a process that calls the function.
        grid: The values of every parameter: ``{"k": [3, 5], "chunk": [256, 512]}``.
        metrics: As for `evaluate`.
        judge: As for `evaluate`.
        store: The SQLite file that keeps answers, replies and scores.
        settings: Everything else.

    Raises:
        InputError: If grid, target, data, metrics, judge or settings cannot be used; nothing was
            asked yet.
        Denied: If system or judge refuses; what was scored is kept.
        OverBudget: If the budget of all configurations is used up; likewise.
    """
    return run_to_completion(
        asweep(data, target, grid, metrics, judge, store=store, settings=settings)
    )


async def asweep(
    data: Any,
    target: object,
    grid: Grid,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    store: str | Path = STORE,
    settings: SweepSettings | None = None,
) -> Sweep:
    """`sweep` for code that is asynchronous itself: same arguments, awaited."""
    settings = settings or SweepSettings()
    resolved = resolve(metrics)
    data = list(data) if isinstance(data, Iterator) else data  # it is read once a configuration
    steps = await asyncio.to_thread(planned_steps, data, target, grid, resolved, judge, settings)
    # They share limits, so they have to share the judge.
    judge, embedder = await asyncio.to_thread(_backends, judge, settings.embedder)
    entries = [_Entry(step, data, resolved, judge, embedder, store) for step in steps]
    await (_run_race if settings.race else _grid)(entries, settings)
    boards = await asyncio.to_thread(_leaderboards, entries, settings)
    first = entries[0]
    return Sweep(
        target=_target_name(target, first.step.system),
        source=first.last[0].name.removesuffix(f"{ANSWERED_BY}{first.step.system.name}"),
        n=max(entry.last[0].n for entry in entries),
        configurations=tuple(entry.outcome for entry in entries),
        leaderboards=boards,
        level=settings.level,
        store=str(store),
        race=settings.race,
        judge=judge_of(first.last[1].run),
        pool=first.graded.pool if first.graded else None,
        note=pool_note(first.last[1].notes),
    )


@dataclass(frozen=True)
class Step:
    """One configuration that is to be asked and scored."""

    name: str  # what it is called among the others
    params: Params  # what is set
    system: System  # the system in this configuration
    asking: Asking  # how it is asked
    settings: Settings  # how it is scored
    # Parameters whose other values in the grid change nothing in it.
    without_effect: tuple[str, ...] = ()


def planned_steps(
    data: Any,
    target: object,
    grid: Grid,
    metrics: Sequence[Metric],
    judge: Any,
    settings: SweepSettings,
) -> list[Step]:
    """All configurations, once everything that can be checked has been."""
    grid_params = configurations_of(
        grid, settings.max_configurations, drawn=settings.random, seed=settings.seed
    )
    evaluation = replace(chosen(settings.settings), _shared=SharedLimits())
    if contradictory := sorted(grid.keys() & evaluation.params.keys()):
        fault = f"the parameter '{contradictory[0]}' is said to have one value, and is swept"
        raise InputError(fault, "leave one of the two out")
    configurable = target if isinstance(target, Configurable) else Configurable(target=target)
    systems = configurable.systems(grid_params)
    plan(data, metrics, judge, settings.embedder, evaluation)
    if settings.judge_retrieval:
        check_pool(metrics, judge, settings.embedder, evaluation)
    asking = replace(
        settings.asking or Asking(limits=LIMITS),
        mapping=evaluation.mapping,
        limit=evaluation.limit,
        contexts=evaluation.contexts,
        skip_invalid=evaluation.skip_invalid,
        _shared=SharedLimits(),
    )
    same: dict[str | int | None, list[int]] = {}
    for index, system in enumerate(systems):
        key = system.identity(AskSystem) if isinstance(system, PipelineSystem) else index
        same.setdefault(key, []).append(index)
    distinct = {
        ps[0]: _differing_names([grid_params[index] for index in ps]) for ps in same.values()
    }
    names = configuration_names([grid_params[index] for index in distinct])
    return [
        Step(
            name,
            params := grid_params[index],
            systems[index],
            asking,
            _describe_run(evaluation, params),
            without_effect,
        )
        for name, (index, without_effect) in zip(names, distinct.items(), strict=True)
    ]


def _differing_names(same: Sequence[Params]) -> tuple[str, ...]:
    """In which parameters configurations differ."""
    return tuple(name for name in same[0] if len({written(params[name]) for params in same}) > 1)


@dataclass
class _Entry:
    """One configuration while it is asked: once, or again and again in a race."""

    step: Step
    data: Any
    metrics: Sequence[Metric]
    judge: Any
    embedder: Any
    store: str | Path
    asked: int = 0  # how often the system was asked so far
    judge_asked: int = 0  # how often the judge was
    dropped_after: int | None = None  # after how many questions it was dropped from a race
    # The answers that it was asked for last, and the result of scoring them.
    last: tuple[Answers, Result] = field(init=False)
    outcome: Configuration = field(init=False)  # what came of it, once it is finished
    run: str = ""  # id of the run of the last answers, "" before any
    collected: Answers | None = None  # the answers, where they are pooled before any is scored
    # The grades that stand for gold labels, None where these are in the data.
    graded: Graded | None = None

    async def collect(self, data: Any, metrics: Sequence[Metric]) -> Answers:
        """Have it answer the questions of the data."""
        step, store = self.step, self.store
        system, asking = step.system, step.asking
        async with opened(system, data, metrics, store, asking, step.settings) as rows:
            answers = await aask(rows, system, metrics=metrics, store=store, asking=asking)
        self.asked += answers.asked
        await asyncio.to_thread(_check_answers, step, answers, metrics)
        return answers

    async def ask(self, data: Any, settings: Settings | None = None) -> Result:
        """Have it answer the questions of the data, and score the answers."""
        step, graded = self.step, self.graded
        answers = self.collected or await self.collect(data, self.metrics)
        rows = marked(answers, step)
        result = await aevaluate(
            graded.rows(rows) if graded else rows,
            self.metrics,
            self.judge,
            embedder=self.embedder,
            store=self.store,
            settings=settings or step.settings,
        )
        self.judge_asked += result.asked
        self.last, self.run = (answers, result), result.run.id
        if result.stopped:
            raise OverBudget(f"{step.name}: {result.stopped}")
        return result

    async def score(self, data: Source) -> dict[str, float]:
        """Its scores by the first metric, over questions that begin with those of the look before.

        The run of the look before goes, unless it is the end of another race.
        """
        last_run = self.run
        result = await self.ask(data, replace(self.step.settings, name="", tags=[LOOK], params={}))
        if last_run:
            await asyncio.to_thread(_supersede, self.store, last_run, self.run)
        return await asyncio.to_thread(race_scores, result, self.metrics[0].label)

    async def finish(self, settings: SweepSettings) -> None:
        """Sum up what it took and what came of it."""
        self.outcome = await asyncio.to_thread(_configuration, self)
        if settings.on_configuration:
            settings.on_configuration(self.outcome)


def _backends(judge: Any, embedder: Any) -> tuple[Any, Any]:
    return backend(judge), embedder if embedder is None else backend(embedder, embedder=True)


def _at_once(settings: SweepSettings, steps: Sequence[Step]) -> int:
    """How many configurations are asked at the same time."""
    # The workers of a cluster are a run's own: those of several would not fit beside each other.
    return settings.parallel if steps[0].settings.engine == "local" else 1


async def _grid(entries: Sequence[_Entry], settings: SweepSettings) -> None:
    """Ask all configurations all questions."""
    at_once = _at_once(settings, [entries[0].step])
    if settings.judge_retrieval:
        await _pool(entries, at_once)

    async def asked(entry: _Entry) -> None:
        await entry.ask(entry.data)
        await entry.finish(settings)

    await in_parallel(asked, entries, at_once)


async def _pool(entries: Sequence[_Entry], at_once: int) -> None:
    """Collect what all configurations retrieve, and have it graded."""
    first = entries[0]
    other_metrics = [metric for metric in first.metrics if not uses_gold(metric)]

    async def collected(entry: _Entry) -> Answers:
        entry.collected = await entry.collect(entry.data, other_metrics)
        return entry.collected

    answers = await in_parallel(collected, entries, at_once)
    passages = await asyncio.to_thread(pooled, answers)
    settings = first.step.settings
    graded = await grade_pool(passages, first.judge, first.embedder, first.store, settings)
    for entry in entries:
        entry.graded = graded


async def _run_race(entries: Sequence[_Entry], settings: SweepSettings) -> None:
    """Ask all configurations in batches, and those no more that cannot win."""
    first = entries[0]
    data, step = first.data, first.step
    known = await asyncio.to_thread(with_gold, data, step.system, first.metrics, step.asking)
    rows = await asyncio.to_thread(questions, known, step.system, first.metrics, step.asking)
    samples = await asyncio.to_thread(list, rows)
    race = plan_race(samples, first.metrics[0], settings.level)
    for entry in entries:
        entry.step = replace(entry.step, asking=replace(step.asking, skip_invalid=None))
    name = read(data).name

    async def score(row_ids: frozenset[str], index: int) -> dict[str, float]:
        return await entries[index].score(subset(samples, row_ids, name))

    dropped = await race.run(len(entries), score, _at_once(settings, [step]))
    for entry, n in zip(entries, dropped, strict=True):
        entry.dropped_after = n
        await asyncio.to_thread(_describe, entry)
        await entry.finish(settings)


def _supersede(path: str | Path, before: str, after: str) -> None:
    """Leave the run of an earlier look behind; what somebody else has a use for stays."""
    with Store(path) as store:
        run = store.run(before)
        if before != after and run.tags == (LOOK,) and not store.labels.tally(before):
            store.supersede(before, after)
        elif before != after:
            store.describe(before, run.description.without([LOOK], []))


def _describe(entry: _Entry) -> None:
    """Say of the last run of a race what is said of any run of a sweep."""
    run = entry.last[1].run
    with Store(entry.store) as store:
        description = run.description.without([LOOK], [])
        store.describe(run.id, description.updated(entry.step.settings.description))


def _describe_run(settings: Settings, params: Params) -> Settings:
    """The settings with what is said of the run of a configuration."""
    name = settings.name
    return replace(
        settings,
        name=f"{name}/{configuration_name(params)}" if name else "",
        tags=(*settings.tags, TAG, *([name] if name else [])),
        params={**settings.params, **params},
    )


def _check_answers(step: Step, answers: Answers, metrics: Sequence[Metric]) -> None:
    try:
        check_answers(answers, step.system, metrics)
    except InputError as error:
        problems = [
            replace(problem, what=f"{step.name}: {problem.what}") for problem in error.problems
        ]
        raise InputError(problems) from error


def marked(answers: Answers, step: Step) -> Source:
    """The answers, each with the configuration that it is of.

    Two configurations that answer alike are two runs all the same; one whose parameters are named
    in another order is the same run.
    """
    name = configuration_name(dict(sorted(step.params.items())))

    def records() -> Iterator[Record]:
        for record in answers.records():
            values = with_found_gold(step.system, dict(record.values or {}))
            values["metadata"] = {**values.get("metadata", {}), "configuration": name}
            yield replace(record, values=values) if record.form == "sample" else record

    return replace(answers, records=records)


def _configuration(entry: _Entry) -> Configuration:
    step, (answers, result) = entry.step, entry.last
    latency_ms, cost, _ = mean_resources(result)
    return Configuration(
        name=step.name,
        params=dict(step.params),
        run=result.run.id,
        asked=entry.asked,
        reused=answers.asked + answers.reused - entry.asked,
        judge_asked=entry.judge_asked,
        judge_reused=max(0, result.asked + result.reused - entry.judge_asked),
        failures=len(answers.failures),
        failed=sum(row.n_failed for row in result.summary()),
        latency_ms=latency_ms,
        cost=cost,
        n=answers.n,
        dropped_after=entry.dropped_after,
        without_effect=step.without_effect,
    )


def _leaderboards(entries: Sequence[_Entry], settings: SweepSettings) -> tuple[Leaderboard, ...]:
    results = [entry.last[1] for entry in entries]
    params = [entry.step.params for entry in entries]
    labels = [metric.label for metric in entries[0].metrics]
    dropped = [entry.dropped_after is not None for entry in entries] if settings.race else None
    return leaderboards(results, params, labels, dropped, level=settings.level)


def _target_name(target: object, system: System) -> str:
    """How the target was named, without what is secret in a URL; of a function, its name."""
    named_target = target.target if isinstance(target, Configurable) else target
    if isinstance(system, HttpSystem | PipelineSystem):
        return system.name
    return named_target if isinstance(named_target, str) else place_of(named_target)
