"""Two systems on the same samples, and two groups: intervals, permutation tests, McNemar, Holm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests

from assay.stats import rare
from assay.stats.comparison import (
    DRAWS,
    LARGE,
    RARE,
    describe,
    detectable,
    difference_interval,
    gap_interval,
    holm,
    mcnemar,
    needed,
    paired,
    sign_flip,
    two_groups,
    welch,
)
from assay.stats.intervals import Interval, mean_interval
from support.over import over

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


@over(("n", "lost"), [(20, 1), (20, 3), (50, 1), (50, 3), (100, 2)])
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


@over(("first", "second"), [(0.1, 0.3), (0.1, 0.7), (1e6 / 3, 0.1)])
def test_two_groups_without_spread_are_not_tested(first, second):
    assert np.var([first] * 30) > 0 or np.var([second] * 40) > 0, "by rounding there is some"
    assert welch([first] * 30, [second] * 40) is None


SHARES = st.floats(0, 1).filter(lambda p: p == 0 or p > 1e-300)


def test_three_equal_differences_have_two_of_eight_ways_to_be_as_extreme():
    assert sign_flip([0.5, 0.5, 0.5]).p == 2 / 8


def test_no_difference_at_all_is_no_evidence_of_one():
    assert sign_flip([0.0, 0.0]).p == 1
    assert sign_flip([]).p == 1
    assert mcnemar(0, 0).p == 1


def test_up_to_16_units_it_is_scipys_exact_test():
    random = np.random.default_rng(1)
    for n in (2, 5, 9, 12):
        differences = random.normal(0.3, 1, n)
        expected = stats.permutation_test(
            (differences,),
            lambda x, axis=-1: np.mean(x, axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        )
        assert sign_flip(differences).p == pytest.approx(expected.pvalue)


@over("n", [30, 400, 20_000])
def test_for_more_units_it_is_close_to_the_t_test_which_normal_differences_satisfy(n):
    differences = np.random.default_rng(n).normal(1.5 / n**0.5, 1, n)
    expected = stats.ttest_1samp(differences, 0).pvalue
    assert sign_flip(differences).p == pytest.approx(expected, abs=0.02)


def test_drawn_signs_agree_with_all_signs():
    differences = np.random.default_rng(5).normal(0.4, 1, 17)
    exact = np.zeros(1)
    for value in differences:
        exact = np.concatenate([exact + value, exact - value])
    p = np.mean(np.abs(exact) >= abs(differences.sum()) - 1e-12)
    assert sign_flip(differences).p == pytest.approx(p, abs=0.02)


def test_p_is_never_zero_and_the_same_every_time():
    for n in (17, 6_000):
        found = sign_flip(np.ones(n))
        assert 0 < found.p < 0.001
        assert found == sign_flip(np.ones(n))


@given(st.lists(st.floats(-1, 1), max_size=40))
def test_p_knows_neither_sign_nor_unit(differences):
    values = np.round(differences, 3)
    found = sign_flip(values).p
    assert 0 < found <= 1
    assert sign_flip(-values).p == pytest.approx(found)
    assert sign_flip(10 * values).p == pytest.approx(found)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_that_of_statsmodels(up, down):
    expected = reference_mcnemar([[3, up], [down, 4]], exact=True).pvalue
    assert mcnemar(up, down).p == pytest.approx(min(1, expected))


def test_mcnemar_is_the_sign_flip_test_of_ones_and_zeros():
    assert mcnemar(7, 2).p == pytest.approx(sign_flip([1.0] * 7 + [-1.0] * 2 + [0.0] * 5).p)


@pytest.mark.slow
@settings(max_examples=8)  # statsmodels takes a while over each
@given(st.lists(SHARES, min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


@over("shared", [0.0, 0.8])  # how much the tests have in common
def test_holm_finds_anything_by_chance_as_seldom_as_promised(shared):
    rng, families = np.random.default_rng(2), 2000
    common = np.sqrt(shared) * rng.normal(size=(families, 1))
    p_values = stats.norm.sf(common + np.sqrt(1 - shared) * rng.normal(size=(families, 8)))
    p_values[:, :3] = stats.norm.sf(rng.normal(4, 1, (families, 3)))  # these are true effects
    adjusted = np.array([holm(each) for each in p_values.tolist()])
    by_chance = np.mean(adjusted[:, 3:].min(axis=1) <= 0.05)
    assert by_chance <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / families)
    assert by_chance < np.mean(p_values[:, 3:].min(axis=1) <= 0.05) / 1.5
    # Less strict than Bonferroni, which gives every one of the eight an eighth of 5 %.
    assert np.mean(adjusted[:, :3] <= 0.05) > np.mean(p_values[:, :3] * 8 <= 0.05)


def test_holm_of_nothing_is_nothing():
    assert holm([]) == []


def test_a_large_effect_stands_among_a_thousand_tests():
    """Draws alone show no p-value below 1 in 10,000: after Holm nothing would ever be found."""
    p = sign_flip(0.4 + np.random.default_rng(1).normal(0, 0.05, 60)).p
    assert 0 < p < 1e-9
    assert holm([p] * 1000)[0] < 0.001


def test_holm_by_hand():
    # 4 x 0.005; 3 x 0.01; 2 x 0.03, and no less than that for 0.04.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@over("n", [17, 30, 60, 300])
def test_the_bound_for_many_tests_is_never_below_the_exact_p_value(n):
    exact = 2.0 ** (1 - n)  # all differ alike, and in one direction
    assert exact <= sign_flip(np.ones(n)).p <= 2 * np.exp(-n / 2) * (1 + 1e-9)


def test_two_groups_that_share_nothing_have_a_p_above_zero():
    random = np.random.default_rng(6)
    low, high = random.normal(0, 1, 40), random.normal(9, 1, 40)
    assert 0 < two_groups(high, low, one_sided=True).p <= 1 / DRAWS


def test_the_gap_of_two_means_has_the_near_sides_of_both_intervals():
    # Zou & Donner: down by how far the first may fall and the second rise.
    gap = gap_interval((0.9, 0.5), (Interval(0.8, 0.92), Interval(0.45, 0.7)))
    assert gap.low == pytest.approx(0.4 - np.hypot(0.1, 0.2))
    assert gap.high == pytest.approx(0.4 + np.hypot(0.02, 0.05))


def test_ends_beyond_twice_the_largest_difference_are_not_reckoned_with():
    differences = [0.0] * 10 + [0.4, -0.3, 0.4, -0.2, 0.3]
    near = mean_interval(differences, low=-0.8, high=0.8)
    assert difference_interval(differences, span=1.0) == near
    far = mean_interval(differences, low=-0.5, high=0.5)
    assert difference_interval(differences, span=0.5) == far


@over("one_sided", [True, False])
def test_two_small_groups_are_divided_in_every_way(one_sided):
    random = np.random.default_rng(3)
    a, b = random.normal(0.5, 1, 5), random.normal(0, 1, 7)
    distance = np.asarray if one_sided else np.abs
    expected = stats.permutation_test(
        (a, b),
        lambda x, y, axis=-1: distance(stats.ttest_ind(x, y, equal_var=False, axis=axis).statistic),
        n_resamples=np.inf,
        vectorized=True,
        alternative="greater",
    ).pvalue
    assert two_groups(a, b, one_sided=one_sided).p == pytest.approx(expected)


@pytest.mark.slow
def test_two_groups_of_one_kind_differ_as_often_as_they_may():
    """By Student's t 30 of 200 such small groups would be called different at 0.05, and more."""
    random, called = np.random.default_rng(4), {True: 0, False: 0}
    for _ in range(200):
        few, many = (random.random(n) < 0.97 for n in (30, 200))
        if few.all() and many.all():
            continue
        called[True] += two_groups(few, many, one_sided=False).p < 0.05
        by_t = welch(few, many)
        called[False] += 2 * stats.t.sf(abs(by_t.t), by_t.df) < 0.05
    assert called[True] <= 16
    assert called[False] > 40


def test_two_groups_that_differ_are_told_apart_whichever_is_named_first():
    random = np.random.default_rng(5)
    low, high = random.normal(0, 1, 30), random.normal(1, 1, 60)
    assert two_groups(high, low, one_sided=True).p < 0.002
    assert two_groups(low, high, one_sided=True).p > 0.9
    assert two_groups(low, high, one_sided=False).p < 0.002


class TestRareDifferences:
    def test_small_gains_of_all_pairs_are_no_proof_where_few_pairs_may_hide_a_loss(self):
        gains = np.linspace(0.03, 0.07, 20)
        levels = np.linspace(0.1, 0.9, 20)
        found = paired(levels, levels + gains, span=1.0)
        assert found.p_of_signs < 0.001
        assert (found.p > 0.05, found.test) == (True, RARE)
        assert found.interval.low < 0 < found.interval.high
        assert found.interval.method == "Wilson, effective n, rare values"
        # Of 60 such pairs so many losses would have shown themselves.
        sure = paired(np.tile(levels, 3), np.tile(levels + gains, 3), span=1.0)
        assert sure.p < 0.05
        assert sure.interval.low > 0

    def test_scores_that_lie_close_together_hide_no_loss_larger_than_half_of_their_room(self):
        levels, gains = np.linspace(0.8, 0.9, 20), np.linspace(0.03, 0.07, 20)
        found = paired(levels, levels + gains, span=2.0)  # such as cosines
        assert found.unseen == pytest.approx((0.97 - 0.8) / 2)
        assert found.p < 0.05
        assert found.interval.low > 0

    def test_p_is_the_level_at_which_the_interval_ends_at_zero(self):
        differences = np.append(np.linspace(0.03, 0.07, 28), [-0.4, -0.3])
        p = rare.p_value(differences, 0.5)
        low, _ = rare.bounds(differences, -0.5, 0.5, 1 - p)
        assert 0 < p < 1
        assert low == pytest.approx(0, abs=1e-9)
        # The worst two of thirty as two losses: Jeffreys's posterior of their share.
        rest = differences[:28].mean()
        share = rest / (rest + 0.35)
        assert p == pytest.approx(2 * stats.beta.sf(share, 2.5, 28.5))

    def test_scores_of_zero_and_one_have_no_larger_difference_than_those_seen(self):
        found = paired([0] * 12, [1] * 6 + [0] * 6, span=1.0)
        assert (found.unseen, found.p) == (0, 2 / 2**6)

    def test_a_range_without_end_takes_the_largest_difference_seen(self):
        found = paired([0.0] * 30, [200.0] * 29 + [350.0])
        assert found.unseen == 350

    @given(st.lists(st.floats(-1, 1), min_size=2, max_size=60))
    def test_they_only_widen_an_interval_and_never_beyond_the_range(self, values):
        differences = np.round(values, 3)
        found = difference_interval(differences, span=1.0)
        end = min(1.0, 2 * np.abs(differences).max()) or 1.0
        usual = mean_interval(differences, low=-end, high=end)
        assert -1 <= found.low <= usual.low <= usual.high <= found.high <= 1

    @over("n", [10, 20, 50])
    def test_where_one_of_ten_loses_all_that_the_others_gain_none_is_called_better(self, n):
        random, better = np.random.default_rng(n), 0
        for _ in range(200):
            gains = 0.05 * (1 + 0.2 * random.uniform(-1, 1, n))
            moved = np.where(random.random(n) < 0.1, -0.45, gains)
            before = np.maximum(0, -moved) + random.random(n) * (1 - np.abs(moved))
            after = before + moved
            found = paired(before, after, span=1.0)
            better += found.p <= 0.05 and found.difference > 0
        # 2.5 % of 200, and two and a half standard errors of such a count; the signs alone call
        # 70, 25 and 20 of them better.
        assert better <= 10

    def test_so_many_pairs_as_are_said_to_be_needed_show_it(self):
        levels = np.linspace(0.0, 0.9, 20)
        few = paired(levels, levels + np.linspace(0.0, 0.1, 20), span=1.0)
        n = needed(few, 0.05)
        assert n > 20
        random, found = np.random.default_rng(3), 0
        for _ in range(200):
            levels = random.uniform(0.0, 0.9, n)
            after = levels + random.uniform(0.0, 0.1, n)
            found += paired(levels, after, span=1.0).p <= 0.05
        assert found >= 150
        levels = np.linspace(0.0, 0.9, n)
        again = paired(levels, levels + np.linspace(0.0, 0.1, n), span=1.0)
        assert detectable(again) == pytest.approx(0.05, rel=0.05)
