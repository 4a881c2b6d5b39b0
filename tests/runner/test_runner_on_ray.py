"""On a Ray cluster the same run gives the same scores, and a killed worker costs nothing."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import assay
from assay._middleware.ray_workers import ROOM
from assay._store import Store
from assay.errors import Denied, InputError
from support.elsewhere import Cores, Homebound, Timed
from support.scripts import plausible, samples

pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
METRICS = ["faithfulness", "context_recall", "context_precision"]
TESTS = Path(__file__).parents[1]
PATHS = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))


@pytest.fixture(scope="module")
def ray():
    """A cluster of this machine alone, two cores wide."""
    ray = pytest.importorskip("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        num_cpus=2,
        object_store_memory=100 << 20,
        include_dashboard=False,
        logging_level="error",
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
        runtime_env={"env_vars": {"PYTHONPATH": PATHS}},
    )
    yield ray
    ray.shutdown()


def run(data, judge, store, engine="ray", **settings):
    return assay.evaluate(
        data, METRICS, judge, store=store, settings=assay.Settings(engine=engine, **settings)
    )


def same(one, other):
    """Whether two results are the same run with the same scores and evidence."""
    return one.run.id == other.run.id and all(one[m] == other[m] for m in METRICS)


@pytest.mark.parametrize("judge", ["embedded", plausible()], ids=["embedded", "scripted"])
def test_run_scores_and_evidence_are_those_of_the_local_engine(ray, tmp_path, judge):
    local = run(samples(5), judge, tmp_path / "local.db", "local")
    on_ray = run(samples(5), judge, tmp_path / "ray.db")
    assert same(local, on_ray)
    assert not any(row.n_failed for row in on_ray.summary())
    with Store(tmp_path / "local.db") as one, Store(tmp_path / "ray.db") as other:
        keys = "SELECT key FROM replies ORDER BY key"
        assert one.query(keys) == other.query(keys)


def test_a_run_begun_on_ray_goes_on_locally_and_asks_nobody(ray, db):
    run(samples(5), plausible(), db)
    judge = plausible()
    assert run(samples(5), judge, db, "local").run.id
    assert judge.calls == 0


def test_each_model_is_in_a_process_of_its_own_with_the_cores_it_was_given(ray, tmp_path):
    (processes := tmp_path / "processes").mkdir()
    result = assay.evaluate(
        samples(40),
        "faithfulness",
        Cores(processes, 2),
        store=tmp_path / "cores.db",
        settings=assay.Settings(engine="ray", workers=2, cores=1),
    )
    with Store(tmp_path / "cores.db") as store:
        said = {reply.raw.split("/")[0] for reply in _replies(store, result)}
    pids = {text.split()[0] for text in said}
    assert len(pids) == 2
    assert str(os.getpid()) not in pids
    assert {text.split()[1] for text in said} == {"1"}


def _replies(store, result):
    for row in range(1, 41):
        yield from store.replies(result.run.id, row, "faithfulness")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nothing disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    return run(samples(30), Timed(folder / "calls", local=True), folder / "assay.db", "local")


class TestAKilledWorker:
    def test_loses_nothing_and_pays_twice_only_for_what_it_had(self, ray, tmp_path, whole):
        killed, noted = [], tmp_path / "calls"

        def kill(progress):
            if not killed and noted.is_file():
                killed.append(int(calls(noted)[0].split()[0]))
                os.kill(killed[0], signal.SIGKILL)

        judge = Timed(noted, local=True)
        result = run(samples(30), judge, tmp_path / "ray.db", workers=2, on_progress=kill)
        assert same(whole, result)
        assert not any(row.n_failed for row in result.summary())
        assert result.cost().calls == whole.cost().calls
        by_killed = sum(line.startswith(f"{killed[0]} ") for line in calls(noted))
        assert 0 < by_killed < whole.cost().calls / 2
        made = len(calls(noted))
        assert whole.cost().calls <= made <= whole.cost().calls + ROOM

    def test_so_does_a_killed_driver(self, ray, tmp_path, whole):
        store = tmp_path / "ray.db"
        judge = f"Timed(Path({str(tmp_path / 'calls')!r}), local=True)"
        code = f"""
            import sys, assay, ray
            from pathlib import Path
            from support.elsewhere import Timed
            from support.scripts import samples
            ray.init(sys.argv[1], runtime_env={{"env_vars": {{"PYTHONPATH": {PATHS!r}}}}})
            settings = assay.Settings(engine="ray", workers=2)
            assay.evaluate(samples(30), {METRICS}, {judge}, store={str(store)!r}, settings=settings)
        """
        address = ray.get_runtime_context().gcs_address
        command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), address]
        process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": PATHS})
        while process.poll() is None and kept(store) < 20:
            time.sleep(0.02)
        process.kill()
        process.wait()
        assert 0 < kept(store) < whole.cost().calls
        result = run(samples(30), Timed(tmp_path / "calls", local=True), store, workers=2)
        assert same(whole, result)
        assert result.cost().calls == whole.cost().calls


def kept(store):
    """How many replies are in a store that another process writes."""
    if not store.is_file():
        return 0
    try:
        with Store(store) as opened:
            return opened.query("SELECT count(*) FROM replies")[0][0]
    except InputError:  # it is just being made
        return 0


class TestLimitsHoldForAllWorkersTogether:
    def test_calls_in_flight(self, ray, tmp_path):
        run(
            samples(20),
            Timed(tmp_path / "calls"),
            tmp_path / "ray.db",
            workers=2,
            limits=assay.Limits(concurrency=3),
        )
        at_once, pids = crowd(tmp_path / "calls")
        assert at_once <= 3
        assert len(pids) == 2

    def test_requests_a_minute(self, ray, tmp_path):
        run(
            samples(12),
            Timed(tmp_path / "calls"),
            tmp_path / "ray.db",
            workers=2,
            limits=assay.Limits(requests_per_minute=600),
        )
        begun = sorted(float(line.split()[1]) for line in calls(tmp_path / "calls"))
        # 30 may come at once, the rest at 9.5 a second, however quick the workers are.
        assert begun[-1] - begun[0] > (len(begun) - 32) / 9.5 > 2

    def test_the_budget(self, ray, tmp_path):
        result = run(
            samples(20),
            Timed(tmp_path / "calls"),
            tmp_path / "ray.db",
            workers=2,
            budget=assay.Budget(calls=17),
        )
        assert "budget" in result.stopped
        assert result.cost().calls == 17


def calls(path):
    """What was written down: process, begin and end of every call."""
    return path.read_text().splitlines()


def crowd(path):
    """Most calls at the same time, and the processes that made them."""
    events, pids = [], set()
    for line in calls(path):
        pid, begun, ended = line.split()
        pids.add(pid)
        events += [(float(begun), 1), (float(ended), -1)]
    now = most = 0
    for _, change in sorted(events):
        now += change
        most = max(most, now)
    return most, pids


def test_a_cluster_that_is_not_there_is_named_at_once(db):
    code = "import assay; assay.evaluate([{'answer': 'a', 'reference': 'a'}], 'exact_match', store='s',"
    code += " settings=assay.Settings(engine='ray'))"
    env = {**os.environ, "RAY_ADDRESS": "127.0.0.1:1"}
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(
        command, env=env, cwd=db.parent, capture_output=True, text=True, timeout=60, check=False
    )
    assert "there is no Ray cluster at 127.0.0.1:1" in done.stderr
    assert "correct or unset RAY_ADDRESS" in done.stderr


def test_a_judge_that_cannot_be_sent_is_named_before_anything_is_asked(ray, db):
    judge = plausible()
    judge.lock = threading.Lock()
    with pytest.raises(InputError, match="cannot be sent to another process"):
        run(samples(2), judge, db)


def test_a_back_end_that_cannot_be_made_on_the_workers_stops_the_run_with_the_cause(ray, db):
    with pytest.raises(Denied, match="only at home"):
        run(samples(2), Homebound(), db, workers=1)
