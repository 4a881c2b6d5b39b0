"""The reply cache, and what else runs at the same time share."""

import asyncio
import dataclasses
import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from assay._middleware.budget import Spending, Usage
from assay._middleware.concurrency import tell
from assay._middleware.limiter import ServerState
from assay._middleware.wrapper import Wrapper
from assay._store import Store
from assay._store.integrity import cut_key, reply_key
from assay._text.sanitize import whole
from assay.errors import CutShort, OverBudget
from assay.judge import CUT, BackendLike, Reply, Task


class SharedLimits:
    """Limits and budget that runs of one event loop keep to together.

    Args:
        spent: What has been spent before, which counts too; None for nothing.

    Attributes:
        spending: What judges have spent.
        embedding: What embedders have, which no budget is about.
        in_flight: By key the replies that one of the runs computes in this process.
    """

    def __init__(self, spent: Usage | None = None) -> None:
        self.spending = Spending(spent or Usage())
        self.embedding = Spending()
        self.in_flight: dict[str, asyncio.Task[Any]] = {}
        self._servers: dict[Hashable, ServerState] = {}

    def server(self, of: Hashable, make: Callable[[], ServerState]) -> ServerState:
        """The state of a server that several backends may stand for, made for the first of them."""
        if of not in self._servers:
            self._servers[of] = make()
        return self._servers[of]


# Seconds that replies on their way are waited for when a run ends early.
GRACE_S = 2.0
# So often it is looked whether another process has the reply that it asks for, and so long at most.
POLL_S = 0.05
MAX_WAIT_S = 600.0


@dataclass
class Served:
    """How many replies the cache gave."""

    asked: int = 0  # replies that the backend had to be asked for
    known: int = 0  # replies that the store or a call in flight already had
    queued: int = 0  # replies that this process is still to compute


class ReplyCache(Wrapper):
    """Keeps every reply before anyone sees it; equal tasks in flight are asked once.

    Args:
        backend: Who answers what is not known yet.
        store: Where replies are kept.
        run: The run that pays.
        served: Counters to add to.
        in_flight: By key what is computed in this process, by other runs too that are given the
            same: they wait for it.
    """

    def __init__(
        self,
        backend: BackendLike,
        store: Store,
        run: str,
        served: Served,
        in_flight: dict[str, asyncio.Task[Any]] | None = None,
    ) -> None:
        super().__init__(backend)
        self._in_flight = {} if in_flight is None else in_flight
        self._store = store
        self._run = run
        self._served = served
        self._calls: dict[str, asyncio.Task[None]] = {}
        self._waiting: dict[str, list[asyncio.Future[Reply]]] = {}
        self._before = store.names()  # who was asked before this run, among others
        # What is computed here costs no money; batches are remembered in a table of their own.
        capabilities = self._backend.capabilities
        self._local = capabilities.local
        self._claims = not self._local and capabilities.batch_size is None
        self._claimed_elsewhere: set[str] = set()  # keys that another process asks for

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Whether the reply is in the store from before this run: it would cost nothing."""
        identity = self.identity(type(task)) or ""
        before = identity in self._before  # else there is nothing to be looked for
        return before and self._store.has_reply(reply_key(identity, task, draw))

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The known reply, or a new one once it is on disk.

        Raises:
            CutShort: If it is known that the length limit cuts it.
            JudgeError: As the backend.
        """
        identity = self.identity(type(task)) or ""
        key = reply_key(identity, task, draw)
        # Of who was not asked before this run it is looked for but once, when it is claimed.
        if (not self._claims or identity in self._before) and (
            stored := self._stored_reply(task, key)
        ):
            return stored
        # The call has a task of its own, which no caller that is cancelled takes along: others may
        # wait for the same reply, and it is paid for. As asyncio.shield, at a third of its cost.
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        if key in self._waiting:
            self._served.known += 1
            self._waiting[key].append(future)
        else:
            self._waiting[key] = [future]
            self._calls[key] = asyncio.create_task(self._call(task, draw, key))
        return await future

    def _stored_reply(self, task: Task[Any], key: str) -> Reply | None:
        """The reply in the store; CutShort if it is known that the length limit cuts it."""
        stored = self._store.reply(key)
        may_be_cut = stored is None and task.schema is None and task.template
        cut = may_be_cut and self._store.has_reply(cut_key(key))
        self._served.known += bool(stored or cut)
        if cut:
            raise CutShort(f"{self.name} {CUT}")
        return stored

    async def _call(self, task: Task[Any], draw: int, key: str) -> None:
        """Ask, and tell all who wait for it."""
        reply = error = None
        try:
            reply = await self._ask(task, draw, key)
        except BaseException as raised:  # noqa: BLE001 - handed to whoever waits for the reply
            error = raised
        del self._calls[key]
        for waiting in self._waiting.pop(key):
            tell(waiting, reply, error)

    async def aclose(self) -> None:
        """Let the calls on their way arrive, for a while: they are paid for. Then give them up.

        Calls that wait to be sent are given up at once: sent now, they would be paid for and lost.
        What computes in this process is given up at once: it costs nothing but time. Whoever closes
        the store first would leave them waiting for a write that never comes.
        """
        self._backend.stop()
        for key in self._claimed_elsewhere:  # another process goes on asking
            self._calls[key].cancel()
        calls = list(self._calls.values())
        if calls and not self._local:
            await asyncio.wait(calls, timeout=GRACE_S)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        # A call that was given up before its first step tells nobody.
        for waiting in itertools.chain(*self._waiting.values()):
            waiting.cancel()

    async def _ask(self, task: Task[Any], draw: int, key: str) -> Reply:
        if not self._claims:
            return await self._ask_once(task, draw, key)
        claimed = await self._wait_for_claim(key)
        try:
            return self._stored_reply(task, key) or await self._ask_backend(task, draw, key)
        finally:
            if claimed:
                self._store.claims.release(key)

    async def _ask_once(self, task: Task[Any], draw: int, key: str) -> Reply:
        while earlier := self._in_flight.get(key):
            await asyncio.wait([earlier])
            if stored := self._stored_reply(task, key):
                return stored
        me = asyncio.current_task()
        assert me is not None  # noqa: S101 - a coroutine runs in a task
        self._in_flight[key] = me
        try:
            return await self._ask_backend(task, draw, key)
        finally:
            del self._in_flight[key]

    async def _wait_for_claim(self, key: str) -> bool:
        """Return once no other process asks for it; whether it is claimed now.

        One that holds it for ever is stopped, or hangs: it is not waited for.
        """
        if self._store.claims.claim(key):
            return True
        self._claimed_elsewhere.add(key)
        try:
            for _ in range(round(MAX_WAIT_S / POLL_S)):
                await asyncio.sleep(POLL_S)
                if self._store.claims.claim(key):
                    return True
        finally:
            self._claimed_elsewhere.discard(key)
        return False

    async def _ask_backend(self, task: Task[Any], draw: int, key: str) -> Reply:
        self._served.asked += 1
        self._served.queued += self._local
        try:
            reply = await self._backend.reply(task, draw)
        except OverBudget:
            self._served.asked -= 1  # it was not sent
            raise
        finally:
            self._served.queued -= self._local
        # What is read is what is kept.
        reply = dataclasses.replace(reply, raw=whole(reply.raw), key=key)
        # Another process may have been quicker: a score rests on the reply that is on record.
        return await self._store.keep_reply(reply, self._run)
