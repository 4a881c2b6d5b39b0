"""How are a prompt and a sample kept, so that each of their texts is kept once?

A text that is long is kept in a table of its own, under a number; "#7" stands for it, "=text" for a
text that is kept in place. Of the fences around the material of a prompt only the fact is kept:
their codes follow from the material. A fence with another code is kept word for word.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from assay.store.known import ROW
from assay.store.packing import Kept, packed, unpacked

Refer: TypeAlias = Callable[[str], str]
Resolve: TypeAlias = Callable[[str], str]

# A text shorter than this is kept where it stands.
SHORT = 48
# Within a text, quotes are escaped; what only looks like a reference costs nothing.
_NUMBER = re.compile(r'"#(\d{1,18})"')


def placed(text: str, refer: Refer) -> str:
    """What stands for a text."""
    return f"={text}" if len(text) < SHORT else f"#{refer(text)}"


def found(reference: str, resolve: Resolve) -> str:
    """The text that a reference stands for."""
    return reference[1:] if reference[0] == "=" else resolve(reference[1:])


def kept_pieces(pieces: Sequence[str], refer: Refer) -> Kept:
    """The pieces of a prompt as one value."""
    placed_ = [placed(piece, refer) for piece in pieces]
    for n in range(1, len(pieces) - 1):
        before, after = pieces[n - 1], pieces[n + 1]
        if not after.endswith(">>>\n"):
            continue
        code = _usual_code(pieces[n])
        if before.endswith(f"<<<{code}\n") and after == f"\n{code}>>>\n":
            placed_[n - 1] = "<" + before.removesuffix(f"<<<{code}\n")
            placed_[n + 1] = ">"
    return packed(msgspec.json.encode(placed_).decode(), ROW)


def read_pieces(kept: Kept, resolve: Resolve) -> tuple[str, ...]:
    """The pieces of a prompt."""
    placed_ = msgspec.json.decode(unpacked(kept, ROW), type=list[str])
    texts = [found(piece, resolve) if piece[0] in "=#" else "" for piece in placed_]
    for n, piece in enumerate(placed_):
        if piece[0] == "<":
            texts[n] = f"{piece[1:]}<<<{_usual_code(texts[n + 1])}\n"
        elif piece[0] == ">":
            texts[n] = f"\n{_usual_code(texts[n - 1])}>>>\n"
    return tuple(texts)


def numbers(body: str) -> set[int]:
    """The numbers of the texts that a row of pieces or a sample refers to."""
    return {int(number) for number in _NUMBER.findall(body)}


def _usual_code(text: str) -> str:
    """The code that the fence of a text has in nearly every prompt.

    A part of the format: what it gives for a text must never change.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    read = (text if text.isascii() else unicodedata.normalize("NFKD", text)).casefold()
    return next(digest[:n] for n in range(4, len(digest) + 1) if digest[:n] not in read)
