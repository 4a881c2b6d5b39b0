"""The event loop that a run is completed in."""

import asyncio
import contextlib
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay import Limits, Result, Settings, aevaluate, evaluate
from assay._store import Store
from assay.errors import Unavailable
from assay.judges.llm import LLM, Completion
from assay.tasks import VerifyStatements
from support import scripts
from support.answers import answer
from support.scripts import Watched, plausible, samples

TESTS = str(Path(__file__).parents[1])
FAITHFUL = [0.5, 0.5, 0.5]


def values(result, metric="faithfulness"):
    return [outcome.value for outcome in result[metric]]


def test_in_a_plain_function(db):
    assert values(evaluate(samples(3), "faithfulness", plausible(), store=db)) == FAITHFUL


def test_the_loop_that_a_thread_has_set_is_still_there_afterwards(db):
    def work():
        own = asyncio.new_event_loop()
        asyncio.set_event_loop(own)
        try:
            evaluate(samples(1), "faithfulness", plausible(), store=db)
            return asyncio.get_event_loop() is own
        finally:
            own.close()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work).result()


@pytest.mark.slow
def test_in_a_plain_script_of_its_own(tmp_path):
    # On a busy machine any step may take the tenth of a second that asyncio's debug mode tells of.
    code = """
        import logging
        import warnings
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        warnings.simplefilter("error")
        import assay
        from support.scripts import plausible, samples

        result = assay.evaluate(samples(3), ["faithfulness", "context_precision"], plausible())
        print(result.summary())
    """
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", textwrap.dedent(code)],
        cwd=tmp_path,
        env={"PYTHONPATH": TESTS},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "faithfulness" in done.stdout
    assert " 0.50 " in done.stdout
    assert (tmp_path / "assay.db").is_file()


async def test_where_a_loop_is_running_already_as_in_a_notebook(db):
    # Called from a coroutine, without await: a cell of a notebook does this.
    assert values(evaluate(samples(3), "faithfulness", plausible(), store=db)) == FAITHFUL
    assert "assay-evaluate" not in {thread.name for thread in threading.enumerate()}


async def test_awaited_in_a_server_that_goes_on_answering(db):
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())

    async def slowly(task):
        await asyncio.sleep(0.02)

    result = await aevaluate(
        samples(3), "faithfulness", Watched(plausible(), before=slowly), store=db
    )
    ticking.cancel()
    assert values(result) == FAITHFUL
    assert ticks > 5


@pytest.mark.parametrize("running", [True, False])
def test_under_uvloop(db, running):
    uvloop = pytest.importorskip("uvloop")

    async def main():
        if running:
            return evaluate(samples(3), "faithfulness", plausible(), store=db)
        return await aevaluate(samples(3), "faithfulness", plausible(), store=db)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert values(runner.run(main())) == FAITHFUL


def test_from_several_threads_into_one_store(db):
    def work(n):
        data = [scripts.sample(i) for i in range(n, n + 3)]
        return values(evaluate(data, "faithfulness", plausible(), store=db))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [FAITHFUL] * 4


@pytest.mark.parametrize("threads", [True, False])
def test_two_evaluations_at_once_with_different_judges_do_not_meet(tmp_path, threads):
    yes = Watched(plausible("yes", verify_statements=scripts.verify_if(lambda *_: True)))
    no = Watched(plausible("no", verify_statements=scripts.verify_if(lambda *_: False)))
    data, db = samples(5), tmp_path / "one.db"

    async def both():
        return await asyncio.gather(
            aevaluate(data, "faithfulness", yes, store=db),
            aevaluate(data, "faithfulness", no, store=db),
        )

    if threads:
        with ThreadPoolExecutor(2) as pool:
            calls = [pool.submit(evaluate, data, "faithfulness", j, store=db) for j in (yes, no)]
            results = [call.result() for call in calls]
    else:
        results = asyncio.run(both())
    assert [values(result) for result in results] == [[1.0] * 5, [0.0] * 5]
    assert len(yes.asked) == len(no.asked) == 10
    assert results[0].run.id != results[1].run.id


async def test_an_error_reaches_the_caller_in_a_notebook_too(db):
    with pytest.raises(ZeroDivisionError):
        evaluate(samples(3), "faithfulness", plausible(split_statements=lambda t: 1 / 0), store=db)


async def test_an_error_in_a_notebook_does_not_wait_for_ever_for_what_is_on_its_way(
    db, monkeypatch
):
    monkeypatch.setattr("assay._middleware.cache.GRACE_S", 0.1)

    async def hang(task):
        if "Rome" in repr(task):
            await asyncio.sleep(3600)

    judge = Watched(
        plausible(split_statements=lambda task: 1 / 0 if "Paris" in task.text else "[]"),
        before=hang,
    )
    start = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        evaluate(samples(3), "faithfulness", judge, store=db)
    assert time.monotonic() - start < 3


class Stubborn:
    """A back end that never returns and does not react to being cancelled."""

    name = "stubborn"

    def identity(self, kind):
        return "stubborn"

    async def reply(self, task, draw=0):
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(3600)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("running", [True, False], ids=["notebook", "script"])
def test_a_judge_that_never_returns_holds_up_neither_the_run_nor_its_end(db, running, caplog):
    settings = Settings(limits=Limits(timeout=0.05, retries=0))

    def run():
        return evaluate(samples(1), "faithfulness", Stubborn(), store=db, settings=settings)

    async def cell():
        return run()

    start = time.monotonic()
    (found,) = (asyncio.run(cell()) if running else run())["faithfulness"]
    assert found.detail.startswith("no reply from stubborn within")
    assert time.monotonic() - start < 3
    gc.collect()  # the call is thrown away, of which asyncio would tell
    assert caplog.text == ""


def interrupted(tmp_path, code, within_s):
    """What a script says that a Ctrl-C ends after its first call; its store is assay.db."""
    env = {**os.environ, "PYTHONPATH": TESTS, "ASSAY_TEST_CALLS": str(tmp_path / "calls")}
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "assay.db")]
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "calls").exists() and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=within_s)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in said
    return said


@pytest.mark.slow
def test_an_interrupted_script_ends_cleanly_and_goes_on_later(tmp_path):
    code = """
        import sys, assay
        from support.scripts import samples

        assay.evaluate(samples(9), "faithfulness", "support.counted:judge", store=sys.argv[1])
    """
    said = interrupted(tmp_path, code, within_s=30)
    assert "never retrieved" not in said
    assert Result(tmp_path / "assay.db").stopped == "interrupted"


@pytest.mark.slow
@pytest.mark.parametrize("call", ["evaluate", "await assay.aevaluate"])
@pytest.mark.parametrize("within", ["{}", "await asyncio.gather({}, asyncio.sleep(9))"])
def test_one_interrupt_ends_a_script_with_a_loop_of_its_own(tmp_path, call, within):
    call = f"assay.{call}" if call == "evaluate" else call
    code = f"""
        import asyncio, sys, assay

        rows = [
            {{"question": "?", "contexts": ["A."], "answer": f"{{n}} towers."}} for n in range(2000)
        ]

        async def score():
            {call}(rows, "faithfulness", "support.counted:judge", store=sys.argv[1])

        async def main():
            {within.format("score()" if "gather" in within else "await score()")}

        asyncio.run(main())
    """
    interrupted(tmp_path, code, within_s=60)
    assert Result(tmp_path / "assay.db").stopped == "interrupted"


class Connected(LLM):
    """Loses what is on its way when its connections are closed, as an HTTP client does."""

    name = "connected"

    def __init__(self):
        super().__init__()
        self.asked = []  # one list, as the connections are one, of all reworded copies
        self.waiting = set()

    async def complete(self, prompt, schema, kind, draw):
        self.asked.append(prompt)
        self.waiting.add(reply := asyncio.get_running_loop().create_future())
        asyncio.get_running_loop().call_later(
            0.05, lambda: reply.done() or reply.set_result(answer(prompt, kind))
        )
        try:
            return Completion(await reply, 100, 10)
        finally:
            self.waiting.discard(reply)

    async def aclose(self):
        for reply in self.waiting:
            reply.set_exception(Unavailable("connection closed"))


@pytest.mark.slow
@pytest.mark.parametrize("prompts", [{}, {"verify_statements": VerifyStatements.template}])
async def test_a_run_that_ends_leaves_the_connections_of_others_open(db, prompts):
    judge = Connected()

    async def run(n):
        await asyncio.sleep(0.02 * n)
        data = [scripts.sample(10 * n + i) for i in range(2)]
        return await aevaluate(data, "faithfulness", judge, store=db, settings=settings)

    settings = Settings(prompts=prompts, probe=False)
    for result in await asyncio.gather(*(run(n) for n in range(6))):
        assert result.summary()[0].n_scored == 2
    assert len(judge.asked) == 6 * 2 * 2


async def test_who_is_cancelled_while_the_store_opens_leaves_none_open(db, monkeypatch):
    proceed, closed = threading.Event(), threading.Event()

    class Slow(Store):
        def __init__(self, path):
            proceed.wait(5)
            super().__init__(path)

        def close(self):
            super().close()
            closed.set()

    monkeypatch.setattr("assay._runner.evaluate.Store", Slow)
    running = asyncio.create_task(aevaluate(samples(1), "faithfulness", plausible(), store=db))
    await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    proceed.set()
    assert await asyncio.to_thread(closed.wait, 5)


async def test_a_judge_may_be_shared_by_loops(db):
    judge = plausible()
    evaluate(samples(2), "faithfulness", judge, store=db)
    evaluate(samples(3), "faithfulness", judge, store=db)
    await aevaluate(samples(4), "faithfulness", judge, store=db)
    assert judge.calls == 4 * 2  # the replies of the first are known to the others


def test_progress_is_told_up_to_the_end(db):
    seen = []
    settings = Settings(on_progress=seen.append)
    evaluate(
        samples(3), ["faithfulness", "context_recall"], plausible(), store=db, settings=settings
    )
    last = seen[-1]
    assert (last.done, last.total, last.failed, last.undefined) == (6, 6, 0, 0)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    evaluate(
        samples(3), ["faithfulness", "context_recall"], plausible(), store=db, settings=settings
    )
    assert (seen[-1].done, seen[-1].new, seen[-1].calls) == (6, 0, 0)


@pytest.mark.slow
def test_an_interrupted_script_makes_the_embedded_judge_stop_at_the_pass_it_is_at(tmp_path):
    code = """
        import sys, threading
        import assay
        from assay.judges.embedded import reader

        left, run = threading.Event(), reader.passes._run

        def told(window):
            print("pass", flush=True)
            left.wait()
            return run(window)

        reader.passes._run = told
        many = " ".join(f"The tower of town {n} has {n} floors and a bell." for n in range(300))
        row = {"question": "How many floors?", "contexts": [many], "answer": many}
        try:
            assay.evaluate([row], "context_relevance", assay.judges.backend("embedded"), store=sys.argv[1])
        finally:
            print("left", flush=True)
            left.set()
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "assay.db")]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout.readline() == "pass\n"
    process.send_signal(signal.SIGINT)
    told, said = process.communicate(timeout=60)  # none of its passes ends before it has left
    assert told.split() == ["left"]
    assert "KeyboardInterrupt" in said
    assert Result(tmp_path / "assay.db").stopped == "interrupted"
