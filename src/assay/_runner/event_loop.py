"""The event loop that a run is completed in."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

T = TypeVar("T")
# Seconds that a run which was interrupted may take to end, and a call that was given up to go.
MAX_ENDING_S = 10.0
MAX_LEAVING_S = 0.5
# So often a caller that has a loop of its own looks whether it is to end.
POLL_S = 0.1


def run_to_completion(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, whether or not this thread runs an event loop already."""
    if asyncio._get_running_loop() is None:  # noqa: SLF001 - its public twin raises instead
        return _in_runner(work)
    return _in_thread(work)


def _in_runner(work: Coroutine[Any, Any, T]) -> T:
    # As asyncio.run, which would wait for ever for a call that does not react to being cancelled,
    # and would take away the loop that the caller has set for this thread.
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    try:
        return runner.run(work)
    finally:
        loop = runner.get_loop()
        loop.run_until_complete(_drain())
        if asyncio.all_tasks(loop):
            loop.close()
        else:
            runner.close()


def _in_thread(work: Coroutine[Any, Any, T]) -> T:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="assay-evaluate", daemon=True)
    thread.start()
    ended = threading.Event()

    async def until_the_end() -> T:
        try:
            return await work
        finally:
            ended.set()

    future = asyncio.run_coroutine_threadsafe(until_the_end(), loop)
    try:
        _wait_for(future)
        return future.result()
    except BaseException:
        # Interrupted (a notebook's stop button): what is in flight ends cleanly before we leave.
        future.cancel()
        ended.wait(MAX_ENDING_S)
        raise
    finally:
        asyncio.run_coroutine_threadsafe(_end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _wait_for(future: "Future[T]") -> None:
    """Wait for it in a task, which cannot learn meanwhile that it was cancelled.

    Nobody but a Ctrl-C can do that here: under asyncio.run the first one raises nothing and only
    cancels the main task.
    """
    n_cancelled = _cancellations()
    while not wait([future], POLL_S).done:
        if _cancellations() > n_cancelled:
            raise asyncio.CancelledError


def _cancellations() -> int:
    """How often the tasks of the running loop were asked to end."""
    return sum(task.cancelling() for task in asyncio.all_tasks())


async def _end() -> None:
    # As asyncio.run ends a loop: connections are closed with it, unless a call is left behind.
    await _drain()
    if asyncio.all_tasks() == {asyncio.current_task()}:
        await asyncio.get_running_loop().shutdown_asyncgens()


async def _drain() -> None:
    # Whatever is still there has been given up; what does not even react to that is left behind.
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        _, left = await asyncio.wait(tasks, timeout=MAX_LEAVING_S)
        if left:
            asyncio.get_running_loop().set_exception_handler(_ignore_left_behind)


def _ignore_left_behind(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Python would report each call left behind once more, when it is thrown away at the end."""
    task = context.get("task")
    if task is None or task.done():
        loop.default_exception_handler(context)
