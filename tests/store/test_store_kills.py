"""Killed at random moments, a run loses nothing, spoils nothing and comes to the same numbers.

`benchmarks/kills.py` does the same a hundred times, against a server.
"""

import asyncio
import os
import random
import signal
import time
import warnings

import pytest

from assay import Limits, Result, Settings, evaluate
from assay._runner.engine import JOBS_PER_REQUEST
from assay._store import Store
from assay._store.maintenance import verify
from support.scripts import Watched, plausible, samples

METRICS = ["faithfulness", "context_precision"]
IN_FLIGHT = 2
KILLS = 4
SETTINGS = Settings(limits=Limits(concurrency=IN_FLIGHT))


def run(db, calls, stuck_from=None):
    """The run; every call takes a moment and leaves a byte in a file.

    From so many bytes on, calls never return: such a run does not end by itself.
    """

    async def before(task):
        with calls.open("ab") as file:
            file.write(b".")
        stuck = stuck_from is not None and calls.stat().st_size >= stuck_from
        await asyncio.sleep(3600 if stuck else 0.005)

    judge = Watched(plausible(), before=before)
    return evaluate(samples(12), METRICS, judge, store=db, settings=SETTINGS)


def killed(db, calls, stuck_from, seconds):
    """Kill a process that runs it so long after its first call."""
    made = calls.stat().st_size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that a fork leaves behind
        child = os.fork()
    if child == 0:
        try:
            run(db, calls, stuck_from)
        finally:
            os._exit(1)
    while calls.stat().st_size == made:
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
        time.sleep(0.001)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def kept(db):
    if not db.exists():
        return set()
    with Store(db) as store:
        assert store.query("PRAGMA quick_check") == [("ok",)]
        return {key for (key,) in store.query("SELECT key FROM replies")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a run comes to that nobody kills, and how many calls it needs."""
    calls = tmp_path_factory.mktemp("whole") / "calls"
    return run(calls.with_suffix(".db"), calls), calls.stat().st_size


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_moments_it_ends_as_if_nobody_had_disturbed_it(
    tmp_path, seed, undisturbed
):
    whole, needed = undisturbed
    db, calls = tmp_path / "assay.db", tmp_path / "calls"
    calls.touch()
    chance, known = random.Random(seed), set()
    for _ in range(KILLS):
        stuck_from = calls.stat().st_size + chance.randint(IN_FLIGHT, 8)
        killed(db, calls, stuck_from, chance.uniform(0, 0.06))
        assert known <= (known := kept(db))
    result = run(db, calls)
    assert result.summary() == whole.summary()
    assert Result(db).cost().calls == needed
    assert verify(db).problems == ()
    assert calls.stat().st_size <= needed + KILLS * IN_FLIGHT * JOBS_PER_REQUEST
