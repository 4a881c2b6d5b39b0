"""An LLM asked in batches: within a day, and at half the price.

The first request of every kind of task goes out at once and by itself: a wrong key or model, or an
option that the model does not take, shows in a second instead of after a day.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assay._middleware.budget import BudgetTracker
from assay._middleware.wrapper import Wrapper
from assay._store.integrity import reply_key
from assay.errors import Denied, InputError, Unavailable
from assay.judge import Backend, Capabilities, Reply, Task
from assay.judges.openai.batch_api import ENDPOINT, Line, Provider
from assay.judges.openai.batch_queue import BatchPolicy, BatchQueue
from assay.judges.openai.connection import encode
from assay.judges.openai.endpoint import Refusal, meaning
from assay.judges.openai.judge import Dialect, OpenAI, next_dialect

# Batches that a request is put into, while what became of it may be better another time.
MAX_ATTEMPTS = 3


class Batched(Wrapper):
    """A backend that hands its requests to the batch queue."""

    def __init__(
        self, model: "OpenAIBatch", at_once: Backend, queue: BatchQueue, budget: BudgetTracker
    ) -> None:
        super().__init__(model)
        self._model = model
        self._at_once = at_once
        self._queue = queue
        self._budget = budget
        self._tried: set[str] = set()
        self._trying: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._refused: Denied | None = None

    def under_way(self) -> str:
        """What is waited for, in words; "" if nothing is."""
        return self._queue.under_way()

    def stop(self) -> None:
        """Send nothing any more by itself."""
        self._at_once.stop()

    async def aclose(self) -> None:
        """Stop looking at batches; they go on."""
        await self._queue.aclose()

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply, when its batch has ended.

        Raises:
            OverBudget: If the request could exceed the budget.
            Denied: If the provider refuses.
            Unavailable: If no batch brought a reply to this request.
        """
        identity = self.identity(type(task)) or ""
        key = reply_key(identity, task, draw)
        if not self._queue.knows(key):
            first = await self._first(task, draw)
            if first is not None:
                return first
        reservation = await self._budget.reserve(task, identity)
        try:
            reply = await self._in_batches(key, task, draw)
        finally:
            self._budget.release(reservation)
        self._budget.record_reply(reply, reservation, sent=False)
        return reply

    async def _first(self, task: Task[Any], draw: int) -> Reply | None:
        """The reply to the first request of its kind; None to all others."""
        if task.kind in self._tried:
            return None
        async with self._trying[task.kind]:
            if task.kind in self._tried:
                return None
            if self._refused is not None:
                raise self._refused
            try:
                reply = await self._at_once.reply(task, draw)
            except Denied as error:
                self._refused = error
                raise
            except Unavailable as error:
                if error.permanent:
                    raise
                fault = f"no batch was submitted, since a single request brought nothing: {error}"
                self._refused = Denied(f"{fault} -> the same command goes on from there")
                raise self._refused from error
            self._tried.add(task.kind)
            return reply

    async def _in_batches(self, key: str, task: Task[Any], draw: int) -> Reply:
        attempt = 1
        while True:
            line = await self._queue.ask(key, lambda: self._model.line(key, task, draw))
            try:
                return self._read_line(line, task, draw)
            except Unavailable as error:
                await self._budget.record_failure(
                    (self.identity(type(task)) or "", task, draw), error
                )
                if error.permanent or attempt == MAX_ATTEMPTS:
                    raise
            attempt += 1
            self._budget.usage.retries += 1

    def _read_line(self, line: Line, task: Task[Any], draw: int) -> Reply:
        if line.response is None:
            raise Unavailable(f"a batch did not answer this request: {line.error}")
        body = bytes(line.response.body)
        return self._model.read(line.response.status_code, body, task, draw)


DEFAULT_POLICY = BatchPolicy()


class OpenAIBatch(OpenAI):
    """An LLM behind OpenAI's Batch API, or one that speaks its protocol.

    In a run, requests gather and are handed in as batches; see `docs/batch.md`. It has the name of
    the same model asked at once, and the same replies: a run may go on either way. Outside of a
    run it is asked at once.

    Args:
        model: Model.
        quiet: Seconds without a new request after which those that wait are handed in.
        poll: Longest time between two looks at a batch, in seconds.
        most: Requests in a batch, at most.
        options: As for `OpenAI`.

    Raises:
        InputError: If it is an Azure deployment, whose batches are another service.
    """

    def __init__(
        self,
        model: str,
        *,
        quiet: float = DEFAULT_POLICY.quiet,
        poll: float = DEFAULT_POLICY.poll,
        most: int = DEFAULT_POLICY.most,
        **options: Any,
    ) -> None:
        super().__init__(model, **options)
        if not (quiet > 0 and poll > 0 and most > 0):
            raise InputError("quiet, poll and most are to be above 0")
        self.policy = BatchPolicy(quiet, poll, most)
        if "/openai/deployments/" in self._connection.endpoint.url:
            fault = "openai-batch: cannot ask an Azure deployment"
            raise InputError(fault, "take openai:, or give Azure's v1 address with --base-url")

    @property
    def capabilities(self) -> Capabilities:
        """It is asked in batches."""
        return replace(super().capabilities, batch_size=self.policy.most)

    def in_batches(self, batches: Any, at_once: Backend, budget: Any) -> Backend:
        """The same model asked in batches.

        Args:
            batches: Where batches are remembered.
            at_once: This, within limits.
            budget: What may be spent.
        """
        provider = Provider(self._connection, self.model, wait=min(1.0, self.policy.poll))
        return Batched(self, at_once, BatchQueue(provider, batches, self.policy), budget)

    def line(self, key: str, task: Task[Any], draw: int) -> bytes:
        """A request as a line of a batch's file, without its end."""
        body = self._body_of(task, draw)(self._dialect)
        return encode({"custom_id": key, "method": "POST", "url": ENDPOINT, "body": body})

    def read(self, status: int, body: bytes, task: Task[Any], draw: int) -> Reply:
        """The reply in what a batch brought for a request.

        Raises:
            Denied: If key, quota or model was refused.
            Unavailable: If there is no reply in it.
        """
        pieces = self._prompt_pieces(task)
        answer = self._read_response(status, body, {}, "".join(pieces))
        if isinstance(answer, Refusal):
            error = meaning(answer, self._connection.endpoint, self.model)
            if isinstance(error, Unavailable) and self._learns(answer, self._body_of(task, draw)):
                error.permanent = False
            raise error
        return self.replied(task, draw, pieces, answer)

    def _body_of(self, task: Task[Any], draw: int) -> Callable[[Dialect], dict[str, Any]]:
        template = self.template(type(task))
        schema = task.schema_for(template) if template else task.schema
        prompt, form = "".join(self._prompt_pieces(task)), (task.kind, schema)
        return lambda dialect: self._body(dialect, prompt, form, draw)

    def _learns(self, refusal: Refusal, body: Callable[[Dialect], dict[str, Any]]) -> bool:
        """Whether the request can be made in another way, in the next batch."""
        dialect = next_dialect(self._dialect, refusal, body)
        if dialect is None:  # another line may have told already
            return next_dialect(Dialect(), refusal, body) is not None
        self._dialect = dialect
        return True

    def _prompt_pieces(self, task: Task[Any]) -> tuple[str, ...]:
        return task.pieces(self.template(type(task)))
