"""What was the text of an answer that is handed over piece by piece? Its reader finds out."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeAlias

UNREAD = "the streamed answer was not read to its end while it was being collected"

# Told once: the whole text, or None and why there is none.
Told: TypeAlias = Callable[[str | None, str | None], None]


def is_streamed(response: Any) -> bool:
    """Whether a response has still to be read."""
    waiting = getattr(response, "response_gen", None) is not None
    return waiting and response.response_txt is None


def listen(response: Any, told: Told) -> None:
    """Have a streamed response tell its text when its reader has come to the end."""
    stream = response.response_gen
    heard = _heard_async if hasattr(stream, "__aiter__") else _heard
    response.response_gen = heard(stream, told)


def _heard(stream: Any, told: Told) -> Iterator[str]:
    texts: list[str] = []
    try:
        for text in stream:
            texts.append(text)
            yield text
    except BaseException as error:
        told(None, _why(error))
        raise
    told("".join(texts), None)


async def _heard_async(stream: Any, told: Told) -> AsyncIterator[str]:
    texts: list[str] = []
    try:
        async for text in stream:
            texts.append(text)
            yield text
    except BaseException as error:
        told(None, _why(error))
        raise
    told("".join(texts), None)


def _why(error: BaseException) -> str:
    return UNREAD if isinstance(error, GeneratorExit) else f"{type(error).__name__}: {error}"
