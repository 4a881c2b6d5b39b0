"""The batch queue: which requests go into a batch together, and who gets which of its replies.

Every batch is in the store before it is submitted, so that whoever comes later, after a kill or
days, waits for it instead of asking again.
"""

import asyncio
import tempfile
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from assay._store.judges import Batch, Batches
from assay.errors import Denied, Unavailable
from assay.judges.openai.batch_api import ENDED, Fault, Line, Provider, State


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """When batches are submitted and looked at, and how large they are."""

    quiet: float = 5.0  # seconds without a new request after which those that wait are handed in
    poll: float = 60.0  # longest time between two looks at a batch, in seconds
    most: int = 50_000  # requests in a batch, at most
    most_bytes: int = 200_000_000  # bytes of a batch's file, at most


@dataclass(eq=False, slots=True)
class Request:
    """Something asked, and who waits for it."""

    key: str  # what it is called in the batch
    line: Callable[[], bytes]  # makes its line of the batch's file
    answer: asyncio.Future[Line]  # what came of it

    def settle(self, line: Line) -> None:
        """Hand over what came."""
        if not self.answer.done():
            self.answer.set_result(line)

    def refuse(self, error: BaseException) -> None:
        """Say why nothing will come."""
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(eq=False, slots=True)
class Submitted:
    """A batch that was handed in, now or by an earlier start."""

    record: Batch  # what the store knows of it
    number: int = 0  # its number in this process, 0 while nobody waits for it
    waiting: dict[str, Request] = field(default_factory=dict)  # requests that wait for it
    arrived: dict[str, Line] = field(default_factory=dict)  # replies that nobody asked for yet
    done: int = 0  # how many requests the provider has dealt with
    follower: asyncio.Task[None] | None = None  # what looks at it until it has ended


def write(path: Path, rest: deque[Request], most: int, most_bytes: int) -> list[Request]:
    """Write as many requests as fit into one batch, at least one; they leave the queue."""
    requests: list[Request] = []
    with path.open("wb") as file:
        while rest and len(requests) < most:
            line = rest[0].line() + b"\n"
            if requests and file.tell() + len(line) > most_bytes:
                break
            file.write(line)
            requests.append(rest.popleft())
    return requests


# A provider that cannot be reached for so long is not waited for any more.
UNREACHABLE_S = 3600.0
# The first look at a batch comes after this share of the longest time between two looks.
FIRST_LOOK = 1 / 12
SLOWER = 1.5
# Requests that never stop coming are handed in after so many times the quiet that was hoped for.
LONGEST_GATHERING = 120
TOO_MANY = "token_limit_exceeded"
GOES_ON = "the same command goes on from there"


class BatchQueue:
    """Where requests are handed in and replies are handed out."""

    def __init__(self, provider: Provider, batches: Batches, policy: BatchPolicy) -> None:
        self._provider = provider
        self._batches = batches
        self._policy = policy
        self._most = policy.most
        self._one_by_one = False
        self._by_key: dict[str, Submitted] | None = None
        self._followed: list[Submitted] = []
        self._numbers = 0
        self._gathering: dict[str, Request] = {}
        self._news = 0
        self._submitting: list[Request] = []
        self._gatherer: asyncio.Task[None] | None = None
        self._refused: Denied | None = None
        self._trouble = ""

    def knows(self, key: str) -> bool:
        """Whether this was handed in before."""
        return key in self._submitted_by_key()

    async def ask(self, key: str, line: Callable[[], bytes]) -> Line:
        """What came of a request: from a batch that has it already, else from the next one.

        Raises:
            Denied: If batches are refused, or the batch was cancelled.
        """
        batch = self._submitted_by_key().get(key)
        if batch is not None and key in batch.arrived:
            del self._submitted_by_key()[key]
            return batch.arrived.pop(key)
        if batch is None and self._refused is not None:
            raise self._refused
        request = Request(key, line, asyncio.get_running_loop().create_future())
        if batch is not None:
            batch.waiting[key] = request
            self._start_following(batch)
        else:
            self._gather([request])
        return await request.answer

    async def aclose(self) -> None:
        """Stop looking; batches go on at the provider, and the store knows of them."""
        tasks = [batch.follower for batch in self._followed if batch.follower]
        tasks += [self._gatherer] if self._gatherer else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._batches.clean()

    def under_way(self) -> str:
        """What is waited for, in words; "" if nothing is."""
        phrases = []
        if batches := self._followed:
            first, last = batches[0].number, max(batch.number for batch in batches)
            n_done = sum(batch.done for batch in batches)
            n_requests = sum(len(batch.record.keys) for batch in batches)
            waited = _clock(time.time() - min(batch.record.at for batch in batches))
            name = f"batch {first}" if len(batches) == 1 else f"batches {first} to {last}"
            phrases.append(f"{name}: {n_done:,} of {n_requests:,} done, waiting {waited}")
        if n := len(self._gathering) + sum(not r.answer.done() for r in self._submitting):
            phrases.append(f"{n:,} requests to be submitted")
        return "; ".join([*phrases, *([self._trouble] if self._trouble else [])])

    def _submitted_by_key(self) -> dict[str, Submitted]:
        if self._by_key is None:
            open_ = [Submitted(record) for record in self._batches.open()]
            self._by_key = {key: batch for batch in open_ for key in batch.record.keys}
        return self._by_key

    # Gathering and handing in

    def _gather(self, requests: Iterable[Request]) -> None:
        self._gathering |= {request.key: request for request in requests}
        self._news += 1
        if self._gatherer is None and self._gathering:
            self._gatherer = asyncio.create_task(self._submit_when_quiet())
            self._gatherer.add_done_callback(self._gatherer_ended)

    def _gatherer_ended(self, task: asyncio.Task[None]) -> None:
        self._gatherer = None
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._gather([])  # what came while it ended
            return
        self._refused = error if isinstance(error, Denied) else self._refused
        for request in (*self._submitting, *self._gathering.values()):
            if request.key not in self._submitted_by_key():
                request.refuse(error)
        self._submitting, self._gathering = [], {}

    async def _submit_when_quiet(self) -> None:
        while self._gathering:
            until = time.monotonic() + LONGEST_GATHERING * self._policy.quiet
            news = -1
            while news != self._news and len(self._gathering) < self._most:
                if time.monotonic() > until:
                    break
                news = self._news
                await asyncio.sleep(self._policy.quiet)
            self._submitting, self._gathering = list(self._gathering.values()), {}
            remaining = deque(request for request in self._submitting if not request.answer.done())
            while remaining:
                await self._submit_next(remaining)
            self._submitting = []

    async def _submit_next(self, remaining: deque[Request]) -> None:
        while self._one_by_one and self._followed:
            await asyncio.wait([batch.follower for batch in self._followed if batch.follower])
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            path = Path(folder) / "requests.jsonl"
            max_requests, most_bytes = self._most, self._policy.most_bytes
            requests = await asyncio.to_thread(write, path, remaining, max_requests, most_bytes)
            await self._submit(path, requests)

    async def _submit(self, path: Path, requests: list[Request]) -> None:
        name = f"assay-{uuid.uuid4().hex}"
        keys = tuple(request.key for request in requests)
        await self._batches.begin(name, keys)
        try:
            state = await self._provider.submit(path, name)
        except Denied:
            await self._batches.owes(name, ())
            raise
        except Unavailable as error:
            raise Denied(f"no batch could be submitted: {error} -> {GOES_ON}") from error
        await self._batches.submitted(name, state.id)
        batch = Submitted(Batch(name, state.id, keys, int(time.time())))
        batch.waiting = {request.key: request for request in requests}
        self._submitted_by_key().update(dict.fromkeys(keys, batch))
        self._start_following(batch)

    # Waiting and handing out

    def _start_following(self, batch: Submitted) -> None:
        if batch.follower is None:
            self._numbers += 1
            batch.number = self._numbers
            self._followed.append(batch)
            batch.follower = asyncio.create_task(self._follow_to_end(batch))
            batch.follower.add_done_callback(lambda task: self._follower_ended(batch, task))

    def _follower_ended(self, batch: Submitted, task: asyncio.Task[None]) -> None:
        self._followed.remove(batch)
        batch.follower = None
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        self._refused = error if isinstance(error, Denied) else self._refused
        for request in batch.waiting.values():
            request.refuse(error)
        batch.waiting.clear()

    async def _follow_to_end(self, batch: Submitted) -> None:
        try:
            provider = batch.record.provider or await self._find_id(batch)
            if not provider:  # an earlier start was stopped before it had handed it in
                self._gather(await self._abandon(batch))
                return
            state = await self._until_ended(provider, batch)
            if state.status == "failed":
                await self._failed(batch, state)
            else:
                await self._distribute(batch, state)
        except Unavailable as error:
            raise Denied(f"the replies of a batch cannot be had: {error} -> {GOES_ON}") from error

    async def _find_id(self, batch: Submitted) -> str:
        state = await self._provider.find(batch.record.name, batch.record.at)
        if state is None:
            return ""
        await self._batches.submitted(batch.record.name, state.id)
        return state.id

    async def _abandon(self, batch: Submitted) -> list[Request]:
        """Forget a batch that will bring nothing; what waits for it."""
        await self._batches.owes(batch.record.name, ())
        for key in batch.record.keys:
            self._submitted_by_key().pop(key, None)
        waiting = list(batch.waiting.values())
        batch.waiting.clear()
        return waiting

    async def _until_ended(self, provider: str, batch: Submitted) -> State:
        wait, reached = self._policy.poll * FIRST_LOOK, time.monotonic()
        while True:
            try:
                state = await self._provider.look(provider)
            except Unavailable as error:
                if error.permanent or time.monotonic() - reached > UNREACHABLE_S:
                    raise
                self._trouble = str(error)
            else:
                reached, self._trouble = time.monotonic(), ""
                if counts := state.request_counts:
                    batch.done = counts.completed + counts.failed
                if state.status in ENDED:
                    return state
            await asyncio.sleep(wait)
            wait = min(self._policy.poll, wait * SLOWER)

    async def _failed(self, batch: Submitted, state: State) -> None:
        """The provider took none of it: because there is too much of it, or for good."""
        if state.fault.code != TOO_MANY or len(batch.record.keys) == 1:
            error = Denied(f"batch {state.id} was refused: {state.fault} -> {GOES_ON}")
            for request in await self._abandon(batch):
                request.refuse(error)
            raise error
        self._most = max(1, min(self._most, len(batch.record.keys) // 2))
        self._one_by_one = True
        waiting = await self._abandon(batch)
        self._gather(waiting)

    async def _distribute(self, batch: Submitted, state: State) -> None:
        arrived, missing = [], set(batch.record.keys)
        async for line in self._provider.lines(state):
            undone = line.response is None and state.status == "cancelled"
            if line.custom_id in missing and not undone:
                missing.remove(line.custom_id)
                arrived += [line.custom_id] if line.good else []
                self._deliver(batch, line)
        await self._batches.owes(batch.record.name, arrived)
        if missing and state.status == "cancelled":
            self._forget(missing)
            raise Denied(
                f"batch {state.id} was cancelled at the provider; what it had done was taken -> "
                "the same command submits the rest anew"
            )
        for key in missing:
            fault = Fault(state.status, "the batch brought no line for it")
            self._deliver(batch, Line(key, error=fault))

    def _deliver(self, batch: Submitted, line: Line) -> None:
        request = batch.waiting.pop(line.custom_id, None)
        if request is None and line.good:
            batch.arrived[line.custom_id] = line  # somebody will ask
            return
        self._forget([line.custom_id])
        if request is not None:
            request.settle(line)

    def _forget(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._submitted_by_key().pop(key, None)


def _clock(seconds: float) -> str:
    whole_seconds = max(0, int(seconds))
    return f"{whole_seconds // 3600:02}:{whole_seconds // 60 % 60:02}:{whole_seconds % 60:02}"
