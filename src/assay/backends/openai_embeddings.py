"""Where does an OpenAI-compatible server put a text in its embedding space?"""

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from assay.backends.openai_http import (
    Connection,
    Endpoint,
    Refusal,
    encode,
    meaning,
    ollama_url,
)
from assay.backends.per_loop import PerLoop
from assay.errors import JudgeError, Unavailable, Unsupported
from assay.judge import Reply, Task
from assay.tasks import Embed, embed

GATHER_S = 0.003
MOST_TEXTS = 128


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0


class _Embeddings(msgspec.Struct):
    data: list[_Item]
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Embeddings)


@dataclass
class _Batch:
    # Texts that wait to be sent together; equal ones share a future.
    texts: dict[str, asyncio.Future[tuple[list[float], int]]] = field(default_factory=dict)


class OpenAIEmbedder:
    """An embedding model served the OpenAI way; it serves the `Embed` task and no other.

    Requests that come within a few milliseconds are sent as one, equal texts once.

    Args:
        model: Model, or Azure deployment.
        base_url: Base URL, else from the environment as for `OpenAI`.
        api_key: Key, else from the environment; "" sends none.
        timeout: Seconds a call may take; None leaves it to `Limits`, which bounds all calls of a
            run.
        headers: Further headers. They are not part of the name.
        extra_body: Further fields of the request (``dimensions``, say).
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float | None = None,
        headers: Mapping[str, str] | None = None,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self._extra_body = dict(extra_body or {})
        endpoint = Endpoint.find(os.environ, model, base_url, api_key, headers or {})
        self._connection = Connection(endpoint, timeout)
        self._waiting = PerLoop(_Batch)
        # The loop keeps weak references only: a request without another one could vanish.
        self._sending: set[asyncio.Task[None]] = set()
        extra = msgspec.json.encode(self._extra_body, order="deterministic").decode()
        self._name = f"openai:{model}{endpoint.suffix}{'?' + extra if self._extra_body else ''}"

    @classmethod
    def ollama(cls, model: str, **options: Any) -> "OpenAIEmbedder":
        """A model that Ollama serves on this machine, or where OLLAMA_HOST says."""
        return cls(model, **{"base_url": ollama_url(os.environ), "api_key": "", **options})

    @property
    def name(self) -> str:
        """``openai:MODEL`` and whatever is not default and could change a vector."""
        return self._name

    @property
    def paused_until(self) -> float:
        """When the server takes requests again, as its headers said (the loop's clock)."""
        return self._connection.paused_until

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

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the next call opens new ones."""
        await self._connection.aclose()

    def _enqueue(self, text: str) -> asyncio.Future[tuple[list[float], int]]:
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

    async def _deliver(self, texts: Mapping[str, asyncio.Future[tuple[list[float], int]]]) -> None:
        try:
            vectors, tokens = await self._post(list(texts))
        except JudgeError as error:
            if len(texts) > 1 and isinstance(error, Unavailable) and error.permanent:
                # One text is too long or blocked, say: the others must not suffer for it.
                pairs = list(texts.items())
                for part in (pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]):
                    await self._deliver(dict(part))
                return
            for future in texts.values():
                _settle(future, error)
            return
        # The server counts the batch; each text is given its share by length.
        whole = sum(map(len, texts)) or 1
        for (text, future), vector in zip(texts.items(), vectors, strict=True):
            _settle(future, (vector, round(tokens * len(text) / whole)))

    async def _post(self, texts: list[str]) -> tuple[list[list[float]], int]:
        body = {"model": self.model, "input": texts, "encoding_format": "float", **self._extra_body}
        status, content, headers = await self._connection.post("embeddings", encode(body))
        where = self._connection.endpoint
        if status != 200:
            raise meaning(Refusal.of(status, content, headers), where, self.model)
        try:
            found = _DECODER.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Unavailable(f"{where.place} sent no embeddings but {content[:80]!r}") from error
        by_index = {item.index: item.embedding for item in found.data}
        if sorted(by_index) != list(range(len(texts))):
            raise Unavailable(f"{where.place} sent {len(by_index)} of {len(texts)} embeddings")
        tokens = found.usage.prompt_tokens if found.usage else sum(map(len, texts)) // 4
        return [by_index[i] for i in range(len(texts))], tokens


def _settle(
    future: asyncio.Future[tuple[list[float], int]],
    result: tuple[list[float], int] | JudgeError,
) -> None:
    if future.done():
        return
    if isinstance(result, JudgeError):
        future.set_exception(result)
        future.exception()  # whoever asked may be gone: an error that nobody awaits is no news
    else:
        future.set_result(result)
