"""Numbers of a model: embeddings of texts and tokens, and how likely a text is."""

import base64
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import TypeAlias

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.tasks.base import decode, encode

Vector: TypeAlias = tuple[float, ...]

# The largest number of 32 bits.
LARGEST = (2 - 2**-23) * 2.0**127


class _VectorForm(msgspec.Struct, frozen=True):
    embedding: str


@dataclass(frozen=True)
class Embed(Task[Vector]):
    """The embedding of one text. Served by an embedder, never by a prompt.

    Attributes:
        text: The text to embed.
    """

    text: str

    def read(self, raw: str) -> Vector:
        """The vector; raises Unreadable if it is empty, not finite or all zeros."""
        try:
            packed = base64.b64decode(decode(raw, _VectorForm).embedding, validate=True)
            vector = struct.unpack(f"<{len(packed) // 4}f", packed)
        except (ValueError, struct.error) as error:
            raise Unreadable(f"not a base64 vector of 32-bit floats: {error}", raw=raw) from error
        if not any(vector) or not all(map(math.isfinite, vector)):
            raise Unreadable("an embedding that is empty, not finite or all zeros", raw=raw)
        return vector

    @staticmethod
    def reply(vector: Sequence[float]) -> str:
        """A reply in the form that is read: 32-bit floats, little-endian, base64."""
        try:
            packed = struct.pack(f"<{len(vector)}f", *vector)
        except OverflowError:  # the reader says of which reply it is that it is not finite
            packed = struct.pack(f"<{len(vector)}f", *map(_in_32_bits, vector))
        return encode(_VectorForm(base64.b64encode(packed).decode()))


def _in_32_bits(number: float) -> float:
    if abs(number) <= LARGEST:
        return number
    return math.inf if number > 0 else -math.inf


def cosine(a: Vector, b: Vector) -> float:
    """Cosine of the angle between two vectors, in [-1, 1].

    Raises:
        Unreadable: If their lengths differ: what a model's name stands for has changed meanwhile.
    """
    if len(a) != len(b):
        fault = f"embeddings of {len(a)} and of {len(b)} numbers, which have no angle between them"
        raise Unreadable(f"{fault}: is it still the same model?", raw="")
    norms = math.sqrt(_dot_product(a, a)) * math.sqrt(_dot_product(b, b))
    return max(-1.0, min(1.0, _dot_product(a, b) / norms))


def _dot_product(a: Vector, b: Vector) -> float:
    return math.fsum(map(mul, a, b))


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


class _TokensForm(msgspec.Struct, frozen=True):
    tokens: list[str]
    vectors: str


@dataclass(frozen=True)
class EmbedTokens(Task[TokenVectors]):
    """The embedding of every token of a text. Served by an encoder, never by a prompt.

    Attributes:
        text: The text to embed.
    """

    text: str

    def read(self, raw: str) -> TokenVectors:
        """The vectors; raises Unreadable if they do not fit the tokens or one is no direction."""
        form = decode(raw, _TokensForm)
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

    @staticmethod
    def reply(tokens: Sequence[str], vectors: Sequence[Sequence[float]]) -> str:
        """A reply in the form that is read: a signed byte a number, base64.

        A text has many tokens. Bytes take a quarter of the room of 32-bit floats and, measured on
        the embedded encoder, change no cosine by more than 0.003.
        """
        packed = b"".join(_bytes(vector) for vector in vectors)
        form = _TokensForm(list(tokens), base64.b64encode(packed).decode())
        return encode(form)


def _bytes(vector: Sequence[float]) -> bytes:
    largest = max(map(abs, vector), default=0.0) or 1.0
    return struct.pack(f"{len(vector)}b", *(round(127 * number / largest) for number in vector))


# A probability of 1 may come out as a little more where it was computed with few bits.
_ROUNDING = 0.01


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The tokens of a text and how likely each is after all before it.

    Attributes:
        tokens: The tokens as the model writes them.
        logprobs: Their natural log-probabilities, 0 or less, by the model's own distribution.
    """

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]


class _LikelihoodForm(msgspec.Struct, frozen=True):
    tokens: list[str]
    logprobs: list[float]


@dataclass(frozen=True)
class MeasureLikelihood(Task[Likelihood]):
    """The log-probability of every token of a text after another one. Measured, never asked for.

    Attributes:
        before: What stands before the text: an instruction with what it is about.
        text: The text; not blank.
    """

    before: str
    text: str

    def read(self, raw: str) -> Likelihood:
        """The tokens; raises Unreadable if there is none or a number is no log-probability."""
        form = decode(raw, _LikelihoodForm)
        if not form.tokens or len(form.tokens) != len(form.logprobs):
            fault = f"{len(form.logprobs)} log-probabilities for {len(form.tokens)} tokens"
            raise Unreadable(fault, raw=raw)
        if not all(-math.inf < value <= _ROUNDING for value in form.logprobs):
            raise Unreadable("a number that is no log-probability", raw=raw)
        return Likelihood(tuple(form.tokens), tuple(min(0.0, value) for value in form.logprobs))

    @staticmethod
    def reply(tokens: Sequence[str], logprobs: Sequence[float]) -> str:
        """A reply in the form that is read."""
        return encode(_LikelihoodForm(list(tokens), list(logprobs)))
