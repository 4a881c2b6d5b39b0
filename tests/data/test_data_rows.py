"""Rows of files and of objects in memory: a broken one is named and leaves the others alone."""

import json
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import pytest
from data_help import load, problem, read, refused

from assay.data import json_files, samples
from assay.errors import InputError
from assay.sample import Sample
from support.over import over

GOOD = b'{"question": "q"}\n'


@pytest.fixture
def path(tmp_path):
    def write(content, name="x.jsonl"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"question": "q"', "is not JSON: Expecting ',' delimiter at position 17"),
        (b"{'question': 'q'}", "is not JSON"),
        (b'{"question": "q"} {"question": "r"}', "Extra data"),
        (b'["q"]', "is a JSON list, not an object"),
        (b"17", "is a JSON number"),
        (b'{"question": "caf\xe9"}', "byte 0xE9 at position 18 is not UTF-8"),
        (b'{"question": "q", "answer": "a", "answer": "b"}', "names 'answer' more than once"),
        (b'{"a": ' + b"9" * 5000 + b"}", "cannot be read as JSON"),
        (b"[" * 100_000, "cannot be read as JSON"),
    ],
)
def test_a_broken_line_is_named(path, line, words):
    told = problem(path(GOOD + line + b"\n" + GOOD))
    assert "row 2: " in told
    assert words in told
    assert " -> " in told


def test_line_numbers_count_blank_lines(path):
    found = load(path(b"\n" + GOOD + b"\n" + GOOD))
    assert [sample.id for sample in found] == ["row-2", "row-4"]


def test_a_line_that_is_too_long_is_passed_over(path, monkeypatch):
    monkeypatch.setattr(json_files, "LONGEST_ROW", 2**20)
    long = b'{"question": "' + b"x" * 5 * 2**20 + b'"}\n'
    told = problem(path(GOOD + long + GOOD))
    assert "row 2: is longer than 1 MiB" in told


def test_a_broken_item_of_a_list_hides_no_other(path):
    items = [b'{"question": "a"}', b'{"question": b}', b'"c"', b"", b'{"question": "\xe9"}']
    error = refused(path(b"[" + b",\n".join(items) + b',{"question": "z"}]', "x.json"))
    assert [found.row for found in error.problems] == [2, 3, 4, 5]


def test_a_missing_quote_spoils_one_item(path):
    content = b'[\n{"question": "a},\n{"question": "b"}\n]'
    error = refused(path(content, "x.json"))
    assert error.problems[0].row in {None, 1}


def test_items_of_any_length_are_found_across_chunks(path, monkeypatch):
    from assay.data import json_files

    monkeypatch.setattr(json_files, "_CHUNK", 7)
    texts = ['a "quoted" [text] {with}, marks', "back\\slash\\", "\\" * 9, "", "é" * 30]
    import json

    content = json.dumps([{"question": text, "deep": [[{"x": []}]]} for text in texts], indent=1)
    found = load(path(content.encode(), "x.json"))
    assert [sample.question for sample in found] == texts


def test_a_list_that_is_cut_off_still_tells_its_other_problems(path):
    error = refused(path(b'[{"question": 1}, {"question": "q"}, {"quest', "x.json"))
    told = str(error)
    assert error.total == 2
    assert "row 3 never ends" in told
    assert "row 1, field 'question'" in told


def test_rows_that_do_not_fit_the_header_are_named(path):
    content = b"question,answer\nq,a\nq\nq,a,more\n\xe9,a\n" + b'"q"x,a\n' + b'q,"a\n'
    error = refused(path(content, "x.csv"))
    assert [found.row for found in error.problems] == [2, 3, 4, 5, 6]
    told = str(error)
    assert "has 1 cells, but the header has 2 (line 3 of the file)" in told
    assert "not UTF-8" in told
    assert "(line 6 of the file)" in told


def test_cells_are_read_as_what_they_spell(path):
    header = b"question,contexts,ground_truth,latency_ms,tokens,metadata,note\n"
    cells = b"""q,"['a', 'b']","[""g"", ""h""]",12.5,7,"{""k"": 1}",\n"""
    (sample,) = load(path(header + cells, "x.csv"))
    assert sample.contexts == ("a", "b")
    assert (sample.reference, sample.accepted) == ("g", ("h",))
    assert (sample.latency_ms, sample.tokens) == (12.5, 7)
    assert sample.metadata == {"k": 1, "note": ""}


def test_empty_cells_are_absent(path):
    content = b"question,contexts,answer,latency_ms,tokens\nq,,,,\n"
    (sample,) = load(path(content, "x.csv"))
    assert (sample.contexts, sample.answer, sample.latency_ms) == (None, None, None)


@pytest.mark.parametrize("cell", ["1_000", "nan", "inf", "-1", "twelve", '"1,5"'])
def test_cells_that_are_no_numbers_are_named(path, cell):
    assert "field 'latency_ms'" in problem(path(f"latency_ms,answer\n{cell},a\n".encode(), "x.csv"))


def test_an_index_column_without_a_name_is_kept(path):
    (sample,) = load(path(b",question\n0,q\n", "x.csv"))
    assert sample.metadata == {"column_1": "0"}


def test_long_cells_are_read(path):
    text = "x" * 300_000
    (sample,) = load(path(f"question,context\nq,{text}\n".encode(), "x.csv"))
    assert sample.contexts == (text,)


def test_a_file_that_is_not_read_to_its_end_is_closed(path):
    found = samples(path(GOOD * 3), needs={})
    next(found)
    del found  # an open file would be a ResourceWarning, which is an error here


def test_ids_that_pandas_wrote_as_floats_are_those_of_the_other_column(path):
    frame = pd.DataFrame({"context_ids": [[1, 2], [3]], "reference_context_ids": [1, None]})
    first, second = load(path(frame.to_csv(index=False).encode(), "x.csv"))
    assert (first.context_ids, first.reference_context_ids) == (("1", "2"), ("1",))
    assert second.reference_context_ids is None
    (kept,) = load(path(b"context_ids\n2.10\n", "x.csv"))
    assert kept.context_ids == ("2.10",)


@over(
    ("cell", "ids"),
    [
        ("1;2; 3", ("1", "2", "3")),
        ("4, 5", ("4", "5")),
        ("a.pdf,b.pdf,", ("a.pdf", "b.pdf")),
        ("a.pdf\nb, c.pdf;", ("a.pdf", "b, c.pdf")),
        ("Smith, Rome 2020", ("Smith, Rome 2020",)),
        ("; ", ("; ",)),
    ],
)
def test_ids_in_one_cell_are_told_apart(cell, ids, path):
    text = f'context_ids,question\n"{cell}",When?\n'
    (sample,) = load(path(text.encode(), "x.csv"))
    assert sample.context_ids == ids


def test_an_id_in_a_list_of_json_is_taken_as_it_is():
    (sample,) = load([{"context_ids": ["4, 5"]}])
    assert sample.context_ids == ("4, 5",)


@pytest.mark.parametrize("first", [b"sep=;\r\n", b'"sep=;"\r\n', b"\n\nsep=;\n"])
def test_a_line_that_tells_excel_the_delimiter_is_no_header(path, first):
    (sample,) = load(path(first + b"question;note\r\nq,r;n\r\n", "x.csv"))
    assert (sample.question, sample.metadata) == ("q,r", {"note": "n"})
    told = problem(path(first + b"question;note\r\nq\r\n", "x.csv"))
    assert f"(line {first.count(bytes([10])) + 2} of the file)" in told


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
    assert [s.question for s in load(pa.Table.from_pylist(ROWS))] == ["q", "r"]


def test_an_arrow_table_with_a_doubled_column_is_refused():
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
