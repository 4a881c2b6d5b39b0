"""Where does a text lie in an embedder's space?"""

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
from assay.prompt import Material
from assay.tasks.reading import decode

Vector: TypeAlias = tuple[float, ...]

# The largest number of 32 bits.
LARGEST = (2 - 2**-23) * 2.0**127


class _Form(msgspec.Struct, frozen=True):
    embedding: str


@dataclass(frozen=True)
class Embed(Task[Vector]):
    """The embedding of one text. Served by an embedder, never by a prompt.

    Attributes:
        text: The text to embed.
    """

    text: str

    def material(self) -> Sequence[Material]:
        """The text."""
        return (Material("text", self.text),)

    def read(self, raw: str) -> Vector:
        """The vector; raises Unreadable if it is empty, not finite or all zeros."""
        try:
            packed = base64.b64decode(decode(raw, _Form).embedding, validate=True)
            vector = struct.unpack(f"<{len(packed) // 4}f", packed)
        except (ValueError, struct.error) as error:
            raise Unreadable(f"not a base64 vector of 32-bit floats: {error}", raw=raw) from error
        if not any(vector) or not all(map(math.isfinite, vector)):
            raise Unreadable("an embedding that is empty, not finite or all zeros", raw=raw)
        return vector


def reply(vector: Sequence[float]) -> str:
    """A reply in the form that `Embed` reads: 32-bit floats, little-endian, base64."""
    try:
        packed = struct.pack(f"<{len(vector)}f", *vector)
    except OverflowError:  # the reader says of which reply it is that it is not finite
        packed = struct.pack(f"<{len(vector)}f", *map(_in_32_bits, vector))
    return msgspec.json.encode(_Form(base64.b64encode(packed).decode())).decode()


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
        what = f"embeddings of {len(a)} and of {len(b)} numbers, which have no angle between them"
        raise Unreadable(f"{what}: is it still the same model?", raw="")
    norms = math.sqrt(_dot(a, a)) * math.sqrt(_dot(b, b))
    return max(-1.0, min(1.0, _dot(a, b) / norms))


def _dot(a: Vector, b: Vector) -> float:
    return math.fsum(map(mul, a, b))
