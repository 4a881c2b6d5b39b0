"""`adapt_judge`: labels, coefficients fitted to them, and what is refused."""

import json
import math
import random
from dataclasses import replace

import pytest

from assay.errors import InputError
from assay.experiments import judge_comparison
from assay.experiments.judge_adaptation import adapt_judge
from assay.experiments.judge_cases import labelled
from assay.experiments.judge_comparison import Both
from assay.judges import backend
from assay.judges.embedded import verification
from assay.judges.embedded.verification import Fitted


def labels(path, shift, n=120):
    """Statements whose number says what the network thinks, and people who ask `shift` more."""
    rows = [
        {
            "statement": f"{value:.2f}",
            "contexts": [f"Source {k}."],
            "supported": random.Random(k).random() < 1 / (1 + math.exp(shift - value)),
        }
        for k in range(n)
        for value in [(k * 7 % n) / n * 8 - 4]
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def read_off(monkeypatch):
    """A judge whose log odds of a statement are what stands in it."""
    base = Fitted.load("support.json", verification.FEATURES)

    def measured(case, reader, encoder):
        votes = (float(case.text) - base.intercept) / base.coefficients[0]
        features = (votes, *[0.0] * (len(verification.FEATURES) - 1))
        return judge_comparison.Measured(case, features, lambda made: made.probability(features))

    monkeypatch.setattr(judge_comparison, "_measure", measured)


def test_a_shift_is_learnt_from_labels_and_measured_on_other_sources(tmp_path, read_off):
    file = labels(tmp_path / "l.jsonl", 2)
    made = adapt_judge(file, out=tmp_path / "new")
    (one,) = made.compared
    assert (one.kind, one.verdict) == ("faithfulness", "better")
    assert one.missed.refitted < one.missed.base
    assert made.fitted == ("faithfulness",)
    assert "reader-l6-adapted:" in backend(f"embedded:{tmp_path / 'new'}").name


def test_nothing_is_written_where_nothing_is_better(tmp_path, read_off):
    file = labels(tmp_path / "l.jsonl", 0)
    made = adapt_judge(file, out=tmp_path / "new")
    assert made.folder is None
    assert not (tmp_path / "new").exists()


def test_a_guess_that_is_the_same_for_all_is_not_better(tmp_path, read_off):
    (one,) = adapt_judge(labels(tmp_path / "l.jsonl", 2), out=tmp_path / "new").compared
    ends = replace(one.brier.interval, low=-0.11, high=-0.09)
    gains = replace(one, lead=None, brier=replace(one.brier, interval=ends))
    assert replace(gains, missed=Both(0.5, 0.4), alarms=Both(0.5, 0.5)).verdict == "better"
    passes_all = replace(gains, missed=Both(0.76, 0.99), alarms=Both(0.11, 0.01))
    assert passes_all.verdict == "no gain shown"


def test_what_cannot_be_done_is_told_first(tmp_path):
    few = labels(tmp_path / "few.jsonl", 2, n=19)
    with pytest.raises(InputError, match="no kind of case has 20 labels, 3 of them right"):
        adapt_judge(few, out=tmp_path / "new")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    with pytest.raises(InputError, match="is there already"):
        adapt_judge(few, out=tmp_path / "full")


GOOD = {"statement": "It is old.", "contexts": ["The tower is old."], "supported": True}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_rows_of_people_become_cases_of_their_kinds(tmp_path):
    answered = {"question": "How old?", "answer": "Ten years.", "answer_relevant": 1, "source": "a"}
    helps = {"question": "How old?", "contexts": "It is ten.", "context_relevant": False}
    cases = labelled(write(tmp_path / "l.jsonl", GOOD, answered, helps))
    assert [(case.kind, case.good) for case in cases] == [
        ("faithfulness", True),
        ("answer_relevance", True),
        ("context_relevance", False),
    ]
    assert [case.group for case in cases] == ["The tower is old.", "a", "It is ten."]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**GOOD, "verdict": 1}, "field 'verdict': is an unknown column"),
        ({**GOOD, "claim": "It is old."}, "unknown column.* -> call it 'statement' if it is that"),
        ({**GOOD, "suported": True}, "unknown column.* -> call it 'supported' if it is that"),
        ({**GOOD, "supported": "perhaps"}, "field 'supported': is the text 'perhaps', but must be"),
        ({**GOOD, "supported": 0.5}, "field 'supported': is the number 0.5, but must be yes or no"),
        ({**GOOD, "contexts": []}, "'supported' needs a statement and contexts"),
        ({"statement": "It is old."}, "none of the labels supported, context_relevant"),
    ],
)
def test_a_row_that_is_no_label_is_named(tmp_path, row, message):
    with pytest.raises(InputError, match=message) as error:
        labelled(write(tmp_path / "l.jsonl", GOOD, row))
    assert "row 2" in str(error.value)


def test_labels_are_read_as_everywhere(tmp_path):
    rows = [{**GOOD, "supported": word} for word in ("yes", "refuted", 0, "true", "?")]
    with pytest.raises(InputError, match=r"row 5: .*none of the labels"):  # that one is left open
        labelled(write(tmp_path / "l.jsonl", *rows))
    cases = labelled(write(tmp_path / "l.jsonl", *rows[:-1]))
    assert [case.good for case in cases] == [True, False, False, True]


def test_an_unknown_column_is_told_once_for_all_rows(tmp_path):
    row = {"claim": "It is old.", "contexts": ["It is old."], "supported": True}
    with pytest.raises(InputError) as error:
        labelled(write(tmp_path / "l.jsonl", *[row] * 30))
    assert [problem.field for problem in error.value.problems] == ["claim"]


def test_no_labels_are_told(tmp_path):
    with pytest.raises(InputError, match="is empty"):
        labelled(write(tmp_path / "l.jsonl"))
