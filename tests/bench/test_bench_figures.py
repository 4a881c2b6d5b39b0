"""The statistics and flags of a figure are those that their names promise."""

import numpy as np
import pytest

from assay.bench import benchmark
from assay.bench.benchmark import figure, flags, interval
from assay.stats import agreement as stats
from assay.stats.intervals import ones
from support.over import over


def value(statistic, n):
    return statistic(ones(n))


def random_scores(n=200):
    chance = np.random.default_rng(3)
    # Rounded, so that there are ties.
    return np.round(chance.normal(size=n), 1), chance.random(n) < 0.3


def test_auroc_is_the_share_of_pairs_in_the_right_order_with_ties_at_half():
    scores, labels = random_scores()
    pairs = [
        1.0 if good > bad else 0.5 if good == bad else 0.0
        for good in scores[labels]
        for bad in scores[~labels]
    ]
    assert value(stats.auroc(scores, labels), len(scores)) == pytest.approx(np.mean(pairs))


def test_auroc_of_known_cases():
    labels = [0, 0, 1, 1]
    # As scikit-learn's documentation has it.
    assert value(stats.auroc([0.1, 0.4, 0.35, 0.8], labels), 4) == 0.75
    assert value(stats.auroc([1, 1, 1, 1], labels), 4) == 0.5
    assert np.isnan(value(stats.auroc([1, 2], [1, 1]), 2))


@over(
    "statistic",
    [
        stats.auroc,
        lambda s, y: stats.f1(s > 0, y),
        lambda s, y: stats.balanced(s > 0, y),
        stats.pearson,
        stats.spearman,
        lambda s, y: stats.mean(s),
    ],
)
def test_a_weight_is_so_many_copies_of_the_row(statistic):
    scores, labels = random_scores(60)
    weights = np.random.default_rng(5).integers(0, 4, 60)
    copied = statistic(np.repeat(scores, weights), np.repeat(labels, weights))
    weighted = statistic(scores, labels)(weights.astype(float))
    assert weighted == pytest.approx(value(copied, weights.sum()))


def test_spearman_is_the_correlation_of_ranks_with_ties_in_the_middle():
    scores, labels = random_scores(40)
    ranks = [
        [sum(other < one for other in row) + sum(other == one for other in row) / 2 for one in row]
        for row in (scores, labels)
    ]
    assert value(stats.spearman(scores, labels), 40) == pytest.approx(np.corrcoef(*ranks)[0, 1])
    assert value(stats.spearman([1, 2, 30], [4, 5, 6]), 3) == pytest.approx(1)


def test_f1_and_balanced_accuracy_of_a_known_table():
    said, labels = [1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]
    assert value(stats.f1(said, labels), 6) == pytest.approx(2 / 3)
    assert value(stats.balanced(said, labels), 6) == pytest.approx(2 / 3)
    assert value(stats.micro_f1([2, 0], [3, 1], [2, 4]), 2) == pytest.approx(0.4)


def test_pearson_is_numpys():
    x, y = np.random.default_rng(1).normal(size=(2, 50))
    assert value(stats.pearson(x, y), 50) == pytest.approx(np.corrcoef(x, y)[0, 1])


def test_macro_f1_counts_every_class_alike():
    labels = ["a"] * 8 + ["b"] * 2
    assert value(stats.macro_f1(["a"] * 10, labels), 10) == pytest.approx((8 / 9 + 0) / 2)


def test_an_interval_counts_sources_not_rows():
    values = np.repeat([0.0, 1.0] * 10, 20)
    of_rows = interval(stats.mean(values), [str(i) for i in range(400)])
    of_sources = interval(stats.mean(values), [str(i // 20) for i in range(400)])
    assert of_sources[1] - of_sources[0] > 3 * (of_rows[1] - of_rows[0])
    assert of_sources[0] < 0.5 < of_sources[1]
    assert interval(stats.mean(values), [str(i // 20) for i in range(400)]) == of_sources


def test_no_interval_of_one_class():
    assert interval(stats.auroc([1, 2], [1, 1]), ["a", "b"]) == (None, None)


@over(
    ("values", "clusters"),
    [([1.0], ["a"]), ([0.0, 1.0, 1.0], ["a"] * 3), ([], [])],
)
def test_no_interval_of_one_source(values, clusters):
    assert interval(stats.mean(values), clusters) == (None, None)


def test_where_none_is_flagged_some_may_be_among_others():
    low, high = interval(stats.mean([0.0] * 40), [str(i) for i in range(40)])
    assert low == 0
    assert high == pytest.approx(0.088, abs=0.001)  # Wilson's of 0 of 40


def test_a_statistic_of_ones_own_has_an_interval_too():
    x = np.random.default_rng(2).random(40)

    def share(weights):
        return float(weights @ x / weights.sum())

    low, high = interval(share, [str(i) for i in range(40)])
    assert x.mean() - 0.15 < low < x.mean() < high < x.mean() + 0.15


@pytest.mark.slow
@over("bad", [0.05, 0.1, 0.3])
@over(
    ("measure", "truth"),
    [
        (stats.auroc, lambda bad: 0.85),
        (stats.balanced, lambda bad: 0.85),
        (stats.f1, lambda bad: 2 * 0.8 * bad / (0.8 * bad + 0.1 * (1 - bad) + bad)),
    ],
)
def test_intervals_of_verdicts_hold_where_few_rows_are_bad(measure, truth, bad):
    """The percentile bootstrap: 29 to 94 of 100."""
    chance = np.random.default_rng(0)
    for n in (50, 200):
        held = []
        for _ in range(300):
            labels = chance.random(n) < bad
            said = chance.random(n) < np.where(labels, 0.8, 0.1)
            low, high = interval(measure(said, labels), [str(i) for i in range(n)])
            if low is not None:
                held.append(low <= truth(bad) <= high)
        assert np.mean(held) >= 0.93


def test_a_perfect_order_of_few_rows_is_no_certainty():
    found = figure("x", stats.auroc([1, 2, 3, 4], [0, 0, 1, 1]), list("abcd"), {"r": _all_alike})
    assert (found.value, found.high, found.standing) == (1.0, 1.0, "level")
    assert found.low < 0.5


def test_the_best_threshold_parts_what_can_be_parted():
    threshold = stats.best_threshold([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], stats.f1)
    assert threshold == pytest.approx(0.5)


def test_floors_see_words_only():
    contexts = ["The bridge opened in 1932."]
    assert benchmark.share_of_new_words("The bridge opened in 1933.", contexts) == pytest.approx(
        1 / 3
    )
    assert benchmark.count_of_new_words("It collapsed in 1933.", contexts) == 2
    assert benchmark.shared_words("bridge 1932", contexts[0]) == 1
    assert benchmark.token_f1("bridge opened", "The bridge opened in 1932.") == pytest.approx(0.8)
    marks = benchmark.new_characters("The bridge fell", contexts)
    assert "".join(c for c, new in zip("The bridge fell", marks, strict=True) if new) == "fell"


BAD = np.array([True] * 10 + [False] * 20)
CLUSTERS = [str(i) for i in range(30)]


def _all_alike(weights):
    return 0.5


def of_set(figures):
    return {figure.name.removeprefix("Set, "): figure for figure in figures}


def test_the_shares_are_of_the_bad_and_of_the_good_ones():
    flagged = np.array([True] * 6 + [False] * 4 + [True] * 2 + [False] * 18)
    unsure = np.array([False] * 6 + [True] + [False] * 23)
    found = of_set(flags("Set", flagged, BAD, CLUSTERS, {}, uncertain=unsure))
    assert [found[name].value for name in ("bad flagged", "good flagged")] == [0.6, 0.1]
    assert [found[name].n for name in ("bad flagged", "good flagged")] == [10, 20]
    assert [found[name].value for name in ("bad uncertain", "good uncertain")] == [0.1, 0]
    assert found["bad flagged"].low < 0.6 < found["bad flagged"].high


@over(
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
    found = of_set(flags("Set", flagged, BAD, CLUSTERS, {"rule": values}))
    assert found["bad flagged"].floor == pytest.approx(floor, abs=1e-9)
    assert found["good flagged"].floor is None


def test_with_one_class_only_nothing_is_measured():
    assert flags("Set", [True, False], [True, True], ["a", "b"], {}) == []
