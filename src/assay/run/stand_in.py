"""Who answers in place of a judge, so that calls and tokens can be counted before it is asked?"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from assay.backends.embedded import Embedded
from assay.judge import Backend, Reply, Task
from assay.judges.llm import LLM
from assay.middleware.budget import Price
from assay.middleware.wrapper import Route
from assay.run.duration import Work
from assay.run.guesses import guess
from assay.run.lengths import as_asked
from assay.store import Store
from assay.store.keys import reply_key
from assay.tasks import Embed, NameEntities, SplitStatements

CHARS_PER_TOKEN = 4
# Replies of a judge to one kind of task that tell how long its next ones will be.
ENOUGH = 20
# What the embedded judge does without a model, as quickly as any guess.
_BY_RULES = (SplitStatements.kind, NameEntities.kind)
# So many tasks of a kind are done in earnest, to see how long they take.
TRIED = 16
# Replies that are kept for those who ask the same again: the other metrics of a sample.
RECENT = 4096


@dataclass
class Counts:
    """What was asked of a stand-in: see `Estimate` for what each number is."""

    calls: int = 0
    known: int = 0
    local: int = 0
    local_tokens: int = 0
    local_written: float = 0.0
    tokens_in: int = 0
    tokens_out: float = 0.0
    embedded: int = 0

    def money(self, price: Price | None) -> float | None:
        """What the calls would cost but for embeddings, None without a price."""
        return price.of(self.tokens_in - self.embedded, round(self.tokens_out)) if price else None


@dataclass
class StandIn(Backend):
    """Answers in place of the judge: from the store where it can, roughly where it cannot.

    Attributes:
        route: The judge.
        store: What is known already.
        counts: What was asked so far; equal questions are counted once.
        batched: Calls by kind of task that would be asked in batches.
        work: What each back end would be asked for.
    """

    route: Route
    store: Store | None
    counts: Counts = field(default_factory=Counts)
    batched: Counter[str] = field(default_factory=Counter)
    work: dict[int, Work] = field(default_factory=dict)
    _embedded: Embedded = field(default_factory=Embedded)
    # Of all that was asked 8 bytes of its key, of the last ones the replies.
    _seen: set[int] = field(default_factory=set)
    _recent: dict[str, Reply] = field(default_factory=dict)
    _usual: dict[str, float | None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The judge's."""
        return self.route.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The judge's."""
        return self.route.identity(kind)

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Whether the reply is in the store."""
        key = reply_key(self.identity(type(task)) or "", task, draw)
        return self.store is not None and self.store.has_reply(key)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The known reply, or one about as long as the judge's."""
        key = reply_key(self.identity(type(task)) or "", task, draw)
        if key in self._recent:
            return self._recent[key]
        known = self.store.reply(key) if self.store else None
        # A vector of the store and a guessed one would not have the same length.
        if known is None or isinstance(task, Embed):
            reply = await self._guess(task, draw)
        else:
            reply = known
        self._recent[key] = reply
        if len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]
        short = int(key[:16], 16)
        if short not in self._seen:
            self._seen.add(short)
            self._count(task, reply, is_known=known is not None)
        return reply

    def _count(self, task: Task[Any], reply: Reply, *, is_known: bool) -> None:
        counts, server = self.counts, self.route.to(task.kind)
        if is_known:
            counts.known += 1
            return
        work = self.work.setdefault(id(server), Work(server))
        work.calls[task.kind] += 1
        if server.capabilities.local:
            counts.local += 1
            if isinstance(server, LLM):
                self._add_local(server, task, reply)
        else:
            counts.calls += 1
            if server.capabilities.batch_size is not None:
                self.batched[task.kind] += 1
            tokens = _prompt_length(server, task) // CHARS_PER_TOKEN
            counts.tokens_in += tokens
            if isinstance(task, Embed):
                counts.embedded += tokens
                work.tokens += tokens
            else:
                written = self._written(task, reply)
                counts.tokens_out += written
                work.tokens += tokens + written

    def _add_local(self, server: LLM, task: Task[Any], reply: Reply) -> None:
        """Count what a language model in this process reads and writes."""
        lengths = server.lengths(task)
        letters = _prompt_length(server, task) if lengths is None else lengths[0]
        self.counts.local_tokens += letters // CHARS_PER_TOKEN
        self.counts.local_written += self._written(task, reply) if lengths is None else lengths[1]

    async def _try(self, task: Task[Any]) -> None:
        """See of a few tasks of the embedded judge how long it takes over them here."""
        server = self.route.to(task.kind)
        if not isinstance(server, Embedded):
            return
        took = self.work.setdefault(id(server), Work(server)).trial.setdefault(task.kind, [])
        if not took:
            await server.reply(task)  # its model may have to be loaded
        if len(took) < TRIED:
            took.append((await server.reply(task)).ms / 1000)

    def _written(self, task: Task[Any], reply: Reply) -> float:
        """Tokens of a reply: as many as this judge writes on average where that is known."""
        if task.kind not in self._usual:
            backend = self.identity(type(task)) or ""
            n, mean = self.store.usual(backend, task.kind) if self.store else (0, 0.0)
            self._usual[task.kind] = mean if n >= ENOUGH else None
        usual = self._usual[task.kind]
        return len(as_asked(task, reply.raw)) / CHARS_PER_TOKEN if usual is None else usual

    async def _guess(self, task: Task[Any], draw: int) -> Reply:
        await self._try(task)
        if task.kind in _BY_RULES:
            return await self._embedded.reply(task, draw)
        return Reply(task.inputs(), guess(task), kind=task.kind, draw=draw)


def _prompt_length(server: Backend, task: Task[Any]) -> int:
    template = server.template(type(task)) if isinstance(server, LLM) else None
    return sum(map(len, task.pieces(template)))
