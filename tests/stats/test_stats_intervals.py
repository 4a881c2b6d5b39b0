"""Intervals of means equal what is known of them, and hold the true mean."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from assay.stats import intervals
from assay.stats.intervals import (
    effective_n,
    mean_interval,
    proportion_interval,
    share_interval,
    wilson,
)
from support.over import over

T19 = scipy.stats.t.ppf(0.975, 19)
shares = st.lists(st.integers(0, 100).map(lambda n: n / 100), min_size=2, max_size=40)
yes_or_no = st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=40)


def ends(interval):
    return pytest.approx((interval.low, interval.high), abs=1e-9)


def tail_of_ones(rng, n):
    return np.where(rng.random(n) < 0.9, 1.0, rng.random(n))


class TestProportion:
    @over(("successes", "n"), [(0, 10), (1, 10), (8, 10), (10, 10), (450, 1000), (1, 1)])
    @over("level", [0.8, 0.95, 0.99])
    def test_it_is_wilsons_as_scipy_and_statsmodels_have_it(self, successes, n, level):
        found = proportion_interval(successes, n, level=level)
        by_scipy = scipy.stats.binomtest(successes, n).proportion_ci(level, "wilson")
        assert (by_scipy.low, by_scipy.high) == ends(found)
        assert proportion_confint(successes, n, 1 - level, "wilson") == ends(found)
        assert (found.level, found.method) == (level, "Wilson")

    def test_by_hand_eight_of_ten(self):
        found = proportion_interval(8, 10)
        assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)

    def test_of_nothing_nothing_is_known(self):
        assert (proportion_interval(0, 0).low, proportion_interval(0, 0).high) == (0.0, 1.0)

    @over("successes", [-1, 11])
    def test_more_than_all_and_fewer_than_none_are_refused(self, successes):
        with pytest.raises(ValueError, match="successes of 10"):
            proportion_interval(successes, 10)


class TestBinary:
    @given(yes_or_no)
    def test_it_is_a_proportion(self, values):
        found = mean_interval(values, low=0, high=1)
        assert found == proportion_interval(int(sum(values)), len(values))

    def test_of_another_range_too(self):
        found = mean_interval([1, 1, 5, 5, 5, 5, 5, 5, 5, 5], low=1, high=5)
        share = proportion_interval(8, 10)
        assert (1 + 4 * share.low, 1 + 4 * share.high) == ends(found)


class TestShares:
    """Values in a range with two ends."""

    def test_the_ends_are_where_t_of_the_effective_n_puts_them(self):
        values = np.random.default_rng(1).beta(5, 2, 20)
        found = mean_interval(values, low=0, high=1)
        mean, variance = values.mean(), values.var(ddof=1)
        effective = mean * (1 - mean) / (variance / 20)
        for end in (found.low, found.high):
            away = abs(end - mean) / math.sqrt(end * (1 - end) / effective)
            assert away == pytest.approx(T19)
        assert found.method == "Wilson, effective n"

    def test_where_one_value_prevails_half_a_value_is_added_at_each_end(self):
        # Values 1/2 1/2 1/2 and two halves: mean 1/2, variance (1/4) / (4 * 5) = 1/80, and so an
        # effective n of (1/4) / (1/80) - 1 = 19.
        found = mean_interval([0.5, 0.5, 0.5], low=0, high=1)
        assert tuple(scipy.stats.beta.ppf([0.025, 0.975], 9.5, 9.5)) == ends(found)
        assert found.method == "Jeffreys, effective n"

    @over(("others", "method"), [(9, "Jeffreys"), (10, "Wilson")])
    def test_ten_values_off_the_prevailing_one_tell_what_else_there_is(self, others, method):
        found = mean_interval([1.0] * 90 + [0.5] * others, low=0, high=1)
        assert found.method == f"{method}, effective n"

    def test_a_value_counts_as_another_within_half_a_hundredth_of_the_range(self):
        for last, method in ((0.995, "Jeffreys"), (0.994, "Wilson")):
            found = mean_interval([1.0, 1.0, last, 0.3, 0.6], low=0, high=1)
            assert found.method == f"{method}, effective n"
        scaled = mean_interval([100.0, 100.0, 99.5, 30.0, 60.0], low=0, high=100)
        assert scaled.method == "Jeffreys, effective n"

    def test_scores_that_decimals_blur_are_as_uncertain_as_perfect_ones(self):
        blurred = mean_interval([1.0, 0.9999, 0.99995, 1.0, 0.9998], low=0, high=1)
        same = mean_interval([0.9999] * 5, low=0, high=1)
        assert (blurred.low, blurred.high) == pytest.approx((same.low, same.high), abs=0.001)
        assert blurred.high - blurred.low > 0.2

    @over("successes", [0, 3, 7])
    def test_of_zeros_and_ones_that_would_be_jeffreys(self, successes):
        values = np.array([1.0] * successes + [0.0] * (7 - successes))
        found = intervals._jeffreys(intervals._units(values, None), 0.95)
        by_hand = scipy.stats.beta.ppf([0.025, 0.975], successes + 0.5, 7 - successes + 0.5)
        assert tuple(by_hand) == ends(found)

    @over("value", [0.0, 0.3, 1.0])
    def test_values_that_are_all_the_same_do_not_claim_certainty(self, value):
        found = mean_interval([value] * 20, low=0, high=1)
        assert found.low <= value <= found.high
        assert found.high - found.low > 0.05

    def test_twenty_perfect_scores_leave_room_for_three_in_twenty(self):
        found = mean_interval([1.0] * 20, low=0, high=1)
        assert (found.low, found.high) == pytest.approx((1 / (1 + 1.96**2 / 20), 1), abs=1e-4)

    @given(shares)
    def test_it_holds_the_mean_and_stays_in_the_range(self, values):
        found = mean_interval(values, low=0, high=1)
        assert 0 <= found.low <= np.mean(values) + 1e-12
        assert np.mean(values) - 1e-12 <= found.high <= 1

    def test_values_that_hardly_differ_from_an_end_hold_their_mean(self):
        interval = mean_interval([6e-6, 1.5e-5], low=0, high=1)
        assert interval.low == pytest.approx(1.05e-5)

    @given(shares)
    def test_seen_from_the_other_end_it_is_the_mirror_image(self, values):
        found = mean_interval(values, low=0, high=1)
        mirrored = mean_interval([1 - value for value in values], low=0, high=1)
        assert (1 - mirrored.high, 1 - mirrored.low) == ends(found)

    @given(shares)
    def test_another_unit_changes_nothing_else(self, values):
        found = mean_interval(values, low=0, high=1)
        scaled = mean_interval([8 * value - 3 for value in values], low=-3, high=5)
        assert ((scaled.low + 3) / 8, (scaled.high + 3) / 8) == ends(found)

    @given(shares)
    def test_more_confidence_needs_more_room(self, values):
        wide, narrow = (mean_interval(values, low=0, high=1, level=x) for x in (0.99, 0.8))
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high

    def test_a_value_beyond_the_range_moves_its_end(self):
        found = mean_interval([0.2, 0.5, 1.1, 0.9], low=0, high=1)
        assert found == mean_interval([0.2, 0.5, 1.1, 0.9], low=0, high=1.1)


class TestOpenRanges:
    def test_without_skew_it_is_the_t_interval(self):
        values = [1.0, 2.0, 4.0, 5.0, 7.0, 8.0]
        by_scipy = scipy.stats.ttest_1samp(values, 0).confidence_interval()
        assert (by_scipy.low, by_scipy.high) == ends(mean_interval(values))

    def test_with_skew_halls_transformation_of_the_ends_is_t(self):
        values = np.random.default_rng(2).exponential(size=20)
        found = mean_interval(values, low=0)
        skew = (((values - values.mean()) / values.std(ddof=1)) ** 3).mean()
        for end, sign in ((found.low, 1), (found.high, -1)):
            t = (values.mean() - end) / values.std(ddof=1)
            moved = t + skew * t**2 / 3 + skew**2 * t**3 / 27 + skew / (6 * 20)
            assert math.sqrt(20) * moved == pytest.approx(sign * T19)
        assert found.method == "skewness-corrected t"

    def test_it_leans_to_the_long_tail(self):
        values = np.random.default_rng(2).lognormal(size=20)
        found = mean_interval(values)
        assert found.high - values.mean() > 1.2 * (values.mean() - found.low)

    def test_an_end_that_is_known_is_not_passed(self):
        assert mean_interval([0.0, 0.0, 10.0], low=0).low == 0
        assert mean_interval([0.0, 0.0, 10.0]).low < 0
        assert mean_interval([0.0, 0.0, 10.0], low=-math.inf, high=math.inf).low < 0

    def test_all_the_same_without_a_range_says_nothing_of_others(self):
        assert mean_interval([0.1] * 7) is None
        assert mean_interval([3.0] * 7, low=0) is None


@over("values", [[], [0.5]])
@over("high", [None, 1.0])
def test_fewer_than_two_have_no_interval(values, high):
    assert mean_interval(values, low=0, high=high) is None


class TestGroups:
    def test_of_one_size_their_standard_error_is_that_of_statsmodels(self):
        rng = np.random.default_rng(3)
        groups = rng.permutation(np.arange(80) // 8)
        values = rng.beta(4, 2, 80) + groups / 30
        robust = {"groups": groups, "use_correction": True}
        fit = OLS(values, np.ones(80)).fit(cov_type="cluster", cov_kwds=robust)
        units = intervals._units(values, groups.tolist())
        error = math.sqrt(units.variance / units.n)
        assert (units.mean, error) == pytest.approx((fit.params[0], fit.bse[0]))

    def test_of_unlike_size_it_is_that_of_leaving_out_each(self):
        rng = np.random.default_rng(3)
        groups = np.minimum(rng.integers(0, 40, 80), 11)  # one of them holds most
        values = rng.beta(4, 2, 80) + groups / 30
        units = intervals._units(values, groups.tolist())
        without = np.array([values[groups != group].mean() for group in np.unique(groups)])
        jackknife = (units.n - 1) / units.n * float(((without - units.mean) ** 2).sum())
        assert units.variance / units.n == pytest.approx(jackknife)

    def test_one_large_group_among_many_small_ones_is_allowed_for(self):
        rng, held = np.random.default_rng(1), 0
        groups = np.repeat(np.arange(50), [122, *[5] * 49])
        for _ in range(400):
            tendency = rng.beta(3.8, 0.2, 50)[groups]
            found = mean_interval(rng.random(len(groups)) < tendency, groups=groups, low=0, high=1)
            held += found.low <= 0.95 <= found.high
        assert held >= 0.93 * 400  # 89 % where a group draws the mean to itself unnoticed

    @given(shares, st.sampled_from([None, 1.0]))
    def test_groups_of_one_are_no_groups(self, values, high):
        alone = mean_interval(values, groups=range(len(values)), low=0, high=high)
        assert alone == mean_interval(values, low=0, high=high)

    @given(shares, st.sampled_from([None, 1.0]))
    def test_a_value_said_twice_is_said_once(self, values, high):
        assume(not set(values) <= {0.0, 1.0})  # Wilson's has z where a group has t
        once = mean_interval(values, low=0, high=high)
        names = [n // 2 for n in range(2 * len(values))]
        twice = mean_interval(np.repeat(values, 2), groups=names, low=0, high=high)
        if once is None:
            assert twice is None
        else:
            assert (twice.low, twice.high) == ends(once)
            assert twice.method == f"{once.method}, {len(values)} groups"

    def test_groups_that_agree_within_make_it_wider(self):
        values = [1.0] * 10 + [0.0] * 10 + [1.0] * 10 + [1.0] * 10
        found = mean_interval(values, groups=[n // 10 for n in range(40)], low=0, high=1)
        alone = mean_interval(values, low=0, high=1)
        assert found.high - found.low > 2 * (alone.high - alone.low)

    def test_groups_that_all_agree_count_once_each(self):
        found = mean_interval([1.0] * 20, groups=list("aaaaabbbbbcccccddddd"), low=0, high=1)
        t3 = scipy.stats.t.ppf(0.975, 3)
        assert (1 / (1 + t3**2 / 4), 1.0) == ends(found)

    def test_groups_that_chance_makes_alike_tell_no_more_than_their_single_values(self):
        values, groups = [0.0, 1.0] * 49 + [1.0, 1.0], [row // 10 for row in range(100)]
        interval = mean_interval(values, groups=groups, low=0, high=1)
        t = scipy.stats.t.ppf(0.975, 9)
        assert (interval.low, interval.high) == pytest.approx(wilson(0.51, 100, t))

    def test_one_group_has_no_interval(self):
        assert mean_interval([0.1, 0.5, 0.9], groups=["a"] * 3, low=0, high=1) is None

    def test_a_giant_among_them_leaves_few_degrees_of_freedom(self):
        even = intervals._units(np.arange(12.0), [n // 3 for n in range(12)])
        giant = intervals._units(np.arange(12.0), [0] * 9 + [1, 2, 3])
        assert (even.freedom, giant.freedom) == pytest.approx((3, 1))

    @over("groups", [["a", "b"], ["a", "b", "c", "c"]])
    def test_as_many_groups_as_values_are_needed(self, groups):
        with pytest.raises(ValueError, match="length"):
            mean_interval([0.1, 0.5, 0.9], groups=groups, low=0, high=1)


class TestSharesInGroups:
    def test_rows_alone_in_their_groups_are_a_proportion(self):
        hits = [True, False, True, True]
        expected = proportion_interval(3, 4)
        assert share_interval(hits) == share_interval(hits, "abcd") == expected
        assert share_interval([], []) == share_interval([]) == proportion_interval(0, 0)
        assert share_interval([True], ["a"]) == proportion_interval(1, 1)

    def test_groups_count_as_in_a_mean(self):
        hits, groups = [True, True, False, False, True, False], "aabbcc"
        expected = mean_interval(np.array(hits, float), groups=groups, low=0, high=1)
        assert share_interval(hits, groups) == expected

    def test_one_group_tells_nothing_of_others(self):
        found = share_interval([True] * 9, ["a"] * 9)
        assert (found.low, found.high, found.method) == (0, 1, "one group")

    @over("groups", ["ab", "abcd"])
    def test_a_group_is_needed_for_every_row(self, groups):
        with pytest.raises(ValueError, match=r"."):
            share_interval([True, False, True], groups)

    def test_effective_n_of_copies_is_that_of_what_was_copied(self):
        hits, groups = np.repeat([True, True, False, True], 6), np.repeat(range(4), 6).tolist()
        assert effective_n(hits, groups) == (pytest.approx(3), pytest.approx(3))  # n - 1
        assert effective_n([True, False, True], "abc") == (3, math.inf)
        assert effective_n([True, False], "aa")[0] == 1

    def test_groups_no_more_alike_than_chance_would_make_them_count_each_row(self):
        hits = [True, False] * 20
        assert effective_n(hits, [n // 2 for n in range(40)])[0] == 20  # no spread: once a group
        mixed = [True, False, True, False, False, True, True, True]
        assert effective_n(mixed, "aabbccdd")[0] <= 8


class TestCoverage:
    """Roughly; benchmarks/coverage.py measures it."""

    @over("n", [10, 30, 100])
    @over("level", [0.8, 0.95])
    def test_an_interval_of_a_share_holds_it_as_often_as_promised(self, n, level):
        """Exactly: each number of hits with its chance, over shares from .05 to .95."""
        found = [proportion_interval(hits, n, level=level) for hits in range(n + 1)]
        shares = np.linspace(0.05, 0.95, 91)[:, None]
        holds = [(one.low <= shares) & (shares <= one.high) for one in found]
        chances = scipy.stats.binom.pmf(np.arange(n + 1), n, shares)
        coverage = (np.hstack(holds) * chances).sum(axis=1)
        assert abs(coverage.mean() - level) < 0.012
        assert coverage.min() > level - 0.6 / n**0.5

    @over(
        ("draw", "mean", "high"),
        [
            (lambda rng, n: (rng.random(n) < 0.8) * 1.0, 0.8, 1.0),
            (tail_of_ones, 0.95, 1.0),
            (lambda rng, n: rng.beta(5, 1, n), 5 / 6, 1.0),
            (lambda rng, n: rng.exponential(size=n), 1.0, None),
        ],
    )
    def test_of_95_intervals_in_100_hold_the_mean(self, draw, mean, high):
        rng = np.random.default_rng(4)
        held = 0
        for _ in range(600):
            found = mean_interval(draw(rng, 20), low=0, high=high)
            held += found.low <= mean <= found.high
        assert 0.92 <= held / 600 <= 0.99

    @pytest.mark.slow
    @over("n", [5, 10, 20, 50])
    @over("blur", [1e-4, 1e-2])
    @over("share", [0.95, 0.8])
    def test_nearly_perfect_scores_with_a_tail_are_held(self, n, blur, share):
        rng, held = np.random.default_rng(6), 0
        for _ in range(400):
            alike = 1 - blur * rng.random(n)
            values = np.where(rng.random(n) < share, alike, rng.random(n))
            found = mean_interval(values, low=0, high=1)
            held += found.low <= share * (1 - blur / 2) + (1 - share) / 2 <= found.high
        assert held / 400 >= 0.93

    @over("n", [10, 20])
    @over(("width", "share"), [(0.05, 0.05), (0.1, 0.2)])
    def test_good_scores_by_probabilities_beside_a_few_low_ones_are_held(self, n, width, share):
        rng, held = np.random.default_rng(10), 0
        for _ in range(300):
            good = 1 - width * rng.random(n)
            values = np.where(rng.random(n) < share, rng.random(n), good)
            found = mean_interval(values, low=0, high=1)
            held += found.low <= (1 - share) * (1 - width / 2) + share / 2 <= found.high
        assert held / 300 >= 0.88  # 34 to 79 % if no values but those seen are reckoned with

    def test_values_that_lie_close_together_leave_room_for_others(self):
        values = [0.70, 0.71, 0.72, 0.73, 0.74]
        found = mean_interval(values, low=0, high=1)
        # Jeffreys's bound of a share of which five show none: such a share half-way to the ends.
        share = scipy.stats.beta.ppf(0.975, 0.5, 5.5)
        assert ends(found) == (0.72 - share * 0.36, 0.72 + share * 0.14)
        assert found.method == "Wilson, effective n, rare values"

    @over("n", [5, 10, 20])
    def test_shares_heaped_at_one_end_are_held(self, n):
        rng = np.random.default_rng(7)
        found = [mean_interval(rng.beta(0.5, 0.1, n), low=0, high=1) for _ in range(400)]
        assert np.mean([one.low <= 5 / 6 <= one.high for one in found]) >= 0.93

    @over("n", [5, 10, 20, 50])
    def test_groups_of_nearly_perfect_scores_are_held(self, n):
        rng, held = np.random.default_rng(8), 0
        for _ in range(300):
            names = np.repeat(np.arange(n), rng.integers(1, 10, n))
            alike = 1 - 1e-4 * rng.random(len(names))
            good = rng.random(len(names)) < rng.beta(3.8, 0.2, n)[names]
            values = np.where(good, alike, rng.random(len(names)))
            found = mean_interval(values, groups=names.tolist(), low=0, high=1)
            held += found.low <= 0.95 * (1 - 5e-5) + 0.025 <= found.high
        assert held / 300 >= 0.93

    @pytest.mark.parametrize(("a", "b"), [(2, 5), (5, 1), (40, 10)])
    def test_ordinary_scores_are_no_wider_for_it(self, a, b, monkeypatch):
        drawn = np.random.default_rng(9).beta(a, b, (200, 10))

        def width():
            found = [mean_interval(values, low=0, high=1) for values in drawn]
            return np.mean([one.high - one.low for one in found])

        now = width()
        monkeypatch.setattr(intervals, "NEAR", 0.0)
        assert now < 1.03 * width()

    def test_the_t_interval_would_not_hold_it_where_most_scores_are_perfect(self):
        rng = np.random.default_rng(4)
        held = 0
        for _ in range(600):
            values = tail_of_ones(rng, 20)
            away = T19 * values.std(ddof=1) / math.sqrt(20)
            held += abs(values.mean() - 0.95) <= away
        assert held / 600 < 0.85

    def test_groups_are_held_where_samples_taken_as_independent_are_not(self):
        rng, held, naive = np.random.default_rng(5), 0, 0
        for _ in range(400):
            names = np.repeat(np.arange(20), rng.integers(1, 10, 20))
            values = (rng.random(len(names)) < rng.beta(1.2, 0.3, 20)[names]) * 1.0
            found = mean_interval(values, groups=names.tolist(), low=0, high=1)
            alone = mean_interval(values, low=0, high=1)
            held += found.low <= 0.8 <= found.high
            naive += alone.low <= 0.8 <= alone.high
        assert held / 400 > 0.9
        assert naive / 400 < 0.8

    def test_a_giant_group_beside_many_single_samples_is_not_taken_for_one_of_many(self):
        """Half of the samples in one conversation: 0.83 held where its size counted for nothing."""
        random, held = np.random.default_rng(7), []
        sizes = [20, *[1] * 20]
        at = np.repeat(np.arange(21), sizes)
        for _ in range(400):
            share = random.beta(0.8, 0.2, 21)[at]
            values = np.where(random.random(40) < share, 1.0, random.random(40))
            found = mean_interval(values, groups=at.tolist(), low=0, high=1)
            held.append(found.low <= 0.9 <= found.high)
        assert np.mean(held) > 0.93
