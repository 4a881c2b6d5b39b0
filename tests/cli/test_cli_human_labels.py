"""`assay label`, `correct` and `calibrate`: from a run to labels to numbers, in every form."""

import csv
import json
import shlex

import pytest
from cli_help import write_rows

from support.once import made_once

METRIC = '''
import assay

@assay.metric(needs=("answer",), guide=0.5)
def told(sample, judge):
    """The score that the row tells."""
    return assay.Score(sample.metadata["score"])
'''
WORDED = '''
from dataclasses import dataclass

import assay

@dataclass(frozen=True)
class Told(assay.Metric):
    """The score that the row tells."""

    what: str = "all"
    name = "worded"
    needs = ("answer",)

    async def score(self, sample, judge):
        return assay.Score(sample.metadata["score"])
'''
N = 80


def good(n):
    return int((n * 37 % N) / N > 0.7)


@made_once
def told(assay, here):
    """A run of eighty samples whose good ones score above 0.7, and labels of half of them."""
    (here / "mine.py").write_text(METRIC, "utf-8")
    rows = [{"id": f"s{n}", "answer": "a", "score": (n * 37 % N) / N} for n in range(N)]
    write_rows(here / "many.jsonl", rows)
    labels = [{"id": f"s{n}", "label": good(n)} for n in range(N // 2)]
    write_rows(here / "labels.jsonl", labels)
    result = assay("run", "many.jsonl", "-m", "mine:told", "--judge", "scripted:judge.json")
    assert result.exit_code == 0, result.output
    return assay


def test_a_sheet_is_chosen_filled_and_used(told, here):
    assert told("label", "-n", "10", "--out", "sheet.csv").exit_code == 0
    result = told("label", "-n", "20", "--out", "sheet.csv")
    assert "20 samples added to sheet.csv, 30 in all" in result.stderr
    with (here / "sheet.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for row in rows[:-1]:
        row["label"] = str(good(int(row["sample"][1:])))
    with (here / "sheet.csv").open("w", encoding="utf-8", newline="") as file:
        sheet = csv.DictWriter(file, rows[0])
        sheet.writeheader()
        sheet.writerows(rows)
    result = told("correct", "--labels", "sheet.csv")
    assert result.exit_code == 0, result.output
    assert "29 labels" in result.stdout
    assert "1 left open" in result.stdout
    assert "random choice" not in result.stdout  # the sheet tells how samples were chosen
    elsewhere = told("correct", "--labels", "sheet.csv", "--checked-on", "last")
    assert elsewhere.exit_code == 0, elsewhere.output
    assert "random choice" not in elsewhere.stdout


@pytest.mark.slow
def test_labels_of_other_answers_are_warned_of_wherever_they_are_used(told, here):
    assert told("label", "-n", "80", "--random-share", "1", "--out", "sheet.csv").exit_code == 0
    with (here / "sheet.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for answer, wrong in (("a", False), ("b", True)):
        with (here / "sheet.csv").open("w", encoding="utf-8", newline="") as file:
            sheet = csv.DictWriter(file, rows[0])
            sheet.writeheader()
            for row in rows:
                said = {"label": str(good(int(row["sample"][1:]))), "answer": answer}
                sheet.writerow({**row, **said})
        before = (here / "sheet.csv").read_bytes()
        for does in (("correct",), ("agree",), ("calibrate",), ("correct", "--checked-on", "last")):
            result = told(*does, "--labels", "sheet.csv", "--json")
            assert result.exit_code == 0, result.output
            assert ("! 80 samples of sheet.csv have another 'answer'" in result.stderr) == wrong
            json.loads(result.stdout)
        again = told("label", "-n", "0", "--random-share", "1", "--out", "sheet.csv")
        assert again.exit_code == (2 if wrong else 0)
        if wrong:
            assert "row 1, field 'answer': the sheet is about another run" in again.stderr
            assert (here / "sheet.csv").read_bytes() == before


@pytest.mark.slow
def test_a_sheet_that_is_labelled_in_part_is_warned_of_until_its_chances_are_its_own(told, here):
    assert told("label", "-n", "0", "--out", "sheet.csv").exit_code == 2
    assert told("label", "-n", "78", "--out", "sheet.csv").exit_code == 0
    with (here / "sheet.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for row in rows[:20]:
        row["label"] = str(good(int(row["sample"][1:])))
    for kept in (rows, rows[:20]):
        with (here / "sheet.csv").open("w", encoding="utf-8", newline="") as file:
            sheet = csv.DictWriter(file, rows[0])
            sheet.writeheader()
            sheet.writerows(kept)
        said = told("correct", "--labels", "sheet.csv").stdout
        assert "! The probabilities are those of more samples" in said
        assert "taken to be like the others" not in said
        elsewhere = told("correct", "--labels", "sheet.csv", "--checked-on", "last").stdout
        (line,) = (line for line in said.splitlines() if "assay label" in line)
        assert line in elsewhere.splitlines()
    # As it was printed, whatever run, metric and store it was about.
    result = told(*shlex.split(line)[1:])
    assert "probabilities written anew in sheet.csv, 20 in all" in result.stderr
    assert "!" not in told("correct", "--labels", "sheet.csv").stdout


def test_the_corrected_mean_stands_beside_the_judge_and_the_labels(told):
    result = told("correct", "--labels", "labels.jsonl", "--width", "0.25")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    named = [line for line in lines if line.startswith(("the judge", "the labels", "corrected"))]
    assert len(named) == 3
    assert "an interval 0.25 wide: about" in result.stdout
    assert "holds if the labelled samples are a random choice" in result.stdout
    (found,) = json.loads(
        told("correct", "--labels", "labels.jsonl", "--width", "0.3", "--json").stdout
    )
    interval = found["corrected"]["interval"]
    assert interval["low"] <= sum(map(good, range(N))) / N <= interval["high"]
    assert found["labels_for_width"]["with_judge"] < found["labels_for_width"]["without_judge"]


def test_error_rates_of_another_run_correct_a_share(told):
    result = told("correct", "last", "--labels", "labels.jsonl", "--checked-on", "last")
    assert result.exit_code == 0, result.output
    assert "share of good samples: 0." in result.stdout
    assert "holds if it errs here as often as there" in result.stdout
    assert "holds if the labelled samples are a random choice" in result.stdout


def test_a_card_is_fitted_kept_applied_and_measured(told, here):
    outs = [part for form in ("json", "html", "md") for part in ("--out", f"card.{form}")]
    result = told("calibrate", "--labels", "labels.jsonl", *outs)
    assert result.exit_code == 0, result.output
    assert "cross-validated" in result.stdout
    assert "reliability: do predicted probabilities come true?" in result.stdout
    assert json.loads((here / "card.json").read_text("utf-8"))["metric"] == "told"
    assert "<svg" in (here / "card.html").read_text("utf-8")
    applied = told("calibrate", "--card", "card.json", "--out", "calibrated.jsonl")
    assert applied.exit_code == 0, applied.output
    assert "called good" in applied.stdout
    lines = (here / "calibrated.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["sample"] for line in lines] == [f"s{n}" for n in range(N)]
    measured = told("calibrate", "--card", "card.json", "--labels", "labels.jsonl", "--json")
    assert json.loads(measured.stdout)["n"] == N // 2


def test_a_metric_whose_name_holds_brackets_is_calibrated_like_any_other(assay, told, here):
    (here / "worded.py").write_text(WORDED, "utf-8")
    spec = "worded:Told(what='[/b]')"
    assert assay("run", "many.jsonl", "-m", spec, "--judge", "scripted:judge.json").exit_code == 0
    fitted = told("calibrate", "--labels", "labels.jsonl", "--out", "card.json")
    assert fitted.exit_code == 0, fitted.output
    applied = told("calibrate", "--card", "card.json")
    assert applied.exit_code == 0, applied.output
    assert "[/b]" in applied.stdout


def test_notes_of_a_calibration_stand_below_its_table_whole(told, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = told("calibrate", "--labels", "labels.jsonl").stdout
    assert "\nbalanced accuracy: before: at 0.50" in shown
    assert "\ncalibration error: even true probabilities would show " in shown


def test_costs_are_shown_as_costs(told):
    result = told("calibrate", "--labels", "labels.jsonl", "--costs", "5:1")
    assert result.exit_code == 0, result.output
    assert "mean cost (low is good)" in result.stdout
    assert "least cost: 5 a bad one accepted" in result.stdout
    assert " -0" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("calibrate",), "there are no labels to learn from"),
        (("calibrate", "--labels", "labels.jsonl", "--costs", "5"), "are not two amounts"),
        (("calibrate", "--labels", "labels.jsonl", "--out", "x.pdf"), "no report ends in '.pdf'"),
        (("calibrate", "--labels", "labels.jsonl", "--examples", "x.txt"), "is no prompts file"),
        (("calibrate", "--labels", "labels.jsonl", "--examples", "x.toml"), "no verdicts"),
        (("calibrate", "--card", "judge.json"), "is no calibration card"),
        (("label", "--out", "sheet.txt"), "is no sheet"),
        (("label", "-n", "5", "--out", "nowhere/sheet.csv"), "cannot be written"),
        (("correct", "--labels", "nothing.csv"), "nothing.csv"),
        (("correct", "-m", "other", "--labels", "labels.jsonl"), "has no 'other'"),
    ],
)
def test_what_cannot_be_done_is_told_with_its_remedy(told, arguments, message):
    result = told(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_id_is_no_formula_in_the_sheet_and_is_known_again(told, here):
    ids = ['=HYPERLINK("http://evil",1)', "-1", "'=1", " =1+1", "\uff1d1+1", "'", "s3"]
    rows = [{"id": one, "answer": "a", "score": n / 8} for n, one in enumerate(ids)]
    write_rows(here / "odd.jsonl", rows)
    run = ("run", "odd.jsonl", "-m", "mine:told", "--judge", "scripted:judge.json")
    assert told(*run).exit_code == 0
    sheet = ("label", "-n", "7", "--random-share", "1", "--out", "sheet.csv")
    assert told(*sheet).exit_code == 0
    with (here / "sheet.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    cells = [f"'{ids[0]}", "'-1", "''=1", "' =1+1", "'\uff1d1+1", "'", "s3"]
    assert sorted(row["sample"] for row in rows) == sorted(cells)
    again = told("label", "-n", "0", "--random-share", "1", "--out", "sheet.csv")
    assert again.exit_code == 0, again.output
    with (here / "sheet.csv").open("w", encoding="utf-8", newline="") as file:
        sheet = csv.DictWriter(file, rows[0])
        sheet.writeheader()  # type: ignore[attr-defined]
        sheet.writerows(row | {"label": "1"} for row in rows)  # type: ignore[attr-defined]
    assert "7 labels" in told("correct", "--labels", "sheet.csv").stdout
