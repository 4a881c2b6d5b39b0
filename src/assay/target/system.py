"""A system under test: behind a URL, or a function of the user's own."""

import functools
import inspect
import json
import re
import time
import traceback
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from assay._middleware.concurrency import PerLoop, called
from assay._text.sanitize import redacted_content, remember_headers, remember_url
from assay._user_modules import FILE
from assay.data import FIELDS, values_of
from assay.data.columns import field_meant
from assay.errors import Denied, InputError, Unavailable
from assay.judge import BackendLike, Reply, Task
from assay.judges.calls import check_call
from assay.judges.code_digest import callable_digest, name_of, text_digest
from assay.judges.openai.endpoint import Refusal, checked_url, one_login, retry_after
from assay.judges.specs import imported
from assay.prompt import InputText
from assay.sample import Sample
from assay.target.reply import Unfit, decoded, instead_of_answer, plain_of

_NAME = re.compile(r"\{([A-Za-z_][\w.]*)\}")


@dataclass(frozen=True)
class Body:
    """A JSON value with ``{field}`` in its texts; a text that is nothing else takes the value.

    Attributes:
        template: The value.
    """

    template: Any

    @classmethod
    def parse(cls, text: str) -> "Body":
        """A template from JSON.

        Raises:
            InputError: If it is no JSON, or names what no sample has.
        """
        try:
            body = cls(json.loads(text))
        except ValueError as error:
            remedy = """such as '{"query": "{question}"}'"""
            raise InputError(f"the body is not JSON: {error}", remedy) from error
        for name in body.fields:
            check_placeholder(name)
        return body

    @property
    def fields(self) -> frozenset[str]:
        """The fields that it names."""
        return frozenset(name for text in _texts(self.template) for name in placeholders(text))

    def fill(self, sample: Sample) -> str:
        """The request for a sample, as JSON."""
        values = values_of(sample)
        return json.dumps(_filled(self.template, values), ensure_ascii=False, sort_keys=True)


def placeholders(text: str) -> list[str]:
    """The fields that stand in a text, without what is reached in them."""
    return [name.partition(".")[0] for name in _NAME.findall(text)]


def check_placeholder(name: str) -> None:
    """Raise InputError if no sample has a field of that name."""
    if name not in FIELDS:
        fault = f"'{{{name}}}' is not a field of a sample"
        raise InputError(fault, f"{field_meant(name)} A column: {{metadata.{name}}}")


def fill_url(url: str, sample: Sample) -> str:
    """A URL with fields of a sample in it, each quoted."""
    values = values_of(sample)
    return _NAME.sub(lambda match: quote(_text(_value(values, match[1])), safe=""), url)


def _texts(template: Any) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from _texts(value)
    elif isinstance(template, list):
        for value in template:
            yield from _texts(value)


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, Mapping):
        return {key: _filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, values) for value in template]
    if not isinstance(template, str):
        return template
    if whole_match := _NAME.fullmatch(template):
        return _value(values, whole_match[1])
    return _NAME.sub(lambda match: _text(_value(values, match[1])), template)


def _value(values: Mapping[str, Any], path: str) -> Any:
    value: Any = values
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


# A reply that is longer is no answer.
LONGEST_REPLY = 16 * 2**20
_QUESTION = Body({"question": "{question}"})


@dataclass(frozen=True)
class AskSystem(Task[str]):
    """Put a sample's question to the system that is to be measured."""

    sample: Sample  # the sample
    sent: str  # all of it that the system is told: two samples with the same are the same question

    def input_texts(self) -> Sequence[InputText]:
        """What is sent."""
        return (InputText("request", self.sent),)

    def read(self, raw: str) -> str:
        """The reply as it is."""
        return raw


class System(BackendLike, Protocol):
    """A system that can be asked: a backend for `AskSystem` that says what it is told.

    Attributes:
        needs: Fields that every sample must have.
        told_contexts: Whether it is given the contexts of the sample, so that they stay its own.
    """

    needs: frozenset[str]
    told_contexts: bool

    def sent(self, sample: Sample) -> str:
        """What it is told of a sample."""


class HttpSystem:
    """A system behind a URL. The request is a POST of JSON, or a GET where the URL names fields.

    Args:
        url: The address; ``{question}`` and other fields of the sample may stand in it.
        body: What is sent, ``{"question": "{question}"}`` if not given.
        headers: Sent with every request. They are neither shown nor kept.
        version: Which version of the system it is; another one is asked anew.

    Raises:
        InputError: If the URL is none, or names what no sample has.
    """

    def __init__(
        self,
        url: str,
        *,
        body: Body | None = None,
        headers: Mapping[str, str] | None = None,
        version: str = "",
    ) -> None:
        fields = placeholders(url)
        for name in fields:
            check_placeholder(name)
        address = checked_url(url, "such as http://localhost:8000/ask")
        self._url = url
        self._kept = url.replace(
            address.netloc, address.netloc.rpartition("@")[2], 1
        )  # no password
        self._body = None if fields and body is None else body or _QUESTION
        remedy = "no Authorization header"
        self._headers = dict(one_login(address, headers or {}, remedy))
        remember_headers(self._headers)
        remember_url(url)
        sent_fields = frozenset(fields) | (self._body.fields if self._body else frozenset())
        self.needs, self.told_contexts = sent_fields - {"metadata"}, "contexts" in sent_fields
        port = f":{address.port}" if address.port else ""
        place = f"{address.scheme}://{address.hostname}{port}{address.path}"
        self.name = f"{place}@{version}" if version else place
        form = [place, address.query, self._body.template if self._body else None, version]
        self._identity = f"{self.name}#{text_digest(json.dumps(form, sort_keys=True))}"
        self._sessions = PerLoop(_session)

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Address, form of the request and version; headers and passwords are no part of it."""
        return self._identity if kind is AskSystem else None

    def sent(self, sample: Sample) -> str:
        """URL or body, filled in; a password in the URL is no part of it."""
        filled = fill_url(self._kept, sample) if placeholders(self._url) else ""
        return filled + (self._body.fill(sample) if self._body else "")

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """Its answer, with the milliseconds that it took.

        Raises:
            Unavailable: If none came.
            Denied: If it wants a key, or another one.
        """
        assert isinstance(task, AskSystem)  # noqa: S101 - it serves nothing else
        start = time.perf_counter()
        raw = await self._request(task.sample)
        ms = (time.perf_counter() - start) * 1000
        return Reply(
            task.inputs(), raw, ms=ms, backend=self._identity, kind=AskSystem.kind, draw=draw
        )

    async def aclose(self) -> None:
        """Close the connections."""
        if session := self._sessions.pop():
            await session.close()

    async def _request(self, sample: Sample) -> str:
        import aiohttp

        url = fill_url(self._url, sample)
        headers = {"Accept": "application/json", **self._headers}
        # A redirect would carry the headers to wherever it points.
        sent: dict[str, Any] = {"headers": headers, "allow_redirects": False}
        if self._body is not None:
            headers.setdefault("Content-Type", "application/json")
            sent["data"] = self._body.fill(sample).encode("utf-8", "replace")
        method = "GET" if self._body is None else "POST"
        try:
            async with self._sessions.get().request(method, url, **sent) as response:
                body = bytearray()
                async for chunk in response.content.iter_chunked(2**16):
                    body += chunk
                    if len(body) > LONGEST_REPLY:
                        break
                response_parts = bytes(body), response.headers, response.charset
                return self._reply_text(response.status, *response_parts)
        except (aiohttp.ClientError, OSError) as error:
            reason = str(getattr(error, "os_error", error)) or type(error).__name__
            raise Unavailable(f"no answer from {self.name}: {reason}") from error

    def _reply_text(
        self, status: int, body: bytes, headers: Mapping[str, str], charset: str | None
    ) -> str:
        if len(body) > LONGEST_REPLY:
            fault = f"{self.name} sent more than {LONGEST_REPLY // 2**20} MiB"
            raise Unavailable(fault, permanent=True)
        body = redacted_content(body)
        if 200 <= status < 300:
            text = decoded(body, charset)
            if fault := instead_of_answer(text, headers.get("Content-Type", "")):
                # Nothing of it is kept: once the system is mended, it is asked again.
                raise Unavailable(f"{self.name} answered {status} with {fault}", permanent=True)
            return text
        refusal = Refusal.of(status, body, headers)
        message = f"{self.name} answered {status}: {refusal.message}"
        if status in (401, 403, 407):
            raise Denied(f"{message} -> send what it asks for with --target-header")
        throttled = status in (429, 503)
        wait = retry_after(headers, datetime.now(UTC)) if throttled else None
        # What the request itself is at fault for is not asked again.
        permanent = 300 <= status < 500 and status not in (408, 425, 429)
        raise Unavailable(message, retry_after=wait, throttled=throttled, permanent=permanent)


class FunctionSystem:
    """A function of the user's own: ``answer(question)``, plain or async.

    It may take ``sample`` or ``contexts`` beside or instead of the question. What it returns is the
    text of the answer, a dict with answer and contexts, or an object of LangChain or LlamaIndex.

    Args:
        function: The function.
        name: What it is called, instead of its module, name and the digest of its code and of the
            values that it goes by.
        version: Which version of the system it is; another one is asked anew. Without one, answers
            of earlier runs are not reused where it goes by something whose content cannot be told.
        file: The file that it was loaded from; what else is edited there makes no other of it.
        contexts: Whether it is given the contexts of the sample even where its argument
            ``contexts`` has a default: by itself it is then left to retrieve its own.

    Raises:
        InputError: If it cannot be called so.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str = "",
        version: str = "",
        file: str = "",
        contexts: bool = False,
    ) -> None:
        self._function = function
        self._wants, self._named = _parameters_of(function, contexts=contexts)
        shown_name = name or _name_in_file(file, function)
        self.name = f"{shown_name}@{version}" if version else shown_name
        self._identity = self.name
        _, unreadable = callable_digest(function)
        if unreadable and not (name or version):
            _warn_of_unreadable(self.name, unreadable)
            # What another process made of the same code may be another system.
            self._identity = f"{self.name}#{uuid.uuid4().hex}"
        needed = {"question", *{"contexts"}.intersection((*self._wants, *self._named))}
        self.needs = frozenset(needed)
        self.told_contexts = "contexts" in needed or "sample" in self._wants

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name, in which the digest of its code stands; of one that it does not tell, once."""
        return self._identity if kind is AskSystem else None

    def sent(self, sample: Sample) -> str:
        """The question, with the contexts if it takes them, or the whole sample without its id."""
        if "sample" not in self._wants:
            if not self.told_contexts:
                return sample.question or ""
            fields = {"question": sample.question, "contexts": sample.contexts}
            return json.dumps(fields, ensure_ascii=False)
        values = {name: value for name, value in values_of(sample).items() if name != "id"}
        return json.dumps(values, ensure_ascii=False, sort_keys=True, default=str)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What it returns, as JSON, with the milliseconds that it took.

        Raises:
            Unavailable: If it raises anything, or returns what holds no text: the question has no
                answer, the others may.
            Denied: If it raises that.
        """
        assert isinstance(task, AskSystem)  # noqa: S101 - it serves nothing else
        start = time.perf_counter()
        try:
            returned = await self._call_function(task.sample)
        except Denied:
            raise
        except OSError as error:  # a connection or a time-out: the next try may bring it
            raise Unavailable(f"{self.name}: {_error_text(error)}") from error
        except Exception as error:  # the user's system, not ours: one question has no answer
            raise Unavailable(f"{self.name}: {_error_text(error)}", permanent=True) from error
        ms = (time.perf_counter() - start) * 1000
        raw = self._as_json(returned)
        return Reply(task.inputs(), raw, ms=ms, backend=self.name, kind=AskSystem.kind, draw=draw)

    def _as_json(self, returned: Any) -> str:
        """What it returned, as JSON."""
        try:
            return json.dumps(plain_of(returned), ensure_ascii=False)
        except Unfit as error:
            fault = f"{self.name} returned {error}"
        except RecursionError:
            fault = f"{self.name} returned an object that contains itself or is nested too deeply"
        except Exception as error:  # noqa: BLE001 - a method of the user's object
            fault = f"{self.name} returned an object that cannot be read: {_error_text(error)}"
        raise Unavailable(fault, permanent=True)

    async def _call_function(self, sample: Sample) -> Any:
        contexts = list(sample.contexts or ())
        arguments = {"question": sample.question, "sample": sample, "contexts": contexts}
        call = self._function
        if self._named:
            call = functools.partial(call, **{name: arguments[name] for name in self._named})
        return await called(call, *(arguments[name] for name in self._wants))


def system(target: object, *, version: str = "", contexts: bool = False, **options: Any) -> System:
    """The system that a URL, ``module:function``, ``file.py:function`` or a function names.

    Args:
        target: The URL or function.
        version: Which version of it.
        contexts: As for `FunctionSystem`.
        options: `body` and `headers` of `HttpSystem`.

    Raises:
        InputError: If there is none, or options for HTTP are given for a function.
    """
    if isinstance(target, str) and target.startswith(("http://", "https://")):
        return HttpSystem(target, version=version, **options)
    if any(options.values()):
        raise InputError("body and headers are for a target with a URL", "leave them out")
    file = ""
    if isinstance(target, str):
        file, target = target.rpartition(":")[0], named(target)
    if callable(target):
        file = file if file.endswith(FILE) else ""
        return FunctionSystem(target, version=version, file=file, contexts=contexts)
    ready: Any = target
    if hasattr(ready, "sent") and hasattr(ready, "reply"):
        return ready  # type: ignore[no-any-return]
    raise no_system(target)


_HOW = "write def answer(question), (question, contexts) or (sample); give others a default"
_CALLS = {
    "invoke": "return chain.invoke({'input': question})",
    "query": "reply = engine.query(question); return {'answer': str(reply), "
    "'contexts': [node.text for node in reply.source_nodes]}",
}


def no_system(target: object) -> InputError:
    """The error that an object cannot be asked, with a function that asks it if one is known."""
    call = next((call for name, call in _CALLS.items() if hasattr(target, name)), "")
    remedy = "give a URL, MODULE:FUNCTION, FILE.py:FUNCTION or a function"
    if call:
        remedy = f"give a function that calls it: def answer(question): {call}"
    fault = f"an object of the class {type(target).__name__} is not a system that can be asked"
    return InputError(fault, remedy)


def named(spec: str) -> Any:
    """What ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION`` names.

    Raises:
        InputError: If it names nothing.
    """
    module, _, attribute = spec.rpartition(":")
    dotted = all(name.isidentifier() for name in module.split("."))
    if not attribute or not (dotted or module.endswith(FILE)):
        remedy = "give a URL (http://host/ask), MODULE:FUNCTION or FILE.py:FUNCTION"
        raise InputError(f"'{spec}' is not a target", remedy)
    try:
        return imported(spec, "target")
    except InputError:
        raise
    except Exception as error:  # whatever the user's module does
        fault = f"the target '{spec}' cannot be imported: {_error_text(error)}"
        remedy = "a variable of the environment needs a default: os.environ.get(NAME, DEFAULT)"
        raise InputError(fault, remedy if isinstance(error, KeyError) else "") from error


def _name_in_file(file: str, function: Callable[..., Any]) -> str:
    """Its name without the digest of the file that it was loaded from, if it was."""
    stem = Path(file).stem
    return re.sub(rf"^{re.escape(stem)}_[0-9a-f]{{8}}:", f"{stem}:", name_of(function))


def _warn_of_unreadable(name: str, unreadable: Iterable[str]) -> None:
    warnings.warn(
        f"{name} uses what cannot be read, so that a change of it would not be noticed: "
        f"{', '.join(unreadable)}. Answers of earlier runs are therefore not reused -> name the "
        "version of your system: --target-version NAME, or system(..., version=NAME)",
        stacklevel=4,
    )


def _parameters_of(
    function: Callable[..., Any], *, contexts: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The arguments to be given in order (question, sample or contexts), and those by name."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # built in: it says nothing of itself
        return ("question",), ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    by_place = [p for p in parameters.values() if p.kind in kinds]
    needed = [p.name for p in by_place if p.default is inspect.Parameter.empty]
    names = needed or [p.name for p in by_place[:1]] or ["question"]
    wants = tuple(dict.fromkeys(n if n in ("sample", "contexts") else "question" for n in names))
    last = parameters.get("contexts")
    by_name = last is not None and "contexts" not in wants and last.kind not in kinds[:1]
    required = last is not None and last.default is inspect.Parameter.empty
    named_ones = ("contexts",) if by_name and (contexts or required) else ()
    check_call(function, wants, named_ones, remedy=_HOW, wrapped=True)
    return wants, named_ones


def _error_text(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    location = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{location}"[:1000]


def _session() -> Any:
    import aiohttp

    # Limits bound how many and how long; the connector is not to queue a second time.
    timeout = aiohttp.ClientTimeout(total=None)
    return aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0))
