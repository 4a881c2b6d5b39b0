"""The budget: what has been spent on a judge, and what is reserved for calls on their way."""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias
from uuid import uuid4

from assay._store.integrity import cut_key, digest, reply_key
from assay._text.sanitize import whole
from assay.errors import CutShort, InputError, OverBudget, Unavailable
from assay.judge import Reply, Task

Keep: TypeAlias = Callable[[Reply], Awaitable[object]]
Bound: TypeAlias = Callable[[str], int | None]

# Tokens that a reply is taken to cost until one of its kind has come.
USUAL_REPLY = 500
# Tokens of a prompt and of a reply, to tell beforehand how many calls a budget is good for.
USUAL_CALL = 900, 100
# What ends a judge's name in an identity: its server, its options, its prompts.
_AFTER_A_NAME = ("", "@", "?", "#")
# Replies vary: a call beside others has so many times the longest reply of its kind set aside on
# top of it, divided by the number of replies that have come.
MARGIN = 7


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost.

    Attributes:
        per_million_in: Price of a million prompt tokens.
        per_million_out: Price of a million reply tokens.
        source: Currency and origin, as shown beside amounts; "" if the user gave the price.
        per_million_cached: Price of a million prompt tokens that the provider read from its prompt
            cache; None where they cost as much as others.
        per_million_cache_written: Price of a million prompt tokens that it wrote into its cache.
        judges: Prices of judges that cost something else, by name: ``openai:gpt-4o``.
    """

    per_million_in: float
    per_million_out: float
    source: str = ""
    per_million_cached: float | None = None
    per_million_cache_written: float | None = None
    judges: Mapping[str, "Price"] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _check_amounts(self, "per_million_in", "per_million_out")
        _check_amounts(self, "per_million_cached", "per_million_cache_written")

    def __str__(self) -> str:
        if self.judges:
            return ", ".join(f"{name} {price}" for name, price in self.judges.items())
        cached = (self.per_million_cached, self.per_million_cache_written)
        amounts = [self.per_million_in, self.per_million_out, *(a for a in cached if a is not None)]
        return "/".join(f"{amount:g}" for amount in amounts)

    @classmethod
    def by_judge(cls, judges: Mapping[str, "Price"]) -> Self:
        """Prices of several judges by name; one that is not named costs as much as the dearest.

        Raises:
            InputError: If there are none.
        """
        if not judges:
            raise InputError("no judge is given a price", 'give {"openai:gpt-4o": Price(2.5, 10)}')
        prices = judges.values()
        return cls(
            max(price.per_million_in for price in prices),
            max(price.per_million_out for price in prices),
            next(iter(prices)).source,
            None,
            max(price.per_million_cache_written or 0.0 for price in prices) or None,
            judges=dict(judges),
        )

    @classmethod
    def of_config(cls, values: Sequence[Any]) -> Self:
        """From what `config` gives."""
        judges = {name: cls(*numbers) for name, *numbers in (values[5] if len(values) > 5 else ())}
        return replace(cls(*values[:5]), judges=judges)

    def config(self) -> list[Any]:
        """As it is kept with a run."""
        judges = [[name, *price.config()] for name, price in self.judges.items()]
        cached = self.per_million_cached, self.per_million_cache_written
        values = [self.per_million_in, self.per_million_out, self.source, *cached, judges]
        while values[-1] in (None, []):
            values.pop()
        return values

    def of_judge(self, identity: str) -> "Price":
        """The price of a judge, by its name or by an identity, which begins with the name."""
        for name, price in self.judges.items():
            remainder = identity.removeprefix(name)
            if remainder != identity and remainder[:1] in _AFTER_A_NAME:
                return price
        return replace(self, judges={}) if self.judges else self

    def of(self, tokens_in: float, tokens_out: float, cached: int = 0, written: int = 0) -> float:
        """What tokens cost.

        Args:
            tokens_in: Prompt tokens, all of them.
            tokens_out: Reply tokens.
            cached: Prompt tokens among them that were read from the provider's cache.
            written: Prompt tokens among them that were written into it.
        """
        usual = self.per_million_in
        reading = usual if self.per_million_cached is None else self.per_million_cached
        writing = (
            usual if self.per_million_cache_written is None else self.per_million_cache_written
        )
        prompt = (tokens_in - cached - written) * usual + cached * reading + written * writing
        return (prompt + tokens_out * self.per_million_out) / 1e6

    def at_most(self, tokens_in: float, tokens_out: float) -> float:
        """What they cost if the whole prompt is written into the provider's cache."""
        dearest = max(self.per_million_in, self.per_million_cache_written or 0.0)
        return (tokens_in * dearest + tokens_out * self.per_million_out) / 1e6


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


def affordable_calls(budget: Budget) -> float:
    """How many calls it is good for, about; infinitely many without a bound."""
    bounds = [math.inf if budget.calls is None else budget.calls]
    if budget.tokens is not None:
        bounds.append(budget.tokens / sum(USUAL_CALL))
    if budget.money is not None and budget.price:
        cost = budget.price.of(*USUAL_CALL)
        bounds.append(budget.money / cost if cost else math.inf)
    return min(bounds)


def _check_amounts(amounts: Price | Budget, *names: str) -> None:
    """Raise InputError for what no amount is: nothing would ever exceed NaN."""
    for name in names:
        value = getattr(amounts, name)
        if value is not None and not value >= 0:
            raise InputError(f"{name} is {value}", "give 0 or more")


@dataclass(slots=True)
class Usage:
    """What has happened so far; read it for a progress bar."""

    calls: int = 0  # calls that brought a reply
    retries: int = 0  # calls made again
    throttled: int = 0  # refusals because of too many requests
    timeouts: int = 0  # calls that took too long
    tokens_in: int = 0  # prompt tokens
    tokens_out: int = 0  # reply tokens
    money: float = 0.0  # what the tokens cost, 0 where no price is known
    in_flight: int = 0  # calls on their way now
    waiting: int = 0  # calls that were not sent yet
    lost: int = 0  # calls that were given up on their way: the provider may bill them


@dataclass(slots=True)
class Reservation:
    """Tokens that a call on its way is expected to cost."""

    judge: str  # identity of who is asked
    kind: str  # kind of its task
    quarter: int  # a quarter of the characters that it sends, as far as they are known
    tokens_in: int  # prompt tokens
    tokens_out: int  # reply tokens
    reserved_out: int  # reply tokens that are set aside for it: more, as replies vary
    money: float = 0.0  # what these cost at most, 0 where no price is known
    active: bool = True  # whether they are still set aside

    @property
    def tokens(self) -> int:
        """All that are expected."""
        return self.tokens_in + self.tokens_out


@dataclass(slots=True)
class _Reserved:
    """All that is set aside for calls on their way."""

    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0
    money: float = 0.0


@dataclass(slots=True)
class Spending:
    """What is spent and set aside; trackers that are given the same one count together."""

    # What has been spent, and what else happened to the calls.
    usage: Usage = field(default_factory=Usage)
    # What is set aside for calls on their way.
    reserved: _Reserved = field(default_factory=_Reserved)
    # Most tokens of an answer, by kind of task.
    longest_reply: dict[str, int] = field(default_factory=dict)
    # Prompt tokens over a quarter of the characters, at most, by kind.
    prompt_ratio: dict[str, float] = field(default_factory=dict)
    # Answers that told their length, by kind.
    answers: Counter[str] = field(default_factory=Counter)
    # Calls on their way and those that have ended, by kind.
    sent: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)  # calls that have ended, by kind
    # Calls that wait until something is released.
    waiting: list[asyncio.Future[None]] = field(default_factory=list)


class BudgetTracker:
    """Keeps `Usage` and sees to it that calls on their way cannot exceed the budget together.

    What a call will cost is known only afterwards. Its prompt is taken to be a quarter of the
    characters, or as many times that as any of its kind was so far, and its reply as long as the
    longest so far. What is set aside is the bound on the reply where there is one, else more than
    that while few have come. Before the first has, the others of its kind wait: nobody knows what
    they would cost. Once the budget is spent nothing is sent, so that it is exceeded by no more
    than what the calls on their way then cost beyond the dearest before them.

    Backends that share a tracker share the budget.

    Args:
        budget: What may be spent.
        keep: Commits what was billed without bringing a reply; None keeps nothing of it.
        bound: Most tokens of a reply to a kind of task, None where it is not bounded.
        spending: What is counted together with other trackers; None for a count of its own.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        keep: Keep | None = None,
        bound: Bound = lambda _kind: None,
        spending: Spending | None = None,
    ) -> None:
        self._budget = budget or Budget()
        self._keep = keep
        self._reply_bound = bound
        self._spending = spending or Spending()
        self._prices: dict[str, Price | None] = {}  # by identity of a judge

    @property
    def usage(self) -> Usage:
        """What has been spent, and what else happened to the calls."""
        return self._spending.usage

    async def reserve(self, task: Task[Any], judge: str) -> Reservation:
        """Set aside what a call may cost, once those on their way leave room for it.

        Raises:
            OverBudget: If none is on its way and all that is spent and set aside would still exceed
                the budget.
        """
        while True:
            if not self._waits_for_first(task):
                try:
                    return self._set_aside(task, judge)
                except OverBudget:
                    if not self._spending.reserved.calls:
                        raise
            released: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._spending.waiting.append(released)
            await released

    def _set_aside(self, task: Task[Any], judge: str) -> Reservation:
        template = task.template
        characters = sum(len(item.text) for item in task.prompt_texts)
        characters += len(template.preamble) if template else 0
        expected = self._spending.longest_reply.get(task.kind, USUAL_REPLY if template else 0)
        at_most = self._reply_allowance(task.kind) if template else expected
        quarter = characters // 4
        prompt = math.ceil(quarter * self._spending.prompt_ratio.get(task.kind, 1.0))
        price = self._price(judge)
        money = price.at_most(prompt, at_most) if price else 0.0
        reservation = Reservation(judge, task.kind, quarter, prompt, expected, at_most, money)
        usage, reserved = self.usage, self._spending.reserved
        tokens = usage.tokens_in + usage.tokens_out + reserved.tokens_in + reserved.tokens_out
        self._check(
            tokens + prompt + at_most,
            usage.calls + reserved.calls + 1,
            usage.money + reserved.money + money,
        )
        reserved.tokens_in += reservation.tokens_in
        reserved.tokens_out += reservation.reserved_out
        reserved.money += reservation.money
        reserved.calls += 1
        self._spending.sent[reservation.kind] += 1
        return reservation

    async def renew(self, reservation: Reservation, task: Task[Any]) -> None:
        """Set aside what a further try will cost, once there is room: the one before was paid for.

        Raises:
            OverBudget: As `reserve`.
        """
        self.release(reservation)
        new = await self.reserve(task, reservation.judge)
        reservation.tokens_in, reservation.tokens_out = new.tokens_in, new.tokens_out
        reservation.reserved_out, reservation.money = new.reserved_out, new.money
        reservation.active = True

    def check(self) -> None:
        """See that the budget is not exceeded: what was set aside for a call may be gone by now.

        Raises:
            OverBudget: If it is.
        """
        usage = self.usage
        self._check(usage.tokens_in + usage.tokens_out, usage.calls, usage.money)

    def release(self, reservation: Reservation) -> None:
        """Give back what was set aside, unless that was done."""
        if not reservation.active:
            return
        reservation.active = False
        reserved = self._spending.reserved
        reserved.tokens_in -= reservation.tokens_in
        reserved.tokens_out -= reservation.reserved_out
        reserved.calls -= 1
        # Sums of fractions do not end at 0 by themselves.
        reserved.money -= reservation.money if reserved.calls else reserved.money
        self._spending.sent[reservation.kind] -= 1
        self._spending.ended[reservation.kind] += 1
        waiting = self._spending.waiting.copy()
        self._spending.waiting.clear()
        for released in waiting:
            if not released.done():
                released.set_result(None)

    def spend(self, judge: str, tokens_in: int, tokens_out: int, *cached: int) -> None:
        """Count tokens that a judge used.

        Args:
            judge: Its identity.
            tokens_in: Prompt tokens.
            tokens_out: Reply tokens.
            cached: Those that were read from the provider's cache and written into it, if any.
        """
        self.usage.tokens_in += tokens_in
        self.usage.tokens_out += tokens_out
        if price := self._price(judge):
            self.usage.money += price.of(tokens_in, tokens_out, *cached)

    def _price(self, judge: str) -> Price | None:
        if judge not in self._prices:
            price = self._budget.price
            self._prices[judge] = price and price.of_judge(judge)
        return self._prices[judge]

    def _learn(self, kind: str, tokens_out: int) -> None:
        """Note how long an answer to this kind of task was, of use or not."""
        self._spending.longest_reply[kind] = max(
            self._spending.longest_reply.get(kind, 0), tokens_out
        )
        self._spending.answers[kind] += 1

    async def record_failure(self, call: tuple[str, Task[Any], int], error: Unavailable) -> int:
        """Count and keep an answer that is no reply, if it was billed; returns its tokens.

        Args:
            call: Identity of who answered, the task and which draw of it.
            error: What the answer is instead.
        """
        if not error.cost or not (spent := sum(error.cost)):
            return 0
        self._learn(call[1].kind, error.cost[1])
        self.spend(call[0], *error.cost)
        if self._keep is not None:
            await self._keep(_lost_reply(call, error, error.cost))
        return spent

    def record_reply(self, reply: Reply, reservation: Reservation, *, sent: bool = True) -> None:
        """Count a reply, and learn from what was set aside for it, if it was sent just as it is."""
        self.usage.calls += 1
        self._learn(reply.kind, reply.tokens_out)
        tokens = reply.tokens_in, reply.tokens_out, reply.cached_in, reply.cache_written
        self.spend(reservation.judge, *tokens)
        if sent and reservation.quarter:
            ratio, kind = reply.tokens_in / reservation.quarter, reservation.kind
            self._spending.prompt_ratio[kind] = max(
                ratio, self._spending.prompt_ratio.get(kind, 1.0)
            )

    def _waits_for_first(self, task: Task[Any]) -> bool:
        """Whether the call is to wait for the first one of its kind.

        Each that ended without telling its length lets one more go out beside it: a server that
        fails at all calls is not asked one by one for ever.
        """
        counts_tokens = self._budget.tokens is not None or self._budget.money is not None
        if not counts_tokens or not task.template or self._spending.answers[task.kind]:
            return False
        return (
            self._reply_bound(task.kind) is None
            and self._spending.sent[task.kind] > self._spending.ended[task.kind]
        )

    def _reply_allowance(self, kind: str) -> int:
        """Tokens that a reply may come to, as far as is known."""
        longest, n = self._spending.longest_reply.get(kind, 0), self._spending.answers[kind]
        if (bound := self._reply_bound(kind)) is not None:
            return max(bound, longest)  # some servers do not count reasoning as what they bound
        if not n:
            return max([USUAL_REPLY, *self._spending.longest_reply.values()])
        if not self._spending.reserved.calls:
            return longest  # it is not to end the run that a call alone may be longer than any
        return longest + math.ceil(MARGIN * (longest or USUAL_REPLY) / n)

    def _check(self, tokens: int, calls: int, money: float) -> None:
        """Refuse a call with which so much could be spent in all."""
        budget, usage = self._budget, self.usage
        spent = usage.tokens_in + usage.tokens_out
        for unit, before, would, bound in (
            ("tokens", spent, tokens, budget.tokens),
            ("calls", usage.calls, calls, budget.calls),
            ("money", usage.money, money, budget.money),
        ):
            if bound is not None and would > bound:
                raise OverBudget(
                    f"the next call could exceed the budget in {unit}: {before:.6g} spent, up to "
                    f"{would:.6g} with the calls on their way, {bound:.6g} allowed -> raise the "
                    "budget and run again; no reply paid for is asked again"
                )


def _lost_reply(
    call: tuple[str, Task[Any], int], error: Unavailable, cost: tuple[int, int]
) -> Reply:
    """How it is kept: as a reply that nobody takes for one, by its key and by a draw below 0."""
    identity, task, draw = call
    key, raw = reply_key(identity, task, draw), ""
    if isinstance(error, CutShort) and task.schema is None:  # it is not asked for again
        key, raw = cut_key(key), whole(error.raw)
    else:
        key = digest([key, uuid4().hex])
    return Reply((), raw, *cost, key=key, backend=identity, kind=task.kind, draw=~draw)
