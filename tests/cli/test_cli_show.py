"""`assay show`, `runs`, `report` and `metrics`: what is in the store, and what there is."""

import json
import os

import click
import pytest
from cli_help import FAITHFULNESS, JUDGE, SCRIPT, verdicts

from assay._cli import main
from assay.metrics import METRICS
from support.over import over


def run_id(assay):
    return json.loads(assay("runs", "--json").stdout)[0]["run"]


def test_show_tells_the_scores_and_the_worst_samples(scored):
    result = scored("show")
    assert result.exit_code == 0
    assert "faithfulness, worst first" in result.stdout
    assert "0.50  tower  When was the tower finished?" in result.stdout
    assert f"assay show {run_id(scored)[:8]} --sample ID" in result.stdout


def test_show_cuts_questions_but_neither_scores_nor_ids(assay, here):
    name, asked = "a-collection:0123456789-of-a-model", "Why is the sky so very blue? " * 20
    row = {"id": name, "question": asked, "contexts": ["It is."], "answer": "It is blue."}
    (here / "long.jsonl").write_text(json.dumps(row), "utf-8")
    assert assay("run", "long.jsonl", "-m", "answer_relevancy").exit_code == 0
    value = json.loads(assay("show", "--json").stdout)["metrics"][0]["mean"]
    shown = assay("show").stdout
    assert f"{value:.2f}  {name}  Why is the sky" in shown
    assert asked not in shown


def test_a_run_that_goes_by_another_name_says_so(scored, here):
    (here / "copy.jsonl").write_bytes((here / "data.jsonl").read_bytes())
    copied = scored(*FAITHFULNESS[:1], "copy.jsonl", *FAITHFULNESS[2:], *JUDGE)
    assert "copy.jsonl holds the samples of data.jsonl" in copied.stdout
    assert "holds the samples of" not in scored(*FAITHFULNESS, *JUDGE).stdout


def test_show_takes_the_beginning_of_an_id_and_last(scored):
    whole = scored("show").stdout
    assert scored("show", "last").stdout == whole
    assert scored("show", run_id(scored)[:4]).stdout == whole


def test_show_one_sample_with_its_evidence(scored):
    result = scored("show", "--sample", "tower")
    assert "It is made of cheese." in result.stdout
    assert "so it is" in result.stdout
    assert '"verdicts"' not in result.stdout


def test_show_one_sample_counts_nothing_over_the_whole_run(scored, monkeypatch):
    def refuse(*_):
        raise AssertionError("one sample was asked for")

    monkeypatch.setattr("assay._runner.result.summarise", refuse)
    for more in ([], ["--json"], ["-m", "faithfulness"]):
        assert scored("show", "--sample", "tower", *more).exit_code == 0


def test_show_counts_sentences_that_do_not_help_unless_the_metric_is_named(assay, here):
    filler = " ".join(f"Otters of brood {n} sleep in the reeds." for n in range(9))
    row = {"id": "mill", "question": "When was the mill built?", "answer": "In 1873."}
    row["contexts"] = [f"The mill was built in 1873. {filler}"]
    (here / "long.jsonl").write_text(json.dumps(row), "utf-8")
    assert assay("run", "long.jsonl", "-m", "context_relevance").exit_code == 0
    brief = assay("show", "--sample", "mill").stdout
    assert "Sentences of the contexts: 1 relevant, 9 not relevant" in brief
    assert "The mill was built in 1873." in brief
    assert "Otters" not in brief.partition("Sentences")[2]
    assert "9 not relevant ones are left out: --metric 'context_relevance' has them" in brief
    whole = assay("show", "--sample", "mill", "--metric", "context_relevance").stdout
    assert whole.count("Otters of brood") >= 9


def test_show_names_the_tokens_that_are_least_alike(assay, here):
    row = {"id": "mill", "question": "When?", "answer": "The mill was built of red brick in 1873."}
    (here / "tokens.jsonl").write_text(json.dumps({**row, "reference": "In 1873."}), "utf-8")
    assert assay("run", "tokens.jsonl", "-m", "bert_score").exit_code == 0
    brief = assay("show", "--sample", "mill").stdout
    assert brief.count("closest: ") == 6
    assert "7 closer ones are left out: --metric 'bert_score' has them" in brief
    whole = assay("show", "--sample", "mill", "--metric", "bert_score").stdout
    assert whole.count("closest: ") > 10


def test_show_says_once_why_where_metrics_share_their_verdicts(assay, here):
    row = {"id": "a", "question": "How high?", "contexts": ["It is 12 m high."]}
    (here / "high.jsonl").write_text(json.dumps({**row, "answer": "It is 15 m high."}), "utf-8")
    assert assay("run", "high.jsonl", "-m", "faithfulness,hallucination_spans").exit_code == 0
    every = assay("show", "last", "--sample", "a").stdout
    assert every.count("closest sentence") == 1
    assert "; why: see faithfulness" in every
    alone = assay("show", "last", "--sample", "a", "--metric", "hallucination_spans").stdout
    assert "closest sentence" in alone
    assert "why: see" not in alone


def test_what_failed_altogether_is_neither_diagnosed_nor_reported_next(assay, here):
    (here / "judge.json").write_text(json.dumps({**SCRIPT, "verify_statements": "?"}), "utf-8")
    shown = assay(*FAITHFULNESS, *JUDGE).stdout
    assert "--sample tower --raw" in shown
    assert "assay diagnose" not in shown
    assert "assay report" not in shown


def test_a_sample_with_the_best_score_is_not_listed_among_the_worst(assay, here):
    good = {**SCRIPT, "verify_statements": verdicts(s1=True, s2=True)}
    (here / "judge.json").write_text(json.dumps(good), "utf-8")
    assert assay(*FAITHFULNESS, *JUDGE).exit_code == 0
    shown = assay("show")
    assert shown.exit_code == 0
    assert "worst first" not in shown.stdout
    assert "--sample ID" in shown.stdout


def test_show_raw_has_every_word(scored):
    result = scored("show", "--sample", "tower", "--raw", "-m", "faithfulness")
    assert '"supported": true' in result.stdout
    assert "Paris is a city." in result.stdout


def test_show_json(scored):
    found = json.loads(scored("show", "--json").stdout)
    lowest = found["worst"]["faithfulness"]["lowest"]
    assert [(low["sample"], low["value"]) for low in lowest] == [("tower", 0.5), ("faust", 0.5)]
    assert found["metrics"][0]["mean"] == 0.5


def test_show_json_of_a_sample_has_replies_on_request_only(scored):
    line = ("show", "--sample", "faust", "--json")
    plain = json.loads(scored(*line).stdout)["scores"]["faithfulness"]
    assert [part["label"] for part in plain["parts"]] == ["supported", "unsupported"]
    assert "replies" not in plain
    raw = json.loads(scored(*line, "--raw").stdout)["scores"]["faithfulness"]
    assert [reply["kind"] for reply in raw["replies"]] == ["split_statements", "verify_statements"]


def test_show_lists_what_failed_and_why(assay, here):
    (here / "judge.json").write_text(json.dumps({**SCRIPT, "verify_statements": "?"}), "utf-8")
    assert assay(*FAITHFULNESS, *JUDGE).exit_code == 3
    shown = assay("show").stdout
    assert "failed  tower" in shown
    assert "verdicts" in shown
    failed = json.loads(assay("show", "--json").stdout)["worst"]["faithfulness"]["failed"]
    assert [low["sample"] for low in failed] == ["tower", "faust"]


def test_show_one_metric_by_name_label_or_old_name(assay):
    specs = "factual_correctness(mode=recall),context_utilization"
    assert assay("run", "data.jsonl", "-m", specs).exit_code == 0
    for name in ("factual_correctness", "factual_correctness(mode=recall)"):
        shown = assay("show", "-m", name).stdout
        assert "factual_correctness(mode=recall), worst first" in shown
        assert "context_precision_without_reference, worst first" not in shown
    shown = assay("show", "-m", "context_utilization").stdout
    assert "context_precision_without_reference, worst first" in shown


@pytest.mark.slow
def test_runs_newest_first(scored):
    scored(*FAITHFULNESS, "--limit", "1")
    rows = json.loads(scored("runs", "--json").stdout)
    assert [row["samples"] for row in rows] == [1, 2]
    assert rows[1]["scores"] == {"done": 2, "failed": 0, "unanswered": 0, "all": 2}
    shown = scored("runs").stdout
    assert "finished" in shown
    assert "data.jsonl, 1 metric, 4 calls, judged by scripted:judge.json" in shown


def test_runs_names_no_judge_where_no_metric_asks_one(assay):
    assert assay("run", "data.jsonl", "-m", "rouge").exit_code == 0
    for command in (("runs",), ("describe", "last")):
        shown = assay(*command).stdout
        assert "data.jsonl" in shown
        assert "judged by" not in shown


def test_runs_tells_what_stopped_a_run(assay):
    assay(*FAITHFULNESS, *JUDGE, "--budget", "10tok")
    assert "stopped: the next call could exceed" in " ".join(assay("runs").stdout.split())


def test_report_of_an_earlier_run(scored, here):
    result = scored("report", "last", "--out", "r.html", "--out", "r.md")
    assert (result.exit_code, result.stdout) == (0, "report  r.html\nreport  r.md\n")
    assert "cheese" in (here / "r.html").read_text("utf-8")


def test_report_that_cannot_be_written(scored, here, monkeypatch):
    def full(self, path):
        path.write_text("the first half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("assay._runner.result.Result.to_jsonl", full)
    (here / "old.jsonl").write_text("the report of before")
    before = set(here.iterdir())
    for name in ("new.jsonl", "old.jsonl"):
        result = scored("report", "--out", name)
        assert result.exit_code == 2
        assert f"{name} cannot be written: No space left on device" in result.stderr
    assert {file.name for file in set(here.iterdir()) - before} <= {"assay.db"}
    assert (here / "old.jsonl").read_text() == "the report of before"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_report_can_be_written_to_a_pipe(scored, here):
    os.mkfifo(here / "pipe.md")
    reader = os.open(here / "pipe.md", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert scored("report", "--out", "pipe.md").exit_code == 0
        assert os.read(reader, 1 << 16).startswith(b"## assay run `data.jsonl")
    finally:
        os.close(reader)


def test_metrics_names_them_all_with_what_they_need(assay):
    shown = assay("metrics").stdout
    rows = {row["name"]: row for row in json.loads(assay("metrics", "--json").stdout)}
    assert set(rows) == set(METRICS)
    assert all(name in shown for name in METRICS)
    assert rows["faithfulness"]["needs"] == ["question", "contexts", "answer"]
    assert rows["faithfulness"]["embedded_lacks"] == []
    assert rows["paper:faithfulness"]["embedded_lacks"] == ["paper_statements", "paper_verdicts"]
    assert "answer_relevance" in rows["answer_relevancy"]["aliases"]


def test_help_of_run_groups_every_option_but_help_itself(assay):
    shown = assay("run", "--help").stdout
    assert "\nWho judges:\n  --judge" in shown
    assert shown.partition("\nOther:\n")[2] == "  -h, --help  Show this message and exit.\n"
    for option in main.get_command(click.Context(main), "run").params:
        assert isinstance(option, click.Argument) or f"{max(option.opts, key=len)} " in shown


def test_help_groups_the_commands(assay):
    shown = assay("--help").stdout
    assert "\nCheck the judge:\n  repeat       Ask the judge" in shown
    for command in main.list_commands(click.Context(main)):
        assert f"\n  {command} " in shown


def test_version(assay):
    assert assay("--version").stdout.startswith("assay, version ")


@over("command", ["run", "show", "runs", "report", "metrics", "explain", "doctor"])
def test_help_of_every_command(assay, command):
    result = assay(command, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: main {command}")
