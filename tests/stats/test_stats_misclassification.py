"""The number of bad cases that an imperfect judge misses, with its uncertainty."""

import numpy as np
import pytest

from assay.stats.misclassification import bad_among, effective


def drawn(rng, n, share, bad, good):
    """Counts of each class, and how many of the last class are bad."""
    n_bad = rng.binomial(n, share)
    of_bad, of_good = rng.multinomial(n_bad, bad), rng.multinomial(n - n_bad, good)
    return tuple(int(c) for c in of_bad + of_good), int(of_bad[-1]), int(n_bad)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.35, 0.7])
def test_the_interval_holds_the_true_number_about_as_often_as_it_says(share):
    rng = np.random.default_rng(5)
    bad, good = (0.6, 0.15, 0.25), (0.1, 0.15, 0.75)
    passed = total = 0
    rounds = 60
    for _ in range(rounds):
        labelled = [tuple(map(float, rng.multinomial(n, p))) for n, p in ((120, bad), (400, good))]
        counts, true_passed, true_bad = drawn(rng, 60, share, bad, good)
        classes, every = bad_among(counts, *labelled)
        passed += classes[-1].low <= true_passed <= classes[-1].high
        total += every.low <= true_bad <= every.high
    assert passed / rounds >= 0.9
    assert total / rounds >= 0.9


def test_it_holds_where_next_to_none_is_bad_and_the_judge_is_weak():
    """With a uniform prior of the share of bad ones it held in 75 of 100 such cases."""
    rng, held = np.random.default_rng(100), 0
    bad, good = (0.5, 0.1, 0.4), (0.2, 0.1, 0.7)
    for _ in range(30):
        labelled = [tuple(map(float, rng.multinomial(60, p))) for p in (bad, good)]
        counts, _, true_bad = drawn(rng, 100, 0.02, bad, good)
        total = bad_among(counts, *labelled)[1]
        held += total.low <= true_bad <= total.high
    assert held >= 27


def test_a_judge_that_is_never_wrong_leaves_little_to_guess():
    (flagged, _, passed), total = bad_among((20, 0, 40), (500.0, 0.0, 0.0), (0.0, 0.0, 500.0))
    assert flagged.value == pytest.approx(20, abs=0.5)
    assert passed.value == pytest.approx(0, abs=0.5)
    assert total.low >= 19


def test_a_judge_that_guesses_tells_nothing():
    _, total = bad_among((30, 0, 30), (50.0, 0.0, 50.0), (50.0, 0.0, 50.0))
    assert total.low < 8
    assert total.high > 52


def test_the_same_input_gives_the_same_estimate():
    assert bad_among((5, 2, 9), (9.0, 2.0, 4.0), (1.0, 2.0, 20.0)) == bad_among(
        (5, 2, 9), (9.0, 2.0, 4.0), (1.0, 2.0, 20.0)
    )


def test_rows_that_hang_together_count_for_fewer():
    assert effective(0.6, 0.5, 0.7, 160) == pytest.approx(0.24 / (0.2 / 3.92) ** 2)
    assert effective(0.6, 0.599, 0.601, 160) == 160
    assert effective(0.6, None, None, 160) == 160
    assert effective(0.0, 0.0, 0.02, 160) == 160
