"""Can metrics that check statements against the same contexts ask for them in one call?

Faithfulness checks the answer's statements against the retrieved contexts, context recall those of
the reference. Asked together, the contexts and the instruction are paid for once.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.backends.llm import LLM
from assay.backends.route import Route
from assay.errors import Unreadable
from assay.judge import Backend, Reply, Task
from assay.metrics import Metric
from assay.run.settings import Settings
from assay.tasks import Statement, VerifyStatements, verify_statements

# Statements in one call: of very many, a judge loses count.
MOST = 40


def companions(metrics: Sequence[Metric], route: Route) -> list[str]:
    """The metrics that would share calls, none if there is nothing to share.

    Only a judge that reads prompts gains by it.
    """
    leaf = route.to(VerifyStatements.kind)
    if not isinstance(leaf, LLM) or getattr(leaf, "local", False):
        return []
    found = [m.label for m in metrics if VerifyStatements in m.asks(route.serves)]
    return sorted(found) if len(found) > 1 else []


def as_in(settings: Settings | None, signatures: Iterable[str]) -> Settings:
    """The settings under which metrics share calls as those with these signatures did."""
    together = any("|together=" in signature for signature in signatures)
    return replace(settings or Settings(), together=together)


@dataclass(eq=False)
class _Asked:
    task: VerifyStatements
    reply: asyncio.Future[Reply]


@dataclass
class Party:
    """The metrics of one sample that may check statements: who comes first waits for the others.

    A member is waited for as long as it may still ask, so what is asked together does not depend
    on which call was faster.

    Attributes:
        backend: Who is asked.
    """

    backend: Backend
    _members: list["Member"] = field(default_factory=list)
    _asking: set[asyncio.Task[None]] = field(default_factory=set)

    def member(self) -> "Member":
        """A back end for one more metric; all are to be made before the first is used."""
        made = Member(self)
        self._members.append(made)
        return made

    def look(self) -> None:
        """Ask, once every member has something to ask or has left."""
        # A metric's questions are put in one turn of the loop: the next one sees them all.
        asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
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
        asking = asyncio.ensure_future(self._replies([one.task for one in group]))
        try:
            await asyncio.wait((asking,))
        finally:
            asking.cancel()
            for place, one in enumerate(group):
                _settle(one.reply, asking, place)

    async def _replies(self, tasks: Sequence[VerifyStatements]) -> list[Reply]:
        if len(tasks) == 1:
            return [await self.backend.reply(tasks[0])]
        texts = list(dict.fromkeys(s.text for task in tasks for s in task.statements))
        ids = {text: f"s{n}" for n, text in enumerate(texts, start=1)}
        whole = VerifyStatements(
            tuple(Statement(ids[text], text) for text in texts), tasks[0].contexts
        )
        reply = await self.backend.reply(whole)
        try:
            found = whole.read_some(reply.raw)
        except Unreadable:
            return [reply] * len(tasks)  # nobody can read it: each asks again, alone
        return [
            replace(
                reply,
                raw=verify_statements.reply(
                    [
                        replace(found[ids[s.text]], id=s.id)
                        for s in task.statements
                        if ids[s.text] in found
                    ]
                ),
            )
            for task in tasks
        ]


@dataclass
class Member:
    """What one metric asks, in a party. Only first draws of checks wait for the others.

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
        """The reply: to a check of statements, what was said of these by whoever was asked of all.

        It has the key of the reply to all, which is what a trace shows.
        """
        if draw or not isinstance(task, VerifyStatements):
            return await self.party.backend.reply(task, draw)
        asked = _Asked(task, asyncio.get_running_loop().create_future())
        self.held.append(asked)
        self.party.look()
        return await asked.reply

    def leave(self) -> None:
        """Say that nothing more is asked."""
        self.gone = True
        self.party.look()


def _settle(waiting: asyncio.Future[Reply], asked: asyncio.Future[list[Reply]], n: int) -> None:
    """Hand on the n-th reply, or whatever kept it from coming."""
    if waiting.done():
        return
    if not asked.done() or asked.cancelled():
        waiting.cancel()
    elif error := asked.exception():
        waiting.set_exception(error)
    else:
        waiting.set_result(asked.result()[n])


def _groups(asked: Sequence[_Asked]) -> list[list[_Asked]]:
    """Those about the same contexts, so many that their statements can be overlooked."""
    groups: list[list[_Asked]] = []
    last: dict[tuple[str, ...], list[_Asked]] = {}
    for one in asked:
        group = last.get(one.task.contexts, [])
        statements = sum(len(other.task.statements) for other in (*group, one))
        if group and statements <= MOST:
            group.append(one)
        else:
            groups.append([one])
            last[one.task.contexts] = groups[-1]
    return groups
