"""Files that are named by URI are read and written as those that are named by path."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay.data import read
from assay.data.files import is_uri, landing, located
from assay.errors import InputError
from support.over import over
from support.scripts import plausible, samples

ROWS = [{"id": f"q{i}", "question": f"How many? {i}", "answer": str(i)} for i in range(300)]


def questions(data):
    return [row.fields["question"] for row in read(data)]


def test_only_what_begins_with_a_scheme_is_a_uri():
    assert is_uri("s3://bucket/rows.parquet")
    assert is_uri("file:///tmp/rows.jsonl")
    assert not is_uri("C://rows.jsonl")
    assert not is_uri("rows.jsonl")
    assert not is_uri([])


@over("ending", [".parquet", ".jsonl", ".jsonl.gz"])
def test_rows_are_read_as_from_a_path(tmp_path, ending):
    path = tmp_path / f"rows{ending}"
    lines = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()
    if ending == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        path.write_bytes(gzip.compress(lines) if ending.endswith("gz") else lines)
    assert questions(path.as_uri()) == questions(path) == [row["question"] for row in ROWS]
    assert read(path.as_uri()).name == path.name


@over(
    ("uri", "said"),
    [
        ("file:///nowhere/rows.jsonl", "there is no file 'file:///nowhere/rows.jsonl'"),
        ("file:///tmp", "is a directory"),
        ("nonsense://bucket/rows.jsonl", "names no file"),
    ],
)
def test_what_cannot_be_read_is_named(uri, said):
    with pytest.raises(InputError, match=said):
        read(uri)


@over(
    ("uri", "shown"),
    [
        ("s3://AKIA:SECRET@bucket/rows.jsonl?nonsense=SECRET", "s3://AKIA@bucket/rows.jsonl"),
        ("s3://AKIA:a/SECRET+b@bucket/rows.jsonl", "s3://AKIA@bucket/rows.jsonl"),
        ("https://:SECRET@account/rows@1.jsonl", "https://@account/rows@1.jsonl"),
        ("https://container@account/rows.jsonl?sig=SECRET", "https://container@account/rows.jsonl"),
        ("https://host:9000/rows@1.jsonl", "https://host:9000/rows@1.jsonl"),
    ],
)
def test_a_message_shows_no_secret_of_a_uri(uri, shown):
    with pytest.raises(InputError) as caught:
        read(uri)
    assert shown in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_a_file_is_named_without_the_secret_of_its_uri():
    place = located("s3://AKIA:SECRET@bucket/rows.jsonl?region=us-east-1")
    assert str(place) == "s3://AKIA@bucket/rows.jsonl"


def test_a_run_from_uri_to_uri_is_the_run_from_path_to_path(tmp_path):
    path = tmp_path / "rows.parquet"
    rows = [{"id": s.id, "question": s.question, "answer": s.answer} for s in samples(5)]
    pq.write_table(pa.Table.from_pylist([*rows, {**rows[0], "id": "last"}]), path)
    judge = plausible()
    one = assay.evaluate(str(path), "answer_relevancy", judge, store=tmp_path / "one.db")
    other = assay.evaluate(path.as_uri(), "answer_relevancy", judge, store=tmp_path / "other.db")
    assert one.run.id == other.run.id
    out = tmp_path / "scores.parquet"
    other.to_parquet(out.as_uri())
    table = pq.read_table(out)
    assert table.schema.field("answer_relevancy").type == pa.float64()
    assert table.column("id").to_pylist() == [f"q{i}" for i in range(5)] + ["last"]
    values = [outcome.value for outcome in one["answer_relevancy"]]
    assert table.column("answer_relevancy").to_pylist() == values
    assert table.column("answer_relevancy_why").to_pylist() == [""] * 6


def test_a_score_that_is_not_there_is_null_beside_its_reason(tmp_path):
    judge = plausible(rate_answer="no JSON", generate_questions="no JSON")
    result = assay.evaluate(samples(1), "answer_relevancy", judge, store=tmp_path / "a.db")
    result.to_parquet(tmp_path / "scores.parquet")
    (row,) = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    assert row["answer_relevancy"] is None
    assert row["answer_relevancy_why"].startswith("failed: ")


def test_nothing_lands_where_writing_failed(tmp_path):
    target = tmp_path / "out.txt"

    def fail():
        with landing(target.as_uri()) as path:
            path.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not target.exists()
