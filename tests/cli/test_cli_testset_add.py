"""`assay testset add`: failures of a run become cases that the gate holds runs to."""

import json

import pytest

from assay._analysis.labelling import Labelling
from assay._store import Store

METRIC = '''
import assay

@assay.metric(needs=("answer",))
def told(sample, judge):
    """The score that the row tells."""
    return sample.metadata["score"]
'''
ADD = ("testset", "add", "last", "--to", "cases.jsonl")


@pytest.fixture
def ran(assay, here):
    """Runs over rows with these scores; each answers "why 0?", "why 1?" ..."""
    (here / "own_told.py").write_text(METRIC, "utf-8")

    def call(scores, *, prefix="q", answer="old"):
        rows = [
            {"id": f"{prefix}{n}", "question": f"Why {n}?", "answer": answer, "score": score}
            for n, score in enumerate(scores)
        ]
        (here / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
        assert assay("run", "rows.jsonl", "-m", "own_told:told", "--quiet").exit_code == 0
        return assay

    return call


def cases(here):
    return [json.loads(line) for line in (here / "cases.jsonl").read_text("utf-8").splitlines()]


def test_low_scores_are_kept_with_where_they_are_from(ran, here):
    assay = ran([0.2, 0.9, 0.4])
    result = assay(*ADD, "--where", "told<0.5")
    assert result.exit_code == 0, result.output
    assert "added 2 cases" in result.stdout
    first, second = cases(here)
    assert (first["id"], second["id"]) == ("q0", "q2")
    assert (first["failed_by"], first["failed_sample"], first["failed_score"]) == (
        "told",
        "q0",
        0.2,
    )
    assert "failed_label" not in first
    with Store(here / "assay.db") as store:
        assert first["failed_in"] == store.run("last").id
    assert len(first["added"]) == len("2026-11-28")


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("told<50", "told < 50: its values are 0 to 1"),
        ("told=<0.5", "'told=<0.5' is no condition -> such as 'faithfulness<0.5'"),
        ("group=a", "'group=a' is no condition"),
        ("tould<0.5", "has no 'tould': it has told -> did you mean 'told'?"),
    ],
)
def test_a_condition_that_means_nothing_is_refused_and_nothing_is_written(
    ran, here, condition, said
):
    result = ran([0.2, 0.9])(*ADD, "--where", condition)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert not (here / "cases.jsonl").exists()


def test_the_gate_and_a_run_read_them(ran, here):
    assay = ran([0.2, 0.9])
    assert assay(*ADD, "--where", "told <= 0.2").exit_code == 0
    gate = ("gate", "--cases", "cases.jsonl", "--min", "told=0.5", "--on", "mean", "--json")
    assert assay(*gate).exit_code == 6
    ran([0.8, 0.9], answer="new")
    assert assay(*gate).exit_code == 0
    again = assay("run", "cases.jsonl", "-m", "own_told:told", "--json")
    assert json.loads(again.stdout)["metrics"][0]["n_scored"] == 1


def test_the_same_question_is_there_once_and_the_newer_one_counts(ran, here):
    assay = ran([0.2])
    assay(*ADD, "--where", "told<0.5")
    ran([0.3], prefix="other", answer="new")
    result = assay(*ADD, "--where", "told<0.5")
    assert "replaced 1 case: the same questions were there" in result.stdout
    (case,) = cases(here)
    assert (case["id"], case["answer"], case["failed_score"]) == ("other0", "new", 0.3)


def test_an_id_of_another_question_gets_the_run_behind_it(ran, here):
    assay = ran([0.2])
    (here / "cases.jsonl").write_text('{"id": "q0", "question": "Who?", "failed_by": "told"}\n')
    assay(*ADD, "--where", "told<0.5")
    assert [case["id"].partition(" ")[0] for case in cases(here)] == ["q0", "q0"]
    assert cases(here)[1]["id"] == f"q0 ({cases(here)[1]['failed_in']})"


def test_what_people_labelled_bad_is_kept_with_label_and_reason(ran, here):
    assay = ran([0.9, 0.8])
    with Store(here / "assay.db") as store:
        labelling = Labelling(store, "last", "told", annotator="anna")
        bad = labelling.record(0.0, "the year").sample
        labelling.record(1.0)
    result = assay(*ADD, "--where", "told=bad", "--json")
    assert json.loads(result.stdout) == {"added": [bad], "replaced": [], "file": "cases.jsonl"}
    (case,) = cases(here)
    assert (case["failed_label"], case["why"]) == (0.0, "the year")


def test_a_sample_that_fits_two_conditions_is_there_once(ran, here):
    assay = ran([0.2, 0.7])
    result = assay(*ADD, "--where", "told<0.5", "--where", "told<0.8")
    assert len(cases(here)) == 2
    assert "1 failure of the same questions left out" in result.stderr


def test_of_the_same_question_the_worst_answer_is_kept_and_lines_stay_within_the_width(ran, here):
    assay = ran([0.4, 0.1])
    rows = [
        {"id": f"q{n}", "question": f"Why {'so ' * 40}?", "answer": f"{n}", "score": score}
        for n, score in enumerate((0.4, 0.1))
    ]
    (here / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    assay("run", "rows.jsonl", "-m", "own_told:told", "--quiet")
    result = assay(*ADD, "--where", "told<0.5")
    assert [case["id"] for case in cases(here)] == ["q1"]
    assert "the worst counts" in result.stderr
    shown = result.stdout.splitlines()
    assert shown[1].startswith("told 0.10  q1  Why so so")
    assert shown[1].endswith("\N{HORIZONTAL ELLIPSIS}")
    assert shown[2].startswith("cases")


def test_where_nobody_labelled_that_is_said(ran):
    result = ran([0.2])(*ADD, "--where", "told=bad")
    assert "is labelled bad by people: nothing was written" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("where", "told"),
    [
        (("--where", "told<"), "'told<' is no condition"),
        (("--where", "other<0.5"), "has no 'other'"),
        (("--where", "told"), "has no guide value"),
        ((), "--where is missing"),
    ],
)
def test_what_cannot_be_read_is_refused(ran, where, told):
    result = ran([0.2])(*ADD, *where)
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())


def test_nothing_that_fits_writes_nothing(ran, here):
    result = ran([0.9])(*ADD, "--where", "told<0.5")
    assert result.exit_code == 0
    assert "nothing was written" in result.stderr
    assert not (here / "cases.jsonl").exists()
