"""`assay diagnose`: what it shows, writes and refuses."""

import json

import pytest
from cli_help import FAITHFULNESS, JUDGE, ROWS, write_rows

from support.llm_server import LLMServer
from support.once import made_once
from support.over import over


@made_once
def known(assay, here):
    """A finished run whose data say which contexts are right."""
    rows = [
        {**ROWS[0], "reference_contexts": ["The tower was finished in 1889."]},
        {**ROWS[1], "reference_contexts": ["It was Goethe who wrote Faust, in two parts."]},
    ]
    write_rows(here / "data.jsonl", rows)
    assert assay(*FAITHFULNESS, *JUDGE).exit_code == 0
    return assay


def test_a_run_ends_with_the_command_that_diagnoses_it(assay):
    assert "assay diagnose " in assay(*FAITHFULNESS, *JUDGE).stdout


def test_it_says_what_went_wrong_what_to_try_and_what_cannot_be_told(scored):
    shown = scored("diagnose")
    assert shown.exit_code == 0
    flat = " ".join(shown.stdout.split())
    assert "2 of 2 samples flagged by the judge (100 %, 95 % interval" in flat
    assert (
        "1. See whether the contexts reach the generator whole. If so, ask for nothing but what they"
        in flat
    )
    assert "It is made of cheese." in flat
    assert "no call more): contradicted, over-claimed (2 samples)" in flat
    assert "assay show" in flat


def test_what_would_tell_more_is_named_once(assay):
    assert assay(*FAITHFULNESS, *JUDGE).exit_code == 0
    told = " ".join(assay("diagnose").stdout.split())
    assert told.count("reference_contexts, reference_context_ids or relevance_grades") == 1


def test_what_the_reference_says_is_not_taken_for_what_the_answer_says(assay, here):
    row = {
        "question": "When was the tower finished?",
        "contexts": ["The tower is 330 metres tall."],
        "answer": "The tower is 330 metres tall.",
        "reference": "The tower was finished by Gustave Eiffel in 1889.",
    }
    write_rows(here / "lost.jsonl", [row])
    assert assay("run", "lost.jsonl", "-m", "context_recall").exit_code == 0
    said = "reference: The tower was finished by Gustave Eiffel in 1889."
    assert said in assay("diagnose").stdout
    assay("diagnose", "--out", "page.html")
    assert said in (here / "page.html").read_text("utf-8")


def test_one_sample_with_all_its_evidence(scored):
    shown = scored("diagnose", "--sample", "faust").stdout
    assert "He was an ox." in shown
    assert "cheese" not in shown


def test_json_holds_every_sample_with_its_findings(scored):
    data = json.loads(scored("diagnose", "--json").stdout)
    assert (data["n_samples"], data["n_failed"], data["n_open"]) == (2, 2, 0)
    (cause,) = data["causes"]
    assert (cause["cause"], cause["n"], cause["checked"]) == ("unsupported", 2, 2)
    assert cause["interval"][0] < 1 == cause["interval"][1]
    assert [one["main"]["evidence"][0]["text"] for one in data["samples"]] == [
        "It is made of cheese.",
        "He was an ox.",
    ]
    one = json.loads(scored("diagnose", "--json", "--sample", "faust").stdout)
    assert one["id"] == "faust"


def test_every_form_it_is_written_in(scored, here):
    outs = [part for out in ("d.md", "d.json", "d.html") for part in ("--out", out)]
    assert scored("diagnose", *outs).exit_code == 0
    assert "| **unsupported** | 2 | 0 |" in (here / "d.md").read_text("utf-8")
    assert json.loads((here / "d.json").read_text("utf-8"))["n_failed"] == 2
    assert "What was flagged, and what to try" in (here / "d.html").read_text("utf-8")


def test_the_counterfactual_is_a_run_of_its_own_that_is_not_diagnosed_in_its_place(known):
    first = json.loads(known("diagnose", "--json").stdout)
    assert first["counterfactual"] is None
    told = json.loads(known("diagnose", "--json", "--counterfactual", *JUDGE).stdout)
    assert told["run"] == first["run"] != told["counterfactual"]["run"]
    assert told["counterfactual"]["n"] == 2
    assert json.loads(known("show", "last", "--json").stdout)["run"] == first["run"]
    assert len(json.loads(known("runs", "--json").stdout)) == 2
    assert json.loads(known("diagnose", "--json").stdout) == told
    # The statements are known, and so is one of the verdicts: the right context of both samples
    # was retrieved or is new.
    runs = json.loads(known("runs", "--json").stdout)
    calls = [run["calls"] for run in runs]
    assert [run["about"] for run in runs] == [f"{first['run'][:8]} re-scored", ""]
    assert calls == [2, 4]


class TestWhatAskingAgainCosts:
    """As for `assay run`: told before, and bounded."""

    @pytest.fixture
    def billed(self, assay, here):
        rows = [{**row, "reference_contexts": [f"So it is: {row['id']}."]} for row in ROWS]
        write_rows(here / "data.jsonl", rows)
        (here / "my_rag.py").write_text("def answer(question, contexts):\n    return contexts[0]\n")
        with LLMServer().in_thread() as server:
            judge = ("--judge", "openai:m", "--api-key", "", "--base-url", server.url)
            assert assay(*FAITHFULNESS, *judge, "--no-progress").exit_code == 0
            yield lambda *more: assay("diagnose", *more, *judge), server

    def test_it_is_estimated_without_asking_anybody(self, billed):
        diagnose, server = billed
        before = server.count()
        told = json.loads(diagnose("--counterfactual", "--dry-run", "--json").stdout)
        assert (told["counterfactual"]["samples"], told["counterfactual"]["calls"]) == (2, 2)
        shown = diagnose("--counterfactual", "--dry-run", "--price", "1/2", "--budget", "1calls")
        assert "This exceeds the budget" in shown.stdout
        target = ("--target", "my_rag.py:answer")
        asked = diagnose("--counterfactual", *target, "--dry-run", "--json")
        assert json.loads(asked.stdout)["target"] == {"ask": 4, "known": 0}
        assert "4 questions to send" in diagnose(*target, "--dry-run").stderr
        assert server.count() == before

    def test_one_budget_holds_for_all_and_the_same_command_goes_on(self, billed):
        diagnose, server = billed
        before = server.count()
        everything = ("--counterfactual", "--target", "my_rag.py:answer", "--no-progress")
        stopped = diagnose(*everything, "--budget", "3calls")
        assert stopped.exit_code == 5, stopped.output
        assert "stopped: " in stopped.stderr
        assert server.count() - before == 3
        assert diagnose("--counterfactual", "--budget", "1calls").exit_code == 0  # it is paid for

    def test_without_asking_nothing_of_it_is_taken(self, scored):
        for option in (("--budget", "3calls"), ("--dry-run",), ("--prompts", "p.toml")):
            refused = scored("diagnose", *option)
            assert refused.exit_code == 2
            assert f"{option[0]} is for --counterfactual, --steps and --target" in refused.stderr

    @over("how", [("--prompts", "p.toml"), ("--reasons", "all")])
    def test_what_a_run_was_judged_with_is_given_again(self, billed, assay, here, how):
        diagnose, server = billed
        prompt = assay("explain", "verify_statements", "--toml").stdout
        (here / "p.toml").write_text(prompt.replace("For every", "Of every"), "utf-8")
        judge = ("--judge", "openai:m", "--api-key", "", "--base-url", server.url)
        assert assay(*FAITHFULNESS, *judge, *how, "--no-progress").exit_code == 0
        refused = diagnose("--counterfactual")
        assert refused.exit_code == 2
        assert "give the --judge, --prompts and --reasons of that run" in refused.stderr
        assert diagnose("--counterfactual", *how).exit_code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", "d.pdf"), "no report ends in '.pdf', but in .md, .json, .html"),
        (("--out", "nowhere/d.md"), "cannot be written"),
        (("--out", "s3://ID:SECRET@b/d.pdf?k=S"), "--out s3://ID@b/d.pdf: no report ends in"),
        (("--sample", "nobody"), "has no sample 'nobody'"),
        (("--judge", "scripted:judge.json"), "--judge is for --counterfactual"),
        (("--counterfactual", "--judge", "scripted:judge.json"), "has reference_contexts"),
        (("--within", "0"), "--within"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_done(scored, options, said):
    refused = scored("diagnose", *options)
    assert refused.exit_code == 2
    assert said in refused.output


class TestASystemAskedAgain:
    @made_once
    def known_rag(self, known, here):
        code = "def answer(question, contexts):\n    return ' '.join(contexts)\n"
        (here / "my_rag.py").write_text(code, "utf-8")
        assert known("run", "data.jsonl", "-m", "string_presence", *JUDGE).exit_code == 0
        return known

    def test_it_says_what_better_retrieval_alone_would_fix(self, known_rag, here):
        ask = ("diagnose", "--target", "my_rag.py:answer", *JUDGE)
        shown = " ".join(known_rag(*ask, "--out", "d.html", "--out", "d.md").stdout.split())
        assert "Asked again with other contexts (2 samples; system asked 4, reused 0)" in shown
        assert "string_presence, right contexts: -50.0 points (-99.8 to +" in shown
        assert "Asked again with other contexts" in (here / "d.html").read_text("utf-8")
        assert "Asked again with other contexts" in (here / "d.md").read_text("utf-8")
        again = json.loads(known_rag(*ask, "--each-wrong", "--json").stdout)["regenerated"]
        assert (again["n"], again["asked"], again["reused"]) == (2, 1, 5)
        assert set(again["runs"]) == {"retrieved", "right", "without"}

    def test_options_that_are_for_a_target_need_one(self, known_rag):
        assert "is for --target" in known_rag("diagnose", "--each-wrong").stderr
        assert "needs a target" in known_rag("diagnose", "--target-rpm", "3").stderr


def test_the_step_that_an_answer_rests_on_is_named(assay, here):
    turns = [
        {"role": "user", "content": "How high is the tower?"},
        {"role": "assistant", "tool_calls": [{"name": "search", "args": {}}]},
        {"role": "tool", "content": "The tower is 330 metres high."},
        {"role": "assistant", "tool_calls": [{"name": "weather", "args": {}}]},
        {"role": "tool", "content": "It rains on Sunday."},
    ]
    row = {"id": "t", "question": turns[0]["content"], "answer": "The tower is 330 metres high."}
    write_rows(here / "talks.jsonl", [{**row, "contexts": [], "turns": turns}])
    assay("run", "talks.jsonl", "-m", "faithfulness", "--quiet")
    result = assay("diagnose", "--steps")
    assert result.exit_code == 0, result.output
    assert "search: decisive in 1 of the 1 answer that used it" in result.stdout
    told = json.loads(assay("diagnose", "--steps", "--json").stdout)["steps"]
    assert told["samples"][0]["decisive"] == [1]
    assert json.loads(assay("diagnose", "--json").stdout)["steps"] is None


def test_a_cause_has_the_same_share_as_all_that_is_flagged_where_it_is_the_only_one(assay, here):
    said = {"question": "How high is the tower?", "contexts": ["The tower is 330 metres tall."]}
    answers = ["The tower is 812 metres tall.", "The tower is 330 metres tall."]
    declining = "I do not know."  # whether rightly cannot be told: the sample is open
    rows = [{**said, "answer": text} for text in (*answers * 3, *[declining] * 4)]
    write_rows(here / "data.jsonl", rows)
    assert assay("run", "data.jsonl", "-m", "faithfulness", "--out", "r.html").exit_code == 0
    shown = " ".join(assay("diagnose").stdout.split())
    assert "3 of 6 samples flagged by the judge (50 %, 95 % interval" in shown
    assert "4 more could not be diagnosed" in shown
    data = json.loads(assay("diagnose", "--json").stdout)
    (cause,) = data["causes"]
    assert (cause["n"], cause["checked"], cause["interval"]) == (3, 6, data["failed"])
    assert data["advice"][0]["interval"] == data["failed"]
    share = "50 % (19 to 81 %) of 6"
    assay("diagnose", "--out", "d.md")
    texts = [shown, *((here / name).read_text("utf-8") for name in ("d.md", "r.html"))]
    assert all(share in text for text in texts)
