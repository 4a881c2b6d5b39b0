"""The stack of backends of a run: routes, reply cache and limits, closed when nobody uses it."""

import asyncio
import copy
import functools
import threading
import weakref
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from assay._middleware.budget import BudgetTracker, Usage
from assay._middleware.cache import ReplyCache, Served
from assay._middleware.limiter import Limiter, ServerState
from assay._middleware.sharing import SharedLimits
from assay._middleware.wrapper import Route
from assay._runner.settings import Settings
from assay._store import Store
from assay.errors import InputError
from assay.judge import Backend
from assay.judges.embedder import Embedder, MicroBatcher
from assay.judges.llm import LLM
from assay.judges.specs import DEFAULT, backend
from assay.tasks import TASKS, Embed, EmbedTokens

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
            raise InputError(f"{embedding.name} makes no embeddings")
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
        if not any(isinstance(one, LLM) for one in server.behind() or [server]):
            raise InputError(f"a prompt for '{kind}', but {server.name} reads no prompts")

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
            behind = [once(judge) for judge in leaf.behind()]
            changed[id(leaf)] = change(leaf.over(behind) if behind else leaf)
        return changed[id(leaf)]

    kinds = {kind: once(leaf) for kind, leaf in route.kinds.items()}
    return Route(once(route.default), kinds)


@dataclass(frozen=True)
class BackendStack:
    """The backends of a run behind its cache and limits, and what went through them.

    Attributes:
        backend: What judges ask.
        served: Replies asked for and known.
        usages: Calls, tokens and retries of the judges, and of an embedder of its own.
        closing: What is to be closed, last to first.
        opening: What is to be awaited before the first call.
        stopping: What is to be called after the last one.
        max_in_flight: Calls that may be in flight at the same time, of all backends together.
    """

    backend: Backend
    served: Served
    usages: tuple[Usage, ...]
    closing: tuple[Backend, ...]
    opening: tuple[Callable[[], Awaitable[None]], ...]
    stopping: tuple[Callable[[], None], ...]
    max_in_flight: int

    def under_way(self) -> str:
        """What backends that are asked in batches wait for, in words; "" if for nothing."""
        return self.backend.under_way()

    def trouble(self) -> str:
        """What goes wrong with calls, in words; "" if nothing does."""
        return self.backend.trouble()

    async def aopen(self) -> None:
        """See the workers of backends that are limited in their places before the first call."""
        for used in self.closing:
            acquire(used, self)
        for opened in self.opening:
            await opened()

    def stop(self) -> None:
        """Send no further call to any backend that is limited; those on their way may arrive."""
        for stopped in self.stopping:
            stopped()

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
    shared = settings.shared or SharedLimits(settings.spent)
    budget = BudgetTracker(settings.budget, keep, bound, shared.spending)
    embedding = BudgetTracker(keep=keep, spending=shared.embedding)
    served = Served()
    closing: list[Backend] = []
    opening: list[Callable[[], Awaitable[None]]] = []
    stopping: list[Callable[[], None]] = []
    bounds: list[int] = []
    distinct = {id(one): one for leaf in route.backends for one in leaf.behind() or [leaf]}
    sharing = sum(leaf.capabilities.local for leaf in distinct.values())

    def guard(leaf: Backend) -> Backend:
        if leaf.behind():  # those are limited, each by itself; what follows from them is kept
            closing.append(cache := ReplyCache(leaf, store, run, served))
            return cache
        inner = _placed(leaf, settings, sharing, bounds)
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
            inner = limit = Limiter(inner, limits, budget=spending, server=server)
            stopping.append(limit.stop)
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
    return BackendStack(
        guarded, served, usages, tuple(closing), tuple(opening), tuple(stopping), max_in_flight
    )


def longest_reply(route: Route, kind: str) -> int | None:
    """Most tokens that whoever serves a kind may write, None where that is not bounded."""
    bound = route.to(kind).capabilities.max_tokens
    return bound if isinstance(bound, int) else None


def _placed(leaf: Backend, settings: Settings, sharing: int, bounds: list[int]) -> Backend:
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
        _users.setdefault(_place(backend), set()).add(id(run))


def release(backend: Backend, run: object) -> bool:
    """Say that a run does so no more; whether nobody else does and it can be closed."""
    with _lock:
        users = _users.get(place := _place(backend), set())
        users.discard(id(run))
        if not users:
            _users.pop(place, None)
        return not users


def share_connections(reworded: Backend, original: Backend) -> None:
    """Say that one is a copy of the other and shares its connections."""
    _originals[id(reworded)] = original
    weakref.finalize(reworded, _originals.pop, id(reworded), None)


def _place(backend: Backend) -> tuple[int, int]:
    return id(asyncio.get_running_loop()), id(_original(backend))


def _original(backend: Backend) -> Backend:
    """What a backend is a copy of; itself if of none."""
    return _originals.get(id(backend), backend)
