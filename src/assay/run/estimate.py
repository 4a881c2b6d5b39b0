"""What would a run cost? Calls, tokens, money and time, counted before anything is spent."""

import asyncio
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

from assay.dataset import Samples
from assay.dataset.gaps import lacked
from assay.errors import JudgeError, Unavailable, Unreadable
from assay.judge import Judge, Reply, Task
from assay.judges.specs import DEFAULT
from assay.metrics import Metric
from assay.run import STORE, probes
from assay.run.duration import duration
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
        local_written: Tokens that a language model in this process would write, about.
        seconds: How long the run would take, about; None where nothing tells it.
        seconds_from: What that rests on, or why it is not known.
        counted: Rows that were counted; if there are more, they were drawn at random and all
            numbers are scaled up.
        margins: How far the numbers may be off by the draw of these rows, as half the width of
            their 95 % intervals; {} if all rows were counted.
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
    local_written: int = 0
    seconds: float | None = None
    seconds_from: str = ""
    counted: int = 0
    margins: Mapping[str, float] = field(default_factory=dict)
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


# As many rows are all counted; of more so many are drawn.
ALL_COUNTED = 3000
DRAWN = 1000
_SUMS = ("calls", "known", "local", "local_tokens", "local_written", "tokens_in", "tokens_out")


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
    company = companions(plan.metrics, plan.route) if plan.settings.together else []
    shared = Company(joined(plan.route))
    samples, n = _drawn(plan.samples)
    rows = []
    for sample in samples:
        before = _sums(door)
        if sample.failure is None:  # else no judge is asked about it
            await _ask_all(plan, sample, door, company, shared)
        rows.append([now - then for now, then in zip(_sums(door), before, strict=True)])
    scale = n / max(1, len(samples))
    found = _scaled(plan, door, scale, n)
    margins = {} if scale == 1 else _margins(rows, n)
    took = duration(plan, list(door.work.values()), door.store, scale)
    if scale == 1:
        await _probe(plan, door)
        found = _scaled(plan, door, scale, n)
    return replace(
        found,
        seconds=took.seconds,
        seconds_from=took.basis,
        counted=len(samples),
        margins=margins,
        notes=tuple(plan.samples.notes),
    )


def _drawn(samples: Samples) -> tuple[list[Sample], int]:
    """The samples if they are not many, else some of them, each as likely; and how many there are.

    The same data give the same draw.
    """
    chance = random.Random(0)  # noqa: S311 - it draws a sample, it guards nothing
    kept: list[Sample] = []
    for n, sample in zip(count(1), samples, strict=False):
        if n <= ALL_COUNTED:
            kept.append(sample)
        elif (place := chance.randrange(n)) < ALL_COUNTED:
            kept[place] = sample
    total = samples.rows - samples.skipped
    return (kept if total <= ALL_COUNTED else chance.sample(kept, DRAWN)), total


def _sums(door: StandIn) -> list[float]:
    return [getattr(door.counts, name) for name in _SUMS]


def _margins(rows: list[list[float]], n: int) -> dict[str, float]:
    """Half the width of the 95 % interval of each sum, scaled up to n rows."""
    values = np.array(rows, dtype=float)
    share = math.sqrt((1 / len(rows)) * (1 - len(rows) / n))
    widths = 1.96 * n * share * values.std(axis=0, ddof=1)
    return dict(zip(_SUMS, map(float, widths.round()), strict=True))


def _scaled(plan: Plan, door: StandIn, scale: float, n: int) -> Estimate:
    counts = door.counts
    money = counts.money(plan.settings.budget.price)
    return Estimate(
        samples=n,
        **{name: round(getattr(counts, name) * scale) for name in _SUMS},
        money=None if money is None else money * scale,
        batches=_batches(plan, {kind: n * scale for kind, n in door.batched.items()}),
    )


async def _ask_all(
    plan: Plan, sample: Sample, door: StandIn, company: list[str], shared: Company
) -> None:
    tries = plan.settings.tries
    for metric in plan.metrics:
        if metric.label not in company:
            await _ask(metric, sample, Judge(door, tries=tries))
    party = Party(door, shared)
    members = [(m, party.member()) for m in plan.metrics if m.label in company]
    await asyncio.gather(
        *(_ask(m, sample, Judge(member, tries=tries), member) for m, member in members)
    )


def _batches(plan: Plan, calls: Mapping[str, float]) -> int:
    """Batches that so many calls of each kind make: what needs another's reply comes after it."""
    stages: dict[str, int] = {}
    for metric in plan.metrics:
        asked = [task.kind for task in metric.asks(plan.route.serves) if task.kind in calls]
        stages |= {kind: max(n, stages.get(kind, 0)) for n, kind in enumerate(asked)}
    together: defaultdict[tuple[int, int, int], float] = defaultdict(float)
    for kind, n in calls.items():
        server = plan.route.to(kind)
        size = server.capabilities.batch_size or 1
        together[stages.get(kind, 0), id(server), size] += n
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
