"""What people say of a run: kept, found again by, moved along, and no part of what the run is."""

import sqlite3
from contextlib import closing

import pytest

from assay._store import Store
from assay._store.maintenance import clean, verify
from assay._store.runs import Description, parameter
from assay._store.transfer import export, import_runs
from assay.errors import InputError
from support import scripts
from support.over import over

CONFIG = {"judge": "j", "metrics": {"m": "m|1"}}


@pytest.fixture
def store(db):
    with Store(db) as opened:
        yield opened


def begun(store, n, **said):
    """A run of n samples of which something is said."""
    run = store.begin(scripts.samples(n), CONFIG, "d.jsonl")
    store.describe(run.id, Description(**said))
    return run.id


class TestNames:
    def test_a_run_is_found_by_its_name(self, store):
        one, two = begun(store, 1, name="one"), begun(store, 2, name="two")
        assert (store.run("one").id, store.run("two").id) == (one, two)
        assert store.run(one[:6]).name == "one"

    def test_last_counts_back(self, store):
        ids = [begun(store, n) for n in (1, 2, 3)]
        found = [store.run(name).id for name in ("last~2", "last~1", "last~0", "last")]
        assert found == [*ids, ids[-1]]
        with pytest.raises(InputError, match="there is no run 'last~3'"):
            store.run("last~3")

    def test_several_of_one_name_are_refused_with_their_ids_unless_one_is_counted_out(self, store):
        one, two = begun(store, 1, name="nightly"), begun(store, 2, name="nightly")
        with pytest.raises(InputError, match="several runs are called 'nightly'") as refused:
            store.run("nightly")
        assert one[:8] in str(refused.value)
        assert two[:8] in str(refused.value)
        assert store.run("nightly~0").id == two
        assert store.run("nightly~1").id == one
        with pytest.raises(InputError, match="the oldest one called so is 'nightly~1'"):
            store.run("nightly~2")

    def test_a_slip_is_told_what_may_have_been_meant(self, store):
        begun(store, 1, name="baseline")
        with pytest.raises(InputError, match="did you mean 'baseline'"):
            store.run("basline")

    def test_a_name_goes_before_the_beginning_of_an_id(self, store):
        one = begun(store, 1)
        two = begun(store, 2, name=one[:4])
        assert store.run(one[:4]).id == two
        assert store.run(one).id == one

    def test_without_a_name_a_run_is_called_by_its_data_and_when_it_began(self, store):
        run = store.run(begun(store, 1))
        assert run.title.startswith("d.jsonl, ")
        assert run.title[-3] == ":"


@over(
    ("said", "why"),
    [
        ({"name": "last"}, "cannot be called 'last'"),
        ({"name": "x~1"}, "say which run is meant"),
        ({"name": "14c5f810"}, "taken for the id"),
        ({"name": "-x"}, "taken for an option"),
        ({"name": "a\x1b[31m"}, "no short line of text"),
        ({"name": "x" * 101}, "no short line of text"),
        ({"name": 3}, "is no text"),
        ({"tags": "nightly"}, "give a list"),
        ({"tags": [" "]}, "a tag is empty"),
        ({"params": {"k": float("nan")}}, "a finite number"),
        ({"params": {"k": None}}, "the parameter 'k' is None"),
        ({"params": {"a=b": 1}}, "cannot be called 'a=b'"),
        ({"params": [("k", 1)]}, "give a dict"),
        ({"note": "x" * 10_001}, "too long"),
    ],
)
def test_what_cannot_be_said_of_a_run_is_refused(said, why):
    with pytest.raises(InputError, match=why):
        Description(**said)


@over(
    ("text", "value"),
    [("5", 5), ("0.5", 0.5), ("0.50", "0.50"), ("007", "007"), ("true", True), ("nan", "nan")],
)
def test_a_parameter_that_is_written_as_a_number_is_one(text, value):
    found = parameter(text)
    assert (found, type(found)) == (value, type(value))


class TestTheStore:
    def test_it_is_no_part_of_what_a_run_is(self, store):
        one = begun(store, 1, name="a", params={"k": 5})
        assert begun(store, 1, name="b", params={"k": 6}) == one
        assert store.run(one).name == "b"

    def test_it_moves_with_its_run_and_here_goes_before_there(self, store, tmp_path):
        run = begun(store, 1, name="there", tags=["x"], note="n", params={"k": 5, "m": "s"})
        lines = list(export(store))
        with Store(tmp_path / "new.db") as new, Store(tmp_path / "known.db") as known:
            import_runs(new, lines)
            assert new.run("there").description == store.run(run).description
            begun(known, 1, name="here", tags=["y"], params={"k": 9})
            import_runs(known, lines)
            found = known.run("here")
            assert (found.name, set(found.tags), found.note) == ("here", {"x", "y"}, "n")
            assert found.params == {"k": 9, "m": "s"}
            import_runs(known, lines)
            assert known.run("here").description == found.description

    def test_a_file_of_runs_without_it_is_taken_in(self, store, tmp_path):
        begun(store, 1)
        said = '"name": "", "tags": [], "note": "", "params": {}, '
        lines = list(export(store))
        assert said in lines[1]
        with Store(tmp_path / "new.db") as new:
            import_runs(new, [line.replace(said, "") for line in lines])
            assert new.run().title.startswith("d.jsonl, ")

    def test_a_name_that_no_run_may_have_is_not_taken_in(self, store, tmp_path):
        begun(store, 1, name="good")
        lines = [line.replace('"name": "good"', '"name": "last"') for line in export(store)]
        with (
            Store(tmp_path / "new.db") as new,
            pytest.raises(InputError, match="cannot be called 'last'"),
        ):
            import_runs(new, lines)

    def test_it_goes_with_its_run(self, db):
        with Store(db) as store:
            run = begun(store, 1, name="gone")
        clean(db, ["gone"])
        with Store(db) as store:
            assert store.called("gone") == 0
            assert begun(store, 1) == run
            assert store.run(run).name == ""

    def test_damage_to_it_is_noticed(self, db):
        with Store(db) as store:
            begun(store, 1, name="right")
        with closing(sqlite3.connect(db)) as connection, connection:
            connection.execute("UPDATE descriptions SET name = 'wrong'")
        assert any("descriptions" in problem for problem in verify(db).problems)
        with Store(db) as store, pytest.raises(InputError, match="what is said of run"):
            store.run("last")

    def test_a_store_from_before_there_was_any_opens_with_defaults(self, db):
        with Store(db) as store:
            run = begun(store, 1, name="x")
        with closing(sqlite3.connect(db)) as connection, connection:
            later = ("descriptions", "labels", "label_queue", "alerts", "prompt_cache")
            for table in (*later, "second_opinions", "answering_models"):
                connection.execute(f"DROP TABLE {table}")
            connection.execute("PRAGMA user_version = 6")
        with Store(db) as store:
            found = store.run("last")
            assert (found.id, found.name, found.tags, found.params) == (run, "", (), {})
            assert found.title.startswith("d.jsonl, ")
            assert store.run("last~0") == found
