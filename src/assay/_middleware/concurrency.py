"""Calls at the same time: an adaptive limit, a token bucket, latencies, time-outs, threads."""

import asyncio
import contextlib
import contextvars
import functools
import inspect
import math
import threading
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from assay.errors import OverBudget, TimedOut
from assay.judge import Backend, Reply, Task

A = TypeVar("A")
T = TypeVar("T")


class PerLoop(Generic[T]):
    """One object for each event loop, made when it is first asked for.

    A connection pool or a lock serves the loop it was made in. Notebooks, web servers and repeated
    `asyncio.run` bring several loops.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[asyncio.AbstractEventLoop, T] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process, which has loops of its own."""
        return {"_make": self._make, "_made": {}}

    def get(self) -> T:
        """The running loop's own."""
        loop = asyncio.get_running_loop()
        made = self._made.get(loop)
        if made is None:
            for old in [loop for loop in list(self._made) if loop.is_closed()]:
                self._made.pop(old, None)
            made = self._made[loop] = self._make()
        return made

    def pop(self) -> T | None:
        """The running loop's own, forgotten from now on; None if there is none."""
        return self._made.pop(asyncio.get_running_loop(), None)


@dataclass(slots=True)
class Call:
    """One question to a backend, made in tasks of its own.

    A backend that does not even react to being cancelled is left behind, and the run goes on.
    """

    backend: Backend  # who is asked
    task: Task[Any]  # what
    draw: int  # which of its replies is wanted
    sent: bool = False  # whether it was sent at least once

    async def answer(self, timeout: float) -> Reply:  # noqa: ASYNC109
        """The reply, if it comes in time."""
        running = asyncio.ensure_future(self.backend.reply(self.task, self.draw))
        try:
            ended = await _ends_in_time(running, timeout)
        except asyncio.CancelledError:
            running.cancel()
            raise
        if ended:
            return running.result()
        running.cancel()
        running.add_done_callback(_retrieve_exception)
        raise TimedOut(f"no reply from {self.backend.name} within {timeout:.3g} s")


def now() -> float:
    """The loop's clock, which a test may turn by hand."""
    return asyncio.get_running_loop().time()


async def _ends_in_time(call: asyncio.Task[Reply], timeout: float) -> bool:  # noqa: ASYNC109
    """Whether a call ended in time. As asyncio.wait for one call, at a fraction of its cost."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def wake(_: object = None) -> None:
        if not ended.done():
            ended.set_result(None)

    timer = loop.call_later(timeout, wake)
    call.add_done_callback(wake)
    try:
        await ended
    finally:
        timer.cancel()
        call.remove_done_callback(wake)
    return call.done()


def tell(
    waiting: "asyncio.Future[Reply]", reply: Reply | None, error: BaseException | None
) -> None:
    """Hand a reply to one who waits for it, or whatever kept it from coming."""
    if waiting.done():
        return
    if reply is not None:
        waiting.set_result(reply)
    elif error is None or isinstance(error, asyncio.CancelledError):
        waiting.cancel()
    else:
        waiting.set_exception(error)


def _retrieve_exception(call: asyncio.Task[Reply]) -> None:
    # An exception that nobody looks at would be reported when the call is collected.
    if not call.cancelled():
        call.exception()


def is_given_up() -> bool:
    """Whether the task at hand is to end, and not only a call that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def in_parallel(
    job: Callable[[A], Awaitable[T]], arguments: Sequence[A], at_once: int
) -> list[T]:
    """What a job returns for each argument, so many at the same time, begun in their order.

    Raises:
        OverBudget: If one raises it; the others that were begun have ended by then.
        Exception: The first that one raises; the others that were begun are cancelled.
    """
    results: dict[int, T] = {}
    refusals: list[OverBudget] = []
    left = iter(enumerate(arguments))

    async def worker() -> None:
        for index, argument in left:
            if refusals:
                return
            try:
                results[index] = await job(argument)
            except OverBudget as error:
                refusals.append(error)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, len(arguments))):
                group.create_task(worker())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    if refusals:
        raise refusals[0]
    return [results[index] for index in range(len(arguments))]


class Bucket:
    """A token bucket that gives out reservations: first come, first served, without a queue.

    No minute sees more than `per_minute` (save for a single larger reservation): what may come
    at once and what flows in during that minute add up to it.
    """

    def __init__(self, per_minute: float) -> None:
        self._size = max(1.0, per_minute / 20)
        self._rate = (per_minute - self._size + 1) / 60 if per_minute > 1 else per_minute / 60
        self._level = self._size
        self._at = -math.inf

    def reserve(self, amount: float, now: float) -> float:
        """Seconds to wait, now, before this amount may be used; a negative one is given back."""
        self._level = min(self._size, self._level + (now - self._at) * self._rate) - amount
        self._at = now
        return max(0.0, -self._level / self._rate)


# Requests in flight at the start.
START = 32
# Doubling goes on while it brings so many times the replies a second that there were before.
GAIN = 1.15
# A server that refuses no more than such a share of a round is not asked too much: what it refuses
# is asked again, and takes next to no time from it.
TOLERATED = 1 / 4
# Later growth needs calm: a round may take so many times as long as the quickest one did.
STRETCH = 2.0
# Each calm round adds this share of what was reached before refusals: back from a half to the whole
# in four rounds. From there on it adds little.
STEP = 1 / 8
LITTLE = 1 / 16
# The quickest round is forgotten slowly: models and replies change in the course of a run.
AGEING = 1.01

# Calls of a kind after which something is learned from them, again and again.
ENOUGH = 20
REMEMBERED = 128
# A call is given up after so many times the longest of late, but never sooner than this.
MARGIN = 3.0
SOONEST_S = 5.0
# A call that comes too late was one too many if replies of late took such a share of its time.
CROWDED = 0.5


class AimdLimit:
    """Additive increase, multiplicative decrease of the requests in flight.

    It opens by doubling from `START` as long as that brings more replies a second. A round of which
    more is refused (429, 503) than a server refuses by chance lowers it, and each pause of all
    calls that brings nothing halves it; a few rounds of replies bring it back. A round is as many
    replies and refusals as may be in flight.

    Attributes:
        size: How many may be in flight, at least 1.
    """

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        self.size = min(float(maximum), START)
        self._opening = True
        self._cut_at = float("-inf")
        self._reached = self.size
        self._calm_since = True
        self._replies = self._refusals = 0
        self._share = 0.0  # of calls that are refused, of late
        self._seconds = 0.0
        self._quickest = float("inf")
        self._rate = 0.0
        self._slowest = 0.0

    @property
    def allowed(self) -> int:
        """Whole requests that may be in flight."""
        return int(self.size)

    def replied(self, seconds: float) -> None:
        """Take note of a reply that took so long."""
        self._replies += 1
        self._seconds += seconds
        self._slowest = max(self._slowest, seconds)
        self._ends_in_time(refused=False)

    def refused(self) -> None:
        """Take note of a refusal."""
        self._refusals += 1
        self._ends_in_time(refused=True)

    def late(self, sent: float, now: float) -> bool:
        """Take note of a call that was given up; both times on one clock.

        Returns:
            Whether it waited behind others: a server that answers one call after the other, as a
            model on a laptop does, is asked less at once. One call that hangs while others are
            answered soon says nothing of that.
        """
        if self._slowest < CROWDED * (now - sent):
            return False
        if sent >= self._cut_at:
            if self.size <= 1:
                return False  # it waited behind nobody
            self._cut_at = now
            self._opening = False
            self._begin_round()
            # Unlike a refusal this is no passing trouble: what was too much stays too much.
            self._reached = self.size = max(1.0, self.size / 2)
        return True

    def paused(self) -> None:
        """Take note of a pause of all calls after one that brought nothing: half as many go on."""
        self._begin_round()
        self._share = 0.0  # heeded
        self._lower(1.0)

    def _begin_round(self) -> None:
        self._replies, self._refusals, self._seconds = 0, 0, 0.0

    def _ends_in_time(self, *, refused: bool) -> None:
        self._share += (refused - self._share) / max(START, self.size)
        n, replies = self._replies + self._refusals, self._replies
        if n < self.allowed:
            return
        mean = self._seconds / max(replies, 1)
        excess = max(0.0, self._share - TOLERATED) / (1 - TOLERATED)
        self._begin_round()
        if excess:
            self._lower(excess)
        if replies:
            self._calm_since = self._calm_since or not excess
            self._raise_limit(mean, replies / n, calm=not excess)

    def _lower(self, excess: float) -> None:
        if self._calm_since:  # a server that is down for a while says nothing of its room
            self._reached = self.size
        self._calm_since = self._opening = False
        self.size = max(1.0, self.size * (1 - excess / 2))

    def _raise_limit(self, mean: float, served: float, *, calm: bool) -> None:
        self._slowest /= 2  # what was slow once is forgotten within a few rounds
        rate = self.size / mean if mean else float("inf")
        calm = calm and mean <= STRETCH * self._quickest
        self._quickest = min(mean, self._quickest * AGEING)
        if self._opening:
            self._open(rate)
        elif self.size < self._reached:
            step = served * max(1.0, self._reached * STEP)
            self.size = min(self._reached, self.size + step)
        elif calm:
            self.size = min(float(self.maximum), self.size + max(1.0, self.size * LITTLE))

    def _open(self, rate: float) -> None:
        if self.size >= self.maximum:
            self._opening = False
        elif rate >= GAIN * self._rate:
            self._rate, self.size = rate, min(float(self.maximum), self.size * 2)
        else:  # the last doubling only made everyone wait longer
            self._opening = False
            self._reached = self.size = max(min(START, self.maximum), self.size / 2)


@dataclass
class AdaptiveSemaphore:
    """Lets as many calls through as `pace` allows, first come, first served.

    Unlike a semaphore's, its bound may change at any time, and calls made again go first.
    """

    pace: AimdLimit
    in_use: int = 0
    _queue: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def free(self) -> bool:
        """Whether a call would not have to wait."""
        return self.in_use < self.pace.allowed and not self._queue

    @property
    def is_awaited(self) -> bool:
        """Whether calls wait for their turn."""
        return bool(self._queue)

    async def acquire(self, *, first: bool = False) -> None:
        """Return when it is this call's turn; each turn must be given back.

        Args:
            first: Whether it goes before all that wait.
        """
        if self.free:
            self.in_use += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if first:
            self._queue.appendleft(turn)
        else:
            self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()  # it was called up in the same moment
            raise

    def release(self) -> None:
        """Give a turn back."""
        self.in_use -= 1
        self.wake()

    def wake(self) -> None:
        """Call up those whose turn it is."""
        while self._queue and self.in_use < self.pace.allowed:
            waiting = self._queue.popleft()
            if not waiting.done():
                self.in_use += 1
                waiting.set_result(None)


class WarmUp:
    """Lets few work at a time until that ends, and then everybody."""

    def __init__(self, slots: int) -> None:
        self._slots = PerLoop(lambda: asyncio.Semaphore(slots))
        self._finished = False

    def slot(self) -> AbstractAsyncContextManager[None]:
        """A place to work at, as soon as one is free or none is needed."""
        return nullcontext() if self._finished else self._slot()

    @asynccontextmanager
    async def _slot(self) -> AsyncGenerator[None, None]:
        async with self._slots.get():
            if not self._finished:
                yield
                return
        yield  # whoever found it over has passed the place on to the next who waits

    def finish(self) -> None:
        """Let everybody through."""
        if not self._finished:
            self._finished = True
            self._slots.get().release()


@dataclass
class _Kind:
    seen: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    n: int = 0
    longest: float = 0.0


class Latencies:
    """How long calls took of late, by kind of task."""

    def __init__(self) -> None:
        self._kinds: defaultdict[str, _Kind] = defaultdict(_Kind)

    def add(self, kind: str, seconds: float) -> None:
        """Remember one."""
        stats = self._kinds[kind]
        stats.seen.append(seconds)
        stats.n += 1
        if stats.n % ENOUGH == 0:
            stats.longest = max(stats.seen)

    def patience(self, kind: str, maximum: float) -> float:
        """Seconds after which a call is given up for another: learned, at most `most`."""
        longest = self._kinds[kind].longest
        return min(maximum, max(SOONEST_S, MARGIN * longest)) if longest else maximum


async def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a user's function returns, plain or async; a plain one holds nobody up."""
    method = getattr(function, "__call__", None)  # noqa: B004 - the method itself is looked at
    is_async = any(map(inspect.iscoroutinefunction, (function, method)))
    call = functools.partial(function, *arguments)
    return await settled(call() if is_async else await in_thread(call))


async def settled(value: Any) -> Any:
    """What was returned, or what comes of it where that has to be awaited."""
    return await value if inspect.isawaitable(value) else value


async def in_thread(work: Callable[[], Any]) -> Any:
    """What a call that blocks returns or raises, made in a thread of its own."""
    # Not asyncio.to_thread: its pool has a handful of threads, and the program cannot end before
    # each of them has; one call that never returns would hold up the run, then the exit.
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def deliver(result: Any, error: BaseException | None) -> None:
        if future.done():  # timed out in the meantime
            return
        if isinstance(error, StopIteration):  # no future takes it; as a coroutine that raises it
            wrapped = RuntimeError("the function raised StopIteration")
            wrapped.__cause__ = error
            error = wrapped.with_traceback(error.__traceback__)
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def do() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001 - handed over, raised again by the caller
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, result, error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(do,), daemon=True).start()
    return await future
