"""Does the number of requests in flight follow the server? On a clock that is turned by hand."""

import asyncio
import math
import random
import statistics
from functools import partial

import pytest

from assay import Limits
from assay._middleware.concurrency import (
    ENOUGH,
    SOONEST_S,
    START,
    AdaptiveSemaphore,
    AimdLimit,
    Latencies,
    in_parallel,
)
from assay._middleware.health import TIMEOUT_RETRIES
from assay._middleware.limiter import FEW, Limiter
from assay.errors import Denied, OverBudget, Unavailable
from assay.judge import Reply
from assay.tasks import RateAnswer
from support.clock import run
from support.over import over


class Server:
    """A server in the simulation.

    Args:
        seconds: How long a reply takes while there is room.
        room: How many requests it works on at once; more of them take longer in proportion.
        refuses: From when to when it refuses, and the seconds it asks to wait.
        per_second: Requests that it takes in any second; it refuses what is more.
    """

    name = "server"

    def __init__(self, seconds=1.0, room=10**6, refuses=(0, 0), retry_after=None, per_second=None):
        self.seconds, self.room, self.refuses = seconds, room, refuses
        self.retry_after, self.per_second = retry_after, per_second
        self.now = self.most = self.asked = self.refused = 0
        self.slow_on, self.jitter, self.dice = (), 0.0, random.Random(0)
        self.arrived = []
        self.sizes = []

    def identity(self, kind):
        return "server#1"

    async def reply(self, task, draw=0):
        time = asyncio.get_running_loop().time()
        self.asked += 1
        number = self.asked
        self.arrived = [t for t in self.arrived if t > time - 1.0]
        busy = self.per_second is not None and len(self.arrived) >= self.per_second
        if busy or self.refuses[0] <= time < self.refuses[1]:
            self.refused += 1
            await asyncio.sleep(0.05)
            raise Unavailable("busy", throttled=True, retry_after=self.retry_after)
        self.arrived.append(time)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            longer = max(1.0, self.now / self.room) * self.dice.uniform(1 - self.jitter, 1)
            await asyncio.sleep(3000 if number in self.slow_on else self.seconds * longer)
        finally:
            self.now -= 1
        return Reply(("p",), "{}", 100, 10, kind=task.kind, draw=draw)


def asked(server, n, **limits):
    """(limit, seconds) after n questions, all waiting from the start."""

    async def work():
        limit = Limiter(server, Limits(**limits))

        async def one(number):
            await limit.reply(RateAnswer(f"{number}?", "Answer."))
            time = asyncio.get_running_loop().time()
            server.sizes.append((time, limit.pace.allowed))

        await asyncio.gather(*(one(number) for number in range(n)))
        return limit

    return run(work())


def test_it_opens_up_to_the_bound_in_a_few_latencies():
    server = Server()
    _, seconds = asked(server, 64 * 20, concurrency=64)
    assert server.most == 64
    assert seconds <= 20 + 2


def test_a_server_with_little_room_is_not_crowded():
    server = Server(room=16)
    _, seconds = asked(server, 800, concurrency=512)
    assert server.most <= 4 * START  # the doubling that showed it, and what was learned from it
    assert seconds <= 1.2 * 800 / 16


@pytest.mark.slow
def test_a_burst_of_refusals_halves_it_once_and_is_over_within_seconds():
    server = Server(seconds=0.3, refuses=(3.0, 3.5))
    _, seconds = asked(server, 64 * 40, concurrency=64)
    ideal = 40 * 0.3
    assert min(size for _, size in server.sizes) >= 8
    back = min(time for time, size in server.sizes if time > 3.5 and size == 64)
    assert back < 3.5 + 5.0
    assert seconds < ideal + 5.0


@pytest.mark.slow
def test_it_recovers_from_a_long_outage_as_fast():
    server = Server(seconds=0.3, refuses=(3.0, 30.0), retry_after=2.0)
    asked(server, 64 * 60, concurrency=64, retries=50, patience=60.0)
    back = min(time for time, size in server.sizes if time > 30.0 and size == 64)
    assert back < 30.0 + 10.0


@pytest.mark.slow
def test_nearly_all_that_a_rate_limited_server_would_take_is_used():
    server = Server(seconds=0.5, per_second=40)
    limit, seconds = asked(server, 2000, concurrency=256, retries=50)
    assert seconds < 1.35 * 2000 / 40
    assert limit.usage.calls == 2000


def test_it_never_falls_below_one():
    pace = AimdLimit(64)
    for _ in range(1000):
        pace.refused()
    assert pace.allowed == 1
    for _ in range(2000):
        pace.replied(1.0)
    assert pace.allowed == 64


@over("most", [1, 3, 64])
def test_a_few_refusals_among_many_replies_slow_nobody_down(most):
    pace = AimdLimit(most)
    for n in range(20 * START):
        pace.refused() if n % 5 == 4 else pace.replied(1.0)
    assert pace.allowed == most


def test_a_server_that_refuses_half_is_asked_less_at_once_and_more_again_when_it_does_not():
    pace = AimdLimit(64)
    for n in range(64 * 20):
        pace.refused() if n % 2 and n > 640 else pace.replied(1.0)
    assert 8 <= pace.allowed < 48
    for _ in range(64 * 10):
        pace.replied(1.0)
    assert pace.allowed == 64


def test_requests_a_minute_that_nothing_is_left_of_are_waited_for():
    server = Server()

    async def work():
        limit = Limiter(server)
        server.paused_until = asyncio.get_running_loop().time() + 20.0  # type: ignore[attr-defined]
        await limit.reply(RateAnswer("?", "Answer."))

    _, seconds = run(work())
    assert seconds == pytest.approx(21.0)


async def test_a_turn_given_to_one_who_left_is_passed_on():
    turns = AdaptiveSemaphore(AimdLimit(1))
    await turns.acquire()
    leaving, staying = (asyncio.ensure_future(turns.acquire()) for _ in range(2))
    await asyncio.sleep(0)
    turns.release()
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    await asyncio.wait_for(staying, 1)
    assert (turns.in_use, turns.free) == (1, False)


class TestUntilSomebodyAnswers:
    """A few calls show that a server fails at everything; one that answers is not asked slower."""

    def asked(self, server, n, **limits):
        """(seconds, replies) after n questions at once, stopped by the first refusal."""

        async def work():
            limit, replies = Limiter(server, Limits(**limits)), []

            async def one(number):
                try:
                    replies.append(await limit.reply(RateAnswer(f"{number}?", "Answer.")))
                except Denied:
                    limit.stop()

            found = [one(number) for number in range(n)]
            await asyncio.gather(*found, return_exceptions=True)
            return replies

        replies, seconds = run(work())
        return seconds, replies

    def failing(self, error, until=math.inf):
        server = Server()
        good = server.reply

        async def reply(task, draw=0):
            if asyncio.get_running_loop().time() >= until:
                return await good(task, draw)
            server.asked += 1
            await asyncio.sleep(0.01)
            raise error()

        server.reply = reply
        return server

    @pytest.mark.parametrize("cost", [None, (500, 100)])
    def test_one_that_fails_at_everything_meets_few_requests(self, cost):
        server = self.failing(lambda: Unavailable("500", cost=cost))
        seconds, _ = self.asked(server, 1000)
        # 32 calls, 16 of them again up to five times, and those that came in their places.
        assert server.asked < START + 5 * FEW + 5 * FEW
        assert seconds < 30

    def test_one_that_answers_is_asked_as_if_nobody_had_been_held_back(self, monkeypatch):
        held, _ = self.asked(Server(), 640)
        monkeypatch.setattr("assay._middleware.limiter.FIRST", 10**6)
        free, _ = self.asked(Server(), 640)
        assert held == free

    def test_all_go_on_as_soon_as_one_is_answered(self):
        server = self.failing(lambda: Unavailable("not yet"), until=1.0)
        _, replies = self.asked(server, 640)
        assert len(replies) == 640
        assert server.most == 64

    def test_one_that_says_that_it_is_busy_is_there(self, monkeypatch):
        monkeypatch.setattr(Limiter, "_backoff", lambda self, attempt: 0.0)
        busy = partial(Unavailable, "429", throttled=True, retry_after=60.0)
        held, replies = self.asked(self.failing(busy, until=100.0), 200)
        monkeypatch.setattr("assay._middleware.limiter.FIRST", 10**6)
        monkeypatch.setattr("assay._middleware.limiter.FEW", 10**6)
        free, _ = self.asked(self.failing(busy, until=100.0), 200)
        assert len(replies) == 200
        assert held <= free


@pytest.mark.slow
def test_calls_that_fail_by_chance_hardly_stretch_a_run():
    class Faulty(Server):
        async def reply(self, task, draw=0):
            reply = await super().reply(task, draw)
            if self.dice.random() < 0.05:
                raise Unavailable("500")
            return reply

    took = []
    for seed in range(10):
        server = Faulty(seconds=0.1)
        server.dice.seed(seed)
        _, seconds = asked(server, 800, concurrency=64)
        took.append(seconds)
    # In one run of ten a call fails three times at the end, and waits up to two seconds.
    assert statistics.median(took) <= 1.5 * 800 * 0.1 / 64
    assert max(took) < 10


class TestTimeouts:
    def test_what_hangs_is_asked_again_long_before_the_time_out(self):
        server = Server(seconds=1.0)
        server.slow_on = (200,)
        limit, seconds = asked(server, 400, concurrency=16, timeout=600.0)
        assert limit.usage.timeouts == 1
        assert seconds < 400 / 16 + 15.0

    def test_a_slower_server_loses_no_reply_by_it(self):
        # From one moment to the next it takes ten times as long: nothing is given up for good.
        server = Server(seconds=1.0)

        async def work():
            limit = Limiter(server, Limits(concurrency=16, timeout=60.0))
            for n in range(8 * START):
                await limit.reply(RateAnswer(f"{n}?", "Answer."))
            server.seconds = 30.0
            asked = (limit.reply(RateAnswer(f"{n}.", "Answer.")) for n in range(START))
            return await asyncio.gather(*asked)

        replies, _ = run(work())
        assert len(replies) == START

    def test_little_is_learned_from_few_calls_and_nothing_below_the_least(self):
        latencies = Latencies()
        for _ in range(ENOUGH - 1):
            latencies.add("k", 0.1)
        assert latencies.patience("k", 60.0) == 60.0
        latencies.add("k", 0.1)
        assert latencies.patience("k", 60.0) == SOONEST_S
        assert latencies.patience("k", 2.0) == 2.0


class OneByOne:
    """Answers one call after the other, as a model on a laptop does; those numbered never."""

    name = "one by one"

    def __init__(self, seconds, hangs=()):
        self._seconds, self._hangs = seconds, hangs
        self._free = asyncio.Lock()

    def identity(self, kind):
        return self.name

    async def reply(self, task, draw=0):
        if task.question in self._hangs:
            await asyncio.Event().wait()
        async with self._free:
            await asyncio.sleep(self._seconds)
        return Reply(("p",), "{}", kind=task.kind)


@over("seconds", [2.0, 8.0, 20.0, 45.0])
def test_a_server_that_answers_one_by_one_loses_no_call_to_the_time_out(seconds):
    calls = 60

    async def work():
        limit = Limiter(OneByOne(seconds), Limits(timeout=60.0))
        tasks = (RateAnswer(f"{n}?", "Answer.") for n in range(calls))
        return limit, await asyncio.gather(*map(limit.reply, tasks))

    (limit, replies), passed = run(work())
    assert len(replies) == calls
    assert passed < 1.75 * calls * seconds  # with what was under way when it was given up
    assert limit.pace.allowed <= max(2, 1.5 * 60.0 / seconds)


def test_a_call_that_hangs_while_others_are_answered_slows_nobody_down():
    async def work():
        limit = Limiter(OneByOne(0.01, hangs={"3?"}), Limits(timeout=60.0))
        tasks = [RateAnswer(f"{n}?", "Answer.") for n in range(200)]
        found = await asyncio.gather(*map(limit.reply, tasks), return_exceptions=True)
        return limit, found

    (limit, found), _ = run(work())
    assert [n for n, reply in enumerate(found) if isinstance(reply, Unavailable)] == [3]
    assert limit.pace.allowed >= START
    assert limit.usage.timeouts == TIMEOUT_RETRIES + 1


class TestInParallel:
    async def test_results_come_in_the_order_of_the_arguments(self):
        async def job(n):
            await asyncio.sleep(0.001 * (3 - n))
            return n

        assert await in_parallel(job, range(4), 2) == [0, 1, 2, 3]

    async def test_once_the_budget_is_used_up_nothing_is_begun_and_what_was_ends(self):
        begun, ended = [], []

        async def job(n):
            begun.append(n)
            await asyncio.sleep(0)
            if n == 0:
                raise OverBudget("used up")
            await asyncio.sleep(0.001)
            ended.append(n)

        with pytest.raises(OverBudget, match="used up"):
            await in_parallel(job, range(10), 3)
        assert begun == [0, 1, 2]
        assert ended == [1, 2]

    async def test_any_other_error_ends_what_was_begun(self):
        ended = []

        async def job(n):
            if n == 0:
                raise ValueError("a bug")
            await asyncio.sleep(0.01)
            ended.append(n)

        with pytest.raises(ValueError, match="a bug"):
            await in_parallel(job, range(3), 3)
        assert ended == []
