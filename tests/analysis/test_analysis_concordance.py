"""Is the concordance of metrics with people counted over the samples that all of them scored?"""

import re

import pytest

import assay
from assay import InputError, Score, Unscored
from assay._analysis.annotators import concordance
from assay._report import agreement as words
from assay.data.labels import read_labels


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
    page = words.html(words.collect(both.run, "labels", [], {}, found))
    assert "<li>graded: above 0.7 parts no scores of graded" in page
    with pytest.raises(InputError, match="1 to 5 -> give another --above"):
        concordance(both, said(), ["graded"])
    (row,) = concordance(both, said(), ["graded"], above=4, below=2).rows
    assert (row.correct.n, row.wrong.n) == (3, 2)


@assay.metric(needs=("answer",), range=(-1.0, 1.0))
def cosine(sample, judge):
    """Hardly ever below 0."""
    return Score(sample.metadata["scores"][0])


@assay.metric(needs=("answer",), range=(float("-inf"), float("inf")))
def open_ended(sample, judge):
    """A number without ends."""
    return Score(100 * sample.metadata["scores"][0])


def evaluated(tmp_path, *metrics):
    rows = [{"id": f"s{n}", "answer": "a", "scores": s} for n, s in enumerate(SCORES)]
    return assay.evaluate(rows, metrics, assay.Scripted({}), store=tmp_path / "e.db")


@pytest.mark.parametrize(
    ("metric", "ends", "grid"),
    [
        (first, (0, 1), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        (graded, (1, 5), [1.4, 1.8, 2.2, 2.6, 3.0, 3.4, 3.8, 4.2, 4.6]),
        (cosine, (0, 1), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        (open_ended, (10, 90), [18, 26, 34, 42, 50, 58, 66, 74, 82]),
    ],
)
def test_the_grid_divides_the_range_of_the_metric(tmp_path, metric, ends, grid):
    above, below = (70, 30) if metric is open_ended else (3, 2) if metric is graded else (0.7, 0.3)
    found = concordance(evaluated(tmp_path, metric), said(), above=above, below=below)
    (thresholds,) = found.thresholds.values()
    assert thresholds.ends == pytest.approx(ends)
    assert thresholds.grid == pytest.approx(grid)
    if metric is first:
        assert tuple(thresholds.grid) == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def test_one_metric_may_have_thresholds_of_its_own(tmp_path):
    result = evaluated(tmp_path, first, graded)
    # first 0.9, 0.8, 0.8, 0.2, 0.1; graded 4.6, 4.2, 4.2, 1.8, 1.4.
    found = concordance(result, said(), above={"graded": 4.4}, below={"graded": 1.6, "": 0.25})
    one, other, both = found.rows
    assert (one.correct.n, one.wrong.n) == (3, 2)
    assert (other.correct.n, other.wrong.n) == (1, 1)
    assert (both.correct.n, both.wrong.n) == (1, 1)
    assert (found.above, found.below) == (0.7, 0.25)
    assert found.thresholds["graded"].above == 4.4
    # Rows are the thresholds of `first`, columns those of `graded`: above 4.2 there is one.
    assert [both.correct_grid[0][at].n for at in (0, 6, 7, 8)] == [4, 3, 1, 0]
    data = words.collect(result.run, "labels", [], {}, found)
    rows = words.concordance_rows(found)
    assert rows[2][0] == "first (> 0.70, < 0.25) and graded (> 4.40, < 1.60)"
    assert words.conditions(found) == ("P(correct | all high)", "P(wrong | all low)")
    page = words.html(data)
    assert re.findall(r"<text [^>]*>(\d+)</text><text [^>]*>threshold (\d+)<", page) == [
        ("0", "1"),
        ("1", "5"),
    ]
    assert ">4.6</text>" in page


def test_long_thresholds_are_shortened_where_they_stand_beside_cells(tmp_path):
    result = evaluated(tmp_path, first, open_ended)
    found = concordance(result, said(), above={"open_ended": 70}, below={"open_ended": 30})
    data = words.collect(result.run, "labels", [], {}, found)
    thresholds = data["concordance"]["thresholds"]["open_ended"]
    thresholds |= {"grid": [1_000 * t for t in thresholds["grid"]], "ends": [1_000.0, 2.5e6]}
    page = words.html(data)
    assert ">18k</text>" in page
    assert ">1k</text>" in page
    assert ">threshold 2.5M</text>" in page
    assert "<title>0.10, 18,000: " in page


@pytest.mark.parametrize(
    ("metrics", "thresholds", "told"),
    [
        ((), {"above": {"graded": 7}}, "above 7 parts no scores of graded, which are 1 to 5"),
        (("first",), {"below": {"graded": 2}}, "below is given for graded, which is not asked"),
        ((), {"above": {"grade": 4}}, "has no 'grade': it has first, graded"),
    ],
)
def test_a_threshold_of_one_metric_is_never_without_effect(tmp_path, metrics, thresholds, told):
    with pytest.raises(InputError, match=told):
        concordance(evaluated(tmp_path, first, graded), said(), metrics, **thresholds)


def test_labels_that_are_no_yes_or_no_are_refused(result):
    said = read_labels([{"id": f"s{n}", "label": n} for n in range(4)])
    with pytest.raises(InputError, match="yes or no"):
        concordance(result, said)
