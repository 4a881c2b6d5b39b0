"""Tests of "no difference": equal to the reference libraries, and right by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests

from assay.stats.groups import welch
from assay.stats.permutation import holm, mcnemar, sign_flip, two_groups

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


@pytest.mark.parametrize("n", [30, 400, 20_000])
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


@settings(max_examples=20)  # statsmodels takes a while over each
@given(st.lists(SHARES, min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


def test_holm_of_nothing_is_nothing():
    assert holm([]) == []


def test_a_large_effect_stands_among_a_thousand_tests():
    """Draws alone show no p-value below 1 in 10,000: after Holm nothing would ever be found."""
    p = sign_flip(0.4 + np.random.default_rng(1).normal(0, 0.05, 60)).p
    assert 0 < p < 1e-9
    assert holm([p] * 1000)[0] < 0.001


def test_the_bound_for_many_tests_is_never_below_the_exact_p_value():
    random = np.random.default_rng(2)
    for shift in (0.0, 0.5, 1.0, 3.0):
        differences = random.normal(shift, 1, 16)
        exact, z = sign_flip(differences).p, differences.sum() / np.sqrt(differences @ differences)
        assert exact <= 2 * np.exp(-z * z / 2)


@pytest.mark.parametrize("one_sided", [True, False])
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
