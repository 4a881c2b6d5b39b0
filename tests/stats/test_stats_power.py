"""What can be found with so many samples, and how many are needed: equal to statsmodels."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from assay.stats.comparison import mcnemar, sign_flip
from assay.stats.power import (
    ChangedShares,
    detectable_fall,
    effect_interval,
    fewest_changes,
    mcnemar_detectable,
    mcnemar_needed,
    mcnemar_power,
    power,
    rare_detectable,
    rare_needed,
    share_to_change,
    t_detectable,
    t_needed,
    units_to_change,
)
from assay.stats.rare import p_value, smallest_mean
from support.over import over


@over("n", [6, 20, 200, 5000])
def test_the_smallest_detectable_difference_is_that_of_the_paired_t_test(n):
    expected = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
    assert t_detectable(1 / n**0.5, n) == pytest.approx(expected, rel=1e-3)


def test_five_pairs_cannot_show_anything():
    assert t_detectable(0.01, 5) is None, "the smallest p of five signs is 2 / 32"
    assert t_detectable(0.01, 6) is not None
    assert t_detectable(0.01, 6, alpha=0.05 / 4) is None


@over("effect", [0.9, 0.5, 0.2, 0.05])
def test_the_samples_needed_are_those_of_the_paired_t_test(effect):
    expected = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8)
    assert t_needed(-0.3 * effect, 0.3) == np.ceil(expected)


def test_the_samples_needed_for_what_is_detectable_are_those_there():
    for n in (8, 50, 777):
        assert t_needed(t_detectable(0.3 / n**0.5, n) * 1.0001, 0.3) == n


def test_what_no_data_can_show_needs_no_number():
    assert t_needed(0.0, 0.3) is None
    assert t_needed(1e-7, 1.0) is None
    assert t_needed(0.5, 0.0) == 6, "as few as can reach the level at all"


def test_power_without_an_effect_is_the_level():
    assert power(0.0, 20, 0.03) == pytest.approx(0.03)


@over("alpha", [0.05, 0.05 / 4, 0.01])
def test_fewer_changes_never_reach_the_level_and_so_many_do(alpha):
    least = fewest_changes(alpha)
    assert sign_flip([0.3] * (least - 1)).p > alpha >= sign_flip([0.3] * least).p
    assert mcnemar(least - 1, 0).p > alpha >= mcnemar(least, 0).p


@over("units", [6, 20, 500])
def test_the_share_that_has_to_change_brings_enough_changes_in_80_of_100(units):
    share = share_to_change(units)
    assert stats.binom.sf(5, units, share) == pytest.approx(0.8)
    assert units_to_change(share * 1.0001) == units
    assert share_to_change(5) is None


def by_enumeration(n, difference, changed, alpha):
    """Every way in which the pairs may go, and whether the test then finds the difference."""
    shares = [(changed + difference) / 2, (changed - difference) / 2, 1 - changed]
    ways = [(up, down, n - up - down) for up in range(n + 1) for down in range(n - up + 1)]
    found = [way for way in ways if way[0] > way[1] and mcnemar(*way[:2]).p <= alpha]
    return stats.multinomial.pmf(found, n, shares).sum()


@over(
    ("n", "difference", "changed", "alpha"),
    [(20, 0.4, 0.4, 0.05), (20, 0.3, 0.8, 0.05), (30, 0.4, 1.0, 0.0125), (6, 1.0, 1.0, 0.05)],
)
def test_the_power_of_mcnemar_is_that_of_every_way_counted(n, difference, changed, alpha):
    found = mcnemar_power(n, difference, changed, alpha)
    assert found == pytest.approx(by_enumeration(n, difference, changed, alpha), abs=1e-9)


def test_with_many_changes_the_power_of_mcnemar_goes_over_into_that_of_the_t_test():
    exact, limit = mcnemar_power(3990, 0.03, 0.5, 0.05), mcnemar_power(4010, 0.03, 0.5, 0.05)
    assert exact == pytest.approx(limit, abs=0.015)


@over("seen", [ChangedShares(0, 0.05), ChangedShares(0.1, 0.05), ChangedShares(0.5, 0.5)])
def test_what_mcnemar_is_said_to_find_it_finds_in_80_of_100(seen):
    for n in (8, 20, 40):
        least = mcnemar_detectable(n, seen)
        assert by_enumeration(n, least, seen.changed(least), 0.05) == pytest.approx(0.8, abs=1e-6)
        # With one pair more the power of a test of whole numbers may fall: fewer may do as well.
        enough = mcnemar_needed(least * 1.0001, seen)
        assert 0.6 * n < enough <= n + 4
        assert mcnemar_power(enough, least * 1.0001, seen.changed(least), 0.05) >= 0.79


def test_five_pairs_show_nothing_to_mcnemar_and_no_difference_needs_no_number():
    assert mcnemar_detectable(5, ChangedShares(0.2, 0.2)) is None
    assert mcnemar_needed(0.0, ChangedShares(0.2, 0.2)) is None
    assert mcnemar_needed(1e-9, ChangedShares(0.2, 0.2)) is None


@over(("df", "t"), [(4, 2.0), (9, 0.0), (49, -3.2), (199, 25.0), (5, 400.0)])
def test_the_effect_interval_ends_where_so_extreme_a_t_is_seen_in_2_5_percent(df, t):
    scale = (df + 1) ** -0.5
    found = effect_interval(t, scale, df)
    shares = [stats.nct.cdf(t, df, end / scale) for end in (found.low, found.high)]
    assert shares == pytest.approx([0.975, 0.025], abs=1e-4)
    assert found.low < t * scale < found.high


@over(("df", "t"), [(5, 1e6), (50, 1e9), (5, -1e6)])
def test_a_huge_t_leaves_only_the_spread_uncertain(df, t):
    found = effect_interval(t, 1.0, df)
    ends = np.sort(t * np.sqrt(stats.chi2.ppf([0.025, 0.975], df) / df))
    assert (found.low, found.high) == pytest.approx(ends)


@pytest.mark.slow
def test_a_fall_by_failing_pairs_is_found_as_often_as_promised():
    chance = np.random.default_rng(0)
    n, deviation = 100, 0.1
    fall = detectable_fall(deviation, 1.0, n)
    found = 0
    for _ in range(400):
        differences = chance.normal(0, deviation, n) - (chance.random(n) < fall)
        found += sign_flip(differences).p < 0.05
    assert 0.72 < found / 400 < 0.9
    assert detectable_fall(deviation, 0.0, n) == pytest.approx(t_detectable(deviation / n**0.5, n))
    assert detectable_fall(deviation, 1.0, 5) is None


def test_the_smallest_mean_that_rare_differences_do_not_undo_has_a_p_of_alpha():
    for n, alpha in ((10, 0.05), (60, 0.01)):
        least = smallest_mean(n, 0.5, alpha)
        assert p_value(np.full(n, least), 0.5) == pytest.approx(alpha)
        assert rare_detectable(0.1, n, 0.5, alpha=alpha) > least


def test_as_many_pairs_as_needed_against_rare_differences_make_it_detectable():
    n = rare_needed(0.05, 0.1, 0.5)
    assert rare_detectable(0.1 / np.sqrt(n), n, 0.5) <= 0.05
    assert rare_detectable(0.1 / np.sqrt(n - 1), n - 1, 0.5) > 0.05
    assert rare_needed(0.0, 0.1, 0.5) is None
