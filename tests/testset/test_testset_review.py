"""Is what people decide about generated questions kept at once, and apart from what was generated?"""

import json
import os
import signal
import subprocess
import sys

import pytest

from assay import evaluate
from assay.errors import InputError
from assay.testset import Review
from support.over import over
from support.scripts import plausible

ROWS = [
    {
        "id": f"single_hop:doc#{n}",
        "question": f"What is kept in room {n}?",
        "reference": f"Maps of {n}.",
        "reference_contexts": [f"Room {n} keeps maps of {n}."],
        "answerable": True,
        "group": "doc",
        "kind": "single_hop",
        "quotes": [f"keeps maps of {n}"],
        "overlap": 0.5,
        "source": [{"document": "doc", "start": 0, "end": 20}],
    }
    for n in range(1, 5)
]


def written(path, rows=ROWS):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def path(tmp_path):
    return written(tmp_path / "questions.jsonl")


def out(review):
    return [json.loads(line) for line in review.out.read_text("utf-8").splitlines()]


def test_an_edited_follow_up_ends_its_conversation(tmp_path):
    said = [
        {"role": "user", "content": "Is there a map room?"},
        {"role": "assistant", "content": "1"},
    ]
    asked = {"role": "user", "content": ROWS[0]["question"]}
    review = Review(written(tmp_path / "q.jsonl", [{**ROWS[0], "turns": [*said, asked]}]))
    assert review.questions()[0].before == said
    review.edit(0, question="What is kept there?", reference="Maps of 1.")
    (row,) = out(review)
    assert row["turns"] == [*said, {"role": "user", "content": "What is kept there?"}]


def test_what_is_kept_and_edited_comes_out_and_what_was_generated_stays(path):
    before = path.read_bytes()
    review = Review(path)
    review.keep(2)
    review.edit(0, question=" Which maps lie in room 1? ", reference="Maps of 1.")
    review.drop(1, "nobody asks that")
    edited, kept = out(review)
    assert edited["question"] == "Which maps lie in room 1?"
    assert edited["generated"] == {"question": ROWS[0]["question"], "reference": "Maps of 1."}
    assert (edited["review"], kept["review"]) == ("edited", "kept")
    assert edited["overlap"] == 0.75
    assert {**kept, "review": None} == {**ROWS[2], "review": None}
    assert path.read_bytes() == before
    assert [q.decision for q in Review(path).questions()] == ["edit", "drop", "keep", None]
    assert Review(path).questions()[1].reason == "nobody asks that"


def test_quotes_of_another_answer_go_with_it(path):
    review = Review(path)
    review.edit(0, question=ROWS[0]["question"], reference="Lamps of 1.")  # in no quote
    review.edit(1, question="What lies in room 2?", reference="Maps.")
    review.edit(2, question=ROWS[2]["question"], reference="Room 3 keeps maps.")
    other, asked_otherwise, from_the_quote = out(review)
    assert "quotes" not in other
    assert asked_otherwise["quotes"] == ROWS[1]["quotes"]
    assert from_the_quote["quotes"] == ROWS[2]["quotes"]


def test_an_edit_without_a_change_is_none(path):
    review = Review(path)
    review.edit(0, question=ROWS[0]["question"], reference=ROWS[0]["reference"])
    assert review.questions()[0].decision == "keep"


def test_the_latest_decision_is_taken_back_then_the_one_before(path):
    review = Review(path)
    review.keep(0)
    review.drop(3)
    review.keep(3)
    assert review.undo() == 3
    assert [row["id"] for row in out(review)] == [ROWS[0]["id"]]
    assert review.undo() == 0
    assert review.undo() is None
    assert out(review) == []


def test_a_question_that_was_generated_anew_is_decided_anew(path):
    review = Review(path)
    review.keep(0)
    review.keep(1)
    written(path, [{**ROWS[0], "reference": "Other maps."}, *ROWS[1:]])
    assert [q.decision for q in Review(path).questions()] == [None, "keep", None, None]


def test_two_who_review_see_what_the_other_decided(path):
    one, other = Review(path), Review(path)
    one.keep(0)
    other.drop(1)
    assert [q.decision for q in one.questions()][:2] == ["keep", "drop"]


def test_a_line_that_a_kill_cut_short_costs_no_other(path):
    review = Review(path)
    review.keep(0)
    with review.log.open("ab") as log:
        log.write(b'{"id":"single_hop:doc#2","of"')
    again = Review(path)
    assert again.questions()[0].decision == "keep"
    again.drop(2)
    assert [q.decision for q in Review(path).questions()] == ["keep", None, "drop", None]


@pytest.mark.slow
def test_a_kill_loses_no_decision_that_was_told(path):
    code = f"""
import sys
from assay.testset import Review
review = Review({str(path)!r})
for n in range(10 ** 6):
    (review.keep if n % 2 else review.drop)(n % 4)
    print(n, flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            if int(line) == 9:
                os.kill(child.pid, signal.SIGKILL)
                break
    states = [q.decision for q in Review(path).questions()]
    assert states[:2] == ["drop", "keep"]
    assert None not in states
    assert path.read_text("utf-8").count("\n") == 4
    assert {row["id"] for row in out(Review(path))} <= {row["id"] for row in ROWS}


def test_what_came_out_is_data_to_evaluate(path, tmp_path):
    review = Review(path)
    review.edit(0, question="Which maps lie in room 1?", reference="Maps of 1.")
    rows = [{**row, "answer": "Maps of 1."} for row in out(review)]
    result = evaluate(rows, "exact_match", plausible(), store=tmp_path / "assay.db")
    ((sample, _),) = result.outcomes("exact_match")
    assert sample.metadata["review"] == "edited"
    assert sample.metadata["generated"]["question"] == ROWS[0]["question"]


@over(
    ("content", "problem"),
    [
        ("", "has no questions"),
        ("{", r"line 1 of .* is no JSON"),
        ('{"id": "a"}', "line 1 of .* has no question"),
        ('{"id": "a", "question": "x"}\n{"id": "a", "question": "y"}', "line 2 .*is there already"),
    ],
)
def test_a_file_that_holds_no_questions_is_refused(tmp_path, content, problem):
    (tmp_path / "questions.jsonl").write_text(content, "utf-8")
    with pytest.raises(InputError, match=problem):
        Review(tmp_path / "questions.jsonl")


def test_a_file_that_is_not_there_or_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="`assay testset` writes one"):
        Review(tmp_path / "questions.jsonl")
    with pytest.raises(InputError, match="no file of questions"):
        Review(tmp_path / "questions.csv")


def test_what_cannot_be_is_told(path):
    review = Review(path)
    for call, problem in (
        (lambda: review.keep(4), "there is no question 5"),
        (lambda: review.edit(0, question=" ", reference="x"), "the question is empty"),
        (lambda: review.edit(0, question="x" * 10_001, reference=""), "too long"),
    ):
        with pytest.raises(InputError, match=problem):
            call()
    review.log.write_text("nonsense\n")
    with pytest.raises(InputError, match=r"line 1 of .* is no decision"):
        review.questions()
