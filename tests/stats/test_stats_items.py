"""Abilities and difficulties are those of the model; what goes against it is found."""

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import norm

from assay.stats.items import inversions, rasch
from support.over import over

ABILITIES = np.array([-1.0, 0.2, 1.2])
# Section 6 of the Law School Admission Test (Bock & Lieberman 1970): how many of 1,000 people gave
# each pattern of right answers to five items, 00000 to 11111.
LSAT6 = [
    *(3, 6, 2, 11, 1, 1, 3, 4, 1, 8, 0, 16, 0, 3, 2, 15),
    *(10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298),
]


def answers(n=400, seed=0, spread=1.0, abilities=ABILITIES):
    chance = np.random.default_rng(seed)
    hard = chance.normal(0, spread, n)
    right = chance.random((n, len(abilities))) < 1 / (1 + np.exp(hard[:, None] - abilities))
    return right.astype(float), hard


class TestFit:
    def test_it_maximises_the_marginal_likelihood(self):
        right, _ = answers(n=60)
        fit = rasch(right)
        patterns, counts = np.unique(right, axis=0, return_counts=True)

        nodes = np.linspace(-8, 8, 2001)
        weights = norm.pdf(nodes) * (nodes[1] - nodes[0])

        def loss(at):
            chance = 1 / (1 + np.exp(np.exp(at[-1]) * nodes[:, None] - at[:-1]))
            each = [weights @ np.where(p > 0, chance, 1 - chance).prod(axis=1) for p in patterns]
            return -counts @ np.log(each) + at[-1] ** 2 / 2

        found = optimize.minimize(loss, [*ABILITIES, 0.0], method="Nelder-Mead", tol=1e-8).x
        assert fit.abilities == pytest.approx(found[:-1].tolist(), abs=2e-3)
        assert fit.spread == pytest.approx(np.exp(found[-1]), abs=2e-3)

    @over(
        ("n", "abilities", "spread"),
        [  # girth 0.8.0, onepl_mml of the transposed table
            (200, [-0.3753, 0.0497, 0.35, 1.1936, 1.5491], 1.0876),
            (2000, [-0.3876, -0.0844, 0.38, 0.9277, 1.4227], 1.0843),
        ],
    )
    def test_girth_finds_the_same(self, n, abilities, spread):
        chance, drawn = np.random.default_rng(5), np.linspace(-0.5, 1.5, 5)
        for questions in (200, 2000)[: 1 if n == 200 else 2]:
            hard = chance.normal(0, 1.2, questions)
            right = chance.random((questions, 5)) < 1 / (1 + np.exp(hard[:, None] - drawn))
        fit = rasch(right.astype(float))
        assert fit.abilities == pytest.approx(abilities, abs=0.02)
        assert fit.spread == pytest.approx(spread, abs=0.02)

    def test_mirt_finds_the_same(self):
        """`coef` on the page of LSAT6 in mirt's reference (1.46.4): items are the systems here."""
        patterns = [[int(bit) for bit in f"{n:05b}"] for n in range(32)]
        fit = rasch(np.repeat(patterns, LSAT6, axis=0))
        assert fit.abilities == pytest.approx([2.730, 0.999, 0.240, 1.307, 2.100], abs=0.0015)
        assert fit.spread == pytest.approx(0.755, abs=0.003)  # ours has a weak prior

    def test_it_finds_what_the_answers_were_drawn_from(self):
        right, hard = answers(n=5000, spread=1.5)
        fit = rasch(right)
        assert fit.abilities == pytest.approx(ABILITIES.tolist(), abs=0.15)
        assert fit.spread == pytest.approx(1.5, abs=0.1)
        assert np.corrcoef(fit.difficulties, hard)[0, 1] > 0.7

    def test_copies_of_a_question_in_one_group_narrow_no_interval(self):
        right, _ = answers(n=200)
        alone, copied = rasch(right), rasch(np.repeat(right, 4, axis=0), np.repeat(range(200), 4))
        for one, other in zip(alone.intervals, copied.intervals, strict=True):
            assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.05)
        as_if = rasch(np.repeat(right, 4, axis=0)).intervals[0]
        assert as_if.high - as_if.low < 0.6 * (alone.intervals[0].high - alone.intervals[0].low)

    def test_an_answer_that_is_missing_is_no_wrong_one(self):
        right, _ = answers(n=2000)
        some = right.copy()
        some[::2, 0] = np.nan
        assert rasch(some).abilities[0] == pytest.approx(rasch(right).abilities[0], abs=0.2)

    def test_a_system_that_is_always_right_has_no_ability_and_does_not_disturb(self):
        right, _ = answers()
        fit = rasch(np.column_stack([right, np.ones(len(right))]))
        assert fit.abilities[3] is None
        assert fit.intervals[3] is None
        assert fit.abilities[:3] == pytest.approx(rasch(right).abilities)

    def test_one_system_is_not_enough(self):
        assert rasch([[1.0, 1.0], [0.0, 1.0]]) is None

    def test_a_question_that_tells_systems_apart_discriminates_more(self):
        abilities = np.linspace(-2, 2, 8)
        right, _ = answers(n=300, abilities=abilities)
        right[0] = abilities > 0
        right[1] = abilities < 0
        found = rasch(right)
        assert found.discriminations[0] > 1 > found.discriminations[1]

    def test_few_systems_hardly_move_a_discrimination(self):
        right, _ = answers()
        assert rasch(right).discriminations.min() > 0.6


class TestInversions:
    def test_known_case(self):
        (found,) = inversions([[1, 0, 0]], [-1.0, 0.0, 1.0])
        weights = np.exp([-1.0, 0.0, 1.0])
        assert found.p == pytest.approx(weights[0] / weights.sum())
        assert not found.flagged

    def test_what_all_get_right_or_wrong_says_nothing(self):
        assert inversions([[1, 1], [0, 0], [1, np.nan]], [0.0, 1.0]) == [None] * 3

    def test_equal_abilities_are_never_inverted(self):
        assert inversions([[1, 0, 0]], [0.5, 0.5, 0.5])[0].p == pytest.approx(1)

    def test_no_more_are_flagged_than_chance_would_flag(self):
        abilities = np.linspace(-2, 2, 7)
        right, _ = answers(n=4000, abilities=abilities)
        found = [one for one in inversions(right, abilities.tolist()) if one]
        flagged, expected = sum(one.flagged for one in found), sum(one.by_chance for one in found)
        assert flagged == pytest.approx(expected, rel=0.25)
        assert expected / len(found) <= 0.05

    def test_a_planted_one_is_flagged(self):
        abilities = np.linspace(-2, 2, 6)
        (found,) = inversions([(abilities < 0).astype(float)], abilities.tolist())
        assert found.flagged
        assert found.p < 0.001
