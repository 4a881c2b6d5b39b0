"""Evaluation of data by metrics and a judge: the entry point of the library."""

import asyncio
import threading
import time
import warnings
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

from assay._middleware.wrapper import Again
from assay._runner import STORE, probes
from assay._runner.engine import Engine
from assay._runner.event_loop import collect_rarely, run_to_completion
from assay._runner.plan import Plan, config, plan
from assay._runner.progress import in_notebook, meter
from assay._runner.result import Result
from assay._runner.settings import Settings, chosen
from assay._runner.stack import build_stack
from assay._store import Run, Store
from assay._store.runs import Description, Spent, written
from assay.errors import Denied
from assay.judges.specs import DEFAULT
from assay.metrics import Metric


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
        judge: ``"embedded"``, ``"openai:MODEL"`` ... (`assay.judges.SPECS`), a backend, or a
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
    run_config = {
        **config(planned.metrics, planned.route, planned.settings),
        "data_notes": planned.samples.notes,  # which are there once all samples are taken in
    }
    opened = await _opened(store)
    try:
        run = await asyncio.to_thread(
            opened.begin,
            planned.samples,
            run_config,
            planned.samples.name,
            planned.settings.description,
        )
        await asyncio.to_thread(describe, run, planned.settings.description, opened)
        before = await asyncio.to_thread(opened.spent, run.id)
        await score_run(run, planned, opened)
        after = await asyncio.to_thread(opened.spent, run.id)
    finally:
        await asyncio.to_thread(opened.close)
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


async def score_run(run: Run, plan: Plan, store: Store, *, again: int = 0) -> None:
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
        from assay._middleware import ray_workers

        await asyncio.to_thread(ray_workers.connect)  # it may have to begin a cluster
    stack = build_stack(plan.route, plan.settings, store, run.id)
    probing = probes.should_ask(run, plan, store) and not again
    if again:
        stack = replace(stack, backend=Again(stack.backend, again))
    engine = Engine(run, plan.metrics, stack, store, plan.settings, plan.route)
    start, reason = time.monotonic(), "interrupted"
    async with AsyncExitStack() as exits:
        exits.push_async_callback(stack.aclose)
        try:
            await stack.aopen()
            probe_calls = (
                probes.ask_probes(run, plan.route, stack, store) if probing else asyncio.sleep(0)
            )
            with collect_rarely():
                async with _meanwhile(probe_calls):
                    await engine.work()
            reason = str(engine.stopped) if engine.stopped else ""
        finally:
            stack.stop()
            seconds, skipped = time.monotonic() - start, plan.samples.skipped
            await store.end(run.id, seconds=seconds, stopped=reason, skipped=skipped)
    if isinstance(engine.stopped, Denied):
        raise engine.stopped


@asynccontextmanager
async def _meanwhile(other: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
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


class SameRunWarning(UserWarning):
    """What is a run of its own to its user is the same run: nothing that is scored differs."""


async def evaluate_derived(
    data: Any,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any,
    *,
    embedder: Any,
    settings: Settings,
    store: str | Path,
    of: str,
) -> Result:
    """Score answers as `aevaluate` does, as a run that is derived from the run `of`."""
    planned = await asyncio.to_thread(plan, data, metrics, judge, embedder, settings)
    return await score_derived(planned, store, of, planned.settings.description)


async def score_derived(
    planned: Plan, path: str | Path, of: str, description: Description | None = None
) -> Result:
    """The run of a plan that is derived from the run `of`: history and "last" leave it out."""
    run_config = {**config(planned.metrics, planned.route, planned.settings), "rescores": of}
    with Store(path) as store:
        begun = await asyncio.to_thread(
            store.begin, planned.samples, run_config, planned.samples.name
        )
        describe(begun, description or Description(), store)
        await score_run(begun, planned, store)
    return Result(path, begun.id)


def describe(run: Run, description: Description, store: Store) -> None:
    """Keep what is said of a run; warn where it takes the place of what was said before."""
    if not description:
        return
    before = run.description
    store.describe(run.id, before.updated(description))
    if replaced := _replaced(before, description):
        warnings.warn(
            f"run {run.short} is known already: same data, metrics and judge. "
            f"What was said of it is replaced: {', '.join(replaced)}",
            SameRunWarning,
            stacklevel=2,
        )


def _replaced(before: Description, description: Description) -> list[str]:
    """``name k5 by k10``: what stood otherwise before."""
    changes = [("name", before.name, description.name)]
    changes += [
        (key, written(before.params[key]), written(value))
        for key, value in description.params.items()
        if key in before.params
    ]
    return [f"{key} '{old}' by '{new}'" for key, old, new in changes if old and new and old != new]
