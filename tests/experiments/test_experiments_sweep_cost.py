"""Does the budget hold for all configurations together, and is what they cost told before?"""

import json

import pytest

from assay import Budget, OverBudget, Price, Settings, SweepSettings, sweep
from assay.experiments.sweep_cost import estimate_sweep
from assay.target import Asking

METRIC = 'binary_criterion(definition="Is it polite?")'
QUESTIONS = [{"id": f"q{n}", "question": f"Who is number {n}?"} for n in range(20)]
GRID = {"k": [3, 5]}


class Judge:
    """It says yes, and counts chosen often it was asked."""

    def __init__(self):
        self.calls = 0

    def __call__(self, prompt):
        del prompt
        self.calls += 1
        return json.dumps({"reason": "It is.", "grade": 1})


def rag(question, k):
    return f"{question} By {k} passages it is nobody."


def bounded(**budget):
    return SweepSettings(settings=Settings(budget=Budget(**budget)))


class TestTheBudget:
    def test_it_is_that_of_the_whole_sweep_and_a_larger_one_goes_on(self, db):
        judge = Judge()
        with pytest.raises(OverBudget, match=r"k=[35]: .*budget in calls"):
            sweep(QUESTIONS, rag, GRID, METRIC, judge, store=db, settings=bounded(calls=30))
        assert judge.calls == 30
        found = sweep(QUESTIONS, rag, GRID, METRIC, judge, store=db, settings=bounded(calls=10))
        assert judge.calls == 40
        assert sum(one.judge_asked for one in found.configurations) == 10
        assert found.leaderboards[0].n == 20

    def test_it_holds_for_all_looks_of_a_race(self, db):
        judge, chosen = (
            Judge(),
            SweepSettings(race=True, settings=Settings(budget=Budget(calls=25))),
        )
        with pytest.raises(OverBudget):
            sweep(QUESTIONS, rag, GRID, METRIC, judge, store=db, settings=chosen)
        assert judge.calls == 25

    def test_two_sweeps_with_the_same_settings_do_not_share_it(self, db, tmp_path):
        judge, chosen = Judge(), bounded(calls=40)
        for path in (db, tmp_path / "other.db"):
            sweep(QUESTIONS, rag, GRID, METRIC, judge, store=path, settings=chosen)
        assert judge.calls == 80


class TestTheEstimate:
    def test_without_an_answer_only_the_questions_are_known(self, db):
        costs = estimate_sweep(QUESTIONS, rag, GRID, METRIC, Judge(), store=db)
        assert [(one.ask, one.known, one.calls) for one in costs] == [(20, 0, None)] * 2

    def test_answers_that_are_known_are_judged_and_the_others_cost_as_much(self, db):
        judge, chosen = Judge(), bounded(price=Price(1.0, 2.0))
        few = SweepSettings(asking=Asking(limit=5), settings=Settings(limit=5))
        sweep(QUESTIONS, rag, GRID, METRIC, judge, store=db, settings=few)
        asked = judge.calls
        costs = estimate_sweep(QUESTIONS, rag, GRID, METRIC, judge, store=db, settings=chosen)
        assert judge.calls == asked == 10
        assert [(one.ask, one.known, one.calls) for one in costs] == [(15, 5, 15)] * 2
        assert all(
            one.money == pytest.approx((one.tokens_in + 2 * one.tokens_out) / 1e6, rel=0.05)
            for one in costs
        )
        found = sweep(QUESTIONS, rag, GRID, METRIC, judge, store=db, settings=chosen)
        assert [one.judge_asked for one in found.configurations] == [one.calls for one in costs]
        costs = estimate_sweep(QUESTIONS, rag, GRID, METRIC, judge, store=db, settings=chosen)
        assert [(one.ask, one.calls, one.money) for one in costs] == [(0, 0, 0.0)] * 2
