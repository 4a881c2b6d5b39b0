"""Is a run's mean corrected by the labels that are about it, and are samples chosen fairly?"""

import csv
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay import InputError, Part, Score, Unscored
from assay._analysis.correction import correct, correct_verdicts
from assay._analysis.selection import (
    label_next,
    read_sheet,
    uncertainty,
    warn_of_other_answers,
    write_sheet,
)
from support.once import evaluated


@assay.metric(needs=("answer",))
def told(sample, judge):
    """The score that the sample's metadata tells, or none."""
    if sample.metadata["score"] is None:
        return Unscored("undefined", "told so")
    parts = [
        Part("statement", text, value=v, probability=p)
        for text, v, p in sample.metadata.get("said", [])
    ]
    return Score(sample.metadata["score"], tuple(parts))


@assay.metric(needs=("answer",))
def half(sample, judge):
    """Always one half."""
    return Score(0.5)


def run(tmp_path, scores, metrics=told, store="a.db", **fields):
    rows = [
        {"id": f"s{n}", "answer": "a", "score": score, **{k: v[n] for k, v in fields.items()}}
        for n, score in enumerate(scores)
    ]
    return evaluated(rows, metrics, tmp_path / store)


def labels(values, **more):
    return [{"id": f"s{n}", "label": v, **more} for n, v in enumerate(values)]


def certain(wanted):
    """Labels that agree with the judge, with the probabilities of the sheet."""
    return [
        {
            "id": w.sample.id,
            "label": int(w.sample.metadata["score"] >= 0.5),
            "inclusion_probability": w.probability,
        }
        for w in wanted
    ]


SCORES = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0] * 4
PEOPLE = [1, 0, 1, 0, 0, 1, 1, 0, 1, 1]


class TestCorrect:
    def test_it_estimates_for_all_scored_samples(self, tmp_path):
        found = correct(run(tmp_path, [*SCORES * 5, None]), labels(PEOPLE * 4))
        assert (found.corrected.n_labelled, found.corrected.n_judged) == (40, 200)
        assert (found.alone, found.n_unscored) == (pytest.approx(0.6), 1)
        assert found.corrected.judge_mean == pytest.approx(0.7)
        assert 0.55 < found.corrected.estimate < 0.65
        assert found.worth > 50
        assert found.labels_for(0.2) < found.labels_for(0.2, judged=False)
        assert not found.by_probability

    def test_a_judge_that_guesses_is_worth_nothing(self, tmp_path):
        guesses = np.random.default_rng(5).integers(0, 2, 500).astype(float).tolist()
        found = correct(run(tmp_path, guesses), labels([1] * 49 + [0]))
        assert found.worth == pytest.approx(50, rel=0.05)
        assert found.labels_for(0.05) == pytest.approx(
            found.labels_for(0.05, judged=False), rel=0.05
        )

    def test_labels_of_statements_make_the_label_of_a_sample_where_all_are_labelled(self, tmp_path):
        said = [[("one", 1.0, None), ("two", 0.0, None)]] * 3
        result = run(tmp_path, [0.5, 0.5, 0.9], said=said)
        rows = [
            {"id": "s0", "statement": "one", "label": 1},
            {"id": "s0", "statement": "two", "label": 1},
            {"id": "s1", "statement": "one", "label": 0},
            {"id": "s2", "statement": "one", "label": 0},
            {"id": "s2", "statement": "two", "label": 0},
        ]
        found = correct(result, rows)
        assert (found.alone, found.corrected.n_labelled) == (1.0, 1)
        assert sum(found.left_out.values()) == 2  # s1 is labelled in part, s2's score is no share

    def test_probabilities_of_the_sheet_are_heeded(self, tmp_path):
        rows = labels([1, 1, 1, 1, 0])
        for row, chance in zip(rows, [0.9, 0.9, 0.9, 0.9, 0.1], strict=True):
            row["inclusion_probability"] = chance
        found = correct(run(tmp_path, SCORES), rows)
        assert found.by_probability
        assert found.alone < 0.4

    def test_probabilities_of_another_metrics_choice_are_not(self, tmp_path):
        result = run(tmp_path, SCORES, [told, half])
        own = [
            row | {"metric": "told", "inclusion_probability": 0.25 if n < 5 else 1.0}
            for n, row in enumerate(labels(PEOPLE))
        ]
        other = labels(PEOPLE, metric="half", inclusion_probability=0.5)
        found = correct(result, own, "told").corrected
        assert correct(result, own + other, "told").corrected == found

    def test_labels_on_a_scale_of_their_own_are_taken_as_they_are(self, tmp_path):
        found = correct(run(tmp_path, SCORES), labels([5, 1, 4, 3, 2, 5, 5, 1, 4, 5]))
        assert 3 < found.corrected.estimate < 4.2

    def test_strata_are_a_column_of_the_data(self, tmp_path):
        kinds = (["x"] * 5 + ["y"] * 35,)
        result = run(tmp_path, [0.5] * 40, kind=kinds[0])
        found = correct(result, labels([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]), strata="kind")
        assert found.corrected.estimate < 0.25
        for few in ([1, 1, 1], [1, 1, 1, 1, 1, 0]):
            with pytest.raises(InputError, match="fewer than two samples of kind y are labelled"):
                correct(result, labels(few), strata="kind")

    def test_a_stratum_of_one_sample_needs_no_second_label(self, tmp_path):
        result = run(tmp_path, [0.5] * 40, kind=["x"] + ["y"] * 39)
        found = correct(result, labels([1, 1, 0, 1, 0, 0, 0, 0, 0, 0]), strata="kind").corrected
        assert found.estimate < 0.5
        assert found.interval.high - found.interval.low < 1

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([{"id": "s0", "label": "A"}], "labels of pairs have no mean"),
            (
                [
                    {"id": "s0", "label": 1, "inclusion_probability": 0.5},
                    {"id": "s1", "label": 1, "inclusion_probability": ""},
                ],
                "sample 's1' has no inclusion_probability",
            ),
            ([{"id": "nobody", "label": 1}], "no label in .* meets a score"),
        ],
    )
    def test_what_cannot_be_used_is_refused(self, tmp_path, rows, message):
        with pytest.raises(InputError, match=message):
            correct(run(tmp_path, SCORES), rows)

    def test_of_several_metrics_one_has_to_be_named(self, tmp_path):
        result = run(tmp_path, SCORES, [told, half])
        with pytest.raises(InputError, match="which metric"):
            correct(result, labels(PEOPLE))
        assert correct(result, labels(PEOPLE), "half").metric == "half"


class TestCorrectVerdicts:
    def test_error_rates_are_taken_from_the_labelled_run(self, tmp_path):
        checked = run(tmp_path, SCORES[:20], store="a.db")
        other = run(tmp_path, [1.0] * 60 + [0.0] * 40, store="b.db")
        found = correct_verdicts(other, labels(PEOPLE * 2), checked)
        assert found.sensitivity == 1.0
        assert found.specificity == pytest.approx(6 / 8)
        assert found.estimate == pytest.approx((0.6 - 0.25) / 0.75)

    def test_of_several_annotators_the_majority_counts_and_the_undecided_do_not(self, tmp_path):
        checked = run(tmp_path, SCORES[:20], store="a.db")
        other = run(tmp_path, [1.0] * 60 + [0.0] * 40, store="b.db")
        one = labels(PEOPLE * 2)
        three = [{**row, "annotator": who} for row in one for who in "abc"]
        for place in (0, 5, 10):  # outvoted
            three[3 * place]["label"] = 1 - three[3 * place]["label"]
        alone = correct_verdicts(other, one, checked)
        assert correct_verdicts(other, three, checked) == alone
        split = [*one, {**one[0], "annotator": "d", "label": 1 - one[0]["label"]}]
        assert correct_verdicts(other, split, checked) == correct_verdicts(other, one[1:], checked)

    @pytest.mark.slow
    @pytest.mark.parametrize("grouped", ["new", "checked"])
    def test_samples_of_a_document_count_together(self, tmp_path, grouped):
        def both(**groups):
            checked = run(tmp_path, SCORES[:20] * 5, store="a.db", **groups.get("checked", {}))
            other = run(tmp_path, [1.0] * 60 + [0.0] * 40, store="b.db", **groups.get("new", {}))
            return correct_verdicts(other, labels(PEOPLE * 10), checked)

        alone = both()
        assert alone == both(**{grouped: {"group": [f"d{n}" for n in range(100)]}})
        together = both(**{grouped: {"group": [f"d{n // 10}" for n in range(100)]}})
        assert together.estimate == alone.estimate
        assert together.interval.method == "Lang-Reiczigel, groups"
        wide, narrow = (one.interval.high - one.interval.low for one in (together, alone))
        assert wide > 1.05 * narrow

    def test_probabilities_of_the_sheet_are_heeded(self, tmp_path):
        checked = run(tmp_path, [1.0, 1.0, 0.0, 0.0, 0.0, 1.0], store="a.db")
        other = run(tmp_path, [1.0] * 60 + [0.0] * 40, store="b.db")
        rows = labels([1, 1, 1, 0, 0, 0])
        for row, chance in zip(rows, [0.25, 0.25, 1.0, 0.2, 0.5, 1.0], strict=True):
            row["inclusion_probability"] = chance
        found = correct_verdicts(other, rows, checked)
        # Weights 4 + 4 of 9 good ones, 5 + 2 of 8 bad ones.
        assert found.sensitivity == pytest.approx(8 / 9)
        assert found.specificity == pytest.approx(7 / 8)
        assert found.estimate == pytest.approx((0.6 + 7 / 8 - 1) / (8 / 9 + 7 / 8 - 1))
        assert found.by_probability
        plain = correct_verdicts(other, labels([1, 1, 1, 0, 0, 0]), checked)
        assert plain.sensitivity == pytest.approx(2 / 3)
        assert found.interval != plain.interval

    @pytest.mark.parametrize("groups", [{}, {"group": [f"d{n // 2}" for n in range(20)]}])
    def test_equal_probabilities_change_nothing(self, tmp_path, groups):
        checked = run(tmp_path, SCORES[:20], store="a.db", **groups)
        other = run(tmp_path, [1.0] * 60 + [0.0] * 40, store="b.db")
        plain = correct_verdicts(other, labels(PEOPLE * 2), checked)
        equal = correct_verdicts(other, labels(PEOPLE * 2, inclusion_probability=0.3), checked)
        assert not plain.by_probability
        assert replace(equal, by_probability=False) == plain

    def test_a_probability_that_is_missing_or_told_twice_is_refused(self, tmp_path):
        result = run(tmp_path, SCORES)
        rows = labels(PEOPLE, inclusion_probability=0.5, annotator="a")
        more = labels(PEOPLE[:1], inclusion_probability=0.7, annotator="b")
        for ask in (correct, lambda *given: correct_verdicts(*given, result)):
            with pytest.raises(InputError, match=r"'s0' has inclusion_probability 0\.5 and 0\.7"):
                ask(result, rows + more)
            with pytest.raises(InputError, match="sample 's9' has no inclusion_probability"):
                ask(result, [*rows[:-1], {**rows[-1], "inclusion_probability": ""}])

    def test_runs_that_were_not_judged_alike_are_refused(self, tmp_path):
        checked = run(tmp_path, SCORES[:20], half, store="a.db")
        with pytest.raises(InputError, match="did not compute told alike"):
            correct_verdicts(run(tmp_path, SCORES, store="b.db"), labels(PEOPLE), checked)

    def test_labels_that_show_a_judge_no_better_than_chance_are_refused(self, tmp_path):
        result = run(tmp_path, SCORES)
        told = "do not show that the judge tells good from bad: 3 of 5 good ones are called good"
        with pytest.raises(InputError, match=f"{told}, 1 of 5 bad ones bad"):
            correct_verdicts(result, labels([0, 1] * 5), result)


class TestLabelNext:
    def test_it_goes_on_where_it_stopped_and_keeps_what_was_written(self, tmp_path):
        result = run(tmp_path, [n / 40 for n in range(40)])
        sheet = tmp_path / "sheet.csv"
        first = label_next(result, n=5)
        write_sheet(first, sheet, {})
        with sheet.open(encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        rows[0] |= {"label": "1", "remark": "hm"}
        second = label_next(result, n=3, before=[row["sample"] for row in rows])
        write_sheet(second, sheet, {row["sample"]: row for row in rows})
        kept = read_sheet(sheet)
        assert [w.sample.id for w in second][:5] == [w.sample.id for w in first]
        assert len(kept) == 8
        assert kept[first[0].sample.id]["label"] == "1"
        assert kept[first[0].sample.id]["remark"] == "hm"
        assert second[0].probability > first[0].probability

    def test_the_top_of_a_sheet_gets_the_chances_of_a_choice_of_its_own(self, tmp_path):
        result = run(tmp_path, [n / 40 for n in range(40)])
        ids = [wanted.sample.id for wanted in label_next(result, n=20)]
        assert label_next(result, n=0, before=ids[:8]) == label_next(result, n=8)
        every = [wanted.sample.id for wanted in label_next(result, n=40)]
        assert label_next(result, n=0, before=every) == label_next(result, n=40)
        with pytest.raises(InputError, match="no sample is chosen yet"):
            label_next(result, n=0)

    @pytest.mark.slow
    @pytest.mark.parametrize("rest", ["blank", "deleted"])
    def test_the_top_of_a_sheet_with_the_chances_of_all_of_it_is_noticed(self, tmp_path, rest):
        # The judge doubts one in ten; of 60 chosen ones these stand first, all certain.
        result = run(tmp_path, [0.5 if n % 10 == 0 else float(n % 3 > 0) for n in range(100)])
        sheet = tmp_path / "sheet.csv"
        wanted = label_next(result, n=60)
        top = [w.sample.id for w in wanted[:15]]
        filled = {name: {"label": str(n % 2)} for n, name in enumerate(top)}
        write_sheet(wanted if rest == "blank" else wanted[:15], sheet, filled)
        assert correct(result, sheet).cut_short
        assert correct_verdicts(result, certain(wanted[:15]), result).cut_short
        write_sheet(label_next(result, n=0, before=top), sheet, filled)
        assert not correct(result, sheet).cut_short
        write_sheet(wanted, sheet, {w.sample.id: {"label": "1"} for w in wanted})
        assert not correct(result, sheet).cut_short

    def test_a_filled_sheet_is_read_as_labels(self, tmp_path):
        result = run(tmp_path, [n / 40 for n in range(40)])
        wanted = label_next(result, n=10)
        before = {w.sample.id: {"label": str(n % 2)} for n, w in enumerate(wanted)}
        write_sheet(wanted, tmp_path / "sheet.csv", before)
        found = correct(result, tmp_path / "sheet.csv")
        assert found.by_probability
        assert found.corrected.n_labelled == 10

    def test_long_contexts_and_the_marks_of_a_spreadsheet_are_read_back(self, tmp_path):
        rows = [{"id": "a", "answer": "x", "contexts": ["c" * 140_000], "score": 0.5}]
        result = assay.evaluate(rows, told, assay.Scripted({}), store=tmp_path / "a.db")
        write_sheet(label_next(result, n=1), tmp_path / "sheet.csv", {})
        assert len(read_sheet(tmp_path / "sheet.csv")["a"]["contexts"]) == 140_000
        (tmp_path / "saved.csv").write_text("\ufeffsample;label\na;1\n", encoding="utf-8")
        assert read_sheet(tmp_path / "saved.csv") == {"a": {"sample": "a", "label": "1"}}

    def test_a_sheet_is_marked_as_utf_8_once_however_often_it_grows(self, tmp_path):
        result = run(tmp_path, [n / 40 for n in range(40)])
        sheet, mark = tmp_path / "sheet.csv", "\ufeff".encode()
        for _ in range(3):
            before = read_sheet(sheet)
            write_sheet(label_next(result, n=5, before=list(before)), sheet, before)
            content = sheet.read_bytes()
            assert content.startswith(mark + b"sample,label,")
            assert content.count(mark) == 1
        assert len(read_sheet(sheet)) == 15

    @pytest.mark.parametrize("n", [10, 40])
    def test_a_purely_random_sheet_gives_what_its_labels_give_by_themselves(self, tmp_path, n):
        result = run(tmp_path, [n / 40 for n in range(40)])
        wanted = label_next(result, n=n, random_share=1)
        rows = [{"id": w.sample.id, "label": int(n > 2)} for n, w in enumerate(wanted)]
        chances = [{"inclusion_probability": w.probability} for w in wanted]
        drawn = [row | chance for row, chance in zip(rows, chances, strict=True)]
        sheet, simple = correct(result, drawn), correct(result, rows)
        assert sheet.by_probability
        assert (sheet.alone, sheet.alone_interval) == (simple.alone, simple.alone_interval)
        assert sheet.corrected == simple.corrected

    def test_a_sample_that_stands_there_twice_is_refused_before_a_label_is_lost(self, tmp_path):
        sheet = tmp_path / "sheet.csv"
        sheet.write_text("sample,label,annotator\na,1,anna\na,0,ben\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"row 2.*'a' stands twice.*label_anna"):
            read_sheet(sheet)

    def test_a_sheet_that_cannot_be_written_leaves_what_was_there(self, tmp_path):
        result = run(tmp_path, [n / 40 for n in range(40)])
        sheet, wanted = tmp_path / "sheet.csv", label_next(result, n=3)
        sheet.write_text("sample,label\n", encoding="utf-8")
        broken = replace(wanted[-1], metric="\ud800")
        with pytest.raises(UnicodeEncodeError):
            write_sheet([*wanted, broken], sheet, {})
        assert sheet.read_text(encoding="utf-8") == "sample,label\n"
        assert [path.name for path in tmp_path.glob("sheet*")] == ["sheet.csv"]

    def test_what_another_choice_made_is_refused(self, tmp_path):
        result = run(tmp_path, [n / 40 for n in range(40)])
        last = label_next(result, n=40)[-1].sample.id
        with pytest.raises(InputError, match="is not among the first 1"):
            label_next(result, n=5, before=[last])

    def test_a_sheet_about_other_answers_or_another_metric_is_left_as_it_is(self, tmp_path):
        def judged(answer, store, question="why?"):
            fields = {"question": question, "score": 1.0}
            rows = [{"id": f"s{n}", "answer": f"{answer} {n}", **fields} for n in range(3)]
            both = [told, half]
            return assay.evaluate(rows, both, assay.Scripted({}), store=tmp_path / store)

        sheet, first = tmp_path / "sheet.csv", judged("=A\nlong", "a.db")
        write_sheet(label_next(first, "told", n=3), sheet, {})
        text = sheet.read_text("utf-8").replace(",,told", ",1,told")
        sheet.write_text(text, "utf-8")
        other, asked = judged("=B\nlong", "b.db"), judged("=A\nlong", "c.db", "who?")
        for result, metric, field in (
            (other, "told", "row 1, field 'answer': the sheet is about another run"),
            (asked, "told", "row 1, field 'question': the sheet is about another run"),
            (first, "half", "row 1, field 'metric': the sheet is about another metric: 'told'"),
        ):
            wanted = label_next(result, metric, n=3)
            with pytest.raises(InputError, match=field):
                write_sheet(wanted, sheet, read_sheet(sheet))
            assert sheet.read_text("utf-8") == text
        # A spreadsheet may break lines its own way, and take the mark of a text for its own.
        saved = {
            name: {**row, "answer": row["answer"].removeprefix("'").replace("\n", "\r\n")}
            for name, row in read_sheet(sheet).items()
        }
        write_sheet(label_next(first, "told", n=0, before=list(saved)), sheet, saved)
        assert [row["label"] for row in read_sheet(sheet).values()] == ["1"] * 3

    def test_of_a_metric_without_scores_it_is_told_why_there_are_none(self, tmp_path):
        what = "has no score of told: 3 undefined \\(told so\\)"
        with pytest.raises(InputError, match=what):
            label_next(run(tmp_path, [None] * 3), n=2)

    def test_a_text_is_never_a_formula_of_a_spreadsheet(self, tmp_path):
        rows = [{"id": "a", "answer": "=HYPERLINK(1)", "score": 0.5}]
        result = assay.evaluate(rows, told, assay.Scripted({}), store=tmp_path / "a.db")
        write_sheet(label_next(result, n=1), tmp_path / "sheet.csv", {})
        assert read_sheet(tmp_path / "sheet.csv")["a"]["answer"] == "'=HYPERLINK(1)"

    def test_doubt_comes_from_the_verdicts_where_the_judge_tells_how_sure_it_is(self):
        sure = Score(0.5, (Part("s", "a", value=1.0, probability=1.0),))
        torn = Score(0.5, (Part("s", "a", value=1.0, probability=0.5),))
        assert (uncertainty(sure, (0, 1)), uncertainty(torn, (0, 1))) == (0.0, 0.5)
        assert uncertainty(Score(0.5), (0, 1)) == 0.5
        assert uncertainty(Score(0.5), (0, None)) == 0.0


@assay.metric(name="grade", needs=("answer",), range=(1, 5))
def grade(sample, judge):
    """A grade from 1 to 5."""
    return Score(sample.metadata["score"])


def test_grades_may_lie_anywhere_on_the_scale_of_the_metric(tmp_path):
    """Twenty grades of 4 and 5 do not say that no other is ever given."""
    result = run(tmp_path, [4.0, 5.0] * 50, grade)
    found = correct(result, labels([5, 5, 5, 4] * 5))
    assert found.alone_interval.low < 4.5
    own = correct(result, labels([5, 5, 5, 4] * 5), ends=(4, 5))
    assert own.alone_interval.low > 4.5
    assert correct(result, labels([1, 0] * 10)).alone_interval.high < 1


def test_labels_of_a_scale_of_their_own_end_where_they_end(tmp_path):
    @assay.metric(name="percent", needs=("answer",), range=(0, 100))
    def percent(sample, judge):
        """A score from 0 to 100."""
        return Score(sample.metadata["score"])

    found = correct(run(tmp_path, [80.0, 90.0] * 50, percent), labels([1, 3, 5, 4, 2] * 4))
    assert found.alone_interval.high < 5


def test_a_judge_on_a_scale_of_its_own_helps_as_much(tmp_path):
    @assay.metric(name="errors", needs=("answer",), range=(0, 20), higher_is_better=False)
    def errors(sample, judge):
        """Errors found, of twenty that there may be."""
        return Score(20 * (1 - sample.metadata["score"]))

    by_share = correct(run(tmp_path, SCORES * 3), labels(PEOPLE * 3)).corrected
    result = run(tmp_path, SCORES * 3, errors, "b.db")
    by_errors = correct(result, labels(PEOPLE * 3)).corrected
    assert by_share.power == by_errors.power > 0.5
    assert by_errors.estimate == pytest.approx(by_share.estimate)
    assert by_errors.interval.low == pytest.approx(by_share.interval.low)
    assert by_errors.judge_mean == pytest.approx(20 * (1 - by_share.judge_mean))


def test_where_all_samples_are_labelled_their_mean_is_what_it_is(tmp_path):
    found = correct(run(tmp_path, SCORES), labels(PEOPLE * 4))
    assert found.corrected.estimate == found.alone == pytest.approx(0.6)
    assert found.corrected.interval == found.alone_interval
    assert found.worth == pytest.approx(40)


def test_a_sheet_holds_nothing_that_cannot_be_seen(tmp_path):
    hidden = ["red\x1b[2J", "\u202eder", "\x9b31m", "\u2066x"] * 10
    rows = [
        {"id": f"s{n}", "answer": text, "question": text, "contexts": [text], "score": 0.5}
        for n, text in enumerate(hidden)
    ]
    result = assay.evaluate(rows, told, assay.Scripted({}), store=tmp_path / "a.db")
    sheet = tmp_path / "sheet.csv"
    write_sheet(label_next(result, n=5), sheet, {})
    text = sheet.read_text("utf-8-sig")
    assert not set(text) & set("\x1b\x9b\u202e\u2066")
    assert "[U+001B]" in text
    write_sheet(label_next(result, n=5, before=read_sheet(sheet)), sheet, read_sheet(sheet))
    assert len(read_sheet(sheet)) == 10
    assert warn_of_other_answers(sheet, result) == ""


def test_an_id_that_holds_what_cannot_be_seen_is_refused(tmp_path):
    rows = [{"id": f"s{n}\u202e", "answer": "a", "score": 0.5} for n in range(3)]
    result = assay.evaluate(rows, told, assay.Scripted({}), store=tmp_path / "a.db")
    with pytest.raises(InputError, match="holds a character that cannot be seen -> a sheet may"):
        write_sheet(label_next(result, n=2), tmp_path / "sheet.csv", {})
    assert not (tmp_path / "sheet.csv").exists()


@assay.metric(guide=0.7)
def share(sample, judge):
    return assay.Score(sample.metadata["share"])


def test_beside_yes_and_no_stands_the_share_that_the_judge_calls_good(tmp_path):
    rows = [{"id": f"q{n}", "share": (0.8, 0.7, 0.6, 0.0)[n % 4]} for n in range(40)]
    found = assay.evaluate(rows, share, assay.Scripted({}), store=tmp_path / "a.db")
    yes_no = [{"id": f"q{n}", "label": n % 2} for n in range(40)]
    assert correct(found, yes_no).judge_good == (0.5, 0.7)
    two = [{**one, "annotator": who} for one in yes_no for who in ("anna", "ben")]
    two[0] = {**two[0], "label": 1}  # they disagree about one
    assert correct(found, two).judge_good == (0.5, 0.7)
    shares = [{"id": f"q{n}", "label": 0.5} for n in range(40)]
    assert correct(found, shares).judge_good is None
