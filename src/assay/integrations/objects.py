"""Objects of other libraries as backends: identity, calls, and what their errors mean.

Objects that can be asked by a blocking call are asked in threads of their own: that works with any
event loop, and with objects that know of none. Those that can only be awaited are awaited in one
loop in the background: the connections they hold belong to a loop, and a run's own ends with it.
"""

import asyncio
import dataclasses
import re
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

import msgspec

from assay._middleware.concurrency import in_thread
from assay.errors import CutShort, JudgeError, TimedOut, TooLong, Unavailable
from assay.judge import CUT
from assay.judges.code_digest import class_digest, text_digest
from assay.judges.embedder import Embedder
from assay.judges.openai.endpoint import Endpoint, Refusal, meaning

# What changes no reply, or must not be seen: keys, and how requests are made.
_EXCLUDED = re.compile(
    r"key|secret|password|credential|headers|_token$|^token|organi[sz]ation|proxy|client|cache|"
    r"callback|verbose|^tags$|^metadata$|retries|timeout|rate_limiter|stream|batch|workers|"
    r"disable_|show_|^name$",
    re.IGNORECASE,
)
_MAX_DEPTH = 4
_ABSENT = object()


def object_name(library: str, obj: Any, model: str, further: object = None) -> str:
    """``LIBRARY:CLASS:MODEL@DIGEST``: the digest is one of its settings, and never of a key.

    The code of a class that is not the library's own is part of it.

    Args:
        library: The library's short name.
        obj: The object.
        model: The model's name, "" if it is not known.
        further: What else could change a reply.
    """
    kind = type(obj)
    settings = {"settings": plain_settings(obj), "further": further}
    if not kind.__module__.startswith((library.replace("-", "_"),)):
        settings["code"] = class_digest(kind)
    digest = text_digest(msgspec.json.encode(settings, order="deterministic").decode())
    class_name = f"{library}:{kind.__qualname__}"
    return f"{class_name}{':' if model else ''}{model}@{digest}"


def plain_settings(obj: Any) -> dict[str, Any]:
    """The fields of an object that are numbers, texts, or objects and lists of these."""
    settings = _as_plain(obj, 0)
    return settings if isinstance(settings, dict) else {}


def _as_plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth > _MAX_DEPTH:
        return _ABSENT
    if isinstance(value, list | tuple):
        return [plain for item in value if (plain := _as_plain(item, depth + 1)) is not _ABSENT]
    pairs = dict(value) if isinstance(value, Mapping) else fields_of(value)
    if pairs is None:
        return _ABSENT
    fields = {
        str(name): plain
        for name, item in pairs.items()
        if not _EXCLUDED.search(str(name)) and (plain := _as_plain(item, depth + 1)) is not _ABSENT
    }
    return fields if isinstance(value, Mapping) else {"class": type(value).__qualname__, **fields}


def fields_of(value: Any) -> dict[str, Any] | None:
    """The fields of a pydantic model or dataclass; None for anything else."""
    names = getattr(type(value), "model_fields", None)
    if isinstance(names, Mapping):
        return {name: getattr(value, name, None) for name in names}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name, None) for f in dataclasses.fields(value)}
    return None


def text_of(content: Any) -> str:
    """The text of a message whose content is text or a list of parts, reasoning among them."""
    if isinstance(content, list):
        blocks = [block if isinstance(block, Mapping) else {"text": block} for block in content]
        texts = [block.get("text") for block in blocks if block.get("type", "text") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


T = TypeVar("T")

WITHHELD = "withheld its reply (blocked by the provider's filter)"
_LOST_CONNECTION = re.compile(r"Connect|Transport|RemoteProtocol|Disconnected")
_UNREADABLE = re.compile(r"UnexpectedModelBehavior|ResponseValidation|JSONDecodeError")
# Why a model ended, where providers tell it, and how they call the bound on its length.
_FINISH_REASONS = ("finish_reason", "stop_reason", "done_reason", "stopReason")
_LENGTH_LIMIT = re.compile(
    r"(\w+\.)?(length|model_length|max_tokens|max_output_tokens)", re.IGNORECASE
)
DEEPEST = 8  # as many errors as one may be wrapped in
_KEY = "the object's own"
_lock = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []


async def blocking(who: str, work: Callable[[], Any]) -> Any:
    """What a blocking call to an object returns.

    Raises:
        JudgeError: If it failed in a way that is known; anything else is raised as it came.
    """
    return await _with_known_errors(who, in_thread(work))


async def awaited(who: str, work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine of an object returns; see `blocking`."""
    future = asyncio.run_coroutine_threadsafe(work, _background())
    waiting: Coroutine[Any, Any, T] = _with_known_errors(who, asyncio.wrap_future(future))
    return await waiting


class StructuredOutput:
    """Whether an object is asked for JSON by a schema: until that is refused for good."""

    def __init__(self, *, offered: bool = True) -> None:
        self.offered = offered

    async def ask(
        self, structured: Callable[[], Awaitable[T]] | None, plain: Callable[[], Awaitable[T]]
    ) -> T:
        """What the object says when it is asked for JSON by a schema, or else not.

        Args:
            structured: Asks it by the schema; None if this once there is none.
            plain: Asks it by the prompt alone.
        """
        if structured is None or not self.offered:
            return await plain()
        try:
            return await structured()
        except Unavailable as error:
            if not error.permanent or isinstance(error, TooLong | CutShort):
                raise
        # It was refused because of the form only if it is answered without.
        answer = await plain()
        self.offered = False
        return answer


def was_cut(about: Any) -> bool:
    """Whether the bound on its length ended a reply, as far as what is told about it tells."""
    further = member(about, "incomplete_details")
    reasons = [*(member(about, name) for name in _FINISH_REASONS), member(further, "reason")]
    return any(_LENGTH_LIMIT.fullmatch(str(reason)) for reason in reasons)


def member(about: Any, name: str) -> Any:
    """What an object or a mapping of another library has under a name, None if nothing."""
    return about.get(name) if isinstance(about, Mapping) else getattr(about, name, None)


def _background() -> asyncio.AbstractEventLoop:
    with _lock:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
            name = "assay-integrations"
            threading.Thread(target=_loops[0].run_forever, name=name, daemon=True).start()
        return _loops[0]


async def _with_known_errors(name: str, work: Any) -> Any:
    try:
        return await work
    except BaseException as error:
        known = judge_error(name, error)
        if known is None:
            raise
        raise known from error


def judge_error(who: str, error: BaseException) -> JudgeError | None:
    """What the failure of another library's object means; None if nobody can tell.

    Most libraries tell the HTTP status, some have it in the response that the error carries; lost
    connections and time-outs are known by the names of their classes.
    """
    meanings = (_meaning_of(who, cause) for cause in _chain(error))
    return next((meaning_found for meaning_found in meanings if meaning_found is not None), None)


def _chain(error: BaseException) -> list[BaseException]:
    # Libraries wrap the errors of others in their own, which may say less.
    errors = [error]
    while (cause := errors[-1].__cause__) is not None and len(errors) < DEEPEST:
        errors.append(cause)
    return errors


def _meaning_of(name: str, error: BaseException) -> JudgeError | None:
    if isinstance(error, JudgeError):
        return error
    message = " ".join(str(error).split())[:300] or type(error).__name__
    status = _status(error)
    if status is not None:
        headers = next(filter(None, map(_headers, _chain(error))), {})
        refusal = Refusal.of(status, _body(error), headers)
        return meaning(refusal, _Object(name, {"Authorization": ""}, key_from=_KEY), name)
    if any("Timeout" in name for name in _classes(error)):
        return TimedOut(f"no reply from {name} in time: {message}")
    if isinstance(error, OSError) or any(_LOST_CONNECTION.search(name) for name in _classes(error)):
        return Unavailable(f"connection of {name} failed: {message}")
    return _reply_error(name, error, message)


def _reply_error(name: str, error: BaseException, message: str) -> JudgeError | None:
    """What it means if a reply came and is none."""
    names = _classes(error)  # the first two of the openai package, for what does not fill a form
    if "LengthFinishReasonError" in names:
        return CutShort(f"{name} {CUT}", cost=_cost(error))
    if "ContentFilterFinishReasonError" in names:
        return Unavailable(f"{name} {WITHHELD}", permanent=True)
    if any(_UNREADABLE.search(name) for name in names):
        return Unavailable(f"{name} got a reply that its library cannot read: {message}")
    return None


class _Object(Endpoint):
    # Messages name the object where they would name a server.
    @cached_property
    def place(self) -> str:
        return self.url


def _classes(error: BaseException) -> list[str]:
    return [kind.__name__ for kind in type(error).__mro__]


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore
        metadata = response.get("ResponseMetadata")
        candidates = [metadata.get("HTTPStatusCode")] if isinstance(metadata, Mapping) else []
    else:
        candidates = [getattr(response, "status_code", None)]
    candidates += [getattr(error, name, None) for name in ("status_code", "status", "code")]
    numbers = [n for n in candidates if isinstance(n, int) and 300 <= n <= 599]
    return int(numbers[0]) if numbers else None


def _cost(error: BaseException) -> tuple[int, int]:
    usage = member(member(error, "completion"), "usage")
    read, tokens_out = (member(usage, name) for name in ("prompt_tokens", "completion_tokens"))
    return read or 0, tokens_out or 0


def _body(error: BaseException) -> bytes:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        return msgspec.json.encode(body, enc_hook=str)
    return str(body or error).encode("utf-8", "replace")


def _headers(error: BaseException) -> Mapping[str, str]:
    headers = getattr(error, "headers", None)
    if not isinstance(headers, Mapping):
        headers = getattr(getattr(error, "response", None), "headers", None)
    pairs = headers.items() if isinstance(headers, Mapping) else ()
    # Servers and libraries write them as they like; they are looked up in lower case.
    return {str(name).lower(): str(value) for name, value in pairs}


Embed = Callable[[list[str]], Sequence[Sequence[float]]]


class ObjectEmbedder(Embedder):
    """An embedding object, asked in a thread with many texts at once."""

    def __init__(self, name: str, embed: Embed) -> None:
        super().__init__(name)
        self._embed = embed

    async def vectors(self, texts: list[str]) -> tuple[list[list[float]], int]:
        """A vector for each text; see `Embedder`."""
        arrays = await blocking(self.name, partial(self._embed, texts))
        return [[float(x) for x in vector] for vector in arrays], sum(map(len, texts)) // 4
