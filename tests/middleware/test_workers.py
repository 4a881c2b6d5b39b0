"""A pool of workers is a backend like any other, whoever of them dies."""

import asyncio
import pickle
from dataclasses import dataclass

import pytest

from assay import errors
from assay._middleware.workers import (
    HOPELESS,
    MAX_DEATHS,
    Pool,
    PoolSettings,
    WorkerDied,
    WorkerSide,
)
from assay._version import __version__
from assay.errors import Denied, TimedOut, Unavailable, Unreadable
from assay.judge import Reply
from assay.judges.embedded import Embedded
from assay.judges.gguf.engine import TooLong as TooLongForGguf
from assay.judges.openai.judge import OpenAI, OpenAIEmbedder
from assay.tasks import Embed
from support.over import over

POOLING = PoolSettings(workers=2, room=4, gather_s=0.005)


@dataclass
class Echo:
    """Says the text that it is asked to embed; `before` may wait or raise."""

    before: object = None
    name: str = "echo"
    paused_until: float = 0.0

    def identity(self, kind):
        return self.name

    async def reply(self, task, draw=0):
        if self.before is not None:
            await self.before(task)
        return Reply(task.inputs(), f"{task.text}/{draw}", kind=task.kind, draw=draw)


class Here:
    """A worker in this process that can be killed."""

    def __init__(self, backend, version=__version__):
        self.workplace = WorkerSide(backend, POOLING.gather_s)
        self.version = version
        self.given = []
        self.dropped = []
        self.dismissed = False
        self._dead = asyncio.Event()

    def kill(self):
        self._dead.set()

    async def begin(self):
        _, name = await self._or_death(self.workplace.begin())
        return self.version, name

    async def put(self, asked):
        self.given.append([number for number, _, _ in asked])
        await self._or_death(self.workplace.put(asked))

    async def take(self):
        return await self._or_death(self.workplace.take())

    async def drop(self, number):
        self.dropped.append(number)
        await self._or_death(self.workplace.drop(number))

    def terminate(self):
        self.dismissed = True

    async def _or_death(self, doing):
        doing = asyncio.ensure_future(doing)
        dying = asyncio.ensure_future(self._dead.wait())
        await asyncio.wait({doing, dying}, return_when=asyncio.FIRST_COMPLETED)
        dying.cancel()
        if self._dead.is_set():
            doing.cancel()
            raise WorkerDied("killed")
        return doing.result()


class Staff:
    """Hires workers, and knows them all."""

    def __init__(self, backend, **how):
        self.backend, self.how = backend, how
        self.hired = []

    def __call__(self):
        self.hired.append(Here(self.backend, **self.how))
        return self.hired[-1]


@pytest.fixture
async def open_pool():
    """Makes pools, and closes them at the end."""
    pools = []

    def make(backend, pooling=POOLING, **how):
        staff = Staff(backend, **how)
        pools.append(Pool(backend, staff, pooling))
        return pools[-1], staff

    yield make
    for pool in pools:
        await pool.aclose()
        assert all(worker.dismissed for worker in pool._start_worker.hired)  # type: ignore[attr-defined]


def ask(pool, n, start=0):
    return asyncio.gather(*(pool.reply(Embed(str(i)), i) for i in range(start, start + n)))


async def raised_by(pool):
    """The error of one task."""
    with pytest.raises(Exception) as info:  # noqa: PT011 - the test looks at it
        await pool.reply(Embed("x"))
    return info.value


async def test_each_asker_gets_the_reply_to_its_own_question(open_pool):
    async def at_random(task):
        await asyncio.sleep((int(task.text) * 7 % 5) / 1000)

    pool, staff = open_pool(Echo(at_random))
    assert [reply.raw for reply in await ask(pool, 50)] == [f"{i}/{i}" for i in range(50)]
    assert len(staff.hired) == 2


async def test_all_workers_take_part_and_none_has_more_than_it_has_room_for(open_pool):
    holding = asyncio.Event()

    async def hold(task):
        await holding.wait()

    pool, staff = open_pool(Echo(hold))
    asking = asyncio.ensure_future(ask(pool, 20))
    await asyncio.sleep(0.05)
    assert [sum(map(len, worker.given)) for worker in staff.hired] == [4, 4]
    holding.set()
    await asking


async def test_a_worker_for_which_there_is_no_machine_yet_keeps_nobody_waiting(open_pool):
    pool, staff = open_pool(Echo())
    await pool.aopen()
    nowhere = asyncio.Event()
    hire = pool._start_worker

    def hire_late():
        worker = hire()
        worker.begin = nowhere.wait
        return worker

    hire_late.hired = staff.hired  # type: ignore[attr-defined]
    pool._start_worker = hire_late
    staff.hired[0].kill()
    assert len(await ask(pool, 20)) == 20
    assert [len(worker.given) > 0 for worker in staff.hired] == [False, True, False]


async def test_replies_travel_in_groups(open_pool):
    pool, staff = open_pool(Echo(), PoolSettings(workers=1, room=32, gather_s=0.05))
    await ask(pool, 96)
    (worker,) = staff.hired
    assert len(worker.given) <= 6


class TestAWorkerThatDies:
    async def test_loses_nothing_another_is_asked_instead(self, open_pool):
        holding = asyncio.Event()

        async def hold(task):
            await holding.wait()

        pool, staff = open_pool(Echo(hold))
        asking = asyncio.ensure_future(ask(pool, 20))
        await asyncio.sleep(0.05)
        staff.hired[0].kill()
        await asyncio.sleep(0.02)
        holding.set()
        assert [reply.raw for reply in await asking] == [f"{i}/{i}" for i in range(20)]
        assert len(staff.hired) == 3

    async def test_what_it_had_answered_already_is_not_asked_again(self, open_pool):
        asked = []

        async def note(task):
            asked.append(task.text)

        pool, staff = open_pool(Echo(note))
        await ask(pool, 10)
        for worker in list(staff.hired):
            worker.kill()
        await ask(pool, 10, start=10)
        assert sorted(asked, key=int) == [str(i) for i in range(20)]

    async def test_a_task_that_kills_whoever_has_it_fails_by_itself(self, open_pool):
        async def kill(task):
            if task.text == "1":
                staff.hired[-1].kill()
                await asyncio.sleep(1)

        pool, staff = open_pool(Echo(kill), PoolSettings(workers=1, room=1, gather_s=0.005))
        replies = await asyncio.gather(
            *(pool.reply(Embed(str(i)), i) for i in range(3)), return_exceptions=True
        )
        assert [getattr(reply, "raw", None) for reply in replies] == ["0/0", None, "2/2"]
        assert isinstance(replies[1], Unavailable)
        assert replies[1].permanent
        assert str(MAX_DEATHS) in str(replies[1])

    async def test_workers_that_never_come_to_work_stop_the_run_with_the_cause(self, open_pool):
        pool, staff = open_pool(Echo(), PoolSettings(workers=1, room=4, gather_s=0.005))
        hire = staff.__call__

        def hire_dying():
            worker = hire()
            worker.kill()
            return worker

        hire_dying.hired = staff.hired  # type: ignore[attr-defined]
        pool._start_worker = hire_dying
        assert isinstance(await raised_by(pool), Denied)
        assert "killed" in str(await raised_by(pool))
        assert len(staff.hired) == HOPELESS

    async def test_is_replaced_too_when_only_what_it_is_given_does_not_arrive(self, open_pool):
        async def lost(asked):
            raise WorkerDied("no way there")

        pool, staff = open_pool(Echo(), PoolSettings(workers=1, room=4, gather_s=0.005))
        await pool.aopen()
        staff.hired[0].put = lost
        assert [reply.raw for reply in await ask(pool, 3)] == ["0/0", "1/1", "2/2"]
        assert len(staff.hired) == 2


class TestErrors:
    async def test_a_task_that_cannot_be_sent_is_raised_and_does_not_hang(self, open_pool):
        async def refuse(asked):
            raise TypeError("cannot pickle")

        pool, staff = open_pool(Echo())
        await pool.aopen()
        for worker in staff.hired:
            worker.put = refuse
        assert isinstance(await raised_by(pool), TypeError)

    async def test_the_judges_own_come_as_they_are(self, open_pool):
        async def refuse(task):
            raise Unavailable("too often", retry_after=7.0, throttled=True)

        pool, _ = open_pool(Echo(refuse))
        error = await raised_by(pool)
        assert (str(error), error.retry_after, error.throttled) == ("too often", 7.0, True)

    async def test_a_time_out_is_known_for_one(self, open_pool):
        async def late(task):
            raise TimedOut("late", unreached=True)

        pool, _ = open_pool(Echo(late))
        error = await raised_by(pool)
        assert (type(error), error.unreached) == (TimedOut, True)

    async def test_a_bug_in_a_back_end_is_raised_with_the_place_where_it_is(self, open_pool):
        async def bug(task):
            raise KeyError("a bug")

        pool, _ = open_pool(Echo(bug))
        assert "test_workers.py" in str(await raised_by(pool))
        assert "a bug" in str(await raised_by(pool))

    async def test_one_that_cannot_travel_fails_its_task_alone(self, open_pool):
        class Own(Unavailable):
            def __init__(self, one, two):
                super().__init__(f"{one} and {two}")

        async def own(task):
            raise Own("this", "that")

        pool, _ = open_pool(Echo(own))
        error = await raised_by(pool)
        assert (type(error), str(error)) == (Unavailable, "this and that")

    @over(
        "error",
        [
            errors.InputError([errors.Problem("bad", row=3), errors.Problem("worse", field="id")]),
            Unavailable("lost", retry_after=1.0, permanent=True),
            errors.TooLong("long"),
            TooLongForGguf(9000, 8192),
            Unreadable("no JSON", raw="hm"),
            errors.Unsupported("no"),
            Denied("no key"),
            errors.OverBudget("too much"),
        ],
    )
    def test_every_one_of_ours_can_travel(self, error):
        there = pickle.loads(pickle.dumps(error))
        assert (type(there), str(there), vars(there)) == (type(error), str(error), vars(error))


async def test_it_is_open_when_the_first_worker_is_there(open_pool):
    pool, staff = open_pool(Echo())
    await pool.aopen()
    assert len(staff.hired) == 2
    assert not any(worker.given for worker in staff.hired)


async def test_workers_of_another_version_are_refused(open_pool):
    pool, _ = open_pool(Echo(), version="0.0.1")
    error = await raised_by(pool)
    assert isinstance(error, Denied)
    assert f"assay is 0.0.1 on a worker and {__version__} here" in str(error)


async def test_what_nobody_waits_for_any_more_is_given_up(open_pool):
    begun, given_up = asyncio.Event(), asyncio.Event()

    async def hang(task):
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            given_up.set()
            raise

    pool, _ = open_pool(Echo(hang))
    asking = asyncio.ensure_future(pool.reply(Embed("x")))
    await asyncio.wait_for(begun.wait(), 10)
    asking.cancel()
    await asyncio.wait_for(given_up.wait(), 10)


async def test_what_is_given_up_leaves_its_room_to_others(open_pool):
    begun = asyncio.Queue()

    async def hang(task):
        begun.put_nowait(task.text)
        if task.text.startswith("hang"):
            await asyncio.Event().wait()

    pool, _ = open_pool(Echo(hang), PoolSettings(workers=1, room=4, gather_s=0.005))
    asking = [asyncio.ensure_future(pool.reply(Embed(f"hang {n}"))) for n in range(4)]
    for _ in asking:
        await begun.get()
    for one in asking:
        one.cancel()
    async with asyncio.timeout(10):
        assert (await pool.reply(Embed("fine"))).raw == "fine/0"


async def test_a_pause_that_a_server_asks_for_holds_for_all_workers(open_pool):
    loop = asyncio.get_running_loop()
    pool, _ = open_pool(Echo(paused_until=loop.time() + 20))
    await ask(pool, 3)
    assert pool.paused_until == pytest.approx(loop.time() + 20, abs=1)


class TestBackEndsThatTravel:
    def test_the_embedded_judge_is_made_anew_with_the_cores_that_are_there(self, monkeypatch):
        packed = pickle.dumps(Embedded())
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        there = pickle.loads(packed)
        assert there.name == Embedded().name
        assert pickle.loads(pickle.dumps(Embedded(threads=3)))._reader.threads == 3

    @pytest.mark.parametrize("kind", [OpenAI, OpenAIEmbedder])
    def test_a_client_keeps_its_name_and_its_key(self, kind):
        judge = kind("m", base_url="http://localhost:1/v1", api_key="secret")
        there = pickle.loads(pickle.dumps(judge))
        assert there.name == judge.name
        assert there._connection.endpoint == judge._connection.endpoint
