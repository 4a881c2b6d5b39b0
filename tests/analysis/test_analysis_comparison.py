"""Runs compared: paired by id, refused where that means nothing, with honest words."""

import random

import pytest

from assay import compare, diagnose, evaluate
from assay._analysis.comparability import DefinitionDifferences, compare_definitions
from assay._analysis.comparison import changed
from assay._report.comparison import collect
from assay._store import Run
from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.score import Part
from support import graded
from support.over import over


def noise(n, seed=0, shift=0.0):
    chance = random.Random(seed)
    return [round(min(1, max(0, 0.5 + shift + chance.gauss(0, 0.1))), 3) for _ in range(n)]


def quality(comparison):
    (one,) = comparison.metrics
    return one


class TestWhatIsFound:
    def test_a_better_run_is_better_and_the_baseline_worse_when_turned_round(self, db):
        a, b = graded.run(db, noise(30)), graded.run(db, noise(30, 1, shift=0.2))
        one, other = quality(a.compare(b)), quality(b.compare(a))
        assert (one.verdict, other.verdict) == ("better", "worse")
        assert one.paired.difference == pytest.approx(-other.paired.difference)
        assert (one.wins, one.losses) == (other.losses, other.wins)
        assert one.paired.interval.low > 0

    def test_an_error_rate_that_falls_is_better(self, db):
        a = graded.run(db, noise(30, 1, shift=0.2), graded.error_rate)
        b = graded.run(db, noise(30), graded.error_rate)
        one = quality(a.compare(b))
        assert one.verdict == "better"
        assert one.paired.difference < 0
        assert one.wins == one.paired.down
        assert one.best[0].after < one.best[0].before

    def test_no_difference_found_says_what_would_have_been(self, db):
        a, b = graded.run(db, noise(30)), graded.run(db, noise(30, 1))
        one = quality(a.compare(b))
        assert one.verdict == "no difference found"
        assert 0.02 < one.detectable < 0.2
        assert one.aim == abs(one.paired.difference)
        assert "would have been seen in 80 of 100 cases" in str(a.compare(b))

    def test_where_too_few_pairs_differ_that_is_said_and_no_small_difference_is_claimed(self, db):
        a = graded.run(db, [1.0] * 20)
        right, shares = (graded.run(db, [1.0] * 19 + [last]) for last in (0.0, 0.75))
        one, other = quality(a.compare(right)), quality(a.compare(shares))
        assert one.detectable == pytest.approx(0.37, abs=0.01), "six of twenty have to change"
        assert other.detectable is None
        assert one.too_few_differ
        assert "; 1 of 20 pairs differ, and fewer than 6 show nothing" in str(a.compare(shares))

    @pytest.mark.slow
    def test_a_wanted_difference_that_is_smaller_takes_more_samples(self, db):
        a, b = graded.run(db, noise(30)), graded.run(db, noise(30, 1))
        rough, fine = (quality(a.compare(b, wanted=d)).needed for d in (0.1, 0.02))
        assert fine > 20 * rough / 2
        assert quality(a.compare(b, wanted=0.02)).aim == 0.02

    def test_the_biggest_losses_come_first_with_what_changed(self, db):
        a = graded.run(db, [1.0, 1.0, 1.0, 0.2])
        b = graded.run(db, [0.9, 0.1, 1.0, 0.6])
        one = quality(a.compare(b, most=1))
        (worst,) = one.worst
        assert (worst.sample, worst.question) == ("q1", "Question 1?")
        assert (worst.before, worst.after) == (1.0, 0.1)
        (part,) = worst.parts
        assert (part.before, part.after, part.reason) == ("supported", "unsupported", "as told")
        assert [change.sample for change in one.best] == ["q3"]

    @pytest.mark.slow
    def test_three_runs_are_compared_with_the_first_and_adjusted_together(self, db):
        a, b, c = (graded.run(db, noise(30, i, shift=0.07 * i)) for i in range(3))
        found = a.compare(b, c)
        assert [run.id for run in found.runs] == [a.run.id, b.run.id, c.run.id]
        assert [one.run for one in found.metrics] == [1, 2]
        alone = quality(a.compare(b))
        assert found.metrics[0].p >= alone.p
        assert found.metrics[0].detectable > alone.detectable

    def test_of_three_runs_the_best_is_told_all_at_once(self, db):
        a, b, c = (graded.run(db, noise(30, i, shift=s)) for i, s in enumerate((0, 0.2, 0.21)))
        (board,) = a.compare(b, c).leaderboards
        assert set(board.tied) == {"B", "C"}
        assert [one.verdict for one in board.standings] == ["best", "tied", "worse"]
        assert a.compare(b).leaderboards == (), "two are compared with each other anyway"

    def test_of_three_runs_one_is_best_where_the_others_are_worse(self, db):
        runs = [graded.run(db, noise(30, i, shift=s)) for i, s in enumerate((0, 0.2, 0.02))]
        found = compare(*runs)
        assert found.leaderboards[0].winner == "B"
        (told,) = collect(found)["leaderboards"]
        assert told["said"] == "B is best: every other run is worse."

    def test_runs_with_equal_scores_have_no_best(self, db):
        runs = [graded.run(db, noise(30), group=[str(i)] * 30) for i in range(3)]
        assert compare(*runs).leaderboards == ()

    def test_samples_of_a_group_count_together(self, db):
        groups = [f"doc{i // 6}" for i in range(30)]
        a = graded.run(db, noise(30), group=groups)
        b = graded.run(db, noise(30, 1, shift=0.2), group=groups)
        one = quality(a.compare(b))
        assert (one.paired.n, one.paired.units) == (30, 5)
        assert one.verdict == "no difference found", "five documents cannot show one"
        assert one.detectable is None


class TestPairs:
    def test_samples_are_matched_by_id_and_not_by_place(self, db, tmp_path):
        a = graded.run(db, [0.1, 0.9, 0.5])
        turned = graded.rows([0.1, 0.9, 0.5])[::-1]
        b = graded.assay.evaluate(
            turned, graded.quality, graded.assay.Scripted({}), store=tmp_path / "other.db"
        )
        one = quality(a.compare(b))
        assert (one.paired.same, one.paired.difference) == (3, 0)

    def test_those_without_two_scores_are_counted_by_reason_and_run(self, db):
        a = graded.run(db, ["0.5", "0.5", "!", "?", "0.4", "0.3", "?"])
        b = graded.run(db, ["0.5", "!", "0.1", "0.2", "0.4", "?", "?"])
        one = quality(a.compare(b))
        assert one.paired.n == 2
        assert {(left.why, left.where): left.n for left in one.left_out} == {
            ("failed in", "baseline"): 1,
            ("failed in", "other"): 1,
            ("undefined in", "baseline"): 1,
            ("undefined in", "other"): 1,
            ("undefined in", "both"): 1,
        }
        assert any(
            "5 of 7 samples cannot be compared between A and B" in w for w in a.compare(b).warnings
        )

    def test_samples_of_one_run_only_are_left_out(self, db):
        a, b = graded.run(db, noise(8)), graded.run(db, noise(6, 1))
        (left,) = quality(a.compare(b)).left_out
        assert f"({left.n} left out)" in str(a.compare(b))
        assert (left.why, left.where, left.n) == ("only in", "baseline", 2)

    def test_a_sample_with_another_question_is_another_sample(self, db):
        a = graded.run(db, noise(8))
        questions = [f"Question {i}?" for i in range(8)]
        questions[3] = "Something else?"
        b = graded.run(db, noise(8, 1), question=questions)
        found = a.compare(b)
        assert quality(found).paired.n == 7
        assert any("1 sample has another question" in w for w in found.warnings)
        assert quality(a.compare(b, force=True)).paired.n == 8

    def test_no_pair_with_two_scores_is_no_number(self, db):
        a, b = graded.run(db, ["!", "0.5"]), graded.run(db, ["0.5", "!"])
        one = quality(a.compare(b))
        assert (one.paired, one.p, one.verdict) == (None, None, "too few pairs")


class TestRefusals:
    def test_other_data_is_refused(self, db):
        a, b = graded.run(db, noise(4)), graded.run(db, noise(4, 1), question="Other?")
        with pytest.raises(InputError, match="4 samples have another question or reference in B"):
            a.compare(b)
        assert quality(a.compare(b, force=True)).paired.n == 4

    def test_rows_matched_by_their_number_are_told_to_need_an_id(self, db):
        rows = [{k: v for k, v in row.items() if k != "id"} for row in graded.rows(noise(5))]
        orders = rows, [rows[1], rows[0], *rows[2:]], rows[::-1]
        a, b, c = (evaluate(order, graded.quality, Scripted({}), store=db) for order in orders)
        told = "matched by the number of their row, since no column is an id"
        assert any(told in text and "--map id" in text for text in a.compare(b).warnings)
        with pytest.raises(InputError, match=told) as refused:
            a.compare(c)
        assert "--map id=COLUMN" in str(refused.value)
        assert "--force" not in str(refused.value)
        assert quality(a.compare(c, force=True)).paired.n == 5

    def test_a_run_is_not_compared_with_itself_or_with_nothing(self, db):
        a = graded.run(db, noise(4))
        with pytest.raises(InputError, match="A and B are the same run"):
            a.compare(a)
        with pytest.raises(InputError, match="one run is no comparison"):
            a.compare()

    def test_no_common_metric_is_refused(self, db):
        a = graded.run(db, noise(4))
        b = graded.run(db, noise(4, 1), graded.error_rate)
        with pytest.raises(InputError, match="no metric in common"):
            a.compare(b)

    def test_metrics_that_only_one_run_has_are_named(self, db):
        a = graded.run(db, noise(4), [graded.quality, graded.error_rate])
        b = graded.run(db, noise(4, 1))
        assert "Not in B, so not compared: error_rate." in a.compare(b).warnings
        assert len(a.compare(b, metrics=["quality"]).metrics) == 1

    def test_the_same_answers_say_nothing_of_systems(self, db, tmp_path):
        a = graded.run(db, noise(4))
        b = graded.run(tmp_path / "b.db", noise(4))
        assert any("the same in every pair" in w for w in a.compare(b).warnings)


def signed(signature):
    return Run("r", "data", {"metrics": {"m(k=1)": signature}}, 1, 0, "", 0.0, "now", "now")


@over(
    ("before", "after", "definition", "judges"),
    [
        ("split=llm:a#11|assay=1", "split=llm:a#11|assay=1", (), ()),
        ("split=llm:a#11|assay=1", "split=llm:b#11|assay=1", (), (("split", "llm:a", "llm:b"),)),
        ("split=llm:a#11|assay=1", "split=llm:a#22|assay=1", ("prompt of split",), ()),
        ("assay=1", "assay=2", ("version of assay (1, 2)",), ()),
        ("revision=2|assay=1", "assay=1", ("revision of the metric (2, 1)",), ()),
        ("code=aa|assay=1", "code=bb|assay=1", ("code of the metric (aa, bb)",), ()),
        (
            "split=llm:a#11|verify=llm:a#33|assay=1",
            "verify=embedded|assay=1",
            (),
            (("split", "llm:a", ""), ("verify", "llm:a", "embedded")),
        ),
    ],
)
def test_signatures_tell_other_definitions_from_other_judges(before, after, definition, judges):
    found = compare_definitions("m(k=1)", signed(f"m(k=1)|{before}"), signed(f"m(k=1)|{after}"))
    assert (found.definition, found.judges) == (definition, judges)
    assert not found.coalesced_with


def test_signatures_tell_other_company():
    asked = "m(k=1)|split=a#1|{}assay=1"
    before, after = asked.format("together=m(k=1)+n|"), asked.format("")
    found = compare_definitions("m(k=1)", signed(before), signed(after))
    assert found == DefinitionDifferences(
        (), (), "asked in one call with n and with no other metric"
    )


def test_what_moved_the_score_comes_first_and_what_moved_it_back_is_left_out():
    before = [
        Part("statement", "kept", "supported", 1.0),
        Part("statement", "lost", "supported", 1.0),
        Part("statement", "mended", "unsupported", 0.0),
    ]
    after = [
        Part("statement", "kept", "supported", 1.0),
        Part("statement", "lost", "unsupported", 0.0),
        Part("statement", "mended", "supported", 1.0),
        Part("statement", "added", "unsupported", 0.0),
    ]
    worse = changed(before, after, sign=-1)
    assert [(part.text, part.before, part.after) for part in worse] == [
        ("lost", "supported", "unsupported"),
        ("added", None, "unsupported"),
    ]
    assert [part.text for part in changed(before, after, sign=1)] == ["mended"]


def test_of_new_evidence_the_bad_one_explains_a_fall_and_a_good_one_that_is_gone_does_not():
    before = [Part("statement", f"old {n}", "supported", 0.97) for n in range(4)]
    after = [
        Part("statement", "good", "supported", 0.93),
        Part("statement", "bad", "unsupported", 0.1),
    ]
    (worse,) = changed(before, after, sign=-1)
    assert (worse.text, worse.values) == ("bad", (None, 0.1))


class TestWhatIsTested:
    def test_a_metric_that_is_the_same_everywhere_makes_no_other_test_stricter(self, db):
        """`right` reads the reference only, which two runs share."""
        metrics = [graded.quality, graded.right]
        a, b = (
            graded.run(db, noise(12, seed, shift=shift), metrics, reference="right")
            for seed, shift in ((0, 0.0), (1, 0.12))
        )
        alone, with_it = a.compare(b, metrics=["quality"]), a.compare(b)
        changed, same = with_it.metrics
        assert (changed.tested, same.tested) == (True, False)
        assert changed.p == alone.metrics[0].p
        assert changed.least == alone.metrics[0].least
        assert (same.p, same.verdict) == (1.0, "no difference found")

    def test_neither_does_one_that_only_moves_within_a_group(self, db):
        a = graded.run(db, [0.1, 0.9, 0.5, 0.5], group=["x", "x", "y", "y"])
        b = graded.run(db, [0.9, 0.1, 0.5, 0.5], group=["x", "x", "y", "y"])
        assert not quality(a.compare(b)).tested

    @pytest.mark.slow
    def test_public_functions_do_what_the_methods_do(self, db):
        a, b = graded.run(db, noise(12)), graded.run(db, noise(12, 1))
        assert compare(a, b) == a.compare(b)
        assert diagnose(a) == a.diagnose()
        assert "none of 12 samples could be checked" in str(a.diagnose())

    def test_runs_are_called_by_their_names(self, db):
        a, b = graded.run(db, noise(12)), graded.run(db, noise(12, 1))
        a.describe(name="release 1")
        found = a.compare(b)
        assert f"against release 1 ({a.run.id[:8]})" in str(found)

    def test_a_comparison_is_written_as_a_page(self, db, tmp_path):
        a, b = graded.run(db, noise(12)), graded.run(db, noise(12, 1))
        page = a.compare(b).report(tmp_path / "compare.html")
        assert "Comparison of 2 runs" in page.read_text("utf-8")
