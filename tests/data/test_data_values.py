"""Is each kind of value and field read as what it means, and each wrong one named?"""

import json
import math
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from data_help import load, one, problem, read, refused
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.data import values_of
from assay.data.values import as_text, read_back
from assay.sample import Variant
from support.over import over


@over(
    ("row", "words"),
    [
        ({"question": 7}, "'question': is the number 7, but must be text"),
        ({"question": ["q"]}, "is a list of 1 (str), but must be text"),
        ({"input": {"q": "x"}}, "is an object with 'q', but must be text (column 'input')"),
        ({"answer": ["a", "b"]}, "--map reference=COLUMN"),
        ({"answer": True}, "is true, but must be text"),
        ({"reference": 4}, "is the number 4, but must be text"),
        ({"reference": [["a"]]}, "item 1 is a list of 1 (str)"),
        ({"reference": ["a", " "]}, "one of its items is an empty text"),
        ({"contexts": 3}, "is the number 3, but must be a list of texts"),
        ({"contexts": ["a", None]}, "item 2 is null"),
        ({"contexts": ["a", "  "]}, "item 2 is an empty text"),
        ({"contexts": ["a", " \u200b\ufeff"]}, "item 2 is an empty text"),
        ({"reference": ["a", "\u00ad"]}, "one of its items is an empty text"),
        ({"reference": "a", "accepted": [""]}, "'accepted': one of its items is an empty text"),
        ({"reference": "a", "accepted": ["b", " "]}, "one of its items is an empty text"),
        ({"contexts": ""}, "item 1 is an empty text"),
        ({"contexts": [{"title": "t"}]}, "item 1 is an object with 'title'"),
        ({"contexts": [{"text": ""}]}, "item 1 is an empty text"),
        ({"contexts": {"a", "b"}}, "is a Python set"),
        ({"reference_contexts": [""]}, "'reference_contexts': item 1 is an empty text"),
        ({"contexts": ["a", "b"], "context_ids": ["1"]}, "holds 1 ids for 2 contexts"),
        ({"contexts": ["a"], "context_ids": [True]}, "item 1 is true"),
        ({"contexts": [{"id": 1, "text": "a"}], "context_ids": [2]}, "differs from the ids"),
        ({"contexts": [{"id": 1, "text": "a"}], "context_ids": [2, 1]}, "differs from the ids"),
        ({"context_ids": "[1 2]"}, "begins like a list"),
        ({"id": 1.5}, "is the number 1.5"),
        ({"latency_ms": "12"}, "is the text '12', but must be a number"),
        ({"latency_ms": -1}, "finite number that is not negative"),
        ({"cost": math.inf}, "finite number that is not negative"),
        ({"cost": True}, "is true, but must be a number"),
        ({"tokens": 1.5}, "must be a whole number"),
        ({"group": []}, "is an empty list, but must be text"),
        ({"question": "a\0b"}, "a NUL character at position 2"),
        ({"question": "é\ud83d"}, "half of a character (U+D83D) at position 2"),
        ({"contexts": ["a", "\udc00"]}, "item 2 holds half of a character"),
    ],
)
def test_wrong_values_are_named(row, words):
    told = problem([row])
    assert words in told
    assert "row 1, field '" in told
    assert " -> " in told


def test_one_text_is_a_list_of_one():
    assert one({"contexts": "c"}).contexts == ("c",)
    assert one({"context_ids": 7}).context_ids == ("7",)


def test_more_may_have_been_retrieved_than_was_handed_on():
    sample = one({"contexts": ["a", "b"], "context_ids": [1, 2, 3]})
    assert (sample.contexts, sample.context_ids) == (("a", "b"), ("1", "2", "3"))
    documents = [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]
    assert one({"contexts": documents, "context_ids": [1, 2, 3]}).context_ids == ("1", "2", "3")


def test_too_few_ids_are_one_fault():
    documents = [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]
    told = problem([{"contexts": documents, "context_ids": [1]}])
    assert "holds 1 ids for 2 contexts" in told
    assert "differs" not in told


def test_an_empty_list_says_that_nothing_was_retrieved():
    assert one({"contexts": []}).contexts == ()
    assert one({"contexts": None}).contexts is None


def test_documents_are_texts_with_ids():
    docs = [{"page_content": "a", "id": 1, "score": 0.5}, {"page_content": "b", "id": "x"}]
    sample = one({"documents": docs})
    assert sample.contexts == ("a", "b")
    assert sample.context_ids == ("1", "x")
    assert sample.metadata == {"contexts": [{"score": 0.5}, {}]}


def test_ids_that_only_some_documents_have_are_kept_aside():
    sample = one({"documents": [{"text": "a", "id": 1}, {"content": "b"}, "c"]})
    assert sample.contexts == ("a", "b", "c")
    assert sample.context_ids is None
    assert sample.metadata == {"contexts": [{"id": "1"}, {}, {}]}


def test_one_document_and_columns_of_documents_are_lists():
    assert one({"contexts": {"text": "a", "id": "1"}}).contexts == ("a",)
    sample = one({"contexts": {"text": ["a", "b"], "id": ["1", "2"]}})
    assert (sample.contexts, sample.context_ids) == (("a", "b"), ("1", "2"))
    assert "differ in length" in problem([{"contexts": {"text": ["a"], "id": []}}])


def test_document_objects_of_other_libraries_are_read():
    class Document:
        def __init__(self, page_content, **rest):
            self.page_content = page_content
            self.__dict__.update(rest)

    sample = one({"contexts": [Document("a", id="7", metadata={"page": 2}), Document("b", id="8")]})
    assert (sample.contexts, sample.context_ids) == (("a", "b"), ("7", "8"))
    assert sample.metadata == {"contexts": [{"metadata": {"page": 2}}, {}]}
    assert one({"contexts": Document("alone")}).contexts == ("alone",)


def test_lists_written_as_text_are_lists():
    assert one({"contexts": '["a", "b"]'}).contexts == ("a", "b")
    assert one({"contexts": "['a', \"b\"]"}).contexts == ("a", "b")
    assert one({"contexts": "[]"}).contexts == ()
    assert one({"contexts": "[1] Paris is a city. [2]"}).contexts == ("[1] Paris is a city. [2]",)
    assert one({"contexts": r"['a \d']"}).contexts == (r"a \d",)


@over("texts", [["a", "b"], ["it's", 'a "b"', "c\\d \n e"], ["A passage. " * 20, "Another."]])
def test_an_array_that_was_printed_as_text_is_the_list_of_its_texts(texts):
    printed = str(np.array(texts, dtype=object))
    assert "," not in printed
    assert one({"contexts": printed}).contexts == tuple(texts)


@over(
    ("cell", "words"),
    [
        ("['a', 'b' 'c']", "a list in which a comma is missing"),
        ("[['a' 'b']]", "a list in which a comma is missing"),
        ('["a", "b', "cut off"),
        ("[{'text': 'a'", "cut off"),
        ("array(['a'], dtype=object)", "a numpy array printed as text"),
    ],
)
def test_lists_that_were_spoilt_on_the_way_are_named(cell, words):
    assert words in problem([{"contexts": cell}])


def test_a_reference_that_looks_like_a_list_is_left_alone_in_json():
    assert one({"reference": '["a"]'}).reference == '["a"]'


def test_missing_markers_are_absent():
    nan = float("nan")
    sample = one({"question": nan, "contexts": np.float32("nan"), "x": nan, "tokens": None})
    assert (sample.question, sample.contexts, sample.tokens) == (None, None, None)
    assert sample.metadata == {"x": None}


def test_numpy_values_are_read_as_python_values():
    sample = one({"contexts": np.array(["a", "b"]), "tokens": np.int64(3), "x": np.arange(2)})
    assert sample.contexts == ("a", "b")
    assert sample.tokens == 3
    assert type(sample.tokens) is int
    assert sample.metadata == {"x": [0, 1]}


def test_texts_of_subclasses_are_read_as_texts():
    text = np.str_("a")
    document = {"text": text, "id": text}
    row = {"id": text, "answer": text, "contexts": [text, document], "reference": [text], "x": text}
    sample = one(row)
    found = (sample.id, sample.answer, *sample.contexts, sample.reference, sample.metadata["x"])
    assert found == ("a",) * 6
    assert {type(value) for value in found} == {str}


def test_numbers_are_read():
    sample = one({"latency_ms": 12, "cost": 0.5, "tokens": 3.0})
    assert (sample.latency_ms, sample.cost, sample.tokens) == (12.0, 0.5, 3)


def test_every_problem_of_a_row_is_named():
    row = {"question": 1, "contexts": [""], "tokens": -1}
    assert refused([row], needs={"m": ("reference", "answer")}).total == 5


def test_metadata_becomes_plain_data():
    class Odd:
        def __str__(self):
            return "odd"

    sample = one({"question": "q", "x": {1: (Odd(), {2}, math.inf, "\ud800")}})
    assert sample.metadata == {"x": {"1": ["odd", [2], "inf", "\\ud800"]}}


def test_endless_nesting_is_named():
    loop: list[object] = []
    loop.append(loop)
    assert "nested too deeply" in problem([{"question": "q", "x": loop}])


def test_ids_are_text_and_stable_when_absent():
    assert one({"id": 7.0}).id == "7"
    assert one({"_id": "x"}).id == "x"
    assert one({"question": "q"}).id == "row-1"
    assert one({"id": " ", "question": "q"}).id == "row-1"


def test_whole_numbers_too_large_for_a_float_are_named():
    assert "field 'latency_ms'" in problem([{"latency_ms": 10**400}])
    assert "the grade of 'a'" in problem([{"qrels": {"a": 10**400}}])


@pytest.mark.parametrize("key", [["a"], {"a": 1}])
def test_an_id_of_a_document_that_is_no_text_is_named(key):
    assert "the id of a document is" in problem([{"contexts": [{"text": "x", "id": key}]}])


def test_numbers_of_databases_are_read_as_numbers():
    sample = one({"id": Decimal(2**60), "cost": Decimal("0.0012"), "tokens": Decimal("7.0")})
    assert (sample.id, sample.cost, sample.tokens) == (str(2**60), 0.0012, 7)
    row = {"cost": Decimal("NaN"), "latency_ms": Decimal("1e999999")}
    assert "'latency_ms': is inf" in problem([row])


def test_a_uuid_is_an_id():
    name = "45d47977-898d-4325-ac34-fecf6840b86c"
    assert one({"id": UUID(name), "context_ids": [UUID(name)]}).context_ids == (name,)


@over("field", ["context_ids", "reference_context_ids"])
@over("value", [[""], ["d1", " "], ""])
def test_an_empty_id_is_none(field, value):
    assert "is an empty id -> remove it; [] says that there is none" in problem([{field: value}])


def test_a_tuple_that_was_printed_is_a_list():
    assert one({"contexts": str(("one", "two"))}).contexts == ("one", "two")
    assert one({"contexts": '("one", he said) and'}).contexts == ('("one", he said) and',)


@over(
    "cell",
    [
        "[Document(metadata={'source': 'x'}, page_content='one'), Document(page_content='tw",
        "[Document(metadata={'source': 'x'}, page_content='one'), Document(metadata={})]",
        "[Document(id=1, content: 'one')]",
        "[array(['one', 'two'], dtype=object)]",
    ],
)
def test_documents_that_were_printed_are_no_text(cell):
    assert "is a list of Python objects printed as text" in problem([{"contexts": cell}])


FORMULAS = [
    "=1+1",
    " =1+1",
    "\t=1+1",
    "\r=1",
    "\u3000=1",
    "\u200b=1",
    "\xa0@SUM(1)",
    "'=1",
    "\uff1d1",
]


@given(st.text() | st.sampled_from(FORMULAS) | st.text("'= \t\r\n+-@\uff1d\ufeffa"))
def test_a_cell_of_a_spreadsheet_is_text_and_read_back_unchanged(cell):
    written = as_text(cell)
    assert read_back(written) == cell
    assert not written.strip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b"))


@over("cell", FORMULAS)
def test_a_formula_is_quoted_whatever_stands_before_it(cell):
    assert as_text(cell) == f"'{cell}"


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
