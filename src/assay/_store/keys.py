"""The keys under which texts and replies are kept: hashes of their content."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from assay.judge import Task

# A key as it is kept: bytes take half the room of their hex digits.
Key: TypeAlias = bytes | str
_HEX = re.compile(r"[0-9a-f]{32}")


def text_key(text: str) -> bytes:
    """16 bytes that name a text by its content."""
    return hashlib.sha256(text.encode()).digest()[:16]


def reply_key(identity: str, task: Task[Any], draw: int) -> str:
    """32 hex digits that name a reply by all that could change it: backend, task, draw."""
    return digest([identity, task.kind, str(draw), *task.inputs()])


def cut_key(reply: str) -> str:
    """Where it is kept that free text under this key was cut by the length limit."""
    return digest([reply, "cut"])


def digest(parts: Sequence[str]) -> str:
    """32 hex digits of a list of texts; no two lists share one by shifting a boundary."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode()
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()[:32]


def run_id(fingerprint: str) -> str:
    """The name of a run: twelve hex digits of what it is."""
    return fingerprint[:12]


def short_key(key: str) -> Key:
    """A key as it is kept; one that is not ours stays as it is."""
    return bytes.fromhex(key) if _HEX.fullmatch(key) else key


def short_keys(keys: str) -> Key:
    """Keys with spaces between them as they are kept."""
    stored = [short_key(key) for key in keys.split(" ")]
    ours = all(isinstance(key, bytes) for key in stored)
    return b"".join(key for key in stored if isinstance(key, bytes)) if ours else keys


def long_key(stored: Key) -> str:
    """A kept key as text."""
    return stored.hex() if isinstance(stored, bytes) else stored


def long_keys(stored: Key) -> list[str]:
    """Kept keys as texts."""
    if isinstance(stored, str):
        return stored.split()
    digits = stored.hex()
    return [digits[at : at + 32] for at in range(0, len(digits), 32)]
