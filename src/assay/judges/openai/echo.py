"""Log-probabilities of a given text, from a server whose /completions repeats its prompt."""

from typing import Any

import msgspec

from assay.errors import Denied, Unavailable
from assay.judges.openai.completion import counted
from assay.judges.openai.endpoint import UNREADABLE, Refusal
from assay.tasks import MeasureLikelihood, measure_likelihood

BETWEEN = "\n"  # what stands between the prompt and the text
REMEDY = (
    "take gguf:FILE, or a server that does: vLLM, SGLang, llama-cpp-python (not OpenAI's chat "
    "models, nor Ollama, nor llama.cpp's server)"
)
# How servers refuse a path, a field, or two of them together that they do not know.
_UNKNOWN = (400, 404, 405, 422, 501)


class _Logprobs(msgspec.Struct):
    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None


class _Choice(msgspec.Struct):
    text: str = ""
    logprobs: _Logprobs | None = None


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
    logprobs = choice.logprobs or _Logprobs()
    known = list(zip(logprobs.tokens or (), logprobs.token_logprobs or (), strict=False))
    start, end = len(task.before) + len(BETWEEN), len(task.before) + len(BETWEEN) + len(task.text)
    at, tokens = 0, list[tuple[str, float]]()
    for token, value in known:
        # What begins in the text is of the text: the prompt's last token may take a letter along.
        if start <= at < end and value is not None:
            tokens.append((token, value))
        at += len(token)
    if not choice.text.startswith(task.before) or not tokens:
        return None
    raw = measure_likelihood.reply([t for t, _ in tokens], [value for _, value in tokens])
    return raw, counted(response.usage).prompt_tokens or len(known)
