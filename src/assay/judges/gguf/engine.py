"""A GGUF model run in this process by llama.cpp.

Numbers must not depend on what was asked before. llama.cpp keeps what it has read and reads on
from where two prompts part, in batches whose sizes change the last digits (measured: up to 0.1 in
a log-probability). So a shared beginning is always read on its own first, from nothing, and what
follows it always from exactly there: the same prompt gets the same reply in any company.
"""

import json
import re
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol
from urllib.request import Request, urlopen

from assay import errors
from assay._text.sanitize import whole
from assay.errors import Denied, InputError, Unavailable
from assay.judge import repeated
from assay.judges.llm import SEEDS, Token

DRAW_TEMPERATURE = 0.7
BATCH = 256  # tokens read between two chances to stop
TOP = 20  # tokens whose probability is told at each position
# llguidance, the grammar engine of the wheels, reads this from a schema. Without it small models
# pad their JSON with white space until they are stopped.
NO_PADDING = {
    "x-guidance": {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
}
_CONTROL = re.compile(
    r"<(?=\||\uff5c|/?(?:s|bos|eos|pad|unk|think|start_of_turn|end_of_turn|image|audio)>|<SYS)|"
    r"\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_))"
)


class TooLong(errors.TooLong):
    """A prompt is longer than what the model reads at once.

    Attributes:
        tokens: Its length.
        window: What the model reads at once.
    """

    def __init__(self, tokens: int, window: int) -> None:
        super().__init__(f"the prompt has {tokens:,} tokens, the model reads {window:,} at once")
        self.tokens, self.window = tokens, window

    def __reduce__(self) -> tuple[type["TooLong"], tuple[int, int]]:
        """As it is sent to another process."""
        return type(self), (self.tokens, self.window)


@dataclass(frozen=True, slots=True)
class Wish:
    """How a reply is wanted."""

    tokens: int  # its longest length
    schema: Mapping[str, Any] | None = None  # JSON schema that binds it, None for free text
    draw: int = 0  # 0 for the most likely text, n for the n-th other sample
    probabilities: bool = False  # whether the likely tokens are to be told at every position


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model wrote."""

    text: str  # the text
    tokens_in: int = 0  # tokens of the prompt
    cached: int = 0  # how many of them were read before and not again
    tokens_out: int = 0  # tokens written
    tokens: Sequence[Token] = ()  # the tokens, where probabilities were wanted
    cut: bool = False  # whether the bound on its length ended it


class Engine(Protocol):
    """Whatever runs a model. It is used by one thread at a time."""

    def ask(self, shared: Sequence[str], own: str, wish: Wish, stop: threading.Event) -> Answer:
        """What the model writes.

        Args:
            shared: Beginnings of the prompt that others have too, from what most have to what few
                have; each is read once while it stays the same.
            own: The rest of the prompt.
            wish: How the reply is wanted.
            stop: Set by another thread when nobody waits for the reply any more.

        Raises:
            TooLong: If the prompt is longer than what the model reads at once.
            JudgeError: If there is no reply.
        """

    def likelihood(self, prompt: str, text: str, stop: threading.Event) -> Answer:
        """The text as a reply to the prompt, each token with its own log-probability alone.

        Args:
            prompt: What is replied to.
            text: The reply that is measured.
            stop: As above.

        Raises:
            TooLong: If they are longer than what the model reads at once.
            JudgeError: If there is none.
        """

    def close(self) -> None:
        """Give the memory back; the next question loads the model again."""


def version() -> str:
    """The version of the package that runs models.

    Raises:
        InputError: If it is not installed.
    """
    if find_spec("xllamacpp") is None:
        fault = "gguf: needs the package xllamacpp"
        raise InputError(fault, "pip install 'assay[gguf]'")
    try:
        return metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:  # put on the path by hand
        return "unknown"


@dataclass
class Llama:
    """llama.cpp by way of xllamacpp, called in process. The model is loaded when first asked."""

    path: Path  # the GGUF file
    threads: int  # cores to use
    window: int  # tokens of prompt and reply together, where the model can read as many
    _server: Any = field(default=None, repr=False)
    _key: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    _read: tuple[str, ...] = field(default=(), repr=False)  # the shared beginnings in memory

    def ask(self, shared: Sequence[str], own: str, wish: Wish, stop: threading.Event) -> Answer:
        """What the model writes; see `Engine`."""
        cached = sum(
            1
            for _ in takewhile(
                lambda pair: pair[0] == pair[1], zip(self._read, shared, strict=False)
            )
        )
        self._read = ()
        # The deepest beginning in memory is asked for again, which forgets what came after it.
        for end in range(max(cached, 1), len(shared) + 1):
            self._post("".join(shared[:end]), Wish(1), stop, cached=end > 1 or cached > 0)
        self._read = tuple(shared)
        return self._post("".join(shared) + own, wish, stop, cached=bool(shared))

    def likelihood(self, prompt: str, text: str, stop: threading.Event) -> Answer:
        """The text, written because nothing else is allowed; see `Engine`.

        A grammar leaves the text's own tokens alone, and the probabilities are those from before
        it. llama.cpp does not tell those of a token that ends within a character.
        """
        self._read = ()
        tokens = self._tokens(_without_specials(text))
        if len(tokens) >= self.window:
            raise TooLong(len(tokens), self.window)
        body = _body(prompt, Wish(len(tokens), probabilities=True), cached=False) | {
            "grammar": "%llguidance {}\nstart: " + " ".join(f"<[{token}]>" for token in tokens),
            "stream": False,  # in pieces it would drop tokens
            "top_logprobs": 1,
        }
        del body["stream_options"], body["return_progress"]
        chunks: list[Mapping[str, Any]] = []
        _check_wanted(stop)
        self._loaded().handle_chat_completions(body, chunks.append)
        return _answer_of(chunks[-1])

    def _tokens(self, text: str) -> list[int]:
        """The text in the model's own tokens."""
        server = self._loaded()
        request = Request(  # noqa: S310 - of this process
            f"{server.listening_address}/tokenize",
            json.dumps({"content": text, "add_special": False}).encode(),
            {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        with urlopen(request, timeout=60) as response:  # noqa: S310
            tokens: list[int] = json.load(response)["tokens"]
        return tokens

    def close(self) -> None:
        """Give the memory back."""
        self._server, self._read = None, ()

    def _post(self, prompt: str, wish: Wish, stop: threading.Event, *, cached: bool) -> Answer:
        chunks: list[Mapping[str, Any]] = []
        _check_wanted(stop)

        def take(chunk: Mapping[str, Any]) -> bool:
            chunks.append(chunk)
            return stop.is_set()  # true ends the reply

        self._loaded().handle_chat_completions(_body(prompt, wish, cached=cached), take)
        _check_wanted(stop)
        return _answer(chunks)

    def _loaded(self) -> Any:
        if self._server is None:
            import xllamacpp

            try:
                self._server = xllamacpp.Server(self._parameters(xllamacpp.CommonParams()))
            except (RuntimeError, ValueError, OSError) as error:
                fault = f"llama.cpp cannot load '{self.path}': {error}"
                remedy = "see that the file is whole and that memory is free"
                raise Denied(f"{fault} -> {remedy}") from error
        return self._server

    def _parameters(self, params: Any) -> Any:
        params.model.path = str(self.path)
        params.n_ctx = self.window
        params.n_parallel = 1
        params.n_batch = params.n_ubatch = BATCH
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self.threads
        params.cache_ram_mib = 0  # what is reused is decided here, not by likeness
        params.warmup = False
        params.verbosity = -1
        # With its template engine on, the server rewrites JSON schemas and loses "x-guidance".
        params.use_jinja = False
        # It opens a port of this machine whether we want it or not; a key that nobody knows
        # keeps others out.
        params.port = 0
        params.api_keys = [self._key]
        return params


def _check_wanted(stop: threading.Event) -> None:
    if stop.is_set():
        raise Unavailable("given up: nobody waits for the reply any more")


def _without_specials(text: str) -> str:
    # A text that holds a model's control tokens ("<|im_end|>") could end its own turn and speak as
    # somebody else. A space makes them letters.
    return whole(_CONTROL.sub(r"\g<0> ", text))


def _body(prompt: str, wish: Wish, *, cached: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "messages": [{"role": "user", "content": _without_specials(prompt)}],
        "temperature": DRAW_TEMPERATURE if repeated(wish.draw) else 0.0,
        "seed": wish.draw % SEEDS,
        "max_tokens": wish.tokens,
        "cache_prompt": cached,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,  # a long prompt can be given up half read
    }
    if wish.probabilities:
        body |= {"logprobs": True, "top_logprobs": TOP}
    if wish.schema is not None:
        json_schema = {"name": "reply", "schema": {**wish.schema, **NO_PADDING}, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
    return body


def _answer(chunks: Sequence[Mapping[str, Any]]) -> Answer:
    texts: list[str] = []
    tokens: list[Token] = []
    usage: Mapping[str, Any] = {}
    cut = False
    for chunk in chunks:
        if error := chunk.get("error"):
            raise _error_of(error)
        usage = chunk.get("usage") or usage
        for choice in chunk.get("choices") or ():
            texts.append(choice.get("delta", {}).get("content") or "")
            cut = cut or choice.get("finish_reason") == "length"
            logprobs = (choice.get("logprobs") or {}).get("content") or ()
            tokens += [Token(t["token"], _top(t["top_logprobs"])) for t in logprobs]
    return Answer(
        "".join(texts),
        tokens_in=int(usage.get("prompt_tokens", 0)),
        cached=int((usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)),
        tokens_out=int(usage.get("completion_tokens", 0)),
        tokens=tuple(tokens),
        cut=cut,
    )


def _answer_of(reply: Mapping[str, Any]) -> Answer:
    if error := reply.get("error"):
        raise _error_of(error)
    (choice,), usage = reply["choices"], reply["usage"]
    tokens = [t for t in choice["logprobs"]["content"] if t["token"]]
    return Answer(
        choice["message"]["content"],
        tokens_in=int(usage["prompt_tokens"]),
        tokens_out=int(usage["completion_tokens"]),
        tokens=tuple(Token(t["token"], {t["token"]: float(t["logprob"])}) for t in tokens),
    )


def _top(candidates: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    # Two tokens may be shown by the same text; the likelier one, which comes first, is kept.
    return {t["token"]: float(t["logprob"]) for t in reversed(candidates)}


def _error_of(error: Mapping[str, Any]) -> Unavailable:
    if error.get("type") == "exceed_context_size_error":
        return TooLong(int(error["n_prompt_tokens"]), int(error["n_ctx"]))
    return Unavailable(f"llama.cpp: {error.get('message', error)}", permanent=True)
