"""The entry points of the library: data evaluated by metrics, statements verified directly."""

import asyncio
import functools
import threading
import time
import warnings
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from assay._middleware.budget import BudgetTracker
from assay._middleware.concurrency import in_parallel
from assay._middleware.limiter import Limiter
from assay._middleware.wrapper import Resampler, Route
from assay._runner import STORE, probes, stack
from assay._runner.engine import Engine
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import Plan, config, plan
from assay._runner.progress import in_notebook, meter
from assay._runner.result import Result
from assay._runner.settings import Settings, chosen
from assay._runner.stack import MAX_LOCAL, build_stack, longest_reply, reworded
from assay._store import Run, Store
from assay._store.runs import Description, written
from assay._text.questions import plain
from assay._text.statements import is_phrase
from assay.errors import Denied, InputError, JudgeError, OverBudget, Unsupported
from assay.judge import Backend, Judge
from assay.judges.specs import DEFAULT, backend
from assay.metrics import Metric, evidence
from assay.score import Unscored
from assay.tasks import Statement, Verdict, VerifyStatements


async def aevaluate(
    data: Any,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    embedder: Any = None,
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> Result:
    """`evaluate` for code that is asynchronous itself: same arguments, awaited.

    No progress is shown unless `on_progress` of the settings is set.
    """
    # Off the event loop, as all that reads files or imports: a server goes on answering meanwhile.
    planned = await asyncio.to_thread(plan, data, metrics, judge, embedder, settings)
    notes = planned.samples.notes  # which are there once all samples are taken in
    return await _score_plan(planned, store, planned.settings.description, {"data_notes": notes})


async def _score_plan(
    planned: Plan, path: str | Path, description: Description, metadata: Mapping[str, Any]
) -> Result:
    """The run of a plan, made; `about` is what is kept of it beside metrics and judges."""
    run_config = {**config(planned.metrics, planned.route, planned.settings), **metadata}
    if command := planned.settings._command:  # noqa: SLF001 - internal, and so not public
        run_config["command"] = command
    run_config["texts"] = planned.texts  # which are counted once all samples are taken in
    store = await _open_store(path)
    try:
        run = await asyncio.to_thread(
            store.begin, planned.samples, run_config, planned.samples.name, description
        )
        await asyncio.to_thread(describe, run, description, store)
        await score_run(run, planned, store)
    finally:
        await asyncio.to_thread(store.close)
    return Result(path, run.id, paid=store.paid)


async def _open_store(path: str | Path) -> Store:
    """The store, opened off the event loop: it may have to wait for another process.

    A caller that is cancelled meanwhile leaves no store open behind.
    """
    given_up, stores = threading.Event(), list[Store]()

    def open_it() -> Store:
        stores.append(Store(path))
        if given_up.is_set():
            stores[0].close()
        return stores[0]

    try:
        return await asyncio.to_thread(open_it)
    except asyncio.CancelledError:
        given_up.set()
        for store in stores:
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
        stack = replace(stack, backend=Resampler(stack.backend, again))
    engine = Engine(run, plan.metrics, stack, store, plan.settings, plan.route)
    start, reason = time.monotonic(), "interrupted"
    async with AsyncExitStack() as exits:
        exits.callback(engine.report_lost)
        exits.push_async_callback(stack.aclose)
        try:
            await stack.aopen()
            probe_calls = (
                probes.ask_probes(run, plan.route, stack, store) if probing else asyncio.sleep(0)
            )
            async with _in_background(probe_calls):
                await engine.work()
            reason = str(engine.stopped) if engine.stopped else ""
        finally:
            stack.stop()
            seconds, skipped = time.monotonic() - start, plan.samples.skipped
            if reason and not isinstance(engine.stopped, OverBudget) and _has_all(store, run):
                reason = ""  # it was only asked again for what had failed
            await store.end(run.id, seconds=seconds, stopped=reason, skipped=skipped)
    if isinstance(engine.stopped, Denied):
        raise engine.stopped


def _has_all(store: Store, run: Run) -> bool:
    """Whether there is an outcome, if only that it failed, for every score of a run."""
    counts = store.counts(run.id)
    n = sum(n for metric in run.metrics for n in counts.get(metric, {}).values())
    return n == run.n_samples * len(run.metrics)


@asynccontextmanager
async def _in_background(background: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Let something else happen meanwhile, and see it done; not if what it stands beside fails."""
    task = asyncio.create_task(background)
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
    """Score every sample of the data by every metric.

    Killed or stopped at any point, the same call goes on where it was and repeats no paid call.
    It may be called where an event loop runs already: a thread of its own runs it, as in Jupyter,
    which shows the progress below the cell unless the settings say what is done with it.

    Args:
        data: Path to JSONL, CSV, Parquet or Excel, list of dicts or Samples, pandas or HF data set.
        metrics: Names as on the command line (``"faithfulness,hit_at_k(k=3)"``,
            ``"metrics.py:mine"``), in one text or in a list, and Metrics.
        judge: ``"embedded"``, ``"openai:MODEL"`` ... (`assay.judges.SPECS`), a backend, or a
            function from prompt to text.
        embedder: Who makes embeddings; the embedded model unless the judge makes its own.
        store: The SQLite file that keeps all replies and scores.
        settings: Everything else: see `Settings`.

    Returns:
        The result, read from the store.

    Raises:
        InputError: If data, metrics, judge or settings cannot be used; nothing was asked yet.
        Denied: If the judge refuses (key, quota, model); what was scored is kept.
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
    return await _score_plan(planned, path, description or Description(), {"rescores": of})


def describe(run: Run, description: Description, store: Store) -> None:
    """Keep what is said of a run; warn where it takes the place of what was said before."""
    if not description:
        return
    before = run.description
    store.describe(run.id, before.updated(description))
    if replaced := _replaced_values(before, description):
        warnings.warn(
            f"run {run.short} is known already: same data, metrics and judge. "
            f"What was said of it is replaced: {', '.join(replaced)}",
            SameRunWarning,
            stacklevel=2,
        )


def _replaced_values(before: Description, description: Description) -> list[str]:
    """``name k5 by k10``: what stood otherwise before."""
    changes = [("name", before.name, description.name)]
    changes += [
        (key, written(before.params[key]), written(value))
        for key, value in description.params.items()
        if key in before.params
    ]
    return [f"{key} '{old}' by '{new}'" for key, old, new in changes if old and new and old != new]


Verdicts: TypeAlias = tuple[Verdict, ...]

FIELDS = ("statements", "contexts", "question")


@dataclass(frozen=True, slots=True)
class _Row:
    statements: tuple[Statement, ...]
    contexts: tuple[str, ...]
    lead: str  # what was put before the short ones


async def averify(
    statements: str | Sequence[str],
    contexts: str | Sequence[str],
    question: str = "",
    judge: Any = DEFAULT,
    *,
    settings: Settings | None = None,
) -> Verdicts:
    """`verify` for code that is asynchronous itself: same arguments, awaited.

    A backend object that is given as the judge stays open in the running loop, so that its
    connections serve the next call; close it with its `aclose`.
    """
    return await _verify_row(statements, contexts, question, _Judging(judge, settings))


def verify(
    statements: str | Sequence[str],
    contexts: str | Sequence[str],
    question: str = "",
    judge: Any = DEFAULT,
    *,
    settings: Settings | None = None,
) -> Verdicts:
    """Verify statements against contexts: can each be inferred from them?

    Nothing is kept, and nothing is taken from an earlier call.

    Args:
        statements: One or more, each understandable by itself.
        contexts: One or more texts; blank ones support nothing.
        question: What a short statement ("1889") answers; it is then read together with it.
        judge: As for `evaluate`.
        settings: Its prompts, tries, limits and budget count, each call by itself.

    Returns:
        One verdict for each statement, in order, with the ids "s1", "s2" ...: supported,
        contradicted, probability, reason, context (0-based), quote and unsupported spans.

    Raises:
        InputError: If statements, contexts, judge or settings cannot be used.
        JudgeError: If the judge gave no complete, readable reply.
    """
    # The loop ends with this call, and with it the connections that were made in it.
    judging = _Judging(judge, settings, closed=True)
    return run_to_completion(_verify_row(statements, contexts, question, judging))


async def averify_many(
    rows: Iterable[Mapping[str, Any]], judge: Any = DEFAULT, *, settings: Settings | None = None
) -> list[Verdicts | Unscored]:
    """`verify_many` for code that is asynchronous itself: same arguments, awaited."""
    return await _verify_rows(rows, _Judging(judge, settings))


def verify_many(
    rows: Iterable[Mapping[str, Any]], judge: Any = DEFAULT, *, settings: Settings | None = None
) -> list[Verdicts | Unscored]:
    """Verify the statements of many rows, as many at once as the judge takes.

    Args:
        rows: Mappings with `statements`, `contexts` and perhaps `question`, as for `verify`. All
            are checked before the judge is asked.
        judge: As for `evaluate`.
        settings: Its prompts, tries, limits and budget count.

    Returns:
        The verdicts of each row, in order; `Unscored("failed", reason)` for a row to which the
        judge gave no complete, readable reply.

    Raises:
        InputError: If a row, the judge or the settings cannot be used; nothing was asked yet.
        Denied: If the judge refuses (key, quota, model).
        OverBudget: If the budget does not suffice for all rows.
    """
    return run_to_completion(_verify_rows(rows, _Judging(judge, settings, closed=True)))


@dataclass(frozen=True, slots=True)
class _Judging:
    """Who verifies, and how."""

    spec: Any  # the judge as it was given
    settings: Settings | None  # the settings as they were given
    closed: bool = False  # whether a judge that was given as an object is closed at the end

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[tuple[Backend, int]]:
        """The backend within its limits, and how many rows are worth asking it at once."""
        settings, named_backend = chosen(self.settings), backend(self.spec)
        route = reworded(Route.of(named_backend), settings)
        leaf = route.to(VerifyStatements.kind)
        if leaf.identity(VerifyStatements) is None:
            raise Unsupported(f"the judge {leaf.name} cannot do {VerifyStatements.kind}")
        stack.acquire(leaf, self)
        try:
            budget = BudgetTracker(settings.budget, bound=functools.partial(longest_reply, route))
            judges = [_with_limits(judge, settings, budget) for judge in leaf.behind()]
            limits = leaf.capabilities.limits or settings.limits
            at_once = MAX_LOCAL if leaf.capabilities.local else limits.concurrency
            yield leaf.over(judges) if judges else _with_limits(leaf, settings, budget), at_once
        finally:
            unused = stack.release(leaf, self)
            if unused and (self.closed or isinstance(self.spec, str)):
                await leaf.aclose()


def _with_limits(leaf: Backend, settings: Settings, budget: BudgetTracker) -> Backend:
    capabilities = leaf.capabilities
    if capabilities.local:
        return leaf
    return Limiter(leaf, capabilities.limits or settings.limits, budget=budget)


async def _verify_row(
    statements: str | Sequence[str], contexts: str | Sequence[str], question: str, judging: _Judging
) -> Verdicts:
    row = _row({"statements": statements, "contexts": contexts, "question": question}, "")
    async with judging.opened() as (judge_backend, _):
        return await _verdicts(row, Judge(judge_backend, tries=chosen(judging.settings).tries))


async def _verify_rows(
    rows: Iterable[Mapping[str, Any]], judging: _Judging
) -> list[Verdicts | Unscored]:
    valid, tries = _rows(rows), chosen(judging.settings).tries
    async with judging.opened() as (judge_backend, at_once):

        async def outcome(row: _Row) -> Verdicts | Unscored:
            try:
                return await _verdicts(row, Judge(judge_backend, tries=tries))
            except (Denied, OverBudget):
                raise
            except JudgeError as error:
                return Unscored("failed", str(error) or type(error).__name__)

        return await in_parallel(outcome, valid, at_once)


async def _verdicts(row: _Row, judge: Judge) -> Verdicts:
    (judged,) = await evidence.verify([(row.statements, row.contexts)], judge)
    # What is supported is not contradicted, whether or not the judge says so.
    verdicts = tuple(replace(v, contradicted=False) if v.supported else v for v in judged)
    leads = (row.lead * s.text.startswith(row.lead) for s in row.statements)
    return tuple(_spans_moved(v, len(lead)) for v, lead in zip(verdicts, leads, strict=True))


def _spans_moved(verdict: Verdict, offset: int) -> Verdict:
    """The verdict, its spans counted from behind the question that was put before the statement."""
    spans = ((max(0, start - offset), end - offset) for start, end in verdict.spans)
    return replace(verdict, spans=tuple((start, end) for start, end in spans if end > start))


def _rows(rows: Iterable[Mapping[str, Any]]) -> list[_Row]:
    items: Any = rows
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise InputError(f"rows is {items!r:.60}", "give a list of dicts: " + ", ".join(FIELDS))
    return [_row(row, f"row {n}: ") for n, row in enumerate(items, start=1)]


def _row(row: Any, location: str) -> _Row:
    """One row as it is judged.

    Raises:
        InputError: If a field is missing, unknown or no text.
    """
    if not isinstance(row, Mapping):
        raise InputError(
            f"{location}{row!r:.60} is no mapping", f"give a dict: {', '.join(FIELDS)}"
        )
    unknown = [str(name) for name in row if name not in FIELDS]
    if unknown:
        raise InputError(
            f"{location}unknown field {', '.join(unknown)}", f"known: {', '.join(FIELDS)}"
        )
    contexts = _texts(row, "contexts", location)
    question: Any = row.get("question") or ""
    if not isinstance(question, str):
        raise InputError(f"{location}question is {question!r:.60}", "give a text")
    texts = _texts(row, "statements", location)
    for n, text in enumerate(texts, start=1):
        if evidence.blank(text):
            raise InputError(f"{location}statement {n} is empty", "leave it out")
    lead = f"{plain_question} " if (plain_question := plain(question)) else ""
    full_texts = (f"{lead}{text}" if is_phrase(text) else text for text in texts)
    statements = tuple(Statement(f"s{n}", text) for n, text in enumerate(full_texts, start=1))
    return _Row(statements, contexts, lead)


def _texts(row: Mapping[str, Any], name: str, location: str) -> tuple[str, ...]:
    value: Any = row.get(name)
    texts = (value,) if isinstance(value, str) else value
    is_list = isinstance(texts, Iterable) and not isinstance(texts, bytes | Mapping)
    values = tuple(texts) if is_list else ()
    if not is_list or not all(isinstance(text, str) for text in values):
        raise InputError(f"{location}{name} is {value!r:.60}", "give a text or a list of texts")
    return values
