"""A mean of few labels and many scores, corrected as the papers say, and its interval."""

import math

import numpy as np
import pytest
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from scipy import stats

from assay.stats.correction import Design, correct_mean, labels_alone
from assay.stats.intervals import mean_interval
from assay.stats.misclassification import Checked, Clustered, clustered, true_share
from assay.stats.power import labels_like_these, labels_needed
from assay.stats.priority_sampling import chances, cut_short, fixed_numbers, priority, sizes
from support.over import over

WIDE = (-100.0, 100.0)


def drawn(seed, k, n, noise=0.5):
    chance = np.random.default_rng(seed)
    score = chance.normal(0, 1, n)
    return score, 0.7 * score[:k] + noise * chance.normal(0, 1, k)


class TestEqualToThePaper:
    @over("seed", range(5))
    @over("power", [0.0, 0.5, 1.0, None])
    def test_the_estimate_is_that_of_ppi_python(self, seed, power):
        score, label = drawn(seed, 80, 400)
        found = correct_mean(score, range(80), label, ends=WIDE, power=power)
        theirs = ppi_mean_pointestimate(label, score[:80], score[80:], lam=power)
        assert found.estimate == pytest.approx(np.asarray(theirs).item(), abs=1e-12)

    @over("seed", range(5))
    @over("power", [0.0, 1.0, None])
    def test_the_interval_without_small_sample_correction_is_that_of_ppi_python(self, seed, power):
        score, label = drawn(seed, 200, 2000)
        found = correct_mean(score, range(200), label, ends=WIDE, power=power, small_sample=False)
        low, high = ppi_mean_ci(label, score[:200], score[200:], alpha=0.05, lam=power)
        width = np.asarray(high).item() - np.asarray(low).item()
        assert found.interval.low == pytest.approx(np.asarray(low).item(), abs=width / 1000)
        assert found.interval.high == pytest.approx(np.asarray(high).item(), abs=width / 1000)

    def test_the_power_is_their_lambda(self):
        score, label = drawn(3, 80, 400)
        found = correct_mean(score, range(80), label, ends=WIDE)
        again = correct_mean(score, range(80), label, ends=WIDE, power=found.power)
        assert again.estimate == pytest.approx(found.estimate)

    @over("slope", [-3.0, 0.7, 4.0])
    @over("k", [8, 80])
    def test_the_power_stays_within_0_and_1_as_theirs_does(self, slope, k):
        chance = np.random.default_rng(k)
        score = chance.beta(2, 2, 10 * k)
        label = slope * score[:k] + 0.3 * chance.normal(0, 1, k)
        found = correct_mean(score, range(k), label, ends=WIDE, small_sample=False)
        assert 0 <= found.power <= 1 + 1e-9
        low, high = ppi_mean_ci(label, score[:k], score[k:], alpha=0.05)
        width = np.asarray(high).item() - np.asarray(low).item()
        assert found.interval.high - found.interval.low == pytest.approx(width, rel=0.05)
        theirs = ppi_mean_pointestimate(label, score[:k], score[k:])
        assert found.estimate == pytest.approx(np.asarray(theirs).item())

    def test_by_hand(self):
        # Mean of the others 0.6; the judge says 0.5 on average of the labelled, people 0.25.
        score = [1, 1, 0, 0, 1, 1, 1, 0, 0]
        found = correct_mean(score, range(4), [1, 0, 0, 0], power=1.0, small_sample=False)
        assert found.estimate == pytest.approx(0.6 + 0.25 - 0.5)
        assert (found.judge_mean, found.n_labelled, found.n_judged) == (5 / 9, 4, 9)


class TestTheInterval:
    @pytest.mark.slow
    @over("k", [50, 200])
    @over(("sensitivity", "specificity"), [(0.95, 0.9), (0.5, 0.5)])
    def test_it_covers_and_is_narrower_where_the_judge_is_good(self, k, sensitivity, specificity):
        chance, held, widths, alone = np.random.default_rng(0), [], [], []
        for _ in range(300):
            label = chance.random(600) < 0.8
            right = chance.random(600) < np.where(label, sensitivity, specificity)
            score = np.where(right, label, ~label).astype(float)
            interval = correct_mean(score, range(k), label[:k]).interval
            held.append(interval.low <= 0.8 <= interval.high)
            widths.append(interval.high - interval.low)
            classical = labels_alone(label[:k])[1]
            alone.append(classical.high - classical.low)
        assert 0.915 <= np.mean(held) <= 0.985
        ratio = np.mean(widths) / np.mean(alone)
        assert ratio < 0.8 if sensitivity > 0.9 else ratio < 1.08

    @over("k", [10, 20])
    @over(("share", "sensitivity"), [(0.8, 0.95), (0.9, 0.9), (0.8, 0.5)])
    def test_of_few_labels_it_covers_as_well(self, k, share, sensitivity):
        """By estimate +- t times its error it held in 0.86 to 0.89 of such cases."""
        chance, held = np.random.default_rng(0), 0
        for _ in range(200):
            label = chance.random(200) < share
            right = chance.random(200) < sensitivity
            interval = correct_mean(np.where(right, label, ~label), range(k), label[:k]).interval
            held += interval.low <= share <= interval.high
        assert held / 200 >= 0.93

    @over(("k", "perfect"), [(20, 0.95), (50, 0.95), (50, 0.9)])
    def test_of_labels_that_are_mostly_perfect_it_covers_as_well(self, k, perfect):
        """By the spread of the labels alone it held in 0.89 to 0.91 of such cases."""
        chance, held, truth = np.random.default_rng(k), 0, perfect + (1 - perfect) / 2
        for _ in range(200):
            label = np.where(chance.random(400) < perfect, 1.0, chance.random(400))
            interval = correct_mean(chance.random(400), range(k), label[:k]).interval
            held += interval.low <= truth <= interval.high
        assert held / 200 >= 0.93

    @over("value", [0.3, 0.7])
    def test_labels_that_are_all_one_value_leave_doubt(self, value):
        interval = correct_mean(np.linspace(0, 1, 50), range(20), [value] * 20).interval
        assert interval.low <= value <= interval.high
        assert interval.high - interval.low > 0.05

    def test_labels_that_all_agree_with_the_judge_do_not_make_it_certain(self):
        score = [1.0] * 180 + [0.0] * 20
        found = correct_mean(score, range(150, 190), [1] * 30 + [0] * 10)
        assert found.interval.high - found.interval.low > 0.05

    def test_labels_that_are_all_the_same_leave_the_doubt_that_few_labels_leave(self):
        found = correct_mean([0.9] * 50 + [0.8] * 50, range(20), [1] * 20)
        assert found.interval.low < 0.97
        assert found.correlation is None

    def test_of_fewer_than_four_labels_there_is_none(self):
        assert correct_mean([0.1, 0.5, 0.9, 0.3], range(3), [0, 1, 1]).interval is None

    def test_it_stays_between_the_ends(self):
        score = np.linspace(0.9, 1, 40)
        found = correct_mean(score, range(10), [1] * 9 + [0])
        assert 0 <= found.interval.low <= found.interval.high <= 1

    def test_of_few_documents_the_error_is_that_of_their_sums_and_wider_by_their_number(self):
        # A judge that says nothing: the mean of 12 labels in 4 documents, each error by HC3.
        labels = np.random.default_rng(2).normal(0, 1, 12)
        design = Design(groups=[n // 3 for n in range(24)])
        corrected = correct_mean(np.zeros(24), range(12), labels, design=design, ends=WIDE)
        errors = (labels - labels.mean()) / (1 - 1 / 12) / 12
        sums = errors.reshape(4, 3).sum(axis=1)
        assert corrected.error == pytest.approx(np.sqrt(4 / 3 * (sums @ sums)))

    def test_documents_labelled_whole_make_it_wider(self):
        chance = np.random.default_rng(1)
        document = np.repeat(chance.normal(0, 1, 40), 5)
        score = np.repeat(chance.normal(0, 1, 40), 5) + document
        groups = np.repeat(np.arange(40), 5).tolist()
        blind = correct_mean(score, range(100), document[:100], ends=WIDE).interval
        design = Design(groups=groups)
        aware = correct_mean(score, range(100), document[:100], design=design, ends=WIDE).interval
        assert aware.high - aware.low > 1.5 * (blind.high - blind.low)


class TestUnequalChances:
    def test_strata_are_weighted_by_their_size(self):
        # 90 easy samples, all good; 10 hard ones, half good. Two of each are labelled.
        strata = ["easy"] * 90 + ["hard"] * 10
        design = Design(strata=strata)
        found = correct_mean([0.5] * 100, [0, 1, 90, 91], [0.8, 1, 0.3, 0.7], design=design)
        assert found.estimate == pytest.approx(0.9 * 0.9 + 0.1 * 0.5)

    @pytest.mark.slow
    @over(("n_strata", "each"), [(20, 2), (10, 2), (5, 10)])
    def test_with_few_labels_in_each_stratum_the_interval_holds_the_truth(self, n_strata, each):
        chance, held = np.random.default_rng(0), 0
        strata = np.repeat(np.arange(n_strata), 50)
        at = np.arange(50 * n_strata).reshape(n_strata, 50)[:, :each].ravel()
        for _ in range(200):
            good = chance.beta(4, 1.5, n_strata)
            label = (chance.random(len(strata)) < good[strata]).astype(float)
            score = chance.random(len(strata))  # a useless judge
            found = correct_mean(score, at, label[at], design=Design(strata=strata.tolist()))
            held += found.interval.low <= good.mean() <= found.interval.high
        assert 0.92 <= held / 200 <= 0.99

    @over(
        ("sizes", "labelled", "least"), [((450, 50), (5, 20), 0.95), ((400, 100), (20, 30), 0.88)]
    )
    def test_strata_labelled_at_unequal_rates_leave_the_doubt_of_the_one_with_few_labels(
        self, sizes, labelled, least
    ):
        chance, held = np.random.default_rng(0), 0
        strata, share = np.repeat([0, 1], sizes), np.array([0.9, 0.3])
        at = np.r_[: labelled[0], sizes[0] : sizes[0] + labelled[1]]
        truth, design = np.average(share, weights=sizes), Design(strata=strata.tolist())
        for _ in range(200):
            label = chance.random(len(strata)) < share[strata]
            right = chance.random(len(strata)) < np.where(label, 0.9, 0.8)
            score = np.where(right, label, ~label).astype(float)
            found = correct_mean(score, at, label[at], design=design).interval
            held += found.low <= truth <= found.high
        assert held / 200 >= least

    def test_many_strata_of_two_labels_do_not_draw_the_estimate_to_the_middle(self):
        chance, off = np.random.default_rng(1), []
        strata = np.repeat(np.arange(20), 50)
        at = np.arange(1000).reshape(20, 50)[:, :2].ravel()
        for _ in range(100):
            label = (chance.random(1000) < 0.9).astype(float)
            design = Design(strata=strata.tolist())
            off.append(correct_mean(chance.random(1000), at, label[at], design=design).estimate)
        assert np.mean(off) == pytest.approx(0.9, abs=0.02)

    def test_a_stratum_with_one_label_of_many_samples_is_refused(self):
        design = Design(strata=["a"] * 3 + ["b"] * 3 + ["c"])
        assert correct_mean([0.5] * 7, [0, 1, 3, 4, 6], [1, 0, 1, 1, 0], design=design).interval
        with pytest.raises(ValueError, match="fewer than two labels"):
            correct_mean([0.5] * 7, [0, 1, 3, 6], [1, 0, 1, 0], design=design)

    def test_probabilities_weigh_as_strata_do_where_the_judge_is_of_no_use(self):
        design = Design(probabilities=[2 / 90, 2 / 90, 2 / 10, 2 / 10])
        found = correct_mean([0.5] * 100, [0, 1, 90, 91], [0.8, 1, 0.3, 0.7], design=design)
        assert found.estimate == pytest.approx(0.9 * 0.9 + 0.1 * 0.5)

    def test_samples_chosen_by_uncertainty_give_an_estimate_without_bias(self):
        chance = np.random.default_rng(0)
        p = chance.beta(1, 0.6, 400)
        label = (chance.random(400) < p).astype(float)
        size = sizes(np.sqrt(p * (1 - p)))
        found, naive = [], []
        for _ in range(400):
            numbers = chance.random(400)
            taken = priority(size, numbers)[:60]
            design = Design(probabilities=chances(size, numbers, 60))
            found.append(correct_mean(p, taken, label[taken], design=design).estimate)
            naive.append(label[taken].mean())
        assert np.mean(found) == pytest.approx(label.mean(), abs=0.01)
        assert abs(np.mean(naive) - label.mean()) > 0.03

    @over(
        ("labelled", "labels", "design"),
        [
            ([0, 0], [1, 1], None),
            ([0, 1], [1], None),
            ([0, 1], [1, 0], Design(probabilities=[0.5, 1.5])),
            ([0, 1], [1, 0], Design(probabilities=[0.5, 0.5], strata=["a"] * 3)),
            ([0, 1], [1, 0], Design(strata=["a", "a", "b"])),
        ],
    )
    def test_what_does_not_fit_is_refused(self, labelled, labels, design):
        with pytest.raises(ValueError, match=r"label|stratum|strata|probabilit"):
            correct_mean([0.1, 0.5, 0.9], labelled, labels, design=design)


class TestHowManyLabels:
    def test_without_a_judge_it_is_the_textbook_number(self):
        needed = labels_needed(0.1, sd=0.5, correlation=0.0, n_judged=10_000)
        assert abs(needed - (stats.norm.ppf(0.975) * 0.5 / 0.05) ** 2) < 5

    def test_a_good_judge_saves_most_of_them(self):
        assert labels_needed(0.1, sd=0.4, correlation=0.9, n_judged=10_000) < 60

    def test_none_if_there_are_too_few_samples(self):
        assert labels_needed(0.1, sd=0.5, correlation=0.9, n_judged=100) is None

    @over(("n", "sd", "r", "width"), [(300, 0.2, 0.98, 0.1), (1000, 0.3, 1.0, 0.05)])
    def test_the_number_is_the_first_that_is_narrow_enough(self, n, sd, r, width):
        needed = labels_needed(width, sd=sd, correlation=r, n_judged=n)
        assert needed == 7

        def wide(k):
            variance = sd * sd * ((1 - r * r) / k + r * r / n)
            return 2 * stats.t.ppf(0.975, k - 2) * math.sqrt(variance)

        assert wide(needed) <= width < wide(needed - 1)

    @over("sheet", [False, True])
    def test_the_next_labels_make_the_width_that_was_told_of_the_first(self, sheet):
        chance, widths = np.random.default_rng(0), []
        for _ in range(40):
            p, numbers = chance.beta(2, 0.5, 2000), chance.random(2000)
            label, size = (chance.random(2000) < p).astype(float), sizes(np.sqrt(p * (1 - p)))

            def of(k, p=p, label=label, size=size, numbers=numbers):
                at = priority(size, numbers)[:k] if sheet else np.arange(k)
                design = Design(probabilities=chances(size, numbers, k)) if sheet else None
                return correct_mean(p, at, label[at], design=design)

            interval = of(labels_like_these(0.12, of(60))).interval
            widths.append(interval.high - interval.low)
        assert np.median(widths) == pytest.approx(0.12, rel=0.08)

    def test_labels_that_are_all_the_same_do_not_promise_a_narrow_interval_from_fewer(self):
        found = correct_mean([0.9] * 250 + [0.8] * 250, range(10), [1] * 10)
        assert found.interval.high - found.interval.low > 0.1
        assert labels_like_these(0.1, found) > 40

    def test_never_fewer_than_were_given_while_the_interval_is_wider(self):
        chance = np.random.default_rng(0)
        for k in (6, 20, 100):
            score = chance.random(120)
            label = (chance.random(k) < score[:k]).astype(float)
            groups = [n // 4 for n in range(120)]
            found = correct_mean(score, range(k), label, design=Design(groups=groups))
            if found.interval is None:
                assert labels_like_these(0.3, found) is None
                continue
            wide = found.interval.high - found.interval.low
            assert (labels_like_these(wide * 0.99, found) or 121) > k
            assert labels_like_these(wide * 1.01, found) <= k

    def test_as_many_labels_make_the_width_that_was_wanted(self):
        score, label = drawn(5, 4000, 4000)
        first = correct_mean(score, range(200), label[:200], ends=WIDE)
        told = {"sd": first.sd, "correlation": first.correlation, "n_judged": 4000}
        needed = labels_needed(0.12, **told)
        found = correct_mean(score, range(needed), label[:needed], ends=WIDE).interval
        assert found.high - found.low == pytest.approx(0.12, rel=0.1)


class TestRoganGladen:
    def test_the_estimate_by_hand(self):
        found = true_share(30, 100, Checked(50, 45, 50, 40))
        assert found.estimate == pytest.approx((0.3 + 0.8 - 1) / (0.9 + 0.8 - 1))

    def test_with_error_rates_known_for_sure_and_none_it_is_the_interval_of_agresti_and_coull(self):
        found = true_share(30, 100, Checked(10**9, 10**9, 10**9, 10**9)).interval
        z = stats.norm.ppf(0.975)
        p = (30 + z * z / 2) / (100 + z * z)
        away = z * math.sqrt(p * (1 - p) / (100 + z * z))
        assert (found.low, found.high) == pytest.approx((p - away, p + away), abs=1e-6)

    def test_error_rates_from_few_samples_make_it_wider(self):
        few = true_share(300, 1000, Checked(10, 9, 10, 8)).interval
        many = true_share(300, 1000, Checked(1000, 900, 1000, 800)).interval
        assert few.high - few.low > 2 * (many.high - many.low)

    @over("checked", [Checked(0, 0, 5, 5), Checked(5, 5, 0, 0), Checked(10, 5, 10, 5)])
    def test_none_where_the_judge_was_not_seen_to_tell_good_from_bad(self, checked):
        assert true_share(3, 10, checked) is None

    def test_the_counts_are_those_of_the_pairs(self):
        pairs = [(True, True), (True, False), (False, False), (False, True), (True, True)]
        assert Checked.of(pairs) == Checked(positives=3, hits=2, negatives=2, rejections=1)


def test_the_ends_of_a_true_share_are_those_of_lang_and_reiczigel():
    """Their section 2 with 36 of 120 called positive, 45 of 50 and 72 of 80 called rightly."""
    z = stats.norm.ppf(0.975)
    n, positives, negatives = 120 + z**2, 50 + 2, 80 + 2
    p, se, sp = (36 + z**2 / 2) / n, (45 + 1) / positives, (72 + 1) / negatives
    share = (p + sp - 1) / (se + sp - 1)
    of_se, of_sp = se * (1 - se) / positives, sp * (1 - sp) / negatives
    shift = 2 * z**2 * (share * of_se - (1 - share) * of_sp)
    variance = p * (1 - p) / n + share**2 * of_se + (1 - share) ** 2 * of_sp
    half = z * np.sqrt(variance) / (se + sp - 1)
    interval = true_share(36, 120, Checked(50, 45, 80, 72)).interval
    expected = (share + shift - half, share + shift + half)
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert abs(shift) > 1e-3


class TestRoganGladenInGroups:
    PAIRS = ((True, True), (True, True), (False, True), (False, False), (True, False))

    def test_samples_alone_in_their_groups_are_independent_ones(self):
        said, pairs = [True] * 30 + [False] * 70, self.PAIRS * 20
        alone = clustered(said, range(100), pairs, range(100))
        assert (alone.verdicts, alone.positives, alone.negatives) == (100, 60, 40)
        assert alone.freedom == math.inf
        checked = Checked.of(pairs)
        assert true_share(30, 100, checked, groups=alone) == true_share(30, 100, checked)

    def test_copies_of_a_sample_tell_as_much_as_one(self):
        # Thirty verdicts and twenty checked samples, each five times.
        said, pairs = [True] * 9 + [False] * 21, self.PAIRS * 4
        groups, checked_groups = [n // 5 for n in range(150)], [n // 5 for n in range(100)]
        found = clustered(
            np.repeat(said, 5).tolist(),
            groups,
            [pair for pair in pairs for _ in range(5)],
            checked_groups,
        )
        assert found.verdicts == pytest.approx(29)  # n - 1, as the spread of n groups tells
        assert found.positives == pytest.approx(11)
        assert found.negatives == pytest.approx(7)
        assert found.freedom == pytest.approx(19)

    def test_a_judge_that_is_lenient_on_some_documents_errs_on_both_sides_at_once(self):
        # On every other document of four its error is a false alarm, on the others a miss.
        lenient = [(True, True), (True, True), (True, False), (False, False)]
        strict = [(False, True), (True, True), (False, False), (False, False)]
        pairs, groups = (lenient + strict) * 40, [n // 4 for n in range(320)]
        found = clustered([True] * 400 + [False] * 600, range(1000), pairs, groups)
        assert found.correlation == pytest.approx(-1)
        rates = Checked.of(pairs)
        related = true_share(400, 1000, rates, groups=found).interval
        told = Clustered(found.verdicts, found.positives, found.negatives, 0.0, found.freedom)
        unrelated = true_share(400, 1000, rates, groups=told).interval
        assert related.high - related.low > 1.15 * (unrelated.high - unrelated.low)

    def test_checked_samples_of_one_document_tell_nothing(self):
        pairs = self.PAIRS * 20
        found = clustered([True] * 30 + [False] * 70, range(100), pairs, ["one"] * 100)
        assert (found.positives, found.negatives) == (1, 1)
        interval = true_share(30, 100, Checked.of(pairs), groups=found).interval
        assert (interval.low, interval.high) == (0, 1)

    @pytest.mark.slow
    def test_it_holds_the_truth_where_documents_differ_and_counts_alone_do_not(self):
        chance, held, blind = np.random.default_rng(0), 0, 0
        for _ in range(200):
            said, at, _ = judged_documents(chance, 40, 10, 0.8)
            checked, checked_at, truth = judged_documents(chance, 30, 6, 0.6)
            pairs = list(zip(checked, truth, strict=True))
            groups = clustered(said, at, pairs, checked_at)
            for aware in (groups, None):
                found = true_share(sum(said), len(said), Checked.of(pairs), groups=aware)
                inside = found.interval.low <= 0.8 <= found.interval.high
                held, blind = held + inside * (aware is groups), blind + inside * (aware is None)
        assert 0.92 <= held / 200 <= 0.99
        assert blind / 200 < 0.87


class TestRoganGladenByProbability:
    """Checked samples that had unequal chances of being checked count by 1 / their chance."""

    def test_the_counts_by_hand(self):
        # Good ones of weight 1, 2, 2, 4 (n = 81/25), the first is missed; bad ones of 1 and 3 (16/10).
        pairs = [(False, True), (True, True), (True, True), (True, True)]
        pairs += [(True, False), (False, False)]
        found = Checked.of(pairs, np.array([1.0, 2.0, 2.0, 4.0, 1.0, 3.0]))
        assert (found.positives, found.negatives) == (pytest.approx(3.24), pytest.approx(1.6))
        assert found.sensitivity == pytest.approx(8 / 9)
        assert found.specificity == pytest.approx(3 / 4)

    def test_equal_weights_count_as_none_and_their_unit_is_free(self):
        pairs = TestRoganGladenInGroups.PAIRS * 3
        plain, weighted = Checked.of(pairs), Checked.of(pairs, np.full(15, 2.5))
        for name in ("positives", "hits", "negatives", "rejections"):
            assert getattr(weighted, name) == pytest.approx(getattr(plain, name))
        groups = [n // 3 for n in range(15)]
        said, at = [True, False] * 5, list(range(10))
        once = clustered(said, at, pairs, groups)
        again = clustered(said, at, pairs, groups, np.full(15, 2.5))
        assert again.positives == pytest.approx(once.positives)
        assert again.negatives == pytest.approx(once.negatives)
        assert again.correlation == pytest.approx(once.correlation)
        assert again.freedom == pytest.approx(once.freedom)

    def test_a_side_without_samples_is_empty_and_not_an_error(self):
        found = Checked.of([(True, True), (True, True)], np.array([1.0, 3.0]))
        assert (found.sensitivity, found.negatives, found.specificity) == (1.0, 0.0, None)
        assert true_share(1, 2, found) is None

    def test_groups_and_weights_together_by_hand(self):
        # Four documents of two good answers, weights 1, 2, 2, 3; on the first both are missed.
        # Share 7/8; sums of weighted errors -14, 4, 4, 6 eighths, times 6/7, 1, 1, 6/5 for shares
        # of 1/8, 1/4, 1/4, 3/8 of the weight: squares 3.56; variance 3.56 / 16^2 * 4/3.
        pairs = [(at > 1, True) for at in range(8)] + [(False, False), (True, False)] * 4
        weights = np.array([1.0, 1, 2, 2, 2, 2, 3, 3] + [1.0] * 8)
        groups = [n // 2 for n in range(8)] + list(range(100, 108))
        found = clustered([True, False], [0, 1], pairs, groups, weights)
        assert found.positives == pytest.approx(7 / 64 / (3.56 / 256 * 4 / 3))
        # Alone in their documents the good answers count as Kish says: 16^2 / 36.
        alone = clustered([True, False], [0, 1], pairs, [*range(8), *[99] * 8], weights)
        assert alone.positives == pytest.approx(256 / 36)

    def test_documents_never_tell_more_than_their_weights_do(self):
        # One answer of weight 9 stands for most; each document of two is half right.
        pairs = [(at % 2 == 0, True) for at in range(8)] + [(False, False)]
        weights = np.array([9.0, 9, 1, 1, 1, 1, 1, 1, 1])
        found = clustered([True], [0], pairs, [n // 2 for n in range(9)], weights)
        assert found.positives == pytest.approx(24**2 / (2 * 81 + 6))

    @pytest.mark.slow
    @pytest.mark.parametrize("size", [1, 4])
    def test_it_holds_the_truth_where_doubtful_samples_are_checked_first(self, size):
        chance = np.random.default_rng(0)
        held, blind, estimates = 0, 0, []
        for _ in range(200):
            truth, verdict, doubt = doubtful(chance, 800, 0.6, size)
            q, numbers = sizes(doubt), chance.random(800)
            at = priority(q, numbers)[:200]
            pairs = list(zip(verdict[at].tolist(), truth[at].tolist(), strict=True))
            weights = 1 / chances(q, numbers, 200)
            _, said, _ = doubtful(chance, 1600, 0.8, size)
            told = (said.tolist(), [n // size for n in range(1600)])
            groups = clustered(*told, pairs, (at // size).tolist(), weights) if size > 1 else None
            found = true_share(sum(told[0]), 1600, Checked.of(pairs, weights), groups=groups)
            held += found.interval.low <= 0.8 <= found.interval.high
            estimates.append(found.estimate)
            plain = true_share(sum(told[0]), 1600, Checked.of(pairs)).interval
            blind += plain.low <= 0.8 <= plain.high
        assert 0.92 <= held / 200 <= 0.995
        assert np.mean(estimates) == pytest.approx(0.8, abs=0.01)
        assert blind / 200 < 0.85


def doubtful(chance, n, share, size):
    """(truth, verdicts, doubt) of answers in documents; the judge errs where it says it doubts."""
    error = np.minimum(chance.beta(0.3, 2.2, n), 0.5)
    truth = chance.random(n) < np.repeat(chance.beta(8 * share, 8 * (1 - share), n // size), size)
    wrong = chance.random(n) < error
    return truth, truth ^ wrong, np.sqrt(error * (1 - error))


def judged_documents(chance, documents, size, share):
    """(verdicts, documents, truth): prevalence and leniency differ from document to document."""
    at = np.repeat(np.arange(documents), size)
    truth = chance.random(len(at)) < chance.beta(4 * share, 4 * (1 - share), documents)[at]
    lenient = chance.random(documents)[at]
    hit = chance.random(len(at)) < stats.beta.ppf(lenient, 3.6, 0.4)
    alarm = chance.random(len(at)) < 1 - stats.beta.ppf(1 - lenient, 3.4, 0.6)
    return np.where(truth, hit, alarm).tolist(), at.tolist(), truth.tolist()


class TestChoosing:
    def test_a_choice_of_more_holds_the_choice_of_fewer(self):
        size, numbers = sizes([0.1, 0.5, 0.4, 0.0, 0.2]), fixed_numbers("abcde")
        assert list(priority(size, numbers)[:2]) == list(priority(size, numbers)[:4])[:2]

    def test_the_chances_add_up_to_the_samples_they_stand_for(self):
        chance = np.random.default_rng(0)
        size = sizes(chance.random(50))
        weights = [np.sum(1 / chances(size, chance.random(50), 20)) for _ in range(2000)]
        assert np.mean(weights) == pytest.approx(50, rel=0.02)

    def test_all_samples_are_certain_where_all_are_chosen(self):
        assert list(chances(sizes([1, 2, 3]), fixed_numbers("abc"), 3)) == [1, 1, 1]

    def test_with_a_random_share_of_one_all_have_the_same_chance(self):
        assert len(set(chances(sizes([1, 2, 3, 9], 1.0), fixed_numbers("abcd"), 2))) == 1

    def test_the_chance_of_a_simple_random_sample_does_not_hang_on_what_was_drawn(self):
        drawn = [chances(sizes([1] * 6), fixed_numbers("abcdef", seed), 2) for seed in "xyz"]
        assert [list(one) for one in drawn] == [[1 / 3, 1 / 3]] * 3

    def test_the_top_of_a_choice_is_known_from_the_choice_by_its_chances(self):
        chance, whole, top = np.random.default_rng(0), 0, 0
        for _ in range(300):
            size = sizes(np.where(chance.random(200) < 0.1, 0.45, 0.01))
            numbers = chance.random(200)
            told = chances(size, numbers, 100)
            whole += cut_short(told, 200)
            top += cut_short(told[:40], 200)
        assert whole / 300 < 0.02
        assert top / 300 > 0.98

    def test_a_top_whose_chances_differ_by_one_factor_only_is_not_called_cut_short(self):
        size, numbers = sizes([0.5] * 100), np.random.default_rng(0).random(100)
        assert not cut_short(chances(size, numbers, 50)[:10], 100)
        assert cut_short([1.0] * 10, 100)

    def test_numbers_depend_on_name_and_seed_only(self):
        assert fixed_numbers(["a", "b"])[1] == fixed_numbers(["b"])[0]
        assert fixed_numbers(["a"])[0] != fixed_numbers(["a"], "other")[0]


def test_error_rates_that_show_nothing_give_no_share():
    """The raw rates are just above chance, those that the interval is reckoned with below."""
    assert true_share(50, 100, Checked(1, 1, 100, 1)) is None


def documents(random, sizes, share=0.8, alike=3.0):
    """(labels, verdicts, documents): each document has its own share and leniency."""
    own = random.beta(share * alike, (1 - share) * alike, len(sizes))
    at = np.repeat(np.arange(len(sizes)), sizes)
    label = (random.random(len(at)) < own[at]).astype(float)
    kind = random.beta(4, 1, len(sizes))[at]
    right = np.where(label == 1, random.random(len(at)) < 0.95, random.random(len(at)) < kind)
    return label, np.where(right, label, 1 - label), at


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[20] * 10, [50, 30, 20, *[10] * 5, *[5] * 8, *[2] * 10]])
def test_of_few_or_unequal_documents_the_interval_holds(sizes):
    """By the normal approximation it held in 0.91 and 0.87 of such cases."""
    random, held = np.random.default_rng(1), []
    for _ in range(400):
        label, score, at = documents(random, sizes)
        chosen = random.choice(len(label), 60, replace=False)
        design = Design(groups=at.tolist())
        found = correct_mean(score, chosen, label[chosen], design=design).interval
        held.append(found.low <= 0.8 <= found.high)
    assert np.mean(held) > 0.93


def test_where_people_judged_all_samples_their_mean_is_the_mean():
    label = np.array([1.0] * 6 + [0.0] * 3)
    score = np.array([0.9, 0.8] * 4 + [0.1])
    found = correct_mean(score, range(9), label)
    assert found.estimate == pytest.approx(6 / 9)
    assert found.interval == labels_alone(label)[1]
    groups = [n // 2 for n in range(9)]
    mixed = np.random.default_rng(1).permutation(9)
    found = correct_mean(score, mixed, label[mixed], design=Design(groups=groups))
    assert found.interval == mean_interval(label, groups=groups, low=0, high=1)
    perfect = correct_mean(score, range(9), np.ones(9))
    assert perfect.estimate == 1
    assert labels_like_these(0.1, perfect) is None


def test_labels_that_hardly_any_doubt_chose_do_not_make_it_sure():
    """Of 1,000 samples one in twenty is doubted: the others stand for up to 4 times the mean."""
    random, held = np.random.default_rng(2), []
    for _ in range(300):
        label = (random.random(1000) < 0.8).astype(float)
        score = np.where(random.random(1000) < 0.9, label, 1 - label)
        size = sizes(np.where(random.random(1000) < 0.05, 0.5, 0.0), 0.25)
        numbers = random.random(1000)
        at = priority(size, numbers)[:20]
        design = Design(probabilities=chances(size, numbers, 20))
        found = correct_mean(score, at, label[at], design=design).interval
        held.append(found.low <= 0.8 <= found.high)
    assert np.mean(held) > 0.8  # 0.6 where a label made up weighs as much as the mean one
