"""`assay run` does what its options say."""

import itertools
import json
import re
import sys
from pathlib import Path

import pytest
from cli_help import FAITHFULNESS, JUDGE, ROWS, SCRIPT, write_rows

from assay import errors
from assay._cli import values
from support.llm_server import LLMServer
from support.over import over

LISTED = ("--price", "list")


def summary(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_scores_and_says_where_everything_is_and_what_to_do_next(assay):
    result = assay(*FAITHFULNESS, *JUDGE, "--out", "r.html")
    assert result.exit_code == 0, result.output
    assert "faithfulness" in result.stdout
    assert "0.50" in result.stdout
    for text in ("r.html", "assay.db", "assay show", "--sample tower"):
        assert text in result.stdout
    assert result.stderr == ""


def test_json_and_nothing_else_on_stdout(assay):
    found = summary(assay(*FAITHFULNESS, *JUDGE, "--json"))
    assert found["metrics"][0]["mean"] == 0.5
    assert found["metrics"][0]["n_scored"] == 2
    assert found["finished"] is True
    assert found["stopped"] == ""
    assert found["cost"]["calls"] == 4
    assert found["store"] == "assay.db"


def test_quiet_says_nothing_at_all(assay):
    result = assay(*FAITHFULNESS, *JUDGE, "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_quiet_leaves_json(assay):
    assert summary(assay(*FAITHFULNESS, *JUDGE, "--quiet", "--json"))["samples"] == 2


def test_again_it_is_the_same_run_and_costs_no_call(assay):
    first = summary(assay(*FAITHFULNESS, *JUDGE, "--json"))
    again = summary(assay(*FAITHFULNESS, *JUDGE, "--json"))
    assert again["run"] == first["run"]
    assert again["cost"]["calls"] == first["cost"]["calls"]


def test_every_form_of_report_by_its_ending(assay, here):
    outs = ["r.html", "r.md", "r.jsonl", "r.json", "R2.HTML"]
    given = [part for out in outs for part in ("--out", out)]
    assert assay(*FAITHFULNESS, *JUDGE, *given).exit_code == 0
    assert (here / "r.html").read_text("utf-8").lstrip().lower().startswith("<!doctype html>")
    assert (here / "R2.HTML").stat().st_size > 1000
    assert "| `faithfulness` | 0.50 (" in (here / "r.md").read_text("utf-8")
    lines = (here / "r.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[0])["scores"]["faithfulness"]["value"] == 0.5
    whole = json.loads((here / "r.json").read_text("utf-8"))
    assert whole["samples"][0]["scores"]["faithfulness"]["replies"][0]["kind"] == "split_statements"


def test_metrics_one_by_one_or_by_commas_outside_parentheses(assay):
    specs = ("-m", "faithfulness,factual_correctness(mode=recall,beta=2)", "-m", "context_recall")
    found = summary(assay("run", "data.jsonl", *specs, "--json"))
    names = [row["metric"] for row in found["metrics"]]
    assert names == ["faithfulness", "factual_correctness(mode=recall,beta=2)", "context_recall"]


def test_without_metrics_those_that_the_columns_fill_and_says_which(assay, here):
    rows = [{k: v for k, v in row.items() if k != "reference"} for row in ROWS]
    write_rows(here / "short.jsonl", rows)
    result = assay("run", "short.jsonl", "--json")
    names = [row["metric"] for row in summary(result)["metrics"]]
    assert names == [
        "faithfulness",
        "answer_relevancy",
        "context_relevance",
        "context_precision_without_reference",
        "hallucination_spans",
        "answer_relevance_by_statement",
    ]
    assert "metrics that the data fills: faithfulness, answer_relevancy" in result.stderr
    assert (
        "left out, since no row holds reference: context_precision, context_recall" in result.stderr
    )


def test_without_metrics_the_columns_are_named_that_may_hold_what_is_missing(assay, here):
    (here / "bot.csv").write_text("Question,Context 1,Context 2,Reply\nq?,one,two,it is one\n")
    told = assay("run", "bot.csv", "--dry-run").stderr
    assert "since no row holds contexts: faithfulness, " in told.replace("\n", " ")
    assert "did you mean --map 'contexts=Context #'?" in told
    mapped = assay("run", "bot.csv", "--dry-run", "--map", "contexts=Context #").stderr
    assert "did you mean" not in mapped


def test_without_metrics_a_gap_in_one_row_leaves_no_metric_out(assay, here):
    write_rows(here / "gap.jsonl", [ROWS[0], {**ROWS[1], "reference": None}])
    result = assay("run", "gap.jsonl", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "left out" not in result.stderr
    assert "context_recall" in result.stderr
    apart = [{"question": "q", "contexts": ["c"]}, {"question": "q", "answer": "a"}]
    write_rows(here / "apart.jsonl", apart)
    told = assay("run", "apart.jsonl", "--dry-run").stderr
    assert "left out, since no row holds all of question, contexts, answer: faithfulness" in told


def test_a_row_that_lacks_a_field_of_one_metric_is_scored_by_the_others(assay, here):
    write_rows(here / "gap.jsonl", [ROWS[0], {**ROWS[1], "reference": None}])
    line = ("run", "gap.jsonl", "-m", "exact_match,chrf,latency_ms", "--map", "latency_ms=")
    told = "1 of 2 rows has no 'reference' (the first is row 2): exact_match and chrf are undefined"
    refused = assay(*line)
    assert refused.exit_code == 2
    assert "'latency_ms'" in refused.stderr
    line = ("run", "gap.jsonl", "-m", "exact_match,chrf")
    result = assay(*line)
    assert result.exit_code == 0, result.output
    assert told in " ".join(result.stdout.split())
    for row in summary(assay(*line, "--json"))["metrics"]:
        assert (row["n_scored"], row["n_undefined"]) == (1, 1)
    assert summary(assay(*line, "--json"))["notes"] == [f"{told} there"]
    checked = assay("check", "gap.jsonl", "-m", "exact_match,chrf")
    assert checked.exit_code == 0
    assert checked.stdout == f"gap.jsonl: 2 rows, nothing wrong\n  note: {told} there\n"


def test_without_metrics_a_file_without_rows_is_told_before_anything_else(assay, here):
    (here / "head.csv").write_text("question,answer\n", "utf-8")
    (here / "none.json").write_text("[]", "utf-8")
    for name in ("head.csv", "none.json"):
        result = assay("run", name, "--map", "question=q")
        assert result.exit_code == 2
        assert result.stderr == f"error: '{name}' holds no rows -> give at least one row\n"


def test_without_metrics_a_question_that_was_not_answered_leaves_no_metric_out(assay, here):
    silent = {**ROWS[1], "answer": None, "failure": "time-out"}
    write_rows(here / "silent.jsonl", [ROWS[0], silent])
    result = assay("run", "silent.jsonl", "--dry-run")
    assert "metrics that the data fills: faithfulness, answer_relevancy" in result.stderr
    assert "answer is missing" not in result.stderr
    write_rows(here / "none.jsonl", [{**silent, "id": n} for n in range(2)])
    result = assay("run", "none.jsonl", "--dry-run")
    assert "left out, since no row holds answer: faithfulness" in result.stderr


def test_without_metrics_none_of_contexts_that_no_row_has(assay, here):
    write_rows(here / "bare.jsonl", [{**row, "contexts": []} for row in ROWS])
    result = assay("run", "bare.jsonl", "--dry-run")
    assert "left out, since contexts is empty in every row: faithfulness, " in result.stderr
    write_rows(here / "one.jsonl", [ROWS[0], {**ROWS[1], "contexts": []}])
    assert "is empty" not in assay("run", "one.jsonl", "--dry-run").stderr


def test_without_metrics_turns_are_looked_at_where_there_is_more_than_one_answer(assay, here):
    turns = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": "In 1889."}]
    for times, told in ((1, False), (2, True)):
        write_rows(here / "chat.jsonl", [{"messages": turns * times}])
        said = assay("run", "chat.jsonl", "--dry-run").stderr
        assert "metrics that the data fills: answer_relevancy" in said
        assert ("turn_relevancy" in said) is told


def test_without_metrics_a_nested_file_is_told_what_it_lacks(assay, here):
    squad = {"version": "1", "data": [{"title": "t", "paragraphs": [{"context": "c", "qas": []}]}]}
    (here / "squad.json").write_text(json.dumps(squad), "utf-8")
    result = assay("run", "squad.json")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "error: no metric can be computed from squad.json: no row holds question or contexts or answer"
    )
    assert "columns found: title, paragraphs (a list of objects) -> name" in result.stderr
    assert result.stderr.endswith("; one row is one question\n")


def test_without_metrics_only_what_the_judge_can_do(assay):
    result = assay("run", "data.jsonl", *JUDGE, "--dry-run")
    why = "left out, since the judge cannot do select_sentences: context_relevance"
    assert why in result.stderr
    assert result.stderr.startswith("metrics that the data fills: faithfulness, context_recall")


def test_a_dry_run_counts_and_asks_nobody(assay, here):
    result = assay(*FAITHFULNESS, *JUDGE, "--price", "1/2", "--dry-run", "--json")
    found = summary(result)
    assert found["calls"] == 4
    assert found["known"] == 0
    assert found["money"] > 0
    assert not (here / "assay.db").exists()
    shown = assay(*FAITHFULNESS, *JUDGE, "--dry-run").stdout
    assert "calls to be made to scripted:judge.json" in shown
    assert "calls known already" not in shown  # of which there are none
    assert "on this machine" not in shown
    assert "--price" in shown


def test_a_list_price_is_that_of_the_model_and_says_where_it_is_from(assay, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    estimated = assay(*FAITHFULNESS, "--judge", "openai:gpt-4o-mini", *LISTED, "--dry-run")
    assert re.search(
        r"money, about, at 0\.15/0\.6/0\.075/0\.15 a million tokens \(US dollars", estimated.stdout
    )
    batched = assay(*FAITHFULNESS, "--judge", "openai-batch:gpt-4o-mini", *LISTED, "--dry-run")
    assert "at 0.075/0.3/0.0375/0.075 a million tokens" in batched.stdout


@pytest.mark.parametrize(
    ("judge", "what"),
    [
        ("openai:no-such-model", "no list price is known for no-such-model at https://api.openai"),
        ("embedded", "no judge of openai: is named"),
    ],
)
def test_without_a_list_price_nothing_is_asked(assay, monkeypatch, judge, what):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    refused = assay(*FAITHFULNESS, "--judge", judge, *LISTED)
    assert refused.exit_code == 2
    assert what in refused.stderr
    assert "0.15/0.60" in refused.stderr


def test_judges_have_each_the_price_that_is_given_for_it(assay):
    judges = ("--judge", "openai:a,verify_statements=openai:b", "--base-url", "http://127.0.0.1:9")

    def money(price):
        return summary(assay(*FAITHFULNESS, *judges, "--price", price, "--dry-run", "--json"))[
            "money"
        ]

    assert money("openai:a=1/2/0.5,openai:b=0/0") + money("0/0,openai:b=1/2") == money("1/2")
    refused = assay(*FAITHFULNESS, *judges, "--price", "openai:c=1/2", "--dry-run")
    assert "--price names 'openai:c', which is no judge of the run" in refused.stderr
    assert "name one of openai:a, openai:b" in refused.stderr


def test_a_list_price_needs_the_package_that_knows_it(assay, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    for clone in (True, False):
        if not clone:
            monkeypatch.setattr(errors, "_CLONE", tmp_path)
        refused = assay(*FAITHFULNESS, "--judge", "openai:gpt-4o-mini", *LISTED)
        assert refused.exit_code == 2
        where = f"-e '{Path(errors.__file__).parents[2]}" if clone else "'assay"
        assert f"pip install {where}[prices]'" in " ".join(refused.stderr.split())


def test_a_dry_run_counts_every_embedding(assay):
    server = ("--judge", "openai:m", "--base-url", "http://127.0.0.1:9/v1")
    metric = "answer_relevancy(n=4)"
    found = summary(assay("run", "data.jsonl", "-m", metric, *server, "--dry-run", "--json"))
    assert (found["calls"], found["local"]) == (2, 2 * (1 + 4))


def test_a_dry_run_knows_what_is_known(scored):
    found = json.loads(scored(*FAITHFULNESS, *JUDGE, "--dry-run", "--json").stdout)
    assert (found["calls"], found["known"]) == (0, 4)


def test_a_dry_run_says_that_the_budget_will_not_do(assay):
    result = assay(*FAITHFULNESS, *JUDGE, "--budget", "1tok", "--dry-run")
    assert "exceeds the budget" in result.stdout


def test_map_limit_and_store(assay, here):
    rows = [{**row, "said": row["answer"], "answer": "nothing"} for row in ROWS]
    write_rows(here / "named.jsonl", rows)
    line = ("run", "named.jsonl", "-m", "faithfulness", *JUDGE, "--map", "answer=said")
    found = summary(assay(*line, "--limit", "1", "--store", "other.db", "--json"))
    assert found["samples"] == 1
    assert (here / "other.db").exists()
    assert not (here / "assay.db").exists()


def test_skips_invalid_rows_and_says_where_they_are(assay, here):
    text = (here / "data.jsonl").read_text("utf-8")
    (here / "bad.jsonl").write_text(text + "{broken\n", "utf-8")
    line = ("run", "bad.jsonl", "-m", "faithfulness", *JUDGE)
    assert assay(*line).exit_code == 2
    dry = summary(assay(*line, "--skip-invalid", "skipped.jsonl", "--dry-run", "--json"))
    assert dry["samples"] == 2
    assert not (here / "skipped.jsonl").exists()
    result = assay(*line, "--skip-invalid", "skipped.jsonl")
    assert result.exit_code == 0, result.output
    assert "skipped  1 row: skipped.jsonl" in result.stdout
    assert json.loads((here / "skipped.jsonl").read_text("utf-8"))["row"] == 3


def test_one_kind_of_task_goes_to_another_judge(assay, here):
    half = {"split_statements": SCRIPT["split_statements"]}
    (here / "half.json").write_text(json.dumps(half), "utf-8")
    given = ("--judge", "scripted:half.json", "--judge", "verify_statements=embedded")
    found = summary(assay(*FAITHFULNESS, *given, "--json"))
    assert found["judge"].startswith("scripted:half.json")
    together = "scripted:half.json,verify_statements=embedded"
    again = summary(assay(*FAITHFULNESS, "--judge", together, "--json"))
    assert again["run"] == found["run"]


def test_a_judge_of_the_users_own_stands_in_their_folder(assay, here):
    (here / "own_judge.py").write_text("def ask(prompt):\n    return 'no JSON'\n", "utf-8")
    result = assay(*FAITHFULNESS, "--judge", "own_judge:ask")
    assert result.exit_code == 3, result.output


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_stopped_or_failed_run_still_writes_its_report(assay, here, quiet):
    (here / "judge.json").write_text(json.dumps({**SCRIPT, "verify_statements": "?"}), "utf-8")
    result = assay(*FAITHFULNESS, *JUDGE, "--out", "r.md", *quiet)
    assert result.exit_code == 3
    assert (here / "r.md").exists()


@over(
    ("text", "found"),
    [
        ("2.50", (2.5, None, None)),
        ("$3", (3.0, None, None)),
        ("200_000tok", (None, 200_000, None)),
        ("1.5M tokens", (None, 1_500_000, None)),
        ("500calls", (None, None, 500)),
        ("1 call", (None, None, 1)),
        ("2kcalls", (None, None, 2000)),
    ],
)
def test_a_budget_is_money_tokens_or_calls(text, found):
    assert values.budget(text) == found


def test_a_budget_in_calls_stops_the_run_and_keeps_what_was_scored(assay):
    result = assay(*FAITHFULNESS, *JUDGE, "--budget", "3calls", "--concurrency", "1", "--json")
    said = json.loads(result.stdout)
    assert result.exit_code == 5
    assert "budget in calls" in said["stopped"]
    again = assay(*FAITHFULNESS, *JUDGE, "--json")
    assert again.exit_code == 0


def test_the_defaults_are_those_of_the_library():
    from assay import Limits
    from assay._cli.run import run_command as command

    default = {option.name: option.default for option in command.params}
    limits = Limits()
    assert (default["concurrency"], default["retries"]) == (limits.concurrency, limits.retries)
    assert default["timeout"] == limits.timeout


def test_a_dry_run_tells_all_scores_and_calls_none_of_them_still_to_be_made(scored):
    text = scored(*FAITHFULNESS, *JUDGE, "--dry-run").stdout
    assert "2  scores in all" in text
    assert "to be made" not in text.replace("calls to be made", "")


ROW = {
    "question": "Where is Paris?",
    "contexts": ["Bread is baked from flour and water. " * 150 + "Paris is in France."],
    "answer": "Paris is in France.",
}


def test_long_contexts_are_read_in_parts(assay, here):
    (here / "data.jsonl").write_text(json.dumps(ROW))
    command = ("run", "data.jsonl", "-m", "faithfulness", "--judge", "openai:m", "--api-key", "")
    with LLMServer().in_thread() as server:
        whole = assay(*command, "--base-url", server.url)
        asked = server.count(kind="verify_statements")
        parts = assay(*command, "--base-url", server.url, "--window", "2048")
    assert whole.exit_code == parts.exit_code == 0
    assert server.count(kind="verify_statements") > 2 * asked
    assert "(contexts read in parts)" in assay("show", "last", "--sample", "row-1").stdout


def test_a_window_for_nobody_is_refused(assay, here):
    (here / "data.jsonl").write_text(json.dumps(ROW))
    refused = assay("run", "data.jsonl", "-m", "faithfulness", "--window", "2048")
    assert refused.exit_code == 2
    assert "--window applies to openai: and ollama: judges" in refused.stderr


def test_a_model_that_changes_in_the_midst_of_a_run_is_told_at_its_end(assay, here):
    (here / "data.jsonl").write_text("\n".join(json.dumps({**ROW, "id": n}) for n in range(2)))
    command = ("run", "data.jsonl", "-m", "faithfulness", "--judge", "openai:m", "--api-key", "")
    with LLMServer().in_thread() as server:
        models = itertools.cycle(["m-2025-01-01", "m-2025-06-01"])
        server.answers_as = lambda _: next(models)
        shown = assay(*command, "--base-url", server.url)
        data = json.loads(assay(*command, "--base-url", server.url, "--json").stdout)
    assert " ".join(shown.stdout.split()).count("more than one model answered") == 1
    assert {one["model"] for one in data["answered_by"]} == {"m-2025-01-01", "m-2025-06-01"}
    assert "more than one model answered" in data["drift"][0]


def test_how_often_the_judge_is_wrong_is_told_to_programs_as_to_people(assay, here):
    (here / "data.jsonl").write_text(json.dumps(ROW))
    data = json.loads(assay("run", "data.jsonl", "-m", "faithfulness", "--json").stdout)
    (metric,) = data["metrics"]
    assert 0 < metric["quality"]["wrong"]["value"] < metric["quality"]["found"]["value"] < 1
    assert data["texts"] == {"passages": 1}
    assert metric["quality_on"] == {"passages": metric["quality"]}
    assert data["unmeasured"] == []
    shown = json.loads(assay("show", "last", "--json").stdout)
    assert shown["metrics"] == data["metrics"]
    reported = assay("report", "last", "--out", "report.json")
    assert reported.exit_code == 0
    report = json.loads((here / "report.json").read_text())
    assert report["metrics"][0]["quality"] == metric["quality"]
