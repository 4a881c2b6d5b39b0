"""Can metrics of one sample ask in one call what they ask about the same texts?

Faithfulness splits the answer and checks its statements against the retrieved contexts, context
recall does the same to the reference. Asked together, contexts and instruction are paid for once.
"""

import asyncio
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.errors import TooLong, Unreadable
from assay.judge import BackendLike, Reply, Task
from assay.judges.llm import LLM
from assay.metrics import Metric
from assay.middleware.concurrency import tell
from assay.middleware.wrapper import Route, adapted
from assay.run.settings import Settings
from assay.tasks import SplitStatements
from assay.tasks.joint import JOINTS

# So many replies to all that nobody can read, and more than such a share of them, are enough.
ENOUGH = 4
MOST_SPOILT = 0.25


def joined(route: Route) -> frozenset[type[Task[Any]]]:
    """The kinds of tasks that are asked in one call: only a judge that reads prompts gains by it.

    Texts whose splitting the user has worded are split one by one, as the words say.
    """
    found = set()
    for kind in JOINTS:
        leaf = route.to(kind.kind)
        if isinstance(leaf, LLM) and not leaf.capabilities.local:
            worded = kind is SplitStatements and kind.kind in leaf.prompts
            found |= set() if worded else {kind}
    return frozenset(found)


def companions(metrics: Sequence[Metric], route: Route) -> list[str]:
    """The metrics that would share calls, none if there is nothing to share."""
    kinds = joined(route)
    found = [m.label for m in metrics if not kinds.isdisjoint(m.asks(route.serves))]
    return sorted(found) if len(found) > 1 else []


def as_in(settings: Settings | None, signatures: Iterable[str]) -> Settings:
    """The settings under which metrics share calls as those with these signatures did."""
    together = any("|together=" in signature for signature in signatures)
    return replace(settings or Settings(), together=together)


@dataclass(eq=False)
class _Asked:
    task: Task[Any]
    reply: asyncio.Future[Reply]


@dataclass
class Company:
    """What the parties of a run have in common: what is asked together, and how that went.

    A judge that often gets several things mixed up is asked about each alone from then on: what
    it says of all at once would be paid for in vain.

    Attributes:
        kinds: What is asked together.
    """

    kinds: frozenset[type[Task[Any]]]
    _asked: Counter[type[Task[Any]]] = field(default_factory=Counter)
    _spoilt: Counter[type[Task[Any]]] = field(default_factory=Counter)

    def asks(self, kind: type[Task[Any]]) -> bool:
        """Whether tasks of a kind are asked together still."""
        spoilt = self._spoilt[kind]
        hopeless = spoilt >= ENOUGH and spoilt > MOST_SPOILT * self._asked[kind]
        return kind in self.kinds and not hopeless

    def heard(self, kind: type[Task[Any]], *, readable: bool) -> None:
        """Take note of a reply to all."""
        self._asked[kind] += 1
        self._spoilt[kind] += not readable


@dataclass
class Party:
    """The metrics of one sample that may ask together: who comes first waits for the others.

    A member is waited for as long as it may still ask, so what is asked together does not depend
    on which call was faster.

    Attributes:
        backend: Who is asked.
        company: What is asked together.
    """

    backend: BackendLike
    company: Company
    _members: list["Member"] = field(default_factory=list)
    _asking: set[asyncio.Task[None]] = field(default_factory=set)
    _looking: bool = False

    def member(self) -> "Member":
        """A back end for one more metric; all are to be made before the first is used."""
        made = Member(self)
        self._members.append(made)
        return made

    def look(self) -> None:
        """Ask, once every member has something to ask or has left."""
        # A metric's questions are put in one turn of the loop: the next one sees them all.
        if not self._looking:
            self._looking = True
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        self._looking = False
        present = [member for member in self._members if not member.gone]
        if not all(member.held for member in present):
            return
        asked = [one for member in present for one in member.held]
        for member in present:
            member.held.clear()
        for group in _groups(asked):
            asking = asyncio.create_task(self._ask(group))
            self._asking.add(asking)
            asking.add_done_callback(self._asking.discard)

    async def _ask(self, group: Sequence[_Asked]) -> None:
        """Ask for all, and hand each its reply or whatever kept it from coming."""
        heard: Sequence[Reply | BaseException]
        try:
            heard = await self._replies([one.task for one in group])
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the reply
            heard = [error] * len(group)
        for one, found in zip(group, heard, strict=True):
            if isinstance(found, BaseException):
                tell(one.reply, None, found)
            else:
                tell(one.reply, found, None)

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
            self.company.heard(kind, readable=False)
            return [reply] * len(tasks)  # nobody can read it: each asks again, alone
        self.company.heard(kind, readable=None not in shares)
        # Whoever was left out cannot read the whole either, and asks again.
        return [reply if raw is None else replace(reply, raw=raw) for raw in shares]


@dataclass
class Member:
    """What one metric asks, in a party. Only first draws of some kinds wait for the others.

    Attributes:
        party: The others.
        held: What it asked and what waits.
        gone: Whether it asks nothing any more.
    """

    party: Party
    held: list[_Asked] = field(default_factory=list)
    gone: bool = False

    @property
    def name(self) -> str:
        """The back end's."""
        return self.party.backend.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The back end's."""
        return self.party.backend.identity(kind)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply: to what is asked together, the part of it that answers this task.

        It has the key of the reply to all, which is what a trace shows. What was answered alone
        before is not paid for again.
        """
        if draw or not self.party.company.asks(type(task)) or self._known(task):
            return await self.party.backend.reply(task, draw)
        asked = _Asked(task, asyncio.get_running_loop().create_future())
        self.held.append(asked)
        self.party.look()
        return await asked.reply

    def _known(self, task: Task[Any]) -> bool:
        return adapted(self.party.backend).has(task)

    def leave(self) -> None:
        """Say that nothing more is asked."""
        self.gone = True
        self.party.look()


def _groups(asked: Sequence[_Asked]) -> list[list[_Asked]]:
    """Those of one kind about the same texts, so many that no item can be overlooked."""
    groups: list[list[_Asked]] = []
    last: dict[Hashable, list[_Asked]] = {}
    for one in asked:
        joint = JOINTS[type(one.task)]
        alike = joint.alike(one.task)
        place = (type(one.task), alike)
        group = last.get(place, [])
        items = {item for other in (*group, one) for item in joint.items(other.task)}
        if group and alike is not None and len(items) <= joint.most:
            group.append(one)
        else:
            groups.append([one])
            last[place] = groups[-1]
    return groups
