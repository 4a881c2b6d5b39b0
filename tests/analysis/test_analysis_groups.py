"""One run's samples by a field: mean (s.d.), n and the t-test of the telecom paper's table 2."""

import numpy as np
import pytest
from scipy import stats

from assay._analysis.groups import by_group, compare_groups
from assay.errors import InputError
from assay.stats.comparison import welch
from support import graded

HIGH, LOW = [0.9, 0.8, 1.0, 0.7, 0.9, 0.8], [0.3, 0.5, 0.2, 0.4, 0.6, 0.1]


def test_yes_and_no_are_tested_one_sided(db):
    result = graded.run(db, HIGH + LOW, found=[True] * 6 + [False] * 6)
    (one,) = by_group(result, "found").metrics
    assert [(group.name, group.n) for group in one.groups] == [("yes", 6), ("no", 6)]
    assert one.groups[0].mean == pytest.approx(0.85)
    (test,) = one.tests
    expected = stats.ttest_ind(HIGH, LOW, equal_var=False, alternative="greater")
    assert test.found.t == pytest.approx(expected.statistic)
    assert test.found.p == test.p == pytest.approx(1 / 924), "one division of 924 is as far off"


def test_of_an_error_rate_no_is_expected_to_be_higher(db):
    result = graded.run(db, LOW + HIGH, graded.error_rate, found=["yes"] * 6 + ["no"] * 6)
    (test,) = by_group(result, "found").metrics[0].tests
    assert (test.first, test.second) == ("no", "yes")
    assert test.found.p < 0.01


def test_a_metric_of_zeros_and_ones_makes_groups_and_is_not_tested_itself(db):
    references = ["right"] * 6 + ["wrong"] * 6
    result = graded.run(db, HIGH + LOW, [graded.quality, graded.right], reference=references)
    (one,) = by_group(result, "right").metrics
    assert one.metric == "quality"
    assert [(group.name, group.n) for group in one.groups] == [("yes", 6), ("no", 6)]


def test_two_other_values_are_tested_two_sided_and_three_against_the_rest(db):
    result = graded.run(
        db, HIGH + LOW, model=["small"] * 6 + ["large"] * 6, third=["a", "b", "c"] * 4
    )
    (two,) = by_group(result, "model").metrics
    assert (two.tests[0].first, two.tests[0].found.one_sided) == ("large", False)
    (three,) = by_group(result, "third").metrics
    assert [test.second for test in three.tests] == ["all others"] * 3
    assert [test.found for test in three.tests] == [None] * 3, "four scores each are too few"


def test_a_few_perfect_scores_prove_nothing(db):
    few = [1.0] * 6 + LOW
    result = graded.run(db, few, kind=["yes"] * 6 + ["no"] * 6)
    assert by_group(result, "kind").metrics[0].tests[0].found is None
    many = [1.0] * 30 + LOW
    result = graded.run(db, many, kind=["yes"] * 30 + ["no"] * 6)
    assert by_group(result, "kind").metrics[0].tests[0].found is not None


def test_a_small_group_of_perfect_scores_is_no_better_than_a_large_one_that_may_be_as_good(db):
    """Thirty of thirty beside 194 of 200: one in 2.5 such groups of the same kind is perfect."""
    result = graded.run(db, [1.0] * 30 + [0.0] * 6 + [1.0] * 194, kind=["a"] * 30 + ["b"] * 200)
    (test,) = by_group(result, "kind").metrics[0].tests
    assert 2 * stats.t.sf(test.found.t, test.found.df) < 0.02
    assert test.found.p > 0.3
    assert test.found.interval.low < 0 < test.found.interval.high


def test_samples_without_the_field_or_a_score_are_counted(db):
    scores = [*map(str, HIGH + LOW), "0.5", "!"]
    kinds = ["yes"] * 6 + ["no"] * 6 + [None, "no"]
    found = by_group(graded.run(db, scores, kind=kinds), "kind")
    assert found.without == 1
    assert [group.unscored for group in found.metrics[0].groups] == [0, 1]


def test_clusters_are_warned_of(db):
    groups = [f"d{i % 4}" for i in range(12)]
    result = graded.run(db, HIGH + LOW, found=[True] * 6 + [False] * 6, group=groups)
    assert "not independent" in by_group(result, "found").warnings[0]
    assert by_group(result, "group").warnings == ()


def test_documents_that_lie_in_one_group_each_count_as_one(db):
    """With each sample as independent a difference that is not there was found in 27 of 100."""
    random = np.random.default_rng(1)
    scores = np.clip(0.8 + np.repeat(random.normal(0, 0.15, 20), 5), 0, 1)
    kinds = ["a"] * 50 + ["b"] * 50
    result = graded.run(db, scores.tolist(), kind=kinds, group=[f"d{n // 5}" for n in range(100)])
    found = by_group(result, "kind")
    assert "count as one" in found.warnings[0]
    (test,) = found.metrics[0].tests
    documents = scores[::5]
    expected = welch(documents[:10], documents[10:], one_sided=False)
    assert test.found.p == pytest.approx(expected.p)
    assert test.found.difference == pytest.approx(scores[:50].mean() - scores[50:].mean())


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("nonsense", "have no field 'nonsense' -> they have many, one, tags"),
        ("mny", "have no field 'mny' -> did you mean 'many'\\? they have many, one, tags"),
        ("one", "has 1 different value "),
        ("many", "has 30 different values"),
        ("tags", "holds lists"),
        ("quality", "not all 0 or 1"),
    ],
)
def test_fields_that_make_no_groups_are_refused(db, field, words):
    result = graded.run(
        db, HIGH * 5, one="same", many=[str(i) for i in range(30)], tags=[["x"]] * 30
    )
    with pytest.raises(InputError, match=words):
        by_group(result, field)


def _retrieved(right):
    """Contexts of samples, by whether the right one was retrieved."""
    ids = [["gold", "x"] if found else ["y", "x"] for found in right]
    return {"context_ids": ids, "reference_context_ids": [["gold"]] * len(right)}


def test_retrieval_is_right_if_any_right_context_was_retrieved(db):
    result = graded.run(db, HIGH + LOW, **_retrieved([True] * 6 + [False] * 6))
    (one,) = by_group(result, "retrieval").metrics
    assert [(group.name, group.mean) for group in one.groups] == [
        ("yes", pytest.approx(0.85)),
        ("no", pytest.approx(0.35)),
    ]


def test_without_known_contexts_there_is_no_retrieval_to_group_by(db):
    with pytest.raises(InputError, match="no field 'retrieval'"):
        by_group(graded.run(db, HIGH), "retrieval")


class TestSeveralRuns:
    def test_each_group_is_paired_with_the_same_of_the_base(self, db):
        right = [True] * 6 + [False] * 6
        base = graded.run(db, HIGH + LOW, **_retrieved(right))
        scores = [x - 0.1 * (1 + i % 2) for i, x in enumerate(HIGH)] + LOW
        other = graded.run(db, scores, **_retrieved(right))
        found = compare_groups(base, other, field="retrieval")
        yes, no = found.differences
        expected = stats.permutation_test(
            ([-0.1 * (1 + i % 2) for i in range(6)],), sum, permutation_type="samples"
        )
        assert yes.paired.p_of_signs == pytest.approx(expected.pvalue)
        assert yes.p == yes.paired.p, "equal pairs are not tested, so one test is left"
        assert (no.paired.difference, no.p) == (0, 1)

    def test_only_samples_of_the_group_in_both_are_paired(self, db):
        base = graded.run(db, HIGH + LOW, **_retrieved([True] * 6 + [False] * 6))
        other = graded.run(db, HIGH + LOW[::-1], **_retrieved([True] * 4 + [False] * 8))
        found = compare_groups(base, other, field="retrieval")
        assert [one.paired.n for one in found.differences] == [4, 6]
        assert [group.n for group in found.runs[1].metrics[0].groups] == [4, 8]

    def test_tests_within_runs_are_adjusted_over_all_of_them(self, db):
        right = _retrieved([True] * 6 + [False] * 6)
        runs = [graded.run(db, scores, **right) for scores in (HIGH + LOW, LOW + HIGH)]
        tests = [run.metrics[0].tests[0] for run in compare_groups(*runs, field="retrieval").runs]
        assert [test.p for test in tests] == [pytest.approx(2 / 924), 1]
