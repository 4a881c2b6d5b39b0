"""Processes that are given the same run on one store ask for each reply once, though one is killed."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from assay import Result
from assay._store import Claims, Store
from assay._store.integrity import log_of
from assay._store.maintenance import verify
from support.faults import Faults
from support.llm_server import LLMServer
from support.scripts import samples

ASSAY = (sys.executable, "-m", "assay")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no claims on Windows")


@pytest.fixture
def command(tmp_path):
    """The command for a run, by the server and the name of the store."""
    rows = [
        {
            "id": s.id,
            "question": s.question,
            "answer": s.answer,
            "contexts": s.contexts,
            "reference": s.reference,
        }
        for s in samples(30)
    ]
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def words(server, store):
        line = ["run", str(data), "-m", "faithfulness,context_precision,context_recall"]
        line += ["--judge", "openai:m", "--base-url", server.url, "--api-key", "none"]
        return [*ASSAY, *line, "--concurrency", "8", "--store", str(tmp_path / store), "--quiet"]

    return words


def begun(words):
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ended(process):
    told, _ = process.communicate(timeout=120)
    return process.returncode, told


def wait_for(server, calls):
    deadline = time.monotonic() + 60
    while server.arrived < calls:
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.slow
def test_four_processes_ask_for_each_reply_once(command, tmp_path):
    with LLMServer(Faults(latency_s=0.1)).in_thread() as server:
        assert ended(begun(command(server, "alone.db"))) == (0, "")
        needed = server.arrived
        together = [begun(command(server, "shared.db")) for _ in range(4)]
        assert [ended(process) for process in together] == [(0, "")] * 4
        assert server.arrived == 2 * needed
    alone, shared = (Result(tmp_path / f"{name}.db") for name in ("alone", "shared"))
    assert alone.summary() == shared.summary()
    assert verify(tmp_path / "shared.db").problems == ()
    assert sorted(path.name for path in tmp_path.iterdir() if "claims" in path.name) == []


@pytest.mark.slow
def test_what_a_killed_process_asked_for_is_asked_by_another(command, tmp_path):
    with LLMServer(Faults(latency_s=0.2)).in_thread() as server:
        assert ended(begun(command(server, "alone.db"))) == (0, "")
        needed = server.arrived
        first = begun(command(server, "shared.db"))
        wait_for(server, needed + 20)
        others = [begun(command(server, "shared.db")) for _ in range(3)]
        time.sleep(0.3)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        assert [ended(process) for process in others] == [(0, "")] * 3
        # Those that the killed one had on their way are asked once more, and no others.
        assert needed <= server.arrived - needed <= needed + 8
    alone, shared = (Result(tmp_path / f"{name}.db") for name in ("alone", "shared"))
    assert alone.summary() == shared.summary()
    assert verify(tmp_path / "shared.db").problems == ()


KEYS = [f"{n:032x}" for n in (1, 2 << 100, 3 << 100)]


def test_a_key_is_claimed_once_and_again_after_it_was_given_back(tmp_path):
    one, other = Claims(tmp_path / "a.db"), Claims(tmp_path / "a.db")
    assert all(one.claim(key) for key in KEYS)
    assert not any(other.claim(key) for key in KEYS)
    one.release(KEYS[1])
    assert [other.claim(key) for key in KEYS] == [False, True, False]
    one.close()
    assert (tmp_path / "a.db-claims").exists()
    other.close()
    assert not (tmp_path / "a.db-claims").exists()


def test_without_locks_of_files_claims_hold_within_the_process(tmp_path, monkeypatch):
    monkeypatch.setattr("assay._store.fcntl", None)  # as on Windows
    one, other = Claims(tmp_path / "a.db"), Claims(tmp_path / "a.db")
    assert [one.claim(key) for key in KEYS] == [True, True, True]
    one.release(KEYS[1])
    assert [other.claim(key) for key in KEYS] == [False, True, False]
    one.close()
    other.close()
    assert Claims(tmp_path / "a.db").claim(KEYS[0])
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_reached_through_links_is_one(tmp_path):
    store = tmp_path / "a.db"
    store.touch()
    (tmp_path / "link.db").symlink_to(store)
    one, other = Claims(store), Claims(tmp_path / "link.db")
    assert one.claim(KEYS[0])
    assert not other.claim(KEYS[0])
    other.close()
    ask = f"from assay._store import Claims; print(Claims(Path({str(store)!r})).claim({KEYS[0]!r}))"
    code = f"from pathlib import Path; {ask}"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
    one.close()


def test_the_log_of_a_store_that_is_reached_through_a_link_is_found(tmp_path):
    (tmp_path / "link.db").symlink_to(tmp_path / "a.db")
    with Store(tmp_path / "a.db") as store:
        with store.changing() as db:
            db.execute("INSERT INTO names (name) VALUES ('new')")
        assert log_of(tmp_path / "link.db").stat().st_size
        with Store(tmp_path / "link.db") as linked:
            assert linked.names() == {"new"}


def test_a_store_in_a_folder_that_is_read_only_has_no_claims(tmp_path):
    claims = Claims(tmp_path / "there is no such folder" / "a.db")
    assert claims.claim(KEYS[0])
    assert claims.claim(KEYS[0])
    claims.close()


def test_a_store_that_nobody_asks_in_has_no_file_beside_it(tmp_path):
    with Store(tmp_path / "a.db") as store:
        assert store.query("SELECT 1") == [(1,)]
    assert not list(tmp_path.glob("*claims"))
