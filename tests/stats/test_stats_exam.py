"""Which questions tell most about a system, against simulated truth."""

import numpy as np
import pytest

from assay.stats.items import effects, fewest, information, rasch, standing

NONE_OFF = np.zeros(5)
HARD = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])


def right_or_wrong(hard, abilities, chance):
    shares = 1 / (1 + np.exp(hard[:, None] - np.asarray(abilities)))
    return (chance.random(shares.shape) < shares).astype(float)


class TestInformation:
    def test_it_is_greatest_where_a_question_is_as_hard_as_the_system_is_able(self):
        told = information(HARD, NONE_OFF, np.array([0.0, 4.0]))
        share = 1 / (1 + np.exp(1))
        assert told[2, 0] == pytest.approx(0.25)
        assert told[1, 0] == pytest.approx(share * (1 - share))
        assert told[:, 1].argmax() == 4

    def test_a_difficulty_that_is_not_known_well_is_summed_out(self):
        (told,) = information(np.zeros(1), np.array([1.5]), np.zeros(1))
        assert told == pytest.approx(0.25)  # half the time, whatever it is
        draws = np.random.default_rng(0).normal(0, 1.5, 100_000)
        share = np.mean(1 / (1 + np.exp(draws - 2)))
        (far,) = information(np.zeros(1), np.array([1.5]), np.array([2.0]))
        assert far == pytest.approx(share * (1 - share), abs=0.002)


class TestShorterExam:
    def test_the_fewest_are_kept_the_most_telling_first(self):
        kept, share_kept = fewest(HARD, NONE_OFF, [0.0], 0.9)
        assert kept[0] == 2
        assert sorted(kept) == [1, 2, 3]
        told = information(HARD, NONE_OFF, np.zeros(1))[:, 0]
        assert share_kept == pytest.approx(told[1:4].sum() / told.sum())

    def test_it_keeps_the_share_at_every_ability(self):
        kept, _ = fewest(HARD, NONE_OFF, [-4.0, 4.0], 0.8)
        told = information(HARD, NONE_OFF, np.array([-4.0, 4.0]))
        assert {0, 4} <= set(kept)
        assert (told[kept].sum(axis=0) / told.sum(axis=0)).min() >= 0.8

    def test_all_of_it_takes_all(self):
        assert sorted(fewest(HARD, NONE_OFF, [0.0], 1.0)[0]) == [0, 1, 2, 3, 4]


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
