"""Coalescing of requests: metrics of one sample ask in one call about the same texts.

Faithfulness splits the answer and checks its statements against the retrieved contexts, context
recall does the same to the reference. Asked together, contexts and instruction are paid for once.
"""

import asyncio
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay._middleware.concurrency import tell
from assay._middleware.wrapper import Route, adapted
from assay._runner.settings import Settings
from assay.errors import TooLong, Unreadable
from assay.judge import BackendLike, Reply, Task
from assay.judges.llm import LLM
from assay.metrics import Metric
from assay.tasks import SplitStatements
from assay.tasks.joint import JOINTS

# So many replies to all that nobody can read, and more than such a share of them, are enough.
MIN_UNREADABLE = 4
MAX_UNREADABLE_SHARE = 0.25


def coalesced_kinds(route: Route) -> frozenset[type[Task[Any]]]:
    """The kinds of tasks that are asked in one call: only a judge that reads prompts gains by it.

    Texts whose splitting the user has worded are split one by one, as the words say.
    """
    outcome = set()
    for kind in JOINTS:
        leaf = route.to(kind.kind)
        if isinstance(leaf, LLM) and not leaf.capabilities.local:
            template = leaf.prompts.get(kind.kind)
            worded = kind is SplitStatements and template not in (None, *kind.built_in())
            outcome |= set() if worded else {kind}
    return frozenset(outcome)


def coalesced_metrics(metrics: Sequence[Metric], route: Route) -> list[str]:
    """The metrics that would share calls, none if there is nothing to share."""
    kinds = coalesced_kinds(route)
    outcome = [m.label for m in metrics if not kinds.isdisjoint(m.asks(route.serves))]
    return sorted(outcome) if len(outcome) > 1 else []


def coalesce_as_in(settings: Settings | None, signatures: Iterable[str]) -> Settings:
    """The settings under which metrics share calls as those with these signatures did."""
    together = any("|together=" in signature for signature in signatures)
    return replace(settings or Settings(), together=together)


@dataclass(eq=False)
class _Request:
    task: Task[Any]
    reply: asyncio.Future[Reply]


@dataclass
class CoalescingPolicy:
    """What all coalescers of a run share: the kinds that are asked together, and how that went.

    A judge that often gets several things mixed up is asked about each alone from then on: what
    it says of all at once would be paid for in vain.

    Attributes:
        kinds: What is asked together.
    """

    kinds: frozenset[type[Task[Any]]]
    _replies: Counter[type[Task[Any]]] = field(default_factory=Counter)
    _unreadable: Counter[type[Task[Any]]] = field(default_factory=Counter)

    def asks(self, kind: type[Task[Any]]) -> bool:
        """Whether tasks of a kind are asked together still."""
        unreadable, replies = self._unreadable[kind], self._replies[kind]
        often = unreadable >= MIN_UNREADABLE and unreadable > MAX_UNREADABLE_SHARE * replies
        return kind in self.kinds and not often

    def record(self, kind: type[Task[Any]], *, readable: bool) -> None:
        """Count a reply to all."""
        self._replies[kind] += 1
        self._unreadable[kind] += not readable


@dataclass
class Coalescer:
    """The metrics of one sample that may ask together: who comes first waits for the others.

    A member is waited for as long as it may still ask, so what is asked together does not depend
    on which call was faster.

    Attributes:
        backend: Who is asked.
        policy: What is asked together.
    """

    backend: BackendLike
    policy: CoalescingPolicy
    _members: list["CoalescedBackend"] = field(default_factory=list)
    _in_flight: set[asyncio.Task[None]] = field(default_factory=set)
    _scheduled: bool = False

    def member(self) -> "CoalescedBackend":
        """A backend for one more metric; all are to be made before the first is used."""
        member = CoalescedBackend(self)
        self._members.append(member)
        return member

    def schedule(self) -> None:
        """Ask, once every member has something to ask or has left."""
        # A metric's questions are put in one turn of the loop: the next one sees them all.
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._scheduled = False
        present = [member for member in self._members if not member.done]
        if not all(member.pending for member in present):
            return
        requests = [one for member in present for one in member.pending]
        for member in present:
            member.pending.clear()
        for group in _groups(requests):
            call = asyncio.create_task(self._ask(group))
            self._in_flight.add(call)
            call.add_done_callback(self._in_flight.discard)

    async def _ask(self, group: Sequence[_Request]) -> None:
        """Ask for all, and hand each its reply or whatever kept it from coming."""
        outcomes: Sequence[Reply | BaseException]
        try:
            outcomes = await self._replies([one.task for one in group])
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the reply
            outcomes = [error] * len(group)
        for one, outcome in zip(group, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                tell(one.reply, None, outcome)
            else:
                tell(one.reply, outcome, None)

    async def _replies(self, tasks: Sequence[Task[Any]]) -> Sequence[Reply | BaseException]:
        if len(set(tasks)) == 1:
            return [await self.backend.reply(tasks[0])] * len(tasks)
        joint = JOINTS[type(tasks[0])]
        items = list(dict.fromkeys(item for task in tasks for item in joint.items(task)))
        whole = joint.whole(tasks[0], items)
        try:
            reply = await self.backend.reply(whole)
        except TooLong:  # each by itself may be short enough, or can be divided
            alone = map(self.backend.reply, tasks)
            return await asyncio.gather(*alone, return_exceptions=True)
        kind = type(tasks[0])
        try:
            shares = joint.shares(whole, reply.raw, tasks)
        except Unreadable:
            self.policy.record(kind, readable=False)
            return [reply] * len(tasks)  # nobody can read it: each asks again, alone
        self.policy.record(kind, readable=None not in shares)
        # Whoever was left out cannot read the whole either, and asks again.
        return [reply if raw is None else replace(reply, raw=raw) for raw in shares]


@dataclass
class CoalescedBackend:
    """The backend of one metric. Only first draws of some kinds wait for the other metrics.

    Attributes:
        coalescer: The other metrics.
        pending: What it asked and what waits.
        done: Whether it asks nothing any more.
    """

    coalescer: Coalescer
    pending: list[_Request] = field(default_factory=list)
    done: bool = False

    @property
    def name(self) -> str:
        """The backend's."""
        return self.coalescer.backend.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The backend's."""
        return self.coalescer.backend.identity(kind)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply: to what is asked together, the part of it that answers this task.

        It has the key of the reply to all, which is what a trace shows. What was answered alone
        before is not paid for again.
        """
        if draw or not self.coalescer.policy.asks(type(task)) or self._known(task):
            return await self.coalescer.backend.reply(task, draw)
        request = _Request(task, asyncio.get_running_loop().create_future())
        self.pending.append(request)
        self.coalescer.schedule()
        return await request.reply

    def _known(self, task: Task[Any]) -> bool:
        return adapted(self.coalescer.backend).has(task)

    def leave(self) -> None:
        """Say that nothing more is asked."""
        self.done = True
        self.coalescer.schedule()


def _groups(requests: Sequence[_Request]) -> list[list[_Request]]:
    """Those of one kind about the same texts, so many that no item can be overlooked."""
    groups: list[list[_Request]] = []
    last: dict[Hashable, list[_Request]] = {}
    for one in requests:
        joint = JOINTS[type(one.task)]
        alike = joint.alike(one.task)
        place = (type(one.task), alike)
        group = last.get(place, [])
        items = {item for other in (*group, one) for item in joint.items(other.task)}
        if group and alike is not None and len(items) <= joint.max_items:
            group.append(one)
        else:
            groups.append([one])
            last[place] = groups[-1]
    return groups
