"""Are objects in memory read like files?"""

import json
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import pytest
from data_help import load, problem, read, refused

from assay.errors import InputError
from assay.sample import Sample
from support.over import over

ROWS = [
    {"question": "q", "contexts": ["a"], "answer": None, "score": 1},
    {"question": "r", "contexts": [], "answer": "x", "score": 2},
]


def test_lists_and_tuples_and_generators_of_dicts():
    assert load(ROWS) == load(tuple(ROWS)) == load(row for row in ROWS)
    assert load(ROWS)[0].metadata == {"score": 1}


def test_a_generator_can_be_read_once_and_says_so():
    source = read(row for row in ROWS)
    assert len(list(source)) == 2
    with pytest.raises(InputError, match="only once"):
        list(source)


def test_samples_pass_through_unchanged():
    sample = Sample(
        id="x",
        question="q",
        contexts=("a", "b"),
        reference="g",
        accepted=("h",),
        reference_contexts=(),
        context_ids=("1", "2"),
        latency_ms=1.5,
        tokens=3,
        metadata={"k": [1], "metadata": {"k": 2}},
    )
    assert load([sample], mapping={"question": "elsewhere"}) == [sample]
    assert load([Sample(id="a", contexts=())]) == [Sample(id="a", contexts=())]


def test_samples_are_checked_too():
    wrong = Sample(id="a", question=3, contexts=("", "c"))  # type: ignore[arg-type]
    assert refused([wrong, Sample(id="a")]).total == 3


def test_a_mapping_that_only_samples_meet_is_no_fault():
    assert len(load([Sample(id="a")], mapping={"question": "x"})) == 1


def test_data_frames():
    frame = pd.DataFrame(ROWS)
    first, second = load(frame)
    assert (first.answer, second.answer) == (None, "x")
    assert (first.contexts, second.contexts) == (("a",), ())
    assert first.metadata == {"score": 1}


def test_data_frames_with_missing_values_and_lists_as_text():
    columns = {
        "question": ["q", pd.NA],
        "contexts": ["['a', 'b']", float("nan")],
        "ground_truth": ['["g", "h"]', "[g]"],
        "tokens": [3, None],
        "when": [pd.Timestamp("2026-01-02"), pd.NaT],
        "id": [1.0, 2.0],
    }
    first, second = load(pd.DataFrame(columns))
    assert (first.id, first.contexts, first.tokens) == ("1", ("a", "b"), 3)
    assert (first.reference, first.accepted) == ("g", ("h",))
    assert first.metadata == {"when": "2026-01-02T00:00:00"}
    assert (second.question, second.contexts, second.tokens) == (None, None, None)
    assert second.reference == "[g]"
    assert second.metadata == {"when": None}


def test_a_frame_with_a_doubled_column_is_refused():
    frame = pd.DataFrame([["q", "r"]], columns=["question", "question"])
    assert "two columns have this name" in problem(frame)


def test_arrow_tables():
    pa = pytest.importorskip("pyarrow")
    assert [s.question for s in load(pa.Table.from_pylist(ROWS))] == ["q", "r"]


def test_an_arrow_table_with_a_doubled_column_is_refused():
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_arrays([pa.array(["q"]), pa.array(["r"])], names=["question"] * 2)
    assert "two columns have this name" in problem(table)


def test_frames_that_give_named_rows():
    class Frame:
        def iter_rows(self, *, named):
            assert named
            return iter(ROWS)

    assert len(load(Frame())) == 2


def test_data_sets_that_iterate_over_dicts():
    class Dataset:
        column_names = ("question",)

        def __iter__(self):
            return iter(ROWS)

    source = read(Dataset())
    assert source.name == "Dataset in memory"
    assert len(list(source)) == len(list(source)) == 2
    assert "data['test']" in problem({"test": Dataset()})


def test_data_sets_that_are_set_to_give_something_else():
    class Dataset:
        def __init__(self, rows):
            self.rows = rows

        def __iter__(self):
            return iter(self.rows)

        def with_format(self, form):
            assert form is None
            return Dataset(ROWS)

    assert len(load(Dataset(["tensors"]))) == 2


def test_rows_that_are_models_or_dataclasses():
    class Model:
        def model_dump(self):
            return {"user_input": "q", "response": None}

    @dataclass
    class Case:
        input: str
        actual_output: str

    first, second = load([Model(), Case("r", "a")])
    assert (first.question, second.question, second.answer) == ("q", "r", "a")


def test_dict_of_columns():
    columns = {"question": ["q", "r"], "contexts": [["a"], ["b"]]}
    assert [s.contexts for s in load(columns)] == [("a",), ("b",)]
    assert "'a' has 1, 'b' has 2" in problem({"a": [1], "b": [1, 2]})
    assert "[row]" in problem({"question": "q", "contexts": ["c"]})


@over("data", [7, None, b"bytes", object()])
def test_other_objects_are_refused(data):
    assert "cannot read rows from" in problem(data)


def test_items_that_are_no_rows_are_named():
    error = refused([ROWS[0], "text", 5])
    assert [found.row for found in error.problems] == [2, 3]
    assert "is the text 'text', not a row" in str(error)


def test_no_rows_are_refused():
    assert "holds no rows" in problem([])
    assert "holds no rows" in problem(pd.DataFrame({"question": []}))


def test_an_index_that_was_given_a_name_is_a_column():
    frame = pd.DataFrame(ROWS).assign(id=["one", "two"])
    assert [sample.id for sample in load(frame.set_index("id"))] == ["one", "two"]
    assert [sample.id for sample in load(frame.drop(columns="id"))] == ["row-1", "row-2"]


def test_each_level_of_an_index_that_was_given_a_name_is_a_column():
    frame = pd.DataFrame(ROWS).assign(id=["one", "two"], tenant="x", n=[1, 2])
    first, second = load(frame.set_index(["tenant", "id"]))
    assert (first.id, first.metadata["tenant"], second.id) == ("one", "x", "two")
    indexed = frame.set_index(["id", "n"]).rename_axis(["id", None])
    assert [sample.id for sample in load(indexed)] == ["one", "two"]
    assert "n" not in load(indexed)[0].metadata
    twice = frame.set_index(["id", "n"]).rename_axis(["id", "id"])
    assert "two columns have this name" in problem(twice)


def test_an_empty_answer_in_a_data_frame_is_one_and_nan_is_missing():
    frame = pd.DataFrame({"question": ["", "q", "r"], "answer": ["", None, float("nan")]})
    said, missing, nan = load(frame)
    assert (said.answer, missing.answer, nan.answer) == ("", None, None)
    assert said.question is None


def called(name, **args):
    message = {"role": "assistant", "content": "", "tool_calls": [{"name": name, "args": args}]}
    return {"messages": [message], "rubric": {"1": "bad"} if args else {"5": "good"}}


def test_keys_that_only_other_rows_of_a_frame_have_are_not_given():
    class Polars:
        def iter_rows(self, *, named):
            assert named
            return iter(table.to_pylist())

    table = pa.Table.from_pylist([called("look", at="Rome"), called("add", a=2), called("stop")])
    for data in (table, table.to_pandas(), Polars()):
        samples = load(data)
        args = [sample.turns[0].tool_calls[0].args for sample in samples]
        assert args == [{"at": "Rome"}, {"a": 2}, {}]
        assert [sample.rubric for sample in samples] == [{"1": "bad"}, {"1": "bad"}, {"5": "good"}]


def test_what_is_written_in_a_cell_of_a_frame_keeps_its_nulls():
    row = called("look", at=None)
    frame = pd.DataFrame([{**row, "messages": json.dumps(row["messages"])}])
    (sample,) = load(frame)
    assert sample.turns[0].tool_calls[0].args == {"at": None}
