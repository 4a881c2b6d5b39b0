"""An LLM and an embedding model behind an OpenAI-compatible server."""

import asyncio
import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import msgspec

from assay._middleware.concurrency import PerLoop
from assay._text.sanitize import redacted, redacted_content
from assay.errors import InputError, TooLong, Unavailable
from assay.judge import Reply, Task, repeated
from assay.judges.code_digest import text_digest
from assay.judges.embedder import Embedder
from assay.judges.llm import LLM, SEEDS, WEIGHED, Completion
from assay.judges.openai import completion
from assay.judges.openai.completion import Choice, counted, read_chat
from assay.judges.openai.connection import Connected, Connection, encode
from assay.judges.openai.endpoint import UNREADABLE, Endpoint, Refusal, meaning, too_long
from assay.prompt import Template
from assay.tasks import MeasureLikelihood

_UNSUPPORTED = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|deprecated|forbidden|"
    r"not (?:permitted|allowed)|only the default",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"response[ _]format|json[ _]object|structured[ _]output|grammar|schema",
    re.IGNORECASE,
)
_STREAM = re.compile(r"\bstream(?:ing|ed)?\b", re.IGNORECASE)
_NEXT_FORM: dict[str, Literal["json_object", "text"]] = {
    "json_schema": "json_object",
    "json_object": "text",
}


# What may be a token of its own: three small letters of a word, and any other byte but the space
# that a word takes along. Digits are that in most vocabularies, and so are letters of scripts that
# a vocabulary does not know; English has twice as many by this count as it has.
_TOKENS = re.compile(rb"[a-z]{1,3}|[^a-z ]| (?![A-Za-z])")
# Tokens of the window that are left to the reply, where no bound on it is given.
ROOM_FOR_REPLY = 1024

# What a server tells instead of JSON that the bound on its length cut.
_AT_LENGTH = "max completion tokens reached"


# Likely tokens asked for at each position, and what is asked for where so many are refused.
MOST_LIKELY = 20
FEWER_LIKELY = 5


@dataclass(frozen=True)
class Dialect:
    """What a server takes of that which not every server takes."""

    # Strongest way of asking for JSON: by schema, as any object, or by the prompt alone.
    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    temperature: bool = True  # whether it takes a temperature
    seed: bool = True  # whether it takes a seed
    # What it calls the bound on the reply's length.
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    likely: int = MOST_LIKELY  # how many likely tokens it tells at each position; 0 if none
    stream: bool = False  # whether it answers in a stream only

    def after(self, refusal: Refusal, sent: Mapping[str, Any]) -> "Dialect | None":
        """What to try after this refusal; None if it is not about the dialect."""
        about_it = refusal.written is None and not too_long(refusal)
        if refusal.status not in (400, 403, 422, 500, 501) or not about_it:
            return None
        change = self._change(refusal, sent)
        return None if change is None else replace(self, **change)

    def _change(self, refusal: Refusal, sent: Mapping[str, Any]) -> Mapping[str, Any] | None:
        for field, without in _WITHOUT.items():
            if field in sent and _names_field(field, refusal):
                return without
        if "logprobs" in sent and "logprobs" in refusal.text.lower():
            return {"likely": FEWER_LIKELY if self.likely > FEWER_LIKELY else 0}
        about_request = refusal.status in (400, 422)
        if about_request and "stream" not in sent and _STREAM.search(refusal.text):
            return {"stream": True}
        if "response_format" in sent and self.form in _NEXT_FORM and _FORM.search(refusal.text):
            return {"form": _NEXT_FORM[self.form]}
        if about_request:
            fields_named = (
                field for field in _SAMPLING if field in sent and _names(field, refusal)
            )
            return _WITHOUT.get(next(fields_named, ""))
        return None


# What to change where a server does not take a field.
_WITHOUT: Mapping[str, Mapping[str, Any]] = {
    "max_tokens": {"limit": "max_completion_tokens"},
    "temperature": {"temperature": False},
    "seed": {"seed": False},
}
# Servers have too many words for values that they do not take of these: it is enough to name one.
_SAMPLING = ("temperature", "seed")


def _names_field(field: str, refusal: Refusal) -> bool:
    about_support = refusal.param or _UNSUPPORTED.search(refusal.text)
    return bool(about_support) and _names(field, refusal)


def _names(field: str, refusal: Refusal) -> bool:
    if refusal.param:
        return refusal.param == field
    return re.search(rf"(?<![a-z_]){field}(?![a-z_])", refusal.text) is not None


_Answer: TypeAlias = Completion | Refusal


class OpenAI(Connected, LLM):  # type: ignore[override]
    """Any LLM served the OpenAI way: OpenAI, Azure, Ollama, vLLM, llama.cpp, gateways ...

    The environment is read once, here: OPENAI_BASE_URL and OPENAI_API_KEY, or for Azure
    AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY and OPENAI_API_VERSION. A server without a key
    needs none.

    Args:
        model: Model, or Azure deployment.
        base_url: Base URL, with /v1 where the server has it.
        api_key: Key; "" sends none whatever the environment says.
        temperature: Temperature of draw 0.
        draw_temperature: Temperature of all other draws; each has its number as seed besides. A
            draw that repeats draw 0 is asked as draw 0 is.
        max_tokens: Bound on the reply's length; None leaves it to the server.
        window: Tokens of prompt and reply together that the model reads at once, for a server that
            cuts longer prompts off without a word (as Ollama does). A prompt that may be longer is
            not sent: its contexts are read in parts. None trusts the server to refuse it.
        timeout: Seconds a call may take; None leaves it to `Limits`, which bounds all calls of a
            run.
        headers: Further headers. They are not part of the name.
        extra_body: Further fields of the request.
        schema_extra: Further fields of every JSON schema, for servers that read settings there.
        prompts: Templates that replace the built-in ones, by kind of task.

    Attributes:
        max_tokens: Bound on the reply's length.
        further_requests: Requests beside the first of each call, to find out what the server takes.
    """

    drifts = True

    def __init__(  # noqa: PLR0913 - every user knows these names from other clients
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float = 0.0,
        draw_temperature: float = 0.7,
        max_tokens: int | None = None,
        window: int | None = None,
        timeout: float | None = None,
        headers: Mapping[str, str] | None = None,
        extra_body: Mapping[str, Any] | None = None,
        schema_extra: Mapping[str, Any] | None = None,
        prompts: Mapping[str, Template] | None = None,
    ) -> None:
        super().__init__(prompts)
        self.model = model
        self._temperature, self._draw_temperature = temperature, draw_temperature
        self.max_tokens, self._window = max_tokens, window
        self._most_tokens = _most_tokens(window, max_tokens)
        self._extra_body = dict(extra_body or {})
        self._schema_extra = dict(schema_extra or {})
        endpoint = Endpoint.find(os.environ, model, base_url, api_key, headers or {})
        self._connection = Connection(endpoint, timeout)
        self._dialect = Dialect()
        self.further_requests = 0
        self._probing = PerLoop(asyncio.Lock)
        self._futile = ""  # what was last said to every dialect: not one of them is refused
        self._name = self._full_name(endpoint)

    @property
    def name(self) -> str:
        """``openai:MODEL`` and whatever is not default and could change a reply; never the key."""
        return self._name

    @property
    def form(self) -> str:  # type: ignore[override]
        """The form of JSON that the last reply came in."""
        return self._dialect.form

    def _full_name(self, endpoint: Endpoint) -> str:
        settings = {
            "temperature": self._temperature or None,
            "draw_temperature": None if self._draw_temperature == 0.7 else self._draw_temperature,
            "max_tokens": self.max_tokens,
            "window": self._window,
            "extra_body": _digest(self._extra_body),
            "schema_extra": _digest(self._schema_extra),
        }
        options = "&".join(f"{k}={v}" for k, v in settings.items() if v is not None)
        return f"openai:{self.model}{endpoint.suffix}{'?' if options else ''}{options}"

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What the model writes.

        Raises:
            Denied: If key, quota, model or URL is refused.
            TooLong: If the prompt may be longer than what the model reads at once.
            Unavailable: If no reply came.
        """
        if self._most_tokens < math.inf and tokens_at_most(prompt) > self._most_tokens:
            fault = f"the prompt may be longer than the {self._window:,} tokens that {self.model}"
            raise TooLong(f"{fault} reads at once -> give it a larger window, or shorter texts")

        def body(dialect: Dialect) -> dict[str, Any]:
            return self._body(dialect, prompt, (kind, schema), draw)

        answer = await self._ask_in_its_dialect(body)
        if isinstance(answer, Refusal):
            error = meaning(answer, self._connection.endpoint, self.model)
            if isinstance(error, Unavailable):
                error.cost = answer.cost
            raise error
        return answer

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name and the digest of the prompt; likelihoods are measured without one."""
        return (
            f"{self.name}#echo" if issubclass(kind, MeasureLikelihood) else super().identity(kind)
        )

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What it writes when asked by prompt, or how likely it would write a text.

        Raises:
            Denied: If the server tells no likelihoods.
            JudgeError: If nothing came.
        """
        if not isinstance(task, MeasureLikelihood):
            return await super().reply(task, draw)
        start = time.perf_counter()
        sent = encode(completion.body(self.model, task) | self._extra_body)
        status, content, headers = await self._connection.post("completions", sent)
        endpoint = self._connection.endpoint
        if status != 200:
            refusal = Refusal.of(status, content, headers)
            if completion.unable(refusal) and not too_long(refusal):
                raise completion.denied(endpoint.place, self.model)
            raise meaning(refusal, endpoint, self.model)
        echoed = completion.read(content, task)
        if echoed is None:
            raise completion.denied(endpoint.place, self.model)
        raw, tokens = echoed
        ms = (time.perf_counter() - start) * 1000
        return self.replied(task, draw, task.inputs(), Completion(raw, tokens, 1), ms=ms)

    def _body(
        self,
        dialect: Dialect,
        prompt: str,
        form: tuple[str, Mapping[str, Any] | None],
        draw: int,
    ) -> dict[str, Any]:
        kind, schema = form
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
        }
        if dialect.temperature:
            sampled = repeated(draw) != 0
            body["temperature"] = self._draw_temperature if sampled else self._temperature
        if repeated(draw) and dialect.seed:
            body["seed"] = draw % SEEDS
        if kind in WEIGHED and dialect.likely:
            body |= {"logprobs": True, "top_logprobs": dialect.likely}
        if self.max_tokens is not None:
            body[dialect.limit] = self.max_tokens
        if dialect.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if schema is not None and dialect.form == "json_schema":
            full = {**schema, **self._schema_extra}
            json_schema = {"name": kind, "schema": full, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        elif schema is not None and dialect.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body | self._extra_body

    async def _ask_in_its_dialect(self, body: Callable[[Dialect], dict[str, Any]]) -> _Answer:
        while True:
            dialect = self._dialect
            answer = await self._post(body(dialect))
            if not isinstance(answer, Refusal) or not next_dialect(dialect, answer, body):
                return answer
            # One call finds out what the server takes; those refused with it wait for the result.
            async with self._probing.get():
                if answer.message == self._futile:
                    return answer
                if self._dialect is dialect:
                    return await self._probe(answer, dialect, body)
            self.further_requests += 1

    async def _probe(
        self, answer: _Answer, dialect: Dialect, body: Callable[[Dialect], dict[str, Any]]
    ) -> _Answer:
        # Only a dialect that brought a reply is kept: a refusal may have been about the prompt.
        first = answer.message if isinstance(answer, Refusal) else ""
        while isinstance(answer, Refusal):
            following = next_dialect(dialect, answer, body)
            if following is None:
                self._futile = first if answer.message == first else self._futile
                return answer
            dialect = following
            self.further_requests += 1
            answer = await self._post(body(dialect))
        self._dialect = dialect
        return answer

    async def _post(self, body: dict[str, Any]) -> _Answer:
        status, content, headers = await self._connection.post("chat/completions", encode(body))
        return self._read_response(status, content, headers, body["messages"][0]["content"])

    def _read_response(
        self, status: int, content: bytes, headers: Mapping[str, str], prompt: str
    ) -> _Answer:
        """What the server's reply to a prompt means.

        Raises:
            Unavailable: If there is no text in it, and it says of no refusal either.
        """
        if status != 200:
            return _as_written(Refusal.of(status, content, headers), prompt)
        content = redacted_content(content)
        place = self._connection.endpoint.place
        try:
            chat = read_chat(content)
        except ValueError as error:
            fault = f"{place} sent no chat completion but {content[:80]!r}"
            raise Unavailable(fault, cost=(0, 0)) from error
        choice = chat.choices[0] if chat.choices else Choice()
        usage, text = counted(chat.usage, choice.text), redacted(choice.text)
        if chat.failure:  # gateways report a failing upstream with status 200
            refusal = Refusal.of(chat.status, encode({"error": chat.failure}), headers)
            cost = usage.prompt_tokens or 0, usage.completion_tokens or 0
            return msgspec.structs.replace(refusal, cost=cost)
        read = len(prompt) // 4 if usage.prompt_tokens is None else usage.prompt_tokens
        tokens_written = (
            len(text) // 4 if usage.completion_tokens is None else usage.completion_tokens
        )
        if not chat.choices:
            fault = f"{place} sent a chat completion without a choice"
            raise Unavailable(fault, cost=(read, tokens_written))
        if choice.finish_reason == "content_filter":
            fault = f"{place} withheld its reply (blocked by the provider's filter)"
            raise Unavailable(fault, permanent=True, cost=(read, tokens_written))
        cut = choice.finish_reason == "length"
        return Completion(
            text,
            read,
            tokens_written,
            choice.tokens,
            cut=cut,
            cached=usage.cached,
            model=chat.answered,
        )


def _as_written(refusal: Refusal, prompt: str) -> _Answer:
    """What the model wrote, if that is what was refused: read, or not, as any other reply."""
    if not refusal.written:
        return refusal
    cut = refusal.written.startswith(_AT_LENGTH)
    text = "" if cut else refusal.written
    return Completion(text, len(prompt) // 4, len(text) // 4, cut=cut)


def next_dialect(
    dialect: Dialect, refusal: Refusal, body: Callable[[Dialect], dict[str, Any]]
) -> Dialect | None:
    """What to try after a refusal; None if no field that is sent would change by it."""
    sent = body(dialect)
    following = dialect.after(refusal, sent)
    # What the user has every request carry (`extra_body`) is refused again and again.
    return None if following is None or body(following) == sent else following


def tokens_at_most(text: str) -> int:
    """As many tokens as a text has in any common vocabulary, or more."""
    return sum(1 for _ in _TOKENS.finditer(text.encode("utf-8", "replace")))


def _most_tokens(window: int | None, max_tokens: int | None) -> float:
    """Of a prompt that leaves room for a reply."""
    if window is None:
        return math.inf
    room = min(ROOM_FOR_REPLY, window // 2) if max_tokens is None else max_tokens
    if window <= room:
        fault = f"a window of {window} tokens has no room for a prompt and a reply of {room}"
        raise InputError(fault, "give a window above max_tokens")
    return float(window - room)


def _digest(value: Mapping[str, Any]) -> str | None:
    if not value:
        return None
    return text_digest(msgspec.json.encode(value, order="deterministic").decode())


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Embeddings(msgspec.Struct):
    data: list[_Item]
    usage: Any = None


_EMBEDDINGS = msgspec.json.Decoder(_Embeddings)


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
        endpoint = self._connection.endpoint
        if status != 200:
            refusal = meaning(Refusal.of(status, content, headers), endpoint, self.model)
            if isinstance(refusal, Unavailable):
                refusal.cost = (0, 0)
            raise refusal
        try:
            response = _EMBEDDINGS.decode(content)
        except UNREADABLE as error:
            fault = f"{endpoint.place} sent no embeddings but {redacted_content(content)[:80]!r}"
            raise Unavailable(fault, cost=(0, 0)) from error
        tokens = counted(response.usage).prompt_tokens
        if tokens is None:
            tokens = sum(map(len, texts)) // 4
        by_index = {item.index: item.embedding for item in response.data}
        if sorted(by_index) != list(range(len(texts))):
            fault = f"{endpoint.place} sent {len(by_index)} of {len(texts)} embeddings"
            raise Unavailable(fault, cost=(tokens, 0))
        return [by_index[i] for i in range(len(texts))], tokens
