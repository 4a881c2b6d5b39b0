"""How is one question put to a back end that may be slow, or may never return?"""

import asyncio
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.errors import TimedOut
from assay.judge import Backend, Reply, Task

Begun: TypeAlias = asyncio.Task[Reply]


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a back end, made in tasks of its own.

    A back end that does not even react to being cancelled is left behind, and the run goes on.
    """

    backend: Backend
    task: Task[Any]
    draw: int

    def begin(self) -> Begun:
        """Send it."""
        return asyncio.ensure_future(self.backend.reply(self.task, self.draw))

    async def answer(self, timeout: float, begun: Begun | None = None) -> Reply:  # noqa: ASYNC109
        """The reply, if it comes in time."""
        begun = begun or self.begin()
        try:
            done = await ended(begun, timeout)
        except asyncio.CancelledError:
            begun.cancel()
            raise
        if done:
            return begun.result()
        _leave(begun)
        raise self._late(timeout)

    async def first_of_two(self, first: Begun, timeout: float) -> Reply:  # noqa: ASYNC109
        """The first reply of one that is on its way already and another."""
        calls = {first, self.begin()}
        end = now() + timeout
        try:
            while calls and (left := end - now()) > 0:
                done, calls = await asyncio.wait(
                    calls, timeout=left, return_when=asyncio.FIRST_COMPLETED
                )
                good = [call for call in done if call.exception() is None]
                if good:
                    return good[0].result()
                if done and not calls:
                    return done.pop().result()
        finally:
            for call in calls:
                _leave(call)
        raise self._late(timeout)

    def _late(self, timeout: float) -> TimedOut:
        return TimedOut(f"no reply from {self.backend.name} within {timeout:.3g} s")


def now() -> float:
    """The loop's clock, which a test may turn by hand."""
    return asyncio.get_running_loop().time()


async def ended(call: Begun, timeout: float) -> bool:  # noqa: ASYNC109
    """Whether a call ended in time. As asyncio.wait for one call, at a fraction of its cost."""
    loop = asyncio.get_running_loop()
    woken: asyncio.Future[None] = loop.create_future()

    def wake(_: object = None) -> None:
        if not woken.done():
            woken.set_result(None)

    timer = loop.call_later(timeout, wake)
    call.add_done_callback(wake)
    try:
        await woken
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


def _leave(call: Begun) -> None:
    call.cancel()
    call.add_done_callback(_look_at)


def _look_at(call: Begun) -> None:
    # An exception that nobody looks at would be reported when the call is collected.
    if not call.cancelled():
        call.exception()


def is_given_up() -> bool:
    """Whether the task at hand is to end, and not only a call that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
