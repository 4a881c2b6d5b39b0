"""The command line as a process: interrupted, piped, and quick to help."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from cli_help import FAITHFULNESS, JUDGE, ROWS, write_rows
from click.testing import CliRunner

from assay._cli import main

FULL = Path("/dev/full")
ASSAY = (sys.executable, "-m", "assay")
SLOW = """
import pathlib, time

def ask(prompt):
    with pathlib.Path("asked.txt").open("a") as file:
        file.write("x")
    time.sleep(0.1)
    if '"verdicts"' in prompt:
        return '{"verdicts": [{"id": "s1", "supported": true}]}'
    return '{"statements": [{"text": "One thing.", "source": ""}]}'
"""

# As a model in this process: a thread that computes, and that Python would wait for at its end.
DEAF = """
import asyncio, concurrent.futures, pathlib, threading

pool = concurrent.futures.ThreadPoolExecutor(1)

async def ask(prompt):
    pathlib.Path("asked.txt").touch()
    await asyncio.get_running_loop().run_in_executor(pool, threading.Event().wait)
"""


# Writes how many new objects there may be before the garbage collector looks.
COLLECTED = """
import gc, pathlib

def ask(prompt):
    pathlib.Path("threshold.txt").write_text(str(gc.get_threshold()[0]))
    return ""
"""


def environment():
    return {**os.environ, "COLUMNS": "80"}


def call(*arguments, **variables):
    return subprocess.run(
        [*ASSAY, *arguments],
        capture_output=True,
        text=True,
        env={**environment(), **variables},
        check=False,
    )


@pytest.mark.slow
def test_the_collector_looks_less_often_in_a_process_of_its_own_alone(here, assay):
    (here / "collected.py").write_text(COLLECTED)
    write_rows(here / "one.jsonl", ROWS[:1])
    line = ("run", "one.jsonl", "-m", "faithfulness", "--judge", "collected:ask")
    before, threshold = gc.get_threshold(), here / "threshold.txt"
    assay(*line, "--store", "here.db")
    assert int(threshold.read_text()) == before[0] == gc.get_threshold()[0]
    call(*line, "--store", "apart.db")
    assert int(threshold.read_text()) >= 10_000


@pytest.fixture
def slow(here):
    (here / "slow_judge.py").write_text(SLOW)
    rows = [
        {**ROWS[0], "id": f"q{n}", "answer": f"It is {n}.", "contexts": [f"c{n}"]}
        for n in range(20)
    ]
    write_rows(here / "many.jsonl", rows)
    line = ("run", "many.jsonl", "-m", "faithfulness", "--judge", "slow_judge:ask")
    return (*line, "--concurrency", "2")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a process of one's own")
def test_interrupted_it_does_not_wait_for_what_cannot_be_called_back(here):
    (here / "deaf_judge.py").write_text(DEAF)
    write_rows(here / "one.jsonl", ROWS[:1])
    line = ("run", "one.jsonl", "-m", "faithfulness", "--judge", "deaf_judge:ask")
    with subprocess.Popen(
        [*ASSAY, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        try:
            deadline = time.monotonic() + 60
            while not (here / "asked.txt").exists():
                assert time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)  # it would never end
        finally:
            process.kill()
    assert process.returncode == 130
    assert b"\ninterrupted: " in b"\n" + told  # after the warning about its pool


def signalled(command, here, name):
    """Exit code, output and messages of a command that gets a signal in the middle of its calls."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        asked = here / "asked.txt"
        deadline = time.monotonic() + 20
        while not (asked.exists() and asked.stat().st_size >= 14):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(name)
        out, told = process.communicate(timeout=20)
    return process.returncode, out, told


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a process of one's own")
@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_the_middle_the_same_command_goes_on(slow, here, name):
    code, out, told = signalled([*ASSAY, *slow], here, name)
    asked = here / "asked.txt"
    assert code == 130
    assert out == ""
    assert told.startswith("interrupted: ")
    assert told.endswith("are kept in assay.db; the same command goes on from there\n")
    assert len(told.splitlines()) == 1
    before = asked.stat().st_size
    shown = json.loads(call("show", "--json").stdout)
    assert shown["stopped"] == "interrupted"

    again = call(*slow, "--concurrency", "16", "--json")
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert found["run"] == shown["run"]
    assert found["metrics"][0]["n_scored"] == 20
    # 40 calls in all; those in flight when the signal came are asked once more.
    assert 40 <= asked.stat().st_size <= 42
    assert before < 40


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGTERM to a process of one's own")
def test_asked_to_end_where_ctrl_c_is_ignored_it_keeps_what_it_has(slow, here):
    ignoring = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    ignoring += "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    command = [sys.executable, "-c", ignoring, *ASSAY[1:], *slow]
    code, _, told = signalled(command, here, signal.SIGTERM)
    asked = here / "asked.txt"
    assert (code, told[:13]) == (130, "interrupted: ")
    again = call(*slow, "--concurrency", "16", "--json")
    assert again.returncode == 0, again.stderr
    assert 40 <= asked.stat().st_size <= 42


@pytest.mark.slow
@pytest.mark.parametrize("word", ["metrics", "--help"])
def test_a_reader_that_leaves_early_is_no_error(scored, word):
    process = subprocess.Popen(
        [*ASSAY, word], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert (process.wait(10), told) == (0, b"")


@pytest.mark.slow
def test_an_old_code_page_is_no_error(here):
    write_rows(here / "data.jsonl", [{**ROWS[0], "id": "tür–😀"}, ROWS[1]])
    assert call(*FAITHFULNESS, *JUDGE, PYTHONIOENCODING="ascii").returncode == 0
    shown = call("show", PYTHONIOENCODING="ascii")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "t\\xfcr" in shown.stdout
    assert "\\u" not in shown.stdout  # marks and bars have plain ones in their place
    found = json.loads(call("show", "--json", PYTHONIOENCODING="ascii").stdout)
    assert found["worst"]["faithfulness"]["lowest"][0]["sample"] == "tür–😀"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_the_signs_of_tables_are_others_in_an_old_code_page(scored, here, encoding):
    def shown(*arguments):
        return CliRunner(charset=encoding).invoke(main, arguments).stdout

    evidence = shown("show", "--sample", "tower")
    assert "  + The tower was finished in 1889." in evidence
    assert "  x " in evidence
    rows = [{**ROWS[0], "id": str(n)} for n in range(9)]
    for n in (8, 9):
        write_rows(here / f"{n}.jsonl", rows[:n])
        assert scored("run", f"{n}.jsonl", *FAITHFULNESS[2:], *JUDGE, "--name", n).exit_code == 0
    assert "    #" in shown("show")
    compared = shown("compare", "8", "9") + shown("history")
    assert "+/=/-" in compared
    assert "|--" in compared
    assert "\\u" not in shown("show") + evidence + compared


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_a_full_disk_is_no_bug(scored):
    with FULL.open("w") as full:
        told = subprocess.run(
            [*ASSAY, "show", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            check=False,
        )
    assert told.returncode == 2
    assert "make room on the disk" in told.stderr
    assert "bug" not in told.stderr


@pytest.mark.slow
def test_piped_there_are_no_colours_and_no_bar(here):
    result = call(*FAITHFULNESS, *JUDGE)
    assert result.returncode == 0
    assert "\x1b" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["--help"], ("rich", "numpy", "aiohttp", "msgspec", "jinja2")),
        (["run", "--help"], ("rich", "numpy", "aiohttp", "jinja2", "assay.metrics")),
    ],
)
def test_help_imports_nothing_heavy(here, words, heavy):
    program = (
        "import sys; from assay._cli import main\n"
        f"try: main({words})\n"
        "except SystemExit: pass\n"
        f"print(sorted({set(heavy)} & set(sys.modules)))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout.splitlines()[-1] == "[]"


def test_completion_offers_the_commands_with_their_help():
    offered = main.shell_complete(click.Context(main), "ru")
    assert [(item.value, bool(item.help)) for item in offered] == [("run", True), ("runs", True)]


STUCK = """
import asyncio, pathlib

async def ask(prompt):
    with pathlib.Path("asked.txt").open("a") as file:
        file.write("x" * 7)
    await asyncio.sleep(3600)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a process of one's own")
def test_interrupted_it_says_how_many_calls_may_be_billed(slow, here):
    (here / "slow_judge.py").write_text(STUCK)
    code, _, told = signalled([*ASSAY, *slow], here, signal.SIGINT)
    assert code == 130
    assert "2 calls on the way brought no reply in time: the provider may bill them" in told
