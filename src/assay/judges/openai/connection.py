"""Requests to an OpenAI-compatible server, and errors where no response comes back."""

import asyncio
import math
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec

from assay._middleware.concurrency import PerLoop
from assay._text.sanitize import one_line, whole
from assay.errors import Denied, InputError, TimedOut, Unavailable
from assay.judges.openai.endpoint import (
    OPENAI_URL,
    Endpoint,
    nothing_left,
    ollama_url,
    proxy_remedy,
)

# Nobody there: found out sooner than that an answer takes long.
CONNECT_S = 15.0
_MAX_REASON = 300  # characters of why a connection failed


class Connection:
    """One connection pool for each event loop that it is used from.

    Args:
        endpoint: Where the server is.
        timeout: Seconds a request may take in all, None for no bound.

    Raises:
        InputError: If the environment names a proxy by what is no address.

    Attributes:
        paused_until: When the server takes requests again, as its headers said (loop's clock).
    """

    def __init__(self, endpoint: Endpoint, timeout: float | None) -> None:
        _check_proxies(endpoint)
        self.endpoint = endpoint
        self.paused_until = -math.inf
        self._seconds = timeout
        self._reached = False
        self._pools = PerLoop(partial(_Pool, endpoint.headers, timeout))

    async def post(self, path: str, body: bytes) -> tuple[int, bytes, Mapping[str, str]]:
        """Status, body and headers of the reply.

        Raises:
            Unavailable: If none came.
            Denied: If the address is wrong, or a key is needed and there is none.
        """
        async with self.request("POST", path, data=body) as response:
            if pause := nothing_left(response.headers):
                self.paused_until = asyncio.get_running_loop().time() + pause
            return response.status, await response.read(), response.headers

    def is_to_ollama(self, model: str) -> None:
        """Let messages say that it is Ollama that serves the model."""
        self.endpoint = replace(self.endpoint, ollama=model)

    @asynccontextmanager
    async def request(
        self, method: str, path: str, **sent: Any
    ) -> AsyncGenerator[aiohttp.ClientResponse, None]:
        """A response whose body can be read; what aiohttp raises until it is left becomes ours.

        Raises:
            Unavailable: If none came, or not all of it.
            Denied: If the address is wrong, or a key is needed and there is none.
        """
        place = self.endpoint.place
        if self.endpoint.url == OPENAI_URL and not self.endpoint.headers:
            # Known before the call: no time is lost on finding out.
            raise Denied(
                f"{place} needs a key -> set OPENAI_API_KEY, or name a server of your own with "
                "OPENAI_BASE_URL or --base-url"
            )
        session = await self._pools.get().open()
        status = 0
        try:
            # A redirect would carry the key to wherever it points, and lose the body.
            async with session.request(
                method, self.endpoint.at(path), allow_redirects=False, **sent
            ) as response:
                self._reached, status = True, response.status
                yield response
        except aiohttp.ConnectionTimeoutError as error:
            self._see_ollama(f"nobody there within {CONNECT_S:g} s", error)
            fault = f"connection to {place} failed: nobody there within {CONNECT_S:g} s"
            raise TimedOut(fault, unreached=True) from error
        except TimeoutError as error:
            within = f"within {self._seconds:g} s" if self._seconds else "in time"
            raise TimedOut(f"no reply from {place} {within}") from error
        except aiohttp.InvalidURL as error:
            raise Denied(f"'{place}' is no address of a server -> check the base URL") from error
        except aiohttp.ClientConnectorCertificateError as error:
            fault = f"the certificate of {place} is not trusted: {error.certificate_error}"
            remedy = "name the file of who signed it in SSL_CERT_FILE"
            raise Denied(f"{fault} -> {remedy}") from error
        except aiohttp.ClientHttpProxyError as error:
            fault = f"the proxy lets no call through to {place}: {error.status} {error.message}"
            if error.status in (403, 407):
                raise Denied(f"{fault} -> {proxy_remedy(error.status)}") from error
            raise Unavailable(fault, unreached=True) from error
        except aiohttp.ClientConnectorError as error:
            through = f" by the proxy {error.host}:{error.port}" * isinstance(
                error, aiohttp.ClientProxyConnectionError
            )
            self._see_ollama(str(error.os_error), error)
            fault = f"connection to {place}{through} failed: {error.os_error}"
            raise Unavailable(fault, unreached=True) from error
        except (aiohttp.ClientError, OSError) as error:
            fault = f"connection to {place} failed: {_reason(error)}"
            raise Unavailable(fault, broke_off=status == 200) from error

    def _see_ollama(self, reason: str, error: Exception) -> None:
        """See that it was there before, if this is Ollama: else it has to be started.

        Raises:
            Denied: If it never answered: no other call would either.
        """
        endpoint = self.endpoint
        if endpoint.ollama and not self._reached:
            fault = (
                f"ollama:{endpoint.ollama}: Ollama does not answer at {endpoint.place}: {reason}"
            )
            remedy = "start it: ollama serve; if it runs elsewhere, set OLLAMA_HOST"
            raise Denied(f"{fault} -> {remedy}") from error

    async def aclose(self) -> None:
        """Close the pool of the running loop; the next request opens another."""
        pool = self._pools.pop()
        if pool is not None:
            await pool.sessions.aclose()


def _reason(error: Exception) -> str:
    """Why a reply could not be read, without the status that aiohttp itself gives to that."""
    said = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
    return one_line(said, _MAX_REASON).removeprefix("400, message: ") or type(error).__name__


def _check_proxies(endpoint: Endpoint) -> None:
    if proxy_bypass(urlsplit(endpoint.url).hostname or ""):
        return
    for scheme in ("http", "https"):
        url = getproxies().get(scheme, "")
        if url and not _is_address(url):  # not shown: it may hold a password
            remedy = f"such as {scheme}_proxy=http://proxy:3128, or unset it"
            raise InputError(f"the proxy that {scheme}_proxy names is no address", remedy)


def _is_address(url: str) -> bool:
    try:
        split_url = urlsplit(url)
        return bool(split_url.scheme and split_url.hostname) and split_url.port != 0
    except ValueError:  # a port out of range, brackets without an end
        return False


class _Pool:
    # A loop closes its async generators when it ends (asyncio.run does so): a pool that nobody
    # closes is closed with its loop.
    def __init__(self, headers: Mapping[str, str], timeout: float | None) -> None:
        self.sessions = self._sessions(headers, timeout)
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = await anext(self.sessions)
        return self._session

    @staticmethod
    async def _sessions(
        headers: Mapping[str, str], seconds: float | None
    ) -> AsyncGenerator[aiohttp.ClientSession, None]:
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),  # `Limiter` bounds the requests in flight
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"Content-Type": "application/json", **headers},
            timeout=aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_S),
            # Looking for a proxy takes time in every request, so it is done only if there is one.
            trust_env=bool(getproxies()),
        ) as session:
            yield session


def encode(body: Mapping[str, Any]) -> bytes:
    """A request's body; half of a surrogate pair, which JSON cannot carry, becomes "?"."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(clean(body))


def clean(value: Any) -> Any:
    """A value of JSON, with "?" for each half of a surrogate pair in its texts."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, Mapping):
        return {clean(k): clean(v) for k, v in value.items()}
    return [clean(v) for v in value] if isinstance(value, list | tuple) else value


class Connected:
    """A model that is reached by a connection: on Ollama too, and until it is closed."""

    _connection: Connection

    @classmethod
    def ollama(cls, model: str, **options: Any) -> Self:
        """A model that Ollama serves on this machine, or where OLLAMA_HOST says."""
        connection = {"base_url": ollama_url(os.environ), "api_key": ""}
        served = cls(model, **{**connection, **options})  # type: ignore[call-arg]
        served._connection.is_to_ollama(model)
        return served

    @property
    def paused_until(self) -> float:
        """When the server takes requests again, as its headers said."""
        return self._connection.paused_until

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the next call opens new ones."""
        await self._connection.aclose()
