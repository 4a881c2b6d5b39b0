"""Are equations 1 and 2 of the telecom paper the shares that they say?"""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from assay.stats.concordance import correct_above, wrong_below

FIRST = [0.9, 0.8, 0.8, 0.2, 0.1, 0.7]
SECOND = [0.9, 0.1, 0.8, 0.2, 0.9, 0.7]
CORRECT = [True, False, True, False, True, True]


def test_alone():
    found = correct_above([FIRST], CORRECT, [0.7])
    assert (found.hits, found.n, found.value) == (2, 3, pytest.approx(2 / 3))
    found = wrong_below([FIRST], CORRECT, [0.3])
    assert (found.hits, found.n, found.value) == (1, 2, 0.5)


def test_jointly():
    assert correct_above([FIRST, SECOND], CORRECT, [0.7, 0.7]).value == 1
    assert wrong_below([FIRST, SECOND], CORRECT, [0.3, 0.3]).value == 1


def test_it_is_what_bayes_rule_gives():
    chance = np.random.default_rng(0)
    scores, correct = chance.random(500), chance.random(500) < 0.4
    likelihood, prior, evidence = (
        (scores[correct] > 0.7).mean(),
        correct.mean(),
        (scores > 0.7).mean(),
    )
    found = correct_above([scores], correct, [0.7])
    assert found.value == pytest.approx(likelihood * prior / evidence)
    expected = proportion_confint(found.hits, found.n, method="wilson")
    assert (found.interval.low, found.interval.high) == pytest.approx(expected)


def test_where_no_row_meets_the_condition_there_is_no_number():
    found = correct_above([FIRST], CORRECT, [0.95])
    assert (found.n, found.value, found.interval) == (0, None, None)


def test_rows_of_a_cluster_count_together():
    scores, correct = [0.9] * 40, [row % 8 < 4 for row in range(40)]
    alone = correct_above([scores], correct, [0.7], range(40))
    assert alone == correct_above([scores], correct, [0.7])
    together = correct_above([scores], correct, [0.7], [row % 8 for row in range(40)])
    assert together.interval.high - together.interval.low > 1.5 * (
        alone.interval.high - alone.interval.low
    ), "eight documents, each always right or always wrong"
    one = correct_above([scores], correct, [0.7], ["the same"] * 40)
    assert (one.value, one.interval.low, one.interval.high) == (0.5, 0.0, 1.0)
