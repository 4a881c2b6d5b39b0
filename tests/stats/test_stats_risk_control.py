"""Does the band keep its bound, and does it close when the risk breaks it?"""

import numpy as np
import pytest

from assay.stats.risk_control import AUDITS, Band, Checked, RiskControl, fit_band

SURE, UNSURE = 0.95, 0.6


def answers(n, wrong, sureness=SURE, *, supported=True, of=1):
    """n answers of `of` verdicts each, those of the first `wrong` answers wrong."""
    return [
        [Checked(supported=supported, sureness=sureness, wrong=i < wrong)] * of for i in range(n)
    ]


class TestFitBand:
    def test_it_takes_so_many_answers_without_an_error(self):
        # 0.95 ** n <= 0.1 / 2 sides / 2 sequences from n = 72 on.
        assert not fit_band(answers(71, 0), 0.05, 0.1)
        assert fit_band(answers(72, 0), 0.05, 0.1) == Band(supported=0.5)

    def test_each_side_has_a_threshold_of_its_own(self):
        rows = answers(200, 0) + answers(200, 0, 0.85, supported=False)
        assert fit_band(rows, 0.05, 0.1) == Band(0.5, 0.5)
        rows = answers(200, 0) + answers(200, 150, 0.85, supported=False)
        assert fit_band(rows, 0.05, 0.1) == Band(0.5, None)

    def test_it_ends_where_the_judge_is_less_sure_and_errs(self):
        rows = answers(200, 0) + answers(200, 100, UNSURE)
        assert fit_band(rows, 0.05, 0.1) == Band(supported=0.7)

    def test_ten_verdicts_of_one_answer_count_as_one(self):
        assert not fit_band(answers(71, 0, of=10), 0.05, 0.1)

    @pytest.mark.slow
    def test_the_risk_is_above_the_bound_no_more_often_than_it_may_be(self):
        chance = np.random.default_rng(0)
        risk, alpha, broken = 0.1, 0.2, 0
        # The judge errs with 0.3 (1 - sureness) + 0.09: at any threshold below 0.97 too often.
        for _ in range(300):
            sure = chance.uniform(0.5, 1, 200)
            wrong = chance.random(200) < 0.3 * (1 - sure) + 0.09
            rows = [
                [Checked(supported=True, sureness=s, wrong=w)]
                for s, w in zip(sure, wrong, strict=True)
            ]
            threshold = fit_band(rows, risk, alpha).supported
            broken += threshold is not None and 0.3 * (1 - threshold) / 2 + 0.09 > risk
        assert 0 < broken <= 300 * alpha


class TestRiskControl:
    def test_all_is_checked_until_there_are_enough_labels(self):
        control = RiskControl(0.1, 0.1, 0.2)
        for row in answers(control.first_fit - 1, 0):
            control.learn(row)
        assert (control.chance, bool(control.band)) == (1.0, False)
        control.learn(answers(1, 0)[0])
        assert (control.chance, control.band) == (0.2, Band(supported=0.5))

    def test_a_broken_bound_closes_the_band_and_all_is_learnt_anew(self):
        control = RiskControl(0.1, 0.1, 0.2)
        for row in answers(control.first_fit, 0):
            control.learn(row)
        broken = [Checked(supported=True, sureness=SURE, wrong=True, stands=True)]
        n = 0
        while control.band:
            control.learn(broken)
            n += 1
        assert n <= 6
        assert (control.closed, control.chance) == (1, 1.0)

    def test_within_the_bound_there_is_hardly_an_alarm(self):
        chance = np.random.default_rng(0)
        alarms = 0
        for _ in range(100):
            control = RiskControl(0.1, 0.1, 0.2)
            control.learn_before(answers(200, 0))
            for wrong in chance.random(AUDITS) < 0.05:
                control.learn(
                    [Checked(supported=True, sureness=SURE, wrong=bool(wrong), stands=True)]
                )
            alarms += control.closed > 0
        assert alarms <= 5

    def test_what_is_not_within_the_band_is_no_breach(self):
        control = RiskControl(0.1, 0.1, 0.2)
        control.learn_before(answers(200, 0))
        for _ in range(50):
            control.learn([Checked(supported=False, sureness=SURE, wrong=True)])
        assert control.closed == 0

    @pytest.mark.parametrize("more", [0, 500])
    def test_a_later_fit_takes_nothing_back(self, more):
        control = RiskControl(0.1, 0.1, 0.2)
        control.learn_before(answers(200, 0))
        before = control.band
        for row in answers(more, more // 12, UNSURE):
            control.learn(row)
        assert control.band.joined(before) == control.band

    def test_each_further_fit_has_half_the_error_probability_that_is_left(self):
        control = RiskControl(0.1, 0.1, 0.2)
        control.learn_before(answers(20, 0))
        # 0.9 ** n <= 0.1 / 4 / 2 sides / 2 sequences from n = 49 on; of the first fit from 42 on.
        control.learn_before(answers(25, 0))
        assert not control.band
        control.learn_before(answers(10, 0))  # 0.1 / 8 / 4: from 55 on
        assert control.band

    def test_a_long_time_within_the_bound_does_not_delay_the_alarm(self):
        def wrong_until_alarm(right):
            control = RiskControl(0.1, 0.1, 0.2)
            control.learn_before(answers(200, 0))
            for wrong in [False] * right + [True] * 20:
                control.learn([Checked(supported=True, sureness=SURE, wrong=wrong, stands=True)])
                right -= 1
                if control.closed:
                    return -right
            return None

        assert wrong_until_alarm(300) == wrong_until_alarm(0) < 20
