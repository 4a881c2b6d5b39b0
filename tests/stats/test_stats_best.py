"""Several systems beside the best: do all intervals hold together, and is a tie called one?"""

import numpy as np
import pytest

from assay.stats.best import compare_with_best, simultaneous_alpha, surely_below

UNIT = (0.0, 1.0)


def graded(rng, n, means, alike=0.7):
    """Scores of 0, 0.25 ... 1 with these true means, alike from system to system."""
    common = rng.standard_normal((n, 1))
    own = rng.standard_normal((n, len(means)))
    latent = np.sqrt(alike) * common + np.sqrt(1 - alike) * own
    return np.array([_scores(column, mean) for column, mean in zip(latent.T, means, strict=True)]).T


def _scores(latent, mean):
    from scipy.special import ndtr
    from scipy.stats import binom

    return binom.ppf(ndtr(latent), 4, mean) / 4


def test_a_clear_winner_is_the_best_and_all_others_are_worse():
    scores = graded(np.random.default_rng(1), 200, [0.5, 0.9, 0.55, 0.6])
    found = compare_with_best(scores, ends=UNIT)
    assert [one.verdict for one in found.placed] == ["worse", "best", "worse", "worse"]
    assert found.order[0] == 1
    for one in (found.placed[0], found.placed[2]):
        assert one.difference_interval.high < 0
        assert one.difference_interval.low < one.difference < one.difference_interval.high


def test_where_low_is_good_the_lowest_is_the_best():
    scores = graded(np.random.default_rng(1), 200, [0.5, 0.9, 0.1])
    found = compare_with_best(scores, ends=UNIT, higher_is_better=False)
    assert [one.verdict for one in found.placed] == ["worse", "worse", "best"]
    assert found.placed[1].difference > 0


def test_systems_that_score_alike_are_tied_in_the_order_given():
    column = np.linspace(0, 1, 40)
    found = compare_with_best(np.stack([column, column, column], axis=1), ends=UNIT)
    assert [one.verdict for one in found.placed] == ["best", "tied", "tied"]
    assert found.order == (0, 1, 2)
    assert found.needed is None


def test_one_sample_tells_nothing_apart():
    found = compare_with_best(np.array([[0.0, 1.0]]), ends=UNIT)
    assert [one.verdict for one in found.placed] == ["tied", "best"]


def test_two_systems_need_no_correction_and_many_no_more_than_bonferroni():
    rng = np.random.default_rng(2)
    assert simultaneous_alpha(rng.random((50, 2))) == pytest.approx(0.05)
    unlike = simultaneous_alpha(rng.random((50, 5)))
    assert 0.05 / 10 <= unlike < 0.05 / 5
    # Of systems that answer alike, two nearly equal ones add hardly a test.
    twins = rng.random((50, 3))[:, [0, 0, 1, 1, 2]] + 1e-4 * rng.random((50, 5))
    assert simultaneous_alpha(twins) > unlike


def test_copies_of_samples_in_their_groups_leave_the_correction_as_it_is():
    scores = np.random.default_rng(4).random((9, 5))
    copies = np.repeat(scores, 6, axis=0)
    groups = [row // 6 for row in range(len(copies))]
    assert simultaneous_alpha(copies, groups=groups) == pytest.approx(simultaneous_alpha(scores))


def test_samples_of_one_group_count_as_one():
    scores = np.repeat(graded(np.random.default_rng(3), 12, [0.5, 0.7]), 20, axis=0)
    groups = [row // 20 for row in range(len(scores))]
    alone = compare_with_best(scores, ends=UNIT).placed[0].difference_interval
    grouped = compare_with_best(scores, groups=groups, ends=UNIT).placed[0].difference_interval
    assert grouped.high - grouped.low > 3 * (alone.high - alone.low)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("means", "n"),
    [
        ([0.7] * 8, 60),
        ([0.7] * 8, 200),
        ([0.5, 0.55, 0.6, 0.65, 0.7, 0.75], 60),
        ([0.8, 0.8, 0.8, 0.4, 0.4, 0.4], 100),
        ([0.95] * 6, 100),
    ],
)
def test_all_differences_hold_together_as_often_as_said(means, n):
    rng, replays = np.random.default_rng(7), 500
    held = false_winners = 0
    for _ in range(replays):
        found = compare_with_best(graded(rng, n, means), ends=UNIT)
        best = found.order[0]
        held += all(
            one.difference_interval.low - 1e-9
            <= means[place] - means[best]
            <= one.difference_interval.high + 1e-9
            for place, one in enumerate(found.placed)
            if place != best
        )
        excluded = {place for place, one in enumerate(found.placed) if one.verdict == "worse"}
        true_best = {place for place, mean in enumerate(means) if mean == max(means)}
        false_winners += bool(excluded & true_best)
    # 95 % of 500, less two and a half standard errors of such a count.
    assert held / replays >= 0.926, held
    assert false_winners / replays <= 0.074, false_winners


class TestSurelyBelow:
    def test_only_what_is_apart_is_told_apart(self):
        scores = graded(np.random.default_rng(1), 200, [0.5, 0.9, 0.9])
        below = surely_below(scores, span=1.0)
        assert below.tolist() == [[False, True, True], [False] * 3, [False] * 3]

    def test_a_constant_difference_is_sure_and_one_of_rounding_is_none(self):
        table = np.tile([0.1 + 0.2, 0.3, 0.5], (20, 1))
        assert surely_below(table).tolist() == [
            [False, False, True],
            [False, False, True],
            [False, False, False],
        ]
        assert not surely_below(table[:1]).any()

    def test_copies_of_one_sample_are_one_sample(self):
        table = np.tile([0.98, 0.97], (30, 1))
        assert surely_below(table)[1, 0]
        assert not surely_below(table, groups=["one"] * 30).any()
        assert not surely_below(table[:3]).any()

    @pytest.mark.slow
    def test_of_equal_systems_hardly_any_pair_is_ever_told_apart(self):
        rng = np.random.default_rng(5)
        wrong = sum(
            bool(surely_below(graded(rng, 80, [0.7] * 6), span=1.0).any()) for _ in range(400)
        )
        assert wrong <= 0.07 * 400
