"""What was awaited is on disk: killed processes, several at once, and many rows in little memory."""

import asyncio
import contextlib
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay._store import Store
from assay.judge import Reply
from assay.sample import Sample
from assay.score import Score

CONFIG = {"metrics": {"m": "signature"}}


def python(code, *args):
    """A process that runs this code."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def sound(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    finally:
        connection.close()


@pytest.mark.posix
def test_a_reply_that_was_awaited_survives_sigkill(db):
    process = python(
        """
        import asyncio, os, signal, sys
        from assay.judge import Reply
        from assay._store import Store

        async def main():
            store = Store(sys.argv[1])
            await asyncio.gather(
                *(store.keep_reply(Reply(("p",), "r", key=f"k{n}"), "run") for n in range(20))
            )
            os.kill(os.getpid(), signal.SIGKILL)

        asyncio.run(main())
        """,
        db,
    )
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    with Store(db) as store:
        assert store.spent("run").calls == 20
    assert sound(db)


def test_a_commit_waits_for_the_disk(db):
    process = python(
        """
        import sys
        from assay._store import Store

        with Store(sys.argv[1]) as store:
            print(store.query("PRAGMA synchronous"))
        """,
        db,
    )
    assert process.communicate(timeout=30) == ("[(2,)]\n", "")  # FULL


@pytest.mark.slow
def test_two_processes_that_write_at_once_lose_and_spoil_nothing(db):
    code = """
        import asyncio, sys
        from assay.judge import Reply
        from assay.score import Score
        from assay._store import Store

        async def write(store, me, n):
            text = f"a text of more than forty-eight characters that both write: {n}"
            await store.keep_reply(Reply((text,), me, key=f"both{n}"), me)
            await store.keep_reply(Reply((text,), me, key=f"{me}{n}"), me)
            await store.keep_outcome(me, n, "m", Score(1.0), [f"{me}{n}"])

        async def main(path, me):
            store = Store(path)
            print("ready", flush=True)
            sys.stdin.readline()
            for start in range(0, 150, 10):
                await asyncio.gather(*(write(store, me, n) for n in range(start, start + 10)))
            store.close()

        asyncio.run(main(*sys.argv[1:]))
        """
    command = [sys.executable, "-c", textwrap.dedent(code), str(db)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([*command, me], **pipes) for me in ("a", "b")]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert sound(db)
    with Store(db) as store:
        calls = {me: store.spent(me).calls for me in ("a", "b")}
        assert sum(calls.values()) == 3 * 150
        assert all(store.reply(f"{kind}{n}") for kind in ("a", "b", "both") for n in range(150))
        assert [len(store.values(me, "m")) for me in ("a", "b")] == [150, 150]


@pytest.mark.parametrize("writes_before", [True, False])
def test_a_process_that_closes_the_store_leaves_the_log_of_one_that_goes_on(db, writes_before):
    """Whoever closes a file by other means than SQLite gives SQLite's locks back, too."""

    def keep(store, n):
        asyncio.run(store.keep_reply(Reply(("a text",), "a reply", key=f"k{n}"), "run"))

    with Store(db) as store:
        if writes_before:
            keep(store, 1)
        for _ in range(2):  # as every question to a result does
            with Store(db) as again:
                again.runs()
        other = python("import sys; from assay._store import Store; Store(sys.argv[1]).close()", db)
        _, said = other.communicate(timeout=60)
        assert other.returncode == 0, said
        keep(store, 2)
        with Store(db) as again:
            assert again.reply("k2")
    assert sound(db)
    with Store(db) as store:
        assert store.reply("k2")
        assert writes_before is bool(store.reply("k1"))


def test_closing_waits_for_a_thread_that_is_taking_samples_in(db):
    store = Store(db)
    begun, go_on = threading.Event(), threading.Event()

    def slow():
        yield Sample(id="1")
        begun.set()
        go_on.wait(10)
        yield Sample(id="2")

    def import_runs():
        with contextlib.suppress(sqlite3.ProgrammingError):  # closed before it read the run back
            store.begin(slow(), CONFIG, "x")

    taking, closing = threading.Thread(target=import_runs), threading.Thread(target=store.close)
    taking.start()
    begun.wait(10)
    closing.start()
    closing.join(0.1)
    assert closing.is_alive()
    go_on.set()
    taking.join(10)
    closing.join(10)
    assert sound(db)
    with Store(db) as again:
        assert again.run().n_samples == 2


async def test_a_caller_that_is_cancelled_does_not_undo_the_write(db):
    with Store(db) as store:
        writing = asyncio.create_task(store.keep_reply(Reply(("p",), "r", key="k"), "run"))
        await asyncio.sleep(0)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    with Store(db) as store:
        assert store.reply("k") is not None


async def test_writes_that_are_queued_when_the_store_closes_are_committed(db):
    store = Store(db)
    writes = [
        asyncio.create_task(store.keep_reply(Reply(("p",), "r", key=f"k{n}"), "run"))
        for n in range(2000)
    ]
    await asyncio.sleep(0)
    await asyncio.to_thread(store.close)
    await asyncio.gather(*writes)
    with Store(db) as store:
        assert store.spent("run").calls == 2000


@pytest.mark.slow
def test_many_samples_pass_through_little_memory(db):
    shared = "A context that all samples share, longer than forty-eight characters. " * 5
    made = (
        Sample(id=str(n), question=f"Question {n}?", contexts=(shared,), answer="A" * 100)
        for n in range(6_000)
    )
    with Store(db) as store:
        tracemalloc.start()
        run = store.begin(made, CONFIG, "x")
        taken_in = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        seen = 0
        for seen, (_, sample) in enumerate(store.samples(run.id), start=1):  # noqa: B007
            if seen == 2_000:  # many pages: the rest is no different
                break
        read = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert store.run(run.id).n_samples == 6_000
        assert store.sample(run.id, "5999")[0] == 6_000
    assert sample.contexts == (shared,)
    assert taken_in < 2_000_000
    assert read < 4_000_000


async def test_reading_while_a_run_writes_sees_what_is_committed(db):
    with Store(db) as writing, Store(db) as reading:
        for n in range(50):
            await writing.keep_outcome("r", n, "m", Score(1.0), [])
            assert len(reading.values("r", "m")) == n + 1


def test_several_that_open_a_new_store_at_the_same_moment_all_get_it(tmp_path):
    for round_ in range(5):
        path, start = tmp_path / f"{round_}.db", threading.Barrier(6)

        def opened(path=path, start=start):
            start.wait()
            Store(path).close()
            return True

        with ThreadPoolExecutor(6) as pool:
            calls = [pool.submit(opened) for _ in range(6)]
            assert all(call.result() for call in calls)
