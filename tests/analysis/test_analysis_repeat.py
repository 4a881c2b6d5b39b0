"""Is the noise found that a judge has, kept with it, and shown beside its scores?"""

from dataclasses import replace

import numpy as np
import pytest

from assay import Result, Settings, cascade, evaluate
from assay._analysis.comparison import compare
from assay._analysis.gate import Rules, gate
from assay._analysis.repeat import repeat
from assay._report import comparison
from assay._report.notes import noise
from assay._report.run import collect
from assay._runner.summary import moved
from assay._store import Store
from assay.errors import Denied, InputError
from assay.judge import REPEAT_STRIDE, repeated
from assay.stats.raters import within_freedom, within_sd
from support.noisy import Noisy
from support.over import over
from support.scripts import Watched, plausible, samples

METRICS = ["faithfulness", "context_recall"]


def asked_again(folder, n):
    """(the judge, its run over n samples, what asking it three times more has shown)."""
    judge = Noisy(0.1)
    result = evaluate(samples(n), METRICS, judge, store=folder / "assay.db")
    return judge, result, repeat(result, judge)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    return asked_again(tmp_path_factory.mktemp("noisy"), 80)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return asked_again(tmp_path_factory.mktemp("few"), 20)


class TestANoisyJudge:
    @pytest.mark.slow
    def test_its_flip_rate_is_found(self, noisy):
        flips = noisy[2].metrics["faithfulness"].flips["statement"]
        low, high = flips.interval
        assert low < 2 * 0.1 * 0.9 < high  # two askings differ if one of them was turned round
        assert flips.n == 160

    @pytest.mark.slow
    def test_how_far_a_score_moves_is_found(self, noisy):
        found = noisy[2].metrics["faithfulness"]
        # Half of two statements, each turned round with probability 0.1.
        assert found.sd == pytest.approx((2 * 0.1 * 0.9) ** 0.5 / 2, rel=0.2)
        # From one asking to the next: both of them vary.
        assert found.of_mean(80) == pytest.approx(1.97 * found.sd * (2 / 80) ** 0.5, rel=0.01)
        assert len(found.means) == 4
        assert not found.same

    def test_so_far_apart_are_means_of_two_askings_in_95_of_100_cases(self):
        askings = np.random.default_rng(0).normal(0.7, 0.2, (2000, 2, 40)).mean(axis=2)
        apart = np.abs(askings[:, 0] - askings[:, 1])
        assert np.mean(apart <= moved(0.2, 40)) == pytest.approx(0.95, abs=0.015)

    @over(
        ("n", "draws", "share_that_wavers", "least"),
        [(2, 1, 1.0, 0.93), (5, 3, 1.0, 0.93), (30, 3, 0.3, 0.93), (100, 3, 0.1, 0.93)],
    )
    def test_so_far_apart_are_they_by_a_spread_that_few_samples_told(
        self, n, draws, share_that_wavers, least
    ):
        """By z of two samples asked once more: 81 of 100."""
        chance = np.random.default_rng(1)
        within = []
        for _ in range(1500):
            spread = 0.2 * (chance.random(n) < share_that_wavers)
            values = chance.normal(0.7, spread[:, None], (n, draws + 1))
            far = moved(within_sd(values), 400, within_freedom(values))
            new = chance.normal(0.7, 0.2 * (chance.random((400, 1)) < share_that_wavers), (400, 2))
            within.append(abs(new.mean(axis=0) @ [1, -1]) <= far)
        assert np.mean(within) >= least

    def test_the_wording_of_replies_is_compared_task_by_task(self, few):
        wording = few[2].wording
        assert wording["split_statements"].differ == 0
        assert 0 < wording["verify_statements"].differ < wording["verify_statements"].n

    def test_every_draw_was_a_new_one_under_the_settings_of_the_first(self, few):
        draws = {draw for _, draw in few[0].asked}
        assert draws == {n * REPEAT_STRIDE for n in range(4)}
        assert {repeated(draw) for draw in draws} == {0}

    def test_what_was_asked_is_known_the_next_time(self, few):
        judge, result, found = few
        asked = len(judge.asked)
        assert repeat(result, judge) == found
        assert len(judge.asked) == asked

    @pytest.mark.slow
    def test_it_stands_beside_differences_and_verdicts_of_the_gate(self, noisy, tmp_path):
        judge, result, found = noisy
        first = found.metrics["faithfulness"].sd
        rows = [replace(one, answer=f"{one.answer} So it is.") for one in samples(50)]
        other = evaluate(rows, METRICS, judge, store=result.path)
        one = compare(result, other).metrics[0]
        # Two means of 50 samples, each of them from one asking.
        assert one.noise == pytest.approx(1.97 * first * (2 / 50) ** 0.5, rel=0.01)
        told = "The judge's noise alone makes a difference of up to ±0"
        assert told in comparison.finding(one, 0.95)
        why = gate(other, Rules(min={"faithfulness": 0.1})).checks[0].why
        assert f"its judge moves it by up to ±{one.noise:.2f}" in why
        why = gate(other, Rules(max_unscored=0.5), result).checks[0].why
        assert f"the judge's noise alone makes a difference of up to ±{one.noise:.2f}" in why
        elsewhere = evaluate(samples(50), METRICS, judge, store=tmp_path / "other.db")
        assert compare(result, elsewhere).metrics[0].noise is None

    def test_it_stands_beside_every_score_of_the_same_signature(self, few, tmp_path):
        judge, result, found = few
        later = evaluate(samples(3), METRICS, judge, store=result.path)
        row = later.summary()[0]
        assert row.noise.run == result.run.id
        text = noise(collect(later)["metrics"][0])
        assert text.startswith("asked again 3 times about 20 samples: ")
        assert "of verdicts on statements flip" in text
        sd = found.metrics["faithfulness"].sd
        assert f"a sample's score moves by {sd:.2f}" in text
        assert f"this mean by ±{row.noise.of_mean(3):.2f}" in text

    @over(("n", "most"), [(4, "49"), (100, "3.7")])
    def test_scores_that_did_not_move_are_not_certain_not_to(self, n, most):
        still = {"draws": 3, "samples": n, "same": False, "flips": {}, "sd": 0.0, "unsettled": 0}
        text = noise({"noise": still, "n_scored": 50})
        assert f"no score moved (those of at most {most} % of samples do)" in text

    def test_but_not_beside_those_of_another_judge(self, few):
        other = evaluate(samples(3), METRICS, Noisy(0.1, name="other"), store=few[1].path)
        assert other.summary()[0].noise is None
        assert noise(collect(other)["metrics"][0]) == ""

    def test_the_repetitions_are_runs_but_never_the_last_one(self, few):
        _, result, found = few
        with Store(result.path) as store:
            assert "repeats" not in store.run("last").config
            times = [store.run(name).config["repeats"] for name in found.runs]
        assert times == [{"run": result.run.id, "time": n} for n in (1, 2, 3)]

    def test_a_repetition_is_not_repeated(self, few):
        judge, result, found = few
        with pytest.raises(InputError, match="is a repetition itself"):
            repeat(Result(result.path, found.runs[0]), judge)


class TestASteadyJudge:
    def test_it_is_asked_and_found_to_say_the_same(self, db):
        judge = Watched(plausible())
        result = evaluate(samples(6), METRICS, judge, store=db)
        asked = len(judge.asked)
        found = repeat(result, judge, draws=2)
        assert len(judge.asked) == 3 * asked  # measured, not assumed
        assert all(noise.same and noise.sd == 0 for noise in found.metrics.values())
        assert "the judge always said the same" in noise(collect(result)["metrics"][0])

    def test_two_metrics_of_which_one_asks_nobody(self, db):
        result = evaluate(samples(4), ["exact_match"], plausible(), store=db)
        assert repeat(result, plausible()).metrics["exact_match"].same


class TestWhatIsAsked:
    def test_some_samples_the_same_each_time(self, db):
        judge = Watched(plausible())
        result = evaluate(samples(30), "faithfulness", judge, store=db)
        before = len(judge.asked)
        assert repeat(result, judge, draws=1, samples=10).metrics["faithfulness"].samples == 10
        assert len(judge.asked) - before == 20
        repeat(result, judge, draws=2, samples=10)
        assert len(judge.asked) - before == 40  # the first draw was known

    def test_some_metrics(self, db):
        result = evaluate(samples(5), METRICS, plausible(), store=db)
        assert set(repeat(result, plausible(), metrics=["context_recall"]).metrics) == {
            "context_recall"
        }
        assert [row.noise is None for row in result.summary()] == [True, False]

    def test_another_judge_is_refused_before_it_is_asked(self, db):
        result = evaluate(samples(3), METRICS, plausible(), store=db)
        other = Watched(plausible("other"))
        with pytest.raises(InputError, match=r"was judged otherwise.*give the judge"):
            repeat(result, other)
        assert other.asked == []

    def test_a_metric_that_the_run_does_not_have_is_refused(self, db):
        result = evaluate(samples(3), METRICS, plausible(), store=db)
        with pytest.raises(InputError, match="has no 'answer_relevancy'"):
            repeat(result, plausible(), metrics=["answer_relevancy"])

    @pytest.mark.parametrize("given", [{"draws": 0}, {"samples": 1}])
    def test_too_little_is_refused(self, db, given):
        result = evaluate(samples(3), METRICS, plausible(), store=db)
        with pytest.raises(InputError, match="give 1 draw and 2 samples or more"):
            repeat(result, plausible(), **given)

    def test_stopped_it_goes_on_where_it_was(self, db):
        result = evaluate(samples(20), "faithfulness", plausible(), store=db)

        async def refuse(task):
            if len(judge.asked) > 25:
                raise Denied("no more")

        judge = Watched(plausible(), before=refuse)
        with pytest.raises(Denied):
            repeat(result, judge, draws=1)
        rest = Watched(plausible())
        repeat(result, rest, draws=1, settings=Settings())
        assert 0 < len(rest.asked) < 40


def test_every_judge_of_a_cascade_is_asked_again(db):
    cheap, top = Noisy(0.1, name="cheap"), Noisy(name="top")
    judge = cascade(cheap, top)
    result = evaluate(samples(5), "faithfulness", judge, store=db)
    before = len(cheap.asked)
    repeat(result, judge, draws=2)
    assert before == 5
    assert [draw // REPEAT_STRIDE for _, draw in cheap.asked[before:]] == [1] * 5 + [2] * 5
