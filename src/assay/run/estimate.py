"""What would a run cost? Calls, tokens and money, counted before anything is spent."""

import asyncio
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.backends.embedded import Embedded
from assay.backends.llm import LLM
from assay.backends.route import Route
from assay.backends.specs import DEFAULT
from assay.errors import JudgeError
from assay.judge import Backend, Judge, Reply, Task
from assay.metrics import Metric
from assay.run import STORE, probes
from assay.run.guesses import guess
from assay.run.lengths import as_asked
from assay.run.loop import run_to_completion
from assay.run.plan import Plan, plan
from assay.run.settings import Settings
from assay.run.together import Member, Party, companions, joined
from assay.sample import Sample
from assay.store import Store
from assay.store.keys import reply_key
from assay.tasks import Embed, SplitStatements, split_texts
from assay.tasks.split_texts import SplitTexts

CHARS_PER_TOKEN = 4
# Replies of a judge to one kind of task that tell how long its next ones will be.
ENOUGH = 20


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
    settings = settings or Settings()
    if settings.skip_invalid:  # left out here as there, but nothing is written
        settings = replace(settings, skip_invalid=Path(os.devnull))
    planned = plan(data, metrics, judge, embedder, settings)
    kept = Store(store) if Path(store).is_file() else None
    try:
        return run_to_completion(_count(planned, _StandIn(planned.route, kept)))
    finally:
        if kept:
            kept.close()


async def _count(plan: Plan, door: "_StandIn") -> Estimate:
    company = companions(plan.metrics, plan.route) if plan.settings.together else []
    for sample in plan.samples:
        if sample.failure is not None:  # no judge is asked about it
            continue
        for metric in plan.metrics:
            if metric.label not in company:
                await _ask(metric, sample, door)
        party = Party(door, joined(plan.route))
        members = [(m, party.member()) for m in plan.metrics if m.label in company]
        await asyncio.gather(*(_ask(metric, sample, member) for metric, member in members))
    await _probe(plan, door)
    price = plan.settings.budget.price
    return Estimate(
        samples=plan.samples.rows - plan.samples.skipped,
        calls=door.calls,
        known=door.known,
        local=door.local,
        tokens_in=door.tokens_in,
        tokens_out=round(door.tokens_out),
        local_tokens=door.local_tokens,
        money=price.of(door.tokens_in - door.embedded, round(door.tokens_out)) if price else None,
        batches=_batches(plan, door.in_batches),
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


async def _ask(metric: Metric, sample: Sample, backend: Backend) -> None:
    try:
        await metric.score(sample, Judge(backend, tries=1))
    except JudgeError:
        pass  # a stand-in's reply cannot always be read; what was asked is counted
    finally:
        if isinstance(backend, Member):
            backend.leave()


async def _probe(plan: Plan, door: "_StandIn") -> None:
    scores = (plan.samples.rows - plan.samples.skipped) * len(plan.metrics)
    if plan.settings.probe or (plan.settings.probe is None and scores >= probes.LEAST_SCORES):
        for asked in probes.judges(plan.route).values():
            for backend in probes.askings(door, probes.today()):
                for probe in asked:
                    await backend.reply(probe)


@dataclass
class _StandIn:
    """Answers in place of the judge: from the store where it can, roughly where it cannot."""

    route: Route
    store: Store | None
    calls: int = 0
    known: int = 0
    local: int = 0
    local_tokens: int = 0
    tokens_in: int = 0
    tokens_out: float = 0.0
    embedded: int = 0
    in_batches: Counter[str] = field(default_factory=Counter)
    _embedded: Embedded = field(default_factory=Embedded)
    _seen: dict[str, Reply] = field(default_factory=dict)
    _usual: dict[str, float | None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.route.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        return self.route.identity(kind)

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        key = reply_key(self.identity(type(task)) or "", task, draw)
        return self.store is not None and self.store.has_reply(key)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        key = reply_key(self.identity(type(task)) or "", task, draw)
        if key in self._seen:
            return self._seen[key]
        known = self.store.reply(key) if self.store else None
        # A vector of the store and a guessed one would not have the same length.
        if known is None or isinstance(task, Embed):
            reply = await self._guess(task, draw)
        else:
            reply = known
        self._seen[key] = reply
        server = self.route.to(task.kind)
        if known:
            self.known += 1
        elif getattr(server, "local", False):
            self.local += 1
            if isinstance(server, LLM):
                self.local_tokens += _prompt_length(server, task) // CHARS_PER_TOKEN
        else:
            self.calls += 1
            if hasattr(server, "in_batches"):
                self.in_batches[task.kind] += 1
            tokens = _prompt_length(server, task) // CHARS_PER_TOKEN
            self.tokens_in += tokens
            if isinstance(task, Embed):
                self.embedded += tokens
            else:
                self.tokens_out += self._written(task, reply)
        return reply

    def _written(self, task: Task[Any], reply: Reply) -> float:
        """Tokens of a reply: as many as this judge writes on average where that is known."""
        if task.kind not in self._usual:
            backend = self.identity(type(task)) or ""
            n, mean = self.store.usual(backend, task.kind) if self.store else (0, 0.0)
            self._usual[task.kind] = mean if n >= ENOUGH else None
        usual = self._usual[task.kind]
        return len(as_asked(task, reply.raw)) / CHARS_PER_TOKEN if usual is None else usual

    async def _guess(self, task: Task[Any], draw: int) -> Reply:
        if isinstance(task, SplitTexts):
            apart = [SplitStatements(task.question, text) for text in task.texts]
            replies = [await self._embedded.reply(one) for one in apart]
            raw = split_texts.reply(dict(zip(task.ids, (r.raw for r in replies), strict=True)))
            return Reply(task.inputs(), raw, kind=task.kind, draw=draw)
        if not isinstance(task, Embed) and self._embedded.identity(type(task)):
            return await self._embedded.reply(task, draw)
        return Reply(task.inputs(), guess(task), kind=task.kind, draw=draw)


def _prompt_length(server: Backend, task: Task[Any]) -> int:
    template = server.template(type(task)) if isinstance(server, LLM) else None
    return sum(map(len, task.pieces(template)))
