"""`assay sweep --race`: is what cannot win dropped, and is all that is said still true?"""

import random

import pytest

from assay import Denied, InputError, Result, Settings, SweepSettings, sweep
from assay._store import Store
from assay._store.labels import HumanLabel

QUESTIONS = [
    {"id": f"q{n}", "question": f"When was tower {n} finished?", "reference": "In 1889."}
    for n in range(120)
]
RACE = SweepSettings(race=True)


class System:
    """A system that is right as often as its parameter says, and notes what it is asked."""

    def __init__(self, shares):
        self.shares = shares
        self.asked = []

    def __call__(self, question, k=3, chunk=1):
        self.asked.append((question, k, chunk))
        right = random.Random(f"{question} {k}").random() < self.shares[k]
        return {"answer": "In 1889." if right else "In 1900.", "cost": k / 1000}


def race(system, db, *, questions=QUESTIONS, grid=None, metrics="exact_match", settings=RACE):
    return sweep(questions, system, grid or {"k": [3, 5, 8]}, metrics, store=db, settings=settings)


def by_name(found):
    return {one.name: one for one in found.configurations}


CLEAR = {3: 0.4, 5: 0.97, 8: 0.4}


class TestWhatIsFound:
    def test_a_planted_winner_is_found_with_fewer_questions(self, db):
        system = System(CLEAR)
        found = race(system, db)
        (board,) = found.leaderboards
        assert (board.winner, board.tied, found.race) == ("k=5", (), True)
        one = by_name(found)
        assert one["k=3"].dropped_after == one["k=3"].n == one["k=3"].asked < 120
        assert len(system.asked) == len(set(system.asked)) == sum(o.asked for o in one.values())
        dropped = board.standings[1:]
        assert {standing.verdict for standing in dropped} == {"dropped"}
        assert all(standing.difference_interval.high < 0 for standing in dropped)
        assert board.effects == ()

    @pytest.mark.slow
    def test_the_race_is_over_when_one_is_left(self, db):
        found = race(System(CLEAR), db)
        assert by_name(found)["k=5"].n == max(one.n for one in found.configurations) < 120
        assert by_name(found)["k=5"].dropped_after is None

    @pytest.mark.slow
    def test_a_planted_tie_is_called_a_tie_and_nobody_is_dropped(self, db):
        found = race(System({3: 0.7}), db, grid={"k": [3], "chunk": [1, 2]})
        (board,) = found.leaderboards
        assert board.tied == ("chunk=1", "chunk=2")
        assert [one.dropped_after for one in found.configurations] == [None, None]
        assert [one.asked for one in found.configurations] == [120, 120]

    @pytest.mark.slow
    def test_other_metrics_decide_nothing_and_are_still_shown(self, db):
        found = race(System(CLEAR), db, metrics=["exact_match", "cost_per_query"])
        match, cost = found.leaderboards
        assert match.winner == "k=5"
        assert [one.name for one in cost.standings] == ["k=3", "k=5", "k=8"]
        assert [one.mean for one in cost.standings] == pytest.approx([0.003, 0.005, 0.008])
        assert cost.winner == ""
        assert "no intervals" in cost.warnings[0]

    @pytest.mark.slow
    def test_a_question_without_an_answer_is_no_evidence_for_anyone(self, db):
        system = System(CLEAR)

        def answer(question, k=3):
            if k == 8 and random.Random(question).random() < 0.3:
                raise ValueError("too long")
            return system(question, k)

        found = race(answer, db)
        (board,) = found.leaderboards
        assert board.winner == "k=5"
        failing = by_name(found)["k=8"]
        (standing,) = [one for one in board.standings if one.name == "k=8"]
        assert failing.failures > 0
        assert standing.n == failing.n - failing.failures


class TestTheStore:
    def test_the_same_race_asks_nothing_again_and_decides_the_same(self, db):
        system = System(CLEAR)
        first, again = (race(system, db, questions=QUESTIONS[:50]) for _ in range(2))
        assert again.leaderboards == first.leaderboards
        assert [one.asked for one in again.configurations] == [0, 0, 0]
        assert [one.reused for one in again.configurations] == [o.n for o in first.configurations]
        assert [o.run for o in again.configurations] == [o.run for o in first.configurations]

    @pytest.mark.slow
    def test_each_configuration_is_one_run_and_no_look_is_left_behind(self, db):
        settings = SweepSettings(race=True, settings=Settings(name="rag", params={"llm": "small"}))
        found = race(System(CLEAR), db, settings=settings)
        with Store(db) as store:
            runs = {run.id: run for run in store.runs()}
        assert set(runs) == {one.run for one in found.configurations}
        assert {run.tags for run in runs.values()} == {("sweep", "rag")}
        one = Result(db, by_name(found)["k=5"].run).run
        assert (one.name, dict(one.params)) == ("rag/k=5", {"llm": "small", "k": 5})

    def test_a_look_that_somebody_labelled_meanwhile_stays(self, db):
        system, labelled = System({3: 0.6, 5: 0.97, 8: 0.6}), []

        def answer(question, k=3):
            if len(system.asked) >= 60 and not labelled:  # in a later look
                with Store(db) as store:
                    labelled.append(next(run.id for run in store.runs() if run.finished))
                    about = {"run": labelled[0], "metric": "exact_match", "sample": "q0"}
                    store.labels.keep([HumanLabel(**about, annotator="ann", value=1.0)])
            return system(question, k)

        found = race(answer, db)
        assert labelled[0] not in {one.run for one in found.configurations}
        assert Result(db, labelled[0]).run.tags == ()

    @pytest.mark.slow
    def test_a_wider_race_leaves_the_runs_of_the_one_before(self, db):
        grid = {"k": [3, 8]}
        shares = {3: 0.4, 5: 0.45, 8: 0.97}
        before = race(System(shares), db, grid=grid, questions=QUESTIONS)
        race(System(shares), db, questions=QUESTIONS)
        with Store(db) as store:
            runs = {run.id: run.tags for run in store.runs()}
        assert {one.run for one in before.configurations} <= set(runs)
        assert set(runs.values()) == {("sweep",)}

    @pytest.mark.slow
    def test_stopped_it_goes_on_with_the_same_questions_and_the_same_decisions(self, db, tmp_path):
        close = {3: 0.6, 5: 0.97, 8: 0.6}
        whole = race(System(close), tmp_path / "whole.db")
        system, broken = System(close), [True]

        def answer(question, k=3):
            if broken and len(system.asked) >= 60:
                raise Denied("no more")
            return system(question, k)

        with pytest.raises(Denied):
            race(answer, db)
        broken.clear()
        found = race(answer, db)
        assert len(system.asked) == len(set(system.asked))
        assert [(one.name, one.n, one.dropped_after) for one in found.configurations] == [
            (one.name, one.n, one.dropped_after) for one in whole.configurations
        ]
        assert found.leaderboards == whole.leaderboards
        assert max(one.n for one in found.configurations) > 16  # over several looks
        with Store(db) as store:
            assert len(store.runs()) == 3

    def test_what_the_judge_was_asked_counts_all_looks_once(self, db):
        prompts = []

        def judge(prompt):
            prompts.append(prompt)
            return "yes"

        system, metrics = (
            System(CLEAR),
            ["exact_match", 'binary_criterion(definition="Is it polite?")'],
        )
        grid = {"k": [3, 5]}
        found = sweep(QUESTIONS[:40], system, grid, metrics, judge, store=db, settings=RACE)
        assert sum(one.judge_asked for one in found.configurations) == len(prompts) > 0
        again = sweep(QUESTIONS[:40], system, grid, metrics, judge, store=db, settings=RACE)
        assert [one.judge_asked for one in again.configurations] == [0, 0]
        # What the dropped looks had paid for, the run that is left has paid for.
        with Store(db) as store:
            spent = sum(store.spent(one.run).calls for one in found.configurations)
        assert spent == len(prompts)


class TestRefusals:
    def test_a_metric_without_a_greatest_value_cannot_decide(self, db):
        system = System(CLEAR)
        with pytest.raises(InputError, match="cannot decide a race"):
            race(system, db, metrics="cost_per_query")
        assert system.asked == []

    def test_questions_in_groups_cannot_be_raced(self, db):
        system = System(CLEAR)
        rows = [{**row, "group": f"g{at % 7}"} for at, row in enumerate(QUESTIONS)]
        with pytest.raises(InputError, match="questions in groups cannot be raced"):
            race(system, db, questions=rows)
        assert system.asked == []
