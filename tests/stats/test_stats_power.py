"""What can be found with so many samples, and how many are needed: equal to statsmodels."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from assay.stats.power import detectable, effect_interval, needed, power


@pytest.mark.parametrize("n", [6, 20, 200, 5000])
@pytest.mark.parametrize("wanted", [0.8, 0.95])
def test_the_smallest_detectable_difference_is_that_of_the_paired_t_test(n, wanted):
    expected = TTestPower().solve_power(nobs=n, alpha=0.05, power=wanted)
    assert detectable(1 / n**0.5, n, wanted=wanted) == pytest.approx(expected, rel=1e-3)


def test_five_pairs_cannot_show_anything():
    assert detectable(0.01, 5) is None, "the smallest p of five signs is 2 / 32"
    assert detectable(0.01, 6) is not None
    assert detectable(0.01, 6, alpha=0.05 / 4) is None


@pytest.mark.parametrize("effect", [0.9, 0.5, 0.2, 0.05])
def test_the_samples_needed_are_those_of_the_paired_t_test(effect):
    expected = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8)
    assert needed(-0.3 * effect, 0.3) == np.ceil(expected)


def test_the_samples_needed_for_what_is_detectable_are_those_there():
    for n in (8, 50, 777):
        assert needed(detectable(0.3 / n**0.5, n) * 1.0001, 0.3) == n


def test_what_no_data_can_show_needs_no_number():
    assert needed(0.0, 0.3) is None
    assert needed(1e-7, 1.0) is None
    assert needed(0.5, 0.0) == 6, "as few as can reach the level at all"


def test_power_without_an_effect_is_the_level():
    assert power(0.0, 20, 0.03) == pytest.approx(0.03)


@pytest.mark.parametrize(("df", "t"), [(4, 2.0), (9, 0.0), (49, -3.2), (199, 25.0), (5, 400.0)])
def test_the_effect_interval_ends_where_so_extreme_a_t_is_seen_in_2_5_percent(df, t):
    scale = (df + 1) ** -0.5
    found = effect_interval(t, scale, df)
    shares = [stats.nct.cdf(t, df, end / scale) for end in (found.low, found.high)]
    assert shares == pytest.approx([0.975, 0.025], abs=1e-4)
    assert found.low < t * scale < found.high


@pytest.mark.parametrize(("df", "t"), [(5, 1e6), (50, 1e9), (5, -1e6)])
def test_a_huge_t_leaves_only_the_spread_uncertain(df, t):
    found = effect_interval(t, 1.0, df)
    ends = np.sort(t * np.sqrt(stats.chi2.ppf([0.025, 0.975], df) / df))
    assert (found.low, found.high) == pytest.approx(ends)
