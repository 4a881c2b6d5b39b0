"""Reading completions, streamed or whole, and the log-probabilities of a repeated prompt."""

import json
import math
import re
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

from assay.errors import Denied, Unavailable
from assay.judges.llm import Token, model_name
from assay.judges.openai.connection import clean
from assay.judges.openai.endpoint import UNREADABLE, Refusal
from assay.tasks import MeasureLikelihood

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_Form = TypeVar("_Form")


class Counted(msgspec.Struct):
    """Tokens read and written; None where the server did not count them."""

    prompt_tokens: _Count | None = None  # tokens of the prompt
    completion_tokens: _Count | None = None  # tokens that were written
    # Tokens of the prompt that were read from the provider's cache, and those that were written
    # into it.
    cached: tuple[int, int] = (0, 0)


class _Total(msgspec.Struct):
    total_tokens: _Count


def counted(usage: Any, text: str = "") -> Counted:
    """The field `usage` of a reply.

    Servers have their own ideas of it, and no reply is lost over it: what cannot be read was not
    counted. Some count reasoning in the total only; it is paid for as what is written is.

    Args:
        usage: The field.
        text: What was written: a server that read and wrote nothing for it did not count.
    """
    counts = _converted(usage, Counted) or Counted()
    if text:
        counts.prompt_tokens = counts.prompt_tokens or None
        counts.completion_tokens = counts.completion_tokens or None
    total = _converted(usage, _Total)
    if total and counts.prompt_tokens:
        remainder = total.total_tokens - counts.prompt_tokens
        if remainder > (counts.completion_tokens or 0):
            counts.completion_tokens = remainder
    counts.cached = cached(usage, counts.prompt_tokens or 0)
    return counts


class _Details(msgspec.Struct):
    """What servers tell of their prompt cache beside the tokens, each in its own words."""

    cached_tokens: _Count | None = None  # OpenAI, Gemini, vLLM, OpenRouter
    cache_write_tokens: _Count | None = None  # OpenRouter
    cache_read_input_tokens: _Count | None = None  # Anthropic
    cache_creation_input_tokens: _Count | None = None
    prompt_cache_hit_tokens: _Count | None = None  # DeepSeek
    cached_content_token_count: _Count | None = msgspec.field(
        default=None, name="cachedContentTokenCount"
    )  # Gemini


def cached(usage: Any, prompt_tokens: int) -> tuple[int, int]:
    """Tokens of the prompt that a provider read from its cache, and that it wrote into it.

    Args:
        usage: What it tells of its use: OpenAI's `usage`, Anthropic's, or Gemini's `usageMetadata`.
        prompt_tokens: Tokens of the whole prompt, of which both are a part.
    """
    inner = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    read = tokens_written = 0
    for details in (_converted(usage, _Details), _converted(inner, _Details)):
        if details is not None:
            reads = (
                details.cached_tokens,
                details.cache_read_input_tokens,
                details.prompt_cache_hit_tokens,
            )
            read = max(read, *(n or 0 for n in (*reads, details.cached_content_token_count)))
            writes = details.cache_write_tokens, details.cache_creation_input_tokens
            tokens_written = max(tokens_written, *(n or 0 for n in writes))
    read = min(read, prompt_tokens)
    return read, min(tokens_written, prompt_tokens - read)


def _converted(usage: Any, form: type[_Form]) -> _Form | None:
    try:
        return msgspec.convert(usage, form, strict=False)
    except msgspec.ValidationError:
        return None


_STATUS = re.compile(r"[45]\d\d", re.ASCII)
# JSON has none of these. Where minus infinity stands for "never", it is kept.
_NO_NUMBERS = {"-Infinity": -math.inf}
BROKEN_OFF = "the reply broke off"
_Read = TypeVar("_Read")


class Message(msgspec.Struct):
    """What was written."""

    content: Any = None
    refusal: Any = None
    tool_calls: Any = None
    reasoning_content: Any = None
    reasoning: Any = None  # the same in newer servers

    @property
    def text(self) -> str:
        """Its content; where that is empty, what it says in a refusal or to a tool."""
        content = self.content
        if isinstance(content, list):  # some servers send parts, reasoning among them
            text_items = [p for p in content if isinstance(p, dict) and p.get("type") == "text"]
            content = "".join(str(item.get("text", "")) for item in text_items)
        if isinstance(content, dict):  # as gateways send JSON that they have read themselves
            content = json.dumps(content, ensure_ascii=False)
        content = content if isinstance(content, str) else ""
        if content.strip():
            return content
        alternatives = (self.refusal, self._to_a_tool)
        return next((text for text in alternatives if isinstance(text, str) and text), content)

    @property
    def misplaced(self) -> str:
        """Its thoughts, where they are JSON and nothing else.

        A server that parts thoughts from the answer takes all for thoughts if a model that it
        thinks is thinking does not: vLLM does so with Qwen3 (its issue 17349).
        """
        thoughts = self.reasoning_content or self.reasoning
        thoughts = thoughts.strip() if isinstance(thoughts, str) else ""
        return thoughts if thoughts.startswith("{") and thoughts.endswith("}") else ""

    @property
    def _to_a_tool(self) -> Any:
        call = self.tool_calls[0] if isinstance(self.tool_calls, list) and self.tool_calls else None
        function = call.get("function") if isinstance(call, dict) else None
        return function.get("arguments") if isinstance(function, dict) else None


class Choice(msgspec.Struct):
    """One of the texts that were asked for."""

    message: Message | None = None
    finish_reason: Any = None
    logprobs: Any = None
    error: Any = None

    @property
    def text(self) -> str:
        """Its text, "" if there is none."""
        if not self.message:
            return ""
        text = self.message.text
        return text if text.strip() else self.message.misplaced or text

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Its tokens with the likely ones in their places, where they are told."""
        # Servers have their own ideas of this field: what is not in OpenAI's form is passed over.
        try:
            logprobs = msgspec.convert(self.logprobs, _Logprobs | None)
        except msgspec.ValidationError:
            return ()
        content = (logprobs and logprobs.content) or ()
        return tuple(
            # The likelier one comes first, and is kept if two are shown by the same text.
            Token(t.token, {x.token: x.logprob for x in reversed(t.top_logprobs or ())})
            for t in content
        )


class Chat(msgspec.Struct):
    """A server's reply with status 200."""

    choices: list[Choice] | None = None
    usage: Any = None
    error: Any = None
    # Beside it stands `system_fingerprint`, which is not kept: it names how OpenAI serves a model,
    # several of which answer by turns, so that nearly every run would be told of a change.
    model: Any = None

    @property
    def answered(self) -> str:
        """The model that wrote it, which may be another than was asked for; "" if none is told."""
        return model_name(self.model)

    @property
    def failure(self) -> Any:
        """What it reports instead of a reply: of its own, or of its first choice."""
        first = self.choices[0] if self.choices else Choice()
        broken = first.finish_reason == "error"
        return self.error or first.error or (BROKEN_OFF if broken else None)

    @property
    def status(self) -> int:
        """The status that its failure names as a number or in digits; 502 where it names none."""
        code = str(self.failure.get("code")) if isinstance(self.failure, dict) else ""
        return int(code) if _STATUS.fullmatch(code) else 502


class _Likely(msgspec.Struct):
    token: str = ""
    logprob: float = -math.inf


class _Token(msgspec.Struct):
    token: str
    top_logprobs: list[_Likely] | None = None


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


class _Piece(msgspec.Struct):
    delta: Message | None = None
    finish_reason: Any = None
    logprobs: Any = None
    index: int | None = 0


class _Event(msgspec.Struct):
    """What is streamed at a time."""

    choices: list[_Piece] | None = None
    usage: Any = None
    error: Any = None
    model: Any = None


_CHAT = msgspec.json.Decoder(Chat)
_EVENT = msgspec.json.Decoder(_Event)
_STREAM = (b"data:", b"event:", b"id:", b":")
# Not by `splitlines`: other ends of line may stand in a text.
_DATA = re.compile(rb"^data: *(\S.*)$", re.MULTILINE)
_DONE = b"[DONE]"


def read_chat(content: bytes) -> Chat:
    """A chat completion. It was paid for, so no flaw beside the text costs the reply.

    Half a surrogate pair, a byte that is not UTF-8, a mark before the JSON and numbers that are
    none are read as well as they can be. What was streamed is put together.

    Raises:
        ValueError: If it is none.
    """
    if content.lstrip().startswith(_STREAM):
        return _streamed(content)
    return _decoded(content, _CHAT)


def _decoded(content: bytes, decoder: msgspec.json.Decoder[_Read]) -> _Read:
    try:
        return decoder.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = content.decode("utf-8-sig", "replace")
    try:
        value = json.loads(text, parse_constant=_NO_NUMBERS.get)
        # Python's reader lets half a surrogate pair pass, which nothing after it can write.
        read: _Read = msgspec.convert(clean(value), decoder.type)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return read


def _streamed(content: bytes) -> Chat:
    """The completion that was sent in pieces; one that says nowhere that it ended broke off."""
    chat, pieces, ended = Chat(), list[_Piece](), False
    for data in _DATA.findall(content):
        if data.strip() == _DONE:
            ended = True
            continue
        event = _decoded(data, _EVENT)
        chat.usage, chat.error = event.usage or chat.usage, event.error or chat.error
        chat.model = event.model or chat.model
        pieces += [piece for piece in event.choices or () if not piece.index]
    if pieces:
        reason = next((p.finish_reason for p in pieces if p.finish_reason), None)
        text = "".join(piece.delta.text for piece in pieces if piece.delta)
        logprobs = [p.logprobs.get("content") for p in pieces if isinstance(p.logprobs, dict)]
        tokens = [
            token
            for content_logprobs in logprobs
            if isinstance(content_logprobs, list)
            for token in content_logprobs
        ]
        reason = reason or ("stop" if ended else "error")
        chat.choices = [Choice(Message(text), reason, {"content": tokens})]
    return chat


BETWEEN = "\n"  # what stands between the prompt and the text
REMEDY = (
    "take gguf:FILE, or a server that does: vLLM, SGLang, llama-cpp-python (not OpenAI's chat "
    "models, nor Ollama, nor llama.cpp's server)"
)
# How servers refuse a path, a field, or two of them together that they do not know.
_UNKNOWN = (400, 404, 405, 422, 501)


class _EchoedLogprobs(msgspec.Struct):
    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None


class _Choice(msgspec.Struct):
    text: str = ""
    logprobs: _EchoedLogprobs | None = None


class _Completions(msgspec.Struct):
    choices: list[_Choice]
    usage: Any = None


_DECODER = msgspec.json.Decoder(_Completions)


def body(model: str, task: MeasureLikelihood) -> dict[str, Any]:
    """The request: the text after the prompt, to be repeated with its log-probabilities."""
    prompt = task.before + BETWEEN + task.text
    # One token more is written, which some servers insist on, and not looked at.
    return {"model": model, "prompt": prompt, "echo": True, "logprobs": 1, "max_tokens": 1}


def unable(refusal: Refusal) -> bool:
    """Whether a refusal says that the server does not do this."""
    words = ("echo", "logprobs", "completions", "not found", "not supported")
    return refusal.status in _UNKNOWN and any(word in refusal.text.lower() for word in words)


def denied(place: str, model: str) -> Denied:
    """What is said where the server does not do this."""
    return Denied(f"{place} tells no log-probabilities of a prompt for {model} -> {REMEDY}")


def read(content: bytes, task: MeasureLikelihood) -> tuple[str, int] | None:
    """(the reply in the form that is read, tokens read); None if the prompt was not repeated.

    Raises:
        Unavailable: If it is no completion.
    """
    try:
        response = _DECODER.decode(content)
    except UNREADABLE as error:
        raise Unavailable(f"no completion but {content[:80]!r}", cost=(0, 0)) from error
    choice = response.choices[0] if response.choices else _Choice()
    logprobs = choice.logprobs or _EchoedLogprobs()
    token_chances = list(zip(logprobs.tokens or (), logprobs.token_logprobs or (), strict=False))
    start, end = len(task.before) + len(BETWEEN), len(task.before) + len(BETWEEN) + len(task.text)
    position, tokens = 0, list[tuple[str, float]]()
    for token, value in token_chances:
        # What begins in the text is of the text: the prompt's last token may take a letter along.
        if start <= position < end and value is not None:
            tokens.append((token, value))
        position += len(token)
    if not choice.text.startswith(task.before) or not tokens:
        return None
    raw = MeasureLikelihood.reply([t for t, _ in tokens], [value for _, value in tokens])
    return raw, counted(response.usage).prompt_tokens or len(token_chances)
