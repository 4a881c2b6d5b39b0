"""How a metric asks: typed tasks through one door, every reply on record.

A metric holds a `Judge` and awaits `judge(task)`. The judge hands the task to a `Backend` (an LLM,
an encoder, a person, a script, or a wrapper around one), which replies with text; the task reads
the text into a typed answer. A reply that cannot be read is asked for again as another *draw*.
"""

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, runtime_checkable

from assay.errors import Denied, JudgeError, OverBudget, TooLong, Unreadable
from assay.prompt import Material, Template, render

T = TypeVar("T")
V = TypeVar("V")

# Draws asked again after an unreadable reply are this far apart, so that they never meet the
# draws that a metric asks for on purpose (the n questions of answer relevancy, say).
RETRY_STRIDE = 1000
# Draws of a whole run that is asked again are this far apart. They are asked as the draw was that
# they repeat: one that repeats draw 0 is no sample, but the most likely text once more.
REPEAT_STRIDE = 1_000_000


class Task(ABC, Generic[T]):
    """One typed question to a judge. Subclassed as a frozen dataclass, named by a verb.

    Attributes:
        kind: Its name in snake case, set from the class name where a class names none.
        template: How an LLM is asked; None if no prompt can ask it (an embedding).
        schema: JSON schema of the reply, None where the reply is free text.
    """

    kind: ClassVar[str]
    template: ClassVar[Template | None] = None
    schema: ClassVar[Mapping[str, Any] | None] = None

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" not in cls.__dict__:
            cls.kind = "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip(
                "_"
            )

    @abstractmethod
    def material(self) -> Sequence[Material]:
        """The texts to be judged, in the order in which a prompt shows them."""

    @abstractmethod
    def read(self, raw: str) -> T:
        """What a reply means.

        Raises:
            Unreadable: If it is not a complete and valid reply to this task.
        """

    @cached_property
    def materials(self) -> Sequence[Material]:
        """The material, made once: it is hashed, counted and sent."""
        return self.material()

    def pieces(self, template: Template | None = None) -> tuple[str, ...]:
        """The prompt in pieces: fixed text and material in turn; joined they are the prompt."""
        chosen = template or self.template
        return render(chosen, self.materials) if chosen else self.inputs()

    def inputs(self) -> tuple[str, ...]:
        """The bare material in pieces: what a back end that reads no prompt goes by."""
        return tuple([p for m in self.materials for p in (f"{m.name}:\n", m.text, "\n")])

    def prompt(self) -> str:
        """The whole prompt, as an LLM is asked by default."""
        return "".join(self.pieces())


class ByIds(Task[tuple[V, ...]], Generic[V]):
    """A task about several items at once, answered by verdicts that are tied to the items' ids.

    A judge that answers for some of the items is asked again for the missing ones only.
    """

    @property
    @abstractmethod
    def ids(self) -> tuple[str, ...]:
        """The ids that need a verdict, in order."""

    @abstractmethod
    def read_some(self, raw: str) -> dict[str, V]:
        """The verdicts of a reply by id; some may be missing, none is guessed.

        Raises:
            Unreadable: If the reply is invalid, names an unknown id or contradicts itself.
        """

    def halves(self) -> tuple[Self, Self] | None:
        """The task about either half of its material, for a judge that cannot read it at once.

        None if it cannot be divided.
        """
        return None

    def joined(self, first: Mapping[str, V], second: Mapping[str, V]) -> dict[str, V]:
        """What follows by id from the verdicts on its halves."""
        return {**first, **second}

    @abstractmethod
    def narrow(self, ids: Sequence[str]) -> Self:
        """The same task about these items only."""

    def read(self, raw: str) -> tuple[V, ...]:
        """All verdicts in the order of `ids`; raises Unreadable if one is missing."""
        found = self.read_some(raw)
        if len(found) < len(self.ids):
            raise Unreadable(f"{len(found)} of {len(self.ids)} verdicts", raw=raw)
        return tuple(found[i] for i in self.ids)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a back end said.

    Attributes:
        pieces: The prompt (or an encoder's input) in pieces; joined they are the whole of it.
        raw: The reply's text, untouched; of a grade that is weighed by the log-probabilities of
            its tokens, these probabilities stand after it on a line of their own.
        tokens_in: Prompt tokens, 0 where the back end has none.
        tokens_out: Reply tokens, 0 where the back end has none.
        ms: Milliseconds the call took.
        key: Content hash that names it in the store, "" before it is stored.
        backend: Identity of the back end that answered, with the digest of its prompt.
        kind: Kind of the task it answers.
        draw: Which draw it is.
    """

    pieces: tuple[str, ...]
    raw: str
    tokens_in: int = 0
    tokens_out: int = 0
    ms: float = 0.0
    key: str = ""
    backend: str = ""
    kind: str = ""
    draw: int = 0

    @property
    def prompt(self) -> str:
        """The whole prompt as it was sent."""
        return "".join(self.pieces)


@runtime_checkable
class Backend(Protocol):
    """Whatever answers tasks with text: LLM, encoder, human, script, and every wrapper.

    It may have more, which is looked for where it is of use: the attributes of `Traits`,
    ``card(kind)`` for what is known of its agreement with people, ``limits`` for bounds of its own,
    ``in_batches(batches, at_once, purse)`` for a back end that asks the same in batches, and
    ``async aclose()``, awaited when the last run ends that uses it in a loop.
    """

    @property
    def name(self) -> str:
        """Who answers, as a user names it."""

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """All that could change a reply to this kind of task; None if it cannot serve it."""

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply to a task.

        Raises:
            JudgeError: If there is none.
        """


@runtime_checkable
class Closing(Protocol):
    """What holds connections, workers or calls on their way."""

    async def aclose(self) -> None:
        """Let go of them."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a back end may say of itself by attributes; these hold of one that does not.

    Attributes:
        local: Whether it computes in this process and needs no limits.
        drifts: Whether what stands behind its name may change without a word.
        form: How it asks for JSON.
        max_tokens: Bound on the length of its replies, None for none.
        paused_until: When its server takes calls again (the loop's clock).
        further_requests: How many requests it sent beyond one a call.
    """

    local: bool = False
    drifts: bool = False
    form: str = ""
    max_tokens: int | None = None
    paused_until: float = -math.inf
    further_requests: int = 0

    @classmethod
    def of(cls, backend: Backend) -> "Traits":
        """What it says now."""
        return cls(**{name: getattr(backend, name) for name in _TRAITS if hasattr(backend, name)})


_TRAITS = tuple(field.name for field in fields(Traits))


def repeated(draw: int) -> int:
    """The draw that a draw repeats; itself, if it is no repetition."""
    return draw % REPEAT_STRIDE


def _rank(error: BaseException) -> int:
    # Of several errors a bug matters most, then the one that ends the run.
    if not isinstance(error, JudgeError):
        return 0
    return 1 if isinstance(error, (Denied, OverBudget)) else 2


class Judge:
    """What a metric holds. It keeps every reply in the order in which it was asked for.

    Args:
        backend: Who answers.
        tries: How many draws an unreadable or incomplete reply is worth in all.
    """

    def __init__(self, backend: Backend, *, tries: int = 3) -> None:
        self._backend = backend
        self._tries = tries
        self.replies: list[Reply] = []

    def can(self, kind: type[Task[Any]]) -> bool:
        """Whether this kind of task is served."""
        return self._backend.identity(kind) is not None

    async def __call__(self, task: Task[T], draw: int = 0) -> T:
        """The typed answer to a task.

        Raises:
            JudgeError: If no readable, complete reply came in `tries` draws.
        """
        if isinstance(task, ByIds):
            return await self._by_ids(task, draw)  # type: ignore[return-value]
        failure: Unreadable | None = None
        for attempt in range(self._tries):
            try:
                return task.read(await self._ask(task, draw + attempt * RETRY_STRIDE))
            except Unreadable as error:
                failure = error
        assert failure is not None  # noqa: S101 - the loop ran at least once
        raise failure

    async def each(self, tasks: Iterable[Task[T]]) -> list[T]:
        """The answers to all tasks, asked at once, in order."""
        return await self._gather([(task, 0) for task in tasks])

    async def draws(self, task: Task[T], n: int) -> list[T]:
        """Answers to n draws of one task, asked at once, in order."""
        return await self._gather([(task, draw) for draw in range(n)])

    async def _gather(self, asked: Sequence[tuple[Task[T], int]]) -> list[T]:
        if len(asked) == 1:
            return [await self(*asked[0])]
        # Each task records into a judge of its own: replies arrive in any order, the record is
        # kept in the order of asking. All are awaited even if one fails: they are paid for.
        judges = [Judge(self._backend, tries=self._tries) for _ in asked]
        answers = await asyncio.gather(
            *(judge(task, draw) for judge, (task, draw) in zip(judges, asked, strict=True)),
            return_exceptions=True,
        )
        for judge in judges:
            self.replies += judge.replies
        errors = [answer for answer in answers if isinstance(answer, BaseException)]
        if errors:
            raise min(errors, key=_rank)
        return answers  # type: ignore[return-value]

    async def _ask(self, task: Task[Any], draw: int) -> str:
        reply = await self._backend.reply(task, draw)
        self.replies.append(reply)
        return reply.raw

    async def _verdicts(self, task: ByIds[V], draw: int) -> dict[str, V]:
        return dict(zip(task.ids, await self._by_ids(task, draw), strict=True))

    async def _by_ids(self, task: ByIds[V], draw: int) -> tuple[V, ...]:
        found: dict[str, V] = {}
        asked = task
        failure: JudgeError | None = None
        raw = ""
        for attempt in range(self._tries):
            try:
                raw = await self._ask(asked, draw + attempt * RETRY_STRIDE)
                found |= asked.read_some(raw)
            except Unreadable as error:
                failure, raw = error, error.raw
            except TooLong:
                halves = asked.halves()
                if halves is None:
                    raise
                found |= asked.joined(*[await self._verdicts(half, draw) for half in halves])
            missing = [i for i in task.ids if i not in found]
            if not missing:
                return tuple(found[i] for i in task.ids)
            asked = task.narrow(missing)
        detail = f"{len(found)} of {len(task.ids)} verdicts"
        raise Unreadable(f"{detail}: {failure}" if failure else detail, raw=raw)
