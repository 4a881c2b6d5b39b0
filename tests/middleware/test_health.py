"""Is a limit that passes within a minute waited for, though the server says nothing of it?"""

import asyncio
import itertools
import math
import random
import re

import pytest

from assay import Limits
from assay._middleware.health import LONGEST_S, Pauses
from assay._middleware.limiter import START, Limiter
from assay.errors import Denied, TimedOut, Unavailable
from assay.judge import Reply
from assay.tasks import RateAnswer
from support.clock import run

SLOW = pytest.mark.slow


class Windowed:
    """A server that takes so many requests in a window, and refuses the rest without advice.

    Args:
        most: Requests in a window.
        window: Its seconds.
        never: Questions that it always refuses.
    """

    name = "server"

    def __init__(self, most, window, never=()):
        self.most, self.window, self.never = most, window, never
        self.asked, self.taken = 0, []

    def identity(self, kind):
        return "server#1"

    async def reply(self, task, draw=0):
        now = asyncio.get_running_loop().time()
        self.asked += 1
        self.taken = [at for at in self.taken if at > now - self.window]
        if len(self.taken) >= self.most or task.question in self.never:
            await asyncio.sleep(0.05)
            raise Unavailable("slow down", throttled=True, cost=(0, 0))
        self.taken.append(now)
        await asyncio.sleep(0.5)
        return Reply(("p",), "{}", 100, 10, kind=task.kind, draw=draw)


def asked(server, calls, limits=None):
    """(replies, errors, seconds) of so many calls at once."""

    async def work():
        limit = Limiter(server, limits or Limits())

        async def one(number):
            try:
                return await limit.reply(RateAnswer(f"{number}?", "Answer."))
            except Denied:
                limit.stop()
                raise

        return await asyncio.gather(*map(one, range(calls)), return_exceptions=True)

    found, seconds = run(work())
    replies = [one for one in found if isinstance(one, Reply)]
    return replies, [one for one in found if isinstance(one, Unavailable | Denied)], seconds


@pytest.mark.parametrize(
    ("most", "window"),
    [(15, 60.0), *(pytest.param(*one, marks=SLOW) for one in [(60, 60.0), (15, 30.0), (1, 4.0)])],
)
def test_a_limit_a_minute_costs_time_and_no_call(most, window):
    server = Windowed(most, window)
    replies, errors, seconds = asked(server, 120)
    assert (len(replies), errors) == (120, [])
    assert seconds <= 2.2 * 120 / most * window
    assert server.asked <= 120 * 9


@pytest.mark.parametrize("concurrency", [1, 64])
@pytest.mark.parametrize("served", [0, 100])
def test_a_server_that_refuses_all_for_hours_ends_the_run_at_once(served, concurrency):
    class Spent(Windowed):
        async def reply(self, task, draw=0):
            try:
                return await super().reply(task, draw)
            except Unavailable as error:
                error.retry_after = 3600.0
                raise

    limits = Limits(concurrency=concurrency)
    replies, errors, seconds = asked(Spent(served, 86_400.0), 500, limits)
    assert len(replies) == served
    told = {str(error) for error in errors if isinstance(error, Denied)}
    (only,) = told
    assert only.startswith("server refuses every call and asks to wait 3,600 s, the last one: slow")
    assert seconds < 60 + served / concurrency


class Moody(Windowed):
    """A server that refuses a share of the calls by chance, and names a time."""

    def __init__(self, share, retry_after):
        super().__init__(0, 0.0)
        self.share, self.retry_after, self.dice = share, retry_after, random.Random(0)

    async def reply(self, task, draw=0):
        self.asked += 1
        if self.dice.random() < self.share:
            await asyncio.sleep(0.003)
            raise Unavailable("slow down", throttled=True, retry_after=self.retry_after)
        await asyncio.sleep(0.1)
        return Reply(("p",), "{}", 100, 10, kind=task.kind, draw=draw)


@pytest.fixture(scope="module")
def undisturbed():
    """How long 2,000 calls take of a server that refuses none."""
    replies, _, seconds = asked(Moody(0.0, None), 2000)
    assert len(replies) == 2000
    return seconds


FAST = [(0.02, None), (0.2, 2.0)]


@pytest.mark.parametrize(
    ("share", "retry_after"),
    [
        pytest.param(*case, marks=() if case in FAST else SLOW)
        for case in itertools.product((0.02, 0.05, 0.2), (None, 0.1, 1.0, 2.0))
    ],
)
def test_a_refusal_holds_back_its_own_call_only(undisturbed, share, retry_after):
    replies, errors, seconds = asked(Moody(share, retry_after), 2000)
    assert (len(replies), errors) == (2000, [])
    # The last calls may be refused, one after another, as often as a call in so many is.
    in_a_row = math.ceil(math.log(64) / -math.log(share))
    assert seconds <= undisturbed / (1 - share) * 1.1 + in_a_row * (retry_after or 0.5) * 1.2


class Choosy(Windowed):
    """A server that refuses one question so many times, and notes when it was asked it."""

    def __init__(self, question, times):
        super().__init__(0, 0.0)
        self.question, self.times, self.at = question, times, []

    async def reply(self, task, draw=0):
        if task.question == self.question:
            self.at.append(asyncio.get_running_loop().time())
            if len(self.at) <= self.times:
                raise Unavailable("slow down", throttled=True, retry_after=2.0)
        await asyncio.sleep(0.1)
        return Reply(("p",), "{}", 100, 10, kind=task.kind, draw=draw)


def test_a_refused_call_goes_instead_of_one_that_waits_but_once_before_its_time():
    server = Choosy("40?", times=2)
    replies, _, seconds = asked(server, 500, Limits(concurrency=8))
    assert len(replies) == 500
    assert server.at[1] - server.at[0] < 0.3
    assert 2.0 <= server.at[2] - server.at[1] < 2.3  # it waits behind none of the 250 others
    assert seconds < 500 * 0.1 / 8 + 0.2


@pytest.mark.parametrize("calls", [1, 60])
def test_a_refused_call_waits_as_long_as_it_is_told_where_no_other_call_does(calls):
    server = Choosy(f"{calls - 1}?", times=1)
    replies, _, seconds = asked(server, calls)
    assert len(replies) == calls
    assert server.at[1] - server.at[0] >= 2.0
    assert seconds < server.at[0] + 2.3


class Named(Windowed):
    """A server of that kind that says when to come back."""

    async def reply(self, task, draw=0):
        try:
            return await super().reply(task, draw)
        except Unavailable as error:
            error.retry_after = 1.0
            raise


@pytest.mark.parametrize(("most", "asked_at_most"), [(10, 2.1), pytest.param(40, 1.8, marks=SLOW)])
def test_a_server_that_takes_so_many_a_second_is_asked_no_more_often(most, asked_at_most):
    server = Named(most, 1.0)
    replies, errors, seconds = asked(server, 600)
    assert (len(replies), errors) == (600, [])
    assert seconds < 1.7 * 600 / most
    assert server.asked < asked_at_most * 600


@pytest.mark.parametrize("retry_after", [None, 1.0])
def test_a_server_that_refuses_everybody_is_left_alone_at_once(retry_after):
    server = Restarted(
        gone=(2.0, 2.5),
        seconds=0.3,
        error=Unavailable("busy", throttled=True, retry_after=retry_after),
    )
    replies, errors, seconds = asked(server, 1500)
    assert (len(replies), errors) == (1500, [])
    assert server.asked <= 1500 + 64  # those that were on their way
    assert seconds < 1500 * 0.3 / 64 + 2.5


def test_a_call_that_is_always_refused_fails_alone():
    server = Windowed(500, 60.0, never={"7?", "9?"})
    replies, errors, _ = asked(server, 120)
    assert len(replies) == 118
    assert [str(error) for error in errors] == ["slow down"] * 2
    assert server.asked < 118 + 100


def test_who_refuses_everybody_for_a_minute_stops_the_run_and_is_told_as_that():
    server = Windowed(0, 60.0)
    replies, errors, seconds = asked(server, 500)
    denied = [error for error in errors if isinstance(error, Denied)]
    assert not replies
    says = "server has refused every call for 61 s, the last one: slow down -> run the same command"
    assert str(denied[0]).startswith(says)
    assert LONGEST_S <= seconds < LONGEST_S + 5
    assert server.asked < 4 * START


class Restarted:
    """A server that is gone for a while, from some second on, or loses every n-th call at once."""

    name = "server"

    def __init__(self, gone=(0.0, 0.0), every=math.inf, seconds=0.5, error=None):
        self.gone, self.every, self.seconds = gone, every, seconds
        self.error = error or Unavailable("connection refused", unreached=True)
        self.asked = 0

    def identity(self, kind):
        return "server#1"

    async def reply(self, task, draw=0):
        self.asked += 1
        now = asyncio.get_running_loop().time()
        if self.gone[0] <= now < self.gone[1] or self.asked % self.every == 0:
            await asyncio.sleep(0.01)
            raise self.error
        await asyncio.sleep(self.seconds)
        return Reply(("p",), "{}", 100, 10, kind=task.kind, draw=draw)


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [
        Unavailable("connection refused", unreached=True),
        Unavailable("Server disconnected"),
        Unavailable("answered 502", cost=(0, 0)),
        TimedOut("nobody there", unreached=True),
    ],
)
@pytest.mark.parametrize(("in_flight", "lost"), [(64, 0), (3, 0), (1, 1)])
def test_a_server_that_starts_anew_costs_time_and_no_call(error, in_flight, lost):
    server = Restarted(gone=(2.0, 32.0), error=error)
    replies, errors, seconds = asked(server, 200, Limits(concurrency=in_flight))
    assert len(errors) <= lost
    assert len(replies) + len(errors) == 200
    assert seconds <= LONGEST_S + 40 + 200 * 0.5 / in_flight
    assert server.asked <= 200 + 6 * START


def test_calls_that_are_lost_while_others_are_served_hold_up_nobody():
    whole, errors, undisturbed = asked(Restarted(seconds=5.0), 600)
    assert (len(whole), errors) == (600, [])
    replies, errors, seconds = asked(Restarted(seconds=5.0, every=10), 600)
    assert (len(replies), errors) == (600, [])
    assert seconds < 1.3 * undisturbed


def test_quick_failures_by_chance_are_no_sign_that_the_server_is_gone():
    dice = random.Random(0)

    class Failing(Restarted):
        async def reply(self, task, draw=0):
            if dice.random() < 0.05:  # at once: before any of the calls sent with it is answered
                raise Unavailable("answered 500", cost=(0, 0))
            return await super().reply(task, draw)

    _, _, undisturbed = asked(Restarted(seconds=0.1), 800)
    runs = [asked(Failing(seconds=0.1), 800) for _ in range(5)]
    assert [(len(replies), errors) for replies, errors, _ in runs] == 5 * [(800, [])]
    # A run in ten has a call that fails three times in a row, and waits for up to two seconds.
    assert sum(seconds for _, _, seconds in runs) < 5 * 2 * undisturbed


def test_a_call_that_fails_for_ever_at_the_end_of_a_run_fails_alone():
    server = Windowed(10**6, 1.0)
    whole = server.reply

    async def reply(task, draw=0):
        if "last" in task.question:
            await asyncio.sleep(0.1)
            raise Unavailable("500")
        return await whole(task, draw)

    server.reply = reply

    async def work():
        limit = Limiter(server, Limits(concurrency=1))
        for n in range(3):
            await limit.reply(RateAnswer(f"Number {n}?", "Answer."))
        with pytest.raises(Unavailable, match="500"):
            await limit.reply(RateAnswer("The last?", "Answer."))

    _, seconds = run(work())
    assert seconds < 60


def test_a_server_that_goes_for_good_stops_the_run():
    server = Restarted(gone=(2.0, math.inf))
    replies, errors, seconds = asked(server, 1500)
    assert replies
    denied = [error for error in errors if isinstance(error, Denied)]
    says = "server has answered no call for 61 s, the last one: connection refused -> run the same"
    assert str(denied[0]).startswith(says)
    assert seconds < LONGEST_S + 10


class Hanging(Restarted):
    """As the class above; a call that meets it then is never answered, and so is one of `never`."""

    never = frozenset()

    async def reply(self, task, draw=0):
        self.asked += 1
        gone = self.gone[0] <= asyncio.get_running_loop().time() < self.gone[1]
        await asyncio.sleep(math.inf if gone or task.question in self.never else self.seconds)
        return Reply(("p",), "{}", 100, 10, kind=task.kind, draw=draw)


@pytest.mark.slow
@pytest.mark.parametrize(("in_flight", "seconds"), [(64, 300), (1, 600)])
def test_a_server_that_answers_nobody_any_more_stops_the_run(in_flight, seconds):
    server = Hanging(gone=(2.0, math.inf))
    replies, errors, taken = asked(server, 3000, Limits(concurrency=in_flight))
    assert replies
    denied = [error for error in errors if isinstance(error, Denied)]
    assert re.match(
        r"server has answered no call for \d+ s, the last one: no reply", str(denied[0])
    )
    assert taken < seconds


@pytest.mark.slow
def test_a_server_that_hangs_for_a_while_costs_the_calls_on_their_way_only():
    replies, errors, _ = asked(Hanging(gone=(2.0, 42.0)), 1500)
    assert len(replies) >= 1500 - 64
    assert {type(error) for error in errors} <= {TimedOut}


def test_calls_that_always_hang_fail_alone_though_they_are_the_last():
    server = Hanging()
    server.never = {f"{n}?" for n in range(0, 200, 10)}
    replies, errors, _ = asked(server, 200)
    assert len(replies) == 180
    assert [type(error) for error in errors] == [TimedOut] * 20


def test_no_retries_are_none():
    server = Windowed(0, 60.0)
    _, errors, seconds = asked(server, 3, Limits(retries=0))
    assert (len(errors), server.asked) == (3, 3)
    assert seconds < 1.0


class TestTrouble:
    """What a progress line says."""

    def said(self, server, calls, at, limits=None):
        async def work():
            limit = Limiter(server, limits or Limits())
            tasks = (limit.reply(RateAnswer(f"{n}?", "Answer.")) for n in range(calls))
            asking = asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(at)
            told = limit.trouble()
            limit.stop()
            await asyncio.gather(asking, return_exceptions=True)
            return told

        return run(work())[0]

    def test_where_nothing_is_wrong_nothing_is_said(self):
        assert self.said(Moody(0.0, None), 400, 0.6) == ""

    @pytest.mark.parametrize("share", [pytest.param(0.05, marks=SLOW), 0.2])
    def test_a_share_that_is_refused_is_named(self, share):
        told = self.said(Moody(share, 0.1), 4000, 4.0)
        percent = int(re.fullmatch(r"server refuses (\d+) % \(server\)", told)[1])
        assert percent == pytest.approx(100 * share, abs=6)

    def test_a_server_that_refuses_everybody_is_named_with_how_long_and_when_again(self):
        told = self.said(Windowed(0, 60.0), 400, 12.0)
        assert told == "server refuses every call for 12 s, asked again in 8 s (server)"

    @pytest.mark.parametrize("gone", [2.0, 0.0])
    def test_a_server_that_is_not_there_is_named_with_how_long(self, gone):
        server = Restarted(gone=(gone, math.inf))
        assert self.said(server, 2000, 14.0) == f"server unreachable for {14 - gone:.0f} s (server)"


class TestPauses:
    def test_each_in_a_row_is_longer_and_refusals_together_count_once(self):
        pauses = Pauses(0.5, 5, 8)
        assert (pauses.fruitless, pauses.until) == (0, -math.inf)
        now = 0.0
        for seconds in (0.5, 1.5, 4.5, 13.5, 40.5):
            for later in (0.1, 0.2):
                pauses.refused(now, now + later)
            assert pauses.until == now + 0.1 + seconds
            now = pauses.until
        assert now >= LONGEST_S
        assert pauses.since == 0.1

    def test_none_is_longer_than_a_minute(self):
        pauses = Pauses(30.0, 9, 8)
        for sent in (0.0, 100.0, 200.0):
            pauses.refused(sent, sent)
        assert pauses.until == 200.0 + LONGEST_S

    def test_after_the_last_there_is_none_until_all_begins_anew(self):
        pauses = Pauses(0.5, 2, 3)
        for now in range(5):
            pauses.refused(now, now)
        assert (pauses.fruitless, pauses.until) == (5, -math.inf)
        pauses.refused(9.0, 9.0)
        assert (pauses.fruitless, pauses.until) == (1, 9.5)

    def test_a_reply_ends_the_row_of_those_before_it_was_sent(self):
        pauses = Pauses(0.5, 5, 8)
        for now in (1.0, 2.0, 4.0):
            pauses.refused(now, now)
        pauses.replied(0.5)
        assert pauses.fruitless == 3
        pauses.replied(2.0)  # it was served, and the one beside it refused
        assert (pauses.fruitless, pauses.until) == (1, 4.5)
        pauses.replied(5.0)
        assert pauses.fruitless == 0
