"""Are the shares that a judge flags set beside what a trivial rule flags at the same cost?"""

import numpy as np
import pytest

from assay.bench import relevance
from assay.bench.figures import flags
from assay.tasks import Choice

BAD = np.array([True] * 10 + [False] * 20)
CLUSTERS = [str(i) for i in range(30)]


def by_name(figures):
    return {figure.name.removeprefix("Set, "): figure for figure in figures}


def test_the_shares_are_of_the_bad_and_of_the_good_ones():
    flagged = np.array([True] * 6 + [False] * 4 + [True] * 2 + [False] * 18)
    unsure = np.array([False] * 6 + [True] + [False] * 23)
    found = by_name(flags("Set", flagged, BAD, CLUSTERS, {}, uncertain=unsure))
    assert [found[name].value for name in ("bad flagged", "good flagged")] == [0.6, 0.1]
    assert [found[name].n for name in ("bad flagged", "good flagged")] == [10, 20]
    assert [found[name].value for name in ("bad uncertain", "good uncertain")] == [0.1, 0]
    assert found["bad flagged"].low < 0.6 < found["bad flagged"].high


@pytest.mark.parametrize(
    ("values", "floor"),
    [
        (np.array([1.0] * 10 + [0.0] * 20), 1.0),  # tells all
        (np.array([0.0] * 10 + [1.0] * 20), 0.0),  # tells the contrary
        (np.zeros(30), 0.1),  # tells nothing: as many of either
        (np.array([3.0] * 4 + [0.0] * 6 + [2.0] * 2 + [0.0] * 18), 0.4),  # at 2 of 20 good ones
    ],
)
def test_a_rule_flags_as_many_good_ones_as_the_judge(values, floor):
    flagged = np.array([True] * 6 + [False] * 4 + [True] * 2 + [False] * 18)
    found = by_name(flags("Set", flagged, BAD, CLUSTERS, {"rule": values}))
    assert found["bad flagged"].floor == pytest.approx(floor, abs=1e-9)
    assert found["good flagged"].floor is None


def test_with_one_class_only_nothing_is_measured():
    assert flags("Set", [True, False], [True, True], ["a", "b"], {}) == []


class TellsOfOthers:
    """A judge that tells of a sentence that it did not choose, without a probability."""

    def answers(self, tasks):
        return [(Choice("1.1", chosen=len(task.question) > 2),) for task in tasks]


def test_a_sentence_that_was_not_chosen_counts_for_nothing():
    assert relevance.chosen(TellsOfOthers(), [("?", "a"), ("Why?", "b")]) == [0.0, 1.0]
