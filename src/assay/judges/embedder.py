"""Base of backends that ask a model for embeddings, and the micro-batcher before them."""

import asyncio
import dataclasses
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay._middleware.concurrency import PerLoop, tell
from assay._middleware.wrapper import Wrapper
from assay.errors import Unavailable, Unsupported
from assay.judge import AttributeBackend, BackendLike, Reply, Task
from assay.prompt import InputText
from assay.tasks import Embed
from assay.tasks.embedding import Vector


@dataclass(frozen=True)
class EmbedTexts(Task[tuple[Vector, ...]]):
    """The embeddings of several texts: what an `Embedder` is sent. Metrics ask `Embed`."""

    texts: tuple[str, ...]  # the texts to embed

    def input_texts(self) -> Sequence[InputText]:
        """The texts."""
        return tuple([InputText("text", text) for text in self.texts])

    def read(self, raw: str) -> tuple[Vector, ...]:
        """The vectors in order; raises Unreadable as `Embed`."""
        pairs = zip(self.texts, replies(raw), strict=True)
        return tuple([Embed(text).read(line) for text, line in pairs])


def replies(raw: str) -> list[str]:
    """The replies to `Embed` that a reply to `EmbedTexts` is made of, a line each."""
    return raw.split("\n")


class Embedder(AttributeBackend):
    """Base of backends that ask a model for embeddings. They serve `Embed` and `EmbedTexts`.

    Args:
        name: Its name, with whatever could change a vector.
    """

    def __init__(self, name: str) -> None:
        self._name = name

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
        """Its name for embeddings, None for anything else."""
        return self._name if issubclass(kind, Embed | EmbedTexts) else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The embeddings of the task's texts.

        Raises:
            Unsupported: If the task asks for something else.
            JudgeError: If nothing came.
        """
        if not isinstance(task, Embed | EmbedTexts):
            raise Unsupported(f"{self.name} is an embedder and cannot serve '{task.kind}'")
        texts = (task.text,) if isinstance(task, Embed) else task.texts
        start = time.perf_counter()
        vectors, tokens = await self.vectors(list(texts))
        if len(vectors) != len(texts):
            raise Unavailable(f"{self.name} made {len(vectors)} of {len(texts)} embeddings")
        return Reply(
            pieces=texts,
            raw="\n".join(map(Embed.reply, vectors)),
            tokens_in=tokens,
            ms=(time.perf_counter() - start) * 1000,
            backend=self._name,
            kind=task.kind,
            draw=draw,
        )


GATHER_S = 0.003
MOST_TEXTS = 128

PendingEmbedding: TypeAlias = tuple[Embed, int, "asyncio.Future[Reply]"]


class MicroBatcher(Wrapper):
    """An embedder that is sent what comes within a few milliseconds as one request.

    It stands before the limits, so that a request with many texts counts as one, takes one turn,
    and is tried again as one.
    """

    def __init__(self, backend: BackendLike) -> None:
        super().__init__(backend)
        self._pending = PerLoop[list[PendingEmbedding]](list)
        # The loop keeps weak references only: a request without another one could vanish.
        self._in_flight: set[asyncio.Task[None]] = set()

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The embedding of the task's text.

        Raises:
            JudgeError: As the backend; of several texts that fail together, each is asked again
                in smaller company first.
        """
        if not isinstance(task, Embed):
            return await self._backend.reply(task, draw)
        loop, pending = asyncio.get_running_loop(), self._pending.get()
        if not pending:
            loop.call_later(GATHER_S, self._send, pending)
        future: asyncio.Future[Reply] = loop.create_future()
        pending.append((task, draw, future))
        if len(pending) >= MOST_TEXTS:
            self._send(pending)
        return await future

    async def aclose(self) -> None:
        """Give up what is on its way."""
        in_flight = list(self._in_flight)
        for task in in_flight:
            task.cancel()
        await asyncio.gather(*in_flight, return_exceptions=True)

    def _send(self, pending: list[PendingEmbedding]) -> None:
        batch = [item for item in pending if not item[2].done()]
        pending.clear()
        if batch:  # a full one was sent before its time
            sending = asyncio.ensure_future(self._deliver(batch))
            self._in_flight.add(sending)
            sending.add_done_callback(self._in_flight.discard)

    async def _deliver(self, batch: list[PendingEmbedding]) -> None:
        texts = tuple([task.text for task, _, _ in batch])
        try:
            reply = await self._backend.reply(EmbedTexts(texts))
        except BaseException as error:  # noqa: BLE001 - a mistake in code is told to all, too
            if len(batch) > 1 and isinstance(error, Unavailable) and not error.throttled:
                # One text is too long or blocked, say: the others must not suffer for it.
                half = len(batch) // 2
                await asyncio.gather(self._deliver(batch[:half]), self._deliver(batch[half:]))
                return
            for _, _, waiting in batch:
                tell(waiting, None, error)
            return
        # The server counts the batch; each text is given its share by length.
        total = sum(map(len, texts)) or 1
        for (task, draw, waiting), raw in zip(batch, replies(reply.raw), strict=True):
            share = round(reply.tokens_in * len(task.text) / total)
            tell(waiting, _for_one_task(reply, task, raw, share, draw), None)


def _for_one_task(reply: Reply, task: Embed, raw: str, tokens: int, draw: int) -> Reply:
    return dataclasses.replace(
        reply, pieces=(task.text,), raw=raw, tokens_in=tokens, kind=task.kind, draw=draw
    )
