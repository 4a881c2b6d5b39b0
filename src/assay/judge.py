"""The waist between metrics and models: typed tasks, backends, and a judge that keeps replies.

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
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar, runtime_checkable

from assay.errors import Denied, InputError, JudgeError, OverBudget, TooLong, Unreadable
from assay.prompt import InputText, Template, render

T = TypeVar("T")
V = TypeVar("V")
# Which verdicts an LLM is asked to give a reason for.
Reasons = Literal["all", "failures", "none"]

# Draws after an unreadable reply are this far apart, and never meet those of a metric's own.
RETRY_STRIDE = 1000
# Draws of a whole run that is asked again are this far apart. They are asked as the draw was that
# they repeat: one that repeats draw 0 is no sample, but the most likely text once more.
REPEAT_STRIDE = 1_000_000
# Those of the fixed probes, which each day repeats, begin above all that a run is ever repeated.
PROBES = 10_000 * REPEAT_STRIDE


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

    @classmethod
    def template_for(cls, reasons: Reasons) -> Template | None:  # noqa: ARG003
        """How an LLM is asked that is to give a reason for these verdicts."""
        return cls.template

    @classmethod
    def schema_for(cls, template: Template) -> Mapping[str, Any] | None:  # noqa: ARG003
        """JSON schema of the reply that a prompt asks for, None where it is free text."""
        return cls.schema

    def input_texts(self) -> Sequence[InputText]:
        """The texts that a prompt shows, in order; by default the task's fields by their names."""
        texts = ((f.name, getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        return tuple(InputText(name, text) for name, text in texts)

    @abstractmethod
    def read(self, raw: str) -> T:
        """What a reply means.

        Raises:
            Unreadable: If it is not a complete and valid reply to this task.
        """

    @cached_property
    def prompt_texts(self) -> Sequence[InputText]:
        """The input texts, made once: they are hashed, counted and sent."""
        return self.input_texts()

    def pieces(self, template: Template | None = None) -> tuple[str, ...]:
        """The prompt in pieces: fixed text and input texts in turn; joined they are the prompt."""
        base = template or self.template
        return render(base, self.prompt_texts) if base else self.inputs()

    def inputs(self) -> tuple[str, ...]:
        """The bare texts in pieces: what a backend that reads no prompt goes by."""
        return tuple([p for m in self.prompt_texts for p in (f"{m.name}:\n", m.text, "\n")])

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
        """The task about either half of its texts, for a judge that cannot read them at once.

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
        verdicts = self.read_some(raw)
        if len(verdicts) < len(self.ids):
            raise Unreadable(f"the judge gave {len(verdicts)} of {len(self.ids)} verdicts", raw=raw)
        return tuple(verdicts[i] for i in self.ids)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a backend said.

    Attributes:
        pieces: The prompt (or an encoder's input) in pieces; joined they are the whole of it.
        raw: The reply's text, untouched; of a grade that is weighed by the log-probabilities of
            its tokens, these probabilities stand after it on a line of their own.
        tokens_in: Prompt tokens, 0 where the backend has none.
        tokens_out: Reply tokens, 0 where the backend has none.
        ms: Milliseconds the call took.
        key: Content hash that names it in the store, "" before it is stored.
        backend: Identity of the backend that answered, with the digest of its prompt.
        kind: Kind of the task it answers.
        draw: Which draw it is.
        cached_in: Prompt tokens among them that the provider read from its prompt cache.
        cache_written: Prompt tokens among them that it wrote into its cache.
        model: The model that answered, as its provider names it; "" where it names none.
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
    cached_in: int = 0
    cache_written: int = 0
    model: str = ""

    @property
    def prompt(self) -> str:
        """The whole prompt as it was sent."""
        return "".join(self.pieces)


# Why a reply is not whole, after the name of who gave it.
CUT = (
    "was stopped by the length limit -> raise max_tokens, of the judge or of its server, or have "
    "it think less"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the use of a backend. Each backend of a run is bounded by itself.

    Attributes:
        concurrency: Most calls at the same time. How many there are follows the server: it starts
            with 32, rises while latency holds, and falls when the server refuses many.
        requests_per_minute: Calls a minute, None for no bound.
        tokens_per_minute: Tokens a minute, read and written, None for no bound.
        timeout: Seconds a call may take, even to a backend that never returns. A call that takes
            several times as long as any of its kind of late is asked again sooner; that second
            one has this time in full.
        retries: How often a call that brought no reply is made again (after a time-out: once).
            While a server refuses everybody: how often all pause, where it does not say for how
            long; refused while others are served, a call is made again ten times as often.
        backoff: Longest first wait between two tries, in seconds; it doubles with each try. Twice
            it is a third of that for a call that fails while others are served. The first pause of
            all is as long; each that brings nothing triples it, up to a minute.
        patience: Longest wait that a server may ask for. One that asks for more (because of a
            daily quota, say) is not asked again.
    """

    concurrency: int = 64
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 60.0
    retries: int = 5
    backoff: float = 0.5
    patience: float = 120.0

    def __post_init__(self) -> None:
        for name in ("retries", "backoff", "patience"):
            if not getattr(self, name) >= 0:  # so that NaN is refused, too
                raise InputError(f"{name} is {getattr(self, name)}", "give 0 or more")
        if self.concurrency % 1:
            raise InputError(f"concurrency is {self.concurrency}", "give a whole number")
        for name in ("concurrency", "requests_per_minute", "tokens_per_minute", "timeout"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name} is {value}", "give a number above 0")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend says of itself at the moment.

    Attributes:
        local: Whether it computes in this process and needs no limits.
        drifts: Whether what stands behind its name may change without notice.
        form: How it asks for JSON: json_schema, json_object or text; "" where it is not known.
        max_tokens: Bound on the length of its replies, None for none.
        limits: Bounds of its own, which go before those of the run.
        batch_size: Requests in a batch, at most; None for one that is not asked in batches.
        has_card: Whether its agreement with people was measured, as `Backend.quality` tells.
        languages: In which languages that was, as `assay._text.language_id` names them; None where
            nothing is known of languages.
        paused_until: When its server takes calls again (the loop's clock).
        further_requests: How many requests it sent beyond one a call.
    """

    local: bool = False
    drifts: bool = False
    form: str = ""
    max_tokens: int | None = None
    limits: Limits | None = None
    batch_size: int | None = None
    has_card: bool = False
    languages: tuple[str, ...] | None = None
    paused_until: float = -math.inf
    further_requests: int = 0


@runtime_checkable
class BackendLike(Protocol):
    """The least that a backend has. Whatever else `Backend` says is optional to users' own ones."""

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


class Backend(ABC):
    """Whatever answers tasks with text: LLM, encoder, human, script, and every wrapper.

    A subclass has `name`, `identity` and `reply`; all else has a default. An object that is no
    subclass is taken with these three alone, and with whatever else it has besides.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Who answers, as a user names it."""

    @abstractmethod
    def identity(self, kind: type[Task[Any]]) -> str | None:
        """All that could change a reply to this kind of task; None if it cannot serve it."""

    @abstractmethod
    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply to a task.

        Raises:
            JudgeError: If there is none.
        """

    def __repr__(self) -> str:
        """``OpenAI('openai:gpt-4o-mini')``: its class and its name."""
        return f"{type(self).__name__}({self.name!r})"

    @property
    def capabilities(self) -> Capabilities:
        """What it says of itself now."""
        return Capabilities()

    def has(self, task: Task[Any], draw: int = 0) -> bool:  # noqa: ARG002
        """Whether the reply is known already and would cost nothing."""
        return False

    def quality(self, metric: str) -> object:  # noqa: ARG002
        """How well a metric's scores by it tell bad from good, measured; None if unknown."""
        return None

    def relevance(self, question: str, sentence: str) -> float | None:  # noqa: ARG002
        """How likely a sentence helps to answer a question; None if it only chooses sentences."""
        return None

    def in_batches(self, batches: Any, at_once: "Backend", budget: Any) -> "Backend":  # noqa: ARG002
        """The same asked in batches, where `Capabilities.batch_size` says that it can be.

        Args:
            batches: Where batches are remembered (`assay._store.judges.Batches`).
            at_once: This backend within limits.
            budget: What may be spent.
        """
        return at_once

    def behind(self) -> tuple["Backend", ...]:
        """The judges that it asks, where each of them is cached and limited by itself."""
        return ()

    def over(self, judges: Sequence["Backend"]) -> "Backend":  # noqa: ARG002
        """The same over other judges than those `behind` it, with nothing learnt yet."""
        return self

    def under_way(self) -> str:
        """What it waits for, in words; "" if for nothing."""
        return ""

    def trouble(self) -> str:
        """What goes wrong with its calls of late, in words; "" if nothing does."""
        return ""

    async def aopen(self) -> None:
        """Make ready for the first call; by default those that it asks."""
        for judge in self.behind():
            await judge.aopen()

    def stop(self) -> None:
        """Send nothing any more; what is on its way may arrive."""
        for judge in self.behind():
            judge.stop()

    async def aclose(self) -> None:
        """Let go of connections, workers and calls, when the last run in a loop has ended."""
        await asyncio.gather(*(judge.aclose() for judge in self.behind()))


class AttributeBackend(Backend):
    """Base of backends that say what they can by attributes, each of which a subclass may set."""

    local: bool = False
    drifts: bool = False
    form: str = ""
    max_tokens: int | None = None
    limits: Limits | None = None
    has_card: bool = False
    languages: tuple[str, ...] | None = None
    paused_until: float = -math.inf
    further_requests: int = 0

    @property
    def capabilities(self) -> Capabilities:
        """Its attributes."""
        return Capabilities(
            local=self.local,
            drifts=self.drifts,
            form=self.form,
            max_tokens=self.max_tokens,
            limits=self.limits,
            has_card=self.has_card,
            languages=self.languages,
            paused_until=self.paused_until,
            further_requests=self.further_requests,
        )


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

    def __init__(self, backend: BackendLike, *, tries: int = 3) -> None:
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

    async def draws(self, task: Task[T], n: int, *, first: int = 0) -> list[T]:
        """Answers to n draws of one task, asked at once, in order.

        Args:
            task: What is asked.
            n: How often.
            first: 0 begins with the most likely reply, 1 leaves it out: all are samples.
        """
        return await self._gather([(task, draw) for draw in range(first, first + n)])

    async def _gather(self, questions: Sequence[tuple[Task[T], int]]) -> list[T]:
        if len(questions) == 1:
            return [await self(*questions[0])]
        # Each task records into a judge of its own: replies arrive in any order, the record is
        # kept in the order of asking. All are awaited even if one fails: they are paid for.
        judges = [Judge(self._backend, tries=self._tries) for _ in questions]
        answers = await asyncio.gather(
            *(judge(task, draw) for judge, (task, draw) in zip(judges, questions, strict=True)),
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
        verdicts: dict[str, V] = {}
        remaining = task
        failure: JudgeError | None = None
        raw = ""
        for attempt in range(self._tries):
            try:
                raw = await self._ask(remaining, draw + attempt * RETRY_STRIDE)
                verdicts |= remaining.read_some(raw)
            except Unreadable as error:
                failure, raw = error, error.raw
            except TooLong:
                halves = remaining.halves()
                if halves is None:
                    raise
                verdicts |= remaining.joined(*[await self._verdicts(half, draw) for half in halves])
            missing = [i for i in task.ids if i not in verdicts]
            if not missing:
                return tuple(verdicts[i] for i in task.ids)
            remaining = task.narrow(missing)
        detail = f"the judge gave {len(verdicts)} of {len(task.ids)} verdicts"
        raise Unreadable(f"{detail}: {failure}" if failure else detail, raw=raw)
