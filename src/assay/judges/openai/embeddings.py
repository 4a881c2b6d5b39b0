"""An embedding model behind an OpenAI-compatible server."""

import os
from collections.abc import Mapping
from typing import Any

import msgspec

from assay._text.sanitize import redacted_content
from assay.errors import Unavailable
from assay.judges.embedder import Embedder
from assay.judges.openai.completion import counted
from assay.judges.openai.connection import Connected, Connection, encode
from assay.judges.openai.endpoint import UNREADABLE, Endpoint, Refusal, meaning


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Embeddings(msgspec.Struct):
    data: list[_Item]
    usage: Any = None


_DECODER = msgspec.json.Decoder(_Embeddings)


class OpenAIEmbedder(Connected, Embedder):  # type: ignore[override]
    """An embedding model served the OpenAI way.

    In a run, texts that come within a few milliseconds are sent as one request, equal ones once.

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
        extra = msgspec.json.encode(self._extra_body, order="deterministic").decode()
        super().__init__(
            f"openai:{model}{endpoint.suffix}{'?' + extra if self._extra_body else ''}"
        )

    async def vectors(self, texts: list[str]) -> tuple[list[list[float]], int]:
        """A vector for each text; see `Embedder`."""
        body = {"model": self.model, "input": texts, "encoding_format": "float", **self._extra_body}
        status, content, headers = await self._connection.post("embeddings", encode(body))
        where = self._connection.endpoint
        if status != 200:
            refusal = meaning(Refusal.of(status, content, headers), where, self.model)
            if isinstance(refusal, Unavailable):
                refusal.cost = (0, 0)
            raise refusal
        try:
            response = _DECODER.decode(content)
        except UNREADABLE as error:
            what = f"{where.place} sent no embeddings but {redacted_content(content)[:80]!r}"
            raise Unavailable(what, cost=(0, 0)) from error
        tokens = counted(response.usage).prompt_tokens
        if tokens is None:
            tokens = sum(map(len, texts)) // 4
        by_index = {item.index: item.embedding for item in response.data}
        if sorted(by_index) != list(range(len(texts))):
            what = f"{where.place} sent {len(by_index)} of {len(texts)} embeddings"
            raise Unavailable(what, cost=(tokens, 0))
        return [by_index[i] for i in range(len(texts))], tokens
