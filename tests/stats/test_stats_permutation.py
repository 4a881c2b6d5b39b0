"""Tests of "no difference": equal to the reference libraries, and right by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests

from assay.stats.permutation import holm, mcnemar, sign_flip

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
