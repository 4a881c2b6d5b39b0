"""Where does each token of a text lie in an encoder's space, read in its sentence?"""

import base64
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material
from assay.tasks.reading import decode


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of a text and a vector for each, in order.

    Attributes:
        tokens: The tokens as the encoder writes them ("##ing").
        vectors: Their directions, all in as many dimensions, each number a signed byte (a long text
            has millions of them); their lengths mean nothing.
    """

    tokens: tuple[str, ...]
    vectors: tuple[bytes, ...]


class _Form(msgspec.Struct, frozen=True):
    tokens: list[str]
    vectors: str


@dataclass(frozen=True)
class EmbedTokens(Task[TokenVectors]):
    """The embedding of every token of a text. Served by an encoder, never by a prompt.

    Attributes:
        text: The text to embed.
    """

    text: str

    def material(self) -> Sequence[Material]:
        """The text."""
        return (Material("text", self.text),)

    def read(self, raw: str) -> TokenVectors:
        """The vectors; raises Unreadable if they do not fit the tokens or one is no direction."""
        form = decode(raw, _Form)
        try:
            packed = base64.b64decode(form.vectors, validate=True)
        except ValueError as error:
            raise Unreadable(f"not base64 vectors: {error}", raw=raw) from error
        n = len(form.tokens)
        if not n and not packed:
            return TokenVectors((), ())
        if not n or not packed or len(packed) % n:
            raise Unreadable(f"{len(packed)} numbers for {n} tokens", raw=raw)
        size = len(packed) // n
        vectors = tuple(packed[i : i + size] for i in range(0, len(packed), size))
        if not all(map(any, vectors)):
            raise Unreadable("a vector that is all zeros", raw=raw)
        return TokenVectors(tuple(form.tokens), vectors)


def reply(tokens: Sequence[str], vectors: Sequence[Sequence[float]]) -> str:
    """A reply in the form that `EmbedTokens` reads: a signed byte a number, base64.

    A text has many tokens. Bytes take a quarter of the room of 32-bit floats and, measured on the
    embedded encoder, change no cosine by more than 0.003.
    """
    packed = b"".join(_bytes(vector) for vector in vectors)
    form = _Form(list(tokens), base64.b64encode(packed).decode())
    return msgspec.json.encode(form).decode()


def _bytes(vector: Sequence[float]) -> bytes:
    largest = max(map(abs, vector), default=0.0) or 1.0
    return struct.pack(f"{len(vector)}b", *(round(127 * number / largest) for number in vector))
