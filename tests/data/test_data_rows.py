"""Is a broken row of a file named by itself, and does it leave the others alone?"""

import pandas as pd
import pytest
from data_help import load, problem, refused

from assay.data import json_files, samples

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


@pytest.mark.parametrize("first", [b"sep=;\r\n", b'"sep=;"\r\n', b"\n\nsep=;\n"])
def test_a_line_that_tells_excel_the_delimiter_is_no_header(path, first):
    (sample,) = load(path(first + b"question;note\r\nq,r;n\r\n", "x.csv"))
    assert (sample.question, sample.metadata) == ("q,r", {"note": "n"})
    told = problem(path(first + b"question;note\r\nq\r\n", "x.csv"))
    assert f"(line {first.count(bytes([10])) + 2} of the file)" in told
