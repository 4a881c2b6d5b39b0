"""Does every label meet the score, the statement or the pair that it is about?"""

import pytest

import assay
from assay import InputError, Part, Score, Unscored
from assay._analysis.labelled import goodness, labelled
from assay.data.labels import read_labels
from support.over import over
from support.scripts import by_sentence, verify_if


@assay.metric(needs=("answer",))
def shown(sample, judge):
    """A score that the answer's first word tells, with a part a further word."""
    first, *words = sample.answer.split()
    if first == "none":
        return Unscored("undefined", "no number")
    parts = [Part("statement", f"The thing is {w}.", value=float(w.isupper())) for w in words]
    return Score(float(first), tuple(parts))


def evaluated(tmp_path, *answers, store="labels.db"):
    rows = [
        {"id": f"s{n}", "question": "?", "answer": answer, "group": f"g{n // 2}"}
        for n, answer in enumerate(answers)
    ]
    return assay.evaluate(rows, shown, assay.Scripted({}), store=tmp_path / store)


def test_samples_by_their_id_whoever_labelled_them(tmp_path):
    result = evaluated(tmp_path, "0.5", "0.25", "none")
    rows = [
        {"id": "s1", "label": 1, "annotator": "anna"},
        {"id": "s1", "label": 0, "annotator": "bob"},
        {"id": "s0", "label": 1, "annotator": "anna"},
        {"id": "s2", "label": 1, "annotator": "anna"},
        {"id": "s9", "label": 1, "annotator": "anna"},
    ]
    found = labelled(result, read_labels(rows), "shown")
    assert [(i.sample.id, i.score, i.label) for i in found.items] == [
        ("s0", 0.5, 1),
        ("s1", 0.25, 0.5),
    ]
    assert found.items[1].labels == {"anna": 1, "bob": 0}
    assert found.items[0].group == found.items[1].group == "group g0"
    assert found.left_out == {"not scored": 1, "not in the run ('s9')": 1}


def test_an_id_is_what_it_is_in_labels_as_in_samples_and_those_that_meet_none_are_named(tmp_path):
    result = evaluated(tmp_path, "0.5")
    (sample,) = [sample for sample, _ in result.outcomes("shown")]
    ids = [sample.id, f" {sample.id}", "a", "b", "c"]
    found = labelled(result, read_labels([{"id": i, "label": 1} for i in ids]), "shown")
    assert [item.sample.id for item in found.items] == [sample.id]
    assert found.left_out == {"not in the run (' s0', 'a', 'b' and 1 more)": 4}


def test_statements_by_their_text_or_place(tmp_path):
    result = evaluated(tmp_path, "0.5 RED blue green", "1")
    rows = [
        {"id": "s0", "statement": "the thing is Blue", "label": 1},
        {"id": "s0", "place": 1, "label": 0},
        {"id": "s0", "statement": "Something else entirely.", "label": 0},
        {"id": "s1", "place": 1, "label": 0},
    ]
    found = labelled(result, read_labels(rows), "shown")
    said = [(i.part.text, i.score, i.label) for i in found.items]
    assert said == [("The thing is blue.", 0, 1), ("The thing is RED.", 1, 0)]
    assert found.left_out == {"statement not among the parts of the score": 2}


@over(
    ("value", "probability", "counts_good", "good"),
    [
        (1.0, None, True, 1.0),
        (1.0, None, False, 0.0),
        (1.0, 0.9, True, 0.9),
        (1.0, 0.1, False, 0.1),  # unsupported is counted, the probability is that of support
        (1.0, 0.9, False, pytest.approx(0.1)),  # harmful is counted, and likely so
        (0.0, 0.1, False, 0.9),
    ],
)
def test_a_statement_scores_how_good_it_is_whatever_is_counted(
    value, probability, counts_good, good
):
    part = Part("statement", "It is.", value=value, probability=probability)
    assert goodness(part, higher_is_better=counts_good) == good


@pytest.mark.parametrize(
    "metric",
    [
        "ragchecker:self_knowledge",
        "ragchecker:hallucination",
        "noise_sensitivity",
        "noise_sensitivity(mode=irrelevant)",
    ],
)
def test_a_statement_that_nothing_bears_out_is_bad_where_others_are_counted_too(tmp_path, metric):
    entailed = {("True.", "reference."), ("True.", "context"), ("reference.", "context")}
    judge = assay.Scripted(
        {
            "split_statements": by_sentence,
            "verify_statements": verify_if(lambda text, given: (text, given[0]) in entailed),
        }
    )
    texts = {"contexts": ["context"], "answer": "True. Invented.", "reference": "reference"}
    row = {"id": "s0", "question": "?", **texts}
    result = assay.evaluate([row], metric, judge, store=tmp_path / "labels.db")
    said = [("True.", "correct"), ("Invented.", "hallucinated")]
    rows = [{"id": "s0", "statement": text, "label": label} for text, label in said]
    found = labelled(result, read_labels(rows), metric)
    told = [(item.part.text, item.score, item.verdict, item.label) for item in found.items]
    assert told == [("True.", 1, 1, 1), ("Invented.", 0, 0, 0)]


def test_unequal_chances_to_be_labelled_are_noted(tmp_path):
    result = evaluated(tmp_path, "0.5", "0.25")
    for chances, unweighted in (((0.5, 0.5), False), ((0.5, 1), True), (("", ""), False)):
        rows = [
            {"id": f"s{n}", "label": n, "inclusion_probability": chance}
            for n, chance in enumerate(chances)
        ]
        assert labelled(result, read_labels(rows), "shown").unweighted is unweighted


def test_pairs_by_the_difference_between_two_runs(tmp_path):
    first, second = evaluated(tmp_path, "0.5", "1"), evaluated(tmp_path, "0.75", "none")
    rows = [{"id": "s0", "preferred": "B"}, {"id": "s1", "preferred": "A"}]
    found = labelled(first, read_labels(rows), "shown", other=second)
    assert [(i.score, i.label) for i in found.items] == [(-0.25, 0)]
    assert found.left_out == {"not scored": 1}


def test_labels_that_meet_nothing_are_refused_with_the_reason(tmp_path):
    result = evaluated(tmp_path, "0.5")
    with pytest.raises(InputError, match=r"1 not in the run \('other'\)"):
        labelled(result, read_labels([{"id": "other", "label": 1}]), "shown")
    about = read_labels([{"id": "s0", "label": 1, "metric": "faithfulness"}])
    with pytest.raises(InputError, match="they are about faithfulness") as refused:
        labelled(result, about, "shown")
    assert "give labels of shown; if these are, remove their column 'metric'" in str(refused.value)
    assert "--metric" not in str(refused.value)  # it was named
