"""Which back end serves which kind of task? The wrapper that mixes judges."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import Unsupported
from assay.judge import Backend, Reply, Task


@dataclass(frozen=True)
class Route:
    """Sends each kind of task to the back end that was named for it, the rest to the default.

    Attributes:
        default: Who serves every kind without a route.
        kinds: Back end by kind of task (``{"verify_statements": embedded}``).
    """

    default: Backend
    kinds: Mapping[str, Backend] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The default's name, and every exception from it."""
        routes = [f"{kind}={backend.name}" for kind, backend in sorted(self.kinds.items())]
        return ",".join([self.default.name, *routes])

    def to(self, kind: str) -> Backend:
        """The back end that serves a kind."""
        return self.kinds.get(kind, self.default)

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The identity of the back end that serves this kind."""
        return self.to(kind.kind).identity(kind)

    def serves(self, kind: type[Task[Any]]) -> bool:
        """Whether any back end serves this kind."""
        return self.identity(kind) is not None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply of the back end that serves this kind."""
        backend = self.to(task.kind)
        if backend.identity(type(task)) is None:
            raise Unsupported(f"the judge {backend.name} cannot do {task.kind}")
        return await backend.reply(task, draw)

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Whether the back end that serves this kind has the reply already: it costs nothing."""
        has = getattr(self.to(task.kind), "has", None)
        return has is not None and bool(has(task, draw))
