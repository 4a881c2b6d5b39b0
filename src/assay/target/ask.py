"""Collecting the answers of a system under test: each question once, kept in the store."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay._middleware.cache import ReplyCache, Served, SharedLimits
from assay._middleware.concurrency import Latencies, is_given_up
from assay._middleware.limiter import Limiter, ServerState
from assay._runner import STORE
from assay._runner.event_loop import run_to_completion
from assay._store import Store
from assay._store.integrity import reply_key
from assay._store.runs import TARGET
from assay.data import Record, Source, samples, values_of
from assay.data import read as read_data
from assay.data.missing_fields import is_missing, missing_in_all_answers
from assay.data.passages import AUTO
from assay.errors import Denied, InputError, JudgeError, Unavailable, Unreadable
from assay.judge import Limits, Reply, Task
from assay.sample import Sample, Turn
from assay.target import reply
from assay.target.system import AskSystem, System, system

if TYPE_CHECKING:  # a process that answers for a function (`assay.target.serve`) needs none
    from assay.metrics import Metric

ANSWERED_BY: Final = ", answered by "  # between data and system in the name of a run's source
# A system under test is seldom as large as a provider of models.
LIMITS = Limits(concurrency=8, timeout=120.0, retries=2)
# So many questions without one answer, the first ones: something may be wrong with all of them.
HOPELESS = 8
_SENDING = (
    "send {contexts} in --target-body if the data's are meant (a function: let it take 'sample')"
)


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How a system is asked.

    Attributes:
        draws: How often each question is asked: what comes after the first answer becomes
            `further_answers`, for metrics of consistency.
        limits: Requests in flight, rates, time-out and retries.
        reply: Dotted paths into a reply by field, where a field is not found by its name.
        mapping: As for `evaluate`.
        limit: As for `evaluate`.
        contexts: As for `evaluate`.
        skip_invalid: As for `evaluate`.
        on_progress: Called with (asked, all) after every answer.
    """

    draws: int = 1
    limits: Limits = field(default_factory=lambda: LIMITS)
    reply: Mapping[str, str] = field(default_factory=dict)
    mapping: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    contexts: str = AUTO
    skip_invalid: str | PathLike[str] | None = None
    on_progress: Callable[[int, int], None] | None = None
    # What other calls at the same time share with this one: limits.
    _shared: SharedLimits | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.draws <= 1000:
            raise InputError(f"draws is {self.draws}", "give 1 to 1000")
        reply.check(self.reply)


def limits_of(asking: Asking) -> SharedLimits:
    """The limits of a system, which other calls may share."""
    return asking._shared or SharedLimits()  # noqa: SLF001 - internal, and so not public


@dataclass(frozen=True)
class Answers(Source):
    """The questions with what the system answered: data for `evaluate`, read from the store.

    Attributes:
        system: Who answered.
        n: How many questions there are.
        asked: How often the system had to be asked.
        reused: Answers that were in the store already.
        failures: Why there is no answer, by id of the sample.
    """

    system: str = ""
    n: int = 0
    asked: int = 0
    reused: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)


def ask(
    data: Any,
    target: object,
    *,
    metrics: Iterable["Metric"] = (),
    store: str | Path = STORE,
    asking: Asking | None = None,
) -> Answers:
    """`aask` run to completion."""
    return run_to_completion(aask(data, target, metrics=metrics, store=store, asking=asking))


async def aask(
    data: Any,
    target: object,
    *,
    metrics: Iterable["Metric"] = (),
    store: str | Path = STORE,
    asking: Asking | None = None,
) -> Answers:
    """Put every question of the data to a system and keep its answers.

    What the store knows is not asked again, so a killed call goes on where it was. A question
    without an answer is a sample with a `failure`; the next call asks it again, unless a reply
    came in which no answer was found.

    Args:
        data: As for `evaluate`, with questions. Recorded answers are replaced, and contexts are
            unless the system is sent them.
        target: A URL, ``module:function``, a function, or what `system` made of one.
        metrics: What will be computed: that nothing else is missing is seen before it is asked.
        store: The SQLite file that keeps the answers.
        asking: Everything else.

    Raises:
        InputError: If data, target or settings cannot be used; nothing was asked yet.
        Denied: If the system refuses, or none of the first questions gets an answer.
    """
    asking = asking or Asking()
    tested = system(target)
    collection = await asyncio.to_thread(_Collection.checked, data, tested, tuple(metrics), asking)
    with Store(store) as opened:
        await collection.work(opened)
    return collection.answers(store)


@dataclass
class _Collection:
    """All questions of a data set, on their way to one system."""

    source: Source
    system: System
    asking: Asking
    ids: frozenset[str]
    served: Served = field(default_factory=Served)
    failures: dict[str, str] = field(default_factory=dict)
    answered: int = 0
    stopped: JudgeError | None = None
    _in_flight: int = 0
    _decided: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def checked(
        cls, data: Any, system: System, metrics: tuple["Metric", ...], asking: Asking
    ) -> "_Collection":
        """The round, once all rows have been found to be in order."""
        mapping, limit, contexts = asking.mapping, asking.limit, asking.contexts
        source = read_data(data, mapping=mapping, limit=limit, contexts=contexts)
        answered = set(reply.REPLACED) - _fields_given(system)
        needs = {m.label: [need for need in m.needs if need not in answered] for m in metrics}
        instead = {m.label: _alternatives(m, answered) for m in metrics}
        valid = samples(
            source,
            needs=needs,
            mapping=asking.mapping,
            skip_invalid=asking.skip_invalid,
            instead=instead,
            required={f"the system {system.name}": sorted(system.needs)},
        )
        return cls(source, system, asking, frozenset(sample.id for sample in valid))

    async def work(self, store: Store) -> None:
        """Ask what is not known."""
        jobs = ((sample, draw) for sample in self.samples() for draw in range(self.asking.draws))
        async with self._open_cache(store) as cache, asyncio.TaskGroup() as group:
            for _ in range(2 * self.asking.limits.concurrency):
                group.create_task(self._worker(cache, jobs))
        if self.stopped:
            raise self.stopped

    @asynccontextmanager
    async def _open_cache(self, store: Store) -> AsyncIterator[ReplyCache]:
        limit = _PatientLimiter(self.system, self.asking)
        cache = ReplyCache(limit, store, TARGET, self.served)
        try:
            yield cache
        finally:
            await cache.aclose()
            await limit.aclose()

    def samples(self) -> Iterator[Sample]:
        """What is asked, in the order of the data."""
        for row in self.source:
            if row.sample is not None and row.sample.id in self.ids:
                yield row.sample

    async def _worker(self, cache: ReplyCache, jobs: Iterator[tuple[Sample, int]]) -> None:
        for sample, draw in jobs:
            if self.stopped:
                return
            self._in_flight += 1
            try:
                await self._ask(cache, sample, draw)
            finally:
                self._in_flight -= 1
            await self._stop_if_hopeless()

    async def _ask(self, cache: ReplyCache, sample: Sample, draw: int) -> None:
        try:
            answer = await self._reply(cache, sample, draw)
            reply.read(answer.raw, self.asking.reply)
            self.answered += 1
        except Denied as error:
            self.stopped = self.stopped or error
            return
        except JudgeError as error:
            draw_prefix = f"draw {draw}: " if draw else ""
            self.failures.setdefault(sample.id, f"{draw_prefix}{error}")
        if self.asking.on_progress:
            n_done = self.served.asked + self.served.known
            self.asking.on_progress(n_done, len(self.ids) * self.asking.draws)

    async def _stop_if_hopeless(self) -> None:
        """Ask nothing new while there are only failures; stop when nothing is on its way still.

        Who fails is often quicker than who answers: the first to end say little of the others.
        """
        if self.answered or self.stopped:
            self._decided.set()
        elif len(self.failures) < HOPELESS:
            return
        elif self._in_flight:
            await self._decided.wait()
        else:
            n, last = len(self.failures), list(self.failures.values())[-1]
            fault = f"none of the first {n} questions got an answer from {self.system.name}"
            self.stopped = Denied(f"{fault}; the last: {last}")
            self._decided.set()

    async def _reply(self, cache: ReplyCache, sample: Sample, draw: int) -> Reply:
        try:
            return await cache.reply(self._task(sample), draw)
        except asyncio.CancelledError as error:
            if is_given_up():
                raise
            # Nobody gave this worker up: the system raised it, and that would end the worker.
            fault = f"{self.system.name}: the call was cancelled from within (CancelledError)"
            raise Unavailable(fault, permanent=True) from error

    def missing(self, store: str | Path) -> tuple[int, int]:
        """(answers that are not known, those that are); equal questions are asked once."""
        identity = self.system.identity(AskSystem) or ""
        keys = {
            reply_key(identity, self._task(sample), draw)
            for sample in self.samples()
            for draw in range(self.asking.draws)
        }
        if not Path(store).is_file():
            return len(keys), 0
        with Store(store) as opened:
            n_stored = sum(map(opened.has_reply, keys))
        return len(keys) - n_stored, n_stored

    def _task(self, sample: Sample) -> AskSystem:
        return AskSystem(sample, self.system.sent(sample))

    def answers(self, store: str | Path) -> Answers:
        """What came of it, to be read as often as it takes."""

        def records() -> Iterator[Record]:
            with Store(store) as opened:
                for row in self.source:
                    sample = row.sample
                    if sample is None or sample.id not in self.ids:
                        yield row.record  # whoever reads it says what is wrong with it
                    else:
                        values = values_of(self._with_answer(opened, sample))
                        yield Record(row.number, values, form="sample")

        return Answers(
            f"{self.source.name}{ANSWERED_BY}{self.system.name}",
            records,
            system=self.system.name,
            n=len(self.ids),
            asked=self.served.asked,
            reused=self.served.known,
            failures=self.failures,
        )

    def _with_answer(self, store: Store, sample: Sample) -> Sample:
        """The sample with what the system made of it, and nothing that another one did."""
        cleared: dict[str, Any] = dict.fromkeys(set(reply.REPLACED) - _fields_given(self.system))
        try:
            answered = self._fields_from_store(store, sample)
        except Unreadable as error:
            answered = {"failure": str(error)}
        if answered.keys() & set(reply.RETRIEVED):
            cleared |= dict.fromkeys(reply.RETRIEVED)
        turns = sample.turns or ()
        if turns and turns[-1].role == "user":  # what was said before the question was given
            cleared["turns"] = (*turns, *_as_turns(answered))
        return replace(sample, **{**cleared, **answered})

    def _fields_from_store(self, store: Store, sample: Sample) -> dict[str, Any]:
        if failure := self.failures.get(sample.id):
            raise Unreadable(failure, raw="")
        task, answers = self._task(sample), []
        identity = self.system.identity(AskSystem) or ""
        for draw in range(self.asking.draws):
            known_reply = store.reply(reply_key(identity, task, draw))
            if known_reply is None:
                raise Unreadable("its answer is not in the store any more", raw="")
            answers.append((reply.read(known_reply.raw, self.asking.reply), known_reply.ms))
        (first, ms), *further_answers = answers
        further = tuple(fields["answer"] for fields, _ in further_answers)
        return {**first, "latency_ms": round(ms, 3), "further_answers": further or None}


class _PatientLimiter(Limiter):
    """Limits for a system whose slowest answers are part of what is measured."""

    def __init__(self, system: System, asking: Asking) -> None:
        shared = limits_of(asking)
        limits = asking.limits
        server = shared.server(
            AskSystem.kind, lambda: ServerState(system.name, limits, _NoPatience())
        )
        super().__init__(system, limits, server=server)
        self._paths = asking.reply

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """As `Limiter`; a reply that reports an error is none, so that it is not kept.

        Raises:
            Unavailable: If an error is all that it holds.
        """
        answer = await super().reply(task, draw)
        try:
            reply.read(answer.raw, self._paths)
        except reply.Reported as error:
            raise Unavailable(f"{self.name}: {error}", permanent=True) from error
        except Unreadable:
            pass  # it is kept, and read anew once its user has said where the answer stands
        return answer

    def given_up(self, error: Unavailable) -> None:
        """Leave it to the round, which knows what else is on its way."""


class _NoPatience(Latencies):
    """No answer is given up before its time."""

    def patience(self, kind: str, longest: float) -> float:
        """All the time there is."""
        del kind
        return longest


def _fields_given(system: System) -> set[str]:
    """What else a system would make, and is given."""
    return set(reply.RETRIEVED) if system.told_contexts else set()


def _alternatives(metric: "Metric", answered: set[str]) -> list[list[str]]:
    """What does as well as what a metric needs, without what the system makes."""
    return [[name for name in names if name not in answered] for names in metric.instead]


def count(
    data: Any, target: System, metrics: Iterable["Metric"], store: str | Path, asking: Asking
) -> tuple[int, int]:
    """(how often a system would be asked, answers that are known); nobody is asked.

    Raises:
        InputError: If the data cannot be used.
    """
    collection = _Collection.checked(data, target, tuple(metrics), asking)
    return collection.missing(store)


def known_answers(
    data: Any, target: System, metrics: Iterable["Metric"], store: str | Path, asking: Asking
) -> Answers:
    """What the store knows of a system's answers, a failure for each other one; nobody is asked.

    Raises:
        InputError: If the data cannot be used.
    """
    return _Collection.checked(data, target, tuple(metrics), asking).answers(store)


def questions(
    data: Any, target: System, metrics: Iterable["Metric"], asking: Asking
) -> Iterator[Sample]:
    """The samples that a system would be asked, in the order of the data.

    Raises:
        InputError: If the data cannot be used.
    """
    return _Collection.checked(data, target, tuple(metrics), asking).samples()


def check_answers(answers: Answers, target: System, metrics: Iterable["Metric"]) -> None:
    """See that the answers hold what the system makes and metrics need.

    Raises:
        InputError: If no answer holds a field that a metric needs.
    """
    answered = set(reply.MADE) - _fields_given(target)
    unserved, present, any_answered = list(metrics), set[str](), False
    for row in answers:
        if row.fields.get("failure") is None:
            any_answered = True
            present |= {name for name in answered if not is_missing(row.fields.get(name), name)}
            unserved = [
                metric for metric in unserved if not _serves_metric(present, answered, metric)
            ]
        if not unserved:
            return
    users: dict[str, list[str]] = {}
    for metric in unserved if any_answered else ():
        for name in metric.needs:
            if name in answered - present:
                users.setdefault(name, []).append(metric.label)
    if users:
        raise InputError(
            [
                missing_in_all_answers(
                    name, labels, target.name, _SENDING if name in reply.RETRIEVED else ""
                )
                for name, labels in users.items()
            ]
        )


def _serves_metric(present: AbstractSet[str], answered: AbstractSet[str], metric: "Metric") -> bool:
    return any(answered & set(names) <= present for names in (metric.needs, *metric.instead))


def _as_turns(answered: Mapping[str, Any]) -> tuple[Turn, ...]:
    """The system's answer as a message of the conversation; none where there is no answer."""
    text = answered.get("answer")
    return (Turn("assistant", text, answered.get("contexts")),) if text else ()
