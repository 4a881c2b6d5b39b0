"""Two scores of the same samples: by hand, and equal to the reference libraries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.stats.groups import LARGE, describe, welch
from assay.stats.paired import detectable, needed, paired

SCORES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30)


def test_by_hand():
    found = paired([0.5, 0.5, 1.0, 0.0], [1.0, 0.5, 0.5, 1.0], span=1.0)
    assert (found.n, found.units) == (4, 4)
    assert (found.before, found.after, found.difference) == (0.5, 0.75, 0.25)
    assert (found.up, found.same, found.down) == (2, 1, 1)
    assert found.effect == pytest.approx(0.25 / np.std([0.5, 0, -0.5, 1], ddof=1))
    # Of eight ways to flip 0.5, 0.5 and 1, all but +-(0.5 - 0.5 ... ) = 0 reach 1: six.
    assert found.p == 6 / 8


def test_the_error_is_that_of_the_paired_t_test():
    random = np.random.default_rng(3)
    a, b = random.random(40), random.random(40)
    found = paired(a, b)
    expected = stats.ttest_rel(b, a)
    assert found.difference / found.error == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue, abs=0.02)
    assert found.deviation == pytest.approx(np.std(b - a, ddof=1))


def test_zeros_and_ones_are_compared_by_mcnemar():
    found = paired([0, 0, 0, 1, 1, 1, 0], [1, 1, 1, 0, 1, 1, 1])
    assert found.test == "McNemar, exact"
    assert found.p == pytest.approx(stats.binomtest(1, 5).pvalue)


def test_clusters_are_flipped_whole():
    # Three documents of four samples each, all of them better: 2 of 8 ways, not 2 of 4096.
    found = paired([0.0] * 12, [1.0] * 12, groups=[f"d{i // 4}" for i in range(12)])
    assert (found.n, found.units, found.p) == (12, 3, 2 / 8)


def test_copies_of_a_sample_in_its_cluster_add_nothing():
    random = np.random.default_rng(8)
    a, b = random.random(15), random.random(15)
    once = paired(a, b, span=1.0)
    twice = paired(np.repeat(a, 3), np.repeat(b, 3), groups=np.repeat(range(15), 3), span=1.0)
    assert twice.p == once.p
    assert twice.error == pytest.approx(once.error)
    assert twice.difference == pytest.approx(once.difference)
    assert detectable(twice) == pytest.approx(detectable(once))
    assert needed(twice, 0.1) == pytest.approx(3 * needed(once, 0.1), rel=0.05)


def test_equal_scores_leave_nothing_to_measure_an_effect_with():
    found = paired([0.5, 0.5, 0.5], [0.5, 0.5, 0.5 + 1e-13], span=1.0)
    assert (found.difference, found.p, found.same) == (0, 1, 3)
    assert found.effect is found.effect_interval is None
    assert detectable(found) is None
    assert needed(found, 0.1) is None


@pytest.mark.parametrize(("n", "lost"), [(20, 1), (20, 3), (50, 1), (50, 3), (100, 2)])
def test_where_few_answers_turn_wrong_no_smaller_loss_is_said_to_be_found_than_is(n, lost):
    least = detectable(paired([1] * n, [0] * lost + [1] * (n - lost)))
    # All changes in one direction are what is found most easily; six of them reach 0.05.
    assert stats.binom.sf(5, n, least) == pytest.approx(0.8, abs=1e-6)


def test_where_too_few_shares_differ_nothing_is_said_of_what_could_be_found():
    found = paired([1.0, 0.5] * 10, [1.0, 0.5] * 9 + [1.0, 0.25])
    assert (found.moved, found.size) == (1, 0.25)
    assert detectable(found) is None
    # One of twenty changes: to have six of them in 80 of 100 cases takes 157 pairs or more.
    assert needed(found, 0.25 / 20) >= 157


def test_no_less_is_said_to_be_found_than_the_fewest_changes_make():
    before, after = np.full(200, 0.5), np.full(200, 0.5)
    after[:6] += 0.25
    found = paired(before, after)
    share = detectable(found) / 0.25
    assert stats.binom.sf(5, 200, share) >= 0.8 - 1e-9
    whole = paired(np.repeat(before, 3), np.repeat(after, 3), groups=np.repeat(range(200), 3))
    assert (whole.moved, whole.size) == pytest.approx((6, 0.25))
    assert detectable(whole) == pytest.approx(detectable(found))


def test_one_pair_has_no_interval():
    found = paired([0.2], [0.4])
    assert (found.interval, found.error, found.effect) == (None, None, None)
    assert found.p == 1


@given(SCORES)
def test_turned_round_it_says_the_opposite(pairs):
    before, after = (np.round(side, 4) for side in zip(*pairs, strict=True))
    one, other = paired(before, after, span=1.0), paired(after, before, span=1.0)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p == pytest.approx(other.p)
    assert (one.up, one.same) == (other.down, other.same)
    assert one.difference == pytest.approx(one.after - one.before)


def test_welch_is_that_of_scipy():
    random = np.random.default_rng(4)
    a, b = random.normal(0.6, 0.3, LARGE), random.normal(0.58, 0.1, LARGE + 60)
    for one_sided, side in ((True, "greater"), (False, "two-sided")):
        found = welch(a, b, one_sided=one_sided)
        expected = stats.ttest_ind(a, b, equal_var=False, alternative=side)
        assert (found.t, found.df) == pytest.approx((expected.statistic, expected.df))
        assert found.p == pytest.approx(expected.pvalue)
    ends = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(ends))


def test_groups_too_small_to_have_a_spread_are_not_tested():
    assert welch([1.0], [0.0, 0.5]) is None
    assert welch([1.0, 1.0], [0.5, 0.5]) is None
    assert describe([]).mean is None
    assert describe([0.5]).sd is None
    assert describe([0.0, 1.0]).sd == pytest.approx(0.5**0.5)


def test_differences_that_are_all_the_same_but_for_rounding_tell_no_spread():
    before = np.arange(1, 8) / 10
    found = paired(before, before + 0.1)
    assert len(set((before + 0.1) - before)) > 1, "they differ in the last digit"
    assert (found.interval, found.error, found.deviation) == (None, 0.0, 0.0)
    assert detectable(found) is None
    assert needed(found, 0.05) is None


def test_an_effect_beyond_all_bounds_has_an_interval_without_delay():
    after = 0.1 + np.array([0, 1, 2, 3, 4, 5]) * 1e-8
    found = paired(np.zeros(6), after)
    assert found.effect_interval.low < found.effect < found.effect_interval.high


@pytest.mark.parametrize(("first", "second"), [(0.1, 0.3), (0.1, 0.7), (1e6 / 3, 0.1)])
def test_two_groups_without_spread_are_not_tested(first, second):
    assert np.var([first] * 30) > 0 or np.var([second] * 40) > 0, "by rounding there is some"
    assert welch([first] * 30, [second] * 40) is None
