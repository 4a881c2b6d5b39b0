"""Does a quote that is not closed cost its own row only, and is nothing taken for a row?"""

import json
import time

import pytest
from data_help import load, read, refused

from assay.data import samples, tables
from assay.errors import InputError

HEADER = "question,answer,reference\n"


@pytest.fixture
def path(tmp_path):
    def written(content):
        file = tmp_path / "x.csv"
        file.write_bytes(content.encode("utf-8", "surrogateescape"))
        return file

    return written


def numbers(rows):
    return [row.number for row in rows if not row.problems]


def test_a_quote_left_open_to_the_end_costs_one_row(path):
    file = path(HEADER + 'q,a,a\nq,a,a\nq3,"a,a\n' + "q,a,a\n" * 997)
    rows = list(read(file))
    assert numbers(rows) == [1, 2, *range(4, 1001)]
    (wrong,) = (row for row in rows if row.problems)
    told = str(wrong.problems[0])
    assert "row 3: is not readable (lines 4 to 1001 of the file)" in told
    assert "the quote opened in line 4 is not closed -> close it" in told
    assert wrong.record.raw == 'q3,"a,a'


def test_a_quote_left_open_up_to_another_costs_one_row(path):
    file = path(HEADER + 'q1,a,a\nq2,"open,b\nq3,a,a\nq4,a,a\nq5,"x",y\nq6,a,a\n')
    rows = list(read(file))
    assert numbers(rows) == [1, 3, 4, 5, 6]
    assert "(lines 3 to 6 of the file)" in str(rows[1].problems[0])
    assert [row.fields["question"] for row in rows[2:]] == ["q3", "q4", "q5", "q6"]


def test_rows_after_an_open_quote_are_skipped_into_no_file(path, tmp_path):
    file = path(HEADER + 'q1,"a,a\n' + "q,a,a\n" * 9)
    assert len(load(file, skip_invalid=tmp_path / "skip.jsonl")) == 9
    (line,) = (tmp_path / "skip.jsonl").read_text().splitlines()
    assert json.loads(line)["raw"] == 'q1,"a,a'


def test_several_open_quotes_cost_a_row_each(path):
    lines = ['q,"a,a' if n % 10 == 3 else "q,a,a" for n in range(1, 41)]
    rows = list(read(path(HEADER + "\n".join(lines))))
    assert [row.number for row in rows if row.problems] == [3, 13, 23, 33]
    assert len(rows) == 40


def test_text_over_several_lines_stays_one_cell_after_an_open_quote(path):
    file = path(HEADER + 'q1,"open,a\nq2,"one\n\ntwo, three",a\nq3,"wrong "b" c",a\nq4,a,a\n')
    rows = list(read(file))
    assert rows[1].fields["answer"] == "one\n\ntwo, three"
    assert numbers(rows) == [2, 4]
    assert "line 6 of the file" in str(rows[2].problems[0])
    assert rows[2].record.raw == 'q3,"wrong "b" c",a'


def test_parts_of_a_text_with_a_wrong_quote_never_pass_for_rows(path, tmp_path):
    file = path(HEADER + 'q1,"one\nthis, that, all\nand "so" on",a\nq2,a,a\n')
    told = str(refused(file, skip_invalid=tmp_path / "skip.jsonl"))
    assert "a quote in lines 2 to 4 is not closed, and line 4 may be part of its text" in told


def test_lines_of_a_single_column_are_not_taken_for_rows_after_an_open_quote(path):
    with pytest.raises(InputError, match="may be part of its text"):
        list(read(path('question\nq1\n"open\nq2\n')))


def test_a_row_of_too_many_characters_is_given_up_and_the_next_lines_are_read(path, monkeypatch):
    monkeypatch.setattr(tables, "LONGEST_ROW", 2**20)
    row = f"q,{'a' * 1000},a\n"
    rows = list(read(path(HEADER + 'q,"a,a\n' + row * 3000)))
    assert numbers(rows) == list(range(2, 3002))
    assert "lines 2 to 10" in str(rows[0].problems[0])


def test_a_file_of_open_quotes_is_refused_before_it_takes_ages(path, monkeypatch):
    monkeypatch.setattr(tables, "_MAX_REREAD", 10_000)
    with pytest.raises(InputError, match="too many quotes are not closed"):
        list(read(path(HEADER + '5",x,"open\n' * 500)))


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_many_columns_take_no_longer_than_as_many_cells(tmp_path, ending):
    names = [*(f"c{n}" for n in range(60_000)), "c0"]
    row = "{" + ", ".join(f'"{name}": 1' for name in names) + "}"
    text = row if ending == "jsonl" else f"{','.join(names)}\n{','.join('1' for _ in names)}"
    (tmp_path / f"x.{ending}").write_text(f"{text}\n", "utf-8")
    began = time.perf_counter()
    with pytest.raises(InputError, match="c0"):
        list(samples(tmp_path / f"x.{ending}", needs={}))
    assert time.perf_counter() - began < 10  # comparing each with each took minutes
