"""How data, metrics and a judge become a result: the one entry of the library."""

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

from assay.backends.route import Route
from assay.dataset import samples
from assay.errors import Denied
from assay.metrics import Metric, resolve
from assay.run.connect import DEFAULT, check, choose, config, open_door
from assay.run.engine import Engine
from assay.run.result import Result
from assay.run.settings import Settings
from assay.store import Run, Store

T = TypeVar("T")

STORE = "assay.db"

# Seconds that a run which was interrupted may take to end, and a call that was given up to go.
ENDING_S = 10.0
LEAVING_S = 0.5


async def aevaluate(
    data: Any,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    embedder: Any = None,
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> Result:
    """Score every sample of the data by every metric.

    Killed or stopped at any point, the same call goes on where it was and repeats no paid call.

    Args:
        data: Path to JSONL, CSV or Parquet, list of dicts or Samples, pandas or HF data set.
        metrics: Names (``"faithfulness"``, ``"factual_correctness(mode=recall)"``) or Metrics.
        judge: ``"embedded"``, ``"openai:MODEL"`` ... (`assay.backends.SPECS`), a back end, or a
            function from prompt to text.
        embedder: Who makes embeddings; the embedded model unless the judge makes its own.
        store: The SQLite file that keeps all replies and scores.
        settings: Everything else.

    Returns:
        The result, read from the store.

    Raises:
        InputError: If data, metrics, judge or settings cannot be used; nothing was asked yet.
        Denied: If the judge refuses (key, quota, model); what was scored is kept.
    """
    settings = settings or Settings()
    chosen = resolve(metrics)
    route = choose(judge, embedder, settings)
    check(chosen, route)
    rows = samples(
        data,
        needs={metric.label: metric.needs for metric in chosen},
        mapping=settings.mapping,
        skip_invalid=settings.skip_invalid,
        limit=settings.limit,
    )
    kept = Store(store)
    try:
        # Off the event loop: a server goes on answering while a large file is read.
        named = config(chosen, route, settings.budget.price)
        run = await asyncio.to_thread(kept.begin, rows, named, rows.name)
        await _work(run, chosen, route, kept, settings, rows.skipped)
    finally:
        await asyncio.to_thread(kept.close)
    return Result(store, run.id)


async def _work(
    run: Run,
    metrics: tuple[Metric, ...],
    route: Route,
    store: Store,
    settings: Settings,
    skipped: int,
) -> None:
    door = open_door(route, settings, store, run.id)
    engine = Engine(run, metrics, door, store, settings)
    start, reason = time.monotonic(), "interrupted"
    async with AsyncExitStack() as stack:
        stack.push_async_callback(door.aclose)
        try:
            await engine.work()
            reason = str(engine.stopped) if engine.stopped else ""
        finally:
            seconds = time.monotonic() - start
            await store.end(run.id, seconds=seconds, stopped=reason, skipped=skipped)
    if isinstance(engine.stopped, Denied):
        raise engine.stopped


def evaluate(
    data: Any,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    embedder: Any = None,
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> Result:
    """`aevaluate` run to completion: in a script, in Jupyter, or inside a running server.

    Where an event loop is already running, a helper thread runs it: no loop is nested.
    """
    return run_to_completion(
        aevaluate(data, metrics, judge, embedder=embedder, store=store, settings=settings)
    )


def run_to_completion(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, whether or not this thread runs an event loop already."""
    if asyncio._get_running_loop() is None:  # noqa: SLF001 - its public twin raises instead
        return _in_runner(work)
    return _in_thread(work)


def _in_runner(work: Coroutine[Any, Any, T]) -> T:
    # As asyncio.run, which would wait for ever for a call that does not react to being cancelled.
    runner = asyncio.Runner()
    try:
        return runner.run(work)
    finally:
        loop = runner.get_loop()
        loop.run_until_complete(_drain())
        if asyncio.all_tasks(loop):
            asyncio.set_event_loop(None)
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
        return future.result()
    except BaseException:
        # Interrupted (a notebook's stop button): what is in flight ends cleanly before we leave.
        future.cancel()
        ended.wait(ENDING_S)
        raise
    finally:
        asyncio.run_coroutine_threadsafe(_drain(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _drain() -> None:
    # Whatever is still there has been given up; what does not even react to that is left behind.
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=LEAVING_S)
