"""How the store's tables came to be: fresh, upgraded, refused."""

import hashlib
import re
import sqlite3
from contextlib import closing

import pytest

from assay import Result
from assay._store import Store, integrity, schema
from assay.errors import InputError
from assay.judge import Reply
from support import scripts
from support.over import over

CONFIG = {"metrics": {"faithfulness": "signature"}}


def tables(path):
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.close()
    return {name for (name,) in found}, version


def described(path):
    """Columns, keys and indices of every table, without the wording that made them."""
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        return {
            name: (
                connection.execute(f"PRAGMA table_xinfo({name})").fetchall(),
                sorted(
                    (unique, origin, *connection.execute(f"PRAGMA index_xinfo({index})"))
                    for _, index, unique, origin, _ in connection.execute(
                        f"PRAGMA index_list({name})"
                    ).fetchall()
                ),
                sql.rstrip().endswith("WITHOUT ROWID"),
            )
            for name, sql in names.fetchall()
        }


@pytest.mark.parametrize("first", range(len(schema.MIGRATIONS)))
def test_a_new_store_is_what_migrating_an_old_one_makes(db, tmp_path, first):
    Store(db).close()
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        integrity.add_sql_functions(connection)
        schema._add_functions(connection)
        for migration in schema.MIGRATIONS[: first + 1]:
            schema._execute(connection, migration)
        connection.execute(f"PRAGMA user_version = {first + 1}")
    Store(old).close()
    assert described(old) == described(db)
    assert tables(old) == tables(db) == (schema.TABLES, len(schema.MIGRATIONS))


def test_opening_a_store_again_changes_nothing(db):
    for _ in range(2):
        with Store(db) as store:
            store.begin(scripts.samples(1), CONFIG, "x")
    with Store(db) as store:
        assert len(store.runs()) == 1


def test_a_store_that_changes_what_is_written_is_refused(db):
    Store(db).close()
    with sqlite3.connect(db) as connection:
        connection.execute(
            "CREATE TRIGGER all_good AFTER INSERT ON jobs BEGIN UPDATE jobs SET value = 1; END"
        )
    connection.close()
    with pytest.raises(InputError, match="has triggers"):
        Store(db)


@pytest.mark.parametrize("name", ["samples", "SAMPLES"])
@pytest.mark.parametrize(
    "made",
    [
        "VIEW {} AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "VIRTUAL TABLE {} USING fts5 (run, row, id, body)",
    ],
)
def test_a_store_whose_tables_are_none_is_refused(db, name, made):
    Store(db).close()
    with sqlite3.connect(db) as connection:
        connection.execute("DROP TABLE samples")
        connection.execute(f"CREATE {made.format(name)}")
    connection.close()
    with pytest.raises(InputError, match="a view or a virtual table where assay has a table"):
        Store(db)


def test_a_view_of_the_user_s_own_is_left_alone(db):
    Store(db).close()
    with sqlite3.connect(db) as connection:
        connection.execute("CREATE VIEW mine AS SELECT id FROM runs")
    connection.close()
    Store(db).close()


# Stores out there were made by these; whoever needs another schema appends a migration and its digest.
RELEASED = [
    "9c5a32050d4e",
    "29c5be6ff152",
    "bb32147942d0",
    "3e83b4b7c282",
    "66e8c48aca68",
    "3a3ca2d1310e",
    "2763688d816f",
    "c665a7f8ac23",
    "5dd2e09d5565",
    "77dbe0ae16f7",
    "4c77c11b5200",
    "b6db34aef291",
    "9d10d12b488e",
]


def test_a_migration_is_never_changed_only_appended():
    digests = [hashlib.sha256(m.encode()).hexdigest()[:12] for m in schema.MIGRATIONS]
    assert digests == RELEASED


def test_an_older_store_is_upgraded_and_keeps_what_it_has(db, monkeypatch):
    with Store(db) as store:
        run = store.begin(scripts.samples(3), CONFIG, "x")
    added = "ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT 'none';\nCREATE TABLE more (x)"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, added))
    with Store(db) as store:
        assert store.run(run.id) == run
        assert [sample.id for _, sample in store.samples(run.id)] == ["q0", "q1", "q2"]
    assert "more" in tables(db)[0]
    assert tables(db)[1] == len(schema.MIGRATIONS)


def test_an_upgrade_that_fails_halfway_leaves_the_store_as_it_was(db, monkeypatch):
    Store(db).close()
    before = tables(db)
    broken = "CREATE TABLE half (x);\nCREATE TABLE half (y)"
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
        with pytest.raises(InputError, match="cannot be used as a store"):
            Store(db)
    assert tables(db) == before
    Store(db).close()


def test_a_store_of_a_newer_assay_is_refused(db):
    Store(db).close()
    connection = sqlite3.connect(db)
    connection.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(InputError, match="written by a newer assay -> upgrade assay"):
        Store(db)


class TestWhatIsNoStore:
    @pytest.mark.parametrize("version", [0, 1])
    def test_a_database_of_another_program_is_left_alone(self, db, version):
        connection = sqlite3.connect(db)
        connection.execute("CREATE TABLE runs (distance)")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
        before = tables(db)
        with pytest.raises(InputError, match="another program's database -> name another file"):
            Store(db)
        assert tables(db) == before

    def test_a_file_that_is_no_database(self, db):
        db.write_text("question,answer\n" * 200)
        with pytest.raises(InputError, match=r"assay\.db' cannot be used as a store"):
            Store(db)
        assert db.read_text().startswith("question,answer")

    def test_a_folder(self, tmp_path):
        with pytest.raises(InputError, match="is a folder -> name a file"):
            Store(tmp_path)

    @over("use", [Store, Result])
    @over("path", [None, 3, b"assay.db", "as\0say.db", ":memory:"])
    def test_no_path_at_all(self, path, use):
        says = re.escape(f"the store is {path!r}, no path -> name a file")
        with pytest.raises(InputError, match=says):
            use(path)

    def test_a_name_that_no_file_can_have(self, tmp_path):
        with pytest.raises(InputError, match=r"cannot be"):
            Store(tmp_path / ("x" * 300))

    def test_a_path_in_a_folder_that_does_not_exist(self, tmp_path):
        with pytest.raises(InputError, match="there is no folder"):
            Store(tmp_path / "no" / "assay.db")

    async def test_a_store_that_cannot_be_opened_twice_is_refused_instead_of_hanging(
        self, db, monkeypatch
    ):
        connect, calls = sqlite3.connect, []

        def once(*args, **kwargs):
            calls.append(args)
            if len(calls) > 1:
                raise sqlite3.OperationalError("unable to open database file")
            return connect(*args, **kwargs)

        monkeypatch.setattr(sqlite3, "connect", once)
        with Store(db) as store, pytest.raises(InputError, match="unable to open"):
            await store.keep_reply(Reply(("p",), "r", key="k"), "run")
