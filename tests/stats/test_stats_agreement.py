"""Agreement of scores with labels: equal to scikit-learn and SciPy, with intervals that hold."""

import tracemalloc

import krippendorff
import numpy as np
import pytest
import sklearn.metrics as sk
from scipy import stats as sp
from statsmodels.stats.inter_rater import fleiss_kappa as sm_fleiss
from statsmodels.stats.proportion import proportion_confint

from assay.stats import agreement, raters
from assay.stats.concordance import correct_above, wrong_below
from assay.stats.intervals import mean_interval, ones, value_of
from assay.stats.jackknife import jackknife_interval
from support.over import over

SEEDS = range(6)


def drawn(seed, n=60, levels=2):
    """Scores with ties, and labels that go with them a little."""
    chance = np.random.default_rng(seed)
    labels = chance.integers(0, levels, n)
    return np.round(chance.normal(size=n) + labels, 1), labels


def of(statistic, n=60):
    return value_of(statistic, n)


@pytest.mark.parametrize("seed", SEEDS)
class TestEquality:
    def test_with_scikit_learn_of_scores_and_binary_labels(self, seed):
        scores, labels = drawn(seed)
        said = scores >= 0.5
        for ours, theirs in (
            (agreement.auroc(scores, labels), sk.roc_auc_score(labels, scores)),
            (agreement.pairwise_accuracy(scores, labels), sk.roc_auc_score(labels, scores)),
            (
                agreement.average_precision(scores, labels),
                sk.average_precision_score(labels, scores),
            ),
            (agreement.f1(said, labels), sk.f1_score(labels, said)),
            (agreement.balanced(said, labels), sk.balanced_accuracy_score(labels, said)),
            (raters.cohen_kappa(said, labels), sk.cohen_kappa_score(labels, said)),
        ):
            assert of(ours) == pytest.approx(theirs)

    def test_with_scipy_of_correlations(self, seed):
        scores, labels = drawn(seed, levels=5)
        for ours, theirs in (
            (agreement.pearson, sp.pearsonr),
            (agreement.spearman, sp.spearmanr),
            (agreement.kendall, sp.kendalltau),
        ):
            assert of(ours(scores, labels)) == pytest.approx(theirs(scores, labels).statistic)

    def test_with_scipy_of_pairwise_accuracy_by_way_of_somers_d(self, seed):
        scores, labels = drawn(seed, levels=4)
        expected = (1 + sp.somersd(labels, scores).statistic) / 2
        assert of(agreement.pairwise_accuracy(scores, labels)) == pytest.approx(expected)

    @pytest.mark.parametrize("weighting", ["nominal", "linear", "quadratic"])
    def test_with_scikit_learn_of_cohens_kappa(self, seed, weighting):
        chance = np.random.default_rng(seed)
        a, b = chance.integers(1, 6, (2, 60))
        theirs = sk.cohen_kappa_score(
            a, b, labels=range(1, 6), weights=None if weighting == "nominal" else weighting
        )
        assert of(raters.cohen_kappa(a, b, weighting)) == pytest.approx(theirs)

    def test_with_statsmodels_of_fleiss_kappa(self, seed):
        counts = np.random.default_rng(seed).multinomial(4, [0.5, 0.3, 0.2], size=60)
        assert of(raters.fleiss_kappa(counts)) == pytest.approx(sm_fleiss(counts))

    @pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
    def test_with_the_krippendorff_package_of_alpha(self, seed, scale):
        chance = np.random.default_rng(seed)
        ratings = (chance.integers(1, 4, (60, 1)) + chance.integers(0, 3, (60, 3))).astype(float)
        ratings[chance.random(ratings.shape) < 0.3] = np.nan
        theirs = krippendorff.alpha(ratings.T, level_of_measurement=scale)
        assert of(raters.krippendorff_alpha(ratings, scale)) == pytest.approx(theirs)


MEASURES = {
    "auroc": agreement.auroc,
    "average precision": agreement.average_precision,
    "kendall": agreement.kendall,
    "pairwise": agreement.pairwise_accuracy,
    "kappa": lambda s, y: raters.cohen_kappa(np.round(s), y, "quadratic"),
    "fleiss": lambda s, y: raters.fleiss_kappa(np.stack([y, 2 - y], 1)),
    "nominal alpha": lambda s, y: raters.krippendorff_alpha(np.stack([s > 0, y], 1)),
    "ordinal alpha": lambda s, y: raters.krippendorff_alpha(np.stack([s, y], 1), "ordinal"),
    "interval alpha": lambda s, y: raters.krippendorff_alpha(np.stack([s, y], 1), "interval"),
}


@over("name", MEASURES)
def test_a_weight_is_so_many_copies_of_the_row(name):
    scores, labels = drawn(1)
    weights = np.random.default_rng(5).integers(0, 4, 60)
    copies = MEASURES[name](np.repeat(scores, weights), np.repeat(labels, weights))
    weighted = MEASURES[name](scores, labels)(weights.astype(float))
    assert weighted == pytest.approx(of(copies, weights.sum()))


def test_a_preference_is_met_by_the_sign_of_the_difference():
    found = agreement.preference_accuracy([0.2, -0.1, 0.0, 0.5], [1, 1, 0, 0.5])
    assert of(found, 4) == pytest.approx((1 + 0 + 0.5) / 3)


def test_what_is_not_defined_is_none():
    assert of(agreement.auroc([1, 2], [1, 1]), 2) is None
    assert of(agreement.pearson([1, 1], [0, 1]), 2) is None
    assert of(raters.cohen_kappa([1, 1], [1, 1]), 2) is None
    assert of(raters.krippendorff_alpha([[1, np.nan], [np.nan, 0]]), 2) is None
    assert of(agreement.mean([]), 0) is None
    with pytest.raises(ValueError, match="same number of raters"):
        raters.fleiss_kappa([[2, 0], [1, 0]])


class TestIntervals:
    def test_known_case(self):
        # A mean of 0/1 values: the jackknife's error is the standard one, taken to the logit.
        values = [1] * 12 + [0] * 8
        found = jackknife_interval(agreement.mean(values), range(20))
        error = np.sqrt(0.6 * 0.4 / 19)
        away = sp.t.ppf(0.975, 19) * error / (0.6 * 0.4)
        expected = 1 / (1 + np.exp(-(np.log(0.6 / 0.4) + np.array([-away, away]))))
        assert (found.low, found.high) == pytest.approx(tuple(expected))

    def test_rows_of_one_cluster_are_left_out_together(self):
        values = np.repeat([0.0, 1.0] * 10, 20)
        of_rows = jackknife_interval(agreement.mean(values), range(400))
        of_clusters = jackknife_interval(agreement.mean(values), [i // 20 for i in range(400)])
        assert of_clusters.high - of_clusters.low > 3 * (of_rows.high - of_rows.low)

    def test_many_clusters_go_by_blocks_to_nearly_the_same_interval(self):
        values = np.random.default_rng(0).random(5000) < 0.3
        found = jackknife_interval(agreement.mean(values), range(5000))
        error = np.sqrt(values.mean() * (1 - values.mean()) / 5000)
        assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.15)

    def test_there_is_none_where_nothing_varies_or_a_class_could_vanish(self):
        assert jackknife_interval(agreement.auroc([1, 2, 3, 4], [0, 0, 1, 1]), range(4)) is None
        assert jackknife_interval(agreement.auroc([1, 2, 2, 4], [0, 0, 1, 0]), range(4)) is None
        assert jackknife_interval(agreement.mean([0.5, 0.5, 0.5]), range(3)) is None
        assert jackknife_interval(agreement.mean([0, 1]), range(2)) is None

    def test_that_of_balanced_accuracy_knows_that_a_small_class_may_be_right_by_chance(self):
        labels = np.array([1] * 10 + [0] * 40)
        said = np.array([1] * 10 + [1] * 4 + [0] * 36)
        found = agreement.balanced_interval(said, labels, range(50))
        jackknifed = jackknife_interval(agreement.balanced(said, labels), range(50))
        assert found.low < jackknifed.low < 0.95 < found.high
        assert found.high <= 1
        # A hand-made case: both accuracies 0.8 of 20, so the half widths join as in Pythagoras.
        even = np.array([1] * 20 + [0] * 20)
        told = np.array([1] * 16 + [0] * 4 + [0] * 16 + [1] * 4)
        each = mean_interval([1.0] * 16 + [0.0] * 4, low=0, high=1)
        found = agreement.balanced_interval(told, even, range(40))
        assert found.low == pytest.approx(0.8 - (0.8 - each.low) / np.sqrt(2))

    def test_the_lead_of_a_balanced_accuracy_knows_it_too(self):
        labels = np.array([1] * 47 + [0] * 3)
        said = np.array([1] * 26 + [0] * 21 + [0] * 3)
        whole = agreement.balanced_interval(said, labels, range(50))
        for always in (np.zeros(50), np.ones(50)):
            found = agreement.balanced_lead(said, always, labels, range(50))
            assert (found.low, found.high) == pytest.approx((whole.low - 0.5, whole.high - 0.5))
        # A rule that is wrong on one of the three: the jackknife sees next to no chance in them.
        rule = np.array([1] * 20 + [0] * 27 + [0, 0, 1])
        found = agreement.balanced_lead(said, rule, labels, range(50))
        lead = float(agreement.balanced(said, labels)(ones(50)))
        lead -= float(agreement.balanced(rule, labels)(ones(50)))
        assert found.low < 0 < lead < found.high
        assert agreement.balanced_lead(rule, said, labels, range(50)).high == pytest.approx(
            -found.low
        )
        assert agreement.balanced_lead(said[:48], rule[:48], labels[:48], range(48)) is None

    def test_they_lie_around_the_value_within_the_range(self):
        for seed in SEEDS:
            scores, labels = drawn(seed, n=20)
            statistic = agreement.pearson(scores, labels)
            found = jackknife_interval(statistic, range(20), low=-1, high=1)
            assert -1 < found.low < statistic(ones(20)) < found.high < 1

    def test_of_grades_that_are_mostly_one_a_correlation_is_not_known_too_well(self):
        """Without the bounds on its error and its t it held in 0.80 of such cases."""
        random, held = np.random.default_rng(20), []
        for _ in range(200):
            a, b = np.digitize(random.normal(size=(2, 20)), [-2.05, -1.65, -1.3, -0.5])
            found = jackknife_interval(
                agreement.pearson(a, b), range(20), low=-1, high=1, normal=(1.0, 3)
            )
            held += [found.low <= 0 <= found.high] if found else []
        assert np.mean(held) >= 0.95

    def test_an_error_that_rests_on_few_rows_has_a_wider_t(self):
        even, lone = np.tile([0.0, 1.0], 10), np.array([1.0] + [0.5] * 18 + [0.4])
        widths = {}
        for name, values in (("even", even), ("lone", lone)):
            found = jackknife_interval(agreement.mean(values), range(20))
            error = values.std(ddof=1) / 20**0.5
            share = values.mean()
            reach = np.log(found.high / (1 - found.high)) - np.log(share / (1 - share))
            widths[name] = reach * share * (1 - share) / error
        assert widths["even"] == pytest.approx(2.09, abs=0.01)  # t of 19 degrees of freedom
        assert widths["lone"] > 2.9


class TestRounding:
    @over("n", [3, 5, 6, 7, 11, 20])
    @over("value", [0.1, 0.7])
    def test_values_that_are_all_the_same_agree_with_nothing(self, n, value):
        same, other = np.full(n, value), np.linspace(0, 1, n)
        assert value_of(agreement.pearson(same, same), n) is None
        assert value_of(agreement.pearson(same, other), n) is None
        assert value_of(raters.krippendorff_alpha(np.full((n, 2), value), "interval"), n) is None
        assert jackknife_interval(agreement.mean(same), range(n)) is None

    def test_a_difference_in_the_last_digit_is_none(self):
        assert agreement.preference_accuracy([0.1 + 0.2 - 0.3], [1])(ones(1)) == 0.5


def test_pairwise_accuracy_is_the_count_of_all_pairs():
    chance = np.random.default_rng(5)
    scores, labels = chance.integers(0, 6, 60) / 5, chance.integers(0, 9, 60) / 8
    weights = chance.integers(0, 3, 60)
    u, v = np.repeat(scores, weights), np.repeat(labels, weights)
    pairs = [(a, b) for a in range(len(u)) for b in range(a) if v[a] != v[b]]
    right = sum((1 + np.sign(u[a] - u[b]) * np.sign(v[a] - v[b])) / 2 for a, b in pairs)
    found = agreement.pairwise_accuracy(scores, labels)
    assert found(weights.astype(float)) == pytest.approx(right / len(pairs))
    assert agreement.pairwise_accuracy([0.5] * 3, [1, 2, 3])(ones(3)) == 0.5
    assert value_of(agreement.pairwise_accuracy([1, 2, 3], [4, 4, 4]), 3) is None


def test_pairwise_accuracy_of_many_different_grades_holds_no_table_of_them():
    grades = np.random.default_rng(6).random(3000)
    tracemalloc.start()
    try:
        agreement.pairwise_accuracy(grades, grades)(ones(3000))
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()


class TestAuroc:
    def test_of_verdicts_it_is_as_sure_as_the_balanced_accuracy_which_it_equals(self):
        random = np.random.default_rng(1)
        labels = random.random(200) < 0.5
        said = np.where(random.random(200) < 0.8, labels, ~labels)
        found = agreement.auroc_interval(said, labels, range(200))
        other = agreement.balanced_interval(said, labels, range(200))
        assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.01)

    @pytest.mark.slow
    def test_it_holds_where_all_of_a_small_class_may_be_called_rightly_by_chance(self):
        """The jackknife holds half as often: five verdicts that are all right do not vary."""
        random, truth = np.random.default_rng(2), (0.97 + 0.95) / 2
        held = {"ours": [], "jackknife": []}
        for _ in range(150):
            labels = random.random(200) < 0.95
            right = np.where(labels, random.random(200) < 0.97, random.random(200) < 0.95)
            said = np.where(right, labels, ~labels)
            of = {
                "ours": agreement.auroc_interval(said, labels, range(200)),
                "jackknife": jackknife_interval(agreement.auroc(said, labels), range(200)),
            }
            for name, found in of.items():
                held[name].append(found is not None and found.low <= truth <= found.high)
        assert np.mean(held["ours"]) > 0.9
        assert np.mean(held["jackknife"]) < 0.7

    def test_its_lead_over_a_rule_is_that_of_the_placements(self):
        random = np.random.default_rng(3)
        labels = random.random(300) < 0.4
        good, weak = labels + random.normal(0, 0.5, 300), labels + random.normal(0, 3, 300)
        values = [value_of(agreement.auroc(one, labels), 300) for one in (good, weak)]
        found = agreement.auroc_lead(good, weak, labels, range(300))
        assert found.low < values[0] - values[1] < found.high
        assert found.low > 0
        same = agreement.auroc_lead(good, np.zeros(300), labels, range(300))
        own = agreement.auroc_interval(good, labels, range(300))
        assert (same.low, same.high) == pytest.approx((own.low - 0.5, own.high - 0.5))

    def test_nothing_is_said_where_nothing_tells(self):
        assert agreement.auroc_interval([0.1, 0.9], [True, True], range(2)) is None
        assert agreement.auroc_interval([0.5] * 6, [True, False] * 3, range(6)) is None
        assert agreement.auroc_interval([0.1, 0.2, 0.9], [False, False, True], range(3)) is None


def test_grades_as_fine_as_one_likes_take_no_table_of_all_pairs_of_them():
    ratings = np.random.default_rng(1).random((20_000, 2))
    tracemalloc.start()
    alpha = value_of(raters.krippendorff_alpha(ratings, "ordinal"), 20_000)
    kappa = value_of(raters.cohen_kappa(ratings[:, 0], ratings[:, 1], "quadratic"), 20_000)
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
    assert (alpha, kappa) == (pytest.approx(0, abs=0.03), pytest.approx(0, abs=0.03))


def test_alpha_does_not_depend_on_where_a_scale_begins():
    ratings = np.random.default_rng(2).integers(0, 3, (12, 3)).astype(float)
    near, far = (
        value_of(raters.krippendorff_alpha(ratings + start, "interval"), 12)
        for start in (0.0, 1e6 / 3)
    )
    assert near == pytest.approx(far, abs=1e-9)


@pytest.mark.slow
def test_the_best_of_many_thresholds_is_found_without_trying_all():
    scores = np.random.default_rng(3).random(100_000)
    found = agreement.best_threshold(scores, scores > 0.7, agreement.balanced)
    assert found == pytest.approx(0.7, abs=0.001)


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


RARE = np.array([0.81, 0.09, 0.05, 0.05])  # neither; called, positive alone; both: 1 of 10 positive
TABLE = np.array([False, True, False, True]), np.array([False, False, True, True])


class TestVerdictIntervals:
    @pytest.mark.slow
    @over("formula", [agreement.f1_of_table, agreement.kappa_of_table])
    def test_they_hold_where_few_are_positive(self, formula):
        """That of the jackknife holds kappa in 84 % of cases, and in 6 % there is none."""
        chance, truth, held = np.random.default_rng(3), float(formula(*TABLE, RARE)), []
        for _ in range(200):
            cells = chance.choice(4, 30, p=RARE)
            said, labels = (column[cells] for column in TABLE)
            if labels.any():
                found = agreement.verdicts_interval(formula, said, labels, range(30))
                held.append(found.low <= truth <= found.high)
        assert np.mean(held) >= 0.93

    def test_the_formulas_are_those_of_the_measures(self):
        chance = np.random.default_rng(1)
        said, labels = chance.random((2, 50)) < 0.4
        weights = chance.random(50)
        shares = np.bincount(said + 2 * labels, weights, 4) / weights.sum()
        assert agreement.f1_of_table(*TABLE, shares) == pytest.approx(
            agreement.f1(said, labels)(weights)
        )
        assert agreement.kappa_of_table(*TABLE, shares) == pytest.approx(
            raters.cohen_kappa(said, labels)(weights)
        )

    def test_verdicts_that_are_all_right_have_an_interval_too(self):
        labels = [True] * 3 + [False] * 27
        found = agreement.verdicts_interval(agreement.kappa_of_table, labels, labels, range(30))
        assert 0.4 < found.low < 0.7
        assert found.high == 1

    def test_rows_said_again_and_unequal_weights_tell_no_more(self):
        chance = np.random.default_rng(2)
        labels = chance.random(40) < 0.3
        said = np.where(chance.random(40) < 0.8, labels, ~labels)

        def wide(times, groups, weights=None):
            found = agreement.verdicts_interval(
                agreement.kappa_of_table,
                np.repeat(said, times),
                np.repeat(labels, times),
                groups,
                weights=weights,
            )
            return found.high - found.low

        once = wide(1, range(40))
        assert wide(2, range(80)) < 0.8 * once
        assert wide(2, np.repeat(range(40), 2).tolist()) == pytest.approx(once, rel=0.06)
        assert wide(1, range(40), np.where(chance.random(40) < 0.5, 1.0, 9.0)) > 1.1 * once

    def test_the_lead_over_a_rule_that_is_as_good_holds_zero(self):
        labels = np.array([True] * 4 + [False] * 26)
        said, rule = labels.copy(), labels.copy()
        said[[0, 9]], rule[[1, 10]] = [False, True], [False, True]
        found = agreement.verdicts_interval(
            agreement.kappa_of_table, said, labels, range(30), rule=rule
        )
        assert found.low < 0 < found.high
        assert found.low == pytest.approx(-found.high, abs=0.02)

    @over("labels", [[True] * 5, [False] * 5])
    def test_one_class_or_one_group_has_none(self, labels):
        said = [True, False, True, False, True]
        formula = agreement.f1_of_table
        assert agreement.verdicts_interval(formula, said, labels, range(5)) is None
        assert agreement.verdicts_interval(formula, labels, said, "aaaaa") is None
