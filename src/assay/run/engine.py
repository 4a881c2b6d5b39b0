"""How the scores of a run are made: a bounded number at once, each kept as soon as it is there."""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.dataset.gaps import lacked
from assay.errors import Denied, InputError, JudgeError, OverBudget
from assay.judge import BackendLike, Judge
from assay.metrics import Metric
from assay.middleware.concurrency import is_given_up
from assay.middleware.wrapper import Route
from assay.run.connect import Door
from assay.run.progress import Progress, Tally
from assay.run.returned import returned
from assay.run.settings import Settings
from assay.run.together import Company, Member, Party, companions, joined
from assay.sample import Sample
from assay.score import Outcome, Score, Unscored
from assay.store import Run, Store

# Scores being worked on for each request that may be in flight: enough that requests never wait
# for work, few enough that memory stays bounded.
JOBS_PER_REQUEST = 4
TICK_S = 0.5
ROUNDING = 1e-9
CANCELLED = "what it waited for was cancelled from within, not by the run"


@dataclass(frozen=True, slots=True)
class _Job:
    """Scores of one sample that are made at the same time.

    Attributes:
        row: The sample's row.
        sample: The sample.
        metrics: Those whose scores are not there yet.
        company: All that ask together, in the order of the run. Those that are done ask once more
            what is known: without them the others would put other questions than before.
    """

    row: int
    sample: Sample
    metrics: tuple[Metric, ...]
    company: tuple[Metric, ...] = ()


@dataclass
class Engine:
    """Makes the scores of one run that are not there yet.

    Attributes:
        stopped: The refusal or used-up budget that ended it early.
    """

    run: Run
    metrics: tuple[Metric, ...]
    door: Door
    store: Store
    settings: Settings
    route: Route
    stopped: JudgeError | None = None
    _company: tuple[Metric, ...] = ()
    _shared: Company = field(init=False)
    _tally: Tally = field(init=False)
    _full: InputError | None = None

    async def work(self) -> None:
        """Score until all is done or the judge refuses; a bug in a metric is raised."""
        counts = self.store.counts(self.run.id)
        done = sum(
            n
            for metric in self.metrics
            for why, n in counts.get(metric.label, {}).items()
            if why != "failed"
        )
        self._tally = Tally(self.run.n_samples * len(self.metrics), done)
        self._shared = Company(joined(self.route))
        if self.settings.together:
            found = companions(self.metrics, self.route)
            self._company = tuple(metric for metric in self.metrics if metric.label in found)
        jobs = self._pending()
        ticker = asyncio.create_task(self._tick())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.door.most * JOBS_PER_REQUEST):
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
            self._report()

    def _pending(self) -> Iterator[_Job]:
        labels = [metric.label for metric in self.metrics]
        for row, sample, left in self.store.unscored(self.run.id, labels):
            missing = [metric for metric in self.metrics if metric.label in left]
            company = [metric for metric in missing if metric in self._company]
            if company:
                yield _Job(row, sample, tuple(company), self._company)
            yield from (_Job(row, sample, (m,)) for m in missing if m not in company)

    async def _worker(self, jobs: Iterator[_Job]) -> None:
        # All workers draw from one iterator: nobody waits for a slow neighbour.
        for job in jobs:
            if self.stopped or not self._has_room():
                return
            if not job.company:
                await self._score(job, job.metrics[0], self.door.backend)
                continue
            party = Party(self.door.backend, self._shared)
            members = [party.member() for _ in job.company]
            async with asyncio.TaskGroup() as group:
                for metric, member in zip(job.company, members, strict=True):
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
        judge = Judge(backend, tries=self.settings.tries)
        try:
            outcome = await _scored(metric, job.sample, judge)
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
            if isinstance(backend, Member):
                backend.leave()
        if metric not in job.metrics:
            return
        keys = [reply.key for reply in judge.replies]
        if not await self.store.keep_outcome(self.run.id, job.row, metric.label, outcome, keys):
            # `assay gc` in another process dropped a reply that was known: it is asked for anew.
            self.store.run(self.run.id)  # InputError if this run was dropped
            await self._score(job, metric, self.door.backend)
            return
        self._tally.why["" if isinstance(outcome, Score) else outcome.why] += 1
        self._report()

    def _stop(self, error: Denied | OverBudget) -> None:
        self.stopped = self.stopped or error
        if isinstance(error, Denied):
            # No further call can succeed, so none of those that wait is sent. Those on their way
            # are waited for: they may be paid for. A budget is kept to by whoever asks within it.
            self.door.stop()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._report()

    def _report(self) -> None:
        if self.settings.on_progress is not None:
            self.settings.on_progress(self.progress())

    def progress(self) -> Progress:
        """How far it is."""
        tally, usages = self._tally, self.door.usages
        tokens_in = sum(usage.tokens_in for usage in usages)
        tokens_out = sum(usage.tokens_out for usage in usages)
        new = sum(tally.why.values())
        return Progress(
            total=tally.total,
            done=tally.before + new,
            new=new,
            undefined=tally.why["undefined"],
            failed=tally.why["failed"],
            calls=self.door.served.asked,
            known=self.door.served.known,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            money=sum(usage.money for usage in usages) if self.settings.budget.price else None,
            retries=sum(usage.retries for usage in usages),
            waiting_for=tally.longest(),
            seconds=time.monotonic() - tally.start,
            batches=self.door.under_way(),
        )


def _first(errors: BaseExceptionGroup[Any]) -> BaseException:
    found = errors.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found


async def _scored(metric: Metric, sample: Sample, judge: Judge) -> Outcome:
    if sample.failure is not None:  # what the system did not answer, no judge is asked about
        return Unscored("unanswered", sample.failure)
    if why := lacked(metric.needs, metric.instead, sample):
        return Unscored("undefined", why)
    try:
        with _Named(metric, sample):
            outcome = await returned(metric, sample, judge)
    except (Denied, OverBudget):
        raise
    except JudgeError as error:
        return Unscored("failed", str(error) or type(error).__name__)
    if isinstance(outcome, Score):
        low, high = metric.range
        if not low - ROUNDING <= outcome.value <= high + ROUNDING:
            raise _outside(metric, sample, outcome.value)
    return outcome


def _outside(metric: Metric, sample: Sample, value: float) -> Exception:
    low, high = metric.range
    what = f"{metric.label} of {sample.id} is {value:.10g}, and its range is {low:g} to {high:g}"
    if type(metric).__module__.startswith("assay."):
        return ValueError(what)  # a bug here; in a metric of the user's own it is theirs to mend
    remedy = "return a number within it, or give the metric its own range: range=(0, 100)"
    return InputError(what, remedy)


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
