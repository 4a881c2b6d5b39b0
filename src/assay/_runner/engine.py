"""The engine that makes a run's scores, a bounded number at once, and stores each at once."""

import asyncio
import contextlib
import dataclasses
import inspect
import sqlite3
import time
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import msgspec

from assay._middleware.budget import affordable_calls
from assay._middleware.concurrency import is_given_up
from assay._middleware.wrapper import Route
from assay._runner.plan import marked
from assay._runner.progress import Progress, Tally
from assay._runner.settings import Settings
from assay._runner.stack import (
    BackendStack,
    CoalescedBackend,
    Coalescer,
    CoalescingPolicy,
    coalesced_kinds,
    coalesced_metrics,
)
from assay._store import Run, Store, rows
from assay.data.missing_fields import lacked
from assay.data.values import describe
from assay.errors import (
    IF_REFUSED,
    AssayError,
    Denied,
    InputError,
    JudgeError,
    OverBudget,
    Unavailable,
)
from assay.judge import BackendLike, Judge
from assay.metrics import Metric
from assay.metrics.base import is_shipped
from assay.metrics.custom import WrongReturn, error_in_own_code, quoted
from assay.sample import Sample
from assay.score import NoNumber, Outcome, Score, Unscored

# Scores being worked on for each request that may be in flight: enough that requests never wait
# for work, few enough that memory stays bounded.
JOBS_PER_REQUEST = 4
# Under a budget a tenth of its calls is what scores may have cost that it does not suffice for.
CALLS_PER_JOB = 10
TICK_S = 0.5
ROUNDING = 1e-9
# Of so many scores none could be made, though the judge replied, or would refuse the same again: it
# cannot do what is asked.
USELESS = 50
MAX_REPLY_SHOWN = 60  # characters of its last reply
CANCELLED = "what it waited for was cancelled from within, not by the run"
_WHY: Final = ("undefined", "failed", "unanswered")
_TEXTS = "kind, text, label, reason and quote of a Part are texts, parts a tuple of Parts"
_PLAIN = "give texts, numbers, and lists and dicts of them"


@dataclass(frozen=True, slots=True)
class _Job:
    """Scores of one sample that are made at the same time."""

    row: int  # the sample's row
    sample: Sample  # the sample
    metrics: tuple[Metric, ...]  # those whose scores are not there yet
    # All that ask together, in the order of the run. Those that are done ask once more what is
    # known: without them the others would put other questions than before.
    coalesced: tuple[Metric, ...] = ()


@dataclass
class Engine:
    """Makes the scores of one run that are not there yet."""

    run: Run
    metrics: tuple[Metric, ...]
    stack: BackendStack
    store: Store
    settings: Settings
    route: Route
    stopped: JudgeError | None = None  # the refusal or used-up budget that ended it early
    _coalesced: tuple[Metric, ...] = ()
    _policy: CoalescingPolicy = field(init=False)
    _tally: Tally = field(default_factory=lambda: Tally(0, 0), init=False)
    _useless: int = 0  # scores that failed for good; -1 once one did not
    _full: InputError | None = None

    async def work(self) -> None:
        """Score until all is done or the judge refuses; a bug in a metric is raised."""
        counts = self.store.counts(self.run.id)
        n_done = sum(
            n
            for metric in self.metrics
            for reason, n in counts.get(metric.label, {}).items()
            if reason != "failed"
        )
        total = self.run.n_samples * len(self.metrics)
        self._tally = Tally(total, n_done)
        self._useless = -1 if n_done else 0
        self._policy = CoalescingPolicy(coalesced_kinds(self.route))
        if self.settings.together:
            labels = coalesced_metrics(self.metrics, self.route)
            self._coalesced = tuple(metric for metric in self.metrics if metric.label in labels)
        jobs = self._pending()
        ticker = asyncio.create_task(self._tick())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(total, self._most_at_once())):
                    group.create_task(self._worker(jobs))
        except ExceptionGroup as errors:
            raise _first(errors) from None
        else:
            if self._full is not None:
                raise self._full
        finally:
            ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticker
            self.report()

    def _most_at_once(self) -> int:
        """How many scores to work on: under a budget few, so that what is begun is finished."""
        in_flight, budget = self.stack.max_in_flight, self.settings.budget
        # Batches of few calls each would take days.
        batched = any(
            backend.capabilities.batch_size is not None for backend in self.route.backends
        )
        if batched or {budget.calls, budget.tokens, budget.money} == {None}:
            return in_flight * JOBS_PER_REQUEST
        return int(min(in_flight, max(1, affordable_calls(budget) // CALLS_PER_JOB)))

    def _pending(self) -> Iterator[_Job]:
        labels = [metric.label for metric in self.metrics]
        for row, sample, left in self.store.unscored(self.run.id, labels):
            missing = [metric for metric in self.metrics if metric.label in left]
            coalesced = [metric for metric in missing if metric in self._coalesced]
            if coalesced:
                yield _Job(row, sample, tuple(coalesced), self._coalesced)
            yield from (_Job(row, sample, (m,)) for m in missing if m not in coalesced)

    async def _worker(self, jobs: Iterator[_Job]) -> None:
        # All workers draw from one iterator: nobody waits for a slow neighbour.
        for job in jobs:
            if self.stopped or not self._has_room():
                return
            if not job.coalesced:
                await self._score(job, job.metrics[0], self.stack.backend)
                continue
            coalescer = Coalescer(self.stack.backend, self._policy)
            members = [coalescer.member() for _ in job.coalesced]
            async with asyncio.TaskGroup() as group:
                for metric, member in zip(job.coalesced, members, strict=True):
                    group.create_task(self._score(job, metric, member))

    def _has_room(self) -> bool:
        try:
            self.store.check_room(self.run.n_samples * len(self.metrics))
        except InputError as error:
            self._full = error  # raised once what is on its way, and paid for, is kept
        return self._full is None

    async def _score(self, job: _Job, metric: Metric, backend: BackendLike) -> None:
        label = f"{job.sample.id} {metric.label}"
        self._tally.working[label] = time.monotonic()
        judge, failure = Judge(backend, tries=self.settings.tries), None
        try:
            outcome, failure = await _score_sample(metric, job.sample, judge)
        except (Denied, OverBudget) as error:
            self._stop(error)
            return
        except asyncio.CancelledError:
            if is_given_up():
                raise
            if self.stopped:
                return  # a call of it was never sent
            # Raised, it would end this worker without a word, and the run without this score.
            outcome = Unscored("failed", CANCELLED)
        finally:
            del self._tally.working[label]
            if isinstance(backend, CoalescedBackend):
                backend.leave()
        if metric not in job.metrics:
            return
        outcome = marked(outcome, job.sample, {self.route.to(r.kind) for r in judge.replies})
        keys = [reply.key for reply in judge.replies]
        if not await self.store.keep_outcome(self.run.id, job.row, metric.label, outcome, keys):
            # `assay gc` in another process dropped a reply that was known: it is asked for anew.
            self.store.run(self.run.id)  # InputError if this run was dropped
            await self._score(job, metric, self.stack.backend)
            return
        self._tally.why["" if isinstance(outcome, Score) else outcome.why] += 1
        self.report()
        self._stop_if_hopeless(outcome, judge, failure)

    def _stop_if_hopeless(self, outcome: Outcome, judge: Judge, failure: JudgeError | None) -> None:
        """Stop before all is paid for where no reply can be used, or comes, whatever is asked."""
        refused = isinstance(failure, Unavailable) and failure.permanent
        if self._useless < 0 or not (judge.replies or refused):
            return
        if isinstance(outcome, Score) or outcome.why != "failed":
            self._useless = -1
            return
        backends = [self.route.to(r.kind) for r in judge.replies] or self.route.backends
        self._useless += any(not backend.capabilities.local for backend in backends)
        if self._useless < USELESS or self.stopped:
            return
        fault = f"none of the first {USELESS} scores could be made"
        reason, _, remedy = outcome.detail.partition(" -> ")
        if refused:
            remedy = remedy or IF_REFUSED
        else:
            last_reply = " ".join(judge.replies[-1].raw.split())[:MAX_REPLY_SHOWN]
            fault += f" of what the judge replied, such as {last_reply!r}"
            remedy = "use a model that follows instructions (assay show --raw has all replies)"
        self._stop(Denied(f"{fault}: {reason} -> {remedy}"))

    def _stop(self, error: Denied | OverBudget) -> None:
        self.stopped = self.stopped or error
        if isinstance(error, Denied):
            # No further call can succeed, so none of those that wait is sent. Those on their way
            # are waited for: they may be paid for. A budget is kept to by whoever asks within it.
            self.stack.stop()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self.report()

    def report(self) -> None:
        """Tell how far it is, if anybody wants to know."""
        if self.settings.on_progress is not None:
            self.settings.on_progress(self.progress())

    def report_lost(self) -> None:
        """Tell once more if calls were given up while the stack was closed."""
        if any(usage.lost for usage in self.stack.usages):
            self.report()

    def progress(self) -> Progress:
        """How far it is."""
        tally, usages, served = self._tally, self.stack.usages, self.stack.served
        tokens_in = sum(usage.tokens_in for usage in usages)
        tokens_out = sum(usage.tokens_out for usage in usages)
        new = sum(tally.why.values())
        return Progress(
            total=tally.total,
            done=tally.before + new,
            new=new,
            undefined=tally.why["undefined"],
            failed=tally.why["failed"],
            calls=served.asked - served.queued - sum(usage.waiting for usage in usages),
            known=served.known,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            money=sum(usage.money for usage in usages) if self.settings.budget.price else None,
            retries=sum(usage.retries for usage in usages),
            waiting_for=tally.longest(),
            seconds=time.monotonic() - tally.start,
            batches=self.stack.backend.under_way(),
            trouble=self.stack.backend.trouble(),
            lost=sum(usage.lost for usage in usages),
        )


def _first(errors: BaseExceptionGroup[Any]) -> BaseException:
    error = errors.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


async def _score_sample(
    metric: Metric, sample: Sample, judge: Judge
) -> tuple[Outcome, JudgeError | None]:
    """What the metric says of the sample, and the failure of the judge that it is, if it is one."""
    if sample.failure is not None:  # what the system did not answer, no judge is asked about
        return Unscored("unanswered", sample.failure), None
    if reason := lacked(metric.needs, metric.instead, sample):
        return Unscored("undefined", reason), None
    try:
        with _Named(metric, sample):
            outcome = await validated_outcome(metric, sample, judge)
    except (Denied, OverBudget):
        raise
    except JudgeError as error:
        return Unscored("failed", str(error) or type(error).__name__), error
    if isinstance(outcome, Score) and (fault := _out_of_range(metric, outcome.value)):
        raise ValueError(f"{fault}: sample {sample.id}")  # a bug in a metric that ships
    return outcome, None


def _out_of_range(metric: Metric, value: float) -> str:
    low, high = metric.range
    if low - ROUNDING <= value <= high + ROUNDING:
        return ""
    return f"{metric.label} returned {value:.10g}, and its range is {low:g} to {high:g}"


@dataclass(frozen=True)
class _Named:
    """Says of an error that is no judge's which metric and which sample it befell."""

    metric: Metric
    sample: Sample

    def __enter__(self) -> None:
        """Nothing is to be prepared."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, JudgeError):
            error.add_note(f"while {self.metric.label} scored sample {self.sample.id}")


async def validated_outcome(metric: Metric, sample: Sample, judge: Judge) -> Outcome:
    """What the metric says of the sample; an error of a metric of the user's own is its outcome.

    Raises:
        InputError: If its `score` is not async, or nothing can be kept any more.
    """
    if is_shipped(metric):
        return await metric.score(sample, judge)
    try:
        outcome: Any = await _awaitable(metric, metric.score(sample, judge))
        _check_returned(metric, outcome)
    except WrongReturn as error:
        return Unscored("failed", str(error))
    except NoNumber as error:
        remedy = "give a number; where there is none, return Unscored('undefined', why)"
        return Unscored("failed", f"{metric.label}: {error} -> {remedy}")
    except (AssayError, sqlite3.Error):  # the judge's, or the store's
        raise
    except Exception as error:  # noqa: BLE001 - it is of this sample alone
        return Unscored("failed", error_in_own_code(error))
    return cast("Outcome", outcome)


def _awaitable(metric: Metric, returned: Any) -> Awaitable[object]:
    if not inspect.isawaitable(returned):
        raise InputError(f"`score` of {metric.label} is not async", "write `async def score`")
    return returned


def _check_returned(metric: Metric, outcome: object) -> None:
    if not isinstance(outcome, (Score, Unscored)):
        fault = f"{metric.label} returned {quoted(outcome)}"
        raise WrongReturn(fault, "return a Score or an Unscored")
    if isinstance(outcome, Unscored) and outcome.why not in _WHY:
        fault = f"{metric.label} returned Unscored({quoted(outcome.why)}, ...)"
        raise WrongReturn(fault, "the first is 'undefined', 'failed' or 'unanswered'")
    if isinstance(outcome, Score) and (fault := _out_of_range(metric, outcome.value)):
        remedy = "return a number within it, or give the metric its own range: range=(0, 100)"
        raise WrongReturn(fault, remedy)
    _check_storable(outcome, metric.label)


def _check_storable(outcome: Outcome, label: str) -> None:
    """Raise WrongReturn if it could not be read again from the store."""
    try:
        value, reason, detail, _, evidence, _ = rows.outcome_values(outcome, ())
        rows.outcome(value, reason, detail, evidence, b"")
        msgspec.json.decode(msgspec.json.encode(detail), type=str)
    except msgspec.ValidationError as error:
        fault, _, position = str(error).replace("`", "").partition(" - at $")
        field = position.removeprefix(".") or "detail"
        raise WrongReturn(f"{label}: {field}: {fault[0].lower()}{fault[1:]}", _TEXTS) from error
    except RecursionError as error:
        raise WrongReturn(f"{label}: its evidence is nested too deeply", _PLAIN) from error
    except (TypeError, ValueError, OverflowError) as error:
        position, leaf = _unwritable(outcome)
        if isinstance(leaf, str):
            remedy = "repair the text where it was cut or wrongly decoded"
            raise WrongReturn(f"{label}: {position} holds half of a character", remedy) from error
        raise WrongReturn(f"{label}: {position} is {describe(leaf)}", _PLAIN) from error


def _unwritable(value: object, path: str = "") -> tuple[str, object]:
    """Where the innermost value stands that cannot be written, and the value."""
    for key, item in _items(value):
        if not _is_writable(item):
            return _unwritable(item, f"{path}{key}")
    return path.removeprefix("."), value


def _items(value: object) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        yield from ((f".{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value))
    elif isinstance(value, Mapping):
        yield from ((f"[{key!r}]", item) for key, item in value.items())
    elif isinstance(value, list | tuple):
        yield from ((f"[{n}]", item) for n, item in enumerate(value))


def _is_writable(value: object) -> bool:
    try:
        msgspec.json.encode(value, enc_hook=rows.plain_number)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
