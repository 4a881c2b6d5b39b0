"""`assay repeat`: how noisy a judge is, measured, shown and kept."""

import json
import re

import pytest
from cli_help import FAITHFULNESS, JUDGE, SCRIPT, statements, verdicts

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
    assert shown.startswith("The judge always said the same: its noise moves no score. run ")
    beside = " ".join(scored("show").stdout.split())
    assert (
        "faithfulness: asked again 3 times about 2 samples, its judge always said the same"
        in beside
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
