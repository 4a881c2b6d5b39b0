"""`assay nuggets`: facts of a pool, found once, edited, and scored against."""

import json

import pytest
from cli_help import write_rows

from assay import Scripted
from assay.errors import InputError
from assay.tasks import ChooseLabel, Label, ListNuggets
from assay.testset import find_nuggets

QUESTION = "How long are lamps kept?"
SHARED = "The shop keeps lamps for 14 days."
POOL = [
    {"id": "a", "question": QUESTION, "answer": f"{SHARED} Whales sing below the ice."},
    {"id": "b", "question": QUESTION, "answer": f"{SHARED} Rockets burn kerosene in deserts."},
    {"id": "c", "question": QUESTION, "answer": f"Bread is baked from flour. {SHARED}"},
    {"id": "d", "question": "Where is the shop?", "answer": "The shop is in Bonn."},
]


def nuggets_of(here):
    return [json.loads(line) for line in (here / "n.jsonl").read_text("utf-8").splitlines()]


def test_the_embedded_judge_keeps_what_answers_share_and_says_that_it_is_weaker(assay, here):
    write_rows(here / "pool.jsonl", POOL)
    done = assay("nuggets", "pool.jsonl", "--judge", "embedded", "--out", "n.jsonl")
    assert done.exit_code == 0, done.output
    (row,) = nuggets_of(here)
    assert (row["id"], row["question"], row["pool"]) == ("a", QUESTION, 3)
    assert row["nuggets"] == {SHARED: "vital"}
    said = " ".join(done.stdout.split())
    assert "statements that texts share, by embedded" in said
    assert "(weaker)" in said
    assert "1 question left out: one text alone shares nothing" in said


def test_nothing_to_compare_and_rows_that_cannot_be_told_apart_are_told(assay, here):
    write_rows(here / "pool.jsonl", POOL[3:])
    done = assay("nuggets", "pool.jsonl", "--out", "n.jsonl")
    assert done.exit_code == 2
    assert "no question has two texts" in done.stderr
    assert not (here / "n.jsonl").exists()
    write_rows(here / "pool.jsonl", [*POOL, POOL[0]])
    done = assay("nuggets", "pool.jsonl", "--out", "n.jsonl")
    assert done.exit_code == 2
    assert "is the id of an earlier row" in done.stderr
    assert "skip" not in done.stderr, "there is no such option"


def test_nuggets_that_were_edited_are_scored_against(assay, here):
    edited = {**POOL[0], "nuggets": {SHARED: "vital", "The shop keeps lamps in a cellar.": "vital"}}
    write_rows(here / "edited.jsonl", [edited])
    metrics = ("-m", "nugget_recall", "-m", "nugget_f")
    done = assay("run", "edited.jsonl", *metrics, "--quiet", "--out", "r.jsonl")
    assert done.exit_code == 0, done.output
    (row,) = [json.loads(line) for line in (here / "r.jsonl").read_text("utf-8").splitlines()]
    scores = row["scores"]
    assert [part["label"] for part in scores["nugget_recall"]["parts"]] == [
        "support",
        "not_support",
    ]
    assert scores["nugget_recall"]["value"] == 0.5
    assert scores["nugget_f"]["details"]["precision"] == 1


def writes(task):
    known = ["Lamps are kept for 14 days.", "Whales sing."]
    return ListNuggets.reply([fact for fact in known if fact not in task.known])


def rates(task):
    vital = "Lamps" in dict(task.shown)["nugget"]
    return ChooseLabel.reply(Label("vital" if vital else "okay"))


def test_a_judge_that_writes_lists_nuggets_and_says_which_are_vital(tmp_path):
    judge = Scripted({"list_nuggets": writes, "choose_label": rates})
    contexts = [{"id": "a", "question": QUESTION, "contexts": [f"Text {n}." for n in range(12)]}]
    found = find_nuggets(contexts, judge=judge, pool="contexts", store=tmp_path / "n.db")
    (row,) = found.rows
    assert row["nuggets"] == {"Lamps are kept for 14 days.": "vital", "Whales sing.": "okay"}
    assert row["pool"] == 12
    assert found.method.startswith("listed by")


def test_what_a_judge_does_not_say_is_told(tmp_path):
    judge = Scripted({"list_nuggets": "nonsense", "choose_label": rates})
    found = find_nuggets(POOL, judge=judge, store=tmp_path / "n.db")
    assert not found.rows
    assert set(found.failed) == {"a", "d"}


def test_what_cannot_be_done_is_refused(assay, here, tmp_path):
    write_rows(here / "bare.jsonl", [{"question": QUESTION}])
    done = assay("nuggets", "bare.jsonl", "--out", "n.jsonl")
    assert (done.exit_code, "no row has a question and answers" in done.stderr) == (2, True)
    done = assay("nuggets", "data.jsonl", "--out", "n.csv")
    assert (done.exit_code, "no report ends in '.csv'" in done.stderr) == (2, True)
    judge = Scripted({"choose_label": rates})
    with pytest.raises(InputError, match="neither lists facts nor verifies"):
        find_nuggets(POOL, judge=judge, store=tmp_path / "n.db")
