"""Is the concordance of metrics with people counted over the samples that all of them scored?"""

import pytest

import assay
from assay import InputError, Score, Unscored
from assay.analysis.concordance import concordance
from assay.dataset.labels import read_labels
from assay.report import agreement as words
from assay.report import html_agreement


@assay.metric(needs=("answer",))
def first(sample, judge):
    """The first number of the metadata."""
    return Score(sample.metadata["scores"][0])


@assay.metric(needs=("answer",), higher_is_better=False)
def second(sample, judge):
    """The second, of which low is good; there may be none."""
    value = sample.metadata["scores"][1]
    return Unscored("undefined", "none") if value is None else Score(value)


SCORES = [(0.9, 0.1), (0.8, 0.9), (0.8, None), (0.2, 0.8), (0.1, 0.0)]
LABELS = [1, 0, 1, 0, 1]


@pytest.fixture
def result(tmp_path):
    rows = [{"id": f"s{n}", "answer": "a", "scores": s} for n, s in enumerate(SCORES)]
    return assay.evaluate(rows, [first, second], assay.Scripted({}), store=tmp_path / "c.db")


def test_each_alone_and_both_jointly(result):
    said = read_labels([{"id": f"s{n}", "label": v} for n, v in enumerate(LABELS)])
    found = concordance(result, said)
    counts = [
        (r.metrics, r.n, r.correct.hits, r.correct.n, r.wrong.hits, r.wrong.n) for r in found.rows
    ]
    assert counts == [
        (("first",), 5, 2, 3, 1, 2),
        (("second",), 4, 2, 2, 2, 2),
        (("first", "second"), 4, 1, 1, 1, 1),
    ]
    assert found.turned == ["second"]
    joint = found.rows[2]
    assert joint.correct_grid[6][6] == joint.correct
    # Rows are the first metric's thresholds, columns the second's.
    assert joint.correct_grid[0][6].n == 1
    assert joint.correct_grid[6][0].n == 1
    assert found.rows[0].base_rate == 0.6


@assay.metric(needs=("answer",), range=(1.0, 5.0))
def graded(sample, judge):
    """A grade."""
    return Score(1 + 4 * sample.metadata["scores"][0])


def said():
    return read_labels([{"id": f"s{n}", "label": v} for n, v in enumerate(LABELS)])


@pytest.mark.parametrize(
    ("thresholds", "told"),
    [
        ({"above": 1.0}, "above 1 parts no scores of first, which are 0 to 1"),
        ({"above": -0.1}, "above -0.1 parts"),
        ({"below": 0.0}, "below 0 parts"),
        ({"below": 70}, "below 70 parts"),
        ({"above": float("nan")}, "above nan parts"),
    ],
)
def test_a_threshold_that_no_score_can_pass_is_refused(result, thresholds, told):
    with pytest.raises(InputError, match=told):
        concordance(result, said(), **thresholds)


def test_thresholds_of_ones_own_and_their_ends(result):
    found = concordance(result, said(), ["first"], above=0.0, below=1.0)
    assert (found.above, found.below) == (0.0, 1.0)
    (row,) = found.rows
    assert (row.correct.hits, row.correct.n, row.wrong.hits, row.wrong.n) == (3, 5, 2, 5)


def test_a_metric_of_another_range_is_left_out_or_refused(result, tmp_path):
    rows = [{"id": f"s{n}", "answer": "a", "scores": s} for n, s in enumerate(SCORES)]
    both = assay.evaluate(rows, [first, graded], assay.Scripted({}), store=tmp_path / "g.db")
    found = concordance(both, said())
    assert [row.metrics for row in found.rows] == [("first",)]
    assert found.without == {"graded": "above 0.7 parts no scores of graded, which are 1 to 5"}
    page = html_agreement.render(words.told(both.run, "labels", [], {}, found))
    assert "<li>graded: above 0.7 parts no scores of graded" in page
    with pytest.raises(InputError, match="1 to 5 -> give another --above"):
        concordance(both, said(), ["graded"])
    (row,) = concordance(both, said(), ["graded"], above=4, below=2).rows
    assert (row.correct.n, row.wrong.n) == (3, 2)


def test_labels_that_are_no_yes_or_no_are_refused(result):
    said = read_labels([{"id": f"s{n}", "label": n} for n in range(4)])
    with pytest.raises(InputError, match="yes or no"):
        concordance(result, said)
