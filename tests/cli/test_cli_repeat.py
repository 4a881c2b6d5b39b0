"""`assay repeat`: how noisy a judge is, measured, shown and kept."""

import json
import re

import pytest
from cli_help import FAITHFULNESS, JUDGE, SCRIPT, statements, verdicts

from support.llm_server import LLMServer
from support.once import made_once

WAVERING = {
    **SCRIPT,
    "verify_statements": [verdicts(s1=True, s2=False), verdicts(s1=True, s2=True)],
}


def test_a_judge_that_always_says_the_same(scored):
    result = scored("repeat", *JUDGE, "--no-progress")
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert "2 samples judged 3 more times" in shown
    assert re.search(r"asked 12, [\d,]+ tokens in, [\d,]+ tokens out$", shown)
    again = " ".join(scored("repeat", *JUDGE, "--no-progress").stdout.split())
    assert again == shown  # nothing was asked again, and what it took in all is told
    assert shown.startswith("The judge always said the same (of at most 66 % of samples it does ")
    beside = " ".join(scored("show").stdout.split())
    assert (
        "faithfulness: asked again 3 times about 2 samples, the judge always said the same "
        "(of at most 66 % of samples it does not)" in beside
    )


@made_once
def wavering(assay, here):
    (here / "judge.json").write_text(json.dumps(WAVERING), "utf-8")
    assert assay(*FAITHFULNESS, *JUDGE).exit_code == 0
    return assay


def test_a_judge_that_changes_its_mind(wavering):
    result = wavering("repeat", *JUDGE, "--draws", "1", "--no-progress")
    shown = " ".join(result.stdout.split())
    assert "statement: 50.0 % of 4" in shown  # the second statement of each sample
    assert "verify_statements: 2 of 2 tasks answered in other words" in shown
    assert "finished, repetition 1 of" in " ".join(wavering("runs").stdout.split())
    beside = " ".join(wavering("show").stdout.split())
    assert "50.0 % (" in beside
    assert "of verdicts on statements flip" in beside


def test_as_json(wavering):
    found = json.loads(wavering("repeat", *JUDGE, "--draws", "1", "--json", "--no-progress").stdout)
    noise = found["metrics"]["faithfulness"]
    assert noise["means"] == [0.5, 1.0]
    assert noise["sd"] == pytest.approx(0.125**0.5)
    assert noise["flips"]["statement"]["rate"] == 0.5
    shown = json.loads(wavering("show", "--json").stdout)
    assert shown["metrics"][0]["noise"]["sd"] == noise["sd"]


def test_last_is_still_the_run_that_was_asked_for(wavering):
    before = json.loads(wavering("show", "--json").stdout)["run"]
    wavering("repeat", *JUDGE, "--draws", "1", "--no-progress")
    assert json.loads(wavering("show", "--json").stdout)["run"] == before


def test_another_judge_than_the_runs_is_bad_input(scored, here):
    other = {**SCRIPT, "split_statements": statements("x")}
    (here / "other.json").write_text(json.dumps(other), "utf-8")
    result = scored("repeat", "--judge", "scripted:other.json")
    assert result.exit_code == 2
    assert "was judged otherwise" in result.stderr
    assert "give the judge, the embedder and the prompts of that run" in result.stderr


class TestWhatItCosts:
    """As for `assay run`: told before, bounded, and counted afterwards."""

    def test_it_is_estimated_without_asking_anybody(self, scored):
        before = scored("runs").stdout
        shown = " ".join(scored("repeat", *JUDGE, "--dry-run", "--price", "1/2").stdout.split())
        assert "2 samples 6 scores in all" in shown
        assert "12 calls to be made to scripted:" in shown
        assert "Nothing was asked, nothing was spent." in shown
        assert scored("runs").stdout == before
        data = json.loads(scored("repeat", *JUDGE, "--dry-run", "--json").stdout)
        assert (data["samples"], data["scores"], data["calls"], data["known"]) == (2, 6, 12, 0)
        scored("repeat", *JUDGE, "--draws", "2", "--no-progress")
        data = json.loads(scored("repeat", *JUDGE, "--dry-run", "--json").stdout)
        assert (data["calls"], data["known"]) == (4, 8)  # what was asked is not asked again

    def test_another_judge_than_the_runs_has_no_estimate(self, scored):
        result = scored("repeat", "--judge", "embedded", "--dry-run")
        assert result.exit_code == 2
        assert "was judged otherwise" in result.stderr

    def test_a_budget_holds_for_all_repetitions_and_the_same_command_goes_on(self, assay, here):
        judge = ("--judge", "openai:m", "--api-key", "")
        with LLMServer().in_thread() as server:
            judge += ("--base-url", server.url, "--no-progress")
            assert assay(*FAITHFULNESS, *judge).exit_code == 0
            before = server.count()
            told = json.loads(assay("repeat", *judge[:-1], "--dry-run", "--json").stdout)
            stopped = assay("repeat", *judge, "--budget", "6calls")
            assert stopped.exit_code == 5, stopped.output
            assert "stopped: repetition 2 of 3: " in stopped.stderr
            assert "in calls" in stopped.stderr
            assert "noise" not in stopped.stdout
            assert server.count() - before == 6
            shown = assay("repeat", *judge, "--price", "1/2")
            assert server.count() - before == told["calls"] == 12
        assert shown.exit_code == 0
        assert re.search(r"asked 12, .* tokens out, cost [\d.]+", shown.stdout)

    def test_what_a_budget_cut_short_is_no_measure_of_noise(self, assay, here):
        judge = ("--judge", "openai:m", "--api-key", "")
        with LLMServer().in_thread() as server:
            judge += ("--base-url", server.url, "--no-progress")
            assay(*FAITHFULNESS, *judge)
            assay("repeat", *judge, "--budget", "6calls")
        assert json.loads(assay("show", "--json").stdout)["metrics"][0]["noise"] is None


def test_interrupted_it_says_what_is_kept(scored, monkeypatch):
    from assay._analysis import repeat as analysis

    async def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(analysis, "score_run", stopped)
    result = scored("repeat", *JUDGE, "--no-progress")
    assert result.exit_code == 130
    kept = "interrupted: every reply that came is kept in assay.db; the same command goes on"
    assert kept in " ".join(result.stderr.split())
