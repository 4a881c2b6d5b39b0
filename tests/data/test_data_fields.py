"""Are grades, rubrics, variants and the other fields of objects read, and wrong ones named?"""

import json

import pandas as pd
import pytest
from data_help import load, one, problem, read
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.data import values_of
from assay.sample import Variant
from support.over import over

ROW = {
    "id": "1",
    "qrels": {"a": 2, "b": 0},
    "rubrics": {"score1_description": "wrong", "score2_description": "right"},
    "sampled_answers": ["one", "two"],
    "is_answerable": False,
    "baseline_answer": "other",
    "reference_topics": ["rivers", "cities"],
    "variants": [
        {"kind": "noise", "answer": "x", "contexts": ["c"], "ratio": 0.5},
        {"kind": "counterfactual", "answer": "y"},
    ],
}


def check(sample):
    assert sample.relevance_grades == {"a": 2.0, "b": 0.0}
    assert sample.rubric == {"score1_description": "wrong", "score2_description": "right"}
    assert sample.further_answers == ("one", "two")
    assert sample.answerable is False
    assert sample.other_answer == "other"
    assert sample.reference_topics == ("rivers", "cities")
    assert sample.variants == (Variant("noise", "x", ("c",), 0.5), Variant("counterfactual", "y"))


def test_nuggets_are_read_in_three_forms():
    facts = {"It is late.": "vital", "It rains.": "okay"}
    assert one({"nuggets": facts}).nuggets == facts
    assert one({"nuggets": json.dumps(facts)}).nuggets == facts
    listed = [{"text": "It is late."}, {"text": "It rains.", "importance": "okay"}]
    assert one({"nuggets": listed}).nuggets == facts
    assert one({"nuggets": ["It is late."]}).nuggets == {"It is late.": "vital"}


def test_objects_are_read():
    check(one(ROW))


@pytest.mark.parametrize("write", [json.dumps, repr], ids=["json", "python"])
def test_objects_stand_in_cells(tmp_path, write):
    cells = [value if isinstance(value, str) else write(value) for value in ROW.values()]
    line = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    (tmp_path / "x.csv").write_text(f"{','.join(ROW)}\n{line}\n")
    (sample,) = load(tmp_path / "x.csv")
    check(sample)


def test_objects_come_from_arrow_with_the_keys_of_all_rows():
    pa = pytest.importorskip("pyarrow")
    other = {"id": "2", "qrels": {"c": 1}, "rubrics": {"5": "good"}}
    first, second = load(pa.Table.from_pylist([ROW, {**dict.fromkeys(ROW), **other}]))
    check(first)
    assert (second.relevance_grades, second.rubric) == ({"c": 1.0}, {"5": "good"})


@over("value", [True, 1, 1.0])
def test_yes_is_written_in_some_ways(value):
    assert one({"answerable": value}).answerable is True


@over(("cell", "meant"), [("True", True), ("no", False), ("0", False)])
def test_yes_and_no_stand_in_cells(tmp_path, cell, meant):
    (tmp_path / "x.csv").write_text(f"id,answerable\n1,{cell}\n")
    assert load(tmp_path / "x.csv")[0].answerable is meant


def test_grades_of_numbered_documents():
    assert one({"qrels": {1: 2, 2.0: 1}}).relevance_grades == {"1": 2.0, "2": 1.0}
    assert one({"qrels": [("a", 1)]}).relevance_grades == {"a": 1.0}


def test_a_single_topic_is_a_list_of_one():
    assert one({"reference_topics": "rivers"}).reference_topics == ("rivers",)


@over(
    ("row", "told"),
    [
        ({"answerable": "maybe"}, "must be true or false"),
        ({"answerable": 2}, "must be true or false"),
        ({"qrels": ["a"]}, "must be grades by id"),
        ({"qrels": {"a": -1}}, "the grade of 'a' is -1"),
        ({"qrels": {"a": "high"}}, "the grade of 'a' is the text 'high'"),
        ({"rubric": "be nice"}, "must be descriptions by grade"),
        ({"rubric": {"1": 1}}, "grade 1 is the number 1"),
        ({"nuggets": "be nice"}, "must be importance by fact"),
        ({"nuggets": {"It is late.": "big"}}, "'It is late.' is 'big', not vital or okay"),
        ({"nuggets": ["It is late.", 3]}, "item 2 is the number 3"),
        ({"further_answers": ["a", 2]}, "item 2 is the number 2"),
        ({"other_answer": ["a"]}, "must be text"),
        ({"reference_topics": [3]}, "item 1 is the number 3"),
        ({"variants": {"kind": "noise"}}, "must be a list of variants"),
        ({"variants": ["x"]}, "variant 1 is the text 'x'"),
        ({"variants": [{"kind": "loud", "answer": "x"}]}, "variant 1 is of kind 'loud'"),
        ({"variants": [{"kind": "noise"}]}, "variant 1: answer is null"),
        ({"variants": [{"kind": "noise", "answer": "x", "ratio": 2}]}, "variant 1: ratio is 2"),
        (
            {"variants": [{"kind": "noise", "answer": "x", "contexts": [""]}]},
            "variant 1: item 1 is an empty text",
        ),
    ],
)
def test_what_is_wrong_is_told_once_with_row_field_and_remedy(row, told):
    found = problem([row])
    assert told in found
    assert "row 1, field '" in found
    assert "leaves the field out" in found


WORDS = st.sampled_from(
    [*("role", "type", "content", "text", "parts", "tool_calls", "function", "args", "name"),
     *("user", "ai", "tool", "tool_result", "tool_use", "kwargs", "id", "data", "contexts"),
     *("kind", "noise", "answer", "ratio", "messages", "additional_kwargs", "", "[", "{}")]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats(allow_nan=True) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
NEW = (
    *("question", "turns", "reference_tool_calls", "variants", "rubric", "relevance_grades"),
    *("answerable", "further_answers", "other_answer", "reference_topics"),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(NEW), JSON, min_size=1, max_size=2))
@pytest.mark.parametrize("write", [lambda value: value, json.dumps], ids=["json", "text"])
def test_whatever_stands_there_is_read_or_refused_with_a_remedy(write, row):
    for data in ([{k: write(v) for k, v in row.items()}], pd.DataFrame([row])):
        (found,) = read(data)
        assert all(fault.field and fault.remedy for fault in found.problems)
        if found.sample:
            assert load([found.sample]) == [found.sample]
            assert load([json.loads(json.dumps(values_of(found.sample)))]) == [found.sample]


def test_a_yes_that_pandas_wrote_as_a_float_is_one(tmp_path):
    (tmp_path / "x.csv").write_text("answerable\n1.0\n0.0\n")
    assert [sample.answerable for sample in load(tmp_path / "x.csv")] == [True, False]
