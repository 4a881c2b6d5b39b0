"""Is it noticed when the model behind a judge's name changes, and nothing else taken for it?"""

import dataclasses
import random

import pytest

from assay import Budget, Limits, Price, Settings, estimate, evaluate
from assay._analysis import comparability
from assay._analysis.comparison import compare
from assay._report.notes import notes
from assay._report.run import collect
from assay._runner import probes
from assay._store import Store
from assay.errors import Denied, Unavailable
from assay.tasks import TASKS
from support.noisy import Noisy
from support.scripts import plausible, samples

DAY = 86_400
ENOUGH = 100  # scores from which on a run is probed
METRIC = "context_precision"


class Model(Noisy):
    """A judge at a name: another `version` speaks in other words, and `share` of words vary."""

    drifts = True

    def __init__(self, version=1, vary=0.0, name="openai:model"):
        super().__init__(name=name)
        self.version, self.vary = version, vary

    async def reply(self, task, draw=0):
        reply = await super().reply(task, draw)
        luck = random.Random(f"{task!r} {draw} {self.version}")
        words = [
            f"v{self.version}" if luck.random() >= self.vary else str(luck.random())
            for _ in "abcdefgh"
        ]
        return dataclasses.replace(reply, raw=f"{' '.join(words)}\n{reply.raw}")

    @property
    def probed(self):
        """Draws of the probes that were asked."""
        return [draw for _, draw in self.asked if draw]


@pytest.fixture
def day(monkeypatch):
    """Make it another day."""

    def be(number):
        monkeypatch.setattr(probes.time, "time", lambda: number * DAY + 5.0)

    be(20_000)
    return be


def run(judge, store, n=ENOUGH, **settings):
    data = samples(n)
    return evaluate(data, METRIC, judge, store=store, settings=Settings(**settings))


def later(judge, store, day, n=ENOUGH + 1):
    """A run of the next day over one sample more."""
    day(20_001)
    return run(judge, store, n)


def drifts(result):
    with Store(result.path) as store:
        return comparability.drift_since(store, result.run.id)


class TestWhenTheyAreAsked:
    def test_every_probe_twice_by_a_run_of_some_size(self, db, day):
        judge = Model()
        result = run(judge, db)
        assert len(judge.probed) == 2 * len(probes.PROBES) == 24
        with Store(db) as store:
            (found,) = store.judges.fingerprints(result.run.id)
        assert (found.judge, found.day, len(found.replies)) == ("openai:model", 20_000, 12)

    @pytest.mark.parametrize(
        "budget",
        [Budget(calls=90), Budget(tokens=50_000), Budget(money=0.05, price=Price(1.0, 2.0))],
    )
    def test_not_by_one_whose_budget_is_for_few_calls(self, db, day, budget):
        judge = Model()
        run(judge, db, budget=budget)
        assert judge.probed == []

    def test_not_by_a_small_one_unless_told_to(self, db, day):
        judge = Model()
        run(judge, db, 10)
        assert judge.probed == []
        run(judge, db, 11, probe=True)
        assert len(judge.probed) == 24

    def test_not_by_a_large_one_if_told_not_to(self, db, day):
        judge = Model()
        run(judge, db, probe=False)
        assert judge.probed == []

    def test_not_of_judges_that_cannot_change_behind_their_name(self, db, day):
        judge = plausible()
        result = run(judge, db, probe=True)
        with Store(db) as store:
            assert store.judges.fingerprints(result.run.id) == []
        assert judge.calls == result.cost().calls

    def test_once_a_day(self, db, day):
        judge = Model()
        run(judge, db)
        run(judge, db, ENOUGH + 1)
        assert len(judge.probed) == 24
        later(judge, db, day, ENOUGH + 2)
        assert len(judge.probed) == 48

    def test_not_by_a_run_that_is_done(self, db, day):
        judge = Model()
        run(judge, db)
        day(20_001)
        run(judge, db)
        assert len(judge.probed) == 24

    def test_a_judge_that_cannot_answer_them_has_no_fingerprint_and_its_scores(self, db, day):
        class Deaf(Model):
            async def reply(self, task, draw=0):
                if draw:
                    raise Unavailable("not now", permanent=True)
                return await super().reply(task, draw)

        result = run(Deaf(), db)
        with Store(db) as store:
            assert store.judges.fingerprints(result.run.id) == []
        assert result.summary()[0].n_failed == 0

    def test_a_judge_that_refuses_stops_the_run_while_they_wait(self, db, day):
        class Closed(Model):
            async def reply(self, task, draw=0):
                self.asked.append((task, draw))
                raise Denied("the key was refused")

        judge = Closed()
        with pytest.raises(Denied, match="the key was refused"):
            run(judge, db, 10, probe=True, limits=Limits(requests_per_minute=20))
        assert len(judge.asked) == 1


class TestWhatTheyTell:
    def test_the_same_model_is_the_same(self, db, day):
        run(Model(), db)
        (found,) = drifts(later(Model(), db, day))
        assert (found.differ, found.p, found.changed) == (0, 1.0, False)

    def test_another_model_is_told_with_both_days(self, db, day):
        run(Model(1), db)
        result = later(Model(2), db, day)
        (found,) = drifts(result)
        assert found.changed
        assert (found.differ, found.probes) == (12, 12)
        text = str(found)
        assert "behind openai:model seems to have changed between 2024-10-04 and 2024-10-05" in text
        assert text in [note.text for note in notes(collect(result, limit=0))]

    def test_a_judge_that_varies_from_call_to_call_is_not_taken_for_another(self, db, day):
        run(Model(vary=0.5), db)
        (found,) = drifts(later(Model(vary=0.5), db, day))
        assert found.differ == 12
        assert not found.changed

    def test_another_model_is_seen_though_it_varies(self, db, day):
        run(Model(1, vary=0.3), db)
        assert drifts(later(Model(2, vary=0.3), db, day))[0].changed

    def test_without_an_earlier_day_there_is_nothing_to_tell(self, db, day):
        result = run(Model(), db)
        assert drifts(result) == []
        assert collect(result, limit=0)["drift"] == []

    @pytest.mark.slow
    def test_a_comparison_warns_across_stores(self, tmp_path, day):
        before = run(Model(1), tmp_path / "a.db")
        after = later(Model(2), tmp_path / "b.db", day)
        assert any("seems to have changed" in text for text in compare(before, after).warnings)
        same = later(Model(1), tmp_path / "c.db", day)
        assert not any("seems to have changed" in text for text in compare(before, same).warnings)


def test_probes_are_small_and_of_kinds_that_an_llm_is_asked():
    assert {probe.kind for probe in probes.PROBES} <= set(TASKS)
    assert len({repr(probe) for probe in probes.PROBES}) == 12
    assert max(len("".join(probe.inputs())) for probe in probes.PROBES) < 600


def test_an_estimate_counts_no_probes_for_a_run_that_is_done(db, day):
    data = samples(ENOUGH + 1)
    judge = Model()

    def estimated(n):
        return estimate(data[:n], METRIC, judge, store=db).calls

    assert estimated(ENOUGH) == ENOUGH + 24
    evaluate(data[:ENOUGH], METRIC, judge, store=db)
    day(20_001)
    assert estimated(ENOUGH) == 0
    # Of other data all is to be scored, if only by replies that are known.
    assert estimated(ENOUGH + 1) == 1 + 24


def test_probes_are_asked_and_not_taken_for_replies_that_scores_rest_on(tmp_path, day):
    results = []
    for probe in (True, False):
        store = tmp_path / f"{probe}.db"
        run(Model(), store, probe=False)
        results.append(run(Model(), store, ENOUGH + 1, probe=probe))
    probed, plain = results
    assert (probed.asked, plain.asked) == (25, 1)
    assert (probed.reused, plain.reused) == (ENOUGH, ENOUGH)
    assert (probed.cost().reused, plain.cost().reused) == (ENOUGH, ENOUGH)
