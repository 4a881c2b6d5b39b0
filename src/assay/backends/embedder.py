"""How are texts that are to be embedded gathered, so that one request carries many of them?"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from assay.backends.per_loop import PerLoop
from assay.errors import Unavailable, Unsupported
from assay.judge import Reply, Task
from assay.tasks import Embed, embed

GATHER_S = 0.003
MOST_TEXTS = 128

Answer: TypeAlias = tuple[Sequence[float], int]


@dataclass
class _Batch:
    # Texts that wait to be sent together; equal ones share a future.
    texts: dict[str, asyncio.Future[Answer]] = field(default_factory=dict)


class Embedder(ABC):
    """Base of back ends that ask a model for embeddings; it serves the `Embed` task and no other.

    Requests that come within a few milliseconds are sent as one, equal texts once.

    Args:
        name: Its name, with whatever could change a vector.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._waiting = PerLoop(_Batch)
        # The loop keeps weak references only: a request without another one could vanish.
        self._sending: set[asyncio.Task[None]] = set()

    @abstractmethod
    async def vectors(self, texts: list[str]) -> tuple[Sequence[Sequence[float]], int]:
        """A vector for each text, in order, and the tokens that were read in all.

        Raises:
            JudgeError: If nothing came.
        """

    @property
    def name(self) -> str:
        """Who embeds, and whatever is not default and could change a vector."""
        return self._name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name for `Embed`, None for anything else."""
        return self._name if issubclass(kind, Embed) else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The embedding of the task's text.

        Raises:
            Unsupported: If the task is not `Embed`.
            JudgeError: If nothing came.
        """
        if not isinstance(task, Embed):
            raise Unsupported(f"{self.name} is an embedder and cannot serve '{task.kind}'")
        start = time.perf_counter()
        # Shielded, since others may wait for the same text when this one is cancelled.
        vector, tokens = await asyncio.shield(self._enqueue(task.text))
        return Reply(
            pieces=(task.text,),
            raw=embed.reply(vector),
            tokens_in=tokens,
            ms=(time.perf_counter() - start) * 1000,
            backend=self._name,
            kind=task.kind,
            draw=draw,
        )

    def _enqueue(self, text: str) -> asyncio.Future[Answer]:
        loop = asyncio.get_running_loop()
        batch = self._waiting.get()
        if not batch.texts:
            loop.call_later(GATHER_S, self._send, batch)
        future = batch.texts.setdefault(text, loop.create_future())
        if len(batch.texts) >= MOST_TEXTS:
            self._send(batch)
        return future

    def _send(self, batch: _Batch) -> None:
        texts, batch.texts = batch.texts, {}
        if texts:  # a full batch was sent before its time
            task = asyncio.ensure_future(self._deliver(texts))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _deliver(self, texts: Mapping[str, asyncio.Future[Answer]]) -> None:
        asked = asyncio.ensure_future(self._asked(list(texts)))
        try:
            await asyncio.wait((asked,))
        finally:
            asked.cancel()
        # Whatever it is, a mistake in code too: it is told to all who wait.
        if error := asked.exception():
            if len(texts) > 1 and isinstance(error, Unavailable) and error.permanent:
                # One text is too long or blocked, say: the others must not suffer for it.
                pairs = list(texts.items())
                for part in (pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]):
                    await self._deliver(dict(part))
                return
            for future in texts.values():
                _settle(future, error)
            return
        made, tokens = asked.result()
        # The server counts the batch; each text is given its share by length.
        whole = sum(map(len, texts)) or 1
        for text, vector in made:
            _settle(texts[text], (vector, round(tokens * len(text) / whole)))

    async def _asked(self, texts: list[str]) -> tuple[list[tuple[str, Sequence[float]]], int]:
        vectors, tokens = await self.vectors(texts)
        return list(zip(texts, vectors, strict=True)), tokens


def _settle(future: asyncio.Future[Answer], result: Answer | BaseException) -> None:
    if future.done():
        return
    if isinstance(result, BaseException):
        future.set_exception(result)
        future.exception()  # whoever asked may be gone: an error that nobody awaits is no news
    else:
        future.set_result(result)
