"""Wrappers of backends, and the one place where an object of the user's own becomes a backend."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from assay.errors import Unsupported
from assay.judge import REPEAT_STRIDE, Backend, BackendLike, Capabilities, Limits, Reply, Task

_ATTRIBUTES = (
    *("local", "drifts", "form", "max_tokens", "limits", "batch_size"),
    *("languages", "paused_until", "further_requests"),
)


def adapted(backend: BackendLike) -> Backend:
    """The backend itself, or a view of one that is no subclass of `Backend`: always the same one.

    It is the same one because limits and connections are shared by the identity of a backend.
    """
    if isinstance(backend, Backend):
        return backend
    adapter = _ADAPTED.get(id(backend))
    if adapter is None or adapter.own is not backend:
        adapter = _ADAPTED[id(backend)] = Adapted(backend)
    return adapter


class Adapted(Backend):
    """An object with `name`, `identity` and `reply`, and whatever else of `Backend` it has."""

    def __init__(self, own: BackendLike) -> None:
        self.own = own

    @property
    def name(self) -> str:
        """Its own."""
        return self.own.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its own."""
        return self.own.identity(kind)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """Its own."""
        return await self.own.reply(task, draw)

    @property
    def capabilities(self) -> Capabilities:
        """What its attributes say."""
        attributes = {
            name: getattr(self.own, name) for name in _ATTRIBUTES if hasattr(self.own, name)
        }
        if attributes.get("limits") is not None and not isinstance(attributes["limits"], Limits):
            del attributes["limits"]
        return Capabilities(**attributes, has_card=hasattr(self.own, "quality"))

    def quality(self, metric: str) -> object:
        """Its own, if it has it."""
        return self._optional("quality")(metric)

    def relevance(self, question: str, sentence: str) -> float | None:
        """Its own, if it has it."""
        probability: float | None = self._optional("relevance")(question, sentence)
        return probability

    def in_batches(self, batches: Any, at_once: Backend, budget: Any) -> Backend:
        """Its own, if it has it."""
        return adapted(self._optional("in_batches")(batches, at_once, budget))

    def under_way(self) -> str:
        """Its own, if it has it."""
        return str(self._optional("under_way")())

    def trouble(self) -> str:
        """Its own, if it has it."""
        return str(self._optional("trouble")())

    async def aopen(self) -> None:
        """Its own, if it has it."""
        await self._optional("aopen")()

    async def aclose(self) -> None:
        """Its own, if it has it."""
        await self._optional("aclose")()

    def _optional(self, name: str) -> Any:
        return getattr(self.own, name, None) or getattr(super(), name)


_ADAPTED: WeakValueDictionary[int, Adapted] = WeakValueDictionary()


class Wrapper(Backend):
    """Forwards everything to the backend behind it; a subclass overrides what it changes."""

    def __init__(self, backend: BackendLike) -> None:
        self._backend = adapted(backend)
        self._identities: dict[type[Task[Any]], str | None] = {}

    @property
    def name(self) -> str:
        """That of the backend behind it."""
        return self._backend.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """That of the backend behind it, which is asked once: it does not change in a run."""
        if kind not in self._identities:
            self._identities[kind] = self._backend.identity(kind)
        return self._identities[kind]

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """That of the backend behind it."""
        return await self._backend.reply(task, draw)

    @property
    def capabilities(self) -> Capabilities:
        """Those of the backend behind it."""
        return self._backend.capabilities

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Whether the backend behind it knows the reply."""
        return self._backend.has(task, draw)

    def quality(self, metric: str) -> object:
        """That of the backend behind it."""
        return self._backend.quality(metric)

    def relevance(self, question: str, sentence: str) -> float | None:
        """That of the backend behind it."""
        return self._backend.relevance(question, sentence)

    def in_batches(self, batches: Any, at_once: Backend, budget: Any) -> Backend:
        """That of the backend behind it."""
        return self._backend.in_batches(batches, at_once, budget)

    def behind(self) -> tuple[Backend, ...]:
        """Those that the backend behind it asks."""
        return self._backend.behind()

    def over(self, judges: Sequence[Backend]) -> Backend:
        """The backend behind it over other judges."""
        return self._backend.over(judges)

    def under_way(self) -> str:
        """What the backend behind it waits for."""
        return self._backend.under_way()

    def trouble(self) -> str:
        """What goes wrong with calls of the backend behind it."""
        return self._backend.trouble()

    async def aopen(self) -> None:
        """Open the backend behind it."""
        await self._backend.aopen()

    def stop(self) -> None:
        """Stop the backend behind it."""
        self._backend.stop()

    async def aclose(self) -> None:
        """Close the backend behind it."""
        await self._backend.aclose()


class Resampler(Wrapper):
    """Asks the same backend for other draws, so that no earlier reply is taken for a new one.

    Args:
        backend: Who is asked.
        times: How often it was asked before; 0 asks as it is.
    """

    def __init__(self, backend: BackendLike, times: int) -> None:
        super().__init__(backend)
        self._times = times

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """A reply that was not given before."""
        return await self._backend.reply(task, draw + self._times * REPEAT_STRIDE)

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Nothing: it asks for what is not known yet."""
        del task, draw
        return False


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
        attributes = [backend.capabilities for backend in self.backends]
        return Capabilities(
            local=all(backend.local for backend in attributes),
            drifts=any(backend.drifts for backend in attributes),
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

    def trouble(self) -> str:
        """What goes wrong with their calls, in words."""
        return "; ".join(filter(None, (backend.trouble() for backend in self.backends)))

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
