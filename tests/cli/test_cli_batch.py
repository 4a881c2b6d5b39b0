"""Batch judges on the command line: what is waited for, and going on after Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from support.batch_server import Batching, BatchServer

ASSAY = (sys.executable, "-c", "from assay._cli import main; main()")
JUDGE = """
from assay import OpenAIBatch

judge = OpenAIBatch("m", base_url="{url}", api_key="key", quiet=0.05, poll=0.05)
"""
ROWS = [
    {"question": f"Who is {n}?", "answer": f"{n} is a king.", "contexts": [f"{n} is a king."]}
    for n in range(8)
]


@pytest.fixture
def served(here):
    with BatchServer(Batching(held=True)).in_thread() as server:
        (here / "batch_judge.py").write_text(JUDGE.format(url=server.url))
        (here / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
        yield server


def command(*more):
    return [*ASSAY, "run", "rows.jsonl", "-m", "faithfulness", *more]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a process of one's own")
def test_interrupted_while_it_waits_it_says_how_to_go_on_and_does(served):
    line = command("--judge", "batch_judge:judge")
    with subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not any(batch["looks"] > 3 for batch in served.batches.values()):
            assert process.poll() is None, process.stderr.read().decode()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Submitted batches continue at the provider" in said
    served.batching = Batching()
    done = subprocess.run(line, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    assert len(served.sizes) == 2
    assert set(served.done.values()) == {1}


def test_a_dry_run_says_how_many_batches(served, assay):
    given = ("--judge", "openai-batch:m", "--base-url", served.url, "--dry-run")
    done = assay("run", "rows.jsonl", "-m", "faithfulness", *given)
    assert "2  batches that they are submitted in, at least" in done.stdout
    assert served.arrived == 0


def test_embeddings_are_not_asked_in_batches(served, assay):
    done = assay("run", "rows.jsonl", "-m", "faithfulness", "--embedder", "openai-batch:m")
    assert done.exit_code == 2
    assert "embeddings are not asked in batches -> openai:m" in done.stderr
