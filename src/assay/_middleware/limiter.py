"""The policy of calls to a backend: rate limits, concurrency, time-outs and retries."""

import asyncio
import random
from contextlib import AsyncExitStack
from typing import Any

from assay._middleware.budget import BudgetTracker, Reservation
from assay._middleware.concurrency import (
    START,
    AdaptiveSemaphore,
    AimdLimit,
    Bucket,
    Call,
    Latencies,
    PerLoop,
    WarmUp,
    now,
)
from assay._middleware.health import HOPELESS, Attempts, Health, hung
from assay._middleware.wrapper import Wrapper
from assay.errors import Denied, Unavailable
from assay.judge import BackendLike, Limits, Reply, Task

LONGEST_BACKOFF = 30.0
# A server that says when to come back means it: calls refused together come a little apart.
SPREAD = 0.1
# Within this share of a backoff a refused call comes back that takes the place of one that waits,
# and twice one that fails while others are served: by chance, as a rule.
SOON = 0.3
# Until somebody answers, so many calls are made, and so many of them again: as many as go out at
# first anyway, and enough that a few odd ones among them prove nothing.
FIRST = START
FEW = 2 * HOPELESS


class ServerState:
    """What calls to one server keep to together: rates, concurrency, and how it fares.

    Args:
        name: Whose calls they are, as messages name it.
        limits: The bounds.
        latencies: From which it is told which calls are late; None for the usual.

    Attributes:
        pace: How many requests may be in flight.
        semaphores: The places of these requests, by event loop.
        latencies: How long answers took.
        requests: The rate of requests, if there is a bound.
        tokens: The rate of tokens, if there is a bound.
        health: Whether it answers.
        first_calls: Lets few calls out until somebody has been answered.
        retrying: Lets few of them be made again until then.
    """

    def __init__(self, name: str, limits: Limits, latencies: Latencies | None = None) -> None:
        self.pace = AimdLimit(limits.concurrency)
        self.semaphores = PerLoop(lambda: AdaptiveSemaphore(self.pace))
        self.latencies = latencies or Latencies()
        requests, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self.requests = Bucket(requests) if requests else None
        self.tokens = Bucket(tokens) if tokens else None
        self.health = Health(name, self.pace, limits)
        self.first_calls, self.retrying = WarmUp(FIRST), WarmUp(FEW)


class Limiter(Wrapper):
    """A backend, asked within limits; lost calls are made again, hopeless ones are not.

    Args:
        backend: Who is asked.
        limits: The bounds.
        budget: What may be spent in all; backends that are given the same one share it.
        server: What limiters of the same server share; None for a state of its own.
    """

    def __init__(
        self,
        backend: BackendLike,
        limits: Limits | None = None,
        *,
        budget: BudgetTracker | None = None,
        server: ServerState | None = None,
    ) -> None:
        super().__init__(backend)
        self._limits = limits or Limits()
        self._budget = budget or BudgetTracker()
        self._server = server or ServerState(self.name, self._limits)
        self.usage = self._budget.usage
        self.pace = self._server.pace
        self._further = 0
        self._stopped = False
        self._unsent: set[asyncio.Task[Any] | None] = set()  # whoever waits, for whatever
        self._random = random.Random()  # noqa: S311 - it spreads retries, it guards nothing

    def stop(self) -> None:
        """Send nothing any more: what is on its way may arrive, what waits to be sent is given up.

        To be called in the loop of the calls.
        """
        self._stopped = True
        for waiting in self._unsent:
            if waiting is not None:
                waiting.cancel()

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply, asked for as often as it takes within the limits.

        Raises:
            OverBudget: If the call could exceed the budget.
            Denied: If the backend refuses, or answers nobody.
            Unavailable: If no reply came in all tries.
            CancelledError: If it was stopped before the call was sent.
        """
        if self._stopped:
            raise asyncio.CancelledError
        me, call = asyncio.current_task(), Call(self._backend, task, draw)
        self._unsent.add(me)
        self.usage.waiting += 1
        try:
            async with self._server.first_calls.slot():
                return await self._within_budget(call)
        finally:
            self._unsent.discard(me)
            self.usage.waiting -= not call.sent

    def trouble(self) -> str:
        """What goes wrong with calls to the server, if anything does."""
        words = self._server.health.trouble(now())
        return f"server {words} ({self.name.partition('@')[0]})" if words else ""

    def given_up(self, error: Unavailable) -> Denied | None:
        """Why no further call is worth while, now that one is lost; None if others may be."""
        return self._server.health.given_up(error, now())

    def _end_warm_up(self) -> None:
        """Hold nobody back any more: a reply came, or a refusal that says what is amiss."""
        self._server.first_calls.finish()
        self._server.retrying.finish()

    async def _within_budget(self, call: Call) -> Reply:
        reservation = await self._budget.reserve(call.task, self.identity(type(call.task)) or "")
        try:
            async with AsyncExitStack() as slots:
                reply = await self._until_replied(call, reservation, slots)
        except Unavailable as error:
            if denied := self.given_up(error):
                raise denied from error
            raise
        finally:
            self._budget.release(reservation)
        self._end_warm_up()
        self._budget.record_reply(reply, reservation)
        if self._server.tokens:
            used = reply.tokens_in + reply.tokens_out
            self._server.tokens.reserve(used - reservation.tokens, now())
        return reply

    async def _until_replied(
        self, call: Call, reservation: Reservation, slots: AsyncExitStack
    ) -> Reply:
        attempts, begun = Attempts(), now()
        while True:
            try:
                return await self._attempt(call, reservation, attempts)
            except Unavailable as error:
                if error.throttled or error.permanent:
                    self._end_warm_up()
                other_replies = self._server.health.has_replied_since(begun)
                served = error.throttled and other_replies
                attempts.record(error, unlucky=served or self._server.health.is_down(error))
                begun = now()
                spent = await self._pay(error, call, reservation)
                if (
                    self._stopped
                    or attempts.exhausted(self._limits.retries)
                    or self._is_hopeless(error)
                ):
                    raise
                wait = self._wait(error, attempts.counted - 1)
                if (
                    other_replies
                    and attempts.hurries
                    and not (error.throttled or error.retry_after)
                ):
                    wait *= SOON
                if spent:
                    await self._budget.renew(reservation, call.task)
            if attempts.counted == 1:
                await slots.enter_async_context(self._server.retrying.slot())
            self.usage.retries += 1
            await self._sleep(wait, may_swap=served and attempts.refused == 1)

    async def _sleep(self, wait: float, *, may_swap: bool) -> None:
        """Wait until a call is made again, or soon takes the place of one that waits to be sent.

        While others are served, the server is asked no more often if a refused call goes instead of
        one of them. It does so once; refused again, it waits the whole time.
        """
        soon = SOON * self._backoff(0)
        if may_swap and soon < wait:
            await asyncio.sleep(soon)
            if self._server.semaphores.get().is_awaited and self._paused_until() <= now():
                return
            wait -= soon
        await asyncio.sleep(wait)

    def _wait(self, error: Unavailable, attempt: int) -> float:
        """Seconds until the call is made again: it alone, as long as others are served."""
        advised = error.retry_after
        return advised + SPREAD * self._backoff(0) if advised else self._backoff(attempt)

    def _is_hopeless(self, error: Unavailable) -> bool:
        """Whether the same call would fail again, or is not worth the wait."""
        too_long = (error.retry_after or 0.0) > self._limits.patience
        return too_long or error.permanent or self._server.health.is_hopeless(error, now())

    async def _pay(self, error: Unavailable, call: Call, reservation: Reservation) -> int:
        """Count what an answer that is no reply cost, or may have; returns how many tokens."""
        if hung(error):
            self.usage.timeouts += 1
            self._budget.spend(reservation.judge, reservation.tokens_in, 0)
            return reservation.tokens_in
        if error.broke_off:  # nobody told how many tokens it was
            error.cost = reservation.tokens_in, 0
        question = reservation.judge, call.task, call.draw
        spent = await self._budget.record_failure(question, error)
        if self._server.tokens and spent:
            self._server.tokens.reserve(spent - reservation.tokens, now())
        return spent

    def _backoff(self, attempt: int) -> float:
        # Full jitter: calls that failed together do not come back together.
        longest = min(LONGEST_BACKOFF, self._limits.backoff * 2.0**attempt)
        return self._random.uniform(0.0, longest)

    async def _attempt(self, call: Call, reservation: Reservation, attempts: Attempts) -> Reply:
        usage = self.usage
        semaphore = await self._acquire_slot(first=attempts.hurries)
        try:
            await self._until_allowed(reservation)
            if unreachable := self._server.health.unreachable(now()):
                raise unreachable
            self._budget.check()
            self._unsent.discard(me := asyncio.current_task())
            usage.in_flight += 1
            usage.waiting -= not call.sent
            call.sent = True
            try:
                return await self._send(call, attempts.late)
            except asyncio.CancelledError:
                usage.lost += 1
                raise
            finally:
                usage.in_flight -= 1
                self._unsent.add(me)
        finally:
            semaphore.release()

    async def _acquire_slot(self, *, first: bool) -> AdaptiveSemaphore:
        """A place among the requests in flight, once calls are made at all."""
        semaphore = self._server.semaphores.get()
        while True:
            await semaphore.acquire(first=first)
            if (wait := self._paused_until() - now()) <= 0:
                return semaphore
            semaphore.release()  # there may be fewer places after a pause
            await asyncio.sleep(wait)

    async def _until_allowed(self, reservation: Reservation) -> None:
        wait = 0.0  # whoever has a place may be kept waiting by a quota only
        if self._server.requests:
            # Calls may have taken more than a request each: what was not known is counted now.
            before, self._further = self._further, self._backend.capabilities.further_requests
            wait = max(wait, self._server.requests.reserve(1 + self._further - before, now()))
        if self._server.tokens:
            wait = max(wait, self._server.tokens.reserve(reservation.tokens, now()))
        while wait > 0:
            await asyncio.sleep(wait)
            wait = self._paused_until() - now()

    def _paused_until(self) -> float:
        # A backend may know from the server's headers that nothing is left until then.
        advised = self._backend.capabilities.paused_until
        long = advised > now() + self._limits.patience
        until = self._server.health.paused_until
        return until if long else max(until, advised)

    async def _send(self, call: Call, timeouts: int) -> Reply:
        # A call given up too soon costs a second one, never a score: that one has the whole time.
        kind, timeout_s, sent = (
            call.task.kind,
            self._limits.timeout,
            self._server.health.sent(now()),
        )
        patience = timeout_s if timeouts else self._server.latencies.patience(kind, timeout_s)
        try:
            reply = await call.answer(patience)
        except Unavailable as error:
            if error.throttled:
                self.usage.throttled += 1
            elif hung(error):
                error.crowded = self.pace.late(sent.at, now())
            self._server.health.failed(error, call, sent, now(), again=timeouts > 0)
            raise
        replied_at = now()
        self._server.health.replied(sent, replied_at)
        self._server.latencies.add(kind, replied_at - sent.at)
        self.pace.replied(replied_at - sent.at)
        return reply
