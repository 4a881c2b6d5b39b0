"""`assay watch`: what arrives is scored, drift is told once."""

import json
import shlex

import pytest
from cli_help import write_rows

from assay._cli import gate as command
from support.once import made_once
from support.over import over


def rows(n, right, prefix):
    return [
        {
            "id": f"{prefix}{i}",
            "question": f"Question {i}?",
            "answer": "x" if i < right else "y",
            "reference": "x",
        }
        for i in range(n)
    ]


WATCH = ("watch", "traffic.jsonl", "-m", "exact_match", "--once")


@made_once
def drifted(assay, here):
    """The command line after a look that told of a drop; its result."""
    write_rows(here / "before.jsonl", rows(200, 180, "b"))
    assert assay("run", "before.jsonl", "-m", "exact_match", "--name", "release").exit_code == 0
    write_rows(here / "traffic.jsonl", rows(60, 20, "t"))
    return assay(*WATCH, "--baseline", "release", "--alert-file", "alerts.jsonl")


def test_a_drop_is_shown_with_its_evidence_and_has_a_code_of_its_own(drifted, assay, here):
    assert drifted.exit_code == 8, drifted.output
    assert "look 1: 60 samples, run " in drifted.stderr
    assert "exact_match fell from 0.90 (0.85 to 0.93, n = 200) to 0.33 " in drifted.stdout
    (line,) = (here / "alerts.jsonl").read_text().splitlines()
    assert json.loads(line)["direction"] == "fell"
    again = assay(*WATCH, "--baseline", "release", "--alert-file", "alerts.jsonl")
    assert again.exit_code == 0
    assert "nothing new has arrived" in again.stderr
    assert len((here / "alerts.jsonl").read_text().splitlines()) == 1


def test_a_new_row_that_lacks_what_a_metric_needs_is_unscored_and_the_watch_goes_on(assay, here):
    lacking = {"id": "lacks", "question": "When?", "answer": "x"}
    write_rows(here / "traffic.jsonl", [lacking])
    refused = assay(*WATCH)  # in the first look its column is rather named otherwise
    assert refused.exit_code == 2
    assert "no column holds 'reference'" in refused.stderr
    write_rows(here / "traffic.jsonl", rows(1, 1, "t"))
    assert assay(*WATCH).exit_code == 0
    write_rows(here / "traffic.jsonl", [lacking])
    looked = assay(*WATCH)
    assert looked.exit_code == 0, looked.output
    assert "look 2: 1 sample" in looked.stderr
    assert "1 of 1 rows has no 'reference' (the first is row 1): exact_match is" in looked.stderr
    assert "the row has no reference" in assay("show", "--sample", "lacks").stdout


def test_a_segment_that_no_sample_has_is_told(assay, here):
    write_rows(here / "traffic.jsonl", [{**row, "tenant": "a"} for row in rows(3, 2, "t")])
    result = assay(*WATCH, "--segment", "tenent")
    assert result.exit_code == 0
    assert "no sample has a value of --segment tenent; did you mean 'tenant'?" in result.stderr
    write_rows(here / "traffic.jsonl", [{**row, "tenant": "a"} for row in rows(3, 2, "u")])
    result = assay(*WATCH, "--segment", "tenant")
    assert "no sample has" not in result.stderr
    assert "first day: drift is told from the second day" in " ".join(result.stdout.split())


def test_the_charts_are_shown_without_the_source(drifted, assay, here, monkeypatch):
    (here / "traffic.jsonl").unlink()
    monkeypatch.setenv("COLUMNS", "80")
    shown = assay("watch", "traffic", "--show")
    assert shown.exit_code == 0, shown.output
    assert "exact_match" in shown.stdout
    assert "look 1: exact_match fell" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    found = json.loads(assay("watch", "traffic", "--show", "--json").stdout)
    assert found["charts"][0]["earlier"][0]["mean"] == pytest.approx(1 / 3)
    assert found["alerts"][0]["pending"] == []


def test_the_worst_samples_can_be_labelled_as_the_alert_says(drifted, assay):
    (line,) = [line for line in drifted.stdout.splitlines() if "assay label" in line]
    labelled = assay(*line.split()[1:], "-a", "anna", keys="yq")
    assert labelled.exit_code == 0, labelled.output


def test_the_worst_samples_become_test_cases_as_the_alert_says(drifted, assay, here):
    (alert,) = map(json.loads, (here / "alerts.jsonl").read_text().splitlines())
    added = assay(*shlex.split(alert["test_cases"])[1:])
    assert added.exit_code == 0, added.output
    cases = [json.loads(line) for line in (here / "regression.jsonl").read_text().splitlines()]
    assert set(alert["worst_samples"]) <= {case["failed_sample"] for case in cases}


def test_what_is_told_is_in_the_json(drifted, assay, here):
    write_rows(here / "traffic.jsonl", [*rows(60, 20, "t"), *rows(60, 20, "u")])
    found = json.loads(assay(*WATCH, "--json", "--quiet").stdout)
    assert (found["look"], found["told"]) == (2, [])
    assert [one["direction"] for one in found["alerts"]] == ["fell"]


def test_it_looks_again_until_it_is_stopped(assay, here, monkeypatch):
    write_rows(here / "traffic.jsonl", rows(3, 3, "t"))
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) > 1:
            raise KeyboardInterrupt
        write_rows(here / "traffic.jsonl", rows(5, 5, "t"))

    monkeypatch.setattr(command, "sleep", sleep)
    ended = assay("watch", "traffic.jsonl", "-m", "exact_match", "--every", "1h")
    assert ended.exit_code == 130
    assert "look 1: 3 samples" in ended.stderr
    assert "look 2: 2 samples" in ended.stderr
    assert all(3500 < seconds <= 3600 for seconds in slept)


def test_what_fails_in_a_later_look_does_not_end_the_watch(assay, here, monkeypatch):
    write_rows(here / "traffic.jsonl", rows(3, 3, "t"))
    steps = iter([(here / "traffic.jsonl").unlink, lambda: write_rows(*last), None])
    last = here / "traffic.jsonl", rows(4, 4, "t")

    def sleep(_):
        step = next(steps)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(command, "sleep", sleep)
    ended = assay("watch", "traffic.jsonl", "-m", "exact_match")
    assert ended.exit_code == 130
    assert "there is no file or folder" in ended.stderr
    assert "look 2: 1 sample," in ended.stderr


def test_a_target_is_asked_once_in_a_look(assay, here):
    (here / "my_rag.py").write_text("def answer(question):\n    return 'x'\n")
    write_rows(here / "traffic.jsonl", rows(3, 0, "t"))
    first = assay(*WATCH, "--target", "my_rag.py:answer")
    assert first.exit_code == 0, first.output
    assert "look 1: 3 samples" in first.stderr
    again = assay(*WATCH, "--target", "my_rag.py:answer")
    assert "the next is due at" in again.stderr


def test_the_budget_of_a_look_ends_it(assay, here):
    made = [
        {**row, "contexts": ["x is x."], "answer": f"It is {row['id']}."} for row in rows(9, 9, "t")
    ]
    write_rows(here / "traffic.jsonl", made)
    judge = ("-m", "faithfulness", "--judge", "support.counted:say", "--budget", "2calls")
    ended = assay("watch", "traffic.jsonl", "--once", *judge)
    assert ended.exit_code == 5, ended.output
    assert assay("watch", "traffic.jsonl", "--once", *judge).exit_code == 0


@over(
    ("options", "said"),
    [
        (("nowhere.jsonl", "-m", "exact_match"), "there is no file or folder 'nowhere.jsonl'"),
        (("data.jsonl",), "no metric is named"),
        (("data.jsonl", "-m", "exact_match", "--every", "soon"), "--every 'soon' is no time"),
        (("data.jsonl", "-m", "exact_match", "--webhook", "file:///x"), "no http(s) address"),
        (("data.jsonl", "-m", "exact_match", "--baseline", "release"), "no store"),
        (("data.jsonl", "--show"), "there is no store"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(assay, options, said):
    refused = assay("watch", *options, "--once")
    assert refused.exit_code == 2
    assert said in refused.stderr
