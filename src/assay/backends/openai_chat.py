"""What does a chat completion say, even one that is not quite JSON?"""

import json
import math
import re
from typing import Any

import msgspec

from assay.backends.likely import Token

_STATUS = re.compile(r"[45]\d\d", re.ASCII)
# JSON has none of these. Where minus infinity stands for "never", it is kept.
_NO_NUMBERS = {"-Infinity": -math.inf}


class Message(msgspec.Struct):
    """What was written."""

    content: Any = None


class Choice(msgspec.Struct):
    """One of the texts that were asked for."""

    message: Message | None = None
    finish_reason: Any = None
    logprobs: Any = None

    @property
    def text(self) -> str:
        """Its text, "" if there is none."""
        # A refusal has no content; some servers send a list of parts, reasoning among them.
        content = self.message.content if self.message else None
        if isinstance(content, list):
            parts = [p for p in content if isinstance(p, dict) and p.get("type") == "text"]
            return "".join(str(part.get("text", "")) for part in parts)
        return content if isinstance(content, str) else ""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Its tokens with the likely ones in their places, where they are told."""
        # Servers have their own ideas of this field: what is not in OpenAI's form is passed over.
        try:
            told = msgspec.convert(self.logprobs, _Logprobs | None)
        except msgspec.ValidationError:
            return ()
        content = (told and told.content) or ()
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

    @property
    def status(self) -> int:
        """The status that its error names as a number or in digits; 502 where it names none."""
        code = str(self.error.get("code")) if isinstance(self.error, dict) else ""
        return int(code) if _STATUS.fullmatch(code) else 502


class _Likely(msgspec.Struct):
    token: str = ""
    logprob: float = -math.inf


class _Token(msgspec.Struct):
    token: str
    top_logprobs: list[_Likely] | None = None


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


_CHAT = msgspec.json.Decoder(Chat)


def read_chat(content: bytes) -> Chat:
    """A chat completion. It was paid for, so no flaw beside the text costs the reply.

    Half a surrogate pair, a byte that is not UTF-8, a mark before the JSON and numbers that are
    none are read as well as they can be.

    Raises:
        ValueError: If it is none.
    """
    try:
        return _CHAT.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = content.decode("utf-8-sig", "replace")
    try:
        found = json.loads(text, parse_constant=_NO_NUMBERS.get)
        return msgspec.convert(_whole(found), Chat)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _whole(value: Any) -> Any:
    # Python's reader lets half a surrogate pair pass, which nothing after it can write.
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole(k): _whole(v) for k, v in value.items()}
    return [_whole(v) for v in value] if isinstance(value, list) else value
