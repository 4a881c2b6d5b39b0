"""A pool of workers in other processes that share what a backend is asked.

Metrics, cache, limits and budget stay where the run is. A worker holds the backend itself and
nothing else, so nothing is lost with it: what it did not answer, another one is asked.
"""

import asyncio
import contextlib
import itertools
import math
import pickle
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, TypeAlias

from assay._middleware.wrapper import Wrapper, adapted
from assay._version import __version__
from assay.errors import AssayError, Denied, Unavailable
from assay.judge import BackendLike, Capabilities, Reply, Task

# Workers in one place that died one after the other before they had answered anything: more than a
# single task can kill.
HOPELESS = 5
# Workers that died while they had the same task: it may be what kills them.
MAX_DEATHS = 3

WorkItem: TypeAlias = tuple[int, Task[Any], int]  # number, task, draw
Outcome: TypeAlias = Reply | BaseException


class WorkerDied(Exception):
    """A worker is gone, whatever the cause."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How a pool is used."""

    workers: int  # how many there are
    room: int  # tasks that each has at a time, those that wait for their turn there included
    # Seconds that replies may wait for others to travel with, so that a journey is worth its price.
    gather_s: float


@dataclass(frozen=True, slots=True)
class Finished:
    """What a worker hands over."""

    outcomes: Sequence[tuple[int, Outcome]]  # (number, reply or error) of tasks that have ended
    pause_s: float  # seconds until its server takes requests again, as the server's headers said


class Worker(Protocol):
    """A process with a backend, as the pool sees it. Every method may raise `WorkerDied`."""

    async def begin(self) -> tuple[str, str]:
        """Once it is there: its version of assay and the name of its backend."""

    async def put(self, tasks: Sequence[WorkItem]) -> None:
        """Give it tasks."""

    async def take(self) -> Finished:
        """What it has done since; waits until there is something."""

    async def drop(self, number: int) -> None:
        """Tell it that nobody waits for a task any more."""

    def terminate(self) -> None:
        """End it."""


class WorkerSide:
    """The worker's own side: answers what it is given and hands it over in groups."""

    def __init__(self, backend: BackendLike, gather_s: float) -> None:
        self._backend = adapted(backend)
        self._gather_s = gather_s
        self._running: dict[int, asyncio.Task[Reply]] = {}
        self._done: list[tuple[int, Outcome]] = []
        self._some, self._enough = asyncio.Event(), asyncio.Event()

    async def begin(self) -> tuple[str, str]:
        """Version and name."""
        return __version__, self._backend.name

    async def put(self, tasks: Sequence[WorkItem]) -> None:
        """Begin with these tasks."""
        for number, task, draw in tasks:
            call = asyncio.ensure_future(self._backend.reply(task, draw))
            self._running[number] = call
            call.add_done_callback(partial(self._ended, number))

    async def drop(self, number: int) -> None:
        """Give up a task."""
        if call := self._running.get(number):
            call.cancel()

    async def take(self) -> Finished:
        """What has ended, as soon as it is half of what is here or has waited long enough."""
        await self._some.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._gather_s):
                await self._enough.wait()
        finished, self._done = self._done, []
        self._some.clear()
        self._enough.clear()
        until = self._backend.capabilities.paused_until
        return Finished(finished, max(0.0, until - asyncio.get_running_loop().time()))

    def _ended(self, number: int, call: asyncio.Task[Reply]) -> None:
        self._running.pop(number, None)
        if not call.cancelled():
            self._done.append((number, _sendable(call.exception()) or call.result()))
            self._some.set()
        if len(self._done) >= len(self._running):
            # More is on its way here meanwhile; with less the backend could run out of work.
            self._enough.set()


def _sendable(error: BaseException | None) -> BaseException | None:
    """An error as it can travel: one of ours as it is, a mistake in the code in words."""
    if error is None:
        return None
    if not isinstance(error, AssayError):
        return RuntimeError("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - written on the same line
    except (TypeError, AttributeError, pickle.PickleError):  # one of the user's own
        return Unavailable(str(error), permanent=True)
    return error


@dataclass(eq=False)
class _Job:
    number: int
    task: Task[Any]
    draw: int
    reply: asyncio.Future[Reply]
    worker: Worker | None = None
    deaths: int = 0


@dataclass(eq=False)
class _Slot:
    """A place in the pool: its worker of now, and what that one was given."""

    held: dict[int, _Job] = field(default_factory=dict)
    room: asyncio.Event = field(default_factory=asyncio.Event)
    fruitless: int = 0


class Pool(Wrapper):
    """A backend whose work is done by workers. Used in one event loop, and closed in it.

    Args:
        backend: The backend, of which every worker has its own.
        start_worker: Begins a worker.
        pooling: How many, and how they are used.
    """

    def __init__(
        self, backend: BackendLike, start_worker: Callable[[], Worker], pooling: PoolSettings
    ) -> None:
        super().__init__(backend)
        self._start_worker = start_worker
        self._pooling = pooling
        self._numbers = itertools.count()
        self._queue: deque[_Job] = deque()
        self._queued = asyncio.Event()
        self._slots: list[_Slot] = []
        self._serving: list[asyncio.Task[None]] = []
        self._dropping: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None
        self._begun = asyncio.Event()
        self.paused_until = -math.inf

    @property
    def most(self) -> int:
        """As many tasks at a time as keep all workers at work."""
        return max(1, self._pooling.workers * self._pooling.room // 2)

    @property
    def capabilities(self) -> Capabilities:
        """Those of the backend, but for where it computes and what its workers know."""
        inner = self._backend.capabilities
        return replace(inner, local=False, paused_until=self.paused_until, further_requests=0)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply of whichever worker has room.

        Raises:
            Denied: If workers die as soon as they are there, or are of another version.
            JudgeError: As the backend.
        """
        if self._failure is not None:
            raise self._failure
        self._open()
        loop = asyncio.get_running_loop()
        job = _Job(next(self._numbers), task, draw, loop.create_future())
        self._queue.append(job)
        self._queued.set()
        try:
            return await job.reply
        except asyncio.CancelledError:
            self._forget(job)
            raise

    async def aopen(self) -> None:
        """Hire the workers; return when the first is there, or none will be.

        Calls that a limit let through before would all leave together, later.
        """
        self._open()
        await self._begun.wait()

    async def aclose(self) -> None:
        """Dismiss the workers."""
        ending = [*self._serving, *self._dropping]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        self._serving.clear()

    def _open(self) -> None:
        if self._serving:
            return
        self._slots = [_Slot() for _ in range(self._pooling.workers)]
        self._serving = [asyncio.create_task(self._keep_worker(slot)) for slot in self._slots]
        for task in self._serving:
            task.add_done_callback(self._slot_ended)

    def _slot_ended(self, serving: asyncio.Task[None]) -> None:
        if not serving.cancelled() and (error := serving.exception()) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """Nothing more can be answered: tell all who wait."""
        self._failure = self._failure or error
        self._begun.set()
        jobs_held = [job for slot in self._slots for job in slot.held.values()]
        for job in [*self._queue, *jobs_held]:
            if not job.reply.done():
                job.reply.set_exception(error)
        self._queue.clear()

    async def _keep_worker(self, slot: _Slot) -> None:
        """Keep one worker at work, and put another in its place when it dies."""
        while self._failure is None:
            worker = self._start_worker()
            try:
                self._check(await worker.begin())
                self._begun.set()
                await self._serve(worker, slot)
            except WorkerDied as error:
                self._requeue(slot, error)
            finally:
                worker.terminate()

    def _check(self, remote_versions: tuple[str, str]) -> None:
        own_versions = __version__, self.name
        for local, remote, subject in zip(
            own_versions, remote_versions, ("assay", "the judge"), strict=True
        ):
            if local != remote:
                difference = f"{subject} is {remote} on a worker and {local} here"
                raise Denied(f"{difference} -> install the same on all machines")

    def _requeue(self, slot: _Slot, error: WorkerDied) -> None:
        slot.fruitless += 1
        if slot.fruitless >= HOPELESS:
            raise Denied(f"{HOPELESS} workers died one after the other: {error}") from error
        jobs = [job for job in slot.held.values() if not job.reply.done()]
        slot.held.clear()
        for job in reversed(jobs):
            job.worker, job.deaths = None, job.deaths + 1
            if job.deaths >= MAX_DEATHS:
                fault = f"{job.deaths} workers died while they had it"
                job.reply.set_exception(Unavailable(f"{fault}: {error}", permanent=True))
            else:
                self._queue.appendleft(job)
        if self._queue:
            self._queued.set()

    async def _serve(self, worker: Worker, slot: _Slot) -> None:
        """Give it work and take what is done, until either fails."""
        slot.room.set()
        loops = [
            asyncio.create_task(self._feed(worker, slot)),
            asyncio.create_task(self._fetch(worker, slot)),
        ]
        try:
            ended, _ = await asyncio.wait(loops, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        finally:
            for task in loops:
                task.cancel()
            await asyncio.gather(*loops, return_exceptions=True)

    async def _fetch(self, worker: Worker, slot: _Slot) -> None:
        while True:
            self._settle_jobs(await worker.take(), slot)

    def _settle_jobs(self, finished: Finished, slot: _Slot) -> None:
        slot.fruitless = 0
        if finished.pause_s:
            self.paused_until = asyncio.get_running_loop().time() + finished.pause_s
        for number, outcome in finished.outcomes:
            job = slot.held.pop(number, None)
            if job is None or job.reply.done():
                continue
            if isinstance(outcome, Reply):
                job.reply.set_result(outcome)
            else:
                job.reply.set_exception(outcome)
        slot.room.set()

    async def _feed(self, worker: Worker, slot: _Slot) -> None:
        while True:
            await slot.room.wait()
            await self._queued.wait()
            # What follows on the last replies comes within a moment: it travels together.
            await asyncio.sleep(self._pooling.gather_s / 10)
            jobs = self._share(slot)
            for job in jobs:
                job.worker = worker
                slot.held[job.number] = job
            if jobs:
                await worker.put([(job.number, job.task, job.draw) for job in jobs])

    def _share(self, slot: _Slot) -> list[_Job]:
        """What a worker with room is given: no more than leaves the others their part."""
        room = self._pooling.room - len(slot.held)
        fair = -(-len(self._queue) // self._pooling.workers)
        n_jobs, jobs = max(0, min(room, max(fair, self._pooling.room // 4))), list[_Job]()
        while self._queue and len(jobs) < n_jobs:
            job = self._queue.popleft()
            if not job.reply.done():
                jobs.append(job)
        if not self._queue:
            self._queued.clear()
        if len(jobs) >= room:
            slot.room.clear()
        return jobs

    def _forget(self, job: _Job) -> None:
        for slot in self._slots:  # the worker has room again, and does not say so
            if slot.held.pop(job.number, None):
                slot.room.set()
        if job.worker is not None:
            dropping = asyncio.ensure_future(_drop(job.worker, job.number))
            self._dropping.add(dropping)
            dropping.add_done_callback(self._dropping.discard)


async def _drop(worker: Worker, number: int) -> None:
    with contextlib.suppress(WorkerDied):
        await worker.drop(number)
