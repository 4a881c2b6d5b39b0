"""A client object of the openai package as a backend.

Its key, address, transport and instrumentation are used as they are. What is asked, and how a
server's dialect is found out, is that of `assay.OpenAI`.
"""

import asyncio
import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from assay.errors import InputError, JudgeError
from assay.integrations.objects import awaited, blocking
from assay.judge import Backend
from assay.judges.openai.endpoint import Endpoint, nothing_left
from assay.judges.openai.judge import OpenAI, OpenAIEmbedder


class Client(OpenAI):
    """A model that a client object (OpenAI, AsyncOpenAI, or one of Azure) reaches.

    Args:
        client: The client.
        model: The model, or the Azure deployment.
        options: As for `assay.OpenAI`, without address, key, headers and time-out.
    """

    def __init__(self, client: Any, model: str, **options: Any) -> None:
        super().__init__(model, base_url=_url(client), api_key="", **options)
        self._connection = _ClientConnection(client, self._connection.endpoint)  # type: ignore[assignment]


class ClientEmbedder(OpenAIEmbedder):
    """An embedding model that a client object reaches; see `Client`."""

    def __init__(self, client: Any, model: str, **options: Any) -> None:
        super().__init__(model, base_url=_url(client), api_key="", **options)
        self._connection = _ClientConnection(client, self._connection.endpoint)  # type: ignore[assignment]


def backend(client: Any, model: str = "", **options: Any) -> Backend:
    """A back end that asks a model by a client object.

    Args:
        client: An OpenAI, AsyncOpenAI, AzureOpenAI or AsyncAzureOpenAI object.
        model: The model, or the Azure deployment.
        options: See `Client`.

    Raises:
        InputError: If no model is named, or the object is no such client.
    """
    _check(client, model, "backend")
    return Client(client, model, **options)


def embeddings(client: Any, model: str = "", **options: Any) -> Backend:
    """A back end that asks an embedding model by a client object; see `backend`."""
    _check(client, model, "embeddings")
    return ClientEmbedder(client, model, **options)


def check_client(client: Any) -> None:
    """Refuse what is no client of the openai package.

    Raises:
        InputError: If it is none.
    """
    if not hasattr(client, "chat") or not hasattr(client, "base_url"):
        fault = f"a {type(client).__name__} is not a client of the openai package"
        raise InputError(fault, "give an OpenAI or AsyncOpenAI object")


def _check(client: Any, model: str, function: str) -> None:
    check_client(client)
    if not model:
        remedy = f"name it: assay.integrations.openai.{function}(client, 'MODEL')"
        raise InputError(f"the client {type(client).__name__} does not say which model", remedy)


def _url(client: Any) -> str:
    return str(client.base_url).rstrip("/")


class _ClientConnection:
    """The client in the place of a connection: what it sends and gets is seen as it is."""

    def __init__(self, client: Any, endpoint: Endpoint) -> None:
        # Refusals come back at once, since a run has its own rule of when to ask again.
        self._client = client.with_options(max_retries=0)
        # The client has a key of its own, whatever messages may say of it.
        headers = {**endpoint.headers, "Authorization": ""}
        self.endpoint = Endpoint(endpoint.url, headers, endpoint.query, "the client's own")
        self.paused_until = -math.inf

    async def post(self, path: str, body: bytes) -> tuple[int, bytes, Mapping[str, str]]:
        """Status, body and headers of the reply.

        Raises:
            Unavailable: If none came.
        """
        fields = msgspec.json.decode(body)
        resource, required = _service(self._client, path)
        required_fields = {name: fields.pop(name) for name in required}
        # What else is sent goes into the body as it is: the package need not know of it.
        call = partial(resource.with_raw_response.create, **required_fields, extra_body=fields)
        try:
            if hasattr(self._client, "__aenter__"):
                raw = await awaited(self.endpoint.place, call())
            else:
                raw = await blocking(self.endpoint.place, call)
        except JudgeError as error:
            response = getattr(error.__cause__, "response", None)
            if response is None or not hasattr(response, "status_code"):
                raise
            return response.status_code, response.content, response.headers
        if pause := nothing_left(raw.headers):
            self.paused_until = asyncio.get_running_loop().time() + pause
        return raw.http_response.status_code, raw.http_response.content, raw.headers

    async def aclose(self) -> None:
        """Nothing: the client is the user's, and stays open."""


def _service(client: Any, path: str) -> tuple[Any, tuple[str, ...]]:
    """Whom the client asks at this path, and with which arguments by name."""
    if path == "embeddings":
        return client.embeddings, ("input", "model", "encoding_format")
    return client.chat.completions, ("messages", "model")
