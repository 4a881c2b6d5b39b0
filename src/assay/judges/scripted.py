"""A judge that says what it was told to: for tests, docs and demonstrations."""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import InputError, Unsupported
from assay.judge import REPEAT_STRIDE, RETRY_STRIDE, AttributeBackend, Reply, Task
from assay.judges.code_digest import callable_digest, name_of, text_digest
from assay.tasks import TASKS


class Scripted(AttributeBackend):
    """Answers each kind of task from a script.

    A script is the reply's text; a list of texts, used by draw (the last one from then on); a
    function from the task to the text; or, to tell tasks apart, a mapping from words that stand
    in the task's texts to any of these.

    Without a name, what it says is part of its identity: scripts that differ share no replies in a
    store. Of a function its code counts, and what it goes by; where the content of that cannot be
    told, nobody else is given its replies.

    Args:
        script: Replies by kind of task.
        name: What it goes by instead of what it says: give scripts that differ different names.

    Raises:
        InputError: For a kind of task that does not exist.
    """

    name: str = "scripted"

    def __init__(self, script: Mapping[str, Any], name: str = "") -> None:
        unknown = set(script) - set(TASKS)
        if unknown:
            kinds = ", ".join(TASKS)
            raise InputError(f"no task is called {', '.join(sorted(unknown))}; there are {kinds}")
        self._script = dict(script)
        self._digests = {} if name else {kind: _digest(replies) for kind, replies in script.items()}
        self.name = name or "scripted"
        self.calls = 0

    @classmethod
    def load(cls, path: str | Path) -> "Scripted":
        """A script from a JSON file; its content is part of its name."""
        try:
            content = Path(path).read_bytes()
            script = json.loads(content)
        except (OSError, ValueError) as error:
            raise InputError(f"'{path}' is not a script: {error}") from error
        if not isinstance(script, dict):
            raise InputError(f"'{path}' is not a script: a JSON object by kind of task is needed")
        digest = hashlib.sha256(content).hexdigest()[:8]
        return cls(script, name=f"scripted:{Path(path).name}@{digest}")

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name, or a digest of what it says, for the kinds that the script answers."""
        if kind.kind not in self._script:
            return None
        digest = self._digests.get(kind.kind)
        return f"{self.name}#{digest}" if digest else self.name

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What the script says."""
        self.calls += 1
        inputs = task.inputs()
        raw = self._reply_text(self._script.get(task.kind), task, draw, "".join(inputs))
        backend = self.identity(type(task)) or ""
        return Reply(inputs, raw, backend=backend, kind=task.kind, draw=draw)

    def _reply_text(self, script: Any, task: Task[Any], draw: int, inputs: str) -> str:
        if callable(script):
            return str(script(task))
        if isinstance(script, str):
            return script
        if isinstance(script, Mapping):
            for words, branch in script.items():
                if words in inputs:
                    return self._reply_text(branch, task, draw, inputs)
        elif isinstance(script, Sequence) and script:
            return self._reply_text(script[min(_nth(draw), len(script) - 1)], task, draw, inputs)
        raise Unsupported(f"the script has no reply to this {task.kind}")


def _digest(script: Any) -> str:
    """Of what a script says to one kind of task."""
    text, unreadable = _describe(script)
    return text_digest(text + uuid.uuid4().hex if unreadable else text)


def _describe(script: Any) -> tuple[str, bool]:
    """The script in words, and whether a function in it goes by what cannot be told."""
    if callable(script):
        _, unreadable = callable_digest(script)
        return name_of(script), bool(unreadable)
    if isinstance(script, Mapping):  # in its order: the first words that stand in a task count
        pairs = [(words, *_describe(branch)) for words, branch in script.items()]
        return repr([pair[:2] for pair in pairs]), any(pair[2] for pair in pairs)
    if isinstance(script, str) or not isinstance(script, Sequence):
        return repr(script), False
    items = [_describe(item) for item in script]
    return repr([text for text, _ in items]), any(unreadable for _, unreadable in items)


def _nth(draw: int) -> int:
    # The draws of a task are 0, 1, 2 ... on purpose and 0, STRIDE, 2 STRIDE ... after a bad reply.
    # Those of a run asked again are further apart still: the next text each.
    repeat, draw = divmod(draw, REPEAT_STRIDE)
    return draw % RETRY_STRIDE + draw // RETRY_STRIDE + repeat
