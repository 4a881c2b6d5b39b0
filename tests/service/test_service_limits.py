"""The queue of the service: each request in its turn, once, and for no longer than it may be."""

import asyncio
import json
import sqlite3
from collections import Counter

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

from assay._service import Service
from assay._service.http import application
from assay._service.limits import Bounds
from support.scripts import plausible

ROW = {"question": "When was it built?", "contexts": ["It was built in 1889."]}
HANGS = "It hangs."


class Held:
    """A judge in this process that answers once it may, and tells what it is asked."""

    name = "held"
    local = True

    def __init__(self):
        self.inner, self.asked = plausible(), Counter()
        self.now = self.most = 0
        self.begun, self.go_on = asyncio.Semaphore(0), asyncio.Event()
        self.holds = ""

    def identity(self, kind):
        return self.inner.identity(kind)

    async def reply(self, task, draw=0):
        self.asked[task] += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            if self.holds in task.prompt():
                self.begun.release()
                await self.go_on.wait()
            return await self.inner.reply(task, draw)
        finally:
            self.now -= 1


@pytest.fixture
def judge():
    return Held()


@pytest.fixture
async def serve(db, judge):
    """Begin a service with these bounds; gives what posts to it: (status, what it says, headers)."""
    servers, session = [], ClientSession()

    async def begin(**bounds):
        service = Service(judge, store=db)
        server = TestServer(application(service, Bounds(**{"per_minute": 1e6, **bounds})))
        await server.start_server()
        servers.append(server)

        async def post(path, sent):
            headers = {"Content-Type": "application/json", "Host": "localhost"}
            url = server.make_url(path)
            async with session.post(url, data=json.dumps(sent), headers=headers) as response:
                return response.status, await response.json(), response.headers

        return post

    yield begin
    judge.go_on.set()
    await session.close()
    for server in servers:
        await server.close()


def one(answer):
    return {"sample": {**ROW, "answer": answer}, "metrics": ["faithfulness"]}


async def first_of(tasks):
    done, _ = await asyncio.wait(tasks, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    (task,) = done
    return task.result()


async def test_what_takes_too_long_is_cut_off_and_goes_on_with_nothing_asked_twice(
    serve, judge, monkeypatch
):
    clocks = []

    def timeout(seconds):
        assert seconds == 600
        clocks.append(asyncio.timeout(None))
        return clocks[-1]

    monkeypatch.setattr("assay._service.limits.timeout", timeout)
    post, judge.holds = await serve(), HANGS
    answers = ["It was built in 1889.", "It is red.", HANGS]
    rows = [{**ROW, "id": str(n), "answer": answer} for n, answer in enumerate(answers)]
    sent = {"samples": rows, "metrics": ["faithfulness"]}
    first = asyncio.create_task(post("/v1/runs", sent))
    await judge.begun.acquire()
    clocks[0].reschedule(0.0)
    status, told, headers = await first
    assert (status, headers["Retry-After"]) == (503, "1")
    assert "not judged within 600 seconds" in told["error"]
    assert "of 3 scores are kept" in told["error"]
    judge.go_on.set()
    status, run, _ = await post("/v1/runs", sent)
    assert (status, run["finished"], run["metrics"][0]["n_scored"]) == (200, True, 3)
    often = {task for task, n in judge.asked.items() if n > 1}
    assert {HANGS in task.prompt() for task in often} == {True}
    assert sum(judge.asked.values()) == len(judge.asked) + 1


async def test_the_same_request_is_judged_once_however_often_it_comes(serve, judge):
    post = await serve(waiting=1)
    sent = [asyncio.create_task(post("/v1/evaluate", one("It is red."))) for _ in range(3)]
    status, told, headers = await first_of(sent)
    assert (status, headers["Retry-After"]) == (429, "5")
    assert "waiting already" in told["error"]
    judge.go_on.set()
    found = [await task for task in sent]
    assert sorted(status for status, *_ in found) == [200, 200, 429]
    assert len({json.dumps(told) for status, told, _ in found if status == 200}) == 1
    assert set(judge.asked.values()) == {1}


async def test_it_goes_on_when_its_caller_hangs_up(serve, judge):
    post = await serve()
    sent = asyncio.create_task(post("/v1/evaluate", one("It is red.")))
    await judge.begun.acquire()
    sent.cancel()
    again = asyncio.create_task(post("/v1/evaluate", one("It is red.")))
    judge.go_on.set()
    assert (await again)[0] == 200
    assert set(judge.asked.values()) == {1}


async def test_requests_that_are_long_together_are_judged_one_after_the_other(serve, judge):
    post = await serve(max_bytes=1000, waiting=1)
    sent = [asyncio.create_task(post("/v1/evaluate", one(f"It {n}.".ljust(500)))) for n in range(3)]
    status, *_ = await first_of(sent)
    assert status == 429  # one is judged, one waits
    judge.go_on.set()
    assert sorted([(await task)[0] for task in sent]) == [200, 200, 429]
    assert judge.most == 1


async def test_requests_that_are_short_together_are_judged_at_once(serve, judge):
    post = await serve(max_bytes=1000, waiting=0)
    sent = [asyncio.create_task(post("/v1/evaluate", one(f"It {n}."))) for n in range(3)]
    for _ in sent:
        await judge.begun.acquire()
    assert judge.most == 3
    judge.go_on.set()
    assert [(await task)[0] for task in sent] == [200, 200, 200]


async def test_who_waits_too_long_for_others_is_told_to_come_again(serve, judge, monkeypatch):
    waits = asyncio.Event()

    def timeout(seconds):
        if not judge.asked:
            return asyncio.timeout(seconds)
        waits.set()
        return asyncio.timeout(0)

    monkeypatch.setattr("assay._service.limits.timeout", timeout)
    post = await serve(at_once=1)
    first = asyncio.create_task(post("/v1/evaluate", one("It is red.")))
    await judge.begun.acquire()
    status, told, headers = await post("/v1/evaluate", one("It is blue."))
    assert (status, headers["Retry-After"]) == (503, "5")
    assert told["error"] == "other requests took too long"
    assert waits.is_set()
    judge.go_on.set()
    assert (await first)[0] == 200


async def test_a_store_that_cannot_be_used_is_told_in_json(serve, judge, monkeypatch):
    async def full(*_, **__):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Service, "evaluate_one", full)
    status, told, _ = await (await serve())("/v1/evaluate", one("It is red."))
    assert (status, told["error"]) == (500, "the store cannot be used: database or disk is full")


async def test_a_full_disk_is_no_fault_of_the_request(serve, judge, monkeypatch):
    monkeypatch.setattr("assay._store.connection.ROOM_BYTES", 1 << 80)
    monkeypatch.setattr("assay._store.connection.SCORE_BYTES", 1 << 80)
    status, told, _ = await (await serve())("/v1/evaluate", one("It is red."))
    assert (status, told) == (
        500,
        {"error": "the store cannot be used: its disk is full", "problems": []},
    )
