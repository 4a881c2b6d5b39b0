"""The address of an OpenAI-compatible server, and the meaning of its refusals."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from urllib.parse import SplitResult, urlsplit

import msgspec

from assay._text.sanitize import (
    one_line,
    redacted_content,
    remember,
    remember_headers,
    remember_url,
)
from assay.errors import Denied, InputError, JudgeError, TooLong, Unavailable


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that a server asks to wait, given in milliseconds, in seconds or as a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after", "")
        if not value:
            return None
        if value.replace(".", "", 1).isdecimal():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    # A header of no known form, a date without a zone, a year or zone that no calendar has.
    except (ValueError, TypeError, OverflowError):
        return None


_SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(ms|milli|[smhd])", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "milli": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
# "retryDelay": "20s", "Please try again in 1m2.5s", "retry after 6 seconds".
_ADVICE = re.compile(
    r"(?:\bretryDelay\W+|\btry again (?:in|after) |\bretry (?:in|after) )"
    r"((?:\d+(?:\.\d+)? ?"
    r"(?:ms|milliseconds?|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)(?![a-z]) ?)+)",
    re.IGNORECASE,
)


def advised(text: str) -> float | None:
    """Seconds that a refusal asks to wait in its own words, None if it does not say."""
    match = _ADVICE.search(text)
    return _reset(match[1]) if match else None


def nothing_left(headers: Mapping[str, str]) -> float:
    """Seconds until there are requests and tokens again, 0 while some are left or nothing is said.

    ``x-ratelimit-remaining-requests: 0`` with ``x-ratelimit-reset-requests: 1m0.5s``, and the same
    of tokens.
    """
    return max(
        _reset(headers.get(f"x-ratelimit-reset-{resource}", ""))
        if headers.get(f"x-ratelimit-remaining-{resource}", "") == "0"
        else 0.0
        for resource in ("requests", "tokens")
    )


def _reset(span: str) -> float:
    if span.replace(".", "", 1).isdecimal():
        return float(span)
    return sum(float(number) * _SECONDS[unit.lower()] for number, unit in _SPAN.findall(span))


OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://localhost:11434/v1"
AZURE_VERSION = "2024-10-21"

_NO_QUOTA = (
    *("insufficient_quota", "billing_hard_limit_reached", "billing_not_active"),
    *("exceeded_current_quota_error", "Arrearage"),
)
# Said with a status of its own by each provider. That a "quota" is exceeded may be of a minute.
_NO_CREDIT = re.compile(
    r"credit balance|insufficient (?:account )?(?:credits?|balance|funds)|"
    r"used all (?:available|your) credits",
    re.IGNORECASE,
)
_BLOCKED = re.compile(
    r"moderat|flagged|content[_ ](?:filter|(?:management )?policy)", re.IGNORECASE
)
_BAD_KEY = re.compile(r"(?:invalid|incorrect|expired|missing|not valid)\W.{0,40}api[ _-]?key|"
                      r"api[ _-]?key\b.{0,40}(?:invalid|incorrect|expired|missing|not valid)",
                      re.IGNORECASE)  # fmt: skip
# What a body may be that is no JSON, or JSON nested deeper than anything can read.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_NO_MODEL = (
    "model_not_found",
    "DeploymentNotFound",
    "unknown_model",
    "invalid_model",
    "model_decommissioned",
)
# Said with status 400, and not of what a model wrote ("invalid model output").
_UNKNOWN_MODEL = re.compile(
    r"\bnot a valid model\b|\binvalid model(?: name| id\b| identifier|(?! \w))|"
    r"\b(?:unknown|no such) model\b(?! error)|\bmodel identifier is invalid|\binference profile\b|"
    r"\bmodel(?: \S+)? (?:does not exist|doesn't exist|not exist|(?:is |was )?not found)",
    re.IGNORECASE,
)
_NO_ACCESS = re.compile(r"access to (?:the )?model\b", re.IGNORECASE)
_NOT_PULLED = re.compile(r"\bmodel\b.*\bnot found\b|\bpull", re.IGNORECASE)
_MAX_MESSAGE = 300  # characters of what a server says
_LEFT_OUT = ("...", "***", "\N{HORIZONTAL ELLIPSIS}")  # of a key as a provider's page shows it
_QUOTES = tuple("\"'\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}")
# The model wrote no valid JSON, and a server that looks after that refuses what it wrote.
_NOT_JSON = "json_validate_failed"


@dataclass(frozen=True)
class Endpoint:
    """Where a server is and how it wants to be addressed. The environment is read by `find` only.

    Attributes:
        url: Base URL, without a slash at its end.
        headers: Sent with every request; the key is in here and nowhere else.
        query: Appended to every URL (Azure's api-version).
        key_from: Which variable or argument the key comes from, for messages.
        ollama: The model, where it is Ollama that serves it: what is missing has other remedies.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: str = ""
    key_from: str = "OPENAI_API_KEY"
    ollama: str = ""

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
            InputError: If the URL is none, or has a password beside the key, or no header can hold
                the key.
        """
        url = _base(base_url or environ.get("OPENAI_BASE_URL") or "")
        azure = _base(environ.get("AZURE_OPENAI_ENDPOINT", ""))
        if not url and azure and not environ.get("OPENAI_API_KEY"):
            deployment = f"{azure.removesuffix('/openai')}/openai/deployments/{model}"
            url = azure if azure.endswith("/openai/v1") else deployment
        url = url or OPENAI_URL
        remedy = "give the base URL whole, such as http://localhost:8000/v1"
        address = checked_url(url, remedy)  # before a call is tried and retried
        if address.port == 11434 and address.path in ("", "/"):
            url += "/v1"  # Ollama, given as its own documentation gives it
        name, configured = "OPENAI_API_KEY", environ.get("OPENAI_API_KEY", "")
        azure_name = "AZURE_OPENAI_API_KEY"
        if is_azure(url) and azure_name in environ:
            name, configured = azure_name, environ[azure_name]
        key = _checked(configured, name) if api_key is None else _checked(api_key, "api_key=")
        remember(key)
        remember_headers(headers)
        remember_url(url)
        if not is_azure(url):
            auth = {"Authorization": f"Bearer {key}"} if key else {}
            return cls(url, one_login(address, {**auth, **headers}, 'no key (api_key="")'))
        auth = {"api-key": key} if key else {}
        version = environ.get("OPENAI_API_VERSION", AZURE_VERSION)
        dated = "/openai/deployments/" in url and "?" not in url
        query = f"?api-version={version}" if dated else ""
        return cls(url, {**auth, **headers}, query, azure_name)

    @cached_property
    def place(self) -> str:
        """Host, port and path: what of the URL may stand in a name, so neither user nor query."""
        address = urlsplit(self.url)
        port = f":{address.port}" if address.port else ""
        return f"{address.hostname or ''}{port}{address.path}"

    @property
    def suffix(self) -> str:
        """What it adds to a model's name: nothing where the model is OpenAI's own."""
        return "" if self.url == OPENAI_URL else f"@{self.place}"

    def at(self, path: str) -> str:
        """The URL of one of its services."""
        base, _, query = self.url.partition("?")
        return f"{base.rstrip('/')}/{path}{'?' + query if query else self.query}"


def checked_url(url: str, remedy: str) -> SplitResult:
    """The parts of a server's address; InputError, which shows no secret, for what is none."""
    try:
        split_url = urlsplit(url)
        if split_url.scheme in ("http", "https") and split_url.hostname and split_url.port != 0:
            return split_url
    except ValueError:  # a port out of range, brackets without an end
        pass
    address = re.split(r"[?#]", url.rpartition("@")[2], maxsplit=1)[0]  # a query may be a key
    raise InputError(f"'{address}' is no address of a server", remedy)


def one_login(parts: SplitResult, headers: Mapping[str, str], other: str) -> Mapping[str, str]:
    """The headers as they are; InputError where the address names a user beside the header."""
    if (parts.username or parts.password) and any(h.lower() == "authorization" for h in headers):
        fault = f"the address of {parts.hostname} has a user or password in it, and a key is given"
        raise InputError(f"{fault} besides", f"give the address without them, or {other}")
    return headers


def _base(address: str) -> str:
    """A base URL as it was given, without a slash at its end, or the service that is behind it."""
    path, mark, query = address.strip().partition("?")
    return f"{path.rstrip('/').removesuffix('/chat/completions').rstrip('/')}{mark}{query}"


def _checked(key: str, name: str) -> str:
    """A key as it is sent; InputError, which does not show it, for what is not the key alone."""
    key = key.strip()
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in key):
        fault = f"the key in {name} has a line break or another control character inside"
        raise InputError(fault, "give the key alone, in one line")
    if key[:1] in _QUOTES and key[-1:] in _QUOTES:  # an env file of Docker keeps them
        raise InputError(f"the key in {name} stands in quotes", "give it without them")
    if key.startswith("Bearer "):
        raise InputError(f"the key in {name} begins with 'Bearer'", "give what follows it alone")
    if any(mark in key for mark in _LEFT_OUT):
        raise InputError(f"the key in {name} is a shortened one", "give it whole")
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
    address = urlsplit(url)
    name = "localhost" if address.hostname in (None, "0.0.0.0") else address.hostname  # noqa: S104
    port = address.port or {"https": 443}.get(address.scheme, 11434)
    return f"{address.scheme}://{name}:{port}{address.path}/v1"


class Refusal(msgspec.Struct, frozen=True):
    """A reply other than success, before it is known what it means."""

    status: int  # HTTP status
    text: str  # the body
    code: str  # ``error.code`` of the body, "" if there is none
    param: str  # ``error.param``: which part of the request it is about, "" if not said
    message: str  # ``error.message``, else the beginning of the body
    headers: Mapping[str, str]  # headers of the reply
    # What the model wrote, where that was refused and not the request; else None.
    written: str | None = None
    cost: tuple[int, int] = (0, 0)  # tokens read and written all the same

    @classmethod
    def of(cls, status: int, body: bytes, headers: Mapping[str, str]) -> "Refusal":
        """What can be read off a body, whatever it looks like; keys in it are unreadable."""
        body = redacted_content(body)
        text = body.decode("utf-8", "replace")
        try:
            content = msgspec.json.decode(body)
        except UNREADABLE:
            content = None
        if isinstance(content, list) and content:  # as Google sends it
            content = content[0]
        error = content.get("error", content) if isinstance(content, dict) else {}
        if not isinstance(error, dict):
            error = {"message": error}
        code = str(error.get("code") or error.get("type") or "")
        if code.isdecimal() and error.get("type"):
            code = str(error["type"])
        reason = error.get("message") or error.get("detail") or text
        message = one_line(str(reason), _MAX_MESSAGE) or f"HTTP {status}"
        param = str(error.get("param") or "None")  # "None" is what LiteLLM says itself
        param = "" if param == "None" else param
        failed_reply = str(error.get("failed_generation") or "") if code == _NOT_JSON else None
        return cls(status, text, code, param, message, headers, failed_reply)


_CONTEXT = re.compile(r"context[ _](?:length|size|window)", re.IGNORECASE)
# What took too long to respond was slow.
_TOO_LONG = re.compile(
    r"(?<!took )(?<!taken )(?<!taking )too long(?! to (?:respond|reply|answer|complete|finish))|"
    r"too many tokens",
    re.IGNORECASE,
)


def too_long(refusal: Refusal) -> bool:
    """Whether the prompt was longer than what the model reads at once."""
    text = f"{refusal.code} {refusal.message}"
    # What a failing server says otherwise than in JSON, it says of itself.
    about_it = refusal.status < 500 or refusal.text.lstrip().startswith(("{", "["))
    return bool(_CONTEXT.search(text) or (about_it and _TOO_LONG.search(text)))


def _blocked(refusal: Refusal) -> bool:
    # A proxy's page that denies access is about whoever asks, whatever words stand in it.
    page = refusal.text.lstrip().startswith("<")
    return not page and _BLOCKED.search(f"{refusal.code} {refusal.message}") is not None


def meaning(refusal: Refusal, endpoint: Endpoint, model: str) -> JudgeError:
    """Which error a refusal is, with what the user can do about it."""
    status = refusal.status
    server = f"ollama:{model} at {endpoint.place}" if endpoint.ollama else endpoint.place
    message = f"{server} answered {status}: {refusal.message}"
    if status in (400, 403) and _blocked(refusal):
        return Unavailable(f"{message} (blocked by the provider's filter)", permanent=True)
    if status in (400, 413, 422, 500) and too_long(refusal):
        remedy = "take a model that reads more at once, or shorter texts"
        return TooLong(f"{message} -> {remedy}")
    if remedy := _denial(refusal, endpoint, model):
        return Denied(f"{message} -> {remedy}")
    wait = retry_after(refusal.headers, datetime.now(UTC))
    if status in (429, 503, 529):
        wait = advised(refusal.text) if wait is None else wait
        return Unavailable(message, retry_after=wait, throttled=True)
    passing = status >= 500 or status in (408, 409, 425) or refusal.written is not None
    return Unavailable(message, retry_after=wait, permanent=not passing)


def _denial(refusal: Refusal, endpoint: Endpoint, model: str) -> str:
    # The remedy where no further call can succeed, else "".
    status = refusal.status
    if 300 <= status < 400:
        to = refusal.headers.get("location", "another place")
        return f"it redirects to {to}; give that as the base URL"
    if status == 402 or (status in (400, 403, 429) and _is_of_credit(refusal)):
        return "the quota or credit of this key is used up; add to it"
    if remedy := _of_model(refusal, endpoint, model):
        return remedy
    if status == 407:
        return proxy_remedy(status)
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(refusal.message)):
        has_key = any(name.lower() in ("authorization", "api-key") for name in endpoint.headers)
        verb = "check" if has_key else "none was sent: set"
        remedy = f"{verb} the key ({endpoint.key_from} or api_key=)"
        if refusal.text.lstrip().startswith("<"):
            remedy += f"; or, if this page is a proxy's, {proxy_remedy(status)}"
        return remedy
    return ""


def proxy_remedy(status: int) -> str:
    """What to do about a proxy that refuses with this HTTP status."""
    if status == 407:
        return "give it a name and a password: https_proxy=http://NAME:PASSWORD@HOST:PORT"
    return "have it let the address through, or name the address in no_proxy"


def _of_model(refusal: Refusal, endpoint: Endpoint, model: str) -> str:
    status = refusal.status
    if endpoint.ollama and status == 404 and _NOT_PULLED.search(refusal.message):
        return f"load the model first: ollama pull {model}"
    if status == 403 and (refusal.code in _NO_MODEL or _NO_ACCESS.search(refusal.message)):
        return f"this key may not use the model '{model}': ask for access, or take another"
    if status in (404, 405) or refusal.code in _NO_MODEL or _is_of_model(refusal):
        bare = not urlsplit(endpoint.url).path and not refusal.code
        hint = ", which mostly ends in /v1" * bare
        return f"check the model '{model}' and the base URL {endpoint.place}{hint}"
    return ""


def _is_of_credit(refusal: Refusal) -> bool:
    return refusal.code in _NO_QUOTA or _NO_CREDIT.search(refusal.message) is not None


def _is_of_model(refusal: Refusal) -> bool:
    if refusal.status not in (400, 422):
        return False
    return refusal.param == "model" or _UNKNOWN_MODEL.search(refusal.message) is not None
