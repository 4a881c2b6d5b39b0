"""Is a configuration dominated only where it surely is, and is a planted interaction found?"""

import random

import numpy as np
import pytest

from assay import sweep
from assay._analysis.sweeps import interactions

QUESTIONS = [
    {"id": f"q{n}", "question": f"When was tower {n} finished?", "reference": "In 1889."}
    for n in range(120)
]


def system(right, cost):
    """A system that is right as often, and costs as much, as its parameters say."""

    def answer(question, k, rerank=None):
        chance = random.Random(f"{question} {k} {rerank}").random()
        found = "In 1889." if chance < right(k, rerank) else "In 1900."
        return {"answer": found, "cost": cost(k, rerank)}

    return answer


def front(board, *resources):
    """By configuration who dominates it, "" for nobody."""
    (one,) = (one for one in board.fronts if one.resources == resources)
    return {place.name: place.dominated_by for place in one.places}


class TestTheFront:
    def board(self, db, right, cost, values=(3, 5, 8), n=120):
        made = system(lambda k, _: right[k], lambda k, _: cost[k])
        grid = {"k": list(values)}
        return sweep(QUESTIONS[:n], made, grid, "exact_match", store=db).leaderboards[0]

    def test_worse_and_dearer_is_dominated_worse_and_cheaper_is_not(self, db):
        board = self.board(db, {3: 0.5, 5: 0.95, 8: 0.5}, {3: 0.001, 5: 0.002, 8: 0.003}, n=40)
        assert front(board, "cost") == {"k=5": "", "k=3": "", "k=8": "k=5"}
        (one,) = (one for one in board.fronts if one.resources == ("cost",))
        assert one.n == 40
        assert {p.name: p.amounts for p in one.places}["k=8"] == pytest.approx((0.003,))

    @pytest.mark.slow
    def test_at_the_same_cost_the_better_one_dominates(self, db):
        board = self.board(db, {3: 0.5, 5: 0.95}, {3: 0.002, 5: 0.002}, (3, 5))
        assert front(board, "cost") == {"k=5": "", "k=3": "k=5"}

    @pytest.mark.slow
    def test_of_a_planted_tie_both_stay_whatever_they_cost(self, db):
        board = self.board(db, {3: 0.9, 5: 0.9, 8: 0.3}, {3: 0.001, 5: 0.9, 8: 0.95})
        assert set(board.tied) == {"k=3", "k=5"}
        dominated = front(board, "cost")
        assert (dominated["k=3"], dominated["k=5"]) == ("", "")
        assert dominated["k=8"] in ("k=3", "k=5")

    @pytest.mark.slow
    def test_against_several_resources_nobody_is_dominated_who_is_cheaper_in_one(self, db):
        board = self.board(db, {3: 0.3, 5: 0.95}, {3: 0.001, 5: 0.002}, (3, 5))
        assert [one.resources for one in board.fronts] == [
            ("latency_ms",),
            ("cost",),
            ("latency_ms", "cost"),
        ]
        assert front(board, "latency_ms", "cost")["k=3"] == ""

    def test_without_costs_there_is_no_front_against_them(self, db):
        grid = {"k": [3, 5]}
        (board,) = sweep(
            QUESTIONS[:9], lambda question, k: f"{question}{k}", grid, "exact_match", store=db
        ).leaderboards
        assert [one.resources for one in board.fronts] == [("latency_ms",)]

    def test_cost_is_not_set_against_itself(self, db):
        made = system(lambda *_: 1.0, lambda k, _: k / 1000)
        (board,) = sweep(
            QUESTIONS[:9], made, {"k": [3, 5]}, "cost_per_query", store=db
        ).leaderboards
        assert board.fronts == ()


class TestInteractions:
    def found(self, db, right):
        made = system(right, lambda *_: 0.001)
        grid = {"k": [3, 8], "rerank": [False, True]}
        (board,) = sweep(QUESTIONS, made, grid, "exact_match", store=db).leaderboards
        (one,) = board.interactions
        return board, one

    @pytest.mark.slow
    def test_a_planted_one_is_found_and_turned_for_the_better(self, db):
        board, one = self.found(db, lambda k, rerank: 0.95 if k == 8 and rerank else 0.4)
        assert one.found
        assert one.change in (("3", "8"), ("False", "True"), ("false", "true"))
        assert one.effects[0] > 0.3 > abs(one.effects[1])
        assert one.difference == pytest.approx(one.effects[0] - one.effects[1])
        assert 0 < one.interval.low < one.difference < one.interval.high
        means = {standing.name: standing.mean for standing in board.standings}
        cells = [means[f"k={k},rerank={r}"] for k in (3, 8) for r in ("false", "true")]
        assert one.difference == pytest.approx(abs(cells[3] - cells[2] - cells[1] + cells[0]))

    @pytest.mark.slow
    def test_two_effects_that_add_up_are_none(self, db):
        _, one = self.found(db, lambda k, rerank: 0.4 + 0.25 * (k == 8) + 0.25 * rerank)
        assert not one.found

    @pytest.mark.slow
    def test_of_effects_that_add_up_hardly_any_is_ever_found(self):
        rng, wrong = np.random.default_rng(3), 0
        params = [{"a": a, "b": b, "c": c} for a in range(3) for b in range(3) for c in range(2)]
        truth = np.array([0.4 + 0.1 * one["a"] + 0.1 * one["b"] for one in params])
        for _ in range(200):
            scores = (rng.random((100, 18)) < truth).astype(float)
            wrong += any(one.found for one in interactions(scores, params, span=1.0))
        assert wrong <= 0.08 * 200
