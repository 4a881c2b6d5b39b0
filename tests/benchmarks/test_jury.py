"""Are votes of judges weighted by how reliable they are, with and without labels?"""

import numpy as np

from benchmarks import jury

FOUND, FALSE = np.array([0.9, 0.6, 0.6, 0.55]), np.array([0.05, 0.3, 0.35, 0.5])


def votes_and_labels(n=20_000):
    chance = np.random.default_rng(1)
    labels = (chance.random(n) < 0.3).astype(float)
    marks = np.where(labels[:, None] > 0, FOUND, FALSE)
    return (chance.random((n, 4)) < marks).astype(float), labels


def test_weights_are_those_of_the_true_reliabilities_and_without_labels_nearly():
    votes, labels = votes_and_labels()
    true = np.log(FOUND / FALSE) - np.log((1 - FOUND) / (1 - FALSE))
    found = jury.dawid_skene(votes, labels)[0]
    assert np.allclose(found[1:], true[1:], atol=0.15)
    assert found[0] == max(found)
    assert np.allclose(jury.log_odds(votes, labels)[0], true, atol=0.15)


def test_weighted_votes_are_no_worse_than_the_best_member_and_beat_majority():
    votes, labels = votes_and_labels()

    def accuracy(fit):
        weights, constant = fit(votes, labels)
        return jury.balanced(votes @ weights + constant > 0, labels)

    assert jury.best_member(votes, labels)[0].tolist() == [1, 0, 0, 0]
    assert accuracy(jury.from_labels) >= accuracy(jury.best_member)
    assert accuracy(jury.from_labels) > accuracy(jury.majority) + 0.05


def test_ties_count_half_in_the_area():
    assert jury.auroc(np.array([1.0, 1.0, 0.0]), np.array([True, False, False])) == 0.75
