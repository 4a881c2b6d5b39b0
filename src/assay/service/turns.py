"""Which requests are judged now: how many, of how many bytes, for how long, and equal ones once?"""

import asyncio
from asyncio import timeout
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from assay.runner.progress import Progress
from assay.service.functions import Watch
from assay.service.guard import Bounds, Refused

T = TypeVar("T")


class Turns:
    """Gives requests their turn, first come, first served.

    What judging takes of memory grows with what is judged, and so does its time. Who sent more than
    can be judged in the time that is given is told to send the same again: what was scored is kept.

    Args:
        bounds: How much at once, and for how long.
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
                raise self._late(last) from None

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
        return self._judged + size > self._bounds.most_bytes

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

    def _late(self, progress: Progress | None) -> Refused:
        far = "nothing is scored yet"
        if progress is not None:
            far = f"{progress.done - progress.failed:,} of {progress.total:,} scores are kept"
        return Refused(
            503,
            f"not judged within {self._bounds.judging_s:g} seconds: {far}; the same request"
            " continues from there -> send it again, with fewer samples if that adds no scores",
            Retry_After="1",
        )
