"""Under which key is a text or a reply kept?"""

import hashlib
from collections.abc import Sequence
from typing import Any

from assay.judge import Task


def text_key(text: str) -> bytes:
    """16 bytes that name a text by its content."""
    return hashlib.sha256(text.encode()).digest()[:16]


def reply_key(identity: str, task: Task[Any], draw: int) -> str:
    """32 hex digits that name a reply by all that could change it: back end, task, draw."""
    return digest([identity, task.kind, str(draw), *task.inputs()])


def digest(parts: Sequence[str]) -> str:
    """32 hex digits of a list of texts; no two lists share one by shifting a boundary."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode()
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()[:32]
