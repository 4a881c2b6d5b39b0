"""Repetition of a run: how far its scores move when its judge is asked again."""

import asyncio
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from assay._analysis.answering import answered_by, other_models
from assay._middleware.cache import SharedLimits
from assay._runner.estimate import Estimate, estimate_again
from assay._runner.evaluate import score_run
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import Plan, config, plan
from assay._runner.result import NOT_DONE, Result, check_results
from assay._runner.settings import Settings, chosen
from assay._runner.stack import coalesce_as_in
from assay._runner.summary import Flips, Noise
from assay._store import Run, Store
from assay.errors import InputError, OverBudget
from assay.judge import Reply, repeated
from assay.judges.specs import DEFAULT
from assay.metrics import Metric, is_built_in
from assay.sample import Sample
from assay.score import Outcome, Readable, Score

DRAWS = 3
SAMPLES = 100


@dataclass(frozen=True, slots=True)
class Wording:
    """How often a judge's reply to the very same task was worded otherwise.

    Attributes:
        n: Tasks of this kind that were asked more than once.
        differ: How many of them brought replies that are not all equal, letter for letter.
    """

    n: int
    differ: int


@dataclass(frozen=True, slots=True)
class Repeated(Readable):
    """What asking again has shown.

    Attributes:
        run: The run that was asked again.
        judge: Who was asked.
        metrics: What was found of each metric, by label; kept in the store with its signature.
        wording: What was found of the replies, by kind of task.
        runs: Ids of the runs that hold the repetitions, in order.
        drift: What is to be said if other models answered than in the run, as their provider
            names them: how they differ is no noise.
    """

    run: str
    judge: str
    metrics: Mapping[str, Noise]
    wording: Mapping[str, Wording]
    runs: tuple[str, ...]
    drift: tuple[str, ...] = ()

    def __str__(self) -> str:
        """A line for each metric, and for what is no noise."""
        lines = (f"{label}: {noise}" for label, noise in self.metrics.items())
        return "\n".join([*lines, *self.drift])


async def arepeat(
    result: Result,
    judge: Any = DEFAULT,
    *,
    draws: int = DRAWS,
    samples: int | None = SAMPLES,
    metrics: Iterable[str | Metric] | None = None,
    embedder: Any = None,
    settings: Settings | None = None,
) -> Repeated:
    """`repeat` for code that is asynchronous itself: same arguments, awaited."""
    run = _repeatable(result, draws, samples)
    # One budget for all repetitions.
    settings = replace(chosen(settings), _shared=SharedLimits())
    store = await asyncio.to_thread(Store, result.path)
    try:
        rows = await asyncio.to_thread(_draw_samples, store, run, samples)
        planned = _planned(run, rows, judge, metrics, embedder, settings)
        repeat_ids = []
        for time in range(1, draws + 1):
            # Signatures say which time it is: each is a run that nothing else can be taken for.
            config_of_repetition = _config(run, planned, time)
            begun = await asyncio.to_thread(
                store.begin, [sample for _, sample in rows], config_of_repetition, run.source
            )
            await score_run(begun, planned, store, again=time)
            if stopped := store.run(begun.id).stopped:
                raise OverBudget(f"repetition {time} of {draws}: {stopped}")
            repeat_ids.append(begun.id)
        repeated_run = await asyncio.to_thread(
            _measure_repeats, store, run, rows, planned, tuple(repeat_ids)
        )
        for label, noise in repeated_run.metrics.items():
            await store.judges.keep_noise(run.metrics[label], run.id, msgspec.to_builtins(noise))
    finally:
        await asyncio.to_thread(store.close)
    return repeated_run


def repeat(
    result: Result,
    judge: Any = DEFAULT,
    *,
    draws: int = DRAWS,
    samples: int | None = SAMPLES,
    metrics: Iterable[str | Metric] | None = None,
    embedder: Any = None,
    settings: Settings | None = None,
) -> Repeated:
    """Ask the judge of a run again, about the same samples, and measure how its scores move.

    Every repetition is a run of its own in the same store: stopped, the same call goes on, and
    what was asked before is not asked again. What is found is kept by the metrics' signatures,
    and shown beside every score that has the same one.

    Args:
        result: The run.
        judge: Its judge, given as it was for the run; likewise `embedder` and `settings.prompts`.
        draws: How often every task is asked again, from 1.
        samples: So many samples, drawn at random and the same each time; None for all.
        metrics: These of the run's metrics; objects where they are the user's own. None for all.
        embedder: Who makes embeddings.
        settings: Limits and prompts, and a budget for all repetitions together.

    Raises:
        InputError: If the judge, a prompt or a metric is not that of the run.
        Denied: If the judge refuses.
        OverBudget: If the budget does not suffice; what came is kept, and the same call goes on.
    """
    work = arepeat(
        result,
        judge,
        draws=draws,
        samples=samples,
        metrics=metrics,
        embedder=embedder,
        settings=settings,
    )
    return run_to_completion(work)


def estimate_repeat(
    result: Result,
    judge: Any = DEFAULT,
    *,
    draws: int = DRAWS,
    samples: int | None = SAMPLES,
    metrics: Iterable[str | Metric] | None = None,
    embedder: Any = None,
    settings: Settings | None = None,
) -> tuple[Estimate, int]:
    """What `repeat` would ask for with the same arguments, and how many scores it would make.

    Raises:
        InputError: As `repeat` would.
    """
    run = _repeatable(result, draws, samples)
    with Store(result.path) as store:
        rows = _draw_samples(store, run, samples)
        planned = _planned(run, rows, judge, metrics, embedder, chosen(settings))
        n_scores = len(rows) * len(planned.metrics) * draws
        return estimate_again(planned, store, draws), n_scores


def _repeatable(result: Result, draws: int, samples: int | None) -> Run:
    """The run, if it can be repeated so."""
    check_results(result)
    if draws < 1 or (samples is not None and samples < 2):
        raise InputError(f"draws {draws}, samples {samples}", "give 1 draw and 2 samples or more")
    run = result.run
    if "repeats" in run.config:
        raise InputError(f"run {run.id} is a repetition itself", "name the run that it repeats")
    return run


def _planned(
    run: Run,
    rows: Sequence[tuple[int, Sample]],
    judge: Any,
    metrics: Iterable[str | Metric] | None,
    embedder: Any,
    settings: Settings,
) -> Plan:
    """How the drawn samples of a run are judged again: as they were.

    Raises:
        InputError: If the judge, a prompt or a metric is not that of the run.
    """
    settings = coalesce_as_in(settings, run.metrics.values())
    planned = plan([s for _, s in rows], metrics or _known_metrics(run), judge, embedder, settings)
    _check_same(run, planned)
    return planned


def _known_metrics(run: Run) -> list[str]:
    """The metrics of a run, of which none is anybody's own: a store must not name code to run."""
    users_own = [label for label in run.metrics if not is_built_in(label)]
    if users_own:
        fault = f"run {run.id} has metrics that are not assay's: {', '.join(users_own)}"
        raise InputError(fault, "name with -m what to ask again; MODULE:ATTRIBUTE for one of yours")
    return list(run.metrics)


def _draw_samples(store: Store, run: Run, max_samples: int | None) -> list[tuple[int, Sample]]:
    drawn = set(range(1, run.n_samples + 1))
    if max_samples is not None and max_samples < run.n_samples:
        # The same samples each time: what was asked before is known.
        drawn = set(random.Random(0).sample(sorted(drawn), max_samples))  # noqa: S311
    return [(row, sample) for row, sample in store.samples(run.id) if row in drawn]


def _check_same(run: Run, planned: Plan) -> None:
    current = config(planned.metrics, planned.route, planned.settings)["metrics"]
    for label, signature in current.items():
        if label not in run.metrics:
            raise InputError(f"run {run.id} has no '{label}': it has {', '.join(run.metrics)}")
        if signature != run.metrics[label]:
            fault = f"{label} of run {run.id} was judged otherwise: {run.metrics[label]}"
            remedy = "give the judge, the embedder and the prompts of that run"
            raise InputError(f"{fault}, and now it would be {signature}", remedy)


def _config(run: Run, planned: Plan, time: int) -> dict[str, Any]:
    unrepeated = config(planned.metrics, planned.route, planned.settings)
    signatures = {label: f"{text}|repeat={time}" for label, text in unrepeated["metrics"].items()}
    return {**unrepeated, "metrics": signatures, "repeats": {"run": run.id, "time": time}}


def _measure_repeats(
    store: Store,
    run: Run,
    rows: Sequence[tuple[int, Sample]],
    planned: Plan,
    repeat_ids: tuple[str, ...],
) -> Repeated:
    runs_and_rows = [(run.id, [row for row, _ in rows])]
    runs_and_rows += [(repeat_id, list(range(1, len(rows) + 1))) for repeat_id in repeat_ids]
    all_replies: dict[tuple[Any, ...], list[str]] = {}
    metrics = {}
    for label in (metric.label for metric in planned.metrics):
        columns = [
            [store.outcome(name, row, label) or NOT_DONE for row in numbers]
            for name, numbers in runs_and_rows
        ]
        replies: dict[tuple[Any, ...], list[str]] = {}
        for name, numbers in runs_and_rows:
            for number, row in enumerate(numbers):
                _collect_replies(replies, number, store.replies(name, row, label))
        metrics[label] = _noise(run, columns, replies)
        all_replies |= replies
    judge = str(run.config["judge"])
    return Repeated(
        run.id, judge, metrics, _wording(all_replies), repeat_ids, _drift(store, run, repeat_ids)
    )


def _drift(store: Store, run: Run, repeat_ids: Sequence[str]) -> tuple[str, ...]:
    sides = {"the run": answered_by(store, run)}
    sides |= {
        f"repetition {n}": answered_by(store, store.run(repeat_id))
        for n, repeat_id in enumerate(repeat_ids, 1)
    }
    consequence = "What moved may be the model behind the name, not its noise."
    return tuple(other_models(sides, consequence))


def _collect_replies(
    replies_by_task: dict[tuple[Any, ...], list[str]], number: int, replies: Iterable[Reply]
) -> None:
    for reply in replies:
        task = (number, reply.kind, repeated(reply.draw), reply.pieces)
        replies_by_task.setdefault(task, []).append(reply.raw)


def _wording(replies_by_task: Mapping[tuple[Any, ...], list[str]]) -> dict[str, Wording]:
    wordings: dict[str, Wording] = {}
    for (_, kind, *_), texts in replies_by_task.items():
        if len(texts) > 1:
            wording = wordings.get(kind, Wording(0, 0))
            wordings[kind] = Wording(wording.n + 1, wording.differ + (len(set(texts)) > 1))
    return wordings


def _noise(
    run: Run,
    columns: Sequence[Sequence[Outcome]],
    replies_by_task: Mapping[tuple[Any, ...], list[str]],
) -> Noise:
    import numpy as np

    from assay.stats.raters import within_freedom, within_sd

    values = np.array(
        [[o.value if isinstance(o, Score) else np.nan for o in column] for column in columns]
    ).T
    scored = ~np.isnan(values)
    always, never = scored.all(axis=1), ~scored.any(axis=1)
    steady = bool((values[always] == values[always][:, :1]).all())
    return Noise(
        run=run.id,
        samples=len(values),
        draws=len(columns) - 1,
        sd=within_sd(values),
        freedom=within_freedom(values),
        means=tuple(float(v) for v in values[always].mean(axis=0)) if always.any() else (),
        flips=_flips(columns),
        unsettled=int((~always & ~never).sum()),
        same=steady
        and bool((always | never).all())
        and all(len(set(texts)) == 1 for texts in replies_by_task.values()),
    )


def _flips(columns: Sequence[Sequence[Outcome]]) -> dict[str, Flips]:
    from assay.stats.intervals import mean_interval
    from assay.stats.raters import disagreement

    rates: dict[str, list[tuple[int, float]]] = {}
    for number, outcomes in enumerate(zip(*columns, strict=True)):
        verdicts: dict[tuple[str, str, int], list[str]] = {}
        for outcome in outcomes:
            for name, label in _verdicts_on(outcome):
                verdicts.setdefault(name, []).append(label)
        for (kind, *_), labels in verdicts.items():
            rate = disagreement(labels)
            if rate is not None:
                rates.setdefault(kind, []).append((number, rate))
    flips = {}
    for kind, pairs in rates.items():
        groups, values = zip(*pairs, strict=True)
        ends = mean_interval(values, groups=groups, low=0.0, high=1.0)
        interval = (ends.low, ends.high) if ends else None
        flips[kind] = Flips(sum(values) / len(values), interval, len(values))
    return flips


def _verdicts_on(outcome: Outcome) -> Iterator[tuple[tuple[str, str, int], str]]:
    """Each verdict with what it is on: its kind, its text, and which of equal texts it is."""
    draws: dict[tuple[str, str], int] = {}
    for part in outcome.parts:
        if part.label:
            name = (part.kind, part.text)
            draws[name] = draws.get(name, 0) + 1
            yield (*name, draws[name]), part.label
