"""Which back end serves which kind of task? The wrapper that mixes judges."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import Unsupported
from assay.judge import Backend, Capabilities, Reply, Task
from assay.middleware.wrapper import adapted


@dataclass(frozen=True)
class Route(Backend):
    """Sends each kind of task to the backend that was named for it, the rest to the default.

    Attributes:
        default: Who serves every kind without a route.
        kinds: Backend by kind of task (``{"verify_statements": embedded}``).
    """

    default: Backend
    kinds: Mapping[str, Backend] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = {kind: adapted(backend) for kind, backend in self.kinds.items()}
        object.__setattr__(self, "default", adapted(self.default))
        object.__setattr__(self, "kinds", kinds)

    @classmethod
    def of(cls, backend: Backend) -> "Route":
        """A backend as a route: itself if it is one, else with the backend as its default."""
        return backend if isinstance(backend, cls) else cls(backend)

    @property
    def name(self) -> str:
        """The default's name, and every exception from it."""
        routes = [f"{kind}={backend.name}" for kind, backend in sorted(self.kinds.items())]
        return ",".join([self.default.name, *routes])

    @property
    def backends(self) -> tuple[Backend, ...]:
        """All that serve any kind, each once."""
        return tuple({id(b): b for b in (self.default, *self.kinds.values())}.values())

    @property
    def capabilities(self) -> Capabilities:
        """Local if all are; changing without notice if any does."""
        told = [backend.capabilities for backend in self.backends]
        return Capabilities(
            local=all(one.local for one in told), drifts=any(one.drifts for one in told)
        )

    def to(self, kind: str) -> Backend:
        """The backend that serves a kind."""
        return self.kinds.get(kind, self.default)

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The identity of the backend that serves this kind."""
        return self.to(kind.kind).identity(kind)

    def serves(self, kind: type[Task[Any]]) -> bool:
        """Whether any backend serves this kind."""
        return self.identity(kind) is not None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply of the backend that serves this kind."""
        backend = self.to(task.kind)
        if backend.identity(type(task)) is None:
            raise Unsupported(f"the judge {backend.name} cannot do {task.kind}")
        return await backend.reply(task, draw)

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Whether the backend that serves this kind has the reply already: it costs nothing."""
        return self.to(task.kind).has(task, draw)

    def under_way(self) -> str:
        """What they wait for, in words."""
        return "; ".join(filter(None, (backend.under_way() for backend in self.backends)))

    async def aopen(self) -> None:
        """Open all of them."""
        for backend in self.backends:
            await backend.aopen()

    def stop(self) -> None:
        """Stop all of them."""
        for backend in self.backends:
            backend.stop()

    async def aclose(self) -> None:
        """Close all of them."""
        await asyncio.gather(*(backend.aclose() for backend in self.backends))
