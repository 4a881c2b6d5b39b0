"""Every way to end has its exit code, its words, and no traceback."""

import json

import pytest
from cli_help import FAITHFULNESS, JUDGE, SCRIPT, write_rows

from assay._cli.errors import EXIT_CODES
from assay._store import rows
from support.faults import Faults
from support.llm_server import LLMServer


def test_the_codes_stand_in_the_help(assay):
    shown = assay("--help").stdout
    for line in EXIT_CODES.splitlines():
        assert line in shown


def test_0_everything_scored(assay):
    assert assay(*FAITHFULNESS, *JUDGE).exit_code == 0


def test_0_undefined_is_no_failure(assay, here):
    script = {**SCRIPT, "split_statements": '{"statements": []}'}
    (here / "judge.json").write_text(json.dumps(script), "utf-8")
    assert assay(*FAITHFULNESS, *JUDGE).exit_code == 0


@pytest.fixture
def buggy(here):
    (here / "buggy.py").write_text("def ask(prompt):\n    return {}['oops']\n", "utf-8")
    return ("--judge", "buggy:ask")


def test_1_a_bug_is_told_with_its_place_and_how_to_report_it(assay, buggy):
    result = assay(*FAITHFULNESS, *buggy)
    assert result.exit_code == 1
    assert "unexpected KeyError (buggy.py:2): 'oops'" in result.stderr
    assert "ASSAY_DEBUG=1" in result.stderr
    assert "Traceback" not in result.output


def test_1_a_bug_with_its_traceback_on_request(assay, buggy, monkeypatch):
    result = assay("--debug", *FAITHFULNESS, *buggy)
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr
    monkeypatch.setenv("ASSAY_DEBUG", "1")
    assert "Traceback (most recent call last)" in assay(*FAITHFULNESS, *buggy).stderr


def test_2_bad_input(assay):
    result = assay("run", "nowhere.jsonl")
    assert result.exit_code == 2
    assert result.stderr == "error: there is no file 'nowhere.jsonl' -> check the path\n"
    assert result.stdout == ""


def test_2_bad_usage(assay):
    result = assay("run")
    assert result.exit_code == 2
    assert "Missing argument 'DATA'" in result.stderr


def test_2_a_full_disk_is_no_bug(assay, monkeypatch):
    def fill(connection, *_):
        connection.execute("PRAGMA max_page_count = 1")  # as many as there are
        connection.execute("INSERT INTO texts VALUES (1, 1, randomblob(1000000), 1)")

    with monkeypatch.context() as patch:
        patch.setattr(rows, "write_reply", fill)
        result = assay(*FAITHFULNESS, *JUDGE)
    assert result.exit_code == 2
    assert "cannot be used as a store: database or disk is full -> make room" in result.stderr
    assert assay(*FAITHFULNESS, *JUDGE).exit_code == 0


def test_3_some_scores_failed(assay, here):
    script = {**SCRIPT, "verify_statements": {"cheese": "?", "": SCRIPT["verify_statements"]}}
    (here / "judge.json").write_text(json.dumps(script), "utf-8")
    result = assay(*FAITHFULNESS, *JUDGE)
    assert result.exit_code == 3
    assert "scoring failed on 1 of 2 samples" in result.stdout
    assert "Most often: the judge gave 0 of 2 verdicts: no JSON object in the reply" in " ".join(
        result.stdout.split()
    )
    assert "failed  1 score; the same command asks again for those that got" in result.stdout


def test_3_a_judge_in_this_process_would_fail_again(assay, here):
    row = {"question": "Summarize the following news.", "contexts": ["It rained."]}
    write_rows(here / "data.jsonl", [row])
    result = assay("run", "data.jsonl", "-m", "context_relevance")
    assert result.exit_code == 3
    assert "scoring failed on 1 of 1 sample" in result.stdout
    assert "tries again" not in result.stdout


def test_4_the_judge_refuses(assay):
    with LLMServer(Faults(deny=True)).in_thread() as server:
        judge = ("--judge", "openai:tiny", "--base-url", server.url, "--api-key", "sk-secret-1")
        result = assay(*FAITHFULNESS, *judge)
    assert result.exit_code == 4
    assert "error: " in result.stderr
    assert "0 of 2 scores and every reply that came are kept in assay.db" in result.stderr
    assert "sk-secret-1" not in result.output


def test_the_key_is_kept_nowhere(assay, here):
    with LLMServer().in_thread() as server:
        judge = ("--judge", "openai:tiny", "--base-url", server.url, "--api-key", "sk-secret-1")
        result = assay(*FAITHFULNESS, *judge, "--out", "r.html", "--out", "r.json")
        assert server.log[0].headers["authorization"] == "Bearer sk-secret-1"
    assert result.exit_code == 0, result.output
    assert "sk-secret-1" not in result.output
    for file in here.iterdir():
        assert b"sk-secret-1" not in file.read_bytes()


def test_5_stopped_by_the_budget(assay):
    result = assay(*FAITHFULNESS, *JUDGE, "--budget", "10tok")
    assert result.exit_code == 5
    assert "stopped: " in result.stderr
    assert "budget" in result.stderr
    assert "Stopped early" in result.stdout


def test_5_in_money(assay):
    result = assay(*FAITHFULNESS, *JUDGE, "--budget", "0.000001", "--price", "1/1", "--json")
    assert result.exit_code == 5
    assert "budget in money" in json.loads(result.stdout)["stopped"]


def test_130_interrupted(assay, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay._cli.scoring.evaluate", stop)
    result = assay(*FAITHFULNESS, *JUDGE)
    assert result.exit_code == 130
    assert result.stderr == (
        "interrupted: nothing was asked yet; the same command goes on from there\n"
    )


def test_130_of_any_other_command(assay, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay._cli.metrics._describe_metrics", stop)
    result = assay("metrics")
    assert result.exit_code == 130
    assert result.stderr.strip() == "interrupted"
