"""Curves, thresholds and their errors: as the literature says, held out where promised."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

from assay.stats.calibration import (
    Objective,
    brier,
    calibration_error,
    calibration_error_interval,
    error_by_chance,
    fit,
    folds,
    out_of_fold,
    reliability,
)
from assay.stats.intervals import value_of
from support.over import over


def drawn(seed, n=400):
    chance = np.random.default_rng(seed)
    score = chance.beta(3, 1, n).round(2)
    return score, chance.random(n) < score**3


class TestCurves:
    @over("seed", range(3))
    def test_isotonic_is_that_of_scikit_learn(self, seed):
        score, good = drawn(seed)
        theirs = IsotonicRegression(out_of_bounds="clip").fit(score, good)
        grid = np.linspace(0, 1, 101)
        assert fit(score, good, "isotonic")(grid) == pytest.approx(theirs.predict(grid), abs=1e-9)

    @over("seed", range(3))
    def test_platt_is_logistic_regression_on_smoothed_targets(self, seed):
        score, good = drawn(seed)
        n_good, n_bad = good.sum(), (~good).sum()
        target = np.where(good, (n_good + 1) / (n_good + 2), 1 / (n_bad + 2))
        x = np.concatenate([score, score])[:, None]
        y, w = np.repeat([1, 0], len(score)), np.concatenate([target, 1 - target])
        theirs = LogisticRegression(C=1e9, tol=1e-10, max_iter=10_000).fit(x, y, sample_weight=w)
        curve = fit(score, good)
        assert curve.slope == pytest.approx(theirs.coef_[0, 0], rel=1e-3)
        assert curve.intercept == pytest.approx(theirs.intercept_[0], rel=1e-3)

    def test_scores_that_part_labels_wholly_still_give_doubt(self):
        curve = fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
        assert curve([0.0])[0] > 0.01
        assert curve([1.0])[0] < 0.99

    def test_low_scores_may_be_the_good_ones(self):
        score, good = drawn(0)
        for method in ("platt", "isotonic"):
            curve = fit(1 - score, good, method, rising=False)
            assert curve([0.0])[0] > curve([0.9])[0]

    def test_labels_of_one_kind_are_refused(self):
        with pytest.raises(ValueError, match="all the same"):
            fit([0.1, 0.2], [1, 1])


class TestErrors:
    def test_brier_is_that_of_scikit_learn(self):
        score, good = drawn(1)
        assert value_of(brier(score, good), 400) == pytest.approx(brier_score_loss(good, score))

    def test_calibration_error_by_hand(self):
        # Two bins: said 0.2, half are good; said 0.9, all are good.
        said, good = [0.2] * 4 + [0.9] * 4, [1, 1, 0, 0, 1, 1, 1, 1]
        error = value_of(calibration_error(said, good), 8)
        assert error == pytest.approx((0.3 * 4 + 0.1 * 4) / 8)

    def test_true_probabilities_show_about_the_error_of_chance(self):
        chance, shown = np.random.default_rng(0), []
        p = chance.random(200)
        for _ in range(200):
            good = chance.random(200) < p
            shown.append(value_of(calibration_error(p, good), 200))
        assert error_by_chance(p) == pytest.approx(np.mean(shown), rel=0.1)

    def test_probabilities_that_are_true_are_not_surely_wrong(self):
        """No error is seen to be 0: by the jackknife alone none of these intervals held it."""
        chance, held = np.random.default_rng(1), []
        for _ in range(60):
            p = chance.beta(3, 1, 40)
            good = chance.random(40) < p
            found = calibration_error_interval(p, good, range(40))
            held.append(found.low == 0)
        assert np.mean(held) >= 0.92
        wrong = calibration_error_interval(
            np.tile([0.9, 0.8], 20), np.tile([0, 0, 1, 0], 10), range(40)
        )
        assert wrong.low > 0.3

    def test_bins_hold_all_rows_and_equal_probabilities_stand_in_one(self):
        said = [0.1] * 30 + [0.5] * 5 + [0.9] * 65
        found = reliability(said, [0] * 35 + [1] * 65)
        assert sum(b.n for b in found) == 100
        assert [b.said for b in found] == pytest.approx([0.1, 0.5, 0.9])
        assert [b.share for b in found] == [0, 0, 1]
        assert found[1].interval.high > found[0].interval.high

    def test_the_intervals_of_bins_take_rows_of_a_group_together(self):
        # Eight documents of five statements, each document all good or all bad.
        said, good = [0.5] * 40, [row // 5 % 2 == 0 for row in range(40)]
        (alone,) = reliability(said, good, range(40))
        (blind,) = reliability(said, good)
        assert alone == blind
        (together,) = reliability(said, good, [row // 5 for row in range(40)])
        assert (together.n, together.share) == (40, 0.5)
        wider = together.interval.high - together.interval.low
        assert wider > 1.5 * (alone.interval.high - alone.interval.low)

    def test_rows_that_are_alike_within_groups_show_a_larger_error_by_chance(self):
        chance, shown = np.random.default_rng(0), []
        groups = np.repeat(np.arange(40), 5)
        p = np.repeat(chance.random(40), 5)
        for _ in range(300):  # a document is good as a whole
            good = np.repeat(chance.random(40) < p[::5], 5)
            shown.append(
                (
                    value_of(calibration_error(p, good), 200),
                    error_by_chance(p, good, groups.tolist(), draws=20),
                    error_by_chance(p, draws=20),
                )
            )
        true, ours, blind = np.mean(shown, axis=0)
        assert ours == pytest.approx(true, rel=0.15)
        assert blind < 0.6 * true

    def test_bins_of_one_kind_have_a_chance_error_all_the_same(self):
        found = error_by_chance([0.1] * 10 + [0.9] * 10, [0] * 10 + [1] * 10, ["a", "b"] * 10)
        assert found == error_by_chance([0.1] * 10 + [0.9] * 10)

    def test_groups_that_hold_as_many_good_as_bad_rows_make_it_no_smaller(self):
        p, good, groups = [0.5] * 20, [0, 1] * 10, [row // 2 for row in range(20)]
        assert error_by_chance(p, good, groups) == error_by_chance(p)


class TestHeldOut:
    def test_a_group_is_never_in_two_folds(self):
        groups = [n // 3 for n in range(60)]
        for out in folds(groups):
            assert not {groups[i] for i in np.flatnonzero(out)} & {
                groups[i] for i in np.flatnonzero(~out)
            }

    def test_every_row_is_held_out_once_and_folds_are_about_as_large(self):
        found = list(folds([0] * 40 + list(range(1, 61))))
        assert (sum(out.astype(int) for out in found) == 1).all()
        assert sorted(int(out.sum()) for out in found) == [15, 15, 15, 15, 40]

    def test_what_is_fitted_never_saw_the_row(self):
        # Each row's score is its own; what is fitted remembers the scores it saw.
        score = np.arange(40.0)
        seen = out_of_fold(
            score, np.arange(40) % 2 == 0, range(40), lambda x, _: lambda new: np.isin(new, x) * 1.0
        )
        assert not seen.any()

    def test_none_if_a_fold_leaves_one_kind_only(self):
        good = [True] + [False] * 9
        assert out_of_fold(range(10), good, range(10), fit) is None


class TestObjectives:
    @over(
        ("objective", "value"),
        [
            (Objective("balanced"), (2 / 3 + 1 / 2) / 2),
            (Objective("f1"), 2 * 2 / (3 + 3)),
            (Objective("f1-bad"), 2 * 1 / (2 + 2)),
            (Objective("cost", 5, 1), -(5 + 1) / 5),
        ],
    )
    def test_by_hand(self, objective, value):
        said, good = [1, 1, 1, 0, 0], [1, 1, 0, 1, 0]
        assert value_of(objective(said, good), 5) == pytest.approx(value)


def test_scores_that_are_all_the_same_give_their_share_everywhere():
    curve = fit([0.1] * 7, [1, 0, 1, 1, 0, 1, 0])
    assert np.std([0.1] * 7) > 0, "by rounding"
    assert curve([0.0, 0.1, 1.0]) == pytest.approx([curve([0.1])[0]] * 3)
