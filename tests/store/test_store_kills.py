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
from assay.run.engine import JOBS_PER_REQUEST
from assay.store import Store
from assay.store.checking import verify
from support.scripts import Watched, plausible, samples

METRICS = ["faithfulness", "context_precision"]
IN_FLIGHT = 2
MOST_KILLS = 8
SETTINGS = Settings(limits=Limits(in_flight=IN_FLIGHT))


def run(db, calls):
    """The run; every call takes a moment and leaves a byte in a file."""

    async def before(task):
        with calls.open("ab") as file:
            file.write(b".")
        await asyncio.sleep(0.005)

    judge = Watched(plausible(), before=before)
    return evaluate(samples(12), METRICS, judge, store=db, settings=SETTINGS)


def killed(db, calls, seconds):
    """Whether a process that runs it had to be killed after this time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that a fork leaves behind
        child = os.fork()
    if child == 0:
        code = 1
        try:
            run(db, calls)
            code = 0
        finally:
            os._exit(code)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0
            return False
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def kept(db):
    if not db.exists():
        return set()
    with Store(db) as store:
        assert store.query("PRAGMA quick_check") == [("ok",)]
        return {key for (key,) in store.query("SELECT key FROM replies")}


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_moments_it_ends_as_if_nobody_had_disturbed_it(tmp_path, seed):
    begun = time.monotonic()
    whole = run(tmp_path / "whole.db", tmp_path / "whole.calls")
    longest = 0.6 * (time.monotonic() - begun)
    needed = (tmp_path / "whole.calls").stat().st_size
    db, calls = tmp_path / "assay.db", tmp_path / "calls"
    calls.touch()
    chance, kills, known = random.Random(seed), 0, set()
    while kills < MOST_KILLS and killed(db, calls, chance.uniform(0, longest)):
        kills += 1
        assert known <= (known := kept(db))
    assert kills
    result = run(db, calls)
    assert result.summary() == whole.summary()
    assert Result(db).cost().calls == needed
    assert verify(db).problems == ()
    assert calls.stat().st_size <= needed + kills * IN_FLIGHT * JOBS_PER_REQUEST
