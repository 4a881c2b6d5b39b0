"""Is a backend asked within limits, again where that helps, and never for ever?"""

import asyncio
import math
import time
from dataclasses import replace

import pytest
from aiohttp import ConnectionTimeoutError

from assay import Limits
from assay._middleware.budget import (
    MARGIN,
    USUAL_REPLY,
    Budget,
    BudgetTracker,
    Price,
    Spending,
)
from assay._middleware.concurrency import Bucket
from assay._middleware.health import HOPELESS
from assay._middleware.limiter import Limiter
from assay._runner.settings import Settings
from assay.errors import Denied, InputError, OverBudget, TimedOut, Unavailable, Unsupported
from assay.judge import Backend, Capabilities, Reply
from assay.judges.openai.judge import OpenAI
from assay.tasks import RateAnswer
from support.clock import run
from support.faults import Faults
from support.llm_server import LLMServer
from support.over import over

FAST = Limits(backoff=0.002)


def task(number=0):
    return RateAnswer(f"Question {number}?", "Answer.")


class Model:
    """A backend that does what it is told, one thing a call; replies when nothing is left."""

    name = "model"

    def __init__(self, *events, seconds=0.0, tokens=(100, 10)):
        self.events = list(events)
        self.seconds = seconds
        self.tokens = tokens
        self.asked = self.now = self.most = 0
        self.closed = False

    def identity(self, kind):
        return "model#1"

    async def reply(self, task, draw=0):
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        event = self.events.pop(0) if self.events else None
        try:
            await asyncio.sleep(self.seconds)
            if event == "hang":
                await asyncio.sleep(3600)
            if event is not None:
                raise event
        finally:
            self.now -= 1
        return Reply(("p",), "{}", *self.tokens, kind=task.kind, draw=draw)

    async def aclose(self):
        self.closed = True


async def test_it_shows_the_back_end_unchanged():
    model = Model()
    limit = Limiter(model)
    assert isinstance(limit, Backend)
    assert (limit.name, limit.identity(RateAnswer)) == ("model", "model#1")
    await limit.aclose()
    assert model.closed


def test_what_a_back_end_does_not_say_of_itself_has_a_default():
    assert Limiter(Model()).capabilities == Capabilities()
    llm = OpenAI("m", base_url="http://x/v1", max_tokens=9)
    assert llm.capabilities == Capabilities(drifts=True, form="json_schema", max_tokens=9)


async def test_calls_at_the_same_time_are_bounded_and_counted():
    model = Model(seconds=0.01)
    limit = Limiter(model, Limits(concurrency=3))
    asked = [asyncio.ensure_future(limit.reply(task(n))) for n in range(10)]
    await asyncio.sleep(0.005)
    assert (limit.usage.in_flight, limit.usage.waiting) == (3, 7)
    await asyncio.gather(*asked)
    assert model.most == 3
    assert (limit.usage.in_flight, limit.usage.waiting) == (0, 0)
    assert (limit.usage.calls, limit.usage.tokens_in, limit.usage.tokens_out) == (10, 1000, 100)


async def test_what_was_lost_is_asked_again():
    model = Model(Unavailable("a"), Unavailable("b", throttled=True))
    limit = Limiter(model, FAST)
    assert (await limit.reply(task(), 2)).draw == 2
    assert (model.asked, limit.usage.retries, limit.usage.throttled) == (3, 2, 1)


async def test_it_gives_up_after_the_last_try():
    model = Model(*[Unavailable(str(n)) for n in range(9)])
    limit = Limiter(model, Limits(retries=2, backoff=0.001))
    with pytest.raises(Unavailable, match=r"^2$"):
        await limit.reply(task())
    assert model.asked == 3


@over("error", [Denied("x"), Unsupported("x"), Unavailable("x", permanent=True), ValueError("x")])
async def test_what_would_fail_again_is_not_asked_again(error):
    model = Model(error)
    with pytest.raises(type(error)):
        await Limiter(model, FAST).reply(task())
    assert model.asked == 1


async def test_a_call_that_is_asked_to_wait_holds_up_no_other():
    model = Model(Unavailable("busy", throttled=True, retry_after=0.2))
    limit = Limiter(model, Limits(concurrency=1, backoff=0.0))
    start = time.monotonic()
    refused = asyncio.ensure_future(limit.reply(task(1)))
    await asyncio.sleep(0.001)
    await limit.reply(task(2))
    assert time.monotonic() - start < 0.2
    await refused
    assert time.monotonic() - start >= 0.2
    assert model.asked == 3


async def test_a_server_that_asks_for_hours_is_not_waited_for():
    model = Model(Unavailable("tomorrow", throttled=True, retry_after=9999.0))
    limit = Limiter(model, FAST)
    with pytest.raises(Unavailable, match="tomorrow"):
        await limit.reply(task())
    assert (await limit.reply(task())).raw == "{}"


async def test_a_call_that_hangs_holds_up_no_other():
    model = Model("hang")
    limit = Limiter(model, Limits(concurrency=2, timeout=0.25, backoff=0.001))
    hanging = asyncio.ensure_future(limit.reply(task(0)))
    await asyncio.sleep(0.001)
    await asyncio.gather(*(limit.reply(task(n)) for n in range(1, 9)))
    assert not hanging.done()
    assert (await hanging).raw == "{}"
    assert (limit.usage.timeouts, limit.usage.retries) == (1, 1)


async def test_a_call_that_always_hangs_is_tried_twice():
    model = Model(*["hang"] * 9)
    limit = Limiter(model, Limits(timeout=0.01, backoff=0.001))
    with pytest.raises(Unavailable, match=r"no reply from model within 0\.01 s"):
        await limit.reply(task())
    assert (model.asked, limit.usage.timeouts) == (2, 2)


class Deaf(Model):
    """Not even cancelling it makes it return."""

    async def reply(self, task, draw=0):
        while not self.closed:
            try:
                await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                continue
        raise ValueError


async def test_a_back_end_deaf_to_cancelling_is_left_behind():
    model = Deaf()
    with pytest.raises(Unavailable):
        await Limiter(model, Limits(timeout=0.01, retries=0)).reply(task())
    model.closed = True
    await asyncio.sleep(0.02)  # what it raises in the end is no news


async def test_cancelling_a_call_cancels_it_at_the_back_end():
    model = Model("hang")
    limit = Limiter(model)
    call = asyncio.ensure_future(limit.reply(task()))
    await asyncio.sleep(0.005)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.sleep(0)
    assert (model.now, limit.usage.in_flight, limit.usage.waiting) == (0, 0, 0)


@over(
    ("limits", "budget"),
    [
        (Limits(concurrency=2), Budget()),
        (Limits(requests_per_minute=40), Budget()),
        (Limits(), Budget(calls=2)),
    ],
)
async def test_stopped_it_lets_arrive_what_is_on_its_way_and_sends_nothing_more(limits, budget):
    model = Model(seconds=0.1)
    limit = Limiter(model, limits, budget=BudgetTracker(budget))
    asked = [asyncio.ensure_future(limit.reply(task(n))) for n in range(6)]
    await asyncio.sleep(0.005)
    limit.stop()
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) for one in found] == [Reply] * 2 + [asyncio.CancelledError] * 4
    assert model.asked == 2
    assert (limit.usage.in_flight, limit.usage.waiting) == (0, 0)
    with pytest.raises(asyncio.CancelledError):
        await limit.reply(task())


async def test_stopped_it_repeats_no_call():
    model = Model(Unavailable("lost", retry_after=60.0), Unavailable("lost"), seconds=0.02)
    limit = Limiter(model, FAST)
    waiting = asyncio.ensure_future(limit.reply(task(1)))
    await asyncio.sleep(0.1)
    on_its_way = asyncio.ensure_future(limit.reply(task(2)))
    await asyncio.sleep(0.005)
    limit.stop()
    found = await asyncio.gather(waiting, on_its_way, return_exceptions=True)
    assert [type(one) for one in found] == [asyncio.CancelledError, Unavailable]
    assert model.asked == 2


async def test_a_server_that_never_answers_stops_the_run():
    model = Model(*[Unavailable("refused")] * 99)
    limit = Limiter(model, Limits(retries=1, backoff=0.0))
    for _ in range(HOPELESS - 1):
        with pytest.raises(Unavailable):
            await limit.reply(task())
    with pytest.raises(Denied, match=r"cannot reach model: 8 calls .* refused -> check that"):
        await limit.reply(task())


async def test_a_server_that_answers_nothing_usable_is_not_said_to_be_unreachable():
    model = Model(*[Unavailable("no choice", cost=(0, 0))] * 99)
    limit = Limiter(model, Limits(retries=0))
    for _ in range(HOPELESS - 1):
        with pytest.raises(Unavailable):
            await limit.reply(task())
    says = r"^8 calls to model brought nothing usable, the last one: no choice -> check the model"
    with pytest.raises(Denied, match=says):
        await limit.reply(task())


async def denied_after_time_outs(model, seconds):
    limit = Limiter(model, Limits(retries=0, timeout=seconds))
    asked = (limit.reply(task(n)) for n in range(HOPELESS))
    found = await asyncio.gather(*asked, return_exceptions=True)
    return next(str(error) for error in found if isinstance(error, Denied))


async def test_a_server_that_is_slow_is_not_said_to_be_unreachable():
    said = await denied_after_time_outs(Model(*["hang"] * HOPELESS), 0.01)
    assert said == (
        "8 calls to model took too long, the last one: no reply from model within 0.01 s "
        "-> raise --timeout, or lower --concurrency"
    )


async def test_a_connection_that_is_never_made_is_no_slow_server(monkeypatch):
    class Unconnected:
        def request(self, *args, **kwargs):
            raise ConnectionTimeoutError

    async def opened(self):
        return Unconnected()

    monkeypatch.setattr("assay.judges.openai.connection._Pool.open", opened)
    said = await denied_after_time_outs(OpenAI("m", base_url="http://10.255.255.1/v1"), 9.0)
    assert "cannot reach openai:m@10.255.255.1/v1: 8 calls brought nothing" in said
    assert "connection to 10.255.255.1/v1 failed: nobody there within 15 s" in said


class Absent(Model):
    """A server that swallows what is sent to it, but for the connections of these numbers."""

    def __init__(self, *met):
        super().__init__()
        self.met = met

    async def reply(self, task, draw=0):
        self.asked += 1
        if self.asked in self.met:
            raise Unavailable("Server disconnected")
        await asyncio.sleep(15)
        raise TimedOut("nobody there within 15 s", unreached=True)


def asked_at_once(model, calls, limits):
    """(what came of so many calls, the seconds that it took)."""

    async def work():
        limit = Limiter(model, limits)

        async def one(number):
            try:
                return await limit.reply(task(number))
            except Denied:
                await asyncio.sleep(0.01)  # it takes a moment until a run hears of it
                limit.stop()
                raise

        return await asyncio.gather(*map(one, range(calls)), return_exceptions=True)

    return run(work())


@over("in_flight", [1, 4, 64])
@over("calls", [1, 12, 500])
def test_who_was_never_there_is_told_of_after_half_a_minute_whatever_the_concurrency(
    in_flight, calls
):
    found, seconds = asked_at_once(Absent(), calls, Limits(concurrency=in_flight))
    (denied,) = [error for error in found if isinstance(error, Denied)][:1]
    assert 30 <= seconds < 32
    assert str(denied) == (
        "cannot reach model: every call failed for 30 s, the last one: nobody there within 15 s "
        "-> check that the server runs and that the address is right"
    )


def test_whoever_was_met_once_is_not_said_to_be_absent():
    found, seconds = asked_at_once(Absent(1), 1, Limits(concurrency=1))
    assert [type(error) for error in found] == [TimedOut]
    assert seconds > 30


async def test_a_server_that_answered_once_is_not_given_up_with_one_that_never_did():
    model = Model(None, *[Unavailable("refused")] * 99)
    limit = Limiter(model, Limits(retries=0))
    await limit.reply(task())
    for _ in range(HOPELESS + 2):
        with pytest.raises(Unavailable):
            await limit.reply(task())


async def test_one_that_never_answers_stops_the_run_though_another_of_the_same_purse_does():
    budget, limits = BudgetTracker(), Limits(retries=0)
    await Limiter(Model(None), limits, budget=budget).reply(task())
    silent = Limiter(Model(*[Unavailable("refused")] * 99), limits, budget=budget)
    for _ in range(HOPELESS - 1):
        with pytest.raises(Unavailable):
            await silent.reply(task())
    with pytest.raises(Denied, match="cannot reach model: 8 calls"):
        await silent.reply(task())


def most_in_a_minute(bucket, calls, amount=1.0):
    now, times = 0.0, []
    for _ in range(calls):
        now += bucket.reserve(amount, now)
        times.append(now)
    return max(sum(start <= t < start + 60 - 1e-6 for t in times) for start in times)


@over("per_minute", [1, 3, 20, 60, 500])
def test_no_minute_sees_more_than_allowed(per_minute):
    assert most_in_a_minute(Bucket(per_minute), per_minute * 3) <= per_minute


def test_a_bucket_comes_close_to_what_is_allowed():
    assert most_in_a_minute(Bucket(60), 180) >= 58


def test_a_bucket_takes_back_what_was_not_used():
    bucket = Bucket(600)
    assert bucket.reserve(600, 0.0) > 50
    bucket.reserve(-590, 0.0)
    assert bucket.reserve(10, 0.0) == 0.0


def test_a_reservation_larger_than_the_bucket_passes_in_time():
    bucket = Bucket(60)
    assert bucket.reserve(120, 0.0) == pytest.approx(121, abs=1)


async def test_requests_a_minute_are_bounded():
    limit = Limiter(Model(), Limits(requests_per_minute=1200))
    start = time.monotonic()
    await asyncio.gather(*(limit.reply(task(n)) for n in range(63)))
    # 60 at once, then 19 a second.
    assert 0.1 < time.monotonic() - start < 2.0


@pytest.mark.slow
async def test_requests_that_find_out_what_a_server_takes_count_for_the_minute():
    model = Model()
    model.further_requests = 0  # type: ignore[attr-defined]
    limit = Limiter(model, Limits(requests_per_minute=1200))
    await limit.reply(task())
    model.further_requests = 70  # type: ignore[attr-defined]
    start = time.monotonic()
    await limit.reply(task())
    assert 0.3 < time.monotonic() - start < 3.0
    start = time.monotonic()
    await limit.reply(task())
    assert time.monotonic() - start < 0.3, "they are counted once"


async def test_tokens_a_minute_are_bounded_by_what_was_really_used():
    # Estimated at more than 500 tokens a call, used are 110.
    limit = Limiter(Model(), Limits(tokens_per_minute=60_000))
    start = time.monotonic()
    for n in range(10):
        await limit.reply(task(n))
    assert time.monotonic() - start < 1.0


async def test_a_budget_in_tokens_is_never_exceeded():
    model = Model(tokens=(100, 10), seconds=0.001)
    limit = Limiter(model, budget=BudgetTracker(Budget(tokens=5000)))
    asked = (limit.reply(task(n)) for n in range(100))
    found = await asyncio.gather(*asked, return_exceptions=True)
    over = [error for error in found if isinstance(error, OverBudget)]
    usage = limit.usage
    assert over
    assert "raise the budget" in str(over[0])
    assert len(over) + model.asked == 100
    assert usage.tokens_in + usage.tokens_out <= 5000


async def replies(limit, n):
    """What became of n calls at once, and the tokens that were spent on them."""
    found = await asyncio.gather(*(limit.reply(task(i)) for i in range(n)), return_exceptions=True)
    return found, limit.usage.tokens_in + limit.usage.tokens_out


async def test_a_budget_holds_though_replies_are_longer_than_anybody_could_know():
    model = Model(tokens=(300, 6000), seconds=0.001)
    found, spent = await replies(Limiter(model, budget=BudgetTracker(Budget(tokens=20_000))), 100)
    assert (model.asked, model.most, spent) == (3, 1, 3 * 6300)
    assert sum(isinstance(one, OverBudget) for one in found) == 97


@over("tokens_in", [20, 30, 100])
async def test_a_budget_holds_though_prompts_have_more_tokens_than_a_quarter_of_the_letters(
    tokens_in,
):
    model = Model(tokens=(tokens_in, 10), seconds=0.001)
    letters = sum(len(item.text) for item in task().prompt_texts) // 4
    assert letters < tokens_in
    _, spent = await replies(Limiter(model, budget=BudgetTracker(Budget(tokens=5_000))), 500)
    assert 4_500 < spent <= 5_000
    assert model.most > 1


async def test_a_budget_is_exceeded_by_calls_on_their_way_only():
    class Heavy(Model):
        async def reply(self, task, draw=0):
            self.tokens = (100, 9000 if self.asked in (40, 41) else 50)
            return await super().reply(task, draw)

    model = Heavy(seconds=0.001)
    found, spent = await replies(Limiter(model, budget=BudgetTracker(Budget(tokens=20_000))), 500)
    assert spent <= 20_000 + 9000 * 2
    assert sum(isinstance(one, OverBudget) for one in found) == 500 - model.asked


async def test_replies_may_vary_within_a_budget():
    class Varied(Model):
        async def reply(self, task, draw=0):
            self.tokens = (100, 500 * (1 + self.asked % 4))
            return await super().reply(task, draw)

    model = Varied(seconds=0.001)
    _, spent = await replies(Limiter(model, budget=BudgetTracker(Budget(tokens=30_000))), 100)
    assert 25_000 < spent <= 30_000
    assert model.most > 1


@over("lost", [1, 5, 50])
async def test_within_a_budget_others_go_on_where_the_first_call_brings_nothing(lost):
    model = Model(*[Unavailable("too long", permanent=True)] * lost, seconds=0.001)
    found, _ = await replies(Limiter(model, FAST, budget=BudgetTracker(Budget(tokens=10**6))), 60)
    assert sum(isinstance(one, Reply) for one in found) == 60 - lost
    assert model.most > 4, "not one by one"


async def test_one_that_bounds_its_replies_is_taken_to_write_as_much():
    model = Model(tokens=(100, 6000), seconds=0.001)
    budget = BudgetTracker(
        Budget(tokens=20_000), bound=lambda kind: 8000 if kind == task().kind else None
    )
    _, spent = await replies(Limiter(model, budget=budget), 100)
    assert (model.asked, model.most, spent) == (2, 2, 2 * 6100)


@over("budget", [None, Budget(calls=40), Budget(price=Price(1.0, 1.0))])
async def test_without_a_budget_in_tokens_or_money_no_call_waits_to_hear_of_another(budget):
    model = Model(seconds=0.01)
    found, _ = await replies(Limiter(model, budget=BudgetTracker(budget)), 30)
    assert model.most == 30
    assert all(isinstance(one, Reply) for one in found)


async def test_calls_that_wait_for_the_first_of_their_kind_are_given_up_when_it_is_stopped():
    model = Model(seconds=0.1)
    limit = Limiter(model, budget=BudgetTracker(Budget(tokens=10**6)))
    asked = [asyncio.ensure_future(limit.reply(task(n))) for n in range(4)]
    await asyncio.sleep(0.005)
    limit.stop()
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) for one in found] == [Reply] + [asyncio.CancelledError] * 3


async def test_much_work_at_once_does_not_stop_a_run_before_its_budget_is_spent():
    model = Model(tokens=(100, 10), seconds=0.001)
    limit = Limiter(model, Limits(concurrency=64), budget=BudgetTracker(Budget(tokens=20_000)))
    asked = (limit.reply(task(n)) for n in range(500))
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(error, OverBudget) for error in found) == 500 - model.asked
    usage = limit.usage
    assert 19_000 < usage.tokens_in + usage.tokens_out <= 20_000


async def test_money_is_counted_and_bounded():
    price = Price(per_million_in=1000.0, per_million_out=10_000.0)
    limit = Limiter(Model(tokens=(100, 10)), budget=BudgetTracker(Budget(money=10.0, price=price)))
    await limit.reply(task())
    assert limit.usage.money == pytest.approx(0.2)
    asked = (limit.reply(task(n)) for n in range(100))
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert any(isinstance(error, OverBudget) for error in found)
    while limit.usage.money < 9.5:
        await limit.reply(task())
    with pytest.raises(OverBudget, match="budget in money"):
        await asyncio.gather(*(limit.reply(task(n)) for n in range(9)))
    assert 9.0 < limit.usage.money <= 10.0


@pytest.mark.parametrize("event", ["hang", Unavailable("reset by peer", broke_off=True)])
async def test_what_timed_out_or_broke_off_may_have_been_paid_for(event):
    limit = Limiter(
        Model(event), Limits(timeout=0.01, retries=0), budget=BudgetTracker(Budget(tokens=10**6))
    )
    with pytest.raises(Unavailable):
        await limit.reply(task())
    assert limit.usage.tokens_in > 100


def billed(*, permanent=False):
    return Unavailable("cut short", permanent=permanent, cost=(500, 1000))


async def test_what_was_billed_without_a_reply_is_counted():
    price = Price(per_million_in=1000.0, per_million_out=10_000.0)
    limit = Limiter(Model(billed(), billed()), FAST, budget=BudgetTracker(Budget(price=price)))
    await limit.reply(task())
    usage = limit.usage
    assert (usage.calls, usage.tokens_in, usage.tokens_out) == (1, 1100, 2010)
    assert usage.money == pytest.approx(2 * 10.5 + 0.2)


@pytest.mark.parametrize("permanent", [True, False])
async def test_a_budget_binds_where_all_that_is_billed_brings_no_reply(permanent):
    model = Model(*[billed(permanent=permanent)] * 999, seconds=0.001)
    limit = Limiter(model, FAST, budget=BudgetTracker(Budget(tokens=10_000)))
    asked = (limit.reply(task(n)) for n in range(30))
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert any(isinstance(error, OverBudget) for error in found)
    assert 8_500 < limit.usage.tokens_in + limit.usage.tokens_out <= 10_000
    spent = limit.usage.tokens_in
    with pytest.raises(OverBudget):
        await limit.reply(task())
    assert limit.usage.tokens_in == spent, "nothing more is sent"


async def test_what_was_set_aside_is_given_back_once_though_the_budget_ends_the_tries():
    limit = Limiter(Model(*[billed()] * 9), FAST, budget=BudgetTracker(Budget(tokens=2500)))
    with pytest.raises(OverBudget):
        await limit.reply(task())
    assert (
        limit._budget._spending.reserved.calls == limit._budget._spending.reserved.tokens_out == 0
    )


async def test_a_failed_call_leaves_the_budget_alone():
    limit = Limiter(
        Model(Denied("x"), Denied("x")), budget=BudgetTracker(Budget(tokens=USUAL_REPLY + 400))
    )
    for _ in range(2):
        with pytest.raises(Denied):
            await limit.reply(task())
    assert (await limit.reply(task())).raw == "{}"


def test_concurrency_may_be_given_by_itself():
    settings = Settings(concurrency=3, limits=Limits(timeout=5.0))
    assert settings.limits == Limits(concurrency=3, timeout=5.0)
    assert replace(settings, limit=1).limits.concurrency == 3
    assert Settings(limits=Limits(concurrency=7)).limits.concurrency == 7
    with pytest.raises(InputError, match="concurrency is 0"):
        Settings(concurrency=0)
    with pytest.raises(InputError, match="concurrency is 'many'"):
        Settings(concurrency="many")


@over(
    "wrong",
    [
        lambda: Limits(concurrency=0),
        lambda: Limits(timeout=-1.0),
        lambda: Limits(retries=-1),
        lambda: Limits(requests_per_minute=0.0),
        lambda: Limits(concurrency=2.5),
        lambda: Limits(concurrency=math.inf),
        lambda: Limits(backoff=math.nan),
        lambda: Limits(patience=-1.0),
        lambda: Budget(money=1.0),
        lambda: Budget(money=math.nan, price=Price(1.0, 1.0)),
        lambda: Budget(tokens=-1),
        lambda: Budget(calls=-1),
        lambda: Price(-1.0, 1.0),
        lambda: Price(1.0, math.nan),
    ],
)
def test_limits_that_make_no_sense_are_refused(wrong):
    with pytest.raises(InputError, match="-> give"):
        wrong()


def test_it_serves_several_loops_in_turn():
    limit = Limiter(Model(seconds=0.001), Limits(concurrency=1))

    async def run():
        await asyncio.gather(*(limit.reply(task(n)) for n in range(3)))

    asyncio.run(run())
    asyncio.run(run())
    assert limit.usage.calls == 6


@pytest.mark.slow
async def test_a_bad_day_at_a_real_server_ends_well():
    faults = Faults(share_429=0.15, share_500=0.1, share_cut=0.05, hang_on=(5,), retry_after_s=0.01)
    async with LLMServer(faults) as server:
        limit = Limiter(OpenAI("m", base_url=server.url), Limits(backoff=0.01, timeout=1.0))
        replies = await asyncio.gather(*(limit.reply(task(n)) for n in range(80)))
        await limit.aclose()
        usage = limit.usage
        assert len(replies) == usage.calls == 80
        assert usage.retries == server.arrived - 80
        assert usage.timeouts >= 1
        assert usage.throttled == server.count(status=429) > 0
        assert server.most_at_once <= 64 + usage.timeouts  # those given up are still held there


class TestWhatIsSetAside:
    @staticmethod
    def task(n):
        return RateAnswer("Who?", "Anna. " * n)

    async def test_it_is_nothing_once_all_calls_have_ended(self):
        spending = Spending()
        budget = Budget(money=1.0, price=Price(0.1, 0.7))
        tracker = BudgetTracker(budget, bound=lambda _: 13, spending=spending)
        reservations = [await tracker.reserve(self.task(n), "judge") for n in (1, 30, 900, 77)]
        for reservation in reservations:
            tracker.release(reservation)
            tracker.release(reservation)
        assert spending.reserved == type(spending.reserved)()

    async def test_replies_of_an_unknown_length_are_taken_to_be_as_long_as_usual(self):
        tracker = BudgetTracker(Budget(tokens=10**6))
        first = await tracker.reserve(self.task(1), "judge")
        tracker.release(first)
        tracker.record_reply(Reply((), "", kind=RateAnswer.kind), first)
        alone, beside = [await tracker.reserve(self.task(1), "judge") for _ in range(2)]
        assert (alone.reserved_out, beside.reserved_out) == (0, MARGIN * USUAL_REPLY)

    async def test_a_bound_that_replies_have_passed_is_none(self):
        tracker = BudgetTracker(Budget(tokens=10**6), bound=lambda _: 50)
        first = await tracker.reserve(self.task(1), "judge")
        tracker.release(first)
        tracker.record_reply(Reply((), "", tokens_out=900, kind=RateAnswer.kind), first)
        assert (await tracker.reserve(self.task(1), "judge")).reserved_out == 900


async def test_a_call_that_is_given_up_on_its_way_is_counted_one_that_waits_is_not():
    limit = Limiter(model := Model(seconds=60.0), Limits(concurrency=1))
    calls = [asyncio.create_task(limit.reply(task(n))) for n in range(3)]
    await asyncio.sleep(0.05)
    assert (model.asked, limit.usage.waiting) == (1, 2)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    assert (limit.usage.lost, limit.usage.waiting, limit.usage.in_flight) == (1, 0, 0)
