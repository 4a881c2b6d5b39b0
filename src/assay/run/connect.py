"""How a judge becomes the one door: routes, ledger, limits, back ends."""

import copy
import functools
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from assay.errors import InputError
from assay.judge import Backend
from assay.judges.embedder import Embedder, MicroBatcher
from assay.judges.llm import LLM
from assay.judges.specs import DEFAULT, backend
from assay.middleware.budget import BudgetTracker, Usage
from assay.middleware.cache import ReplyCache, Served
from assay.middleware.limiter import Limiter
from assay.middleware.wrapper import Route
from assay.run import in_use
from assay.run.settings import Settings
from assay.store import Store
from assay.tasks import TASKS, Embed, EmbedTokens

# As many calls as are worth having on their way to a back end in this process.
LOCAL = 16
# As many requests as may wait for batches: the more, the fewer batches, and the more memory.
IN_BATCHES = 4_000
VECTORS = (Embed, EmbedTokens)  # what an embedder answers, as far as it can


def choose(judge: object, embedder: object, settings: Settings) -> Route:
    """The back ends that serve a run, from specs or objects.

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
    """The back ends with the prompts of the settings.

    Raises:
        InputError: If a prompt is replaced that nobody reads.
    """
    for kind in settings.prompts:
        if kind not in TASKS:
            raise InputError(f"a prompt for '{kind}', which is no task", f"{', '.join(TASKS)}")
        server = route.to(kind)
        if not isinstance(server, LLM):
            raise InputError(f"a prompt for '{kind}', but {server.name} reads no prompts")

    def reword(leaf: Backend) -> Backend:
        if not settings.prompts or not isinstance(leaf, LLM):
            return leaf
        changed = copy.copy(leaf)
        changed.prompts = {**leaf.prompts, **settings.prompts}
        in_use.reworded_from(changed, leaf)
        return changed

    return _mapped(route, reword)


def _mapped(route: Route, change: Callable[[Backend], Backend]) -> Route:
    # A back end that serves several kinds stays one object: its limits are shared.
    changed: dict[int, Backend] = {}

    def once(leaf: Backend) -> Backend:
        if id(leaf) not in changed:
            changed[id(leaf)] = change(leaf)
        return changed[id(leaf)]

    kinds = {kind: once(leaf) for kind, leaf in route.kinds.items()}
    return Route(once(route.default), kinds)


@dataclass(frozen=True)
class Door:
    """The one door of a run, and what went through it.

    Attributes:
        backend: What judges ask.
        served: Replies asked for and known.
        usages: Calls, tokens and retries of the judges, and of an embedder of its own.
        closing: What is to be closed, last to first.
        opening: What is to be awaited before the first call.
        stopping: What is to be called after the last one.
        most: Calls that may be in flight at the same time, of all back ends together.
    """

    backend: Backend
    served: Served
    usages: tuple[Usage, ...]
    closing: tuple[Backend, ...]
    opening: tuple[Callable[[], Awaitable[None]], ...]
    stopping: tuple[Callable[[], None], ...]
    most: int

    def under_way(self) -> str:
        """What back ends that are asked in batches wait for, in words; "" if for nothing."""
        return self.backend.under_way()

    async def aopen(self) -> None:
        """See the workers of back ends that are limited in their places before the first call."""
        for used in self.closing:
            in_use.enter(used, self)
        for opened in self.opening:
            await opened()

    def stop(self) -> None:
        """Send no further call to any back end that is limited; those on their way may arrive."""
        for stopped in self.stopping:
            stopped()

    async def aclose(self) -> None:
        """See replies on their way in, then close the connections of all back ends.

        What another run of this loop still uses stays open until that one ends.
        """
        self.stop()  # all, before the first of them is waited for
        async with AsyncExitStack() as stack:
            for used in self.closing:
                stack.push_async_callback(self._leave, used)

    async def _leave(self, used: Backend) -> None:
        if in_use.leave(used, self):
            await used.aclose()


def open_door(route: Route, settings: Settings, store: Store, run: str) -> Door:
    """Put the ledger and the limits between judges and back ends."""
    keep = functools.partial(store.keep_reply, run=run)
    budget = BudgetTracker(settings.budget, keep, functools.partial(longest_reply, route))
    embedding = BudgetTracker(keep=keep)
    served = Served()
    closing: list[Backend] = []
    opening: list[Callable[[], Awaitable[None]]] = []
    stopping: list[Callable[[], None]] = []
    bounds: list[int] = []
    leaves = {id(leaf): leaf for leaf in (route.default, *route.kinds.values())}
    sharing = sum(leaf.capabilities.local for leaf in leaves.values())

    def guard(leaf: Backend) -> Backend:
        inner = _placed(leaf, settings, sharing, bounds)
        layers = [inner]
        told = leaf.capabilities
        # In-process back ends need no rate limit, and no time-out while they wait their turn.
        if not told.local:
            # Embeddings are not what a budget in chat tokens is about.
            kinds = [kind for kind, server in route.kinds.items() if server is leaf]
            only_embeds = (
                leaf is not route.default
                and bool(kinds)
                and set(kinds) <= {kind.kind for kind in VECTORS}
            )
            limits = told.limits or settings.limits
            bounds.append(limits.concurrency)
            opening.append(inner.aopen)
            inner = limit = Limiter(inner, limits, budget=embedding if only_embeds else budget)
            stopping.append(limit.stop)
            if told.batch_size is not None:
                inner = leaf.in_batches(store.batches, inner, budget)
                layers.append(inner)
                bounds.append(IN_BATCHES)
            if isinstance(leaf, Embedder):
                inner = MicroBatcher(inner)
                layers.append(inner)
        ledger = ReplyCache(inner, store, run, served)
        # The ledger is closed before its back end: no connection goes while a reply is on its way.
        closing.extend((*layers, ledger))
        return ledger

    guarded = _mapped(route, guard)
    most = max(bounds, default=min(LOCAL, settings.limits.concurrency))
    usages = (budget.usage, embedding.usage)
    return Door(guarded, served, usages, tuple(closing), tuple(opening), tuple(stopping), most)


def longest_reply(route: Route, kind: str) -> int | None:
    """Most tokens that whoever serves a kind may write, None where that is not bounded."""
    bound = route.to(kind).capabilities.max_tokens
    return bound if isinstance(bound, int) else None


def _placed(leaf: Backend, settings: Settings, sharing: int, bounds: list[int]) -> Backend:
    """The back end where it is to compute, with what is worth having on its way to it."""
    told = leaf.capabilities
    if settings.engine == "local" or told.batch_size is not None:
        return leaf
    from assay.middleware.ray_workers import pool

    limits = told.limits or settings.limits
    pooled = pool(
        leaf,
        workers=settings.workers,
        cores=settings.cores,
        in_flight=limits.concurrency,
        sharing=max(1, sharing),
    )
    if told.local:
        bounds.append(pooled.most)
    return pooled
