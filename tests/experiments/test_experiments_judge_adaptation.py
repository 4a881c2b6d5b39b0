"""`adapt_judge`: cases, coefficients by labels, what is chosen, and what is refused."""

import json
import math
import random
from collections import Counter
from dataclasses import replace

import pytest

from assay.errors import InputError
from assay.experiments import judge_adaptation as adapting
from assay.experiments import judge_comparison
from assay.experiments.judge_adaptation import JudgeAdapting, adapt_judge
from assay.experiments.judge_cases import Case, labelled, synthetic, windows
from assay.experiments.judge_comparison import Both
from assay.judges import backend
from assay.judges.embedded import verification
from assay.judges.embedded.verification import Fitted
from support.tower_corpus import TOWERS, corpus

COEFFICIENTS = JudgeAdapting(steps=0)


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
    made = adapt_judge(labels=file, out=tmp_path / "new", settings=COEFFICIENTS)
    (one,) = made.compared
    assert (one.candidate, one.cases, one.verdict) == ("shipped, refitted", "people", "better")
    assert one.missed.candidate < one.missed.base
    assert made.fitted == ("faithfulness",)
    assert made.network == "shipped"
    assert not (tmp_path / "new" / "model.onnx").exists()
    assert "reader-l6-adapted:" in backend(f"embedded:{tmp_path / 'new'}").name


def test_nothing_is_written_where_nothing_is_better(tmp_path, read_off):
    file = labels(tmp_path / "l.jsonl", 0)
    made = adapt_judge(labels=file, out=tmp_path / "new", settings=COEFFICIENTS)
    assert made.folder is None
    assert not (tmp_path / "new").exists()


def compared(read_off, tmp_path, *candidates):
    """Comparisons with these names, kinds and differences of the squared error."""
    file = labels(tmp_path / "l.jsonl", 2)
    made = adapt_judge(labels=file, out=tmp_path / "new", settings=COEFFICIENTS)
    (one,) = made.compared
    ends = one.brier.interval
    return [
        replace(
            one,
            candidate=name,
            kind=kind,
            lead=None,
            auroc=Both(0.5, 0.5),
            brier=replace(
                one.brier,
                after=one.brier.before + gap,
                difference=gap,
                interval=replace(ends, low=gap - 0.01, high=gap + 0.01),
            ),
        )
        for name, kind, gap in candidates
    ]


@pytest.mark.parametrize(
    ("candidates", "chosen"),
    [
        ([("trained", "faithfulness", -0.1)], ("trained", ())),
        ([("trained", "faithfulness", 0.005)], ("shipped", ())),
        # Better for one kind and worse for another: not taken.
        (
            [("trained", "faithfulness", -0.1), ("trained", "answer_relevance", 0.1)],
            ("shipped", ()),
        ),
        # Coefficients alone do as well.
        (
            [("trained", "faithfulness", -0.1), ("shipped, refitted", "faithfulness", -0.2)],
            ("shipped", ("faithfulness",)),
        ),
        (
            [
                ("trained, refitted", "faithfulness", -0.3),
                ("shipped, refitted", "faithfulness", -0.2),
            ],
            ("trained", ("faithfulness",)),
        ),
    ],
)
def test_what_is_chosen(tmp_path, read_off, candidates, chosen):
    assert adapting._chosen(compared(read_off, tmp_path, *candidates)) == chosen


def test_a_guess_that_is_the_same_for_all_is_not_better(tmp_path, read_off):
    (one,) = compared(read_off, tmp_path, ("trained", "faithfulness", -0.1))
    assert one.verdict == "better"
    passes_all = replace(one, missed=Both(0.76, 0.99), alarms=Both(0.11, 0.01))
    assert passes_all.verdict == "no gain shown"


def test_documents_without_a_statement_are_told_and_not_read_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)  # as if all were installed
    texts = [{"id": str(n), "text": "Why so? What now? How come? " * 15} for n in range(5)]
    with pytest.raises(InputError, match=r"nothing that a rule can make a case of.*--questions"):
        adapt_judge(texts, out=tmp_path / "new")


def test_what_cannot_be_done_is_told_first(tmp_path):
    with pytest.raises(InputError, match=r"nothing to fit but coefficients.*--labels"):
        adapt_judge(out=tmp_path / "new", settings=COEFFICIENTS)
    few = labels(tmp_path / "few.jsonl", 2, n=19)
    with pytest.raises(InputError, match="no kind of case has 20 labels, 3 of them right"):
        adapt_judge(labels=few, out=tmp_path / "new", settings=COEFFICIENTS)
    with pytest.raises(InputError, match="no documents to learn from"):
        adapt_judge(out=tmp_path / "new")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    with pytest.raises(InputError, match="is there already"):
        adapt_judge(corpus(), out=tmp_path / "full")


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
