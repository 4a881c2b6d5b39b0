"""`assay metrics --compare`: several definitions on the same samples, side by side."""

import json

import pytest
from cli_help import JUDGE, SCRIPT, verdicts

from support.llm_server import LLMServer

TWO = ("faithfulness", "deepeval:faithfulness")


@pytest.fixture
def judged(here):
    """The second statement of either row is supported by nothing; the tower's is contradicted."""
    items = json.loads(verdicts(s1=True, s2=False))["verdicts"]
    told = {}
    for words, contradicted in (("cheese", True), ("ox", False)):
        items[1]["contradicted"] = contradicted
        told[words] = json.dumps({"verdicts": items})
    (here / "judge.json").write_text(json.dumps({**SCRIPT, "verify_statements": told}), "utf-8")


def compare(assay, *more):
    return assay("metrics", "--compare", "data.jsonl", *more, *JUDGE)


def test_the_same_evidence_gives_each_definition_its_own_number(assay, judged):
    found = json.loads(compare(assay, *TWO, "--json").stdout)
    assert {row["metric"]: row["mean"] for row in found["metrics"]} == {
        "faithfulness": 0.5,
        "deepeval:faithfulness": 0.75,
    }
    faust, tower = found["samples"]
    assert (faust["sample"], faust["spread"]) == ("faust", 0.5)
    assert faust["values"] == {"faithfulness": 0.5, "deepeval:faithfulness": 1.0}
    assert faust["evidence"]["faithfulness"] == "1 supported, 1 unsupported"
    assert (tower["sample"], tower["spread"]) == ("tower", 0.0)


def test_the_screen_shows_means_the_samples_that_differ_and_why(assay, judged):
    shown = compare(assay, *TWO).stdout
    assert "faithfulness           0.50" in shown
    assert "deepeval:faithfulness  0.75" in shown
    assert "faust  Who wrote Faust?" in shown
    assert "tower  When" not in shown, "on it they agree"
    assert "Share of the answer's statements that no retrieved context contradicts." in shown


def test_a_mean_short_of_perfect_is_not_shown_as_perfect(assay, here):
    (here / "own_near.py").write_text(
        "import assay\n\n"
        "@assay.metric(needs=('answer',))\n"
        "def near(sample, judge):\n"
        "    return 0.9996\n\n"
        "@assay.metric(needs=('answer',))\n"
        "def full(sample, judge):\n"
        "    return 1.0\n",
        "utf-8",
    )
    shown = compare(assay, "own_near:near", "own_near:full").stdout
    rows = [line.split() for line in shown.splitlines()]
    assert ["near", "0.9996", "2", "0", "0", "higher"] in rows
    assert ["full", "1.00", "2", "0", "0", "higher"] in rows


def test_no_question_is_asked_twice(assay, judged):
    assert compare(assay, *TWO, "--json").exit_code == 0
    run = json.loads(assay("show", "--json").stdout)
    assert run["cost"]["calls"] == 4, "statements and verdicts of two samples"


def test_metrics_that_agree_everywhere_are_said_to(assay, judged):
    shown = compare(assay, "faithfulness", "ragas:faithfulness", "--limit", "1")
    if shown.exit_code == 2:  # no such definition
        shown = compare(assay, *TWO, "--limit", "1")
    assert "No sample on which they differ." in shown.stdout


def test_an_error_rate_is_compared_the_other_way_round(assay, judged):
    found = json.loads(
        compare(assay, "faithfulness", "support.own_metrics:unfaithfulness", "--json").stdout
    )
    assert [row["higher_is_better"] for row in found["metrics"]] == [True, False]
    assert {row["spread"] for row in found["samples"]} == {0.0}


def test_a_sample_without_a_score_says_why(assay, here, judged):
    rows = [{"id": "mute", "question": "Who?", "contexts": ["It is."], "answer": "cheese"}]
    (here / "data.jsonl").write_text(json.dumps(rows[0]), "utf-8")
    empty = {**SCRIPT, "split_statements": '{"statements": []}'}
    (here / "judge.json").write_text(json.dumps(empty), "utf-8")
    (row,) = json.loads(compare(assay, *TWO, "--json").stdout)["samples"]
    assert row["values"] == {"faithfulness": None, "deepeval:faithfulness": None}
    assert row["evidence"]["faithfulness"] == "undefined: the answer makes no statement"
    assert row["spread"] == 0.0


@pytest.mark.parametrize("names", [(), ("faithfulness",)])
def test_fewer_than_two_are_no_comparison(assay, names):
    result = compare(assay, *names)
    assert result.exit_code == 2
    assert "--compare takes two metrics or more" in result.stderr


def test_metrics_lists_only_those_that_are_named(assay):
    rows = json.loads(assay("metrics", "factual_correctness(beta=2),bleu", "--json").stdout)
    assert [row["name"] for row in rows] == ["factual_correctness", "bleu"]
    assert rows[0]["parameters"]["beta"] == 2.0
    shown = assay("metrics", "support.own_metrics:brevity").stdout
    assert "1 for an answer of at most four words." in shown
    assert "asks nobody" in shown


def test_a_metric_that_is_not_there_is_told(assay):
    result = assay("metrics", "faithfullness")
    assert result.exit_code == 2
    assert "did you mean 'faithfulness'" in result.stderr


def test_questions_do_not_steer_the_terminal(assay, judged, here):
    text = (here / "data.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    lines = [json.dumps({**row, "question": f"{row['question']}\x1b[2J"}) for row in rows]
    (here / "data.jsonl").write_text("\n".join(lines), "utf-8")
    shown = compare(assay, *TWO).stdout
    assert "\x1b" not in shown
    assert "[U+001B]" in shown


def test_what_it_costs_is_told_before_and_bounded(assay, here):
    with LLMServer().in_thread() as server:
        judge = ("--judge", "openai:m", "--api-key", "", "--base-url", server.url)
        asked = ("metrics", "--compare", "data.jsonl", *TWO, *judge)
        told = json.loads(assay(*asked, "--dry-run", "--json").stdout)
        assert (told["samples"], server.count()) == (2, 0)
        assert told["calls"] > 2
        assert "2 samples" in " ".join(assay(*asked, "--dry-run").stdout.split())
        stopped = assay(*asked, "--budget", "2calls", "--no-progress")
        assert stopped.exit_code == 5, stopped.output
        assert server.count() == 2
    refused = assay("metrics", "faithfulness", "--budget", "2calls")
    assert "--budget is for --compare" in refused.stderr
