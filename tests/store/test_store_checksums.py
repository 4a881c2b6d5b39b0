"""Is every row that is not what was written noticed, when it is read and by `verify`?"""

import re
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Result, evaluate
from assay._cli.scoring import worst
from assay._store import Store, integrity, schema
from assay._store.maintenance import verify
from assay._store.transfer import export
from assay.errors import InputError
from assay.score import Score
from support.once import store_of
from support.over import over
from support.scripts import plausible, samples
from support.sealed import change

METRICS = ["faithfulness", "answer_relevancy"]


def columns(db, table):
    return [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]


def test_the_checksum_of_a_row_covers_every_column(db):
    Store(db).close()
    with closing(sqlite3.connect(db)) as connection:
        for table in schema.TABLES - {"names"}:
            covered = set(re.findall(r"\w+", integrity.COVERED[table]))
            beyond = set(columns(connection, table)) - covered
            assert beyond <= {"checksum", "value_checksum"}, table


@over(
    ("values", "expected"),
    [
        ((), 0),
        ((None,), 0),
        (("a", b"a", 1, 2.5), 3103753248),
        (("ä", None, -0.0), 1508565312),
    ],
)
def test_the_checksum_of_values_is_never_changed(values, expected):
    assert integrity.checksum(*values) == expected


def test_the_checksum_of_a_number_is_never_changed():
    assert integrity.value_checksum("r", "m", 1, 0.25, "") == 182649096
    assert integrity.value_checksum("r", "m", 1, None, "failed") == 2592683877


VALUES = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.binary()


@given(st.lists(VALUES | st.text().filter(lambda t: "\0" not in t), max_size=6))
def test_what_sqlite_keeps_of_values_has_the_checksum_of_the_values(values):
    with closing(sqlite3.connect(":memory:")) as db:
        integrity.add_sql_functions(db)
        marks = ", ".join(f"c{n} REAL" if isinstance(v, float) else f"c{n}"
                          for n, v in enumerate(values))  # fmt: skip
        db.execute(f"CREATE TABLE t (x, {marks or 'y'})")
        names = "".join(f", c{n}" for n in range(len(values)))
        db.execute(f"INSERT INTO t (x{names}) VALUES (1{', ?' * len(values)})", values)
        ((kept,),) = db.execute(f"SELECT checksum({names[2:]}) FROM t").fetchall()
        assert kept == integrity.checksum(*values)


@store_of
def whole(db):
    """A store with one run."""
    evaluate(samples(3), METRICS, plausible(), store=db)


def damage(path, sql):
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql).rowcount


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE replies SET raw = 'none of it' WHERE id = 2", "reply "),
        ("UPDATE replies SET draw = draw + 1 WHERE id = 2", "reply "),
        ("UPDATE replies SET tokens_out = tokens_out + 1 WHERE id = 2", "reply "),
        ("UPDATE replies SET at = at + 1 WHERE id = 2", "reply "),
        ("UPDATE replies SET kind = 999 WHERE id = 2", "reply "),
        ("UPDATE names SET name = 'other' WHERE name = 'plausible'", "reply "),
        ("UPDATE jobs SET value = 0.123 WHERE row = 2", "row 2 by "),
        ("UPDATE jobs SET detail = 'odd' WHERE row = 2", "row 2 by "),
        ("UPDATE jobs SET checksum = checksum + 1 WHERE row = 2", "row 2 by "),
        ("UPDATE texts SET body = hash WHERE id = 2", "text 2 "),
        ('UPDATE samples SET body = \'{"id":"q1"}\' WHERE row = 2', "sample 2 of run "),
        ("UPDATE runs SET source = 'elsewhere'", "run "),
    ],
)
def test_a_row_that_was_changed_is_noticed_by_verify_and_not_exported(whole, sql, said):
    damage(whole, sql)
    found = verify(whole)
    assert any(
        said in problem and "is not what was written" in problem for problem in found.problems
    )
    assert found.whole == ()
    with Store(whole) as store, pytest.raises(InputError, match=f"is damaged: .*{said}"):
        list(export(store))


def test_a_number_that_was_changed_is_not_averaged(whole):
    damage(whole, "UPDATE jobs SET value = 0.123 WHERE row = 2")
    with pytest.raises(
        InputError, match=r"is damaged: the score of run \w+, row 2 by faithfulness"
    ):
        Result(whole).summary()
    with pytest.raises(InputError, match="is damaged"):
        worst(Result(whole), "faithfulness", limit=3)


def test_a_run_whose_row_is_damaged_is_not_sealed_again_by_being_asked_for(whole):
    damage(whole, "UPDATE runs SET source = 'elsewhere'")
    with pytest.raises(InputError, match="is damaged: a row of 'runs' is not what was written"):
        evaluate(samples(3), METRICS, plausible(), store=whole)
    assert "is not what was written" in verify(whole).problems[0]


def test_a_text_that_is_no_utf_8_is_damage(whole):
    damage(whole, "UPDATE runs SET config = CAST(x'7bff7d' AS TEXT)")
    assert "is not what was written" in verify(whole).problems[0]
    with pytest.raises(InputError, match="is damaged: run "):
        Result(whole)


async def test_a_score_of_minus_zero_is_read_as_it_was_written(db):
    with Store(db) as store:
        run = store.begin(samples(1), {"metrics": {"m": "s"}}, "x")
        await store.keep_outcome(run.id, 1, "m", Score(-0.0), [])
        assert store.values(run.id, "m") == [(1, 0.0, "")]
        assert store.outcome(run.id, 1, "m").value == 0


def test_an_older_store_gets_checksums_when_it_is_opened(whole, monkeypatch):
    later = (
        *("descriptions", "labels", "label_queue", "alerts", "prompt_cache", "second_opinions"),
        "answering_models",
    )
    dropped = [
        f"ALTER TABLE {table} DROP COLUMN {name}"
        for table in integrity.COVERED
        if table not in later
        for name in ("checksum", *(("value_checksum",) if table == "jobs" else ()))
    ]
    expected = Result(whole).summary()
    with closing(sqlite3.connect(whole)) as connection, connection:
        for sql in dropped:
            connection.execute(sql)
        for table in later:
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 5")
    assert Result(whole).summary() == expected
    assert verify(whole).problems == ()
    damage(whole, "UPDATE replies SET raw = 'none of it' WHERE id = 2")
    assert len(verify(whole).problems) == 1


def test_a_store_that_a_test_changes_can_be_sealed(whole):
    change(whole, "UPDATE jobs SET value = 0.5")
    assert {row.mean for row in Result(whole).summary()} == {0.5}
