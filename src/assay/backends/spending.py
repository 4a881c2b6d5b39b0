"""What has been spent on a judge, and may the next call be made?"""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

from assay.errors import CutShort, InputError, OverBudget, Unavailable
from assay.judge import Reply, Task
from assay.store.keys import cut_key, digest, reply_key
from assay.text.sanitize import whole

Keep: TypeAlias = Callable[[Reply], Awaitable[object]]
Bound: TypeAlias = Callable[[str], int | None]

# Tokens that a reply is taken to cost until one of its kind has come.
USUAL_REPLY = 500
# Replies vary: a call beside others has so many times the longest reply of its kind set aside on
# top of it, divided by the number of replies that have come.
MARGIN = 7


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost.

    Attributes:
        per_million_in: Price of a million prompt tokens.
        per_million_out: Price of a million reply tokens.
    """

    per_million_in: float
    per_million_out: float

    def __post_init__(self) -> None:
        _check_amounts(self, "per_million_in", "per_million_out")

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """What these tokens cost."""
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / 1e6


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent in all.

    Attributes:
        money: Money, in the currency of the price; None for no bound.
        tokens: Tokens, read and written; None for no bound.
        price: What tokens cost; a bound on money needs it, alone it only counts.
        calls: Calls that brought a reply; None for no bound.
    """

    money: float | None = None
    tokens: int | None = None
    price: Price | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        _check_amounts(self, "money", "tokens", "calls")
        if self.money is not None and self.price is None:
            raise InputError("a budget in money needs the price of tokens", "give price=Price(..)")


def _check_amounts(given: Price | Budget, *names: str) -> None:
    """Raise InputError for what no amount is: nothing would ever exceed NaN."""
    for name in names:
        value = getattr(given, name)
        if value is not None and not value >= 0:
            raise InputError(f"{name} is {value}", "give 0 or more")


@dataclass(slots=True)
class Usage:
    """What has happened so far; read it for a progress bar.

    Attributes:
        calls: Calls that brought a reply.
        retries: Calls made again.
        throttled: Refusals because of too many requests.
        timeouts: Calls that took too long.
        hedged: Second calls made beside slow ones.
        tokens_in: Prompt tokens.
        tokens_out: Reply tokens.
        money: What the tokens cost, 0 where no price is known.
        in_flight: Calls on their way now.
        waiting: Calls that wait for their turn now.
    """

    calls: int = 0
    retries: int = 0
    throttled: int = 0
    timeouts: int = 0
    hedged: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    in_flight: int = 0
    waiting: int = 0


@dataclass(slots=True)
class Hold:
    """Tokens that a call on its way is expected to cost.

    Attributes:
        kind: Kind of its task.
        tokens_in: Prompt tokens.
        tokens_out: Reply tokens.
        most_out: Reply tokens that are set aside for it: more, as replies vary.
        held: Whether they are still set aside.
    """

    kind: str
    tokens_in: int
    tokens_out: int
    most_out: int
    held: bool = True

    @property
    def tokens(self) -> int:
        """All that are expected."""
        return self.tokens_in + self.tokens_out


class Purse:
    """Keeps `Usage` and sees to it that calls on their way cannot exceed the budget together.

    What a call will cost is known only afterwards. It is taken to be a quarter of the prompt's
    characters, and as much as the longest reply to this kind of task so far. What is set aside is
    the bound on the reply where there is one, else more than the longest reply while few have
    come. Before the first has, the others of its kind wait: nobody knows what they would cost.

    Back ends that share a purse share the budget.

    Args:
        budget: What may be spent.
        keep: Commits what was billed without bringing a reply; None keeps nothing of it.
        bound: Most tokens of a reply to a kind of task, None where it is not bounded.

    Attributes:
        usage: What has been spent, and what else happened to the calls.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        keep: Keep | None = None,
        bound: Bound = lambda _kind: None,
    ) -> None:
        self._budget = budget or Budget()
        self._keep = keep
        self._bound = bound
        self.usage = Usage()
        self._held_in = self._held_out = self._held_calls = 0
        self._longest: dict[str, int] = {}
        # By kind: answers that told their length, calls on their way, calls that have ended.
        self._told = Counter[str]()
        self._out = Counter[str]()
        self._ended = Counter[str]()
        self._waiting: list[asyncio.Future[None]] = []

    async def room(self, task: Task[Any]) -> Hold:
        """As `hold`, once calls on their way have left room for it, or told what it may cost.

        Raises:
            OverBudget: If none is on its way and there is still no room.
        """
        while True:
            if not self._first_is_out(task):
                try:
                    return self.hold(task)
                except OverBudget:
                    if not self._held_calls:
                        raise
            landed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(landed)
            await landed

    def hold(self, task: Task[Any]) -> Hold:
        """Set aside what the call may cost.

        Raises:
            OverBudget: If all that is spent and set aside would exceed the budget.
        """
        template = task.template
        letters = sum(len(item.text) for item in task.materials)
        letters += len(template.preamble) if template else 0
        wanted = self._longest.get(task.kind, USUAL_REPLY if template else 0)
        most = self._most_written(task.kind) if template else wanted
        hold = Hold(task.kind, letters // 4, wanted, most)
        self._check(hold)
        self._held_in += hold.tokens_in
        self._held_out += hold.most_out
        self._held_calls += 1
        self._out[hold.kind] += 1
        return hold

    async def renew(self, hold: Hold, task: Task[Any]) -> None:
        """Set aside what a further try will cost, once there is room: the one before was paid for.

        Raises:
            OverBudget: As `room`.
        """
        self.release(hold)
        new = await self.room(task)
        hold.tokens_in, hold.tokens_out, hold.most_out = new.tokens_in, new.tokens_out, new.most_out
        hold.held = True

    def release(self, hold: Hold) -> None:
        """Give back what was set aside, unless that was done."""
        if not hold.held:
            return
        hold.held = False
        self._held_in -= hold.tokens_in
        self._held_out -= hold.most_out
        self._held_calls -= 1
        self._out[hold.kind] -= 1
        self._ended[hold.kind] += 1
        waiting, self._waiting = self._waiting, []
        for landed in waiting:
            if not landed.done():
                landed.set_result(None)

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        """Count tokens that were used."""
        self.usage.tokens_in += tokens_in
        self.usage.tokens_out += tokens_out
        if self._budget.price is not None:
            self.usage.money += self._budget.price.of(tokens_in, tokens_out)

    def pay(self, kind: str, tokens_in: int, tokens_out: int) -> None:
        """Count an answer to this kind of task, of use or not, and learn from its length."""
        self._longest[kind] = max(self._longest.get(kind, 0), tokens_out)
        self._told[kind] += 1
        self.spend(tokens_in, tokens_out)

    async def lose(self, asked: tuple[str, Task[Any], int], error: Unavailable) -> int:
        """Count and keep an answer that is no reply, if it was billed; returns its tokens.

        Args:
            asked: Identity of who answered, the task and which draw of it.
            error: What the answer is instead.
        """
        if not error.cost or not (spent := sum(error.cost)):
            return 0
        self.pay(asked[1].kind, *error.cost)
        if self._keep is not None:
            await self._keep(_lost(asked, error, error.cost))
        return spent

    def count(self, reply: Reply) -> None:
        """Count a reply."""
        self.usage.calls += 1
        self.pay(reply.kind, reply.tokens_in, reply.tokens_out)

    def _first_is_out(self, task: Task[Any]) -> bool:
        """Whether the call is to wait for the first one of its kind.

        Each that ended without telling its length lets one more go out beside it: a server that
        fails at all calls is not asked one by one for ever.
        """
        counts_tokens = self._budget.tokens is not None or self._budget.money is not None
        if not counts_tokens or not task.template or self._told[task.kind]:
            return False
        return self._bound(task.kind) is None and self._out[task.kind] > self._ended[task.kind]

    def _most_written(self, kind: str) -> int:
        """Tokens that a reply may come to, as far as is known."""
        longest, n = self._longest.get(kind, 0), self._told[kind]
        if (bound := self._bound(kind)) is not None:
            return max(bound, longest)  # some servers do not count reasoning as what they bound
        if not n:
            return max([USUAL_REPLY, *self._longest.values()])
        if not self._held_calls:
            return longest  # it is not to end the run that a call alone may be longer than any
        return longest + math.ceil(MARGIN * (longest or USUAL_REPLY) / n)

    def _check(self, hold: Hold) -> None:
        budget, usage = self._budget, self.usage
        more_in, more_out = self._held_in + hold.tokens_in, self._held_out + hold.most_out
        if budget.tokens is not None:
            spent = usage.tokens_in + usage.tokens_out
            self._refuse(spent, spent + more_in + more_out, budget.tokens, "tokens")
        if budget.calls is not None:
            at_most = usage.calls + self._held_calls + 1
            self._refuse(usage.calls, at_most, budget.calls, "calls")
        if budget.money is not None and budget.price is not None:
            would = usage.money + budget.price.of(more_in, more_out)
            self._refuse(usage.money, would, budget.money, "money")

    @staticmethod
    def _refuse(spent: float, would: float, most: float, unit: str) -> None:
        if would > most:
            raise OverBudget(
                f"the next call could exceed the budget in {unit}: {spent:.6g} spent, up to "
                f"{would:.6g} with the calls on their way, {most:.6g} allowed -> raise the budget "
                "and run again; no reply paid for is asked again"
            )


def _lost(asked: tuple[str, Task[Any], int], error: Unavailable, cost: tuple[int, int]) -> Reply:
    """How it is kept: as a reply that nobody takes for one, by its key and by a draw below 0."""
    identity, task, draw = asked
    key, raw = reply_key(identity, task, draw), ""
    if isinstance(error, CutShort) and task.schema is None:  # it is not asked for again
        key, raw = cut_key(key), whole(error.raw)
    else:
        key = digest([key, uuid4().hex])
    return Reply((), raw, *cost, key=key, backend=identity, kind=task.kind, draw=~draw)
