import numpy as np
import pytest

from assay.stats.sequential import YEAR, find_change
from support.over import over

ALPHA = 0.05


def scores(seed, means, n=50):
    rng = np.random.default_rng(seed)
    return [(rng.random(n) < mean).astype(float) for mean in means]


def first_told(looks, **options):
    """(how many looks it took, the change); starts are the looks after the first four."""
    for n in range(5, len(looks) + 1):
        if change := find_change(looks[:n], range(4, n), alpha=ALPHA, **options):
            return n, change
    return None


def test_no_change_is_told_of_a_mean_that_stays():
    assert first_told(scores(0, [0.8] * 120)) is None


@over(("after", "most"), [(0.6, 6), (0.7, 20), (0.9, 25)])
def test_a_change_is_told_with_its_look_and_both_means(after, most):
    n, change = first_told(scores(1, [0.8] * 40 + [after] * 40))
    assert n <= 40 + most
    assert abs(change.at - 40) <= 3
    assert change.before == pytest.approx(0.8, abs=0.03)
    assert change.after == pytest.approx(after, abs=0.08)


@over("after", [20, 30, 40, 60])
def test_it_is_told_when_the_bets_on_all_starts_have_won_against_every_mean(after):
    # One start: half of 1 / YEAR of the money on a fall, half on a rise, shared among the stakes.
    looks, stakes = [np.full(20, 0.75), np.full(after, 0.5)], np.geomspace(0.01, 0.95, 10)

    def bets(value, mean, n):
        return np.mean((1 + stakes[:, None] * (value / mean - 1)) ** n, axis=0)

    mean = np.linspace(0.001, 0.999, 2000)
    falls = bets(0.75, mean, 20) * bets(0.5, 1 - mean, after)
    rises = bets(0.25, 1 - mean, 20) * bets(0.5, mean, after)
    wealth = float(((falls + rises) / (2 * YEAR)).min())
    assert find_change(looks, [1], alpha=1.01 / wealth) is not None
    assert find_change(looks, [1], alpha=0.99 / wealth) is None


def test_a_long_quiet_time_makes_it_sharper_not_slower():
    assert first_told(scores(2, [0.8] * 6 + [0.7] * 60)) is None
    n, _ = first_told(scores(2, [0.8] * 150 + [0.7] * 60))
    assert n <= 150 + 15


def test_values_of_any_range_are_read_in_their_own_units():
    looks = [4 * one + 1 for one in scores(1, [0.8] * 40 + [0.6] * 6)]
    change = find_change(looks, range(4, 46), alpha=ALPHA, low=1, high=5)
    assert change.before == pytest.approx(4.2, abs=0.1)


def test_a_mean_that_differs_among_the_samples_of_each_look_is_no_change():
    # The same questions, hard and easy ones, in every look, in the same order.
    rng = np.random.default_rng(3)
    chances = np.repeat([0.2, 0.99], 25)
    looks = [(rng.random(50) < chances).astype(float) for _ in range(120)]
    assert first_told(looks) is None


@over("value", [0.0, 0.37, 1.0])
def test_nothing_is_told_of_scores_that_are_all_the_same(value):
    assert find_change([np.full(50, value)] * 40, range(1, 40), alpha=ALPHA) is None


def test_looks_without_values_say_nothing():
    empty = np.array([])
    assert find_change([empty, empty], [1], alpha=ALPHA) is None
    looks = scores(1, [0.8] * 40 + [0.6] * 10)
    with_gaps = [look for one in looks for look in (one, empty)]
    assert find_change(with_gaps, range(8, 100, 2), alpha=ALPHA).at == 80
