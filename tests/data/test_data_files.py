"""Is every kind of file read, and every unreadable one refused with a remedy?"""

import gzip
import json
import sys

import pandas as pd
import pyarrow as pa
import pytest
from data_help import load, problem, read, refused
from pyarrow import parquet

from assay.data.parquet import _bounded
from assay.errors import InputError
from support.over import over

ROW = {"id": "1", "question": "q é", "contexts": ["c", "d"], "answer": "a"}
LINE = json.dumps(ROW, ensure_ascii=False)


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def csv_text(mark=",", end="\n"):
    contexts = '"[""c"", ""d""]"'
    return f"id{mark}question{mark}contexts{mark}answer{end}1{mark}q é{mark}{contexts}{mark}a{end}"


@over(
    ("name", "content"),
    [
        ("x.jsonl", LINE),
        ("x.ndjson", f"\n  \n{LINE}\n\n"),
        ("x.jsonl", f"\ufeff{LINE}\r\n"),
        ("x.JSONL", LINE),
        ("x.json", f"[{LINE}]"),
        ("x.json", f"\ufeff\n[\n{LINE}\n]\n"),
        ("x.json", json.dumps([ROW], indent=2)),
        ("x.json", json.dumps({"version": 1, "data": [ROW]}, indent=2)),
        ("x.json", json.dumps({name: [value] for name, value in ROW.items()})),
        ("x.json", LINE),
        ("x.json", json.dumps({**ROW, "contexts": [{"text": "c"}, {"text": "d"}]}, indent=2)),
        ("x.csv", csv_text()),
        ("x.csv", "\ufeff" + csv_text(end="\r\n")),
        ("x.csv", csv_text(mark=";")),
        ("x.csv", "\n" + csv_text() + "\n\n"),
        ("x.tsv", csv_text(mark="\t")),
    ],
)
@over("packed", [False, True])
def test_every_text_format_gives_the_same_sample(tmp_path, name, content, packed):
    data = content.encode()
    path = written(tmp_path, name + ".gz" * packed, gzip.compress(data) if packed else data)
    (sample,) = load(path)
    assert (sample.id, sample.question, sample.answer) == ("1", "q é", "a")
    assert sample.contexts == ("c", "d")


def test_gzip_is_known_by_content(tmp_path):
    path = written(tmp_path, "x.jsonl", gzip.compress(LINE.encode()))
    assert len(load(str(path))) == 1
    path = written(tmp_path, "y.jsonl.gz", LINE)
    assert len(load(path)) == 1


def test_the_name_is_that_of_the_file(tmp_path):
    assert read(written(tmp_path, "x.jsonl", LINE)).name == "x.jsonl"


def test_rows_can_be_read_again(tmp_path):
    source = read(written(tmp_path, "x.jsonl", f"{LINE}\n{LINE}"))
    assert [row.number for row in source] == [row.number for row in source] == [1, 2]


def test_one_object_a_line_may_be_called_json(tmp_path):
    path = written(tmp_path, "x.json", '{"question": "a"}\n{"question": "b"}\nbroken')
    error = refused(path)
    assert error.total == 1
    assert "row 3: is not JSON" in str(error)


@over(
    ("name", "content", "words"),
    [
        ("x.jsonl", b"", "is empty"),
        ("x.csv", b"\xef\xbb\xbf \n", "is empty"),
        ("x.jsonl", b" \n" * 400, "holds no rows"),
        ("x.json", b" \n" * 400, "holds no rows"),
        ("x.csv", b" \n" * 400, "holds no rows"),
        ("x.json", b"[ ]", "holds no rows"),
        ("x.csv", b"question,answer\n", "holds no rows"),
        ("x.jsonl", LINE.encode("utf-16"), "is UTF-16 text -> save it as UTF-8"),
        ("x.csv", "a,b\n1,2".encode("utf-16-le"), "is UTF-16 or binary"),
        ("x.csv", "a,b\n1,é".encode("utf-16-be"), "iconv -f UTF-16BE -t UTF-8"),
        ("x.csv", "a,b\n1,é".encode("utf-16-le"), "iconv -f UTF-16LE -t UTF-8"),
        ("x.csv", "a,b\n1,é".encode("utf-32-be"), "iconv -f UTF-32BE -t UTF-8"),
        ("x.csv", "a,b\n1,é".encode("utf-32-le"), "iconv -f UTF-32LE -t UTF-8"),
        (
            "x.csv",
            "\ufeffa,b\n1,é".encode("utf-32-le"),
            "is UTF-32 text -> save it as UTF-8 (iconv -f UTF-32 ",
        ),
        (
            "x.csv",
            "\ufeffa,b\n1,é".encode("utf-32-be"),
            "is UTF-32 text -> save it as UTF-8 (iconv -f UTF-32 ",
        ),
        ("x.csv", b"PK\x03\x04rest", "Excel"),
        ("x.jsonl", b"\x28\xb5\x2f\xfdrest", "zstd"),
        ("x.jsonl", b"PAR1rest", "is a Parquet file"),
        ("x.parquet", b"{}", "is not a Parquet file"),
        ("x.parquet", b"PAR1rest of it", "cannot be read past row 0"),
        ("x.jsonl.gz", gzip.compress(b"x" * 999, mtime=0)[:-9], "cannot be read"),
        ("x.jsno", b"{}", "did you mean '.json'?"),
        ("x", b"{}", "no extension"),
        ("x.json", b'"text"', "holds no JSON list or object"),
        ("x.json", b'{"a": ', "the file is not JSON"),
        ("x.json", b'[{"a": 1}', "never ends"),
        ("x.json", b'[{"a": 1}] [2]', "more text follows the list"),
        ("x.json", b'{"a": [1], "b": []}', "columns differ in length: 'a' has 1, 'b' has 0"),
        ("x.jsonl", b'{\n "question": "q"\n}', "spreads one JSON object over several lines"),
        ("x.csv", b"answer,answer\n1,2", "two columns have this name"),
    ],
)
def test_unreadable_files_are_refused_with_a_reason(tmp_path, name, content, words):
    told = problem(written(tmp_path, name, content))
    assert words in told
    assert " -> " in told or "cannot be read" in told


def test_a_missing_file_says_what_was_probably_meant(tmp_path):
    written(tmp_path, "questions.jsonl", LINE)
    assert f"did you mean '{tmp_path / 'questions.jsonl'}'?" in problem(tmp_path / "question.jsonl")
    assert "there is no directory" in problem(tmp_path / "no" / "x.jsonl")


def test_a_directory_names_a_file_in_it(tmp_path):
    assert "is a directory -> name a file" in problem(tmp_path)
    written(tmp_path, "x.jsonl.gz", LINE)
    assert "x.jsonl.gz" in problem(tmp_path)


def test_a_path_that_no_system_takes_is_refused():
    said = problem("x" * 5000 + ".jsonl")
    assert "cannot be read" in said or "there is no file" in said  # Python 3.14 asks no further


def test_parquet_is_read_in_small_steps(tmp_path):
    rows = [{**ROW, "id": str(n), "cost": float("nan")} for n in range(1000)]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet", row_group_size=100)
    found = load(tmp_path / "x.parquet")
    assert [sample.id for sample in found] == [row["id"] for row in rows]
    assert found[0].contexts == ("c", "d")
    assert found[0].cost is None
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress((tmp_path / "x.parquet").read_bytes()))
    assert len(load(tmp_path / "x.parquet.gz")) == 1000


def test_a_damaged_parquet_file_says_so(tmp_path):
    table = pa.Table.from_pylist([{"question": f"q{n}" * 50} for n in range(2000)])
    parquet.write_table(table, tmp_path / "x.parquet", compression="snappy")
    content = bytearray((tmp_path / "x.parquet").read_bytes())
    content[20:400] = b"\xff" * 380
    path = written(tmp_path, "y.parquet", bytes(content))
    assert "cannot be read past row" in str(refused(path))


def test_parquet_text_that_is_not_utf8_breaks_its_own_row_only(tmp_path):
    answers = [b"a%d" % n for n in range(600)]
    answers[400] = b"caf\xe9"
    columns = {"question": ["q"] * 600, "answer": pa.array(answers).view(pa.string())}
    parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
    rows = list(read(tmp_path / "x.parquet"))
    assert [row.number for row in rows] == list(range(1, 601))
    (wrong,) = (row for row in rows if row.problems)
    told = "row 401: column 'answer' holds bytes that are not UTF-8 -> write it as UTF-8"
    assert str(wrong.problems[0]) == told
    assert json.loads(wrong.record.raw) == {"question": "q", "answer": "caf\\xe9"}
    assert rows[599].fields["answer"] == "a599"


def test_parquet_lists_that_are_not_utf8_are_told(tmp_path):
    texts = pa.array([b"c", b"caf\xe9"]).view(pa.string())
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), texts)
    parquet.write_table(pa.table({"contexts": lists}), tmp_path / "x.parquet")
    good, wrong = read(tmp_path / "x.parquet")
    assert good.fields["contexts"] == ("c",)
    assert "row 2: column 'contexts' holds bytes" in str(wrong.problems[0])


def test_a_parquet_file_with_a_doubled_column_is_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array(["q"]), pa.array(["r"])], names=["question"] * 2)
    parquet.write_table(table, tmp_path / "x.parquet")
    assert "two columns have this name" in problem(tmp_path / "x.parquet")


def test_parquet_without_pyarrow_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    told = problem(written(tmp_path, "x.parquet", b"PAR1"))
    assert "[parquet]'" in told


def test_a_limit_reads_no_further(tmp_path):
    path = written(tmp_path, "x.jsonl", f"{LINE}\nbroken")
    assert len(load(path, limit=1)) == 1
    with pytest.raises(InputError, match="leaves no rows"):
        read(path, limit=0)


@over("orient", ["columns", "split", "records", "table"])
def test_json_of_pandas_is_read_however_it_lays_it_out(tmp_path, orient):
    frame = pd.DataFrame({"question": ["q", "r"], "contexts": [["c"], []]})
    frame.to_json(tmp_path / "x.json", orient=orient)
    found = [(sample.question, sample.contexts) for sample in load(tmp_path / "x.json")]
    assert found == [("q", ("c",)), ("r", ())]


def test_a_row_of_objects_is_no_frame(tmp_path):
    (tmp_path / "x.json").write_text('{"question": {"text": "q"}, "answer": {"text": "a"}}')
    mapping = {"question": "question.text", "answer": "answer.text"}
    (sample,) = load(tmp_path / "x.json", mapping=mapping)
    assert (sample.question, sample.answer) == ("q", "a")


def test_parquet_that_unpacks_without_end_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.data.parquet.LONGEST_ROW", 2**16)
    columns = {"question": ["q"] * 3, "contexts": [mark * 2**20 for mark in "abc"]}
    parquet.write_table(
        pa.table(columns), tmp_path / "x.parquet", compression="zstd", use_dictionary=False
    )
    assert (tmp_path / "x.parquet").stat().st_size < 2**13
    with pytest.raises(InputError, match="rows 1 to 3: 'contexts' unpacks to 3 MiB, more than"):
        load(tmp_path / "x.parquet")


@pytest.mark.parametrize("version", [pytest.param("1.0", marks=pytest.mark.slow), "2.0"])
def test_parquet_texts_that_begin_alike_are_read_in_small_steps(tmp_path, monkeypatch, version):
    sizes = []

    def noted(batch, before):
        sizes.append(batch.num_rows)
        return _bounded(batch, before)

    monkeypatch.setattr("assay.data.parquet._bounded", noted)
    monkeypatch.setattr("assay.data.parquet._MAX_BYTES", 2**20)
    questions = ["x" * 2**18 + str(n) for n in range(100)]
    parquet.write_table(
        pa.table({"question": questions}), tmp_path / "x.parquet", compression="zstd",
        use_dictionary=False, column_encoding={"question": "DELTA_BYTE_ARRAY"},
        data_page_version=version,
    )  # fmt: skip
    assert (tmp_path / "x.parquet").stat().st_size < 2**14
    assert [sample.question for sample in load(tmp_path / "x.parquet")] == questions
    assert max(sizes) <= 4


@pytest.mark.parametrize("kind", ["text", "list", "struct"])
def test_a_parquet_row_that_is_too_long_breaks_alone(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("assay.data.parquet.LONGEST_ROW", 2**16)
    monkeypatch.setattr("assay.data.parquet._MAX_BYTES", 2**18)
    text, one = (
        "a" * 2**14,
        {"text": lambda v: v, "list": lambda v: [v, v], "struct": lambda v: {"text": v}},
    )
    # What stands in the file once is written out for every row that has it.
    contexts = [one[kind](text), one[kind](text * 8), one[kind]("b"), None, *[one[kind](text)] * 40]
    rows = [{"question": f"q{n}", "answer": "a", "metadata": c} for n, c in enumerate(contexts)]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet", compression="zstd")
    read_rows = list(read(tmp_path / "x.parquet"))
    assert [row.number for row in read_rows] == list(range(1, 45))
    assert [row.number for row in read_rows if row.problems] == [2]
    assert "is longer than 0 MiB" in str(read_rows[1].problems[0])
    assert [row.fields["question"] for row in read_rows if not row.problems][-1] == "q43"
