"""Limits of the service: who may ask, how often and how much, and how much is judged at once."""

import asyncio
import hmac
import re
import time
from asyncio import timeout
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import web

from assay._middleware.concurrency import Bucket
from assay._runner.progress import Progress
from assay._service import Watch
from assay.errors import InputError

OPEN = ("/health", "/openapi.json")
# So many requests of the longest kind may be in memory at the same time.
_MAX_LONG_REQUESTS = 8
# Of more callers the one seen longest ago is forgotten.
_MAX_CALLERS = 10_000
_LOCALHOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What callers may do."""

    token: str = field(default="", repr=False)  # what they must know; "" if they need know nothing
    per_minute: float = 600.0  # requests a minute and caller
    max_bytes: int = 10 * 2**20  # bytes of a request
    # Evaluations at the same time; others wait. Their requests are together no longer than one may
    # be.
    at_once: int = 4
    waiting: int = 32  # evaluations that may wait; others are sent away
    judging_s: float = 600.0  # seconds that an evaluation may take, and that it may wait before
    reading_s: float = 30.0  # seconds in which a request must have arrived
    connections: int = 500  # connections at the same time

    def __post_init__(self) -> None:
        positive = ("per_minute", "max_bytes", "at_once", "judging_s", "reading_s", "connections")
        for name in positive:
            if not getattr(self, name) > 0:
                raise InputError(f"{name} is {getattr(self, name)}", "give a number above 0")


class Refused(Exception):
    """A request that is sent away."""

    def __init__(self, status: int, why: str, **headers: str) -> None:
        super().__init__(why)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def is_local_host(host: str) -> bool:
    """Whether a Host header calls this machine by a name that no one else can give it."""
    return _LOCALHOST.fullmatch(host) is not None


class Guard:
    """Lets requests in."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._bytes_in_memory = 0  # bytes of requests that were sent and are not answered yet
        self._bytes_by_request: dict[int, int] = {}  # and of each of them, by its identity

    def check(self, request: web.Request) -> None:
        """Raise Refused if the caller may not come in, or not now."""
        self._rate(request)
        if request.path in OPEN:
            return
        if not self._bounds.token:
            # Without a token a page in a browser is kept out by the name it calls us by.
            host = request.headers.get("Host", "")
            if not is_local_host(host):
                raise Refused(403, "without a token the service answers to localhost only")
            # One that knows the name is told by where it comes from, which browsers say.
            origin = request.headers.get("Origin", f"http://{host}")
            if origin.lower() != f"http://{host}".lower():
                raise Refused(403, "without a token the service answers to no page of another site")
            return
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        sent = token.strip().encode("utf-8", "surrogateescape")
        allowed = hmac.compare_digest(sent, self._bounds.token.encode())
        if kind.lower() != "bearer" or not allowed:
            message = "a token is needed: Authorization: Bearer TOKEN"
            raise Refused(401, message, WWW_Authenticate='Bearer realm="assay"')

    def _rate(self, request: web.Request) -> None:
        caller = request.remote or ""
        bucket = self._buckets.pop(caller, None) or Bucket(self._bounds.per_minute)
        self._buckets[caller] = bucket
        if len(self._buckets) > _MAX_CALLERS:
            self._buckets.popitem(last=False)
        now = time.monotonic()
        wait = bucket.reserve(1, now)
        if wait > 0:
            bucket.reserve(-1, now)
            raise Refused(429, "too many requests", Retry_After=str(int(wait) + 1))

    async def body(self, request: web.Request) -> bytes:
        """The whole of a request's JSON.

        Raises:
            Refused: If it is no JSON by its own account, too long, or does not arrive, or if too
                much is held already.
        """
        if request.content_type != "application/json":
            raise Refused(415, "send application/json")
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise Refused(415, "send it uncompressed")
        if (request.content_length or 0) > self._bounds.max_bytes:
            raise self._too_long()
        body = bytearray()
        try:
            async with asyncio.timeout(self._bounds.reading_s):
                async for chunk in request.content.iter_chunked(2**16):
                    self._take_slot(request, len(chunk))
                    body += chunk
                    if len(body) > self._bounds.max_bytes:
                        raise self._too_long()
        except TimeoutError:
            raise Refused(408, "the request did not arrive in time") from None
        except ConnectionError:  # the caller hung up: nobody reads it, and nobody's log needs it
            raise Refused(400, "the request did not arrive whole") from None
        return bytes(body)

    def _take_slot(self, request: web.Request, size: int) -> None:
        if self._bytes_in_memory + size > _MAX_LONG_REQUESTS * self._bounds.max_bytes:
            raise Refused(429, "too much is being sent at the same time", Retry_After="5")
        self._bytes_in_memory += size
        self._bytes_by_request[id(request)] = self._bytes_by_request.get(id(request), 0) + size

    def answered(self, request: web.Request) -> None:
        """What a request sent is no longer held."""
        self._bytes_in_memory -= self._bytes_by_request.pop(id(request), 0)

    def _too_long(self) -> Refused:
        limit = self._bounds.max_bytes
        return Refused(413, f"the request is longer than {limit:,} bytes")


T = TypeVar("T")


class JudgingQueue:
    """Judges requests in their turn, first come, first served.

    What judging takes of memory grows with what is judged, and so does its time. Who sent more than
    can be judged in the time that is given is told to send the same again: what was scored is kept.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._places = asyncio.Semaphore(bounds.at_once)
        self._entering = asyncio.Lock()
        self._freed = asyncio.Event()
        self._judged = 0  # bytes that are being judged
        self._waiting = 0
        self._under_way: dict[bytes, asyncio.Task[Any]] = {}

    async def judge(self, key: bytes, size: int, work: Callable[[Watch], Awaitable[T]]) -> T:
        """What the work comes to, once it has its turn; where it is under way already, the same.

        Args:
            key: What is equal for equal requests.
            size: Bytes of the request.
            work: Judges it, and tells how far it is.

        Raises:
            Refused: If too many wait, or it takes too long.
        """
        task = self._under_way.get(key)
        if task is not None:
            with self._one_more_waits():
                return await asyncio.shield(task)
        # Callers who hang up do not end it: they may ask again and meet it here.
        task = self._under_way[key] = asyncio.create_task(self._in_turn(size, work))
        task.add_done_callback(lambda _: self._under_way.pop(key))
        return await asyncio.shield(task)

    async def _in_turn(self, size: int, work: Callable[[Watch], Awaitable[T]]) -> T:
        last: Progress | None = None

        def watch(progress: Progress) -> None:
            nonlocal last
            last = progress

        async with self._turn(size):
            try:
                async with timeout(self._bounds.judging_s) as clock:
                    return await work(watch)
            except TimeoutError:
                if not clock.expired():
                    raise
                raise self._timed_out(last) from None

    @asynccontextmanager
    async def _turn(self, size: int) -> AsyncIterator[None]:
        if self._is_free(size):
            await self._enter(size)
        else:
            with self._one_more_waits():
                try:
                    async with timeout(self._bounds.judging_s):
                        await self._enter(size)
                except TimeoutError:
                    raise Refused(503, "other requests took too long", Retry_After="5") from None
        try:
            yield
        finally:
            self._judged -= size
            self._freed.set()
            self._places.release()

    def _is_free(self, size: int) -> bool:
        return not (self._places.locked() or self._entering.locked() or self._lacks_room(size))

    def _lacks_room(self, size: int) -> bool:
        return self._judged + size > self._bounds.max_bytes

    async def _enter(self, size: int) -> None:
        await self._places.acquire()
        try:
            async with self._entering:  # in order: a long request is not passed by shorter ones
                while self._lacks_room(size):
                    self._freed.clear()
                    await self._freed.wait()
                self._judged += size
        except BaseException:
            self._places.release()
            raise

    @contextmanager
    def _one_more_waits(self) -> Iterator[None]:
        if self._waiting >= self._bounds.waiting:
            raise Refused(429, "too many evaluations are waiting already", Retry_After="5")
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    def _timed_out(self, progress: Progress | None) -> Refused:
        state = "nothing is scored yet"
        if progress is not None:
            state = f"{progress.done - progress.failed:,} of {progress.total:,} scores are kept"
        return Refused(
            503,
            f"not judged within {self._bounds.judging_s:g} seconds: {state}; the same request"
            " continues from there -> send it again, with fewer samples if that adds no scores",
            Retry_After="1",
        )
