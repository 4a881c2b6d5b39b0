"""Estimates of what a run would cost in calls, tokens, money and time."""

import contextlib
import math
import os
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from assay._middleware.wrapper import Resampler
from assay._runner import STORE, probes
from assay._runner.dry_run import DryRunBackend, Workload
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import Plan, config, plan
from assay._runner.settings import Settings, chosen
from assay._runner.stack import (
    Coalescer,
    CoalescingPolicy,
    coalesced_kinds,
    coalesced_metrics,
)
from assay._store import Store
from assay._store.integrity import digest, run_id
from assay._store.rows import sample_content
from assay.data import Samples
from assay.data.missing_fields import lacked
from assay.errors import JudgeError, Unavailable, Unreadable
from assay.judge import Backend, BackendLike, Judge, Reply, Task
from assay.judges.specs import DEFAULT
from assay.metrics import Metric
from assay.sample import Sample
from assay.tasks import TASKS

# As many rows are all counted; of more so many are drawn.
ALL_COUNTED = 3000
DRAWN = 1000
_SUMS = ("calls", "known", "local", "local_tokens", "local_written", "tokens_in", "tokens_out")
# Replies of one kind that tell how long others will take.
ENOUGH_TIMED = 20
# How long a call over the network takes where nothing is known of it.
ASSUMED_S = 2.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would ask for. Statements are counted as the embedded judge would split them.

    Attributes:
        samples: Samples that would be scored.
        calls: Calls to judges outside this process that are not in the store yet.
        known: Calls whose reply is in the store already: they cost nothing.
        local: Calls that are answered in this process: they cost nothing.
        tokens_in: Prompt tokens of `calls`, about.
        tokens_out: Reply tokens of `calls`, about.
        local_tokens: Prompt tokens that a language model in this process would read, about; they
            cost time only.
        money: What they would cost without embeddings, None without a price.
        batches: Batches that `calls` make at judges that are asked in batches, at least.
        local_written: Tokens that a language model in this process would write, about.
        seconds: How long the run would take, about; None where nothing tells it.
        seconds_from: What that rests on, or why it is not known.
        counted: Rows that were counted; if there are more, they were drawn at random and all
            numbers are scaled up.
        margins: How far the numbers may be off by the draw of these rows, as half the width of
            their 95 % intervals; {} if all rows were counted.
        notes: How the rows were read.
        least_calls: Calls if nothing goes up a cascade but what is checked at random; `calls`, and
            `money` as well, is what it takes if everything goes up. None without a cascade.
        least_money: What `least_calls` would cost.
    """

    samples: int
    calls: int
    known: int
    local: int
    tokens_in: int
    tokens_out: int
    local_tokens: int
    money: float | None
    batches: int = 0
    local_written: int = 0
    seconds: float | None = None
    seconds_from: str = ""
    counted: int = 0
    margins: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    least_calls: int | None = None
    least_money: float | None = None


def estimate(
    data: Any,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    embedder: Any = None,
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> Estimate:
    """Count what `evaluate` would ask for with the same arguments; nothing is spent or stored.

    Raises:
        InputError: As `evaluate` would.
    """
    settings = chosen(settings)
    if settings.skip_invalid:  # left out here as there, but nothing is written
        settings = replace(settings, skip_invalid=Path(os.devnull))
    return estimate_plan(plan(data, metrics, judge, embedder, settings), store)


def estimate_plan(planned: Plan, path: str | Path) -> Estimate:
    """Count what a plan would ask for that the store at `path` does not hold; nothing is asked."""
    known_replies = Store(path) if Path(path).is_file() else None
    try:
        return run_to_completion(_count(planned, _ReadOnce(planned.route, known_replies)))
    finally:
        if known_replies:
            known_replies.close()


def estimate_again(planned: Plan, store: Store, times: int) -> Estimate:
    """Count what asking the judges of a plan so many times more would take; nothing is asked."""
    return run_to_completion(_count(planned, _ReadOnce(planned.route, store), times))


class _RunId:
    """Sees all samples of a plan, and tells which run they make.

    Args:
        plan: The plan, of which no sample was read yet.
    """

    def __init__(self, plan: Plan) -> None:
        signatures = config(plan.metrics, plan.route, plan.settings)["metrics"].values()
        self._digest = digest(sorted(signatures))

    def add(self, sample: Sample) -> None:
        """See one."""
        self._digest = digest([self._digest, sample_content(sample)])

    def notes(self) -> Iterable[str]:
        """Nothing that its user has to know."""
        return ()

    def done(self, store: Store) -> int:
        """How many scores the store has of that run, those not counted that failed."""
        counts = store.counts(run_id(self._digest))
        return sum(
            n for by_state in counts.values() for state, n in by_state.items() if state != "failed"
        )


class _ReadOnce(DryRunBackend):
    """A stand-in whose guesses are not asked for again: where they cannot be read, a reply could.

    Known replies are: what a run asks after one that cannot be read is counted.
    """

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The known reply, or a guess.

        Raises:
            Unavailable: If the guess cannot be read.
        """
        reply = await super().reply(task, draw)
        try:
            task.read(reply.raw)
        except Unreadable as error:
            if not self.has(task, draw):
                raise Unavailable("the guess cannot be read") from error
        return reply


async def _count(plan: Plan, backend: DryRunBackend, repetitions: int = 0) -> Estimate:
    askings: list[Backend] = [Resampler(backend, time) for time in range(1, repetitions + 1)]
    coalesced = coalesced_metrics(plan.metrics, plan.route) if plan.settings.together else []
    run_id = _RunId(plan)
    if not repetitions and backend.store and probes.probes_by_judge(plan.route):
        plan.samples.watchers.append(run_id)
    policy = CoalescingPolicy(coalesced_kinds(plan.route))
    samples, n = _reservoir(plan.samples)
    rows = []
    for sample in samples:
        sums_before = _sums(backend)
        if sample.failure is None:  # else no judge is asked about it
            for asking in askings or (backend,):
                await _ask_all(plan, sample, asking, coalesced, policy)
        rows.append(
            [after - previous for after, previous in zip(_sums(backend), sums_before, strict=True)]
        )
    scale = n / max(1, len(samples))
    margins = {} if scale == 1 else _margins(rows, n)
    time = duration(plan, list(backend.work.values()), backend.store, scale)
    if scale == 1 and not repetitions:
        await _probe(plan, backend, run_id.done(backend.store) if backend.store else 0)
    return replace(
        _scale_estimate(plan, backend, scale, n),
        seconds=time.seconds,
        seconds_from=time.basis,
        counted=len(samples),
        margins=margins,
        notes=() if repetitions else tuple(plan.samples.notes),  # told when the run was made
    )


def _reservoir(samples: Samples) -> tuple[list[Sample], int]:
    """The samples if they are not many, else some of them, each as likely; and how many there are.

    The same data give the same draw.
    """
    rng = random.Random(0)  # noqa: S311 - it draws a sample, it guards nothing
    reservoir: list[Sample] = []
    for n, sample in zip(count(1), samples, strict=False):
        if n <= ALL_COUNTED:
            reservoir.append(sample)
        elif (index := rng.randrange(n)) < ALL_COUNTED:
            reservoir[index] = sample
    total = samples.rows - samples.skipped
    return (reservoir if total <= ALL_COUNTED else rng.sample(reservoir, DRAWN)), total


def _sums(backend: DryRunBackend) -> list[float]:
    return [getattr(backend.counts, name) for name in _SUMS]


def _margins(rows: list[list[float]], n: int) -> dict[str, float]:
    """Half the width of the 95 % interval of each sum, scaled up to n rows."""
    values = np.array(rows, dtype=float)
    share = math.sqrt((1 / len(rows)) * (1 - len(rows) / n))
    widths = 1.96 * n * share * values.std(axis=0, ddof=1)
    return dict(zip(_SUMS, map(float, widths.round()), strict=True))


def _scale_estimate(plan: Plan, backend: DryRunBackend, scale: float, n: int) -> Estimate:
    counts, price = backend.counts, plan.settings.budget.price
    money, least_money = counts.money(price), counts.money(price, least=True)
    cascade = any(backend.behind() for backend in plan.route.backends)
    return Estimate(
        samples=n,
        **{name: round(getattr(counts, name) * scale) for name in _SUMS},
        money=None if money is None else money * scale,
        batches=_batches(plan, {kind: n * scale for kind, n in backend.batched.items()}),
        least_calls=round(counts.least_calls * scale) if cascade else None,
        least_money=least_money * scale if cascade and least_money is not None else None,
    )


async def _ask_all(
    plan: Plan,
    sample: Sample,
    backend: Backend,
    coalesced: list[str],
    policy: CoalescingPolicy,
) -> None:
    async def ask(metric: Metric, backend: BackendLike) -> None:
        # What is known makes no score, or a guess cannot be read: it is counted all the same.
        with contextlib.suppress(JudgeError):
            if not lacked(metric.needs, metric.instead, sample):
                await metric.score(sample, Judge(backend, tries=plan.settings.tries))

    for metric in plan.metrics:
        if metric.label not in coalesced:
            await ask(metric, backend)
    together = [metric for metric in plan.metrics if metric.label in coalesced]
    await Coalescer(backend, policy).score(together, ask)


def _batches(plan: Plan, calls: Mapping[str, float]) -> int:
    """Batches that so many calls of each kind make: what needs another's reply comes after it."""
    stages: dict[str, int] = {}
    for metric in plan.metrics:
        kinds = [task.kind for task in metric.asks(plan.route.serves) if task.kind in calls]
        stages |= {kind: max(n, stages.get(kind, 0)) for n, kind in enumerate(kinds)}
    together: defaultdict[tuple[int, int, int], float] = defaultdict(float)
    for kind, n in calls.items():
        server = plan.route.to(kind)
        size = server.capabilities.batch_size or 1
        together[stages.get(kind, 0), id(server), size] += n
    return sum(math.ceil(n / max_calls) for (_, _, max_calls), n in together.items())


async def _probe(plan: Plan, backend: DryRunBackend, n_scored: int) -> None:
    scores = (plan.samples.rows - plan.samples.skipped) * len(plan.metrics) - n_scored
    if not probes.worth_asking(plan.settings, scores):
        return
    for tasks in probes.probes_by_judge(plan.route).values():
        for asking in probes.repeated_backends(backend, probes.today()):
            for probe in tasks:
                with contextlib.suppress(JudgeError):  # counted all the same
                    await asking.reply(probe)


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a run would take."""

    seconds: float | None  # wall time, None where nothing tells it
    basis: str  # what it rests on, or why it is not known


def duration(plan: Plan, work: list[Workload], store: Store | None, scale: float) -> Duration:
    """How long a run would take: those in this process share it, others work beside them.

    Args:
        plan: The run.
        work: What each backend would be asked for, in the rows that were counted.
        store: What is known already.
        scale: How many times as many rows there are.
    """
    inside, outside, bases = 0.0, [0.0], []
    for workload in work:
        local = workload.server.capabilities.local
        time_needed = (
            _local_duration(workload, store, scale)
            if local
            else _network_duration(plan, workload, store, scale)
        )
        bases.append(time_needed.basis)
        if time_needed.seconds is None:
            return time_needed
        if local:
            inside += time_needed.seconds
        else:
            outside.append(time_needed.seconds)
    return Duration(max(inside, *outside), "; ".join(dict.fromkeys(filter(None, bases))))


def _local_duration(work: Workload, store: Store | None, scale: float) -> Duration:
    """Of what computes in this process, one call after the other."""
    total, bases = 0.0, set()
    for kind, n in work.calls.items():
        seconds = _mean_seconds(work.server, kind, store)
        if time := work.trial.get(kind):
            total += n * sum(time) / len(time)
            bases.add("timed on this machine")
        elif seconds is not None:
            total += n * seconds
            bases.add(f"as {work.server.name} took before")
        else:
            remedy = "run it with --limit 20 once, and its replies tell"
            return Duration(None, f"{work.server.name} was hardly asked before: {remedy}")
    return Duration(total * scale, ", ".join(sorted(bases)))


def _network_duration(plan: Plan, work: Workload, store: Store | None, scale: float) -> Duration:
    """Of what is asked over the network, several calls at a time."""
    capabilities = work.server.capabilities
    if capabilities.batch_size is not None:
        return Duration(None, "batches are answered within a day")
    limits = capabilities.limits or plan.settings.limits
    known = {kind: _mean_seconds(work.server, kind, store) for kind in work.calls}
    seconds_by_kind = {kind: ASSUMED_S if s is None else s for kind, s in known.items()}
    calls = sum(work.calls.values()) * scale
    seconds = [
        sum(n * seconds_by_kind[kind] for kind, n in work.calls.items())
        * scale
        / limits.concurrency,
        sum(seconds_by_kind.values()),  # a row asks one after the other
        60 * calls / (limits.requests_per_minute or float("inf")),
        60 * work.tokens * scale / (limits.tokens_per_minute or float("inf")),
    ]
    at_once = f"{limits.concurrency} calls at once"
    guessed = [kind for kind, s in known.items() if s is None]
    if guessed:
        return Duration(max(seconds), f"assuming {ASSUMED_S:g} s a call and {at_once}")
    return Duration(max(seconds), f"as {work.server.name} took before, with {at_once}")


def _mean_seconds(server: Backend, kind: str, store: Store | None) -> float | None:
    """Mean seconds of its earlier replies to a kind of task; None if there are hardly any."""
    task = TASKS.get(kind)
    identity = server.identity(task) if task and store else None
    if store is None or identity is None:
        return None
    n, ms = store.pace(identity, kind)
    return ms / 1000 if n >= ENOUGH_TIMED else None
