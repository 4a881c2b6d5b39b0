"""Which questions tell most about a system, against simulated truth."""

import numpy as np
import pytest

from assay.stats.items import chances, effects, rasch, standing

NONE_OFF = np.zeros(5)
HARD = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])


def right_or_wrong(hard, abilities, chance):
    shares = 1 / (1 + np.exp(hard[:, None] - np.asarray(abilities)))
    return (chance.random(shares.shape) < shares).astype(float)


def test_a_difficulty_that_is_not_known_well_is_summed_out():
    (share,) = chances(np.zeros(1), np.array([1.5]), np.zeros(1))
    assert share == pytest.approx(0.5)  # half the time, whatever it is
    draws = np.random.default_rng(0).normal(0, 1.5, 100_000)
    (far,) = chances(np.zeros(1), np.array([1.5]), np.array([2.0]))
    assert far == pytest.approx(np.mean(1 / (1 + np.exp(draws - 2))), abs=0.002)


class TestNext:
    def test_without_an_answer_the_middle_is_asked(self):
        ability, sd, following = standing(HARD, NONE_OFF, {})
        assert (ability, sd) == (pytest.approx(0, abs=1e-9), pytest.approx(2, abs=0.01))
        assert following[0] == 2

    def test_right_answers_lead_to_harder_questions(self):
        able, _, after_right = standing(HARD, NONE_OFF, {2: True})
        unable, _, after_wrong = standing(HARD, NONE_OFF, {2: False})
        assert (after_right[0], after_wrong[0]) == (3, 1)
        assert able == pytest.approx(-unable)
        assert 2 not in after_right

    def test_the_same_number_of_answers_tells_more_than_answers_by_chance(self):
        chance = np.random.default_rng(0)
        hard = chance.normal(0, 2, 60)
        right = right_or_wrong(hard, [1.0], chance)[:, 0] == 1
        answers: dict[int, bool] = {}
        for _ in range(12):
            at = standing(hard, np.zeros(60), answers)[2][0]
            answers[at] = bool(right[at])
        ability, sd, _ = standing(hard, np.zeros(60), answers)
        _, sd_by_chance, _ = standing(hard, np.zeros(60), {at: bool(right[at]) for at in range(12)})
        assert sd < 0.9 * sd_by_chance
        assert abs(ability - 1.0) < 2 * sd


class TestEffects:
    # Two retrievers with three generators: intercept, retriever, two of the generators.
    DESIGN = np.array([[1, r, *g] for r in (1, -1) for g in ((1, 0), (0, 1), (-1, -1))], float)
    TRUTH = np.array([0.5, -0.4, -0.6, 0.1])

    def test_they_are_found_with_honest_errors(self):
        chance, held = np.random.default_rng(1), []
        for _ in range(12):
            right = right_or_wrong(chance.normal(0, 1.3, 300), self.DESIGN @ self.TRUTH, chance)
            fit = effects(right, self.DESIGN)
            errors = np.sqrt(np.diag(fit.covariance))
            held.append(np.abs(fit.values - self.TRUTH) < 2.2 * errors)
        assert np.mean(held) > 0.85
        assert fit.values == pytest.approx(self.TRUTH, abs=0.4)

    def test_one_column_a_system_gives_the_abilities(self):
        chance = np.random.default_rng(2)
        right = right_or_wrong(chance.normal(0, 1, 200), [-1.0, 0.0, 1.0], chance)
        fit, free = effects(right, np.eye(3)), rasch(right)
        assert fit.values == pytest.approx(np.array(free.abilities), abs=1e-3)
        half = (free.intervals[0].high - free.intervals[0].low) / 2
        assert np.sqrt(fit.covariance[0, 0]) == pytest.approx(half / 1.972, rel=0.01)

    def test_what_changes_together_cannot_be_told_apart(self):
        right = right_or_wrong(np.zeros(50), [0.0, 1.0], np.random.default_rng(0))
        assert effects(right, np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0]])) is None

    def test_a_system_that_is_always_right_has_no_ability_to_be_made_of_effects(self):
        right = np.ones((20, 2))
        right[:5, 0] = 0
        assert effects(right, np.eye(2)) is None
