"""Repeated measurements: within-subject deviation, disagreement, change between sittings."""

import numpy as np
import pytest

from assay.stats.agreement import kappa_of_table, verdicts_interval
from assay.stats.raters import (
    changed,
    cohen_kappa,
    disagreement,
    krippendorff_alpha,
    two_values_interval,
    within_sd,
)
from support.over import over


class TestWithinSd:
    def test_by_hand(self):
        # Variances 0.5, 0 and 2 with 1, 2 and 1 degrees of freedom: 2.5 / 4.
        values = np.array([[1.0, 2.0, np.nan], [3.0, 3.0, 3.0], [0.0, np.nan, 2.0]])
        assert within_sd(values) == pytest.approx((2.5 / 4) ** 0.5)

    def test_differences_between_things_are_no_noise(self):
        assert within_sd(np.array([[0.0, 0.0], [1.0, 1.0]])) == 0.0

    def test_nothing_measured_twice_has_none(self):
        assert within_sd(np.array([[1.0, np.nan], [np.nan, 2.0]])) is None

    def test_it_finds_the_noise_that_was_put_in(self):
        rng = np.random.default_rng(0)
        values = rng.uniform(size=(4000, 1)) + rng.normal(0, 0.1, size=(4000, 4))
        assert within_sd(values) == pytest.approx(0.1, rel=0.02)


class TestPeople:
    @staticmethod
    def alpha(ratings):
        return krippendorff_alpha(ratings, "nominal")

    @over(("people", "n"), [(2, 20), (3, 10)])
    def test_of_people_who_nearly_always_say_good_the_interval_holds(self, people, n):
        """The jackknife held in 0.79 and 0.63 of such cases, and gave none in 39 and 60 %."""
        random, held, none = np.random.default_rng(n), [], 0
        truth = 0.585
        for _ in range(100):
            good = random.random(n) < 0.95
            right = random.random((people, n)) < 0.97
            ratings = np.where(right, good, ~good).astype(float).T
            found = two_values_interval(self.alpha, ratings, range(n))
            none += found is None
            held += [] if found is None else [found.low <= truth <= found.high]
        assert np.mean(held) >= 0.93
        assert none <= 20

    def test_of_two_people_it_is_that_of_their_table(self):
        random = np.random.default_rng(1)
        good = random.random(60) < 0.8
        ratings = np.where(random.random((2, 60)) < 0.9, good, ~good).astype(float).T

        def kappa(table):
            return cohen_kappa(table[:, 0], table[:, 1])

        found = two_values_interval(kappa, ratings, range(60))
        other = verdicts_interval(kappa_of_table, ratings[:, 0], ratings[:, 1], range(60))
        assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.03)

    def test_people_who_always_agree_are_not_certain_to(self):
        ratings = np.array([[1.0, 1.0]] * 8 + [[0.0, 0.0]] * 2)
        found = two_values_interval(self.alpha, ratings, range(10))
        assert found.low < 0.8
        assert found.high == 1

    def test_what_tells_nothing_has_none(self):
        assert two_values_interval(self.alpha, np.ones((10, 2)), range(10)) is None
        assert two_values_interval(self.alpha, np.eye(2), [0, 0]) is None
        assert two_values_interval(self.alpha, np.array([[1.0, np.nan]] * 5), range(5)) is None


class TestDisagreement:
    @over(("labels", "share"), [("aa", 0), ("ab", 1), ("aab", 2 / 3), ("aabb", 4 / 6), ("a", None)])
    def test_the_share_of_pairs_that_differ(self, labels, share):
        assert disagreement(labels) == (share if share is None else pytest.approx(share))

    def test_its_expectation_is_that_of_two_askings(self):
        rng = np.random.default_rng(0)
        rates = [disagreement(list(rng.random(4) < 0.1)) for _ in range(20_000)]
        assert np.mean(rates) == pytest.approx(2 * 0.1 * 0.9, abs=0.005)


def distances(a1, a2, b1, b2):
    pairs = ((a1, a2), (b1, b2), (a1, b1), (a2, b2), (a1, b2), (a2, b1))
    return np.array([np.abs(one - two) for one, two in pairs]).T


class TestChanged:
    @over("n", [1, 5, 12])
    def test_things_that_never_vary_and_now_differ_are_chance_one_time_in_three_each(self, n):
        apart = np.zeros((12, 6))
        apart[:n, 2:] = 1.0
        assert changed(apart) == pytest.approx(3.0**-n)

    def test_what_is_the_same_has_not_changed(self):
        assert changed(np.zeros((12, 6))) == 1.0
        assert changed(np.zeros((0, 6))) == 1.0

    def test_noise_is_taken_for_a_change_no_more_often_than_it_says(self):
        rng = np.random.default_rng(1)
        p = np.array([changed(distances(*rng.normal(size=(4, 8)))) for _ in range(1000)])
        for level in (0.05, 0.2):
            assert np.mean(p <= level) <= level + 3 * (level / 1000) ** 0.5

    def test_a_change_is_seen_through_noise(self):
        rng = np.random.default_rng(1)
        noise = rng.normal(size=(4, 12))
        noise[2:] += 3.0
        assert changed(distances(*noise)) < 0.001

    def test_too_many_things_are_refused(self):
        with pytest.raises(ValueError, match="15 things"):
            changed(np.zeros((15, 6)))
