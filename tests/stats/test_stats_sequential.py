"""Do the intervals hold whenever one looks, and is only what is surely worse called beaten?"""

import numpy as np
import pytest

from assay.stats.sequential import _log_wealth, beaten, compare_raced, looks, mean_intervals
from support.over import over

LEVEL = 0.8  # low, so that too narrow an interval is seen in few drawings


def draws(seed, shares, n):
    """Right and wrong answers to questions that are hard or easy for all systems alike."""
    rng = np.random.default_rng(seed)
    hard = rng.random((n, 1))
    own = rng.random((n, len(shares)))
    return ((0.5 * hard + 0.5 * own) < np.array(shares)).astype(float)


def mean_of(share):
    """The chance that the mean of two uniform numbers is below a share of at most a half."""
    return 2 * share**2


@over("share", [0.2, 0.8])
def test_who_bets_against_the_true_mean_is_hardly_ever_rich_at_any_time(share):
    """Ville's inequality: the stake is multiplied by 1 / alpha with a chance of at most alpha."""
    n = 600
    values = (np.random.default_rng(0).random((120, n)) < share).astype(float)
    most = _log_wealth(values, np.full(n, share))  # at the best moment of 120
    for alpha in (0.2, 0.05):
        assert 0 < np.mean(most >= np.log(1 / alpha)) <= alpha
    # Who bets against a mean that is too small does get rich.
    assert np.mean(_log_wealth(values, np.full(n, share / 2)) >= np.log(20)) > 0.5


@pytest.mark.slow
@over("share", [0.1, 0.5, 0.9])
def test_an_interval_holds_the_mean_at_every_moment(share):
    rng, missed = np.random.default_rng(0), 0
    values = (rng.random((200, 300)) < share).astype(float)
    held = np.ones(300, dtype=bool)
    for n in (1, 5, 20, 60, 200):
        intervals = mean_intervals(values[:n], low=0, high=1, level=LEVEL)
        held &= [one.low <= share <= one.high for one in intervals]
    missed = np.count_nonzero(~held)
    assert missed <= 60  # one in five


def test_an_interval_narrows_and_never_widens():
    values = np.random.default_rng(1).random((400, 1))
    widths, low = [], 0.0
    for n in (1, 10, 100, 400):
        (one,) = mean_intervals(values[:n], low=0, high=1)
        assert one.low >= low
        low = one.low
        widths.append(one.high - one.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.15


def test_what_ruled_a_mean_out_once_is_not_taken_back():
    values = np.array([[1.0]] * 30 + [[0.0]] * 30)
    lows = [mean_intervals(values[:n], low=0, high=1)[0].low for n in range(1, 61)]
    assert lows == sorted(lows)
    assert lows[29] > 0.8


def test_the_end_is_where_a_bet_of_half_the_money_has_multiplied_by_one_over_alpha():
    (one,) = mean_intervals(np.ones((20, 1)), low=0, high=1, several=3)
    stakes = np.geomspace(0.02, 0.95, 10)
    wealth = np.mean((1 + stakes * (1 / one.low - 1)) ** 20)
    assert wealth == pytest.approx(2 * 3 / 0.05, rel=1e-3)


def test_it_is_wider_where_several_hold_together_and_scales_with_the_range():
    values = np.random.default_rng(2).random((50, 1))
    (one,) = mean_intervals(values, low=0, high=1)
    (joint,) = mean_intervals(values, low=0, high=1, several=10)
    (scaled,) = mean_intervals(10 * values - 5, low=-5, high=5)
    assert joint.low < one.low < one.high < joint.high
    assert (scaled.low, scaled.high) == pytest.approx((10 * one.low - 5, 10 * one.high - 5))


def test_what_is_missing_is_no_evidence():
    values = np.array([[1.0, np.nan], [np.nan, np.nan], [1.0, np.nan], [0.0, np.nan]])
    one, nothing = mean_intervals(values, low=0, high=1)
    (same,) = mean_intervals(np.array([[1.0], [1.0], [0.0]]), low=0, high=1)
    assert nothing is None
    assert one == same


def test_only_what_is_surely_worse_is_beaten_whichever_way_is_better():
    right = draws(3, [0.49, 0.49, 0.2], 150)
    assert beaten(right, systems=3, span=1.0) == [False, False, True]
    assert beaten(1 - right, systems=3, span=1.0, higher_is_better=False) == [False, False, True]
    assert beaten(right[:4], systems=3, span=1.0) == [False, False, False]
    # Among very many systems so few questions are no proof.
    assert not any(beaten(right[:60], systems=10**12, span=1.0))


def test_equal_systems_are_seldom_beaten_however_often_one_looks():
    lost = 0
    for seed in range(100):
        scores = draws(seed, [0.4] * 4, 120)
        # A bet that was ever won counts, so the last look holds all earlier ones.
        lost += any(beaten(scores, systems=4, span=1.0, level=LEVEL))
    assert lost <= 20


def test_looks_grow_and_end_with_all():
    assert looks(100) == [16, 24, 36, 54, 81, 100]
    assert looks(16) == [16]
    assert looks(3) == [3]


def test_the_best_is_one_that_stayed_and_dropped_ones_stand_last():
    scores = draws(5, [0.3, 0.48, 0.49], 200)
    scores[40:, 0] = np.nan
    scores[:40, 0] = 1.0  # lucky so far: it does not count any more
    found = compare_raced(scores, [True, False, False], ends=(0.0, 1.0))
    assert found.order[-1] == 0
    assert [found.placed[at].verdict for at in found.order] == ["best", "tied", "worse"]
    best = found.placed[found.order[0]]
    assert (best.difference, best.difference_interval) == (0.0, None)
    low = compare_raced(1 - scores, [True, False, False], ends=(0.0, 1.0), higher_is_better=False)
    assert low.order == found.order


@pytest.mark.slow
def test_the_true_differences_lie_in_all_intervals_of_a_race_together():
    shares, missed = [0.45, 0.42, 0.3, 0.2], 0
    for seed in range(60):
        scores = draws(seed, shares, 120)
        lost = beaten(scores[:54], systems=4, span=1.0, level=LEVEL)
        scores[54:, lost] = np.nan
        found = compare_raced(scores, lost, ends=(0.0, 1.0), level=LEVEL)
        best = found.order[0]
        truth = [mean_of(share) - mean_of(shares[best]) for share in shares]
        missed += any(
            not one.difference_interval.low <= true <= one.difference_interval.high
            for one, true in zip(found.placed, truth, strict=True)
            if one.difference_interval
        )
    assert missed <= 12
