"""How is an OpenAI-compatible server reached, and what does it mean when it refuses?"""

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import aiohttp
import msgspec

from assay.backends.per_loop import PerLoop
from assay.backends.waits import nothing_left, retry_after
from assay.errors import Denied, InputError, JudgeError, TooLong, Unavailable

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://localhost:11434/v1"
AZURE_VERSION = "2024-10-21"
# Nobody there: found out sooner than that an answer takes long.
CONNECT_S = 15.0

_NO_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
_BLOCKED = re.compile(
    r"moderat|flagged|content[_ ](?:filter|(?:management )?policy)", re.IGNORECASE
)
_BAD_KEY = re.compile(r"(?:invalid|incorrect|expired|missing|not valid)\W.{0,40}api[ _-]?key|"
                      r"api[ _-]?key\b.{0,40}(?:invalid|incorrect|expired|missing|not valid)",
                      re.IGNORECASE)  # fmt: skip
# What a body may be that is no JSON, or JSON nested deeper than anything can read.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_NO_MODEL = ("model_not_found", "DeploymentNotFound", "unknown_model")


@dataclass(frozen=True)
class Endpoint:
    """Where a server is and how it wants to be addressed. The environment is read by `find` only.

    Attributes:
        url: Base URL, without a slash at its end.
        headers: Sent with every request; the key is in here and nowhere else.
        query: Appended to every URL (Azure's api-version).
        key_from: Which variable or argument the key comes from, for messages.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: str = ""
    key_from: str = "OPENAI_API_KEY"

    @classmethod
    def find(
        cls,
        environ: Mapping[str, str],
        model: str,
        base_url: str | None,
        api_key: str | None,
        headers: Mapping[str, str],
    ) -> "Endpoint":
        """The endpoint that arguments and environment describe; arguments win.

        Args:
            environ: The environment's variables.
            model: The model, or the name of an Azure deployment.
            base_url: The base URL, None to take it from the environment.
            api_key: The key, None to take it from the environment, "" for none.
            headers: Further headers.

        Raises:
            InputError: If the URL is none, or no header can hold the key.
        """
        url = (base_url or environ.get("OPENAI_BASE_URL") or "").rstrip("/")
        azure = environ.get("AZURE_OPENAI_ENDPOINT", "").rstrip("/")
        if not url and azure and not environ.get("OPENAI_API_KEY"):
            url = f"{azure}/openai/deployments/{model}"
        url = url or OPENAI_URL
        _check_url(url)
        parts = urlsplit(url)
        if parts.port == 11434 and parts.path in ("", "/"):
            url += "/v1"  # Ollama, given as its own documentation gives it
        name, own = "OPENAI_API_KEY", environ.get("OPENAI_API_KEY", "")
        azure_name = "AZURE_OPENAI_API_KEY"
        if is_azure(url) and azure_name in environ:
            name, own = azure_name, environ[azure_name]
        key = _checked(own, name) if api_key is None else _checked(api_key, "api_key=")
        if not is_azure(url):
            sent = {"Authorization": f"Bearer {key}"} if key else {}
            return cls(url, {**sent, **headers})
        sent = {"api-key": key} if key else {}
        version = environ.get("OPENAI_API_VERSION", AZURE_VERSION)
        dated = "/openai/deployments/" in url and "?" not in url
        query = f"?api-version={version}" if dated else ""
        return cls(url, {**sent, **headers}, query, azure_name)

    @cached_property
    def place(self) -> str:
        """Host, port and path: what of the URL may stand in a name, so neither user nor query."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.hostname or ''}{port}{parts.path}"

    @property
    def suffix(self) -> str:
        """What it adds to a model's name: nothing where the model is OpenAI's own."""
        return "" if self.url == OPENAI_URL else f"@{self.place}"

    def at(self, path: str) -> str:
        """The URL of one of its services."""
        base, _, query = self.url.partition("?")
        return f"{base.rstrip('/')}/{path}{'?' + query if query else self.query}"


def _check_url(url: str) -> None:
    """Raise InputError for what can be no server's address, before a call is tried and retried."""
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port out of range, brackets without an end
        fits = False
    if not fits:
        remedy = "give the base URL whole, such as http://localhost:8000/v1"
        shown = url.rpartition("@")[2]  # never a password
        raise InputError(f"'{shown}' is no address of a server", remedy)


def _checked(key: str, name: str) -> str:
    """A key as it is sent; InputError, which does not show it, for what no header can hold."""
    key = key.strip()
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in key):
        what = f"the key in {name} has a line break or another control character inside"
        raise InputError(what, "give the key alone, in one line")
    return key


def is_azure(url: str) -> bool:
    """Whether a URL is Azure's, which takes the key in a header of its own."""
    host = urlsplit(url).hostname or ""
    return host.endswith(".azure.com") or "/openai/deployments/" in url


def ollama_url(environ: Mapping[str, str]) -> str:
    """Where Ollama listens according to OLLAMA_HOST, which may lack scheme, port or both."""
    host = environ.get("OLLAMA_HOST", "").strip().rstrip("/")
    if not host:
        return OLLAMA_URL
    url = host if "://" in host else f"http://{host}"
    parts = urlsplit(url)
    name = "localhost" if parts.hostname in (None, "0.0.0.0") else parts.hostname  # noqa: S104
    port = parts.port or {"https": 443}.get(parts.scheme, 11434)
    return f"{parts.scheme}://{name}:{port}{parts.path}/v1"


class Refusal(msgspec.Struct, frozen=True):
    """A reply other than success, before it is known what it means.

    Attributes:
        status: HTTP status.
        text: The body.
        code: ``error.code`` of the body, "" if there is none.
        param: ``error.param``: which part of the request it is about, "" if not said.
        message: ``error.message``, else the beginning of the body.
        headers: Headers of the reply.
    """

    status: int
    text: str
    code: str
    param: str
    message: str
    headers: Mapping[str, str]

    @classmethod
    def of(cls, status: int, body: bytes, headers: Mapping[str, str]) -> "Refusal":
        """What can be read off a body, whatever it looks like."""
        text = body.decode("utf-8", "replace")
        try:
            found = msgspec.json.decode(body)
        except UNREADABLE:
            found = None
        error = found.get("error", found) if isinstance(found, dict) else {}
        if not isinstance(error, dict):
            error = {"message": error}
        code = str(error.get("code") or error.get("type") or "")
        if code.isdecimal() and error.get("type"):
            code = str(error["type"])
        said = error.get("message") or error.get("detail") or text
        # It is shown in a terminal: no sequence of controls is to do anything there.
        shown = " ".join(str(said).split())[:300]
        message = "".join(c if c.isprintable() else "?" for c in shown) or f"HTTP {status}"
        return cls(status, text, code, str(error.get("param") or ""), message, headers)


_CONTEXT = re.compile(r"context[ _](?:length|size|window)", re.IGNORECASE)
# What took too long to respond was slow.
_TOO_LONG = re.compile(
    r"(?<!took )(?<!taken )(?<!taking )too long(?! to (?:respond|reply|answer|complete|finish))|"
    r"too many tokens",
    re.IGNORECASE,
)


def too_long(refusal: Refusal) -> bool:
    """Whether the prompt was longer than what the model reads at once."""
    said = f"{refusal.code} {refusal.message}"
    # What a failing server says otherwise than in JSON, it says of itself.
    about_it = refusal.status < 500 or refusal.text.lstrip().startswith(("{", "["))
    return bool(_CONTEXT.search(said) or (about_it and _TOO_LONG.search(said)))


def _blocked(refusal: Refusal) -> bool:
    # A proxy's page that denies access is about whoever asks, whatever words stand in it.
    page = refusal.text.lstrip().startswith("<")
    return not page and _BLOCKED.search(f"{refusal.code} {refusal.message}") is not None


def meaning(refusal: Refusal, endpoint: Endpoint, model: str) -> JudgeError:
    """Which error a refusal is, with what the user can do about it."""
    status = refusal.status
    said = f"{endpoint.place} answered {status}: {refusal.message}"
    if status in (400, 403) and _blocked(refusal):
        return Unavailable(f"{said} (blocked by the provider's filter)", permanent=True)
    if status in (400, 413, 422, 500) and too_long(refusal):
        remedy = "take a model that reads more at once, or shorter texts"
        return TooLong(f"{said} -> {remedy}")
    if remedy := _denied(refusal, endpoint, model):
        return Denied(f"{said} -> {remedy}")
    wait = retry_after(refusal.headers, datetime.now(UTC))
    if status in (429, 503, 529):
        return Unavailable(said, retry_after=wait, throttled=True)
    passing = status >= 500 or status in (408, 409, 425)
    return Unavailable(said, retry_after=wait, permanent=not passing)


def _denied(refusal: Refusal, endpoint: Endpoint, model: str) -> str:
    # The remedy where no further call can succeed, else "".
    status = refusal.status
    if 300 <= status < 400:
        to = refusal.headers.get("location", "another place")
        return f"it redirects to {to}; give that as the base URL"
    if status == 402 or (status == 429 and refusal.code in _NO_QUOTA):
        return "the quota or credit of this key is used up; add to it"
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(refusal.message)):
        sent = any(name.lower() in ("authorization", "api-key") for name in endpoint.headers)
        done = "check" if sent else "none was sent: set"
        return f"{done} the key ({endpoint.key_from} or api_key=)"
    if status in (404, 405) or refusal.code in _NO_MODEL:
        return f"check the model '{model}' and the base URL {endpoint.place}"
    return ""


class Connection:
    """One connection pool for each event loop that it is used from.

    Args:
        endpoint: Where the server is.
        timeout: Seconds a request may take in all, None for no bound.

    Attributes:
        paused_until: When the server takes requests again, as its headers said (loop's clock).
    """

    def __init__(self, endpoint: Endpoint, timeout: float | None) -> None:
        self.endpoint = endpoint
        self.paused_until = -math.inf
        self._seconds = timeout
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

    @asynccontextmanager
    async def request(
        self, method: str, path: str, **sent: Any
    ) -> AsyncGenerator[aiohttp.ClientResponse, None]:
        """A response whose body can be read; what aiohttp raises until it is left becomes ours.

        Args:
            method: The HTTP method.
            path: Which of the server's services.
            sent: What else `aiohttp.ClientSession.request` takes.

        Raises:
            Unavailable: If none came, or not all of it.
            Denied: If the address is wrong, or a key is needed and there is none.
        """
        where = self.endpoint.place
        if self.endpoint.url == OPENAI_URL and not self.endpoint.headers:
            # Known before the call: no time is lost on finding out.
            raise Denied(
                f"{where} needs a key -> set OPENAI_API_KEY, or name a server of your own with "
                "OPENAI_BASE_URL or --base-url"
            )
        session = await self._pools.get().open()
        try:
            # A redirect would carry the key to wherever it points, and lose the body.
            async with session.request(
                method, self.endpoint.at(path), allow_redirects=False, **sent
            ) as response:
                yield response
        except TimeoutError as error:
            within = f"within {self._seconds:g} s" if self._seconds else "in time"
            raise Unavailable(f"no reply from {where} {within}") from error
        except aiohttp.InvalidURL as error:
            raise Denied(f"'{where}' is no address of a server -> check the base URL") from error
        except (aiohttp.ClientError, OSError) as error:
            said = str(getattr(error, "os_error", error)) or type(error).__name__
            raise Unavailable(f"connection to {where} failed: {said}") from error

    async def aclose(self) -> None:
        """Close the pool of the running loop; the next request opens another."""
        pool = self._pools.pop()
        if pool is not None:
            await pool.sessions.aclose()


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
            connector=aiohttp.TCPConnector(limit=0),  # `Limit` bounds the requests in flight
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
        return msgspec.json.encode(_clean(body))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_clean(k): _clean(v) for k, v in value.items()}
    return [_clean(v) for v in value] if isinstance(value, list | tuple) else value
