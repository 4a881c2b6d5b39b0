"""How is an LLM asked in batches: within a day, and at half the price?"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assay.backends.batch.batched import Batched
from assay.backends.batch.desk import Desk
from assay.backends.batch.provider import ENDPOINT, Line, Provider
from assay.backends.batch.requests import Habits
from assay.backends.openai import Dialect, OpenAI, next_dialect
from assay.backends.openai_connection import encode
from assay.backends.openai_http import Refusal, meaning
from assay.backends.spending import Purse
from assay.errors import InputError, Unavailable
from assay.judge import Backend, Capabilities, Reply, Task
from assay.store.batches import Batches

USUAL = Habits()


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
        quiet: float = USUAL.quiet,
        poll: float = USUAL.poll,
        most: int = USUAL.most,
        **options: Any,
    ) -> None:
        super().__init__(model, **options)
        if not (quiet > 0 and poll > 0 and most > 0):
            raise InputError("quiet, poll and most are to be above 0")
        self.habits = Habits(quiet, poll, most)
        if "/openai/deployments/" in self._connection.endpoint.url:
            what = "openai-batch: cannot ask an Azure deployment"
            raise InputError(what, "take openai:, or give Azure's v1 address with --base-url")

    @property
    def capabilities(self) -> Capabilities:
        """It is asked in batches."""
        return replace(super().capabilities, batch_size=self.habits.most)

    def in_batches(self, batches: Batches, at_once: Backend, budget: Purse) -> Batched:
        """The same model asked in batches.

        Args:
            batches: Where batches are remembered.
            at_once: This, within limits.
            budget: What may be spent.
        """
        provider = Provider(self._connection, self.model, wait=min(1.0, self.habits.poll))
        return Batched(self, at_once, Desk(provider, batches, self.habits), budget)

    def line(self, key: str, task: Task[Any], draw: int) -> bytes:
        """A request as a line of a batch's file, without its end."""
        body = self._asked(task, draw)(self._dialect)
        return encode({"custom_id": key, "method": "POST", "url": ENDPOINT, "body": body})

    def read(self, line: Line, task: Task[Any], draw: int) -> Reply:
        """The reply in a line that a batch brought.

        Raises:
            Denied: If key, quota or model was refused.
            Unavailable: If there is no reply in it.
        """
        if line.response is None:
            raise Unavailable(f"a batch did not answer this request: {line.error}")
        pieces = self._pieces(task)
        status, body = line.response.status_code, bytes(line.response.body)
        answer = self._heard(status, body, {}, "".join(pieces))
        if isinstance(answer, Refusal):
            error = meaning(answer, self._connection.endpoint, self.model)
            if isinstance(error, Unavailable) and self._learns(answer, self._asked(task, draw)):
                error.permanent = False
            raise error
        return self.replied(task, draw, pieces, answer)

    def _asked(self, task: Task[Any], draw: int) -> Callable[[Dialect], dict[str, Any]]:
        prompt, form = "".join(self._pieces(task)), (task.kind, task.schema)
        return lambda dialect: self._body(dialect, prompt, form, draw)

    def _learns(self, refusal: Refusal, body: Callable[[Dialect], dict[str, Any]]) -> bool:
        """Whether the request can be made in another way, in the next batch."""
        found = next_dialect(self._dialect, refusal, body)
        if found is None:  # another line may have told already
            return next_dialect(Dialect(), refusal, body) is not None
        self._dialect = found
        return True

    def _pieces(self, task: Task[Any]) -> tuple[str, ...]:
        return task.pieces(self.template(type(task)))
