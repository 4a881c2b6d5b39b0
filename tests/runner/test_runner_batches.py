"""Killed while a batch is open, the same call takes what it brings instead of asking again."""

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from assay import OpenAIBatch, evaluate
from assay._store import Store
from assay.errors import Denied
from support.batch_server import Batching, BatchServer
from support.scripts import samples
from support.sealed import change

METRICS = ["faithfulness", "context_precision"]
DATA = samples(6)
SCRIPT = """
    import sys
    from assay import OpenAIBatch, evaluate
    from support.scripts import samples

    url, store = sys.argv[1:]
    judge = OpenAIBatch("m", base_url=url, api_key="key", quiet=0.05, poll=0.05)
    evaluate(samples(6), ["faithfulness", "context_precision"], judge, store=store)
"""


@pytest.fixture
def served():
    with BatchServer(Batching(held=True)).in_thread() as server:
        yield server


def go_on(server, db, **options):
    judge = OpenAIBatch("m", base_url=server.url, api_key="key", quiet=0.05, poll=0.05, **options)
    return evaluate(DATA, METRICS, judge, store=db)


def start(server, db):
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), server.url, str(db)]
    return subprocess.Popen(command, cwd=Path(__file__).parents[1], stderr=subprocess.PIPE)


def wait_until(true, process):
    deadline = time.monotonic() + 60
    while not true():
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def known_as(db):
    with Store(db) as store:
        return [batch.provider for batch in store.batches.open()]


@pytest.mark.slow
def test_a_batch_that_was_open_when_it_was_killed_is_waited_for(served, db):
    process = start(served, db)
    wait_until(lambda: any(batch["looks"] for batch in served.batches.values()), process)
    kill(process)
    assert known_as(db) == ["batch_0"]
    served.batching = Batching()
    result = go_on(served, db)
    assert all(row.n_scored == len(DATA) for row in result.summary())
    assert len(served.sizes) == 2  # the one of before, and the next stage
    assert set(served.done.values()) == {1}
    assert known_as(db) == []


@pytest.mark.slow
def test_killed_before_it_heard_the_batches_name_it_finds_it_by_its_own(served, db):
    served.batching = Batching(held_answers=True)
    process = start(served, db)
    wait_until(lambda: served.batches, process)
    kill(process)
    assert known_as(db) == [""]
    served.batching = Batching()
    for n in range(4):  # others of the same account; the server lists two at a time
        served.batches[f"other_{n}"] = {**served.batches["batch_0"], "id": f"other_{n}"}
        served.batches[f"other_{n}"]["metadata"] = None
    go_on(served, db)
    assert len(served.sizes) == 2 + 4
    assert set(served.done.values()) == {1}


@pytest.mark.slow
def test_killed_before_the_batch_was_made_it_is_submitted_anew(served, db):
    process = start(served, db)
    wait_until(lambda: served.files, process)
    kill(process)
    served.batches.clear()
    served.batching = Batching()
    with Store(db) as store:  # whether it had come further by then or not
        for batch in store.batches.open():
            assert len(batch.keys) == len(DATA) * 2 - 2
    change(db, "UPDATE batches SET provider = ''")
    result = go_on(served, db)
    assert all(row.n_scored == len(DATA) for row in result.summary())
    assert set(served.done.values()) == {1}


@pytest.mark.slow
def test_killed_after_replies_were_fetched_only_the_missing_ones_are_fetched_again(served, db):
    served.batching = Batching()
    go_on(served, db)
    with Store(db) as store:
        store.query("DELETE FROM jobs")
        (lost,) = store.query("SELECT hex(key) FROM replies ORDER BY id DESC LIMIT 1")
        store.query("DELETE FROM replies WHERE hex(key) = ?", *lost)
        keys = [line["custom_id"] for line in served.batches["batch_1"]["lines"]]
        assert lost[0].lower() in keys
    owed = "".join(keys)
    change(db, f"INSERT INTO batches (name, provider, keys) VALUES ('b', 'batch_1', x'{owed}')")
    calls = served.stats()["calls"]
    result = go_on(served, db)
    assert all(row.n_scored == len(DATA) for row in result.summary())
    assert (len(served.sizes), served.stats()["calls"]) == (2, calls)
    assert set(served.done.values()) == {1}


@pytest.mark.slow
def test_batches_of_other_requests_are_left_alone(served, db):
    Store(db).close()
    change(db, f"INSERT INTO batches (name, provider, keys) VALUES ('b', 'gone', x'{'6b' * 16}')")
    served.batching = Batching()
    go_on(served, db)
    assert known_as(db) == ["gone"]


@pytest.mark.slow
def test_what_providers_have_thrown_away_is_forgotten(served, db):
    Store(db).close()
    columns = "name, provider, keys, at"
    change(db, f"INSERT INTO batches ({columns}) VALUES ('b', 'old', x'{'6b' * 16}', 1000)")
    served.batching = Batching()
    go_on(served, db)
    assert known_as(db) == []


@pytest.mark.slow
def test_a_run_that_stopped_in_one_batch_keeps_what_another_owes(served, db):
    served.batching = Batching(cancel=(2,))
    with pytest.raises(Denied, match="cancelled"):
        go_on(served, db, most=4)
    owed = sum(len(batch["lines"]) for batch in served.batches.values()) - 2
    assert owed > 0
    result = go_on(served, db)
    assert all(row.n_scored == len(DATA) for row in result.summary())
    assert set(served.done.values()) == {1}
