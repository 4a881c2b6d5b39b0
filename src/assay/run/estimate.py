"""What would a run cost? Calls, tokens and money, counted before anything is spent."""

import asyncio
import contextlib
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.backends.specs import DEFAULT
from assay.dataset.gaps import lacked
from assay.errors import JudgeError, Unavailable, Unreadable
from assay.judge import Judge, Reply, Task
from assay.metrics import Metric
from assay.run import STORE, probes
from assay.run.loop import run_to_completion
from assay.run.plan import Plan, plan
from assay.run.settings import Settings, chosen
from assay.run.stand_in import StandIn
from assay.run.together import Company, Member, Party, companions, joined
from assay.sample import Sample
from assay.store import Store


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
        notes: How the rows were read.
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
    notes: tuple[str, ...] = ()


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
    planned = plan(data, metrics, judge, embedder, settings)
    kept = Store(store) if Path(store).is_file() else None
    try:
        return run_to_completion(_count(planned, _ReadOnce(planned.route, kept)))
    finally:
        if kept:
            kept.close()


class _ReadOnce(StandIn):
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


async def _count(plan: Plan, door: StandIn) -> Estimate:
    tries = plan.settings.tries
    company = companions(plan.metrics, plan.route) if plan.settings.together else []
    shared = Company(joined(plan.route))
    for sample in plan.samples:
        if sample.failure is not None:  # no judge is asked about it
            continue
        for metric in plan.metrics:
            if metric.label not in company:
                await _ask(metric, sample, Judge(door, tries=tries))
        party = Party(door, shared)
        members = [(m, party.member()) for m in plan.metrics if m.label in company]
        await asyncio.gather(
            *(_ask(m, sample, Judge(member, tries=tries), member) for m, member in members)
        )
    await _probe(plan, door)
    counts = door.counts
    return Estimate(
        samples=plan.samples.rows - plan.samples.skipped,
        calls=counts.calls,
        known=counts.known,
        local=counts.local,
        tokens_in=counts.tokens_in,
        tokens_out=round(counts.tokens_out),
        local_tokens=counts.local_tokens,
        money=counts.money(plan.settings.budget.price),
        batches=_batches(plan, door.in_batches),
        notes=tuple(plan.samples.notes),
    )


def _batches(plan: Plan, calls: Mapping[str, int]) -> int:
    """Batches that so many calls of each kind make: what needs another's reply comes after it."""
    stages: dict[str, int] = {}
    for metric in plan.metrics:
        asked = [task.kind for task in metric.asks(plan.route.serves) if task.kind in calls]
        stages |= {kind: max(n, stages.get(kind, 0)) for n, kind in enumerate(asked)}
    together: Counter[tuple[int, int, int]] = Counter()
    for kind, n in calls.items():
        server: Any = plan.route.to(kind)
        together[stages.get(kind, 0), id(server), server.habits.most] += n
    return sum(math.ceil(n / most) for (_, _, most), n in together.items())


async def _ask(metric: Metric, sample: Sample, judge: Judge, member: Member | None = None) -> None:
    try:
        if not lacked(metric.needs, metric.instead, sample):
            await metric.score(sample, judge)
    except JudgeError:
        pass  # what is known makes no score, or a guess cannot be read: it is counted all the same
    finally:
        if member is not None:
            member.leave()


async def _probe(plan: Plan, door: StandIn) -> None:
    scores = (plan.samples.rows - plan.samples.skipped) * len(plan.metrics)
    if plan.settings.probe or (plan.settings.probe is None and scores >= probes.LEAST_SCORES):
        for asked in probes.judges(plan.route).values():
            for backend in probes.askings(door, probes.today()):
                for probe in asked:
                    with contextlib.suppress(JudgeError):  # counted all the same
                        await backend.reply(probe)
