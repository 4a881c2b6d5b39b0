"""How often, how many at once and how long may a back end be asked, and when once more?"""

import asyncio
import random
import time
from dataclasses import dataclass
from typing import Any

from assay.backends.per_loop import PerLoop
from assay.backends.spending import Hold, Purse
from assay.errors import Denied, InputError, Unavailable
from assay.judge import Backend, Reply, Task

LONGEST_BACKOFF = 30.0
# A call that timed out was maybe paid for, and most likely hangs again.
TIMEOUT_RETRIES = 1
# So many calls in a row without a reply, and none with one: there is nobody there.
HOPELESS = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the use of a back end.

    Attributes:
        in_flight: Calls at the same time.
        requests_per_minute: Calls a minute, None for no bound.
        tokens_per_minute: Tokens a minute, read and written, None for no bound.
        timeout: Seconds a call may take, even to a back end that never returns.
        retries: How often a call that brought no reply is made again (after a time-out: once).
        backoff: Longest first wait between two tries, in seconds; it doubles with each try.
        patience: Longest wait that a server may ask for. One that asks for more (because of a
            daily quota, say) is not asked again.
    """

    in_flight: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 60.0
    retries: int = 5
    backoff: float = 0.5
    patience: float = 120.0

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise InputError(f"retries is {self.retries}", "give 0 or more")
        for name in ("in_flight", "requests_per_minute", "tokens_per_minute", "timeout"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name} is {value}", "give a number above 0")


class Bucket:
    """A token bucket that gives out reservations: first come, first served, without a queue.

    No minute sees more than `per_minute` (save for a single larger reservation): what may come
    at once and what flows in during that minute add up to it.

    Args:
        per_minute: How much a minute.
        now: The time, in seconds of a monotonic clock.
    """

    def __init__(self, per_minute: float, now: float) -> None:
        self._size = max(1.0, per_minute / 20)
        self._rate = (per_minute - self._size + 1) / 60 if per_minute > 1 else per_minute / 60
        self._level = self._size
        self._at = now

    def reserve(self, amount: float, now: float) -> float:
        """Seconds to wait before this amount may be used; a negative amount is given back."""
        self._level = min(self._size, self._level + (now - self._at) * self._rate) - amount
        self._at = now
        return max(0.0, -self._level / self._rate)


class Limit:
    """A back end, asked within limits; lost calls are made again, hopeless ones are not.

    Args:
        backend: Who is asked.
        limits: The bounds.
        purse: What may be spent in all; back ends that are given the same one share it.
    """

    def __init__(
        self, backend: Backend, limits: Limits | None = None, *, purse: Purse | None = None
    ) -> None:
        self._backend = backend
        self._limits = limits = limits or Limits()
        self._purse = purse or Purse()
        self.usage = self._purse.usage
        self._turns = PerLoop(lambda: asyncio.Semaphore(limits.in_flight))
        now = time.monotonic()
        asked = limits.requests_per_minute
        tokens = limits.tokens_per_minute
        self._requests = Bucket(asked, now) if asked else None
        self._tokens = Bucket(tokens, now) if tokens else None
        self._resume_at = 0.0
        self._lost_in_a_row = 0
        self._random = random.Random()  # noqa: S311 - it spreads retries, it guards nothing

    @property
    def name(self) -> str:
        """The back end's own: limits change no reply."""
        return self._backend.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The back end's own."""
        return self._backend.identity(kind)

    async def aclose(self) -> None:
        """Close the back end if it can be closed."""
        close = getattr(self._backend, "aclose", None)
        if close is not None:
            await close()

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply, asked for as often as it takes within the limits.

        Raises:
            OverBudget: If the call could exceed the budget.
            Denied: If the back end refuses, or has never answered at all.
            Unavailable: If no reply came in all tries.
        """
        hold = self._purse.hold(task)
        try:
            reply = await self._tries(task, draw, hold)
        except Unavailable as error:
            self._despair(error)
            raise
        finally:
            self._purse.release(hold)
        self._purse.count(reply)
        if self._tokens:
            used = reply.tokens_in + reply.tokens_out
            self._tokens.reserve(used - hold.tokens, time.monotonic())
        return reply

    def _despair(self, error: Unavailable) -> None:
        if self.usage.calls or error.throttled or error.permanent:
            return
        self._lost_in_a_row += 1
        if self._lost_in_a_row >= HOPELESS:
            raise Denied(
                f"cannot reach {self.name}: {self._lost_in_a_row} calls brought nothing, the last "
                f"one: {error} -> check that the server runs and that the address is right"
            ) from error

    async def _tries(self, task: Task[Any], draw: int, hold: Hold) -> Reply:
        attempt = timeouts = 0
        while True:
            try:
                return await self._once(task, draw, hold)
            except Unavailable as error:
                self.usage.throttled += error.throttled
                if isinstance(error.__cause__, TimeoutError):
                    timeouts += 1
                    self.usage.timeouts += 1
                    self._purse.spend(hold.tokens_in, 0)
                out_of_tries = attempt >= self._limits.retries or timeouts > TIMEOUT_RETRIES
                asked = error.retry_after or 0.0
                if out_of_tries or error.permanent or asked > self._limits.patience:
                    raise
                wait = asked + self._backoff(attempt)
                if error.throttled:  # everyone would be refused, so everyone waits
                    self._resume_at = max(self._resume_at, time.monotonic() + asked)
            attempt += 1
            self.usage.retries += 1
            await asyncio.sleep(wait)

    def _backoff(self, attempt: int) -> float:
        # Full jitter: calls that failed together do not come back together.
        longest = min(LONGEST_BACKOFF, self._limits.backoff * 2.0**attempt)
        return self._random.uniform(0.0, longest)

    async def _once(self, task: Task[Any], draw: int, hold: Hold) -> Reply:
        usage = self.usage
        usage.waiting += 1
        try:
            async with self._turns.get():
                await self._until_allowed(hold)
                usage.waiting -= 1
                usage.in_flight += 1
                try:
                    return await self._in_time(task, draw)
                finally:
                    usage.in_flight -= 1
                    usage.waiting += 1
        finally:
            usage.waiting -= 1

    async def _until_allowed(self, hold: Hold) -> None:
        now = time.monotonic()
        wait = self._requests.reserve(1, now) if self._requests else 0.0
        wait = max(wait, self._tokens.reserve(hold.tokens, now) if self._tokens else 0.0)
        wait = max(wait, self._resume_at - now)
        while wait > 0:
            await asyncio.sleep(wait)
            wait = self._resume_at - time.monotonic()

    async def _in_time(self, task: Task[Any], draw: int) -> Reply:
        # A task of its own: a back end that does not even react to being cancelled is left
        # behind, and the run goes on.
        call = asyncio.ensure_future(self._backend.reply(task, draw))
        try:
            done, _ = await asyncio.wait((call,), timeout=self._limits.timeout)
        except asyncio.CancelledError:
            call.cancel()
            raise
        if done:
            return call.result()
        call.cancel()
        call.add_done_callback(_look_at)
        seconds = f"{self._limits.timeout:g} s"
        raise Unavailable(f"no reply from {self.name} within {seconds}") from TimeoutError(seconds)


def _look_at(call: "asyncio.Future[Reply]") -> None:
    # An exception that nobody looks at would be reported when the call is collected.
    if not call.cancelled():
        call.exception()
