"""How does a text take little room, given what is known beside it?

What a judge says repeats its prompt, and the evidence of a score repeats its sample: deflated with
these at hand, little of either is left. What does not get smaller is kept as it is; SQLite tells
the two apart by type (TEXT, BLOB).
"""

import zlib
from typing import TypeAlias

from assay.errors import InputError

Kept: TypeAlias = str | bytes

LEVEL = 6
# What deflate can look back at. For a short text less is set up, which saves most of the time.
FARTHEST, NEAREST = 15, 9


def packed(text: str, beside: bytes = b"") -> Kept:
    """A text as it is kept: itself, or deflated.

    Args:
        text: The text.
        beside: What is known whenever it is read; its last 32 KiB count.
    """
    data, beside = text.encode(), beside[-(1 << FARTHEST) :]
    bits = max(NEAREST, min(FARTHEST, (len(data) + len(beside)).bit_length()))
    strategy = zlib.Z_DEFAULT_STRATEGY
    press = zlib.compressobj(LEVEL, zlib.DEFLATED, -bits, bits - 7, strategy, beside)
    pressed = press.compress(data) + press.flush()
    return pressed if len(pressed) < len(data) else text


def unpacked(kept: Kept, beside: bytes = b"") -> str:
    """The text, given the same that stood beside it when it was packed.

    Raises:
        InputError: If it is damaged.
    """
    if isinstance(kept, str):
        return kept
    try:
        found = zlib.decompressobj(-FARTHEST, beside[-(1 << FARTHEST) :])
        return (found.decompress(kept) + found.flush()).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        what = f"a text in the store is damaged ({error})"
        raise InputError(
            what, "`assay verify` says what else is; take a copy of the file"
        ) from error
