"""Are people's labels read as they were meant, and refused where they cannot be?"""

import json
from decimal import Decimal

import pytest

from assay.data.labels import read_labels
from assay.errors import InputError
from support.over import over


def said(data, **options):
    return [(label.sample, label.value) for label in read_labels(data, **options).labels]


def refused(data, **options):
    with pytest.raises(InputError) as caught:
        read_labels(data, **options)
    return str(caught.value)


def csv(tmp_path, text, name="labels.csv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


class TestOneJudgementARow:
    def test_from_csv(self, tmp_path):
        path = csv(tmp_path, "sample,label,annotator\nq1,yes,anna\nq1,no,bob\nq2,,anna\n")
        found = read_labels(path)
        assert [(x.sample, x.value, x.annotator, x.row) for x in found.labels] == [
            ("q1", 1.0, "anna", 1),
            ("q1", 0.0, "bob", 2),
        ]
        assert (found.kind, found.empty) == ("sample", 1)
        assert found.source == "labels.csv"

    def test_from_jsonl(self, tmp_path):
        rows = [{"id": 7, "correct": True}, {"id": 8, "correct": False}]
        path = csv(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "labels.jsonl")
        assert said(path) == [("7", 1.0), ("8", 0.0)]

    @over("mark", [",", ";", "\t"])
    def test_whatever_parts_the_columns(self, tmp_path, mark):
        path = csv(tmp_path, f"item{mark}rating\nq1{mark}3\n")
        assert said(path) == [("q1", 3.0)]

    def test_words_that_people_use(self):
        words = ["Supported", "not supported", "CORRECT", "hallucinated", "1", "0", True, 2.5]
        found = said([{"id": n, "label": word} for n, word in enumerate(words)])
        assert [value for _, value in found] == [1, 0, 1, 0, 1, 0, 1, 2.5]

    def test_levels_name_an_ordinal_scale_worst_first(self):
        rows = [{"id": n, "grade": word} for n, word in enumerate(["Good", "poor", "fair"])]
        found = said(rows, levels=("poor", "fair", "good"))
        assert [value for _, value in found] == [2, 0, 1]

    def test_a_metric_is_what_the_label_is_about(self):
        rows = [
            {"id": "a", "metric": "faithfulness", "label": 1},
            {"id": "a", "metric": "context_recall", "label": 0},
        ]
        found = read_labels(rows)
        assert [label.value for label in found.of("faithfulness")] == [1]
        assert [label.value for label in found.of("context_recall(k=3)")] == [0]


class TestOneItemARow:
    def test_a_column_for_each_annotator(self):
        found = read_labels([{"id": "a", "label_anna": "yes", "rater 2": "no", "note": "hm"}])
        assert [(x.annotator, x.value) for x in found.labels] == [("anna", 1), ("2", 0)]

    def test_a_column_for_each_metric(self):
        row = {"id": "a", "faithfulness": 1, "answer_relevancy": 0}
        found = read_labels([row], metrics=("faithfulness", "answer_relevancy"))
        assert [(x.metric, x.value) for x in found.labels] == [
            ("faithfulness", 1),
            ("answer_relevancy", 0),
        ]

    def test_votes_as_a_list_or_an_object(self):
        rows = [{"id": "a", "votes": [1, 0]}, {"id": "b", "votes": {"anna": 1, "bob": None}}]
        found = read_labels(rows)
        assert [(x.sample, x.annotator, x.value) for x in found.labels] == [
            ("a", "1", 1),
            ("a", "2", 0),
            ("b", "anna", 1),
        ]


class TestStatements:
    def test_by_text_or_by_place(self):
        rows = [
            {"id": "a", "statement": "It is red.", "label": "supported"},
            {"id": "a", "statement_id": "s2", "label": "unsupported"},
        ]
        found = read_labels(rows)
        assert found.kind == "statement"
        assert [(x.statement, x.place, x.value) for x in found.labels] == [
            ("It is red.", None, 1),
            ("", 2, 0),
        ]

    def test_listed_within_their_sample(self):
        row = {"id": "a", "statements": [{"text": "It is red.", "label": True}, False]}
        found = read_labels([row])
        assert [(x.statement, x.place, x.value) for x in found.labels] == [
            ("It is red.", 1, 1),
            ("", 2, 0),
        ]


def test_pairs_give_the_first_answers_share_of_the_win():
    rows = [{"id": n, "preferred": word} for n, word in enumerate(["A", "b", "tie"])]
    assert read_labels(rows).kind == "pair"
    assert [value for _, value in said(rows)] == [1, 0, 0.5]


class TestWhatCannotBeRead:
    def test_every_problem_is_named_with_its_row_and_column(self, tmp_path):
        path = csv(tmp_path, "id,label,place\na,suported,\nb,yes,0\n,no,1\n")
        told = refused(path)
        assert "3 problems" in told
        assert "row 1, field 'label': is the text 'suported'" in told
        assert "did you mean 'supported'?" in told
        assert "row 2, field 'place': is '0', which is not a position" in told
        assert "row 3, field 'sample': there is no sample id" in told

    def test_the_same_judgement_twice(self):
        told = refused([{"id": "a", "label": 1}, {"id": "a", "label": 0}])
        assert "row 2, field 'label': is about the same as row 1, by the same annotator" in told

    def test_labels_of_two_kinds(self):
        rows = [{"id": "a", "label": 1}, {"id": "b", "label": 1, "statement": "x"}]
        assert "samples (row 1) and statements (row 2)" in refused(rows)

    def test_nothing_to_read(self):
        told = refused([{"id": "a", "label": ""}])
        assert "holds no labels -> fill in at least one label" in told
        assert "there is no label" in refused([{"id": "a", "note": "fine"}])
        assert "not a scale" in refused([{"id": "a", "label": 1}], levels=("good", "Good"))

    def test_a_file_without_a_column_of_labels_is_refused_once_and_not_row_by_row(self):
        told = refused([{"id": "a", "note": "fine"}, {"id": "b", "note": "so so"}])
        assert told.count("->") == 1
        assert "there is no label in any row" in told
        assert "the columns are id, note" in told

    @over(
        ("rows", "told"),
        [
            ([{"id": "a", "is_ok": "yes"}, {"id": "b", "is_ok": ""}], "'is_ok' looks like it: ren"),
            ([{"id": "a", "anna": 1, "ben": 0}], "call them 'label_anna' and 'label_ben', else"),
            ([{"id": "a", "hallucinated": True}], "exchange yes and no, since a high label means"),
            ([{"id": "a", "ok": "yes"}, {"id": "b", "ok": "fine, I think"}], "-> name its column"),
            ([{"id": "a", "tall": ""}], "-> name its column"),
        ],
    )  # fmt: skip
    def test_the_column_that_looks_like_labels_is_told_with_what_to_call_it(self, rows, told):
        assert told in refused(rows)

    @over(
        ("row", "column", "near"),
        [
            ({"faithfulness": 1, "answer_relevance": 0}, "answer_relevance", "answer_relevancy"),
            ({"label": 1, "Faithfulness": 0}, "Faithfulness", "faithfulness"),
            ({"label_anna": 1, "lable_ben": "no"}, "lable_ben", "label_ben"),
            ({"rater 1": 1, "ratter 2": 0}, "ratter 2", "rater 2"),
        ],
    )
    def test_a_misspelt_column_of_labels_is_named_once_with_the_nearest_name(
        self, row, column, near
    ):
        rows = [{"id": "a", **row}, {"id": "b", **row}]
        told = refused(rows, metrics=("faithfulness", "answer_relevancy"))
        assert f"row 1, field '{column}': holds labels, but its name is unknown" in told
        assert f"rename it to '{near}'" in told
        assert told.count("->") == 1

    def test_other_columns_are_left_alone(self):
        row = {"label_anna": 1, "faithfulness_note": "hm", "lable_why": "too short", "k_2": 1}
        assert said([{"id": "a", **row}], metrics=("faithfulness",)) == [("a", 1)]

    def test_a_label_that_is_no_number_at_all(self):
        assert "a list of 1" in refused([{"id": "a", "label": [1]}])
        assert "nan" in refused([{"id": "a", "label": "nan"}])


class TestVotes:
    def test_one_label_in_a_column_of_votes_is_not_taken_apart_into_its_digits(self, tmp_path):
        path = csv(tmp_path, "id,ratings\nq1,10\nq2,yes\n")
        assert said(path) == [("q1", 10.0), ("q2", 1.0)]
        assert said([{"id": "q", "votes": 3}]) == [("q", 3.0)]

    def test_a_list_spelled_in_a_cell_is_a_list(self, tmp_path):
        path = csv(tmp_path, 'id,votes\nq1,"[1, 0]"\nq2,"{""anna"": 1}"\n')
        found = read_labels(path).labels
        assert [(x.sample, x.value, x.annotator) for x in found] == [
            ("q1", 1.0, "1"),
            ("q1", 0.0, "2"),
            ("q2", 1.0, "anna"),
        ]


@over(
    ("column", "value"),
    [("label", 10**400), ("inclusion_probability", 10**400), ("place", "1" * 5000)],
)
def test_numbers_beyond_all_bounds_are_named(column, value):
    assert f"row 1, field '{column}'" in refused([{"id": "q", "label": 1, column: value}])


def test_the_id_of_a_sample_is_kept_as_it_is_and_a_blank_one_is_none():
    (label,) = read_labels([{"id": " q1 ", "label": 1}]).labels
    assert label.sample == " q1 "
    with pytest.raises(InputError, match="there is no sample id"):
        read_labels([{"id": "  ", "label": 1}])


def test_a_decimal_number_of_a_database_is_a_label():
    (label,) = read_labels([{"id": Decimal(7), "label": Decimal("0.5")}]).labels
    assert (label.sample, label.value) == ("7", 0.5)
