"""Batches drawn by what earlier labels showed: the weights leave any mean unbiased."""

import numpy as np
import pytest

from assay.stats.batches import Batch, as_chances, draw, error_sizes, weights
from assay.stats.priority_sampling import sizes
from support.over import over

N = 40
VALUES = (np.arange(N) % 4 == 0).astype(float)


def drawn_by_what_was_seen(chance, steps):
    """(batches, values) where the chances of a batch depend on the values of those before."""
    left, batches, seen = np.arange(N), [], []
    for n in steps:
        lean = 1 + 3 * float(np.mean(seen[-1])) if seen else 1.0
        size = sizes(np.where(left < N / 2, lean, 1.0), 0.3)
        places, chances = draw(size, chance.random(len(left)), n)
        batches.append(Batch(chances, np.ones(len(places), bool)))
        seen.append(VALUES[left[places]])
        left = np.delete(left, places)
    return batches, seen


@pytest.mark.slow
@over("steps", [(10,), (8, 4, 4), (5, 5, 5, 5, 5)])
def test_the_sum_is_unbiased_though_chances_follow_the_values(steps):
    chance = np.random.default_rng(0)
    sums = []
    for _ in range(1500):
        batches, seen = drawn_by_what_was_seen(chance, steps)
        each = zip(weights(batches, N), seen, strict=True)
        sums.append(sum(float(weight @ values) for weight, values in each))
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - VALUES.sum()) < 4 * error


def test_equal_chances_give_equal_weights_however_many_batches():
    batches = [
        Batch(np.full(n, n / left), np.ones(n, bool)) for n, left in ((8, 40), (4, 32), (2, 28))
    ]
    assert np.concatenate(weights(batches, N)) == pytest.approx(np.full(14, N / 14))


def test_they_stay_equal_where_some_labels_of_a_batch_are_left_open():
    batches = [
        Batch(np.full(n, n / left), np.arange(n) < labelled)
        for n, left, labelled in ((8, 40, 4), (4, 32, 3), (2, 28, 2))
    ]
    assert np.concatenate(weights(batches, N)) == pytest.approx(np.full(9, N / 9))


def test_once_all_are_labelled_each_stands_for_itself():
    chance = np.random.default_rng(1)
    batches, _ = drawn_by_what_was_seen(chance, (10, 10, 10, 10))
    found = np.concatenate(weights(batches, N))
    assert found == pytest.approx(np.ones(N))
    assert set(as_chances(found)) == {1.0}


def test_what_is_left_open_is_like_the_rest_of_its_batch():
    half = np.arange(10) % 2 == 0
    (found,) = weights([Batch(np.full(10, 0.25), half)], N)
    assert found == pytest.approx(np.full(5, 8.0))


def test_a_batch_without_labels_counts_for_nothing():
    none, all_ = np.zeros(10, bool), np.ones(10, bool)
    first, second = weights([Batch(np.full(10, 0.25), all_), Batch(np.full(10, 1 / 3), none)], N)
    assert first == pytest.approx(np.full(10, 4.0))
    assert len(second) == 0


def test_chances_are_probabilities_in_the_ratio_of_the_weights():
    found = as_chances(np.array([0.5, 1.0, 4.0]))
    assert found == pytest.approx([1.0, 0.5, 0.125])


class TestErrorSizes:
    doubt = np.linspace(0.1, 0.5, N)
    near = np.linspace(0, 1, N)[:, None]

    def test_without_labels_they_are_the_judge_s_doubt(self):
        none = np.array([], np.intp)
        empty = np.array([])
        assert error_sizes(self.doubt, self.near, none, empty, empty) is self.doubt

    def test_where_labels_show_errors_they_are_larger(self):
        at = np.arange(0, N, 2)
        errors = np.where(at < N / 2, 0.8, 0.0)
        found = error_sizes(np.full(N, 0.3), self.near, at, errors, np.ones(len(at)))
        assert found[:10].min() > found[-10:].max()
        assert (found > 0).all()

    def test_a_judge_without_doubts_is_not_believed(self):
        at = np.array([0, 1])
        found = error_sizes(np.zeros(N), self.near, at, np.array([1.0, 0.0]), np.ones(2))
        assert (found > 0).all()


def test_what_was_chosen_on_purpose_stands_for_itself_alone():
    all_ = np.ones(5, bool)
    chosen, drawn = Batch(np.ones(5), all_), Batch(np.full(5, 5 / (N - 5)), all_)
    first, second = weights([chosen, drawn], N)
    assert first == pytest.approx(np.ones(5))
    assert second == pytest.approx(np.full(5, (N - 5) / 5))
    (alone,) = weights([chosen], N)
    assert not alone.any()  # of the rest they tell nothing
