"""Is every configuration asked once, is the best one found, and is what it costs told before?"""

import asyncio
import json
import random
from collections import Counter
from dataclasses import replace
from typing import ClassVar

import pytest

from assay import (
    Budget,
    Denied,
    InputError,
    Limits,
    OverBudget,
    Price,
    Result,
    Settings,
    SweepSettings,
    asweep,
    compare,
    sweep,
)
from assay._analysis.history import history
from assay._report.leaderboard import finding
from assay.experiments.grid import configurations_of
from assay.experiments.sweep_cost import estimate_sweep
from assay.target import Asking

MANY = [
    {"id": f"q{n}", "question": f"When was tower {n} finished?", "reference": "In 1889."}
    for n in range(60)
]
QUESTIONS, FEW = MANY[:30], MANY[:6]


class System:
    """A system that is right as often as its parameters say, and notes what it is asked."""

    def __init__(self, right):
        self.right = right
        self.asked = []

    def __call__(self, question, k=3, chunk=256):
        self.asked.append((question, k, chunk))
        right = random.Random(f"{question} {k}").random() < self.right(k, chunk)
        return {"answer": "In 1889." if right else "In 1900.", "cost": k / 1000}


def planted(k, chunk):
    """With k = 5 it is nearly always right; chunk changes nothing."""
    del chunk
    return 0.97 if k == 5 else 0.5


def names(standings, verdict):
    return [one.name for one in standings if one.verdict == verdict]


class TestWhatIsFound:
    def test_a_planted_winner_is_found(self, db):
        found = sweep(QUESTIONS, System(planted), {"k": [3, 5, 8]}, "exact_match", store=db)
        (board,) = found.leaderboards
        assert (board.winner, board.tied, board.n) == ("k=5", (), 30)
        assert sorted(names(board.standings, "worse")) == ["k=3", "k=8"]
        for one in board.standings[1:]:
            assert one.difference_interval.high < 0
        assert "k=5 is best" in str(found)

    def test_a_planted_tie_is_called_a_tie_and_the_effect_of_each_parameter_told_apart(self, db):
        grid = {"k": [3, 5], "chunk": [256, 512]}
        (board,) = sweep(QUESTIONS, System(planted), grid, "exact_match", store=db).leaderboards
        assert board.winner == ""
        assert board.tied == ("k=5,chunk=256", "k=5,chunk=512")
        # They answer alike: no number of questions would tell them apart.
        assert board.more is None
        k, chunk = board.effects
        assert [(one.name, one.verdict) for one in k.values] == [("5", "best"), ("3", "worse")]
        assert [one.verdict for one in chunk.values] == ["best", "tied"]
        scores = {one.name: one.mean for one in board.standings}
        both = (scores["k=5,chunk=256"] + scores["k=5,chunk=512"]) / 2
        assert k.values[0].mean == pytest.approx(both)

    def test_a_small_lead_is_no_win_and_the_questions_that_would_settle_it_are_counted(self, db):
        close = System(lambda k, _: 0.7 if k == 5 else 0.6)
        (board,) = sweep(MANY, close, {"k": [3, 5]}, "exact_match", store=db).leaderboards
        assert set(board.tied) == {"k=3", "k=5"}
        assert board.more > 60
        assert "more questions would tell" in finding(replace(board, more=10_000))
        assert "Even 10,000 more questions would hardly" in finding(replace(board, more=10_001))

    def test_questions_of_one_group_count_as_one(self, db):
        rows = [{**row, "group": f"g{n // 3}"} for n, row in enumerate(QUESTIONS)]
        (board,) = sweep(rows, System(planted), {"k": [3, 5]}, "exact_match", store=db).leaderboards
        assert "the 30 questions form 10 groups" in board.warnings[0]

    def test_a_low_score_wins_where_low_is_good(self, db):
        def answer(question, price=1.0):
            return {"answer": question, "cost": price * (1 + len(question) % 3)}

        grid = {"price": [2.0, 1.0]}
        (board,) = sweep(QUESTIONS, answer, grid, "cost_per_query", store=db).leaderboards
        assert (board.winner, board.higher_is_better) == ("price=1.0", False)
        assert board.standings[1].difference > 0


class TestTheStore:
    def test_the_same_sweep_asks_nothing_again_and_a_wider_one_only_what_is_new(self, db):
        system = System(planted)
        grid = {"k": [3, 5]}
        first = sweep(FEW, system, grid, "exact_match", store=db)
        assert [(one.asked, one.reused) for one in first.configurations] == [(6, 0), (6, 0)]
        again = sweep(FEW, system, grid, "exact_match", store=db)
        assert [(one.asked, one.reused) for one in again.configurations] == [(0, 6), (0, 6)]
        assert again.leaderboards == first.leaderboards
        assert [one.run for one in again.configurations] == [o.run for o in first.configurations]
        wider = sweep(FEW, system, {"k": [3, 5, 8]}, "exact_match", store=db)
        assert [one.asked for one in wider.configurations] == [0, 0, 6]
        assert len(system.asked) == 18

    def test_the_order_in_which_parameters_are_named_asks_nothing_again(self, db):
        system, few = System(planted), QUESTIONS[:5]
        grid = {"k": [3, 5], "chunk": [256]}
        first = sweep(few, system, grid, "exact_match", store=db)
        again = sweep(few, system, dict(reversed(grid.items())), "exact_match", store=db)
        assert [one.asked for one in again.configurations] == [0, 0]
        assert [one.run for one in again.configurations] == [o.run for o in first.configurations]

    def test_values_of_another_kind_are_another_configuration(self, db):
        asked = []

        def answer(question, k=None):
            asked.append((question, k))
            return str(k)

        values = [3, "3x", 3.5, True]
        sweep(QUESTIONS[:2], answer, {"k": values}, "exact_match", store=db)
        assert sorted({repr(k) for _, k in asked}) == sorted(map(repr, values))

    def test_every_configuration_is_a_run_that_other_analyses_take(self, db):
        settings = SweepSettings(settings=Settings(name="rag", params={"llm": "small"}))
        found = sweep(
            QUESTIONS, System(planted), {"k": [3, 5]}, "exact_match", store=db, settings=settings
        )
        low, high = (Result(db, one.run) for one in found.configurations)
        assert low.run.name == "rag/k=3"
        assert (dict(high.run.params), set(high.run.tags)) == (
            {"llm": "small", "k": 5},
            {"sweep", "rag"},
        )
        (one,) = compare(low, high).metrics
        assert one.verdict == "better"
        assert one.paired.difference == pytest.approx(
            -found.leaderboards[0].standings[1].difference
        )
        assert found.configurations[1].cost == pytest.approx(0.005)
        assert found.configurations[1].latency_ms >= 0

    def test_configurations_that_answer_alike_are_runs_of_their_own(self, db):
        found = sweep(FEW, System(lambda *_: 1.0), {"chunk": [1, 2, 3]}, "exact_match", store=db)
        assert len({one.run for one in found.configurations}) == 3

    def test_stopped_it_goes_on_where_it_was(self, db):
        system = System(planted)
        broken = [True]

        def answer(question, k=3):
            if k == 5 and len(system.asked) >= 9 and broken:
                raise Denied("no more")
            return system(question, k)

        settings = SweepSettings(asking=Asking(), parallel=1)
        with pytest.raises(Denied):
            sweep(FEW, answer, {"k": [3, 5]}, "exact_match", store=db, settings=settings)
        before = len(system.asked)
        broken.clear()
        # It is the same function, whose name was told when it was first looked at.
        found = sweep(FEW, answer, {"k": [3, 5]}, "exact_match", store=db, settings=settings)
        assert found.configurations[0].asked == 0
        assert found.configurations[1].asked == 12 - before
        assert len(system.asked) == len(set(system.asked)) == 12

    async def test_the_async_twin_and_a_generator_of_questions(self, db):
        found = await asweep(
            iter(QUESTIONS), System(planted), {"k": [3, 5]}, "exact_match", store=db
        )
        assert found.leaderboards[0].winner == "k=5"


class Busy:
    """A system or a judge that notes how many calls it has at once."""

    def __init__(self):
        self.calls = self.now = self.most = 0

    async def work(self):
        self.calls, self.now = self.calls + 1, self.now + 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.002)
        self.now -= 1

    async def answer(self, question, k=3):
        await self.work()
        return f"{k % 2} {question}"

    async def judge(self, prompt):
        await self.work()
        return json.dumps({"reason": "It is.", "grade": len(prompt) % 2})


POLITE = 'binary_criterion(definition="Is it polite?")'


def busy_sweep(db, parallel, system, judge, **budget):
    settings = SweepSettings(
        parallel=parallel,
        settings=Settings(limits=Limits(concurrency=5), budget=Budget(**budget)),
        asking=Asking(limits=Limits(concurrency=3)),
    )
    grid = {"k": [1, 2, 3, 4]}
    return sweep(
        QUESTIONS[:10], system.answer, grid, POLITE, judge.judge, store=db, settings=settings
    )


class TestInParallel:
    def test_all_configurations_keep_to_the_limits_together_and_nothing_is_asked_twice(self, db):
        system, judge = Busy(), Busy()
        busy_sweep(db, 4, system, judge)
        assert (system.calls, system.most) == (40, 3)
        # Two and two of them answer alike, at the same time.
        assert (judge.calls, judge.most) == (20, 5)

    def test_the_result_is_that_of_one_after_the_other(self, db, tmp_path):
        boards = [
            busy_sweep(path, parallel, Busy(), Busy()).leaderboards
            for path, parallel in ((db, 4), (tmp_path / "one.db", 1))
        ]
        one, other = (replace(board, fronts=()) for (board,) in boards)  # against latency
        assert one == other

    def test_the_budget_is_that_of_all_that_is_on_its_way(self, db):
        judge = Busy()
        with pytest.raises(OverBudget, match="budget in calls"):
            busy_sweep(db, 4, Busy(), judge, calls=9)
        assert judge.calls == 9
        busy_sweep(db, 4, Busy(), judge)
        assert judge.calls == 20

    def test_what_is_wrong_with_one_stops_the_others(self, db):
        system = Busy()

        async def answer(question, k):
            if k == 2:
                raise Denied("not allowed")
            return await system.answer(question)

        settings = SweepSettings(asking=Asking(limits=Limits(concurrency=2)))
        with pytest.raises(Denied, match="not allowed"):
            sweep(QUESTIONS, answer, {"k": [1, 2, 3]}, "exact_match", store=db, settings=settings)
        assert system.calls < 30

    def test_none_at_once_is_refused(self):
        with pytest.raises(InputError, match="parallel is 0"):
            SweepSettings(parallel=0)


class TestRandomGrids:
    GRID: ClassVar = {"k": [1, 2, 3], "chunk": [64, 128, 256]}

    def drawn(self, n, seed):
        return [str(one) for one in configurations_of(self.GRID, drawn=n, seed=seed)]

    def test_a_seed_draws_the_same_ones_and_more_of_it_holds_fewer(self, db):
        settings = SweepSettings(random=4, seed=1)
        found = sweep(
            QUESTIONS[:3], System(planted), self.GRID, "exact_match", store=db, settings=settings
        )
        four = self.drawn(4, 1)
        assert [str(one.params) for one in found.configurations] == four
        assert set(four) < set(self.drawn(6, 1))
        assert four != self.drawn(4, 2)
        assert len(set(self.drawn(9, 1))) == 9

    @pytest.mark.slow
    def test_the_effects_in_a_part_of_a_grid_are_those_in_the_whole_where_they_add_up(self, db):
        def answer(question, k, chunk, llm):
            number = int(question.split()[3])
            return {"answer": "It is.", "cost": number % 7 + 10 * k + chunk + 3 * llm}

        grid = {"k": [1, 2, 3], "chunk": [0, 4], "llm": [1, 2, 3]}
        means = []
        for n in (18, 9):
            settings = SweepSettings(random=n, seed=3)
            (board,) = sweep(
                QUESTIONS[:10], answer, grid, "cost_per_query", store=db, settings=settings
            ).leaderboards
            means.append({(e.parameter, v.name): v.mean for e in board.effects for v in e.values})
        assert len(means[0]) == 8
        assert means[0] == pytest.approx(means[1])

    def test_each_combination_is_drawn_as_often_and_a_large_grid_is_never_made(self):
        times = Counter(
            str(one)
            for seed in range(900)
            for one in configurations_of(self.GRID, drawn=3, seed=seed)
        )
        assert len(times) == 9
        assert all(240 < n < 360 for n in times.values())
        large = {f"p{n}": list(range(10)) for n in range(12)}
        assert len(configurations_of(large, drawn=5)) == 5

    @pytest.mark.parametrize(("n", "said"), [(0, "0 configurations"), (10, "from a grid of 9")])
    def test_what_cannot_be_drawn_is_refused(self, n, said):
        with pytest.raises(InputError, match=said):
            configurations_of(self.GRID, drawn=n)


class TestFailures:
    def test_questions_that_one_configuration_does_not_answer_are_left_out_of_all(self, db):
        def answer(question, k=3):
            if k == 8 and "tower 1" in question:
                raise ValueError("too long")
            return System(planted)(question, k)

        found = sweep(QUESTIONS, answer, {"k": [3, 5, 8]}, "exact_match", store=db)
        (board,) = found.leaderboards
        assert board.n == 19
        assert "11 of 30 questions with a score lack one" in board.warnings[0]
        assert "(11 in k=8): all numbers are of the other 19" in board.warnings[0]
        assert [one.failures for one in found.configurations] == [0, 0, 11]
        assert {one.name: one.n for one in board.standings} == {"k=3": 30, "k=5": 30, "k=8": 19}

    def test_a_configuration_without_any_answer_stands_last_and_holds_up_no_other(self, db):
        def answer(question, k=3):
            if k == 8:
                raise ValueError("too long")
            return System(planted)(question, k)

        few = QUESTIONS[:7]
        found = sweep(few, answer, {"k": [3, 5, 8]}, "exact_match", store=db)
        (board,) = found.leaderboards
        assert (board.standings[-1].name, board.standings[-1].verdict) == ("k=8", "no scores")
        assert board.n == 7
        assert board.effects == ()


def _two(k, question):
    return f"{k} {question}"


def _told(question, contexts, k):
    return f"{question} {contexts} {k}"


def _needy(question, k, rerank):
    return f"{question} {k} {rerank}"


class TestRefusals:
    @pytest.mark.parametrize(
        ("grid", "target", "said"),
        [
            ({}, System(planted), "the grid is empty"),
            ({"k": []}, System(planted), "'k' has no values"),
            ({"k": "35"}, System(planted), "'k' has no values"),
            ({"k": 3}, System(planted), "'k' has no values"),
            ({"k": [3, 3]}, System(planted), "the value 3 twice"),
            ({"k": [3, 3.0]}, System(planted), "the value 3 twice"),
            ({"k": [[3]]}, System(planted), "parameter 'k' is"),
            ({"depth": [1, 2]}, System(planted), "takes no argument 'depth'"),
            ({"question": [1, 2]}, System(planted), "is what it is asked"),
            ({"question": [1, 2]}, _two, "is what it is asked"),
            ({"k": [1, 2]}, _two, "is what it is asked"),
            ({"k": [1, 2]}, _needy, "needs 'rerank' too"),
            ({"k": [1, 2]}, _told, "needs 'contexts' too, .* read sample.contexts"),
            ({"k": range(9), "chunk": range(8)}, System(planted), "72 configurations"),
        ],
    )
    def test_what_cannot_be_swept_is_told_before_anything_is_asked(self, db, grid, target, said):
        with pytest.raises(InputError, match=said):
            sweep(QUESTIONS, target, grid, "exact_match", store=db)
        assert not getattr(target, "asked", None)
        assert not db.exists()

    def test_more_configurations_are_swept_if_that_is_said(self, db):
        grid, settings = {"k": [3, 5, 8]}, SweepSettings(max_configurations=2)
        with pytest.raises(InputError, match="3 configurations"):
            sweep(FEW, System(planted), grid, "exact_match", store=db, settings=settings)
        settings = SweepSettings(max_configurations=3)
        found = sweep(FEW, System(planted), grid, "exact_match", store=db, settings=settings)
        assert len(found.configurations) == 3

    def test_a_parameter_that_is_described_and_swept_is_refused(self, db):
        settings = SweepSettings(settings=Settings(params={"k": 3}))
        with pytest.raises(InputError, match="is swept"):
            sweep(
                QUESTIONS,
                System(planted),
                {"k": [3, 5]},
                "exact_match",
                store=db,
                settings=settings,
            )


def test_a_history_by_one_parameter_sets_nothing_else_that_varied_beside_each_other(db):
    sweep(FEW, System(planted), {"k": [3, 5], "chunk": [256, 512]}, "exact_match", store=db)
    # Runs of a sweep may begin at the same moment, and so may the series.
    first, second = sorted(history(db, over=["k"]).series, key=lambda series: series.settings[0][1])
    assert [first.settings, second.settings] == [(("chunk", "256"),), (("chunk", "512"),)]
    for series in (first, second):
        assert [point.settings for point in series.points] == [(("k", "3"),), (("k", "5"),)]
    assert {one.settings for one in history(db, by=["k"]).series} == {
        (("k", k), ("chunk", chunk)) for k in ("3", "5") for chunk in ("256", "512")
    }


METRIC = 'binary_criterion(definition="Is it polite?")'
COSTED = [{"id": f"q{n}", "question": f"Who is number {n}?"} for n in range(20)]
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
            sweep(COSTED, rag, GRID, METRIC, judge, store=db, settings=bounded(calls=30))
        assert judge.calls == 30
        found = sweep(COSTED, rag, GRID, METRIC, judge, store=db, settings=bounded(calls=10))
        assert judge.calls == 40
        assert sum(one.judge_asked for one in found.configurations) == 10
        assert found.leaderboards[0].n == 20

    def test_it_holds_for_all_looks_of_a_race(self, db):
        judge, chosen = (
            Judge(),
            SweepSettings(race=True, settings=Settings(budget=Budget(calls=25))),
        )
        with pytest.raises(OverBudget):
            sweep(COSTED, rag, GRID, METRIC, judge, store=db, settings=chosen)
        assert judge.calls == 25

    def test_two_sweeps_with_the_same_settings_do_not_share_it(self, db, tmp_path):
        judge, chosen = Judge(), bounded(calls=40)
        for path in (db, tmp_path / "other.db"):
            sweep(COSTED, rag, GRID, METRIC, judge, store=path, settings=chosen)
        assert judge.calls == 80


class TestTheEstimate:
    def test_without_an_answer_only_the_questions_are_known(self, db):
        costs = estimate_sweep(COSTED, rag, GRID, METRIC, Judge(), store=db)
        assert [(one.ask, one.known, one.calls) for one in costs] == [(20, 0, None)] * 2

    def test_answers_that_are_known_are_judged_and_the_others_cost_as_much(self, db):
        judge, chosen = Judge(), bounded(price=Price(1.0, 2.0))
        few = SweepSettings(asking=Asking(limit=5), settings=Settings(limit=5))
        sweep(COSTED, rag, GRID, METRIC, judge, store=db, settings=few)
        asked = judge.calls
        costs = estimate_sweep(COSTED, rag, GRID, METRIC, judge, store=db, settings=chosen)
        assert judge.calls == asked == 10
        assert [(one.ask, one.known, one.calls) for one in costs] == [(15, 5, 15)] * 2
        assert all(
            one.money == pytest.approx((one.tokens_in + 2 * one.tokens_out) / 1e6, rel=0.05)
            for one in costs
        )
        found = sweep(COSTED, rag, GRID, METRIC, judge, store=db, settings=chosen)
        assert [one.judge_asked for one in found.configurations] == [one.calls for one in costs]
        costs = estimate_sweep(COSTED, rag, GRID, METRIC, judge, store=db, settings=chosen)
        assert [(one.ask, one.calls, one.money) for one in costs] == [(0, 0, 0.0)] * 2
