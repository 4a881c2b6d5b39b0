"""The stack of backends of a run, and the coalescing of what one sample asks.

Faithfulness splits the answer and checks its statements against the retrieved contexts, context
recall does the same to the reference. Asked together, contexts and instruction are paid for once.
"""

import asyncio
import copy
import functools
import threading
import weakref
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from assay._middleware.budget import BudgetTracker, Usage
from assay._middleware.cache import ReplyCache, Served
from assay._middleware.concurrency import tell
from assay._middleware.limiter import Limiter, ServerState
from assay._middleware.wrapper import Route, adapted
from assay._runner.settings import Settings, shared_limits
from assay._store import Store
from assay.errors import InputError, TooLong, Unreadable
from assay.judge import Backend, BackendLike, Reply, Task
from assay.judges.embedder import Embedder, MicroBatcher
from assay.judges.llm import LLM
from assay.judges.specs import DEFAULT, backend
from assay.metrics import Metric
from assay.tasks import TASKS, Embed, EmbedTokens, SplitStatements
from assay.tasks.joint import JOINTS

T = TypeVar("T")
# So many replies to all that nobody can read, and more than such a share of them, are enough.
MIN_UNREADABLE = 4
MAX_UNREADABLE_SHARE = 0.25


def coalesced_kinds(route: Route) -> frozenset[type[Task[Any]]]:
    """The kinds of tasks that are asked in one call: only a judge that reads prompts gains by it.

    Texts whose splitting the user has worded are split one by one, as the words say.
    """
    outcome = set()
    for kind in JOINTS:
        leaf = route.to(kind.kind)
        if isinstance(leaf, LLM) and not leaf.capabilities.local:
            template = leaf.prompts.get(kind.kind)
            worded = kind is SplitStatements and template not in (None, *kind.built_in())
            outcome |= set() if worded else {kind}
    return frozenset(outcome)


def coalesced_metrics(metrics: Sequence[Metric], route: Route) -> list[str]:
    """The metrics that would share calls, none if there is nothing to share."""
    kinds = coalesced_kinds(route)
    outcome = [m.label for m in metrics if not kinds.isdisjoint(m.asks(route.serves))]
    return sorted(outcome) if len(outcome) > 1 else []


def coalesce_as_in(settings: Settings | None, signatures: Iterable[str]) -> Settings:
    """The settings under which metrics share calls as those with these signatures did."""
    together = any("|together=" in signature for signature in signatures)
    return replace(settings or Settings(), together=together)


@dataclass(eq=False)
class _Request:
    task: Task[Any]
    reply: asyncio.Future[Reply]


@dataclass
class CoalescingPolicy:
    """What all coalescers of a run share: the kinds that are asked together, and how that went.

    A judge that often gets several things mixed up is asked about each alone from then on: what
    it says of all at once would be paid for in vain.
    """

    kinds: frozenset[type[Task[Any]]]  # what is asked together
    _replies: Counter[type[Task[Any]]] = field(default_factory=Counter)
    _unreadable: Counter[type[Task[Any]]] = field(default_factory=Counter)

    def asks(self, kind: type[Task[Any]]) -> bool:
        """Whether tasks of a kind are asked together still."""
        unreadable, replies = self._unreadable[kind], self._replies[kind]
        often = unreadable >= MIN_UNREADABLE and unreadable > MAX_UNREADABLE_SHARE * replies
        return kind in self.kinds and not often

    def record(self, kind: type[Task[Any]], *, readable: bool) -> None:
        """Count a reply to all."""
        self._replies[kind] += 1
        self._unreadable[kind] += not readable


@dataclass
class Coalescer:
    """The metrics of one sample that may ask together: who comes first waits for the others.

    A member is waited for as long as it may still ask, so what is asked together does not depend
    on which call was faster.
    """

    backend: BackendLike  # who is asked
    policy: CoalescingPolicy  # what is asked together
    _members: list["CoalescedBackend"] = field(default_factory=list)
    _in_flight: set[asyncio.Task[None]] = field(default_factory=set)
    _scheduled: bool = False

    def member(self) -> "CoalescedBackend":
        """A backend for one more metric; all are to be made before the first is used."""
        member = CoalescedBackend(self)
        self._members.append(member)
        return member

    async def score(
        self, metrics: Sequence[Metric], score: Callable[[Metric, BackendLike], Awaitable[T]]
    ) -> list[T]:
        """What comes of each metric, which is given the backend that it is to ask."""
        members = [self.member() for _ in metrics]

        async def one(metric: Metric, member: CoalescedBackend) -> T:
            try:
                return await score(metric, member)
            finally:
                member.leave()

        return await asyncio.gather(*map(one, metrics, members))

    def schedule(self) -> None:
        """Ask, once every member has something to ask or has left."""
        # A metric's questions are put in one turn of the loop: the next one sees them all.
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._scheduled = False
        present = [member for member in self._members if not member.done]
        if not all(member.pending for member in present):
            return
        requests = [request for member in present for request in member.pending]
        for member in present:
            member.pending.clear()
        for group in _groups(requests):
            call = asyncio.create_task(self._ask(group))
            self._in_flight.add(call)
            call.add_done_callback(self._in_flight.discard)

    async def _ask(self, group: Sequence[_Request]) -> None:
        """Ask for all, and hand each its reply or whatever kept it from coming."""
        outcomes: Sequence[Reply | BaseException]
        try:
            outcomes = await self._replies([request.task for request in group])
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the reply
            outcomes = [error] * len(group)
        for request, outcome in zip(group, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                tell(request.reply, None, outcome)
            else:
                tell(request.reply, outcome, None)

    async def _replies(self, tasks: Sequence[Task[Any]]) -> Sequence[Reply | BaseException]:
        if len(set(tasks)) == 1:
            return [await self.backend.reply(tasks[0])] * len(tasks)
        joint = JOINTS[type(tasks[0])]
        items = list(dict.fromkeys(item for task in tasks for item in joint.items(task)))
        joint_task = joint.whole(tasks[0], items)
        try:
            reply = await self.backend.reply(joint_task)
        except TooLong:  # each by itself may be short enough, or can be divided
            single_replies = map(self.backend.reply, tasks)
            return await asyncio.gather(*single_replies, return_exceptions=True)
        kind = type(tasks[0])
        try:
            shares = joint.shares(joint_task, reply.raw, tasks)
        except Unreadable:
            self.policy.record(kind, readable=False)
            return [reply] * len(tasks)  # nobody can read it: each asks again, alone
        self.policy.record(kind, readable=None not in shares)
        # Whoever was left out cannot read the whole either, and asks again.
        return [reply if raw is None else replace(reply, raw=raw) for raw in shares]


@dataclass
class CoalescedBackend:
    """The backend of one metric. Only first draws of some kinds wait for the other metrics."""

    coalescer: Coalescer  # the other metrics
    pending: list[_Request] = field(default_factory=list)  # what it asked and what waits
    done: bool = False  # whether it asks nothing any more

    @property
    def name(self) -> str:
        """The backend's."""
        return self.coalescer.backend.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The backend's."""
        return self.coalescer.backend.identity(kind)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply: to what is asked together, the part of it that answers this task.

        It has the key of the reply to all, which is what a trace shows. What was answered alone
        before is not paid for again.
        """
        if draw or not self.coalescer.policy.asks(type(task)) or self._has_reply(task):
            return await self.coalescer.backend.reply(task, draw)
        request = _Request(task, asyncio.get_running_loop().create_future())
        self.pending.append(request)
        self.coalescer.schedule()
        return await request.reply

    def _has_reply(self, task: Task[Any]) -> bool:
        return adapted(self.coalescer.backend).has(task)

    def leave(self) -> None:
        """Say that nothing more is asked."""
        self.done = True
        self.coalescer.schedule()


def _groups(requests: Sequence[_Request]) -> list[list[_Request]]:
    """Those of one kind about the same texts, so many that no item can be overlooked."""
    groups: list[list[_Request]] = []
    last: dict[Hashable, list[_Request]] = {}
    for request in requests:
        joint = JOINTS[type(request.task)]
        shared_key = joint.alike(request.task)
        group_key = (type(request.task), shared_key)
        group = last.get(group_key, [])
        items = {item for request in (*group, request) for item in joint.items(request.task)}
        if group and shared_key is not None and len(items) <= joint.max_items:
            group.append(request)
        else:
            groups.append([request])
            last[group_key] = groups[-1]
    return groups


# As many calls as are worth having on their way to a backend in this process.
MAX_LOCAL = 16
# As many requests as may wait for batches: the more, the fewer batches, and the more memory.
MAX_BATCHED = 4_000
VECTORS = (Embed, EmbedTokens)  # what an embedder answers, as far as it can
# By event loop and backend (a backend holds the connections of each loop apart): the runs.
_users: dict[tuple[int, int], set[int]] = {}
# Of a copy, by its id, the backend that it is a copy of.
_originals: dict[int, Backend] = {}
_lock = threading.Lock()  # runs may be in several threads, each with a loop of its own


def choose(judge: object, embedder: object, settings: Settings) -> Route:
    """The backends that serve a run, from specs or objects.

    Raises:
        InputError: If a spec is unknown or a prompt is replaced that nobody reads.
    """
    main = backend(judge)
    route = Route.of(main)
    if embedder is not None or not route.serves(Embed):
        embedding = backend(embedder if embedder is not None else DEFAULT, embedder=True)
        if embedding.identity(Embed) is None:
            remedy = "name an embedding model or give an embedding object, or leave it out"
            raise InputError(f"{embedding.name} makes no embeddings", remedy)
        able = [kind for kind in VECTORS if embedding.identity(kind) is not None]
        route = Route(route.default, {**route.kinds, **{kind.kind: embedding for kind in able}})
    return reworded(route, settings)


def reworded(route: Route, settings: Settings) -> Route:
    """The backends with the prompts of the settings.

    Raises:
        InputError: If a prompt is replaced that nobody reads.
    """
    for kind in settings.prompts:
        if kind not in TASKS:
            raise InputError(f"a prompt for '{kind}', which is no task", f"{', '.join(TASKS)}")
        server = route.to(kind)
        if not any(isinstance(leaf, LLM) for leaf in server.behind() or [server]):
            fault = f"a prompt for '{kind}', but {server.name} reads no prompts"
            raise InputError(fault, "name a judge that does: openai:MODEL, ollama:MODEL, gguf:PATH")

    def reword(leaf: Backend) -> Backend:
        if not isinstance(leaf, LLM):
            return leaf
        if not settings.prompts and settings.reasons == leaf.reasons:
            return leaf
        changed = copy.copy(leaf)
        changed.reasons = settings.reasons
        changed.prompts = {**leaf.prompts, **settings.prompts}
        share_connections(changed, leaf)
        return changed

    return _mapped(route, reword)


def _mapped(route: Route, change: Callable[[Backend], Backend]) -> Route:
    # A backend that serves several kinds stays one object: its limits are shared.
    changed: dict[int, Backend] = {}

    def once(leaf: Backend) -> Backend:
        if id(leaf) not in changed:
            judges = [once(judge) for judge in leaf.behind()]
            changed[id(leaf)] = change(leaf.over(judges) if judges else leaf)
        return changed[id(leaf)]

    kinds = {kind: once(leaf) for kind, leaf in route.kinds.items()}
    return Route(once(route.default), kinds)


@dataclass(frozen=True)
class BackendStack:
    """The backends of a run behind its cache and limits, and what went through them."""

    backend: Backend  # what judges ask
    served: Served  # replies asked for and known
    # Calls, tokens and retries of the judges, and of an embedder of its own.
    usages: tuple[Usage, ...]
    closing: tuple[Backend, ...]  # what is to be closed, last to first
    # What is to be awaited before the first call.
    opening: tuple[Callable[[], Awaitable[None]], ...]
    max_in_flight: int  # calls that may be in flight at the same time, of all backends together

    async def aopen(self) -> None:
        """See the workers of backends that are limited in their places before the first call."""
        for used in self.closing:
            acquire(used, self)
        for opened in self.opening:
            await opened()

    def stop(self) -> None:
        """Send no further call to any backend that is limited; those on their way may arrive."""
        self.backend.stop()

    async def aclose(self) -> None:
        """See replies on their way in, then close the connections of all backends.

        What another run of this loop still uses stays open until that one ends.
        """
        self.stop()  # all, before the first of them is waited for
        async with AsyncExitStack() as stack:
            for used in self.closing:
                stack.push_async_callback(self._leave, used)

    async def _leave(self, used: Backend) -> None:
        if release(used, self):
            await used.aclose()


def build_stack(route: Route, settings: Settings, store: Store, run: str) -> BackendStack:
    """Put the reply cache and the limits between judges and backends."""
    keep = functools.partial(store.keep_reply, run=run)
    bound = functools.partial(longest_reply, route)
    shared = shared_limits(settings)
    budget = BudgetTracker(settings.budget, keep, bound, shared.spending)
    embedding = BudgetTracker(keep=keep, spending=shared.embedding)
    served = Served()
    closing: list[Backend] = []
    opening: list[Callable[[], Awaitable[None]]] = []
    bounds: list[int] = []
    distinct = {id(judge): judge for leaf in route.backends for judge in leaf.behind() or [leaf]}
    sharing = sum(leaf.capabilities.local for leaf in distinct.values())

    def guard(leaf: Backend) -> Backend:
        if leaf.behind():  # those are limited, each by itself; what follows from them is kept
            closing.append(cache := ReplyCache(leaf, store, run, served))
            return cache
        inner = _in_pool(leaf, settings, sharing, bounds)
        layers = [inner]
        capabilities = leaf.capabilities
        # In-process backends need no rate limit, and no time-out while they wait their turn.
        if not capabilities.local:
            # Embeddings are not what a budget in chat tokens is about.
            kinds = [kind for kind, server in route.kinds.items() if server is leaf]
            only_embeds = (
                leaf is not route.default
                and bool(kinds)
                and set(kinds) <= {kind.kind for kind in VECTORS}
            )
            limits = capabilities.limits or settings.limits
            bounds.append(limits.concurrency)
            opening.append(inner.aopen)
            server = shared.server(
                id(_original(leaf)), functools.partial(ServerState, leaf.name, limits)
            )
            spending = embedding if only_embeds else budget
            inner = Limiter(inner, limits, budget=spending, server=server)
            if capabilities.batch_size is not None:
                inner = leaf.in_batches(store.batches, inner, budget)
                layers.append(inner)
                bounds.append(MAX_BATCHED)
            if isinstance(leaf, Embedder):
                inner = MicroBatcher(inner)
                layers.append(inner)
        cache = ReplyCache(inner, store, run, served, shared.in_flight)
        # The cache is closed before its backend: no connection goes while a reply is on its way.
        closing.extend((*layers, cache))
        return cache

    guarded = _mapped(route, guard)
    max_in_flight = max(bounds, default=min(MAX_LOCAL, settings.limits.concurrency))
    usages = (budget.usage, embedding.usage)
    return BackendStack(guarded, served, usages, tuple(closing), tuple(opening), max_in_flight)


@asynccontextmanager
async def opened_stack(
    route: Route, settings: Settings, store: Store, run: str
) -> AsyncIterator[BackendStack]:
    """The backends as `build_stack` puts them together, opened, and closed at the end."""
    stack = build_stack(route, settings, store, run)
    try:
        await stack.aopen()
        yield stack
    finally:
        await stack.aclose()


def longest_reply(route: Route, kind: str) -> int | None:
    """Most tokens that whoever serves a kind may write, None where that is not bounded."""
    bound = route.to(kind).capabilities.max_tokens
    return bound if isinstance(bound, int) else None


def _in_pool(leaf: Backend, settings: Settings, sharing: int, bounds: list[int]) -> Backend:
    """The backend where it is to compute, with what is worth having on its way to it."""
    capabilities = leaf.capabilities
    if settings.engine == "local" or capabilities.batch_size is not None:
        return leaf
    from assay._middleware.ray_workers import pool

    limits = capabilities.limits or settings.limits
    pooled = pool(
        leaf,
        workers=settings.workers,
        cores=settings.cores,
        in_flight=limits.concurrency,
        sharing=max(1, sharing),
    )
    if capabilities.local:
        bounds.append(pooled.most)
    return pooled


def acquire(backend: Backend, run: object) -> None:
    """Say that a run uses a backend in the running loop."""
    with _lock:
        _users.setdefault(_user_key(backend), set()).add(id(run))


def release(backend: Backend, run: object) -> bool:
    """Say that a run does so no more; whether nobody else does and it can be closed."""
    with _lock:
        users = _users.get(key := _user_key(backend), set())
        users.discard(id(run))
        if not users:
            _users.pop(key, None)
        return not users


def share_connections(reworded: Backend, original: Backend) -> None:
    """Say that one is a copy of the other and shares its connections."""
    _originals[id(reworded)] = original
    weakref.finalize(reworded, _originals.pop, id(reworded), None)


def _user_key(backend: Backend) -> tuple[int, int]:
    return id(asyncio.get_running_loop()), id(_original(backend))


def _original(backend: Backend) -> Backend:
    """What a backend is a copy of; itself if of none."""
    return _originals.get(id(backend), backend)
