"""Labelled and synthetic cases: what they are, and which rows are refused."""

import json
from collections import Counter

import pytest

from assay.errors import InputError
from assay.experiments.judge_cases import Case, labelled, synthetic, windows
from support.tower_corpus import TOWERS, corpus

QUESTIONS = [
    {"id": name, "question": f"How many steps lead to {name}?", "reference": f"{n} hundred steps"}
    | {"reference_contexts": [corpus()[n]["text"]]}
    for n, name in enumerate(TOWERS)
]
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
        ({**GOOD, "verdict": 1}, "unknown field `verdict`"),
        ({**GOOD, "supported": "perhaps"}, "Expected `bool"),
        ({**GOOD, "contexts": []}, "'supported' needs a statement and contexts"),
        ({"statement": "It is old."}, "none of the labels supported, context_relevant"),
    ],
)
def test_a_row_that_is_no_label_is_named(tmp_path, row, message):
    with pytest.raises(InputError, match=message) as error:
        labelled(write(tmp_path / "l.jsonl", GOOD, row))
    assert "row 2" in str(error.value)


def test_no_labels_and_no_text_are_told(tmp_path):
    with pytest.raises(InputError, match="is empty"):
        labelled(write(tmp_path / "l.jsonl"))
    with pytest.raises(InputError, match="0 passages of text: too few"):
        synthetic([{"text": "Short."}])


def test_right_and_wrong_cases_are_made_of_a_corpus():
    cases = synthetic(corpus(), QUESTIONS)
    made = Counter((case.kind, case.maker, case.good) for case in cases)
    for kind in ("faithfulness", "context_relevance", "answer_relevance"):
        assert made[kind, "asked", True] > 0, made
        assert made[kind, "asked", False] > 0, made
    assert made["faithfulness", "exchanged", False] > 0
    wrong = [case for case in cases if case.maker in ("elsewhere", "exchanged")]
    assert all(case.text not in case.contexts[0] for case in wrong)
    assert cases == synthetic(corpus(), QUESTIONS)  # the same every time


def test_windows_carry_the_labels():
    base = Case("faithfulness", "g", "", ("The tower is old.",), "It is new.", good=False)
    (window,) = windows([base])
    assert [label for _, _, label in window.parts] == [3]
    context = Case("context_relevance", "g", "How old?", ("Hi. It is ten.",), "ten", good=True)
    (window,) = windows([context])
    assert window.helps == (-1, 1.0)
    answer = Case("answer_relevance", "g", "How old?", (), "It is green.", good=False)
    (window,) = windows([answer])
    assert window.answers == 0.0
