"""How data, metrics and a judge become a result: the one entry of the library."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

from assay.errors import Denied
from assay.judges.specs import DEFAULT
from assay.metrics import Metric
from assay.middleware.wrapper import Again
from assay.run import STORE, probes
from assay.run.collecting import collecting_rarely
from assay.run.config import config
from assay.run.connect import open_door
from assay.run.described import describe
from assay.run.engine import Engine
from assay.run.loop import run_to_completion
from assay.run.notebook import in_notebook, meter
from assay.run.plan import Plan, plan
from assay.run.result import Result
from assay.run.settings import Settings, chosen
from assay.store import Run, Store
from assay.store.records import Spent


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
        data: Path to JSONL, CSV, Parquet or Excel, list of dicts or Samples, pandas or HF data set.
        metrics: Names as on the command line (``"faithfulness,hit_at_k(k=3)"``,
            ``"metrics.py:mine"``), in one text or in a list, and Metrics.
        judge: ``"embedded"``, ``"openai:MODEL"`` ... (`assay.judges.SPECS`), a back end, or a
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
    # Off the event loop, as all that reads files or imports: a server goes on answering meanwhile.
    planned = await asyncio.to_thread(plan, data, metrics, judge, embedder, settings)
    named = {
        **config(planned.metrics, planned.route, planned.settings),
        "data_notes": planned.samples.notes,  # which are there once all samples are taken in
    }
    kept = await _opened(store)
    try:
        run = await asyncio.to_thread(kept.begin, planned.samples, named, planned.samples.name)
        await asyncio.to_thread(describe, run, planned.settings.description, kept)
        before = await asyncio.to_thread(kept.spent, run.id)
        await work(run, planned, kept)
        after = await asyncio.to_thread(kept.spent, run.id)
    finally:
        await asyncio.to_thread(kept.close)
    pairs = zip(astuple(after), astuple(before), strict=True)
    return Result(store, run.id, paid=Spent(*(now - then for now, then in pairs)))


async def _opened(path: str | Path) -> Store:
    """The store, opened off the event loop: it may have to wait for another process.

    A caller that is cancelled meanwhile leaves no store open behind.
    """
    given_up, made = threading.Event(), list[Store]()

    def open_it() -> Store:
        made.append(Store(path))
        if given_up.is_set():
            made[0].close()
        return made[0]

    try:
        return await asyncio.to_thread(open_it)
    except asyncio.CancelledError:
        given_up.set()
        for store in made:
            store.close()
        raise


async def work(run: Run, plan: Plan, store: Store, *, again: int = 0) -> None:
    """Make the scores of a run that are not there yet.

    Args:
        run: The run; its samples are in the store.
        plan: Metrics, judges and settings.
        store: The store.
        again: How often its judges were asked before, where they are to be heard anew.

    Raises:
        Denied: If a judge refuses.
    """
    if plan.settings.engine == "ray":
        from assay.middleware import ray_workers

        await asyncio.to_thread(ray_workers.connect)  # it may have to begin a cluster
    door = open_door(plan.route, plan.settings, store, run.id)
    probing = probes.wanted(run, plan, store) and not again
    if again:
        door = replace(door, backend=Again(door.backend, again))
    engine = Engine(run, plan.metrics, door, store, plan.settings, plan.route)
    start, reason = time.monotonic(), "interrupted"
    async with AsyncExitStack() as stack:
        stack.push_async_callback(door.aclose)
        try:
            await door.aopen()
            taking = probes.take(run, plan.route, door, store) if probing else asyncio.sleep(0)
            with collecting_rarely():
                async with _beside(taking):
                    await engine.work()
            reason = str(engine.stopped) if engine.stopped else ""
        finally:
            door.stop()
            seconds, skipped = time.monotonic() - start, plan.samples.skipped
            await store.end(run.id, seconds=seconds, stopped=reason, skipped=skipped)
    if isinstance(engine.stopped, Denied):
        raise engine.stopped


@asynccontextmanager
async def _beside(other: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Let something else happen meanwhile, and see it done; not if what it stands beside fails."""
    task = asyncio.create_task(other)
    try:
        yield
    except BaseException:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    await task


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

    Where an event loop is already running, a helper thread runs it: no loop is nested. A notebook
    shows the progress below the cell, unless the settings say what is to be done with it.
    """
    settings = chosen(settings)
    if settings.on_progress is None and in_notebook():
        settings = replace(settings, on_progress=meter())
    return run_to_completion(
        aevaluate(data, metrics, judge, embedder=embedder, store=store, settings=settings)
    )
