"""May a run pass? Three verdicts, decided on the whole interval; what cannot be known fails."""

import math

import pytest

from assay import Sample, evaluate, metric
from assay._analysis.gate import Rules, gate, number_for, read_rules
from assay.errors import InputError
from assay.judges.scripted import Scripted
from support.given import Given, Loss, Waiting, told
from support.over import over

MIXED = [0.4, 0.6] * 20  # a mean of 0.5, known to about 0.03


def verdicts(found):
    return [check.verdict for check in found.checks]


class TestThresholds:
    @pytest.mark.parametrize(
        ("limit", "verdict"),
        [(0.4, "pass"), (0.5, "undecided"), (0.49, "undecided"), (0.6, "fail")],
    )
    def test_the_whole_interval_decides(self, db, limit, verdict):
        found = gate(told(MIXED, db), Rules(min={"given": limit}))
        assert verdicts(found) == [verdict, "pass"]
        assert found.verdict == verdict
        assert found.passed == (verdict == "pass")

    @pytest.mark.parametrize(
        ("limit", "verdict"), [(0.6, "pass"), (0.5, "undecided"), (0.4, "fail")]
    )
    def test_a_greatest_mean_is_decided_the_other_way_round(self, db, limit, verdict):
        result = told(MIXED, db, Loss())
        assert gate(result, Rules(max={"loss": limit})).verdict == verdict

    def test_a_limit_on_the_side_of_the_better_scores_is_remarked_on(self, db):
        result = told(MIXED, db, [Given(), Loss()])
        rules = Rules(min={"given": 0.1, "loss": 0.1}, max={"given": 0.9, "loss": 0.9})
        assert gate(result, rules).warnings == (
            "loss: lower is better, and the rule gives a least mean",
            "given: higher is better, and the rule gives a greatest mean",
        )

    def test_the_mean_alone_decides_if_it_is_asked_to(self, db):
        result = told(MIXED, db)
        assert gate(result, Rules(min={"given": 0.5}, on="mean")).verdict == "pass"
        assert gate(result, Rules(min={"given": 0.501}, on="mean")).verdict == "fail"

    def test_a_mean_has_two_digits_and_more_where_it_looks_like_the_limit(self, db):
        result = told([0.6, 0.794], db)
        for limit, shown in ((0.8, "0.70"), (0.7, "0.697")):
            check = gate(result, Rules(min={"given": limit}, on="mean")).checks[0]
            assert check.why == f"the mean is {shown}"

    def test_a_difference_is_written_as_a_comparison_writes_it(self, tmp_path):
        before, after = (told([n] * 5, tmp_path / f"{n}.db") for n in (0.9, 0.6))
        check = gate(after, Rules(margin=0.05, on="mean"), before).checks[0]
        assert "0.90 before, 0.60 now: a difference of \N{MINUS SIGN}0.30" in check.why

    @pytest.mark.parametrize(("scores", "mean"), [([0.7] * 3, 0.7), ([0.1, 0.2, 0.3], 0.2)])
    def test_a_mean_that_misses_the_limit_by_rounding_only_reaches_it(self, db, scores, mean):
        result = told(scores, db, [Given(), Loss()])
        assert result.summary()[0].mean != mean, "a sum of floats"
        rules = Rules(min={"given": mean}, max={"loss": mean}, on="mean")
        assert gate(result, rules).verdict == "pass"
        rules = Rules(min={"given": mean + 1e-6}, max={"loss": mean - 1e-6}, on="mean")
        assert verdicts(gate(result, rules)) == ["fail", "pass", "fail", "pass"]

    def test_a_loss_of_exactly_the_margin_is_no_regression(self, tmp_path):
        before, after = (told([score] * 5, tmp_path / f"{score}.db") for score in (0.9, 0.85))
        assert gate(after, Rules(margin=0.05, on="mean"), before).verdict == "pass"
        assert gate(after, Rules(margin=0.0499, on="mean"), before).verdict == "fail"

    def test_undecided_passes_only_if_it_is_told_to(self, db):
        result = told(MIXED, db)
        assert not gate(result, Rules(min={"given": 0.49})).passed
        assert gate(result, Rules(min={"given": 0.49}, undecided="pass")).passed
        assert not gate(result, Rules(min={"given": 0.6}, undecided="pass")).passed

    def test_so_many_samples_as_are_advised_decide_it(self, db, tmp_path):
        (check, _) = gate(told(MIXED, db), Rules(min={"given": 0.48})).checks
        advised = int(check.why.split("about ")[1].split(" ")[0])
        assert 40 < advised < 200
        for n, verdict in ((advised // 2, "undecided"), (advised + 10, "pass")):
            more = told([0.4, 0.6] * (n // 2), tmp_path / f"{n}.db")
            assert gate(more, Rules(min={"given": 0.48})).verdict == verdict

    @pytest.mark.parametrize(
        ("scores", "rules", "true"),
        [
            ([1.0] * 20, {"min": {"given": 0.9}}, 35),
            (([1.0] * 19 + [0.0]) * 2, {"min": {"given": 0.9}}, 140),
            (([1.0] * 9 + [0.0]) * 4, {"max": {"given": 0.95}}, 80),
            ([0.0] * 20, {"max": {"given": 0.1}}, 35),
        ],
    )
    def test_near_the_ends_of_the_range_about_as_many_decide(self, db, scores, rules, true):
        (check, _) = gate(told(scores, db), Rules(**rules)).checks
        assert check.verdict == "undecided"
        advised = int(check.why.split("about ")[1].split(" ")[0])
        assert 0.85 * true < advised < 1.15 * true

    def test_one_sample_decides_nothing_and_two_are_asked_for(self, db):
        found = gate(told([1.0], db), Rules(min={"given": 0.1}))
        assert found.verdict == "undecided"
        assert found.checks[0].why == (
            "the mean is 1.00: one independent sample has no interval: score at least two"
        )

    def test_equal_scores_without_an_end_are_told_to_have_no_interval(self, db):
        found = gate(told([3.0] * 5, db, Waiting()), Rules(max={"waiting": 4.0}))
        assert found.verdict == "undecided"
        assert "it takes two or more independent samples that differ" in found.checks[0].why

    def test_a_limit_outside_the_range_is_a_slip(self, db):
        with pytest.raises(InputError, match="given >= 80: its values are 0 to 1"):
            gate(told(MIXED, db), Rules(min={"given": 80}))

    def test_a_range_may_have_an_upper_end_only(self, db):
        @metric(range=(-math.inf, 1.0))
        def gain(sample):
            """One half."""
            return 0.5

        result = evaluate([{"id": "a"}, {"id": "b"}], gain, Scripted({}), store=db)
        with pytest.raises(InputError, match="gain >= 2: its values are 1 or less"):
            gate(result, Rules(min={"gain": 2.0}))

    def test_no_rule_at_all_passes_nothing(self, db):
        with pytest.raises(InputError, match="no rule was given"):
            gate(told(MIXED, db), Rules())


class TestWhatCannotBeKnown:
    def test_a_metric_that_the_run_does_not_have_fails(self, db):
        found = gate(told(MIXED, db), Rules(min={"faithfulness": 0.1}))
        assert found.verdict == "fail"
        assert found.checks[0].why == "the run has no faithfulness: it has given"

    @pytest.mark.parametrize("why", ["undefined", "failed"])
    def test_too_many_samples_without_a_score_fail(self, db, why):
        result = told([1.0] * 44 + [why] * 6, db)
        assert gate(result, Rules(min={"given": 0.5})).verdict == "fail"
        assert gate(result, Rules(min={"given": 0.5}, max_unscored=0.12)).verdict == "pass"

    def test_nothing_scored_fails(self, db):
        rules = Rules(min={"given": 0.0}, max_unscored=1.0)
        assert gate(told(["undefined"] * 5, db), rules).verdict == "fail"


class TestNumbersByMetric:
    @pytest.mark.parametrize("key", ["margin", "max_unscored"])
    def test_a_metric_that_is_misspelt_is_refused_with_those_there_are(self, tmp_path, key):
        a = told(MIXED, tmp_path / "a.db", [Given(), Loss()])
        b = told(MIXED, tmp_path / "b.db", [Given(), Loss()])
        with pytest.raises(InputError) as caught:
            gate(b, Rules(**{key: {"givn": 0.1, "": 0.2, "loss": 0.1}}), a)
        (problem,) = caught.value.problems
        assert str(problem) == (
            f"{key.replace('_', '-')} is given for 'givn', which neither the run nor the baseline "
            "has -> did you mean 'given'? there are given, loss"
        )

    def test_all_that_is_misspelt_is_refused_at_once(self, db):
        rules = Rules(min={"given": 0.1}, margin={"x": 1, "y": 1}, max_unscored={"z": 1})
        with pytest.raises(InputError) as caught:
            gate(told(MIXED, db), rules)
        assert [problem.what.split("'")[1] for problem in caught.value.problems] == list("xyz")
        assert "z', which the run does not have -> there are given" in str(caught.value)

    def test_a_metric_of_the_baseline_alone_may_have_a_margin_and_fails(self, tmp_path):
        a = told(MIXED, tmp_path / "a.db", [Given(), Loss()])
        b = told(MIXED, tmp_path / "b.db", [Given()])
        assert gate(b, Rules(margin={"loss": 0.1}), a).verdict == "fail"

    def test_where_a_threshold_fails_for_want_of_the_metric_its_share_is_no_slip(self, db):
        rules = Rules(min={"faithfulness": 0.1}, max_unscored={"faithfulness": 0.1})
        assert gate(told(MIXED, db), rules).verdict == "fail"

    def test_an_old_name_of_a_metric_is_as_good_as_its_own(self, db):
        # Ranks 1 and, in every fifth sample, nothing that is known to be right.
        samples = [
            Sample(id=f"q{n}", context_ids=("a",), reference_context_ids=("a",) if n % 5 else ())
            for n in range(40)
        ]
        result = evaluate(samples, "mrr", Scripted({}), store=db)
        for name in ("mrr", "reciprocal_rank"):
            assert gate(result, Rules(min={name: 0.5})).verdict == "fail"
            rules = Rules(min={name: 0.5}, max_unscored={name: 0.2})
            assert gate(result, rules).verdict == "pass"

    def test_a_share_of_unscored_samples_is_held_even_where_no_threshold_is(self, tmp_path):
        result = told([1.0] * 36 + ["failed"] * 4, tmp_path / "a.db", [Given(), Loss()])
        found = gate(result, Rules(min={"given": 0.5}, max_unscored={"loss": 0.05}))
        assert [(c.metric, c.rule, c.verdict) for c in found.checks] == [
            ("given", ">= 0.5", "pass"),
            ("given", "at most 10% unscored", "pass"),
            ("loss", "at most 5% unscored", "fail"),
        ]
        assert gate(result, Rules(max_unscored={"loss": 0.1})).verdict == "pass"

    @pytest.mark.parametrize(("n", "limit"), [(100, 0.05), (10, 0.1), (1000, 0.007), (50, 0.02)])
    def test_exactly_as_many_unscored_as_are_allowed_are_allowed(self, db, n, limit):
        failed = round(n * limit)
        result = told([1.0] * (n - failed) + ["failed"] * failed, db)
        found = gate(result, Rules(min={"given": 0.5}, max_unscored=limit))
        assert found.verdict == "pass"
        assert found.checks[1].rule == f"at most {100 * limit:g}% unscored"
        assert gate(result, Rules(min={"given": 0.5}, max_unscored=limit * 0.99)).verdict == "fail"


class TestNoRegression:
    def worse(self, tmp_path, by, metric=None, **rules):
        scores = [0.3 + 0.4 * (n % 2) for n in range(60)]
        lower = [score - 2 * by * (n % 4 > 1) for n, score in enumerate(scores)]
        before = told(scores, tmp_path / "a.db", metric)
        after = told(lower, tmp_path / "b.db", metric)
        return gate(after, Rules(**rules), before)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("by", "verdict"),
        [(0.0, "pass"), (0.01, "pass"), (0.05, "undecided"), (0.12, "fail"), (-0.1, "pass")],
    )
    def test_the_paired_difference_is_held_against_the_margin(self, tmp_path, by, verdict):
        assert self.worse(tmp_path, by).checks[0].verdict == verdict

    def test_where_lower_is_better_less_is_no_regression(self, tmp_path):
        assert self.worse(tmp_path, 0.1, Loss()).verdict == "pass"

    def test_where_lower_is_better_more_is_one(self, tmp_path):
        assert self.worse(tmp_path, -0.1, Loss()).verdict == "fail"

    def test_a_margin_is_a_share_of_the_mean_where_the_range_has_no_end(self, tmp_path):
        a = told([100.0, 300.0] * 20, tmp_path / "a.db", Waiting())
        b = told([103.0, 304.0] * 20, tmp_path / "b.db", Waiting())
        found = gate(b, Rules(margin=0.02), a)
        assert found.verdict == "pass"  # 3.5 of 200
        worse = "by more than 4, which is 0.02 of the mean before, than run"
        assert worse in found.checks[0].rule
        assert gate(b, Rules(margin={"waiting": 0.01}), a).verdict == "fail"

    @pytest.mark.slow
    def test_a_margin_is_told_in_the_unit_of_the_metric(self, tmp_path):
        @metric(name="cosine", range=(-1.0, 1.0))
        def cosine(sample):
            """The number that the answer is."""
            return float(sample.answer)

        def run(score, name):
            rows = [{"id": str(n), "answer": score} for n in range(5)]
            return evaluate(rows, cosine, Scripted({}), store=tmp_path / name)

        a = run("0.9", "a.db")
        for score, verdict in (("0.8", "pass"), ("0.79", "fail")):
            check = gate(run(score, f"{score}.db"), Rules(on="mean"), a).checks[0]
            worse = "by more than 0.1, which is 0.05 of its range -1 to 1, than run"
            assert worse in check.rule
            assert check.verdict == verdict

    def test_equal_scores_pass_however_few(self, tmp_path):
        a, b = (told([0.2, 0.9, 1.0], tmp_path / name) for name in ("a.db", "b.db"))
        found = gate(b, Rules(), a)
        assert found.verdict == "pass"
        assert found.checks[0].why == "every score is the same on 3 samples"

    @pytest.mark.slow
    @pytest.mark.parametrize("loss", [0.01, 0.5])
    def test_fewer_than_five_pairs_prove_nothing_however_alike_they_are(self, tmp_path, loss):
        scores = [0.8, 0.7, 0.8, 0.7, 0.9]
        for n, decided in ((2, False), (4, False), (5, loss == 0.01)):
            a = told(scores[:n], tmp_path / f"a{n}.db")
            b = told([score - loss for score in scores[:n]], tmp_path / f"b{n}.db")
            check = gate(b, Rules(), a).checks[0]
            assert (check.verdict == "pass") == decided
            few = f"{n} independent pairs are too few to tell, however alike: at least 5 are needed"
            assert (few in check.why) == (n < 5)

    def test_a_gate_on_the_mean_alone_takes_few_pairs(self, tmp_path):
        a, b = told([0.8, 0.7], tmp_path / "a.db"), told([0.79, 0.69], tmp_path / "b.db")
        assert gate(b, Rules(on="mean"), a).verdict == "pass"

    def test_the_samples_that_lost_most_are_named(self, tmp_path):
        a = told([1.0] * 30, tmp_path / "a.db")
        b = told([1.0] * 28 + [0.2, 0.0], tmp_path / "b.db")
        assert gate(b, Rules(), a).checks[0].why.endswith("worst: q29, q28")

    def test_a_metric_that_only_the_baseline_has_fails(self, tmp_path):
        a = told(MIXED, tmp_path / "a.db", [Given(), Loss()])
        b = told(MIXED, tmp_path / "b.db", [Given()])
        found = gate(b, Rules(), a)
        assert [c.why for c in found.checks if c.verdict == "fail"] == [
            "the baseline has it, and this run does not"
        ]

    def test_samples_that_lost_their_score_fail_it(self, tmp_path):
        a = told([1.0] * 40, tmp_path / "a.db")
        b = told([1.0] * 30 + ["failed"] * 10, tmp_path / "b.db")
        found = gate(b, Rules(max_unscored=0.1), a)
        assert verdicts(found) == ["fail", "fail"]
        assert "30 of the 40" in found.checks[0].why

    def test_what_makes_the_comparison_doubtful_is_told(self, tmp_path):
        a, b = told(MIXED, tmp_path / "a.db"), told([1.0] * 40, tmp_path / "b.db")
        (warning,) = gate(b, Rules(), a).warnings
        assert "answers and contexts of the baseline and this run are the same" in warning

    def test_it_speaks_of_the_baseline_and_this_run_and_never_of_letters(self, tmp_path):
        a = told(MIXED, tmp_path / "a.db", [Given(), Loss()])
        few = gate(told(MIXED[:20], tmp_path / "b.db", [Given()]), Rules(), a)
        assert few.warnings[0] == "Not in this run, so not compared: loss."
        assert "20 of 40 samples cannot be compared between the baseline and this" in " ".join(
            few.warnings
        )
        other = evaluate(
            [Sample(id="new", metadata={"score": 1.0})],
            Given(),
            Scripted({}),
            store=tmp_path / "c.db",
        )
        for run, what in (
            (other, "the baseline and this run have no sample in common"),
            (a, "the baseline and this run are the same run"),
        ):
            with pytest.raises(InputError, match=what):
                gate(run, Rules(), a)

    def test_other_data_cannot_be_compared(self, tmp_path):
        a = told(MIXED, tmp_path / "a.db")
        b = told(MIXED, tmp_path / "b.db", reference="so it is")
        with pytest.raises(InputError, match="another question or reference"):
            gate(b, Rules(), a)

    def test_it_does_not_name_an_option_that_only_a_comparison_has(self, tmp_path):
        a = told(MIXED[:3], tmp_path / "a.db")
        samples = [
            Sample(id=f"q{n}", question="why?", reference=reference, metadata={"score": 0.5})
            for n, reference in enumerate((None, "x", "x"))
        ]
        b = evaluate(samples, Given(), Scripted({}), store=tmp_path / "b.db")
        what = "2 samples have another question or reference in this run than in the baseline"
        with pytest.raises(InputError, match=what) as refused:
            gate(b, Rules(), a)
        assert str(refused.value).endswith("-> compare runs over the same data")
        with pytest.raises(InputError, match=r"or go on with --force \(force=True\)"):
            a.compare(b)

    @pytest.mark.slow
    @pytest.mark.parametrize(("grouped", "verdict"), [(False, "fail"), (True, "undecided")])
    def test_documents_are_compared_whole(self, tmp_path, grouped, verdict):
        # 3 documents of 20 samples say no more than 3 samples do.
        def run(scores, name):
            samples = [
                Sample(
                    id=f"q{n}", group=f"d{n % 3}" if grouped else None, metadata={"score": score}
                )
                for n, score in enumerate(scores)
            ]
            return evaluate(samples, Given(), Scripted({}), store=tmp_path / name)

        before, after = run([0.5, 0.9, 0.4] * 20, "a.db"), run([0.44, 0.78, 0.22] * 20, "b.db")
        assert gate(after, Rules(), before).checks[0].verdict == verdict


class TestRules:
    @over(
        "given",
        [
            {"min": {"a": float("nan")}},
            {"min": {"a": True}},
            {"max": {"a": "0.8"}},
            {"margin": -0.1},
            {"max_unscored": 1.5},
            {"max_unscored": {"a": -0.1}},
            {"on": "median"},
            {"undecided": "maybe"},
        ],
    )
    def test_what_is_no_rule_is_refused(self, given):
        with pytest.raises(InputError):
            Rules(**given)

    def test_a_metrics_own_number_goes_before_that_for_all(self):
        given = {"": 0.5, "f1": 0.2, "f1(beta=2)": 0.1}
        assert [number_for(given, m, 9) for m in ("f1(beta=2)", "f1(beta=3)", "other")] == [
            0.1,
            0.2,
            0.5,
        ]
        assert number_for(0.3, "f1", 9) == 0.3
        assert number_for({}, "f1", 9) == 9

    def test_they_are_read_from_pyproject_or_a_file_of_their_own(self, tmp_path):
        assert read_rules(tmp_path) == {}
        (tmp_path / "pyproject.toml").write_text(
            '[tool.assay.gate]\nmin = { given = 0.5 }\nmax-unscored = 0.2\nno-regression = "x"\n'
        )
        assert read_rules(tmp_path) == {
            "min": {"given": 0.5},
            "max_unscored": 0.2,
            "no_regression": "x",
        }
        (tmp_path / "assay.toml").write_text("[gate]\nmargin = 0.1\n")
        assert read_rules(tmp_path) == {"margin": 0.1}

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("[gate]\nminimum = 1\n", "minimum -> there are min, max"),
            ("[gate]\nmin = 0.8\n", "min is no table of metrics"),
            ("[gate]\nno-regression = 1\n", "no-regression is no text"),
            ("[gate\n", "'assay.toml' cannot be read"),
        ],
    )
    def test_a_file_with_a_slip_is_told_with_its_name(self, tmp_path, text, told):
        (tmp_path / "assay.toml").write_text(text)
        with pytest.raises(InputError, match=told):
            read_rules(tmp_path)
